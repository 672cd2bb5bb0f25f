/*
 * Races of random traces, compared with a simple detector that keeps all events and searches for
 * paths of happens-before edges. The first racing access of each byte is equal; one of several
 * bytes races if one byte does. After that FastTrack may miss races, but it reports no others.
 */
#include "explore_trace.h"

#include "tracer/sched/strategy/prng.h"

#include <time.h>

enum { EVENTS = 90, THREADS = 5, OBJECTS = 3, PLACES = 9, BYTES = 20, WORDS = (EVENTS + 63) / 64 };

enum what { ACCESS, SYNC, POINT, BEGIN, JOIN };

struct event {
	enum what what;
	unsigned thread, other; /* other: index of a thread or object */
	unsigned byte, size;	/* of an access */
	bool writes, atomic;
	unsigned place;
	uint64_t before[WORDS]; /* bit set of events that happen before it */
};

struct trace {
	struct event events[EVENTS];
	unsigned count;
	bool ended[THREADS], begun[THREADS];
};

/* ---- random traces -------------------------------------------------------------------------- */

static void random_access(struct event *e, struct prng *g)
{
	/* Two atomic variables, of 4 and of 8 bytes, to which plain accesses go too. */
	static const unsigned atomics[2][2] = {{2, 4}, {8, 8}};

	e->what = ACCESS;
	e->writes = prng_below(g, 2);
	e->atomic = prng_below(g, 4) == 0;
	e->place = (unsigned)prng_below(g, PLACES);
	e->size = 1u << prng_below(g, 4);
	e->byte = (unsigned)prng_below(g, BYTES - e->size + 1);
	if (e->atomic) {
		const unsigned *variable = atomics[prng_below(g, 2)];

		e->byte = variable[0];
		e->size = variable[1];
	}
}

static bool random_thread(struct trace *t, struct event *e, struct prng *g)
{
	e->other = (unsigned)prng_below(g, THREADS);
	if (e->other == e->thread)
		return false;
	if (!t->begun[e->other]) {
		e->what = BEGIN;
		t->begun[e->other] = true;
		return true;
	}
	e->what = JOIN;
	/* A joined thread exits first. */
	if (t->ended[e->other] || e->other == 0)
		return t->ended[e->other];
	return t->ended[e->other] = true;
}

static void make(struct trace *t, struct prng *g, unsigned syncs)
{
	memset(t, 0, sizeof(*t));
	t->begun[0] = true;
	while (t->count < EVENTS) {
		struct event *e = &t->events[t->count];

		e->thread = (unsigned)prng_below(g, THREADS);
		if (!t->begun[e->thread] || t->ended[e->thread])
			e->thread = 0;
		if (prng_below(g, 10) == 0) {
			t->count += random_thread(t, e, g);
			continue;
		}
		if (prng_below(g, 10) >= syncs) {
			random_access(e, g);
		} else {
			e->what = prng_below(g, 3) ? SYNC : POINT;
			e->other = (unsigned)prng_below(g, OBJECTS);
		}
		t->count++;
	}
}

/* ---- the simple detector -------------------------------------------------------------------- */

static bool is_before(unsigned i, const struct event *e)
{
	return e->before[i / 64] >> i % 64 & 1;
}

static void add_edge(struct trace *t, unsigned from, unsigned to)
{
	struct event *e = &t->events[to];

	e->before[from / 64] |= 1ull << from % 64;
	for (int i = 0; i < WORDS; i++)
		e->before[i] |= t->events[from].before[i];
}

/* True if the event belongs to the thread or creates it. */
static bool is_of(const struct event *e, unsigned thread)
{
	return e->thread == thread || (e->what == BEGIN && e->other == thread);
}

/* Adds edges from all earlier releases of the object. */
static void acquire(struct trace *t, enum what what, unsigned other, unsigned to)
{
	for (unsigned i = 0; i < to; i++) {
		const struct event *e = &t->events[i];
		bool atomic = e->what == ACCESS && e->atomic && e->byte == other;

		if (what == JOIN ? is_of(e, other)
				 : e->what == what && (what == ACCESS ? atomic : e->other == other))
			add_edge(t, i, to);
	}
}

/* Ends the thread's calls since its last point: they acquire again. */
static void acquire_again(struct trace *t, unsigned to)
{
	for (unsigned i = to; i-- > 0;) {
		const struct event *e = &t->events[i];

		if (e->thread != t->events[to].thread)
			continue;
		if (e->what == ACCESS || e->what == POINT)
			return;
		if (e->what == SYNC || e->what == JOIN)
			acquire(t, e->what, e->other, to);
	}
}

static void order(struct trace *t)
{
	for (unsigned to = 0; to < t->count; to++) {
		const struct event *e = &t->events[to];

		for (unsigned i = 0; i < to; i++)
			if (is_of(&t->events[i], e->thread))
				add_edge(t, i, to);
		if (e->what == ACCESS || e->what == POINT)
			acquire_again(t, to);
		if (e->what == SYNC || e->what == JOIN)
			acquire(t, e->what, e->other, to);
		if (e->what == ACCESS && e->atomic)
			acquire(t, ACCESS, e->byte, to);
	}
}

static bool has_byte(const struct event *e, unsigned byte)
{
	return e->what == ACCESS && byte - e->byte < e->size;
}

static bool do_race(const struct trace *t, unsigned i, unsigned k, unsigned byte)
{
	const struct event *a = &t->events[i], *b = &t->events[k];

	return has_byte(a, byte) && has_byte(b, byte) && a->thread != b->thread &&
	       (a->writes || b->writes) && !(a->atomic && b->atomic) && !is_before(i, b);
}

/* Index of the first access that races with an earlier one, or EVENTS. */
static unsigned first_race(const struct trace *t, unsigned byte)
{
	for (unsigned k = 0; k < t->count; k++)
		for (unsigned i = 0; i < k; i++)
			if (do_race(t, i, k, byte))
				return k;
	return EVENTS;
}

/* ---- the tested detector --------------------------------------------------------------------- */

static const uint64_t memory = 0x10000;

static void feed_access(struct races *r, const struct event *e, int byte)
{
	struct races_access a = {memory + e->byte, e->size, e->writes, e->atomic, e->place};

	if (byte >= 0 && has_byte(e, (unsigned)byte)) {
		a.address = memory + (unsigned)byte;
		a.size = 1;
	} else if (byte >= 0 && !e->atomic) {
		races_point(r, e->thread);
		return;
	}
	races_access(r, e->thread, &a);
}

static void feed(struct races *r, const struct event *events, const struct event *e, int byte)
{
	switch (e->what) {
	case ACCESS:
		feed_access(r, e, byte);
		break;
	case SYNC:
		races_sync(r, e->thread, e->other);
		break;
	case POINT:
		races_point(r, e->thread);
		break;
	case BEGIN:
		races_thread_begin(r, e->other, e->thread);
		break;
	case JOIN:
		/* The joined thread has exited. Two joins do not synchronize with each other. */
		races_sync(r, e->other, memory + BYTES + (uint64_t)(e - events));
		races_sync(r, e->thread, memory + BYTES + (uint64_t)(e - events));
		break;
	}
}

static unsigned long counted(const struct races *r)
{
	const struct races_pair *pairs;
	unsigned long sum = 0;
	size_t count;

	pairs = races_pairs(r, &count);
	for (size_t i = 0; i < count; i++)
		sum += pairs[i].count;
	return sum;
}

/* Marks events that race with an earlier one: for that byte, or for any if -1. */
static struct races *run(const struct trace *t, int byte, bool raced[EVENTS])
{
	struct races *r = races_new();

	for (unsigned i = 0; i < t->count; i++) {
		unsigned long before = counted(r);
		const struct event *e = &t->events[i];

		feed(r, t->events, e, byte);
		/* Atomic accesses to other bytes only contribute their order. */
		raced[i] = counted(r) > before && (byte < 0 || has_byte(e, (unsigned)byte));
	}
	return r;
}

static unsigned long check_bytes(const struct trace *t, bool any[EVENTS])
{
	unsigned long races = 0;

	memset(any, 0, EVENTS);
	for (int byte = 0; byte < BYTES; byte++) {
		bool raced[EVENTS];
		unsigned first = 0;

		races_free(run(t, byte, raced));
		while (first < t->count && !raced[first])
			first++;
		if (first == t->count)
			first = EVENTS;
		assert_int_equal(first, first_race(t, (unsigned)byte));
		races += first < EVENTS;
		for (unsigned i = 0; i < t->count; i++)
			any[i] |= raced[i];
	}
	return races;
}

static void check_pairs(const struct trace *t, const struct races *r)
{
	bool possible[PLACES][PLACES] = {{false}};
	const struct races_pair *pairs;
	size_t count;

	for (unsigned k = 0; k < t->count; k++)
		for (unsigned i = 0; i < k; i++)
			for (unsigned byte = 0; byte < BYTES; byte++)
				if (do_race(t, i, k, byte))
					possible[t->events[i].place][t->events[k].place] = true;
	pairs = races_pairs(r, &count);
	for (size_t i = 0; i < count; i++)
		assert_true(possible[pairs[i].first.place][pairs[i].second.place]);
}

static unsigned long check_trace(uint64_t seed, unsigned syncs)
{
	bool raced[EVENTS], any[EVENTS];
	unsigned long races;
	struct trace t;
	struct races *r;
	struct prng g;

	prng_seed(&g, seed, syncs);
	make(&t, &g, syncs);
	order(&t);
	races = check_bytes(&t, any);
	r = run(&t, -1, raced);
	assert_memory_equal(raced, any, t.count);
	check_pairs(&t, r);
	races_free(r);
	return races;
}

static void test_random(void **state)
{
	enum { TRACES = 300 };

	(void)state;
	for (unsigned syncs = 0; syncs <= 9; syncs += 3) {
		unsigned long races = 0;

		for (uint64_t seed = 0; seed < TRACES; seed++)
			races += check_trace(seed, syncs);
		/* Most bytes have races if there is little order, few if there is much. */
		assert_true(races > TRACES);
		assert_true(races < TRACES * BYTES);
	}
}

/* ---- forgetting ----------------------------------------------------------------------------- */

/* Random accesses and frees: results equal those with a new block in place of each freed one. */
static void test_forget(void **state)
{
	struct prng g;

	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct races *one = races_new(), *other = races_new();
		uint64_t life[BYTES] = {0};

		prng_seed(&g, seed, 77);
		for (unsigned i = 0; i < 60; i++) {
			unsigned low = (unsigned)prng_below(&g, BYTES);
			unsigned size = 1 + (unsigned)prng_below(&g, BYTES - low);
			unsigned thread = (unsigned)prng_below(&g, 3);
			bool writes = prng_below(&g, 2);

			if (prng_below(&g, 3) == 0) {
				races_forget(one, memory + low, size);
				for (unsigned b = low; b < low + size; b++)
					life[b]++;
				continue;
			}
			races_access(one, thread,
				     &(struct races_access){memory + low, size, writes, false, i});
			for (unsigned b = low; b < low + size; b++)
				races_access(other, thread,
					     &(struct races_access){memory + b + 4096 * life[b], 1,
								    writes, false, i});
		}
		for (unsigned i = 0; i < 60 * 60; i++) {
			const struct races_pair *a, *b;
			size_t count_a, count_b, k = 0;

			a = races_pairs(one, &count_a);
			b = races_pairs(other, &count_b);
			assert_int_equal(count_a, count_b);
			if (i >= count_a)
				break;
			while (k < count_b && (a[i].first.place != b[k].first.place ||
					       a[i].second.place != b[k].second.place))
				k++;
			assert_true(k < count_b);
		}
		races_free(one);
		races_free(other);
	}
}

/* ---- cost ----------------------------------------------------------------------------------- */

/* Three threads access a million addresses, some of them repeatedly. */
static void test_cost(void **state)
{
	enum { ACCESSES = 2000000 };
	struct races *r = races_new();
	struct prng g;
	clock_t start;
	double ns;

	(void)state;
	prng_seed(&g, 1, 1);
	start = clock();
	for (unsigned i = 0; i < ACCESSES; i++) {
		uint64_t random = prng_next(&g);
		uint64_t address = random % 4 ? random % 4096 : random % (8 << 20);

		races_access(r, random >> 40 & 3,
			     &(struct races_access){memory + (address & ~7ull), 8, random >> 50 & 1,
						    false, random >> 51 & 255});
		if (i % 16 == 0)
			races_sync(r, random >> 40 & 3, random >> 60);
	}
	ns = (double)(clock() - start) / CLOCKS_PER_SEC * 1e9 / ACCESSES;
	races_free(r);
	print_message("%.0f ns an access\n", ns);
	assert_true(ns < 5000); /* 200 are the aim; this bound detects superlinear growth */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_forget),
		cmocka_unit_test(test_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
