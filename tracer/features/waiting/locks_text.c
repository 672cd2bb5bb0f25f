/* Finds calls in a piece of C or C++ source text. The debug information decides what a name means:
 * unconfirmed calls are dropped. */
#include "tracer/features/waiting/waiting_internal.h"
#include "tracer/base/text/token.h"

#include <string.h>

enum { LOOP_LINES = 1000 }; /* number of lines in which a loop's end is searched */

/* ---- tokens, without comments and directives --------------------------------------------- */

struct lexeme {
	struct token token;
	unsigned line;
	bool gap; /* blanks or line ends precede it */
};

struct lexemes {
	struct lexeme *items;
	size_t count, capacity;
	struct str text;
};

static void pieces_fini(struct lexemes *p)
{
	array_fini(p);
	str_fini(&p->text);
}

#define PIECES(name) struct lexemes name __attribute__((cleanup(pieces_fini))) = {0}

static unsigned newlines(const char *from, const char *to)
{
	unsigned n = 0;

	for (; from < to; from++)
		n += *from == '\n';
	return n;
}

/* Skips a directive with its continuation lines. */
static const char *behind_directive(const char *at)
{
	do
		at += strcspn(at, "\n") + 1;
	while (at[-2] == '\\' && *at);
	return at - 1;
}

static void read_pieces(const char *const *lines, size_t count, unsigned first, unsigned last,
			struct lexemes *out)
{
	unsigned line = first, before = 0; /* line of the previous token */
	const char *at;
	struct token t;

	for (unsigned i = first; i && i <= last && i <= count; i++)
		str_addf(&out->text, "%s\n", lines[i - 1]);
	for (at = str_text(&out->text); (t = token_at(at)).kind != TOKEN_END; before = line) {
		const char *end = t.start + t.length;
		bool gap = t.start > at;

		line += newlines(at, t.start);
		if (line != before && token_is_op(&t, '#'))
			end = behind_directive(t.start);
		else if (t.kind != TOKEN_COMMENT)
			*array_add(out) = (struct lexeme){t, line, gap};
		line += newlines(t.start, end);
		at = end;
	}
}

static bool is_op(const struct lexemes *p, size_t i, unsigned op)
{
	return i < p->count && token_is_op(&p->items[i].token, op);
}

static bool is_name(const struct lexemes *p, size_t i)
{
	return i < p->count && p->items[i].token.kind == TOKEN_NAME;
}

static bool is_word_of(const struct lexemes *p, size_t i, const char *const *words)
{
	for (; is_name(p, i) && *words; words++)
		if (token_is(&p->items[i].token, *words))
			return true;
	return false;
}

/* Returns the text between two tokens, with one blank for each gap; freed by the caller. */
static char *copy(const struct lexemes *p, size_t from, size_t to)
{
	struct str out = {0};

	for (size_t i = from; i < to; i++) {
		const struct token *t = &p->items[i].token;
		bool literal = t->kind == TOKEN_STRING || t->kind == TOKEN_CHAR;

		str_add(&out, i > from && p->items[i].gap ? " " : "");
		str_add_bytes(&out, literal ? "\"\"" : t->start, literal ? 2 : t->length);
	}
	return str_take(&out);
}

/* ---- backwards over the start of a call -------------------------------------------------- */

/* Functions of this section go backwards from the token `end` (excluded). */

/* Skips a bracketed piece that ends here. Returns `end` if its start is missing. */
static size_t bracket_before(const struct lexemes *p, size_t end, char open, char close)
{
	unsigned twice = OP2((unsigned)close, (unsigned)close); /* >> */
	int depth = 0;

	for (size_t i = end; i-- > 0;) {
		depth += is_op(p, i, (unsigned)close) + 2 * is_op(p, i, twice);
		depth -= is_op(p, i, (unsigned)open);
		if (depth <= 0)
			return i;
		/* for (;;) has semicolons */
		if (is_op(p, i, '{') || (is_op(p, i, ';') && close != ')'))
			break;
	}
	return end;
}

static bool ends_template(const struct lexemes *p, size_t i)
{
	return is_op(p, i, '>') || is_op(p, i, OP2('>', '>'));
}

/* Skips a name with namespaces and template arguments: std::lock_guard<std::mutex>. */
static size_t name_before(const struct lexemes *p, size_t end)
{
	size_t at = end;

	for (;;) {
		if (at && ends_template(p, at - 1))
			at = bracket_before(p, at, '<', '>');
		if (!at || !is_name(p, at - 1))
			return end;
		at--;
		if (!at || !is_op(p, at - 1, OP2(':', ':')))
			return at;
		at--;
		if (!at || (!is_name(p, at - 1) && !ends_template(p, at - 1)))
			return at; /* ::name */
		end = at;
	}
}

static bool is_member_op(const struct lexemes *p, size_t i)
{
	return is_op(p, i, '.') || is_op(p, i, OP2('-', '>'));
}

/* Skips a.b->c[i] or f(x)->y. */
static size_t object_before(const struct lexemes *p, size_t end)
{
	size_t at = end, before;

	for (;;) {
		if (at && is_op(p, at - 1, ']'))
			at = bracket_before(p, at, '[', ']');
		else if (at && is_op(p, at - 1, ')'))
			at = bracket_before(p, at, '(', ')');
		before = name_before(p, at);
		if (before == at && (at == end || !is_op(p, at, '(')))
			return is_op(p, at, '[') ? end : at;
		at = before;
		if (!at || !is_member_op(p, at - 1))
			return at;
		at--;
	}
}

/* ---- one call ---------------------------------------------------------------------------- */

static bool is_keyword(const struct lexemes *p, size_t from, size_t to)
{
	static const char *const words[] = {
		"if",	"while", "for",	      "switch",	 "return", "sizeof",   "else",	 "do",
		"case", "throw", "new",	      "delete",	 "catch",  "decltype", "struct", "class",
		"enum", "union", "namespace", "alignof", "typeof", "co_await", NULL,
	};

	return to - from == 1 && is_word_of(p, from, words);
}

/* Splits the arguments. Returns the index of the closing bracket, or 0. */
static size_t split_args(const struct lexemes *p, size_t open, struct locks_call *call)
{
	size_t from = open + 1;
	int depth = 0;

	for (size_t i = open; i < p->count; i++) {
		depth += is_op(p, i, '(') || is_op(p, i, '[') || is_op(p, i, '{');
		depth -= is_op(p, i, ')') || is_op(p, i, ']') || is_op(p, i, '}');
		if (is_op(p, i, ';') && depth == 1)
			return 0;
		if (depth && !(depth == 1 && is_op(p, i, ',')))
			continue;
		if (call->args < LOCKS_ARGS && i > from)
			call->arg[call->args++] = copy(p, from, i);
		if (!depth)
			return i;
		from = i + 1;
	}
	return 0;
}

/* Returns the last name of a type, lock_guard for std::lock_guard<std::mutex>;
 * freed by the caller. */
static char *last_word(const struct lexemes *p, size_t end)
{
	if (ends_template(p, end - 1))
		end = bracket_before(p, end, '<', '>');
	return copy(p, end - 1, end);
}

/* True for "if (x) call();" and "else call();", not for "(void)call();". */
static bool is_guarded(const struct lexemes *p, size_t name)
{
	static const char *const otherwise[] = {"else", NULL};
	size_t open;

	if (!name || is_word_of(p, name - 1, otherwise))
		return name;
	open = is_op(p, name - 1, ')') ? bracket_before(p, name, '(', ')') : 0;
	return open && is_keyword(p, open - 1, open);
}

/* Reads the call whose bracket is the token `open`. Returns false if it is no call. */
static bool read_call(const struct lexemes *p, size_t open, struct locks_call *call)
{
	size_t name = name_before(p, open), type, close;

	if (name == open || is_keyword(p, name, open))
		return false;
	type = name_before(p, name);
	call->declares = type < name && !is_keyword(p, type, name);
	if (is_op(p, open, '{') && !call->declares)
		return false;
	call->word = last_word(p, call->declares ? name : open);
	if (call->declares) {
		name = type;
	} else if (name && is_member_op(p, name - 1)) {
		size_t end = name - 1;

		name = object_before(p, end);
		call->object = copy(p, name, end);
	}
	call->guarded = is_guarded(p, name);
	close = split_args(p, open, call);
	call->line = p->items[name].line;
	call->last = p->items[close].line;
	return close;
}

static void call_fini(struct locks_call *call)
{
	base_free(call->word);
	base_free(call->object);
	for (unsigned i = 0; i < call->args; i++)
		base_free(call->arg[i]);
	*call = (struct locks_call){0};
}

/* ---- all calls --------------------------------------------------------------------------- */

/* True if the brace at `at` opens the body of a lambda: [x](int y) mutable -> int { */
static bool opens_lambda(const struct lexemes *p, size_t at)
{
	size_t name;

	for (; (name = name_before(p, at)) < at; at = name)
		if (name && is_op(p, name - 1, OP2('-', '>')))
			name--;
	if (at && is_op(p, at - 1, ')'))
		at = bracket_before(p, at, '(', ')');
	return at && is_op(p, at - 1, ']');
}

struct scan {
	const struct lexemes *pieces;
	int depth;
	int lambda; /* depth outside of the open lambda, or -1 */
	struct locks_calls *out;
};

static void scan_call(struct scan *scan, size_t at)
{
	struct locks_call call = {.depth = scan->depth, .lambda = scan->lambda >= 0};

	if (read_call(scan->pieces, at, &call))
		*array_add(scan->out) = call;
	else
		call_fini(&call);
}

static void open_brace(struct scan *scan, size_t at)
{
	if (scan->lambda < 0 && opens_lambda(scan->pieces, at))
		scan->lambda = scan->depth;
	scan->depth++;
}

static void close_brace(struct scan *scan, unsigned line)
{
	scan->depth--;
	array_each(struct locks_call, call, scan->out)
		if (call->depth > scan->depth && !call->until)
			call->until = line;
	if (scan->depth <= scan->lambda)
		scan->lambda = -1;
}

void locks_text(const char *const *lines, size_t count, unsigned first, unsigned last,
		struct locks_calls *out)
{
	static const char *const jumps[] = {"return", "goto", "break", "continue",
					    "throw",  "exit", NULL};
	PIECES(p);
	struct scan scan = {.pieces = &p, .lambda = -1, .out = out};

	read_pieces(lines, count, first, last, &p);
	for (size_t i = 0; i < p.count; i++) {
		if (is_op(&p, i, '(') || is_op(&p, i, '{'))
			scan_call(&scan, i);
		if (is_op(&p, i, '{'))
			open_brace(&scan, i);
		else if (is_op(&p, i, '}'))
			close_brace(&scan, p.items[i].line);
		else if (is_word_of(&p, i, jumps)) /* the open block at this depth is left here */
			array_each(struct locks_call, call, out)
				call->jumps |= call->depth == scan.depth && !call->until;
	}
}

void locks_text_fini(struct locks_calls *c)
{
	array_each(struct locks_call, call, c)
		call_fini(call);
	array_fini(c);
}

/* ---- functions and loops ----------------------------------------------------------------- */

unsigned locks_function_end(const char *const *lines, size_t count, unsigned first)
{
	PIECES(p);
	int depth = 0;

	read_pieces(lines, count, first, (unsigned)count, &p);
	for (size_t i = 0; i < p.count; i++) {
		depth += is_op(&p, i, '{') - is_op(&p, i, '}');
		if (is_op(&p, i, '}') && depth <= 0)
			return p.items[i].line;
	}
	return 0;
}

/* True if the brace at `at` opens the body of a loop. */
static bool opens_loop(const struct lexemes *p, size_t at)
{
	static const char *const words[] = {"for", "while", "do", NULL};

	if (at && is_op(p, at - 1, ')'))
		at = bracket_before(p, at, '(', ')');
	return at && is_word_of(p, at - 1, words);
}

unsigned locks_loop_end(const char *const *lines, size_t count, unsigned first, unsigned inside)
{
	PIECES(p);
	unsigned line = 0;
	int depth = 0, loop = -1; /* depth outside of the outermost open loop */

	read_pieces(lines, count, first, inside + LOOP_LINES, &p);
	for (size_t i = 0; i < p.count; i++) {
		line = p.items[i].line;
		if (line > inside && loop < 0)
			break;
		if (is_op(&p, i, '{') && line <= inside && loop < 0 && opens_loop(&p, i))
			loop = depth;
		depth += is_op(&p, i, '{') - is_op(&p, i, '}');
		if (!is_op(&p, i, '}') || depth > loop)
			continue;
		if (line >= inside)
			break;
		loop = -1;
	}
	return loop < 0 ? 0 : line;
}
