/* Minimising failing schedules of made-up programs. */
#include "explore_failing.h"

static const struct failing lost_update = {
	.program = {{"--rxwx--", "--rxwx--", "------"}},
	.fails = fails_lost_update,
};
static const struct failing abba = {
	.program = {{"--lalb--ubua", "--lbla--uaub", "------"}},
	.fails = fails_deadlock,
};
static const struct failing reorder = {
	.program = {{"--wxwy", "--wxwy", "--rxry"}},
	.fails = fails_reorder,
};

static struct minimise minimiser(const struct failing *f)
{
	return (struct minimise){.ctx = (void *)(uintptr_t)f, .run = failing_follow, .most = 1000};
}

/*
 * Checks the least number of preemptions of a failing schedule: dfs with that bound finds one, with
 * a lower bound none.
 */
static void is_least(const struct failing *f, unsigned preemptions)
{
	for (unsigned bound = preemptions ? preemptions - 1 : 0; bound <= preemptions; bound++) {
		struct strategy *s = strategy_made("dfs", 1, 0, bound);
		bool failed = false;

		for (uint64_t run = 0; !strategy_is_done(s) && !failed; run++) {
			static struct failing_run r;
			struct strategy_point points[THREADS];
			size_t count, i = 0;

			r = (struct failing_run){0};
			world_begin(&r.w, &f->program);
			strategy_begin(s, run);
			while ((count = failing_points(&r, points))) {
				i = strategy_choose(s, points, count);
				if (i == STRATEGY_STOP)
					break;
				failing_move(&r, &points[i]);
			}
			strategy_end(s, STRATEGY_PASSED);
			failed = i != STRATEGY_STOP && f->fails(&r.w, !world_is_done(&r.w));
		}
		assert_int_equal(failed, bound == preemptions);
		strategy_free(s);
	}
}

/* Minimises the schedules that random walks find. */
static void becomes(const struct failing *f, unsigned preemptions, size_t most_switches)
{
	is_least(f, preemptions);
	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct minimise m = minimiser(f);
		struct segments segments = {0};
		struct schedule s = {0}, again = {0};

		failing_search(f, "random", seed, &s);
		assert_int_equal(schedule_minimise(&m, &s), 0);
		assert_true(m.is_minimal);
		assert_true(m.tries < 200);
		assert_int_equal(schedule_preemptions(&s), preemptions);
		schedule_segments(&s, &segments);
		assert_true(segments.count <= most_switches);
		/* The minimised schedule is what a run under its segments does. */
		assert_int_equal(failing_follow(m.ctx, &segments, &again), 1);
		assert_int_equal(schedule_digest(&again), schedule_digest(&s));
		array_fini(&segments);
		schedule_fini(&again);
		schedule_fini(&s);
	}
}

static void test_minimal(void **state)
{
	(void)state;
	becomes(&lost_update, 1, 5);
	becomes(&abba, 1, 5);
	becomes(&reorder, 1, 6);
}

/* The number of tries is reproducible and bounded; a bounded result fails too. */
static void test_bounded(void **state)
{
	unsigned long all = 0;
	size_t before = SIZE_MAX;

	(void)state;
	for (unsigned long most = 0; !all || most <= all; most++) {
		struct minimise m = minimiser(&lost_update);
		struct segments segments = {0};
		struct schedule s = {0}, again = {0};

		m.most = most;
		failing_search(&lost_update, "random", 3, &s);
		assert_int_equal(schedule_minimise(&m, &s), 0);
		assert_true(m.tries <= most);
		assert_true(schedule_preemptions(&s) <= before);
		before = schedule_preemptions(&s);
		schedule_segments(&s, &segments);
		assert_int_equal(failing_follow(m.ctx, &segments, &again), 1);
		if (m.is_minimal)
			all = m.tries;
		array_fini(&segments);
		schedule_fini(&again);
		schedule_fini(&s);
	}
	assert_true(all > 5);
}

static int stops(void *ctx, const struct segments *wanted, struct schedule *came)
{
	(void)wanted;
	(void)came;
	return ++*(unsigned *)ctx == 3 ? -1 : 0;
}

static void test_stopped(void **state)
{
	unsigned calls = 0;
	struct minimise m = {.ctx = &calls, .run = stops, .most = 1000};
	struct schedule s = {0};
	uint64_t digest;

	(void)state;
	failing_search(&abba, "random", 1, &s);
	digest = schedule_digest(&s);
	assert_int_equal(schedule_minimise(&m, &s), -1);
	assert_int_equal(calls, 3);
	assert_false(m.is_minimal);
	assert_int_equal(schedule_digest(&s), digest);
	schedule_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_minimal),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
