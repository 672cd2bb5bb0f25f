/* Numbers and pointers from values of the program, and values from them. */
#include "tracer/inspect/eval/eval.h"
#include "tracer/inspect/values/value_internal.h"

#include <string.h>

enum { LAYERS_MAX = 8 };

static int read_integer(const struct eval_scope *s, const struct inspect_value *v,
			struct eval_scalar *out)
{
	uint8_t bytes[16] = {0};

	out->type = v->type;
	if (v->type->size == 0 || v->type->size > sizeof(bytes))
		return eval_error(s->text, NULL, s->err, "an integer of %llu bytes",
				  (unsigned long long)v->type->size);
	if (value_read(v, 0, bytes, v->type->size, s->err) < 0)
		return eval_inside(s);
	memcpy(&out->bits, bytes, sizeof(bytes));
	out->bits = scalar_fit(out->bits, v->type);
	return 0;
}

static int read_float(const struct eval_scope *s, const struct inspect_value *v,
		      struct eval_scalar *out)
{
	uint8_t bytes[16] = {0};
	__float128 quad;
	double d;
	float f;

	out->type = v->type;
	if (v->type->size != 4 && v->type->size != 8 && v->type->size != 16)
		return eval_error(s->text, NULL, s->err, "a float of %llu bytes",
				  (unsigned long long)v->type->size);
	if (value_read(v, 0, bytes, v->type->size == 16 && !v->type->is_quad ? 10 : v->type->size,
		       s->err) < 0)
		return eval_inside(s);
	if (v->type->is_quad) {
		memcpy(&quad, bytes, sizeof(quad));
		out->real = (long double)quad;
	} else if (v->type->size == 4) {
		memcpy(&f, bytes, sizeof(f));
		out->real = f;
	} else if (v->type->size == 8) {
		memcpy(&d, bytes, sizeof(d));
		out->real = d;
	} else {
		memcpy(&out->real, bytes, sizeof(out->real));
	}
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

/* An array or a function becomes a pointer to where it is. */
static int decay(const struct eval_scope *s, const struct inspect_value *v, const char *at,
		 struct eval_scalar *out)
{
	const struct type *to = v->type->kind == TYPE_ARRAY ? v->type->of : v->type;

	if (v->place != INSPECT_IN_MEMORY)
		return eval_refuse(s, at, "is in no memory here: it has no address", v->type);
	out->type = type_pointer_to(to);
	out->bits = v->address;
	return 0;
}

/* Bit-fields promote to int where that holds all their values (C11 6.3.1.1). */
static const struct type *type_of_bits(const struct inspect_value *v)
{
	if (!v->bit_size)
		return v->type;
	if (v->bit_size < 32)
		return type_builtin("int");
	return scalar_integer_type(v->bit_size <= 32 ? 4 : 8, scalar_signed(v->type));
}

/* Bit-fields, std::atomic, smart pointers. */
static int read_plain(const struct eval_scope *s, const struct inspect_value *v, const char *at,
		      struct eval_scalar *out)
{
	struct inspect_plain p;
	int answer = 0;

	if (inspect_plain(v, &p, s->err) < 0)
		return eval_inside(s);
	switch (p.kind) {
	case INSPECT_NULL:
		*out = (struct eval_scalar){.type = type_pointer_to(type_builtin("void"))};
		break;
	case INSPECT_BOOL:
	case INSPECT_INTEGER:
	case INSPECT_ENUM:
		*out = scalar_int(p.integer, p.is_unsigned ? "unsigned long" : "long");
		if (v->bit_size)
			out->type = type_of_bits(v);
		out->bits = scalar_fit(out->bits, out->type);
		break;
	case INSPECT_FLOAT:
		out->type = type_builtin("double");
		out->real = p.number;
		break;
	case INSPECT_OBJECT:
	case INSPECT_TEXT:
		answer = eval_refuse(s, at, "is neither a number nor a pointer", v->type);
		break;
	}
	inspect_plain_fini(&p);
	return answer;
}

/* References, std::atomic, smart pointers: what is in them. */
static int see_through(const struct eval_scope *s, struct inspect_value *v)
{
	for (int i = 0; i < LAYERS_MAX; i++) {
		struct inspect_value inner;
		int answer;

		if (value_whole(v, s->err) < 0)
			return eval_inside(s);
		if (v->type->kind != TYPE_STRUCT)
			return 0;
		answer = pretty_inner(v, &inner, s->err);
		if (answer == 0)
			answer = pretty_pointer(v, &inner, s->err);
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
		return v.bit_size ? read_plain(s, &v, at, out) : read_integer(s, &v, out);
	case TYPE_FLOAT:
		return read_float(s, &v, out);
	case TYPE_POINTER:
		return read_pointer(s, &v, out);
	case TYPE_ARRAY:
	case TYPE_FUNCTION:
		return decay(s, &v, at, out);
	case TYPE_STRUCT:
	case TYPE_UNION:
		return read_plain(s, &v, at, out);
	default:
		return eval_refuse(s, at, "is neither a number nor a pointer", v.type);
	}
}

static size_t float_bytes(const struct eval_scalar *from, uint8_t bytes[16])
{
	double d = (double)from->real;
	float f = (float)from->real;
	__float128 quad;

	if (from->type->is_quad) {
		quad = from->real;
		memcpy(bytes, &quad, sizeof(quad));
	} else if (from->type->size == 4) {
		memcpy(bytes, &f, sizeof(f));
	} else if (from->type->size == 8) {
		memcpy(bytes, &d, sizeof(d));
	} else {
		memcpy(bytes, &from->real, 10);
	}
	return from->type->size;
}

int scalar_value(const struct eval_scope *s, const struct eval_scalar *from,
		 struct inspect_value *out)
{
	uint8_t bytes[16] = {0};
	size_t n = scalar_is_pointer(from) ? 8 : from->type->size;

	if (scalar_is_float(from))
		n = float_bytes(from, bytes);
	else
		memcpy(bytes, &from->bits, sizeof(bytes));
	*out = value_of_bytes(s->program, from->type, bytes, n < sizeof(bytes) ? n : sizeof(bytes));
	return 0;
}
