/* x86-64: which memory an instruction touches. */
#include "tracer/arch/x86_64.h"

static const uint64_t user_end = 1ull << 47;

bool arch_is_address(uint64_t address)
{
	return address < user_end || address >= -user_end;
}

bool x86_64_is_memory(const ZydisDecodedOperand *op)
{
	return op->type == ZYDIS_OPERAND_TYPE_MEMORY && op->mem.type != ZYDIS_MEMOP_TYPE_AGEN &&
	       (op->actions & (ZYDIS_OPERAND_ACTION_MASK_READ | ZYDIS_OPERAND_ACTION_MASK_WRITE));
}

/* What push and call write is below the stack pointer as it is before. */
static uint64_t moved(const ZydisDecodedOperand *op, uint64_t address)
{
	bool pushes = op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
		      op->mem.base == ZYDIS_REGISTER_RSP &&
		      (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE);

	return pushes ? address - op->size / 8 : address;
}

static bool x86_64_access_holds(const struct arch_access *a, const uint64_t *fault)
{
	return fault && *fault - a->address < a->size;
}

static bool x86_64_access_is_better(const struct arch_access *a, const struct arch_access *than,
				    const uint64_t *fault)
{
	if (x86_64_access_holds(a, fault) != x86_64_access_holds(than, fault))
		return x86_64_access_holds(a, fault);
	if (arch_is_address(a->address) != arch_is_address(than->address))
		return !arch_is_address(a->address);
	return a->writes && !than->writes;
}

static bool jumps(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op)
{
	enum arch_flow flow = x86_64_flow(in);

	return flow == ARCH_FLOW_RETURN ||
	       (op->visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT &&
		(flow == ARCH_FLOW_JUMP_INDIRECT || flow == ARCH_FLOW_CALL_INDIRECT));
}

int x86_64_operand_access(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op,
			  uint64_t addr, const struct arch_regs *regs, struct arch_access *out)
{
	*out = (struct arch_access){
		.size = op->size / 8,
		.writes = op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE,
		.reads = op->actions & ZYDIS_OPERAND_ACTION_MASK_READ,
		.jumps = jumps(in, op),
	};
	if (x86_64_address(in, op, addr, regs, &out->address) < 0)
		return -1;
	out->address = moved(op, out->address);
	return 0;
}

int arch_access(const uint8_t *bytes, size_t n, uint64_t addr, const struct arch_regs *regs,
		const uint64_t *fault, struct arch_access *out)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;
	bool found = false;

	if (x86_64_decode_full(bytes, n, &in, ops) < 0)
		return -1;
	for (unsigned i = 0; i < in.operand_count; i++) {
		struct arch_access a;

		if (!x86_64_is_memory(&ops[i]) ||
		    x86_64_operand_access(&in, &ops[i], addr, regs, &a) < 0)
			continue;
		if (!found || x86_64_access_is_better(&a, out, fault))
			*out = a;
		found = true;
	}
	return found ? 0 : -1;
}
