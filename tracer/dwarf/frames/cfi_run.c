/* The instructions of call frame information: they make a table, of which one row is wanted. */
#include "tracer/dwarf/frames/cfi_internal.h"

#include <libdwarf/dwarf.h>

enum { REMEMBERED = 16 }; /* compilers need one or two */

struct cfi_state {
	const struct cfi_section *section;
	const struct cfi_common *common;
	struct cursor c;
	uint64_t at, wanted; /* addresses: of the row that is made, and the one that is asked for */
	struct cfi_row row, initial;
	struct cfi_row *
		remembered; /* REMEMBERED of them, of which `depth` are in use: not worth clearing */
	unsigned depth;
	bool has_initial, failed;
	struct cfi_rule unwanted; /* of registers that nobody asks for */
};

static struct cfi_rule *rule_of(struct cfi_state *t, uint64_t reg)
{
	return reg < CFI_REGISTERS ? &t->row.rules[reg] : &t->unwanted;
}

static void set_rule(struct cfi_state *t, uint64_t reg, enum cfi_kind kind, uint64_t number)
{
	*rule_of(t, reg) = (struct cfi_rule){.kind = kind, .number = (int64_t)number};
}

static uint64_t factored(const struct cfi_state *t, uint64_t n)
{
	return n * (uint64_t)t->common->data_align;
}

static struct cfi_rule take_expression(struct cfi_state *t, enum cfi_kind kind)
{
	struct cfi_rule rule = {.kind = kind, .size = cursor_uleb(&t->c)};

	rule.code = t->c.at;
	cursor_take(&t->c, rule.size);
	return rule;
}

static void restore(struct cfi_state *t, uint64_t reg)
{
	if (!t->has_initial)
		t->failed = true;
	else if (reg < CFI_REGISTERS)
		t->row.rules[reg] = t->initial.rules[reg];
}

static void define_cfa(struct cfi_state *t, uint64_t reg, uint64_t add)
{
	t->row.cfa_register = reg < CFI_REGISTERS ? (unsigned)reg : CFI_REGISTERS;
	t->row.cfa = (struct cfi_rule){.kind = CFI_VALUE_OFFSET, .number = (int64_t)add};
}

static void remember(struct cfi_state *t)
{
	if (t->depth == REMEMBERED)
		t->failed = true;
	else
		t->remembered[t->depth++] = t->row;
}

static void recall(struct cfi_state *t)
{
	if (t->depth == 0)
		t->failed = true;
	else
		t->row = t->remembered[--t->depth];
}

/* ---- instructions --------------------------------------------------------------------------- */

static bool advances(struct cfi_state *t, unsigned op)
{
	switch (op) {
	case DW_CFA_set_loc:
		t->at = cfi_pointer(t->section, &t->c, t->common->encoding);
		return true;
	case DW_CFA_advance_loc1:
		t->at += cursor_fixed(&t->c, 1) * t->common->code_align;
		return true;
	case DW_CFA_advance_loc2:
		t->at += cursor_fixed(&t->c, 2) * t->common->code_align;
		return true;
	case DW_CFA_advance_loc4:
		t->at += cursor_fixed(&t->c, 4) * t->common->code_align;
		return true;
	default:
		return false;
	}
}

static bool defines_cfa(struct cfi_state *t, unsigned op)
{
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = cursor_uleb(&t->c);
		define_cfa(t, reg, cursor_uleb(&t->c));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = cursor_uleb(&t->c);
		define_cfa(t, reg, factored(t, (uint64_t)cursor_sleb(&t->c)));
		return true;
	case DW_CFA_def_cfa_register:
		define_cfa(t, cursor_uleb(&t->c), (uint64_t)t->row.cfa.number);
		return true;
	case DW_CFA_def_cfa_offset:
		define_cfa(t, t->row.cfa_register, cursor_uleb(&t->c));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		define_cfa(t, t->row.cfa_register, factored(t, (uint64_t)cursor_sleb(&t->c)));
		return true;
	case DW_CFA_def_cfa_expression:
		t->row.cfa = take_expression(t, CFI_EXPRESSION);
		return true;
	default:
		return false;
	}
}

static bool sets_offset(struct cfi_state *t, unsigned op)
{
	uint64_t reg;

	switch (op) {
	case DW_CFA_offset_extended:
	case DW_CFA_val_offset:
		reg = cursor_uleb(&t->c);
		set_rule(t, reg, op == DW_CFA_val_offset ? CFI_VALUE_OFFSET : CFI_OFFSET,
			 factored(t, cursor_uleb(&t->c)));
		return true;
	case DW_CFA_offset_extended_sf:
	case DW_CFA_val_offset_sf:
		reg = cursor_uleb(&t->c);
		set_rule(t, reg, op == DW_CFA_val_offset_sf ? CFI_VALUE_OFFSET : CFI_OFFSET,
			 factored(t, (uint64_t)cursor_sleb(&t->c)));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		reg = cursor_uleb(&t->c);
		set_rule(t, reg, CFI_OFFSET, 0 - factored(t, cursor_uleb(&t->c)));
		return true;
	default:
		return false;
	}
}

static bool sets_rule(struct cfi_state *t, unsigned op)
{
	uint64_t reg;

	switch (op) {
	case DW_CFA_undefined:
		set_rule(t, cursor_uleb(&t->c), CFI_UNDEFINED, 0);
		return true;
	case DW_CFA_same_value:
		set_rule(t, cursor_uleb(&t->c), CFI_SAME, 0);
		return true;
	case DW_CFA_register:
		reg = cursor_uleb(&t->c);
		set_rule(t, reg, CFI_REGISTER, cursor_uleb(&t->c));
		return true;
	case DW_CFA_expression:
		reg = cursor_uleb(&t->c);
		*rule_of(t, reg) = take_expression(t, CFI_EXPRESSION);
		return true;
	case DW_CFA_val_expression:
		reg = cursor_uleb(&t->c);
		*rule_of(t, reg) = take_expression(t, CFI_VALUE_EXPRESSION);
		return true;
	case DW_CFA_restore_extended:
		restore(t, cursor_uleb(&t->c));
		return true;
	default:
		return sets_offset(t, op);
	}
}

static void other(struct cfi_state *t, unsigned op)
{
	switch (op) {
	case DW_CFA_remember_state:
		remember(t);
		break;
	case DW_CFA_restore_state:
		recall(t);
		break;
	case DW_CFA_GNU_args_size:
		cursor_uleb(&t->c);
		break;
	case DW_CFA_nop:
	case DW_CFA_GNU_window_save:
		break;
	default:
		t->failed = true;
	}
}

static void cfi_run_step(struct cfi_state *t)
{
	unsigned op = (unsigned)cursor_fixed(&t->c, 1), low = op & 0x3f;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		t->at += low * t->common->code_align;
		return;
	case DW_CFA_offset:
		set_rule(t, low, CFI_OFFSET, factored(t, cursor_uleb(&t->c)));
		return;
	case DW_CFA_restore:
		restore(t, low);
		return;
	default:
		if (!advances(t, op) && !defines_cfa(t, op) && !sets_rule(t, op))
			other(t, op);
	}
}

/* Up to the row that holds the wanted address, or the end. */
static void cfi_run_run(struct cfi_state *t, struct cursor code)
{
	t->c = code;
	while (t->c.at < t->c.end && !t->failed && !t->c.broken) {
		uint64_t at = t->at;

		cfi_run_step(t); /* one that advances changes nothing else */
		if (t->at != at && t->at > t->wanted)
			return;
	}
}

int cfi_run(const struct cfi_section *s, const struct cfi_common *common, struct cursor code,
	    uint64_t low, uint64_t address, struct cfi_row *out, struct error *err)
{
	struct cfi_row remembered[REMEMBERED];
	struct cfi_state t = {.section = s,
			      .common = common,
			      .at = low,
			      .wanted = address,
			      .remembered = remembered};

	t.row.cfa_register = CFI_REGISTERS;
	cfi_run_run(&t, common->code);
	t.at = low; /* the common part has no addresses */
	t.initial = t.row;
	t.has_initial = true;
	if (!t.c.broken && !t.failed)
		cfi_run_run(&t, code);
	*out = t.row;
	out->return_address = common->return_address < CFI_REGISTERS
				      ? (unsigned)common->return_address
				      : CFI_REGISTERS;
	out->signal = common->signal;
	if (t.c.broken || t.failed || out->cfa.kind == CFI_UNSAID ||
	    out->return_address == CFI_REGISTERS)
		return error_set(err, ERROR_STATE, "broken call frame information");
	return 0;
}
