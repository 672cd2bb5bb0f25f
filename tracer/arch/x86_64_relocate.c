/*
 * x86-64: copies of instructions for another address. Displacements from rip are patched, relative
 * targets are reached by jumps, and a call pushes the original return address, a constant after the
 * code: without a register, each step can be undone or completed (struct arch_point).
 */
#include "tracer/arch/x86_64.h"

#include <string.h>

struct copier {
	const ZydisDecodedInstruction *in;
	uint64_t from, to;
	struct arch_copy *out;
};

static void emit(struct copier *c, const void *bytes, size_t n)
{
	memcpy(c->out->code + c->out->length, bytes, n);
	c->out->length += n;
}

/* Adds a point: the copy's next instruction begins here; a thread before it
   is at `pc` in the original. */
static void point(struct copier *c, uint64_t pc, uint8_t sp)
{
	c->out->points[c->out->point_count++] =
		(struct arch_point){.at = c->out->length, .sp = sp, .pc = pc};
}

static bool jump_reaches(const struct copier *c, size_t at, uint64_t target, int32_t *rel)
{
	int64_t distance = (int64_t)(target - (c->to + at + 5));

	*rel = (int32_t)distance;
	return *rel == distance;
}

/* Emits a jump to the original: relative if within reach, else through a constant. */
static void emit_jump(struct copier *c, uint64_t target)
{
	int32_t rel;

	if (jump_reaches(c, c->out->length, target, &rel)) {
		emit(c, "\xe9", 1);
		emit(c, &rel, sizeof(rel));
	} else {
		emit(c, "\xff\x25\0\0\0\0", 6); /* jmp *0(%rip) */
		emit(c, &target, sizeof(target));
	}
}

static bool is_rip_relative(const ZydisDecodedInstruction *in)
{
	return (in->attributes & ZYDIS_ATTRIB_HAS_MODRM) && in->raw.modrm.mod == 0 &&
	       in->raw.modrm.rm == 5 && in->raw.disp.size == 32;
}

/* Corrects the operand of the instruction at the beginning of the copy,
   if it is relative to rip. */
static enum arch_answer patch_operand(struct copier *c)
{
	int64_t disp;
	int32_t disp32;

	if (!is_rip_relative(c->in))
		return ARCH_DONE;
	if (__builtin_add_overflow((int64_t)(c->from - c->to), c->in->raw.disp.value, &disp))
		return ARCH_TOO_FAR;
	disp32 = (int32_t)disp;
	if (disp32 != disp)
		return ARCH_TOO_FAR;
	memcpy(c->out->code + c->in->raw.disp.offset, &disp32, sizeof(disp32));
	return ARCH_DONE;
}

static void copy_plain(struct copier *c)
{
	uint64_t next = c->from + c->in->length;

	c->out->body = c->in->length;
	point(c, next, 0);
	emit_jump(c, next);
}

/* The processor sets rcx to the address after the syscall; the copy sets the original one. */
static void copy_syscall(struct copier *c)
{
	uint64_t next = c->from + c->in->length;

	c->out->body = c->in->length;
	point(c, next, 0);
	emit(c, "\x48\xb9", 2); /* movabs $next, %rcx */
	emit(c, &next, sizeof(next));
	point(c, next, 0);
	emit_jump(c, next);
}

/* The branch goes over a jump to the next instruction, to a jump to its target. */
static void copy_branch(struct copier *c)
{
	uint64_t target = x86_64_target(c->in, c->from);
	int32_t hop;

	copy_plain(c);
	hop = c->out->length - c->in->length; /* below 15: fits in any size, little-endian */
	memcpy(c->out->code + c->in->raw.imm[0].offset, &hop, c->in->raw.imm[0].size / 8);
	point(c, target, 0);
	emit_jump(c, target);
}

static void copy_jump(struct copier *c)
{
	c->out->length = 0;
	emit_jump(c, x86_64_target(c->in, c->from));
}

/* Emits push CONSTANT(%rip), with the constant `skip` bytes after this instruction. */
static void emit_push_constant(struct copier *c, int32_t skip)
{
	emit(c, "\xff\x35", 2);
	emit(c, &skip, sizeof(skip));
}

static void copy_call(struct copier *c)
{
	uint64_t next = c->from + c->in->length, target = x86_64_target(c->in, c->from);
	int32_t jump, rel;

	c->out->length = 0;
	jump = jump_reaches(c, 6, target, &rel) ? 5 : 14;
	emit_push_constant(c, jump);
	point(c, target, 0); /* only the jump remains */
	emit_jump(c, target);
	emit(c, &next, sizeof(next));
}

/*
 * Pushes the target, which reads it before anything changes, also through rsp; pushes it again for
 * the ret at the end, and replaces the upper one by the return address.
 */
static void copy_call_indirect(struct copier *c)
{
	uint64_t next = c->from + c->in->length;

	c->out->code[c->in->raw.modrm.offset] |= 6 << 3; /* ff /2 call -> ff /6 push */
	point(c, c->from, 8);
	emit(c, "\xff\x34\x24", 3); /* push (%rsp) */
	point(c, c->from, 16);
	emit_push_constant(c, 5);
	point(c, c->from, 24);
	emit(c, "\x8f\x44\x24\x08", 4); /* pop 8(%rsp): rsp counts after the pop */
	point(c, c->from, 16);
	emit(c, "\xc3", 1);
	emit(c, &next, sizeof(next));
}

/* Returns why the instruction has no copy, or NULL. */
static const char *refusal(const ZydisDecodedInstruction *in)
{
	switch (in->mnemonic) {
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
	case ZYDIS_MNEMONIC_UIRET:
		return "a return from an interrupt";
	case ZYDIS_MNEMONIC_SYSENTER:
	case ZYDIS_MNEMONIC_SYSEXIT:
	case ZYDIS_MNEMONIC_SYSRET:
		return "sysenter, sysexit and sysret return to a fixed address";
	default:
		break;
	}
	if (in->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return "a far jump or call";
	if (x86_64_is_ambiguous(in))
		return "a branch with an operand-size prefix, which processors execute differently";
	if (is_rip_relative(in) && in->address_width == 32)
		return "an operand relative to eip (address-size prefix)";
	return NULL;
}

enum arch_answer arch_relocate(const uint8_t *bytes, size_t n, uint64_t from, uint64_t to,
			       struct arch_copy *out, const char **why)
{
	ZydisDecodedInstruction in;
	struct copier c = {.in = &in, .from = from, .to = to, .out = out};

	*out = (struct arch_copy){0};
	if (x86_64_decode(bytes, n, &in) < 0)
		*why = "no valid instruction";
	else
		*why = refusal(&in);
	if (*why)
		return ARCH_CANNOT;
	out->insn_length = in.length;
	out->is_trap = in.mnemonic == ZYDIS_MNEMONIC_INT3;
	point(&c, from, 0);
	emit(&c, bytes, in.length);
	if (patch_operand(&c) == ARCH_TOO_FAR) {
		*why = "its operand is out of reach";
		return ARCH_TOO_FAR;
	}
	switch (x86_64_flow(&in)) {
	case ARCH_FLOW_NEXT:
	case ARCH_FLOW_STOP:
		if (in.mnemonic == ZYDIS_MNEMONIC_SYSCALL)
			copy_syscall(&c);
		else
			copy_plain(&c);
		break;
	case ARCH_FLOW_BRANCH:
		copy_branch(&c);
		break;
	case ARCH_FLOW_JUMP:
		copy_jump(&c);
		break;
	case ARCH_FLOW_CALL:
		copy_call(&c);
		break;
	case ARCH_FLOW_CALL_INDIRECT:
		copy_call_indirect(&c);
		break;
	case ARCH_FLOW_JUMP_INDIRECT:
	case ARCH_FLOW_RETURN:
		break; /* control does not come back to the copy */
	}
	return ARCH_DONE;
}

const struct arch_point *arch_copy_point(const struct arch_copy *copy, uint64_t offset)
{
	for (size_t i = 0; i < copy->point_count; i++)
		if (copy->points[i].at == offset)
			return &copy->points[i];
	return NULL;
}

/* The jump to the next instruction directly follows the instruction. */
enum arch_answer arch_copy_join(struct arch_copy *copy, uint64_t at, uint64_t to)
{
	enum { JUMP = 5 };
	int64_t distance = (int64_t)(to - (at + copy->body + JUMP));
	int32_t rel = (int32_t)distance;

	if (!copy->body || copy->body + JUMP > copy->length)
		return ARCH_CANNOT;
	if (rel != distance)
		return ARCH_TOO_FAR;
	copy->code[copy->body] = 0xe9;
	memcpy(copy->code + copy->body + 1, &rel, sizeof(rel));
	return ARCH_DONE;
}
