/*
 * Threads of one start routine are numbered as they are created, so that of two that are made alike now
 * the one, now the other does a thing first. For the order of events they are the same where one
 * renaming for the whole run makes them so: one to one, within one start routine of one process. Who
 * was told apart by the script keeps his name: one of its patterns fits him alone, or a function has asked for
 * his id.
 */
#ifndef GATECTL_FEATURES_ORDER_LOG_ORDER_ROLES_H
#define GATECTL_FEATURES_ORDER_LOG_ORDER_ROLES_H

#include "gates/engine.h"

#include <stdint.h>

#define ORDER_NO_ROLE UINT32_MAX

/* Both by the number of an id's text. */
struct order_roles {
	ARRAY(uint32_t) role;  /* of the threads of this run: whose in the first one */
	ARRAY(uint32_t) taken; /* ... and by whom */
};

void order_roles_fini(struct order_roles *r);
void order_roles_clear(struct order_roles *r); /* the next run */
uint32_t order_roles_of(const struct order_roles *r, uint32_t who);
bool order_roles_swapped(const struct order_roles *r);

/* Can thread `t`, whose id has the number `who`, be the one that was called `first_id` in the first run? If
   so it is that one from now on. */
bool order_roles_match(struct order_roles *r, struct engine *e, const struct engine_thread *t,
		       uint32_t who, const char *first_id, uint32_t first);

#endif
