/* How a program becomes traced, and is let go; gatectl's own processes. */
#ifndef GATECTL_TRACEE_ATTACH_ATTACH_H
#define GATECTL_TRACEE_ATTACH_ATTACH_H

#include "tracer/tracee/tracee.h"

enum { TRACEE_CLOSED = -2 };

struct tracee_launch {
	char *const *argv;		    /* argv[0] is looked for in PATH as execvp does */
	char *const *env;		    /* NULL: gatectl's own */
	int stdin_fd, stdout_fd, stderr_fd; /* -1: inherited; TRACEE_CLOSED: the program has none */
	bool no_follow;			    /* children run untraced, with clean bytes */
	bool trace_exit;		    /* report TRACEE_THREAD_EXIT */
	bool sleeps;			    /* report TRACEE_SLEEP and TRACEE_SLEPT, see sleeps.c */
	/* Report TRACEE_CALL for these, -1 ends the list; NULL: none. The program has one address
	   space layout, random bytes and no vdso then, see call_seen.c. */
	const long *calls;
	bool as_alone; /* refuse a program that the kernel gives fewer rights because it is traced */
	bool needs_memory; /* refuse what cannot be read */
	unsigned tick_ms;  /* the interval of TRACEE_TICK; changed by tracee_tick() */
};

/*
 * Starts the program, stopped after its exec; signal dispositions and mask are as gatectl found
 * them. NULL with ERROR_NOT_FOUND, ERROR_CANNOT_EXEC, ERROR_CANNOT_TRACE (text says what forbids
 * it, hint what to do) or ERROR_SYSTEM.
 */
struct tracee *tracee_launch(const struct tracee_launch *how, struct error *err);

/* The kernel withholds rights from a program just exec'ed, because it is traced. `what`: "the
   rights of root (set-user-ID)" and the like. */
bool tracee_withheld(const struct tracee_process *process, char *what, size_t size);

struct tracee_attach {
	pid_t pid;
	bool no_follow, trace_exit; /* as in struct tracee_launch */
	unsigned tick_ms;
};
/*
 * Takes over a running process, and children that it makes from now on; those that it has are left
 * alone. Its threads (`found`) are stopped where they are, unnoticed: no signal, no system call
 * that gives up. The first event is TRACEE_ATTACHED, answered by tracee_let_found_go(). NULL with
 * ERROR_CANNOT_TRACE (who forbids it, hint what to do) or ERROR_USAGE (no such process).
 */
struct tracee *tracee_attach(const struct tracee_attach *how, struct error *err);
/* The process had children when it was attached to, which are not traced. */
bool tracee_had_children(const struct tracee *t);
/* Resumes the found threads, except those that a queued event is about. */
void tracee_let_found_go(struct tracee *t);
/*
 * Lets the whole tree go: threads that are stopped or held go on from their sites, signals are
 * delivered, stopped jobs stay stopped; the program's own bytes are back, debug registers clear,
 * gatectl's memory unmapped. Afterwards tracee_wait() reports TRACEE_EMPTY and tracee_resume() does
 * nothing.
 */
void tracee_detach(struct tracee *t);

/*
 * Splits gatectl in two before it attaches: 0 in the process that does the work; 1 in the one that
 * was started, when the other has ended, with its *status as waitpid gives it. SIGKILL to the first
 * is SIGTERM to the second, which detaches then. -1: it cannot be done. `steered`: a user steers the
 * second at the terminal of both.
 */
int tracee_guard(bool steered, int *status, struct error *err);
/* The process of the program that stopped gatectl by ptrace and was killed for it; or 0. */
pid_t tracee_frozen_by(void);

/* Forks a process that traces programs of its own; signals are held in both. Returns 0 in it. It is
   killed when its parent ends. */
pid_t tracee_worker(void);
/* Returns the signal that ended the worker, this one or an earlier one; 0: it had exited. */
int tracee_worker_kill(pid_t worker);
/* Kills all of them at once, with their programs. */
void tracee_workers_end(const pid_t *workers, size_t count);

#endif
