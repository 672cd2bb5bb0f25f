/*
 * A controlled run: one thread at a time. At every point a thread is held until the strategy says that it
 * goes on; nothing runs meanwhile. A strategy is a policy on the way that exists: a thread that the kernel
 * of the run lets go (observer `goes`) is held here if it stands at a point.
 *
 * Nothing of pthread is modelled: the program's own libc does mutexes, conditions and all the rest. What it
 * asks of the kernel is seen (tracee_launch.calls): waits on futexes are decided here (futexes.c), time
 * passes when the strategy says so (times.c), other calls that wait go to the kernel (kernel.c).
 */
#ifndef GATECTL_SCHED_SCHED_H
#define GATECTL_SCHED_SCHED_H

#include "tracer/base/files/stream.h"
#include "tracer/sched/races/races.h"
#include "tracer/sched/schedule/schedule.h"
#include "tracer/sched/strategy/strategy.h"
#include "tracer/arch/arch.h"
#include "tracer/features/waiting/waiting.h"
#include "tracer/run/run.h"

/* Which places are points besides synchronisation; those of atomic instructions always are. */
enum sched_points {
	SCHED_SYNC,   /* none */
	SCHED_CHOSEN, /* those in `chosen` */
	SCHED_MEMORY, /* all that may touch what threads share */
};

/* An instruction that reads or writes memory which threads may share; or a call that gives memory back. */
struct sched_access {
	struct module *module;
	uint64_t offset; /* as nm prints it */
	struct arch_shared what;
	unsigned own; /* for arch_accesses() */
	uint8_t code[ARCH_INSN_MAX];
	struct arch_operand operand; /* of a point, if `is_one` */
	uint64_t size;		     /* ... of what is there; 0: not known */
	bool is_one;
	bool is_point;
	uint64_t address; /* in the program */
	unsigned hits;	  /* in all runs */
	bool is_hot;	  /* it came so often that it is not looked at any more */
	bool frees;	  /* it is a call of free, which no trap stands at */
};

/* A function that synchronises. */
struct sched_entry {
	uint64_t address; /* in the program */
	unsigned hits;	  /* in all runs */
};

/* Where threads come so often that it is worth it not to stop them. */
struct sched_worth {
	uint64_t address;
	bool function; /* begins there */
};

/* A module whose accesses are known: an index of the first, and how many. */
struct sched_looked {
	const struct module *module;
	size_t first, count;
};

/* An access, a call of free, or a line, that was chosen to be a point, by the name of its module. */
struct sched_chosen {
	char *module;
	uint64_t offset;
	bool atomic; /* it is an atomic operation, though the instruction is a plain one */
	bool frees;  /* it is the last byte of a call of free */
};
struct sched_places {
	struct sched_chosen *items;
	size_t count, capacity;
};
/* Adds a copy. */
void sched_places_add(struct sched_places *p, const struct sched_chosen *place);
void sched_places_copy(struct sched_places *to, const struct sched_places *from);
/* NULL: not there. */
struct sched_chosen *sched_places_find(const struct sched_places *p, const char *module,
				       uint64_t offset);
void sched_places_clear(struct sched_places *p);

/*
 * A pair of `races`, as it was when it was found: the second thread stood before its access. Texts are owned;
 * NULL: not known.
 */
struct sched_race {
	struct sched_race_side {
		char *file;
		unsigned line;
		char *func, *thread, *locks; /* "m, q->lock"; NULL: it held none */
		bool writes;
		bool updates; /* ... what it has read there, in one instruction */
		bool frees;   /* gives the memory back */
	} sides[2];	      /* in time */
	char *variable;
	uint64_t size; /* of the second access; 0: it frees */
	/* Its value before the first wrote, before the second access, after that one. */
	char *before, *between, *after;
};

enum sched_end {
	SCHED_RAN,     /* to the program's end, or to a verdict of the run's */
	SCHED_STUCK,   /* nobody can move */
	SCHED_HANGS,   /* no thread has made a step for hang_s */
	SCHED_STEPS,   /* so many points, and no end */
	SCHED_STOPPED, /* by the strategy: the rest shows nothing new */
};

/* For one run that is to end whatever the tester waits for: seconds. */
enum { SCHED_HANG_S = 10 };

enum { SCHED_STATES = 256, SCHED_LOOPS = 64, SCHED_LOOKED_AT = 8192 };

/* A word that will lead to this function once it has been called. */
struct sched_unbound {
	uint64_t at, to;  /* where it leads meanwhile, or in the last run */
	const char *name; /* the module's */
	bool found;	  /* the last run has bound it */
};

/* A module that points are in, and its first address as schedules have it. */
struct sched_module {
	const struct module *module;
	uint64_t first;
};

enum sched_flags {
	SCHED_JUDGES = 1, /* where no thread can move, the run's own verdict says why (slower) */
	SCHED_KEEPS_LAST =
		2, /* the last steps of a run that is truncated for `steps` are described */
	SCHED_DESCRIBES = 4, /* each step's place in the source is noted (slower) */
	SCHED_WAKES_FIRST =
		8,	  /* a wake is for the thread that has waited longest, as in the kernel */
	SCHED_EARLY = 16, /* a thread that is made before schedules begin is where they begin */
	SCHED_KEEPS =
		32, /* the run ends where schedules begin, and is kept for others to begin there */
};

enum sched_seen {
	SCHED_COSTLY = 1,    /* the run ended for `looks_most` */
	SCHED_PREEMPTED = 2, /* a thread was stopped as it computed, after a time: see hangs.c */
	SCHED_SANITIZER = 4, /* the program has a sanitizer, which has reported something */
	SCHED_NAPS = 8, /* STEPS: the threads that move only sleep, in loops that decide nothing */
	SCHED_STARVES =
		16, /* STEPS: a thread could have gone on in the last of them, and was not let */
	/* Not of one run: */
	SCHED_ASKS_IDS = 32,	/* the program has asked for the ids of its threads or processes */
	SCHED_HAD_THREADS = 64, /* KEEPS: it has made some on its way, ended or not */
};

/* Of a search: owned by the caller, and the same for all of its runs. */
struct sched {
	/* Given. */
	struct strategy *strategy; /* has begun a run */
	enum sched_points points;
	struct races *
		races; /* is told of what threads do; NULL: nobody. A place is an index of `accesses` */
	struct sched_places chosen;
	unsigned long steps; /* at most; 0: no limit */
	double hang_s;	  /* a run in which no thread makes a step for so long is over; 0: never */
	size_t looked_at; /* a livelock is told by so many last ones; 0: SCHED_LOOKED_AT */
	struct sched_places
		starts; /* it begins where the program first comes to one; none: at main */
	const struct module *tested; /* its accesses are looked at, wherever it lies, and not
					the program's; NULL: the program's */
	int in; /* the program's standard input, a file that each run reads anew; -1: inherited;
		   TRACEE_CLOSED: none */
	off_t in_at;		/* ... where it begins */
	struct stream out, err; /* what it writes to; each run begins with nothing written */
	unsigned flags;		/* enum sched_flags */
	size_t rest_at; /* it rests when so many steps have been taken (sched_rests); 0: never */
	unsigned long looks_most; /* a run of a search for races ends after so many stops at
				     accesses that are no points; 0: no limit */
	double looks_until; /* ... or after LOOKS_LEAST at this time of the monotonic clock; 0: never */
	/* What the run was. */
	struct schedule schedule;
	enum sched_end end;
	unsigned seen; /* enum sched_seen */
	/* STEPS, with keeps_last: a line for each of the last steps, and for each thread. */
	struct str last_steps, last_threads;
	struct str
		last_words; /* which threads made the steps, where most of them are, what to do */
	unsigned last_kept; /* ... of so many runs */
	char *stuck;	    /* STUCK, HANGS: tells this one from others; or NULL */
	struct scheduler *now; /* the run that goes on; or NULL */
	/* Kept. */
	struct schedule_names
		paths; /* by the numbers of threads: their creator, and which child of it */
	uint64_t states[SCHED_STATES]; /* of threads in the last steps: spins.c */
	unsigned states_count;	       /* more: too many */
	uint64_t start_ns,
		start_random; /* of the program's clock and getrandom(2), where schedules begin */
	struct sched_loop {
		uint64_t address;
		unsigned hits; /* in all runs, while it was none */
		bool is_one;   /* a thread has gone round there, waiting for another one */
	} loops[SCHED_LOOPS];
	unsigned loops_count;
	struct spin_code code;		     /* ... of the threads that come by there */
	ARRAY(struct sched_access) accesses; /* that have a trap; one module's are together: */
	ARRAY(struct sched_looked) looked;
	ARRAY(struct sched_module) modules;  /* addresses.c */
	ARRAY(unsigned) freeing;	     /* those of `accesses` that free */
	ARRAY(struct sched_entry) entries;   /* that threads have come to */
	ARRAY(struct sched_worth) hot;	     /* grants.c */
	ARRAY(struct sched_race) reported;   /* by the numbers of races' pairs */
	ARRAY(struct sched_unbound) unbound; /* in the kept program: loader.c */
	unsigned unbound_looks;		     /* that are left */
};

/* Nobody moves until sched_go_on(), which looks at `rests` and `rest_at` anew. */
bool sched_rests(const struct run *s);
void sched_go_on(struct run *s); /* nothing, if the run is not controlled */
/* While it rests: " (is to lock)", " (waits)"; nothing for a thread that is not under control. */
void sched_say(const struct run_thread *t, struct str *out);

/* While the strategy chooses: where this point is, in the source. Its texts are the schedule's. */
void sched_describe(struct sched *c, const struct strategy_point *point,
		    struct schedule_where *where);
/* ... and the id of its thread; and what the source calls the memory, or the lock or other object. NULL: not known. */
const char *sched_thread_id(struct sched *c, const struct strategy_point *point);
const char *sched_name(struct sched *c, const struct strategy_point *point);

/* STEPS: has everything that was done lately been done again and again? */
bool sched_spins(const struct sched *c);
/* So many steps of such a schedule show it, too, by the `last` ones. */
size_t sched_spins_enough(const struct schedule *s, size_t last);

/* Chosen, if it is not yet. */
void sched_choose(struct sched *c, const struct sched_chosen *what);
/* Forgets the races behind the first `count`. */
void sched_forget_reported(struct sched *c, size_t count);

void sched_fini(struct sched *c);

/* ---- for tracer/search, which makes the runs ---- */

/* From now on there is one thread at a time; `t`: the thread there is, NULL: none yet. */
void scheduler_begin(struct run *s, struct run_thread *t);
/* The thread that has come to where schedules begin, and is stopped there; NULL: nobody yet. */
struct run_thread *scheduler_arrived(const struct run *s);

/* Runs are copies of this process, which is kept: notes what ld.so has not bound there yet; and, after a run,
   binds what that one has bound. */
void bound_keep(struct sched *c, const struct run_process *kept);
void bound_take(struct sched *c, struct run_process *kept);

/* After a run: arrivals at accesses that are points can be granted there, if threads come to them often. */
void grants_take(struct sched *c, struct run_process *kept);

/* gatectl, and what it starts from now on, has one processor: the worker-th of those that it may use. */
void sched_pin(unsigned worker);
/* Worker 0 has the one that gatectl is on now, where the kernel found it room; without this, the first one. */
void sched_settle(void);
void sched_unpin(void);

#endif
