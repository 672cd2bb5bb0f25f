/*
 * Declarations shared by the files of the tracee; events/README.md describes the way of a wait
 * status. A ptrace request that fails with ESRCH means that the thread is dying: the failure is
 * ignored, as waitpid reports the end.
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

/* The copy of an instruction in the program, or a stub. Slots are not
   reused while the image lives. */
struct slot {
	uint64_t from; /* address of the site */
	bool is_syscall;
	enum { STUB_COUNTS, STUB_FOR_OTHERS, STUB_GRANTS, STUB_COMPARES, STUB_COMPARES_NEXT } kind;
	struct resident_count *count; /* NULL for a copy; a stub takes from this count */
	struct arch_copy copy;
};

/* Memory of gatectl in the program. Slot 0 is the stub for system calls, slot i is items[i - 1]. */
struct area {
	uint64_t base;
	ARRAY(struct slot) slots;
};

/* Counts of resident sites, in memory that is shared with the program. */
struct counts {
	struct resident_count *here;
	size_t used;
};
struct shared {
	uint64_t base; /* address in the program */
	struct counts *counts;
};

enum site_state {
	SITE_ARMED,
	SITE_RETIRED,	/* own byte is restored; late reports of the trap are dropped */
	SITE_FORGOTTEN, /* the page was unmapped */
};

struct site {
	struct tracee_site pub; /* first member */
	enum site_state state;
	uint8_t bytes[ARCH_INSN_MAX]; /* the program's own bytes */
	uint8_t readable;	      /* number of bytes */
	uint8_t length;		      /* length of the instruction */
	bool is_trap;		      /* the instruction is int3 */
	bool quiet;		      /* temporary trap of tracee_call(), not reported */
	uint64_t copy;		      /* address of the copy; 0: emulated, or is_trap */
	struct resident_count *count; /* not NULL: a jump is in place of the trap (resident.c) */
	uint8_t jump[RESIDENT_JUMP];  /* bytes of the jump, if `jumped` */
	bool jumped;		      /* there is a jump, or was one */
	/* instructions after the first one that the jump covers (moved.c) */
	struct moved {
		uint64_t addr, copy;
	} moved[RESIDENT_JUMP - 1];
	uint8_t moved_count;
	bool exposed; /* resident_expose(), or a fault in a test: no move and no test any more */
};

struct site_entry {
	uint64_t addr;
	struct site *site;
};

/* Words that debug registers watch, or are to watch. */
struct watch_set {
	struct tracee_watch items[TRACEE_WATCHES];
	size_t n;
};

struct handler_return {
	uint64_t pc, sp; /* state of the thread when the signal came */
	pid_t tid;
};

struct tracee_space {
	unsigned users;			/* number of processes */
	int memory;			/* /proc/PID/mem, or -1 */
	int maps;			/* /proc/PID/maps if a later open may be refused, else -1 */
	bool writable;			/* `memory` can be written */
	ARRAY(struct site_entry) sites; /* sorted by address */
	ARRAY(struct area) areas;
	ARRAY(struct shared) shared;
	uint64_t granted[GRANTED_MAPS]; /* addresses of struct granted; the rest are 0 */
	struct watch_set watched;	/* in all threads of the space (watch.c) */
	bool refused;			/* some thread's debug registers could not be set */
	/* returns.c: addresses to which handlers that may still run
	   return, or too many for the list */
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
	STOP_VFORK, /* cannot run before its child has called exec or ended */
	STOP_EXIT,
	STOP_PAUSE,
	STOP_WATCH,
	STOP_SLEEP,  /* in a system call that sleeps (sleeps.c) */
	STOP_CALL,   /* before a system call (call_seen.c) */
	STOP_CALLED, /* after a system call (call_seen.c) */
};

/* A handler that returns to a reported site, where no second arrival is
   to be reported (restart.c). */
struct restart {
	uint64_t addr;		    /* address of the site */
	uint64_t sp;		    /* stack pointer at the interruption */
	uint64_t frame;		    /* the handler's frame: sp at its first instruction */
	uint64_t alt_low, alt_high; /* bounds of the alternate stack, or 0 */
};

/* Frame below which sleeping calls return at once (elide.c). */
struct elided {
	uint64_t frame;
	/* word directly below the frame; another one shows that the frame is gone */
	uint64_t returns_to;
	uint64_t ahead_ns; /* time not slept below it, by which the thread's clock is ahead */
};

/* State of a thread in a halt (halt.c). */
enum halt_reach {
	REACH_FREE,
	REACH_AWAITED, /* interrupted, has not stopped yet */
	REACH_BEYOND,  /* cannot be stopped now */
	REACH_ENDED,   /* ended before its process; reported at the end of that */
};

/* Clock reads are no system calls; are calls; are calls, and sleeps are reported. */
enum tracee_clock { CLOCK_VDSO, CLOCK_CALLS, CLOCK_OWN };
enum call_end { CALL_UNSEEN, CALL_TELLS_END, CALL_OUTLASTS, CALL_TIMES_OUT };

struct thread {
	struct tracee_thread pub; /* first member */
	struct tracee *tracee;
	TAILQ_ENTRY(thread) link; /* all threads, in order of creation */
	struct thread *bucket;	  /* next one in the hash table */
	enum stop stop;
	struct site *site; /* STOP_SITE */
	/* STOP_SITE: pc is already the site's address; STOP_EXEC, STOP_FORK: the call has ended */
	bool settled;
	int signal;	       /* STOP_SIGNAL; 0: dropped */
	int group_signal;      /* STOP_START, STOP_PAUSE: signal of the group stop, or 0 */
	siginfo_t *info;       /* siginfo of `signal` if the kernel has lost it, else NULL */
	int killing;	       /* signal of tracee_kill(), which is not reported */
	uint64_t pc;	       /* STOP_SIGNAL */
	uint64_t sigreturn_sp; /* stack pointer at the entry of rt_sigreturn, or 0 */
	ARRAY(struct restart) restarts;
	ARRAY(struct elided) elisions;	   /* elide.c */
	unsigned elided;		   /* number of elided calls since the last one began */
	unsigned elide_handlers;	   /* handlers that run since then */
	unsigned skips_wait;		   /* 1 + errno of a futex wait that is not made; or 0 */
	unsigned timed_argument;	   /* argument with another time, counted from 1; or 0 */
	uint64_t timed_value;		   /* former value of that argument */
	uint64_t sleeps_ns;		   /* sleeps.c: time that the current call waits; or 0 */
	unsigned long polls;		   /* sleeps.c: number of waits for files */
	unsigned long clock_reads;	   /* clock.c: number of clock reads */
	uint64_t sleeps_call, sleeps_sp;   /* the call that sleeps, and its stack pointer */
	enum call_end call_end;		   /* what ends the current call (call_seen.c) */
	const struct tracee_call *calling; /* function that is run for gatectl, or NULL */
	pid_t vforked;			   /* child of the last birth, if that was a vfork; or 0 */
	struct watch_set watched;	   /* words in the debug registers */
	bool rewatched;	  /* the words were changed; a hit of an old one may come */
	bool interrupted; /* by PTRACE_INTERRUPT, and not stopped since */
	enum halt_reach reach;
	unsigned looks;	   /* halt.c: times seen in an uninterruptible state */
	bool trap_blocked; /* SIGTRAP is blocked, as far as is known (trap.c) */
	bool asked;	   /* registers were read at this stop or the last one */
	bool regs_known;
	struct user_regs_struct regs;
};

/* trap.c: the program's own action of SIGTRAP */
struct own_trap {
	uint64_t handler;   /* 0 default, 1 ignored, or an address */
	bool lost;	    /* the kernel has reset "ignored" to the default */
	bool whole;	    /* `action` is known */
	uint64_t action[4]; /* the kernel's struct sigaction */
};

struct process {
	struct tracee_process pub; /* first member */
	struct tracee *tracee;
	TAILQ_ENTRY(process) link;
	bool gone;
	bool kept;	  /* the snapshot (template.c) */
	bool watched;	  /* rewind.c: system calls are watched */
	unsigned seen;	  /* number of calls that were watched */
	uint64_t actions; /* signals whose actions were set, bit n - 1 */
	bool opened;	  /* files were opened */
	bool spoiled;	  /* something cannot be restored */
	int ends_by;	  /* init.c: signal to report in place of SIGKILL; or 0 */
	struct own_trap trap;
};

/* The snapshot (template.c). */
struct kept_program {
	struct thread *thread;	      /* NULL: no snapshot */
	struct user_regs_struct regs; /* registers at the site */
	uint64_t mask;		      /* signal mask at the site */
	uint64_t tid_at;	      /* address of the word with the thread's id; 0: not known */
	uint64_t flags;		      /* CLONE_CHILD_* flags of a copy */
	uint64_t robust, robust_size; /* set_robust_list(2) */
	uint64_t cradle;	      /* address of the code that forks */
	struct rewinding *rewinding;  /* NULL: copies are not restored */
};

/* A new task that has stopped before its creator's report. */
struct parked {
	pid_t tid, tgid, parent;
	int status;
	unsigned born; /* signals_firings() at the stop */
};

/* A wait status that is not handled yet. */
struct taken {
	pid_t tid;
	int status;
};

struct tracee {
	/* event_status(): handles a status that the wait for one thread did not expect. */
	void (*on_status)(struct tracee *t, pid_t tid, int status);
	/* resident_expose(): the program may come to `addr` without a report. */
	void (*on_exposed)(struct tracee *t, struct tracee_space *space, uint64_t addr);
	TAILQ_HEAD(, thread) threads;
	TAILQ_HEAD(process_list, process) processes;
	struct thread *buckets[THREAD_BUCKETS];
	size_t alive, running, stopped; /* alive = running (group stops included) + stopped */
	ARRAY(struct tracee_event) queue;
	size_t queue_head;
	ARRAY(struct parked) parked;
	ARRAY(struct counts *) counts;	     /* of all spaces (resident.c) */
	struct granting *granting;	     /* granted.c; or NULL */
	ARRAY(struct tracee_space *) ghosts; /* spaces that have ended, the latest at the end */
	struct tracee_event last;	     /* event of the last tracee_wait() */
	bool no_follow, trace_exit;
	enum tracee_clock clock;
	struct armed_list *armed;			       /* armed.c */
	const long *calls;				       /* tracee_launch.calls, or NULL */
	struct kept_program kept;			       /* template.c */
	unsigned hasten;				       /* sleeps.c */
	uint64_t clock_start_ns, slept_ns, worked_ns, seen_ns; /* clock.c */
	unsigned long clock_reads;			       /* by all threads */
	/* not launched: the program outlives gatectl */
	bool attached;
	/* children at the attach, which are not traced */
	bool had_children;
	bool detached;
	unsigned gathered;	   /* number of statuses, for fairness (wait.c) */
	ARRAY(struct taken) taken; /* fetched by waitpid, not handled yet */
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
/* Ends a thread: it is no longer found by its tid, but listed until thread_free(). */
void thread_unhash(struct thread *th);
void thread_free(struct thread *th);
struct thread *thread_stopped_in(struct tracee *t, const struct tracee_space *space);
void thread_check(const struct tracee *t);
bool thread_is_alive(const struct thread *th); /* found by its tid */

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
void space_open(struct tracee_space *space, pid_t tid); /* opens the files again, by this thread */
/* Ends a process's use of the space. The tables of an unused one are kept for a while. */
void space_unuse(struct tracee *t, struct tracee_space *space);
void space_free(struct tracee_space *space);
/* Returns the site at `addr`; NULL: none, or forgotten. */
struct site *space_site(const struct tracee_space *space, uint64_t addr);
struct site *space_known_site(const struct tracee_space *space,
			      uint64_t addr); /* also a forgotten one */
/* Returns the index of the first site at `addr` or above. */
size_t space_first_site(const struct tracee_space *space, uint64_t addr);
/* Returns the slot that contains pc, with the offset in it; or NULL. */
const struct slot *space_slot(const struct tracee_space *space, uint64_t pc, uint64_t *offset);
/* Converts a pc and sp inside a copy to those in the original. */
void space_original(const struct thread *th, uint64_t *pc, uint64_t *sp);

/* memory.c: raw reads show traps and jumps */
int memory_raw_read(struct tracee_space *space, uint64_t addr, void *buf, size_t n);
int memory_raw_write(struct tracee *t, struct tracee_space *space, uint64_t addr, const void *buf,
		     size_t n);
int memory_read(struct tracee_space *space, uint64_t addr, void *buf, size_t n);
/* Restores the program's own bytes, unless the program has overwritten the trap. */
void memory_restore(struct tracee *t, struct tracee_space *space, const struct site *site);
bool memory_has_jump(struct tracee_space *space, const struct site *site);
uint8_t memory_code(struct tracee_space *space, uint64_t addr, uint8_t bytes[ARCH_INSN_MAX]);
int thread_regs(struct thread *th); /* fills th->regs, once a stop */
int thread_set_regs(struct thread *th, const struct user_regs_struct *regs);
/* Sets one register, at its offset in struct user. */
void thread_set_register(struct thread *th, size_t offset, uint64_t value);
int thread_pc(struct thread *th, uint64_t *pc);
void thread_set_pc(struct thread *th, uint64_t pc);
void regs_to_arch(const struct user_regs_struct *in, struct arch_regs *out);
void regs_from_arch(const struct arch_regs *in, struct user_regs_struct *out);

/* site.c */
/* Copies the table to a forked child, and brings its memory up to date. */
void site_copy_all(struct tracee *t, const struct tracee_space *from, struct tracee_space *to);
void site_copy_table(const struct tracee_space *from, struct tracee_space *to);
/* Removes the traps from a process that will not be traced. */
void site_clean(const struct tracee_space *from, struct tracee_space *to);

/* slot.c */
/* Copies the site's instruction. Returns 0 with *to = 0 if no memory is within reach (*err may say
   why), -1 with *err set if the instruction cannot be copied. */
int slot_make(struct tracee *t, struct tracee_process *process, struct thread *helper,
	      const struct site *site, const struct arch_insn *insn, uint64_t *to,
	      struct error *err);
void slot_copy_all(struct tracee *t, struct thread *child, const struct tracee_space *from);
void slot_copy_table(const struct tracee_space *from, struct tracee_space *to);
void slot_first_area(struct tracee *t, struct thread *helper);
/* Maps shared memory of `fd` near `addr`. Returns its address, or 0. */
uint64_t slot_map_near(struct tracee_process *process, struct thread *helper, uint64_t addr,
		       int prot, int fd);
bool slot_reaches(uint64_t a, uint64_t b);
/* Returns the address of the next slot within reach of `addr`, or 0; slot_add() fills it. */
uint64_t slot_next(const struct tracee_space *space, uint64_t addr);
int slot_add(struct tracee *t, struct tracee_space *space, uint64_t at, const struct slot *slot);
/* Makes the copy at `at` go on at `to`. Returns 0 or -1. */
int slot_join(struct tracee *t, struct tracee_space *space, uint64_t at, uint64_t to);
enum { STUB_TRAP = 2, STUB_LENGTH = 3 };
extern const uint8_t slot_stub[STUB_LENGTH];

/* halt.c: threads that a halt has stopped, to be resumed by let_others_go() */
struct paused {
	struct thread **items;
	size_t count, capacity;
};
/* True if halt_some() is to stop the thread. */
typedef bool halt_wanted(const struct thread *th, const void *what);
void halt_some(struct tracee *t, halt_wanted *wanted, const void *what, struct paused *paused);
void halt_others(struct tracee *t, const struct thread *but, struct paused *paused);
void let_others_go(struct paused *paused);

/* syscall.c */
/* Variant of tracee_syscall() that does not map a first area, and so can serve to map it. */
int remote_call(struct thread *th, long number, const uint64_t args[6], int64_t *result);
/* Makes a call whose argument `index` points to these bytes, which are read back; memory below the
   stack serves, and is restored. `quietly`: without a trap. Returns 0, or -1 if the call fails. */
enum { CALL_BYTES_MOST = 128 };
int remote_call_with(struct thread *th, bool quietly, long number, uint64_t args[6], unsigned index,
		     void *bytes, size_t n);
/* Returns a pointer to the i-th argument of a system call. */
unsigned long long *remote_argument(struct user_regs_struct *regs, unsigned i);
/* True if the kernel makes the interrupted call again, unless a handler runs. */
bool remote_restarts(const struct user_regs_struct *regs);
/* Execs in a thread at an exec stop; another exec is reported. Returns 0, or -1 if refused. */
int remote_exec(struct thread *th, uint64_t path, uint64_t argv, uint64_t envp);
/* Unmaps memory of gatectl by a syscall instruction of the program, and restores the thread. */
void remote_unmap(struct thread *th, uint64_t base, uint64_t size);
bool stopped_by_trap(int status);
/* A stretch of code that a thread runs unseen, between remote_begin() and remote_end(). */
struct remote {
	struct thread *th;
	struct user_regs_struct regs; /* restored at the end */
	uint64_t mask;		      /* the thread's own signal mask */
	bool stopped;		      /* by job control, before or meanwhile */
	uint64_t stub;		      /* address of the stub, or 0: none yet */
};
bool remote_possible(struct thread *th);
int remote_begin(struct remote *r);
int remote_end(struct remote *r);
/* Makes a system call by the stub, in between. */
int remote_run(struct remote *r, long number, const uint64_t args[6], int64_t *result);
/* Variant of remote_run() whose argument `index` points to the n bytes, which the call may change.
   They are at remote_below(), whose memory is restored. */
int remote_run_with(struct remote *r, long number, uint64_t args[6], unsigned index, void *bytes,
		    size_t n, int64_t *result);
uint64_t remote_below(const struct remote *r, size_t n);
/* Sets registers for a syscall instruction. */
void remote_set(struct user_regs_struct *regs, long number, const uint64_t args[6]);
uint64_t remote_blocked(void);
int remote_mask(struct thread *th); /* blocks the signals of remote_blocked() */
bool remote_stop(int status);	    /* a stop, but not at the end of thread or image */
/* Sends the thread to the stub's trap, the only stop from which it can be restored. */
int remote_land(struct remote *r);

/* wait.c */
/* waitpid(2) for any child, in fair order. */
pid_t status_of_any(struct tracee *t, int *status, int options);
/* Waits for the next status of one thread. Returns 0, or -1 if there is no such child. */
int status_of_one(struct tracee *t, pid_t tid, int *status);
/* OTHER: on_status() has handled it; LATE: the limit of tracee_call() has passed */
enum wait_one { ONE_EXPECTED, ONE_OTHER, ONE_LATE };
bool wait_is_awaited(const struct thread *th); /* interrupted, has not stopped yet */
/* Waits for the next status of a wanted thread. Returns NULL if there is none, or if late. */
struct thread *wait_some(struct tracee *t, bool (*wanted)(const struct thread *), int *status);
enum { WAIT_MOMENT_MS = 2 };
/* Waits until no thread is awaited. `late` is called after each WAIT_MOMENT_MS without a stop. */
void wait_awaited(struct tracee *t, void (*stopped)(struct tracee *, pid_t tid, int status),
		  void (*late)(struct tracee *));
enum wait_one wait_one(struct thread *th, bool (*expected)(int status), int *status);

/* queue.c */
struct tracee_event *event_push(struct tracee *t, enum tracee_event_kind kind, struct thread *th);
bool event_silent(const struct thread *th); /* no event of the thread is reported */
bool event_take(struct tracee *t, struct tracee_event *out); /* the oldest one; false: none */

/* event.c: also called through on_status */
void event_status(struct tracee *t, pid_t tid, int status);

/* family.c */
struct birth {
	struct process *parent;	   /* NULL: it has ended */
	struct thread *creator;	   /* NULL: it has ended before its report */
	struct tracee_space *from; /* space of which the memory is a copy; NULL: not known */
	pid_t pid;
	int status;
	bool shares; /* the memory is shared, not a copy */
};
void family_process(struct tracee *t, const struct birth *b);
void family_birth(struct tracee *t, struct thread *th, int event);
void family_exec(struct tracee *t, struct thread *leader);
void family_death(struct tracee *t, struct thread *th, int status);
void family_gone(struct tracee *t, struct thread *th); /* reports the end of the thread */
void family_bury(struct tracee *t);		       /* frees what the last event reported gone */

/* orphan.c: tasks whose creator has not reported them yet, or never will */
void orphan_status(struct tracee *t, pid_t tid, int status);
/* True if the task was killed before its first stop; it is resumed to its end. */
bool orphan_is_dying(pid_t tid, int status);
int orphan_take(struct tracee *t, pid_t tid, int *status); /* -1: not there */
void orphan_adopt(struct tracee *t, struct process *p);	   /* a thread of p has ended */
void orphan_settle(struct tracee *t);			   /* adopts those that have waited */
void orphan_free(struct tracee *t);
void orphan_let_go(struct tracee *t); /* detaches all, without traps */

/* continue.c */
void thread_continue(struct thread *th, int signal);
void thread_listen(struct thread *th);
void thread_went_on(struct thread *th, enum tracee_state state); /* updates the tables */
void thread_settle(struct thread *th);

/* resume.c */
/* Passes the trap out of line. Returns false if the instruction faults, or is a trap itself. */
bool thread_pass(struct thread *th, const struct site *site);

/* debugregs.c */
int debugregs_set(struct thread *th, const struct watch_set *set); /* -1: refused, none is set */
bool debugregs_hit(struct thread *th); /* the cause of a SIGTRAP is a hit */
bool watch_covers(const struct watch_set *has, const struct watch_set *wanted);
/* Sets a stopped thread's debug registers as its address space wants. */
void watch_agree(struct thread *th);
/* At a hit: true if the written word is still watched. */
bool watch_current(struct thread *th);

/* pause.c */
/* Lets a thread at STOP_PAUSE go on. */
void pause_end(struct thread *th);
bool pause_shows(struct thread *th); /* the system call has failed by a pause */
/* Makes a system call that has failed by a pause again, unnoticed by the program. */
void pause_hide(struct thread *th);

/* restart.c */
void restart_deliver(struct thread *th);
void restart_syscall_stop(struct thread *th);
/* Takes a thread that is to be detached out of a copy, to its place in the original. */
void restart_leave(struct thread *th);

/* init.c: a fault in the first process of a PID namespace */
bool init_stays(const struct thread *th); /* the fault would repeat for ever */
void init_end(struct thread *th);

/* elide.c */
void elide_syscall_stop(struct thread *th, const struct __ptrace_syscall_info *info);
void elide_signal(struct thread *th, int signal); /* at the delivery of a signal */
/* True if so many calls were elided that the next ones sleep. */
bool elide_is_over(const struct thread *th);
/* A system call that takes a time to wait for: in which argument, in which form. */
enum elide_form {
	FORM_MS,      /* int of milliseconds, negative: no limit */
	FORM_GIVEN,   /* struct timespec that the kernel reads */
	FORM_LEFT,    /* struct timespec; the kernel writes what is left */
	FORM_TIMEVAL, /* struct timeval; the kernel writes what is left */
};
struct elide_call {
	long number;
	unsigned argument;
	enum elide_form form;
};
/* Returns the sleeping call that the thread is at the entry or exit of, or NULL. */
const struct elide_call *elide_call_of(const struct user_regs_struct *regs);
/* Gives a call at its entry another time; its exit restores the argument. False: it failed. */
bool elide_give_time(struct thread *th, const struct elide_call *call, uint64_t time_ns);
/* Variant of elide_give_time() that removes the time limit. */
bool elide_give_no_limit(struct thread *th, const struct elide_call *call);
/* True if the kernel accepts `time`, the call's argument, and it is not over. */
bool elide_waits(struct thread *th, const struct elide_call *call, uint64_t time);
/* Sets the time that is left, at this address, to 0 if the program can see it. */
void elide_clear_rest(struct thread *th, uint64_t at);

/* timed.c: the argument that is the time, or points to it */
uint64_t timed_argument_of(const struct user_regs_struct *regs, const struct elide_call *call);
/* Reads the call's time, in ns. Returns false if it does not wait, or has no limit. */
bool timed_value(struct thread *th, const struct elide_call *call, uint64_t *ns);
/* True if the time is a point in time, of *clock; else it is a length. */
bool timed_is_absolute(const struct user_regs_struct *regs, clockid_t *clock);
/* Returns the call's result when its time is over. */
int64_t timed_over(uint64_t number);
/* At the exit of a call that tracee_time_out() has interrupted: gives it the result of a timeout.
   Returns false if it has ended by itself. */
bool timed_end(struct thread *th);

/* sleeps.c: true if there is an event, and the thread stays stopped */
bool sleeps_syscall_stop(struct thread *th, const struct __ptrace_syscall_info *info);

/* call_seen.c */
int call_prepare(const long *calls); /* in a child before exec; 0, or -1 with errno */
void call_entry(struct tracee *t, struct thread *th);
bool call_exit(struct tracee *t, struct thread *th); /* true: there is an event */
void call_exec(struct thread *th); /* before the new program's first instruction */

/* template.c */
void template_end(struct tracee *t);	       /* the snapshot will die with the others */
bool template_is_left(const struct tracee *t); /* only the snapshot is left */

/* clock.c: with `sleeps`, and while a thread elides sleeps */
void clock_start(struct tracee *t);
/* Returns the program's clock since the start, in ns. */
uint64_t clock_own_ns(struct tracee *t);
void clock_exec(struct thread *th); /* before the new program's first instruction */
uint64_t clock_auxiliary(struct thread *th, uint64_t type); /* address of the entry, or 0 */
void clock_syscall_exit(struct thread *th);
/* Converts *ns, a point of the clock as the thread sees it, to the time until then; *now_ns is the
   kernel's time. Returns false if it is over (*ns 0), or if the clock does not go on by itself. */
bool clock_length(struct thread *th, clockid_t clock, uint64_t *ns, uint64_t *now_ns);

/* returns.c */
void returns_note(struct thread *th); /* at the delivery of a signal */
/* True if a handler that may still run can return into [from, to). All threads are stopped. */
bool returns_into(struct tracee *t, const struct tracee_space *space, uint64_t from, uint64_t to);
/* Copies the list to a child; `creator` is NULL if it has ended. */
void returns_copy(struct thread *child, const struct tracee_space *from,
		  const struct thread *creator);

/* trap.c: the program's own action and mask of SIGTRAP, which traps change */
void trap_begin(struct thread *th); /* reads a new process's state */
void trap_found(struct tracee *t);  /* reads the state of all, which are stopped */
void trap_inherit(struct thread *th, const struct thread *from);
void trap_exec(struct thread *th);
void trap_put_back(struct thread *th); /* restores the state after gatectl's trap */
void trap_go_on(struct thread *th);    /* restores "ignored" before the thread runs */
void trap_leave(struct tracee *t);     /* restores "ignored" before a detach */
/* True if the program's own SIGTRAP is to be dropped, because it is ignored. */
bool trap_drops(const struct thread *th);
/* Delivers the program's own SIGTRAP with its handler in place, which no other thread can reset. */
void trap_deliver(struct thread *th, void (*deliver)(struct thread *th));
bool trap_is_handled(const struct thread *th); /* the program has a known handler */

#endif
