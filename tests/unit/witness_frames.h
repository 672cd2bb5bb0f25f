/* Compares rows of call frame information. */
#ifndef TESTS_WITNESS_FRAMES_H
#define TESTS_WITNESS_FRAMES_H

#include "witness.h"

/*
 * Numbers for no register in libdwarf's table, which must have more columns than there are
 * registers. For a register without a rule later versions have SAME and reject another value.
 */
enum { THEIR_REGISTERS = 128, UNSAID = 1030, UNDEFINED = 1034, SAME = 1035, CFA = 1436 };

static inline struct cfi_rule their_rule(const Dwarf_Regtable_Entry3 *r)
{
	struct cfi_rule rule = {.number = their_offset(r)};

	switch (r->dw_value_type) {
	case DW_EXPR_EXPRESSION:
	case DW_EXPR_VAL_EXPRESSION:
		rule = (struct cfi_rule){.kind = r->dw_value_type == DW_EXPR_EXPRESSION
							 ? CFI_EXPRESSION
							 : CFI_VALUE_EXPRESSION};
		rule.code = their_code(r, &rule.size);
		return rule;
	case DW_EXPR_VAL_OFFSET:
		rule.kind = CFI_VALUE_OFFSET;
		return rule;
	default:
		break;
	}
	if (r->dw_offset_relevant)
		rule.kind = CFI_OFFSET;
	else if (r->dw_regnum == UNSAID)
		rule = (struct cfi_rule){.kind = CFI_UNSAID};
	else if (r->dw_regnum == UNDEFINED)
		rule = (struct cfi_rule){.kind = CFI_UNDEFINED};
	else if (r->dw_regnum == SAME)
		rule = (struct cfi_rule){.kind = CFI_SAME};
	else
		rule = (struct cfi_rule){.kind = CFI_REGISTER, .number = r->dw_regnum};
	return rule;
}

static inline bool same_rule(const struct cfi_rule *a, const struct cfi_rule *b)
{
	if (a->kind == CFI_UNSAID && b->kind == CFI_SAME)
		return !THEIR_UNSAID_IS_KNOWN;
	if (a->kind != b->kind)
		return false;
	if (a->kind == CFI_EXPRESSION || a->kind == CFI_VALUE_EXPRESSION)
		return a->size == b->size && memcmp(a->code, b->code, a->size) == 0;
	return a->number == b->number;
}

static inline void compare_cfa(struct witness *w, uint64_t at, const struct cfi_row *ours,
			       const Dwarf_Regtable_Entry3 *theirs)
{
	struct cfi_rule rule = their_rule(theirs);

	/* A register plus a number is one kind for us; an expression is always a value. */
	if (rule.kind == CFI_OFFSET) {
		rule.kind = CFI_VALUE_OFFSET;
		if (ours->cfa_register != theirs->dw_regnum)
			differ(w, "the register of the CFA", at, ours->cfa_register,
			       theirs->dw_regnum);
	}
	if (rule.kind == CFI_VALUE_EXPRESSION)
		rule.kind = CFI_EXPRESSION;
	if (!same_rule(&ours->cfa, &rule))
		differ(w, "the CFA", at, (uint64_t)ours->cfa.number, (uint64_t)rule.number);
}

static inline void compare_row(struct witness *w, uint64_t at, const Dwarf_Regtable3 *theirs,
			       Dwarf_Half return_address)
{
	struct cfi_row row;
	ERROR(err);

	if (frames_row(w->module, at, &row, &err) != 1) {
		differ(w, "a row that we do not have", at, 0, 1);
		return;
	}
	compare_cfa(w, at, &row, &theirs->rt3_cfa_rule);
	for (unsigned i = 0; i < CFI_REGISTERS; i++) {
		struct cfi_rule rule = their_rule(&theirs->rt3_rules[i]);

		if (!same_rule(&row.rules[i], &rule))
			differ(w, "the rule of a register", at, row.rules[i].kind, rule.kind);
	}
	if (row.return_address != return_address)
		differ(w, "the return address", at, row.return_address, return_address);
	w->counts->rows++;
}

/* Compares the rows of one FDE, at the first and the last byte of each. */
static inline void compare_description(struct witness *w, Dwarf_Fde fde, uint64_t low,
				       uint64_t high, Dwarf_Half return_address)
{
	Dwarf_Regtable_Entry3 rules[THEIR_REGISTERS];
	Dwarf_Regtable3 table = {.rt3_reg_table_size = THEIR_REGISTERS, .rt3_rules = rules};
	struct difference d = {.what = "an error in a row"};
	Dwarf_Bool more = true;
	Dwarf_Addr row, next;
	Dwarf_Error error;

	for (uint64_t at = low; more && at < high; at = next) {
		their_unsigned relevant, reg, number;
		Dwarf_Small kind;
		their_block block;

		d.entry = at;
		if (!said(w,
			  dwarf_get_fde_info_for_cfa_reg3_b(fde, at, &kind, &relevant, &reg,
							    &number, &block, &row, &more, &next,
							    &error),
			  &error, d) ||
		    !said(w, dwarf_get_fde_info_for_all_regs3(fde, at, &table, &row, &error),
			  &error, d))
			return;
		if (!more)
			next = high;
		compare_row(w, at, &table, return_address);
		compare_row(w, next - 1, &table, return_address);
	}
}

static inline void compare_descriptions(struct witness *w, const Dwarf_Fde *list,
					Dwarf_Signed count)
{
	for (Dwarf_Signed i = 0; i < count; i++) {
		struct difference d = {.what = "an error in a description of frames"};
		Dwarf_Unsigned size, bytes, instructions_size, code_align;
		Dwarf_Half return_address, offset_size;
		Dwarf_Signed index, data_align;
		Dwarf_Off cie_at, at;
		their_bytes start, instructions;
		Dwarf_Small version;
		Dwarf_Error error;
		Dwarf_Addr low;
		Dwarf_Cie cie;
		char *letters;

		if (!said(w,
			  dwarf_get_fde_range(list[i], &low, &size, &start, &bytes, &cie_at, &index,
					      &at, &error),
			  &error, d) ||
		    !said(w, dwarf_get_cie_of_fde(list[i], &cie, &error), &error, d) ||
		    !said(w,
			  dwarf_get_cie_info_b(cie, &bytes, &version, &letters, &code_align,
					       &data_align, &return_address, &instructions,
					       &instructions_size, &offset_size, &error),
			  &error, d))
			continue;
		if (low) /* offset 0: dropped by the linker */
			compare_description(w, list[i], low, low + size, return_address);
	}
}

static inline void compare_frames(struct witness *w)
{
	typedef int list_of(Dwarf_Debug, Dwarf_Cie **, Dwarf_Signed *, Dwarf_Fde **, Dwarf_Signed *,
			    Dwarf_Error *);
	static list_of *const sections[] = {dwarf_get_fde_list_eh, dwarf_get_fde_list};

	dwarf_set_frame_rule_table_size(w->theirs, THEIR_REGISTERS);
	dwarf_set_frame_rule_initial_value(w->theirs, THEIR_UNSAID_IS_KNOWN ? UNSAID : SAME);
	dwarf_set_frame_undefined_value(w->theirs, UNDEFINED);
	dwarf_set_frame_same_value(w->theirs, SAME);
	dwarf_set_frame_cfa_value(w->theirs, CFA);
	for (size_t i = 0; i < 2; i++) {
		Dwarf_Signed cies, count;
		Dwarf_Error error;
		Dwarf_Cie *shared;
		Dwarf_Fde *list;

		if (!said(w, sections[i](w->theirs, &shared, &cies, &list, &count, &error), &error,
			  (struct difference){.what = "an error in the frames' section"}))
			continue;
		compare_descriptions(w, list, count);
		dwarf_dealloc_fde_cie_list(w->theirs, shared, cies, list, count);
	}
}

#endif
