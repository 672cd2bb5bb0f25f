/*
 * The traced tree: processes, threads, their memory, and the sites at which they are stopped.
 *
 * The only room that calls ptrace, waitpid and process_vm_*. It knows addresses, never source.
 * One thread of gatectl drives it: target_wait() yields one event at a time; the thread that the
 * event is about stays stopped until target_resume() (or for ever: that is what a held thread is).
 *
 * Ownership: the target owns every process, thread and site; pointers stay valid until the event
 * that reports their end has been answered by the next target_wait(). `user` fields are the
 * session's: the target copies site users into forked children and otherwise leaves them alone.
 */
#ifndef GATECTL_TARGET_TARGET_H
#define GATECTL_TARGET_TARGET_H

#include "tracer/arch/arch.h"
#include "tracer/base/error.h"
#include "tracer/resident/grant.h"
#include "tracer/resident/comparison.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct target;	     /* opaque */
struct target_space; /* opaque: one address space; processes made by vfork share it */

struct target_process {
	pid_t pid;
	struct target_process *parent; /* NULL: the program itself, or its parent is gone */
	struct target_space *space;
	size_t threads;	 /* that are alive */
	bool is_root;	 /* the program itself */
	bool unfollowed; /* --no-follow, kept only until it execs (vfork): report nothing */
	void *user;
};

enum target_state {
	TARGET_RUNNING,
	TARGET_STOPPED, /* an event was reported and not yet answered, or the session holds it */
	TARGET_GROUP_STOPPED, /* job control: SIGCONT from anywhere lets it go on */
};

struct target_thread {
	pid_t tid;
	struct target_process *process;
	struct target_thread
		*creator; /* who called clone; NULL for a process's first, or if gone */
	enum target_state state;
	uint64_t clears; /* the word that becomes 0 when it ends, as its creator wanted it; or 0 */
	bool found; /* by target_attach, running already: no TARGET_THREAD_START is given for it */
	void *user;
};

struct target_site {
	uint64_t addr;
	void *user;
};

enum target_event_kind {
	TARGET_SITE,	     /* `thread` is at `site`; its pc reads as the site's address */
	TARGET_THREAD_START, /* `thread` is before its first instruction (never for a first thread) */
	TARGET_THREAD_EXIT, /* `thread` is about to end by itself; only with trace_exit */
	TARGET_THREAD_GONE, /* `thread` is no more; not resumed */
	TARGET_FORK, /* `thread` has made the process `child` (already reported or not yet) */
	TARGET_PROCESS_START, /* `thread` is the first of a forked process, before its first step */
	TARGET_EXEC,	 /* `thread` runs a new image; every site of the process is gone. Threads
				 that the exec ended were reported GONE before. Also the first event
				 of all, for the program itself */
	TARGET_ATTACHED, /* the first event of all behind target_attach: every thread stands still */
	TARGET_SLEEP,	 /* `thread` begins to wait for `sleep_ns` at most; only with `sleeps` */
	TARGET_SLEPT,	 /* ... and does not wait any more */
	TARGET_CALL,	 /* `thread` is about to make a system call of target_launch.calls */
	TARGET_CALLED,	 /* ... has made it; only after target_tell_end() */
	TARGET_JOB_STOP, /* `thread` is stopped by job control; only with `calls`; not resumed */
	TARGET_WATCH,	 /* `thread` has just written to a watched word */
	TARGET_SIGNAL,	 /* `signal` is about to be delivered to `thread` */
	TARGET_PROCESS_GONE, /* all threads of `process` are gone; `status` as waitpid gives it */
	TARGET_TICK,	     /* time has passed (target_launch.tick_ms); no thread */
	TARGET_INTERRUPT,    /* gatectl itself was sent `signal` (INT, TERM or HUP); no thread */
	TARGET_EMPTY,	     /* no traced process is left; no thread */
};

/* A system call that the program makes. */
struct target_made {
	long number;
	uint64_t args[6];
	int64_t result; /* CALLED: -errno where it has failed */
	uint64_t pc, sp, fs_base;
};

struct target_event {
	enum target_event_kind kind;
	struct target_thread *thread;
	struct target_process *process; /* of the thread, or the one that is gone */
	struct target_process *child;	/* FORK */
	struct target_site *site;	/* SITE */
	int signal;			/* SIGNAL, INTERRUPT */
	int status;			/* PROCESS_GONE: as waitpid gives it */
	uint64_t sleep_ns;		/* SLEEP, SLEPT: how long the program asked to sleep */
	bool mere_sleep;		/* SLEEP: nothing but its time ends it, or a signal */
	bool sleeps_again;		/* SLEEP: was elided so often that it no longer is */
	unsigned long clock_reads;	/* SLEEP: how often its thread has asked for the time */
	bool timed_out;			/* SLEPT: nothing else has ended it */
	struct target_made call;	/* CALL, CALLED */
};

enum { TARGET_CLOSED = -2 };

struct target_launch {
	char *const *argv;		    /* argv[0] is looked for in PATH as execvp does */
	char *const *env;		    /* NULL: gatectl's own */
	int stdin_fd, stdout_fd, stderr_fd; /* -1: inherited; TARGET_CLOSED: the program has none */
	bool no_follow;			    /* children run untraced, with clean bytes */
	bool trace_exit;		    /* report TARGET_THREAD_EXIT */
	bool sleeps;			    /* report TARGET_SLEEP and TARGET_SLEPT, see sleeps.c */
	const long
		*calls; /* report TARGET_CALL for these, -1 behind the last; NULL: none. The program
			      has one address space layout, random bytes and no vdso then, see call_seen.c */
	bool as_alone; /* refuse a program that the kernel runs with fewer rights if it is traced */
	bool needs_memory; /* refuse what cannot be read */
	unsigned tick_ms;  /* a TARGET_TICK about that often; changed with target_tick() */
};

/*
 * Starts the program, stopped after its exec; signal dispositions and mask are as gatectl found
 * them. NULL with ERROR_NOT_FOUND, ERROR_CANNOT_EXEC, ERROR_CANNOT_TRACE (text says what forbids
 * it, hint what to do) or ERROR_SYSTEM.
 */
struct target *target_launch(const struct target_launch *how, struct error *err);

/*
 * Does the kernel withhold rights from a program just exec'ed, because it is traced? `what`: "the
 * rights of root (set-user-ID)" and the like.
 */
bool target_withheld(const struct target_process *process, char *what, size_t size);

/*
 * Takes over a process that runs, and the children that it makes from now on; those that it has are
 * left alone. Its threads (`found`) are stopped where they are, and nobody notices: no signal, no
 * system call that gives up. The first event is TARGET_ATTACHED, to be answered by
 * target_let_found_go(). NULL with ERROR_CANNOT_TRACE (who forbids it, hint what to do) or
 * ERROR_USAGE (no such process).
 */
struct target_attach {
	pid_t pid;
	bool no_follow, trace_exit; /* as in struct target_launch */
	unsigned tick_ms;
};
struct target *target_attach(const struct target_attach *how, struct error *err);

/* When it was attached to, had it children, which are not traced now? */
bool target_had_children(const struct target *t);

/* Lets them go on, but for those that an event in the queue is about. */
void target_let_found_go(struct target *t);

/*
 * Lets the whole tree go: threads that are stopped or held go on from their sites, signals are
 * delivered, stopped jobs stay stopped; the program's own bytes are back, debug registers clear, our
 * memory unmapped. Afterwards target_wait() gives TARGET_EMPTY and target_resume() does nothing.
 */
void target_detach(struct target *t);

/*
 * Splits gatectl in two before it attaches: 0 in the process that is to do the work; 1 in the one
 * that was started, when the other has ended, with its *status as waitpid gives it. SIGKILL to the
 * first one is SIGTERM to the second, which detaches then. -1: it cannot be done.
 */
int target_guard(int *status, struct error *err);

/* The process of ours that has stopped gatectl by ptrace, for which it was killed; 0: none. */
pid_t target_frozen_by(void);

/* What is to become of signals: of signal n the bit n - 1. */
struct target_signals {
	uint64_t blocked, ignored, caught;
	uint64_t pending; /* for the thread or for its process */
};
/* 0, or -1: there is no such thread. */
int target_signals_of(pid_t tid, struct target_signals *out);

/* In a child that is about to exec: signals are as gatectl was started with. */
void target_signals_as_found(void);
/* For several targets, one after another: a SIGINT, SIGTERM or SIGHUP that comes between two of
   them is the next one's TARGET_INTERRUPT. _release: the one that came after the last target, or
   0. */
void target_signals_hold(void);
int target_signals_release(void);
bool target_signals_came(void); /* one waits to be that */
void target_signals_put_back(
	int signal); /* it has interrupted what is no run yet: it waits again */
/* Forks a process that has targets of its own; signals are held in both. 0 in it. It is killed when the one
   that has forked it ends. */
pid_t target_worker(void);
/* The signal that has ended it, this one or another one before; 0: it had exited. */
int target_worker_kill(pid_t worker);
/* All at once, with their programs. */
void target_workers_end(const pid_t *workers, size_t count);
/* The signal that came ends nothing: it is answered in another way. */
void target_signals_go_on(void);
/* A temporary file that is not to be left behind by a signal; NULL: it is gone. Not copied. */
void target_signals_unlink(const char *path);
/* Written to standard error if a signal ends gatectl while nobody looks for one; NULL: nothing. Not
   copied. */
void target_signals_say(const char *text);

/* Kills what is left of the tree, reaps it, and frees everything; one that was attached to is let
   go instead. */
void target_free(struct target *t);

/* The next event; blocks. Never fails: what cannot be understood is passed on to the program. */
void target_wait(struct target *t, struct target_event *out);
/* Is an event about the thread still to come? */
bool target_is_queued(const struct target *t, const struct target_thread *thread);

/* A TARGET_INTERRUPT that has not been given yet is not wanted any more. One of TERM or HUP is
   returned, else 0. */
int target_forget_interrupt(void);

/* Changes how often TARGET_TICK comes. */
void target_tick(struct target *t, unsigned tick_ms);

/*
 * Lets a stopped thread go on: past its trap out of line, its signal delivered, a group stop kept.
 * A thread that is gone or running is left alone.
 */
void target_resume(struct target *t, struct target_thread *thread);

/* A thread at TARGET_CALL does not make the call when it is resumed, but has this result; at
   TARGET_CALLED: another result. */
void target_answer(struct target_thread *thread, int64_t result);
/* ... makes it with this argument. */
void target_argument(struct target_thread *thread, unsigned index, uint64_t value);
/* ... TARGET_CALLED comes when it is over. */
void target_tell_end(struct target_thread *thread);
/* Has it a signal that runs a handler or ends it, as soon as it runs? That comes before its call waits. */
bool target_is_signalled(const struct target_thread *thread);
/* A thread at TARGET_CALL waits there until what it waits for has come, though for a time at most: this
   one. False: it waits for no time, or for ever. */
struct target_limit {
	uint64_t ns;
	bool is_absolute; /* of `clock`; else a length */
	clockid_t clock;
};
bool target_unlimit(struct target_thread *thread, struct target_limit *out);
/* ... that is over: it comes back from the kernel (TARGET_CALLED) with the result which says so. */
void target_time_out(struct target_thread *thread);
/* A thread at TARGET_CALL does not make the call when it is resumed, but stands before it once more; a handler
   runs before that. */
void target_call_again(struct target_thread *thread);

/* Of a thread that does not run: has nothing come for it yet that lets it go on, or ends it? */
bool target_rests_stopped(const struct target_thread *thread);
/* Will it be when it is resumed: by a signal that waits for it, or since its process is? */
bool target_is_to_stop(const struct target_thread *thread);

/* Is no event waiting to be told, and do no more threads run than these? */
bool target_is_settled(const struct target *t, size_t running);

/*
 * A program as it is now, kept for others to begin with: its only thread stands at a site, and stays
 * there. target_kill_all() spares it, target_wait() does not count it: TARGET_EMPTY means that all others
 * are gone. 0, or -1: it has other threads.
 */
int target_keep(struct target *t, struct target_thread *thread);
/* A new process that is what the kept one is, a root, stopped as that is: no event comes for it. NULL with
   ERROR_SYSTEM. */
struct target_process *target_copy(struct target *t, struct target_thread **thread,
				   struct error *err);

/* The signal of a thread stopped at TARGET_SIGNAL is dropped when it is resumed. */
void target_drop_signal(struct target_thread *thread);

/* ... and who has sent it? The kernel: a key of the terminal, a timer, a fault. */
bool target_signal_of_kernel(const struct target_thread *thread);

/* The signal of a thread stopped at TARGET_SIGNAL: what has raised it, or who has sent it. */
struct target_fault {
	int signal, code; /* code: si_code of sigaction(2) */
	bool has_address; /* `address` is si_addr; a SEGV without one has code SI_KERNEL */
	uint64_t address;
	pid_t sender; /* 0: none, or not known */
	long number;  /* SIGSYS: of the system call */
	pid_t child;  /* SIGCHLD: it was ended by `ended_by`. 0: by no signal, or not known */
	int ended_by;
};
int target_fault(const struct target_thread *thread, struct target_fault *out); /* 0, or -1 */
/* ... and will it end the process, as things stand? From /proc: its action is the default one. */
bool target_signal_ends(const struct target_thread *thread);

/* A child that the thread has made and not waited for yet, and that has died of this signal; 0: there is none. */
pid_t target_dead_child(const struct target_thread *thread, int signal);
/* Has the thread made a process that lives, and is not traced? It may wake others. */
bool target_has_unseen_child(const struct target_thread *thread);
bool target_has_sites(const struct target_process *process);

/* The process, and with it the traced program, dies by this signal here and now (`:kill`). */
void target_kill(struct target *t, struct target_process *process, int signal);

/*
 * A signal that was sent to the process and will end it, but that no thread takes, because those
 * that could are stopped by us: the kernel leaves the choice to the tracer. 0: there is none.
 */
int target_pending_death(struct target *t, struct target_process *process);
/* Sent to the process (or its first thread), and not taken yet. */
bool target_is_pending(const struct target_process *process, int signal);

/* SIGKILL to all of the tree; the GONE events still come from target_wait(). */
void target_kill_all(struct target *t);

/* Threads in order of creation; start with NULL. */
struct target_thread *target_next_thread(struct target *t, struct target_thread *after);

/*
 * The program has its own use for SIGTRAP: rt_sigaction sets this action for it (as the kernel has
 * it: the handler comes first; NULL: the default), the thread blocks it from now on, or not. What
 * our traps spoil of that is put back.
 */
void target_trap_action(struct target_thread *thread, const uint64_t action[4]);
void target_trap_blocked(struct target_thread *thread, bool blocked);

/* Memory: all n bytes or -1. Reads show the program's own bytes, not our traps; writes go under them. */
int target_read(struct target_process *process, uint64_t addr, void *buf, size_t n);
int target_write(struct target_process *process, uint64_t addr, const void *buf, size_t n);

/* Registers of a stopped thread; pc of one at a site is the site's address. Read at most once a stop. */
int target_regs(struct target_thread *thread, struct arch_regs *out);

/* A register wider than those of arch_regs, by DWARF number: XMM (17 and on, 16 bytes), ST (33 and on,
   10 bytes). Its first n bytes; 0, or -1. */
int target_vector(struct target_thread *thread, unsigned dwarf, void *buf, size_t n);
/* Sets a general register (not pc or sp) or the first n bytes of an XMM of a stopped thread. */
int target_set_register(struct target_thread *thread, unsigned dwarf, const void *buf, size_t n);

/*
 * Puts a trap at addr in this address space. `helper` is a stopped thread of the process, used to
 * map memory for the out-of-line copy where there is none near; NULL: no new mapping can be made.
 * NULL with an error: unreadable, or an instruction that has no copy. Two adds at one address yield
 * the same site (the second user is ignored: look at ->user first).
 */
struct target_site *target_site_add(struct target *t, struct target_process *process,
				    struct target_thread *helper, uint64_t addr, void *user,
				    struct error *err);
struct target_site *target_site_find(struct target_process *process, uint64_t addr);
/* Where its instruction stands once more, and goes on behind the trap, as long as the image lives: a thread
   that is sent there passes unseen. 0: nowhere. */
uint64_t target_site_unseen(const struct target_site *site);

/*
 * Takes the trap away; a thread that ran into it already is not reported any more but goes on.
 * Threads held at it stay held. The struct stays valid (and may be added again) until exec.
 */
void target_site_remove(struct target_process *process, struct target_site *site);

/*
 * From now on the site is only reported when its count is used up: see tracer/resident/stub.h. `helper` is
 * a stopped thread of the process. The count is the target's; a forked child has the same one. Where the first
 * instruction is too short, those in `span` bytes move along, if there are so many (source_movable()). NULL: it stays
 * a trap, *why says for what reason.
 */
struct resident_count *target_site_resident(struct target *t, struct target_process *process,
					    struct target_thread *helper, struct target_site *site,
					    unsigned span, const char **why);
/*
 * The same, but that one thread is always reported there: `only`; NULL: it is not there yet. Later
 * _is_only says who it is, of a thread that is stopped (a new one before it begins). -1: it could not be found out.
 */
struct resident_count *target_site_for_others(struct target *t, struct target_process *process,
					      struct target_thread *helper,
					      struct target_site *site, unsigned span,
					      struct target_thread *only, const char **why);
int target_is_only(struct target_thread *thread, struct resident_count *count);
/*
 * The same for all threads, but that variables are compared first: what comes of the first test says which one is next, and at last
 * whether the arrival takes from the count, or is reported.
 */
enum { TARGET_TAKES = -1, TARGET_REPORTS = -2, TARGET_COMPARISONS = 16 };
struct target_comparison {
	struct resident_comparison test;
	int yes, no; /* index of a later one, or one of these */
};
struct resident_count *target_site_compared(struct target *t, struct target_process *process,
					    struct target_thread *helper, struct target_site *site,
					    unsigned span, const struct target_comparison *tests,
					    size_t count, const char **why);

/*
 * Granted arrivals, see tracer/resident/grant.h: for a program of which one thread runs at a time. _open: memory for
 * them that `addr` can reach, by a thread that is stopped; false: there is none. _granted: arrivals at the site can
 * be granted from now on; `span` as above. NULL, or why not.
 */
enum target_granted {
	TARGET_GRANTED_OWN,	  /* an own place; what is touched is memory of its instruction's */
	TARGET_GRANTED_ELSEWHERE, /* another one */
	TARGET_GRANTED_FUNCTION, /* a function begins there, which is about its first argument: another one */
};
bool target_grants_open(struct target *t, struct target_thread *helper, uint64_t addr);
const char *target_site_granted(struct target *t, struct target_process *process,
				struct target_site *site, unsigned span, enum target_granted what);
/*
 * The thread goes on next, alone, and does not stop at its next n arrivals, unless it is about to touch one of
 * `others` (GRANTED_OTHERS at most), or is elsewhere than at own places for more than so many times. They are told
 * before its next event, as if it had. Who is told has to be resumed: it has gone on already.
 */
/* The thread, which is paused, gets nothing more of what it was granted. False: it has taken some
   that is not told. */
bool target_grants_end(struct target_thread *thread);
void target_grant(struct target_thread *thread, unsigned n, const uint64_t *others, size_t count,
		  size_t elsewhere);
/* The word at its stack pointer, as it was when the thread came to where it is, or is told to be. */
int target_top(struct target_thread *thread, uint64_t *top);
struct target_thread *target_told(const struct target *t); /* who is; NULL: nobody */

/* The pages in [from, to) are unmapped: forget the sites there without writing. */
void target_forget(struct target_process *process, uint64_t from, uint64_t to);

/* One system call made by a stopped thread on our behalf; -1 if it could not be made at all. */
int target_syscall(struct target *t, struct target_thread *thread, long number,
		   const uint64_t args[6], int64_t *result);
/* Can it make one where it is stopped? Not at its own exit, for one. */
bool target_can_call(struct target_thread *thread);

/* Of a thread at TARGET_EXEC: the value of an environment variable, malloc'd; NULL: it is not set. */
char *target_env(struct target_thread *thread, const char *name);

/*
 * A thread at TARGET_EXEC execs the same program once more, with this `NAME=VALUE` in its environment.
 * 0: forget this event, the other TARGET_EXEC comes next. -1: refused, it stands as before.
 */
int target_exec_again(struct target_thread *thread, const char *assignment);

/*
 * A function of the program run by a stopped thread, the others as they are. Afterwards the thread is
 * as before: registers (vectors too), errno, signal mask, the reason of its stop. Sites that it meets
 * inside are passed and not reported; signals sent to it meanwhile are delivered later.
 */
struct target_call {
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
	/* It wrote to a watched word: no TARGET_WATCH comes for that. Also set after an error. */
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
int target_call(struct target *t, struct target_thread *thread, struct target_call *call,
		struct error *err);

/*
 * The words whose writing is reported (TARGET_WATCH), in all threads of this address space that there
 * are and will be, by the processor's debug registers; n = 0: none any more. Sizes are 1, 2, 4 or 8,
 * addresses multiples of them. -1: the processor or the kernel refuses, or reports nothing; then nothing is watched.
 * Running threads are stopped for a moment and do not notice: a system call that gives up then is made
 * again (a relative time-out of epoll_wait, semtimedop ... begins anew). Not reported are writes by the
 * kernel (read(2) into a watched word), by other processes, by gatectl, and inside target_call.
 */
enum { TARGET_WATCHES = 4 };
struct target_watch {
	uint64_t addr;
	unsigned size;
};
int target_watch(struct target *t, struct target_process *process,
		 const struct target_watch *watches, size_t n);
/* Do the debug registers report anything? Some virtual machines take them and never do. Tried once, in a child. */
bool target_watch_works(void);

/*
 * Stops a running thread now, so that target_syscall() can be asked of it; target_resume() lets it go
 * on, and it does not notice (but see target_watch). Only for threads that are blocked in a wait which
 * signals can end. -1: it was doing something else.
 */
int target_pause(struct target *t, struct target_thread *thread);

/*
 * From now on the thread's sleeping calls (nanosleep, poll, a wait for a condition with a time-out ...)
 * return at once, as if their time had passed, until the end is told for the same frame: a stack
 * pointer that is above that of all the calls meant. One that makes a system call above it has left.
 */
void target_elide(struct target_thread *thread, uint64_t frame);
void target_elide_end(struct target_thread *thread, uint64_t frame);

/*
 * Stops all running threads at once, which takes no longer than the slowest of them. Those that
 * stop for a reason of their own say so by an event. A parent in vfork is passed over: it stands
 * still as long as its child is there.
 */
void target_halt(struct target *t);
bool target_is_paused(const struct target_thread *thread); /* by target_halt() or target_pause() */

/* What a running thread is doing, from /proc: nobody is stopped for it. */
enum target_activity {
	TARGET_ACTIVE,	/* on a CPU, or ready to be */
	TARGET_BLOCKED, /* asleep in the system call below */
	TARGET_DISK,	/* uninterruptible (D): short, or a parent in vfork */
	TARGET_HALTED,	/* stopped by job control or by us */
	TARGET_DEAD,	/* a zombie, or no such thread */
};
struct target_block {
	enum target_activity activity;
	long number; /* system call, when BLOCKED or DISK; -1: none, or hidden */
	bool hidden; /* the kernel refuses to name the system call */
	uint64_t args[6];
	uint64_t sp, pc;
	uint64_t switches; /* times it gave up the CPU: equal twice = it has not run in between */
};
/* Is that a system call in which a parent waits for its child's exec? */
bool target_is_vfork(long number);
void target_look(const struct target_thread *thread, struct target_block *out);
/* Its CPU time so far; 0: the kernel does not say. */
uint64_t target_ran_ns(const struct target_thread *thread);
/* A number that grows with each read and write of the process, of whatever kind. */
uint64_t target_transfers(const struct target_process *process);
/* From target_disclose() to its end the process of this stopped thread keeps no /proc file from us.
   False: it does not because it is not dumpable, or no system call can be made. */
bool target_disclose(struct target *t, struct target_thread *thread);
void target_disclose_end(struct target *t, struct target_thread *thread);
/* target_look() for a thread that target_halt() has stopped, by its registers: the interrupted
   system call. */
void target_look_stopped(struct target_thread *thread, struct target_block *out);
/* With target_launch.sleeps the program's clock advances by its sleeps (`ns`: all of them since its
   start, as the caller counts them) and by the CPU time of all its threads. */
void target_slept(struct target *t, uint64_t ns);
/* From now on sleeps last only one `part`-th of their time; 0: all of it. See sleeps.c. */
void target_hasten(struct target *t, unsigned part);
uint64_t target_worked_ns(struct target *t);
unsigned long
target_polls(const struct target_thread *thread); /* how often it has waited for files */
bool target_has_timers(const struct target *t);	  /* of its own (alarm, timerfd ...), which go on */
/* The program's clock as it was when the program last asked for it. */
uint64_t target_clock_seen_ns(const struct target *t);
unsigned long target_clock_reads(const struct target *t); /* how often it did */

/* A mapping of /proc/PID/maps that holds addr: 0, or -1. */
struct target_mapping {
	uint64_t start, end, offset;
	bool shared;
	bool readable, writable, executable;
	dev_t dev; /* of its file; 0: it has none */
	ino_t ino;
	char path[512];
};
int target_mapping_at(struct target_process *process, uint64_t addr, struct target_mapping *out);
/* ... or the first one above it, where none holds it. */
int target_mapping_above(struct target_process *process, uint64_t addr, struct target_mapping *out);

/* An entry of the auxiliary vector (getauxval(3)), 0 where there is none. */
uint64_t target_auxv(struct target_process *process, uint64_t type);

#endif
