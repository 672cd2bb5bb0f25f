/* Spans of memory that were given back and have not been taken again, by address, and who gave them. */
#ifndef GATECTL_SCHED_RACES_GONE_H
#define GATECTL_SCHED_RACES_GONE_H

#include "tracer/sched/races/shadow.h"

struct gone_span {
	uint64_t low, last;
	struct shadow_seen by;
};

struct gone {
	ARRAY(struct gone_span) spans; /* none overlaps another one */
};

/* In place of whatever was given back there. */
void gone_add(struct gone *g, const struct gone_span *span);
/* It is somebody's again. */
void gone_cut(struct gone *g, uint64_t low, uint64_t last);
/* The first one that has a byte of these; NULL: none has. Valid until the next call of the above. */
const struct gone_span *gone_find(const struct gone *g, uint64_t low, uint64_t last);

#endif
