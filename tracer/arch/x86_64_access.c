/* x86-64: which memory an instruction accesses, its other effects, and emulation of simple ones. */
#include "tracer/arch/x86_64.h"

#include <string.h>

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

/* Returns the address that push and call write to, below the stack
   pointer before the instruction. */
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

int x86_64_operand_access(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op,
			  uint64_t addr, const struct arch_regs *regs, struct arch_access *out)
{
	*out = (struct arch_access){
		.size = op->size / 8,
		.writes = op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE,
		.reads = op->actions & ZYDIS_OPERAND_ACTION_MASK_READ,
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

/* ---- addresses of operands, from registers or by an lea -------------------------------------- */
enum { REX_W = 0x48, REX_X = 2, REX_B = 1, LEA = 0x8d, MOD_DISP32 = 2 << 6, RM = 7, RM_SIB = 4 };

/* Returns the only memory operand, if it is explicit. Those of strings and the stack are not. */
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

/* Sets *out to a register's number, ARCH_NO_REGISTER for none and for rip.
   Returns false for others. */
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

/* Computes the displacement with which the address is the same at `to`.
   Returns false if out of reach. */
static bool displacement(const ZydisDecodedInstruction *in, const ZydisDecodedOperandMem *m,
			 uint64_t from, uint64_t to, int32_t pushed, int32_t *out)
{
	enum { LENGTH = ARCH_LEA_MAX - 1 }; /* without SIB byte */
	int64_t value = m->disp.value;

	if (m->base == ZYDIS_REGISTER_RIP)
		value += (int64_t)(from + in->length - (to + LENGTH));
	else if (m->base == ZYDIS_REGISTER_RSP)
		value += pushed;
	*out = (int32_t)value;
	return *out == value;
}

/* Encodes lea to rax, with a 32-bit displacement, and with SIB byte if the operand has one. */
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

/* The argument is in rdi: System V ABI for AMD64, 3.2.3. */
unsigned arch_lea_argument(uint8_t code[ARCH_LEA_MAX])
{
	static const uint8_t mov_rdi_rax[] = {REX_W, 0x89, 0xf8};

	memcpy(code, mov_rdi_rax, sizeof(mov_rdi_rax));
	return sizeof(mov_rdi_rax);
}

/* ---- effects (struct arch_deed) -------------------------------------------------------------- */
static bool is_vector(const ZydisDecodedOperand *op)
{
	ZydisRegisterClass class;

	if (op->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return false;
	class = ZydisRegisterGetClass(op->reg.value);
	return class == ZYDIS_REGCLASS_XMM || class == ZYDIS_REGCLASS_YMM ||
	       class == ZYDIS_REGCLASS_ZMM;
}

/* True for arithmetic on several elements. Moves, and the clearing of a register, are done
   with single values as well. */
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

/* True if an operand, implied ones included, writes the stack pointer. */
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

/* ---- emulation ------------------------------------------------------------------------------- */

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

	/* A return outside of user space is a fault, which the processor has to raise. */
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
