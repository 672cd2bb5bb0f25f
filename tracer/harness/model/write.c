/* What both kinds of program have in common: declarations and calls. */
#include "tracer/harness/model/write.h"

#include <ctype.h>
#include <string.h>

const char *write_format(enum harness_shown shown)
{
	switch (shown) {
	case HARNESS_SIGNED:
	case HARNESS_BOOL:
		return "%ld";
	case HARNESS_UNSIGNED:
	case HARNESS_POINTER:
		return "%lu";
	case HARNESS_FLOAT:
		return "%g";
	case HARNESS_STRING:
		return "%s";
	default:
		return "";
	}
}

void write_shown(enum harness_shown shown, const char *variable, struct str *out)
{
	if (shown == HARNESS_STRING || shown == HARNESS_FLOAT)
		str_add(out, variable);
	else
		str_addf(out, "(%s)%s",
			 shown == HARNESS_UNSIGNED || shown == HARNESS_POINTER ? "unsigned long"
									       : "long",
			 variable);
}

void write_text_function(struct str *out)
{
	str_addf(out,
		 "/* As C writes it; of a long one the first %d bytes. */\n"
		 "static void quoted_text(const char *text, char *out)\n"
		 "{\n"
		 "	int n = 0;\n\n"
		 "	out += sprintf(out, text ? \"\\\"\" : \"NULL\");\n"
		 "	for (; text && text[n] && n < %d; n++)\n"
		 "		out += sprintf(out, strchr(\"\\n\\t\\\"\\\\\", text[n]) ? "
		 "\"\\\\%%c\" :\n"
		 "			       text[n] < ' ' || text[n] > '~' ? \"\\\\x%%02x\" : "
		 "\"%%c\",\n"
		 "			       text[n] == '\\n' ? 'n' : text[n] == '\\t' ? 't' : "
		 "(unsigned char)text[n]);\n"
		 "	strcpy(out, !text ? \"\" : text[n] ? \"\\\"...\" : \"\\\"\");\n"
		 "}\n",
		 WRITE_TEXT, WRITE_TEXT);
}

size_t write_room(const struct harness_object *o, unsigned call)
{
	enum { BETWEEN = 4, NUMBER = 24 };
	const struct harness_call *c = &o->calls.items[call];
	const struct harness_op *op = &o->ops.items[c->op];
	size_t room = strlen(c->text) + BETWEEN;

	room += op->shown == HARNESS_STRING ? WRITE_TEXT_ROOM + 1 : NUMBER;
	return room + op->arguments.count * NUMBER;
}

bool write_is_text(const struct harness_op *op)
{
	return op->shown == HARNESS_STRING && !op->varies;
}

bool write_has_text(const struct harness_object *o, const bool *used)
{
	for (size_t i = 0; i < o->ops.count; i++)
		if (used[i] && write_is_text(&o->ops.items[i]))
			return true;
	return false;
}

/* A number where C wants an address is a token. */
static void write_add_value(const struct harness_argument *a, const char *value, struct str *out)
{
	bool is_pointer = strchr(a->type, '*');

	if (is_pointer && isdigit((unsigned char)*value))
		str_addf(out, "(void *)%s", value);
	else
		str_add(out, value);
}

void write_call_text(const struct harness_object *o, const struct harness_call *c, const char *name,
		     unsigned first, struct str *out)
{
	const struct harness_op *op = &o->ops.items[c->op];

	str_addf(out, "%s(object", op->function);
	for (size_t i = 0; i < op->arguments.count; i++) {
		const struct harness_argument *a = &op->arguments.items[i];

		str_add(out, ", ");
		if (a->kind == HARNESS_OUT)
			str_addf(out, "&%s%u", name, first++);
		else if (a->kind == HARNESS_VISITS)
			str_add(out, "(void *)visit");
		else if (a->kind == HARNESS_NULL)
			str_add(out, "NULL");
		else
			write_add_value(a, a->values.items[c->values[i]], out);
	}
	str_add(out, ")");
}

static void add_prototype(const struct harness_object *o, const struct harness_op *op,
			  struct str *out)
{
	str_addf(out, "%s%s%s(%s *", op->result, strchr(op->result, '*') ? "" : " ", op->function,
		 o->type);
	array_each(const struct harness_argument, a, &op->arguments)
		str_addf(out, ", %s", a->type);
	str_add(out, ");\n");
}

void write_declarations(const struct harness_object *o, const bool *used, struct str *out)
{
	array_each(char *const, include, &o->includes)
		str_addf(out, "#include %s\n", *include);
	if (o->includes.count)
		return;
	str_addf(out, "%s\n", o->declared);
	array_each(char *const, prototype, &o->prototypes)
		str_addf(out, "%s\n", *prototype);
	for (size_t i = 0; i < o->ops.count; i++)
		if (used[i])
			add_prototype(o, &o->ops.items[i], out);
}
