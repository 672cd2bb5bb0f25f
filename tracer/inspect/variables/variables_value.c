/* Values of variables: from memory, registers, constants, and pieces of these. */
#include "tracer/inspect/variables/variables.h"

#include <libdwarf/dwarf.h>

#include <string.h>

enum { POINTEES_MAX = 4 }; /* dropped pointers to dropped pointers */

/* ---- expression ----------------------------------------------------------------------------- */

/* Finds the load address of the variable's module. Returns -1 if it is not loaded. */
static int bias_of(const struct variable_context *c, const struct variable *v, uint64_t *bias)
{
	struct module *m;

	if (c->frame && c->frame->module == v->module) {
		*bias = c->frame->bias;
		return 0;
	}
	for (size_t i = 0; (m = dwarf_module(c->program, i, bias)); i++)
		if (m == v->module)
			return 0;
	return -1;
}

static int not_loaded(const struct variable *v, struct error *err)
{
	return error_set(err, ERROR_STATE, "%s: %s is not loaded", v->name ? v->name : "a variable",
			 module_name(v->module));
}

static void expression_of(const struct variable_context *c, const struct variable *v, uint64_t bias,
			  struct expression *out)
{
	memset(out, 0, sizeof(*out));
	out->frame = c->frame && c->frame->module == v->module ? c->frame : NULL;
	out->program = c->program;
	out->thread = c->thread;
	out->module = v->module;
	out->bias = bias;
	out->unit = v->unit;
	out->function = v->function;
}

bool variable_static_address(const struct variable *v, uint64_t *offset)
{
	const struct variable_context nothing = {.program = NULL};
	struct piece p[EXPRESSION_PIECES];
	ERROR(ignored);
	struct expression m;

	if (v->kind == VARIABLE_ADDRESS) {
		if (offset)
			*offset = v->number;
		return true;
	}
	if (v->kind != VARIABLE_PLACED)
		return false;
	expression_of(&nothing, v, 0, &m);
	if (expression_run(&m, v->code, v->size, NULL, p, &ignored) != 1 ||
	    p->kind != PIECE_MEMORY || p->bits)
		return false;
	if (offset)
		*offset = p->number;
	return true;
}

/* ---- registers ------------------------------------------------------------------------------ */

/* Reads a register. Returns its size in bytes, 0 if its value is not known in this frame. */
static size_t register_bytes(const struct variable_context *c, uint64_t n, uint8_t out[16])
{
	const struct dwarf_frame *f = c->frame;
	size_t size = n >= DWARF_ST0 ? 10 : 16;

	if (!f)
		return 0;
	if (n < sizeof(f->regs) / sizeof(*f->regs)) {
		memcpy(out, &f->regs[n], 8);
		return f->known >> n & 1 ? 8 : 0;
	}
	if (f->level != 0 || n > DWARF_FS_BASE || !c->program || !c->program->vector)
		return 0;
	if (n == DWARF_FS_BASE)
		size = 8;
	return c->program->vector(c->program->ctx, c->thread, (unsigned)n, out, size) < 0 ? 0
											  : size;
}

/* Makes a value of a register. Returns 1 if the register is not known. */
static int from_register(const struct variable_context *c, const struct variable *v,
			 const struct piece *p, struct inspect_value *out)
{
	uint8_t bytes[16] = {0};
	size_t n = register_bytes(c, p->number, bytes);
	size_t shift = p->bits ? (size_t)(p->bit_offset / 8) : 0;

	if (!n || shift >= n)
		return 1;
	n -= shift;
	if (n == 10 && v->type->size == sizeof(bytes)) /* x87: the rest is padding */
		n = sizeof(bytes);
	if (v->type->size && n > v->type->size)
		n = (size_t)v->type->size;
	*out = value_of_bytes(c->program, v->type, bytes + shift, n);
	if (c->frame->level == 0 && n == v->type->size && shift == 0 && p->number < DWARF_ST0) {
		out->reg = (uint8_t)p->number;
		out->thread = c->thread;
	}
	return 0;
}

/* ---- a dropped pointer whose pointee is known ----------------------------------------------- */

static int variables_value_pointee(const struct variable_context *c, const struct variable *v,
				   const struct piece *p, struct inspect_value *out,
				   struct error *err)
{
	struct inspect_value whole;
	struct variable to;
	uint64_t offset = c->frame ? c->frame->lookup_pc - c->frame->bias : 0, address, add;
	struct entry e;
	int answer;

	if (c->depth >= POINTEES_MAX)
		return 1;
	if (entry_read(v->module->dies, p->number, &e, err) < 0 ||
	    variable_of_entry(&e, offset, &to, err) < 0)
		return -1;
	to.function = v->function;
	struct variable_context inner = *c;

	inner.depth++;
	answer = to.kind == VARIABLE_OPTIMISED_OUT ? 1 : variable_value(&inner, &to, &whole, err);
	if (answer != 0)
		return answer;
	if (whole.place == INSPECT_IN_MEMORY) {
		address = whole.address + (uint64_t)p->add;
		*out = value_of_bytes(c->program, v->type, &address, sizeof(address));
		return 0;
	}
	add = (uint64_t)p->add;
	if (whole.place != INSPECT_IN_BYTES || add >= whole.size)
		return 1;
	*out = whole;
	out->type = v->type;
	out->place = INSPECT_POINTEE;
	out->reg = INSPECT_NO_REGISTER;
	out->size = (uint16_t)(whole.size - add);
	memcpy(out->bytes, whole.bytes + add, out->size);
	memcpy(out->kept, whole.kept + add, out->size);
	return 0;
}

/* ---- pieces --------------------------------------------------------------------------------- */

/* True if all pieces are in memory without a gap, so that the value has an address. */
static bool is_contiguous(const struct variable *v, const struct piece *p, int count)
{
	uint64_t bits = 0;

	for (int i = 0; i < count; i++) {
		if (p[i].kind != PIECE_MEMORY || p[i].bits % 8 || p[i].bit_offset % 8)
			return false;
		if (i > 0 && p[i].number + p[i].bit_offset / 8 !=
				     p[i - 1].number + (p[i - 1].bit_offset + p[i - 1].bits) / 8)
			return false;
		bits += p[i].bits;
	}
	return bits / 8 >= v->type->size; /* trailing bytes may have been dropped */
}

/* Reads at most `size` bytes of a piece, from its first byte on. Returns their count, 0 if the
   piece was dropped, or -1 with *err set. */
static int piece_bytes(const struct variable_context *c, const struct piece *p, uint8_t *out,
		       size_t size, struct error *err)
{
	uint64_t from = p->bit_offset / 8;
	uint8_t whole[16];
	size_t n = 0;

	switch (p->kind) {
	case PIECE_MEMORY:
		if (c->program->read(c->program->ctx, p->number + from, out, size) < 0)
			return error_set(err, ERROR_STATE, "cannot read memory at 0x%llx",
					 (unsigned long long)(p->number + from));
		return (int)size;
	case PIECE_REGISTER:
		n = register_bytes(c, p->number, whole);
		break;
	case PIECE_VALUE:
		n = sizeof(p->number);
		memcpy(whole, &p->number, n);
		if (p->is_wide)
			memcpy(whole + n, &p->high, sizeof(p->high));
		n += p->is_wide ? sizeof(p->high) : 0;
		break;
	case PIECE_BYTES:
		n = from < p->size ? p->size - (size_t)from : 0;
		n = n < size ? n : size;
		if (n)
			memcpy(out, p->bytes + from, n);
		return (int)n;
	default:
		return 0;
	}
	n = from < n ? n - (size_t)from : 0;
	n = n < size ? n : size;
	memcpy(out, whole + from, n);
	return (int)n;
}

/* Copies bits of `in`, from bit `shift` on, to bit `at` of the value. */
static void put_bits(struct inspect_value *v, uint64_t at, const uint8_t *in, unsigned shift,
		     uint64_t bits)
{
	for (uint64_t i = 0; i < bits && at + i < INSPECT_BYTES * 8u; i++) {
		uint64_t from = shift + i, to = at + i;
		uint8_t mask = (uint8_t)(1u << to % 8);

		if (in[from / 8] >> from % 8 & 1)
			v->bytes[to / 8] |= mask;
		v->kept[to / 8] |= mask;
	}
}

static bool any_kept(const struct inspect_value *v)
{
	for (size_t i = 0; i < sizeof(v->kept); i++) {
		if (v->kept[i])
			return true;
	}
	return false;
}

static int put_together(const struct variable_context *c, const struct variable *v,
			const struct piece *p, int count, struct inspect_value *out,
			struct error *err)
{
	uint8_t in[INSPECT_BYTES + 8];
	static const uint8_t zeros[INSPECT_BYTES];
	uint64_t at = 0, size = v->type->size < INSPECT_BYTES ? v->type->size : INSPECT_BYTES;

	*out = value_of_bytes(c->program, v->type, zeros, (size_t)size);
	out->size = (uint16_t)size;
	memset(out->kept, 0, sizeof(out->kept));
	for (int i = 0; i < count && at < size * 8; i++) {
		uint64_t bits = p[i].bits ? p[i].bits : size * 8;
		unsigned shift = (unsigned)(p[i].bit_offset % 8);
		int n;

		if (bits > size * 8 - at)
			bits = size * 8 - at;
		n = piece_bytes(c, &p[i], in, (size_t)((shift + bits + 7) / 8), err);
		if (n < 0)
			return -1;
		if ((uint64_t)n * 8 < shift + bits)
			put_bits(out, at, in, shift, n ? (uint64_t)n * 8 - shift : 0);
		else
			put_bits(out, at, in, shift, bits);
		at += bits;
	}
	return any_kept(out) ? 0 : 1;
}

static int from_piece(const struct variable_context *c, const struct variable *v,
		      const struct piece *p, struct inspect_value *out, struct error *err)
{
	switch (p->kind) {
	case PIECE_MEMORY:
		*out = value_in_memory(c->program, v->type, p->number + p->bit_offset / 8);
		return 0;
	case PIECE_REGISTER:
		return from_register(c, v, p, out);
	case PIECE_POINTEE:
		return variables_value_pointee(c, v, p, out, err);
	default:
		return put_together(c, v, p, 1, out, err);
	}
}

static int variable_from_pieces(const struct variable_context *c, const struct variable *v,
				const struct piece *p, int count, struct inspect_value *out,
				struct error *err)
{
	bool whole = count == 1 && (!p->bits || p->bits >= v->type->size * 8);

	if (count == 0)
		return 1;
	if (whole && p->bit_offset % 8 == 0)
		return from_piece(c, v, p, out, err);
	if (is_contiguous(v, p, count)) {
		*out = value_in_memory(c->program, v->type, p->number + p->bit_offset / 8);
		return 0;
	}
	return put_together(c, v, p, count, out, err);
}

/* ---- values --------------------------------------------------------------------------------- */

static int placed(const struct variable_context *c, const struct variable *v, uint64_t bias,
		  struct inspect_value *out, struct error *err)
{
	struct piece p[EXPRESSION_PIECES];
	struct variable sized = *v;
	struct expression m;
	int count;

	expression_of(c, v, bias, &m);
	sized.type = variable_array(&m, c, v->type, err);
	if (!sized.type)
		return -1;
	count = expression_run(&m, v->code, v->size, NULL, p, err);
	return count < 0 ? -1 : variable_from_pieces(c, &sized, p, count, out, err);
}

static int variables_value_constant(const struct variable_context *c, const struct variable *v,
				    struct inspect_value *out)
{
	size_t size = v->type->size && v->type->size < INSPECT_BYTES ? (size_t)v->type->size
								     : INSPECT_BYTES;
	uint8_t bytes[INSPECT_BYTES] = {0};

	/* A number fills its type; bytes that its form lacks are zeros or copies of its sign. */
	if (!v->code && size > 8) {
		memset(bytes, v->number >> 63 ? 0xff : 0, sizeof(bytes));
		size = size <= 16 ? size : 8;
	}
	if (!v->code)
		memcpy(bytes, &v->number, sizeof(v->number));
	if (v->code && size > v->size)
		size = v->size;
	if (v->code && size)
		memcpy(bytes, v->code, size);
	*out = value_of_bytes(c->program, v->type, bytes, size);
	return size ? 0 : 1;
}

static int variables_value_member(const struct variable_context *c, const struct variable *v,
				  struct inspect_value *out, struct error *err)
{
	struct inspect_value object;
	int answer = variable_value(c, v->object, &object, err);

	if (answer != 0)
		return answer;
	if (!v->path[1])
		return inspect_field(&object, v->path[0], out, err);
	struct inspect_value captured;

	if (inspect_field(&object, v->path[0], &captured, err) < 0)
		return -1;
	return inspect_field(&captured, v->path[1], out, err);
}

int variable_value(const struct variable_context *c, const struct variable *v,
		   struct inspect_value *out, struct error *err)
{
	uint64_t bias = 0;

	switch (v->kind) {
	case VARIABLE_OPTIMISED_OUT:
		return 1;
	case VARIABLE_CONSTANT:
		return variables_value_constant(c, v, out);
	case VARIABLE_MEMBER:
		return variables_value_member(c, v, out, err);
	default:
		break;
	}
	if (bias_of(c, v, &bias) < 0)
		return not_loaded(v, err);
	if (v->kind == VARIABLE_ADDRESS) {
		*out = value_in_memory(c->program, v->type, v->number + bias);
		return 0;
	}
	return placed(c, v, bias, out, err);
}

/* ---- arrays whose bounds the program computes (variable-length arrays of C) ----------------- */

enum { DIMENSIONS_MAX = 8 };

/* Reads a bound: an expression, or an artificial variable that holds it. Returns 1, 0 if unknown,
   or -1. */
static int bound_value(const struct expression *m, const struct variable_context *c,
		       const struct entry *range, const struct attr *a, int64_t *out,
		       struct error *err)
{
	struct inspect_value value;
	struct variable bound;
	struct entry e;
	uint64_t number;
	int answer;

	*out = (int64_t)a->number;
	if (a->block) {
		if (expression_value(m, a->block, a->size, NULL, &number, err) < 0)
			return -1;
		*out = (int64_t)number;
		return 1;
	}
	if (a->form != DW_FORM_ref4 && a->form != DW_FORM_ref_udata &&
	    a->form != DW_FORM_ref_addr && a->form != DW_FORM_ref1 && a->form != DW_FORM_ref2 &&
	    a->form != DW_FORM_ref8)
		return 1;
	if (entry_read(range->table, a->number, &e, err) < 0 ||
	    variable_of_entry(&e, c->frame ? c->frame->lookup_pc - c->frame->bias : 0, &bound,
			      err) < 0)
		return -1;
	bound.function = m->function;
	answer = variable_value(c, &bound, &value, err);
	if (answer != 0)
		return answer < 0 ? -1 : 0;
	number = 0;
	if (!bound.type->size || bound.type->size > sizeof(number) ||
	    value_read(&value, 0, &number, (size_t)bound.type->size, err) < 0)
		return -1;
	*out = (int64_t)number;
	return 1;
}

/* Computes the number of elements of one dimension. Returns 1, 0 if unknown, or -1. */
static int count_of(const struct expression *m, const struct variable_context *c,
		    const struct entry *range, uint64_t *out, struct error *err)
{
	const struct attr *a = entry_attr(range, DW_AT_count);
	bool upper = !a;
	int64_t bound;
	int answer;

	if (!a)
		a = entry_attr(range, DW_AT_upper_bound);
	if (!a)
		return 0;
	answer = bound_value(m, c, range, a, &bound, err);
	if (answer <= 0)
		return answer;
	if (bound < (upper ? -1 : 0) || bound > INT32_MAX)
		return 0;
	*out = (uint64_t)(bound + upper);
	return 1;
}

/* Computes all dimensions, the outermost first. Returns their count, 0 if one is unknown, or -1. */
static int read_counts(const struct expression *m, const struct variable_context *c,
		       const struct entry *array, uint64_t counts[DIMENSIONS_MAX],
		       struct error *err)
{
	struct entry child;
	uint64_t next = 0;
	int n = 0, more = 1;

	while (n < DIMENSIONS_MAX && (more = entry_child(array, &next, &child, err)) > 0) {
		int answer = 1;

		if (child.tag == DW_TAG_subrange_type)
			answer = count_of(m, c, &child, &counts[n++], err);
		if (answer <= 0)
			return answer;
	}
	return more < 0 ? -1 : n;
}

const struct type *variable_array(const struct expression *m, const struct variable_context *c,
				  const struct type *t, struct error *err)
{
	uint64_t counts[DIMENSIONS_MAX];
	const struct type *made;
	struct entry e;
	int n;

	if (t->kind != TYPE_ARRAY || t->has_count || !t->entry || t->module != m->module)
		return t;
	if (entry_read(m->module->dies, t->entry, &e, err) < 0)
		return NULL;
	/* A typedef may stand in front of the array type. */
	for (int i = 0; i < ORIGINS_MAX && e.tag != DW_TAG_array_type; i++) {
		if (!entry_ref(&e, DW_AT_type) ||
		    entry_read(e.table, entry_ref(&e, DW_AT_type), &e, err) < 0)
			return t;
	}
	n = read_counts(m, c, &e, counts, err);
	if (n <= 0)
		return n < 0 ? NULL : t;
	made = type_of_entry(&e, err);
	while (made && n-- > 0)
		made = type_array_of(made, counts[n]);
	return made;
}
