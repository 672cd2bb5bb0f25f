/*
 * Randomized strategies: probabilities that the papers guarantee, over made-up programs. Seeds are
 * fixed, so each test passes always or never; each bound says how likely another seed would fail.
 */
#include "explore_program.h"

#include "tracer/sched/strategy/prng.h"
#include "tracer/sched/strategy/strategy_internal.h"

static const char *const drawing[] = {"random", "pct", "pos", "surw"};

#define each_drawing(name) for (const char *const *name = drawing; name < drawing + 4; name++)

/*
 * Checks the hits of `runs` runs with probability p each. Chernoff: off by more than d times the
 * mean m in at most 2 exp(-d^2 m / 3), d <= 1. Here d^2 m = 72: 2 exp(-24), less than 1e-10.
 */
static void assert_share(unsigned long hits, unsigned long runs, double p)
{
	double mean = (double)runs * p, off = (double)hits - mean;

	assert_true(mean > 72);
	if (off * off > 72 * mean)
		fail_msg("%lu of %lu, not %f", hits, runs, mean);
}

static unsigned long hits_of(const char *name, unsigned depth, const struct program *p,
			     const char *schedule, unsigned long runs)
{
	struct strategy *s = strategy_made(name, 7, depth, 0);
	unsigned long hits = 0;
	struct world w;

	for (unsigned long run = 0; run <= runs; run++) {
		assert_int_equal(world_run(&w, p, s, run), ALL_DONE);
		hits += run > 0 && strcmp(w.schedule, schedule) == 0;
	}
	strategy_free(s);
	return hits;
}

/* ---- the generator --------------------------------------------------------------------------- */

static void test_generator(void **state)
{
	unsigned long counts[6] = {0}, bits = 0;
	struct prng a, b;

	(void)state;
	/* xoshiro256** of its authors, seeded with 1, 2, 3, 4. */
	a = (struct prng){{1, 2, 3, 4}};
	assert_int_equal(prng_next(&a), 11520);
	assert_int_equal(prng_next(&a), 0);
	assert_int_equal(prng_next(&a), 1509978240);
	assert_int_equal(prng_next(&a), 1215971899390074240);
	prng_seed(&a, 1, 2);
	for (unsigned i = 0; i < 600000; i++)
		counts[prng_below(&a, 6)]++;
	for (unsigned i = 0; i < 6; i++)
		assert_share(counts[i], 600000, 1.0 / 6);
	/* 3 * 2^62: a mere remainder would give the first third twice its share. */
	counts[0] = 0;
	for (unsigned i = 0; i < 300000; i++)
		counts[0] += prng_below(&a, UINT64_C(3) << 62) < UINT64_C(1) << 62;
	assert_share(counts[0], 300000, 1.0 / 3);
	/* First numbers of consecutive runs: half of the bits differ. */
	for (uint64_t run = 0; run < 10000; run++) {
		prng_seed(&a, 5, run);
		prng_seed(&b, 5, run + 1);
		bits += (unsigned long)__builtin_popcountll(prng_next(&a) ^ prng_next(&b));
	}
	assert_share(bits, 640000, 0.5);
}

/* ---- reproducibility ------------------------------------------------------------------------- */

static const struct program three = {{"rxwxlmwyum", "rxwxlmryum", "--wxlmwyumrz"}};

static void test_names(void **state)
{
	const struct strategy_options none = {0}, steps = {.steps = 5};
	struct strategy *s;

	(void)state;
	assert_null(strategy_new("best", &none));
	assert_string_equal(strategy_name(0), "auto");
	for (size_t i = 0; strategy_name(i); i++) {
		s = strategy_new(strategy_name(i), &none);
		assert_non_null(s);
		strategy_free(s);
	}
	s = strategy_new("pct", &none);
	assert_int_equal(strategy_memory(s), STRATEGY_MEMORY_FIRST);
	strategy_free(s);
	s = strategy_new("pct", &steps);
	assert_int_equal(strategy_memory(s), STRATEGY_MEMORY_NONE);
	strategy_free(s);
	strategy_free(NULL);
}

/*
 * A seed and a number determine a run, independently of earlier runs; other seeds give other runs.
 */
static void test_reproducible(void **state)
{
	enum { RUNS = 200 };
	struct world w;

	(void)state;
	each_drawing(name)
	{
		struct strategy *all = strategy_made(*name, 3, 3, 0);
		struct strategy *part = strategy_made(*name, 3, 3, 0);
		struct strategy *other = strategy_made(*name, 4, 3, 0);
		char schedules[RUNS][64];
		unsigned same = 0;

		for (unsigned run = 0; run < RUNS; run++) {
			world_run(&w, &three, all, run);
			strcpy(schedules[run], w.schedule);
			world_run(&w, &three, other, run);
			same += strcmp(w.schedule, schedules[run]) == 0;
		}
		assert_true(same < RUNS / 2);
		world_run(&w, &three, part, 0);
		for (unsigned run = RUNS; run-- > 1;) {
			world_run(&w, &three, part, run);
			assert_string_equal(w.schedule, schedules[run]);
		}
		strategy_free(all);
		strategy_free(part);
		strategy_free(other);
	}
}

/*
 * Drawn schedules are equal on every machine and in later versions: recorded schedules stay valid.
 */
static void test_pinned(void **state)
{
	static const char *const pinned[] = {"CBCAABBBBAAACCCC", "CCCCCABBBBBCAAAA",
					     "ACCCCCCBBABBBAAA", "CCCABCBACAACABBB"};
	struct world w;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct strategy *s = strategy_made(drawing[i], 1, 3, 0);

		world_run(&w, &three, s, 0);
		world_run(&w, &three, s, 1);
		assert_string_equal(w.schedule, pinned[i]);
		strategy_free(s);
	}
}

/*
 * A thread that others wait for runs eventually, however the others spin, yield or repeat a step.
 */
static void test_no_thread_starves(void **state)
{
	static const struct program spins[] = {
		{{"sx", "sx", "------wx"}},
		{{"Yx", "Yx", "------wx"}},
		{{"sx", "sy", "Yx", "lm--wxwyum"}},
		{{"px", "y-y-y-wx"}},
	};
	struct world w;

	(void)state;
	each_drawing(name)
	{
		struct strategy *s = strategy_made(*name, 9, 3, 0);

		for (size_t i = 0; i < 4; i++)
			for (unsigned run = 0; run < 2000; run++)
				if (world_run(&w, &spins[i], s, run) != ALL_DONE)
					fail_msg("%s: program %zu, run %u", *name, i, run);
		strategy_free(s);
	}
}

/* Step at which a loop of `loop` steps after `straight` steps is detected; 0: not within `most`. */
static unsigned found_at(struct spin_watch *s, unsigned straight, unsigned loop, unsigned most)
{
	for (unsigned i = 0; i < most; i++) {
		unsigned place = i < straight ? i : straight + (i - straight) % loop;
		struct strategy_point p = {.thread = 1, .place = place};

		if (spin_step(s, &p))
			return i + 1;
	}
	return 0;
}

static void test_spinner(void **state)
{
	struct spin_watch s = {0};

	(void)state;
	assert_int_equal(found_at(&s, 0, 1, 100), 40);
	assert_int_equal(found_at(&s, 0, 1, 39), 0);
	assert_true(spin_step(&s, &(struct strategy_point){.thread = 1}));
	assert_int_equal(found_at(&s, 0, 1, 39), 0);
	spin_step(&s, &(struct strategy_point){.thread = 2});
	assert_int_equal(found_at(&s, 0, 1, 100), 40); /* another thread has moved */
	s = (struct spin_watch){0};
	assert_int_equal(found_at(&s, 1000, 7, 5000), 1024 + 39 * 7);
	s = (struct spin_watch){0};
	assert_int_equal(found_at(&s, 100000, 1, 100000), 0);
}

/* A thread appears while a spinner goes on, which no strategy is asked about: what is foreseen then
   is what is chosen, also at places that are no spin. */
static void test_thread_beside_spinner(void **state)
{
	const struct strategy_point round = {.op = STRATEGY_READ, .object = 7, .place = 1},
				    begins = {.thread = 1, .op = STRATEGY_START};

	(void)state;
	each_drawing(name)
	{
		struct strategy *s = strategy_made(*name, 7, 3, 0);

		for (uint64_t run = 0; run < 64; run++) {
			struct strategy_point points[2] = {round, begins};
			struct strategy_avoid avoid;
			size_t chosen, n;

			strategy_begin(s, run);
			for (unsigned step = 0; step < 2; step++)
				assert_int_equal(strategy_choose(s, points, 1), 0);
			chosen = strategy_choose(s, points, 2);
			n = strategy_foresee(s, points, 2, chosen, 8, &avoid);
			n = n < avoid.elsewhere ? n : avoid.elsewhere;
			for (; n > 0 && chosen == 0; n--) {
				points[0].writes = true;
				points[0].place++;
				assert_int_equal(strategy_choose(s, points, 2), 0);
			}
			strategy_end(s, STRATEGY_PASSED);
		}
		strategy_free(s);
	}
}

/* ---- PCT ------------------------------------------------------------------------------------- */

/*
 * Bugs of depth d, which PCT finds with the theorem's probability 1 / (n k^(d-1)) and no more. d =
 * 1: thread D before all others. d = 2: A stops at its sixth step until B is done. d = 3: B also
 * stops at its third step, so both steps must be drawn, in that order.
 */
static void test_pct(void **state)
{
	static const struct program four = {{"----", "----", "----", "----"}};
	static const struct program tens = {{"wxwxwxwxwxwxwxwxwxwx", "wxwxwxwxwxwxwxwxwxwx"}};
	static const struct program fives = {{"wxwxwxwxwx", "wxwxwxwxwx"}};
	unsigned long hits = 0;
	struct world w;
	struct strategy *s = strategy_made("pct", 7, 1, 0);

	(void)state;
	for (unsigned run = 1; run <= 20000; run++) {
		world_run(&w, &four, s, run);
		hits += memcmp(w.schedule, "DD", 2) == 0;
	}
	strategy_free(s);
	assert_share(hits, 20000, 1.0 / 4);
	hits = hits_of("pct", 2, &tens, "AAAAABBBBBBBBBBAAAAA", 100000);
	assert_share(hits, 100000, 1.0 / (2 * 20));
	hits = hits_of("pct", 3, &fives, "AABBAAABBB", 200000);
	assert_share(hits, 200000, 1.0 / (2 * 10 * 10));
	/* Without a change point no thread is preempted. */
	assert_int_equal(hits_of("pct", 1, &fives, "AABBAAABBB", 1000), 0);
	assert_int_equal(hits_of("pct", 0, &fives, "AABBAAABBB", 1000), 0);
}

/* ---- POS ------------------------------------------------------------------------------------- */

/*
 * A weakness of random walks: A's only step comes after all of B's. POS finds it if A's priority is
 * the lowest drawn: 1/8 for seven steps of B. A walk must choose B seven times: 1/128.
 */
static void test_pos_late_step(void **state)
{
	static const struct program p = {{"wx", "------------rx"}};

	(void)state;
	assert_share(hits_of("pos", 0, &p, "BBBBBBBA", 20000), 20000, 1.0 / 8);
	assert_share(hits_of("random", 0, &p, "BBBBBBBA", 40000), 40000, 1.0 / 128);
}

/*
 * Dependent steps: the loser draws anew, so each order of the steps is equally likely. Reads are
 * independent: B keeps its priority and is last if that is the lowest of four.
 */
static void test_pos_dependent(void **state)
{
	static const struct program writes = {{"wxwxwx", "wxwxwx"}}, reads = {{"rxrxrx", "rxrxrx"}};

	(void)state;
	assert_share(hits_of("pos", 0, &writes, "AAABBB", 20000), 20000, 1.0 / 8);
	assert_share(hits_of("pos", 0, &writes, "ABABAB", 40000), 40000, 1.0 / 32);
	assert_share(hits_of("pos", 0, &reads, "AAABBB", 20000), 20000, 1.0 / 4);
}

/* ---- SURW ------------------------------------------------------------------------------------ */

/* Pearson's chi-square for `of` schedules, each with `each` expected runs. */
static double chi_square(const char *name, const struct program *p, size_t of, unsigned each)
{
	struct strategy *s = strategy_made(name, 11, 0, 0);
	struct tallies all = {0};
	double sum = 0;
	struct world w;

	for (unsigned long run = 0; run <= of * each; run++) {
		assert_int_equal(world_run(&w, p, s, run), ALL_DONE);
		if (run > 0)
			tally(&all, w.schedule);
	}
	assert_true(all.count <= of);
	array_each(struct tally, t, &all)
		sum += ((double)t->times - each) * ((double)t->times - each) / each;
	sum += (double)(of - all.count) * each;
	tallies_fini(&all);
	strategy_free(s);
	return sum;
}

/*
 * Uniform: chi-square of f degrees of freedom is above f + 2 sqrt(21 f) + 42 with probability at
 * most exp(-21), less than 1e-9 (Laurent, Massart 2000).
 */
static void test_surw_uniform(void **state)
{
	static const struct program two = {{"----", "--------"}}; /* 6! / (2! 4!) */
	static const struct program lengths = {
		{"----", "------", "--------"}}; /* 9! / (2! 3! 4!) */
	/* A forest has n! / (product of the number of points at or below each): 8! / (8 7 2 4 3)
	   here. */
	static const struct program tree = {{"--c1--c2--", "----", "--"}};

	(void)state;
	assert_true(chi_square("surw", &two, 15, 2000) < 14 + 2 * 17.2 + 42);
	assert_true(chi_square("surw", &lengths, 1260, 100) < 1259 + 2 * 162.7 + 42);
	assert_true(chi_square("surw", &tree, 30, 500) < 30 - 1 + 2 * 25 + 42);
	/* A random walk is not uniform. */
	assert_true(chi_square("random", &lengths, 1260, 100) > 20 * 1260);
	assert_true(chi_square("random", &tree, 30, 500) > 20 * 30);
}

/*
 * Position of B's write relative to A's two, which are nine steps apart. If x is the interesting
 * object each of three orders is equally likely, if all objects are: 1/11, 9/11, 1/11. Half of the
 * runs are of either kind.
 */
static void test_surw_selective(void **state)
{
	static const struct program p = {{"wx----------------wx", "wx"}};
	struct strategy *s = strategy_made("surw", 5, 0, 0);
	unsigned long first = 0, last = 0;
	struct world w;

	(void)state;
	for (unsigned run = 0; run <= 20000; run++) {
		assert_int_equal(world_run(&w, &p, s, run), ALL_DONE);
		first += run > 0 && w.schedule[0] == 'B';
		last += run > 0 && w.schedule[10] == 'B';
	}
	strategy_free(s);
	assert_share(first, 20000, (1.0 / 3 + 1.0 / 11) / 2);
	assert_share(last, 20000, (1.0 / 3 + 1.0 / 11) / 2);
}

/* Run 0 has counted another program: more, fewer or other steps and threads do no harm. */
static void test_surw_wrong_counts(void **state)
{
	static const struct program shorter = {{"wx", "wxc2", "rx"}};
	static const struct program longer = {{"wxwxlmumwx", "wxwxlmumwx", "rxrx", "wx"}};
	struct strategy *s = strategy_made("surw", 5, 0, 0);
	struct world w;

	(void)state;
	world_run(&w, &shorter, s, 0);
	for (unsigned run = 1; run < 500; run++)
		assert_int_equal(world_run(&w, &longer, s, run), ALL_DONE);
	world_run(&w, &longer, s, 0);
	for (unsigned run = 1; run < 500; run++)
		assert_int_equal(world_run(&w, &shorter, s, run), ALL_DONE);
	strategy_free(s);
}

/* Accesses of two threads are dependent if they have a byte in common. */
static void test_overlap(void **state)
{
	struct strategy_point eight = {
		.op = STRATEGY_WRITE, .object = 32, .writes = true, .size = 8};
	struct strategy_point other = {.thread = 1, .op = STRATEGY_READ, .object = 36, .size = 4};

	(void)state;
	assert_true(strategy_depends(&eight, &other) && strategy_depends(&other, &eight));
	other.object = 40;
	assert_false(strategy_depends(&eight, &other) || strategy_depends(&other, &eight));
	other.object = 28;
	assert_false(strategy_depends(&eight, &other) || strategy_depends(&other, &eight));
	other.size = 5;
	assert_true(strategy_depends(&eight, &other) && strategy_depends(&other, &eight));
	assert_false(strategy_meets(&eight, &other));
	eight.writes = false;
	eight.op = STRATEGY_READ;
	assert_false(strategy_depends(&eight, &other));
	other = (struct strategy_point){
		.thread = 1, .op = STRATEGY_LOCK, .object = 80, .writes = true};
	eight.size = STRATEGY_ANY_SIZE;
	assert_false(strategy_depends(&eight, &other)); /* a lock is no access */
	other.op = STRATEGY_WRITE;
	assert_true(strategy_depends(&eight, &other) && strategy_depends(&other, &eight));
	other.object = STRATEGY_NO_OBJECT;
	assert_false(strategy_depends(&eight, &other));
}

/* The first runs of auto. Run 2 lets the reader go on when two writers have made their first step.
 */
static void test_extremes(void **state)
{
	static const struct program four = {{"c1c2c3", "wawb", "wawb", "rarb"}};
	static const char *const schedules[] = {
		"AAABCDBCD", "AAABCDDBC", "ABBACCADD", "AAABBCCDD", "AAABCDBCD",
		"AAADCBDCB", "AAACCDDBB", "AAABBCCDD", "AAABBCCDD",
	};
	const struct strategy_options options = {.seed = 3};
	struct strategy *s = strategy_extremes_new(&options);
	struct world w;

	(void)state;
	assert_int_equal(world_run(&w, &four, s, 0), ALL_DONE);
	for (size_t i = 0; i < sizeof(schedules) / sizeof(*schedules); i++) {
		assert_int_equal(world_run(&w, &four, s, i + 1), ALL_DONE);
		assert_string_equal(w.schedule, schedules[i]);
	}
	for (size_t run = 10; run < 30; run++)
		assert_int_equal(world_run(&w, &four, s, run), ALL_DONE);
	strategy_free(s);
}

/* A thread that waits for another one is dropped, in each schedule of the set. */
static void test_extremes_end(void **state)
{
	static const struct program waits = {{"c1c2", "sxwy", "Yywx"}};
	static const struct program turns = {{"c1c2sx", "Yxwy", "wx--"}};
	const struct strategy_options options = {0};
	struct strategy *s = strategy_extremes_new(&options);
	struct world w;

	(void)state;
	for (size_t run = 0; run < 30; run++)
		assert_int_equal(world_run(&w, &turns, s, run), ALL_DONE);
	for (size_t run = 0; run < 30; run++)
		assert_int_equal(world_run(&w, &waits, s, run), RAN_OUT);
	strategy_free(s);
}

/* ---- waits that return without a signal ------------------------------------------------------ */

/* SPURIOUS points are drawn in one run of four, and change no choice of the others. */
static void test_spurious(void **state)
{
	enum { RUNS = 64, STEPS = 100 };
	struct strategy_point points[4] = {
		{.thread = 0, .op = STRATEGY_WRITE, .object = 7, .place = 1, .writes = true},
		{.thread = 1, .op = STRATEGY_WRITE, .object = 7, .place = 2, .writes = true},
		{.thread = 2, .op = STRATEGY_SPURIOUS, .object = STRATEGY_ANY_OBJECT, .place = 3},
		{.thread = 3, .op = STRATEGY_SPURIOUS, .object = STRATEGY_ANY_OBJECT, .place = 3}};

	(void)state;
	each_drawing(name)
	{
		struct strategy *with = strategy_made(*name, 3, 2, 0);
		struct strategy *without = strategy_made(*name, 3, 2, 0);
		unsigned long woken[RUNS] = {0}, late = 0;

		for (uint64_t run = 0; run < RUNS; run++) {
			strategy_begin(with, run);
			strategy_begin(without, run);
			for (unsigned step = 0; step < STEPS; step++) {
				size_t i = strategy_choose(with, points, 4);

				woken[run] += i >= 2;
				if (run % 4 != 3)
					assert_int_equal(i, strategy_choose(without, points, 2));
			}
			strategy_end(with, STRATEGY_PASSED);
			strategy_end(without, STRATEGY_PASSED);
			assert_true(run % 4 == 3 || !woken[run]);
			late += woken[run] > 0 && woken[run] < STEPS / 2;
		}
		assert_int_equal(woken[3], STEPS);
		assert_true(late > 4); /* in others they wait longer */
		strategy_free(with);
		strategy_free(without);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_generator),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_reproducible),
		cmocka_unit_test(test_pinned),
		cmocka_unit_test(test_no_thread_starves),
		cmocka_unit_test(test_spinner),
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_pct),
		cmocka_unit_test(test_pos_late_step),
		cmocka_unit_test(test_pos_dependent),
		cmocka_unit_test(test_surw_uniform),
		cmocka_unit_test(test_surw_selective),
		cmocka_unit_test(test_surw_wrong_counts),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_extremes_end),
		cmocka_unit_test(test_thread_beside_spinner),
		cmocka_unit_test(test_spurious),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
