/*
 * The faulty locations of all scripts of a run: the first is reported in full, with its hint, each
 * of the others by one line that says what is wrong.
 */
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
	unsigned told;	 /* how many of the others are reported */
	struct str last; /* text of the last one */
};

/* False: the next one is only counted; nobody will read its text. */
bool faults_tells_more(const struct faults *f);

/* False: the error is of another kind; it ends everything, so look for no more. */
bool faults_add(struct faults *f, const struct error *err);
/* 0: there were none; -1: *err reports them all. `f` is empty again afterwards. */
int faults_end(struct faults *f, struct error *err);

/* For a name in an order that is no event, and so was taken for a location. */
void faults_suggest_event(struct run *s, const struct place *place, struct error *err);

#endif
