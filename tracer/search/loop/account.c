#include "tracer/search/loop/account.h"

#include "tracer/base/hash.h"
#include "tracer/search/loop/state.h"
#include "tracer/sched/schedule/minimise.h"

#include <time.h>

enum { SAMPLES = 512 };

double explore_now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Of so many samples every second one is dropped. */
static void thin(struct explore_account *a)
{
	struct explore *e = a->e;
	size_t kept = 0;

	for (size_t i = 1; i < e->samples.count; i += 2)
		e->samples.items[kept++] = e->samples.items[i];
	e->samples.count = kept;
	a->every *= 2;
}

static void sample(struct explore_account *a, double at)
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

static void failed(struct explore *e, struct explore_outcome *o)
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
	o->paths = (struct sched_paths){0};
}

/* Which schedules, in which order. */
static void add_digest(struct explore *e, uint64_t digest)
{
	e->digest = hash_word(e->digest ? e->digest : HASH_START, digest);
}

void explore_account(struct explore_account *a, struct explore_outcome *o)
{
	struct explore *e = a->e;

	if (o->none) /* the strategy has seen it */
		return;
	if (o->said && e->said)
		e->said(e->said_ctx, o->said);
	e->runs++;
	e->points += o->points;
	e->distinct += seen_add(&a->seen, o->digest);
	add_digest(e, o->digest);
	e->barred += o->ended == EXPLORE_BARRED;
	e->cut += o->ended == EXPLORE_CUT && !o->late;
	if (o->last_steps && o->last_threads && e->cuts.count < EXPLORE_CUTS) {
		*array_add(&e->cuts) =
			(struct explore_cut){o->last_steps, o->last_threads, o->last_words, NULL};
		o->last_steps = o->last_threads = o->last_words = NULL;
	}
	e->late += o->ended == EXPLORE_CUT && o->late;
	e->asks_ids |= o->asks_ids;
	e->twice += o->twice;
	e->differed += o->differs != NULL;
	if (o->differs && !e->differs)
		e->differs = base_strdup(o->differs);
	if (o->ended == EXPLORE_FAILED)
		failed(e, o);
	explore_state_first(e, o);
	sample(a, (double)o->at_us / 1e6);
}
