/*
 * Threads of one start routine are numbered as they are created, so of two that are created alike
 * now one, now the other does something first. For the order of events they count as the same if
 * one renaming for the whole run makes them so: one to one, among threads with one start routine in
 * one process. A thread that the script tells apart keeps its name: a pattern matches only it, or a
 * function has asked for its id.
 */
#ifndef GATECTL_FEATURES_ORDER_LOG_ORDER_ROLES_H
#define GATECTL_FEATURES_ORDER_LOG_ORDER_ROLES_H

#include "gates/engine.h"

#include <stdint.h>

#define ORDER_NO_ROLE UINT32_MAX

/* Both are indexed by the number of an id's text. */
struct order_roles {
	ARRAY(uint32_t) role;  /* for a thread of this run: its role in the first run */
	ARRAY(uint32_t) taken; /* ... and for a role: the thread that has it */
};

void order_roles_fini(struct order_roles *r);
void order_roles_clear(struct order_roles *r); /* the next run */
uint32_t order_roles_of(const struct order_roles *r, uint32_t who);
bool order_roles_swapped(const struct order_roles *r);

/* Can thread `t`, whose id has the number `who`, be the one called `first_id` in the first run? If
   so, it is from now on. */
bool order_roles_match(struct order_roles *r, struct engine *e, const struct engine_thread *t,
		       uint32_t who, const char *first_id, uint32_t first);

#endif
