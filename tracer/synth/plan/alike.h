/*
 * Steps of a view that are alike for the question which orders matter: those of one thread that do
 * the same kind of thing to the same object. Of the ones that are done, the latest says what there
 * is to say of the group: the order with it implies the order with the earlier ones of its thread.
 */
#ifndef GATECTL_SYNTH_PLAN_ALIKE_H
#define GATECTL_SYNTH_PLAN_ALIKE_H

#include "tracer/synth/plan/plan_internal.h"

struct alike_group {
	size_t first;	  /* a step of it, wherever that is */
	size_t latest;	  /* the last one that was added; NONE */
	size_t region;	  /* groups whose memory overlaps have one */
	size_t next_sync; /* the next group that waits, signals or calls the kernel; NONE */
	size_t next_wild; /* the next group that may be about any object; NONE */
};

struct alike {
	const struct plan_view *v;
	ARRAY(struct alike_group) groups; /* by regions */
	ARRAY(size_t) regions; /* the first group of each; behind them the number of groups */
	size_t *group_of;      /* by step */
	size_t *earlier;       /* by step: the one before it in its group; NONE */
	size_t first_sync, first_wild;
};

/* Class of a step: the properties, other than its object, that matters() of orders.c reads. */
typedef unsigned alike_class(const struct plan_view *v, size_t step);

void alike_init(struct alike *a, const struct plan_view *v, alike_class *class_of);
void alike_fini(struct alike *a);
/* The step is done from now on. */
void alike_add(struct alike *a, size_t step);
/* Calls `look` for each group with which an order of `step` may matter. */
void alike_each(const struct alike *a, size_t step,
		void (*look)(void *ctx, const struct alike_group *group), void *ctx);

#endif
