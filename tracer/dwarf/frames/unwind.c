/* From a frame to the one that called it. */
#include "tracer/dwarf/frames/unwind.h"

#include "tracer/dwarf/expressions/expression.h"

#include <string.h>

enum { SP = ARCH_DWARF_SP, PC = ARCH_DWARF_PC, CHUNK = 512 };

/* rbx, rbp, r12 .. r15: a function gives them back as they were. */
static const uint32_t kept_over_calls = 1u << 3 | 1u << 6 | 0xfu << 12;

/* ---- places --------------------------------------------------------------------------------- */

/* The part of the stack where a frame keeps registers: one read for all of them. */
struct stack_chunk {
	uint64_t address;
	size_t size; /* 0: read nothing, or could not be read as a whole */
	uint8_t bytes[CHUNK];
};

static void read_chunk(const struct dwarf_frame *f, const struct cfi_row *row, uint64_t cfa,
		       struct stack_chunk *out)
{
	int64_t low = INT64_MAX, high = INT64_MIN;

	out->size = 0;
	for (int i = 0; i < CFI_REGISTERS; i++) {
		const struct cfi_rule *r = &row->rules[i];

		if (r->kind != CFI_OFFSET || r->number < -CHUNK || r->number > CHUNK)
			continue;
		low = r->number < low ? r->number : low;
		high = r->number > high ? r->number : high;
	}
	if (low >= high || high - low + 8 > CHUNK)
		return; /* one word is read as one */
	out->address = cfa + (uint64_t)low;
	if (f->program->read(f->program->ctx, out->address, out->bytes, (size_t)(high - low) + 8) ==
	    0)
		out->size = (size_t)(high - low) + 8;
}

static int unwind_read_word(const struct dwarf_frame *f, const struct stack_chunk *chunk,
			    uint64_t address, uint64_t *out, struct error *err)
{
	uint64_t at = address - chunk->address;

	if (chunk->size && at <= chunk->size - 8) {
		memcpy(out, chunk->bytes + at, 8);
		return 0;
	}
	if (f->program->read(f->program->ctx, address, out, 8) == 0)
		return 0;
	return error_set(err, ERROR_STATE, "the stack cannot be followed: cannot read it at 0x%llx",
			 (unsigned long long)address);
}

static int evaluate(const struct dwarf_frame *f, const struct cfi_rule *rule,
		    const uint64_t *initial, uint64_t *out, struct error *err)
{
	const struct expression m = {
		.frame = f, .program = f->program, .module = f->module, .bias = f->bias};

	return expression_value(&m, rule->code, rule->size, initial, out, err);
}

static int register_of(const struct dwarf_frame *f, uint64_t reg, uint64_t *out, struct error *err)
{
	if (reg >= CFI_REGISTERS || !(f->known >> reg & 1))
		return error_set(err, ERROR_STATE,
				 "the stack cannot be followed: a register is not known");
	*out = f->regs[reg];
	return 0;
}

static int cfa_of(const struct dwarf_frame *f, const struct cfi_row *row, uint64_t *out,
		  struct error *err)
{
	if (row->cfa.kind == CFI_EXPRESSION)
		return evaluate(f, &row->cfa, NULL, out, err);
	if (register_of(f, row->cfa_register, out, err) < 0)
		return -1;
	*out += (uint64_t)row->cfa.number;
	return 0;
}

int dwarf_frame_cfa(const struct dwarf_frame *frame, uint64_t *cfa, struct error *err)
{
	struct unwind_rules rules;
	int answer;

	if (unwind_rules(frame, &rules, err) < 0)
		return -1;
	answer = cfa_of(frame, &rules.row, cfa, err);
	unwind_rules_fini(&rules);
	return answer;
}

/* ---- registers of the caller ---------------------------------------------------------------- */

/* All that the rules for one frame are applied to. */
struct unwind_step {
	const struct dwarf_frame *from;
	const struct cfi_row *row;
	uint64_t cfa;
	struct stack_chunk chunk;
};

/* A register that nothing is said of, and that is not lost: the caller's stack pointer is the CFA. */
static int unsaid(const struct unwind_step *s, unsigned reg, uint64_t *out, struct error *err)
{
	if (reg == SP) {
		*out = s->cfa;
		return 0;
	}
	return register_of(s->from, reg, out, err);
}

/* Registers the ABI lets a function clobber are unknown unless a rule says otherwise. */
static bool is_lost(const struct cfi_row *row, unsigned reg)
{
	enum cfi_kind kind = row->rules[reg].kind;

	return kind == CFI_UNDEFINED ||
	       (kind == CFI_UNSAID && reg != SP && !(kept_over_calls >> reg & 1));
}

static int caller_register(const struct unwind_step *s, unsigned reg, uint64_t *out,
			   struct error *err)
{
	const struct cfi_rule *rule = &s->row->rules[reg];

	switch (rule->kind) {
	case CFI_OFFSET:
		return unwind_read_word(s->from, &s->chunk, s->cfa + (uint64_t)rule->number, out,
					err);
	case CFI_VALUE_OFFSET:
		*out = s->cfa + (uint64_t)rule->number;
		return 0;
	case CFI_SAME:
		return register_of(s->from, reg, out, err);
	case CFI_REGISTER:
		return register_of(s->from, (uint64_t)rule->number, out, err);
	case CFI_EXPRESSION:
		if (evaluate(s->from, rule, &s->cfa, out, err) < 0)
			return -1;
		return unwind_read_word(s->from, &s->chunk, *out, out, err);
	case CFI_VALUE_EXPRESSION:
		return evaluate(s->from, rule, &s->cfa, out, err);
	default:
		return unsaid(s, reg, out, err);
	}
}

/* ---- frames --------------------------------------------------------------------------------- */

static void find_module(struct dwarf_frame *f)
{
	f->bias = 0;
	f->module = f->program->module_at(f->program->ctx, f->lookup_pc, &f->bias);
}

void dwarf_frame_first(const struct dwarf_program *program, void *thread,
		       const struct arch_regs *regs, struct dwarf_frame *out)
{
	*out = (struct dwarf_frame){.program = program, .thread = thread};
	memcpy(out->regs, regs->dwarf, sizeof(out->regs));
	out->known = (1u << CFI_REGISTERS) - 1;
	out->pc = out->lookup_pc = out->regs[PC];
	find_module(out);
}

/* Which code does the new frame belong to? A return address is behind the call, and the call
   may be the last instruction of its function. */
static void place_frame(const struct unwind_step *s, struct dwarf_frame *out)
{
	out->pc = out->regs[PC];
	out->lookup_pc = s->row->signal ? out->pc : out->pc - 1;
	find_module(out);
	out->signal = !s->row->signal && unwind_is_signal(out);
	if (out->signal) {
		out->lookup_pc = out->pc;
		find_module(out);
	}
}

static int corrupt(const struct dwarf_frame *f, struct error *err)
{
	return error_set(err, ERROR_STATE, "the stack cannot be followed: it is broken at 0x%llx",
			 (unsigned long long)f->regs[SP]);
}

static int step_up(const struct unwind_step *s, struct dwarf_frame *out, struct error *err)
{
	const struct dwarf_frame *f = s->from;
	ERROR(ignored);

	*out = (struct dwarf_frame){
		.program = f->program, .thread = f->thread, .level = f->level + 1};
	if (caller_register(s, s->row->return_address, &out->regs[PC], err) < 0)
		return -1;
	out->known = 1u << PC;
	if (out->regs[PC] == 0)
		return 0; /* nobody called: a thread's first function */
	for (unsigned i = 0; i < PC; i++)
		if (!is_lost(s->row, i) && caller_register(s, i, &out->regs[i], &ignored) == 0)
			out->known |= 1u << i;
	/* Stacks go up from frame to frame; a signal's handler may have one elsewhere. */
	if (!(out->known >> SP & 1) || (!s->row->signal && out->regs[SP] <= f->regs[SP]) ||
	    (out->regs[SP] == f->regs[SP] && out->regs[PC] == f->pc))
		return corrupt(f, err);
	place_frame(s, out);
	return 1;
}

int dwarf_frame_up(const struct dwarf_frame *frame, struct dwarf_frame *out, struct error *err)
{
	struct unwind_rules rules;
	struct unwind_step s = {.from = frame, .row = &rules.row};
	enum cfi_kind kind;
	int answer;

	if (unwind_rules(frame, &rules, err) < 0)
		return -1;
	kind = rules.row.rules[rules.row.return_address].kind;
	if (kind == CFI_UNDEFINED || kind == CFI_UNSAID) {
		unwind_rules_fini(&rules);
		return 0;
	}
	answer = cfa_of(frame, &rules.row, &s.cfa, err);
	if (answer == 0) {
		read_chunk(frame, &rules.row, s.cfa, &s.chunk);
		answer = step_up(&s, out, err);
	}
	unwind_rules_fini(&rules);
	return answer;
}
