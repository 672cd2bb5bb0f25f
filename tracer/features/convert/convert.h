/*
 * gatectl convert: from what runs of a test that sleeps have shown to a gate script.
 *
 * Ownership: the caller owns records and plans; convert_record_fini, convert_plan_fini. Names of files
 * and functions belong to modules, which live as long as the symbols of all the runs.
 */
#ifndef GATECTL_FEATURES_CONVERT_CONVERT_H
#define GATECTL_FEATURES_CONVERT_CONVERT_H

#include "tracer/run/run.h"

/* ---- one run --------------------------------------------------------------------------------- */

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
	uint64_t rested_at; /* its context switches + 1 if it was blocked at the last look */
	bool works;	    /* it was blocked and went on later: it does not idle all the time */
	ARRAY(struct convert_event) events; /* after the run: only those in the test's own code */
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
	unsigned level;		   /* own.c: index of the call that a tester would say sleeps */
	bool mere;		   /* only its time can end it */
	bool foreign; /* own.c: a time-out inside a library, of which the test knows nothing */
	char *what;   /* the library function that is called; or NULL */
	uint64_t begin_us, end_us, ns;
	size_t events;	 /* that its thread had when it began */
	uint64_t due_ns; /* sleeps.c: when it would end, in the time of sleeps */
	uint64_t over_us, begin_worked_ns, begin_clock_ns;
	ARRAY(struct convert_other) others;
	struct arrival_counts before, after; /* when it began, and when it ended */
	ARRAY(uint64_t) rested_at;	     /* by thread: as in convert_thread, when it began */
};

struct convert_record {
	bool lines;	 /* in: statements are watched */
	unsigned hasten; /* in: sleeps last only 1/hasten of their time; 0: all of it */
	bool timers;	 /* there are timers other than sleeps; these are not hastened */
	ARRAY(struct convert_thread) threads;
	ARRAY(struct convert_sleep) sleeps;
	uint64_t now_ns;		/* the time of sleeps */
	unsigned waiting;		/* ... sleeps whose time is up, waiting for their turn */
	struct arrival_counts arrivals; /* at the end */
	unsigned long clock_reads;	/* how often the program asked for the time */
	struct modules *symbols;	/* of the run */
	struct module *program;		/* NULL: it was not started */
	const char *main_file;		/* where main is; NULL unknown */
	struct convert_traps *traps;	/* watch.c's own */
};
void convert_record_fini(struct convert_record *r);

/* ---- what there is to convert ---------------------------------------------------------------- */

enum { CONVERT_BACK = 3 };

/* A line that sleeps, in whatever threads. */
struct convert_site {
	struct convert_line at;
	char *location; /* as the script has it */
	char *callee;	/* the function that it calls, and that sleeps; NULL unknown */
	char *what;	/* "usleep"; NULL unknown */
	uint64_t ns;	/* the longest of its sleeps */
	unsigned long times;
	ARRAY(size_t) threads; /* of the plan */
	bool several;	       /* sleeps on that line, in its text or by a macro */
	bool by_callee; /* the location is that of the function that sleeps, for each thread */
	bool own;	/* it is in a file of the test, not of a library inside */
	char *left;	/* why it stays; NULL: it is converted */
	/* What its thread does before it sleeps, the last first: it can be held there instead, if
	   it takes a lock there that the others need. */
	char *back_location[CONVERT_BACK]; /* not if by_callee: others may pass these lines */
	size_t backs;
	size_t held_back; /* where it is held: 0 at the sleep itself, 1 at back[0] ... */
	bool unseen;	  /* during it, threads work that run no code of the program's own */
	bool matters;	  /* without this sleep alone the outcome differed */
};

enum convert_way {
	CONVERT_PAST,  /* a statement has been executed */
	CONVERT_WAITS, /* ... has begun and blocks */
	CONVERT_EXITS, /* the thread has ended: its last deed has no location */
};

enum convert_state {
	CONVERT_KEPT,
	CONVERT_NOT_SEEN,    /* dropped: some run did not show it, or it asked for the impossible */
	CONVERT_UNREACHED,   /* ... its place was never reached */
	CONVERT_SUPERFLUOUS, /* ... the outcome was the same without it, or others say it, too */
};

/* What must have happened before a thread goes on from where it slept. */
struct convert_order {
	size_t from_thread, to_thread; /* of the plan */
	struct convert_line from;
	char *location; /* of `from` */
	enum convert_way way;
	enum convert_state state;
	bool from_shared;	/* other threads come by there, too */
	bool to_shared;		/* ... where the thread sleeps */
	bool polled;		/* from_thread checks there again and again: once will do */
	bool during;		/* as far as seen, only the sleep made it come first */
	bool within;		/* it came during the sleep */
	size_t from_events;	/* `from` is the last of so many events of from_thread */
	size_t to_events;	/* of to_thread, before it slept */
	unsigned long from_hit; /* which arrival; 0: the first one */
	unsigned long k;	/* which sleep of its thread at this site, from 1 */
	unsigned long to_hit;	/* ... and which arrival there: not every arrival sleeps */
	size_t site;
	char *from_name, *to_name; /* of the events */
};

struct convert_plan {
	ARRAY(char *) threads; /* ids */
	ARRAY(struct convert_site) sites;
	ARRAY(struct convert_order) orders;
};
void convert_plan_fini(struct convert_plan *p);

/* Learns the sites and orders from a run with `lines`. The record has to outlive the plan. */
void convert_learn(struct convert_plan *p, const struct convert_record *r);
/* Compares another run: drops orders that it does not show, and leaves alone a site that sleeps
   another number of times, since it waits for something itself. False: the run differed. */
bool convert_confirm(struct convert_plan *p, const struct convert_record *r);
/* Takes from a run with convert_probe's script which arrivals the orders mean. False: others than
   before. */
bool convert_count(struct convert_plan *p, const struct convert_record *r);

/* Does the run have no timing that cannot be hastened: timers, signals that end a sleep? */
bool convert_can_hasten(const struct convert_record *r);
/* After a run with the site elided: why it slept even so; NULL: it did not. */
const char *convert_still_sleeps(const struct convert_plan *p, const struct convert_record *r,
				 size_t site);
/* ... why it came by so much more often. */
const char *convert_why_loop(unsigned long times, unsigned long clock_reads);
void convert_leave(struct convert_site *site, const char *why);
bool convert_is_left(const struct convert_plan *p, const struct convert_order *o);
/* Orders of the site that are kept. */
size_t convert_orders_of(const struct convert_plan *p, size_t site);
/* Marks orders that others imply as superfluous. */
void convert_reduce(struct convert_plan *p);

/* ---- words and script (words.c, script.c) ---------------------------------------------------- */

/* FUNC;TEXT if that means only this line, else FILE:LINE; NULL: nothing does. The caller frees it
   with base_free(). */
char *convert_location(struct modules *symbols, struct module *program,
		       const struct convert_line *at);
/* Fills in locations as a person would write them. A site without one is left alone. */
void convert_words(struct convert_plan *p, struct modules *symbols, struct module *program);
/* Fills in the names of the events, once it is known which arrivals they are. */
void convert_name_events(struct convert_plan *p);
/* Writes a script that only counts arrivals: two places for each order, one for each end. */
void convert_probe(const struct convert_plan *p, struct str *out);
/* ... only at the site. */
void convert_probe_site(const struct convert_plan *p, size_t site, struct str *out);
/* Writes a script in which only this site does not sleep. */
void convert_elide_only(const struct convert_plan *p, size_t site, struct str *out);
/* Adds to the script the places that the thread the order waits for comes to before that, but for
   the first `skip`: a trial can hold it back there. `r`: the run that was learnt from. How many. */
size_t convert_earlier(const struct convert_plan *p, const struct convert_record *r,
		       const struct convert_order *o, size_t skip, struct str *out);
/* "test.c:12 in main: usleep of 100 ms, 3 times" */
void convert_site_words(const struct convert_site *site, struct str *out);
void convert_script(const struct convert_plan *p, const char *head, struct str *out);

#endif
