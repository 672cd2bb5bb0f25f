/* Pretty-printing: library types as the string, the pointer or the value that they stand for. */
#include "tracer/inspect/values/layout.h"

/* Returns 1 if the object holds a value, 0 if it is empty, or -1. */
static int is_engaged(const struct inspect_value *v, const struct type_layout *l, struct error *err)
{
	struct inspect_value part;
	bool is_unsigned;
	int64_t number;
	int answer;

	if (!l->engaged)
		return 1;
	answer = layout_part(v, l->engaged, &part, err);
	if (answer <= 0)
		return answer;
	return value_integer(&part, &number, &is_unsigned, err) < 0 ? -1 : number != l->none;
}

int pretty_pointer(const struct inspect_value *v, struct inspect_value *out, struct error *err)
{
	static const uint8_t zero[8];
	const struct type_layout *l = layout_of(v);
	int answer;

	if (l->kind != LAYOUT_POINTER)
		return 0;
	answer = layout_part(v, l->first, out, err);
	if (answer < 0)
		return -1;
	if (answer == 0 || out->type->kind != TYPE_POINTER)
		return layout_invalid(v, err);
	answer = is_engaged(v, l, err);
	if (answer == 0)
		*out = value_of_bytes(v->program, out->type, zero, sizeof(zero));
	return answer < 0 ? -1 : 1;
}

int pretty_alternative(const struct inspect_value *v, unsigned *index, struct error *err)
{
	const struct type_layout *l = layout_of(v);
	struct inspect_value part;
	bool is_unsigned;
	int64_t number;

	if (layout_part(v, l->engaged, &part, err) <= 0)
		return err->code ? -1 : layout_invalid(v, err);
	if (value_integer(&part, &number, &is_unsigned, err) < 0)
		return -1;
	/* a variant without a value has the largest number of the type */
	if (!type_argument(v->type, (unsigned)number)) {
		number = part.type->size == 1 ? (int8_t)number : number;
		number = part.type->size == 2 ? (int16_t)number : number;
		number = part.type->size == 4 ? (int32_t)number : number;
		return number == -1 ? 0 : layout_invalid(v, err);
	}
	*index = (unsigned)number;
	return 1;
}

/* All alternatives begin where the union of them does. */
static int variant_value(const struct inspect_value *v, struct inspect_value *out,
			 struct error *err)
{
	struct inspect_value storage;
	unsigned index;
	int answer = pretty_alternative(v, &index, err);

	if (answer <= 0)
		return answer < 0 ? -1 : value_error(v->type, err, "this '%s' is empty");
	answer = layout_part(v, layout_of(v)->first, &storage, err);
	if (answer <= 0)
		return answer < 0 ? -1 : layout_invalid(v, err);
	return value_part(&storage, type_whole(type_argument(v->type, index), v->program), 0, out,
			  err) < 0
		       ? -1
		       : 1;
}

int pretty_empty(const struct inspect_value *v, struct error *err)
{
	const struct type_layout *l = layout_of(v);
	unsigned index;
	int answer = l->kind == LAYOUT_INNER	 ? is_engaged(v, l, err)
		     : l->kind == LAYOUT_VARIANT ? pretty_alternative(v, &index, err)
						 : 1;

	return answer < 0 ? -1 : !answer;
}

int pretty_inner(const struct inspect_value *v, struct inspect_value *out, struct error *err)
{
	const struct type_layout *l = layout_of(v);
	int answer;

	if (l->kind == LAYOUT_VARIANT)
		return variant_value(v, out, err);
	if (l->kind != LAYOUT_INNER)
		return 0;
	answer = pretty_empty(v, err);
	if (answer)
		return answer < 0 ? -1 : value_error(v->type, err, "this '%s' is empty");
	answer = layout_part(v, l->first, out, err);
	return answer ? answer : layout_invalid(v, err);
}

int value_layer(const struct inspect_value *v, struct inspect_value *out, struct error *err)
{
	int answer = pretty_pointer(v, out, err);

	return answer ? answer : pretty_inner(v, out, err);
}

bool value_is_text(const struct inspect_value *v, const struct type *t)
{
	const struct inspect_value of_type = value_in_memory(v->program, t, 0);

	return layout_of(&of_type)->text;
}

bool value_has_row(const struct inspect_value *v)
{
	struct inspect_value whole = *v, inner;
	enum layout_kind kind;
	ERROR(ignored);

	while (layout_of(&whole)->kind == LAYOUT_INNER &&
	       pretty_inner(&whole, &inner, &ignored) > 0)
		whole = inner;
	kind = layout_of(&whole)->kind;
	return kind == LAYOUT_NONE || kind == LAYOUT_POINTER || kind == LAYOUT_ROW;
}

bool value_is_itself(const struct inspect_value *v)
{
	return layout_of(v)->kind == LAYOUT_NONE;
}
