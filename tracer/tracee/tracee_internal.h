/*
 * What the files of the ptrace room share.
 *
 * A status of waitpid goes this way: wait.c fetches it, event.c says what it is, the file that
 * knows about it (site, family, restart) acts and queues events, tracee_wait() hands them out (next.c),
 * resume.c lets the thread go on. Whatever else stops a thread for a moment (a system call made on
 * our behalf, a step into a signal handler) waits for that thread alone and gives what it did not
 * expect to target.on_status.
 *
 * A ptrace request that fails with ESRCH means that the thread is dying: that is ignored here,
 * waitpid will report the end.
 */
#ifndef GATECTL_TRACEE_TRACEE_INTERNAL_H
#define GATECTL_TRACEE_TRACEE_INTERNAL_H

#include "tracer/base/array.h"
#include "tracer/tracee/attach/attach.h"
#include "tracer/tracee/events/events.h"
#include "tracer/tracee/fastpath/fastpath.h"
#include "tracer/tracee/signals/signals.h"
#include "tracer/tracee/snapshot/snapshot.h"
#include "tracer/tracee/syscalls/syscalls.h"
#include "tracer/tracee/threads/threads.h"
#include "tracer/tracee/traps/traps.h"

#include <sys/ptrace.h>
#include <sys/queue.h>
#include <sys/user.h>

enum {
	SLOT_SIZE = ARCH_COPY_MAX,
	AREA_SIZE = 64 * 1024,
	THREAD_BUCKETS = 4096,
};

/* A copy of an instruction in the program. Slots are never used again while the image lives. */
struct slot {
	uint64_t from; /* the site */
	bool is_syscall;
	enum { STUB_COUNTS, STUB_FOR_OTHERS, STUB_GRANTS, STUB_COMPARES, STUB_COMPARES_NEXT } kind;
	struct resident_count *count; /* it is no copy, but such a stub, which takes from this */
	struct arch_copy copy;
};

/* Memory of ours in the program. Slot 0 is the stub for system calls, slot i is slots.items[i - 1]. */
struct area {
	uint64_t base;
	ARRAY(struct slot) slots;
};

/* Counts for the stubs of resident sites: memory that is shared with the program. */
struct counts {
	struct resident_count *here;
	size_t used;
};
struct shared {
	uint64_t base; /* in the program */
	struct counts *counts;
};

enum site_state {
	SITE_ARMED,
	SITE_RETIRED,	/* the program's own byte is back; late reports of its trap are swallowed */
	SITE_FORGOTTEN, /* its page was unmapped */
};

struct site {
	struct tracee_site pub; /* first: the run's pointer is ours */
	enum site_state state;
	uint8_t bytes[ARCH_INSN_MAX]; /* the program's own */
	uint8_t readable;	      /* how many of them there are */
	uint8_t length;		      /* of the instruction */
	bool is_trap;
	bool quiet;		      /* of tracee_call: whoever runs into it goes on unnoticed */
	uint64_t copy;		      /* 0: none, the instruction is emulated (or is_trap) */
	struct resident_count *count; /* there is a jump, no trap: resident.c; or NULL */
	uint8_t jump[RESIDENT_JUMP];  /* that one, now or at another time ... */
	bool jumped;		      /* ... if there was any */
	/* moved.c: the instructions behind the first that it stands over, too */
	struct moved {
		uint64_t addr, copy;
	} moved[RESIDENT_JUMP - 1];
	uint8_t moved_count;
	bool exposed; /* a handler was left in the middle of them, or a comparison faulted: not again */
};

struct site_entry {
	uint64_t addr;
	struct site *site;
};

/* What debug registers hold, or shall hold. */
struct watch_set {
	struct tracee_watch items[TRACEE_WATCHES];
	size_t n;
};

struct handler_return {
	uint64_t pc, sp; /* of the thread when the signal came */
	pid_t tid;
};

struct tracee_space {
	unsigned users;			/* processes */
	int memory;			/* /proc/PID/mem, or -1 */
	int maps;			/* /proc/PID/maps, if it may be refused later; or -1 */
	bool writable;			/* through it */
	ARRAY(struct site_entry) sites; /* by address */
	ARRAY(struct area) areas;
	ARRAY(struct shared) shared;
	uint64_t granted[GRANTED_MAPS]; /* where struct granted is; the rest 0 */
	struct watch_set watched;	/* in all of its threads, see watch.c */
	bool refused;			/* some thread's debug registers could not be set */
	/* returns.c: where handlers that may still run go on, or that there are too many of them */
	ARRAY(struct handler_return) returns;
	bool returns_anywhere;
};

enum stop {
	STOP_NONE,
	STOP_START,
	STOP_SITE,
	STOP_SIGNAL,
	STOP_EXEC,
	STOP_FORK,
	STOP_VFORK, /* it cannot do anything before its child has gone */
	STOP_EXIT,
	STOP_PAUSE,
	STOP_WATCH,
	STOP_SLEEP,  /* in a system call, see sleeps.c */
	STOP_CALL,   /* before a system call, see call_seen.c */
	STOP_CALLED, /* ... behind it */
};

/*
 * A signal handler runs that will return to the address of a site whose trap has been reported
 * already: when it does, the instruction is taken up again without a second arrival.
 */
struct restart {
	uint64_t addr;		    /* the site */
	uint64_t sp;		    /* where it was interrupted */
	uint64_t frame;		    /* the handler's frame: sp at its first instruction */
	uint64_t alt_low, alt_high; /* the alternate stack as it is known there */
};

/* The frame of a statement that does not sleep. */
struct elided {
	uint64_t frame;
	uint64_t returns_to; /* what stands directly below it while it is alive */
};

/* halt.c */
enum halt_reach {
	REACH_FREE,
	REACH_AWAITED, /* interrupted, and has not stopped yet */
	REACH_BEYOND,  /* cannot be stopped now */
	REACH_ENDED,   /* ended before its process; the kernel reports it when that ends */
};

enum call_end { CALL_UNSEEN, CALL_TELLS_END, CALL_TIMES_OUT };

struct thread {
	struct tracee_thread pub; /* first */
	struct tracee *tracee;
	TAILQ_ENTRY(thread) link; /* all of the target, in order of creation */
	struct thread *bucket;
	enum stop stop;
	struct site *site; /* STOP_SITE */
	/* STOP_SITE: pc is the site's address already; STOP_EXEC, STOP_FORK: at the end of that
	   system call by now. */
	bool settled;
	int signal;	  /* STOP_SIGNAL; 0 when dropped */
	int group_signal; /* STOP_START, STOP_PAUSE in a process that is stopped: by this */
	siginfo_t *info;  /* to deliver `signal` with, where the kernel does not know any more */
	int killing;	  /* tracee_kill: this one is not reported */
	uint64_t pc;	  /* STOP_SIGNAL */
	uint64_t sigreturn_sp; /* in rt_sigreturn, made with this stack pointer; or 0 */
	ARRAY(struct restart) restarts;
	ARRAY(struct elided) elisions; /* elide.c */
	unsigned elided;	       /* calls, since the last of them began */
	unsigned elide_handlers;       /* ... that signals have started since */
	unsigned timed_argument;       /* its call's that got another time: counted from 1; or 0 */
	uint64_t timed_value;	       /* what that argument was */
	uint64_t sleeps_ns;	       /* sleeps.c: how long its current call waits at most; or 0 */
	unsigned long polls;	       /* ... how often it has begun to wait for files */
	unsigned long clock_reads;     /* clock.c: how often it has asked for the time */
	uint64_t sleeps_call, sleeps_sp;   /* ... this one, made with this stack pointer */
	enum call_end call_end;		   /* call_seen.c: of its current call */
	const struct tracee_call *calling; /* it runs this function for us; or NULL */
	pid_t vforked;		  /* the child of its last birth, if that was a vfork; or 0 */
	struct watch_set watched; /* what its debug registers hold */
	bool rewatched;		  /* they held others when it stopped last: one may still report */
	bool interrupted;	  /* and it has not stopped since */
	enum halt_reach reach;
	unsigned looks;	   /* halt.c: times it was found in an uninterruptible wait */
	bool trap_blocked; /* it blocks SIGTRAP, as far as is known: trap.c */
	bool asked;	   /* for its registers, at this stop or the last one */
	bool regs_known;
	struct user_regs_struct regs;
};

/* trap.c: what the program does about SIGTRAP */
struct own_trap {
	uint64_t handler;   /* as sigaction has it: 0 the default, 1 ignored */
	bool lost;	    /* "ignored" has become the default, and was not put back yet */
	bool whole;	    /* the rest is known: */
	uint64_t action[4]; /* the kernel's struct */
};

struct process {
	struct tracee_process pub; /* first */
	struct tracee *tracee;
	TAILQ_ENTRY(process) link;
	bool gone;
	bool kept;	  /* template.c */
	bool watched;	  /* rewind.c: its system calls are seen, */
	unsigned seen;	  /* ... so many of them, */
	uint64_t actions; /* ... it has set these signals' actions, */
	bool opened;	  /* ... it has opened files, */
	bool spoiled;	  /* ... or has done what cannot be undone */
	int ends_by;	  /* init.c: by this signal, in place of SIGKILL; or 0 */
	struct own_trap trap;
};

/* template.c */
struct kept_program {
	struct thread *thread;	      /* NULL: none */
	struct user_regs_struct regs; /* where it was kept */
	uint64_t mask;		      /* ... of signals */
	uint64_t tid_at;	      /* where it has its own thread id; 0: not known */
	uint64_t flags;		      /* what clone(2) is to do there */
	uint64_t robust, robust_size;
	uint64_t cradle; /* the code that it runs */
	struct rewinding *rewinding;
};

/* A new task that has stopped before its creator's report. */
struct parked {
	pid_t tid, tgid, parent;
	int status;
	unsigned born; /* signals_firings() */
};

struct taken {
	pid_t tid;
	int status;
};

struct tracee {
	/* Deals with a status, whoever has fetched it: event_status(). Those that wait for one
	   thread are below that file, and hand it what they did not expect. */
	void (*on_status)(struct tracee *t, pid_t tid, int status);
	/* A jump may stand over where the program goes unseen: resident.c, which is above, too. */
	void (*on_exposed)(struct tracee *t, struct tracee_space *space, uint64_t addr);
	TAILQ_HEAD(, thread) threads;
	TAILQ_HEAD(process_list, process) processes;
	struct thread *buckets[THREAD_BUCKETS];
	size_t alive, running, stopped; /* alive = running (group stops too) + stopped */
	ARRAY(struct tracee_event) queue;
	size_t queue_head;
	ARRAY(struct parked) parked;
	ARRAY(struct counts *) counts;	     /* of all spaces: resident.c */
	struct granting *granting;	     /* granted.c; or NULL */
	ARRAY(struct tracee_space *) ghosts; /* the last spaces that ended, the latest at the end */
	struct tracee_event last;	     /* what the last tracee_wait() gave */
	bool no_follow, trace_exit;
	enum {
		SLEEPS_UNSEEN,
		SLEEPS_SEEN,
		SLEEPS_AND_TIMERS
	} sleeps;					       /* timers: the program has some */
	const long *calls;				       /* some are: call_seen.c */
	struct kept_program kept;			       /* template.c */
	unsigned hasten;				       /* sleeps.c */
	uint64_t clock_start_ns, slept_ns, worked_ns, seen_ns; /* clock.c */
	unsigned long clock_reads;			       /* ... of all threads */
	bool attached;					       /* not launched: it outlives us */
	bool had_children;				       /* ... and these are not ours */
	bool detached;
	unsigned gathered;	   /* statuses, for fairness: wait.c */
	ARRAY(struct taken) taken; /* from waitpid, still to be dealt with */
	enum { GAVE_NOTHING, GAVE_EVENT, GAVE_TICK } gave; /* by the last tracee_wait() */
};

/* thread.c: the tables */
struct process *process_new(struct tracee *t, pid_t pid, struct tracee_process *parent,
			    struct tracee_space *space);
void process_free(struct tracee *t, struct process *p);
struct process *process_find(struct tracee *t, pid_t pid);
struct thread *thread_new(struct tracee *t, struct process *p, pid_t tid, struct thread *creator);
struct thread *thread_find(struct tracee *t, pid_t tid);
void thread_set_state(struct thread *th, enum tracee_state state);
void thread_rename(struct thread *th, pid_t tid);
/* It is dead: not found by its tid any more, but listed until thread_free. */
void thread_unhash(struct thread *th);
void thread_free(struct thread *th);
struct thread *thread_stopped_in(struct tracee *t, const struct tracee_space *space);
void thread_check(const struct tracee *t);
bool thread_is_alive(const struct thread *th); /* it is found by its tid */

static inline struct thread *thread_of(struct tracee_thread *pub)
{
	return (struct thread *)pub;
}

static inline struct tracee *tracee_of(const struct tracee_process *pub)
{
	return ((const struct process *)pub)->tracee;
}
static inline struct tracee_space *space_of(const struct thread *th)
{
	return th->pub.process->space;
}

/* space.c */
struct tracee_space *space_new(pid_t pid);
void space_open(struct tracee_space *space, pid_t tid); /* anew: what this thread runs now */
/* One process fewer uses it; once none does, it is kept as a ghost for a while. */
void space_unuse(struct tracee *t, struct tracee_space *space);
void space_free(struct tracee_space *space);
struct site *space_site(const struct tracee_space *space, uint64_t addr); /* not a forgotten one */
struct site *space_known_site(const struct tracee_space *space, uint64_t addr); /* any */
/* The index of the first one at `addr` or behind it. */
size_t space_first_site(const struct tracee_space *space, uint64_t addr);
/* The slot that pc is in, or NULL; *offset from its beginning. */
const struct slot *space_slot(const struct tracee_space *space, uint64_t pc, uint64_t *offset);
/* Where a thread that is inside a copy would be, and its stack pointer, in the original. */
void space_original(const struct thread *th, uint64_t *pc, uint64_t *sp);

/* memory.c: raw reads show our traps */
int memory_raw_read(struct tracee_space *space, uint64_t addr, void *buf, size_t n);
int memory_raw_write(struct tracee *t, struct tracee_space *space, uint64_t addr, const void *buf,
		     size_t n);
int memory_read(struct tracee_space *space, uint64_t addr, void *buf, size_t n);
/* The program's own byte instead of a trap, unless the program has written another one since. */
void memory_restore(struct tracee *t, struct tracee_space *space, const struct site *site);
bool memory_has_jump(struct tracee_space *space, const struct site *site);
uint8_t memory_code(struct tracee_space *space, uint64_t addr, uint8_t bytes[ARCH_INSN_MAX]);
int thread_regs(struct thread *th); /* into th->regs, once a stop */
int thread_set_regs(struct thread *th, const struct user_regs_struct *regs);
void thread_set_register(struct thread *th, size_t offset, uint64_t value); /* of struct user */
int thread_pc(struct thread *th, uint64_t *pc);
void thread_set_pc(struct thread *th, uint64_t pc);
void regs_to_arch(const struct user_regs_struct *in, struct arch_regs *out);
void regs_from_arch(const struct arch_regs *in, struct user_regs_struct *out);

/* site.c */
/* A child's table, and what has changed since its memory was copied. */
void site_copy_all(struct tracee *t, const struct tracee_space *from, struct tracee_space *to);
void site_copy_table(const struct tracee_space *from, struct tracee_space *to);
/* Takes the traps out of a process that will not be traced. */
void site_clean(const struct tracee_space *from, struct tracee_space *to);

/* slot.c */
/* A copy of the instruction at site->pub.addr; 0 with 0 in *to: there is no room that could be had, and where that is
   for another reason than the addresses that are taken, the error says so. */
int slot_make(struct tracee *t, struct tracee_process *process, struct thread *helper,
	      const struct site *site, const struct arch_insn *insn, uint64_t *to,
	      struct error *err);
void slot_copy_all(struct tracee *t, struct thread *child, const struct tracee_space *from);
void slot_copy_table(const struct tracee_space *from, struct tracee_space *to);
void slot_first_area(struct tracee *t, struct thread *helper);
/* Shared memory of `fd` near `addr`; 0: it could not be had. */
uint64_t slot_map_near(struct tracee_process *process, struct thread *helper, uint64_t addr,
		       int prot, int fd);
bool slot_reaches(uint64_t a, uint64_t b);
/* Where the next slot within reach of `addr` is, 0: nowhere; and fills it. */
uint64_t slot_next(const struct tracee_space *space, uint64_t addr);
int slot_add(struct tracee *t, struct tracee_space *space, uint64_t at, const struct slot *slot);
/* The copy at `at` goes on at `to`. 0, or -1: it cannot. */
int slot_join(struct tracee *t, struct tracee_space *space, uint64_t at, uint64_t to);
enum { STUB_TRAP = 2, STUB_LENGTH = 3 };
extern const uint8_t slot_stub[STUB_LENGTH];

/* halt.c: stops all running threads but this one, and lists those that stopped for no other reason */
struct paused {
	struct thread **items;
	size_t count, capacity;
};
/* ... those that are wanted. */
typedef bool halt_wanted(const struct thread *th, const void *what);
void halt_some(struct tracee *t, halt_wanted *wanted, const void *what, struct paused *paused);
void halt_others(struct tracee *t, const struct thread *but, struct paused *paused);
void let_others_go(struct paused *paused);

/* syscall.c */
/* tracee_syscall, but for a first area: to be used while that is being made. */
int remote_call(struct thread *th, long number, const uint64_t args[6], int64_t *result);
/* A call with a pointer to these bytes as the argument `index`; they stand below the thread's stack
   meanwhile, and are read back. 0, or -1: it failed. */
enum { CALL_BYTES_MOST = 128 };
int remote_call_with(struct thread *th, bool quietly, long number, uint64_t args[6], unsigned index,
		     void *bytes, size_t n);
/* The i-th argument of a system call. */
unsigned long long *remote_argument(struct user_regs_struct *regs, unsigned i);
/* The kernel makes the interrupted call again, unless a handler runs. */
bool remote_restarts(const struct user_regs_struct *regs);
/* execve, by a thread that stands behind an exec: its event comes anew. -1: it was refused. */
int remote_exec(struct thread *th, uint64_t path, uint64_t argv, uint64_t envp);
/* Our memory away: by an instruction of the program's own. The thread is as before. */
void remote_unmap(struct thread *th, uint64_t base, uint64_t size);
bool stopped_by_trap(int status);
/* What a thread is made to run unseen is between remote_begin() and remote_end(). */
struct remote {
	struct thread *th;
	struct user_regs_struct regs; /* to be restored */
	uint64_t mask;		      /* the thread's own, of signals */
	bool stopped;		      /* by job control, before or meanwhile */
	uint64_t stub;		      /* our code, or 0: none yet */
};
bool remote_possible(struct thread *th);
int remote_begin(struct remote *r);
int remote_end(struct remote *r);
/* In between, where there is a stub: a system call. */
int remote_run(struct remote *r, long number, const uint64_t args[6], int64_t *result);
/* ... that is given these bytes, and may write to them, as the argument `index`; the program's own there
   are as before. Below its stack: remote_below() says where. */
int remote_run_with(struct remote *r, long number, uint64_t args[6], unsigned index, void *bytes,
		    size_t n, int64_t *result);
uint64_t remote_below(const struct remote *r, size_t n);
/* Registers of a thread that is about to execute `syscall`. */
void remote_set(struct user_regs_struct *regs, long number, const uint64_t args[6]);
uint64_t remote_blocked(void);
int remote_mask(struct thread *th); /* blocks signals but for those that an instruction raises */
bool remote_stop(int status);	    /* not the end of the thread or of its image */
/* From wherever the thread has got to: a trap in our stub, the only stop to end with. */
int remote_land(struct remote *r);

/* wait.c */
/* As waitpid(2) with -1 does it, but in fairness. */
pid_t status_of_any(struct tracee *t, int *status, int options);
/* The next status of this one thread; blocks. -1: there is no such child. */
int status_of_one(struct tracee *t, pid_t tid, int *status);
/* OTHER: on_status() has got it; LATE: `calling`, and the limit has passed */
enum wait_one { ONE_EXPECTED, ONE_OTHER, ONE_LATE };
/* The next status of one of these threads; others' are put by. NULL: none, or signals_late(). */
bool wait_is_awaited(const struct thread *th); /* it was interrupted, and has not stopped yet */
struct thread *wait_some(struct tracee *t, bool (*wanted)(const struct thread *), int *status);
enum { WAIT_MOMENT_MS = 2 };
/* Until nobody is awaited any more. `late` is called after each moment in which nobody has stopped, and may
   give up those that cannot. */
void wait_awaited(struct tracee *t, void (*stopped)(struct tracee *, pid_t tid, int status),
		  void (*late)(struct tracee *));
enum wait_one wait_one(struct thread *th, bool (*expected)(int status), int *status);

/* queue.c */
struct tracee_event *event_push(struct tracee *t, enum tracee_event_kind kind, struct thread *th);
bool event_silent(const struct thread *th);		     /* nothing of it is reported */
bool event_take(struct tracee *t, struct tracee_event *out); /* the oldest; false: none */

/* event.c: called through target.on_status by all that wait for something else */
void event_status(struct tracee *t, pid_t tid, int status);

/* family.c */
struct birth {
	struct process *parent;	   /* NULL: it is dead */
	struct thread *creator;	   /* NULL: it died before it could report */
	struct tracee_space *from; /* what the child's memory is a copy of, NULL: not known */
	pid_t pid;
	int status;
	bool shares; /* it is no copy, but the same memory */
};
void family_process(struct tracee *t, const struct birth *b);
void family_birth(struct tracee *t, struct thread *th, int event);
void family_exec(struct tracee *t, struct thread *leader);
void family_death(struct tracee *t, struct thread *th, int status);
void family_gone(struct tracee *t, struct thread *th); /* it is no more */
void family_bury(struct tracee *t);		       /* what the last event reported gone */

/* orphan.c: tasks whose creator has not reported them yet, or never will */
void orphan_status(struct tracee *t, pid_t tid, int status);
/* Instead of its first stop: it was killed. It is let go on to its end. */
bool orphan_is_dying(pid_t tid, int status);
int orphan_take(struct tracee *t, pid_t tid, int *status); /* -1: there is none such */
void orphan_adopt(struct tracee *t, struct process *p);	   /* a thread of it has died */
void orphan_settle(struct tracee *t);			   /* those that have waited for too long */
void orphan_free(struct tracee *t);
void orphan_let_go(struct tracee *t); /* all of them, with clean bytes */

/* continue.c */
void thread_continue(struct thread *th, int signal);
void thread_listen(struct thread *th);
void thread_went_on(struct thread *th, enum tracee_state state); /* for our tables */
void thread_settle(struct thread *th);

/* resume.c */
/* Out of line, as if there was no trap. False: the instruction faults, or is a trap itself. */
bool thread_pass(struct thread *th, const struct site *site);

/* debugregs.c */
int debugregs_set(struct thread *th, const struct watch_set *set); /* -1: refused, none is set */
bool debugregs_hit(struct thread *th); /* is what it has stopped for, at a SIGTRAP */
bool watch_covers(const struct watch_set *has, const struct watch_set *wanted);
/* A stopped thread gets what its address space wants. */
void watch_agree(struct thread *th);
/* At a hit: the word that was written is one of those that are watched now. */
bool watch_current(struct thread *th);

/* pause.c */
/* A thread at STOP_PAUSE goes on. */
void pause_end(struct thread *th);
bool pause_shows(struct thread *th); /* by a system call that has given up */
/* So that nobody notices, a system call that has given up is made once more when it goes on. */
void pause_hide(struct thread *th);

/* restart.c */
void restart_deliver(struct thread *th);
void restart_syscall_stop(struct thread *th);
/* Before it is let go for good: out of a copy of ours, to where it would be in the original. */
void restart_leave(struct thread *th);

/* init.c: the first process of a PID namespace makes a fault */
bool init_stays(const struct thread *th); /* ... and would make it for ever */
void init_end(struct thread *th);

/* elide.c */
void elide_syscall_stop(struct thread *th, const struct __ptrace_syscall_info *info);
void elide_signal(struct thread *th, int signal); /* is being delivered */
/* So many calls were elided that the others sleep. */
bool elide_is_over(const struct thread *th);
/* A system call that takes a time to wait for: in which argument, in which form. */
enum elide_form {
	FORM_MS,      /* an int of milliseconds, negative: for ever */
	FORM_GIVEN,   /* a struct timespec that the kernel reads */
	FORM_LEFT,    /* ... and into which it writes what is left */
	FORM_TIMEVAL, /* the same, a struct timeval */
};
struct elide_call {
	long number;
	unsigned argument;
	enum elide_form form;
};
/* The one that the thread is at the entry or exit of, or NULL. */
const struct elide_call *elide_call_of(const struct user_regs_struct *regs);
uint64_t elide_argument(const struct user_regs_struct *regs, const struct elide_call *call);
/* At its entry: it waits as long as `time` says, in ns. The program does not notice: at the exit the
   argument is what it was. False: it could not be done. */
bool elide_give_time(struct thread *th, const struct elide_call *call, uint64_t time_ns);
/* ... for as long as it takes. */
bool elide_give_no_limit(struct thread *th, const struct elide_call *call);
/* `time` is its argument: a time that is not over, and that the kernel takes. */
bool elide_waits(struct thread *th, const struct elide_call *call, uint64_t time);
/* What is left of the time at this address is nothing, where the program could see that. */
void elide_clear_rest(struct thread *th, uint64_t at);

/* sleeps.c: true: there is an event of it, the thread stays stopped */
bool sleeps_syscall_stop(struct thread *th, const struct __ptrace_syscall_info *info);
/* What the call is given, in ns; false: it does not wait, or for ever. */
bool sleeps_time_of(struct thread *th, const struct elide_call *call, uint64_t *ns);
/* Is the time a point in time, and not a length? Then *clock is the clock that it is of. */
bool sleeps_is_absolute(const struct user_regs_struct *regs, clockid_t *clock);
/* What the call returns when its time is over. */
int64_t sleeps_over(uint64_t number);

/* call_seen.c */
int call_prepare(const long *calls); /* in a child that is about to exec. 0, or -1 with errno */
void call_entry(struct tracee *t, struct thread *th);
bool call_exit(struct tracee *t, struct thread *th); /* true: there is an event of it */
void call_exec(struct thread *th); /* before the new program's first instruction */

/* template.c */
void template_end(struct tracee *t);	       /* the kept process dies with the others */
bool template_is_left(const struct tracee *t); /* nobody but the kept process */

/* clock.c: with `sleeps` */
void clock_start(struct tracee *t);
void clock_exec(struct thread *th); /* before the new program's first instruction */
uint64_t clock_auxiliary(struct thread *th, uint64_t type); /* the address of its entry, or 0 */
void clock_syscall_exit(struct thread *th);
/* *ns, a time of the clock's as the program sees it, becomes how long that is from now. `now_ns` is now
   as the kernel sees it. False: it is over already, or the clock is none that goes on by itself. */
bool clock_length(struct tracee *t, clockid_t clock, uint64_t *ns, uint64_t *now_ns);

/* returns.c */
void returns_note(struct thread *th); /* a signal is delivered to it, and may have a handler */
/* All stand still: may a handler that has been seen to begin go on in [from, to)? */
bool returns_into(struct tracee *t, const struct tracee_space *space, uint64_t from, uint64_t to);
/* The child's memory is a copy of `from`, of which this thread has made it; NULL: one that is dead. */
void returns_copy(struct thread *child, const struct tracee_space *from,
		  const struct thread *creator);

/* trap.c: the program's own action and mask of SIGTRAP, which our traps spoil */
void trap_begin(
	struct thread *th);	   /* of a process that is ours from now on: as the kernel has it */
void trap_found(struct tracee *t); /* ... of all, when all stand still */
void trap_inherit(struct thread *th, const struct thread *from);
void trap_exec(struct thread *th);
void trap_put_back(struct thread *th); /* it has just stopped by a trap of ours */
void trap_go_on(struct thread *th);    /* ... and is going on */
void trap_leave(struct tracee *t);     /* all stand still, and are let go */
/* It is about to get the program's own SIGTRAP: is that to be dropped, as one that is ignored? */
bool trap_drops(const struct thread *th);
/* Else: with its handler in place, and nobody there who could spoil it. */
void trap_deliver(struct thread *th, void (*deliver)(struct thread *th));
bool trap_is_handled(const struct thread *th); /* ... by this known handler of the program's */

#endif
