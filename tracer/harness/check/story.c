#include "tracer/harness/check/story.h"

#include "tracer/base/text/foreign.h"
#include "tracer/base/text/utf8.h"

#include "tracer/source/lines/source_lines.h"

#include <ctype.h>
#include <string.h>

enum { COLUMN = 48, LINES = 80 };

char *harness_outcome_of(const struct explore_failure *f)
{
	const char *text = str_text(&f->out);
	size_t length = strcspn(text, "\n");

	return length ? base_strndup(text, length) : NULL;
}

/* ---- the interleaving --------------------------------------------------------------------------------- */

/* "first#1" and "second#1" are the test's threads; main only starts and ends them. */
static int column_of(const struct schedule *s, unsigned thread)
{
	static const char *const names[] = {"first#", "second#", "third#", "fourth#"};

	for (int i = 0; i < SCHEMA_THREADS; i++)
		if (strncmp(s->threads.items[thread], names[i], strlen(names[i])) == 0)
			return i;
	return -1;
}

/* Code without a source is not the tester's. */
static const char *story_line_of(const struct harness_hunt *h, const struct schedule_where *w)
{
	const char *line = w->line ? source_line(h->x.symbols, w->file, w->line) : NULL;

	while (line && isspace((unsigned char)*line))
		line++;
	return line;
}

static bool same_place(const struct schedule_step *a, const struct schedule_step *b)
{
	return a->thread == b->thread && a->where.line == b->where.line &&
	       a->where.file == b->where.file;
}

static void add_cell(int column, size_t most, const char *text, struct str *out)
{
	size_t length = strlen(text) > most ? utf8_cut(text, most) : strlen(text);
	struct str line = {0};

	str_addf(&line, "%*s%.*s", column * COLUMN, "", (int)length, text);
	foreign_code_line(out, str_text(&line));
	str_fini(&line);
}

/* A person reads lines: the steps of one that come one after the other are one. */
static void add_columns(const struct harness_hunt *h, const struct schedule *s, struct str *out)
{
	const struct schedule_step *last = NULL;
	unsigned lines = 0;

	array_each(const struct schedule_step, step, &s->steps) {
		const char *line = story_line_of(h, &step->where);
		int column = column_of(s, step->thread);
		struct str text = {0};

		if (column < 0 || !line || (last && same_place(last, step)))
			continue;
		last = step;
		if (++lines > LINES)
			break;
		str_addf(&text, "%s:%u  %s", str_base_name(step->where.file), step->where.line,
			 line);
		add_cell(column, COLUMN + 24, str_text(&text), out);
		str_add(out, "\n");
		str_fini(&text);
	}
	if (lines > LINES)
		str_add(out, "...\n");
}

static void add_heads(const struct harness_hunt *h, const struct schema *s, struct str *out)
{
	for (unsigned t = 0; t < s->threads; t++) {
		struct str text = {0};

		for (unsigned i = 0; i < s->counts[t]; i++)
			str_addf(&text, "%s%s", i ? "; " : "",
				 h->object.calls.items[s->calls[t][i]].text);
		str_addf(out, t + 1 < s->threads ? "%-*s" : "%.*s",
			 t + 1 < s->threads ? COLUMN : 400, str_text(&text));
		str_fini(&text);
	}
	str_add(out, "\n");
	for (unsigned t = 0; t < s->threads; t++)
		str_addf(out, t + 1 < s->threads ? "%-*s" : "%.*s",
			 t + 1 < s->threads ? COLUMN : 400, "--------------------");
	str_add(out, "\n");
}

/* ---- what is wrong --------------------------------------------------------------------------------------- */

static void add_nearest(const struct harness_violation *v, const char *outcome, struct str *out)
{
	struct str differences = {0};
	const struct harness_outcome *near = outcomes_nearest(&v->outcomes, outcome, &differences);
	const char *at = str_text(&differences);

	if (near) {
		str_add(out, "\nThe nearest one that is atomic: ");
		foreign_code_span(out, near->text);
		str_add(out, ", by the order ");
		foreign_code_span(out, near->order);
		str_add(out, ".\n\n");
	}
	while (near && *at) {
		size_t length = strcspn(at, "\n");
		char *line;

		line = base_strndup(at, length);
		str_add(out, "- ");
		foreign_line(out, line);
		str_add(out, "\n");
		base_free(line);
		at += length + (at[length] == '\n');
	}
	str_fini(&differences);
}

static void add_verdict(const struct harness_violation *v, const struct explore_failure *f,
			struct str *out)
{
	char *outcome = f && strcmp(f->kind, "status") == 0 ? harness_outcome_of(f) : NULL;

	if (outcome) {
		foreign_code_span(out, outcome);
		str_add(out, " came. No order of whole calls gives that.\n");
		add_nearest(v, outcome, out);
	} else if (strcmp(v->kind, "status") != 0) {
		str_addf(out,
			 "Whole calls, one after the other, all end well; together they end in "
			 "%s.\n",
			 f ? f->where : "another way");
	} else {
		str_add(out,
			"An outcome came that no order of whole calls gives: see outcomes.txt.\n");
	}
	base_free(outcome);
}

void harness_story(const struct harness_hunt *h, const struct harness_violation *v,
		   const struct explore_failure *f, struct str *out)
{
	str_add(out, "# ");
	schema_print(&h->object, &v->schema, out);
	str_add(out, "\n\n");
	add_verdict(v, f, out);
	if (f && f->again) {
		str_add(out, "\n## How it comes about\n\n```\n");
		add_heads(h, &v->schema, out);
		add_columns(h, &f->schedule, out);
		str_add(out, "```\n");
	}
}
