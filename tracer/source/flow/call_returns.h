/*
 * How calls come back. Those of exit(3), abort(3), a failed assert(3), of what throws an exception or unwinds further, never do:
 * what stands behind them is reached from elsewhere, or not at all. Those of setjmp(3) and getcontext(3) may come back again.
 * Debug information tells it of few, so they are known by their names.
 */
#ifndef GATECTL_SOURCE_FLOW_CALL_RETURNS_H
#define GATECTL_SOURCE_FLOW_CALL_RETURNS_H

#include "tracer/arch/arch.h"

struct module;

enum call_returns { CALL_RETURNS, CALL_NEVER_RETURNS, CALL_RETURNS_AGAIN };

/* Of the instruction at the address; CALL_RETURNS for one that is no call. */
enum call_returns call_returns(struct module *m, uint64_t address, const struct arch_insn *call);
/* The entry of the global offset table that says where the call or jump at the address leads: itself, or the stub that it
   leads to; 0: none. */
uint64_t call_slot(struct module *m, uint64_t address, const struct arch_insn *call);

#endif
