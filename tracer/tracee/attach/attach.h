/* Launching, attaching to and detaching from a program; gatectl's own processes. */
#ifndef GATECTL_TRACEE_ATTACH_ATTACH_H
#define GATECTL_TRACEE_ATTACH_ATTACH_H

#include "tracer/tracee/tracee.h"

enum { TRACEE_CLOSED = -2 };

struct tracee_launch {
	char *const *argv;		    /* argv[0] is looked up in PATH as by execvp(3) */
	char *const *env;		    /* NULL: gatectl's own */
	int stdin_fd, stdout_fd, stderr_fd; /* -1: inherited; TRACEE_CLOSED: the program has none */
	bool no_follow;			    /* children run untraced, without traps */
	bool trace_exit;		    /* report TRACEE_THREAD_EXIT */
	bool no_vdso;			    /* the program reads the clock by system calls */
	bool sleeps;			    /* report TRACEE_SLEEP and TRACEE_SLEPT, see sleeps.c */
	/* Report TRACEE_CALL for these system calls, -1 ends the list; NULL: none.
	   The address space layout and the random bytes are then fixed, and there is
	   no vdso: see call_seen.c. */
	const long *calls;
	/* refuse a program from which the kernel withholds rights because it is traced */
	bool as_alone;
	bool needs_memory; /* refuse a program whose memory cannot be read */
	unsigned tick_ms;  /* period of TRACEE_TICK, 0: none; changed by tracee_tick() */
};

/*
 * Starts the program, stopped after its exec, with signal actions and mask as gatectl found them.
 * Returns NULL with ERROR_NOT_FOUND, ERROR_CANNOT_EXEC, ERROR_CANNOT_TRACE (with a hint) or
 * ERROR_SYSTEM. The caller frees with tracee_free().
 */
struct tracee *tracee_launch(const struct tracee_launch *how, struct error *err);

/* True if the kernel withholds rights from a program just exec'ed because it is traced. `what` is
   then "the rights of root (set-user-ID)" and the like. */
bool tracee_withheld(const struct tracee_process *process, char *what, size_t size);

struct tracee_attach {
	pid_t pid;
	bool no_follow, trace_exit; /* see struct tracee_launch */
	unsigned tick_ms;
};
/*
 * Attaches to a running process, and to children that it creates from now on. Its threads (`found`)
 * are stopped unnoticed. The first event is TRACEE_ATTACHED, answered by tracee_let_found_go().
 * Returns NULL with ERROR_CANNOT_TRACE (with a hint) or ERROR_USAGE (no such process).
 */
struct tracee *tracee_attach(const struct tracee_attach *how, struct error *err);
/* True if the process had children when it was attached to; those are not traced. */
bool tracee_had_children(const struct tracee *t);
/* Resumes the found threads, except those that a queued event is about. */
void tracee_let_found_go(struct tracee *t);
/*
 * Detaches from the whole tree. Threads go on from their sites, signals are delivered, group stops
 * stay; the program's bytes, debug registers and mappings are restored. Afterwards tracee_wait()
 * reports TRACEE_EMPTY and tracee_resume() does nothing.
 */
void tracee_detach(struct tracee *t);

/*
 * Splits gatectl in two processes before it attaches. Returns 0 in the tracer; 1 in the started
 * process, after the tracer's end and with its wait status; or -1 with *err set. `steered`: a user
 * steers the tracer at the terminal of both.
 */
int tracee_guard(bool steered, int *status, struct error *err);
/* Returns the process that was killed because it had stopped gatectl by ptrace; or 0. */
pid_t tracee_frozen_by(void);

/* Forks a worker, which traces programs of its own and is killed when its parent ends. Signals are
   held in both. Returns 0 in the worker; its id, or -1, in the parent. */
pid_t tracee_worker(void);
/* Kills a worker. Returns the signal that has ended it, this or an
   earlier one; 0: it had exited. */
int tracee_worker_kill(pid_t worker);
/* Kills all workers at once, with their programs. */
void tracee_workers_end(const pid_t *workers, size_t count);

#endif
