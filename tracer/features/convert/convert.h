/* Record of a watched run of a test that sleeps: statements of its threads, and their sleeps. The
   caller owns it (convert_record_fini()). Names of files and functions belong to modules, which
   live as long as the symbols of all the runs. */
#ifndef GATECTL_FEATURES_CONVERT_CONVERT_H
#define GATECTL_FEATURES_CONVERT_CONVERT_H

#include "tracer/run/run.h"

struct convert_line {
	const char *func, *file; /* innermost function and its file; NULL if unknown */
	unsigned line;
	/* address in the executable, without bias, of the line or a part of it; 0 if unknown */
	uint64_t offset;
	bool opens; /* the statement is the first of its function; not set for calls */
};

/* A statement that a thread has begun. */
struct convert_event {
	struct convert_line at;
	uint64_t frame; /* frame of its function; a call deeper in the stack has a lower one */
	uint64_t t_us;
};

struct convert_thread {
	char *id;
	size_t sleep;	     /* 1 + index of the sleep that the thread is in, or 0 */
	unsigned long times; /* number of sleeps, recorded or not */
	uint64_t born_us;
	size_t creator;	    /* 1 + index of the creating thread; 0 if none or unknown */
	uint64_t rested_at; /* context switches + 1 if it was blocked at the last look, else 0 */
	bool works;	    /* blocked at one look and not at a later one, so not always idle */
	/* in a sleep of a loop that sleeps very often; such a sleep is not recorded */
	bool dozes;
	uint64_t doze_due_ns;		    /* end of that sleep, in the time of tracee_slept() */
	bool loops;			    /* at a line that was passed very often before */
	bool outlasts;			    /* looped for longer than a sleep waits for it */
	uint64_t over_us;		    /* when it ended; 0 if it has not */
	size_t joiner;			    /* 1 + index of the thread that joins it, or 0 */
	uint64_t join_us;		    /* when that thread called pthread_join */
	ARRAY(struct convert_event) events; /* own_settle() drops those of other code */
};

/* State of another thread when a sleep ends. */
struct convert_other {
	size_t thread;
	size_t events; /* number of its events by then */
	bool blocked;  /* blocked in the kernel, and not in a sleep of a loop */
	bool sleeps;   /* in a recorded sleep */
	bool rested;   /* blocked without a break since the sleep began */
	bool gone;     /* it has ended */
};

/* Number of arrivals at each place of the script, by place number. */
struct arrival_counts {
	unsigned long *items;
	size_t count, capacity;
};

enum { CONVERT_CALLS = 16, CONVERT_HASTEN = 10 };

enum convert_asleep {
	CONVERT_ASLEEP,
	CONVERT_DUE,  /* the time is taken as over; the thread stays in the kernel until its turn */
	CONVERT_OVER, /* the time is up; the thread is held until its turn */
	/* The sleep has ended: */
	CONVERT_TIMED_OUT,
	CONVERT_CUT_OFF, /* by a wake-up or a signal */
	CONVERT_GONE,	 /* together with its thread */
};

/* A wait in the kernel that has a time-out. */
struct convert_sleep {
	size_t thread;
	struct convert_line calls[CONVERT_CALLS]; /* calls in the program's code, innermost first */
	unsigned call_count;
	enum convert_asleep state;
	bool again;		   /* slept because it had been elided too often */
	unsigned long clock_reads; /* number of clock reads of its thread before the sleep */
	unsigned level; /* set by own_settle(): index in `calls` of the call that sleeps */
	bool mere;	/* only the time-out can end it */
	/* set by own_settle(): a time-out inside a library, called by no code of the test */
	bool foreign;
	char *what; /* library function that is called, owned; NULL if unknown */
	uint64_t begin_us, end_us, ns;
	size_t events;	 /* number of its thread's events when it began */
	uint64_t due_ns; /* sleeps.c: end of the sleep, in the time of sleeps */
	uint64_t over_us, over_switches, begin_worked_ns, begin_clock_ns;
	ARRAY(struct convert_other) others;
	struct arrival_counts before, after; /* when it began, and when it ended */
	ARRAY(uint64_t) rested_at;	     /* of each thread, when it began */
};

/* Program counter and stack pointer of a thread that sleeps, and how often it slept there. */
struct convert_spot {
	uint64_t pc, sp;
	unsigned long times;
};

struct convert_record {
	bool lines; /* set by the caller: statements are watched */
	/* Set by the caller: an earlier run, or NULL. A thread that outlasted a sleep in it is not
	   waited for again. */
	const struct convert_record *before;
	/* Set by the caller: sleeps end at their turn; after 1/hasten of their time where a thread
	   dozes. 0: after their time. */
	unsigned hasten;
	bool impatient;	 /* a sleep has ended although threads worked */
	bool only_turns; /* set by the caller: sleeps end at their turn, no more is recorded */
	ARRAY(struct convert_thread) threads;
	ARRAY(struct convert_sleep) sleeps;
	ARRAY(struct convert_spot) spots;
	uint64_t slept_ns;		/* the time of sleeps: working does not advance it */
	uint64_t begin_worked_ns;	/* CPU time of all threads when the last sleep began */
	unsigned waiting;		/* number of sleeps in the states DUE and OVER */
	struct arrival_counts arrivals; /* at the end of the run */
	unsigned long clock_reads;	/* number of the program's clock reads */
	struct modules *symbols;	/* the run's */
	struct module *program;		/* NULL if the program was not started */
	/* set by own_settle(): file that defines main; NULL if files are not separated */
	const char *main_file;
	/* context switches and the time since which they are the same, while data are in flight */
	uint64_t flight_switches, flight_us;
	struct convert_traps *traps; /* private to watch.c */
};

/* Frees what the sleep owns. */
void convert_sleep_fini(struct convert_sleep *s);
/* Frees what the record owns, and clears it. */
void convert_record_fini(struct convert_record *r);
/* True if the function's name suggests that it sleeps; false for NULL. */
bool convert_sounds_like_sleep(const char *func);

#endif
