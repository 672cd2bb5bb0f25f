/*
 * gatectl prove: does the script force the outcome, and which of its gates matter? The program is
 * run many times: with all gates, with none, and with each one left out.
 *
 * By luck a program may do without a gate what the gate forces. So half of the runs without it are
 * made the other way round (session_trial.way): whoever would open it is held back. Where that alone
 * changes the outcome, with the gate in its place, it tells nothing about the gate, and the runs are
 * made without it.
 */
#include "tracer/cli/prove.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LIMITED_MOST = 3, CONTROLS = 5, RUNS_USUAL = 20 };
enum { LIMIT_LEAST_S = 5, LIMIT_FACTOR = 5 };

/* ---- one run -------------------------------------------------------------------------------- */

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void show_progress(struct prove *p, const char *what)
{
	size_t lines = 1 + (p->lines.count ? 1 : 0) + p->lines.count;

	progress_set(&p->progress, p->made, lines * p->runs, what);
}

/* 0, or -1 where it is all over: an error, or gatectl was interrupted. */
static int run_once(struct prove *p, const struct session_trial *trial, struct session_result *r)
{
	struct session_options *o = &p->cli->session;
	struct session_trial own = *trial;
	struct error err = {0};
	int failed;

	own.show_output = o->verbose;
	o->trial = &own;
	failed = session_run(o, p->symbols, ++p->number, r, &err);
	o->trial = NULL;
	if (failed < 0 || r->interrupted)
		progress_erase(&p->progress);
	if (failed < 0)
		p->status = output_error(p->cli, &err);
	else if (r->interrupted)
		p->status = r->status;
	if (p->status < 0)
		return 0;
	session_result_fini(r);
	return -1;
}

/* ---- with all gates ------------------------------------------------------------------------- */

/* A script without `expect` is taken at its first run's word. */
static bool as_first(const struct prove *p, const struct session_evidence *e)
{
	return strcmp(str_text(&e->came), str_text(&p->expected)) == 0 &&
	       (!p->same_out || e->out_sum == p->out_sum) &&
	       (!p->same_err || e->err_sum == p->err_sum);
}

static bool agrees_all(const struct prove *p, const struct session_result *r)
{
	if (p->has_expect)
		return r->verdict == VERDICT_OK;
	return (r->verdict == VERDICT_OK || r->verdict == VERDICT_DEADLOCK) &&
	       strcmp(str_text(&r->evidence.came), str_text(&p->expected)) == 0;
}

static bool agrees(const struct prove *p, const struct session_result *r)
{
	return p->has_expect ? r->evidence.as_expected : as_first(p, &r->evidence);
}

static void take_first(struct prove *p, const struct session_evidence *e)
{
	p->has_expect = e->has_expect;
	p->same_out = p->same_err = !e->has_expect;
	p->out_sum = e->out_sum;
	p->err_sum = e->err_sum;
	str_add(&p->expected, str_text(e->has_expect ? &e->expected : &e->came));
}

/* A script may make other gates in another run: all that were ever there are tried. */
static struct prove_line *line_for(struct prove *p, const char *name)
{
	struct prove_line *line;

	array_each(struct prove_line, l, &p->lines)
		if (strcmp(l->name, name) == 0)
			return l;
	line = array_add(&p->lines);
	line->name = base_strdup(name);
	return line;
}

static void add_mover(struct prove_line *line, const char *id)
{
	array_each(char *, known, &line->movers)
		if (strcmp(*known, id) == 0)
			return;
	*array_add(&line->movers) = base_strdup(id);
}

static void take_subjects(struct prove *p, const struct session_evidence *e)
{
	array_each(const struct session_subject, s, &e->subjects) {
		struct prove_line *line = line_for(p, s->name);

		line->holds |= s->holds;
		line->is_gate = s->is_gate;
		line->is_barrier = s->is_barrier;
		array_each(char *, id, &s->movers)
			add_mover(line, *id);
	}
}

static void take_all(struct prove *p, const struct session_result *r)
{
	bool agreed = agrees_all(p, r);

	p->same_out &= r->evidence.out_sum == p->out_sum;
	p->same_err &= r->evidence.err_sum == p->err_sum;
	p->all.runs++;
	p->all.agreed += agreed;
	p->all.limited += r->evidence.limited;
	if (!agreed && !p->failed.length)
		str_add(&p->failed,
			r->text.length ? str_text(&r->text) : str_text(&r->evidence.came));
	take_subjects(p, &r->evidence);
}

/* A script that is wrong proves nothing. */
static int fault(struct prove *p, struct session_result *r)
{
	progress_erase(&p->progress);
	output_verdict(p->cli, str_text(&r->text), r->line ? str_text(&r->file) : NULL, r->line);
	p->status = VERDICT_ERROR;
	session_result_fini(r);
	return -1;
}

static int runs_with_all(struct prove *p)
{
	const struct session_trial trial = {0};

	while (p->all.runs < p->runs && p->all.limited < LIMITED_MOST) {
		double start = now_s(), took;
		struct session_result r;

		show_progress(p, "all gates");
		if (run_once(p, &trial, &r) < 0)
			return -1;
		if (r.verdict == VERDICT_ERROR)
			return fault(p, &r);
		took = now_s() - start;
		p->longest_s = took > p->longest_s ? took : p->longest_s;
		if (p->all.runs == 0)
			take_first(p, &r.evidence);
		take_all(p, &r);
		p->made++;
		session_result_fini(&r);
	}
	return 0;
}

static void line_fini(struct prove_line *line)
{
	base_free(line->name);
	array_each(char *, id, &line->movers)
		base_free(*id);
	array_fini(&line->movers);
}

/* A :run that has held nobody has nothing to leave out. */
static void drop_idle(struct prove *p)
{
	for (size_t i = p->lines.count; i-- > 0;) {
		if (p->lines.items[i].holds)
			continue;
		line_fini(&p->lines.items[i]);
		array_remove(&p->lines, i);
	}
}

/* ---- with something left out ---------------------------------------------------------------- */

static struct session_trial trial_of(const struct prove_line *line, bool left_out,
				     enum trial_way way)
{
	size_t first = line->is_barrier && line->movers.count ? 1 : 0;

	return (struct session_trial){
		.about = line->name,
		.left_out = left_out,
		.way = way,
		.early = (const char *const *)line->movers.items + first,
		.early_count = line->movers.count - first,
	};
}

static enum trial_way way_of(const struct prove_line *line)
{
	static const enum trial_way ways[] = {TRIAL_PLAIN, TRIAL_EARLY, TRIAL_PLAIN, TRIAL_LATE};
	enum trial_way way = ways[line->runs % 4];

	if (!line->is_gate || (way == TRIAL_EARLY && !line->movers.count))
		way = line->is_gate && way == TRIAL_EARLY ? TRIAL_LATE : TRIAL_PLAIN;
	return line->useless[way] ? TRIAL_PLAIN : way;
}

static void note_luck(struct prove *p, const struct prove_line *line)
{
	if (!p->lucky)
		str_add(&p->luck, line->name);
	p->lucky = true;
}

/* Does holding back alone change the outcome? 1 yes, 0 no, -1 it is all over. */
static int changes_alone(struct prove *p, struct prove_line *line, enum trial_way way)
{
	const struct session_trial trial = trial_of(line, false, way);
	bool changes = false;

	for (int i = 0; i < CONTROLS && !changes; i++) {
		struct session_result r;

		if (run_once(p, &trial, &r) < 0)
			return -1;
		changes = !agrees(p, &r);
		session_result_fini(&r);
	}
	if (changes)
		note_luck(p, line);
	line->useless[way] = changes;
	return changes;
}

/* Of a barrier's threads another one comes first each time. */
static void turn_movers(struct prove_line *line)
{
	char *first;

	if (!line->is_barrier || !line->movers.count)
		return;
	first = line->movers.items[0];
	array_remove(&line->movers, 0);
	*array_add(&line->movers) = first;
}

/* One run of the line. A way that differs for the first time is looked at more closely. */
static int line_run(struct prove *p, struct prove_line *line, bool *known)
{
	enum trial_way way = way_of(line);
	const struct session_trial trial = trial_of(line, true, way);
	struct session_result r;
	bool agreed, limited;
	int alone = 0;

	if (run_once(p, &trial, &r) < 0)
		return -1;
	agreed = agrees(p, &r);
	limited = r.evidence.limited;
	session_result_fini(&r);
	if (!agreed && way != TRIAL_PLAIN && !known[way]) {
		known[way] = true;
		alone = changes_alone(p, line, way);
	}
	if (alone)
		return alone < 0 ? -1 : 0;
	if (way == TRIAL_EARLY)
		turn_movers(line);
	line->runs++;
	line->agreed += agreed;
	line->limited += limited;
	p->made++;
	return 0;
}

static int runs_without(struct prove *p, struct prove_line *line)
{
	bool known[TRIAL_LATE + 1] = {false};
	struct str what = {0};
	int failed = 0;

	str_addf(&what, "without %s", line->name ? line->name : "gates");
	while (!failed && line->runs < p->runs && line->limited < LIMITED_MOST) {
		show_progress(p, str_text(&what));
		failed = line_run(p, line, known);
	}
	str_fini(&what);
	return failed;
}

/* A program that hangs where a gate is missing shall not do so for ever. */
static void set_limit(struct prove *p)
{
	double limit = LIMIT_FACTOR * p->longest_s;

	if (p->cli->session.time_limit < 0)
		p->cli->session.time_limit = limit > LIMIT_LEAST_S ? limit : LIMIT_LEAST_S;
}

static int all_lines(struct prove *p)
{
	if (runs_with_all(p) < 0)
		return -1;
	drop_idle(p);
	set_limit(p);
	if (!p->all.agreed || !p->lines.count)
		return 0;
	if (runs_without(p, &p->none) < 0)
		return -1;
	array_each(struct prove_line, line, &p->lines)
		if (runs_without(p, line) < 0)
			return -1;
	return 0;
}

/* ---- the command ---------------------------------------------------------------------------- */

static int not_as_expected(struct prove *p)
{
	struct str text = {0};

	str_addf(
		&text,
		"gatectl: not-as-expected: with all gates the outcome came in %lu of %lu runs; one "
		"in which it did not:\n%s",
		p->all.agreed, p->all.runs, str_text(&p->failed));
	output_verdict(p->cli, str_text(&text), NULL, 0);
	str_fini(&text);
	return VERDICT_NOT_AS_EXPECTED;
}

static int report(struct prove *p)
{
	progress_erase(&p->progress);
	prove_print(p);
	if (fflush(stdout) == EOF)
		return VERDICT_ERROR;
	return p->all.agreed < p->all.runs ? not_as_expected(p) : 0;
}

static void prove_fini(struct prove *p)
{
	symbols_free(p->symbols);
	array_each(struct prove_line, line, &p->lines)
		line_fini(line);
	array_fini(&p->lines);
	str_fini(&p->expected);
	str_fini(&p->failed);
	str_fini(&p->luck);
}

static int check_scripts(const struct cli *cli, struct error *err)
{
	if (cli->session.scripts.count || cli->session.orders.count)
		return 0;
	error_set(err, ERROR_USAGE, "prove: no gate script was given");
	return error_hint(err, "gatectl prove -g FILE.lua PROG");
}

int command_prove(struct cli *cli)
{
	struct prove p = {.cli = cli, .status = -1};
	struct error err = {0};
	int status;

	if (check_scripts(cli, &err) < 0)
		return output_error(cli, &err);
	p.runs = cli->runs ? cli->runs : RUNS_USUAL;
	p.symbols = symbols_new();
	progress_begin(&p.progress, !cli->session.quiet && !cli->session.verbose, cli->color);
	cli->session.quiet |=
		!cli->session.verbose; /* what scripts write would come in every run */
	session_signals_hold();
	status = all_lines(&p) < 0 ? p.status : report(&p);
	status = runs_end(status);
	prove_fini(&p);
	return status;
}
