/*
 * Strategies that learn from earlier runs: runs do not depend on the worker, and what is learned.
 */
#include "explore_classics.h"

#include "tracer/sched/strategy/rff_corpus.h"
#include "tracer/sched/strategy/rff_corpus.h"

static const char *const learning[] = {"rff", "auto"};

#define each_learning(name)                                                                        \
	for (const char *const *name = learning;                                                   \
	     name < learning + sizeof(learning) / sizeof(*learning); name++)

/* ---- reproducibility ------------------------------------------------------------------------- */

enum { RUNS = 20 * STRATEGY_BATCH, LENGTH = 160, WORKERS = 3 };

static char schedules[RUNS][LENGTH];

static void do_run(struct strategy *s, const struct program *p, uint64_t run)
{
	static struct world w;

	world_run(&w, p, s, run);
	assert_true(strlen(w.schedule) < LENGTH);
	if (!schedules[run][0])
		strcpy(schedules[run], w.schedule);
	else
		assert_string_equal(w.schedule, schedules[run]);
}

static void tell(struct strategy *const *workers, size_t by, uint64_t run)
{
	size_t count;
	const uint64_t *lesson = strategy_lesson(workers[by], &count);

	for (size_t i = 0; i < WORKERS; i++)
		if (i != by)
			strategy_learn(workers[i], run, lesson, count);
}

/* Three workers: each does run 0 and every third of the others, a batch in reverse order. */
static void work_together(const char *name, const struct program *p)
{
	struct strategy *workers[WORKERS];

	for (size_t i = 0; i < WORKERS; i++) {
		workers[i] = strategy_made(name, 3, 0, 0);
		do_run(workers[i], p, 0);
		if (i > 0)
			tell(workers, i, 0); /* has no effect */
	}
	for (uint64_t batch = 0; batch < RUNS / STRATEGY_BATCH; batch++)
		for (uint64_t i = STRATEGY_BATCH; i-- > (batch == 0);) {
			uint64_t run = batch * STRATEGY_BATCH + i;

			do_run(workers[run % WORKERS], p, run);
			tell(workers, run % WORKERS, run);
		}
	for (size_t i = 0; i < WORKERS; i++)
		strategy_free(workers[i]);
}

static void test_workers(void **state)
{
	static struct classic all[CLASSICS];

	(void)state;
	classics(all);
	each_learning(name)
	{
		struct strategy *alone = strategy_made(*name, 3, 0, 0), *deaf, *other;
		static struct world w;
		unsigned same = 0, as_other = 0;

		assert_int_equal(strategy_memory(alone), STRATEGY_MEMORY_BATCH);
		memset(schedules, 0, sizeof(schedules));
		for (uint64_t run = 0; run < RUNS; run++)
			do_run(alone, &all[2].program, run);
		work_together(*name, &all[2].program);
		/* Without the other workers' results, or with another seed, runs differ. */
		deaf = strategy_made(*name, 3, 0, 0);
		other = strategy_made(*name, 4, 0, 0);
		for (uint64_t run = 0; run < RUNS; run += 2) {
			world_run(&w, &all[2].program, deaf, run);
			same += strcmp(w.schedule, schedules[run]) == 0;
			world_run(&w, &all[2].program, other, run);
			as_other += strcmp(w.schedule, schedules[run]) == 0;
		}
		assert_true(same < RUNS / 2 - 50 && as_other < RUNS / 8);
		strategy_free(alone);
		strategy_free(deaf);
		strategy_free(other);
	}
}

/* A thread that others wait for runs eventually, however the others spin or yield. */
static void test_no_thread_starves(void **state)
{
	static const struct program spins[] = {
		{{"sx", "sx", "------wx"}},
		{{"YxrxYyry", "Yxwy", "------wxrxwx"}},
		{{"sxrx", "syry", "Yxrxlmum", "lm--wxwyumwxwy"}},
	};
	static struct world w;

	(void)state;
	each_learning(name) for (size_t i = 0; i < 3; i++)
	{
		struct strategy *s = strategy_made(*name, 9, 3, 0);

		for (unsigned run = 0; run < 2000; run++)
			if (world_run(&w, &spins[i], s, run) != ALL_DONE)
				fail_msg("%s: program %zu, run %u", *name, i, run);
		strategy_free(s);
	}
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void test_table_grows(void **state)
{
	struct table t = {0};

	(void)state;
	assert_int_equal(table_get(&t, 7), 0);
	for (uint64_t i = 1; i < 1000; i++)
		*table_at(&t, i << 12) = i; /* all hash to one slot */
	assert_int_equal(t.count, 999);
	for (uint64_t i = 1; i < 1000; i++)
		assert_int_equal(table_get(&t, i << 12), i);
	assert_int_equal(table_get(&t, 5), 0);
	table_clear(&t);
	assert_int_equal(t.count, 0);
	assert_int_equal(*table_at(&t, 1 << 12), 0);
	table_fini(&t);
}

/* y is private to thread A; x is read before its first write and after each write. */
static void test_reads_from(void **state)
{
	static const struct program p = {{"rxwxryrxwy", "wx"}};
	static const unsigned order[] = {0, 0, 0, 1, 0, 0};
	struct reads_from f = {0};
	struct world w;
	uint64_t reads[2], writes[2];

	(void)state;
	world_begin(&w, &p);
	for (size_t i = 0; i < 6; i++) {
		struct strategy_point points[THREADS];

		world_points(&w, points);
		for (size_t k = 0; k < THREADS; k++)
			if (points[k].thread == order[i]) {
				reads_from_step(&f, &points[k]);
				world_move(&w, &points[k]);
				break;
			}
	}
	assert_string_equal(w.schedule, "AAABAA");
	reads[0] = reads_from_event(&w.moved[0]);
	writes[0] = reads_from_event(&w.moved[1]);
	writes[1] = reads_from_event(&w.moved[3]);
	reads[1] = reads_from_event(&w.moved[4]);
	assert_int_equal(reads_from_last(&f, 'x'), writes[1]);
	assert_int_equal(f.pairs.count, 6);
	reads_from_keep_shared(&f);
	assert_int_equal(f.pairs.count, 4);
	assert_true(f.pairs.items[0].writer == READS_FROM_NOBODY &&
		    f.pairs.items[0].reader == reads[0]);
	assert_true(f.pairs.items[1].writer == writes[0] && !f.pairs.items[1].reader);
	assert_true(f.pairs.items[2].writer == writes[1] && !f.pairs.items[2].reader);
	assert_true(f.pairs.items[3].writer == writes[1] && f.pairs.items[3].reader == reads[1]);
	reads_from_clear(&f);
	assert_int_equal(reads_from_last(&f, 'x'), READS_FROM_NOBODY);
	reads_from_fini(&f);
}

/* Two reads and two writes of one object: mutations choose among existing pairs only. */
static void test_corpus(void **state)
{
	static const struct reads_from_pair seen[] = {{5, 0, 11}, {5, 0, 12},  {5, 21, 0},
						      {5, 22, 0}, {5, 21, 11}, {6, 31, 0}};
	struct rff_abstract none = {0}, a;
	struct rff_corpus c = {0};
	struct rff_news news;
	unsigned fresh = 0, negative = 0, longest = 0;
	struct prng r;

	(void)state;
	prng_seed(&r, 1, 1);
	assert_int_equal(rff_corpus_draw(&c, &r, &a), 0);
	assert_int_equal(a.count, 0); /* an empty corpus gives an empty schedule */
	news = rff_corpus_learn(&c, 0, &none, false, seen, 6);
	assert_true(news.pairs == 3 && news.is_set_new);
	news = rff_corpus_learn(&c, 0, &none, false, seen, 6);
	assert_true(news.pairs == 0 && !news.is_set_new);
	for (unsigned i = 0; i < 1000; i++) {
		size_t parent = rff_corpus_draw(&c, &r, &a);

		for (size_t k = 0; k < a.count; k++) {
			const struct reads_from_pair *p = &a.constraints[k].pair;

			assert_int_equal(p->object, 5);
			assert_true(p->reader == 11 || p->reader == 12);
			assert_true(p->writer == 0 || p->writer == 21 || p->writer == 22);
			fresh += p->writer == 22;
			negative += !a.constraints[k].positive;
		}
		longest = a.count > longest ? (unsigned)a.count : longest;
		rff_corpus_learn(&c, parent, &a, i % 10 == 0, seen, i % 6);
	}
	assert_true(fresh > 100 && negative > 100);
	assert_true(longest > 2 && longest <= RFF_CONSTRAINTS);
	rff_corpus_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_workers),	    cmocka_unit_test(test_no_thread_starves),
		cmocka_unit_test(test_table_grows), cmocka_unit_test(test_reads_from),
		cmocka_unit_test(test_corpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
