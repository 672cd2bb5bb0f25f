#include "tracer/search/loop/outcome.h"

void explore_outcome_fini(struct explore_outcome *o)
{
	base_free(o->differs);
	base_free(o->said);
	base_free(o->last_steps);
	base_free(o->last_threads);
	base_free(o->last_words);
	base_free(o->kind);
	base_free(o->where);
	base_free(o->text);
	array_fini(&o->lesson);
	schedule_fini(&o->schedule);
	sched_paths_cut(&o->paths, 0);
	array_fini(&o->paths);
	schedule_fini(&o->passed);
	sched_paths_cut(&o->passed_paths, 0);
	array_fini(&o->passed_paths);
	*o = (struct explore_outcome){0};
}

/* ---- written ------------------------------------------------------------------------------------ */

static void write_texts(struct record *r, char *const *items, size_t count)
{
	record_add(r, count);
	for (size_t i = 0; i < count; i++)
		record_add_text(r, items[i]);
}

static void write_schedule(const struct schedule *s, struct record *r)
{
	write_texts(r, s->threads.items, s->threads.count);
	write_texts(r, s->modules.items, s->modules.count);
	record_add(r, s->steps.count);
	array_each(const struct schedule_step, step, &s->steps) {
		record_add(r, (uint64_t)step->thread << 32 | step->point.thread);
		record_add(r, (uint64_t)step->point.op << 3 | (uint64_t)step->point.writes << 2 |
				      (uint64_t)step->others << 1 | step->preempts);
		record_add(r, step->point.object);
		record_add(r, step->point.place);
		record_add(r, step->point.fixed);
	}
}

/* The schedule, and its threads' paths; of an empty one zeros. */
static void write_order(const struct schedule *s, const struct sched_paths *paths, struct record *r)
{
	write_schedule(s, r);
	write_texts(r, paths->items, paths->count);
}

void explore_outcome_write(const struct explore_outcome *o, struct record *r)
{
	record_begin(r, RECORD_RUN);
	record_add(r, o->run);
	record_add(r, o->ended);
	record_add(r, (uint64_t)o->late << 3 | (uint64_t)o->asks_ids << 2 |
			      (uint64_t)o->early << 1 | o->none);
	record_add(r, o->at_us);
	record_add(r, o->digest);
	record_add(r, o->points);
	record_add(r, o->twice);
	record_add_text(r, o->differs);
	record_add_text(r, o->said);
	record_add_text(r, o->last_steps);
	record_add_text(r, o->last_threads);
	record_add_text(r, o->last_words);
	record_add(r, o->lesson.count);
	array_each(const uint64_t, word, &o->lesson)
		record_add(r, *word);
	write_order(&o->passed, &o->passed_paths, r);
	if (o->ended != EXPLORE_FAILED)
		return;
	record_add(r, o->key);
	record_add(r, (uint64_t)o->status);
	record_add_text(r, o->kind);
	if (!o->kind)
		return;
	record_add_text(r, o->where);
	record_add_text(r, o->text);
	write_order(&o->schedule, &o->paths, r);
}

/* ---- read ---------------------------------------------------------------------------------------- */

static void read_schedule(struct schedule *s, struct record *r)
{
	for (uint64_t n = record_get(r); n-- && !r->bad;) {
		char *id = record_get_text(r);

		*array_add(&s->threads) = id ? id : base_strdup("");
	}
	for (uint64_t n = record_get(r); n-- && !r->bad;) {
		char *name = record_get_text(r);

		*array_add(&s->modules) = name ? name : base_strdup("");
	}
	for (uint64_t n = record_get(r); n-- && !r->bad;) {
		struct schedule_step *step = array_add(&s->steps);
		uint64_t threads = record_get(r), what = record_get(r);

		step->thread = (unsigned)(threads >> 32);
		step->point.thread = (unsigned)threads;
		step->point.op = (enum strategy_op)(what >> 3);
		step->point.writes = what >> 2 & 1;
		step->others = what >> 1 & 1;
		step->preempts = what & 1;
		step->point.object = record_get(r);
		step->point.place = record_get(r);
		step->point.fixed = record_get(r);
		r->bad |= step->thread >= s->threads.count;
	}
}

static void read_order(struct schedule *s, struct sched_paths *paths, struct record *r)
{
	read_schedule(s, r);
	for (uint64_t n = record_get(r); n-- && !r->bad;)
		*array_add(paths) = record_get_text(r);
}

static void read_failure(struct explore_outcome *o, struct record *r)
{
	o->key = record_get(r);
	o->status = (int)record_get(r);
	o->kind = record_get_text(r);
	if (!o->kind)
		return;
	o->where = record_get_text(r);
	o->text = record_get_text(r);
	read_order(&o->schedule, &o->paths, r);
	r->bad |= !o->where || !o->text;
}

bool explore_outcome_read(struct explore_outcome *o, struct record *r)
{
	uint64_t flags;

	*o = (struct explore_outcome){.run = record_get(r)};
	o->ended = (enum explore_ended)record_get(r);
	flags = record_get(r);
	o->none = flags & 1;
	o->early = flags >> 1 & 1;
	o->asks_ids = flags >> 2 & 1;
	o->late = flags >> 3 & 1;
	o->at_us = record_get(r);
	o->digest = record_get(r);
	o->points = record_get(r);
	o->twice = record_get(r);
	o->differs = record_get_text(r);
	o->said = record_get_text(r);
	o->last_steps = record_get_text(r);
	o->last_threads = record_get_text(r);
	o->last_words = record_get_text(r);
	for (uint64_t n = record_get(r); n-- && !r->bad;)
		*array_add(&o->lesson) = record_get(r);
	read_order(&o->passed, &o->passed_paths, r);
	if (o->ended == EXPLORE_FAILED)
		read_failure(o, r);
	if (!r->bad)
		return true;
	explore_outcome_fini(o);
	return false;
}
