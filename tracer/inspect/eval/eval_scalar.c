/* Conversion of values to numbers and pointers, and back. */
#include "tracer/inspect/eval/eval.h"
#include "tracer/inspect/values/value_internal.h"

#include <string.h>

enum { LAYERS_MAX = 8 };

/* A bit-field promotes to int if int holds all its values (C11 6.3.1.1). */
static const struct type *type_of_bits(const struct inspect_value *v)
{
	if (!v->bit_size)
		return v->type;
	if (v->bit_size < 32)
		return type_builtin("int");
	return scalar_integer_type(v->bit_size <= 32 ? 4 : 8, value_signed(v->type));
}

static int read_integer(const struct eval_scope *s, const struct inspect_value *v,
			struct eval_scalar *out)
{
	if (value_bits(v, &out->bits, s->err) < 0)
		return eval_inside(s);
	out->type = type_of_bits(v);
	out->bits = scalar_fit(out->bits, out->type);
	return 0;
}

static int read_pointer(const struct eval_scope *s, const struct inspect_value *v,
			struct eval_scalar *out)
{
	uint64_t address;

	if (value_address(v, &address, s->err) < 0)
		return eval_inside(s);
	out->type = v->type;
	out->bits = address;
	return 0;
}

/* An array or a function becomes a pointer to its address. */
static int decay(const struct eval_scope *s, const struct inspect_value *v, const char *at,
		 struct eval_scalar *out)
{
	const struct type *to = v->type->kind == TYPE_ARRAY ? v->type->of : v->type;

	if (v->place != INSPECT_IN_MEMORY)
		return eval_refuse(s, at, "is not in memory here: it has no address", v->type);
	out->type = type_pointer_to(to);
	out->bits = v->address;
	return 0;
}

/* Replaces references, atomics and smart pointers by what they hold. */
static int see_through(const struct eval_scope *s, struct inspect_value *v)
{
	for (int i = 0; i < LAYERS_MAX; i++) {
		struct inspect_value inner;
		int answer;

		if (value_whole(v, s->err) < 0)
			return eval_inside(s);
		if (v->type->kind != TYPE_STRUCT)
			return 0;
		answer = value_layer(v, &inner, s->err);
		if (answer < 0)
			return eval_inside(s);
		if (answer == 0)
			return 0;
		*v = inner;
	}
	return 0;
}

int scalar_of(const struct eval_scope *s, const struct inspect_value *from, const char *at,
	      struct eval_scalar *out)
{
	struct inspect_value v = *from;

	*out = (struct eval_scalar){0};
	if (see_through(s, &v) < 0)
		return -1;
	switch (v.type->kind) {
	case TYPE_BOOL:
	case TYPE_INTEGER:
	case TYPE_CHAR:
	case TYPE_ENUM:
		return read_integer(s, &v, out);
	case TYPE_FLOAT:
		out->type = v.type;
		return value_real(&v, &out->real, s->err) < 0 ? eval_inside(s) : 0;
	case TYPE_POINTER:
		return read_pointer(s, &v, out);
	case TYPE_ARRAY:
	case TYPE_FUNCTION:
		return decay(s, &v, at, out);
	default:
		return eval_refuse(s, at, "is neither a number nor a pointer", v.type);
	}
}

int scalar_value(const struct eval_scope *s, const struct eval_scalar *from,
		 struct inspect_value *out)
{
	uint8_t bytes[16] = {0};
	size_t n = scalar_is_pointer(from) ? 8 : from->type->size;

	if (scalar_is_float(from))
		value_real_bytes(from->type, from->real, bytes);
	else
		memcpy(bytes, &from->bits, sizeof(bytes));
	*out = value_of_bytes(s->program, from->type, bytes, n < sizeof(bytes) ? n : sizeof(bytes));
	return 0;
}
