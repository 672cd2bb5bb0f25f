/* Values as scripts see them, and their way back into the program. */
#include "tracer/inspect/values/value_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LAYERS_MAX = 6 };

/* ---- reading -------------------------------------------------------------------------------- */

static int plain_pointer(const struct inspect_value *v, const struct inspect_value *shown,
			 struct inspect_plain *out, struct error *err)
{
	uint64_t address = 1;

	if (v->place != INSPECT_POINTEE && value_address(v, &address, err) < 0)
		return -1;
	if (address) {
		out->kind = INSPECT_OBJECT;
		out->object = *shown;
	} else {
		out->kind = INSPECT_NULL;
	}
	return 0;
}

static int plain_number(const struct inspect_value *v, enum inspect_plain_kind kind,
			struct inspect_plain *out, struct error *err)
{
	out->kind = kind;
	if (value_integer(v, &out->integer, &out->is_unsigned, err) < 0)
		return -1;
	if (kind == INSPECT_BOOL)
		out->integer = out->integer != 0;
	if (kind == INSPECT_ENUM)
		out->name = type_enumerator_name(v->type, out->integer);
	return 0;
}

/* Converts a struct. One without a text, a pointer or a value inside is INSPECT_OBJECT. Returns
   0, 1 with *inner set for a wrapper of another value, or -1. */
static int plain_record(const struct inspect_value *v, struct inspect_plain *out,
			struct inspect_value *inner, struct error *err)
{
	struct value_row row;
	int answer = pretty_empty(v, err);

	out->kind = answer > 0 ? INSPECT_NULL : INSPECT_OBJECT;
	if (answer)
		return answer < 0 ? -1 : 0;
	answer = pretty_pointer(v, inner, err);
	if (answer)
		return answer < 0 ? -1 : plain_pointer(inner, v, out, err);
	answer = pretty_row(v, &row, err);
	if (answer > 0 && row.text) {
		out->kind = INSPECT_TEXT;
		return value_row_text(v, &row, &out->text, err);
	}
	if (answer == 0)
		answer = pretty_inner(v, inner, err);
	else if (answer > 0)
		answer = 0;
	if (answer <= 0)
		out->object = *v;
	return answer;
}

static int plain_of(const struct inspect_value *v, struct inspect_plain *out, struct error *err)
{
	long double real;

	switch (v->type->kind) {
	case TYPE_BOOL:
		return plain_number(v, INSPECT_BOOL, out, err);
	case TYPE_INTEGER:
	case TYPE_CHAR:
		return plain_number(v, INSPECT_INTEGER, out, err);
	case TYPE_ENUM:
		return plain_number(v, INSPECT_ENUM, out, err);
	case TYPE_FLOAT:
		out->kind = INSPECT_FLOAT;
		if (value_real(v, &real, err) < 0)
			return -1;
		out->number = (double)real;
		return 0;
	case TYPE_POINTER:
		return plain_pointer(v, v, out, err);
	case TYPE_VOID:
		return error_set(err, ERROR_STATE,
				 "a void has no value: what it points to is not known, or the "
				 "debug information has no types (build with -g)");
	default:
		out->kind = INSPECT_OBJECT;
		out->object = *v;
		return 0;
	}
}

int inspect_plain(const struct inspect_value *v, struct inspect_plain *out, struct error *err)
{
	struct inspect_value at = *v, inner;

	memset(out, 0, sizeof(*out));
	for (int i = 0; i < LAYERS_MAX; i++) {
		int answer;

		if (value_whole(&at, err) < 0)
			return -1;
		if (at.type->kind != TYPE_STRUCT)
			break;
		answer = plain_record(&at, out, &inner, err);
		if (answer <= 0) {
			if (answer < 0)
				inspect_plain_fini(out);
			return answer;
		}
		at = inner;
	}
	return plain_of(&at, out, err);
}

void inspect_plain_fini(struct inspect_plain *p)
{
	str_fini(&p->text);
}

/* ---- writing -------------------------------------------------------------------------------- */

static int value_plain_refuse(const struct inspect_value *v, const char *what, struct error *err)
{
	STR(text);

	type_spell(v->type, &text);
	return error_set(err, ERROR_STATE, "%s cannot be stored in a '%s'", what, str_text(&text));
}

static int write_bytes(const struct inspect_value *v, uint64_t from, const void *bytes, size_t n,
		       struct error *err)
{
	const struct dwarf_program *p = v->program;
	uint8_t whole[16] = {0};

	if (v->place == INSPECT_IN_MEMORY) {
		if (p && p->write(p->ctx, v->address + from, bytes, n) == 0)
			return 0;
		return error_set(err, ERROR_STATE, "cannot write %zu byte%s at 0x%llx", n,
				 n == 1 ? "" : "s", (unsigned long long)(v->address + from));
	}
	if (v->place != INSPECT_IN_BYTES || v->reg == INSPECT_NO_REGISTER || !p || from + n > 16)
		return error_set(err, ERROR_STATE,
				 "it cannot be changed at this line, where it is neither in memory "
				 "nor in one register");
	/* Other bytes of the register are kept as far as they are known, else cleared, as mov
	   does. */
	memcpy(whole, v->bytes, v->size < sizeof(whole) ? v->size : sizeof(whole));
	memcpy(whole + from, bytes, n);
	if (n + from < 8 && v->reg < DWARF_XMM0)
		n = 8 - from;
	if (p->set_register(p->ctx, v->thread, v->reg, whole, from + n) < 0)
		return error_set(err, ERROR_STATE, "cannot set the register that holds it");
	return 0;
}

static int write_bits(const struct inspect_value *v, uint64_t value, struct error *err)
{
	unsigned shift = v->bit_offset % 8;
	size_t bytes = (shift + v->bit_size + 7u) / 8;
	uint8_t raw[24] = {0};
	unsigned __int128 word, mask;

	if (v->bit_size > 64)
		return value_plain_refuse(v, "a bit-field of more than 64 bits: it", err);
	if (value_read(v, v->bit_offset / 8, raw, bytes, err) < 0)
		return -1;
	memcpy(&word, raw, sizeof(word));
	mask = (((unsigned __int128)1 << v->bit_size) - 1) << shift;
	word = (word & ~mask) | ((unsigned __int128)value << shift & mask);
	memcpy(raw, &word, sizeof(word));
	return write_bytes(v, v->bit_offset / 8, raw, bytes, err);
}

static int store_integer(const struct inspect_value *v, int64_t number, bool is_unsigned,
			 struct error *err)
{
	uint64_t words[2] = {(uint64_t)number, number < 0 && !is_unsigned ? UINT64_MAX : 0};
	char what[32];

	if (v->type->size > 16 || (!v->type->size && !v->bit_size))
		return value_plain_refuse(v, "a number", err);
	snprintf(what, sizeof(what), is_unsigned ? "%llu" : "%lld", (long long)number);
	if (!value_fits(v->type, v->bit_size ? v->bit_size : (unsigned)(v->type->size * 8), number,
			is_unsigned))
		return value_plain_refuse(v, what, err);
	if (v->bit_size)
		return write_bits(v, words[0], err);
	return write_bytes(v, 0, words, (size_t)v->type->size, err);
}

static int store_float(const struct inspect_value *v, double number, struct error *err)
{
	uint8_t bytes[16];
	size_t n = value_real_bytes(v->type, number, bytes);

	if (!n)
		return value_plain_refuse(v, "a number", err);
	if (n == 4 && isinf((float)number) && !isinf(number))
		return value_plain_refuse(v, "a number that large", err);
	return write_bytes(v, 0, bytes, n, err);
}

static int store_number(const struct inspect_value *v, const struct inspect_plain *from,
			struct error *err)
{
	int64_t whole;

	if (v->type->kind == TYPE_FLOAT)
		return store_float(v, plain_real(from), err);
	if (from->kind != INSPECT_FLOAT)
		return store_integer(v, from->integer, from->is_unsigned, err);
	if (!value_whole_number(from->number, &whole))
		return value_plain_refuse(v, "a number with a fraction, or that large,", err);
	return store_integer(v, whole, false, err);
}

double plain_real(const struct inspect_plain *p)
{
	return p->kind == INSPECT_FLOAT ? p->number
	       : p->is_unsigned		? (double)(uint64_t)p->integer
					: (double)p->integer;
}

const struct type_enumerator *value_enumerator(const struct type *t, const char *name)
{
	const char *colon = strrchr(name, ':');

	array_each(const struct type_enumerator, e, &t->enumerators)
		if (strcmp(e->name, colon ? colon + 1 : name) == 0)
			return e;
	return NULL;
}

static int store_name(const struct inspect_value *v, const char *name, struct error *err)
{
	const struct type_enumerator *e;

	if (v->type->kind == TYPE_CHAR && strlen(name) == 1)
		return store_integer(v, v->type->is_signed ? *name : (unsigned char)*name, false,
				     err);
	if (v->type->kind != TYPE_ENUM)
		return value_plain_refuse(v, "text", err);
	if (type_members(v->type, err) < 0)
		return -1;
	e = value_enumerator(v->type, name);
	if (e)
		return store_integer(v, e->value, !v->type->is_signed, err);
	return error_set(err, ERROR_STATE, "'%s' is no value of the enumeration '%s'", name,
			 v->type->name ? v->type->name : "");
}

static int store_pointer(const struct inspect_value *v, const struct inspect_plain *from,
			 struct error *err)
{
	uint64_t address = 0;

	switch (from->kind) {
	case INSPECT_NULL:
		break;
	case INSPECT_INTEGER:
		address = (uint64_t)from->integer;
		break;
	case INSPECT_OBJECT:
		if (from->object.type->kind == TYPE_STRUCT && value_is_record(v->type->of))
			return value_plain_refuse(v, "a struct (its address, yes: &x)", err);
		if (inspect_address(&from->object, &address, err) < 0)
			return -1;
		break;
	default:
		return value_plain_refuse(v, "this", err);
	}
	return write_bytes(v, 0, &address, v->type->size == 4 ? 4 : 8, err);
}

/* Copies a struct onto another of the same type. */
static int store_object(const struct inspect_value *v, const struct inspect_value *from,
			struct error *err)
{
	size_t size = (size_t)v->type->size;
	void *bytes;
	int answer;

	if (!value_is_record(v->type) || from->type->kind != v->type->kind || !value_is_itself(v) ||
	    from->type->entry != v->type->entry || from->type->module != v->type->module || !size ||
	    size > TEXT_MAX)
		return value_plain_refuse(v, "this", err);
	bytes = base_alloc(1, size);
	answer = value_read(from, 0, bytes, size, err);
	if (answer == 0)
		answer = write_bytes(v, 0, bytes, size, err);
	base_free(bytes);
	return answer;
}

static int store_in(const struct inspect_value *v, const struct inspect_plain *from,
		    struct error *err)
{
	if (v->type->kind == TYPE_POINTER)
		return store_pointer(v, from, err);
	if (from->kind == INSPECT_TEXT)
		return store_name(v, str_text(&from->text), err);
	if (from->kind == INSPECT_OBJECT)
		return store_object(v, &from->object, err);
	switch (v->type->kind) {
	case TYPE_BOOL:
	case TYPE_INTEGER:
	case TYPE_CHAR:
	case TYPE_ENUM:
	case TYPE_FLOAT:
		if (from->kind != INSPECT_NULL)
			return store_number(v, from, err);
		return value_plain_refuse(v, "nil", err);
	default:
		return value_plain_refuse(v, "this", err);
	}
}

int inspect_store(const struct inspect_value *v, const struct inspect_plain *from,
		  struct error *err)
{
	struct inspect_value at = *v, inner;

	for (int i = 0; i < LAYERS_MAX; i++) {
		int answer;

		if (value_whole(&at, err) < 0)
			return -1;
		answer = pretty_inner(&at, &inner, err);
		if (answer < 0)
			return -1;
		if (answer == 0)
			break;
		at = inner;
	}
	return store_in(&at, from, err);
}
