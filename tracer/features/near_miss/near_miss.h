/*
 * What came nearest to a place that nobody has reached.
 *
 * There are traps at the entries of the place's function and, from the first entry on, at its
 * exits, to see where it is left, and at copies of the line that the location does not mean. They
 * only watch: no arrival is counted, nobody is held. They are removed after NEAR_MISS_VISITS
 * entries, or when the place is reached. If a trap cannot be set, less is known, and less is said.
 */
#ifndef GATECTL_FEATURES_NEAR_MISS_NEAR_MISS_H
#define GATECTL_FEATURES_NEAR_MISS_NEAR_MISS_H

#include "tracer/run/run.h"

enum { NEAR_MISS_VISITS = 8, NEAR_MISS_COPIES = 8 };

/* A thread entered the function. Names and files are owned by modules. */
struct near_miss_visit {
	const struct engine_thread *thread;
	const struct source_site *entry;
	const char *into; /* the function that this copy of it is inlined into, or NULL */
	uint64_t frame;	  /* canonical frame address */
	bool framed;	  /* `frame` is known */
	bool left; /* by a return; always true for a copy `into` another function, which has none */
	const char *file; /* of the line it went out at; NULL unknown */
	unsigned line;
};

/* The line, or the text, at a place that the location does not mean. */
struct near_miss_copy {
	const struct source_site *site;
	char *location;			/* a location that means it; owned */
	const struct engine_thread *by; /* the first thread there; NULL: nobody */
};

struct near_misses {
	const char *function;		    /* that the place is in; its module owns the name */
	const struct source_sites *meant;   /* by the location, at its last resolution */
	const struct source_sites *entries; /* of the function and its copies, likewise */
	bool complete;			    /* all entries of the function are watched */
	bool many;			    /* there were more than NEAR_MISS_VISITS entries */
	bool over;			    /* all traps have been taken away */
	ARRAY(struct near_miss_visit) visits;
	ARRAY(struct near_miss_copy) copies;
};

/* What came near the place; NULL: the place is not watched. Kept with the place. */
const struct near_misses *near_miss_of(const struct place *place);

/* A copy of the function that has no code of the line, and was entered, or may have been; NULL: there is none. */
const struct source_site *near_miss_bare(const struct near_misses *nm);

#endif
