#include "tracer/synth/plan/alike.h"

/* A step as it is sorted. */
struct alike_key {
	uint64_t object, size;
	size_t step;
	unsigned thread, class;
};

static int alike_order_of(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_groups(const struct alike_key *a, const struct alike_key *b)
{
	int order = alike_order_of(a->object, b->object);

	order = order ? order : alike_order_of(a->size, b->size);
	order = order ? order : alike_order_of(a->thread, b->thread);
	return order ? order : alike_order_of(a->class, b->class);
}

static int alike_compare(const void *x, const void *y)
{
	const struct alike_key *a = x, *b = y;
	int order = compare_groups(a, b);

	return order ? order : alike_order_of(a->step, b->step);
}

static const struct strategy_point *point_of(const struct alike *a, const struct alike_group *group)
{
	return &plan_step(a->v, group->first)->point;
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

static void add_regions(struct alike *a)
{
	uint64_t object = 0, end = 0;

	for (size_t i = 0; i < a->groups.count; i++) {
		const struct strategy_point *p = point_of(a, &a->groups.items[i]);
		bool joins = is_special(p->object) ? p->object == object
						   : !is_special(object) && p->object < end;

		if (!i || !joins) {
			*array_add(&a->regions) = i;
			end = 0;
		}
		object = p->object;
		if (!is_special(object) && end_of(p) > end)
			end = end_of(p);
		a->groups.items[i].region = a->regions.count - 1;
	}
	*array_add(&a->regions) = a->groups.count;
}

static bool is_sync(enum strategy_op op)
{
	return op == STRATEGY_BLOCK || op == STRATEGY_SIGNAL || op == STRATEGY_WAIT ||
	       op == STRATEGY_TIMEOUT;
}

static bool is_wild(const struct plan_view *v, size_t step)
{
	const struct strategy_point *p = &plan_step(v, step)->point;

	return p->object == STRATEGY_ANY_OBJECT || p->size == STRATEGY_ANY_SIZE ||
	       plan_forks(plan_step(v, step));
}

static void link_groups(struct alike *a)
{
	a->first_sync = a->first_wild = PLAN_NONE;
	for (size_t i = a->groups.count; i-- > 0;) {
		struct alike_group *group = &a->groups.items[i];

		group->next_sync = a->first_sync;
		group->next_wild = a->first_wild;
		if (is_sync(point_of(a, group)->op))
			a->first_sync = i;
		if (is_wild(a->v, group->first))
			a->first_wild = i;
	}
}

void alike_init(struct alike *a, const struct plan_view *v, alike_class *class_of)
{
	size_t count = v->steps.count;
	struct alike_key *keys = base_alloc(count + 1, sizeof(*keys));

	*a = (struct alike){.v = v};
	a->group_of = base_alloc(count + 1, sizeof(*a->group_of));
	a->earlier = base_alloc(count + 1, sizeof(*a->earlier));
	for (size_t i = 0; i < count; i++)
		keys[i] = (struct alike_key){plan_step(v, i)->point.object,
					     plan_step(v, i)->point.size, i,
					     plan_step(v, i)->thread, class_of(v, i)};
	array_qsort(keys, count, sizeof(*keys), alike_compare);
	for (size_t i = 0; i < count; i++) {
		if (!i || compare_groups(&keys[i - 1], &keys[i]) != 0)
			*array_add(&a->groups) =
				(struct alike_group){.first = keys[i].step, .latest = PLAN_NONE};
		a->group_of[keys[i].step] = a->groups.count - 1;
	}
	base_free(keys);
	add_regions(a);
	link_groups(a);
}

void alike_fini(struct alike *a)
{
	array_fini(&a->groups);
	array_fini(&a->regions);
	base_free(a->group_of);
	base_free(a->earlier);
}

void alike_add(struct alike *a, size_t step)
{
	struct alike_group *group = &a->groups.items[a->group_of[step]];

	a->earlier[step] = group->latest;
	group->latest = step;
}

static void look_at_all(const struct alike *a, size_t first, size_t end,
			void (*look)(void *ctx, const struct alike_group *group), void *ctx)
{
	for (size_t i = first; i < end; i++)
		if (a->groups.items[i].latest != PLAN_NONE)
			look(ctx, &a->groups.items[i]);
}

/* A step about any object concerns what the kernel or a condition may be about; a fork and memory
   without an end, all. */
void alike_each(const struct alike *a, size_t step,
		void (*look)(void *ctx, const struct alike_group *group), void *ctx)
{
	const struct strategy_point *p = &plan_step(a->v, step)->point;
	size_t region = a->groups.items[a->group_of[step]].region;

	if (plan_forks(plan_step(a->v, step)) || p->size == STRATEGY_ANY_SIZE) {
		look_at_all(a, 0, a->groups.count, look, ctx);
		return;
	}
	look_at_all(a, a->regions.items[region], a->regions.items[region + 1], look, ctx);
	for (size_t i = a->first_wild; i != PLAN_NONE; i = a->groups.items[i].next_wild)
		if (a->groups.items[i].region != region)
			look_at_all(a, i, i + 1, look, ctx);
	for (size_t i = p->object == STRATEGY_ANY_OBJECT ? a->first_sync : PLAN_NONE;
	     i != PLAN_NONE; i = a->groups.items[i].next_sync)
		if (a->groups.items[i].region != region && !is_wild(a->v, a->groups.items[i].first))
			look_at_all(a, i, i + 1, look, ctx);
}
