/*
 * The faulty locations of scripts, all of one run: the first as it is, with its hint, of the others what
 * is wrong, a line each.
 */
#ifndef GATECTL_RUN_FAULTS_H
#define GATECTL_RUN_FAULTS_H

#include "tracer/base/error.h"
#include "tracer/base/str.h"

#include <stdbool.h>

struct session;
struct place;

struct faults {
	unsigned count;
	struct error first;
	struct str others;
	unsigned told;	 /* of the others */
	struct str last; /* its text */
};

/* False: the next one will only be counted, what it says is for nobody. */
bool faults_tells_more(const struct faults *f);

/* False: it is no fault of a location, or an end to all; nothing more is to be looked for. */
bool faults_add(struct faults *f, const struct error *err);
/* 0: there were none; -1: *err tells of them. It is empty again then. */
int faults_end(struct faults *f, struct error *err);

/* A name in an order that is no event's was taken for a location. */
void faults_suggest_event(struct session *s, const struct place *place, struct error *err);

#endif
