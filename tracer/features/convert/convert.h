/*
 * What a run of a test that sleeps shows: statements of the test's threads, and their sleeps.
 *
 * The caller owns the record: convert_record_fini(). Names of files and functions belong to modules,
 * which live as long as the symbols of all the runs.
 */
#ifndef GATECTL_FEATURES_CONVERT_CONVERT_H
#define GATECTL_FEATURES_CONVERT_CONVERT_H

#include "tracer/run/run.h"

struct convert_line {
	const char *func, *file; /* innermost function; NULL unknown */
	unsigned line;
	uint64_t offset; /* of its code in the executable, or of a part of it; 0 unknown */
	bool opens;	 /* of statements: the first one of its function */
};

/* A statement that a thread has begun. */
struct convert_event {
	struct convert_line at;
	uint64_t frame; /* of its function: a call further in has a lower one */
	uint64_t t_us;
};

struct convert_thread {
	char *id;
	size_t sleep;	     /* 1 + the number of the sleep that it is in; 0: none */
	unsigned long times; /* how often it has slept */
	uint64_t born_us;
	size_t creator;	      /* 1 + its index; 0: none, or not known */
	uint64_t rested_at;   /* its context switches + 1 if it was blocked at the last look */
	bool works;	      /* it was blocked and went on later: it does not idle all the time */
	bool dozes;	      /* it sleeps, as it has so often before that this means nothing */
	uint64_t doze_due_ns; /* end of the sleep that it dozes in, in the time of sleeps */
	bool loops;	      /* it goes round in what it has passed very often before */
	bool outlasts;	      /* ... for longer than a sleep waits for it */
	uint64_t over_us;     /* when it ended; 0: it has not */
	size_t joiner;	      /* 1 + the thread that joins it; 0: none */
	uint64_t join_us;     /* ... by pthread_join, which it called then */
	ARRAY(struct convert_event) events; /* the planner keeps those in the test's own code */
};

/* Another thread at the moment when a sleep ends. */
struct convert_other {
	size_t thread;
	size_t events; /* how many it had by then */
	bool blocked;  /* in the kernel, and not only for a time */
	bool sleeps;   /* it sleeps itself */
	bool rested;   /* it has been blocked since the sleep began */
	bool gone;
};

/* By place number. */
struct arrival_counts {
	unsigned long *items;
	size_t count, capacity;
};

enum { CONVERT_CALLS = 16 };

enum convert_asleep {
	CONVERT_ASLEEP,
	CONVERT_OVER, /* its time is up; its thread waits for its turn */
	/* It has ended: */
	CONVERT_TIMED_OUT,
	CONVERT_CUT_OFF, /* by something else: a wake-up, a signal */
	CONVERT_GONE,	 /* with its thread */
};

/* A wait that may end because its time is up. */
struct convert_sleep {
	size_t thread;
	struct convert_line calls[CONVERT_CALLS]; /* of the tester's own, innermost first */
	unsigned call_count;
	enum convert_asleep state;
	bool again;		   /* it slept, since it had been elided too often */
	unsigned long clock_reads; /* by its thread, before the sleep */
	unsigned level; /* the planner's: index of the call that a tester would say sleeps */
	bool mere;	/* only its time can end it */
	bool foreign; /* the planner's: a time-out inside a library, of which the test knows nothing */
	char *what; /* the library function that is called; or NULL */
	uint64_t begin_us, end_us, ns;
	size_t events;	 /* that its thread had when it began */
	uint64_t due_ns; /* sleeps.c: when it would end, in the time of sleeps */
	uint64_t over_us, over_switches, begin_worked_ns, begin_clock_ns;
	ARRAY(struct convert_other) others;
	struct arrival_counts before, after; /* when it began, and when it ended */
	ARRAY(uint64_t) rested_at;	     /* by thread: as in convert_thread, when it began */
};

/* Where a thread sleeps, and how deep in its stack. */
struct convert_spot {
	uint64_t pc, sp;
	unsigned long times;
};

struct convert_record {
	bool lines; /* in: statements are watched */
	/* in: an earlier run; NULL. Threads that have outlasted a sleep in it are not waited for again. */
	const struct convert_record *before;
	unsigned hasten; /* in: sleeps last only 1/hasten of their time; 0: all of it */
	bool timers;	 /* there are timers other than sleeps; these are not hastened */
	ARRAY(struct convert_thread) threads;
	ARRAY(struct convert_sleep) sleeps;
	ARRAY(struct convert_spot) spots;
	uint64_t now_ns;		/* the time of sleeps */
	uint64_t begin_worked_ns;	/* of the last sleep that began */
	unsigned waiting;		/* ... sleeps whose time is up, waiting for their turn */
	struct arrival_counts arrivals; /* at the end */
	unsigned long clock_reads;	/* how often the program asked for the time */
	struct modules *symbols;	/* of the run */
	struct module *program;		/* NULL: it was not started */
	const char *main_file;		/* the planner's: where main is; NULL unknown */
	struct convert_traps *traps;	/* watch.c's own */
};
void convert_record_fini(struct convert_record *r);
/* Does the function's name say that it sleeps? NULL: no. */
bool convert_sounds_like_sleep(const char *func);

#endif
