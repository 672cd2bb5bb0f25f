/* Inside arch: what the files of the x86-64 share. */
#ifndef GATECTL_ARCH_X86_64_H
#define GATECTL_ARCH_X86_64_H

#include "tracer/arch/arch.h"

#include <Zydis/Zydis.h>

/* The instruction without its operands: 0, or -1 where there is none. */
int x86_64_decode(const uint8_t *bytes, size_t n, ZydisDecodedInstruction *out);

/* The same with all operands. */
int x86_64_decode_full(const uint8_t *bytes, size_t n, ZydisDecodedInstruction *out,
		       ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT]);

enum arch_flow x86_64_flow(const ZydisDecodedInstruction *in);

/* Where a jump, branch or call with a relative target goes. */
uint64_t x86_64_target(const ZydisDecodedInstruction *in, uint64_t addr);

bool x86_64_is_nop(const ZydisDecodedInstruction *in);

/* A near branch whose operand size is 16 bits for some processors and 64 for others. */
bool x86_64_is_ambiguous(const ZydisDecodedInstruction *in);

/* DWARF's number of a 64-bit or 32-bit general register; -1: another kind of register. */
int x86_64_number(ZydisRegister reg);

/* The value of a 64-bit or 32-bit general register; 0 or -1: another kind of register. */
int x86_64_register(const struct arch_regs *regs, ZydisRegister reg, uint64_t *value);

/* Where the operand is in memory. 0, or -1: its segment has a base that is not known. */
int x86_64_address(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op, uint64_t addr,
		   const struct arch_regs *regs, uint64_t *out);

/* Does the instruction read or write memory there? */
bool x86_64_is_memory(const ZydisDecodedOperand *op);

/* What the instruction does at an operand for which that is so; a string instruction only with the first
   element. 0, or -1 as x86_64_address. */
int x86_64_operand_access(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op,
			  uint64_t addr, const struct arch_regs *regs, struct arch_access *out);

#endif
