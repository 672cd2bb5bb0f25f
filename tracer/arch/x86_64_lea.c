/*
 * x86-64: the address of an operand in memory, without decoding it each time: from registers, or by an instruction
 * of its own (lea with the same base, index and scale).
 */
#include "tracer/arch/x86_64.h"

#include <string.h>

enum { REX_W = 0x48, REX_X = 2, REX_B = 1, LEA = 0x8d, MOD_DISP32 = 2 << 6, RM = 7, RM_SIB = 4 };

/* The one operand that is written out with the instruction; not those of strings and the stack. */
static const ZydisDecodedOperand *operand(const ZydisDecodedInstruction *in,
					  const ZydisDecodedOperand *ops)
{
	const ZydisDecodedOperand *found = NULL;

	for (unsigned i = 0; i < in->operand_count; i++) {
		if (!x86_64_is_memory(&ops[i]))
			continue;
		if (found || !ops[i].size ||
		    ops[i].visibility != ZYDIS_OPERAND_VISIBILITY_EXPLICIT ||
		    ops[i].mem.type != ZYDIS_MEMOP_TYPE_MEM ||
		    ops[i].mem.segment == ZYDIS_REGISTER_FS ||
		    ops[i].mem.segment == ZYDIS_REGISTER_GS)
			return NULL;
		found = &ops[i];
	}
	return found && in->address_width == 64 && in->attributes & ZYDIS_ATTRIB_HAS_MODRM ? found
											   : NULL;
}

/* NO_REGISTER where there is none, or rip. */
static bool number(ZydisRegister reg, uint8_t *out)
{
	bool none = reg == ZYDIS_REGISTER_NONE || reg == ZYDIS_REGISTER_RIP;
	int n = none ? ARCH_NO_REGISTER : x86_64_number(reg);

	*out = (uint8_t)n;
	return n >= 0;
}

bool arch_operand(const uint8_t *bytes, size_t n, uint64_t addr, struct arch_operand *out)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;
	const ZydisDecodedOperand *op;

	if (x86_64_decode_full(bytes, n, &in, ops) < 0 || !(op = operand(&in, ops)))
		return false;
	*out = (struct arch_operand){.scale = op->mem.scale,
				     .offset = (uint64_t)op->mem.disp.value};
	if (op->mem.base == ZYDIS_REGISTER_RIP)
		out->offset += addr + in.length;
	return number(op->mem.base, &out->base) && number(op->mem.index, &out->index);
}

uint64_t arch_operand_address(const struct arch_operand *op, const struct arch_regs *regs)
{
	uint64_t address = op->offset;

	if (op->base != ARCH_NO_REGISTER)
		address += regs->dwarf[op->base];
	if (op->index != ARCH_NO_REGISTER)
		address += regs->dwarf[op->index] * op->scale;
	return address;
}

static bool is_high(ZydisRegister reg)
{
	return reg >= ZYDIS_REGISTER_R8 && reg <= ZYDIS_REGISTER_R15;
}

/* The displacement, with which it is the same place there. False: out of reach. */
static bool displacement(const ZydisDecodedInstruction *in, const ZydisDecodedOperandMem *m,
			 uint64_t from, uint64_t to, int32_t pushed, int32_t *out)
{
	enum { LENGTH = ARCH_LEA_MAX - 1 }; /* without SIB */
	int64_t value = m->disp.value;

	if (m->base == ZYDIS_REGISTER_RIP)
		value += (int64_t)(from + in->length - (to + LENGTH));
	else if (m->base == ZYDIS_REGISTER_RSP)
		value += pushed;
	*out = (int32_t)value;
	return *out == value;
}

/* Always with a displacement of 32 bits; SIB where the operand has one. */
static unsigned encode(const ZydisDecodedInstruction *in, const ZydisDecodedOperandMem *m,
		       int32_t disp, uint8_t code[ARCH_LEA_MAX])
{
	bool sib = in->raw.modrm.rm == RM_SIB && in->raw.modrm.mod != 3;
	bool no_base = m->base == ZYDIS_REGISTER_RIP || m->base == ZYDIS_REGISTER_NONE;
	unsigned n = 0;

	code[n++] = REX_W | (is_high(m->base) ? REX_B : 0) | (is_high(m->index) ? REX_X : 0);
	code[n++] = LEA;
	code[n++] = (uint8_t)((no_base ? 0 : MOD_DISP32) | (in->raw.modrm.rm & RM));
	if (sib)
		code[n++] = (uint8_t)(in->raw.sib.scale << 6 | in->raw.sib.index << 3 |
				      in->raw.sib.base);
	memcpy(code + n, &disp, sizeof(disp));
	return n + (unsigned)sizeof(disp);
}

unsigned arch_lea(const uint8_t *bytes, size_t n, uint64_t from, uint64_t to, int32_t pushed,
		  uint8_t code[ARCH_LEA_MAX])
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;
	const ZydisDecodedOperand *op;
	int32_t disp;

	if (x86_64_decode_full(bytes, n, &in, ops) < 0 || !(op = operand(&in, ops)) ||
	    !displacement(&in, &op->mem, from, to, pushed, &disp))
		return 0;
	return encode(&in, &op->mem, disp, code);
}

/* rdi: System V ABI for AMD64, 3.2.3. */
unsigned arch_lea_argument(uint8_t code[ARCH_LEA_MAX])
{
	static const uint8_t mov_rdi_rax[] = {REX_W, 0x89, 0xf8};

	memcpy(code, mov_rdi_rax, sizeof(mov_rdi_rax));
	return sizeof(mov_rdi_rax);
}
