/* Own places: code whose memory accesses have no conflict with other threads in run 0. Locks and
   other synchronisation do not order accesses here, because their order can change in the next
   run. */
#include "tracer/sched/strategy/strategy_internal.h"

enum { OWN = 1, NOT_OWN };

bool sharing_is_access(const struct strategy_point *p)
{
	return (p->op == STRATEGY_READ || p->op == STRATEGY_WRITE || p->op == STRATEGY_ATOMIC) &&
	       p->object != STRATEGY_NO_OBJECT && p->object != STRATEGY_ANY_OBJECT;
}

/* Returns the key of a 32-byte piece of memory, since accesses can overlap at different
   addresses. */
static uint64_t piece_of(uint64_t object)
{
	enum { PIECE = 32 };

	return table_mix(object / PIECE, 0);
}

static void forget_run(struct sharing *s)
{
	array_each(struct sharing_thread, t, &s->threads)
		array_fini(&t->clock);
	array_fini(&s->threads);
	array_fini(&s->touches);
	array_fini(&s->been);
	table_fini(&s->pairs);
	table_fini(&s->pieces);
}

void sharing_fini(struct sharing *s)
{
	forget_run(s);
	table_fini(&s->places);
	table_fini(&s->conflicts);
}

void sharing_begin(struct sharing *s)
{
	sharing_fini(s);
	*s = (struct sharing){.last = NOBODY};
}

/* ---- threads ----------------------------------------------------------------------------- */

static struct sharing_thread *sharing_thread_of(struct sharing *s, unsigned thread)
{
	return array_at(&s->threads, thread);
}

static uint64_t *clock_of(struct sharing_thread *t, unsigned of)
{
	return array_at(&t->clock, of);
}

/* Steps of `before` up to now, and those that happen before them, happen before the next step of
   `t`. */
static void sharing_follow(struct sharing *s, struct sharing_thread *t, unsigned before)
{
	const struct sharing_thread *b = &s->threads.items[before];

	for (size_t i = 0; i < b->clock.count; i++) {
		uint64_t *known = clock_of(t, (unsigned)i);

		if (*known < b->clock.items[i])
			*known = b->clock.items[i];
	}
	*clock_of(t, before) = s->step;
}

/* A thread seen for the first time was created by the thread that made the last step. */
static void sharing_meet(struct sharing *s, unsigned thread)
{
	struct sharing_thread *t = sharing_thread_of(s, thread);

	if (t->is_here)
		return;
	t->is_here = true;
	if (s->last != NOBODY)
		sharing_follow(s, t, s->last);
}

static void sharing_join(struct sharing *s, const struct strategy_point *p)
{
	for (unsigned i = 0; i < s->threads.count; i++)
		if (i != p->thread && s->threads.items[i].joined_by &&
		    s->threads.items[i].joined_by == p->object) {
			sharing_follow(s, &s->threads.items[p->thread], i);
			s->threads.items[i].joined_by = 0; /* a later thread may reuse the object */
		}
}

/* ---- accesses ---------------------------------------------------------------------------- */

static struct sharing_touch *touch_of(struct sharing *s, const struct strategy_point *p)
{
	uint64_t *first = table_at(&s->pieces, piece_of(p->object));
	struct sharing_touch *touch;

	for (size_t i = *first; i; i = s->touches.items[i - 1].next)
		if (s->touches.items[i - 1].thread == p->thread)
			return &s->touches.items[i - 1];
	touch = array_add(&s->touches);
	*touch = (struct sharing_touch){.thread = p->thread, .next = (size_t)*first};
	*first = s->touches.count;
	return touch;
}

static bool conflicts(struct sharing *s, const struct strategy_point *p, bool writes)
{
	struct sharing_thread *t = &s->threads.items[p->thread];
	size_t i = (size_t)table_get(&s->pieces, piece_of(p->object));

	for (; i; i = s->touches.items[i - 1].next) {
		const struct sharing_touch *other = &s->touches.items[i - 1];
		uint64_t known = *clock_of(t, other->thread);

		if (other->thread != p->thread &&
		    (other->written > known || (writes && other->read > known)))
			return true;
	}
	return false;
}

static void touch(struct sharing *s, const struct strategy_point *p)
{
	bool writes = p->writes || p->op != STRATEGY_READ;
	struct sharing_touch *mine = touch_of(s, p);

	*(writes ? &mine->written : &mine->read) = s->step;
	if (conflicts(s, p, writes))
		*table_at(&s->conflicts, piece_of(p->object)) = 1;
}

static void be_at(struct sharing *s, const struct strategy_point *p)
{
	uint64_t *been = table_at(&s->pairs, table_mix(p->place, p->object));

	if (!*been) {
		*array_add(&s->been) = (struct sharing_been){p->place, p->object, 0};
		*been = s->been.count;
	}
	s->been.items[*been - 1].times++;
}

void sharing_saw(struct sharing *s, const struct strategy_point *points, size_t count,
		 size_t chosen)
{
	const struct strategy_point *p = &points[chosen];

	for (size_t i = 0; i < count; i++)
		sharing_meet(s, points[i].thread);
	s->step++;
	s->last = p->thread;
	if (p->op == STRATEGY_END)
		s->threads.items[p->thread].joined_by = p->object;
	else if (p->op == STRATEGY_LOCK)
		sharing_join(s, p);
	if (sharing_is_access(p))
		be_at(s, p);
	/* A lock's memory counts too: code that writes it must not run in parallel with a thread
	   that takes the lock. */
	if (p->op != STRATEGY_END && p->object != STRATEGY_NO_OBJECT &&
	    p->object != STRATEGY_ANY_OBJECT)
		touch(s, p);
}

/* ---- results of run 0 -------------------------------------------------------------------- */

void sharing_settle(struct sharing *s)
{
	array_each(const struct sharing_been, been, &s->been) {
		uint64_t *is = table_at(&s->places, table_mix(been->place, 0));

		if (*is != NOT_OWN)
			*is = sharing_is_shared(s, been->object) ? NOT_OWN : OWN;
	}
	array_each(const struct sharing_been, been, &s->been)
		if (sharing_is_own_place(s, been->place))
			s->own_steps += been->times;
	forget_run(s);
}

bool sharing_is_own_place(const struct sharing *s, uint64_t place)
{
	return table_get(&s->places, table_mix(place, 0)) == OWN;
}

bool sharing_is_shared(const struct sharing *s, uint64_t object)
{
	return table_get(&s->conflicts, piece_of(object));
}
