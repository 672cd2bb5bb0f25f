/*
 * What a register held when a function was entered, as its caller knows: compilers describe calls
 * (DW_TAG_call_site, GNU's before DWARF 5) with what they pass, in terms of what lives on there.
 */
#include "tracer/dwarf/frames/call_site.h"
#include "tracer/dwarf/expressions/expression_internal.h"

#include <libdwarf/dwarf.h>

#include <string.h>

enum { SITES_MAX = 1 << 20, CHAIN_MAX = 16 };

static int unavailable(struct error *err, const char *why)
{
	return error_set(err, ERROR_STATE,
			 "optimised out at this line; its value at the function's entry is not "
			 "known: %s",
			 why);
}

/* ---- functions ------------------------------------------------------------------------------ */

int callsite_owner(struct module *m, uint64_t offset, struct call_owner *out, struct error *err)
{
	*out = (struct call_owner){.table = m ? dies_table(m, err) : NULL};
	if (!out->table)
		return unavailable(err, "no debug information");
	if (dies_function_at(out->table, offset, &out->scope, err) < 0)
		return -1;
	if (!out->scope.scope || !out->scope.scope->range_count)
		return unavailable(err, "no debug information");
	out->low = out->scope.unit->ranges.items[out->scope.scope->first_range].low;
	return 0;
}

static int owner_of(const struct dwarf_frame *f, struct call_owner *out, struct error *err)
{
	return callsite_owner(f->module, f->lookup_pc - f->bias, out, err);
}

int callsite_root(struct entry *e, struct error *err)
{
	for (int i = 0; i < CHAIN_MAX; i++) {
		uint64_t next = entry_ref(e, DW_AT_abstract_origin);

		if (!next)
			next = entry_ref(e, DW_AT_specification);
		if (!next)
			return 0;
		if (entry_read(e->table, next, e, err) < 0)
			return -1;
	}
	return unavailable(err, "a circle in the debug information");
}

const char *callsite_linkage(const struct entry *e)
{
	const char *name = entry_text(e, DW_AT_linkage_name);

	if (!name)
		name = entry_text(e, DW_AT_MIPS_linkage_name);
	return name ? name : entry_text(e, DW_AT_name);
}

/* Does the call go to this function? Across units and files the names tell. */
static int call_site_is_called(struct die_table *t, uint64_t origin,
			       const struct dwarf_frame *frame, const struct call_owner *callee,
			       bool *out, struct error *err)
{
	struct entry e, self;
	const char *name, *own;
	uint64_t at;

	*out = false;
	if (entry_read(t, origin, &e, err) < 0 || callsite_root(&e, err) < 0 ||
	    entry_read(callee->table, callee->scope.scope->offset, &self, err) < 0 ||
	    callsite_root(&self, err) < 0)
		return -1;
	name = callsite_linkage(&e);
	own = callsite_linkage(&self);
	if (t == callee->table && e.offset == self.offset)
		*out = true;
	else if (name && own && strcmp(name, own) == 0)
		*out = true;
	else if (name && module_symbol(frame->module, name, &at, NULL) == 0)
		*out = at == callee->low;
	return 0;
}

/* ---- the call ------------------------------------------------------------------------------- */

static bool is_site(unsigned tag)
{
	return tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site;
}

bool callsite_return(const struct entry *site, uint64_t *out)
{
	return entry_number(site, DW_AT_call_return_pc, out) ||
	       (site->tag == DW_TAG_GNU_call_site && entry_number(site, DW_AT_low_pc, out));
}

uint64_t callsite_origin(const struct entry *site)
{
	uint64_t origin = entry_ref(site, DW_AT_call_origin);

	return origin ? origin : entry_ref(site, DW_AT_abstract_origin);
}

struct call_walk callsite_walk(const struct call_owner *in)
{
	return (struct call_walk){.in = in, .at = in->scope.scope->offset};
}

int callsite_next(struct call_walk *w, struct entry *out, struct error *err)
{
	while (w->at && w->steps++ < SITES_MAX) {
		if (entry_read(w->in->table, w->at, out, err) < 0)
			return -1;
		w->at = out->next;
		if (is_site(out->tag)) {
			if (out->children && entry_skip(out, &w->at, err) < 0)
				return -1;
			return 1;
		}
		if (out->tag == 0 && w->depth)
			w->depth--;
		else if (out->children)
			w->depth++;
		if (w->depth == 0) /* the function's own end */
			w->at = 0;
	}
	return 0;
}

/* The call in this function that returns to the offset. */
static int find_site(const struct call_owner *caller, uint64_t offset, struct entry *out,
		     struct error *err)
{
	struct call_walk walk = callsite_walk(caller);
	uint64_t at;
	int more;

	while ((more = callsite_next(&walk, out, err)) > 0)
		if (callsite_return(out, &at) && at == offset)
			return 0;
	return more < 0 ? -1 : unavailable(err, "its caller does not say");
}

/* An indirect call may say where it goes. Else whoever was called is the one that is here, unless
   it left by a jump: that cannot be excluded. */
static int check_target(const struct expression *caller, const struct entry *site,
			const struct dwarf_frame *frame, const struct call_owner *callee,
			struct error *err)
{
	uint64_t origin = callsite_origin(site), target;
	const struct attr *a = entry_attr(site, DW_AT_call_target);
	bool same = false;

	if (!a)
		a = entry_attr(site, DW_AT_GNU_call_site_target);
	if (origin) {
		if (call_site_is_called(site->table, origin, frame, callee, &same, err) < 0)
			return -1;
	} else if (a && a->block) {
		if (expression_value(caller, a->block, a->size, NULL, &target, err) < 0)
			return -1;
		same = target - frame->bias == callee->low;
	}
	return same ? 0 : unavailable(err, "it was not called from there directly");
}

/* ---- what it passes ------------------------------------------------------------------------- */

/* What is asked for: the register of an expression, or (through) what it points to. */
struct wanted_parameter {
	uint64_t reg;
	bool through;
	uint64_t parameter; /* or the parameter with this entry */
};

static bool takes_register(struct cursor *c, unsigned op, uint64_t *reg)
{
	if (op >= DW_OP_reg0 && op <= DW_OP_reg31)
		*reg = op - DW_OP_reg0;
	else if (op == DW_OP_regx || op == DW_OP_regval_type || op == DW_OP_GNU_regval_type)
		*reg = cursor_uleb(c);
	else
		return false;
	if (op == DW_OP_regval_type || op == DW_OP_GNU_regval_type)
		cursor_uleb(c);
	return true;
}

/* DW_OP_breg 0, deref: what a pointer that was passed points to. */
static bool takes_pointee(struct cursor *c, unsigned op, uint64_t *reg)
{
	if (op < DW_OP_breg0 || op > DW_OP_breg31 || cursor_sleb(c) != 0)
		return false;
	*reg = op - DW_OP_breg0;
	op = (unsigned)cursor_fixed(c, 1);
	if (op == DW_OP_deref_size)
		cursor_fixed(c, 1);
	return op == DW_OP_deref || op == DW_OP_deref_size;
}

static bool understand(const uint8_t *code, size_t size, struct wanted_parameter *out)
{
	struct cursor c = {.at = code, .end = code + size};
	unsigned op;

	if (!size)
		return false;
	op = (unsigned)cursor_fixed(&c, 1);
	out->through = false;
	if (!takes_register(&c, op, &out->reg)) {
		out->through = true;
		if (!takes_pointee(&c, op, &out->reg))
			return false;
	}
	return !c.broken && c.at == c.end;
}

static bool is_parameter(const struct entry *e, const struct wanted_parameter *w)
{
	const struct attr *a = entry_attr(e, DW_AT_location);
	struct wanted_parameter other;
	uint64_t ref;

	if (e->tag != DW_TAG_call_site_parameter && e->tag != DW_TAG_GNU_call_site_parameter)
		return false;
	if (w->parameter) {
		ref = entry_ref(e, DW_AT_call_parameter);
		return (ref ? ref : entry_ref(e, DW_AT_abstract_origin)) == w->parameter;
	}
	return a && a->block && understand(a->block, a->size, &other) && !other.through &&
	       other.reg == w->reg;
}

static int find_parameter(const struct entry *site, const struct wanted_parameter *w,
			  struct entry *out, struct error *err)
{
	uint64_t next = 0;
	int more;

	while ((more = entry_child(site, &next, out, err)) > 0)
		if (is_parameter(out, w))
			return 0;
	return more < 0 ? -1 : unavailable(err, "its caller does not say");
}

static const struct attr *call_site_value_of(const struct entry *parameter, bool through)
{
	const struct attr *a =
		entry_attr(parameter, through ? DW_AT_call_data_value : DW_AT_call_value);

	if (!a)
		a = entry_attr(parameter, through ? DW_AT_GNU_call_site_data_value
						  : DW_AT_GNU_call_site_value);
	return a && a->block ? a : NULL;
}

static int ask_caller(const struct expression *m, const struct call_owner *callee,
		      const struct wanted_parameter *w, uint64_t *out, struct error *err)
{
	struct dwarf_frame up;
	struct expression expression = {.frame = &up, .depth = m->depth + 1};
	const struct attr *value;
	struct call_owner caller;
	struct entry e;
	int answer = dwarf_frame_up(m->frame, &up, err);

	if (answer < 0)
		return -1;
	if (!answer || up.lookup_pc == up.pc)
		return unavailable(err, "no function of the program called it");
	if (owner_of(&up, &caller, err) < 0 || find_site(&caller, up.pc - up.bias, &e, err) < 0)
		return -1;
	expression.program = up.program;
	expression.thread = up.thread;
	expression.module = up.module;
	expression.bias = up.bias;
	expression.unit = caller.scope.unit;
	expression.function = caller.scope.scope->offset;
	if (check_target(&expression, &e, m->frame, callee, err) < 0)
		return -1;
	struct entry parameter;

	if (find_parameter(&e, w, &parameter, err) < 0)
		return -1;
	value = call_site_value_of(&parameter, w->through);
	if (!value)
		return unavailable(err, "its caller does not say");
	return expression_value(&expression, value->block, value->size, NULL, out, err);
}

/* At the first instruction the registers still are as they were. */
static bool still_there(const struct dwarf_frame *f, const struct call_owner *callee,
			const struct wanted_parameter *w, uint64_t *out)
{
	if (w->parameter || w->through || f->lookup_pc != f->pc || f->pc - f->bias != callee->low ||
	    w->reg >= sizeof(f->regs) / sizeof(*f->regs) || !(f->known >> w->reg & 1))
		return false;
	*out = f->regs[w->reg];
	return true;
}

int callsite_value(const struct expression *m, const uint8_t *code, size_t size, uint64_t parameter,
		   uint64_t *out, struct error *err)
{
	struct wanted_parameter w = {.parameter = parameter};
	struct call_owner callee;

	if (m->depth > MACHINE_DEPTH)
		return unavailable(err, "it was handed on too often");
	if (!parameter && !understand(code, size, &w))
		return unavailable(err, "it was in no register");
	if (owner_of(m->frame, &callee, err) < 0)
		return -1;
	if (still_there(m->frame, &callee, &w, out))
		return 0;
	return ask_caller(m, &callee, &w, out, err);
}
