/* Signals to the program. */
#ifndef GATECTL_TRACEE_SIGNALS_SIGNALS_H
#define GATECTL_TRACEE_SIGNALS_SIGNALS_H

#include "tracer/tracee/tracee.h"

/* Signal n is bit n - 1. */
struct tracee_signals {
	uint64_t blocked, ignored, caught;
	uint64_t pending; /* for the thread or for its process */
};
/* 0, or -1: there is no such thread. */
int tracee_signals_of(pid_t tid, struct tracee_signals *out);

/* Of a thread at TRACEE_SIGNAL: what has raised the signal, or who has sent it. */
struct tracee_fault {
	int signal, code; /* code: si_code of sigaction(2) */
	bool has_address; /* `address` is si_addr; a SEGV without one has code SI_KERNEL */
	uint64_t address;
	pid_t sender; /* 0: none, or not known */
	long number;  /* SIGSYS: of the system call */
	pid_t child;  /* SIGCHLD: it was ended by `ended_by`. 0: by no signal, or not known */
	int ended_by;
};
int tracee_fault(const struct tracee_thread *thread, struct tracee_fault *out); /* 0, or -1 */
/* ... the signal will end the process: its action, from /proc, is the default one. */
bool tracee_signal_ends(const struct tracee_thread *thread);
/* ... the kernel has sent it: a key of the terminal, a timer, a fault. */
bool tracee_signal_of_kernel(const struct tracee_thread *thread);
/* ... it is dropped when the thread is resumed. */
void tracee_drop_signal(struct tracee_thread *thread);

/* A child of the thread's that it has not waited for, and that has died of this signal; or 0. */
pid_t tracee_dead_child(const struct tracee_thread *thread, int signal);
/* The thread has made a process that lives and is not traced: it may wake others. */
bool tracee_has_unseen_child(const struct tracee_thread *thread);

/*
 * A signal that was sent to the process and will end it, but that no thread takes, because those
 * that could are stopped: the kernel leaves the choice to the tracer. 0: there is none.
 */
int tracee_pending_death(struct tracee *t, struct tracee_process *process);
/* Sent to the process (or its first thread), and not taken yet. */
bool tracee_is_pending(const struct tracee_process *process, int signal);

#endif
