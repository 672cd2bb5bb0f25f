/* Converts the sleeps of a test into a gate script that forces the orders which the sleeps make.
   Names of files and functions belong to modules, which live as long as the symbols of all the
   runs. */
#ifndef GATECTL_SYNTH_SLEEPS_CONVERT_H
#define GATECTL_SYNTH_SLEEPS_CONVERT_H

#include "tracer/search/runs/runs.h"

enum { CONVERT_BACK = 3 };

/* How a script replaces the sleeps of a site. */
enum convert_instead {
	CONVERT_ORDERS,
	/* Several threads of one routine sleep at the site for the same time. Which of them arrives
	   first is chance, so no order names one: they wait until no other thread can move. */
	CONVERT_ROLE,
	/* No recorded event explains the sleep: the threads wait until no thread can move (struct
	   convert_rest). */
	CONVERT_REST,
};

/* A source line that sleeps, in any number of threads. */
struct convert_site {
	struct convert_line at;
	char *location;	       /* location in the script, owned; NULL before convert_words() */
	char *callee;	       /* sleeping function that the line calls, owned; NULL if unknown */
	char *what;	       /* its name for messages: "usleep", owned; NULL if unknown */
	uint64_t ns;	       /* longest of the sleeps, nanoseconds */
	unsigned long times;   /* sleeps of all threads */
	ARRAY(size_t) threads; /* indices into convert_plan.threads */
	ARRAY(unsigned long) thread_times; /* sleeps of each of these threads at the site */
	enum convert_instead instead;
	bool several; /* the line has several sleeping calls, in its text or by a macro */
	/* `location` is the sleeping function, elided for each thread of the site */
	bool by_callee;
	bool own;   /* the file belongs to the test, not to a library linked into it */
	char *left; /* why the site keeps its sleep, owned; NULL if it is converted */
	/* Lines that the thread passes before the sleep, the last one first. A thread can be held
	   there instead, before it takes a lock that the others need. Unused if by_callee: other
	   threads may pass these lines. */
	char *back_location[CONVERT_BACK];
	size_t backs;
	size_t held_back; /* where threads are held: 0 at the sleep, n at back_location[n - 1] */
	bool unseen;	  /* threads without events in the test's code work during the sleep */
	bool matters;	  /* removing this sleep alone changed the outcome */
	bool ungated;	  /* left only because no gates were found for it */
};

enum convert_way {
	CONVERT_PAST,  /* a statement has been executed */
	CONVERT_WAITS, /* a statement has begun and blocks */
	CONVERT_EXITS, /* the thread has ended; used if its last statement has no location */
};

enum convert_state {
	CONVERT_KEPT,
	CONVERT_NOT_SEEN,  /* some run did not show the order, or it cannot be forced */
	CONVERT_UNREACHED, /* `from` was not reached before the sleep ended */
};

/* An order: an event of one thread that precedes the end of another thread's sleep. */
struct convert_order {
	size_t from_thread, to_thread; /* indices into convert_plan.threads */
	struct convert_line from;
	char *location; /* location of `from`, owned; NULL for CONVERT_EXITS */
	/* routine, owned: any of its threads may have the event; NULL if only from_thread may */
	char *role;
	enum convert_way way;
	enum convert_state state;
	/* left out: the outcome is the same without it, or the program or other orders imply it */
	bool dropped;
	bool from_shared; /* threads other than from_thread pass `from` */
	bool to_shared;	  /* threads other than to_thread pass the sleep's line */
	/* from_thread arrives in a loop: so many arrivals are enough; 0 if there is no loop */
	unsigned long enough;
	bool during;	    /* the program itself does not force the order */
	bool within;	    /* the event occurred during the sleep */
	size_t from_events; /* number of from_thread's events up to and including `from` */
	size_t to_events;   /* number of to_thread's events before the sleep */
	/* arrivals at `from` before the sleep ended; 0 before convert_count() */
	unsigned long from_hit;
	/* number of the sleep among those of its thread at the site, from 1 */
	unsigned long k;
	/* arrivals of to_thread at the site when the sleep began: not every arrival sleeps */
	unsigned long to_hit;
	size_t site;
};

/* The k-th sleep (from 1) of a thread at a site; used if the site is CONVERT_REST. */
struct convert_rest {
	size_t site, thread;
	unsigned long k;
};

struct convert_plan {
	ARRAY(char *) threads; /* ids, owned */
	ARRAY(struct convert_site) sites;
	ARRAY(struct convert_order) orders;
	/* sleeps of all sites, in the order in which they began */
	ARRAY(struct convert_rest) rests;
	/* the script lets the sleeps and time-outs that it does not elide end at rest */
	bool till_rest;
	bool no_rest; /* with these gates, the outcome differs if it does */
};
struct convert {
	struct experiment x; /* x.most: seconds for the whole conversion; 0 means no limit */
	struct oracle oracle;
	bool needed; /* keep only orders that the outcome depends on */
	/* the caller's number of runs to verify the script; 0 means the default */
	unsigned long given_runs;
	bool given_time; /* x.most is the caller's; otherwise a long test raises it */
	/* runs to verify the script; fewer than the default if they take long */
	unsigned long wanted;
	bool in_turn; /* trials extend sleeps, too, until the other threads have no work left */
	bool late;    /* time ran out before everything was tried */
	struct convert_plan plan;
	ARRAY(struct convert_record *) records; /* owned; they own names that the plan uses */
	/* The unchanged test: */
	struct experiment_outcome outcome;
	bool unsteady;	 /* the outcome is stable only with longer sleeps */
	double seconds;	 /* longest run */
	double shortest; /* shortest run, seconds */
	/* time limit of a watched run, seconds: each system call is slower in it */
	double watched_limit;
	struct str differs; /* outcome of the last run that differed */
	bool endless;	    /* that run reached its time limit, not a closed gate */
	/* The script and its verification: */
	double *took;		/* seconds of each verifying run */
	double after;		/* median of `took` */
	unsigned long verified; /* number of verifying runs */
	double verifying;	/* seconds of all verifying runs together */
	struct str script;
};

/* Returns how many seconds a conversion usually takes if the first run took `first_s`. *most gets
   the upper limit; 0 means none. */
double convert_estimate(const struct convert *c, double first_s, double *most);
/* Converts the test. Returns 0 with c->script, or -1: c->x.err says why, or has code 0 after a
   signal. */
int convert_test(struct convert *c);
/* Appends a description of the site: "test.c:12 in main: usleep of 100 ms, 3 times". */
void convert_site_words(const struct convert_site *site, struct str *out);
/* Returns the number of orders kept at the site, plus 1 if it is not CONVERT_ORDERS. */
size_t convert_orders_of(const struct convert_plan *p, size_t site);
/* Returns the number of sites whose sleeps are converted. */
size_t convert_count_converted(const struct convert_plan *p);
/* Frees what the struct owns; call it before experiment_end(). */
void convert_fini(struct convert *c);

#endif
