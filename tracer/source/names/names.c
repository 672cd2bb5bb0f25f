/* Splits and compares names of functions. */
#include "tracer/source/names/names.h"
#include "tracer/base/text/word.h"

#include <ctype.h>
#include <string.h>

/* ---- splitting ------------------------------------------------------------------------------ */

static bool names_is_word(char c)
{
	return word_char(c) || c == '$';
}

size_t names_operator_length(const char *text)
{
	static const char *const symbols[] = {"<=>", "<<=", ">>=", "->*", "()", "[]", "->", "<<",
					      ">>",  "<=",  ">=",  "==",  "!=", "&&", "||", "++",
					      "--",  "+=",  "-=",  "*=",  "/=", "%=", "^=", "&=",
					      "|=",  "<",   ">",   "+",	  "-",	"*",  "/",  "%",
					      "^",   "&",   "|",   "~",	  "!",	"=",  ",",  "\"\""};
	const char *at = text + 8;

	if (strncmp(text, "operator", 8) != 0 || names_is_word(*at))
		return 0;
	at += strspn(at, " ");
	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
		size_t length = strlen(symbols[i]);

		if (strncmp(at, symbols[i], length) == 0)
			return (size_t)(at - text) + length;
	}
	return 8; /* conversion, new or delete: words follow */
}

static bool starts_arguments(const char *text, size_t start, size_t at)
{
	return text[at] == '(' && at > start;
}

/* Returns the length of a name that the compiler generates, "{lambda(int)#2}", or 0. */
static size_t length_of_braces(const struct name_part *part)
{
	const char *end = *part->text == '{' ? memchr(part->text, '}', part->length) : NULL;

	return end ? (size_t)(end - part->text) + 1 : 0;
}

static void end_part(const char *text, size_t start, size_t end, struct name_parts *out)
{
	struct name_part *part;
	size_t skip, at;

	while (end > start && text[end - 1] == ' ')
		end--;
	if (end == start)
		return;
	part = array_add(&out->parts);
	part->text = text + start;
	part->length = part->plain = end - start;
	skip = names_operator_length(part->text);
	at = skip ? skip : 1;
	if (length_of_braces(part))
		at = length_of_braces(part);
	for (; at < part->length; at++) {
		if (part->text[at] == '<' || part->text[at] == '(' ||
		    strncmp(part->text + at, "[abi:", 5) == 0) {
			part->plain = at;
			break;
		}
	}
	while (part->plain && part->text[part->plain - 1] == ' ')
		part->plain--;
}

int names_depth_change(const char *text, size_t at)
{
	switch (text[at]) {
	case '<':
	case '(':
	case '[':
	case '{':
		return 1;
	case '>':
		return at && text[at - 1] == '-' ? 0 : -1; /* Rust's -> */
	case ')':
	case ']':
	case '}':
		return -1;
	default:
		return 0;
	}
}

static void take_arguments(const char *text, struct name_parts *out)
{
	int depth = 0;
	size_t at = 0;

	out->args = text;
	for (; text[at]; at++) {
		depth += names_depth_change(text, at);
		if (depth == 0)
			break;
	}
	out->args_length = text[at] ? at + 1 : at;
}

/* Returns the length of the arguments of an enclosing function, "f(int)
   const::{lambda()#1}::operator()"; 0 if no name follows the arguments. */
static size_t length_of_around(const char *text)
{
	int depth = 0;
	size_t at = 0;

	do {
		depth += names_depth_change(text, at);
		at++;
	} while (depth > 0 && text[at]);
	if (strncmp(text + at, " const", 6) == 0)
		at += 6;
	return strncmp(text + at, "::", 2) == 0 ? at : 0;
}

void names_split(const char *text, struct name_parts *out)
{
	size_t start = 0, at = 0;
	bool named_operator = false;
	int depth = 0;

	memset(out, 0, sizeof(*out));
	out->global = strncmp(text, "::", 2) == 0;
	while (text[at]) {
		if (depth == 0 && at == start && names_operator_length(text + at)) {
			named_operator = true;
			at += names_operator_length(text + at);
			continue;
		}
		if (depth == 0 && starts_arguments(text, start, at) &&
		    length_of_around(text + at)) {
			at += length_of_around(text + at);
			continue;
		}
		if (depth == 0 && starts_arguments(text, start, at)) {
			end_part(text, start, at, out);
			take_arguments(text + at, out);
			return;
		}
		if (depth == 0 && text[at] == ':' && text[at + 1] == ':') {
			end_part(text, start, at, out);
			start = at = at + 2;
			named_operator = false;
			continue;
		}
		if (depth == 0 && text[at] == ' ' && !named_operator) {
			if (text[at + 1] == '[') /* "foo [clone .cold]" */
				break;
			out->parts.count = 0; /* the text before the blank was a return type */
			start = at + 1;
		}
		depth += names_depth_change(text, at);
		if (depth < 0)
			depth = 0;
		at++;
	}
	end_part(text, start, at, out);
}

void names_fini(struct name_parts *n)
{
	array_fini(&n->parts);
}

/* ---- matching ------------------------------------------------------------------------------- */

/* Compares ignoring blanks: "f<int, char>" is equal to "f<int,char>". */
static bool same_text(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t i = 0, j = 0;

	for (;;) {
		while (i < a_length && a[i] == ' ')
			i++;
		while (j < b_length && b[j] == ' ')
			j++;
		if (i == a_length || j == b_length)
			return i == a_length && j == b_length;
		if (a[i++] != b[j++])
			return false;
	}
}

static bool has_template(const struct name_part *p)
{
	return p->plain < p->length && memchr(p->text + p->plain, '<', p->length - p->plain);
}

/* True if the wanted part is the type of a Rust impl: Foo matches
   "<crate::Foo as crate::Trait>". */
static bool same_impl(const struct name_part *wanted, const struct name_part *full)
{
	const char *as = full->text[0] == '<' ? memmem(full->text, full->length, " as ", 4) : NULL;
	size_t length;

	if (!as)
		return false;
	length = (size_t)(as - full->text);
	if (length <= wanted->length ||
	    memcmp(as - wanted->length, wanted->text, wanted->length) != 0)
		return false;
	return !names_is_word(as[-(ptrdiff_t)wanted->length - 1]);
}

static bool same_part(const struct name_part *wanted, const struct name_part *full)
{
	if (has_template(wanted))
		return same_text(wanted->text, wanted->length, full->text, full->length) ||
		       (same_text(wanted->text, wanted->plain, full->text, full->plain) &&
			names_same_brief(wanted->text, wanted->length, full->text, full->length));
	return same_text(wanted->text, wanted->plain, full->text, full->plain) ||
	       same_impl(wanted, full);
}

static bool names_begins(const struct name_part *p, const char *text)
{
	size_t length = strlen(text);

	return p->length >= length && memcmp(p->text, text, length) == 0;
}

/* True for parts that users leave out: anonymous namespaces, the library's inline
   ones, Rust's impl blocks. */
static bool is_silent(const struct name_part *p)
{
	return names_begins(p, "(anonymous") || names_begins(p, "{impl") ||
	       names_begins(p, "{unnamed") || names_begins(p, "__cxx") ||
	       (names_begins(p, "__") && p->length > 2 && isdigit((unsigned char)p->text[2]));
}

static bool is_void(const char *args, size_t length)
{
	return same_text(args, length, "()", 2) || same_text(args, length, "(void)", 6);
}

static bool same_args(const struct name_parts *wanted, const struct name_parts *full)
{
	if (!wanted->args || !full->args)
		return true;
	return same_text(wanted->args, wanted->args_length, full->args, full->args_length) ||
	       (is_void(wanted->args, wanted->args_length) &&
		is_void(full->args, full->args_length));
}

static bool same_parts(const struct name_parts *wanted, const struct name_parts *full)
{
	size_t w = wanted->parts.count, f = full->parts.count;

	if (!w || !f || !same_part(&wanted->parts.items[--w], &full->parts.items[--f]))
		return false;
	while (w > 0) {
		if (f == 0)
			return false;
		if (same_part(&wanted->parts.items[w - 1], &full->parts.items[f - 1]))
			w--;
		else if (!is_silent(&full->parts.items[f - 1]))
			return false;
		f--;
	}
	while (wanted->global && f > 0) {
		if (!is_silent(&full->parts.items[--f]))
			return false;
	}
	return true;
}

bool names_match(const struct name_parts *wanted, const char *full)
{
	struct name_parts parts;
	bool same;

	names_split(full, &parts);
	same = same_parts(wanted, &parts) && same_args(wanted, &parts);
	names_fini(&parts);
	return same;
}

bool names_match_args(const struct name_parts *wanted, const char *full)
{
	struct name_parts parts;
	bool same;

	names_split(full, &parts);
	same = same_args(wanted, &parts);
	names_fini(&parts);
	return same;
}

char *names_last(const struct name_parts *n)
{
	const struct name_part *last;

	if (!n->parts.count)
		return base_strdup("");
	last = &n->parts.items[n->parts.count - 1];
	return base_strndup(last->text, last->plain);
}

static char *names_joined(const char *full, bool templates)
{
	struct name_parts n;
	struct str out = {0};

	names_split(full, &n);
	array_each(const struct name_part, p, &n.parts) {
		if (out.length)
			str_add(&out, "::");
		str_add_bytes(&out, p->text, templates ? p->length : p->plain);
	}
	names_fini(&n);
	return str_take(&out);
}

char *names_plain(const char *full)
{
	return names_joined(full, false);
}

char *names_without_args(const char *full)
{
	return names_joined(full, true);
}

char *names_of_symbol(const char *symbol)
{
	char *full = source_demangle(symbol), *name;

	if (strcmp(full, symbol) == 0)
		return full;
	name = names_without_args(full);
	base_free(full);
	return name;
}
