/*
 * The traced tree: processes, threads, their memory, and the sites at which they stop.
 *
 * The only room that calls ptrace, waitpid and process_vm_*. It knows addresses, never source.
 * One thread of gatectl drives it: tracee_wait() returns one event at a time; the event's thread
 * stays stopped until tracee_resume() (or for ever: that is a held thread). What only some rooms
 * need is in the header of each folder: events/, threads/, traps/, syscalls/, signals/, fastpath/,
 * snapshot/, attach/.
 *
 * Ownership: the tracee owns every process, thread and site; pointers stay valid until the event
 * that reports their end is answered by the next tracee_wait(). `user` fields are the caller's:
 * site users are copied to forked children and are otherwise left alone.
 */
#ifndef GATECTL_TRACEE_TRACEE_H
#define GATECTL_TRACEE_TRACEE_H

#include "tracer/arch/arch.h"
#include "tracer/base/error.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tracee;
struct tracee_space; /* an address space; processes made by vfork share it */

struct tracee_process {
	pid_t pid;
	struct tracee_process *parent; /* NULL: the program itself, or its parent is gone */
	struct tracee_space *space;
	size_t threads;	 /* that are alive */
	bool is_root;	 /* the program itself */
	bool unfollowed; /* --no-follow, kept only until it execs (vfork): nothing is reported */
	void *user;
};

enum tracee_state {
	TRACEE_RUNNING,
	TRACEE_STOPPED,	      /* an event was reported and not answered yet, or it is held */
	TRACEE_GROUP_STOPPED, /* job control: SIGCONT from anywhere lets it go on */
};

struct tracee_thread {
	pid_t tid;
	struct tracee_process *process;
	struct tracee_thread *creator; /* NULL for a process's first thread, or if gone */
	enum tracee_state state;
	uint64_t clears; /* the word that the kernel clears when it ends (CLEARTID), or 0 */
	uint64_t pauses; /* times it was interrupted, to be looked at */
	bool found;	 /* by tracee_attach, running already: no TRACEE_THREAD_START is reported */
	void *user;
};

struct tracee_site {
	uint64_t addr;
	void *user;
};

enum tracee_event_kind {
	TRACEE_SITE,	     /* `thread` is at `site`; its pc reads as the site's address */
	TRACEE_THREAD_START, /* before its first instruction (never for a first thread) */
	TRACEE_THREAD_EXIT,  /* about to end by itself; only with trace_exit */
	TRACEE_THREAD_GONE,  /* has ended; not resumed */
	TRACEE_FORK, /* `thread` has made the process `child` (reported already or not yet) */
	TRACEE_PROCESS_START, /* the first thread of a forked process, before its first step */
	TRACEE_EXEC,	 /* a new image; every site of the process is gone. Threads that the exec
			    ended were reported GONE before. Also the program's first event */
	TRACEE_ATTACHED, /* the first event after tracee_attach: every thread is stopped */
	TRACEE_SLEEP,	 /* begins to wait for `sleep_ns` at most; only with `sleeps` */
	TRACEE_SLEPT,	 /* ... no longer waits */
	TRACEE_CALL,	 /* about to make a system call of tracee_launch.calls */
	TRACEE_CALLED,	 /* ... has made it; only after tracee_tell_end() */
	TRACEE_JOB_STOP, /* stopped by job control; only with `calls`; not resumed */
	TRACEE_WATCH,	 /* has just written to a watched word */
	TRACEE_SIGNAL,	 /* `signal` is about to be delivered */
	TRACEE_PROCESS_GONE, /* all threads of `process` are gone; `status` as waitpid gives it */
	TRACEE_TICK,	     /* time has passed (tracee_launch.tick_ms); no thread */
	TRACEE_INTERRUPT,    /* gatectl itself was sent `signal` (INT, TERM or HUP); no thread */
	TRACEE_EMPTY,	     /* no traced process is left; no thread */
};

/* A system call that the program makes. */
struct tracee_made {
	long number;
	uint64_t args[6];
	int64_t result; /* CALLED: -errno if it has failed */
	uint64_t pc, sp, fs_base;
};

struct tracee_event {
	enum tracee_event_kind kind;
	struct tracee_thread *thread;
	struct tracee_process *process; /* of the thread, or the one that is gone */
	struct tracee_process *child;	/* FORK */
	struct tracee_site *site;	/* SITE */
	int signal;			/* SIGNAL, INTERRUPT */
	int status;			/* PROCESS_GONE */
	uint64_t sleep_ns;		/* SLEEP, SLEPT: how long the program asked to sleep */
	bool mere_sleep;		/* SLEEP: only its time ends it, or a signal */
	bool sleeps_again;		/* SLEEP: elided so often that it no longer is */
	unsigned long clock_reads;	/* SLEEP: times that its thread has read the clock */
	bool timed_out;			/* SLEPT: its time has ended it */
	struct tracee_made call;	/* CALL, CALLED */
};

/* Kills what is left of the tree, reaps it, and frees everything; a program that was attached to
   is detached instead. */
void tracee_free(struct tracee *t);

/* The next event; blocks. Never fails: what cannot be understood is passed on to the program. */
void tracee_wait(struct tracee *t, struct tracee_event *out);

/* Lets a stopped thread go on: past its trap out of line, its signal delivered, a group stop kept.
   A thread that is gone or running is left alone. */
void tracee_resume(struct tracee *t, struct tracee_thread *thread);

/* Threads in order of creation; start with NULL. */
struct tracee_thread *tracee_next_thread(struct tracee *t, struct tracee_thread *after);

/* All n bytes, or -1. Reads return the program's own bytes, not traps; writes go under them. */
int tracee_read(struct tracee_process *process, uint64_t addr, void *buf, size_t n);
int tracee_write(struct tracee_process *process, uint64_t addr, const void *buf, size_t n);

/* Registers of a stopped thread; the pc at a site is its address. Read at most once a stop. */
int tracee_regs(struct tracee_thread *thread, struct arch_regs *out);
/* The first n bytes of a wide register, by DWARF number: XMM (from 17), ST (from 33). 0, or -1. */
int tracee_vector(struct tracee_thread *thread, unsigned dwarf, void *buf, size_t n);
/* Sets a general register (not pc or sp) or the first n bytes of an XMM of a stopped thread. */
int tracee_set_register(struct tracee_thread *thread, unsigned dwarf, const void *buf, size_t n);

/* Kills the process, and with it the program, by this signal here and now (`:kill`). */
void tracee_kill(struct tracee *t, struct tracee_process *process, int signal);
/* Sends SIGKILL to all of the tree; the GONE events still come. */
void tracee_kill_all(struct tracee *t);

#endif
