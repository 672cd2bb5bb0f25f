/*
 * Where a variable is, whatever call it is asked in: if its expression is a single operation. That is run twice, the second
 * time with other registers (what the frame is, an expression of its own may say). What of the answer has moved along with one
 * of them lies there; what has not moved at all lies still. Nothing may be read for the answer, since that might be
 * different the next time.
 */
#include "tracer/inspect/variables.h"

#include <libdwarf/dwarf.h>

#include <stdio.h>
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

/* Odd, and each another one: what is aligned, or made of two, is nobody's. */
static uint64_t moved_by(unsigned reg)
{
	return 2 * (0x8001ull * (reg + 1) * (2 * reg + 1) + reg) + 7;
}

/* Of a library that may be closed nothing is read later. */
static bool stays(const struct inspect_call *call, uint64_t address)
{
	const struct dwarf_program *p = call->frame.program;
	uint64_t bias;
	struct module *m = p->module_at(p->ctx, address, &bias);

	return m && (m == call->frame.module || m == p->module(p->ctx, 0, &bias));
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

/* A number of seven bits a byte fills the rest. */
static bool is_leb(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i + 1 < size; i++)
		if (!(bytes[i] & 0x80))
			return false;
	return size && !(bytes[size - 1] & 0x80);
}

/* An address, a register, or a distance from one: anything more might be the same for several registers' values. */
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

static bool find(const struct inspect_call *call, const char *name, size_t argument,
		 struct inspect_value *out)
{
	ERROR(ignored);

	return name ? inspect_variable(call, name, out, &ignored) == 0
		    : inspect_argument(call, (int64_t)argument, out, &ignored) == 0;
}

/* It was found just now, and so is kept; or it is none that was looked for (an argument without debug information). */
static bool is_simple(const struct inspect_call *call, const char *name, size_t argument)
{
	const struct dwarf_frame *f = &call->frame;
	const struct variable_at at = {f->program, f->module, f->lookup_pc - f->bias, call->depth};
	const struct variable *v;
	char key[32];

	snprintf(key, sizeof(key), "argument %zu", argument);
	v = variable_kept(&at, name ? name : key);
	if (!v)
		return !name;
	return v->kind == VARIABLE_ADDRESS ||
	       (v->kind == VARIABLE_PLACED && is_single(v->code, v->size));
}

int inspect_spot(const struct inspect_call *call, const char *name, size_t argument,
		 struct inspect_spot *out)
{
	struct inspect_call other = *call;
	struct dwarf_program nothing;
	struct inspect_value a, b;

	if (call->frame.level != 0 || !call->frame.module || !find(call, name, argument, &a) ||
	    !is_simple(call, name, argument))
		return -1;
	nothing = *call->frame.program;
	nothing.read = no_read;
	nothing.tls = no_tls;
	nothing.vector = no_vector;
	other.frame.program = &nothing;
	for (unsigned i = 0; i < REGISTERS; i++)
		other.frame.regs[i] += moved_by(i);
	if (!find(&other, name, argument, &b))
		return -1;
	a.type = type_whole(a.type, call->frame.program);
	if ((a.type->kind != TYPE_INTEGER && a.type->kind != TYPE_CHAR) || a.bit_size ||
	    (a.type->size & (a.type->size - 1)) || !a.type->size || a.type->size > 8 ||
	    a.place != b.place)
		return -1;
	*out = (struct inspect_spot){.kind = INSPECT_IN_REGISTER,
				     .size = (unsigned)a.type->size,
				     .is_signed = a.type->is_signed,
				     .reg = a.reg};
	if (a.place == INSPECT_IN_MEMORY)
		return in_memory(call, a.address, b.address, out);
	return a.place == INSPECT_IN_BYTES && a.reg < REGISTERS && a.reg == b.reg ? 0 : -1;
}
