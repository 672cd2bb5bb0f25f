/* The nearest miss of a place that was not reached, observed by traps at entries and exits
 * of the place's function and at other copies of the line (README.md). They hold no thread
 * and count no arrival. */
#ifndef GATECTL_FEATURES_NEAR_MISS_NEAR_MISS_H
#define GATECTL_FEATURES_NEAR_MISS_NEAR_MISS_H

#include "tracer/run/run.h"

enum { NEAR_MISS_VISITS = 8, NEAR_MISS_COPIES = 8 };

/* An entry of the function by a thread. Names and files are owned by modules. */
struct near_miss_visit {
	const struct engine_thread *thread;
	const struct source_site *entry;
	const char *into; /* function into which this copy is inlined, or NULL */
	uint64_t frame;	  /* canonical frame address */
	bool framed;	  /* true if `frame` is known */
	/* the thread has returned; always true for a copy `into` another
	 * function, which has no return */
	bool left;
	const char *file; /* file of the line at which it returned, or NULL */
	unsigned line;
};

/* A copy of the line or text that the location excludes. */
struct near_miss_copy {
	const struct source_site *site;
	char *location;			/* location that selects the copy; owned */
	const struct engine_thread *by; /* first thread that arrived there, or NULL */
};

struct near_misses {
	/* function that contains the place; owned by its module */
	const char *function;
	const struct source_sites *meant; /* sites of the location, at its last resolution */
	/* entries of the function and its copies, at the same time */
	const struct source_sites *entries;
	bool complete; /* all entries of the function have traps */
	bool many;     /* there were more than NEAR_MISS_VISITS entries */
	bool over;     /* all traps have been removed */
	ARRAY(struct near_miss_visit) visits;
	ARRAY(struct near_miss_copy) copies;
};

/* Returns the near misses of the place, owned by the place, or NULL if it is not watched. */
const struct near_misses *near_miss_of(const struct place *place);

/* Returns an entry of a copy of the function in which the line has no code and which was, or may
 * have been, entered; NULL if there is none. */
const struct source_site *near_miss_bare(const struct near_misses *nm);

#endif
