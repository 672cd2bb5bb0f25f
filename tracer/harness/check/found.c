/* Writes a violation to DIR/N: the test, its script and its story. */
#include "tracer/harness/hunt.h"

#include "tracer/base/files/file.h"
#include "tracer/base/text/foreign.h"
#include "tracer/base/text/utf8.h"
#include "tracer/source/lines/source_lines.h"
#include "tracer/synth/synth.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

enum { COLUMN = 48, LINES = 80, LEAST_S = 20, LAST_S = 1, RUNS = 20000 };

/* ---- the story: steps ------------------------------------------------------------------------ */

/* Source line of a step, or NULL: code without source is not shown. */
static const char *text_of_line(const struct harness_hunt *h, const struct schedule_where *w)
{
	const char *line = w->line ? source_line(h->x.symbols, w->file, w->line) : NULL;

	while (line && isspace((unsigned char)*line))
		line++;
	return line;
}

static void add_cell(int column, size_t most, const char *text, struct str *out)
{
	size_t length = strlen(text) > most ? utf8_cut(text, most) : strlen(text);
	STR(line);

	str_addf(&line, "%*s%.*s", column * COLUMN, "", (int)length, text);
	foreign_code_line(out, str_text(&line));
}

/* Adds a row for each step; consecutive steps of a thread at one line share a row. */
static void add_columns(const struct harness_hunt *h, const struct schedule *s, struct str *out)
{
	const struct schedule_step *last = NULL;
	unsigned lines = 0;

	array_each(const struct schedule_step, step, &s->steps) {
		const struct schedule_where *w = &step->where;
		const char *line = text_of_line(h, w);
		int column = harness_column(s, step->thread);
		STR(text);

		if (column < 0 || !line ||
		    (last && last->thread == step->thread && last->where.line == w->line &&
		     last->where.file == w->file))
			continue;
		last = step;
		if (++lines > LINES)
			break;
		str_addf(&text, "%s:%u  %s", str_base_name(w->file), w->line, line);
		add_cell(column, COLUMN + 24, str_text(&text), out);
		str_add(out, "\n");
	}
	if (lines > LINES)
		str_add(out, "...\n");
}

static void add_head(const struct schema *s, unsigned thread, const char *text, struct str *out)
{
	if (thread + 1 < s->threads)
		str_addf(out, "%-*s", COLUMN, text);
	else
		str_addf(out, "%.*s\n", 400, text);
}

static void add_heads(const struct harness_hunt *h, const struct schema *s, struct str *out)
{
	for (unsigned t = 0; t < s->threads; t++) {
		STR(text);

		for (unsigned i = 0; i < s->counts[t]; i++)
			str_addf(&text, "%s%s", i ? "; " : "",
				 h->object.calls.items[s->calls[t][i]].text);
		add_head(s, t, str_text(&text), out);
	}
	for (unsigned t = 0; t < s->threads; t++)
		add_head(s, t, "--------------------", out);
}

/* ---- the story: violation -------------------------------------------------------------------- */

/* Outcome that the failing run printed, or NULL; the caller frees it. */
static char *outcome_of(const struct explore_failure *f)
{
	const char *text = str_text(&f->out);
	size_t length = strcspn(text, "\n");

	return length && strcmp(f->kind, "status") == 0 ? base_strndup(text, length) : NULL;
}

static void add_nearest(const struct harness_violation *v, const char *outcome, struct str *out)
{
	STR(differences);
	const struct harness_outcome *near = outcomes_nearest(&v->outcomes, outcome, &differences);
	char *rest = differences.text, *line;

	if (near) {
		str_add(out, "\nThe nearest one that is atomic: ");
		foreign_code_span(out, near->text);
		str_add(out, ", by the order ");
		foreign_code_span(out, near->order);
		str_add(out, ".\n\n");
	}
	while (near && (line = strsep(&rest, "\n")) && *line) {
		str_add(out, "- ");
		foreign_line(out, line);
		str_add(out, "\n");
	}
}

static void add_verdict(const struct harness_violation *v, const struct explore_failure *f,
			struct str *out)
{
	OWNED(outcome) = f ? outcome_of(f) : NULL;

	if (outcome) {
		foreign_code_span(out, outcome);
		str_add(out, " came, which no order of whole calls gives.\n");
		add_nearest(v, outcome, out);
	} else if (strcmp(v->kind, "status") != 0) {
		str_addf(out,
			 "The calls end normally one after the other, but at the same time they "
			 "end in %s.\n",
			 f ? f->where : "another way");
	} else {
		str_add(out,
			"An outcome came that no order of whole calls gives: see outcomes.txt.\n");
	}
}

/* Adds a verdict for each operation of the harness. */
static void add_verdicts(const struct harness_hunt *h, const struct harness_violation *v,
			 struct str *out)
{
	str_add(out, "\n## Operations\n\n");
	array_each(const struct harness_op, op, &h->object.ops) {
		STR(text);

		if (!schema_calls(&h->object, &v->schema, op))
			continue;
		str_addf(&text, "%s: ", op->name);
		harness_verdict(h, op, &text);
		str_add(out, "- ");
		foreign_line(out, str_text(&text));
		str_add(out, "\n");
	}
}

static void add_files(const struct harness_violation *v, struct str *out)
{
	str_add(out,
		"\n## Files\n\n- test.c: the harness; its first line is the command that compiles "
		"it. Exit status 0: an atomic outcome, 1: another. `./test --for 10` runs it again "
		"and "
		"again, freely, and prints how often each outcome came\n- outcomes.txt: the "
		"outcomes of "
		"the search, how often each came, and the order that explains it\n");
	if (!v->script) {
		str_addf(out, "\nThere is no gates.lua: %s.\n",
			 v->no_script ? v->no_script : "the test did not fail in its own search");
		return;
	}
	str_add(out, "- gates.lua: forces it, as `gatectl run -g gates.lua ./test`, in ");
	explore_gates_runs(v->forced, v->asked, v->forced_s, out);
	str_add(out, "\n");
}

/* Writes the story. `f` is the failure of the test, or NULL if it was not found again. */
static void tell_story(const struct harness_hunt *h, struct harness_violation *v,
		       const struct explore_failure *f)
{
	struct str *out = &v->story;

	str_clear(out);
	str_add(out, "# ");
	schema_print(&h->object, &v->schema, out);
	str_add(out, "\n\n");
	add_verdict(v, f, out);
	if (f && f->rerun == RERUN_SAME) {
		str_add(out, "\n## How it comes about\n\n```\n");
		add_heads(h, &v->schema, out);
		add_columns(h, &f->schedule, out);
		str_add(out, "```\n");
	}
	add_verdicts(h, v, out);
	add_files(v, out);
}

/* ---- the folder ------------------------------------------------------------------------------ */

static char *in_folder(const struct harness_violation *v, const char *name)
{
	struct str path = {0};

	str_addf(&path, "%s/%s", v->folder, name);
	return str_take(&path);
}

static int write_text(const struct harness_hunt *h, const struct harness_violation *v,
		      const char *name, const struct str *text)
{
	OWNED(path) = in_folder(v, name);

	return file_replace(path, str_text(text), h->x.err);
}

static int write_source(struct harness_hunt *h, struct harness_violation *v)
{
	STR(command);
	STR(text);
	unsigned final[ORDER_CALLS], count = harness_final(h, &v->schema, final);

	harness_command(h, "test", "test.c", &command);
	write_test(&(struct write_test){&h->object, &v->schema, final, count, &v->outcomes,
					str_text(&command)},
		   &text);
	return write_text(h, v, "test.c", &text);
}

static int compile_test(struct harness_hunt *h, struct harness_violation *v)
{
	OWNED(to) = in_folder(v, "test");
	OWNED(from) = in_folder(v, "test.c");
	STR(command);
	STR(said);

	harness_command(h, to, from, &command);
	str_add(&command, " 2>&1");
	if (harness_shell(str_text(&command), &said) == 0)
		return 0;
	return error_set(h->x.err, ERROR_SYSTEM, "%s cannot be compiled: %s", from,
			 str_text(&said));
}

/* Replaces v->no_script; NULL means that the test did not fail in its own search. */
static void set_no_script(struct harness_violation *v, const char *reason)
{
	base_free(v->no_script);
	v->no_script = reason ? base_strdup(reason) : NULL;
}

static int write_folder(struct harness_hunt *h, struct harness_violation *v,
			struct explore_failure *f)
{
	STR(outcomes);
	int failed;

	if (f) {
		if (f->gates.length)
			v->script = in_folder(v, "gates.lua");
		if (f->no_script)
			set_no_script(v, f->no_script);
		v->forced = f->forced;
		v->asked = f->asked;
		v->forced_s = f->forced_s;
	}
	tell_story(h, v, f);
	outcomes_print(&v->outcomes, &outcomes);
	failed = write_text(h, v, "README.md", &v->story);
	if (!failed)
		failed = write_text(h, v, "outcomes.txt", &outcomes);
	if (!failed && v->script)
		failed = write_text(h, v, "gates.lua", &f->gates);
	return failed;
}

/* ---- the test's own search ------------------------------------------------------------------- */

static void set_test_options(const struct harness_hunt *h, struct explore_options *o)
{
	double left = harness_left(h), whole = h->begun + h->explore.whole_s - explore_now_s();

	*o = h->explore;
	o->all = o->goes_on = false;
	o->shard = o->shards = 1;
	o->runs = RUNS;
	o->seconds = left == 0 || left > LEAST_S ? left : LEAST_S;
	if (o->whole_s <= 0)
		return;
	o->whole_s = whole > LAST_S ? whole : LAST_S;
	if (o->seconds > o->whole_s / 2)
		o->seconds = o->whole_s / 2;
}

/* Adds an outcome that the test's search found, if --weaken allows it. Returns 1 if the test must
   be rewritten with it, 0 if not, -1 with h->x.err set. */
static int learn_outcome(struct harness_hunt *h, struct harness_violation *v,
			 const struct explore_failure *f)
{
	OWNED(text) = outcome_of(f);

	if (!text)
		return 0;
	outcomes_add(&v->outcomes, text, NULL)->times++;
	return harness_allow(h, &v->outcomes);
}

static int search_test(struct harness_hunt *h, struct harness_violation *v, char *program)
{
	struct explore e = {.quick = h->quick, .full = h->full, .plain = h->plain, .x = h->x};
	char *argv[] = {program, NULL};
	int answer;

	set_test_options(h, &e.options);
	e.points_at.tested = h->tested;
	e.x.options->argv = argv;
	answer = synth_explore(&e);
	h->x = e.x;
	if (answer == 0 && h->weak.count && e.failures.count)
		answer = learn_outcome(h, v, &e.failures.items[0]);
	if (answer == 0) {
		set_no_script(v, NULL);
		harness_blame(h, v, e.failures.count ? &e.failures.items[0] : NULL);
		answer = write_folder(h, v, e.failures.count ? &e.failures.items[0] : NULL);
	}
	explore_fini(&e);
	h->x.options->argv = NULL;
	return answer;
}

/* Writes and searches the test. The folder is complete before the search, which a signal may end.
   Returns 1 if the test must be rewritten, 0 if done, -1 with h->x.err set. */
static int try_test(struct harness_hunt *h, struct harness_violation *v)
{
	OWNED(program) = in_folder(v, "test");

	if (harness_write_catch(h, v->folder) < 0 || write_source(h, v) < 0 ||
	    compile_test(h, v) < 0)
		return -1;
	set_no_script(v, "the search for one was ended");
	return write_folder(h, v, NULL) < 0 ? -1 : search_test(h, v, program);
}

int harness_found(struct harness_hunt *h, struct harness_violation *v)
{
	const char *dir = h->explore.output;
	int answer = 1;

	mkdir(dir, 0777);
	v->folder = file_numbered(dir);
	if (!v->folder)
		return error_errno(h->x.err, ERROR_SYSTEM, "%s: the result cannot be written there",
				   dir);
	while (answer > 0)
		answer = try_test(h, v);
	return answer;
}

void harness_violation_fini(struct harness_violation *v)
{
	outcomes_fini(&v->outcomes);
	base_free(v->kind);
	base_free(v->differs);
	base_free(v->brief);
	base_free(v->headline);
	base_free(v->folder);
	base_free(v->script);
	base_free(v->no_script);
	str_fini(&v->story);
}
