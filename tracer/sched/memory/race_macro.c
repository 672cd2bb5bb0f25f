/* Expands macros of the program from its source: debug information does not contain them.
   Searches the statement's file and files that it includes with quotes. */
#include "tracer/sched/sched_internal.h"
#include "tracer/source/lines/source_lines.h"
#include "tracer/base/text/token.h"

#include <string.h>

enum { FILES_MOST = 64 }; /* searched for one macro */

struct macro_search {
	struct modules *symbols;
	struct snippet name;
	ARRAY(char *) files;	 /* searched, then still to search */
	struct race_texts found; /* definitions, from their parameters on */
};

struct snippet race_argument(const char *at)
{
	int depth = 0;

	each_token(t, at) {
		if (!depth && (token_is_op(&t, ',') || token_is_op(&t, ')')))
			return (struct snippet){at, (size_t)(t.start - at)};
		depth += token_is_op(&t, '(') || token_is_op(&t, '[');
		depth -= token_is_op(&t, ')') || token_is_op(&t, ']');
	}
	return (struct snippet){at, strlen(at)};
}

/* ---- definition -------------------------------------------------------------------------- */

/* Returns the text after "# define" or similar, or NULL for another line. */
static const char *directive(const char *line, const char *name)
{
	struct token hash = token_at(line), word = token_at(hash.start + hash.length);

	return token_is_op(&hash, '#') && token_is(&word, name)
		       ? token_at(word.start + word.length).start
		       : NULL;
}

/* Returns the rest of line i from `at`, with its continuation lines. */
static char *race_macro_joined(const struct source_text *text, unsigned i, const char *at)
{
	struct str out = {0};

	for (;; at = text->lines[i]) {
		size_t length = strlen(at);
		bool goes_on = length && at[length - 1] == '\\';

		str_add_bytes(&out, at, length - goes_on);
		if (!goes_on || ++i >= text->count)
			return str_take(&out);
	}
}

/* The path of the file that the line includes, or NULL. */
static char *included(const char *path, const char *line)
{
	const char *name = directive(line, "include"), *slash = strrchr(path, '/');
	struct str out = {0};

	if (!name || *name++ != '"')
		return NULL;
	str_addf(&out, "%.*s%.*s", slash ? (int)(slash + 1 - path) : 0, path,
		 (int)strcspn(name, "\""), name);
	return str_take(&out);
}

static void race_macro_add_file(struct macro_search *x, char *path)
{
	bool is_new = path && x->files.count < FILES_MOST;

	array_each(char *, known, &x->files)
		is_new = is_new && strcmp(*known, path) != 0;
	if (is_new)
		*array_add(&x->files) = path;
	else
		base_free(path);
}

static void look_through(struct macro_search *x, const char *path)
{
	struct source_text text;

	if (!source_text(x->symbols, path, &text))
		return;
	for (unsigned i = 0; i < text.count; i++) {
		const char *at = directive(text.lines[i], "define");

		if (!at)
			race_macro_add_file(x, included(path, text.lines[i]));
		else if (strncmp(at, x->name.at, x->name.length) == 0 && at[x->name.length] == '(')
			*array_add(&x->found) =
				race_macro_joined(&text, i, at + x->name.length + 1);
	}
}

static void race_macro_look(struct macro_search *x, const char *path)
{
	race_macro_add_file(x, base_strdup(path));
	for (size_t i = 0; i < x->files.count; i++)
		look_through(x, x->files.items[i]);
	array_each(char *, file, &x->files)
		base_free(*file);
	array_fini(&x->files);
}

/* ---- arguments --------------------------------------------------------------------------- */

/* Returns the argument for this parameter, or the word itself. */
static struct snippet argument_for(struct snippet word, const char *params, const char *args)
{
	for (;;) {
		struct token param = token_at(params), next = token_at(param.start + param.length);
		struct snippet arg = race_argument(args);

		if (param.length == word.length && !strncmp(param.start, word.at, word.length))
			return arg;
		params = next.start + next.length;
		args = arg.at + arg.length;
		if (!token_is_op(&next, ',') || *args++ != ',')
			return word;
	}
}

static char *replaced(const char *body, const char *params, const char *args)
{
	struct str out = {0};

	each_token(t, body) {
		struct snippet word = {t.start, t.length};

		str_add_bytes(&out, body, (size_t)(t.start - body));
		body = t.start + t.length;
		if (t.kind == TOKEN_NAME)
			word = argument_for(word, params, args);
		str_add_bytes(&out, word.at, word.length);
	}
	return str_take(&out);
}

void race_expand(struct modules *symbols, const char *path, struct snippet name, const char *args,
		 struct race_texts *out)
{
	struct macro_search x = {.symbols = symbols, .name = name};

	race_macro_look(&x, path);
	array_each(char *, params, &x.found) {
		const char *body = strchr(*params, ')');

		if (body)
			*array_add(out) = replaced(body + 1, *params, args);
	}
	race_texts_fini(&x.found);
}

void race_texts_fini(struct race_texts *t)
{
	array_each(char *, text, t)
		base_free(*text);
	array_fini(t);
}
