/*
 * gatectl convert: a script of gates that does what a test's sleeps do.
 *
 * Names of files and functions belong to modules, which live as long as the symbols of all the runs.
 */
#ifndef GATECTL_SYNTH_SLEEPS_CONVERT_H
#define GATECTL_SYNTH_SLEEPS_CONVERT_H

#include "tracer/search/runs/runs.h"

enum { CONVERT_BACK = 3 };

/* What the threads of a site wait for instead of sleeping. */
enum convert_instead {
	CONVERT_ORDERS,
	/* Several alike threads sleep there for the same time. Chance decides which of them comes
	   first, so there are no orders of threads: they wait until no other thread can move. */
	CONVERT_ROLE,
	/* What its threads wait for is not seen: they wait until no thread can move (struct
	   convert_rest). */
	CONVERT_REST,
};

/* A line that sleeps, in whatever threads. */
struct convert_site {
	struct convert_line at;
	char *location; /* as the script has it */
	char *callee;	/* the function that it calls, and that sleeps; NULL unknown */
	char *what;	/* "usleep"; NULL unknown */
	uint64_t ns;	/* the longest of its sleeps */
	unsigned long times;
	ARRAY(size_t) threads;		   /* of the plan */
	ARRAY(unsigned long) thread_times; /* ... how often each of them sleeps there */
	enum convert_instead instead;
	bool several;	/* sleeps on that line, in its text or by a macro */
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
	CONVERT_NOT_SEEN,  /* some run did not show it, or it asked for the impossible */
	CONVERT_UNREACHED, /* its place was never reached */
};

/* What must have happened before a thread goes on from where it slept. */
struct convert_order {
	size_t from_thread, to_thread; /* of the plan */
	struct convert_line from;
	char *location; /* of `from` */
	char *role; /* chance decides which of the threads of this routine has the event; or NULL */
	enum convert_way way;
	enum convert_state state;
	bool dropped;	      /* the outcome was the same without it, or other orders imply it */
	bool from_shared;     /* other threads come by there, too */
	bool to_shared;	      /* ... where the thread sleeps */
	unsigned long enough; /* from_thread comes by again and again: so many arrivals do; 0: no */
	bool during;	      /* the program alone does not make it come first */
	bool within;	      /* it came during the sleep */
	size_t from_events;   /* `from` is the last of so many events of from_thread */
	size_t to_events;     /* of to_thread, before it slept */
	unsigned long from_hit; /* which arrival; 0: the first one */
	unsigned long k;	/* which sleep of its thread at this site, from 1 */
	unsigned long to_hit;	/* ... and which arrival there: not every arrival sleeps */
	size_t site;
};

/* A sleep of a site that `rests`: the k-th of its thread there. */
struct convert_rest {
	size_t site, thread;
	unsigned long k;
};

struct convert_plan {
	ARRAY(char *) threads; /* ids */
	ARRAY(struct convert_site) sites;
	ARRAY(struct convert_order) orders;
	ARRAY(struct convert_rest) rests; /* of all sites, in the order in which they end */
};
struct convert {
	struct experiment x; /* x.most seconds for all of it */
	struct oracle oracle;
	bool needed;		  /* keep only orders that the outcome depends on */
	unsigned long given_runs; /* the caller's: runs to verify the script; 0: the usual number */
	bool given_time;	  /* x.most is the caller's; else it is more for a long test */
	unsigned long wanted;	  /* ... fewer for a script that still sleeps */
	bool in_turn; /* in trials, too, sleeps last until the others have no work left */
	bool late;    /* there was no time to try everything */
	struct convert_plan plan;
	ARRAY(struct convert_record *) records; /* own the plan's names */
	/* The test as it is. */
	struct experiment_outcome outcome;
	bool unsteady; /* it is stable only with longer sleeps */
	double seconds;
	double watched_limit; /* of a run in which every system call is slower */
	struct str differs;   /* the outcome of the last run that differed */
	bool endless;	      /* ... by a time limit, not because of a gate */
	/* The result. */
	double *took;		/* seconds, of each verifying run */
	double after;		/* ... their median */
	unsigned long verified; /* runs */
	double verifying;	/* seconds, of all of them */
	struct str script;
};

/* Returns how many seconds converting takes, as a rule, where the first run took so many; *most is what
   it takes at most. */
double convert_estimate(const struct convert *c, double first_s, double *most);
/* 0 with the script; -1: see runs/runs.h for the error. */
int convert_test(struct convert *c);
/* "test.c:12 in main: usleep of 100 ms, 3 times" */
void convert_site_words(const struct convert_site *site, struct str *out);
/* Orders of the site that are kept. */
size_t convert_orders_of(const struct convert_plan *p, size_t site);
size_t convert_count_converted(const struct convert_plan *p);
void convert_fini(struct convert *c); /* before experiment_end */

#endif
