/* Values in one line of text, as debuggers print them. */
#include "tracer/base/text/utf8.h"
#include "tracer/inspect/values/value_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 4, ELEMENTS_MAX = 32, TEXT_SHOWN = 200, LINE_MAX = 2000 };

static void value_print_describe(const struct inspect_value *v, struct str *out, unsigned depth);

static void quoted(const struct str *text, struct str *out)
{
	size_t shown = text->length < TEXT_SHOWN ? text->length : TEXT_SHOWN;

	str_add(out, "\"");
	for (size_t i = 0; i < shown; i++) {
		unsigned char c = (unsigned char)text->text[i];
		int length = c < 0x80 ? 1 : utf8_length(text->text + i);

		if (length > 1 && i + (size_t)length <= shown) {
			str_add_bytes(out, text->text + i, (size_t)length);
			i += (size_t)length - 1;
			continue;
		}
		if (c == '"' || c == '\\')
			str_addf(out, "\\%c", c);
		else if (c == '\n')
			str_add(out, "\\n");
		else if (c < ' ' || c >= 0x7f)
			str_addf(out, "\\%03o", c);
		else
			str_add_bytes(out, (const char *)&c, 1);
	}
	str_add(out, shown < text->length ? "\"..." : "\"");
}

static void value_print_fault(const struct error *err, struct str *out)
{
	str_addf(out, "<%.200s>", error_text(err));
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* Adds the element, after its key in a map. `row` is NULL for an array. */
static void describe_element(const struct inspect_value *v, struct value_row *row, uint64_t i,
			     struct str *out, unsigned depth)
{
	struct inspect_value key, element;
	ERROR(err);

	if (row && row->key && value_row_key(v, row, i, &key, &err) == 0) {
		str_add(out, "[");
		value_print_describe(&key, out, depth + 1);
		str_add(out, "] = ");
	}
	if ((row ? value_row_at(v, row, i, &element, &err)
		 : inspect_element(v, (int64_t)i, &element, &err)) < 0)
		value_print_fault(&err, out);
	else
		value_print_describe(&element, out, depth + 1);
}

static void describe_elements(const struct inspect_value *v, struct str *out, unsigned depth)
{
	struct inspect_value whole = *v;
	struct value_row row;
	ERROR(err);
	int64_t count;
	int answer = value_elements(&whole, &row, &err);

	if (answer < 0 || inspect_length(&whole, &count, &err) < 0)
		count = 0;
	str_add(out, "{");
	for (int64_t i = 0; i < count; i++) {
		if (i)
			str_add(out, ", ");
		if (i == ELEMENTS_MAX || out->length > LINE_MAX) {
			str_add(out, "...");
			break;
		}
		describe_element(&whole, answer > 0 ? &row : NULL, (uint64_t)i, out, depth);
	}
	str_add(out, "}");
}

static void describe_member(const struct inspect_value *v, const struct type_member *m,
			    struct str *out, unsigned depth)
{
	struct inspect_value part;
	ERROR(err);

	if (m->name && *m->name && !m->is_base)
		str_addf(out, "%s = ", m->name);
	else if (m->is_base)
		str_addf(out, "<%s> = ", m->type->name ? m->type->name : "");
	if (value_of_member(v, m, &part, &err) < 0)
		value_print_fault(&err, out);
	else
		value_print_describe(&part, out, depth + 1);
}

/* True for a base class without members, which std::pair has. */
static bool is_empty_base(const struct inspect_value *v, const struct type_member *m)
{
	const struct inspect_value base = value_in_memory(v->program, m->type, 0);

	return m->is_base && !inspect_member(&base, 0);
}

static void describe_members(const struct inspect_value *v, struct str *out, unsigned depth)
{
	ERROR(err);
	bool first = true;

	str_add(out, "{");
	if (v->type->incomplete)
		str_add(out, "<declared only>");
	else if (type_members(v->type, &err) < 0)
		value_print_fault(&err, out);
	array_each(const struct type_member, m, &v->type->members) {
		if (m->is_static || is_empty_base(v, m) || value_has_variant(v, m, &err) <= 0)
			continue;
		if (!first)
			str_add(out, ", ");
		if (depth >= DEPTH_MAX || out->length > LINE_MAX) {
			str_add(out, "...");
			break;
		}
		describe_member(v, m, out, depth);
		first = false;
	}
	str_add(out, "}");
}

/* ---- kinds ---------------------------------------------------------------------------------- */

static void describe_number(const struct inspect_value *v, const struct inspect_plain *p,
			    struct str *out)
{
	bool negative = p->integer < 0 && !p->is_unsigned;

	str_addf(out, negative ? "%lld" : "%llu", (long long)p->integer);
	if (v->type->kind == TYPE_CHAR && p->integer >= ' ' && p->integer < 0x7f)
		str_addf(out, " '%c'", (int)p->integer);
}

static void describe_float(double number, struct str *out)
{
	char text[40];

	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	str_add(out, text);
}

/* Adds an array of characters as text, up to its first 0. Returns false if it is no text. */
static bool describe_text(const struct inspect_value *v, struct str *out)
{
	STR(text);
	ERROR(err);
	bool is_text = v->type->of && v->type->of->kind == TYPE_CHAR &&
		       inspect_string(v, &text, &err) == 0;

	if (is_text)
		quoted(&text, out);
	return is_text;
}

static void describe_pointer(const struct inspect_value *v, struct str *out)
{
	ERROR(err);
	uint64_t address;

	if (v->place == INSPECT_POINTEE) {
		str_add(out, "<optimised out pointer>");
		return;
	}
	if (inspect_address(v, &address, &err) < 0) {
		value_print_fault(&err, out);
		return;
	}
	str_addf(out, "0x%llx", (unsigned long long)address);
	if (address && v->type->kind == TYPE_POINTER && v->type->of->kind == TYPE_CHAR) {
		str_add(out, " ");
		if (!describe_text(v, out))
			str_add(out, "<cannot be read>");
	}
}

static void describe_object(const struct inspect_value *v, struct str *out, unsigned depth)
{
	struct inspect_value inner;
	struct value_row row;
	ERROR(err);

	switch (v->type->kind) {
	case TYPE_POINTER:
	case TYPE_FUNCTION:
		describe_pointer(v, out);
		return;
	case TYPE_ARRAY:
		if (!describe_text(v, out))
			describe_elements(v, out, depth);
		return;
	case TYPE_STRUCT:
	case TYPE_UNION:
		if (pretty_described(v, out))
			return;
		if (pretty_pointer(v, &inner, &err) > 0)
			describe_pointer(v, out);
		else if (pretty_row(v, &row, &err) > 0)
			describe_elements(v, out, depth);
		else
			describe_members(v, out, depth);
		return;
	default:
		str_addf(out, "<%s>", v->type->name ? v->type->name : "no value");
	}
}

static void value_print_describe(const struct inspect_value *v, struct str *out, unsigned depth)
{
	struct inspect_plain p;
	ERROR(err);

	if (inspect_plain(v, &p, &err) < 0) {
		value_print_fault(&err, out);
		return;
	}
	switch (p.kind) {
	case INSPECT_NULL:
		str_add(out, "0x0");
		break;
	case INSPECT_BOOL:
		str_add(out, p.integer ? "true" : "false");
		break;
	case INSPECT_ENUM:
		if (p.name)
			str_add(out, p.name);
		else
			describe_number(v, &p, out);
		break;
	case INSPECT_INTEGER:
		describe_number(v, &p, out);
		break;
	case INSPECT_FLOAT:
		describe_float(p.number, out);
		break;
	case INSPECT_TEXT:
		quoted(&p.text, out);
		break;
	case INSPECT_OBJECT:
		describe_object(&p.object, out, depth);
		break;
	}
	inspect_plain_fini(&p);
}

void inspect_describe(const struct inspect_value *v, struct str *out)
{
	value_print_describe(v, out, 0);
}

/* ---- identity ------------------------------------------------------------------------------- */

static bool value_print_is_pointer(const struct inspect_value *v)
{
	struct inspect_value inner;
	ERROR(err);

	return v->type->kind == TYPE_POINTER || pretty_pointer(v, &inner, &err) > 0;
}

bool inspect_same(const struct inspect_value *a, const struct inspect_value *b)
{
	struct inspect_value x = *a, y = *b;
	ERROR(err);
	uint64_t first, second;

	if (value_whole(&x, &err) < 0 || value_whole(&y, &err) < 0)
		return false;
	if (value_print_is_pointer(&x) && value_print_is_pointer(&y))
		return inspect_address(&x, &first, &err) == 0 &&
		       inspect_address(&y, &second, &err) == 0 && first == second;
	return x.place == INSPECT_IN_MEMORY && y.place == INSPECT_IN_MEMORY &&
	       x.address == y.address && x.bit_offset == y.bit_offset &&
	       x.type->kind == y.type->kind;
}
