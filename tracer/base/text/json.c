/* Writes JSON. */
#include "tracer/base/text/json.h"
#include "tracer/base/text/foreign.h"
#include "tracer/base/text/utf8.h"

#include <math.h>

/* Appends \n or \uXXXX (RFC 8259 7). A byte that is not UTF-8 is taken as Latin-1. */
static void add_escaped(struct str *out, const char *text, size_t length)
{
	uint32_t code = length == 1 ? (unsigned char)*text : utf8_code(text, length);

	if (*text == '\n')
		str_add(out, "\\n");
	else
		/* characters that are not plain are below U+10000 */
		str_addf(out, "\\u%04x", code);
}

static void quote(struct str *out, const char *text)
{
	bool plain;

	str_add(out, "\"");
	for (size_t n; *text; text += n) {
		n = foreign_next(text, &plain);
		if (*text == '"' || *text == '\\')
			str_addf(out, "\\%c", *text);
		else if (plain)
			str_add_bytes(out, text, n);
		else
			add_escaped(out, text, n);
	}
	str_add(out, "\"");
}

static void json_begin(struct json *j, const char *name)
{
	if (j->comma)
		str_add(&j->out, ",");
	j->comma = true;
	if (name) {
		quote(&j->out, name);
		str_add(&j->out, ":");
	}
}

void json_object(struct json *j, const char *name)
{
	json_begin(j, name);
	str_add(&j->out, "{");
	j->comma = false;
}

void json_array(struct json *j, const char *name)
{
	json_begin(j, name);
	str_add(&j->out, "[");
	j->comma = false;
}

void json_end_object(struct json *j)
{
	str_add(&j->out, "}");
	j->comma = true;
}

void json_end_array(struct json *j)
{
	str_add(&j->out, "]");
	j->comma = true;
}

void json_string(struct json *j, const char *name, const char *value)
{
	json_begin(j, name);
	if (value)
		quote(&j->out, value);
	else
		str_add(&j->out, "null");
}

void json_integer(struct json *j, const char *name, long long value)
{
	json_begin(j, name);
	str_addf(&j->out, "%lld", value);
}

void json_number(struct json *j, const char *name, double value)
{
	json_begin(j, name);
	if (isfinite(value))
		str_addf(&j->out, "%.12g", value);
	else
		str_add(&j->out, "null");
}

void json_bool(struct json *j, const char *name, bool value)
{
	json_begin(j, name);
	str_add(&j->out, value ? "true" : "false");
}

void json_fini(struct json *j)
{
	str_fini(&j->out);
}
