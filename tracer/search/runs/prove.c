/*
 * gatectl prove: does the script force the outcome, and which of its gates matter? The program is
 * run many times: with all gates, with none, and with each one left out.
 *
 * By luck a program may do what a gate forces even without the gate. So as many runs are made the
 * other way round (run_trial.way): threads that would open it are held back. If holding back
 * alone changes the outcome, with the gate in its place, such runs tell nothing about the gate and
 * do not count.
 */
#include "tracer/search/runs/prove.h"

#include <string.h>

enum { LIMITED_MOST = 3, CONTROLS = 5, RUNS_USUAL = 20 };
enum { LIMIT_LEAST_S = 5, LIMIT_FACTOR = 5 };
static const double UNLIKELY = 0.01, ROUNDED = 1e-9;

/* Each line has the same number of runs; so have those with all gates and with none. */
static void plan_runs(struct prove *p)
{
	p->x.planned = (1 + (p->lines.count ? 1 : 0) + p->lines.count) * p->runs;
}

/* ---- with all gates ------------------------------------------------------------------------- */

/* For a script without `expect`, the outcome of the first run is the one expected. */
static bool agrees_all(const struct prove *p, const struct run_result *r)
{
	if (p->has_expect)
		return r->verdict == VERDICT_OK;
	return (r->verdict == VERDICT_OK || r->verdict == VERDICT_DEADLOCK ||
		r->verdict == VERDICT_CRASHED) &&
	       experiment_came(&p->outcome, &r->evidence);
}

static bool prove_agrees(const struct prove *p, const struct run_result *r)
{
	const struct run_evidence *e = &r->evidence;

	return p->has_expect ? e->as_expected
			     : experiment_came(&p->outcome, e) && experiment_wrote(&p->outcome, e);
}

static void take_first(struct prove *p, const struct run_evidence *e)
{
	p->has_expect = e->has_expect;
	p->has_limit = e->has_limit;
	str_add(&p->expected, str_text(e->has_expect ? &e->expected : &e->came));
	experiment_first(&p->outcome, e);
}

/* A script may make other gates in another run: every gate that any run had is tried. */
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

static void take_subjects(struct prove *p, const struct run_evidence *e)
{
	array_each(const struct run_subject, s, &e->subjects) {
		struct prove_line *line = line_for(p, s->name);

		line->holds |= s->holds;
		line->is_gate = s->is_gate;
		line->is_barrier = s->is_barrier;
		array_each(char *, id, &s->movers)
			add_mover(line, *id);
	}
}

static void take_all(struct prove *p, const struct run_result *r)
{
	bool agreed = agrees_all(p, r);

	experiment_another(&p->outcome, &r->evidence);
	p->all.runs++;
	p->all.agreed += agreed;
	p->all.limited += r->evidence.limited;
	if (!agreed && !p->failed.length)
		str_add(&p->failed,
			r->text.length ? str_text(&r->text) : str_text(&r->evidence.came));
	take_subjects(p, &r->evidence);
}

/* A script that is wrong proves nothing. */
static int judge_all(const struct experiment_series *s, struct run_result *r)
{
	struct prove *p = s->ctx;

	if (r->verdict == VERDICT_ERROR)
		return experiment_over(&p->x, r);
	p->longest_s = r->seconds > p->longest_s ? r->seconds : p->longest_s;
	if (p->all.runs == 0)
		take_first(p, &r->evidence);
	take_all(p, r);
	p->x.done++;
	plan_runs(p);
	return p->all.limited < LIMITED_MOST;
}

static int runs_with_all(struct prove *p)
{
	const struct run_trial trial = {.show_output = p->x.options->verbose};
	const struct experiment_series runs = {
		.most = p->runs,
		.trial = &trial,
		.ctx = p,
		.judge = judge_all,
	};

	plan_runs(p);
	experiment_say(&p->x, "all gates");
	return experiment_series(&p->x, &runs) < 0 ? -1 : 0;
}

static void line_fini(struct prove_line *line)
{
	base_free(line->name);
	array_each(char *, id, &line->movers)
		base_free(*id);
	array_fini(&line->movers);
}

/* A :run that waits for nothing has nothing to leave out. */
static void drop_idle(struct prove *p)
{
	for (size_t i = p->lines.count; i-- > 0;) {
		if (p->lines.items[i].holds)
			continue;
		line_fini(&p->lines.items[i]);
		array_remove(&p->lines, i);
	}
}

/* What a gate forces is also tried the other way round, as a line of its own after the gate's. */
static void add_others(struct prove *p)
{
	for (size_t i = 0; i < p->lines.count; i++) {
		struct prove_line other = {.other = true}, *line;

		if (!p->lines.items[i].is_gate)
			continue;
		line = &p->lines.items[i];
		other.name = base_strdup(line->name);
		other.holds = other.is_gate = true;
		other.is_barrier = line->is_barrier;
		array_each(char *, id, &line->movers)
			add_mover(&other, *id);
		(void)array_add(&p->lines);
		for (size_t k = p->lines.count - 1; k > i + 1; k--)
			p->lines.items[k] = p->lines.items[k - 1];
		p->lines.items[++i] = other;
	}
}

/* ---- with something left out ---------------------------------------------------------------- */

static struct run_trial trial_of(const struct prove *p, const struct prove_line *line,
				 bool left_out, enum trial_way way)
{
	size_t first = line->is_barrier && line->movers.count ? 1 : 0;

	return (struct run_trial){
		.about = line->name,
		.left_out = left_out,
		.show_output = p->x.options->verbose,
		.way = way,
		.early = (const char *const *)line->movers.items + first,
		.early_count = line->movers.count - first,
	};
}

static enum trial_way way_of(const struct prove_line *line)
{
	bool early = line->movers.count && !line->useless[TRIAL_EARLY];

	if (!line->other)
		return TRIAL_PLAIN;
	if (early && (line->runs % 2 == 0 || line->useless[TRIAL_LATE]))
		return TRIAL_EARLY;
	return line->useless[TRIAL_LATE] ? TRIAL_PLAIN : TRIAL_LATE;
}

/* Does every way to hold back change the outcome by itself? */
static bool tells_nothing(const struct prove_line *line)
{
	return line->other && way_of(line) == TRIAL_PLAIN;
}

static void note_luck(struct prove *p, const struct prove_line *line)
{
	if (!p->lucky)
		str_add(&p->luck, line->name);
	p->lucky = true;
}

static int judge_alone(const struct experiment_series *s, struct run_result *r)
{
	return prove_agrees(s->ctx, r);
}

/* Does holding back alone change the outcome? 1 yes, 0 no, -1 stop. */
static int changes_alone(struct prove *p, struct prove_line *line, enum trial_way way)
{
	const struct run_trial trial = trial_of(p, line, false, way);
	const struct experiment_series runs = {
		.most = CONTROLS,
		.trial = &trial,
		.ctx = p,
		.judge = judge_alone,
	};
	int same = experiment_series(&p->x, &runs);

	if (same < 0)
		return -1;
	if (!same)
		note_luck(p, line);
	line->useless[way] = !same;
	return !same;
}

/* Another one of a barrier's threads comes first in each run. */
static void turn_movers(struct prove_line *line)
{
	char *first;

	if (!line->is_barrier || !line->movers.count)
		return;
	first = line->movers.items[0];
	array_remove(&line->movers, 0);
	*array_add(&line->movers) = first;
}

/* The runs of a line. */
struct line_runs {
	struct prove *p;
	struct prove_line *line;
	struct run_trial trial;
	bool known[TRIAL_LATE + 1]; /* ways whose first difference was checked */
};

static bool next_of_line(const struct experiment_series *s)
{
	struct line_runs *runs = s->ctx;
	struct prove_line *line = runs->line;

	runs->trial = trial_of(runs->p, line, true, way_of(line));
	return line->runs < runs->p->runs && line->limited < LIMITED_MOST && !tells_nothing(line);
}

/* When a way makes a difference for the first time, checks whether holding back alone would. */
static int judge_line(const struct experiment_series *s, struct run_result *r)
{
	struct line_runs *runs = s->ctx;
	struct prove_line *line = runs->line;
	enum trial_way way = runs->trial.way;
	bool agreed = prove_agrees(runs->p, r);
	int alone = 0;

	if (!agreed && way != TRIAL_PLAIN && !runs->known[way]) {
		runs->known[way] = true;
		alone = changes_alone(runs->p, line, way);
	}
	if (alone)
		return alone < 0 ? -1 : 1;
	if (way == TRIAL_EARLY)
		turn_movers(line);
	line->runs++;
	line->agreed += agreed;
	line->limited += r->evidence.limited;
	runs->p->x.done++;
	return 1;
}

static int runs_without(struct prove *p, struct prove_line *line)
{
	struct line_runs ctx = {.p = p, .line = line};
	const struct experiment_series runs = {
		.trial = &ctx.trial,
		.ctx = &ctx,
		.next = next_of_line,
		.judge = judge_line,
	};
	struct str what = {0};

	str_addf(&what, line->other ? "other way round: %s" : "without %s",
		 line->name ? line->name : "gates");
	experiment_say(&p->x, str_text(&what));
	str_fini(&what);
	return experiment_series(&p->x, &runs) < 0 ? -1 : 0;
}

/* A program that hangs without a gate must not hang for ever. */
static void set_limit(struct prove *p)
{
	double limit = LIMIT_FACTOR * p->longest_s;

	if (p->x.options->time_limit < 0 && !p->has_limit)
		p->x.options->time_limit = limit > LIMIT_LEAST_S ? limit : LIMIT_LEAST_S;
}

int prove_runs(struct prove *p)
{
	p->runs = p->runs ? p->runs : RUNS_USUAL;
	if (runs_with_all(p) < 0)
		return -1;
	drop_idle(p);
	add_others(p);
	plan_runs(p);
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

/* ---- what the rows tell --------------------------------------------------------------------- */

/* Fisher's exact test: how likely are rows that differ so much, or more, by luck alone? */
static double luck(const struct prove_line *a, const struct prove_line *b)
{
	double all = (double)(a->agreed + b->agreed), n = (double)a->runs, m = (double)b->runs;
	double first = (double)a->agreed, likely = 1, sum = 1, tail = 1;

	/* How likely each other share of `a` is, of the one that came: first the smaller ones, then the greater. */
	for (double k = first; k > 0 && all - k < m; k--) {
		likely *= k * (m - all + k) / ((n - k + 1) * (all - k + 1));
		sum += likely;
		tail += likely < 1 + ROUNDED ? likely : 0;
	}
	likely = 1;
	for (double k = first; k < n && k < all; k++) {
		likely *= (n - k) * (all - k) / ((k + 1) * (m - all + k + 1));
		sum += likely;
		tail += likely < 1 + ROUNDED ? likely : 0;
	}
	return tail / sum;
}

/* All gates force the outcome where it came in every run: then one run without it is enough. */
static bool tells(const struct prove *p, const struct prove_line *line)
{
	return p->all.agreed == p->all.runs ? line->agreed < line->runs
					    : luck(&p->all, line) < UNLIKELY;
}

enum prove_judgement prove_judge(const struct prove *p, const struct prove_line *line)
{
	const struct prove_line *next = line + 1;
	bool has_other =
		line >= p->lines.items && next < p->lines.items + p->lines.count && next->other;

	if (tells(p, line) || (has_other && tells(p, next)))
		return PROVE_MATTERS;
	return p->all.agreed == p->all.runs ? PROVE_IDLE : PROVE_UNKNOWN;
}

void prove_fini(struct prove *p)
{
	array_each(struct prove_line, line, &p->lines)
		line_fini(line);
	array_fini(&p->lines);
	str_fini(&p->expected);
	str_fini(&p->outcome.came);
	str_fini(&p->failed);
	str_fini(&p->luck);
}
