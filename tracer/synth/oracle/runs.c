/* Makes plain runs of the script under trial. */
#include "tracer/synth/synth_internal.h"

#include "tracer/search/explore.h"

#include <string.h>

enum {
	LIMIT_FACTOR = 20,
	LIMIT_LEAST_S = 5,
	LAST_RUN_S = 2, /* shortest limit, also past the deadline */
	GATE_LIMIT_S = 3,
};

bool synth_is_past(double until)
{
	return until > 0 && explore_now_s() >= until;
}

double synth_part_left(const struct synth *g, double part)
{
	double now = explore_now_s();

	return g->until > 0 ? now + (g->until - now) * part : 0;
}

void synth_set_options(struct synth *g)
{
	const struct run_options *given = g->e->x.options;
	struct run_options *o = &g->options;
	double limit = LIMIT_FACTOR * g->f->seconds;

	array_fini(&o->scripts);
	*o = *given;
	o->scripts.items = NULL;
	o->scripts.count = o->scripts.capacity = 0;
	if (g->expects != SYNTH_CAME)
		array_each(const char *, script, &given->scripts)
			*array_add(&o->scripts) = *script;
	*array_add(&o->scripts) = g->oracle.path;
	o->features = g->e->plain;
	o->reports.count = 0;
	o->sched = NULL;
	o->leftover = LEFTOVER_KILL;
	o->verbose = false;
	o->quiet = true;
	o->gate_limit = o->gate_limit < 0 ? GATE_LIMIT_S : o->gate_limit;
	if (g->ends == SYNTH_HANGS)
		o->time_limit = -1; /* the script has a limit of its own */
	else if (o->time_limit < 0)
		o->time_limit = limit > LIMIT_LEAST_S ? limit : LIMIT_LEAST_S;
}

struct plain_runs {
	struct synth *g;
	double limit; /* of one run, seconds */
};

/* Limits the next run by the time left: a run that hangs past the deadline decides nothing. No run
   exceeds the time for the script, whatever limit the script sets. */
static bool limit_next(void *ctx)
{
	const struct plain_runs *runs = ctx;
	struct synth *g = runs->g;
	double now = explore_now_s(), least = now + LAST_RUN_S, rest = g->until - now;

	g->options.time_limit = runs->limit;
	if (g->until > 0 && runs->limit >= rest && runs->limit >= LAST_RUN_S)
		g->options.time_limit = rest > LAST_RUN_S ? rest : LAST_RUN_S;
	g->options.until_us = 0;
	if (g->f->until > 0)
		g->options.until_us = (uint64_t)((g->f->until > least ? g->f->until : least) * 1e6);
	g->e->x.done = g->oracle.made;
	return true;
}

static bool was_turned(const struct run_result *r)
{
	array_each(const struct run_subject, s, &r->evidence.subjects)
		if (s->is_gate && strncmp(s->name, "gate turned ", strlen("gate turned ")) == 0)
			return s->movers.count;
	return false;
}

/* Places may be missed if gates are left out: then only the program's end counts. */
static int judge_plain(const struct oracle_question *q, struct run_result *r)
{
	struct synth *g = ((struct plain_runs *)q->ctx)->g;
	bool unmet = g->expects == SYNTH_UNMET;
	const char *text = r->text.length ? str_text(&r->text) : str_text(&r->evidence.came);
	enum verdict fails = unmet ? VERDICT_NOT_AS_EXPECTED : VERDICT_OK;
	bool agrees = q->trial->left_out ? r->evidence.as_expected != unmet : r->verdict == fails;
	bool barred = r->verdict != (unmet ? VERDICT_OK : VERDICT_NOT_AS_EXPECTED);

	if (agrees && !r->out_of_time)
		return ORACLE_YES;
	g->is_barred = barred && !was_turned(r);
	str_clear(&g->differs);
	str_add_bytes(&g->differs, text, strcspn(text, "\n"));
	return ORACLE_NO;
}

int synth_runs(struct synth *g, unsigned long most, const struct run_trial *trial, double until)
{
	struct plain_runs runs = {g, g->options.time_limit};
	const struct oracle_question q = {
		.most = most,
		.until = until,
		.trial = trial,
		.ctx = &runs,
		.next = limit_next,
		.judge = judge_plain,
	};
	struct run_options *given = g->e->x.options;
	int answer;

	g->e->x.planned = most;
	g->e->x.options = &g->options;
	answer = oracle_ask(&g->oracle, &q);
	g->e->x.options = given;
	g->options.time_limit = runs.limit;
	return answer;
}

int synth_write(struct synth *g)
{
	str_clear(&g->f->gates);
	synth_script(g, &g->f->gates);
	return oracle_script(&g->oracle, str_text(&g->f->gates));
}

int synth_runs_of_all(struct synth *g, unsigned long most, const char *what, double until)
{
	static const struct run_trial all;

	experiment_say(&g->e->x, what);
	return synth_write(g) < 0 ? -1 : synth_runs(g, most, &all, until);
}
