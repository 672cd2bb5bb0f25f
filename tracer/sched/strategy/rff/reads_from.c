#include "tracer/sched/strategy/rff/reads_from.h"

#define SHARED UINT64_MAX

static bool reads(const struct strategy_point *p)
{
	return p->op == STRATEGY_READ || p->op == STRATEGY_ATOMIC || p->op == STRATEGY_LOCK ||
	       p->op == STRATEGY_WAIT;
}

static bool writes(const struct strategy_point *p)
{
	if (p->op == STRATEGY_ATOMIC)
		return p->writes;
	return p->op == STRATEGY_WRITE || p->op == STRATEGY_UNLOCK || p->op == STRATEGY_SIGNAL ||
	       p->op == STRATEGY_END;
}

uint64_t reads_from_event(const struct strategy_point *p)
{
	return table_mix(table_mix(p->place, p->object), p->op);
}

static uint64_t key_of(uint64_t object)
{
	return table_mix(object, 0);
}

uint64_t reads_from_last(const struct reads_from *f, uint64_t object)
{
	return table_get(&f->last, key_of(object));
}

static void reads_from_add(struct reads_from *f, struct reads_from_pair pair)
{
	uint64_t *known;

	if (f->pairs.count == READS_FROM_MOST)
		return;
	known = table_at(&f->known, table_mix(pair.writer, pair.reader));
	if (!*known)
		*array_add(&f->pairs) = pair;
	*known = 1;
}

void reads_from_step(struct reads_from *f, const struct strategy_point *moved)
{
	uint64_t object = moved->object, key = key_of(object), event = reads_from_event(moved);
	uint64_t *thread;

	if (object == STRATEGY_NO_OBJECT || object == STRATEGY_ANY_OBJECT)
		return;
	thread = table_at(&f->threads, key);
	if (*thread != SHARED)
		*thread = *thread && *thread != moved->thread + 1 ? SHARED : moved->thread + 1;
	if (reads(moved))
		reads_from_add(f,
			       (struct reads_from_pair){object, table_get(&f->last, key), event});
	if (writes(moved)) {
		reads_from_add(f, (struct reads_from_pair){object, event, READS_FROM_NOBODY});
		*table_at(&f->last, key) = event;
	}
}

void reads_from_keep_shared(struct reads_from *f)
{
	size_t kept = 0;

	array_each(struct reads_from_pair, pair, &f->pairs)
		if (table_get(&f->threads, key_of(pair->object)) == SHARED)
			f->pairs.items[kept++] = *pair;
	f->pairs.count = kept;
}

void reads_from_clear(struct reads_from *f)
{
	table_clear(&f->last);
	table_clear(&f->threads);
	table_clear(&f->known);
	f->pairs.count = 0;
}

void reads_from_fini(struct reads_from *f)
{
	table_fini(&f->last);
	table_fini(&f->threads);
	table_fini(&f->known);
	array_fini(&f->pairs);
}
