/* Happens-before with vector clocks: synchronising calls, accesses, and pairs that race. */
#include "tracer/sched/races/races_internal.h"

/* ---- vector clocks ----------------------------------------------------------------------- */

static uint32_t new_clock(struct races *r)
{
	if (r->clock_count == r->clocks.count)
		*array_add(&r->clocks) = (struct clock){0};
	r->clocks.items[r->clock_count].count = 0;
	return (uint32_t)++r->clock_count;
}

static struct clock *clock_of(struct races *r, uint32_t number)
{
	return &r->clocks.items[number - 1];
}

static uint32_t *entry(struct clock *c, unsigned thread)
{
	return array_at(c, thread);
}

static void races_learn_clock(struct races *r, uint32_t number, uint32_t other)
{
	struct clock *c = clock_of(r, number);
	const struct clock *o = clock_of(r, other);

	if (c == o)
		return;
	if (o->count)
		entry(c, (unsigned)o->count - 1);
	for (size_t i = 0; i < o->count; i++)
		if (c->items[i] < o->items[i])
			c->items[i] = o->items[i];
}

static struct race_thread *races_thread_of(struct races *r, unsigned thread)
{
	struct race_thread *t = array_at(&r->threads, thread);

	if (!t->begun) {
		t->begun = true;
		t->clock = new_clock(r);
		*entry(clock_of(r, t->clock), thread) = 1;
	}
	return t;
}

static uint32_t object_clock(struct races *r, uint64_t object)
{
	uint64_t *number = table_at(&r->objects, object);

	return (uint32_t)(*number ? *number : (*number = new_clock(r)));
}

/* Starts a new epoch: later steps of the thread are not part of its release. */
static void tick(struct races *r, unsigned thread)
{
	++*entry(clock_of(r, races_thread_of(r, thread)->clock), thread);
}

static void races_release(struct races *r, unsigned thread, uint32_t clock)
{
	races_learn_clock(r, clock, races_thread_of(r, thread)->clock);
	tick(r, thread);
}

static void acquire_later(struct race_thread *t, uint32_t clock)
{
	array_each(const uint32_t, known, &t->pending)
		if (*known == clock)
			return;
	*array_add(&t->pending) = clock;
}

/* ---- events ------------------------------------------------------------------------------ */

void races_thread_begin(struct races *r, unsigned thread, unsigned creator)
{
	uint32_t clock = races_thread_of(r, thread)->clock;

	if (creator != RACES_NOBODY)
		races_release(r, creator, clock);
}

void races_sync(struct races *r, unsigned thread, uint64_t object)
{
	struct race_thread *t = races_thread_of(r, thread);
	uint32_t clock = object_clock(r, object);

	races_learn_clock(r, t->clock, clock);
	races_release(r, thread, clock);
	acquire_later(t, clock);
}

void races_point(struct races *r, unsigned thread)
{
	struct race_thread *t = races_thread_of(r, thread);

	array_each(const uint32_t, clock, &t->pending)
		races_learn_clock(r, t->clock, *clock);
	t->pending.count = 0;
}

void races_lock(struct races *r, unsigned thread, uint64_t object)
{
	struct race_thread *t = races_thread_of(r, thread);

	*array_add(&t->held) = object;
	t->locks = lock_sets_find(&r->locks, &t->held);
}

void races_unlock(struct races *r, unsigned thread, uint64_t object)
{
	struct race_thread *t = races_thread_of(r, thread);

	for (size_t i = t->held.count; i-- > 0;) {
		if (t->held.items[i] == object) {
			array_remove(&t->held, i);
			break;
		}
	}
	t->locks = lock_sets_find(&r->locks, &t->held);
}

void races_thread_end(struct races *r, unsigned thread)
{
	struct race_thread *t = races_thread_of(r, thread);

	while (t->held.count) {
		uint64_t object = t->held.items[t->held.count - 1];

		races_unlock(r, thread, object);
		races_sync(r, thread, object);
	}
}

/* ---- pairs ------------------------------------------------------------------------------- */

bool races_is_ordered(const struct races *r, const struct shadow_seen *before)
{
	return before->thread < r->now->count && before->clock <= r->now->items[before->thread];
}

static struct races_side side_of(const struct races *r, const struct shadow_seen *seen)
{
	const struct lock_set *set = lock_sets_get(&r->locks, seen->locks);

	return (struct races_side){
		.place = seen->place,
		.thread = seen->thread,
		.writes = seen->writes,
		.atomic = seen->atomic,
		.locks = set->locks,
		.lock_count = set->count,
	};
}

void races_found(struct races *r, uint64_t address, const struct shadow_seen *before,
		 const struct shadow_seen *now)
{
	uint32_t low = before->place < now->place ? before->place : now->place;
	uint32_t high = before->place + now->place - low;
	uint64_t *number = table_at(&r->pair_numbers, (uint64_t)low << 32 | high);

	if (!*number) {
		*array_add(&r->pairs) =
			(struct races_pair){side_of(r, before), side_of(r, now), address, 0};
		*array_add(&r->counted) = 0;
		*number = r->pairs.count;
	}
	/* once for each access, whatever its size */
	if (r->counted.items[*number - 1] != r->accesses)
		r->pairs.items[*number - 1].count++;
	r->counted.items[*number - 1] = r->accesses;
}

/* ---- memory --------------------------------------------------------------------------------- */

static bool is_span(uint64_t low, uint64_t size)
{
	return size && size - 1 <= UINT64_MAX - low;
}

/* Makes the thread's state current, and returns it as an access. */
static struct shadow_seen seen_now(struct races *r, unsigned thread, uint32_t place)
{
	const struct race_thread *t = races_thread_of(r, thread);

	r->now = clock_of(r, t->clock);
	r->accesses++;
	return (struct shadow_seen){.clock = r->now->items[thread],
				    .thread = (uint16_t)thread,
				    .place = place,
				    .locks = t->locks};
}

/* Reports a race with the call that freed the memory. */
static void compare_freed(struct races *r, uint64_t low, uint64_t size,
			  const struct shadow_seen *now)
{
	const struct freed_span *span = freed_spans_find(&r->freed, low, low + size - 1);

	if (span && span->by.thread != now->thread && !races_is_ordered(r, &span->by))
		races_found(r, span->low < low ? low : span->low, &span->by, now);
}

void races_access(struct races *r, unsigned thread, const struct races_access *a)
{
	uint32_t atomic = a->atomic ? object_clock(r, a->address) : 0;
	uint64_t size = a->size < RACES_LONGEST ? a->size : RACES_LONGEST;
	struct shadow_seen now;

	races_point(r, thread);
	if (atomic)
		races_learn_clock(r, races_thread_of(r, thread)->clock, atomic);
	now = seen_now(r, thread, a->place);
	now.writes = a->writes;
	now.atomic = a->atomic;
	if (is_span(a->address, size)) {
		compare_freed(r, a->address, size, &now);
		shadow_access(r, a->address, size, &now);
	}
	if (atomic)
		races_release(r, thread, atomic);
}

void races_forget(struct races *r, uint64_t low, uint64_t size)
{
	struct table_walk objects = {.table = &r->objects, .first = low, .last = low + size - 1};

	if (!is_span(low, size))
		return;
	shadow_forget(&r->shadow, low, size);
	freed_spans_cut(&r->freed, low, low + size - 1);
	while (table_next(&objects))
		*objects.value = 0;
}

void races_give_back(struct races *r, unsigned thread, uint64_t low, uint64_t size, uint32_t place)
{
	struct shadow_seen now;

	if (!is_span(low, size))
		return;
	races_point(r, thread);
	now = seen_now(r, thread, place);
	now.writes = true;
	compare_freed(r, low, size, &now);
	shadow_compare(r, low, size, &now);
	races_forget(r, low, size);
	freed_spans_add(&r->freed, &(struct freed_span){low, low + size - 1, now});
}

bool races_is_given_back(const struct races *r, uint64_t address)
{
	return freed_spans_find(&r->freed, address, address);
}

bool races_have_given_back(const struct races *r)
{
	return r->freed.count > 0;
}

void races_forget_given_back(struct races *r)
{
	r->freed.count = 0;
}

/* ---- results ----------------------------------------------------------------------------- */

const struct races_pair *races_pairs(const struct races *r, size_t *count)
{
	*count = r->pairs.count;
	return r->pairs.items;
}

void races_drop_pairs(struct races *r, size_t count)
{
	struct table_walk w = {.table = &r->pair_numbers, .last = UINT64_MAX};

	if (count >= r->pairs.count)
		return;
	while (table_next(&w))
		if (*w.value > count)
			*w.value = 0;
	r->pairs.count = r->counted.count = count;
}

/* ---- start and end ----------------------------------------------------------------------- */

struct races *races_new(void)
{
	return base_alloc(1, sizeof(struct races));
}

void races_restart(struct races *r)
{
	array_each(struct race_thread, t, &r->threads) {
		array_fini(&t->pending);
		array_fini(&t->held);
	}
	r->threads.count = 0;
	r->clock_count = 0;
	table_clear(&r->objects);
	shadow_clear(&r->shadow);
	r->freed.count = 0;
}

void races_free(struct races *r)
{
	if (!r)
		return;
	races_restart(r);
	array_fini(&r->threads);
	array_each(struct clock, c, &r->clocks)
		array_fini(c);
	array_fini(&r->clocks);
	table_fini(&r->objects);
	shadow_fini(&r->shadow);
	array_fini(&r->freed);
	lock_sets_fini(&r->locks);
	array_fini(&r->pairs);
	table_fini(&r->pair_numbers);
	array_fini(&r->counted);
	base_free(r);
}
