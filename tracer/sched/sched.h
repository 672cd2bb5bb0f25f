/*
 * The scheduler: one thread runs at a time. Each thread is held at its points until the strategy
 * chooses it. A thread that the run releases (observer `goes`) is held here if it is at a point.
 *
 * The scheduler does not model pthread: the program's libc implements mutexes and conditions. The
 * scheduler intercepts system calls (tracee_launch.calls): it decides futex waits (futexes.c) and
 * time (times.c), and lets other calls wait in the kernel (kernel.c).
 */
#ifndef GATECTL_SCHED_SCHED_H
#define GATECTL_SCHED_SCHED_H

#include "tracer/base/files/stream.h"
#include "tracer/sched/memory/callers.h"
#include "tracer/sched/races/races.h"
#include "tracer/sched/schedule/schedule.h"
#include "tracer/sched/strategy/strategy.h"
#include "tracer/arch/arch.h"
#include "tracer/features/waiting/waiting.h"
#include "tracer/run/run.h"

/* Places that are points besides synchronisation. Atomic instructions always are points. */
enum sched_points {
	SCHED_SYNC,   /* none */
	SCHED_CHOSEN, /* those in `chosen` */
	SCHED_MEMORY, /* all accesses to memory that threads may share */
};

/* An instruction that accesses memory which threads may share, or a call that frees memory. */
struct sched_access {
	struct module *module;
	uint64_t offset; /* in the module, as nm prints it */
	struct arch_shared what;
	unsigned own; /* as arch_accesses() takes it */
	uint8_t code[ARCH_INSN_MAX];
	struct arch_operand operand; /* of a point, if `is_one` */
	uint64_t size;		     /* bytes accessed by the operand; 0: unknown */
	bool is_one;
	bool is_update; /* a point whose load and store are two steps (updates.c) */
	bool is_point;
	uint64_t address; /* in the program */
	unsigned hits;	  /* in all runs */
	bool is_hot;	  /* its limit of hits is reached, so its trap is removed */
	bool frees;	  /* a call of free, which has no trap */
	/* For memory/callers.c: */
	enum sched_owner { CODE_UNKNOWN, CODE_OWN, CODE_LIBRARY } owner;
	unsigned places; /* index + 1 of the first of its places; 0: none */
};

/* A function that synchronises. */
struct sched_entry {
	uint64_t address; /* in the program */
	unsigned hits;	  /* in all runs */
};

/* A point that threads reach so often that batches of steps pay. */
struct sched_worth {
	uint64_t address;
	bool function; /* the address is the entry of a function */
};

/* A module whose accesses are known: `count` items of sched.accesses from `first` on. */
struct sched_looked {
	const struct module *module;
	size_t first, count;
};

/* An access, a call of free, or a line that was chosen to be a point. */
struct sched_chosen {
	char *module;
	uint64_t offset;
	bool atomic; /* an atomic operation in the source, though a plain instruction */
	bool frees;  /* the last byte of a call of free */
};
struct sched_places {
	struct sched_chosen *items;
	size_t count, capacity;
};
/* Adds a copy of the place. */
void sched_places_add(struct sched_places *p, const struct sched_chosen *place);
/* Adds copies of all places of `from`. */
void sched_places_copy(struct sched_places *to, const struct sched_places *from);
/* Returns the place, owned by `p`, or NULL if it is not there. */
struct sched_chosen *sched_places_find(const struct sched_places *p, const char *module,
				       uint64_t offset);
/* Removes all places and frees the memory. */
void sched_places_clear(struct sched_places *p);

/* A pair of `races`, described while the second thread was stopped before its access. Texts are
   owned; NULL: unknown. */
struct sched_race {
	struct sched_race_side {
		char *file;
		unsigned line;
		char *func, *thread, *locks; /* locks as "m, q->lock"; NULL: held none */
		bool writes;
		bool updates; /* reads and writes in one instruction */
		bool frees;   /* frees the memory */
	} sides[2];	      /* in order of time */
	char *variable;
	uint64_t size; /* of the second access; 0: it frees */
	/* Values before the first write, before the second access, and after it. */
	char *before, *between, *after;
};

/* How far a schedule departs from the order of the program's clock. */
struct sched_pause {
	/* The longest time by which the clock advanced while one thread could have gone on and did
	   not. A thread that spins only waits for others. */
	uint64_t ns;
	unsigned thread;   /* index of schedule.threads */
	uint64_t slept_ns; /* the longest time for which the program asked to sleep */
};

enum sched_end {
	SCHED_RAN,     /* to the program's end, or to a verdict of the run */
	SCHED_STUCK,   /* a deadlock: no thread can go on */
	SCHED_HANGS,   /* no thread has made a step for hang_s */
	SCHED_STEPS,   /* the limit of steps was reached */
	SCHED_STOPPED, /* by the strategy: the rest shows nothing new */
};

/* For runs that follow a list, which says where waits return so. */
#define SCHED_ALL_SPURIOUS ((unsigned)-1)

/* Seconds, for one run that must end whatever the user waits for. */
enum { SCHED_HANG_S = 10 };

enum { SCHED_STATES = 256, SCHED_LOOPS = 64, SCHED_LOOKED_AT = 8192 };

/* A word of the program that ld.so will set to the function's address at its first call. */
struct sched_unbound {
	/* address of the word; its value before binding, or at the end of the last run */
	uint64_t at, to;
	const char *name; /* owned by the module */
	bool found;	  /* the last run has bound it */
};

/* A module with points, and its first address in schedules. */
struct sched_module {
	const struct module *module;
	uint64_t first;
};

enum sched_flags {
	/* the run's own verdict explains deadlocks, and crashes by freed memory (slower) */
	SCHED_JUDGES = 1,
	SCHED_KEEPS_LAST = 2,  /* the last steps of a run truncated by `steps` are described */
	SCHED_DESCRIBES = 4,   /* each step has its place in the source (slower) */
	SCHED_WAKES_FIRST = 8, /* a wake releases the longest waiter, as the kernel does */
	SCHED_EARLY = 16,      /* schedules begin at the latest where the first thread is created */
	SCHED_PAUSES = 256,    /* no thread pauses for longer than pause_most_ns */
	SCHED_KEEPS = 32, /* the run ends where schedules begin; copies of it make the schedules */
	SCHED_LEAKS = 64, /* a run fails if threads live when their process ends */
	SCHED_ENDS_SPINS = 128, /* a run ends once all threads wait for values that none writes */
	SCHED_CALLERS = 512, /* races name the user's own code that calls library code (slower) */
};

enum sched_seen {
	SCHED_COSTLY = 1,    /* the run was ended by `looks_most` or `looks_until` */
	SCHED_PREEMPTED = 2, /* a computing thread was stopped by time: hangs.c */
	SCHED_SANITIZER = 4, /* the program's sanitizer has reported an error */
	SCHED_NAPS = 8,	    /* STEPS: the last steps are only sleeps in loops that decide nothing */
	SCHED_STARVES = 16, /* STEPS: a thread that could go on was not chosen in the last steps */
	SCHED_VAIN = 128,   /* STEPS: each thread goes round and waits for what no thread does */
	/* Kept from run to run: */
	SCHED_ASKS_IDS = 32,	/* the program has asked for ids of its threads or processes */
	SCHED_HAD_THREADS = 64, /* KEEPS: threads were created before schedules begin */
};

/* Data of a search, owned by the caller and shared by all its runs. */
struct sched {
	/* Input, set by the caller: */
	struct strategy *strategy; /* has begun a run */
	enum sched_points points;
	/* search for races, whose places are indexes of `accesses`; NULL: none */
	struct races *races;
	struct sched_places chosen;
	unsigned long steps; /* limit of a run; 0: none */
	double hang_s;	     /* limit of seconds without a step; 0: none */
	unsigned spurious;   /* most waits of a run that return without a signal */
	size_t looked_at;    /* steps examined for a livelock; 0: SCHED_LOOKED_AT */
	/* where schedules begin, at the first arrival; empty: at main */
	struct sched_places starts;
	/* the module whose accesses are examined, wherever it is; NULL: the program */
	const struct module *tested;
	/* Standard input, a file that each run reads from in_at; -1: inherited; TRACEE_CLOSED:
	   none. */
	int in;
	off_t in_at;		/* offset of the first byte */
	struct stream out, err; /* standard output and error; empty at the start of each run */
	unsigned flags;		/* enum sched_flags */
	uint64_t pause_most_ns; /* SCHED_PAUSES: limit of sched_pause.ns */
	size_t rest_at; /* number of steps at which the run pauses (sched_rests); 0: never */
	/* limit of stops at accesses that are no points, in a search for races; 0: none */
	unsigned long looks_most;
	/* monotonic clock after which such a run ends, once it has had LOOKS_LEAST stops; 0:
	   never */
	double looks_until;
	/* Result of the last run: */
	struct schedule schedule;
	enum sched_end end;
	unsigned seen; /* enum sched_seen */
	struct sched_pause pause;
	/* STEPS with SCHED_KEEPS_LAST: a line for each of the last steps, and for each thread. */
	struct str last_steps, last_threads;
	/* which threads made the steps, where most of them are, and advice */
	struct str last_words;
	unsigned last_kept; /* number of truncated runs that were described */
	/* Threads that lived when their process ended: their number, and a line for each, written
	   once (is_left_told) unless SCHED_JUDGES is set. */
	unsigned left_count;
	struct str left;
	bool is_left_told;
	char *stuck; /* STUCK, HANGS: places of all threads, which identify the end; or NULL */
	struct scheduler *now; /* the current run, or NULL */
	/* Kept from run to run: */
	struct schedule_names paths;   /* indexed by number of thread: creator and child number */
	uint64_t states[SCHED_STATES]; /* states of threads in the last steps: spins.c */
	unsigned states_count;	       /* SCHED_STATES + 1: there are more */
	/* of the program's clock and of getrandom(2), where schedules begin */
	uint64_t start_ns, start_random;
	struct sched_loop {
		uint64_t address;
		unsigned hits; /* in all runs, before `is_one` */
		bool is_one;   /* a thread has looped there, waiting for another one */
	} loops[SCHED_LOOPS];
	unsigned loops_count;
	struct spin_code code;		     /* code of the loops */
	ARRAY(struct sched_access) accesses; /* with a trap; those of a module are adjacent */
	ARRAY(struct sched_looked) looked;
	ARRAY(struct sched_module) modules; /* addresses.c */
	ARRAY(unsigned) freeing;	    /* indexes of `accesses` that free */
	struct sched_callers callers;
	ARRAY(struct sched_entry) entries;   /* that threads have reached */
	ARRAY(struct sched_worth) hot;	     /* grants.c */
	ARRAY(struct sched_race) reported;   /* indexed like the pairs of races */
	ARRAY(struct sched_unbound) unbound; /* words of the kept program: loader.c */
	unsigned unbound_looks;		     /* runs left that look for bound words */
	bool grants_updates;		     /* an arrival in a batch may be two steps */
};

/* Returns true while the run pauses: no thread moves until sched_go_on(). */
bool sched_rests(const struct run *s);
/* Continues a paused run, which pauses again at `rest_at`. Does nothing without a scheduler. */
void sched_go_on(struct run *s);
/* Adds the state of a thread in a paused run: " (is to lock)", " (waits)", or nothing if the
   thread is not scheduled. */
void sched_say(const struct run_thread *t, struct str *out);

/* Returns the last call of free for a block that contains the address, or NULL. The block may have
   been allocated again since. Known with SCHED_JUDGES only. */
const struct sched_freed *sched_freed_at(const struct run *s, const struct run_process *p,
					 uint64_t address);
/* Returns "worker#1 freed it in f at x.c:3", kept in sched.callers.who_freed. */
const char *sched_who_freed(const struct run *s, const struct sched_freed *freed);

/* Sets the point's place in the source, while the strategy chooses. The schedule owns the texts. */
void sched_describe(struct sched *c, const struct strategy_point *point,
		    struct schedule_where *where);
/* Returns the id of the point's thread while the strategy chooses, or NULL if there is no such
   thread. */
const char *sched_thread_id(struct sched *c, const struct strategy_point *point);
/* Returns the source's name of the point's memory, lock or other object, while the strategy
   chooses. Returns NULL if it is unknown. The schedule owns the text. */
const char *sched_name(struct sched *c, const struct strategy_point *point);

/* Returns the step from which a run of at most `steps` is fair (strategy_options.fair_from): the
   steps that are examined for a livelock, and as many before them. */
unsigned long sched_fair_from(unsigned long steps);
/* Returns true if a run that ended with SCHED_STEPS is a livelock: its last steps repeat. */
bool sched_spins(const struct sched *c);
/* Returns how many steps of such a schedule show the livelock, if `last` steps are examined. */
size_t sched_spins_enough(const struct schedule *s, size_t last);

/* Adds a copy of the place to c->chosen. If the place is there, merges `atomic`. */
void sched_choose(struct sched *c, const struct sched_chosen *what);
/* Removes all reported races after the first `count`. */
void sched_forget_reported(struct sched *c, size_t count);

/* Frees what `c` owns. */
void sched_fini(struct sched *c);

/* ---- for tracer/search, which makes the runs --------------------------------------------- */

/* Starts the scheduler. `t` is the thread that exists, or NULL if there is none yet. */
void scheduler_begin(struct run *s, struct run_thread *t);
/* Returns the thread that is stopped where schedules begin, or NULL if none has arrived. */
struct run_thread *scheduler_arrived(const struct run *s);

/* Records which words of the kept process ld.so has not bound yet. */
void bound_keep(struct sched *c, const struct run_process *kept);
/* Binds words in the kept process that the last run, a copy of it, has bound. */
void bound_take(struct sched *c, struct run_process *kept);

/* Prepares frequent points of the kept process for batches of steps, after a run. */
void grants_take(struct sched *c, struct run_process *kept);

/* Binds gatectl and processes that it starts to one processor: that of the worker, modulo their
   number. */
void sched_pin(unsigned worker);
/* Makes gatectl's current processor that of worker 0; without a call, the first one is. */
void sched_settle(void);
/* Restores the processors that sched_pin() found. */
void sched_unpin(void);

#endif
