/* The faulty locations of all scripts of a run: the first is reported in full, with its hint, each
   other one by a line. */
#ifndef GATECTL_RUN_PLACES_FAULTS_H
#define GATECTL_RUN_PLACES_FAULTS_H

#include "tracer/base/error.h"
#include "tracer/base/text/str.h"

#include <stdbool.h>

struct run;
struct place;

struct faults {
	unsigned count;
	struct error first;
	struct str others;
	unsigned told;	 /* number of the others that are reported */
	struct str last; /* text of the last fault */
};

/* Returns false if further faults are only counted, so that their texts are not needed. */
bool faults_tells_more(const struct faults *f);

/* Adds the error. Returns false if it is of another kind and ends everything; `f` is freed then. */
bool faults_add(struct faults *f, const struct error *err);
/* Returns 0 if there were no faults, or -1 with *err set to a report of all. `f` is empty
   afterwards. */
int faults_end(struct faults *f, struct error *err);

/* Replaces the error of a name in an order that is no event, and so was parsed as a location, if an
   event of the scripts is similar. */
void faults_suggest_event(struct run *s, const struct place *place, struct error *err);

#endif
