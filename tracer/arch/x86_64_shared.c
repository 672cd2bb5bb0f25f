/* x86-64: which instructions may access memory that threads share. */
#include "tracer/arch/x86_64.h"

enum { DIRECTION = 1 << 10, RCX = 2 };

/* ---- shared operands ------------------------------------------------------------------------- */

/* True for instructions that name memory, but neither read nor write it. */
static bool is_hint(const ZydisDecodedInstruction *in)
{
	switch (in->mnemonic) {
	case ZYDIS_MNEMONIC_CLFLUSH:
	case ZYDIS_MNEMONIC_CLFLUSHOPT:
	case ZYDIS_MNEMONIC_CLWB:
	case ZYDIS_MNEMONIC_CLDEMOTE:
		return true;
	default:
		return in->meta.category == ZYDIS_CATEGORY_PREFETCH ||
		       in->meta.category == ZYDIS_CATEGORY_WIDENOP;
	}
}

static bool is_atomic(const ZydisDecodedInstruction *in)
{
	return in->mnemonic == ZYDIS_MNEMONIC_XCHG || in->attributes & ZYDIS_ATTRIB_HAS_LOCK;
}

/* True for `lock or $0, (%rsp)` and the like, which compilers use as a fence. */
static bool is_fence(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops)
{
	return (in->mnemonic == ZYDIS_MNEMONIC_OR || in->mnemonic == ZYDIS_MNEMONIC_ADD) &&
	       ops[0].mem.base == ZYDIS_REGISTER_RSP &&
	       ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && ops[1].imm.value.u == 0;
}

static bool is_own_frame(const ZydisDecodedOperandMem *m, unsigned own)
{
	return m->index == ZYDIS_REGISTER_NONE &&
	       ((own & ARCH_OWN_SP && m->base == ZYDIS_REGISTER_RSP) ||
		(own & ARCH_OWN_FP && m->base == ZYDIS_REGISTER_RBP));
}

/* True for the accesses of push, call, leave and the like to the stack. */
static bool is_stack_traffic(const ZydisDecodedOperand *op)
{
	return op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
	       op->mem.segment == ZYDIS_REGISTER_SS;
}

static bool x86_64_shared_is_shared(const ZydisDecodedInstruction *in,
				    const ZydisDecodedOperand *ops, const ZydisDecodedOperand *op,
				    unsigned own)
{
	if (!x86_64_is_memory(op) || op->mem.segment == ZYDIS_REGISTER_FS ||
	    op->mem.segment == ZYDIS_REGISTER_GS || is_stack_traffic(op) || is_hint(in))
		return false;
	if (is_atomic(in))
		return !is_fence(in, ops);
	return !is_own_frame(&op->mem, own);
}

/* ---- places in the frame -------------------------------------------------------------------- */

static uint8_t frame_base(ZydisRegister reg)
{
	if (reg == ZYDIS_REGISTER_RSP)
		return ARCH_DWARF_SP;
	return reg == ZYDIS_REGISTER_RBP ? ARCH_DWARF_FP : ARCH_NO_REGISTER;
}

static bool x86_64_shared_is_named(const ZydisDecodedOperand *op)
{
	return x86_64_is_memory(op) && !is_stack_traffic(op) &&
	       op->mem.index == ZYDIS_REGISTER_NONE;
}

/* True if the instruction takes a place's address: lea 8(%rsp,%rax,4),%rdi; mov %rsp,%rdi */
static bool takes(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops,
		  struct arch_slot *out)
{
	if (in->mnemonic == ZYDIS_MNEMONIC_LEA) {
		out->base = frame_base(ops[1].mem.base);
		out->offset = ops[1].mem.disp.value;
	} else if (in->mnemonic == ZYDIS_MNEMONIC_MOV &&
		   ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		   ops[1].reg.value == ZYDIS_REGISTER_RSP &&
		   ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER) {
		out->base = ARCH_DWARF_SP;
	}
	if (out->base != ARCH_NO_REGISTER)
		out->to = (uint8_t)x86_64_number(ops[0].reg.value);
	return out->base != ARCH_NO_REGISTER;
}

static struct arch_slot x86_64_shared_slot_of(const ZydisDecodedInstruction *in,
					      const ZydisDecodedOperand *ops)
{
	struct arch_slot slot = {ARCH_NO_REGISTER, ARCH_NO_REGISTER, 0, 0};

	if (takes(in, ops, &slot))
		return slot;
	for (unsigned i = 0; i < in->operand_count && slot.base == ARCH_NO_REGISTER; i++)
		if (x86_64_shared_is_named(&ops[i])) {
			slot.base = frame_base(ops[i].mem.base);
			slot.offset = ops[i].mem.disp.value;
			slot.size = ops[i].size / 8;
		}
	return slot;
}

/* A bit test's address depends on the number of the bit. */
static bool x86_64_shared_updates(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op)
{
	return op->actions & ZYDIS_OPERAND_ACTION_MASK_READ &&
	       op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE && !is_atomic(in) &&
	       in->meta.category != ZYDIS_CATEGORY_BITBYTE;
}

/* ---- from the bytes alone -------------------------------------------------------------------- */

static bool is_fixed(const ZydisDecodedOperandMem *m)
{
	return m->index == ZYDIS_REGISTER_NONE &&
	       (m->base == ZYDIS_REGISTER_RIP || m->base == ZYDIS_REGISTER_NONE);
}

int arch_shared(const uint8_t *bytes, size_t n, uint64_t addr, unsigned own,
		struct arch_shared *out)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;
	const struct arch_regs none = {0};

	if (x86_64_decode_full(bytes, n, &in, ops) < 0)
		return -1;
	*out = (struct arch_shared){
		.length = in.length,
		.pauses = in.mnemonic == ZYDIS_MNEMONIC_PAUSE,
		.slot = x86_64_shared_slot_of(&in, ops),
	};
	for (unsigned i = 0; i < in.operand_count; i++) {
		if (!x86_64_shared_is_shared(&in, ops, &ops[i], own))
			continue;
		out->reads |= (ops[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
		out->writes |= (ops[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
		out->atomic |= is_atomic(&in);
		out->updates |= x86_64_shared_updates(&in, &ops[i]);
		/* Only strings and the like have two operands, whose addresses are in registers. */
		if (is_fixed(&ops[i].mem))
			x86_64_address(&in, &ops[i], addr, &none, &out->fixed);
	}
	return 0;
}

/* ---- with register values -------------------------------------------------------------------- */

/* Extends the access of a rep instruction to rcx elements, from the first one on or down from it.
   With repe and repne only the first element is certain. */
static void repeat(const ZydisDecodedInstruction *in, const struct arch_regs *regs,
		   struct arch_access *a)
{
	const ZydisInstructionAttributes until = ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
	uint64_t count = regs->dwarf[RCX];

	if (!(in->attributes & (ZYDIS_ATTRIB_HAS_REP | until)))
		return;
	if (in->address_width == 32)
		count &= UINT32_MAX;
	if (in->attributes & until && count > 1)
		count = 1;
	if (regs->flags & DIRECTION && count)
		a->address -= (count - 1) * a->size;
	a->size *= count;
}

size_t arch_accesses(const uint8_t *bytes, size_t n, uint64_t addr, unsigned own,
		     const struct arch_regs *regs, struct arch_access *out, size_t max)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;
	size_t count = 0;

	if (x86_64_decode_full(bytes, n, &in, ops) < 0)
		return 0;
	for (unsigned i = 0; i < in.operand_count && count < max; i++) {
		struct arch_access *a = &out[count];

		if (!x86_64_shared_is_shared(&in, ops, &ops[i], own) ||
		    x86_64_operand_access(&in, &ops[i], addr, regs, a) < 0)
			continue;
		repeat(&in, regs, a);
		count += a->size > 0;
	}
	return count;
}
