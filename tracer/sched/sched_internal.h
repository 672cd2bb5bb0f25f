/*
 * A controlled run, inside: sched.c gives the turns; points.c says where points are; the others
 * deal with one kind of system call each.
 */
#ifndef GATECTL_SCHED_SCHED_INTERNAL_H
#define GATECTL_SCHED_SCHED_INTERNAL_H

#include "tracer/base/table.h"
#include "tracer/sched/sched.h"
#include "tracer/run/run.h"
#include "tracer/tracee/syscalls/syscalls.h"
#include "tracer/tracee/attach/attach.h"

enum sched_state {
	THREAD_RUNS,   /* between two points, or at a stop that is none */
	THREAD_READY,  /* at a point, or may go on from what it waited for */
	THREAD_FUTEX,  /* waits for a wake, stopped before its call */
	THREAD_SLEEPS, /* for a time, stopped before its call */
	THREAD_BEHIND, /* waits until another thread's wait there is over, stopped before its call */
	/* In the kernel: */
	THREAD_KERNEL,	   /* waits in its call */
	THREAD_UNREPORTED, /* the same; no event reports that it goes on */
	THREAD_ZOMBIE,	   /* has ended, but is its process's first thread */
};

/*
 * What a thread waits on: a word of its process's, or of a file that is mapped. Which of the two is looked up
 * when it matters: the process's mappings are long to read, and a join asks for them.
 */
struct futex_key {
	uint64_t a, b, c; /* the space, 0, the address; or of the file, which has a number */
	struct tracee_process *unknown; /* it may be of a file that this one has mapped; or NULL */
};

/* What the thread does when it goes on. */
enum sched_next {
	NEXT_RESUMES,
	NEXT_CALLS,   /* makes the system call that it stands before */
	NEXT_ANSWERS, /* gets `result` for its call, which is not made */
	NEXT_RETURNS, /* leaves a call in which it has waited */
	NEXT_BIRTH,   /* leaves a call that has made a process in its memory */
	NEXT_EXIT,    /* ends before the other threads, as its process's first one */
	NEXT_END,     /* ends by itself, and not with its process */
};

/* What is known of the point that the thread is at. */
enum { POINT_PLACED = 1, POINT_DESCRIBED = 2, POINT_NAMED = 4 };

/* What ends its wait on a futex. */
enum futex_waits {
	FUTEX_FOR_WAKE,
	FUTEX_FOR_ANY,	   /* a wake at one of several words: futex_waitv(2) */
	FUTEX_FOR_LOCK,	   /* with priority inheritance: it has it then */
	FUTEX_FOR_REQUEUE, /* it waits for such a lock from then on */
};

/* The last ones that the thread was in, at accesses that are no points, since a point. */
enum { ROUND_STATES = 8 };
struct sched_round {
	size_t steps; /* of the run then */
	unsigned hits;
	uint64_t items[ROUND_STATES];
};

/* How often it has come by a trap of loops.c, always in this state. */
struct sched_loop_rounds {
	size_t steps; /* of the run then */
	uint64_t state;
	unsigned count;
};

/* Kept with a thread. */
struct sched_thread {
	struct run_thread *thread; /* NULL: not under control */
	unsigned number;	   /* of its path */
	unsigned children;	   /* that it has made so far */
	const char *path;
	unsigned listed; /* index of schedule.threads */
	enum sched_state state;
	enum sched_next next;
	bool at_point;		     /* stopped at one; READY after the event */
	struct strategy_point point; /* the next step; its place is the process's own address */
	unsigned known;		     /* of these: */
	uint64_t place, fixed;	     /* PLACED: the point's as schedules have them */
	struct schedule_where where; /* DESCRIBED: in the source */
	const char *name;	     /* NAMED: of the object; or NULL */
	const char *function;	     /* ... which enters this function; or NULL */
	bool forks;		     /* ... that makes a process */
	uint64_t entry_sp;	 /* ... with this stack pointer, where its return address stands */
	struct tracee_made call; /* the call it stands before */
	uint64_t objects[2];	 /* of a function with several: a condition, its mutex */
	/* For a search for races: */
	struct arch_access accesses[ARCH_ACCESSES_MAX]; /* that it is about to make */
	size_t access_count;
	unsigned accesses_index;   /* of sched.accesses */
	unsigned long passed_over; /* so many choices in a row it was among, and was not taken */
	struct sched_round spin;
	struct sched_loop_rounds rounds;
	struct sched_taking {
		struct module *allocator;
		uint64_t sp; /* it is in the allocator, until it returns to here; 0: it is not */
		uint64_t old, at; /* the block that may move; where the new one is told; or 0 */
	} taking;
	uint64_t locking; /* it has this lock when its call returns; 0: none */
	/* The last of sched.reported that it has been second in, from 1, and how many they are at this access;
	   0: none. */
	size_t raced, raced_count;
	uint64_t raced_at;
	const struct type *raced_type; /* of the variable there */
	bool preempted; /* READY: it was stopped as it computed, and another one that can goes first */
	bool timed;	/* its wait ends at: */
	uint64_t until_ns;
	struct futex_key key; /* FUTEX */
	enum futex_waits waits;
	unsigned long queued; /* FUTEX: who has waited longer has a smaller one */
	uint32_t bits;	      /* ... of FUTEX_WAIT_BITSET */
	uint64_t lock;	      /* ... the word, if not FOR_WAKE */
	uint64_t clears;      /* this word when it ends (tracee.h); or 0 */
	uint64_t
		slept; /* RUNS: times it had gone to sleep when it was seen asleep; 0: it was not */
	uint64_t deep; /* the same, 1 more, of an uninterruptible wait; 0: it was in none */
	uint64_t deep_us; /* when it was first seen in that wait */
	bool blocked;	  /* its call has waited in the kernel */
	bool signalled;	  /* FUTEX, SLEEPS, BEHIND: a handler is to run */
	int64_t result;	  /* NEXT_ANSWERS */
};

/* Values that were overwritten lately: the last one of each address, unless others took its place. */
enum { WRITTEN = 1024 };
struct overwritten {
	uint64_t address, value;
};

/* The FS base of a thread, living or not. */
struct thread_base {
	const struct run_process *process;
	uint64_t address;
	unsigned listed; /* index of schedule.threads */
};

/* Of memory. */
struct shared_span {
	uint64_t low, size;
};

/* Kept with a run. */
struct scheduler {
	struct sched *given;
	struct run *run;
	bool begun, over;
	unsigned long queued; /* so many have begun to wait at a futex */
	bool rests;	      /* before its next step, because somebody wants to look */
	bool timers;	      /* some thread has set one, whose signal comes in real time */
	bool signals;	      /* some were sent: somebody who is parked may have one */
	const struct run_process *dying; /* some of its threads are gone, and soon all; or NULL */
	ARRAY(struct sched_thread *) threads; /* of living threads, by path */
	ARRAY(struct strategy_point) points;
	ARRAY(struct sched_thread *) at; /* whose point that is */
	struct sched_thread *moved;	 /* the last step was its; or NULL */
	size_t kernel;			 /* how many are in THREAD_KERNEL */
	uint64_t now_ns;		 /* of the program's clock, since its start */
	unsigned idle; /* ticks in which nobody could go on, but some wait in the kernel ... */
	double idle_s; /* ... and how long they were */
	struct str out, err; /* what the program has written, where it was asked for */
	unsigned long moves,
		moves_then;   /* stops of threads: now, and when it was last looked ... */
	uint64_t worked_then; /* ... how long they had computed */
	unsigned long access_looks,
		hang_looks; /* stops at accesses that are no points: now, and for hangs.c */
	size_t hang_steps;  /* steps at the last look of hangs.c ... */
	uint64_t hang_ns;   /* ... and what the program had worked when their number last grew */
	size_t preempts; /* steps that are no progress: a thread was stopped as it computed ... */
	size_t hang_preempts; /* ... how many there were when hang_ns was taken */
	uint64_t preempt_ns;  /* ... the last time when the program had worked so much */
	double still_s;	      /* ... and how long it has worked since */
	unsigned looks;	      /* at threads that have come to no point, since the step: */
	size_t looked_at;
	double preempted_s; /* still_s when a computing thread got a trap to stop it; 0: none has */
	size_t preempted_at;  /* ... at so many steps */
	unsigned clock_reads; /* of it, since the last step */
	size_t starved_at; /* the last step at which somebody had been passed over for long; or 0 */
	uint64_t random;   /* of the bytes that getrandom(2) has given */
	unsigned processes;		  /* that were forked */
	ARRAY(struct shared_span) shared; /* memory that they have in common */
	struct run_thread *arrived;	  /* where schedules begin; or NULL */
	struct overwritten written[WRITTEN];
	/* For names in a schedule that is described: */
	ARRAY(struct thread_base) bases;
	struct table named, kinds; /* which one of its kind an object is; how many a kind has */
};

static inline bool sched_thread_in_kernel(const struct sched_thread *t)
{
	return t->state >= THREAD_KERNEL;
}

/* Stopped before its call, by a decision of the scheduler. */
static inline bool sched_thread_is_parked(const struct sched_thread *t)
{
	return t->state == THREAD_FUTEX || t->state == THREAD_SLEEPS || t->state == THREAD_BEHIND;
}

struct scheduler *scheduler_of(const struct run *s); /* NULL: the run is not controlled */
struct sched_thread *sched_thread_of(const struct run_thread *t);

/* ---- turns.c ---- */

struct scheduler *scheduler_keep(struct run *s);
void scheduler_new(struct run *s); /* if the run's options say so */

/* The thread can go on when it is chosen: its next step is `p`. */
void sched_thread_ready(struct sched_thread *t, const struct strategy_point *p);
/* It goes on at once: this was no point. */
void sched_thread_goes(struct sched_thread *t);
/* Its call, which is not made, has this result; and it goes on at once. */
void sched_thread_answer(struct sched_thread *t, int64_t result);
/* The same, but it goes on when it is chosen. */
void sched_thread_answered(struct sched_thread *t, int64_t result);
/* What could happen next: this thread does what it is at, as `op`. In the order of c->threads. */
void scheduler_offer(struct scheduler *c, struct sched_thread *t, enum strategy_op op);
void scheduler_offer_none(struct scheduler *c);
/* Adds the place of every thread to given->stuck, which distinguishes this end of a run from
   others. */
void scheduler_note_places(struct scheduler *c);
/* One of those offered, by the strategy; the step is recorded. NULL: the run is over. */
struct sched_thread *scheduler_choose(struct scheduler *c);
void scheduler_end(struct scheduler *c, enum sched_end how); /* and the run with it */

/* ---- threads.c ---- */

void sched_thread_new(struct scheduler *c, struct run_thread *thread);
/* Its process runs another program. */
void sched_thread_exec(struct scheduler *c, struct sched_thread *t);
void sched_thread_forget(struct scheduler *c, struct sched_thread *t);
/* A thread has ended with its process: the others may still be said to be stopped, but do not move again. */
void sched_threads_forget(struct scheduler *c, const struct run_process *p);

/* ---- addresses.c ---- */

/* The modules that earlier runs have named, in the schedule of this one. */
void addresses_begin(struct scheduler *c);
/* An address of the process as schedules have it (schedule/schedule.h). 0 for 0. */
uint64_t addresses_number(struct sched *g, struct run_process *p, uint64_t address);
/* Sets `place` and `fixed` of the thread's point. */
void addresses_of_point(struct scheduler *c, struct sched_thread *t);
/* The thread is new. */
void addresses_thread(struct scheduler *c, const struct sched_thread *t);
/* The schedule's name of the point's object, where no module has it; NULL: the object needs no
   name. */
const char *addresses_memory(struct scheduler *c, struct sched_thread *t);

/* ---- points.c: traps, and where points are ---- */

struct hit; /* run/places/places.h */
struct site_owner;

/* Where traps are set, while the thread is stopped. */
struct sched_image {
	struct run *run;
	struct run_process *process;
	struct tracee_thread *thread;
	const struct image *image; /* NULL: for an address of the process */
};
/* False: no trap is possible there. */
bool sched_trap(const struct sched_image *x, uint64_t address, const struct site_owner *owner,
		unsigned what);

/* Functions by name, exported by an image or static in it: rows whose first member is the name. */
struct sched_functions {
	const void *rows;
	size_t size;
	unsigned count;
	void (*put)(const struct sched_image *x, unsigned i, uint64_t offset);
};
void sched_put_functions(const struct sched_image *x, const struct sched_functions *f);

/* The thread of a hit; NULL: it is not under control. */
struct sched_thread *sched_hit(struct run *s, const struct hit *h, struct scheduler **c);
/* The thread is at a point; `function`: at the entry of that one, or NULL. */
void sched_arrive(struct sched_thread *t, const struct strategy_point *p, const char *function);
/* The i-th argument, from 0, at the entry of a function. */
uint64_t entry_argument(const struct hit *h, unsigned i);

void points_settled(struct run *s, struct run_process *p, struct tracee_thread *t);
/* These libraries have come later. */
void points_opened(struct run *s, struct run_process *p, struct tracee_thread *t,
		   const struct image *images, size_t count);

/* ---- loader.c ---- */

/* The code of its libc or ld.so: their own use of locks is not the tester's. */
bool scheduler_is_runtime(struct run_process *p, uint64_t address);
/* A system call there is ld.so's own, about a file that it loads or looks for. */
bool scheduler_is_loading(const struct run_process *p, uint64_t pc);
/* After all other points: the loader's calls of functions at which nobody but `owner` looks pass by the traps. */
void runtime_unseen(struct run_process *p, const struct site_owner *owner);

/* The library of a sanitizer; and its code, also where it is linked into the program. */
bool sanitizers_is(const struct module *m);
bool sanitizers_is_own(struct run_process *p, uint64_t address);
/* The process is about to end. */
void bound_look(struct scheduler *c, const struct run_process *p);

/* ---- starts.c: after all other points, so that it begins behind those at the same place ---- */

void starts_settled(struct run *s, struct run_process *p, struct tracee_thread *t);

/* ---- accesses.c ---- */

void accesses_settled(const struct sched_image *x);

/* ---- grants.c ---- */

/* This address is a point; the thread is stopped. */
void grants_open(const struct run *s, struct tracee_thread *t, uint64_t address);
/* A thread has come to the point: an access; or a function that is about its first argument, or about nothing. */
void grants_note(struct sched *g, unsigned access);
void grants_note_function(struct sched *g, uint64_t address);
/* The one that the strategy has chosen is about to go on. */
void grants_give(struct scheduler *c, const struct sched_thread *chosen);

/* ---- watch.c: nothing, if no races are searched for ---- */

void watch_begin(struct scheduler *c);
void watch_thread(struct scheduler *c, const struct sched_thread *t,
		  const struct sched_thread *maker);
/* It is no more; it is the one that its process's exec has left. */
void watch_end(struct scheduler *c, const struct sched_thread *t);
void watch_exec(struct scheduler *c, const struct sched_thread *t);
void watch_fork(struct scheduler *c, const struct run_thread *parent);
/* The thread is in its own code again; it takes this step; it makes the accesses that it is at. */
void watch_own_code(struct scheduler *c, struct sched_thread *t);
void watch_step(struct scheduler *c, struct sched_thread *t, const struct strategy_point *p);
void watch_accesses(struct scheduler *c, struct sched_thread *t);
/* It wakes who waits at the word: pthread_once does so when the routine has been run. */
void watch_wake(struct scheduler *c, const struct sched_thread *t, uint64_t word);
/* Memory that the thread gives back; if the tester's code does that, at `place`, of sched.accesses, and races with
   who is still there. Where it is not the block itself but what a sanitizer has about it, a byte there stands for
   1 << shift of the block. */
struct watch_freed {
	uint64_t low, size;
	uint64_t block;
	unsigned shift;
	bool races;
	bool keeps; /* whoever comes to it races, too, until somebody takes it */
	uint32_t place;
};
void watch_freed(struct scheduler *c, struct sched_thread *t, const struct watch_freed *f);
/* Is this kept? Is anything? Somebody takes some of it, it is not known what. Only where races are searched for. */
bool watch_is_given(const struct scheduler *c, const struct sched_thread *t, uint64_t address);
bool watch_has_given(const struct scheduler *c);
void watch_taken_any(struct scheduler *c);

/* ---- allocator.c: nothing, if no races are searched for and no call of free was chosen ---- */

/* Before points are set for the image: so that the loader's calls are seen, too (runtime_unseen()). */
void allocator_settled(const struct sched_image *x);

/* ---- race.c: a pair of the search for races is new; the thread is about to make the access ---- */

void race_told(struct scheduler *c, struct sched_thread *t, const struct arch_access *a,
	       const struct races_pair *pair);
/* The access has been made. */
void race_made(struct scheduler *c, struct sched_thread *t);

/* ---- race_name.c ---- */

/* What the source calls the memory at the address where the thread is now. False: it cannot be told. `type`: NULL if not known. */
bool race_name(struct sched_thread *t, const struct inspect_stack *calls, size_t own,
	       uint64_t address, struct str *out, const struct type **type);

/* ---- race_atomic.c ---- */

struct snippet {
	const char *at;
	size_t length;
};
struct race_statement {
	struct modules *symbols;
	const char *file;		 /* NULL: it is not known */
	const char *line;		 /* of the source; NULL: it is not known */
	const struct inspect_call *call; /* that stands there; NULL: the thread has gone on */
	const char *variable;		 /* that is accessed; NULL: it has no name */
	uint64_t address;
	bool writes;
};
/* Is it accessed there by atomic_load(), atomic_store() or atomic_flag_clear(), or a builtin like them? True also if that cannot be told from the
   other things that the line does. */
bool race_is_written_atomic(const struct race_statement *s);

/* ---- race_macro.c ---- */

/* Up to the comma or the parenthesis that ends it; the rest of the line, if it goes on in the next one. */
struct snippet race_argument(const char *at);
/* What the macro `name` of the file stands for with these arguments, "a, b)": a text for each definition that it has,
   as far as they are known. */
struct race_texts {
	char **items;
	size_t count, capacity;
};
void race_expand(struct modules *symbols, const char *path, struct snippet name, const char *args,
		 struct race_texts *out);
void race_texts_fini(struct race_texts *t);

/* ---- calls.c ---- */

const long *calls_numbers(void); /* of the calls that stop a thread; -1 after the last */
/* The thread is about to make a call. */
void calls_make(struct scheduler *c, struct sched_thread *t);
/* The same before it is under control. False: the kernel answers. */
bool calls_early(struct scheduler *c, struct sched_thread *t);

/* ---- streams.c ---- */

void streams_launch(struct sched *g, struct tracee_launch *how);
void written_outcome(struct scheduler *c);
/* Takes what the program has written by now. True: a thread that waited to write can go on. */
bool written_drain(struct scheduler *c);
/* Does so only where output is passed on: one write after the other, in the order of both
   streams. */
void written_next(struct scheduler *c);

/* ---- interrupts.c ---- */

/* The thread makes its call, which may send a signal. */
void interrupts_step(struct scheduler *c, const struct sched_thread *t);
/* Has it ended nobody who is stopped? Otherwise that will be told. */
bool interrupts_are_over(const struct scheduler *c);
/* Sets `signalled` of all that are parked. */
void interrupts_look(struct scheduler *c);
/* A thread that is `signalled` leaves its wait for the handler. */
void interrupts_end_wait(struct scheduler *c, struct sched_thread *t);

/* ---- spins.c ---- */

size_t spins_looked_at(const struct sched *c);

void spins_look(struct scheduler *c, struct sched_thread *t);
/* The strategy has chosen this one; the others in c->at have to wait. */
void spins_pass_over(struct scheduler *c, struct sched_thread *chosen);
/* Has somebody had to wait for long, in the last steps? */
bool spins_starves(const struct scheduler *c);
/* Do the last steps have nothing but the ends of sleeps, in loops that nothing could end? */
bool spins_naps(const struct scheduler *c);
/* At the access that it is about to make. */
bool spins_at(struct scheduler *c, struct sched_thread *t, const struct arch_regs *regs);

/* ---- loops.c ---- */

/* The traps that earlier runs have set. */
void loops_put(struct run *s, struct run_process *p, struct tracee_thread *t);
/* Has somebody come to no point for long? */
void loops_tick(struct scheduler *c);

/* ---- last.c ---- */

/* Is the next step among the last ones before the run is cut? */
bool last_is_near(const struct sched *g);
/* At the end of such a run: its last steps, and then each thread, which is there. */
void last_steps(struct sched *g);
/* Which threads made the steps, where most of the last ones are, and what can be done. */
void last_words(struct sched *g);
void last_thread(struct sched *g, const struct sched_thread *t, const struct schedule_where *where);

/* ---- hangs.c ---- */

/* At a tick, while the run is controlled: ends it if threads compute without a step for too
   long. */
void hangs_tick(struct scheduler *c);
/* No thread can go on, and this will not be ended from outside any more. */
bool hangs_is_waited_for(const struct scheduler *c);
/* Others could go on while a thread computes without a point: it is stopped there, which is a
   point. True: it was. */
bool hangs_preempt(struct scheduler *c);
/* Is it on its way to be one? */
bool hangs_may(const struct scheduler *c);
/* Ends the run as a hang. */
void hangs_end(struct scheduler *c);

/* ---- describe.c: where the tester's code leads to the thread's point ---- */

struct schedule_where describe(struct scheduler *c, struct sched_thread *t, enum strategy_op op);
/* The innermost call that is the tester's own code; NULL: none is. */
const struct inspect_call *describe_own(const struct sched_thread *t,
					const struct inspect_stack *calls);

/* ---- futexes.c ---- */

/* False: the kernel handles the call. */
bool futexes_call(struct scheduler *c, struct sched_thread *t);
bool futexes_wait_any(struct scheduler *c, struct sched_thread *t); /* futex_waitv(2) */
/* A thread has ended: the kernel has cleared the word that a join waits for, and freed robust locks. */
void futexes_thread_gone(struct scheduler *c, const struct sched_thread *gone);

/* The thread waits in the kernel, whatever has become of the word meanwhile. */
void futexes_let_wait(struct sched_thread *t);

/* ---- futexes.c, for futexes_pi.c ---- */

struct futex_key futexes_key(const struct sched_thread *t, uint64_t address);
bool futexes_same(struct futex_key *x, struct futex_key *y);
/* It stays what it is when that thread has gone. */
void futexes_look_up(struct futex_key *key);
int futexes_op(const struct sched_thread *t);
void futexes_wait_at(struct sched_thread *t); /* it waits before its call; what for is set */

/* ---- futexes_pi.c ---- */

void futexes_pi_lock(struct scheduler *c, struct sched_thread *t);
void futexes_pi_unlock(struct scheduler *c, struct sched_thread *t);
void futexes_pi_wait_requeue(struct scheduler *c, struct sched_thread *t);
void futexes_pi_requeue(struct scheduler *c, struct sched_thread *t);
void futexes_pi_thread_gone(struct scheduler *c, uint32_t tid);
/* For a handler that is to run; the wait goes on behind it. */
void futexes_pi_interrupt(struct sched_thread *t);
void futexes_pi_let_wait(struct sched_thread *t);

/* ---- times.c ---- */

bool times_sleep(struct scheduler *c, struct sched_thread *t);
bool times_ask(struct scheduler *c, struct sched_thread *t);
/* The waits that end until then are over. */
void times_pass(struct scheduler *c, uint64_t until_ns);
/* Sets until when the thread waits: a struct timespec at `address`, 0: for ever. `absolute`: of `clock`;
   else it is a length. */
void times_wait(struct scheduler *c, struct sched_thread *t, uint64_t address, bool absolute,
		int clock);
void times_limit(struct scheduler *c, struct sched_thread *t, const struct tracee_limit *limit);

/* ---- kernel.c ---- */

/* Threads behind a wait that is over are at their calls again. */
void children_look(struct scheduler *c);

/* In the middle of vfork(2), or what is like it: it waits until the child has memory of its own, or ends. */
void kernel_born(struct scheduler *c, struct sched_thread *t);
/* A process's first thread ends before the others. */
void kernel_leave(struct scheduler *c, struct sched_thread *t);
/* Makes the call. */
void kernel_call(struct scheduler *c, struct sched_thread *t);
void kernel_left(struct scheduler *c,
		 struct sched_thread *t);   /* it has stopped, and so waits there no more */
void kernel_called(struct sched_thread *t); /* TRACEE_CALLED */
/* Who is stopped by job control waits there, too. */
void kernel_notice_stopped(struct scheduler *c);
/* At a tick: who sleeps in a call that is not told of waits there, too. */
void kernel_notice(struct scheduler *c);
/* Do all of those in the kernel still wait there? Those that do not will stop. */
bool kernel_rests(struct scheduler *c);

#endif
