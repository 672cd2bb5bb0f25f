/*
 * The traced tree: processes, threads, their memory, and the sites at which they stop.
 *
 * Only this folder calls ptrace, waitpid and process_vm_*. It knows addresses, never source. One
 * thread of gatectl drives it: tracee_wait() returns one event at a time. The event's thread stays
 * stopped until tracee_resume(); a held thread is one that is not resumed. The subfolders' headers
 * declare what only some callers need.
 *
 * Ownership: the tracee owns every process, thread and site. A pointer is valid until the
 * tracee_wait() after the event that reports the end. `user` fields belong to the caller; a site's
 * is copied to forked children.
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
	struct tracee_process *parent; /* NULL for the program itself, or if the parent is gone */
	struct tracee_space *space;
	size_t threads; /* living threads */
	bool is_root;	/* the program itself */
	/* traced with --no-follow only until its exec (vfork); nothing is reported */
	bool unfollowed;
	void *user;
};

enum tracee_state {
	TRACEE_RUNNING,
	TRACEE_STOPPED,	      /* at an event that is not answered yet; a held thread stays here */
	TRACEE_GROUP_STOPPED, /* stopped by job control until a SIGCONT */
};

struct tracee_thread {
	pid_t tid;
	struct tracee_process *process;
	struct tracee_thread *creator; /* NULL for a process's first thread, or if gone */
	enum tracee_state state;
	/* address of the word that the kernel clears at the end (CLONE_CHILD_CLEARTID), or 0 */
	uint64_t clears;
	uint64_t pauses; /* number of times that tracee_pause() has interrupted the thread */
	bool found;	 /* already running when tracee_attach() found it: no TRACEE_THREAD_START */
	void *user;
};

struct tracee_site {
	uint64_t addr;
	void *user;
};

enum tracee_event_kind {
	TRACEE_SITE, /* `thread` is at `site`; its pc reads as the site's address */
	/* before the thread's first instruction; not for a process's first thread */
	TRACEE_THREAD_START,
	TRACEE_THREAD_EXIT, /* the thread is about to exit by itself; only with trace_exit */
	TRACEE_THREAD_GONE, /* the thread has ended; it is not resumed */
	/* `thread` has created the process `child`, which may be reported earlier or later */
	TRACEE_FORK,
	TRACEE_PROCESS_START, /* the first thread of a forked process, before its first step */
	TRACEE_EXEC,	 /* a new image; every site of the process is gone. Threads that the exec
			    ended were reported GONE before. Also the program's first event */
	TRACEE_ATTACHED, /* the first event after tracee_attach: every thread is stopped */
	/* the thread begins to wait, for `sleep_ns` at most; only with tracee_launch.sleeps */
	TRACEE_SLEEP,
	TRACEE_SLEPT,	 /* the thread no longer waits */
	TRACEE_CALL,	 /* before a system call in tracee_launch.calls */
	TRACEE_CALLED,	 /* after such a system call, if tracee_tell_end() asked for it */
	TRACEE_JOB_STOP, /* the thread is stopped by job control; only with `calls`; not resumed */
	TRACEE_WATCH,	 /* the thread has just written to a watched word */
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
	int64_t result; /* at CALLED; -errno if the call has failed */
	uint64_t pc, sp, fs_base;
};

struct tracee_event {
	enum tracee_event_kind kind;
	struct tracee_thread *thread;
	struct tracee_process *process; /* the thread's, or the process that is gone */
	struct tracee_process *child;	/* FORK */
	struct tracee_site *site;	/* SITE */
	int signal;			/* SIGNAL, INTERRUPT */
	int status;			/* PROCESS_GONE */
	uint64_t sleep_ns;		/* SLEEP, SLEPT: time that the program asked for */
	bool mere_sleep;		/* SLEEP: only the time, or a signal, ends the wait */
	bool sleeps_again;		/* SLEEP: really sleeps, after too many elided calls */
	unsigned long clock_reads;	/* SLEEP: number of clock reads by the thread so far */
	bool timed_out;			/* SLEPT: the wait ended because the time was over */
	struct tracee_made call;	/* CALL, CALLED */
};

/* Kills what is left of the tree, reaps it, and frees everything; a program that was attached to
   is detached instead. */
void tracee_free(struct tracee *t);

/* Waits for the next event. Never fails: a status that is not understood is
   passed on to the program. */
void tracee_wait(struct tracee *t, struct tracee_event *out);

/* Resumes a stopped thread: passes its trap out of line, delivers its signal, keeps a group stop. A
   thread that is gone or running is left alone. */
void tracee_resume(struct tracee *t, struct tracee_thread *thread);

/* Returns the thread created next after `after` (NULL: the first one), or NULL at the end. */
struct tracee_thread *tracee_next_thread(struct tracee *t, struct tracee_thread *after);

/* Reads n bytes, the program's own in place of traps. Returns 0, or -1 if not all can be read. */
int tracee_read(struct tracee_process *process, uint64_t addr, void *buf, size_t n);
/* Writes n bytes; traps stay in place. Returns 0, or -1 if not all can be written. */
int tracee_write(struct tracee_process *process, uint64_t addr, const void *buf, size_t n);

/* Reads the registers of a stopped thread, once a stop; the pc at a site is its
   address. Returns 0 or -1. */
int tracee_regs(struct tracee_thread *thread, struct arch_regs *out);
/* Reads the first n bytes of a vector register, by DWARF number: XMM from 17, ST
   from 33. Returns 0 or -1. */
int tracee_vector(struct tracee_thread *thread, unsigned dwarf, void *buf, size_t n);
/* Sets a general register (not pc or sp), or the first n bytes of an XMM, of a
   stopped thread. Returns 0 or -1. */
int tracee_set_register(struct tracee_thread *thread, unsigned dwarf, const void *buf, size_t n);

/* Kills the process by this signal, where one of its stopped threads stands (`:kill`); by SIGKILL
   if that cannot be done. */
void tracee_kill(struct tracee *t, struct tracee_process *process, int signal);
/* Sends SIGKILL to the whole tree, except the snapshot; the GONE events still come. */
void tracee_kill_all(struct tracee *t);

#endif
