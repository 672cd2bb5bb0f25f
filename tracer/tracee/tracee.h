/*
 * The traced tree: processes, threads, their memory, and the sites at which they are stopped.
 *
 * The only room that calls ptrace, waitpid and process_vm_*. It knows addresses, never source.
 * One thread of gatectl drives it: tracee_wait() yields one event at a time; the thread that the
 * event is about stays stopped until tracee_resume() (or for ever: that is what a held thread is).
 *
 * Ownership: the target owns every process, thread and site; pointers stay valid until the event
 * that reports their end has been answered by the next tracee_wait(). `user` fields are the
 * run's: the target copies site users into forked children and otherwise leaves them alone.
 */
#ifndef GATECTL_TRACEE_TRACEE_H
#define GATECTL_TRACEE_TRACEE_H

#include "tracer/arch/arch.h"
#include "tracer/base/error.h"
#include "tracer/resident/grant.h"
#include "tracer/resident/comparison.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tracee;	     /* opaque */
struct tracee_space; /* opaque: one address space; processes made by vfork share it */

struct tracee_process {
	pid_t pid;
	struct tracee_process *parent; /* NULL: the program itself, or its parent is gone */
	struct tracee_space *space;
	size_t threads;	 /* that are alive */
	bool is_root;	 /* the program itself */
	bool unfollowed; /* --no-follow, kept only until it execs (vfork): report nothing */
	void *user;
};

enum tracee_state {
	TRACEE_RUNNING,
	TRACEE_STOPPED,	      /* an event was reported and not yet answered, or the run holds it */
	TRACEE_GROUP_STOPPED, /* job control: SIGCONT from anywhere lets it go on */
};

struct tracee_thread {
	pid_t tid;
	struct tracee_process *process;
	struct tracee_thread
		*creator; /* who called clone; NULL for a process's first, or if gone */
	enum tracee_state state;
	uint64_t clears; /* the word that becomes 0 when it ends, as its creator wanted it; or 0 */
	bool found; /* by tracee_attach, running already: no TRACEE_THREAD_START is given for it */
	void *user;
};

struct tracee_site {
	uint64_t addr;
	void *user;
};

enum tracee_event_kind {
	TRACEE_SITE,	     /* `thread` is at `site`; its pc reads as the site's address */
	TRACEE_THREAD_START, /* `thread` is before its first instruction (never for a first thread) */
	TRACEE_THREAD_EXIT, /* `thread` is about to end by itself; only with trace_exit */
	TRACEE_THREAD_GONE, /* `thread` is no more; not resumed */
	TRACEE_FORK, /* `thread` has made the process `child` (already reported or not yet) */
	TRACEE_PROCESS_START, /* `thread` is the first of a forked process, before its first step */
	TRACEE_EXEC,	 /* `thread` runs a new image; every site of the process is gone. Threads
				 that the exec ended were reported GONE before. Also the first event
				 of all, for the program itself */
	TRACEE_ATTACHED, /* the first event of all behind tracee_attach: every thread stands still */
	TRACEE_SLEEP,	 /* `thread` begins to wait for `sleep_ns` at most; only with `sleeps` */
	TRACEE_SLEPT,	 /* ... and does not wait any more */
	TRACEE_CALL,	 /* `thread` is about to make a system call of tracee_launch.calls */
	TRACEE_CALLED,	 /* ... has made it; only after tracee_tell_end() */
	TRACEE_JOB_STOP, /* `thread` is stopped by job control; only with `calls`; not resumed */
	TRACEE_WATCH,	 /* `thread` has just written to a watched word */
	TRACEE_SIGNAL,	 /* `signal` is about to be delivered to `thread` */
	TRACEE_PROCESS_GONE, /* all threads of `process` are gone; `status` as waitpid gives it */
	TRACEE_TICK,	     /* time has passed (tracee_launch.tick_ms); no thread */
	TRACEE_INTERRUPT,    /* gatectl itself was sent `signal` (INT, TERM or HUP); no thread */
	TRACEE_EMPTY,	     /* no traced process is left; no thread */
};

/* A system call that the program makes. */
struct tracee_made {
	long number;
	uint64_t args[6];
	int64_t result; /* CALLED: -errno where it has failed */
	uint64_t pc, sp, fs_base;
};

struct tracee_event {
	enum tracee_event_kind kind;
	struct tracee_thread *thread;
	struct tracee_process *process; /* of the thread, or the one that is gone */
	struct tracee_process *child;	/* FORK */
	struct tracee_site *site;	/* SITE */
	int signal;			/* SIGNAL, INTERRUPT */
	int status;			/* PROCESS_GONE: as waitpid gives it */
	uint64_t sleep_ns;		/* SLEEP, SLEPT: how long the program asked to sleep */
	bool mere_sleep;		/* SLEEP: nothing but its time ends it, or a signal */
	bool sleeps_again;		/* SLEEP: was elided so often that it no longer is */
	unsigned long clock_reads;	/* SLEEP: how often its thread has asked for the time */
	bool timed_out;			/* SLEPT: nothing else has ended it */
	struct tracee_made call;	/* CALL, CALLED */
};

enum { TRACEE_CLOSED = -2 };

struct tracee_launch {
	char *const *argv;		    /* argv[0] is looked for in PATH as execvp does */
	char *const *env;		    /* NULL: gatectl's own */
	int stdin_fd, stdout_fd, stderr_fd; /* -1: inherited; TRACEE_CLOSED: the program has none */
	bool no_follow;			    /* children run untraced, with clean bytes */
	bool trace_exit;		    /* report TRACEE_THREAD_EXIT */
	bool sleeps;			    /* report TRACEE_SLEEP and TRACEE_SLEPT, see sleeps.c */
	const long
		*calls; /* report TRACEE_CALL for these, -1 behind the last; NULL: none. The program
			      has one address space layout, random bytes and no vdso then, see call_seen.c */
	bool as_alone; /* refuse a program that the kernel runs with fewer rights if it is traced */
	bool needs_memory; /* refuse what cannot be read */
	unsigned tick_ms;  /* a TRACEE_TICK about that often; changed with tracee_tick() */
};

/*
 * Starts the program, stopped after its exec; signal dispositions and mask are as gatectl found
 * them. NULL with ERROR_NOT_FOUND, ERROR_CANNOT_EXEC, ERROR_CANNOT_TRACE (text says what forbids
 * it, hint what to do) or ERROR_SYSTEM.
 */
struct tracee *tracee_launch(const struct tracee_launch *how, struct error *err);

/*
 * Does the kernel withhold rights from a program just exec'ed, because it is traced? `what`: "the
 * rights of root (set-user-ID)" and the like.
 */
bool tracee_withheld(const struct tracee_process *process, char *what, size_t size);

/*
 * Takes over a process that runs, and the children that it makes from now on; those that it has are
 * left alone. Its threads (`found`) are stopped where they are, and nobody notices: no signal, no
 * system call that gives up. The first event is TRACEE_ATTACHED, to be answered by
 * tracee_let_found_go(). NULL with ERROR_CANNOT_TRACE (who forbids it, hint what to do) or
 * ERROR_USAGE (no such process).
 */
struct tracee_attach {
	pid_t pid;
	bool no_follow, trace_exit; /* as in struct tracee_launch */
	unsigned tick_ms;
};
struct tracee *tracee_attach(const struct tracee_attach *how, struct error *err);

/* When it was attached to, had it children, which are not traced now? */
bool tracee_had_children(const struct tracee *t);

/* Lets them go on, but for those that an event in the queue is about. */
void tracee_let_found_go(struct tracee *t);

/*
 * Lets the whole tree go: threads that are stopped or held go on from their sites, signals are
 * delivered, stopped jobs stay stopped; the program's own bytes are back, debug registers clear, our
 * memory unmapped. Afterwards tracee_wait() gives TRACEE_EMPTY and tracee_resume() does nothing.
 */
void tracee_detach(struct tracee *t);

/*
 * Splits gatectl in two before it attaches: 0 in the process that is to do the work; 1 in the one
 * that was started, when the other has ended, with its *status as waitpid gives it. SIGKILL to the
 * first one is SIGTERM to the second, which detaches then. -1: it cannot be done.
 */
int tracee_guard(int *status, struct error *err);

/* The process of ours that has stopped gatectl by ptrace, for which it was killed; 0: none. */
pid_t tracee_frozen_by(void);

/* What is to become of signals: of signal n the bit n - 1. */
struct tracee_signals {
	uint64_t blocked, ignored, caught;
	uint64_t pending; /* for the thread or for its process */
};
/* 0, or -1: there is no such thread. */
int tracee_signals_of(pid_t tid, struct tracee_signals *out);

/* In a child that is about to exec: signals are as gatectl was started with. */
void tracee_signals_as_found(void);
/* For several targets, one after another: a SIGINT, SIGTERM or SIGHUP that comes between two of
   them is the next one's TRACEE_INTERRUPT. _release: the one that came after the last target, or
   0. */
void tracee_signals_hold(void);
int tracee_signals_release(void);
bool tracee_signals_came(void); /* one waits to be that */
void tracee_signals_put_back(
	int signal); /* it has interrupted what is no run yet: it waits again */
/* Forks a process that has targets of its own; signals are held in both. 0 in it. It is killed when the one
   that has forked it ends. */
pid_t tracee_worker(void);
/* The signal that has ended it, this one or another one before; 0: it had exited. */
int tracee_worker_kill(pid_t worker);
/* All at once, with their programs. */
void tracee_workers_end(const pid_t *workers, size_t count);
/* The signal that came ends nothing: it is answered in another way. */
void tracee_signals_go_on(void);
/* A temporary file that is not to be left behind by a signal; NULL: it is gone. Not copied. */
void tracee_signals_unlink(const char *path);
/* Written to standard error if a signal ends gatectl while nobody looks for one; NULL: nothing. Not
   copied. */
void tracee_signals_say(const char *text);

/* Kills what is left of the tree, reaps it, and frees everything; one that was attached to is let
   go instead. */
void tracee_free(struct tracee *t);

/* The next event; blocks. Never fails: what cannot be understood is passed on to the program. */
void tracee_wait(struct tracee *t, struct tracee_event *out);
/* Is an event about the thread still to come? */
bool tracee_is_queued(const struct tracee *t, const struct tracee_thread *thread);

/* A TRACEE_INTERRUPT that has not been given yet is not wanted any more. One of TERM or HUP is
   returned, else 0. */
int tracee_forget_interrupt(void);

/* Changes how often TRACEE_TICK comes. */
void tracee_tick(struct tracee *t, unsigned tick_ms);

/*
 * Lets a stopped thread go on: past its trap out of line, its signal delivered, a group stop kept.
 * A thread that is gone or running is left alone.
 */
void tracee_resume(struct tracee *t, struct tracee_thread *thread);

/* A thread at TRACEE_CALL does not make the call when it is resumed, but has this result; at
   TRACEE_CALLED: another result. */
void tracee_answer(struct tracee_thread *thread, int64_t result);
/* ... makes it with this argument. */
void tracee_argument(struct tracee_thread *thread, unsigned index, uint64_t value);
/* ... TRACEE_CALLED comes when it is over. */
void tracee_tell_end(struct tracee_thread *thread);
/* Has it a signal that runs a handler or ends it, as soon as it runs? That comes before its call waits. */
bool tracee_is_signalled(const struct tracee_thread *thread);
/* A thread at TRACEE_CALL waits there until what it waits for has come, though for a time at most: this
   one. False: it waits for no time, or for ever. */
struct tracee_limit {
	uint64_t ns;
	bool is_absolute; /* of `clock`; else a length */
	clockid_t clock;
};
bool tracee_unlimit(struct tracee_thread *thread, struct tracee_limit *out);
/* ... that is over: it comes back from the kernel (TRACEE_CALLED) with the result which says so. */
void tracee_time_out(struct tracee_thread *thread);
/* A thread at TRACEE_CALL does not make the call when it is resumed, but stands before it once more; a handler
   runs before that. */
void tracee_call_again(struct tracee_thread *thread);

/* Of a thread that does not run: has nothing come for it yet that lets it go on, or ends it? */
bool tracee_rests_stopped(const struct tracee_thread *thread);
/* Will it be when it is resumed: by a signal that waits for it, or since its process is? */
bool tracee_is_to_stop(const struct tracee_thread *thread);

/* Is no event waiting to be told, and do no more threads run than these? */
bool tracee_is_settled(const struct tracee *t, size_t running);

/*
 * A program as it is now, kept for others to begin with: its only thread stands at a site, and stays
 * there. tracee_kill_all() spares it, tracee_wait() does not count it: TRACEE_EMPTY means that all others
 * are gone. 0, or -1: it has other threads.
 */
int tracee_keep(struct tracee *t, struct tracee_thread *thread);
/* A new process that is what the kept one is, a root, stopped as that is: no event comes for it. NULL with
   ERROR_SYSTEM. */
struct tracee_process *tracee_copy(struct tracee *t, struct tracee_thread **thread,
				   struct error *err);

/* The signal of a thread stopped at TRACEE_SIGNAL is dropped when it is resumed. */
void tracee_drop_signal(struct tracee_thread *thread);

/* ... and who has sent it? The kernel: a key of the terminal, a timer, a fault. */
bool tracee_signal_of_kernel(const struct tracee_thread *thread);

/* The signal of a thread stopped at TRACEE_SIGNAL: what has raised it, or who has sent it. */
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
/* ... and will it end the process, as things stand? From /proc: its action is the default one. */
bool tracee_signal_ends(const struct tracee_thread *thread);

/* A child that the thread has made and not waited for yet, and that has died of this signal; 0: there is none. */
pid_t tracee_dead_child(const struct tracee_thread *thread, int signal);
/* Has the thread made a process that lives, and is not traced? It may wake others. */
bool tracee_has_unseen_child(const struct tracee_thread *thread);
bool tracee_has_sites(const struct tracee_process *process);

/* The process, and with it the traced program, dies by this signal here and now (`:kill`). */
void tracee_kill(struct tracee *t, struct tracee_process *process, int signal);

/*
 * A signal that was sent to the process and will end it, but that no thread takes, because those
 * that could are stopped by us: the kernel leaves the choice to the tracer. 0: there is none.
 */
int tracee_pending_death(struct tracee *t, struct tracee_process *process);
/* Sent to the process (or its first thread), and not taken yet. */
bool tracee_is_pending(const struct tracee_process *process, int signal);

/* SIGKILL to all of the tree; the GONE events still come from tracee_wait(). */
void tracee_kill_all(struct tracee *t);

/* Threads in order of creation; start with NULL. */
struct tracee_thread *tracee_next_thread(struct tracee *t, struct tracee_thread *after);

/*
 * The program has its own use for SIGTRAP: rt_sigaction sets this action for it (as the kernel has
 * it: the handler comes first; NULL: the default), the thread blocks it from now on, or not. What
 * our traps spoil of that is put back.
 */
void tracee_trap_action(struct tracee_thread *thread, const uint64_t action[4]);
void tracee_trap_blocked(struct tracee_thread *thread, bool blocked);

/* Memory: all n bytes or -1. Reads show the program's own bytes, not our traps; writes go under them. */
int tracee_read(struct tracee_process *process, uint64_t addr, void *buf, size_t n);
int tracee_write(struct tracee_process *process, uint64_t addr, const void *buf, size_t n);

/* Registers of a stopped thread; pc of one at a site is the site's address. Read at most once a stop. */
int tracee_regs(struct tracee_thread *thread, struct arch_regs *out);

/* A register wider than those of arch_regs, by DWARF number: XMM (17 and on, 16 bytes), ST (33 and on,
   10 bytes). Its first n bytes; 0, or -1. */
int tracee_vector(struct tracee_thread *thread, unsigned dwarf, void *buf, size_t n);
/* Sets a general register (not pc or sp) or the first n bytes of an XMM of a stopped thread. */
int tracee_set_register(struct tracee_thread *thread, unsigned dwarf, const void *buf, size_t n);

/*
 * Puts a trap at addr in this address space. `helper` is a stopped thread of the process, used to
 * map memory for the out-of-line copy where there is none near; NULL: no new mapping can be made.
 * NULL with an error: unreadable, or an instruction that has no copy. Two adds at one address yield
 * the same site (the second user is ignored: look at ->user first).
 */
struct tracee_site *tracee_site_add(struct tracee *t, struct tracee_process *process,
				    struct tracee_thread *helper, uint64_t addr, void *user,
				    struct error *err);
struct tracee_site *tracee_site_find(struct tracee_process *process, uint64_t addr);
/* Where its instruction stands once more, and goes on behind the trap, as long as the image lives: a thread
   that is sent there passes unseen. 0: nowhere. */
uint64_t tracee_site_unseen(const struct tracee_site *site);

/*
 * Takes the trap away; a thread that ran into it already is not reported any more but goes on.
 * Threads held at it stay held. The struct stays valid (and may be added again) until exec.
 */
void tracee_site_remove(struct tracee_process *process, struct tracee_site *site);

/*
 * From now on the site is only reported when its count is used up: see tracer/resident/stub.h. `helper` is
 * a stopped thread of the process. The count is the target's; a forked child has the same one. Where the first
 * instruction is too short, those in `span` bytes move along, if there are so many (source_movable()). NULL: it stays
 * a trap, *why says for what reason.
 */
struct resident_count *tracee_site_resident(struct tracee *t, struct tracee_process *process,
					    struct tracee_thread *helper, struct tracee_site *site,
					    unsigned span, const char **why);
/*
 * The same, but that one thread is always reported there: `only`; NULL: it is not there yet. Later
 * _is_only says who it is, of a thread that is stopped (a new one before it begins). -1: it could not be found out.
 */
struct resident_count *tracee_site_for_others(struct tracee *t, struct tracee_process *process,
					      struct tracee_thread *helper,
					      struct tracee_site *site, unsigned span,
					      struct tracee_thread *only, const char **why);
int tracee_is_only(struct tracee_thread *thread, struct resident_count *count);
/*
 * The same for all threads, but that variables are compared first: what comes of the first test says which one is next, and at last
 * whether the arrival takes from the count, or is reported.
 */
enum { TRACEE_TAKES = -1, TRACEE_REPORTS = -2, TRACEE_COMPARISONS = 16 };
struct tracee_comparison {
	struct resident_comparison test;
	int yes, no; /* index of a later one, or one of these */
};
struct resident_count *tracee_site_compared(struct tracee *t, struct tracee_process *process,
					    struct tracee_thread *helper, struct tracee_site *site,
					    unsigned span, const struct tracee_comparison *tests,
					    size_t count, const char **why);

/*
 * Granted arrivals, see tracer/resident/grant.h: for a program of which one thread runs at a time. _open: memory for
 * them that `addr` can reach, by a thread that is stopped; false: there is none. _granted: arrivals at the site can
 * be granted from now on; `span` as above. NULL, or why not.
 */
enum tracee_granted {
	TRACEE_GRANTED_OWN,	  /* an own place; what is touched is memory of its instruction's */
	TRACEE_GRANTED_ELSEWHERE, /* another one */
	TRACEE_GRANTED_FUNCTION, /* a function begins there, which is about its first argument: another one */
};
bool tracee_grants_open(struct tracee *t, struct tracee_thread *helper, uint64_t addr);
const char *tracee_site_granted(struct tracee *t, struct tracee_process *process,
				struct tracee_site *site, unsigned span, enum tracee_granted what);
/*
 * The thread goes on next, alone, and does not stop at its next n arrivals, unless it is about to touch one of
 * `others` (GRANTED_OTHERS at most), or is elsewhere than at own places for more than so many times. They are told
 * before its next event, as if it had. Who is told has to be resumed: it has gone on already.
 */
/* The thread, which is paused, gets nothing more of what it was granted. False: it has taken some
   that is not told. */
bool tracee_grants_end(struct tracee_thread *thread);
void tracee_grant(struct tracee_thread *thread, unsigned n, const uint64_t *others, size_t count,
		  size_t elsewhere);
/* The word at its stack pointer, as it was when the thread came to where it is, or is told to be. */
int tracee_top(struct tracee_thread *thread, uint64_t *top);
struct tracee_thread *tracee_told(const struct tracee *t); /* who is; NULL: nobody */

/* The pages in [from, to) are unmapped: forget the sites there without writing. */
void tracee_forget(struct tracee_process *process, uint64_t from, uint64_t to);

/* One system call made by a stopped thread on our behalf; -1 if it could not be made at all. */
int tracee_syscall(struct tracee *t, struct tracee_thread *thread, long number,
		   const uint64_t args[6], int64_t *result);
/* Can it make one where it is stopped? Not at its own exit, for one. */
bool tracee_can_call(struct tracee_thread *thread);

/* Of a thread at TRACEE_EXEC: the value of an environment variable, malloc'd; NULL: it is not set. */
char *tracee_env(struct tracee_thread *thread, const char *name);

/*
 * A thread at TRACEE_EXEC execs the same program once more, with this `NAME=VALUE` in its environment.
 * 0: forget this event, the other TRACEE_EXEC comes next. -1: refused, it stands as before.
 */
int tracee_exec_again(struct tracee_thread *thread, const char *assignment);

/*
 * A function of the program run by a stopped thread, the others as they are. Afterwards the thread is
 * as before: registers (vectors too), errno, signal mask, the reason of its stop. Sites that it meets
 * inside are passed and not reported; signals sent to it meanwhile are delivered later.
 */
struct tracee_call {
	uint64_t function;
	uint64_t integer[6];
	unsigned integers;
	double vector[8]; /* the low halves of XMM 0 and on */
	unsigned vectors;
	const char *text[6]; /* copied to the program's stack; the address goes into ... */
	unsigned text_at[6]; /* ... this one of `integer` */
	unsigned texts;
	unsigned limit_ms;	 /* 0: none */
	uint64_t errno_function; /* __errno_location, or 0 */
	/* Functions that leave others (longjmp and the like): where they would go to tells whether
	   they leave this call. */
	uint64_t leaving[8];
	unsigned leaving_count;
	/* Functions that end the thread or the process (exit, pthread_exit): it is an error to enter one,
	   before they have changed anything. The system calls are seen without it. */
	uint64_t ending[8];
	unsigned ending_count;
	/* It wrote to a watched word: no TRACEE_WATCH comes for that. Also set after an error. */
	bool wrote;
	uint64_t failed_at; /* pc, where the error is a signal; else 0 */
	/* What it returned. */
	uint64_t rax, rdx;
	uint8_t xmm0[16], xmm1[16], st0[10];
};
/* 0, or -1 with ERROR_STATE: it crashed (which signal, where), was about to exit or exec, left by
   longjmp, took longer than the limit, or this thread cannot call anything just now (about to end, in
   vfork, about to take a signal in sigsuspend or the like).
   The others run on, but those that stop (at sites, at their start) do so until it is over; no FORK is
   reported for a process that it makes. vfork (posix_spawn, system) is an error. Its memory below the stack pointer is overwritten. */
int tracee_call(struct tracee *t, struct tracee_thread *thread, struct tracee_call *call,
		struct error *err);

/*
 * The words whose writing is reported (TRACEE_WATCH), in all threads of this address space that there
 * are and will be, by the processor's debug registers; n = 0: none any more. Sizes are 1, 2, 4 or 8,
 * addresses multiples of them. -1: the processor or the kernel refuses, or reports nothing; then nothing is watched.
 * Running threads are stopped for a moment and do not notice: a system call that gives up then is made
 * again (a relative time-out of epoll_wait, semtimedop ... begins anew). Not reported are writes by the
 * kernel (read(2) into a watched word), by other processes, by gatectl, and inside tracee_call.
 */
enum { TRACEE_WATCHES = 4 };
struct tracee_watch {
	uint64_t addr;
	unsigned size;
};
int tracee_watch(struct tracee *t, struct tracee_process *process,
		 const struct tracee_watch *watches, size_t n);
/* Do the debug registers report anything? Some virtual machines take them and never do. Tried once, in a child. */
bool tracee_watch_works(void);

/*
 * Stops a running thread now, so that tracee_syscall() can be asked of it; tracee_resume() lets it go
 * on, and it does not notice (but see tracee_watch). Only for threads that are blocked in a wait which
 * signals can end. -1: it was doing something else.
 */
int tracee_pause(struct tracee *t, struct tracee_thread *thread);

/*
 * From now on the thread's sleeping calls (nanosleep, poll, a wait for a condition with a time-out ...)
 * return at once, as if their time had passed, until the end is told for the same frame: a stack
 * pointer that is above that of all the calls meant. One that makes a system call above it has left.
 */
void tracee_elide(struct tracee_thread *thread, uint64_t frame);
void tracee_elide_end(struct tracee_thread *thread, uint64_t frame);

/*
 * Stops all running threads at once, which takes no longer than the slowest of them. Those that
 * stop for a reason of their own say so by an event. A parent in vfork is passed over: it stands
 * still as long as its child is there.
 */
void tracee_halt(struct tracee *t);
bool tracee_is_paused(const struct tracee_thread *thread); /* by tracee_halt() or tracee_pause() */

/* What a running thread is doing, from /proc: nobody is stopped for it. */
enum tracee_activity {
	TRACEE_ACTIVE,	/* on a CPU, or ready to be */
	TRACEE_BLOCKED, /* asleep in the system call below */
	TRACEE_DISK,	/* uninterruptible (D): short, or a parent in vfork */
	TRACEE_HALTED,	/* stopped by job control or by us */
	TRACEE_DEAD,	/* a zombie, or no such thread */
};
struct tracee_block {
	enum tracee_activity activity;
	long number; /* system call, when BLOCKED or DISK; -1: none, or hidden */
	bool hidden; /* the kernel refuses to name the system call */
	uint64_t args[6];
	uint64_t sp, pc;
	uint64_t switches; /* times it gave up the CPU: equal twice = it has not run in between */
};
/* Is that a system call in which a parent waits for its child's exec? */
bool tracee_is_vfork(long number);
void tracee_look(const struct tracee_thread *thread, struct tracee_block *out);
/* Its CPU time so far; 0: the kernel does not say. */
uint64_t tracee_ran_ns(const struct tracee_thread *thread);
/* A number that grows with each read and write of the process, of whatever kind. */
uint64_t tracee_transfers(const struct tracee_process *process);
/* From tracee_disclose() to its end the process of this stopped thread keeps no /proc file from us.
   False: it does not because it is not dumpable, or no system call can be made. */
bool tracee_disclose(struct tracee *t, struct tracee_thread *thread);
void tracee_disclose_end(struct tracee *t, struct tracee_thread *thread);
/* tracee_look() for a thread that tracee_halt() has stopped, by its registers: the interrupted
   system call. */
void tracee_look_stopped(struct tracee_thread *thread, struct tracee_block *out);
/* With tracee_launch.sleeps the program's clock advances by its sleeps (`ns`: all of them since its
   start, as the caller counts them) and by the CPU time of all its threads. */
void tracee_slept(struct tracee *t, uint64_t ns);
/* From now on sleeps last only one `part`-th of their time; 0: all of it. See sleeps.c. */
void tracee_hasten(struct tracee *t, unsigned part);
uint64_t tracee_worked_ns(struct tracee *t);
unsigned long
tracee_polls(const struct tracee_thread *thread); /* how often it has waited for files */
bool tracee_has_timers(const struct tracee *t);	  /* of its own (alarm, timerfd ...), which go on */
/* The program's clock as it was when the program last asked for it. */
uint64_t tracee_clock_seen_ns(const struct tracee *t);
unsigned long tracee_clock_reads(const struct tracee *t); /* how often it did */

/* A mapping of /proc/PID/maps that holds addr: 0, or -1. */
struct tracee_mapping {
	uint64_t start, end, offset;
	bool shared;
	bool readable, writable, executable;
	dev_t dev; /* of its file; 0: it has none */
	ino_t ino;
	char path[512];
};
int tracee_mapping_at(struct tracee_process *process, uint64_t addr, struct tracee_mapping *out);
/* ... or the first one above it, where none holds it. */
int tracee_mapping_above(struct tracee_process *process, uint64_t addr, struct tracee_mapping *out);

/* An entry of the auxiliary vector (getauxval(3)), 0 where there is none. */
uint64_t tracee_auxv(struct tracee_process *process, uint64_t type);

#endif
