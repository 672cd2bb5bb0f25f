/*
 * Finds a variable's location in every call of a function. Its expression, a single operation, is
 * evaluated twice, the second time with other registers: the register that moves the result is its
 * base. Memory is not read, because it may change.
 */
#include "tracer/inspect/eval/eval.h"
#include "tracer/inspect/values/value_internal.h"
#include "tracer/inspect/variables/variables.h"

#include <libdwarf/dwarf.h>

#include <string.h>

enum { REGISTERS = 16, BASE_POINTER = 6, STACK_POINTER = 7 };

static int no_read(void *ctx, uint64_t address, void *buf, size_t n)
{
	(void)ctx, (void)address, (void)buf, (void)n;
	return -1;
}

static int no_tls(void *ctx, void *thread, struct module *m, uint64_t *base)
{
	(void)ctx, (void)thread, (void)m, (void)base;
	return -1;
}

static int no_vector(void *ctx, void *thread, unsigned dwarf, void *buf, size_t n)
{
	(void)ctx, (void)thread, (void)dwarf, (void)buf, (void)n;
	return -1;
}

/* Distance by which the second evaluation moves a register. All are odd and different, so that an
   aligned address or a sum of two registers matches no register. */
static uint64_t moved_by(unsigned reg)
{
	return 2 * (0x8001ull * (reg + 1) * (2 * reg + 1) + reg) + 7;
}

/* True if the module of the address stays loaded. A library may be closed before a later read. */
static bool stays(const struct inspect_call *call, uint64_t address)
{
	const struct dwarf_program *p = call->frame.program;
	uint64_t bias;
	struct module *m = p->module_at(p->ctx, address, &bias);

	return m && (m == call->frame.module || m == dwarf_module(p, 0, &bias));
}

static int in_memory(const struct inspect_call *call, uint64_t here, uint64_t there,
		     struct inspect_spot *out)
{
	static const unsigned bases[] = {BASE_POINTER, STACK_POINTER};

	if (here == there) {
		out->kind = INSPECT_AT_ADDRESS;
		out->add = (int64_t)here;
		return stays(call, here) ? 0 : -1;
	}
	for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++) {
		out->reg = bases[i];
		out->kind = INSPECT_AT_REGISTER;
		out->add = (int64_t)(here - call->frame.regs[bases[i]]);
		if (there - here == moved_by(bases[i]))
			return 0;
	}
	return -1;
}

/* True if a single LEB128 number fills the bytes. */
static bool is_leb(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i + 1 < size; i++)
		if (!(bytes[i] & 0x80))
			return false;
	return size && !(bytes[size - 1] & 0x80);
}

/* True for a single operation: an address, a register, or an offset from one. A longer expression
   may give one address for several register values. */
static bool is_single(const uint8_t *code, size_t size)
{
	if (!size)
		return false;
	if (code[0] == DW_OP_addr)
		return size == 1 + sizeof(uint64_t);
	if (code[0] >= DW_OP_reg0 && code[0] <= DW_OP_reg31)
		return size == 1;
	if (code[0] == DW_OP_fbreg || code[0] == DW_OP_addrx || code[0] == DW_OP_GNU_addr_index ||
	    (code[0] >= DW_OP_breg0 && code[0] <= DW_OP_breg31))
		return is_leb(code + 1, size - 1);
	return false;
}

static bool variable_spot_find(const struct inspect_call *call, const char *name,
			       struct inspect_value *out)
{
	ERROR(ignored);

	return inspect_variable(call, name, out, &ignored) == 0;
}

/* True if the variable has a fixed address or a single operation. The cache has it, because it was
   found just before. */
static bool is_simple(const struct inspect_call *call, const char *name)
{
	const struct dwarf_frame *f = &call->frame;
	const struct variable_at at = {f->program, f->module, f->lookup_pc - f->bias, call->depth};
	const struct variable *v = variable_kept(&at, name);

	return v && (v->kind == VARIABLE_ADDRESS ||
		     (v->kind == VARIABLE_PLACED && is_single(v->code, v->size)));
}

/* ---- members, elements, pointees ------------------------------------------------------------ */

/*
 * Finds the offset of a member or an element if it depends on no data: it is the same for objects
 * at two made-up addresses whose memory cannot be read.
 */
static bool is_part(const struct dwarf_program *nothing, const struct type *t,
		    const struct inspect_step *step, const struct type **type, int64_t *distance)
{
	static const uint64_t addresses[] = {1 << 20, UINT64_C(0x7654321000)};
	struct inspect_value part[2];
	ERROR(ignored);

	for (size_t i = 0; i < 2; i++) {
		struct inspect_value v = value_in_memory(nothing, t, addresses[i]);

		if (step->name ? !value_is_itself(&v) ||
					 value_member(&v, step->name, &part[i], &ignored) <= 0
			       : t->kind != TYPE_ARRAY || inspect_element(&v, (int64_t)step->number,
									  &part[i], &ignored) < 0)
			return false;
		if (part[i].place != INSPECT_IN_MEMORY || part[i].bit_size)
			return false;
	}
	*type = part[0].type;
	*distance = (int64_t)(part[0].address - addresses[0]);
	return (int64_t)(part[1].address - addresses[1]) == *distance;
}

/* Follows the pointer or reference at the spot. */
static bool hop(struct inspect_spot *spot, const struct type *t)
{
	if (spot->hops == (unsigned)INSPECT_HOPS || t->size != sizeof(uint64_t))
		return false;
	spot->hop[spot->hops++] = 0;
	return true;
}

static bool move(struct inspect_spot *spot, int64_t distance)
{
	if (!spot->hops) {
		spot->add += distance;
		return spot->kind != INSPECT_IN_REGISTER;
	}
	spot->hop[spot->hops - 1] += distance;
	return distance >= 0 &&
	       spot->hop[spot->hops - 1] <= INSPECT_HOP_MOST - (int64_t)sizeof(uint64_t);
}

static const struct type *variable_spot_whole(const struct dwarf_program *nothing,
					      const struct type *t, struct inspect_spot *spot)
{
	t = type_whole(t, nothing);
	for (; t->kind == TYPE_REFERENCE; t = type_whole(t->of, nothing))
		if (!hop(spot, t))
			return NULL;
	return t;
}

/* Takes a step. Returns the type of the object there, or NULL if its location depends on data. */
static const struct type *step_on(const struct dwarf_program *nothing, const struct type *t,
				  const struct inspect_step *step, struct inspect_spot *spot)
{
	bool follows = t->kind == TYPE_POINTER;
	int64_t distance;

	if (follows && !hop(spot, t))
		return NULL;
	if (follows)
		t = type_whole(t->of, nothing);
	if (follows && !step->name)
		distance = (int64_t)(step->number *
				     (t->size < INSPECT_HOP_MOST ? t->size : INSPECT_HOP_MOST));
	else if (!is_part(nothing, t, step, &t, &distance))
		return NULL;
	return move(spot, distance) ? variable_spot_whole(nothing, t, spot) : NULL;
}

static void variable_spot_describe(const struct type *t, struct inspect_spot *spot)
{
	bool sized = t->size && t->size <= 8 && !(t->size & (t->size - 1));

	if (sized && (t->kind == TYPE_INTEGER || t->kind == TYPE_CHAR || t->kind == TYPE_ENUM))
		spot->holds = INSPECT_SPOT_INTEGER;
	else if (t->kind == TYPE_BOOL && t->size == 1)
		spot->holds = INSPECT_SPOT_BOOL;
	else if (t->kind == TYPE_POINTER && t->size == sizeof(uint64_t) &&
		 !(t->flags & TYPE_NULLPTR))
		spot->holds = INSPECT_SPOT_POINTER;
	spot->size = spot->holds == INSPECT_SPOT_OTHER ? 0 : (unsigned)t->size;
	spot->is_signed = spot->holds == INSPECT_SPOT_INTEGER && value_signed(t);
}

/* ---- entry point ---------------------------------------------------------------------------- */

/* Finds the variable's own location. *value is its value. */
static int variable_spot_begin(const struct inspect_call *call, const struct dwarf_program *nothing,
			       const char *name, struct inspect_value *value,
			       struct inspect_spot *out)
{
	struct inspect_call other = *call;
	struct inspect_value there;

	if (call->frame.level != 0 || !call->frame.module ||
	    !variable_spot_find(call, name, value) || !is_simple(call, name))
		return -1;
	other.frame.program = nothing;
	for (unsigned i = 0; i < REGISTERS; i++)
		other.frame.regs[i] += moved_by(i);
	if (!variable_spot_find(&other, name, &there) || value->bit_size ||
	    value->place != there.place)
		return -1;
	out->kind = INSPECT_IN_REGISTER;
	out->reg = value->reg;
	if (value->place == INSPECT_IN_MEMORY)
		return in_memory(call, value->address, there.address, out);
	return value->place == INSPECT_IN_BYTES && value->reg < REGISTERS && value->reg == there.reg
		       ? 0
		       : -1;
}

int inspect_spot(const struct inspect_call *call, const struct inspect_step *steps, size_t count,
		 struct inspect_spot *out)
{
	struct dwarf_program nothing = *call->frame.program;
	struct inspect_value value;
	const struct type *t;

	nothing.read = no_read;
	nothing.tls = no_tls;
	nothing.vector = no_vector;
	*out = (struct inspect_spot){.hops = 0};
	if (variable_spot_begin(call, &nothing, steps[0].name, &value, out) < 0)
		return -1;
	t = variable_spot_whole(&nothing, value.type, out);
	for (size_t i = 1; t && i < count; i++)
		t = step_on(&nothing, t, &steps[i], out);
	if (t)
		variable_spot_describe(t, out);
	return t ? 0 : -1;
}
