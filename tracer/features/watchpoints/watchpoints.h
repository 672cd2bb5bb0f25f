/* Closed conditions, and the memory that they have read. */
#ifndef GATECTL_FEATURES_WATCHPOINTS_WATCHPOINTS_H
#define GATECTL_FEATURES_WATCHPOINTS_WATCHPOINTS_H

#include "tracer/run/run.h"

/* Memory that a condition has read. */
struct watchpoint_read {
	struct run_process *process;
	uint64_t address;
	uint32_t size;
	uint64_t sum; /* checksum of the bytes read */
};

/* Kept with a thread: what its condition read when it was last asked. */
struct watchpoint_reads {
	struct watchpoint_read *items;
	size_t count, capacity;
	bool calls; /* it called functions: what they read is not known */
};
const struct watchpoint_reads *watchpoints_reads(const struct run_thread *t);

bool watchpoints_is_asked(const struct run_thread *t); /* held until a function says yes */
/* How the condition of a held thread is watched, unless it is by debug registers. */
void watchpoints_describe(const struct run *s, const struct run_thread *t, struct str *out);

#endif
