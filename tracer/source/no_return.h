/*
 * Calls that never come back: exit(3), abort(3), a failed assert(3), what throws an exception or unwinds further. What stands
 * behind them is reached from elsewhere, or not at all. Debug information tells it of few, so they are known by their names.
 */
#ifndef GATECTL_SOURCE_NO_RETURN_H
#define GATECTL_SOURCE_NO_RETURN_H

#include "tracer/arch/arch.h"

struct module;

/* Of a call, given with its bytes and its address. */
bool call_never_returns(struct module *m, const uint8_t *bytes, size_t n, uint64_t address,
			const struct arch_insn *call);

#endif
