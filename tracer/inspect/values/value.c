/* Values: bytes of the program that have a type. */
#include "tracer/inspect/values/value_internal.h"

#include <math.h>
#include <string.h>

enum { REFERENCES_MAX = 4 };

struct inspect_value value_in_memory(const struct dwarf_program *p, const struct type *t,
				     uint64_t address)
{
	struct inspect_value v = {.program = p, .type = t, .reg = INSPECT_NO_REGISTER};

	v.place = INSPECT_IN_MEMORY;
	v.address = address;
	return v;
}

struct inspect_value value_of_bytes(const struct dwarf_program *p, const struct type *t,
				    const void *bytes, size_t n)
{
	struct inspect_value v = {.program = p, .type = t, .reg = INSPECT_NO_REGISTER};

	v.place = INSPECT_IN_BYTES;
	v.size = (uint16_t)(n < INSPECT_BYTES ? n : INSPECT_BYTES);
	memcpy(v.bytes, bytes, v.size);
	memset(v.kept, 0xff, sizeof(v.kept));
	return v;
}

int value_optimised_out(struct error *err, const char *name)
{
	return error_set(err, ERROR_STATE, "%s is optimised out at this line",
			 name ? name : "all or a part of it");
}

bool value_is_record(const struct type *t)
{
	return t->kind == TYPE_STRUCT || t->kind == TYPE_UNION;
}

int value_error(const struct type *t, struct error *err, const char *fmt)
{
	STR(text);

	type_spell(t, &text);
	return error_set(err, ERROR_STATE, fmt, str_text(&text));
}

/* ---- bytes ---------------------------------------------------------------------------------- */

/* Returns the bits of a byte that belong to the value: all, except in a bit-field. */
static uint8_t own_bits(const struct inspect_value *v, uint64_t byte)
{
	uint64_t end = (uint64_t)v->bit_offset + v->bit_size;
	uint8_t bits = 0;

	if (!v->bit_size)
		return 0xff;
	for (unsigned i = 0; i < 8; i++) {
		if (byte * 8 + i >= v->bit_offset && byte * 8 + i < end)
			bits |= (uint8_t)(1u << i);
	}
	return bits;
}

static int read_kept(const struct inspect_value *v, uint64_t from, void *buf, size_t n,
		     struct error *err)
{
	if (v->place == INSPECT_POINTEE) {
		value_optimised_out(err, "the pointer");
		return error_hint(err, "what it points to is still known: read that");
	}
	if (from > v->size || n > v->size - from)
		return value_optimised_out(err, NULL);
	for (uint64_t i = from; i < from + n; i++) {
		if (own_bits(v, i) & ~v->kept[i])
			return value_optimised_out(err, NULL);
	}
	memcpy(buf, v->bytes + from, n);
	return 0;
}

int value_read(const struct inspect_value *v, uint64_t from, void *buf, size_t n, struct error *err)
{
	if (v->place != INSPECT_IN_MEMORY)
		return read_kept(v, from, buf, n, err);
	if (n == 0)
		return 0;
	if (!v->program)
		return error_set(err, ERROR_STATE, "there is no program to read from");
	if (v->program->read(v->program->ctx, v->address + from, buf, n) < 0)
		return error_set(err, ERROR_STATE, "cannot read %zu byte%s at 0x%llx", n,
				 n == 1 ? "" : "s", (unsigned long long)(v->address + from));
	return 0;
}

int value_part(const struct inspect_value *v, const struct type *type, uint64_t offset,
	       struct inspect_value *out, struct error *err)
{
	struct inspect_value part = *v;

	part.type = type;
	part.bit_offset = part.bit_size = 0;
	part.reg = v->reg != INSPECT_NO_REGISTER && offset == 0 && type->size == v->type->size
			   ? v->reg
			   : INSPECT_NO_REGISTER;
	if (v->place == INSPECT_IN_MEMORY) {
		part.address = v->address + offset;
		*out = part;
		return 0;
	}
	if (v->place == INSPECT_POINTEE || offset > v->size || type->size > v->size - offset)
		return value_optimised_out(err, NULL);
	part.size = (uint16_t)(v->size - offset);
	memcpy(part.bytes, v->bytes + offset, part.size);
	memcpy(part.kept, v->kept + offset, part.size);
	*out = part;
	return 0;
}

/* ---- numbers -------------------------------------------------------------------------------- */

static int read_bits(const struct inspect_value *v, unsigned __int128 *out, unsigned *bits,
		     struct error *err)
{
	uint64_t from = v->bit_offset / 8;
	unsigned shift = v->bit_offset % 8;
	uint8_t raw[24] = {0};
	size_t bytes;

	*bits = v->bit_size ? v->bit_size : (unsigned)(v->type->size <= 16 ? v->type->size * 8 : 0);
	if (*bits == 0 || *bits > 128)
		return error_set(err, ERROR_STATE, "a number of a size that is not known");
	bytes = (*bits + shift + 7) / 8;
	if (value_read(v, from, raw, bytes, err) < 0)
		return -1;
	memcpy(out, raw, sizeof(*out));
	*out >>= shift;
	if (shift && bytes > 16)
		*out |= (unsigned __int128)raw[16] << (128 - shift);
	if (*bits < 128)
		*out &= ((unsigned __int128)1 << *bits) - 1;
	return 0;
}

bool value_signed(const struct type *t)
{
	if (t->kind == TYPE_ENUM && t->of && t->of->size == t->size)
		return t->of->is_signed;
	return t->is_signed && t->kind != TYPE_BOOL && t->kind != TYPE_POINTER;
}

int value_bits(const struct inspect_value *v, unsigned __int128 *out, struct error *err)
{
	unsigned bits;

	*out = 0;
	if (read_bits(v, out, &bits, err) < 0)
		return -1;
	if (v->type->is_signed && bits < 128 && *out >> (bits - 1))
		*out |= ~(unsigned __int128)0 << bits;
	return 0;
}

int value_integer(const struct inspect_value *v, int64_t *out, bool *is_unsigned, struct error *err)
{
	bool is_signed = v->type->is_signed;
	unsigned __int128 raw;
	__int128 number;

	if (value_bits(v, &raw, err) < 0)
		return -1;
	number = (__int128)raw;
	*out = (int64_t)(uint64_t)raw;
	*is_unsigned = !is_signed && raw > INT64_MAX;
	if (is_signed ? number < INT64_MIN || number > INT64_MAX : raw > UINT64_MAX)
		return error_set(err, ERROR_STATE, "0x%llx%016llx does not fit into 64 bits",
				 (unsigned long long)(raw >> 64), (unsigned long long)raw);
	return 0;
}

bool value_fits(const struct type *t, unsigned bits, int64_t number, bool is_unsigned)
{
	if (t->kind == TYPE_BOOL)
		return number == 0 || number == 1;
	if (bits > 64)
		return true;
	if (is_unsigned && number < 0) /* 2^63 or more */
		return bits == 64 && !value_signed(t);
	if (!value_signed(t))
		return number >= 0 && (bits == 64 || (uint64_t)number >> bits == 0);
	return bits == 64 ||
	       (number >= -((int64_t)1 << (bits - 1)) && number < (int64_t)1 << (bits - 1));
}

union real {
	float f;
	double d;
	long double l;
	__float128 q;
	uint8_t bytes[16];
};

int value_real(const struct inspect_value *v, long double *out, struct error *err)
{
	size_t size = v->type->size;
	union real raw;

	if (size != 4 && size != 8 && size != 10 && size != 12 && size != 16)
		return error_set(err, ERROR_STATE, "a floating-point number of %zu bytes", size);
	memset(&raw, 0, sizeof(raw));
	/* x87: only ten bytes hold the number, and the others may not have been kept. */
	if (value_read(v, 0, &raw, size > 8 && !v->type->is_quad ? 10 : size, err) < 0)
		return -1;
	*out = size == 4	  ? (long double)raw.f
	       : size == 8	  ? (long double)raw.d
	       : v->type->is_quad ? (long double)raw.q
				  : raw.l;
	return 0;
}

size_t value_real_bytes(const struct type *t, long double number, uint8_t out[16])
{
	union real raw;

	memset(&raw, 0, sizeof(raw));
	if (t->is_quad)
		raw.q = number;
	else if (t->size == 4)
		raw.f = (float)number;
	else if (t->size == 8)
		raw.d = (double)number;
	else
		raw.l = number;
	memcpy(out, raw.bytes, sizeof(raw.bytes));
	return t->size == 4 || t->size == 8 ? t->size : t->size != 16 ? 0 : t->is_quad ? 16 : 10;
}

bool value_whole_number(double number, int64_t *out)
{
	if (!(number >= -0x1p63 && number < 0x1p63) || number != floor(number))
		return false;
	*out = (int64_t)number;
	return true;
}

int value_address(const struct inspect_value *v, uint64_t *out, struct error *err)
{
	*out = 0;
	if (v->type->flags & TYPE_NULLPTR)
		return 0;
	return value_read(v, 0, out, v->type->size && v->type->size < 8 ? v->type->size : 8, err);
}

/* ---- pointers and references ---------------------------------------------------------------- */

static int value_pointee(const struct inspect_value *v, struct inspect_value *out,
			 uint64_t *address, struct error *err)
{
	*address = 1;
	if (v->place == INSPECT_POINTEE) {
		*out = *v;
		out->place = INSPECT_IN_BYTES;
		out->reg = INSPECT_NO_REGISTER;
		out->type = v->type->of;
		return 0;
	}
	if (value_address(v, address, err) < 0)
		return -1;
	*out = value_in_memory(v->program, v->type->of, *address);
	return 0;
}

int value_whole(struct inspect_value *v, struct error *err)
{
	uint64_t address;

	for (int i = 0; i < REFERENCES_MAX && v->type->kind == TYPE_REFERENCE; i++) {
		struct inspect_value from = *v;

		if (value_pointee(&from, v, &address, err) < 0)
			return -1;
	}
	v->type = type_whole(v->type, v->program);
	return 0;
}

int value_follow(const struct inspect_value *v, struct inspect_value *out, struct error *err)
{
	uint64_t address;

	if (v->type->of->kind == TYPE_VOID)
		return value_error(v->type, err, "a '%s' points to an unknown type");
	if (value_pointee(v, out, &address, err) < 0)
		return -1;
	if (address == 0)
		return error_set(err, ERROR_STATE, "cannot read through a null pointer (0x0)");
	return value_whole(out, err);
}
