/* The object and the calls of its operations. */
#include "tracer/harness/model/model.h"

#include <ctype.h>
#include <string.h>

/* WITH_GIVEN: calls of an operation with given ones. MANY: most calls of another operation to try
   all. */
enum { WITH_GIVEN = 2, MANY = 9 };

/* ---- calls ----------------------------------------------------------------------------------- */

/* Escapes tabs and newlines: an outcome is one line, separated by tabs. */
static void object_add_value(const char *value, struct str *out)
{
	for (; *value; value++)
		if (*value == '\t' || *value == '\n')
			str_add(out, *value == '\t' ? "\\t" : "\\n");
		else
			str_add_bytes(out, value, 1);
}

static void object_add_call(struct harness_object *o, const struct harness_call *c)
{
	const struct harness_op *op = &o->ops.items[c->op];
	struct str text = {0};
	const char *before = "";

	str_addf(&text, "%s(", op->name);
	for (size_t i = 0; i < op->arguments.count; i++) {
		const struct harness_argument *a = &op->arguments.items[i];

		if (a->kind != HARNESS_VALUE)
			continue;
		str_add(&text, before);
		object_add_value(a->values.items[c->values[i]], &text);
		before = ",";
	}
	str_add(&text, ")");
	*array_add(&o->calls) = *c;
	o->calls.items[o->calls.count - 1].text = str_take(&text);
}

/* Advances to the next combination of values. Returns false if there are no more. */
static bool next_values(const struct harness_op *op, struct harness_call *c)
{
	for (size_t i = op->arguments.count; i-- > 0;) {
		const struct harness_argument *a = &op->arguments.items[i];

		if (a->kind != HARNESS_VALUE)
			continue;
		if (++c->values[i] < a->values.count)
			return true;
		c->values[i] = 0;
	}
	return false;
}

static bool object_is_same(const struct harness_call *a, const struct harness_call *b)
{
	return a->op == b->op && memcmp(a->values, b->values, sizeof(a->values)) == 0;
}

static bool object_is_given(const struct harness_object *o, const struct harness_call *c)
{
	array_each(const struct harness_call, given, &o->given)
		if (object_is_same(given, c))
			return true;
	return false;
}

static size_t count_calls(const struct harness_op *op)
{
	size_t count = 1;

	array_each(const struct harness_argument, a, &op->arguments)
		if (a->kind == HARNESS_VALUE)
			count *= a->values.count;
	return count;
}

static void add_calls(struct harness_object *o, unsigned op)
{
	struct harness_call c = {.op = op};
	size_t first = o->calls.count, most = SIZE_MAX;

	array_each(const struct harness_call, given, &o->given)
		if (given->op == op)
			object_add_call(o, given);
	if (o->calls.count > first)
		most = WITH_GIVEN;
	else if (o->given.count && count_calls(&o->ops.items[op]) > MANY)
		most = 1;
	o->ops.items[op].is_partial = most == 1;
	do
		if (o->calls.count - first < most && !object_is_given(o, &c))
			object_add_call(o, &c);
	while (next_values(&o->ops.items[op], &c));
}

void harness_calls(struct harness_object *o)
{
	array_each(struct harness_call, c, &o->calls)
		base_free(c->text);
	o->calls.count = 0;
	for (unsigned i = 0; i < o->ops.count; i++)
		if (!o->ops.items[i].is_out)
			add_calls(o, i);
}

void harness_give(struct harness_object *o, unsigned call)
{
	struct harness_call c = o->calls.items[call];

	c.text = NULL;
	if (!object_is_given(o, &c))
		*array_add(&o->given) = c;
}

/* ---- lookup by name -------------------------------------------------------------------------- */

static bool object_is_named(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && memcmp(name, text, length) == 0;
}

unsigned harness_count(const struct harness_op *op, enum harness_argument_kind kind)
{
	unsigned count = 0;

	array_each(const struct harness_argument, a, &op->arguments)
		count += a->kind == kind;
	return count;
}

struct harness_op *harness_op_named(const struct harness_object *o, const char *name, size_t length)
{
	array_each(struct harness_op, op, &o->ops)
		if (object_is_named(op->name, name, length) ||
		    object_is_named(op->function, name, length))
			return op;
	return NULL;
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && isspace((unsigned char)*at))
		at++;
	return at;
}

const char *harness_scan(const char *at, const char *end, const char *stops, bool closes)
{
	char quote = 0;
	int depth = 0;

	for (; at < end; at++) {
		if (quote && *at == '\\' && at + 1 < end)
			at++;
		else if (quote)
			quote = *at == quote ? 0 : quote;
		else if (*at == '"' || *at == '\'')
			quote = *at;
		else if (!depth && strchr(stops, *at))
			break;
		else if (*at == '(' || *at == '{')
			depth++;
		else if (*at == '}')
			depth--;
		else if (*at == ')' && --depth <= 0 && closes)
			return at + 1;
	}
	return at;
}

/* Finds or adds the value. Returns its index. */
static unsigned char value_named(struct harness_argument *a, const char *text, size_t length)
{
	for (size_t i = 0; i < a->values.count; i++)
		if (object_is_named(a->values.items[i], text, length))
			return (unsigned char)i;
	*array_add(&a->values) = base_strndup(text, length);
	return (unsigned char)(a->values.count - 1);
}

static int wrong_count(const struct harness_op *op, struct error *err)
{
	const unsigned wanted = harness_count(op, HARNESS_VALUE);

	return error_set(err, ERROR_USAGE, "%s takes %u value%s here", op->name, wanted,
			 wanted == 1 ? "" : "s");
}

/* First argument from `i` on that takes a value. */
static size_t next_value(const struct harness_op *op, size_t i)
{
	while (i < op->arguments.count && op->arguments.items[i].kind != HARNESS_VALUE)
		i++;
	return i;
}

static int read_values(struct harness_op *op, const char *at, const char *end,
		       struct harness_call *out, struct error *err)
{
	size_t i = next_value(op, 0);

	for (at = skip_blanks(at, end); at < end; i = next_value(op, i + 1)) {
		const char *behind = harness_scan(at, end, ",", false), *last = behind;

		while (last > at && isspace((unsigned char)last[-1]))
			last--;
		if (i >= op->arguments.count || i >= HARNESS_ARGUMENTS || last == at)
			return wrong_count(op, err);
		out->values[i] = value_named(&op->arguments.items[i], at, (size_t)(last - at));
		at = skip_blanks(behind + (behind < end), end);
	}
	return i < op->arguments.count ? wrong_count(op, err) : 0;
}

int harness_call_named(struct harness_object *o, const char *text, size_t length, unsigned *out,
		       struct error *err)
{
	const char *end = text + length, *open = memchr(text, '(', length);
	struct harness_call c = {0};
	struct harness_op *op;

	if (!open || end[-1] != ')')
		return error_set(err, ERROR_USAGE, "'%.*s' is not a call", (int)length, text);
	op = harness_op_named(o, text, (size_t)(open - text));
	if (!op)
		return error_set(err, ERROR_USAGE, "there is no operation '%.*s'",
				 (int)(open - text), text);
	if (op->is_out)
		return error_set(err, ERROR_USAGE, "'%s' was left out: %s", op->function, op->why);
	c.op = (unsigned)(op - o->ops.items);
	if (read_values(op, open + 1, end - 1, &c, err) < 0)
		return -1;
	for (unsigned i = 0; i < o->calls.count; i++)
		if (object_is_same(&o->calls.items[i], &c)) {
			*out = i;
			return 0;
		}
	object_add_call(o, &c);
	*out = (unsigned)(o->calls.count - 1);
	return 0;
}

/* ---- freeing --------------------------------------------------------------------------------- */

static void free_texts(char **items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		base_free(items[i]);
}

static void op_fini(struct harness_op *op)
{
	array_each(struct harness_argument, a, &op->arguments) {
		base_free(a->type);
		base_free(a->of);
		base_free(a->literal);
		free_texts(a->values.items, a->values.count);
		array_fini(&a->values);
	}
	array_fini(&op->arguments);
	base_free(op->function);
	base_free(op->name);
	base_free(op->symbol);
	base_free(op->result);
	base_free(op->why);
}

void harness_object_fini(struct harness_object *o)
{
	array_each(struct harness_op, op, &o->ops)
		op_fini(op);
	array_each(struct harness_call, c, &o->calls)
		base_free(c->text);
	array_fini(&o->ops);
	array_fini(&o->calls);
	array_fini(&o->given);
	free_texts(o->prototypes.items, o->prototypes.count);
	free_texts(o->includes.items, o->includes.count);
	array_fini(&o->prototypes);
	array_fini(&o->includes);
	free_texts(o->structs.items, o->structs.count);
	array_fini(&o->structs);
	base_free(o->type);
	base_free(o->declared);
	base_free(o->make);
	base_free(o->end);
	*o = (struct harness_object){0};
}
