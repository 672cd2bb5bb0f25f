/* Parts of C that both generated programs share: declarations, calls, printed results. */
#include "tracer/harness/model/write.h"

#include <ctype.h>
#include <string.h>

unsigned write_gifts(const struct harness_op *op, struct gift out[GIFTS])
{
	unsigned count = 0, outs = 0;

	if (op->varies)
		return 0;
	if (op->shown != HARNESS_NOTHING)
		out[count++] = (struct gift){NULL, op->shown, 0};
	array_each(const struct harness_argument, a, &op->arguments)
		if (a->kind == HARNESS_OUT)
			out[count++] = (struct gift){a, a->shown, ++outs};
		else if (a->kind == HARNESS_VISITS)
			out[count++] = (struct gift){a, HARNESS_SIGNED, 0};
	return count;
}

void write_shown(const struct gift *g, unsigned n, const char *variable, struct str *format,
		 struct str *values)
{
	static const struct {
		const char *format, *cast;
	} rows[] = {
		[HARNESS_NOTHING] = {"", "(long)"},
		[HARNESS_SIGNED] = {"%ld", "(long)"},
		[HARNESS_UNSIGNED] = {"%lu", "(unsigned long)"},
		[HARNESS_BOOL] = {"%ld", "(long)"},
		[HARNESS_FLOAT] = {"%g", ""},
		[HARNESS_STRING] = {"%s", ""},
		[HARNESS_POINTER] = {"%lu", "(unsigned long)"},
	};

	str_addf(format, "%s%s", n ? "," : "=", rows[g->shown].format);
	str_addf(values, ", %s%s", rows[g->shown].cast, variable);
}

void write_text_function(struct str *out)
{
	str_addf(out,
		 "/* Writes the string as a C literal, at most %d bytes of it. */\n"
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

static const char catch_text[] =
	"/* Makes the call. Returns \"throws(NAME)\" with the type of the exception, or NULL. */\n"
	"#include <cstdlib>\n#include <cstring>\n#include <cxxabi.h>\n#include <typeinfo>\n\n"
	"static const char *name_of(const std::type_info *type)\n"
	"{\n"
	"	int status;\n"
	"	char *name = type ? abi::__cxa_demangle(type->name(), NULL, NULL, &status) : "
	"NULL;\n"
	"	char *text = (char *)malloc(%d);\n\n"
	"	strcpy(text, \"throws(\");\n"
	"	strncat(text, name ? name : \"something\", %d);\n"
	"	strcat(text, \")\");\n"
	"	free(name);\n"
	"	for (char *at = text; *at; at++)\n"
	"		*at = strchr(\" |;\", *at) ? '_' : *at;\n"
	"	return text;\n"
	"}\n\n"
	"extern \"C\" const char *harness_try(void (*call)(void *), void *arg)\n"
	"{\n"
	"	try {\n"
	"		call(arg);\n"
	"	} catch (...) {\n"
	"		return name_of(abi::__cxa_current_exception_type());\n"
	"	}\n"
	"	return NULL;\n"
	"}\n";

void write_catch(struct str *out)
{
	enum { AROUND = 10 };

	str_addf(out, catch_text, WRITE_THROWN, WRITE_THROWN - AROUND);
}

size_t write_room(const struct harness_object *o, unsigned call)
{
	enum { BETWEEN = 4, NUMBER = 24 };
	const struct harness_op *op = harness_op_of(o, call);

	return strlen(o->calls.items[call].text) + BETWEEN + (o->catches ? WRITE_THROWN : 0) +
	       (op->shown == HARNESS_STRING ? WRITE_TEXT_ROOM + 1 : NUMBER) +
	       op->arguments.count * NUMBER;
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

void write_memory(const struct harness_object *o, struct str *out)
{
	if (o->has_second)
		str_addf(out, "static %s *second_object;\n", o->type);
	if (o->memory)
		str_addf(out, "static _Alignas(64) char memory[%llu]%s;\n",
			 (unsigned long long)o->memory,
			 o->has_second ? ", second_memory[sizeof(memory)]" : "");
}

static const struct {
	const char *name, *text;
} helpers[] = {
	{"hash_key", "static unsigned long hash_key(const void *p)\n{\n"
		     "	return (unsigned long)p;\n}\n"},
	{"compare_keys", "static int compare_keys(const void *a, const void *b)\n{\n"
			 "	return ((long)a > (long)b) - ((long)a < (long)b);\n}\n"},
	{"equal_keys", "static int equal_keys(const void *a, const void *b)\n{\n"
		       "	return a == b;\n}\n"},
	{"hash_text", "static unsigned long hash_text(const char *p)\n{\n"
		      "	return *p ? *p + 31 * hash_text(p + 1) : 0;\n}\n"},
	{"compare_texts", "static int compare_texts(const char *a, const char *b)\n{\n"
			  "	return strcmp(a, b);\n}\n"},
	{"equal_texts", "static int equal_texts(const char *a, const char *b)\n{\n"
			"	return strcmp(a, b) == 0;\n}\n"},
};

const char *write_helper(enum harness_helper helper)
{
	size_t i = 0;

	while (helper >> i > 1)
		i++;
	return helpers[i].name;
}

void write_helpers(const struct harness_object *o, struct str *out)
{
	for (size_t i = 0; i < sizeof(helpers) / sizeof(*helpers); i++)
		if (o->helpers & 1u << i)
			str_add(out, helpers[i].text);
}

static void make_one(const struct harness_object *o, const char *memory, struct str *out)
{
	if (o->memory)
		str_addf(out, "	memset(%s, 0, sizeof(%s));\n	object = (void *)%s;\n", memory,
			 memory, memory);
	if (o->make)
		str_addf(out, "	%s\n", o->make);
}

void write_make(const struct harness_object *o, struct str *out)
{
	if (o->has_second) {
		make_one(o, "second_memory", out);
		if (o->fills) {
			str_add(out, "	if (object)\n		");
			write_call(o, &o->fill, 1, out);
			str_add(out, ";\n");
		}
		str_add(out, "	second_object = object;\n");
	}
	make_one(o, "memory", out);
}

void write_end(const struct harness_object *o, struct str *out)
{
	if (!o->end)
		return;
	str_addf(out, "	%s(object);\n", o->end);
	if (o->has_second)
		str_addf(out, "	%s(second_object);\n", o->end);
}

/* Number of elements of "{1,2}". */
static unsigned count_elements(const char *value)
{
	unsigned count = 1;

	for (; *value; value++)
		count += *value == ',';
	return count;
}

static void write_value(const struct harness_argument *a, const char *value, struct str *out)
{
	if (a->literal)
		str_add(out, a->literal);
	else if (strchr(a->type, '*') && isdigit((unsigned char)*value))
		str_add(out, "(void *)"); /* a number passed as a pointer is a token */
	str_add(out, value);
	if (a->literal && a->literal[strlen(a->literal) - 1] == '{')
		str_add(out, "}");
}

void write_call(const struct harness_object *o, const struct harness_call *c, unsigned first,
		struct str *out)
{
	const struct harness_op *op = &o->ops.items[c->op];

	str_addf(out, "%s(object", op->function);
	for (size_t i = 0; i < op->arguments.count; i++) {
		const struct harness_argument *a = &op->arguments.items[i];

		str_add(out, ", ");
		if (a->kind == HARNESS_OUT)
			str_addf(out, "&o%u", first++);
		else if (a->kind == HARNESS_VISITS)
			str_add(out, "(void *)visit");
		else if (a->kind == HARNESS_SECOND)
			str_add(out, "second_object");
		else if (a->kind == HARNESS_LENGTH)
			str_addf(out, "%u", count_elements(a[-1].values.items[c->values[i - 1]]));
		else
			write_value(a, a->values.items[c->values[i]], out);
	}
	str_add(out, ")");
}

void write_declarations(const struct harness_object *o, const bool *used, struct str *out)
{
	array_each(char *const, include, &o->includes)
		str_addf(out, "#include %s\n", *include);
	if (o->includes.count)
		return;
	str_addf(out, "%s\n", o->declared);
	array_each(char *const, text, &o->structs)
		str_addf(out, "%s\n", *text);
	array_each(char *const, prototype, &o->prototypes)
		str_addf(out, "%s\n", *prototype);
	for (size_t i = 0; i < o->ops.count; i++) {
		const struct harness_op *op = &o->ops.items[i];

		if (!used[i] && !(o->fills && i == o->fill.op))
			continue;
		str_addf(out, "%s%s%s(%s *", op->result, strchr(op->result, '*') ? "" : " ",
			 op->function, o->type);
		array_each(const struct harness_argument, a, &op->arguments)
			str_addf(out, ", %s", a->type);
		str_add(out, ")");
		if (op->symbol)
			str_addf(out, " __asm__(\"%s\")", op->symbol);
		str_add(out, ";\n");
	}
}
