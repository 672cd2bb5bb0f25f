/* Parses locations as users write them. Whether they exist is decided in resolve.c. */
#include "tracer/source/source.h"

#include "tracer/base/text/foreign.h"
#include "tracer/base/text/number.h"
#include "tracer/base/text/str.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define ACCEPTED                                                                                   \
	"a location is FILE:LINE, FUNC, FUNC:+N, FUNC%%return, FUNC;TEXT, FILE;TEXT, //MARK or "   \
	"*0xADDR, with OBJECT! before it or #K after it where that is needed; of a statement, "    \
	"also with :read or :write after it"

enum { SUM_DIGITS = 8 };

static int malformed(struct error *err, const struct location *l, const char *what)
{
	error_set(err, ERROR_LOCATION, "'%s' is not a location: %s", l->text, what);
	return error_hint(err, ACCEPTED);
}

void location_fini(struct location *l)
{
	base_free(l->text);
	base_free(l->object);
	base_free(l->name);
	base_free(l->search);
	memset(l, 0, sizeof(*l));
}

static char *trimmed(const char *text, size_t length)
{
	while (length && isspace((unsigned char)*text)) {
		text++;
		length--;
	}
	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	return base_strndup(text, length);
}

static bool read_number(const char *text, unsigned *out)
{
	uint64_t value;
	bool is_one = number_read(text, INT_MAX, &value);

	if (is_one)
		*out = (unsigned)value;
	return is_one;
}

static bool only_digits(const char *text)
{
	return *text && text[strspn(text, "0123456789")] == '\0';
}

static bool ends_with(const char *text, size_t length, const char *ending)
{
	size_t n = strlen(ending);

	return length >= n && memcmp(text + length - n, ending, n) == 0;
}

/* True for libfoo.so and libfoo.so.1.2. */
static bool is_library(const char *text, size_t length)
{
	while (length && strchr("0123456789.", text[length - 1]))
		length--;
	return ends_with(text, length, ".so") && !memchr(text, '"', length);
}

/* True if each ( and < is closed, as in program(1). */
static bool is_balanced(const char *text, size_t length)
{
	int depth = 0;

	for (size_t i = 0; i < length; i++)
		depth += (text[i] == '(' || text[i] == '<') - (text[i] == ')' || text[i] == '>');
	return depth == 0;
}

/* True if the text before a ! names an object. operator! and operator!= are functions; `a != b`
   comes after a semicolon or in parentheses. */
static bool is_object(const char *text, size_t length)
{
	if (ends_with(text, length, "operator"))
		return false;
	return is_library(text, length) ||
	       (*text != '*' && !memchr(text, ';', length) && is_balanced(text, length));
}

/* Returns the ! after the object's name, or NULL. */
static char *end_of_object(char *text)
{
	char *at = strncmp(text, "//", 2) == 0 || *text == '"' ? NULL : strchr(text, '!');

	while (at && !is_object(text, (size_t)(at - text)))
		at = strchr(at + 1, '!');
	return at;
}

static int take_object(char **rest, struct location *l, struct error *err)
{
	char *at = end_of_object(*rest);

	if (!at)
		return 0;
	*at = '\0';
	l->object = trimmed(*rest, (size_t)(at - *rest));
	*rest = at + 1 + strspn(at + 1, " \t");
	if (!l->object[0])
		return malformed(err, l, "an object is missing before the !");
	if (!**rest)
		return malformed(err, l, "a location is missing after the !");
	return 0;
}

static int take_match(char *rest, struct location *l, struct error *err)
{
	char *hash = strrchr(rest, '#');

	if (!hash || hash == rest || !only_digits(hash + 1))
		return 0;
	if (!read_number(hash + 1, &l->match) || l->match == 0)
		return malformed(err, l, "matches are counted from #1");
	while (hash > rest && isspace((unsigned char)hash[-1]))
		hash--;
	*hash = '\0';
	return 0;
}

static int parse_address(const char *rest, struct location *l, struct error *err)
{
	char *end;

	l->kind = LOCATION_ADDRESS;
	if (strncasecmp(rest, "0x", 2) != 0 || !isxdigit((unsigned char)rest[2]))
		return malformed(err, l, "an address is written *0x and hexadecimal digits");
	errno = 0;
	l->address = strtoull(rest + 2, &end, 16);
	if ((*end && *end != ':') || errno)
		return malformed(err, l, "an address is written *0x and hexadecimal digits");
	if (!*end)
		return 0;
	l->search = base_strdup(end + 1);
	if (strlen(l->search) != SUM_DIGITS || strspn(l->search, "0123456789abcdef") != SUM_DIGITS)
		return malformed(err, l, "the sum after an address has 8 hexadecimal digits");
	return 0;
}

static int parse_mark(const char *rest, struct location *l, struct error *err)
{
	l->kind = LOCATION_MARK;
	l->search = trimmed(rest, strlen(rest));
	if (!l->search[0])
		return malformed(err, l, "the name of a mark is missing after //");
	if (strpbrk(l->search, " \t"))
		return malformed(err, l, "the name of a mark ends at a blank");
	return 0;
}

static int parse_text(const char *rest, const char *semicolon, struct location *l,
		      struct error *err)
{
	l->kind = LOCATION_TEXT;
	l->name = trimmed(rest, (size_t)(semicolon - rest));
	l->search = trimmed(semicolon + 1, strlen(semicolon + 1));
	if (!l->name[0])
		return malformed(err, l, "a function or a file is missing before the ;");
	if (!l->search[strspn(l->search, "* \t")])
		return malformed(err, l, "source text is missing after the ;");
	return 0;
}

static bool has_file_ending(const char *name)
{
	static const char *const endings[] = {".c",   ".cc", ".cpp", ".cxx", ".C",   ".h", ".hh",
					      ".hpp", ".rs", ".s",   ".S",   ".inc", ".y", ".l"};
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		if (ends_with(name, length, endings[i]))
			return true;
	}
	return false;
}

/* Returns the last colon that is neither part of a :: nor in a lambda's name,
   {lambda(auto:1)#2}, or NULL. */
static const char *single_colon(const char *name)
{
	const char *found = NULL;
	int braces = 0;

	for (const char *at = name; *at; at++) {
		braces += (*at == '{') - (*at == '}');
		if (*at != ':')
			continue;
		if (at[1] == ':')
			at++;
		else if (braces <= 0)
			found = at;
	}
	return found;
}

/* Returns the closing quote of a test case's name, "in quotes", or the whole text. */
static const char *behind_case(const char *text)
{
	const char *end = *text == '"' ? strchr(text + 1, '"') : NULL;

	return end ? end : text;
}

static const char *last_part(const char *name)
{
	const char *part = name;
	int braces = 0;

	for (const char *at = name; *at; at++) {
		braces += (*at == '{') - (*at == '}');
		if (braces <= 0 && at[0] == ':' && at[1] == ':')
			part = at + 2;
	}
	return part;
}

/* Appends ::operator() to the name of a lambda, "main::{lambda()#2}" or "main::$_1":
   that method has its code. */
static void name_operator(struct location *l)
{
	const char *part = l->name ? last_part(l->name) : "";
	struct str whole = {0};

	if (!(strncmp(part, "{lambda", 7) == 0 && ends_with(part, strlen(part), "}")) &&
	    !(strncmp(part, "$_", 2) == 0 && only_digits(part + 2)))
		return;
	str_addf(&whole, "%s::operator()", l->name);
	base_free(l->name);
	l->name = str_take(&whole);
}

/* True for a test case and for a function in it: "log while rotating"::{lambda()#1}. */
static bool is_of_case(const char *name)
{
	const char *end = behind_case(name);

	return (strlen(name) > 2 && ends_with(name, strlen(name), "\"")) ||
	       (strncmp(end, "\"::", 3) == 0 && end[3]);
}

static int check_function(const char *name, struct location *l, struct error *err)
{
	if (!*name)
		return malformed(err, l, "a function's name is missing");
	if (*name == '"')
		return is_of_case(name) ? 0
					: malformed(err, l, "a test case's name ends with a quote");
	if (has_file_ending(name) || (strchr(name, '/') && !strstr(name, "operator")))
		return malformed(err, l, "a file needs a line: FILE:LINE or FILE;TEXT");
	if (single_colon(name))
		return malformed(err, l, "a line number is missing after the colon");
	if (strpbrk(name, " \t") && !strpbrk(name, "<(") && !strstr(name, "operator"))
		return malformed(err, l, "a function's name has no blanks");
	return 0;
}

/* Parses FUNC:+N and FILE:LINE. Returns 1 if the text is neither, else 0 or -1. */
static int parse_number(const char *rest, struct location *l, struct error *err)
{
	const char *colon = single_colon(behind_case(rest));

	if (!colon || (colon > rest && colon[-1] == ':'))
		return 1;
	if (colon[1] == '+') {
		l->kind = LOCATION_OFFSET;
		l->name = trimmed(rest, (size_t)(colon - rest));
		if (!read_number(colon + 2, &l->line))
			return malformed(err, l, "a number of lines is missing after :+");
		return check_function(l->name, l, err);
	}
	if (!isdigit((unsigned char)colon[1]))
		return 1;
	l->kind = LOCATION_LINE;
	l->name = trimmed(rest, (size_t)(colon - rest));
	if (!l->name[0])
		return malformed(err, l, "a file's name is missing before the colon");
	if (!only_digits(colon + 1))
		return malformed(err, l, "the colon has to be followed by a line number alone");
	if (!read_number(colon + 1, &l->line))
		return malformed(err, l, "no file has so many lines");
	if (l->line == 0)
		return malformed(err, l, "lines are counted from 1");
	if (single_colon(l->name))
		return malformed(err, l, "a file and its line have one colon between them");
	return 0;
}

/* Parses the text after FUNC%call( and sets l->search. */
static int parse_callee(const char *text, struct location *l, struct error *err)
{
	size_t length = strlen(text);

	if (!ends_with(text, length, ")"))
		return malformed(err, l, "a closing parenthesis is missing after %call(");
	l->search = trimmed(text, length - 1);
	return *l->search ? 0 : malformed(err, l, "the called function is missing in %call()");
}

static int parse_function(const char *rest, struct location *l, struct error *err)
{
	const char *call = strstr(rest, "%call("), *percent = call ? call : strrchr(rest, '%');

	l->kind = LOCATION_FUNC;
	if (call) {
		l->kind = LOCATION_CALL;
		if (parse_callee(call + strlen("%call("), l, err) < 0)
			return -1;
		l->name = trimmed(rest, (size_t)(call - rest));
	} else if (percent && !ends_with(rest, (size_t)(percent - rest), "operator")) {
		l->kind = LOCATION_RETURN;
		if (strcmp(percent + 1, "return") != 0)
			return malformed(err, l,
					 "after the % only 'return' or 'call(FUNC)' is possible");
		l->name = trimmed(rest, (size_t)(percent - rest));
	} else {
		l->name = trimmed(rest, strlen(rest));
	}
	return check_function(l->name, l, err);
}

const char *location_part_text(enum location_part part)
{
	static const char *const texts[] = {"", ":read", ":write"};

	return texts[part];
}

/* Cuts :read or :write off the end. */
static void take_part(char *rest, struct location *l)
{
	size_t length = strlen(rest);

	for (enum location_part part = LOCATION_READ; part <= LOCATION_WRITE; part++) {
		const char *text = location_part_text(part);

		if (!ends_with(rest, length, text) || ends_with(rest, length - strlen(text), ":"))
			continue;
		rest[length - strlen(text)] = '\0';
		l->part = part;
		return;
	}
}

/* The parts are those of one statement. */
static int check_part(const struct location *l, struct error *err)
{
	bool statement = l->kind == LOCATION_LINE || l->kind == LOCATION_OFFSET ||
			 l->kind == LOCATION_TEXT || l->kind == LOCATION_MARK;

	if (!l->part || statement)
		return 0;
	return malformed(err, l,
			 ":read and :write need a statement: FILE:LINE:read, FUNC;TEXT:write");
}

static int parse_kind(char *rest, struct location *l, struct error *err)
{
	const char *semicolon;
	int answer;

	if (strncmp(rest, "//", 2) == 0)
		return parse_mark(rest + 2, l, err);
	semicolon = strchr(behind_case(rest), ';');
	if (!semicolon && *rest == '*')
		return parse_address(rest + 1, l, err);
	answer = semicolon ? parse_text(rest, semicolon, l, err) : parse_number(rest, l, err);
	if (answer == 1)
		answer = parse_function(rest, l, err);
	name_operator(l);
	return answer;
}

static int lines_location_parse(char *rest, struct location *l, struct error *err)
{
	if (!*rest)
		return malformed(err, l, "it is empty");
	take_part(rest, l);
	if (take_object(&rest, l, err) || take_match(rest, l, err) || parse_kind(rest, l, err))
		return -1;
	return check_part(l, err);
}

int location_parse(const char *text, struct location *out, struct error *err)
{
	char *copy = trimmed(text, strlen(text));
	struct str shown = {0};
	int answer;

	memset(out, 0, sizeof(*out));
	foreign_line(&shown, copy);
	str_add(&shown, "");
	out->text = str_take(&shown);
	answer = lines_location_parse(copy, out, err);
	/* a name with control characters, which no function has: quoted for messages */
	if (out->name && !foreign_is_plain(out->name)) {
		memset(&shown, 0, sizeof(shown));
		foreign_line(&shown, out->name);
		base_free(out->name);
		out->name = str_take(&shown);
	}
	base_free(copy);
	if (answer)
		location_fini(out);
	return answer;
}
