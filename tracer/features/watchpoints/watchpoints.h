/* Watches the memory that closed conditions have read. */
#ifndef GATECTL_FEATURES_WATCHPOINTS_WATCHPOINTS_H
#define GATECTL_FEATURES_WATCHPOINTS_WATCHPOINTS_H

#include "tracer/run/run.h"

/* Memory that a condition has read. */
struct watchpoint_read {
	struct run_process *process;
	uint64_t address;
	uint32_t size;
	uint64_t sum; /* checksum of the bytes */
};

/* Per-thread data: what the thread's condition read when it was last evaluated. */
struct watchpoint_reads {
	struct watchpoint_read *items;
	size_t count, capacity;
	bool calls; /* the condition called functions, whose reads are not known */
};
/* Returns the reads of the thread's condition, owned by the thread. */
const struct watchpoint_reads *watchpoints_reads(const struct run_thread *t);

/* True if the thread is held until a function of the script returns true. */
bool watchpoints_is_asked(const struct run_thread *t);
/* Appends how the condition of a held thread is watched; nothing if by debug registers. */
void watchpoints_describe(const struct run *s, const struct run_thread *t, struct str *out);

#endif
