/* Internals of the scheduler: data of runs and threads, and the functions of each file. */
#ifndef GATECTL_SCHED_SCHED_INTERNAL_H
#define GATECTL_SCHED_SCHED_INTERNAL_H

#include "tracer/base/table.h"
#include "tracer/sched/memory/updates.h"
#include "tracer/sched/sched.h"
#include "tracer/run/run.h"
#include "tracer/tracee/syscalls/syscalls.h"
#include "tracer/tracee/attach/attach.h"

enum sched_state {
	THREAD_RUNS,   /* between two points, or at a stop that is no point */
	THREAD_READY,  /* at a point, or its wait is over */
	THREAD_FUTEX,  /* waits for a futex wake, stopped before its call */
	THREAD_SLEEPS, /* sleeps, stopped before its call */
	/* waits until another thread's wait for children is over, stopped before its call */
	THREAD_BEHIND,
	/* In the kernel: */
	THREAD_KERNEL,	   /* waits in its call */
	THREAD_UNREPORTED, /* waits in a call whose return no event reports */
	THREAD_ZOMBIE,	   /* has exited, but is the first thread of a living process */
};

/* A futex word: an address in a process, or an offset in a mapped file. Which one is found
   lazily, because reading a process's mappings is slow and every join asks. */
struct futex_key {
	uint64_t a, b, c;		/* memory space, 0, address; or device, inode, offset */
	struct tracee_process *unknown; /* process whose mapping may have a file; NULL: known */
};

/* Action of a thread when it is chosen. */
enum sched_next {
	NEXT_RESUMES,
	NEXT_CALLS,   /* makes its system call */
	NEXT_ANSWERS, /* gets `result` for its call, which the kernel does not make */
	NEXT_RETURNS, /* returns from a call in which it waited */
	NEXT_BIRTH,   /* returns from a call that created a process in its memory */
	NEXT_EXIT,    /* exits as its process's first thread, before the others */
	NEXT_END,     /* exits without its process */
};

/* Bits of sched_thread.known: what is known of the thread's point. */
enum { POINT_PLACED = 1, POINT_DESCRIBED = 2, POINT_NAMED = 4 };

/* The event that ends a futex wait. */
enum futex_waits {
	FUTEX_FOR_WAKE,
	FUTEX_FOR_ANY,	   /* a wake on one of several words: futex_waitv(2) */
	FUTEX_FOR_LOCK,	   /* ownership of a lock with priority inheritance */
	FUTEX_FOR_REQUEUE, /* a requeue to such a lock */
};

/* Recent states of a thread at accesses that are no points, since its last point. */
enum { ROUND_STATES = 8 };
struct sched_round {
	size_t steps; /* of the run, when recording began */
	unsigned hits;
	uint64_t items[ROUND_STATES];
};

/* How often the thread has passed a trap of loops.c in one state. */
struct sched_loop_rounds {
	size_t steps; /* of the run, when counting began */
	uint64_t state;
	unsigned count;
};

/* Data of a thread. */
struct sched_thread {
	struct run_thread *thread; /* NULL: not scheduled */
	unsigned number;	   /* index of sched.paths */
	unsigned children;	   /* number of threads that it has created */
	unsigned timers;	   /* number of timers that it has set first */
	const char *path;
	unsigned listed; /* index of schedule.threads */
	enum sched_state state;
	enum sched_next next;
	bool at_point;		     /* stopped at a point; READY once the event is handled */
	struct strategy_point point; /* the next step; `place` is an address of the process */
	unsigned known;		     /* POINT_PLACED and others, for the next members */
	uint64_t place, fixed;	     /* PLACED: address and object as schedules number them */
	struct schedule_where where; /* DESCRIBED: place in the source */
	const char *name;	     /* NAMED: name of the object, or NULL */
	const char *function;	     /* the function that the point enters, or NULL */
	bool forks;		     /* the function creates a process */
	uint64_t entry_sp;	     /* stack pointer at its entry, where the return address is */
	struct tracee_made call;     /* the system call before which the thread is stopped */
	uint64_t objects[2];	     /* of a function with several: condition and mutex */
	/* For the search for races: */
	struct arch_access accesses[ARCH_ACCESSES_MAX]; /* that the next instruction makes */
	size_t access_count;
	unsigned accesses_index; /* index of sched.accesses */
	struct sched_update update;
	/* choices in a row that offered the thread and did not choose it */
	unsigned long passed_over;
	struct sched_round spin;
	struct sched_loop_rounds rounds;
	struct sched_taking {
		struct module *allocator;
		/* in the allocator until it returns with this stack pointer; 0: not inside */
		uint64_t sp;
		/* block that may move; address of the new block's pointer; or 0 */
		uint64_t old, at;
	} taking;
	/* in a wait that returns without a signal, until the stack pointer is this; 0: not */
	uint64_t spurious_sp;
	uint64_t locking; /* lock that the thread holds when its call returns; 0: none */
	/* The latest race whose second access the thread makes: index + 1 in sched.reported, and
	   the number of races at this access. 0: none. */
	size_t raced, raced_count;
	uint64_t raced_at;
	const struct type *raced_type; /* of the variable */
	bool preempted; /* READY: stopped while it computed; other ready threads go first */
	bool timed;	/* the wait ends at until_ns, of the program's clock */
	uint64_t until_ns;
	/* how far the clock has advanced since the thread could go on */
	uint64_t paused_ns;
	struct spin_watch going;
	unsigned spins;	      /* how often it was seen spinning since a time-out ended */
	struct futex_key key; /* FUTEX */
	enum futex_waits waits;
	unsigned long queued; /* FUTEX: order of arrival */
	uint32_t bits;	      /* bits of FUTEX_WAIT_BITSET */
	uint64_t lock;	      /* address of the lock, unless FOR_WAKE */
	uint64_t clears;      /* word cleared when the thread exits (tracee.h), or 0 */
	uint64_t base;	      /* FS base, the thread's pthread_t; 0: no strategy asks for it */
	uint64_t slept;	      /* RUNS: context switches when it was seen asleep, plus 1; 0: awake */
	uint64_t deep;	      /* context switches in an uninterruptible wait, plus 1; 0: none */
	uint64_t deep_us;     /* time at which that wait was first seen */
	bool blocked;	      /* the call has waited in the kernel */
	bool signalled;	      /* FUTEX, SLEEPS, BEHIND: a signal handler is to run */
	int64_t result;	      /* NEXT_ANSWERS */
};

/* Overwritten values: a hash table by address without chaining, so entries can be replaced. */
enum { WRITTEN = 1024 };
struct overwritten {
	uint64_t address, value;
};

/* FS base of a thread, which may have exited. */
struct thread_base {
	const struct run_process *process;
	uint64_t address;
	unsigned listed; /* index of schedule.threads */
};

/* A span of memory. */
struct shared_span {
	uint64_t low, size;
};

struct sched_timer; /* syscalls/timers.h */

/* Data of a run. */
struct scheduler {
	struct sched *given;
	struct run *run;
	bool begun, over;
	unsigned long queued; /* number of futex waits so far */
	bool rests;	      /* the run pauses before its next step */
	bool real_timers;     /* a thread has set a timer that the kernel expires, in real time */
	bool signals;	      /* signals were sent, perhaps to a parked thread */
	const struct run_process *dying; /* a process that is exiting, thread by thread; or NULL */
	ARRAY(struct sched_thread *) threads; /* living threads, sorted by path */
	ARRAY(struct sched_timer *) timers;   /* in the order of their creation */
	unsigned timers_made;		      /* also those that were deleted */
	ARRAY(struct strategy_point) points;
	ARRAY(struct sched_thread *) at; /* the threads of `points` */
	struct sched_thread *moved;	 /* the thread of the last step, or NULL */
	size_t kernel;			 /* number of threads in THREAD_KERNEL and later states */
	uint64_t now_ns;		 /* of the program's clock, since its start */
	unsigned idle;	     /* ticks without a ready thread while threads wait in the kernel */
	double idle_s;	     /* duration of these ticks */
	struct str out, err; /* text of the program's output that a verdict needs */
	unsigned long moves, moves_then; /* stops of threads: now, and at the last progress */
	uint64_t worked_then;		 /* processor time at the last progress */
	unsigned long access_looks,
		hang_looks;   /* stops at accesses that are no points: now, and for hangs.c */
	size_t hang_steps;    /* steps at the last progress (hangs.c) */
	uint64_t hang_ns;     /* processor time when the number of steps last grew */
	size_t preempts;      /* steps that only stopped a computing thread: no progress */
	size_t hang_preempts; /* preempts at hang_ns */
	uint64_t preempt_ns;  /* processor time at the last preemption */
	double still_s;	      /* processor time since hang_ns, in seconds */
	unsigned looks;	      /* samples of threads without a point since the step */
	size_t looked_at;
	double preempted_s;   /* still_s when a computing thread got a trap to stop it; 0: none */
	size_t preempted_at;  /* steps at that time */
	unsigned clock_reads; /* reads of the clock since the last step */
	unsigned spurious;    /* waits that have returned without a signal */
	enum strategy_op op;  /* of the choice made last */
	size_t starved_at;    /* the last step at which a thread had starved; or 0 */
	struct quiet *quiet;  /* turns/rounds.h; owned; NULL before the first step */
	struct rounds *last_rounds; /* of the last steps before the limit; owned, like quiet */
	uint64_t random;	    /* state of the bytes of getrandom(2) */
	unsigned processes;	    /* number of forked processes */
	ARRAY(struct shared_span) shared; /* memory that processes share */
	struct run_thread *arrived;	  /* thread that is where schedules begin, or NULL */
	struct overwritten written[WRITTEN];
	/* Names of objects in a described schedule: */
	ARRAY(struct thread_base) bases;
	struct table named, kinds; /* number of an object among its kind; size of each kind */
};

static inline bool sched_thread_in_kernel(const struct sched_thread *t)
{
	return t->state >= THREAD_KERNEL;
}

/* True if the thread is stopped before its call, by a decision of the scheduler. */
static inline bool sched_thread_is_parked(const struct sched_thread *t)
{
	return t->state == THREAD_FUTEX || t->state == THREAD_SLEEPS || t->state == THREAD_BEHIND;
}

/* Returns NULL if the run has no scheduler. */
struct scheduler *scheduler_of(const struct run *s);
struct sched_thread *sched_thread_of(const struct run_thread *t);

/* ---- turns.c ---- */

struct scheduler *scheduler_keep(struct run *s);
/* Adds a scheduler if the run's options ask for one. */
void scheduler_new(struct run *s);

/* Makes the thread ready: its next step is `p`. */
void sched_thread_ready(struct sched_thread *t, const struct strategy_point *p);
/* Resumes the thread, whose stop was no point. */
void sched_thread_goes(struct sched_thread *t);
/* Sets the result of the thread's call, which the kernel does not make, and resumes the thread. */
void sched_thread_answer(struct sched_thread *t, int64_t result);
/* Sets the result of the call; the thread goes on when it is chosen. */
void sched_thread_answered(struct sched_thread *t, int64_t result);
/* Adds the thread's next step, as `op`, to the choices. Threads are offered in the order of
   c->threads. */
void scheduler_offer(struct scheduler *c, struct sched_thread *t, enum strategy_op op);
void scheduler_offer_none(struct scheduler *c);
/* Adds the place of every thread to given->stuck, which distinguishes this end of a run from
   others. */
void scheduler_note_places(struct scheduler *c);
/* Lets the strategy choose among the offered threads and records the step. Returns NULL if the
   run is over. */
struct sched_thread *scheduler_choose(struct scheduler *c);
/* Ends the run. */
void scheduler_end(struct scheduler *c, enum sched_end how);

/* ---- acquires.c ---- */

/* Sets `acquires` and `pair` of the thread's step. */
void acquires_look(const struct scheduler *c, const struct sched_thread *t,
		   struct strategy_point *p);

/* ---- threads.c ---- */

/* Returns the number of the thread with this path, which is equal in all runs. */
unsigned threads_number_of(struct sched *g, const char *path);
void sched_thread_new(struct scheduler *c, struct run_thread *thread);
/* The thread's process runs another program after an exec. */
void sched_thread_exec(struct scheduler *c, struct sched_thread *t);
void sched_thread_forget(struct scheduler *c, struct sched_thread *t);
/* Removes all threads of a process that exits. They may still be reported as stopped, but do not
   move again. */
void sched_threads_forget(struct scheduler *c, const struct run_process *p);

/* ---- addresses.c ---- */

/* Adds the modules that earlier runs have named to this run's schedule. */
void addresses_begin(struct scheduler *c);
/* Returns the address as schedules number it (schedule/schedule.h), or 0 for 0. */
uint64_t addresses_number(struct sched *g, struct run_process *p, uint64_t address);
/* Sets `place` and `fixed` of the thread's point. */
void addresses_of_point(struct scheduler *c, struct sched_thread *t);
/* Records the FS base of a new thread. */
void addresses_thread(struct scheduler *c, struct sched_thread *t);
/* Returns the schedule's name of the point's object outside of modules, or NULL if it needs
   none. */
const char *addresses_memory(struct scheduler *c, struct sched_thread *t);

/* ---- points.c: traps and points ---------------------------------------------------------- */

struct hit; /* run/places/places.h */
struct site_owner;

/* The stopped thread through which traps are set, and where. */
struct sched_image {
	struct run *run;
	struct run_process *process;
	struct tracee_thread *thread;
	const struct image *image; /* NULL: for an address of the process */
};
/* Returns false if no trap is possible there. */
bool sched_trap(const struct sched_image *x, uint64_t address, const struct site_owner *owner,
		unsigned what);

/* Functions by name, exported by an image or static in it. The first member of a row is the
   name. */
struct sched_functions {
	const void *rows;
	size_t size;
	unsigned count;
	void (*put)(const struct sched_image *x, unsigned i, uint64_t offset);
};
void sched_put_functions(const struct sched_image *x, const struct sched_functions *f);

/* Returns the thread of a hit, or NULL if it is not scheduled. */
struct sched_thread *sched_hit(struct run *s, const struct hit *h, struct scheduler **c);
/* Stops the thread at a point. `function` is the entered function, or NULL. */
void sched_arrive(struct sched_thread *t, const struct strategy_point *p, const char *function);
/* Returns the i-th argument, from 0, at the entry of a function. */
uint64_t entry_argument(const struct hit *h, unsigned i);

void points_settled(struct run *s, struct run_process *p, struct tracee_thread *t);
/* Sets traps in libraries that were loaded later. */
void points_opened(struct run *s, struct run_process *p, struct tracee_thread *t,
		   const struct image *images, size_t count);

/* ---- loader.c ---- */

/* Returns true for code of libc or ld.so, whose internal locks are no points. */
bool scheduler_is_runtime(struct run_process *p, uint64_t address);
/* Returns true for ld.so's own system calls on files that it loads or looks for. */
bool scheduler_is_loading(const struct run_process *p, uint64_t pc);
/* Redirects the loader's calls past traps that only `owner` uses. Called after all other points
   are set. */
void runtime_unseen(struct run_process *p, const struct site_owner *owner);

/* Returns true for a sanitizer's library. */
bool sanitizers_is(const struct module *m);
/* Returns true for a sanitizer's code, also if it is linked into the program. */
bool sanitizers_is_own(struct run_process *p, uint64_t address);
/* Reads the words that ld.so has bound, at the process's end. */
void bound_look(struct scheduler *c, const struct run_process *p);

/* ---- starts.c ---- */

/* Sets traps after all other points, so that schedules begin after points at the same place. */
void starts_settled(struct run *s, struct run_process *p, struct tracee_thread *t);

/* ---- accesses.c ---- */

void accesses_settled(const struct sched_image *x);

/* ---- grants.c ---- */

/* Allows batches of steps at a point, while the thread is stopped. */
void grants_open(const struct run *s, struct tracee_thread *t, uint64_t address);
/* Counts an arrival at the point: an access, or a function with its first argument or no object. */
void grants_note(struct sched *g, unsigned access);
void grants_note_function(struct sched *g, uint64_t address);
/* Grants the chosen thread, which is about to go on, a batch of steps. */
void grants_give(struct scheduler *c, const struct sched_thread *chosen);

/* ---- watch.c: no effect without a search for races --------------------------------------- */

void watch_begin(struct scheduler *c);
void watch_thread(struct scheduler *c, const struct sched_thread *t,
		  const struct sched_thread *maker);
/* The thread has exited. */
void watch_end(struct scheduler *c, const struct sched_thread *t);
/* The thread made an exec, which has ended all other threads of its process. */
void watch_exec(struct scheduler *c, const struct sched_thread *t);
void watch_fork(struct scheduler *c, const struct run_thread *parent);
/* The thread is in the program's code again, so its last call has returned. */
void watch_own_code(struct scheduler *c, struct sched_thread *t);
/* The thread makes this step. */
void watch_step(struct scheduler *c, struct sched_thread *t, const struct strategy_point *p);
/* The thread makes the accesses of its instruction. */
void watch_accesses(struct scheduler *c, struct sched_thread *t);
/* Orders the waker before threads that it wakes at the word, as pthread_once does after the
   routine. */
void watch_wake(struct scheduler *c, const struct sched_thread *t, uint64_t word);
/* Freed memory. `races`: the program's code frees it at `place` (of sched.accesses). For a
   sanitizer's shadow a byte stands for 1 << shift bytes of the block. */
struct watch_freed {
	uint64_t low, size;
	uint64_t block;
	unsigned shift;
	bool races;
	bool keeps; /* later accesses race as well, until the memory is allocated */
	uint32_t place;
};
void watch_freed(struct scheduler *c, struct sched_thread *t, const struct watch_freed *f);
/* Returns true if the address is freed memory that is kept. Only in a search for races. */
bool watch_is_given(const struct scheduler *c, const struct sched_thread *t, uint64_t address);
/* Returns true if any freed memory is kept. */
bool watch_has_given(const struct scheduler *c);
/* Forgets all freed memory, since an unknown part was allocated. */
void watch_taken_any(struct scheduler *c);

/* ---- allocator.c: no effect unless races are searched for or a call of free was chosen ---- */

/* Sets traps before points of the image are set, so that runtime_unseen() does not redirect the
   loader's calls of these functions. */
void allocator_settled(const struct sched_image *x);

/* ---- race.c: a new pair in the search for races, before the thread makes the access ------ */

void race_told(struct scheduler *c, struct sched_thread *t, const struct arch_access *a,
	       const struct races_pair *pair);
/* Reads the value after the access. */
void race_made(struct scheduler *c, struct sched_thread *t);

/* ---- race_name.c ---- */

/* True if an argument of the call is a pointer or reference to the object at the address. */
bool race_is_passed(const struct inspect_call *call, uint64_t address);
/* Adds the source's name of the memory. Returns false if there is none; `type` may get NULL. */
bool race_name(struct sched_thread *t, const struct inspect_stack *calls, size_t own,
	       uint64_t address, struct str *out, const struct type **type);

/* ---- race_atomic.c ---- */

struct snippet {
	const char *at;
	size_t length;
};
struct race_statement {
	struct modules *symbols;
	const char *file;		 /* NULL: unknown */
	const char *line;		 /* text of the source line; NULL: unknown */
	const struct inspect_call *call; /* call at the statement; NULL: the thread has gone on */
	const char *variable;		 /* the accessed one; NULL: no name */
	uint64_t address;
	bool writes;
};
/* Returns true if the statement accesses the variable by an atomic function or builtin, such as
   atomic_load(), or if other calls on the line make that undecidable. */
bool race_is_written_atomic(const struct race_statement *s);

/* ---- race_macro.c ---- */

/* Returns the argument up to its comma or closing parenthesis, or to the end of the line. */
struct snippet race_argument(const char *at);
/* Expands the macro `name` with the arguments "a, b)": a text for each definition found. */
struct race_texts {
	char **items;
	size_t count, capacity;
};
void race_expand(struct modules *symbols, const char *path, struct snippet name, const char *args,
		 struct race_texts *out);
void race_texts_fini(struct race_texts *t);

/* ---- calls.c ---- */

/* Returns the numbers of calls that stop a thread; -1 ends the list. */
const long *calls_numbers(void);
/* Handles a call that a scheduled thread is about to make. */
void calls_make(struct scheduler *c, struct sched_thread *t);
/* Handles a call of a thread that is not scheduled yet. Returns false if the kernel answers. */
bool calls_early(struct scheduler *c, struct sched_thread *t);

/* ---- streams.c ---- */

void streams_launch(struct sched *g, struct tracee_launch *how);
void written_outcome(struct scheduler *c);
/* Reads what the program has written. Returns true if a thread that waited to write can go on. */
bool written_drain(struct scheduler *c);
/* Drains only where output is passed on, to keep the order of writes to both streams. */
void written_next(struct scheduler *c);

/* ---- interrupts.c ---- */

/* Notes that the thread's call may send a signal. */
void interrupts_step(struct scheduler *c, const struct sched_thread *t);
/* Returns false while a signal has ended a stopped thread and the event is still to come. */
bool interrupts_are_over(const struct scheduler *c);
/* Sets `signalled` of all parked threads. */
void interrupts_look(struct scheduler *c);
/* Ends the wait of a `signalled` thread so that its handler runs. */
void interrupts_end_wait(struct scheduler *c, struct sched_thread *t);

/* ---- spins.c ---- */

size_t spins_looked_at(const struct sched *c);

void spins_look(struct scheduler *c, struct sched_thread *t);
/* Counts the choice against the other threads in c->at. */
void spins_pass_over(struct scheduler *c, struct sched_thread *chosen);
/* Returns true if a ready thread starved in the last steps. */
bool spins_starves(const struct scheduler *c);
/* Returns true if the last steps are only ends of sleeps, in loops that nothing can end. */
bool spins_naps(const struct scheduler *c);
/* Returns true if the thread spins at the access that it is about to make. */
bool spins_at(struct scheduler *c, struct sched_thread *t, const struct arch_regs *regs);

/* ---- loops.c ---- */

/* Sets the traps of earlier runs. */
void loops_put(struct run *s, struct run_process *p, struct tracee_thread *t);
/* Samples threads that have reached no point for long. */
void loops_tick(struct scheduler *c);

/* ---- left.c ---- */

/* Notes the threads that live when this one ends its process. */
void left_look(struct scheduler *c, const struct sched_thread *ends);
/* Describes waits of threads that are stopped before their call as waits in the kernel, where the
   threads would be without the scheduler. */
void sched_judge(struct scheduler *c);

/* ---- last.c ---- */

/* Returns true if the next step is among the last before the limit of steps. */
bool last_is_near(const struct sched *g);
/* Describes the last steps of a truncated run; last_thread() then adds each thread. */
void last_steps(struct sched *g);
/* Adds which threads made the steps, where most of the last ones are, and advice. */
void last_words(struct sched *g);
void last_thread(struct sched *g, const struct sched_thread *t, const struct schedule_where *where);

/* ---- hangs.c ---- */

/* Ends the run, at a tick, if threads compute without a step for too long. */
void hangs_tick(struct scheduler *c);
/* Returns true if no thread can go on and no event from outside is expected any more. */
bool hangs_is_waited_for(const struct scheduler *c);
/* Stops a thread that computes without a point while others could go on; the stop is a point.
   Returns true if a thread was stopped. */
bool hangs_preempt(struct scheduler *c);
/* Returns true if the run may be about to hang. */
bool hangs_may(const struct scheduler *c);
/* Ends the run as a hang. */
void hangs_end(struct scheduler *c);

/* ---- describe.c: source position of the thread's point ----------------------------------- */

struct schedule_where describe(struct scheduler *c, struct sched_thread *t, enum strategy_op op);
/* Returns the innermost call in the user's code, or NULL. */
const struct inspect_call *describe_own(const struct sched_thread *t,
					const struct inspect_stack *calls);

/* ---- futexes.c ---- */

/* Returns false if the kernel handles the call. */
bool futexes_call(struct scheduler *c, struct sched_thread *t);
bool futexes_wait_any(struct scheduler *c, struct sched_thread *t); /* futex_waitv(2) */
/* Wakes waiters after a thread's exit: the kernel has cleared the word of its join and freed
   robust locks. */
void futexes_thread_gone(struct scheduler *c, const struct sched_thread *gone);

/* Lets the thread wait in the kernel, whatever value the word has now. */
void futexes_let_wait(struct sched_thread *t);

/* ---- spurious.c ---- */

/* Adds the threads whose wait may return without a signal, after all other choices. No such wake-up
   is the only choice: POSIX permits it but does not promise it, so a deadlock is one. */
void spurious_offer(struct scheduler *c);
/* Lets the thread's wait return so. */
void spurious_return(struct scheduler *c, struct sched_thread *t);

/* ---- times.c ---- */

bool times_sleep(struct scheduler *c, struct sched_thread *t);
bool times_ask(struct scheduler *c, struct sched_thread *t);
/* Ends waits with a time-out up to then. */
void times_pass(struct scheduler *c, uint64_t until_ns);
/* Returns 0 if the struct timespec at `address` is valid (or there is none, 0), or the negative
   error of the kernel (timespec64_valid() of Linux). */
int64_t times_check(const struct sched_thread *t, uint64_t address);
/* Sets the end of the thread's wait from a struct timespec at `address`; 0: none. `absolute`: on
   `clock`, else a duration. */
void times_wait(struct scheduler *c, struct sched_thread *t, uint64_t address, bool absolute,
		int clock);
void times_limit(struct scheduler *c, struct sched_thread *t, const struct tracee_limit *limit);
/* Advances the clock; threads that could go on pause for that time. */
void times_advance(struct scheduler *c, uint64_t until_ns);
/* Returns true if a thread that can go on pauses if time passes until then. */
bool times_pauses(const struct scheduler *c, uint64_t until_ns);
/* Returns true if the schedule may let time pass until then (SCHED_PAUSES). */
bool times_may_pass(const struct scheduler *c, uint64_t until_ns);
/* The program asks to sleep for so long. */
void times_asked(struct scheduler *c, uint64_t ns);
/* Counts a step of the thread, whose pause is over. */
void times_step(struct scheduler *c, struct sched_thread *t);

/* ---- kernel.c ---- */

/* Makes threads ready whose wait for children no longer conflicts with another one. */
void children_look(struct scheduler *c);
/* Waits in vfork(2) until the child has memory of its own or exits. */
void kernel_born(struct scheduler *c, struct sched_thread *t);
/* Exits a process's first thread before the others. */
void kernel_leave(struct scheduler *c, struct sched_thread *t);
/* Makes the thread's call. */
void kernel_call(struct scheduler *c, struct sched_thread *t);
/* The thread has stopped, so it no longer waits in the kernel. */
void kernel_left(struct scheduler *c, struct sched_thread *t);
/* Handles TRACEE_CALLED. */
void kernel_called(struct sched_thread *t);
/* Counts threads stopped by job control as waiting in the kernel. */
void kernel_notice_stopped(struct scheduler *c);
/* Counts threads that sleep in unreported calls as waiting in the kernel, at a tick. */
void kernel_notice(struct scheduler *c);
/* Returns true if all threads in the kernel still wait there. The others will stop. */
bool kernel_rests(struct scheduler *c);

#endif
