#include "tracer/base/json.h"
#include "tracer/base/utf8.h"

#include <math.h>

static void quote(struct str *out, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	str_add(out, "\"");
	while (*p) {
		int length = utf8_length((const char *)p);

		if (!length) {
			str_addf(out, "\\u%04x", *p++); /* a stray byte is shown as Latin-1 */
			continue;
		}
		if (*p == '"' || *p == '\\')
			str_addf(out, "\\%c", *p);
		else if (*p == '\n')
			str_add(out, "\\n");
		else if (*p < 0x20 || *p == 0x7f)
			str_addf(out, "\\u%04x", *p);
		else
			str_add_bytes(out, (const char *)p, (size_t)length);
		p += length;
	}
	str_add(out, "\"");
}

static void begin(struct json *j, const char *name)
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
	begin(j, name);
	str_add(&j->out, "{");
	j->comma = false;
}

void json_array(struct json *j, const char *name)
{
	begin(j, name);
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
	begin(j, name);
	if (value)
		quote(&j->out, value);
	else
		str_add(&j->out, "null");
}

void json_integer(struct json *j, const char *name, long long value)
{
	begin(j, name);
	str_addf(&j->out, "%lld", value);
}

void json_number(struct json *j, const char *name, double value)
{
	begin(j, name);
	if (isfinite(value))
		str_addf(&j->out, "%.12g", value);
	else
		str_add(&j->out, "null");
}

void json_bool(struct json *j, const char *name, bool value)
{
	begin(j, name);
	str_add(&j->out, value ? "true" : "false");
}

void json_fini(struct json *j)
{
	str_fini(&j->out);
}
