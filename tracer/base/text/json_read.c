/* A recursive descent parser of JSON (RFC 8259). */
#include "tracer/base/text/json_read.h"

#include "tracer/base/array.h"
#include "tracer/base/text/str.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 200 };

struct json_reader {
	const char *at;
	unsigned depth;
	bool bad;
};

static void json_skip_blanks(struct json_reader *r)
{
	r->at += strspn(r->at, " \t\r\n");
}

/* Consumes the character after blanks if it is `c`. */
static bool take_char(struct json_reader *r, char c)
{
	json_skip_blanks(r);
	if (*r->at != c)
		return false;
	r->at++;
	return true;
}

static void expect_char(struct json_reader *r, char c)
{
	r->bad |= !take_char(r, c);
}

/* ---- strings --------------------------------------------------------------------------------- */

static unsigned read_hex(struct json_reader *r)
{
	char digits[5] = "", *end;
	unsigned long code;

	strncpy(digits, r->at, 4);
	code = strtoul(digits, &end, 16);
	r->bad |= end != digits + 4 || digits[0] == '-' || digits[0] == '+' || digits[0] == ' ';
	r->at += strlen(digits);
	return (unsigned)code;
}

/* Reads the rest of \uXXXX, of a surrogate pair both. */
static void read_code(struct json_reader *r, struct str *out)
{
	unsigned code = read_hex(r), low;

	if (code >= 0xd800 && code < 0xdc00 && strncmp(r->at, "\\u", 2) == 0) {
		r->at += 2;
		low = read_hex(r);
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
		r->bad |= low < 0xdc00 || low > 0xdfff;
	}
	if (!code || (code >= 0xd800 && code < 0xe000)) /* no character of a text */
		code = 0xfffd;
	if (!r->bad)
		str_add_code(out, code);
}

static void read_escape(struct json_reader *r, struct str *out)
{
	static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *found = *r->at ? strchr(letters, *r->at) : NULL;

	if (found)
		r->at++, str_add_bytes(out, &values[found - letters], 1);
	else if (*r->at == 'u')
		r->at++, read_code(r, out);
	else
		r->bad = true;
}

/* Reads a string after its first quote. Returns its text, which the caller frees. */
static char *read_text(struct json_reader *r)
{
	struct str out = {0};

	while (!r->bad && *r->at != '"') {
		size_t plain = strcspn(r->at, "\"\\");

		str_add_bytes(&out, r->at, plain);
		r->at += plain;
		if (*r->at == '\\')
			r->at++, read_escape(r, &out);
		r->bad |= !*r->at;
	}
	r->at += !r->bad;
	return str_take(&out);
}

/* ---- values ---------------------------------------------------------------------------------- */

static void read_value(struct json_reader *r, struct json_value *out);

static void read_items(struct json_reader *r, struct json_value *out, char end)
{
	if (++r->depth > DEEPEST)
		r->bad = true;
	if (take_char(r, end)) {
		r->depth--;
		return;
	}
	do {
		struct json_value *item = array_add(out);

		if (out->kind == JSON_OBJECT) {
			expect_char(r, '"');
			item->name = r->bad ? NULL : read_text(r);
			expect_char(r, ':');
		}
		if (!r->bad)
			read_value(r, item);
	} while (!r->bad && take_char(r, ','));
	expect_char(r, end);
	r->depth--;
}

/* Reads null, true, false or a number. */
static void read_word(struct json_reader *r, struct json_value *out)
{
	static const struct {
		const char *word;
		enum json_kind kind;
		double number;
	} words[] = {{"null", JSON_NULL, 0}, {"true", JSON_BOOL, 1}, {"false", JSON_BOOL, 0}};
	char *end;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strncmp(r->at, words[i].word, strlen(words[i].word)) == 0) {
			out->kind = words[i].kind;
			out->number = words[i].number;
			r->at += strlen(words[i].word);
			return;
		}
	out->kind = JSON_NUMBER;
	r->bad |= !*r->at || !strchr("-0123456789", *r->at);
	out->number = r->bad ? 0 : strtod(r->at, &end);
	r->at = r->bad ? r->at : end;
}

static void read_value(struct json_reader *r, struct json_value *out)
{
	if (take_char(r, '{')) {
		out->kind = JSON_OBJECT;
		read_items(r, out, '}');
	} else if (take_char(r, '[')) {
		out->kind = JSON_ARRAY;
		read_items(r, out, ']');
	} else if (take_char(r, '"')) {
		out->kind = JSON_STRING;
		out->text = read_text(r);
	} else {
		read_word(r, out);
	}
}

int json_read(const char *text, struct json_value *out, struct error *err)
{
	struct json_reader r = {.at = text};

	*out = (struct json_value){0};
	read_value(&r, out);
	json_skip_blanks(&r);
	if (!r.bad && !*r.at)
		return 0;
	json_value_fini(out);
	return error_set(err, ERROR_STATE, "no JSON at byte %zu", (size_t)(r.at - text));
}

/* ---- use ------------------------------------------------------------------------------------- */

const struct json_value *json_member(const struct json_value *v, const char *name)
{
	if (!v || v->kind != JSON_OBJECT)
		return NULL;
	array_each(const struct json_value, item, v)
		if (strcmp(item->name, name) == 0)
			return item;
	return NULL;
}

const char *json_member_text(const struct json_value *v, const char *name)
{
	const struct json_value *member = json_member(v, name);

	return member && member->kind == JSON_STRING ? member->text : NULL;
}

double json_member_number(const struct json_value *v, const char *name, double absent)
{
	const struct json_value *member = json_member(v, name);

	return member && (member->kind == JSON_NUMBER || member->kind == JSON_BOOL) ? member->number
										    : absent;
}

void json_value_fini(struct json_value *v)
{
	array_each(struct json_value, item, v)
		json_value_fini(item);
	array_fini(v);
	base_free(v->name);
	base_free(v->text);
	*v = (struct json_value){0};
}
