/*
 * Arrivals that are decided inside the program, because nothing can follow from them: of the first
 * million of a place that acts at its next one, say. The engine says how many (place_idle_arrivals), or which: of
 * all threads but one (place_only_thread), or by a condition of the script (place_condition). The site gets a count of that
 * size (tracer/resident/stub.h), and is reported again when it is used up.
 *
 * What the count has lost are arrivals: they are told to the places at the beginning of each turn. Before an arrival
 * that is reported, all counts of its places are taken back, so that its number is exact; at the end of
 * the turn they are given anew. Several counts of one place share what it has.
 */
#ifndef GATECTL_RUN_PLACES_INSIDE_H
#define GATECTL_RUN_PLACES_INSIDE_H

#include "tracer/run/places/sites.h"

/* A thread is at the site, and it is reported: from now on some more may not be. */
void inside_hit(struct run *s, struct run_thread *t, struct tracee_site *site);
/* A new thread is about to begin; a thread has exited. */
void inside_born(struct run *s, struct run_thread *t);
void inside_exited(struct run *s, const struct run_thread *t);
/* What was decided inside since the last time. */
void inside_tell(struct run *s);
/* Nothing more is decided there until inside_give(). */
void inside_take_back(const struct site_use *use);
void inside_take_all_back(struct run *s);
void inside_give(struct run *s);
/* Why arrivals at the place stop, or at one of its addresses. False: nothing was added to *out. */
bool inside_reason(const struct run *s, const struct place *place, struct str *out);
void inside_free(struct run *s);

#endif
