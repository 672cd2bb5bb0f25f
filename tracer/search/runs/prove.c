/* gatectl prove: runs a program with all gates, with none and with each one left out, to see which
   gates matter. Runs with a delay (run_trial.way) show what happens by chance without a gate; a
   delay that alone changes the outcome does not count. */
#include "tracer/search/runs/runs.h"

#include <string.h>

enum { LIMITED_MOST = 3, CONTROLS = 5, RUNS_USUAL = 20 };
enum { LIMIT_LEAST_S = 5, LIMIT_FACTOR = 5 };
static const double UNLIKELY = 0.01, ROUNDED = 1e-9;

static int ask(struct prove *p, const struct oracle_question *q)
{
	struct oracle oracle = {.x = &p->x};

	return oracle_ask(&oracle, q);
}

/* Plans p->runs runs for each row: all gates, no gates, and one or two rows a line. */
static void plan_runs(struct prove *p)
{
	unsigned long rows = p->lines.count ? 2 : 1;

	array_each(const struct prove_line, line, &p->lines)
		rows += line->is_gate ? 2 : 1;
	p->x.planned = rows * p->runs;
}

/* ---- with all gates ------------------------------------------------------------------------- */

/* Without `expect` in the script, the outcome of the first run is the expected one. */
static bool agrees_all(const struct prove *p, const struct run_result *r)
{
	if (p->has_expect)
		return r->verdict == VERDICT_OK;
	return (r->verdict == VERDICT_OK || r->verdict == VERDICT_DEADLOCK ||
		r->verdict == VERDICT_GATE_DEADLOCK || r->verdict == VERDICT_CRASHED) &&
	       experiment_came(&p->outcome, &r->evidence);
}

static void take_first(struct prove *p, const struct run_evidence *e)
{
	p->has_expect = e->has_expect;
	p->has_limit = e->has_limit;
	str_add(&p->expected, str_text(e->has_expect ? &e->expected : &e->came));
	experiment_first(&p->outcome, e);
}

/* Line of a gate, added if new: a script may make other gates in another run. */
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

static void note_run(struct prove *p, struct prove_row *row, const struct run_result *r,
		     bool agreed)
{
	row->runs++;
	row->agreed += agreed;
	row->limited += r->evidence.limited;
	p->x.done++;
}

/* Judges a run with all gates. An error in the script ends the experiment. */
static int judge_all(const struct oracle_question *q, struct run_result *r)
{
	struct prove *p = q->ctx;
	bool agreed;

	if (r->verdict == VERDICT_ERROR)
		return experiment_over(&p->x, r);
	p->longest_s = r->seconds > p->longest_s ? r->seconds : p->longest_s;
	if (p->all.runs == 0)
		take_first(p, &r->evidence);
	agreed = agrees_all(p, r);
	experiment_another(&p->outcome, &r->evidence);
	if (!agreed && !p->failed.length)
		str_add(&p->failed,
			r->text.length ? str_text(&r->text) : str_text(&r->evidence.came));
	take_subjects(p, &r->evidence);
	note_run(p, &p->all, r, agreed);
	plan_runs(p);
	return p->all.limited < LIMITED_MOST;
}

static int runs_with_all(struct prove *p)
{
	const struct run_trial trial = {.show_output = p->x.options->verbose};
	const struct oracle_question q = {
		.most = p->runs, .trial = &trial, .ctx = p, .judge = judge_all};

	plan_runs(p);
	experiment_say(&p->x, "all gates");
	return ask(p, &q) == ORACLE_STOP ? -1 : 0;
}

static void line_fini(struct prove_line *line)
{
	base_free(line->name);
	array_each(char *, id, &line->movers)
		base_free(*id);
	array_fini(&line->movers);
}

/* Drops lines that hold no thread, such as a :run that waits for nothing. */
static void drop_idle(struct prove *p)
{
	for (size_t i = p->lines.count; i-- > 0;) {
		if (p->lines.items[i].holds)
			continue;
		line_fini(&p->lines.items[i]);
		array_remove(&p->lines, i);
	}
}

/* ---- with a gate left out ------------------------------------------------------------------- */

/* State of the runs of one row of a line. */
struct line_runs {
	struct prove *p;
	struct prove_line *line;
	struct prove_row *row;
	struct run_trial trial;
	bool known[TRIAL_LATE + 1]; /* delays whose first difference was checked */
};

static void set_trial(struct line_runs *runs, bool left_out, enum trial_way way)
{
	const struct prove_line *line = runs->line;
	size_t first = line->is_barrier && line->movers.count ? 1 : 0;

	runs->trial = (struct run_trial){
		.about = line->name,
		.left_out = left_out,
		.show_output = runs->p->x.options->verbose,
		.way = way,
		.early = (const char *const *)line->movers.items + first,
		.early_count = line->movers.count - first,
	};
}

/* Chooses the delay of the next run. TRIAL_PLAIN in row `turned` means that no delay is usable. */
static enum trial_way way_of(const struct line_runs *runs)
{
	const struct prove_line *line = runs->line;
	bool early = line->movers.count && !line->useless[TRIAL_EARLY];

	if (runs->row != &line->turned)
		return TRIAL_PLAIN;
	if (early && (runs->row->runs % 2 == 0 || line->useless[TRIAL_LATE]))
		return TRIAL_EARLY;
	return line->useless[TRIAL_LATE] ? TRIAL_PLAIN : TRIAL_LATE;
}

static bool next_of_line(void *ctx)
{
	struct line_runs *runs = ctx;
	enum trial_way way = way_of(runs);

	set_trial(runs, true, way);
	return runs->row->runs < runs->p->runs && runs->row->limited < LIMITED_MOST &&
	       (way != TRIAL_PLAIN || runs->row != &runs->line->turned);
}

static bool agrees(const struct prove *p, const struct run_evidence *e)
{
	return p->has_expect ? e->as_expected
			     : experiment_came(&p->outcome, e) && experiment_wrote(&p->outcome, e);
}

static int judge_alone(const struct oracle_question *q, struct run_result *r)
{
	return agrees(q->ctx, &r->evidence);
}

/* Returns 1 if the delay alone changes the outcome, 0 if not, -1 to stop. */
static int changes_alone(struct line_runs *runs, enum trial_way way)
{
	struct prove *p = runs->p;
	const struct oracle_question q = {
		.most = CONTROLS, .trial = &runs->trial, .ctx = p, .judge = judge_alone};
	int same;

	set_trial(runs, false, way);
	same = ask(p, &q);
	if (same == ORACLE_STOP)
		return -1;
	if (same == ORACLE_NO && !p->luck)
		p->luck = runs->line->name;
	runs->line->useless[way] = same == ORACLE_NO;
	return same == ORACLE_NO;
}

/* Rotates a barrier's threads: another one comes first in each run. */
static void turn_movers(struct prove_line *line)
{
	char *first;

	if (!line->is_barrier || !line->movers.count)
		return;
	first = line->movers.items[0];
	array_remove(&line->movers, 0);
	*array_add(&line->movers) = first;
}

/* Judges a run. At the first difference under a delay, checks the delay alone. */
static int judge_line(const struct oracle_question *q, struct run_result *r)
{
	struct line_runs *runs = q->ctx;
	enum trial_way way = q->trial->way;
	bool agreed = agrees(runs->p, &r->evidence);
	int alone = 0;

	if (!agreed && way != TRIAL_PLAIN && !runs->known[way]) {
		runs->known[way] = true;
		alone = changes_alone(runs, way);
	}
	if (alone)
		return alone < 0 ? ORACLE_STOP : ORACLE_YES;
	if (way == TRIAL_EARLY)
		turn_movers(runs->line);
	note_run(runs->p, runs->row, r, agreed);
	return ORACLE_YES;
}

static int runs_without(struct prove *p, struct prove_line *line, struct prove_row *row)
{
	struct line_runs runs = {.p = p, .line = line, .row = row};
	const struct oracle_question q = {
		.trial = &runs.trial, .ctx = &runs, .next = next_of_line, .judge = judge_line};
	STR(what);

	str_addf(&what, row == &line->turned ? "other way round: %s" : "without %s",
		 line->name ? line->name : "gates");
	experiment_say(&p->x, str_text(&what));
	return ask(p, &q) == ORACLE_STOP ? -1 : 0;
}

/* Limits the runs: a program may hang without a gate. */
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
	plan_runs(p);
	set_limit(p);
	if (!p->all.agreed || !p->lines.count)
		return 0;
	if (runs_without(p, &p->none, &p->none.without) < 0)
		return -1;
	array_each(struct prove_line, line, &p->lines)
		if (runs_without(p, line, &line->without) < 0 ||
		    (line->is_gate && runs_without(p, line, &line->turned) < 0))
			return -1;
	return prove_orders(p);
}

/* ---- judgement of the rows ------------------------------------------------------------------ */

/* Fisher's exact test: probability that chance alone makes rows that differ this much or more. */
static double luck(const struct prove_row *a, const struct prove_row *b)
{
	double all = (double)(a->agreed + b->agreed), n = (double)a->runs, m = (double)b->runs;
	double first = (double)a->agreed, likely = 1, sum = 1, tail = 1;

	/* Probabilities relative to the observed table: first smaller counts of `a`, then greater
	   ones. */
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

/* True if the row differs from the runs with all gates. If all of those agreed, one different run
   is enough. */
static bool tells(const struct prove *p, const struct prove_row *row)
{
	return p->all.agreed == p->all.runs ? row->agreed < row->runs
					    : luck(&p->all, row) < UNLIKELY;
}

enum prove_judgement prove_judge(const struct prove *p, const struct prove_line *line)
{
	if (tells(p, &line->without) || (line->is_gate && tells(p, &line->turned)))
		return PROVE_MATTERS;
	return p->all.agreed == p->all.runs ? PROVE_IDLE : PROVE_UNKNOWN;
}

void prove_fini(struct prove *p)
{
	array_each(struct prove_line, line, &p->lines)
		line_fini(line);
	array_fini(&p->lines);
	array_each(char *, pair, &p->unordered)
		base_free(*pair);
	array_fini(&p->unordered);
	run_passes_fini(&p->passes);
	str_fini(&p->expected);
	experiment_outcome_fini(&p->outcome);
	str_fini(&p->failed);
}
