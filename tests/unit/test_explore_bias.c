/* Choices before the strategy: the end of the process, spinners, the fair end of a run. */
#include "explore_program.h"

static const char *const biased[] = {"random", "pct", "pos", "surw", "rff", "auto"};

#define each_biased(name) for (const char *const *name = biased; name < biased + 6; name++)

enum { RUNS = 2000 };

/* Main can end the process at any time, the other thread has three steps. Returns true if it has
   made them first. */
static bool ends_last(struct strategy *s, uint64_t run)
{
	struct strategy_point end = {.op = STRATEGY_END,
				     .object = STRATEGY_ANY_OBJECT,
				     .writes = true,
				     .ends_process = true};
	unsigned made = 0;
	bool ended = false;

	strategy_begin(s, run);
	while (!ended && made < 3) {
		struct strategy_point points[] = {end, {.thread = 1, .op = STRATEGY_LOCK}};

		points[1].place = points[1].object = 10 + made;
		ended = strategy_choose(s, points, 2) == 0;
		made += !ended;
	}
	strategy_end(s, STRATEGY_PASSED);
	return made == 3;
}

static void test_end_comes_last(void **state)
{
	(void)state;
	each_biased(name)
	{
		struct strategy *s = strategy_made(*name, 1, 3, 0);
		unsigned last = 0;

		for (uint64_t run = 0; run < RUNS; run++)
			last += ends_last(s, run);
		/* 7 of 8, and some of the others by chance */
		assert_true(last > RUNS * 13 / 16);
		assert_true(last < RUNS);
		strategy_free(s);
	}
}

/* A thread that only yields does not keep the process: the run ends. */
static void test_yields_keep_no_process(void **state)
{
	const struct strategy_point points[] = {
		{.op = STRATEGY_END, .object = STRATEGY_ANY_OBJECT, .ends_process = true},
		{.thread = 1, .op = STRATEGY_YIELD, .place = 1}};

	(void)state;
	each_biased(name)
	{
		struct strategy *s = strategy_made(*name, 1, 3, 0);

		for (uint64_t run = 0; run < RUNS; run++) {
			unsigned steps = 0;

			strategy_begin(s, run);
			while (strategy_choose(s, points, 2) == 1)
				assert_true(++steps < MOVES);
			strategy_end(s, STRATEGY_PASSED);
		}
		strategy_free(s);
	}
}

/* 20 rounds of a spin, then one step. The other thread has one step: is it made after them? */
static bool spins_through(struct strategy *s, uint64_t run)
{
	enum { ROUNDS = 20 };
	unsigned moved = 0;
	bool other = false;

	strategy_begin(s, run);
	while (moved < 2 * ROUNDS && !other) {
		const struct strategy_point points[] = {
			{.op = moved % 2 ? STRATEGY_YIELD : STRATEGY_READ,
			 .place = moved % 2,
			 .object = moved % 2 ? STRATEGY_NO_OBJECT : 1},
			{.thread = 1,
			 .op = STRATEGY_WRITE,
			 .place = 2,
			 .object = 1,
			 .writes = true},
		};

		other = strategy_choose(s, points, 2) == 1;
		moved += !other;
	}
	strategy_end(s, STRATEGY_PASSED);
	return !other;
}

static void test_spinners_go_on(void **state)
{
	(void)state;
	each_biased(name)
	{
		struct strategy *s = strategy_made(*name, 1, 3, 0);
		unsigned through = 0;

		for (uint64_t run = 0; run < RUNS; run++)
			through += spins_through(s, run);
		/* Half of the runs let spinners go on, and half of these begin with the spinner;
		   rff seeks pairs of a write and a read, and begins with it less often. */
		assert_true(through > RUNS / 100);
		assert_true(through < RUNS / 2);
		strategy_free(s);
	}
}

/* From some step on each thread moves in turn. */
static void test_fair_end(void **state)
{
	enum { FAIR_FROM = 50, END = 80 };
	const struct strategy_options options = {.seed = 1, .depth = 3, .fair_from = FAIR_FROM};
	struct strategy_point points[3] = {{.thread = 0, .op = STRATEGY_READ, .object = 1},
					   {.thread = 1, .op = STRATEGY_WRITE, .object = 1},
					   {.thread = 2, .op = STRATEGY_YIELD}};

	(void)state;
	each_biased(name)
	{
		struct strategy *s = strategy_new(*name, &options);

		for (uint64_t run = 0; run < 50; run++) {
			size_t before[2] = {9, 9};

			strategy_begin(s, run);
			for (unsigned step = 0; step < END; step++) {
				size_t i = strategy_choose(s, points, 3);

				if (step > FAIR_FROM + 2)
					assert_true(i != before[0] && i != before[1]);
				before[1] = before[0];
				before[0] = i;
			}
			strategy_end(s, STRATEGY_CUT);
		}
		strategy_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_end_comes_last),
		cmocka_unit_test(test_yields_keep_no_process),
		cmocka_unit_test(test_spinners_go_on),
		cmocka_unit_test(test_fair_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
