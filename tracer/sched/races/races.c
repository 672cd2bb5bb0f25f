#include "tracer/sched/races/races.h"

#include "tracer/sched/races/gone.h"
#include "tracer/sched/races/locks.h"
#include "tracer/sched/races/shadow.h"

/* By thread: how far one knows what each has done. A missing entry is 0. */
struct clock {
	uint32_t *items;
	size_t count, capacity;
};

struct race_thread {
	bool begun;
	uint32_t clock;		 /* number of its clock */
	ARRAY(uint32_t) pending; /* clocks that it acquires at its next point */
	struct lock_list held;
	uint32_t locks; /* number of the set of those */
};

struct race_place {
	uint64_t place;
	bool shared;
};

struct races {
	ARRAY(struct race_thread) threads;
	ARRAY(struct clock) clocks; /* of threads and objects; their number is index + 1 */
	size_t clock_count;	    /* that are in use */
	struct map objects;	    /* to clocks */
	struct shadow shadow;
	struct gone gone;
	/* Of all runs: */
	struct lock_sets locks;
	ARRAY(struct race_place) places;
	struct map place_numbers; /* index + 1 */
	ARRAY(uint64_t) shared;
	ARRAY(struct races_pair) pairs;
	struct map pair_numbers; /* index + 1, by both places */
	ARRAY(uint64_t) counted; /* the access that a pair was counted for last */
	uint64_t accesses;
	const struct clock *now; /* of the thread whose access is looked at */
};

/* ---- clocks --------------------------------------------------------------------------------- */

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
	while (c->count <= thread)
		*array_add(c) = 0;
	return &c->items[thread];
}

/* To know what the other one knows. */
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
	struct race_thread *t;

	while (r->threads.count <= thread)
		*array_add(&r->threads) = (struct race_thread){0};
	t = &r->threads.items[thread];
	if (!t->begun) {
		t->begun = true;
		t->clock = new_clock(r);
		*entry(clock_of(r, t->clock), thread) = 1;
	}
	return t;
}

static uint32_t object_clock(struct races *r, uint64_t object)
{
	uint32_t *number = map_at(&r->objects, object);

	return *number ? *number : (*number = new_clock(r));
}

/* What the thread does from now on has not been released by what it did before. */
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

/* ---- what happens --------------------------------------------------------------------------- */

void races_thread_begin(struct races *r, unsigned thread, unsigned creator)
{
	uint32_t clock = races_thread_of(r, thread)->clock;

	if (creator != RACES_NOBODY)
		races_release(r, creator, clock);
}

void races_join(struct races *r, unsigned thread, unsigned other)
{
	uint32_t clock = races_thread_of(r, other)->clock;

	acquire_later(races_thread_of(r, thread), clock);
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

/* ---- what is found -------------------------------------------------------------------------- */

static bool is_ordered(void *ctx, const struct shadow_seen *before)
{
	const struct races *r = ctx;

	return before->thread < r->now->count && before->clock <= r->now->items[before->thread];
}

static void found_shared(void *ctx, uint32_t place)
{
	struct races *r = ctx;
	struct race_place *p = &r->places.items[place - 1];

	if (!p->shared)
		*array_add(&r->shared) = p->place;
	p->shared = true;
}

static struct races_side side_of(const struct races *r, const struct shadow_seen *seen)
{
	const struct lock_set *set = lock_sets_get(&r->locks, seen->locks);

	return (struct races_side){
		.place = r->places.items[seen->place - 1].place,
		.thread = seen->thread,
		.writes = seen->writes,
		.atomic = seen->atomic,
		.locks = set->locks,
		.lock_count = set->count,
	};
}

static void found_race(void *ctx, uint64_t address, const struct shadow_seen *before,
		       const struct shadow_seen *now)
{
	struct races *r = ctx;
	uint32_t low = before->place < now->place ? before->place : now->place;
	uint32_t high = before->place + now->place - low;
	uint32_t *number = map_at(&r->pair_numbers, (uint64_t)low << 32 | high);

	if (!*number) {
		*array_add(&r->pairs) =
			(struct races_pair){side_of(r, before), side_of(r, now), address, 0};
		*array_add(&r->counted) = 0;
		*number = (uint32_t)r->pairs.count;
	}
	if (r->counted.items[*number - 1] != r->accesses) /* once, whatever its size */
		r->pairs.items[*number - 1].count++;
	r->counted.items[*number - 1] = r->accesses;
}

/* ---- memory --------------------------------------------------------------------------------- */

static uint32_t place_number(struct races *r, uint64_t place)
{
	uint32_t *number = map_at(&r->place_numbers, place);

	if (!*number) {
		array_add(&r->places)->place = place;
		*number = (uint32_t)r->places.count;
	}
	return *number;
}

static bool is_span(uint64_t low, uint64_t size)
{
	return size && size - 1 <= UINT64_MAX - low;
}

/* What is looked at next is done by this thread, as it is now. */
static struct shadow_seen seen_now(struct races *r, unsigned thread, uint64_t place)
{
	const struct race_thread *t = races_thread_of(r, thread);

	r->now = clock_of(r, t->clock);
	r->accesses++;
	return (struct shadow_seen){.clock = r->now->items[thread],
				    .thread = (uint16_t)thread,
				    .place = place_number(r, place),
				    .locks = t->locks};
}

/* Who comes to what was given back has to know of that. */
static void compare_gone(struct races *r, uint64_t low, uint64_t size,
			 const struct shadow_seen *now)
{
	const struct gone_span *span = gone_find(&r->gone, low, low + size - 1);

	if (span && span->by.thread != now->thread && !is_ordered(r, &span->by))
		found_race(r, span->low < low ? low : span->low, &span->by, now);
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
		compare_gone(r, a->address, size, &now);
		shadow_access(&r->shadow, a->address, size, &now);
	}
	if (atomic)
		races_release(r, thread, atomic);
}

static void forget_object(void *ctx, uint64_t object, uint32_t *clock)
{
	(void)ctx, (void)object;
	*clock = 0;
}

void races_forget(struct races *r, uint64_t low, uint64_t size)
{
	if (!is_span(low, size))
		return;
	shadow_forget(&r->shadow, low, size);
	gone_cut(&r->gone, low, low + size - 1);
	map_each(&r->objects, low, low + size - 1, forget_object, NULL);
}

void races_give_back(struct races *r, unsigned thread, uint64_t low, uint64_t size, uint64_t place)
{
	struct shadow_seen now;

	if (!is_span(low, size))
		return;
	races_point(r, thread);
	now = seen_now(r, thread, place);
	now.writes = true;
	compare_gone(r, low, size, &now);
	shadow_compare(&r->shadow, low, size, &now);
	races_forget(r, low, size);
	gone_add(&r->gone, &(struct gone_span){low, low + size - 1, now});
}

bool races_is_given_back(const struct races *r, uint64_t address)
{
	return gone_find(&r->gone, address, address);
}

bool races_have_given_back(const struct races *r)
{
	return r->gone.spans.count > 0;
}

void races_forget_given_back(struct races *r)
{
	r->gone.spans.count = 0;
}

/* ---- what was found -------------------------------------------------------------------------- */

const struct races_pair *races_pairs(const struct races *r, size_t *count)
{
	*count = r->pairs.count;
	return r->pairs.items;
}

static void drop_pair(void *ctx, uint64_t key, uint32_t *number)
{
	(void)key;
	if (*number > *(const size_t *)ctx)
		*number = 0;
}

void races_drop_pairs(struct races *r, size_t count)
{
	if (count >= r->pairs.count)
		return;
	map_each(&r->pair_numbers, 0, UINT64_MAX, drop_pair, &count);
	r->pairs.count = r->counted.count = count;
}

const uint64_t *races_shared_places(const struct races *r, size_t *count)
{
	*count = r->shared.count;
	return r->shared.items;
}

/* ---- begin and end -------------------------------------------------------------------------- */

struct races *races_new(void)
{
	struct races *r = base_alloc(1, sizeof(*r));

	r->shadow.user = (struct shadow_user){is_ordered, found_race, found_shared, r};
	return r;
}

void races_restart(struct races *r)
{
	array_each(struct race_thread, t, &r->threads) {
		array_fini(&t->pending);
		array_fini(&t->held);
	}
	r->threads.count = 0;
	r->clock_count = 0;
	map_clear(&r->objects);
	shadow_clear(&r->shadow);
	r->gone.spans.count = 0;
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
	map_fini(&r->objects);
	shadow_fini(&r->shadow);
	array_fini(&r->gone.spans);
	lock_sets_fini(&r->locks);
	array_fini(&r->places);
	map_fini(&r->place_numbers);
	array_fini(&r->shared);
	array_fini(&r->pairs);
	map_fini(&r->pair_numbers);
	array_fini(&r->counted);
	base_free(r);
}
