/*
 * gatectl convert: from what runs of a test that sleeps have shown to a gate script.
 *
 *	watch.c	 one run: what the threads do
 *	sleeps.c ... who sleeps, and how the others stand when that ends
 *	own.c	 ... what of it is the test's own code, and not that of a library inside
 *	turns.c	 ... in which order sleeps end
 *	polls.c	 loops that sleep until something has happened
 *	deeds.c	 what a thread has done by then
 *	orders.c what a run tells of the orders that the sleeps make
 *	words.c	 locations and names as a person would write them
 *	script.c the script
 *
 * Ownership: the caller owns records and plans; convert_record_fini, convert_plan_fini. Names of files
 * and functions belong to modules, which live as long as the symbols of all the runs.
 */
#ifndef GATECTL_FEATURES_CONVERT_CONVERT_H
#define GATECTL_FEATURES_CONVERT_CONVERT_H

#include "tracer/run/session.h"

/* ---- one run (watch.c) ----------------------------------------------------------------------- */

struct convert_line {
	const char *func, *file; /* innermost function; NULL unknown */
	unsigned line;
	uint64_t offset; /* of its code in the executable, or of some of it; 0 unknown */
	bool inlined;	 /* of calls: its function has no frame of its own */
	bool opens;	 /* of statements: its function begins there */
};

/* A statement that a thread has begun. */
struct convert_event {
	struct convert_line at;
	uint64_t frame; /* of its function: a deeper one is lower */
	uint64_t t_us;
};

struct convert_thread {
	char *id;
	size_t sleep;	     /* 1 + the number of the sleep that it is in; 0: none */
	unsigned long times; /* that it has slept */
	uint64_t born_us;
	uint64_t rested_at; /* it was blocked when it was looked at last: its switches, and 1 */
	bool works;	    /* it was blocked, and went on: it is none that idles all the time */
	ARRAY(struct convert_event) events; /* when the run is over: of the test's own code */
};

/* Another thread at the moment when a sleep ends. */
struct convert_other {
	size_t thread;
	size_t events; /* that it had by then */
	bool blocked;  /* in the kernel, and not for some time alone */
	bool sleeps;   /* it sleeps itself */
	bool rested;   /* since the sleep has begun it has been blocked */
	bool gone;
};

/* By the number of the place. */
struct arrival_counts {
	unsigned long *items;
	size_t count, capacity;
};

enum { CONVERT_CALLS = 16 };

/* A wait that ended because its time was over. */
struct convert_sleep {
	size_t thread;
	struct convert_line calls[CONVERT_CALLS]; /* of the tester's own, innermost first */
	unsigned call_count;
	bool again;		   /* it was elided very often, and sleeps nevertheless */
	unsigned long clock_reads; /* by its thread, before it */
	unsigned level;		   /* own.c: the one of them that a tester would say sleeps */
	bool mere;		   /* nothing but its time ends it */
	bool foreign; /* own.c: a time-out of a library inside, of which the test knows nothing */
	char *what;   /* the library's function that it calls; or NULL */
	uint64_t begin_us, end_us, ns;
	size_t events; /* that its thread had when it began */
	bool ended, timed_out;
	bool cut_off;	 /* something else ended it: a wake-up, a signal */
	uint64_t due_ns; /* turns.c: in the time of sleeps; where it would end */
	bool over;	 /* ... its time is; its thread waits for its turn */
	uint64_t over_us, begin_worked_ns, begin_clock_ns;
	ARRAY(struct convert_other) others;
	struct arrival_counts before, after; /* when it began, when it ended */
	ARRAY(uint64_t) rested_at;	     /* by thread: as in convert_thread, when it began */
};

struct convert_record {
	bool lines;	 /* in: statements are watched */
	unsigned hasten; /* in: sleeps last only that part of their time; 0: all of it */
	bool timers;	 /* there are timers that are no sleeps: these are not hastened */
	ARRAY(struct convert_thread) threads;
	ARRAY(struct convert_sleep) sleeps;
	uint64_t now_ns;		/* turns.c */
	unsigned waiting;		/* ... sleeps that are over and wait for their turn */
	struct arrival_counts arrivals; /* at the end */
	unsigned long clock_reads;	/* the program has asked for the time, so often */
	struct modules *symbols;	/* of the run */
	struct module *program;		/* NULL: it has not been started */
	const char *main_file;		/* where main is; NULL unknown */
	struct convert_traps *traps;	/* watch.c's own */
};
void convert_record_fini(struct convert_record *r);

/* ---- what there is to convert (orders.c) ----------------------------------------------------- */

enum { CONVERT_BACK = 3 };

/* A line that sleeps, whoever does it. */
struct convert_site {
	struct convert_line at;
	char *location; /* as the script has it */
	char *callee;	/* the function that it calls, and that sleeps; NULL unknown */
	char *what;	/* "usleep"; NULL unknown */
	uint64_t ns;	/* the longest of them */
	unsigned long times;
	ARRAY(size_t) threads; /* of the plan */
	bool several;	       /* sleeps on that line, in its text or by a macro */
	bool by_callee; /* the location is that of the function which sleeps, thread by thread */
	bool own;	/* it is in a file of the test, not in one of a library inside */
	char *left;	/* why it stays; NULL: it is converted */
	/* What its thread does before it sleeps, the last first: where it can be held instead, if it
	   takes a lock there that the others need. */
	char *back_location[CONVERT_BACK]; /* not by_callee: such lines may not be its alone */
	size_t backs;
	size_t held_back; /* where it is held: 0 at the sleep itself, 1 at back[0] ... */
	bool unseen;	  /* meanwhile threads work that have no code of the program's own */
	bool matters;	  /* without it alone the outcome was another one */
};

/* What has to have happened before a thread goes on where it slept. */
struct convert_order {
	size_t from_thread, to_thread; /* of the plan */
	struct convert_line from;
	char *location;		/* of `from` */
	bool blocked;		/* it has begun and blocks; else it has been executed */
	bool exits;		/* the thread ends; there is no location for what it has done */
	bool from_shared;	/* other threads come by there, too */
	bool polled;		/* its thread looks there again and again: once will do */
	bool to_shared;		/* ... where the thread sleeps */
	size_t from_events;	/* of from_thread: `from` is the last of so many */
	size_t to_events;	/* of to_thread, before it slept */
	bool during;		/* only by the sleep it came first, as far as is seen */
	bool within;		/* it came while the sleep lasted */
	unsigned long from_hit; /* which arrival; 0: the first will do */
	unsigned long k;	/* which sleep of its thread at this site, from 1 on */
	unsigned long to_hit;	/* ... which arrival there: not every one has to sleep */
	size_t site;
	bool dropped;
	bool unreached;	  /* ... because its place was not reached before */
	bool superfluous; /* dropped because the outcome was the same without it, or because
				      others say it, too */
	char *from_name, *to_name; /* of the events */
};

struct convert_plan {
	ARRAY(char *) threads; /* ids */
	ARRAY(struct convert_site) sites;
	ARRAY(struct convert_order) orders;
};
void convert_plan_fini(struct convert_plan *p);

/* The sites and orders that a run with `lines` tells of. The record has to outlive the plan. */
void convert_learn(struct convert_plan *p, const struct convert_record *r);
/* Another run: orders that it does not show are dropped; a site that sleeps another number of times
   waits for something itself, and is left. False: it was not the same. */
bool convert_confirm(struct convert_plan *p, const struct convert_record *r);
/* Which arrivals the orders mean, from a run with convert_probe's script. False: others than before. */
bool convert_count(struct convert_plan *p, const struct convert_record *r);

/* Nothing in it is of a time that cannot be hastened: timers, signals that end a sleep. */
bool convert_can_hasten(const struct convert_record *r);
/* A run in which it is elided: why it sleeps nevertheless; NULL: it does not. */
const char *convert_still_sleeps(const struct convert_plan *p, const struct convert_record *r,
				 size_t site);
/* ... it came by so much more often for that: why. */
const char *convert_why_loop(unsigned long times, unsigned long clock_reads);
void convert_leave(struct convert_site *site, const char *why);
bool convert_is_left(const struct convert_plan *p, const struct convert_order *o);
/* Orders that others imply are superfluous. */
void convert_reduce(struct convert_plan *p);

/* ---- words and script (words.c, script.c) ---------------------------------------------------- */

/* FUNC;TEXT where that means this line alone, else FILE:LINE; NULL: nothing means it. */
char *convert_location(struct modules *symbols, struct module *program,
		       const struct convert_line *at);
/* Locations as a person would write them. A site without any is left. */
void convert_words(struct convert_plan *p, struct modules *symbols, struct module *program);
/* Names of the events, when it is known which arrivals they are. */
void convert_name_events(struct convert_plan *p);
/* A script that only counts arrivals: two places for each order, its first event and its second. */
void convert_probe(const struct convert_plan *p, struct str *out);
/* ... only those at the site. */
void convert_probe_site(const struct convert_plan *p, size_t site, struct str *out);
/* Nothing but that the site does not sleep. */
void convert_elide_only(const struct convert_plan *p, size_t site, struct str *out);
/* "test.c:12 in main: usleep of 100 ms, 3 times" */
void convert_site_words(const struct convert_site *site, struct str *out);
void convert_script(const struct convert_plan *p, const char *head, struct str *out);

#endif
