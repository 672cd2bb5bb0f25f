/*
 * State that the program keeps between runs: in a file, a socket, shared memory. A schedule that
 * fails because of it says nothing of the order of threads. So before a failure is told the first
 * schedule that passed is run again. A run in which a thread was stopped by the clock is no
 * evidence: the clock stops it elsewhere in the next one.
 */
#ifndef GATECTL_SEARCH_LOOP_STATE_H
#define GATECTL_SEARCH_LOOP_STATE_H

#include "tracer/search/loop/outcome.h"

/* `to` tells of the schedule that passed in place of `from`. */
void explore_state_move(struct explore_outcome *to, struct explore_outcome *from);
/* Takes the schedule that passed, if it is the first that the search is told of. */
void explore_state_first(struct explore *e, struct explore_outcome *o);
/* Runs that schedule once more. If it fails, e->keeps_state says so; if it is another one then,
   e->differs does. 0, or -1: no run was possible. */
int explore_state_check(struct explore *e);
void explore_state_fini(struct explore *e);

#endif
