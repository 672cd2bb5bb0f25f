/*
 * --report FILE.html: the timeline, one file that needs nothing else. The page (page/) is a frame
 * with three marks, where its style, its script and the record with the source lines go.
 */
#include "tracer/features/timeline/timeline.h"
#include "tracer/base/text/foreign.h"
#include "tracer/features/waiting/waiting.h"
#include "tracer/features/crash/crash.h"
#include "tracer/features/report/report.h"
#include "tracer/source/lines/source_lines.h"

#include <stdio.h>
#include <string.h>

/* Source lines shown around each one, and bytes shown of a long line. */
enum { CONTEXT = 2, LINE_MOST = 400 };

static const char page[] = {
#include "tracer/features/report/page/timeline.html.inc"
	0};
static const char style[] = {
#include "tracer/features/report/page/timeline.css.inc"
	0};
static const char script[] = {
#include "tracer/features/report/page/timeline.js.inc"
	0};

/* ---- the source lines that events touch ----------------------------------------------------- */

struct wanted {
	const char *file;
	ARRAY(unsigned char) lines; /* by number: is it wanted? */
};

struct wanted_list {
	struct wanted *items;
	size_t count, capacity;
};

static struct wanted *wanted_file(struct wanted_list *list, const char *file)
{
	struct wanted *w;

	array_each(struct wanted, it, list)
		if (it->file == file || strcmp(it->file, file) == 0)
			return it;
	w = array_add(list);
	w->file = file;
	return w;
}

/* The text is looked up once per file, where `lines` gets its length. */
static void want(struct run *s, struct wanted_list *list, const char *file, unsigned line)
{
	struct source_text text;
	struct wanted *w;

	if (!file || !line)
		return;
	w = wanted_file(list, file);
	if (!w->lines.count) {
		source_text(s->symbols, file, &text);
		for (size_t i = 0; i <= text.count; i++)
			*array_add(&w->lines) = 0;
	}
	for (unsigned n = line > CONTEXT ? line - CONTEXT : 1; n <= line + CONTEXT; n++)
		if (n < w->lines.count)
			w->lines.items[n] = 1;
}

static void html_collect(struct run *s, struct wanted_list *list)
{
	const struct crash *c = crash_of_root(s);

	for (size_t i = 0; c && i < c->frames.count; i++)
		want(s, list, c->frames.items[i].file, c->frames.items[i].line);
	array_each(const struct happened, h, &timeline_of(s)->all)
		want(s, list, h->file, h->line);
	array_each(struct run_thread *, it, &s->threads) {
		const struct waiting *w = waiting_of(*it);

		want(s, list, w->file, w->line);
		want(s, list, w->taken_file, w->taken_line);
	}
}

static void write_lines(const struct wanted *w, const struct source_text *source, struct json *j)
{
	json_object(j, w->file);
	for (unsigned n = 1; n < w->lines.count && n <= source->count; n++) {
		char number[16];
		char *text;

		if (!w->lines.items[n])
			continue;
		snprintf(number, sizeof(number), "%u", n);
		text = base_strndup(source->lines[n - 1], strnlen(source->lines[n - 1], LINE_MOST));
		json_string(j, number, text);
		base_free(text);
	}
	json_end_object(j);
}

static void sources(struct run *s, struct json *j)
{
	struct wanted_list list = {0};

	html_collect(s, &list);
	json_object(j, "sources");
	array_each(struct wanted, w, &list) {
		struct source_text source;

		if (source_text(s->symbols, w->file, &source))
			write_lines(w, &source, j);
		array_fini(&w->lines);
	}
	json_end_object(j);
	array_fini(&list);
}

/* ---- the page ------------------------------------------------------------------------------- */

static void add_data(struct run *s, const struct report_head *head, struct str *out)
{
	struct json j = {0};

	json_object(&j, NULL);
	report_record(s, head, &j);
	json_string(&j, "version", GATECTL_VERSION);
	sources(s, &j);
	json_end_object(&j);
	foreign_script_json(out, str_text(&j.out));
	json_fini(&j);
}

/* Adds the page up to the mark; returns what is behind it. */
static const char *add_until(struct str *out, const char *from, const char *mark)
{
	const char *at = strstr(from, mark);

	str_add_bytes(out, from, (size_t)(at - from));
	return at + strlen(mark);
}

void report_html(struct run *s, const struct report_head *head, struct str *out)
{
	const char *rest = page;

	rest = add_until(out, rest, "@STYLE@");
	str_add(out, style);
	rest = add_until(out, rest, "@DATA@");
	add_data(s, head, out);
	rest = add_until(out, rest, "@SCRIPT@");
	str_add(out, script);
	str_add(out, rest);
}
