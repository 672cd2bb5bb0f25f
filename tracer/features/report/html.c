/* The timeline page of a run (.html): its record, and the source lines that it refers to. */
#include "tracer/features/timeline/timeline.h"
#include "tracer/features/waiting/waiting.h"
#include "tracer/features/crash/crash.h"
#include "tracer/features/report/report.h"
#include "tracer/source/lines/source_lines.h"

#include <stdio.h>
#include <string.h>

/* Source lines shown before and after each line; bytes shown of a long line. */
enum { CONTEXT = 2, LINE_MOST = 400 };

struct shown_file {
	const char *file;
	struct source_text text;
	ARRAY(bool) lines; /* by line number: shown */
};

struct shown {
	struct run *run;
	ARRAY(struct shown_file) files;
};

static struct shown_file *shown_file(struct shown *shown, const char *file)
{
	struct shown_file *f;

	array_each(struct shown_file, it, &shown->files)
		if (it->file == file || strcmp(it->file, file) == 0)
			return it;
	f = array_add(&shown->files);
	f->file = file;
	if (source_text(run_symbols(shown->run), file, &f->text))
		for (size_t i = 0; i <= f->text.count; i++)
			*array_add(&f->lines) = false;
	return f;
}

static void show_line(struct shown *shown, const char *file, unsigned line)
{
	struct shown_file *f = file && line ? shown_file(shown, file) : NULL;

	for (unsigned n = line > CONTEXT ? line - CONTEXT : 1; f && n <= line + CONTEXT; n++)
		if (n < f->lines.count)
			f->lines.items[n] = true;
}

static void show_all(struct shown *shown)
{
	const struct crash *c = crash_of_root(shown->run);

	for (size_t i = 0; c && i < c->frames.count; i++)
		show_line(shown, c->frames.items[i].file, c->frames.items[i].line);
	array_each(const struct happened, h, &timeline_of(shown->run)->all)
		show_line(shown, h->file, h->line);
	run_each_thread(t, shown->run) {
		const struct waiting *w = waiting_of(t);

		show_line(shown, w->file, w->line);
		show_line(shown, w->taken_file, w->taken_line);
	}
}

static void add_file(const struct shown_file *f, struct json *j)
{
	json_object(j, f->file);
	for (unsigned n = 1; n < f->lines.count; n++) {
		const char *line = f->text.lines[n - 1];
		char number[16], *text;

		if (!f->lines.items[n])
			continue;
		snprintf(number, sizeof(number), "%u", n);
		text = base_strndup(line, strnlen(line, LINE_MOST));
		json_string(j, number, text);
		base_free(text);
	}
	json_end_object(j);
}

static void add_sources(struct run *s, struct json *j)
{
	struct shown shown = {.run = s};

	show_all(&shown);
	json_object(j, "sources");
	array_each(struct shown_file, f, &shown.files) {
		if (f->lines.count)
			add_file(f, j);
		array_fini(&f->lines);
	}
	json_end_object(j);
	array_fini(&shown.files);
}

void report_html(struct run *s, const struct report_head *head, struct str *out)
{
	struct json j = {0};

	json_object(&j, NULL);
	report_record(s, head, &j);
	json_string(&j, "version", GATECTL_VERSION);
	add_sources(s, &j);
	json_end_object(&j);
	report_page("run", str_text(&j.out), out);
	json_fini(&j);
}
