/* Lexical rules of C, C++ and Rust: comments, statements, blocks. No parser: enough to find the end
   of a statement and words in comments. */
#include "tracer/source/lines/resolve.h"
#include "tracer/base/text/word.h"

#include <ctype.h>
#include <string.h>

#define WORD "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

enum text_state { TEXT_CODE, TEXT_LINE_COMMENT, TEXT_BLOCK_COMMENT, TEXT_STRING };

struct reader {
	const struct source_file *f;
	unsigned line; /* from 1 */
	const char *at;
	enum text_state state; /* at `at` */
};

static struct reader reader_at(const struct source_file *f, unsigned line)
{
	struct reader r = {.f = f, .line = line};

	if (line >= 1 && line <= f->lines.count)
		r.at = f->lines.items[line - 1];
	return r;
}

static bool reader_newline(struct reader *r)
{
	if (r->state != TEXT_BLOCK_COMMENT)
		r->state = TEXT_CODE;
	if (r->line >= r->f->lines.count)
		return false;
	r->at = r->f->lines.items[r->line++];
	return true;
}

/* Returns the length of a character literal, 'x' or '\n'; 0 if the quote is something else (a Rust
   lifetime, 1'000 in C++). */
static size_t quoted_length(const char *at)
{
	const char *end;

	if (at[0] != '\'' || !at[1])
		return 0;
	if (at[1] != '\\')
		return at[2] == '\'' ? 3 : 0;
	end = at[2] ? strchr(at + 3, '\'') : NULL;
	return end ? (size_t)(end - at) + 1 : 0;
}

/* Passes one character and returns its state. */
static enum text_state reader_step(struct reader *r)
{
	enum text_state was = r->state;
	const char *at = r->at;
	size_t quoted;

	r->at++;
	if (was == TEXT_CODE && at[0] == '/' && (at[1] == '/' || at[1] == '*')) {
		r->state = at[1] == '/' ? TEXT_LINE_COMMENT : TEXT_BLOCK_COMMENT;
		r->at++;
		return r->state;
	}
	if (was == TEXT_BLOCK_COMMENT && at[0] == '*' && at[1] == '/') {
		r->state = TEXT_CODE;
		r->at++;
	} else if (was == TEXT_CODE && at[0] == '"') {
		r->state = was = TEXT_STRING;
	} else if (was == TEXT_STRING && at[0] == '\\' && at[1]) {
		r->at++;
	} else if (was == TEXT_STRING && at[0] == '"') {
		r->state = TEXT_CODE;
	} else if (was == TEXT_CODE && (quoted = quoted_length(at))) {
		r->at = at + quoted;
		return TEXT_STRING;
	}
	return was;
}

static int paren_change(char c)
{
	if (c == '(' || c == '[')
		return 1;
	return c == ')' || c == ']' ? -1 : 0;
}

bool source_spans(const struct source_file *f, unsigned first, unsigned last)
{
	struct reader r = reader_at(f, first);
	int depth = 0;

	while (r.at && r.line < last) {
		char c = *r.at;

		if (!c) {
			if (!reader_newline(&r))
				return false;
			continue;
		}
		if (reader_step(&r) != TEXT_CODE)
			continue;
		depth += paren_change(c);
		if (depth <= 0 && (c == ';' || c == '{' || c == '}'))
			return false;
	}
	return r.at != NULL;
}

static bool is_branching(char first, char second)
{
	return (first == '&' && second == '&') || (first == '|' && second == '|');
}

static bool begins_with_operator(const char *at)
{
	return is_branching(at[0], at[1]) || at[0] == '?' || (at[0] == ':' && at[1] != ':');
}

unsigned source_operator(const struct source_file *f, unsigned line, bool *leads)
{
	struct reader r = reader_at(f, line);
	const char *text = r.at, *last = NULL, *before = NULL;

	*leads = text && begins_with_operator(text + strspn(text, " \t"));
	if (*leads)
		return (unsigned)strspn(text, " \t") + 1;
	while (r.at && *r.at) {
		const char *at = r.at;

		if (reader_step(&r) == TEXT_CODE && !isspace((unsigned char)*at))
			before = last, last = at;
	}
	if (before && is_branching(*before, *last))
		return (unsigned)(before - text) + 1;
	return last && *last == '?' ? (unsigned)(last - text) + 1 : 0;
}

unsigned source_open_for(const struct source_file *f, unsigned line)
{
	struct reader r = reader_at(f, line);
	size_t blanks = r.at ? strspn(r.at, " \t") : 0;
	int depth = 0;
	char last = 0;

	if (!r.at || strncmp(r.at + blanks, "for", 3) != 0)
		return 0;
	r.at += blanks + 3;
	r.at += strspn(r.at, " \t");
	if (*r.at != '(')
		return 0;
	while (*r.at) {
		char c = *r.at;

		if (reader_step(&r) != TEXT_CODE || isspace((unsigned char)c))
			continue;
		depth += paren_change(c);
		last = c;
	}
	return depth == 1 && (last == ';' || last == ',') ? (unsigned)blanks + 1 : 0;
}

/* Passes and returns the next character of code; 0 at the end of the file. */
static char next_code(struct reader *r)
{
	while (r->at) {
		char c = *r->at;

		if (!c) {
			if (!reader_newline(r))
				return 0;
		} else if (reader_step(r) == TEXT_CODE) {
			return c;
		}
	}
	return 0;
}

/* Passes the next word of code up to line `last`. Returns its length, or 0 if there is none. */
static size_t next_word(struct reader *r, unsigned last, const char **word)
{
	while (r->at && r->line <= last) {
		size_t n = r->state == TEXT_CODE ? strspn(r->at, WORD) : 0;

		*word = r->at;
		if (n) {
			r->at += n;
			return n;
		}
		if (*r->at)
			reader_step(r);
		else if (!reader_newline(r))
			return 0;
	}
	return 0;
}

unsigned source_joined(const struct source_file *f, unsigned line)
{
	struct reader r = reader_at(f, line);
	char before[2] = "", c;

	while ((c = next_code(&r))) {
		const char *at = r.at - 1;

		if (isspace((unsigned char)c))
			continue;
		if (r.line > line)
			return before[1] && c != '#' &&
					       (begins_with_operator(at) || before[1] == '?' ||
						is_branching(before[0], before[1]))
				       ? r.line
				       : 0;
		before[0] = before[1];
		before[1] = c;
	}
	return 0;
}

unsigned source_block_end(const struct source_file *f, unsigned first, unsigned *opens)
{
	struct reader r = reader_at(f, first);
	int depth = 0, parens = 0;
	char c;

	while ((c = next_code(&r))) {
		parens += paren_change(c);
		if (depth == 0 && parens <= 0 && c == ';')
			return 0; /* a declaration without a body */
		if (c == '{' && depth++ == 0)
			*opens = r.line;
		else if (c == '}' && --depth <= 0)
			return depth == 0 ? r.line : 0;
	}
	return 0;
}

/* True if the n characters are the word. */
static bool text_is_word(const char *at, size_t n, const char *word)
{
	return strlen(word) == n && strncmp(at, word, n) == 0;
}

static bool is_loop(const char *at, size_t n)
{
	static const char *const words[] = {"for", "while", "do", "loop"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (text_is_word(at, n, words[i]))
			return true;
	return false;
}

/* Returns the last line of the statement after the reader: a block, or up to a semicolon. */
static unsigned statement_end(struct reader r)
{
	int depth = 0, braces = 0;
	char c;

	while ((c = next_code(&r))) {
		depth += paren_change(c);
		braces += c == '{' ? 1 : c == '}' ? -1 : 0;
		if (depth <= 0 && braces <= 0 && (c == ';' || c == '}'))
			return r.line;
	}
	return 0;
}

bool source_in_loop(const struct source_file *f, unsigned first, unsigned line)
{
	unsigned opens = 0, end = source_block_end(f, first, &opens);
	struct reader r = reader_at(f, opens);
	const char *word;
	size_t n;

	if (line > end)
		return false;
	while ((n = next_word(&r, line, &word)))
		if (is_loop(word, n) && statement_end(r) >= line)
			return true;
	return false;
}

/* True for a loop's keyword or a word that a macro for loops is likely to contain. */
static bool speaks_of_loop(const char *at, size_t n)
{
	static const char *const parts[] = {"for", "while", "loop", "each", "until", "repeat"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		for (size_t k = 0; k + strlen(parts[i]) <= n; k++)
			if (strncasecmp(at + k, parts[i], strlen(parts[i])) == 0)
				return true;
	return text_is_word(at, n, "do");
}

bool source_may_loop(const struct source_file *f, unsigned first, unsigned line)
{
	unsigned opens, end = source_block_end(f, first, &opens);
	struct reader r = reader_at(f, first);
	const char *word;
	size_t n;

	while ((n = next_word(&r, end > line ? end : line, &word)))
		if (text_is_word(word, n, "goto") || (r.line <= line && speaks_of_loop(word, n)))
			return true;
	return false;
}

unsigned source_calls_of(const struct source_file *f, unsigned line, const char *name)
{
	struct reader r = reader_at(f, line);
	size_t length = strcspn(name, "<"), n; /* a call need not have the template's arguments */
	const char *word;
	unsigned calls = 0;

	while ((n = next_word(&r, line, &word))) {
		if (is_loop(word, n))
			return 0;
		calls += n == length && strncmp(word, name, n) == 0 &&
			 strspn(r.at + strspn(r.at, " \t"), "(<");
	}
	return calls;
}

bool source_no_code(const struct source_file *f, unsigned line)
{
	struct reader r = reader_at(f, 1);

	while (r.at && r.line <= line) {
		bool blank = isspace((unsigned char)*r.at);

		if (!*r.at) {
			if (!reader_newline(&r))
				break;
			continue;
		}
		switch (reader_step(&r)) {
		case TEXT_LINE_COMMENT:
		case TEXT_BLOCK_COMMENT:
			break;
		default:
			if (r.line == line && !blank)
				return false;
		}
	}
	return true;
}

bool source_directive(const struct source_file *f, unsigned line)
{
	const char *text;
	size_t length;

	for (; line > 1; line--) {
		length = strlen(f->lines.items[line - 2]);
		if (!length || f->lines.items[line - 2][length - 1] != '\\')
			break;
	}
	text = f->lines.items[line - 1];
	text += strspn(text, " \t");
	return *text == '#' && isalpha((unsigned char)text[1 + strspn(text + 1, " \t")]);
}

struct branches {
	ARRAY(unsigned) begin; /* first line of each open branch */
};

/* At the beginning of a line: true if it ends the innermost branch that
   contains the line `wanted`. */
static bool branch_ends(struct branches *b, const struct reader *at, unsigned wanted)
{
	const char *word = at->at + strspn(at->at, " \t");
	bool ended = false, end, other;

	if (at->state == TEXT_BLOCK_COMMENT || *word != '#')
		return false;
	word += 1 + strspn(word + 1, " \t");
	end = strncmp(word, "endif", 5) == 0;
	other = strncmp(word, "el", 2) == 0;
	if ((end || other) && b->begin.count) {
		ended = b->begin.items[b->begin.count - 1] <= wanted && wanted < at->line;
		if (!ended)
			b->begin.count--;
	}
	if (!ended && (other || strncmp(word, "if", 2) == 0))
		*array_add(&b->begin) = at->line + 1;
	return ended;
}

bool source_branch(const struct source_file *f, unsigned line, unsigned *first, unsigned *last)
{
	struct reader r = reader_at(f, 1);
	struct branches open = {0};
	bool found = false;

	while (r.at && !(found = branch_ends(&open, &r, line))) {
		while (*r.at)
			reader_step(&r);
		if (!reader_newline(&r))
			break;
	}
	if (found) {
		*first = open.begin.items[open.begin.count - 1];
		*last = r.line - 1;
	}
	array_fini(&open.begin);
	return found;
}

/* True if the text is "gate:" followed by this mark. */
static bool is_mark(const char *at, const char *mark)
{
	size_t length = strlen(mark);

	if (strncmp(at, "gate:", 5) != 0)
		return false;
	at += 5;
	at += strspn(at, " \t");
	if (strncmp(at, mark, length) != 0)
		return false;
	at += length;
	return !*at || isspace((unsigned char)*at) || strncmp(at, "*/", 2) == 0;
}

unsigned source_mark(const struct source_file *f, const char *mark, unsigned line)
{
	struct reader r = reader_at(f, 1);
	bool word = false; /* previous character is part of a word, as in "navigate:" */

	while (r.at) {
		const char *at = r.at;
		enum text_state state;

		if (!*at) {
			word = false;
			if (!reader_newline(&r))
				return 0;
			continue;
		}
		state = reader_step(&r);
		if ((state == TEXT_LINE_COMMENT || state == TEXT_BLOCK_COMMENT) && !word &&
		    r.line >= line && is_mark(at, mark))
			return r.line;
		word = word_char(*at);
	}
	return 0;
}

static char *without_blanks(const char *text)
{
	char *solid = base_strdup(text), *to = solid;

	for (; *text; text++) {
		if (!isspace((unsigned char)*text))
			*to++ = *text;
	}
	*to = '\0';
	return solid;
}

bool source_contains(const char *line, const char *text)
{
	char *solid = without_blanks(line), *wanted = without_blanks(text);
	char *rest = wanted, *piece;
	const char *at = solid;

	while (at && (piece = strsep(&rest, "*"))) {
		at = strstr(at, piece);
		if (at)
			at += strlen(piece);
	}
	base_free(solid);
	base_free(wanted);
	return at != NULL;
}
