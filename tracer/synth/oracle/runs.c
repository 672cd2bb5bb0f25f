/* Plain runs of the script that is tried. */
#include "tracer/search/explore.h"
#include "tracer/synth/gating_internal.h"

#include "tracer/base/files/file.h"

#include <string.h>

enum {
	LIMIT_FACTOR = 20,
	LIMIT_LEAST_S = 5,
	LAST_RUN_S = 2, /* least limit, also when the time is over */
	GATE_LIMIT_S = 3,
};

bool gating_is_past(double until)
{
	return until > 0 && explore_now_s() >= until;
}

double gating_part_left(const struct gating *g, double part)
{
	double now = explore_now_s();

	return g->until > 0 ? now + (g->until - now) * part : 0;
}

void gating_set_options(struct gating *g)
{
	const struct run_options *given = g->e->x.options;
	struct run_options *o = &g->options;
	double limit = LIMIT_FACTOR * g->f->seconds;

	array_fini(&o->scripts);
	*o = *given;
	o->scripts.items = NULL;
	o->scripts.count = o->scripts.capacity = 0;
	for (size_t i = 0; !g->instead && i < given->scripts.count; i++)
		*array_add(&o->scripts) = given->scripts.items[i];
	*array_add(&o->scripts) = g->path;
	o->features = g->e->plain;
	o->reports.count = 0;
	o->sched = NULL;
	o->leftover = LEFTOVER_KILL;
	o->verbose = false;
	o->quiet = true;
	o->gate_limit = o->gate_limit < 0 ? GATE_LIMIT_S : o->gate_limit;
	if (g->endless && !g->livelock)
		o->time_limit = -1; /* the script has a limit of its own */
	else if (o->time_limit < 0)
		o->time_limit = limit > LIMIT_LEAST_S ? limit : LIMIT_LEAST_S;
}

/* With gates left out places may be missed: then only how the program ends counts. */
static bool runs_agrees(const struct gating *g, const struct run_trial *trial,
			const struct run_result *r)
{
	if (trial->left_out)
		return r->evidence.as_expected != g->defies;
	return r->verdict == (g->defies ? VERDICT_NOT_AS_EXPECTED : VERDICT_OK);
}

static bool was_turned(const struct run_result *r)
{
	array_each(const struct run_subject, s, &r->evidence.subjects)
		if (s->is_gate && strncmp(s->name, "gate turned ", strlen("gate turned ")) == 0)
			return s->movers.count;
	return false;
}

static void note_difference(struct gating *g, const struct run_result *r)
{
	const char *text = r->text.length ? str_text(&r->text) : str_text(&r->evidence.came);

	str_clear(&g->differs);
	str_add_bytes(&g->differs, text, strcspn(text, "\n"));
}

/* One that hangs is not waited for when there is no time: that it does not agree leaves all as it is. */
static double limit_of(const struct gating *g)
{
	double until = g->verifies ? g->f->until : g->until;
	double limit = g->options.time_limit, rest = until - explore_now_s();

	if (until <= 0 || limit < rest || limit < LAST_RUN_S)
		return limit;
	return rest > LAST_RUN_S ? rest : LAST_RUN_S;
}

/* No run goes on when the time for the script is over, whatever limit the script itself has. */
static uint64_t until_us(const struct gating *g)
{
	double least = explore_now_s() + LAST_RUN_S;

	if (g->f->until <= 0)
		return 0;
	return (uint64_t)((g->f->until > least ? g->f->until : least) * 1e6);
}

/* 1: it agreed, 0: it did not, or the time was over; -1: the experiment is over. */
static int runs_run(struct gating *g, const struct run_trial *trial)
{
	struct experiment *x = &g->e->x;
	struct run_options *given = x->options;
	double limit = g->options.time_limit;
	struct run_result r;
	int answer;

	g->options.time_limit = limit_of(g);
	g->options.until_us = until_us(g);
	x->options = &g->options;
	answer = experiment_run(x, trial, NULL, &r);
	x->options = given;
	g->options.time_limit = limit;
	if (answer < 0)
		return -1;
	g->cut = r.out_of_time;
	answer = !g->cut && runs_agrees(g, trial, &r);
	g->turned = was_turned(&r);
	g->barred = !answer && r.verdict != (g->defies ? VERDICT_OK : VERDICT_NOT_AS_EXPECTED);
	if (!answer)
		note_difference(g, &r);
	run_result_fini(&r);
	return answer;
}

int gating_runs(struct gating *g, unsigned long most, const struct run_trial *trial, double until)
{
	double begun = explore_now_s();
	int answer = 1;

	g->made = 0;
	g->e->x.planned = most;
	while (answer == 1 && g->made < most && (!g->made || !gating_is_past(until))) {
		g->e->x.done = g->made;
		answer = runs_run(g, trial);
		if (answer == 0 && g->cut && g->made) {
			answer = 1; /* of those that came to their end all agreed */
			break;
		}
		g->made++;
	}
	g->took = explore_now_s() - begun;
	return answer;
}

int gating_write(struct gating *g)
{
	str_clear(&g->f->gates);
	gating_script(g, &g->f->gates);
	return file_replace(g->path, str_text(&g->f->gates), g->e->x.err);
}

int gating_runs_of_all(struct gating *g, unsigned long most, const char *what, double until)
{
	static const struct run_trial all;

	experiment_say(&g->e->x, what);
	return gating_write(g) < 0 ? -1 : gating_runs(g, most, &all, until);
}
