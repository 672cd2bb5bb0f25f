/* Completion of names of threads and gates, and of locations. */
#include "tracer/features/interactive/interactive_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/source/lines/source_lines.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

bool interactive_name(struct interactive *l, enum interactive_names what, size_t i, struct str *out)
{
	const struct gate *g;

	if (!l->began)
		return false;
	if (what == INTERACTIVE_THREADS) {
		if (i >= run_thread_count(l->run))
			return false;
		str_add(out, run_thread_id(run_thread_at(l->run, i)));
		return true;
	}
	g = engine_gate_at(run_engine(l->run), i);
	if (g)
		str_add(out, g->name);
	return g != NULL;
}

/* ---- locations ------------------------------------------------------------------------------ */

struct completion {
	const char *begin; /* the typed text */
	int before;	   /* number of characters before ':' or ';' */
	void (*each)(void *ctx, const char *name);
	size_t count; /* names that begin with the typed text */
};

static void complete_line(void *ctx, unsigned line)
{
	const struct completion *c = ctx;
	char text[PATH_MAX];

	snprintf(text, sizeof(text), "%.*s:%u", c->before, c->begin, line);
	c->each(NULL, text);
}

static void complete_name(struct completion *c, const char *name)
{
	if (strncmp(name, c->begin, strlen(c->begin)) != 0)
		return;
	c->count++;
	c->each(NULL, name);
}

/* Offers a function, and the test case that it implements. */
static void complete_whole(void *ctx, const char *name)
{
	char *test_case = source_test_case(name);

	complete_name(ctx, name);
	if (test_case)
		complete_name(ctx, test_case);
	base_free(test_case);
}

/* Offers a qualified name without its outer namespaces and classes. */
static void complete_tail(void *ctx, const char *name)
{
	struct completion *c = ctx;
	int depth = 0;

	for (const char *at = name; *at && depth >= 0; at++) {
		depth += (*at == '<' || *at == '(' || *at == '{');
		depth -= (*at == '>' || *at == ')' || *at == '}');
		if (depth == 0 && strncmp(at, "::", 2) == 0)
			complete_name(c, at + 2);
	}
}

static void complete_names(struct module *exe, void (*each)(void *ctx, const char *name),
			   struct completion *c)
{
	source_each_file(exe, each, c);
	source_each_function(exe, each, c);
	source_each_inlined(exe, each, c);
}

/* Blanks have no meaning in a location's text, and would end the command's word. */
static void add_without_blanks(const char *text, struct str *out)
{
	for (; *text; text++)
		if (!isspace((unsigned char)*text))
			str_add_bytes(out, text, 1);
}

/* Offers the rest of the line from the first word that begins with the typed text. */
static void complete_text(struct completion *c, const char *line)
{
	const char *typed = c->begin + c->before + 1;
	STR(text);
	STR(name);

	add_without_blanks(line, &text);
	for (const char *at = str_text(&text); *at; at++) {
		if (at > str_text(&text) && isalnum((unsigned char)at[-1]))
			continue;
		if (strncmp(at, typed, strlen(typed)) != 0)
			continue;
		str_addf(&name, "%.*s;%s", c->before, c->begin, at);
		c->each(NULL, str_text(&name));
		return;
	}
}

struct coded_line {
	unsigned line;
	bool found;
};

static void compare_line(void *ctx, unsigned line)
{
	struct coded_line *wanted = ctx;

	wanted->found |= line == wanted->line;
}

static bool has_code(const struct run_process *p, const struct source_match *m)
{
	struct coded_line wanted = {.line = m->line};

	array_each(const struct image, image, run_process_images(p))
		if (!wanted.found && m->file)
			source_each_line(image->module, m->file, compare_line, &wanted);
	return wanted.found;
}

/* Offers texts of lines of the function or file, for FUNC;TEXT. */
static void complete_texts(struct interactive *l, struct completion *c)
{
	struct run_process *p = run_root(l->run);
	struct location location = {.kind = LOCATION_TEXT, .search = (char *)"*"};
	struct module **modules = images_modules(p);
	struct source_matches found = {0};
	ERROR(ignored);

	location.name = base_strndup(c->begin, (size_t)c->before);
	location.text = location.name;
	if (source_matches(l->symbols, modules, run_process_images(p)->count, &location, &found,
			   &ignored) == 0)
		array_each(const struct source_match, m, &found) {
			const char *line =
				has_code(p, m) ? source_line(l->symbols, m->file, m->line) : NULL;

			if (line)
				complete_text(c, line);
		}
	base_free(location.name);
	base_free(modules);
	array_fini(&found);
}

void interactive_locations(struct interactive *l, const char *begin,
			   void (*each)(void *ctx, const char *name))
{
	const char *text = strchr(begin, ';'), *colon = strrchr(begin, ':');
	struct completion c = {.begin = begin, .each = each};
	struct module *exe = run_root(l->run) ? run_process_exe(run_root(l->run)) : NULL;
	char *file;

	if (!exe)
		return;
	if (text) {
		c.before = (int)(text - begin);
		complete_texts(l, &c);
		return;
	}
	c.before = colon ? (int)(colon - begin) : 0;
	if (colon && memchr(begin, '.', (size_t)c.before)) {
		file = base_strndup(begin, (size_t)c.before);
		source_each_line(exe, file, complete_line, &c);
		base_free(file);
		return;
	}
	complete_names(exe, complete_whole, &c);
	if (!c.count)
		complete_names(exe, complete_tail, &c);
}
