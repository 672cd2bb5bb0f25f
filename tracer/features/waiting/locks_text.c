/*
 * Finds calls in a piece of source text, C or C++, as they are written. It does no more: the debug
 * information tells what a name means, and whatever it does not confirm is dropped.
 */
#include "tracer/features/waiting/waiting_internal.h"
#include "tracer/base/text/word.h"

#include <ctype.h>
#include <string.h>

enum { LOOP_LINES = 1000 }; /* how far a loop's end is searched for */

/* ---- removing comments, strings and directives ------------------------------------------------- */

struct cleaner {
	struct str *out;
	bool comment, directive;
};

/* Past the string or character that begins at `at`; to the end of an unfinished line. */
static const char *behind_quoted(const char *at)
{
	const char quote = *at++;

	while (*at && *at != quote)
		at += at[0] == '\\' && at[1] ? 2 : 1;
	return *at ? at + 1 : at;
}

/* 1'000 and 0xdead'beef, but not u8'a': the word before it is a number. */
static bool is_digit_separator(const char *line, const char *at)
{
	const char *word = at;

	while (word > line && (isalnum((unsigned char)word[-1]) || word[-1] == '\''))
		word--;
	return *at == '\'' && word < at && isdigit((unsigned char)*word) &&
	       isalnum((unsigned char)at[1]);
}

static void clean_line(struct cleaner *c, const char *line)
{
	const char *at = line + strspn(line, " \t");
	bool continues = *line && line[strlen(line) - 1] == '\\';

	if (c->directive || (!c->comment && *at == '#')) {
		c->directive = continues;
		str_add(c->out, "\n");
		return;
	}
	while (*at) {
		if (c->comment) {
			c->comment = strncmp(at, "*/", 2) != 0;
			at += c->comment ? 1 : 2;
		} else if (strncmp(at, "/*", 2) == 0) {
			c->comment = true;
			at += 2;
		} else if (strncmp(at, "//", 2) == 0) {
			break;
		} else if ((*at == '"' || *at == '\'') && !is_digit_separator(line, at)) {
			at = behind_quoted(at);
			str_add(c->out, "\"\"");
		} else {
			str_add_bytes(c->out, at++, 1);
		}
	}
	str_add(c->out, "\n");
}

static void clean(const char *const *lines, size_t count, unsigned first, unsigned last,
		  struct str *out)
{
	struct cleaner c = {.out = out};

	for (unsigned i = first; i && i <= last && i <= count; i++)
		clean_line(&c, lines[i - 1]);
	str_add(out, "");
}

/* ---- backwards over the start of a call -------------------------------------------------------- */

/* All functions of this section go backwards from `end` (excluded), never beyond `start`. */

static const char *blanks_before(const char *start, const char *end)
{
	while (end > start && isspace((unsigned char)end[-1]))
		end--;
	return end;
}

/* Over a bracketed piece that ends here; `end` if its start is missing. */
static const char *bracket_before(const char *start, const char *end, char open, char close)
{
	int depth = 0;

	for (const char *at = end; at > start; at--) {
		depth += at[-1] == close;
		depth -= at[-1] == open;
		if (!depth)
			return at - 1;
		if (at[-1] == '{' || (at[-1] == ';' && close != ')')) /* for (;;) */
			break;
	}
	return end;
}

/* A name with its namespaces and template arguments: std::lock_guard<std::mutex> */
static const char *name_before(const char *start, const char *end)
{
	const char *at = end, *before;

	for (;;) {
		if (at > start && at[-1] == '>')
			at = bracket_before(start, at, '<', '>');
		before = word_before(start, at);
		if (before == at)
			return end;
		at = before;
		if (at - start < 2 || at[-1] != ':' || at[-2] != ':')
			return at;
		at -= 2;
		if (at == start || (!word_char(at[-1]) && at[-1] != '>'))
			return at; /* ::name */
		end = at;
	}
}

/* a.b->c[i] or f(x)->y that ends here */
static const char *object_before(const char *start, const char *end)
{
	const char *at = end, *before;

	for (;;) {
		before = at;
		if (at > start && at[-1] == ']')
			at = bracket_before(start, at, '[', ']');
		else if (at > start && at[-1] == ')')
			at = bracket_before(start, at, '(', ')');
		before = name_before(start, at);
		if (before == at && (at == end || *at != '('))
			return *at == '[' ? end : at;
		at = before;
		if (at - start >= 1 && at[-1] == '.')
			at -= 1;
		else if (at - start >= 2 && at[-1] == '>' && at[-2] == '-')
			at -= 2;
		else
			return at;
	}
}

/* ---- one call ---------------------------------------------------------------------------------- */

static char *copy(const char *from, const char *to)
{
	while (from < to && isspace((unsigned char)*from))
		from++;
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	return base_strndup(from, (size_t)(to - from));
}

static bool is_keyword(const char *word, size_t n)
{
	static const char *const words[] = {
		"if",	"while", "for",	      "switch",	 "return", "sizeof",   "else",	 "do",
		"case", "throw", "new",	      "delete",	 "catch",  "decltype", "struct", "class",
		"enum", "union", "namespace", "alignof", "typeof", "co_await",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == n && strncmp(words[i], word, n) == 0)
			return true;
	return false;
}

static bool is_blank(const char *from, const char *to)
{
	return blanks_before(from, to) == from;
}

/* Splits the arguments; returns what follows the brackets, or NULL if they do not close. */
static const char *split_args(const char *open, struct locks_call *call)
{
	const char *from = open + 1;
	int depth = 0;

	for (const char *at = open; *at; at++) {
		bool ends;

		depth += strchr("([{", *at) != NULL;
		depth -= strchr(")]}", *at) != NULL;
		ends = depth == 0;
		if (*at == ';' && depth == 1)
			return NULL;
		if (!ends && !(depth == 1 && *at == ','))
			continue;
		if (call->args < LOCKS_ARGS && !is_blank(from, at))
			call->arg[call->args++] = copy(from, at);
		if (ends)
			return at + 1;
		from = at + 1;
	}
	return NULL;
}

/* The type's last name: "std::lock_guard<std::mutex>" is a lock_guard. Owned by the caller. */
static char *last_word(const char *from, const char *to)
{
	const char *end = to;

	if (end > from && end[-1] == '>')
		end = blanks_before(from, bracket_before(from, end, '<', '>'));
	return copy(word_before(from, end), end);
}

static unsigned newlines(const char *from, const char *to)
{
	unsigned n = 0;

	for (; from < to; from++)
		n += *from == '\n';
	return n;
}

/* "if (x) call();" and "else call();", but not "(void)call();" */
static bool is_guarded(const char *start, const char *name)
{
	const char *end = blanks_before(start, name), *open, *word;

	word = word_before(start, end);
	if (end - word == 4 && strncmp(word, "else", 4) == 0)
		return true;
	if (end == start || end[-1] != ')')
		return false;
	open = bracket_before(start, end, '(', ')');
	end = blanks_before(start, open);
	word = word_before(start, end);
	return is_keyword(word, (size_t)(end - word));
}

/* Reads the call whose bracket opens at `open`; false: it is none. */
static bool read_call(const char *start, const char *open, struct locks_call *call)
{
	const char *end = blanks_before(start, open), *name = name_before(start, end), *before,
		   *type;

	if (name == end || is_keyword(name, (size_t)(end - name)) || isdigit((unsigned char)*name))
		return false;
	before = blanks_before(start, name);
	type = name_before(start, before);
	call->declares = type < before && !is_keyword(type, (size_t)(before - type));
	if (*open == '{' && !call->declares)
		return false;
	if (call->declares) {
		call->word = last_word(type, before);
	} else {
		call->word = last_word(name, end);
		if (before - start >= 1 && before[-1] == '.')
			end = before - 1;
		else if (before - start >= 2 && before[-1] == '>' && before[-2] == '-')
			end = before - 2;
		else
			end = NULL;
		if (end) {
			name = object_before(start, end);
			call->object = copy(name, end);
		}
	}
	call->guarded = is_guarded(start, call->declares ? type : name);
	end = split_args(open, call);
	call->last = call->line + (end ? newlines(open, end) : 0);
	call->line -= newlines(call->declares ? type : name, open);
	return end != NULL;
}

static void call_fini(struct locks_call *call)
{
	base_free(call->word);
	base_free(call->object);
	for (unsigned i = 0; i < call->args; i++)
		base_free(call->arg[i]);
	*call = (struct locks_call){0};
}

/* A brace has closed all blocks deeper than this. */
static void close_blocks(struct locks_calls *calls, int depth, unsigned line)
{
	array_each(struct locks_call, call, calls)
		if (call->depth > depth && !call->until)
			call->until = line;
}

static bool is_jump(const char *start, const char *at)
{
	static const char *const words[] = {"return", "goto", "break", "continue", "throw", "exit"};

	if (at > start && word_char(at[-1]))
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strncmp(at, words[i], strlen(words[i])) == 0 &&
		    !word_char(at[strlen(words[i])]))
			return true;
	return false;
}

/* The open block at this depth is left here. */
static void leave_block(struct locks_calls *calls, int depth)
{
	array_each(struct locks_call, call, calls)
		call->jumps |= call->depth == depth && !call->until;
}

/* Does the brace at `at` open the body of a lambda? [x](int y) mutable -> int { */
static bool opens_lambda(const char *start, const char *at)
{
	const char *end = blanks_before(start, at), *name = name_before(start, end);

	while (name < end) {
		end = blanks_before(start, name);
		if (end - start >= 2 && end[-1] == '>' && end[-2] == '-')
			end = blanks_before(start, end - 2);
		name = name_before(start, end);
	}
	if (end > start && end[-1] == ')')
		end = blanks_before(start, bracket_before(start, end, '(', ')'));
	return end > start && end[-1] == ']';
}

struct scan {
	const char *start;
	unsigned line;
	int depth;
	int lambda; /* the depth outside of an open lambda; -1: none */
	struct locks_calls *out;
};

static void scan_call(struct scan *scan, const char *at)
{
	struct locks_call call = {
		.line = scan->line, .depth = scan->depth, .lambda = scan->lambda >= 0};

	if (read_call(scan->start, at, &call))
		*array_add(scan->out) = call;
	else
		call_fini(&call);
}

static void scan_brace(struct scan *scan, const char *at)
{
	if (*at == '{') {
		if (scan->lambda < 0 && opens_lambda(scan->start, at))
			scan->lambda = scan->depth;
		scan->depth++;
		return;
	}
	close_blocks(scan->out, --scan->depth, scan->line);
	if (scan->depth <= scan->lambda)
		scan->lambda = -1;
}

void locks_text(const char *const *lines, size_t count, unsigned first, unsigned last,
		struct locks_calls *out)
{
	struct scan scan = {.line = first, .lambda = -1, .out = out};
	struct str text = {0};

	clean(lines, count, first, last, &text);
	scan.start = str_text(&text);
	for (const char *at = scan.start; *at; at++) {
		scan.line += *at == '\n';
		if (*at == '(' || *at == '{')
			scan_call(&scan, at);
		if (*at == '{' || *at == '}')
			scan_brace(&scan, at);
		if (is_jump(scan.start, at))
			leave_block(out, scan.depth);
	}
	str_fini(&text);
}

void locks_text_fini(struct locks_calls *c)
{
	array_each(struct locks_call, call, c)
		call_fini(call);
	array_fini(c);
}

/* ---- loops --------------------------------------------------------------------------------------- */

/* Does the brace at `at` open the body of a loop? */
static bool opens_loop(const char *start, const char *at)
{
	const char *end = blanks_before(start, at), *word;

	if (end > start && end[-1] == ')')
		end = blanks_before(start, bracket_before(start, end, '(', ')'));
	word = word_before(start, end);
	return (end - word == 3 && strncmp(word, "for", 3) == 0) ||
	       (end - word == 5 && strncmp(word, "while", 5) == 0) ||
	       (end - word == 2 && strncmp(word, "do", 2) == 0);
}

unsigned locks_function_end(const char *const *lines, size_t count, unsigned first)
{
	unsigned line = first;
	struct str text = {0};
	int depth = 0;
	bool over = false;

	clean(lines, count, first, (unsigned)count, &text);
	for (const char *at = str_text(&text); *at && !over; at++) {
		line += *at == '\n';
		depth += *at == '{';
		depth -= *at == '}';
		over = *at == '}' && depth <= 0;
	}
	str_fini(&text);
	return over ? line : 0;
}

unsigned locks_loop_end(const char *const *lines, size_t count, unsigned first, unsigned inside)
{
	unsigned line = first;
	struct str text = {0};
	int depth = 0, loop = -1; /* the depth outside of the outermost loop that is open */
	const char *at;

	clean(lines, count, first, inside + LOOP_LINES, &text);
	for (at = str_text(&text); *at; at++) {
		line += *at == '\n';
		if (line > inside && loop < 0)
			break;
		if (*at == '{' && line <= inside && loop < 0 && opens_loop(str_text(&text), at))
			loop = depth;
		depth += *at == '{';
		depth -= *at == '}';
		if (*at == '}' && depth <= loop && line >= inside)
			break;
		if (*at == '}' && depth <= loop)
			loop = -1;
	}
	str_fini(&text);
	return loop < 0 ? 0 : line;
}
