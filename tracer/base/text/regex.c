/* CMake's expressions (cmake-commands(7), string(REGEX)) by regcomp(3), but for braces. */
#include "tracer/base/text/regex.h"

#include "tracer/base/text/str.h"

#include <ctype.h>
#include <regex.h>
#include <string.h>

/* Returns the length of the bracket expression at `at`, or 1 if it has no end. */
static size_t bracket_length(const char *at)
{
	const char *end = at + 1 + (at[1] == '^');

	end += *end == ']';
	while (*end && *end != ']')
		end++;
	return *end ? (size_t)(end + 1 - at) : 1;
}

static void add_extended(const char *expression, struct str *out)
{
	for (const char *at = expression; *at;) {
		size_t length = *at == '[' ? bracket_length(at) : *at == '\\' && at[1] ? 2 : 1;

		if (*at == '{' || *at == '}')
			str_add(out, "\\");
		str_add_bytes(out, at, length);
		at += length;
	}
}

static int compile(const char *expression, regex_t *out)
{
	STR(extended);

	add_extended(expression, &extended);
	return regcomp(out, str_text(&extended), REG_EXTENDED | REG_NOSUB);
}

static bool has_reference(const char *expression)
{
	for (const char *at = expression; (at = strchr(at, '\\')); at += 1 + (at[1] != '\0'))
		if (isdigit((unsigned char)at[1]))
			return true;
	return false;
}

const char *regex_wrong(const char *expression)
{
	static char why[128];
	regex_t compiled;
	int code;

	if (has_reference(expression))
		return "back-references are not supported";
	code = compile(expression, &compiled);
	if (!code) {
		regfree(&compiled);
		return NULL;
	}
	regerror(code, &compiled, why, sizeof(why));
	return why;
}

bool regex_matches(const char *expression, const char *text)
{
	regex_t compiled;
	bool does;

	if (compile(expression, &compiled))
		return false;
	does = regexec(&compiled, text, 0, NULL, 0) == 0;
	regfree(&compiled);
	return does;
}
