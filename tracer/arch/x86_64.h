/* Declarations shared by the files for x86-64. */
#ifndef GATECTL_ARCH_X86_64_H
#define GATECTL_ARCH_X86_64_H

#include "tracer/arch/arch.h"

#include <Zydis/Zydis.h>

/* Decodes an instruction without its operands. Returns 0, or -1 if there is none. */
int x86_64_decode(const uint8_t *bytes, size_t n, ZydisDecodedInstruction *out);

/* Decodes an instruction with all operands. Returns 0, or -1 if there is none. */
int x86_64_decode_full(const uint8_t *bytes, size_t n, ZydisDecodedInstruction *out,
		       ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT]);

/* Returns how control flow continues. */
enum arch_flow x86_64_flow(const ZydisDecodedInstruction *in);

/* Returns the target of a relative jump, branch or call. */
uint64_t x86_64_target(const ZydisDecodedInstruction *in, uint64_t addr);

/* True for all forms of nop, and endbr64. */
bool x86_64_is_nop(const ZydisDecodedInstruction *in);

/* True for a near branch whose operand size is 16 bits on some processors and 64 on others. */
bool x86_64_is_ambiguous(const ZydisDecodedInstruction *in);

/* Returns the DWARF number of a 64-bit or 32-bit general register; -1 for another register. */
int x86_64_number(ZydisRegister reg);

/* Reads a 64-bit or 32-bit general register. Returns 0, or -1 for another register. */
int x86_64_register(const struct arch_regs *regs, ZydisRegister reg, uint64_t *value);

/* Computes the address of a memory operand. Returns 0, or -1 if a register or
   segment base is not known. */
int x86_64_address(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op, uint64_t addr,
		   const struct arch_regs *regs, uint64_t *out);

/* True if the instruction reads or writes memory by this operand. */
bool x86_64_is_memory(const ZydisDecodedOperand *op);

/* Computes the access of a memory operand; of a string instruction only that to the first element.
   Returns 0, or -1 if the address is not known. */
int x86_64_operand_access(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op,
			  uint64_t addr, const struct arch_regs *regs, struct arch_access *out);

#endif
