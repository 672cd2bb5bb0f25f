/* Short names for reports: without the C++ library's default template arguments, and
   shortened to a length. */
#include "tracer/source/names/names.h"

#include <string.h>

enum { DEEP = 8 }; /* nesting of template arguments at which shortening starts */

/* Returns the position after the bracket that closes the one at `at`, or `end`. */
static const char *behind_bracket(const char *at, const char *end)
{
	const char *text = at;
	int depth = 0;

	do {
		depth += names_depth_change(text, (size_t)(at - text));
		at++;
	} while (depth > 0 && at < end);
	return at;
}

static bool names_brief_begins(const char *at, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - at) >= n && memcmp(at, word, n) == 0;
}

/* True if the wanted name is the full one, shortened. Blanks are ignored, <...> stands for
   any template arguments. */
static bool is_cut_from(const char *wanted, const char *wanted_end, const char *full,
			const char *end)
{
	for (;;) {
		while (wanted < wanted_end && *wanted == ' ')
			wanted++;
		while (full < end && *full == ' ')
			full++;
		if (wanted == wanted_end || full == end)
			return wanted == wanted_end && full == end;
		if (*full == '<' && names_brief_begins(wanted, wanted_end, "<...>")) {
			wanted += strlen("<...>");
			full = behind_bracket(full, end);
		} else if (*wanted++ != *full++) {
			return false;
		}
	}
}

bool names_same_brief(const char *wanted, size_t wanted_length, const char *full, size_t length)
{
	struct str simple = {0};
	bool same;

	names_simple(full, length, &simple);
	same = is_cut_from(wanted, wanted + wanted_length, str_text(&simple),
			   str_text(&simple) + simple.length);
	str_fini(&simple);
	return same;
}

/* True for a default template argument of the C++ library. */
static bool is_default(const char *at, const char *end)
{
	static const char *const words[] = {"std::allocator<", "std::char_traits<",
					    "std::less<",      "std::hash<",
					    "std::equal_to<",  "std::default_delete<"};

	while (at < end && *at == ' ')
		at++;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (names_brief_begins(at, end, words[i]))
			return true;
	return false;
}

/* Appends template arguments; `at` is after the opening bracket. Returns the position
   after the closing one. */
static const char *simple_arguments(const char *at, const char *end, bool library, struct str *out)
{
	const char *first = at;

	str_add(out, "<");
	while (at < end) {
		const char *from = at;
		bool closes;

		while (at < end && *at != ',' && !(*at == '>' && at[-1] != '-'))
			at = strchr("<([{", *at) ? behind_bracket(at, end) : at + 1;
		closes = at >= end || *at == '>';
		if (from == first || !library || !is_default(from, at)) {
			while (from < at && *from == ' ')
				from++;
			str_add(out,
				from > first && out->length && str_text(out)[out->length - 1] != '<'
					? ", "
					: "");
			names_simple(from, (size_t)(at - from), out);
		}
		at += at < end;
		if (closes)
			break;
	}
	while (out->length && out->text[out->length - 1] == ' ')
		out->text[--out->length] = '\0';
	str_add(out, ">");
	return at;
}

static bool is_of_name(char c)
{
	return c == '_' || c == ':' || c == '$' || (c >= '0' && c <= '9') ||
	       (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void end_string(struct str *out, size_t name)
{
	static const char whole[] = "std::basic_string<char>";

	if (strcmp(str_text(out) + name, whole) != 0)
		return;
	out->length = name;
	str_add(out, "std::string");
}

void names_simple(const char *full, size_t length, struct str *out)
{
	const char *at = full, *end = full + length;
	size_t name = out->length; /* beginning of the current name in `out` */

	while (at < end) {
		size_t skip = at == full || !is_of_name(at[-1]) || at[-1] == ':'
				      ? names_operator_length(at)
				      : 0;
		bool library;

		if (skip && skip <= (size_t)(end - at)) {
			str_add_bytes(out, at, skip);
			at += skip;
			continue;
		}
		if (names_brief_begins(at, end, "__cxx11::") && at > full && at[-1] == ':') {
			at += strlen("__cxx11::");
			continue;
		}
		if (*at == '<' && at > full && is_of_name(at[-1]) && at[-1] != ':') {
			library = strncmp(str_text(out) + name, "std::", 5) == 0;
			at = simple_arguments(at + 1, end, library, out);
			end_string(out, name);
			continue;
		}
		str_add_bytes(out, at, 1);
		if (!is_of_name(*at++))
			name = out->length;
	}
}

/* Appends the name with <...> for template arguments nested `most` deep or
   deeper; 1 shortens all. */
static void cut(const char *full, int most, struct str *out)
{
	const char *at = full, *part = full, *end = full + strlen(full);
	int depth = 0;

	while (*at) {
		size_t skip = at == part ? names_operator_length(at) : 0;
		const char *next = at + (skip ? skip : 1);

		if (!skip && *at == '<' && at > part &&
		    ++depth >= most) { /* Rust's <X as Y> begins a part */
			str_add(out, "<...>");
			at = behind_bracket(at, end);
			depth--;
			continue;
		}
		if (!skip && *at == '>' && depth > 0 && at[-1] != '-')
			depth--;
		if (next[-1] == ':' && *next != ':')
			part = next;
		str_add_bytes(out, at, (size_t)(next - at));
		at = next;
	}
}

void names_brief(const char *full, size_t most, struct str *out)
{
	size_t before = out->length;
	struct str simple = {0};

	if (strlen(full) <= most) {
		str_add(out, full);
		return;
	}
	names_simple(full, strlen(full), &simple);
	for (int depth = DEEP; depth > 0; depth--) {
		out->length = before;
		cut(str_text(&simple), depth, out);
		if (out->length - before <= most)
			break;
	}
	str_fini(&simple);
}

/* ---- test cases ----------------------------------------------------------------------------- */

char *source_test_case(const char *function)
{
	static const char body[] = "_Test::TestBody";
	const char *end = strstr(function, body), *begin = end, *between;
	STR(name);

	if (!end || (end[sizeof(body) - 1] && end[sizeof(body) - 1] != '('))
		return NULL;
	while (begin > function && begin[-1] != ':')
		begin--;
	between = strchr(begin, '_');
	if (between == begin || between == end)
		return NULL;
	str_addf(&name, "%.*s.%.*s", (int)(between - begin), begin, (int)(end - between - 1),
		 between + 1);
	return str_take(&name);
}
