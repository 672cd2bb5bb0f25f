/* Operations that need the frame, the program, or other DIEs. */
#include "tracer/dwarf/expressions/expression_internal.h"
#include "tracer/dwarf/frames/frames.h"

#include <libdwarf/dwarf.h>

#include <string.h>

static const struct dwarf_program *program_of(const struct evaluation *r)
{
	return r->m->frame ? r->m->frame->program : r->m->program;
}

static void *expression_places_thread_of(const struct evaluation *r)
{
	return r->m->frame ? r->m->frame->thread : r->m->thread;
}

/* ---- registers and memory ------------------------------------------------------------------- */

static bool is_tls_next(const struct cursor *c)
{
	return c->at < c->end &&
	       (*c->at == DW_OP_form_tls_address || *c->at == DW_OP_GNU_push_tls_address);
}

static enum run_answer wide_register(const struct evaluation *r, unsigned n, uint64_t *out)
{
	const struct dwarf_frame *f = r->m->frame;

	/* FS_BASE alone is the same in all frames. */
	if ((f->level == 0 || n == DWARF_FS_BASE) && f->program && f->program->vector &&
	    f->program->vector(f->program->ctx, f->thread, n, out, sizeof(*out)) == 0)
		return RUN_DONE;
	return run_fails(r, "register %s is not known in this frame",
			 expression_register_name(n) ? expression_register_name(n)
						     : "with an unknown number");
}

enum run_answer run_register_value(const struct evaluation *r, uint64_t n, uint64_t *out)
{
	const struct dwarf_frame *f = r->m->frame;

	if (!f)
		return run_fails(r,
				 "its place depends on a register: there is no thread to look at");
	if (n > DWARF_FS_BASE)
		return run_broken(r, "an unknown register");
	if (n >= sizeof(f->regs) / sizeof(*f->regs))
		return wide_register(r, (unsigned)n, out);
	if (!(f->known >> n & 1))
		return run_fails(
			r, "register %s is not known in this frame: what it called did not keep it",
			expression_register_name((unsigned)n));
	*out = f->regs[n];
	return RUN_DONE;
}

static enum run_answer run_memory(const struct evaluation *r, uint64_t address, size_t size,
				  uint64_t *out)
{
	const struct dwarf_program *p = program_of(r);

	if (size == 0 || size > sizeof(*out))
		return run_broken(r, "a read of no word");
	*out = 0;
	if (p && p->read(p->ctx, address, out, size) == 0)
		return RUN_DONE;
	return run_fails(r, "cannot read memory at 0x%llx", (unsigned long long)address);
}

enum run_answer run_deref(struct evaluation *r, size_t size, struct number_type type)
{
	struct number address;
	uint64_t low, high = 0;

	if (run_pop(r, &address) < 0 ||
	    run_memory(r, (uint64_t)address.bits, size == 16 ? 8 : size, &low) < 0 ||
	    (size == 16 && run_memory(r, (uint64_t)address.bits + 8, 8, &high) < 0))
		return RUN_BROKEN;
	return run_push(r, number_make(type, (unsigned __int128)high << 64 | low));
}

enum run_answer run_tls(struct evaluation *r)
{
	const struct dwarf_program *p = program_of(r);
	struct number offset;
	uint64_t base;

	if (run_pop(r, &offset) < 0)
		return RUN_BROKEN;
	if (!p || !p->tls || !r->m->module ||
	    p->tls(p->ctx, expression_places_thread_of(r), r->m->module, &base) < 0)
		return run_fails(r, "a thread-local variable that this thread has not made yet");
	return run_push(r, number_generic(base + (uint64_t)offset.bits));
}

enum run_answer run_address(struct evaluation *r, struct cursor *c, unsigned op)
{
	struct attr v = {.form = DW_FORM_addrx};
	const struct die_unit *u = r->m->unit;
	struct die_table *t;
	uint64_t address;

	if (op == DW_OP_addr)
		return run_push(
			r, number_generic(cursor_fixed(c, u ? u->address_size : 8) + r->m->bias));
	v.number = cursor_uleb(c);
	t = r->m->module ? dies_table(r->m->module, r->err) : NULL;
	if (!t || !u || !die_address(t, u, &v, &address))
		return run_broken(r, "an unknown address in .debug_addr");
	if (op == DW_OP_addrx || op == DW_OP_GNU_addr_index)
		address += r->m->bias;
	else if (is_tls_next(c) && address - r->m->module->tls.p_vaddr < r->m->module->tls.p_memsz)
		address -= r->m->module->tls.p_vaddr; /* gcc omits to mark it as an offset */
	return run_push(r, number_generic(address));
}

/* ---- frame bases and other DIEs ------------------------------------------------------------- */

static struct die_table *expression_places_table_of(const struct evaluation *r)
{
	return r->m->module ? dies_table(r->m->module, r->err) : NULL;
}

/* Finds the expression of a location attribute at the frame's pc. Returns RUN_NOT_MINE if there is
   none. */
static enum run_answer find_code(const struct evaluation *r, const struct entry *e, unsigned name,
				 const uint8_t **code, size_t *size)
{
	const struct attr *a = entry_attr(e, name);
	uint64_t offset = r->m->frame ? r->m->frame->lookup_pc - r->m->bias : 0;

	*code = NULL;
	*size = 0;
	if (a && loclist_find(e, a, offset, code, size, r->err) < 0)
		return RUN_BROKEN;
	return *code && *size ? RUN_DONE : RUN_NOT_MINE;
}

enum run_answer run_frame_base(struct evaluation *r, uint64_t *out)
{
	struct die_table *t = r->m->function ? expression_places_table_of(r) : NULL;
	struct expression inner = *r->m;
	const uint8_t *code;
	enum run_answer answer;
	struct entry e;
	size_t size;

	if (!t || !r->m->frame)
		return run_fails(r, "its place depends on a frame: there is no thread to look at");
	if (entry_read(t, r->m->function, &e, r->err) < 0)
		return RUN_BROKEN;
	answer = find_code(r, &e, DW_AT_frame_base, &code, &size);
	if (answer == RUN_NOT_MINE)
		return run_broken(r, "a function without a frame base");
	if (answer < 0)
		return RUN_BROKEN;
	inner.depth++;
	return expression_value(&inner, code, size, NULL, out, r->err) < 0 ? RUN_BROKEN : RUN_DONE;
}

/* DW_OP_call: runs another DIE's location on this stack. A DIE without one does nothing. */
static enum run_answer expression_places_call(struct evaluation *r, uint64_t offset)
{
	struct die_table *t = expression_places_table_of(r);
	const uint8_t *code;
	enum run_answer answer;
	struct entry e;
	size_t size;

	if (!t || entry_read(t, offset, &e, r->err) < 0)
		return RUN_BROKEN;
	if (++r->calls > MACHINE_DEPTH)
		return run_broken(r, "calls that are nested too deeply");
	answer = find_code(r, &e, DW_AT_location, &code, &size);
	if (answer == RUN_DONE)
		answer = run_code(r, code, size);
	r->calls--;
	return answer < 0 ? RUN_BROKEN : RUN_DONE;
}

/* Returns the size of a scalar variable in bytes, 0 if unknown. */
static uint64_t size_of_entry(struct entry *e, struct error *err)
{
	for (int i = 0; i < 16; i++) {
		uint64_t size, type;

		if (entry_number(e, DW_AT_byte_size, &size))
			return size;
		if (e->tag == DW_TAG_pointer_type)
			return e->unit->address_size;
		type = entry_ref(e, DW_AT_type);
		if (!type || entry_read(e->table, type, e, err) < 0)
			return 0;
	}
	return 0;
}

/* DW_OP_GNU_variable_value: pushes the value of another variable. */
static enum run_answer variable_value(struct evaluation *r, uint64_t offset)
{
	struct die_table *t = expression_places_table_of(r);
	struct expression inner = *r->m;
	struct piece p[EXPRESSION_PIECES];
	const uint8_t *code;
	struct entry e;
	uint64_t size, value;
	size_t length;

	if (!t || entry_read(t, offset, &e, r->err) < 0)
		return RUN_BROKEN;
	if (find_code(r, &e, DW_AT_location, &code, &length) <= 0)
		return run_broken(r, "a variable that is optimised out");
	size = size_of_entry(&e, r->err);
	inner.depth++;
	if (expression_run(&inner, code, length, NULL, p, r->err) != 1)
		return run_broken(r, "a variable that is in pieces");
	if (p[0].kind == PIECE_MEMORY && run_memory(r, p[0].number, size, &value) < 0)
		return RUN_BROKEN;
	if (p[0].kind != PIECE_MEMORY &&
	    expression_value(&inner, code, length, NULL, &value, r->err) < 0)
		return RUN_BROKEN;
	return run_push(r, number_generic(value));
}

/* Finds the function of the frame, whose call sites or parameters are needed. */
static int owner_of(const struct dwarf_frame *f, struct call_owner *out, struct error *err)
{
	return callsite_owner(f->module, f->lookup_pc - f->bias, out, err);
}

/* Sets *out if the call goes to this function. Names decide across units and files. */
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

/* Finds the call site in this function that returns to the offset. */
static int find_site(const struct call_owner *caller, uint64_t offset, struct entry *out,
		     struct error *err)
{
	struct call_walk walk = callsite_walk(caller);
	uint64_t at;
	int more;

	while ((more = callsite_next(&walk, out, err)) > 0)
		if (callsite_return(out, &at) && at == offset)
			return 0;
	return more < 0 ? -1 : callsite_unavailable(err, "its call site does not give it");
}

/* Checks that the call site names this callee. An indirect call may give its target. Otherwise the
   callee may have left by a tail call to this function, so nothing is known. */
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
	return same ? 0 : callsite_unavailable(err, "the call before it is to another function");
}

/* ---- parameters of a call site -------------------------------------------------------------- */

/* The parameter that is asked for. */
struct wanted_parameter {
	uint64_t reg;
	bool through;	    /* the value that it points to */
	uint64_t parameter; /* DIE of the parameter, instead of `reg` */
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

/* DW_OP_breg 0, deref: the pointee of a pointer that was passed. */
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
	return more < 0 ? -1 : callsite_unavailable(err, "its call site does not give it");
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
		return callsite_unavailable(err, "no function of the program called it");
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
		return callsite_unavailable(err, "its call site does not give it");
	return expression_value(&expression, value->block, value->size, NULL, out, err);
}

/* At a function's first instruction, registers have their entry values. */
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
		return callsite_unavailable(err, "too many callers passed it on");
	if (!parameter && !understand(code, size, &w))
		return callsite_unavailable(err, "it was not in a register");
	if (owner_of(m->frame, &callee, err) < 0)
		return -1;
	if (still_there(m->frame, &callee, &w, out))
		return 0;
	return ask_caller(m, &callee, &w, out, err);
}

static enum run_answer entry_value(struct evaluation *r, struct cursor *c)
{
	uint64_t size = cursor_uleb(c), value;
	const uint8_t *code = c->at;

	cursor_take(c, size);
	if (c->broken)
		return RUN_DONE; /* the loop reports it */
	if (!r->m->frame)
		return run_fails(r,
				 "its place depends on the caller: there is no thread to look at");
	if (callsite_value(r->m, code, size, 0, &value, r->err) < 0)
		return RUN_BROKEN;
	return run_push(r, number_generic(value));
}

static enum run_answer parameter(struct evaluation *r, uint64_t offset)
{
	uint64_t value;

	if (!r->m->frame)
		return run_broken(r, "it needs a frame");
	if (callsite_value(r->m, NULL, 0, offset, &value, r->err) < 0)
		return RUN_BROKEN;
	return run_push(r, number_generic(value));
}

enum run_answer run_other(struct evaluation *r, struct cursor *c, unsigned op)
{
	const struct die_unit *u = r->m->unit;
	unsigned size = u && u->version > 2 ? u->offset_size : 8;

	if (op == DW_OP_entry_value || op == DW_OP_GNU_entry_value)
		return entry_value(r, c);
	if (!u)
		return RUN_NOT_MINE;
	switch (op) {
	case DW_OP_call2:
		return expression_places_call(r, u->offset + cursor_fixed(c, 2));
	case DW_OP_call4:
		return expression_places_call(r, u->offset + cursor_fixed(c, 4));
	case DW_OP_call_ref:
		return expression_places_call(r, u->ref_base + cursor_fixed(c, size));
	case DW_OP_GNU_variable_value:
		return variable_value(r, u->ref_base + cursor_fixed(c, size));
	case DW_OP_GNU_parameter_ref:
		return parameter(r, u->offset + cursor_fixed(c, 4));
	default:
		return RUN_NOT_MINE;
	}
}

/* ---- base types ----------------------------------------------------------------------------- */

static enum run_answer base_type(struct evaluation *r, uint64_t relative, struct number_type *out)
{
	struct die_table *t = expression_places_table_of(r);
	uint64_t size = 0, encoding = 0;
	struct entry e;

	*out = (struct number_type){NUMBER_GENERIC, 8};
	if (!relative)
		return RUN_DONE;
	if (!t || !r->m->unit)
		return run_broken(r, "it needs a unit");
	if (entry_read(t, r->m->unit->offset + relative, &e, r->err) < 0)
		return RUN_BROKEN;
	entry_number(&e, DW_AT_encoding, &encoding);
	entry_number(&e, DW_AT_byte_size, &size);
	out->size = (uint8_t)size;
	if (encoding == DW_ATE_float)
		out->kind = NUMBER_FLOAT;
	else if (encoding == DW_ATE_signed || encoding == DW_ATE_signed_char)
		out->kind = NUMBER_SIGNED;
	else
		out->kind = NUMBER_UNSIGNED;
	if (e.tag != DW_TAG_base_type || size == 0 || size > 16)
		return run_broken(r, "a type too large to calculate with");
	if (out->kind == NUMBER_FLOAT && size != 4 && size != 8)
		return run_broken(r, "a float of an unknown size");
	return RUN_DONE;
}

static enum run_answer expression_places_constant(struct evaluation *r, struct cursor *c)
{
	struct number_type type;
	unsigned __int128 bits;
	uint64_t size;

	if (base_type(r, cursor_uleb(c), &type) < 0)
		return RUN_BROKEN;
	size = cursor_fixed(c, 1);
	if (size > 16)
		return run_broken(r, "a type too large to calculate with");
	bits = cursor_fixed(c, (unsigned)(size > 8 ? 8 : size));
	if (size > 8)
		bits |= (unsigned __int128)cursor_fixed(c, (unsigned)size - 8) << 64;
	return run_push(r, number_make(type, bits));
}

static enum run_answer from_register(struct evaluation *r, struct cursor *c)
{
	uint64_t n = cursor_uleb(c), bits;
	struct number_type type;

	if (base_type(r, cursor_uleb(c), &type) < 0 || run_register_value(r, n, &bits) < 0)
		return RUN_BROKEN;
	if (type.size > sizeof(bits))
		return run_broken(r, "a type larger than the register");
	return run_push(r, number_make(type, bits));
}

static enum run_answer from_memory(struct evaluation *r, struct cursor *c)
{
	uint64_t size = cursor_fixed(c, 1);
	struct number_type type;

	if (base_type(r, cursor_uleb(c), &type) < 0)
		return RUN_BROKEN;
	return run_deref(r, size, type);
}

static enum run_answer convert(struct evaluation *r, struct cursor *c, bool bits_only)
{
	struct number_type type;
	struct number n;

	if (base_type(r, cursor_uleb(c), &type) < 0 || run_pop(r, &n) < 0)
		return RUN_BROKEN;
	return run_push(r, bits_only ? number_make(type, n.bits) : number_convert(n, type));
}

enum run_answer run_typed(struct evaluation *r, struct cursor *c, unsigned op)
{
	switch (op) {
	case DW_OP_const_type:
	case DW_OP_GNU_const_type:
		return expression_places_constant(r, c);
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
		return from_register(r, c);
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type:
		return from_memory(r, c);
	case DW_OP_convert:
	case DW_OP_GNU_convert:
		return convert(r, c, false);
	case DW_OP_reinterpret:
	case DW_OP_GNU_reinterpret:
		return convert(r, c, true);
	default:
		return RUN_NOT_MINE;
	}
}
