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
void inside_hit(struct session *s, struct session_thread *t, struct tracee_site *site);
/* A new thread is about to begin; a thread has exited. */
void inside_born(struct session *s, struct session_thread *t);
void inside_exited(struct session *s, const struct session_thread *t);
/* What was decided inside since the last time. */
void inside_tell(struct session *s);
/* Nothing more is decided there until inside_give(). */
void inside_take_back(const struct site_use *use);
void inside_take_all_back(struct session *s);
void inside_give(struct session *s);
/* Why arrivals at the place stop, or at one of its addresses. False: nothing was added to *out. */
bool inside_reason(const struct session *s, const struct place *place, struct str *out);
void inside_free(struct session *s);

#endif
