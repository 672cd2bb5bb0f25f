#include "tracer/synth/plan/releases.h"

#include "tracer/base/hash.h"

enum { FIRST_SIZE = 64 };

void releases_init(struct releases *r, const struct plan_view *v)
{
	*r = (struct releases){.v = v, .size = FIRST_SIZE};
	r->slots = base_alloc(r->size, sizeof(*r->slots));
	r->held = base_alloc(v->s->threads.count + 1, sizeof(*r->held));
}

void releases_fini(struct releases *r)
{
	array_each(struct releases_list, list, &r->lists)
		array_fini(&list->items);
	for (size_t t = 0; t < r->v->s->threads.count; t++)
		array_fini(&r->held[t].items);
	array_fini(&r->lists);
	base_free(r->slots);
	base_free(r->held);
}

/* ---- lists by object ------------------------------------------------------------------------- */

static size_t *releases_slot_of(const struct releases *r, uint64_t object)
{
	size_t at = hash_slot(hash_word(HASH_START, object)) & (r->size - 1);

	while (r->slots[at] && r->lists.items[r->slots[at] - 1].object != object)
		at = (at + 1) & (r->size - 1);
	return &r->slots[at];
}

static void releases_grow(struct releases *r)
{
	size_t *old = r->slots, size = r->size;

	r->size *= 2;
	r->slots = base_alloc(r->size, sizeof(*r->slots));
	for (size_t i = 0; i < size; i++)
		if (old[i])
			*releases_slot_of(r, r->lists.items[old[i] - 1].object) = old[i];
	base_free(old);
}

static struct releases_list *list_of(struct releases *r, uint64_t object, unsigned thread)
{
	size_t *slot = releases_slot_of(r, object), first = *slot;

	for (size_t i = first ? first - 1 : PLAN_NONE; i != PLAN_NONE; i = r->lists.items[i].next)
		if (r->lists.items[i].thread == thread)
			return &r->lists.items[i];
	*array_add(&r->lists) =
		(struct releases_list){object, thread, first ? first - 1 : PLAN_NONE, {0}};
	*slot = r->lists.count;
	r->objects += !first;
	if (2 * r->objects >= r->size)
		releases_grow(r);
	return &r->lists.items[r->lists.count - 1];
}

size_t releases_first(const struct releases *r, size_t step)
{
	uint64_t object = plan_step(r->v, step)->point.object;

	return object == STRATEGY_NO_OBJECT ? PLAN_NONE : *releases_slot_of(r, object) - 1;
}

size_t releases_next(const struct releases *r, size_t list)
{
	return r->lists.items[list].next;
}

unsigned releases_thread(const struct releases *r, size_t list)
{
	return r->lists.items[list].thread;
}

size_t releases_after(const struct releases *r, size_t list, size_t before)
{
	const struct releases_list *l = &r->lists.items[list];
	size_t count = array_below(&l->items, lock, before);

	return count ? l->items.items[count - 1].by : PLAN_NONE;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static struct held_lock *held_of(struct held_locks *held, uint64_t object)
{
	array_each(struct held_lock, lock, &held->items)
		if (lock->object == object)
			return lock;
	return NULL;
}

static void releases_release(struct releases *r, unsigned thread, const struct held_lock *lock,
			     size_t step)
{
	struct releases_list *list = list_of(r, lock->object, thread);

	*array_add(&list->items) = (struct release){lock->lock, step};
}

/* Whatever a thread does to the object of its lock but take it once more: the lock is not held
   after that. */
void releases_add(struct releases *r, size_t step)
{
	const struct schedule_step *s = plan_step(r->v, step);
	struct held_locks *held = &r->held[s->thread];
	struct held_lock *lock = held_of(held, s->point.object);

	if (s->point.op == STRATEGY_WAIT)
		array_each(const struct held_lock, each, &held->items)
			releases_release(r, s->thread, each, step);
	else if (s->point.op == STRATEGY_UNLOCK && lock)
		releases_release(r, s->thread, lock, step);
	if (s->point.object == STRATEGY_NO_OBJECT || plan_is_join(r->v, step))
		return;
	if (s->point.op == STRATEGY_LOCK && lock)
		lock->lock = step;
	else if (s->point.op == STRATEGY_LOCK)
		*array_add(&held->items) = (struct held_lock){s->point.object, step};
	else if (lock)
		array_remove(&held->items, (size_t)(lock - held->items.items));
}
