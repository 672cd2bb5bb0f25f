/* x86-64: the few instructions that need no processor. */
#include "tracer/arch/x86_64.h"

static const uint64_t user_end = 1ull << 47;

static bool emulate_push(const ZydisDecodedOperand *op, struct arch_regs *regs,
			 const struct arch_memory *memory)
{
	uint64_t value, sp = regs->dwarf[ARCH_DWARF_SP] - 8;

	if (op->type != ZYDIS_OPERAND_TYPE_REGISTER || op->size != 64 ||
	    x86_64_register(regs, op->reg.value, &value) < 0 ||
	    memory->write(memory->ctx, sp, &value, sizeof(value)) < 0)
		return false;
	regs->dwarf[ARCH_DWARF_SP] = sp;
	return true;
}

static bool emulate_ret(const ZydisDecodedInstruction *in, struct arch_regs *regs,
			const struct arch_memory *memory)
{
	uint64_t to, sp = regs->dwarf[ARCH_DWARF_SP];

	/* elsewhere than in user space it is a fault: the processor's business */
	if (x86_64_is_ambiguous(in) || in->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR ||
	    memory->read(memory->ctx, sp, &to, sizeof(to)) < 0 || to >= user_end)
		return false;
	regs->dwarf[ARCH_DWARF_SP] = sp + 8 + (in->raw.imm[0].size ? in->raw.imm[0].value.u : 0);
	regs->dwarf[ARCH_DWARF_PC] = to;
	return true;
}

bool arch_emulate(const uint8_t *bytes, size_t n, uint64_t addr, struct arch_regs *regs,
		  const struct arch_memory *memory)
{
	ZydisDecodedInstruction in;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	uint64_t next;

	if (x86_64_decode_full(bytes, n, &in, ops) < 0)
		return false;
	if (in.mnemonic == ZYDIS_MNEMONIC_RET)
		return emulate_ret(&in, regs, memory);
	next = addr + in.length;
	if (x86_64_flow(&in) == ARCH_FLOW_JUMP && !x86_64_is_ambiguous(&in))
		next = x86_64_target(&in, addr);
	else if (!x86_64_is_nop(&in) &&
		 (in.mnemonic != ZYDIS_MNEMONIC_PUSH || !emulate_push(&ops[0], regs, memory)))
		return false;
	if (next >= user_end)
		return false;
	regs->dwarf[ARCH_DWARF_PC] = next;
	return true;
}
