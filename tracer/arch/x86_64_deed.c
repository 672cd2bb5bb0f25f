/* What instructions give away: whether one of a loop does the work of several rounds, whether the stack
   pointer is as it was before. */
#include "tracer/arch/x86_64.h"

static bool is_vector(const ZydisDecodedOperand *op)
{
	ZydisRegisterClass class;

	if (op->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return false;
	class = ZydisRegisterGetClass(op->reg.value);
	return class == ZYDIS_REGCLASS_XMM || class == ZYDIS_REGCLASS_YMM ||
	       class == ZYDIS_REGCLASS_ZMM;
}

/* Moves, and what compilers use to clear a register, are done with single values as well. */
static bool is_packed(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op)
{
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_SSE:
	case ZYDIS_CATEGORY_AVX:
	case ZYDIS_CATEGORY_AVX2:
	case ZYDIS_CATEGORY_AVX512:
	case ZYDIS_CATEGORY_MMX:
	case ZYDIS_CATEGORY_VFMA:
		return is_vector(op) && op->element_count > 1 &&
		       in->mnemonic != ZYDIS_MNEMONIC_PXOR && in->mnemonic != ZYDIS_MNEMONIC_VPXOR;
	default:
		return false;
	}
}

static uint64_t written(const ZydisDecodedOperand *op, uint64_t next)
{
	const ZydisDecodedOperandMem *m = &op->mem;

	if (m->base == ZYDIS_REGISTER_RIP)
		return next + (uint64_t)m->disp.value;
	return 1 | (uint64_t)m->base << 1 | (uint64_t)m->index << 16 | (uint64_t)m->scale << 32 |
	       (uint64_t)op->size << 40;
}

static ZydisRegister x86_64_deed_whole(ZydisRegister r)
{
	return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
}

/* By its operands, those included that are not written. */
static bool moves_stack(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands)
{
	for (int i = 0; i < in->operand_count; i++)
		if (operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
		    x86_64_deed_whole(operands[i].reg.value) == ZYDIS_REGISTER_RSP)
			return true;
	return false;
}

static bool is_result(ZydisRegister r)
{
	return x86_64_deed_whole(r) == ZYDIS_REGISTER_RAX ||
	       x86_64_deed_whole(r) == x86_64_deed_whole(ZYDIS_REGISTER_XMM0);
}

static bool takes_result(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands)
{
	for (int i = 0; i < in->operand_count; i++) {
		const ZydisDecodedOperand *op = &operands[i];

		if (op->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    op->actions & ZYDIS_OPERAND_ACTION_MASK_READ && is_result(op->reg.value))
			return true;
		if (op->type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    (is_result(op->mem.base) || is_result(op->mem.index)))
			return true;
	}
	return false;
}

int arch_deed(const uint8_t *bytes, size_t n, uint64_t addr, struct arch_deed *out)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;

	if (x86_64_decode_full(bytes, n, &in, operands) < 0)
		return -1;
	*out = (struct arch_deed){.length = in.length,
				  .takes_result = takes_result(&in, operands),
				  .moves_stack = moves_stack(&in, operands)};
	if (!in.operand_count_visible)
		return 0;
	out->packed = is_packed(&in, &operands[0]);
	if (operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
	    operands[0].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) {
		out->written = written(&operands[0], addr + in.length);
		out->on_stack = operands[0].mem.base == ZYDIS_REGISTER_RSP;
		out->indexed = operands[0].mem.index != ZYDIS_REGISTER_NONE;
	}
	return 0;
}
