/* Which instructions of a module may touch memory that threads share: where a search for races looks. */
#ifndef GATECTL_SOURCE_FLOW_ACCESSES_H
#define GATECTL_SOURCE_FLOW_ACCESSES_H

#include "tracer/arch/arch.h"
#include "tracer/elf/module.h"

struct source_access {
	uint64_t offset;
	unsigned own; /* for arch_accesses() */
	struct arch_shared what;
};

/*
 * All that read or write shared memory, and PAUSE, each once, in ascending order of each function. A place of the
 * frame is shared if its variable's address is taken in the function (frame_slots.h). Left out are those that only read what never changes
 * once the program runs (constants, the global offset table). `described`: of functions that have line
 * numbers; else of all code.
 *
 * Where functions begin and end is told by the call frame information alone, which there is for each function
 * that a compiler makes: no symbol needs to be there, and no data is taken for code. False: there is
 * nothing that tells.
 */
bool source_accesses(struct module *m, bool described,
		     void (*each)(void *ctx, const struct source_access *a), void *ctx);

#endif
