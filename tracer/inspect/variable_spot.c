/*
 * Where a variable is, whatever call it is asked in. Its expression is not taken apart for that: it is
 * run twice, the second time with other registers. What of the answer has moved along with one of them lies there; what
 * has not moved at all lies still. Nothing may be read for the answer, since that might be different the next time.
 */
#include "tracer/inspect/value_internal.h"

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

/* Odd, and of no use to each other: what is aligned, or made of two, is nobody's. */
static uint64_t moved_by(unsigned reg)
{
	return 0x10001ull * (reg + 1) * (2 * reg + 1) + reg + 7;
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

static bool find(const struct inspect_call *call, const char *name, size_t argument,
		 struct inspect_value *out)
{
	ERROR(ignored);

	return name ? inspect_variable(call, name, out, &ignored) == 0
		    : inspect_argument(call, (int64_t)argument, out, &ignored) == 0;
}

int inspect_spot(const struct inspect_call *call, const char *name, size_t argument,
		 struct inspect_spot *out)
{
	struct inspect_call other = *call;
	struct dwarf_program nothing;
	struct inspect_value a, b;

	if (call->frame.level != 0 || !call->frame.module || !find(call, name, argument, &a))
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
