/* Signals to the program. */
#ifndef GATECTL_TRACEE_SIGNALS_SIGNALS_H
#define GATECTL_TRACEE_SIGNALS_SIGNALS_H

#include "tracer/tracee/tracee.h"

/* Sets of signals; signal n is bit n - 1. */
struct tracee_signals {
	uint64_t blocked, ignored, caught;
	uint64_t pending; /* for the thread or for its process */
};
/* Reads the signals of a thread from /proc. Returns 0, or -1 if there is no such thread. */
int tracee_signals_of(pid_t tid, struct tracee_signals *out);

/* The origin of a signal. */
struct tracee_fault {
	int signal, code; /* code: si_code of sigaction(2) */
	bool has_address; /* `address` is si_addr; a SEGV without one has code SI_KERNEL */
	uint64_t address;
	pid_t sender; /* 0: none, or not known */
	long number;  /* SIGSYS: number of the system call */
	pid_t child;  /* SIGCHLD: a child that a signal has ended; 0: none, or not known */
	int ended_by; /* SIGCHLD: the signal that has ended a child, or 0 */
};
/* Reads the origin of the signal of a thread at TRACEE_SIGNAL. Returns 0 or -1. */
int tracee_fault(const struct tracee_thread *thread, struct tracee_fault *out);
/* True if the signal of a thread at TRACEE_SIGNAL will end the process: /proc
   shows the default action. */
bool tracee_signal_ends(const struct tracee_thread *thread);
/* True if the kernel has sent the signal of a thread at TRACEE_SIGNAL: a key of the
   terminal, a timer, a fault. */
bool tracee_signal_of_kernel(const struct tracee_thread *thread);
/* Drops the signal of a thread at TRACEE_SIGNAL; tracee_resume() does not deliver it. */
void tracee_drop_signal(struct tracee_thread *thread);

/* Returns a child of the thread that this signal has ended and that was not waited for; or 0. */
pid_t tracee_dead_child(const struct tracee_thread *thread, int signal);
/* True if the thread has a living child that is not traced, and may wake other threads. */
bool tracee_has_unseen_child(const struct tracee_thread *thread);

/*
 * Returns a signal that is pending for the process and will end it, but that no thread takes
 * because those that could are stopped; 0: none. The kernel leaves the choice to the tracer.
 */
int tracee_pending_death(struct tracee *t, struct tracee_process *process);
/* True if the signal is pending for the process or its first thread. */
bool tracee_is_pending(const struct tracee_process *process, int signal);

#endif
