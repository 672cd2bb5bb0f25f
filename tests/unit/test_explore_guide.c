/* Strategies that follow a list: a schedule exactly, or its segments. */
#include "explore_program.h"

#include "tracer/sched/strategy/strategy.h"

static const struct program two = {{"rxwxlmwyum", "rxwxlmryum"}};

/* ---- exactly --------------------------------------------------------------------------------- */

static struct world recorded_run(const struct program *p)
{
	struct strategy *s = strategy_made("pos", 5, 0, 0);
	struct world w;

	assert_int_equal(world_run(&w, p, s, 3), ALL_DONE);
	strategy_free(s);
	return w;
}

static void test_exact(void **state)
{
	struct world was = recorded_run(&two), is;
	struct strategy *s = strategy_guide_exact(was.moved, was.moves);

	(void)state;
	assert_int_equal(strategy_memory(s), STRATEGY_MEMORY_NONE);
	for (uint64_t run = 0; run < 2; run++) {
		assert_int_equal(world_run(&is, &two, s, run), ALL_DONE);
		assert_string_equal(is.schedule, was.schedule);
		assert_null(strategy_guide_differs(s));
	}
	strategy_free(s);
}

static const struct strategy_difference *differ(struct strategy *s, const struct program *p,
						size_t moves)
{
	struct world is;

	assert_int_equal(world_run(&is, p, s, 0), STOPPED);
	assert_int_equal(is.moves, moves);
	assert_non_null(strategy_guide_differs(s));
	assert_int_equal(strategy_guide_differs(s)->step, moves);
	return strategy_guide_differs(s);
}

#define POINT(t, o, x, p, w)                                                                       \
	((struct strategy_point){.thread = t, .op = o, .object = x, .place = p, .writes = w})

static void test_differs(void **state)
{
	static const struct program p = {{"rxwx", "rxwx"}}, lock = {{"rxlx", "rxwx"}},
				    longer = {{"rxwxrx", "rxwx"}}, blocks = {{"rxwx", "lmlm"}};
	const struct strategy_point list[] = {
		POINT(0, STRATEGY_READ, 'x', 0, false), POINT(1, STRATEGY_READ, 'x', 1000, false),
		POINT(0, STRATEGY_WRITE, 'x', 2, true), POINT(1, STRATEGY_WRITE, 'x', 1002, true)};
	const struct strategy_point elsewhere = POINT(0, STRATEGY_READ, 'x', 7, false);
	const struct strategy_point locks[] = {POINT(1, STRATEGY_LOCK, 'm', 1000, true),
					       POINT(1, STRATEGY_LOCK, 'm', 1002, true)};
	struct strategy *s = strategy_guide_exact(list, 4);
	const struct strategy_difference *d;
	struct world w;

	(void)state;
	d = differ(s, &lock, 2); /* another op */
	assert_true(d->has_come && !d->is_longer);
	assert_int_equal(d->recorded.op, STRATEGY_WRITE);
	assert_int_equal(d->came.op, STRATEGY_LOCK);
	d = differ(s, &longer, 4);
	assert_true(d->is_longer && d->has_come);
	assert_int_equal(d->came.place, 4);
	assert_int_equal(world_run(&w, &p, s, 1), ALL_DONE); /* the difference is forgotten */
	assert_string_equal(w.schedule, "ABAB");
	assert_null(strategy_guide_differs(s));
	/* The run ends too early; a truncated run is no difference. */
	strategy_begin(s, 2);
	strategy_choose(s, list, 1);
	strategy_end(s, STRATEGY_CUT);
	assert_null(strategy_guide_differs(s));
	strategy_end(s, STRATEGY_FAILED);
	d = strategy_guide_differs(s);
	assert_true(d && d->step == 1 && !d->is_longer && !d->has_come);
	strategy_free(s);

	s = strategy_guide_exact(&elsewhere, 1); /* another place */
	d = differ(s, &p, 0);
	assert_int_equal(d->recorded.place, 7);
	assert_int_equal(d->came.place, 0);
	strategy_free(s);
	s = strategy_guide_exact(locks, 2); /* its thread cannot run */
	d = differ(s, &blocks, 1);
	assert_true(!d->has_come && !d->is_longer);
	strategy_free(s);
}

/* ---- loosely --------------------------------------------------------------------------------- */

/* A segment is two characters: A3B1. */
static void follows(const struct program p, const char *text, const char *schedule)
{
	struct strategy_segment segments[8];
	struct strategy *s;
	size_t count = 0;
	struct world w;

	for (; *text; text += 2)
		segments[count++] = (struct strategy_segment){
			(unsigned)(text[0] - 'A'), (unsigned long)(text[1] - '0'), false};
	s = strategy_guide_loose(segments, count);
	for (uint64_t run = 0; run < 2; run++) {
		assert_int_equal(world_run(&w, &p, s, run), ALL_DONE);
		assert_string_equal(w.schedule, schedule);
	}
	strategy_free(s);
}

#define PROGRAM(...) ((struct program){{__VA_ARGS__}})

static void test_loose(void **state)
{
	(void)state;
	follows(PROGRAM("----", "----", "----"), "", "AABBCC");
	follows(PROGRAM("----", "----", "----"), "C1A1B1C1", "CABCAB");
	follows(PROGRAM("----", "----", "----"), "B1", "BBAACC"); /* no thread is preempted */
	/* A segment ends when its thread cannot run: at its end, or at a lock; it may never
	   begin. */
	follows(PROGRAM("----", "----"), "A9B1", "AABB");
	follows(PROGRAM("lm--um", "lmum"), "A1B5A1", "AAABB");
	follows(PROGRAM("----", "--"), "H3B0B1", "BAA");
	/* A thread that yields or spins runs after the others. */
	follows(PROGRAM("--y---", "----", "----"), "", "AABBCCA");
	follows(PROGRAM("y-y---", "y---", "--"), "", "ABCABA");
	follows(PROGRAM("y-----", "lm--um", "lmum"), "B1C1A1", "BABBCCAA");
}

static void test_loose_spins(void **state)
{
	static const struct program spins = {{"sx", "Yx", "------wx"}};
	struct strategy *s = strategy_guide_loose(NULL, 0);
	struct world w;

	(void)state;
	assert_int_equal(world_run(&w, &spins, s, 0), ALL_DONE);
	assert_int_equal(strspn(w.schedule, "A"), 40);
	assert_int_equal(strncmp(w.schedule + 40, "BCCCC", 5), 0);
	strategy_free(s);
}

/* The thread to wake is the one with the next segment. */
static void test_loose_wakes(void **state)
{
	const struct strategy_segment segments[] = {{0, 1, false}, {2, 1, false}, {1, 1, false}};
	const struct strategy_point signal = {.op = STRATEGY_SIGNAL};
	const struct strategy_point wakes[] = {{.thread = 1, .op = STRATEGY_WAKE},
					       {.thread = 2, .op = STRATEGY_WAKE}};
	const struct strategy_point others[] = {{.thread = 3, .op = STRATEGY_WAKE},
						{.thread = 4, .op = STRATEGY_WAKE}};
	struct strategy *s = strategy_guide_loose(segments, 3);

	(void)state;
	strategy_begin(s, 0);
	assert_int_equal(strategy_choose(s, &signal, 1), 0);
	assert_int_equal(strategy_choose(s, wakes, 2), 1);
	assert_int_equal(strategy_choose(s, others, 2), 0);
	strategy_end(s, STRATEGY_PASSED);
	strategy_free(s);
}

/* ---- waits that return without a signal ------------------------------------------------------ */

static const struct strategy_point waits[] = {{.thread = 0, .op = STRATEGY_READ, .place = 1},
					      {.thread = 1, .op = STRATEGY_TIMEOUT, .place = 2},
					      {.thread = 1, .op = STRATEGY_SPURIOUS, .place = 2},
					      {.thread = 2, .op = STRATEGY_SPURIOUS, .place = 2}};

static void test_exact_spurious(void **state)
{
	const struct strategy_point list[] = {waits[3], waits[2], waits[1]};
	struct strategy *s = strategy_guide_exact(list, 3);

	(void)state;
	strategy_begin(s, 0);
	assert_int_equal(strategy_choose(s, waits, 4), 3);
	assert_int_equal(strategy_choose(s, waits, 3), 2);
	assert_int_equal(strategy_choose(s, waits, 3), 1);
	strategy_end(s, STRATEGY_PASSED);
	assert_null(strategy_guide_differs(s));
	strategy_free(s);
}

/* A segment that begins so does it once, when its thread waits; no other segment does. */
static void test_loose_spurious(void **state)
{
	const struct strategy_segment segments[] = {{2, 1, true}, {1, 3, true}, {2, 1, false}};
	struct strategy *s = strategy_guide_loose(segments, 3);

	(void)state;
	strategy_begin(s, 0);
	assert_int_equal(strategy_choose(s, waits, 4), 3);
	assert_int_equal(strategy_choose(s, waits, 3), 2);
	assert_int_equal(strategy_choose(s, waits, 4), 1);
	assert_int_equal(strategy_choose(s, waits, 4), 1);
	assert_int_equal(strategy_choose(s, waits, 4), 1); /* the thread of the last step */
	strategy_end(s, STRATEGY_PASSED);
	strategy_free(s);
	s = strategy_guide_loose(segments, 0);
	strategy_begin(s, 0);
	assert_int_equal(strategy_choose(s, waits, 4), 0);
	strategy_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),	       cmocka_unit_test(test_differs),
		cmocka_unit_test(test_loose),	       cmocka_unit_test(test_loose_spins),
		cmocka_unit_test(test_loose_wakes),    cmocka_unit_test(test_exact_spurious),
		cmocka_unit_test(test_loose_spurious),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
