/* x86-64: decodes instructions, and computes the targets of jumps. */
#include "tracer/arch/x86_64.h"

const uint8_t arch_trap[ARCH_TRAP_LEN] = {0xcc};

int x86_64_decode(const uint8_t *bytes, size_t n, ZydisDecodedInstruction *out)
{
	ZydisDecoder decoder;

	if (!ZYAN_SUCCESS(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
		return -1;
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, n, out)))
		return -1;
	return 0;
}

int x86_64_decode_full(const uint8_t *bytes, size_t n, ZydisDecodedInstruction *out,
		       ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT])
{
	ZydisDecoder decoder;

	if (!ZYAN_SUCCESS(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
		return -1;
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, n, out, operands)))
		return -1;
	return 0;
}

enum arch_flow x86_64_flow(const ZydisDecodedInstruction *in)
{
	bool relative = in->raw.imm[0].is_relative;

	switch (in->mnemonic) {
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_HLT:
		return ARCH_FLOW_STOP;
	case ZYDIS_MNEMONIC_JMP:
		return relative ? ARCH_FLOW_JUMP : ARCH_FLOW_JUMP_INDIRECT;
	case ZYDIS_MNEMONIC_CALL:
		return relative ? ARCH_FLOW_CALL : ARCH_FLOW_CALL_INDIRECT;
	default:
		break;
	}
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_SYSRET:
		return ARCH_FLOW_RETURN;
	default:
		/* jcc, loop, jrcxz, xbegin: all that is left with a relative target */
		return relative ? ARCH_FLOW_BRANCH : ARCH_FLOW_NEXT;
	}
}

uint64_t x86_64_target(const ZydisDecodedInstruction *in, uint64_t addr)
{
	return addr + in->length + in->raw.imm[0].value.u;
}

bool x86_64_is_nop(const ZydisDecodedInstruction *in)
{
	return in->mnemonic == ZYDIS_MNEMONIC_NOP || in->mnemonic == ZYDIS_MNEMONIC_ENDBR64;
}

bool x86_64_is_ambiguous(const ZydisDecodedInstruction *in)
{
	return x86_64_flow(in) != ARCH_FLOW_NEXT && x86_64_flow(in) != ARCH_FLOW_STOP &&
	       (in->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE) && !in->raw.rex.W;
}

static bool is_syscall(const ZydisDecodedInstruction *in)
{
	return in->mnemonic == ZYDIS_MNEMONIC_SYSCALL || in->mnemonic == ZYDIS_MNEMONIC_SYSENTER ||
	       (in->mnemonic == ZYDIS_MNEMONIC_INT && in->raw.imm[0].value.u == 0x80);
}

/* True for jumps through a register, an indexed operand or a pointer. A tail call goes through the
   global offset table or a member of a structure. */
static bool may_be_table(const ZydisDecodedInstruction *in)
{
	if (x86_64_flow(in) != ARCH_FLOW_JUMP_INDIRECT)
		return false;
	if (in->raw.modrm.mod == 3)
		return true;
	if (in->raw.modrm.rm == 4 && (in->raw.sib.index != 4 || in->raw.rex.X))
		return true;
	return in->raw.disp.value == 0 && !(in->raw.modrm.mod == 0 && in->raw.modrm.rm == 5);
}

int arch_decode(const uint8_t *bytes, size_t n, uint64_t addr, struct arch_insn *out)
{
	ZydisDecodedInstruction in;

	if (x86_64_decode(bytes, n, &in) < 0)
		return -1;
	*out = (struct arch_insn){
		.length = in.length,
		.flow = x86_64_flow(&in),
		.is_trap = in.mnemonic == ZYDIS_MNEMONIC_INT3,
		.is_syscall = is_syscall(&in),
		.is_locked = in.attributes & ZYDIS_ATTRIB_HAS_LOCK,
		.is_nop = x86_64_is_nop(&in),
		.may_be_table = may_be_table(&in),
	};
	if (in.raw.imm[0].is_relative)
		out->target = x86_64_target(&in, addr);
	return 0;
}

int x86_64_number(ZydisRegister reg)
{
	/* by the number in the encoding: rax rcx rdx rbx rsp rbp rsi rdi */
	static const uint8_t dwarf[8] = {0, 2, 1, 3, 7, 6, 4, 5};
	ZydisRegisterClass class = ZydisRegisterGetClass(reg);
	ZyanI8 id = ZydisRegisterGetId(reg);

	if ((class != ZYDIS_REGCLASS_GPR64 && class != ZYDIS_REGCLASS_GPR32) || id < 0 || id > 15)
		return -1;
	return id < 8 ? dwarf[id] : id;
}

int x86_64_register(const struct arch_regs *regs, ZydisRegister reg, uint64_t *value)
{
	int number = x86_64_number(reg);

	if (number < 0)
		return -1;
	*value = regs->dwarf[number];
	return 0;
}

/* Reads base or index of an address. No register counts as 0, rip as the
   next instruction's address. */
static int address_part(const struct arch_regs *regs, ZydisRegister reg, uint64_t next,
			uint64_t *value)
{
	if (reg == ZYDIS_REGISTER_NONE)
		*value = 0;
	else if (reg == ZYDIS_REGISTER_RIP || reg == ZYDIS_REGISTER_EIP)
		*value = next;
	else
		return x86_64_register(regs, reg, value);
	return 0;
}

int x86_64_address(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op, uint64_t addr,
		   const struct arch_regs *regs, uint64_t *out)
{
	uint64_t base, index, next = addr + in->length;

	if (op->mem.segment == ZYDIS_REGISTER_GS) /* the GS base is not in struct arch_regs */
		return -1;
	if (address_part(regs, op->mem.base, next, &base) < 0 ||
	    address_part(regs, op->mem.index, next, &index) < 0)
		return -1;
	*out = base + index * op->mem.scale + (uint64_t)op->mem.disp.value;
	if (in->address_width == 32)
		*out &= UINT32_MAX;
	if (op->mem.segment == ZYDIS_REGISTER_FS)
		*out += regs->fs_base;
	return 0;
}

enum { CARRY = 1 << 0, PARITY = 1 << 2, ZERO = 1 << 6, SIGN = 1 << 7, OVERFLOW = 1 << 11 };

/* True if the condition of a jcc is met. The opcode's low bits select
   it; the lowest one negates. */
static bool is_met(uint8_t opcode, uint64_t flags)
{
	bool less = !(flags & SIGN) != !(flags & OVERFLOW);
	bool met[8] = {flags & OVERFLOW, flags & CARRY,	 flags & ZERO, flags & (CARRY | ZERO),
		       flags & SIGN,	 flags & PARITY, less,	       less || (flags & ZERO)};

	return met[opcode >> 1 & 7] != (opcode & 1);
}

static int branch_target(const ZydisDecodedInstruction *in, uint64_t addr,
			 const struct arch_regs *regs, uint64_t *target)
{
	uint64_t counter = regs->dwarf[2]; /* rcx */
	bool zero = regs->flags & ZERO, taken;

	if (in->address_width == 32)
		counter &= UINT32_MAX;
	switch (in->mnemonic) {
	case ZYDIS_MNEMONIC_LOOP:
		taken = counter != 1;
		break;
	case ZYDIS_MNEMONIC_LOOPE:
		taken = counter != 1 && zero;
		break;
	case ZYDIS_MNEMONIC_LOOPNE:
		taken = counter != 1 && !zero;
		break;
	case ZYDIS_MNEMONIC_JRCXZ:
	case ZYDIS_MNEMONIC_JECXZ:
		taken = counter == 0;
		break;
	case ZYDIS_MNEMONIC_XBEGIN:
		return -1; /* the processor decides */
	default:
		taken = is_met(in->opcode, regs->flags);
	}
	*target = taken ? x86_64_target(in, addr) : addr + in->length;
	return 0;
}

int arch_jump_target(const uint8_t *bytes, size_t n, uint64_t addr, const struct arch_regs *regs,
		     int (*read)(void *ctx, uint64_t addr, void *buf, size_t n), void *ctx,
		     uint64_t *target)
{
	ZydisDecodedInstruction in;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	uint64_t where;

	if (x86_64_decode_full(bytes, n, &in, ops) < 0 || x86_64_is_ambiguous(&in))
		return -1;
	if (x86_64_flow(&in) == ARCH_FLOW_BRANCH)
		return branch_target(&in, addr, regs, target);
	if (x86_64_flow(&in) == ARCH_FLOW_JUMP) {
		*target = x86_64_target(&in, addr);
		return 0;
	}
	if ((x86_64_flow(&in) != ARCH_FLOW_JUMP_INDIRECT &&
	     x86_64_flow(&in) != ARCH_FLOW_CALL_INDIRECT) ||
	    in.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return -1;
	if (ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER)
		return x86_64_register(regs, ops[0].reg.value, target);
	if (ops[0].type != ZYDIS_OPERAND_TYPE_MEMORY ||
	    x86_64_address(&in, &ops[0], addr, regs, &where) < 0)
		return -1;
	return read(ctx, where, target, sizeof(*target));
}

uint64_t arch_reveal(uint64_t hidden, uint64_t guard)
{
	enum { ROTATED = 0x11 };

	return (hidden >> ROTATED | hidden << (64 - ROTATED)) ^ guard;
}

void arch_longjmp(const uint64_t words[ARCH_JMP_BUF_WORDS], bool hidden, uint64_t guard,
		  struct arch_regs *regs)
{
	static const struct {
		uint8_t number;
		bool hidden;
	} kept[ARCH_JMP_BUF_WORDS] = {
		{3, false},  {ARCH_DWARF_FP, true}, {12, false},	   {13, false},
		{14, false}, {15, false},	    {ARCH_DWARF_SP, true}, {ARCH_DWARF_PC, true},
	};

	for (unsigned i = 0; i < ARCH_JMP_BUF_WORDS; i++)
		regs->dwarf[kept[i].number] =
			hidden && kept[i].hidden ? arch_reveal(words[i], guard) : words[i];
}
