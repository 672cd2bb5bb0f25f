/* Where the variables of a function's frame are, as its debug information says. */
#ifndef GATECTL_SOURCE_FLOW_FRAME_VARIABLES_H
#define GATECTL_SOURCE_FLOW_FRAME_VARIABLES_H

#include "tracer/arch/arch.h"
#include "tracer/elf/module.h"

/*
 * All variables and parameters of the function that begins there, of all its blocks and of the copies in it, that stand
 * at a distance from the CFA (base FRAME_VARIABLE_CFA), from ARCH_DWARF_SP or from ARCH_DWARF_FP, and have a known size.
 * Without debug information: none.
 */
enum { FRAME_VARIABLE_CFA = ARCH_NO_REGISTER };
void frame_variables(struct module *m, uint64_t function,
		     void (*each)(void *ctx, unsigned base, int64_t offset, uint64_t size),
		     void *ctx);

#endif
