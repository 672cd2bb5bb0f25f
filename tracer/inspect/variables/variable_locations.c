/* Variable locations in words, for `gatectl lines`. No process is needed. */
#include "tracer/inspect/variables/variables.h"

#include "tracer/dwarf/units/units.h"

#include <libdwarf/dwarf.h>

#include <string.h>

struct location_list {
	const struct code_place *place;
	struct inspect_variables *out;
	ARRAY(uint64_t) origins; /* abstract origins of the listed variables */
};

/* ---- words for an expression ---------------------------------------------------------------- */

static void add_register(struct str *out, uint64_t n)
{
	const char *name = n <= DWARF_FS_BASE ? expression_register_name((unsigned)n) : NULL;

	if (name)
		str_add(out, name);
	else
		str_addf(out, "register %llu", (unsigned long long)n);
}

static void add_sum(struct str *out, uint64_t reg, int64_t add)
{
	add_register(out, reg);
	if (add)
		str_addf(out, "%+lld", (long long)add);
}

static void say_stack(struct str *out, uint64_t reg, int64_t add)
{
	bool stack = reg == ARCH_DWARF_SP || reg == ARCH_DWARF_FP;

	str_add(out, stack ? "on the stack at " : "in memory at ");
	add_sum(out, reg, add);
}

/* Adds with wrap-around: broken debug information may cause overflow. */
static int64_t sum(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Describes DW_OP_fbreg by the register of the frame base at this place, or else by the frame
   itself. */
static bool say_frame(const struct code_place *p, const struct variable *v, int64_t add,
		      struct str *out)
{
	const uint8_t *code;
	const struct attr *a;
	ERROR(ignored);
	struct entry e;
	struct cursor c;
	uint64_t op;
	unsigned reg;
	int64_t base;
	size_t size;

	if (!v->function || entry_read(p->table, v->function, &e, &ignored) < 0)
		return false;
	a = entry_attr(&e, DW_AT_frame_base);
	if (!a || loclist_find(&e, a, p->offset, &code, &size, &ignored) < 0 || !code)
		return false;
	c = (struct cursor){.at = code, .end = code + size};
	op = cursor_fixed(&c, 1);
	if (op == DW_OP_call_frame_cfa && dwarf_cfa(p->module, p->offset, &reg, &base)) {
		say_stack(out, reg, sum(base, add));
	} else if (op == DW_OP_call_frame_cfa) {
		str_addf(out, "on the stack at CFA%+lld", (long long)add);
	} else if (op >= DW_OP_reg0 && op <= DW_OP_reg31) {
		say_stack(out, op - DW_OP_reg0, add);
	} else if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		base = cursor_sleb(&c);
		say_stack(out, op - DW_OP_breg0, sum(base, add));
	} else {
		str_addf(out, "on the stack at the frame's base%+lld", (long long)add);
	}
	return !c.broken;
}

static bool say_constant(struct cursor *c, int64_t value, struct str *out)
{
	uint64_t op = cursor_fixed(c, 1);

	if (op == DW_OP_GNU_push_tls_address || op == DW_OP_form_tls_address)
		str_add(out, "thread-local");
	else if (op == DW_OP_stack_value && c->at == c->end)
		str_addf(out, "constant %lld", (long long)value);
	else
		return false;
	return !c->broken;
}

static bool say_entry_value(struct cursor *c, struct str *out)
{
	uint64_t size = cursor_uleb(c), op = cursor_fixed(c, 1);

	cursor_take(c, size ? size - 1 : 0);
	if (c->broken || cursor_fixed(c, 1) != DW_OP_stack_value || c->at != c->end)
		return false;
	str_add(out, "entry value");
	if (size == 1 && op >= DW_OP_reg0 && op <= DW_OP_reg31) {
		str_add(out, " of ");
		add_register(out, op - DW_OP_reg0);
	}
	str_add(out, " (caller's call site)");
	return true;
}

static bool say_sum(struct cursor *c, uint64_t reg, struct str *out)
{
	int64_t add = cursor_sleb(c);
	uint64_t op;

	if (c->at == c->end) {
		say_stack(out, reg, add);
		return true;
	}
	op = cursor_fixed(c, 1);
	if (op != DW_OP_stack_value || c->at != c->end)
		return false;
	str_add(out, "computed: ");
	add_sum(out, reg, add);
	return true;
}

static bool say_address(const struct variable *v, struct str *out)
{
	uint64_t offset;

	if (!variable_static_address(v, &offset))
		return false;
	/* printed as nm(1) does, unlike the address of a site */
	str_addf(out, "static, at %llx", (unsigned long long)offset);
	return true;
}

static bool say_simple(const struct code_place *p, const struct variable *v, struct cursor *c,
		       struct str *out)
{
	uint64_t op = cursor_fixed(c, 1);
	uint64_t constant;
	int64_t value;

	if (expression_constant(c, (unsigned)op, &constant))
		return say_constant(c, (int64_t)constant, out);
	if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
		return say_sum(c, op - DW_OP_breg0, out);
	if ((op >= DW_OP_reg0 && op <= DW_OP_reg31) || op == DW_OP_regx) {
		uint64_t reg = op == DW_OP_regx ? cursor_uleb(c) : op - DW_OP_reg0;

		str_add(out, "in ");
		add_register(out, reg);
		return c->at == c->end;
	}
	switch (op) {
	case DW_OP_fbreg:
		value = cursor_sleb(c);
		return c->at == c->end && say_frame(p, v, value, out);
	case DW_OP_addr:
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		return say_address(v, out);
	case DW_OP_implicit_value:
		str_add(out, "constant");
		return true;
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		str_add(out, "a pointer that was dropped; what it points to is kept");
		return true;
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return say_entry_value(c, out);
	default:
		return false;
	}
}

/* Describes consecutive pieces in registers. Returns false if there is another kind of piece. */
static bool say_pieces(struct cursor c, struct str *out)
{
	int count = 0;

	while (c.at < c.end && !c.broken) {
		uint64_t op = cursor_fixed(&c, 1);

		str_add(out, count++ ? " and " : "in ");
		if (op >= DW_OP_reg0 && op <= DW_OP_reg31) {
			add_register(out, op - DW_OP_reg0);
			op = cursor_fixed(&c, 1);
		} else {
			str_add(out, "nothing");
		}
		if (op != DW_OP_piece)
			return false;
		cursor_uleb(&c);
	}
	str_add(out, " (pieces)");
	return count > 0 && !c.broken;
}

static void say_place(const struct code_place *p, const struct variable *v, struct str *out)
{
	const struct cursor whole = {.at = v->code, .end = v->code + v->size};
	struct cursor c = whole;

	if (say_simple(p, v, &c, out) && !c.broken)
		return;
	str_clear(out);
	if (say_pieces(whole, out))
		return;
	str_clear(out);
	str_add(out, memchr(v->code, DW_OP_piece, v->size) ? "in pieces" : "computed");
}

static void say_dropped(const struct code_place *p, const struct variable *v, struct str *out)
{
	STR(where);

	str_add(out, "optimised out");
	if (variable_nearest(p, v->entry, &where))
		str_addf(out, " (lives at %s)", str_text(&where));
}

static void describe_location(const struct code_place *p, const struct variable *v, struct str *out)
{
	switch (v->kind) {
	case VARIABLE_PLACED:
		say_place(p, v, out);
		break;
	case VARIABLE_CONSTANT:
		if (v->code)
			str_add(out, "constant");
		else
			str_addf(out, "constant %lld", (long long)v->number);
		break;
	default:
		say_dropped(p, v, out);
	}
}

/* ---- the list ------------------------------------------------------------------------------- */

static void note_origins(struct location_list *h, const struct entry *e)
{
	struct entry at = *e;
	ERROR(ignored);
	uint64_t origin;

	for (int i = 0; i < ORIGINS_MAX; i++) {
		origin = entry_ref(&at, DW_AT_abstract_origin);
		if (!origin || entry_read(at.table, origin, &at, &ignored) < 0)
			return;
		*array_add(&h->origins) = origin;
	}
}

/* True if a listed variable of an inner block is a copy of this one. */
static bool is_listed(const struct location_list *h, const struct local *l)
{
	array_each(const uint64_t, origin, &h->origins) {
		if (l->absent && *origin == l->entry->offset)
			return true;
	}
	return false;
}

static bool is_on_stack(const struct attr *location)
{
	uint8_t op = location && location->block && location->size ? *location->block : 0;

	return op == DW_OP_fbreg || (op >= DW_OP_breg0 && op <= DW_OP_breg31);
}

static unsigned declared_line(const struct local *l)
{
	struct entry holder;
	const struct attr *a;
	ERROR(ignored);

	if (l->argument || !is_on_stack(entry_attr(l->entry, DW_AT_location)))
		return 0;
	a = entry_inherited(l->entry, DW_AT_decl_line, &holder, &ignored);
	return a && a->number < UINT32_MAX ? (unsigned)a->number : 0;
}

static int add_location(struct local_walk *w, const struct local *l, struct error *err)
{
	struct location_list *h = w->ctx;
	struct str type = {0}, where = {0};
	struct inspect_variable *one;
	struct variable v;

	if (!l->name || !*l->name || is_listed(h, l))
		return 0;
	note_origins(h, l->entry);
	if (variable_of_local(h->place, l, &v, err) < 0)
		return -1;
	type_spell(v.type, &type);
	if (v.kind == VARIABLE_OPTIMISED_OUT && entry_flag(l->entry, DW_AT_declaration))
		str_add(&where, "declared here, defined elsewhere");
	else
		describe_location(h->place, &v, &where);
	one = array_add(h->out);
	one->name = l->name;
	one->type = str_take(&type);
	one->where = str_take(&where);
	one->argument = l->argument;
	one->declared = declared_line(l);
	one->optimised_out = v.kind == VARIABLE_OPTIMISED_OUT;
	return 0;
}

/* Finds the depth of the function or copy that the tester means. Copies further in are left out. */
static int depth_of(struct module *m, uint64_t offset, uint64_t scope, unsigned *out,
		    struct error *err)
{
	struct scope_ref stack[FUNCTIONS_DEEP];
	struct die_table *t = dies_table(m, err);
	int count = t ? functions_stack(t, offset, stack, err) : -1;
	int which = functions_which(t, stack, count, scope);

	*out = which > 0 ? (unsigned)which : 0;
	return count;
}

static void place_line(struct code_place *p)
{
	const struct die_unit *u = p->self.unit;
	const struct line_row *row;
	struct line_unit *l;
	ERROR(ignored);

	if (!u || !u->has_stmt_list || !p->module->lines)
		return;
	l = lines_unit_at(p->module->lines, u->stmt_list);
	if (!l || lines_decode(p->module, l, &ignored) < 0)
		return;
	row = lines_row_at(l, p->offset);
	if (!row)
		return;
	p->file = lines_file(l, row->file);
	p->line = row->line;
}

int inspect_variables_at(struct module *m, uint64_t offset, uint64_t scope,
			 struct inspect_variables *out, struct error *err)
{
	struct code_place p;
	struct location_list h = {.place = &p, .out = out};
	struct local_walk w = {.found = add_location, .ctx = &h};
	unsigned depth;
	int answer = 0;

	memset(out, 0, sizeof(*out));
	if (depth_of(m, offset, scope, &depth, err) < 0 ||
	    place_find(m, offset, depth, &p, err) < 0)
		return -1;
	place_line(&p);
	for (size_t i = 0; i < p.count && answer == 0; i++)
		answer = place_walk(&p, i, &w, err);
	array_fini(&h.origins);
	if (answer < 0)
		inspect_variables_fini(out);
	return answer;
}

void inspect_variables_fini(struct inspect_variables *h)
{
	array_each(struct inspect_variable, one, h) {
		base_free(one->type);
		base_free(one->where);
	}
	array_fini(h);
}
