/*
 * What came nearest to a place that nobody has reached.
 *
 * Traps at the entries of the function that the place is in; at the first entry also at its ways
 * out, to see where it is left, and at copies of the line that the location does not mean. They only
 * look: no arrival is counted, nobody is held. After NEAR_MISS_VISITS entries, or when the place has been
 * reached, they are taken away. Where one cannot be had, less is known, and less is said.
 */
#ifndef GATECTL_FEATURES_NEAR_MISS_NEAR_MISS_H
#define GATECTL_FEATURES_NEAR_MISS_NEAR_MISS_H

#include "tracer/run/state.h"

enum { NEAR_MISS_VISITS = 8, NEAR_MISS_COPIES = 8 };

/* A thread has entered the function. Names and files belong to modules. */
struct near_miss_visit {
	const struct engine_thread *thread;
	const char *into; /* the function that this copy of it is inlined into, or NULL */
	uint64_t frame;	  /* canonical frame address */
	bool framed;	  /* `frame` is known */
	bool left; /* by a return; true, too, of a copy `into` another function: it has none to see */
	const char *file; /* of the line it went out at; NULL unknown */
	unsigned line;
};

/* The line, or the text, elsewhere than the location says. */
struct near_miss_copy {
	const struct source_site *site;
	char *location;			/* that means it; owned */
	const struct engine_thread *by; /* who was there first; NULL: nobody */
};

struct near_misses {
	const char *function;		  /* that the place is in; its module owns the name */
	const struct source_sites *meant; /* by the location, where it was found last */
	bool complete;			  /* every way into the function is watched */
	bool many;			  /* there were more than NEAR_MISS_VISITS entries */
	bool over;			  /* all traps have been taken away */
	ARRAY(struct near_miss_visit) visits;
	ARRAY(struct near_miss_copy) copies;
};

/* What came near the place; NULL: it is not one that is watched. */
const struct near_misses *near_miss_of(const struct place *place);

#endif
