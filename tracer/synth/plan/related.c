/* Indexes the steps of a view by object. A group has one thread's equal operations on one object:
   an order with its latest step implies those with earlier ones. A release pairs the step that
   acquired a lock with the one that released it, or with a condition wait. */
#include "tracer/synth/plan/plan_internal.h"

/* Sort key of a step. */
enum { KEY_OBJECT, KEY_SIZE, KEY_THREAD, KEY_CLASS, KEY_STEP, KEYS };
struct related_key {
	uint64_t words[KEYS];
};

int plan_compare(const uint64_t *a, const uint64_t *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static int compare_keys(const void *x, const void *y)
{
	return plan_compare(x, y, KEYS);
}

static const struct strategy_point *point_of(const struct plan_related *r, size_t group)
{
	return &plan_step(r->v, r->groups.items[group].first)->point;
}

static bool is_special(uint64_t object)
{
	return object == STRATEGY_NO_OBJECT || object == STRATEGY_ANY_OBJECT;
}

/* End of a group's memory, as far as its size is known. */
static uint64_t end_of(const struct strategy_point *p)
{
	uint64_t size = p->size && p->size != STRATEGY_ANY_SIZE ? p->size : 1;

	return p->object + size < p->object ? UINT64_MAX : p->object + size;
}

/* Joins groups whose memory overlaps to regions. */
static void add_regions(struct plan_related *r)
{
	uint64_t object = 0, end = 0;

	for (size_t i = 0; i < r->groups.count; i++) {
		const struct strategy_point *p = point_of(r, i);
		bool joins = is_special(p->object) ? p->object == object
						   : !is_special(object) && p->object < end;

		if (!i || !joins) {
			*array_add(&r->regions) = i;
			end = 0;
		}
		r->groups.items[i].object =
			i && p->object == object ? r->groups.items[i - 1].object : i;
		object = p->object;
		if (!is_special(object) && end_of(p) > end)
			end = end_of(p);
		r->groups.items[i].region = r->regions.count - 1;
	}
	*array_add(&r->regions) = r->groups.count;
}

static bool is_sync(enum strategy_op op)
{
	return op == STRATEGY_BLOCK || op == STRATEGY_SIGNAL || op == STRATEGY_WAIT ||
	       plan_ends_wait(op);
}

/* True if the step may concern any object. */
static bool is_wild(const struct plan_view *v, size_t step)
{
	const struct strategy_point *p = &plan_step(v, step)->point;

	return p->object == STRATEGY_ANY_OBJECT || p->size == STRATEGY_ANY_SIZE ||
	       plan_forks(plan_step(v, step));
}

void plan_related_init(struct plan_related *r, const struct plan_view *v,
		       unsigned (*class_of)(const struct plan_view *v, size_t step))
{
	size_t count = v->steps.count;
	struct related_key *keys = base_alloc(count + 1, sizeof(*keys));

	*r = (struct plan_related){.v = v};
	r->group_of = base_alloc(count + 1, sizeof(*r->group_of));
	r->earlier = base_alloc(count + 1, sizeof(*r->earlier));
	for (size_t i = 0; i < count; i++) {
		const struct strategy_point *at = &plan_step(v, i)->point;

		keys[i] = (struct related_key){
			{at->object, at->size, plan_step(v, i)->thread, class_of(v, i), i}};
	}
	array_qsort(keys, count, sizeof(*keys), compare_keys);
	for (size_t i = 0; i < count; i++) {
		size_t step = keys[i].words[KEY_STEP];

		if (!i || plan_compare(keys[i - 1].words, keys[i].words, KEY_STEP) != 0)
			*array_add(&r->groups) =
				(struct plan_group){.first = step, .latest = PLAN_NONE};
		r->group_of[step] = r->groups.count - 1;
	}
	base_free(keys);
	add_regions(r);
	for (size_t i = 0; i < r->groups.count; i++) {
		if (is_wild(v, r->groups.items[i].first))
			*array_add(&r->wild) = i;
		else if (is_sync(point_of(r, i)->op))
			*array_add(&r->sync) = i;
	}
	r->lists_of = base_alloc(r->groups.count + 1, sizeof(*r->lists_of));
	r->held = base_alloc(v->s->threads.count + 1, sizeof(*r->held));
}

void plan_related_fini(struct plan_related *r)
{
	array_each(struct plan_releases, list, &r->lists)
		array_fini(&list->items);
	for (size_t t = 0; t < r->v->s->threads.count; t++)
		array_fini(&r->held[t]);
	array_fini(&r->lists);
	array_fini(&r->groups);
	array_fini(&r->regions);
	array_fini(&r->wild);
	array_fini(&r->sync);
	base_free(r->lists_of);
	base_free(r->held);
	base_free(r->group_of);
	base_free(r->earlier);
}

static void add_others(const struct plan_related *r, const struct plan_indexes *from, size_t region,
		       struct plan_indexes *out)
{
	array_each(const size_t, group, from)
		if (r->groups.items[*group].region != region)
			*array_add(out) = *group;
}

/* A step with an unknown object concerns kernel calls and conditions; a fork, or memory of unknown
   size, concerns all. */
void plan_related(const struct plan_related *r, size_t step, struct plan_indexes *out)
{
	const struct strategy_point *p = &plan_step(r->v, step)->point;
	bool all = plan_forks(plan_step(r->v, step)) || p->size == STRATEGY_ANY_SIZE;
	size_t region = r->groups.items[r->group_of[step]].region;
	size_t first = all ? 0 : r->regions.items[region];
	size_t end = all ? r->groups.count : r->regions.items[region + 1];

	for (size_t i = first; i < end; i++)
		*array_add(out) = i;
	if (!all)
		add_others(r, &r->wild, region, out);
	if (!all && p->object == STRATEGY_ANY_OBJECT)
		add_others(r, &r->sync, region, out);
}

/* ---- releases ---- */

static size_t *lists_of(const struct plan_related *r, size_t step)
{
	return &r->lists_of[r->groups.items[r->group_of[step]].object];
}

size_t plan_releases_first(const struct plan_related *r, size_t step)
{
	return plan_step(r->v, step)->point.object == STRATEGY_NO_OBJECT ? PLAN_NONE
									 : *lists_of(r, step) - 1;
}

size_t plan_release_before(const struct plan_releases *list, size_t before)
{
	size_t count = array_below(&list->items, lock, before);

	return count ? list->items.items[count - 1].by : PLAN_NONE;
}

static void note_release(struct plan_related *r, size_t lock, size_t by)
{
	unsigned thread = plan_step(r->v, by)->thread;
	size_t *first = lists_of(r, lock), i = *first - 1;

	while (i != PLAN_NONE && r->lists.items[i].thread != thread)
		i = r->lists.items[i].next;
	if (i == PLAN_NONE) {
		i = r->lists.count;
		*array_add(&r->lists) = (struct plan_releases){thread, *first - 1, {0}};
		*first = i + 1;
	}
	*array_add(&r->lists.items[i].items) = (struct plan_release){lock, by};
}

/* Tracks held locks: any operation on the lock's object but another acquisition ends holding it. */
static void note_locks(struct plan_related *r, size_t step)
{
	const struct schedule_step *s = plan_step(r->v, step);
	struct plan_indexes *held = &r->held[s->thread];
	size_t own = 0;

	while (own < held->count &&
	       plan_step(r->v, held->items[own])->point.object != s->point.object)
		own++;
	if (s->point.op == STRATEGY_WAIT)
		array_each(const size_t, lock, held)
			note_release(r, *lock, step);
	else if (s->point.op == STRATEGY_UNLOCK && own < held->count)
		note_release(r, held->items[own], step);
	if (s->point.object == STRATEGY_NO_OBJECT || plan_is_join(r->v, step))
		return;
	if (s->point.op == STRATEGY_LOCK && own == held->count)
		*array_add(held) = step;
	else if (s->point.op == STRATEGY_LOCK)
		held->items[own] = step;
	else if (own < held->count)
		array_remove(held, own);
}

void plan_related_add(struct plan_related *r, size_t step)
{
	struct plan_group *group = &r->groups.items[r->group_of[step]];

	note_locks(r, step);
	if (step >= r->v->done)
		return;
	r->earlier[step] = group->latest;
	group->latest = step;
}
