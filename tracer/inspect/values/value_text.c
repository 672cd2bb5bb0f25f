/* Strings of the program: bytes are copied unchanged, wide characters become UTF-8. */
#include "tracer/inspect/values/value_internal.h"

#include <string.h>

enum { PAGE = 4096, UNIT_MAX = 4 };

/* ---- wide characters ------------------------------------------------------------------------ */

static uint32_t unit_at(const uint8_t *bytes, size_t size, size_t i)
{
	uint32_t unit = 0;

	memcpy(&unit, bytes + i * size, size);
	return unit;
}

/* Adds `count` units of 2 or 4 bytes. A surrogate pair is one character, an invalid unit is
   U+FFFD. */
static void add_wide(struct str *out, const uint8_t *bytes, size_t size, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t c = unit_at(bytes, size, i);

		if (size == 2 && c >= 0xd800 && c < 0xdc00 && i + 1 < count) {
			uint32_t low = unit_at(bytes, size, i + 1);

			if (low >= 0xdc00 && low < 0xe000) {
				c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
				i++;
			}
		}
		str_add_code(out, (c >= 0xd800 && c < 0xe000) || c > 0x10ffff ? 0xfffd : c);
	}
}

static void add_units(struct str *out, const uint8_t *bytes, size_t size, size_t count)
{
	if (size == 1)
		str_add_bytes(out, (const char *)bytes, count);
	else
		add_wide(out, bytes, size, count);
}

/* ---- up to the final 0 ---------------------------------------------------------------------- */

/* Counts the units before the first 0. Sets *ended if there is one. */
static size_t before_zero(const uint8_t *bytes, size_t size, size_t count, bool *ended)
{
	for (size_t i = 0; i < count; i++) {
		if (unit_at(bytes, size, i) == 0) {
			*ended = true;
			return i;
		}
	}
	return count;
}

/* Reads to the end of a page at a time, because the next page may be unmapped. `first` is
   text[0]. */
static int read_until_zero(const struct inspect_value *first, size_t size, uint64_t most,
			   struct str *raw, struct error *err)
{
	uint8_t bytes[PAGE + UNIT_MAX];
	bool ended = false;
	uint64_t done = 0;

	while (!ended && done < most) {
		uint64_t at = first->address + done * size;
		size_t count = (PAGE - (size_t)(at % PAGE)) / size;

		if (count == 0)
			count = 1;
		if (count > most - done)
			count = (size_t)(most - done);
		if (value_read(first, done * size, bytes, count * size, err) < 0)
			return -1;
		count = before_zero(bytes, size, count, &ended);
		str_add_bytes(raw, (const char *)bytes, count * size);
		done += count;
	}
	return 0;
}

static bool makes_text(const struct type *t)
{
	return (t->kind == TYPE_CHAR || (t->kind == TYPE_INTEGER && t->size == 1)) &&
	       (t->size == 1 || t->size == 2 || t->size == 4);
}

static int text_at(const struct inspect_value *first, uint64_t most, struct str *out,
		   struct error *err)
{
	size_t size = first->type->size;
	STR(raw);
	int answer = read_until_zero(first, size, most, &raw, err);

	if (answer == 0)
		add_units(out, (const uint8_t *)str_text(&raw), size, raw.length / size);
	return answer;
}

int value_row_text(const struct inspect_value *v, const struct value_row *row, struct str *out,
		   struct error *err)
{
	struct inspect_value first = value_in_memory(v->program, row->type, row->address);
	size_t size = row->type->size;
	uint8_t *bytes;
	int answer;

	if (!makes_text(row->type) || row->count > TEXT_MAX)
		return error_set(err, ERROR_CHANGING,
				 "a string of %llu characters: too long, or not yet constructed",
				 (unsigned long long)row->count);
	bytes = base_alloc(row->count + 1, size);
	answer = value_read(&first, 0, bytes, (size_t)row->count * size, err);
	if (answer == 0)
		add_units(out, bytes, size, (size_t)row->count);
	base_free(bytes);
	return answer;
}

int inspect_string(const struct inspect_value *v, struct str *out, struct error *err)
{
	struct inspect_value whole = *v, first;
	struct value_row row;
	uint64_t most = TEXT_MAX;
	int answer;

	if (value_whole(&whole, err) < 0)
		return -1;
	answer = pretty_row(&whole, &row, err);
	if (answer)
		return answer < 0 ? -1 : value_row_text(&whole, &row, out, err);
	if ((whole.type->kind == TYPE_POINTER || whole.type->kind == TYPE_ARRAY) &&
	    makes_text(type_whole(whole.type->of, whole.program))) {
		if (whole.type->kind == TYPE_ARRAY && whole.type->has_count)
			most = whole.type->count;
		if (most == 0)
			return 0;
		if (inspect_element(&whole, 0, &first, err) < 0)
			return -1;
		if (whole.type->kind == TYPE_ARRAY && whole.place != INSPECT_IN_MEMORY) {
			/* the whole array's bytes, not only those of its first element */
			whole.type = first.type;
			first = whole;
		}
		return text_at(&first, most < TEXT_MAX ? most : TEXT_MAX, out, err);
	}
	return value_error(whole.type, err, "a '%s' is not a string");
}
