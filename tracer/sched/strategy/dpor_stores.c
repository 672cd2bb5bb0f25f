/* Stores that an x86 processor may delay past later loads of other memory (Owens, Sarkar, Sewell: A
   better x86 memory model: x86-TSO, 2009). Schedules are sequentially consistent. */
#include "tracer/sched/strategy/dpor.h"

static bool is_memory(const struct strategy_point *p)
{
	return p->op == STRATEGY_READ || p->op == STRATEGY_WRITE;
}

void dpor_stores_raced(struct dpor_stores *s, const struct strategy_point *p)
{
	if (is_memory(p))
		*table_at(&s->raced, table_mix(p->place, 0)) = 1;
}

static bool is_same_memory(const struct strategy_point *a, const struct strategy_point *b)
{
	return a->object == b->object && a->size == b->size;
}

static void add_delay(struct dpor_stores *s, const struct strategy_point *store,
		      const struct strategy_point *load)
{
	uint64_t *known = table_at(&s->known, table_mix(store->place, load->place));

	if (*known || is_same_memory(store, load))
		return;
	*known = 1;
	*array_add(&s->delays) = (struct dpor_delay){store->place, load->place};
}

static void add_store(struct dpor_pending *pending, const struct strategy_point *p)
{
	array_each(struct strategy_point, store, pending)
		if (store->place == p->place) {
			*store = *p;
			return;
		}
	*array_add(pending) = *p;
}

/* All other steps are locked instructions, or calls that contain one. */
static void look_at_step(struct dpor *d, const struct strategy_point *p)
{
	struct dpor_pending *pending = array_at(&d->stores.pending, p->thread);

	if (!is_memory(p)) {
		pending->count = 0;
	} else if (!dpor_is_shared(d, p)) {
		return;
	} else if (p->op == STRATEGY_WRITE) {
		add_store(pending, p);
	} else {
		array_each(const struct strategy_point, store, pending)
			add_delay(&d->stores, store, p);
	}
}

void dpor_stores_look(struct dpor *d)
{
	array_each(struct dpor_pending, pending, &d->stores.pending)
		pending->count = 0;
	for (size_t i = 0; i < d->depth; i++)
		if (dpor_is_step(&d->nodes.items[i]))
			look_at_step(d, &dpor_chosen(&d->nodes.items[i])->point);
}

bool dpor_stores_matter(const struct dpor_stores *s)
{
	array_each(const struct dpor_delay, delay, &s->delays)
		if (table_get(&s->raced, table_mix(delay->store, 0)) &&
		    table_get(&s->raced, table_mix(delay->load, 0)))
			return true;
	return false;
}

void dpor_stores_fini(struct dpor_stores *s)
{
	table_fini(&s->raced);
	table_fini(&s->known);
	array_fini(&s->delays);
	array_each(struct dpor_pending, pending, &s->pending)
		array_fini(pending);
	array_fini(&s->pending);
}
