/* Counts outcomes; checks for state that the program keeps between runs. */
#include "tracer/search/search_internal.h"

#include "tracer/base/hash.h"
#include "tracer/sched/schedule/schedule.h"

#include <sys/resource.h>
#include <time.h>

enum { SAMPLES = 512 };

double explore_now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double explore_computed_s(void)
{
	struct rusage all;

	getrusage(RUSAGE_CHILDREN, &all);
	return (double)(all.ru_utime.tv_sec + all.ru_stime.tv_sec) +
	       (double)(all.ru_utime.tv_usec + all.ru_stime.tv_usec) / 1e6;
}

/* Drops every second sample when there are too many. */
static void thin(struct explore_statistics *a)
{
	struct explore *e = a->e;
	size_t kept = 0;

	for (size_t i = 1; i < e->samples.count; i += 2)
		e->samples.items[kept++] = e->samples.items[i];
	e->samples.count = kept;
	a->every *= 2;
}

static void sample(struct explore_statistics *a, double at)
{
	struct explore *e = a->e;

	a->every = a->every ? a->every : 1;
	if (e->runs % a->every)
		return;
	*array_add(&e->samples) = (struct explore_sample){at, e->runs, e->distinct};
	if (e->samples.count == SAMPLES)
		thin(a);
}

struct explore_failure *explore_known(struct explore *e, uint64_t key)
{
	array_each(struct explore_failure, f, &e->failures)
		if (f->key == key)
			return f;
	return NULL;
}

static void count_failure(struct explore *e, struct explore_outcome *o)
{
	struct explore_failure *f = explore_known(e, o->key);

	if (f) {
		f->times++;
		return;
	}
	f = array_add(&e->failures);
	*f = (struct explore_failure){.key = o->key,
				      .kind = o->kind,
				      .where = o->where,
				      .text = o->text,
				      .status = o->status,
				      .run = e->runs,
				      .strategy = e->options.strategy,
				      .times = 1,
				      .schedule = o->schedule,
				      .paths = o->paths};
	f->steps = (unsigned)f->schedule.steps.count;
	f->preemptions = (unsigned)schedule_preemptions(&f->schedule);
	o->kind = o->where = o->text = NULL;
	o->schedule = (struct schedule){0};
	o->paths = (struct schedule_names){0};
}

/* The search's digest depends on the schedules and their order. */
static void add_digest(struct explore *e, uint64_t digest)
{
	e->digest = hash_word(e->digest ? e->digest : HASH_START, digest);
}

void explore_count(struct explore_statistics *a, struct explore_outcome *o)
{
	struct explore *e = a->e;

	if (o->none) /* pruned: counted by the strategy alone */
		return;
	if (o->said && e->said)
		e->said(e->said_ctx, o->said);
	e->runs++;
	e->points += o->points;
	e->distinct += (*table_at(&a->seen, o->digest))++ == 0;
	add_digest(e, o->digest);
	e->barred += o->ended == EXPLORE_GATED;
	e->cut += o->ended == EXPLORE_TRUNCATED && !o->late;
	if (o->last_steps && o->last_threads && e->cuts.count < EXPLORE_CUTS) {
		*array_add(&e->cuts) =
			(struct explore_cut){o->last_steps, o->last_threads, o->last_words, NULL};
		o->last_steps = o->last_threads = o->last_words = NULL;
	}
	e->late += o->ended == EXPLORE_TRUNCATED && o->late;
	e->asks_ids |= o->asks_ids;
	e->alone += o->threads < 2;
	e->threads = o->threads > e->threads ? o->threads : e->threads;
	e->twice += o->twice;
	e->differed += o->differs != NULL;
	if (o->differs && !e->differs)
		e->differs = base_strdup(o->differs);
	if (o->left && !e->left)
		e->left = base_strdup(o->left);
	if (o->ended == EXPLORE_FAILED)
		count_failure(e, o);
	explore_state_first(e, o);
	sample(a, (double)o->at_us / 1e6);
}

/* ---- state that the program keeps between runs ----------------------------------------------- */

void explore_state_move(struct explore_outcome *to, struct explore_outcome *from)
{
	schedule_fini(&to->passed);
	schedule_names_fini(&to->passed_paths);
	to->passed = from->passed;
	to->passed_paths = from->passed_paths;
	from->passed = (struct schedule){0};
	from->passed_paths = (struct schedule_names){0};
}

void explore_state_first(struct explore *e, struct explore_outcome *o)
{
	struct explore_passed *p = &e->passed;

	if (!o->passed.steps.count || p->is_known)
		return;
	p->is_known = true;
	p->run = o->ended == EXPLORE_PASSED ? e->runs : 0;
	p->schedule = o->passed;
	p->paths = o->passed_paths;
	o->passed = (struct schedule){0};
	o->passed_paths = (struct schedule_names){0};
}

static void state_judge(struct explore *e, const struct sched *c, const struct run_result *r)
{
	const struct strategy_difference *d = strategy_guide_differs(c->strategy);
	struct str text = {0};
	const char *kind;
	uint64_t key;

	if (explore_judge(c, r, &kind, &key) == EXPLORE_FAILED) {
		str_addf(&text, e->passed.run ? "schedule %lu" : "an earlier run", e->passed.run);
		str_add(&text, " passed the first time and fails now: the program keeps state "
			       "between runs (files, sockets, shared memory)");
		e->keeps_state = str_take(&text);
	}
	e->twice += d != NULL; /* the summary of merged parts counts alike */
	e->differed += d != NULL;
	if (d && !e->differs)
		e->differs = explore_difference(d, &e->passed.schedule,
						e->passed.run ? e->passed.run - 1 : 0);
}

static void state_prepare(struct explore *e, struct sched *c)
{
	c->steps = e->options.steps;
	c->spurious = e->options.spurious;
	c->flags = e->forked ? 0 : SCHED_EARLY;
	c->strategy = schedule_guide(&e->passed.schedule);
	schedule_names_copy(&c->paths, &e->passed.paths);
}

int explore_state_check(struct explore *e)
{
	struct explore_passed *p = &e->passed;
	struct explore_runs runs = {0};
	struct run_result r = {0};
	int answer;

	if (p->is_checked || !p->schedule.steps.count)
		return 0;
	p->is_checked = true;
	state_prepare(e, &runs.sched);
	answer = explore_runs_alone(e, &runs, e->x.options, e->quick, p->points, &r);
	if (answer == 0 && !r.interrupted && !(runs.sched.seen & SCHED_PREEMPTED))
		state_judge(e, &runs.sched, &r);
	if (answer == 0 && r.interrupted)
		answer = experiment_over(&e->x, &r);
	run_result_fini(&r);
	strategy_free(runs.sched.strategy);
	explore_runs_end(&runs);
	return answer;
}

void explore_state_fini(struct explore *e)
{
	struct explore_passed *p = &e->passed;

	schedule_fini(&p->schedule);
	schedule_names_fini(&p->paths);
	if (p->points)
		explore_points_fini(p->points);
	base_free(p->points);
	base_free(e->keeps_state);
}
