/* Places with private objects only, learned from run 0 of made-up programs, step by step. */
#include "tracer/sched/strategy/strategy_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { X = 6400, Y = 6464, Z = 6528, MUTEX = 6592, HANDLE = 6656 };

/* Makes a step; only the moving thread is reported, as its step is. */
static void step(struct sharing *s, unsigned thread, enum strategy_op op, uint64_t object,
		 uint64_t place)
{
	const struct strategy_point p = {.thread = thread,
					 .op = op,
					 .object = object,
					 .place = place,
					 .writes = op == STRATEGY_WRITE};

	sharing_saw(s, &p, 1, 0);
}

/* Two threads that exist, without a happens-before edge between them. */
static struct sharing begun(void)
{
	const struct strategy_point both[] = {{.thread = 0, .op = STRATEGY_START},
					      {.thread = 1, .op = STRATEGY_START}};
	struct sharing s = {0};

	sharing_begin(&s);
	sharing_saw(&s, both, 2, 0);
	return s;
}

static void assert_own(struct sharing *s, uint64_t place, bool own)
{
	assert_int_equal(sharing_is_own_place(s, place), own);
}

static void test_conflicts(void **state)
{
	struct sharing s = begun();

	(void)state;
	step(&s, 0, STRATEGY_WRITE, X, 1);
	step(&s, 1, STRATEGY_READ, X, 2); /* written by another thread */
	step(&s, 0, STRATEGY_READ, Y, 3);
	step(&s, 1, STRATEGY_READ, Y, 4); /* both only read */
	step(&s, 0, STRATEGY_WRITE, Z, 5);
	step(&s, 0, STRATEGY_ATOMIC, Z, 6);
	step(&s, 1, STRATEGY_WRITE, Z + 50, 7);
	sharing_settle(&s);
	assert_own(&s, 1, false);
	assert_own(&s, 2, false);
	assert_true(sharing_is_shared(&s, X));
	for (uint64_t place = 3; place <= 7; place++)
		assert_own(&s, place, true);
	assert_false(sharing_is_shared(&s, Y));
	assert_false(sharing_is_shared(&s, Z));
	assert_own(&s, 8, false); /* no thread has been at this place */
	sharing_fini(&s);
}

/* Shared in whichever order of the accesses. */
static void test_a_read_before(void **state)
{
	struct sharing s = begun();

	(void)state;
	step(&s, 0, STRATEGY_READ, X, 1);
	step(&s, 1, STRATEGY_READ, X, 2);
	step(&s, 1, STRATEGY_WRITE, X, 3);
	sharing_settle(&s);
	for (uint64_t place = 1; place <= 3; place++)
		assert_own(&s, place, false);
	sharing_fini(&s);
}

/* One place accesses private objects, and once a shared one. */
static void test_place_of_many_objects(void **state)
{
	struct sharing s = begun();

	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		step(&s, 0, STRATEGY_WRITE, 1000 + i, 1);
	step(&s, 1, STRATEGY_WRITE, 1050, 2);
	step(&s, 1, STRATEGY_WRITE, X, 3);
	sharing_settle(&s);
	assert_own(&s, 1, false);
	assert_own(&s, 2, false);
	assert_own(&s, 3, true);
	sharing_fini(&s);
}

/* A lock that orders two accesses in this run may order them otherwise in the next. */
static void test_a_lock_is_no_order(void **state)
{
	struct sharing s = begun();

	(void)state;
	for (unsigned t = 0; t < 2; t++) {
		step(&s, t, STRATEGY_LOCK, MUTEX, 1);
		step(&s, t, STRATEGY_WRITE, X, 2);
		step(&s, t, STRATEGY_UNLOCK, MUTEX, 3);
	}
	sharing_settle(&s);
	assert_own(&s, 2, false);
	assert_own(&s, 1, false);
	sharing_fini(&s);
}

/* Thread 0 writes and creates thread 1, which continues and creates thread 2; joins and reads. */
static void test_created_and_joined(void **state)
{
	struct sharing s = {0};

	(void)state;
	sharing_begin(&s);
	step(&s, 0, STRATEGY_WRITE, X, 1);
	step(&s, 0, STRATEGY_CREATE, STRATEGY_NO_OBJECT, 2);
	step(&s, 1, STRATEGY_START, STRATEGY_NO_OBJECT, 3);
	step(&s, 1, STRATEGY_WRITE, X, 4);
	step(&s, 1, STRATEGY_CREATE, STRATEGY_NO_OBJECT, 5);
	step(&s, 2, STRATEGY_START, STRATEGY_NO_OBJECT, 6);
	step(&s, 2, STRATEGY_READ, X, 7);
	step(&s, 2, STRATEGY_WRITE, Y, 8);
	step(&s, 2, STRATEGY_END, HANDLE, 9);
	step(&s, 1, STRATEGY_LOCK, HANDLE, 10);
	step(&s, 1, STRATEGY_END, HANDLE + 1, 11);
	step(&s, 0, STRATEGY_LOCK, HANDLE + 1, 12);
	step(&s, 0, STRATEGY_READ, Y, 13);
	step(&s, 0, STRATEGY_WRITE, X, 14);
	sharing_settle(&s);
	for (uint64_t place = 1; place <= 14; place++)
		assert_own(&s, place,
			   place == 1 || place == 4 || place == 7 || place == 8 || place >= 13);
	sharing_fini(&s);
}

/* The creator's later steps, and a lock that is no join. */
static void test_not_ordered_by_creation(void **state)
{
	struct sharing s = {0};

	(void)state;
	sharing_begin(&s);
	step(&s, 0, STRATEGY_CREATE, STRATEGY_NO_OBJECT, 1);
	step(&s, 1, STRATEGY_START, STRATEGY_NO_OBJECT, 2);
	step(&s, 1, STRATEGY_WRITE, Y, 3);
	step(&s, 0, STRATEGY_WRITE, X, 4);
	step(&s, 1, STRATEGY_READ, X, 5);
	step(&s, 1, STRATEGY_END, HANDLE, 6);
	step(&s, 0, STRATEGY_LOCK, MUTEX, 7);
	step(&s, 0, STRATEGY_READ, Y, 8);
	sharing_settle(&s);
	for (uint64_t place = 1; place <= 8; place++)
		assert_own(&s, place, false);
	sharing_fini(&s);
}

/* Memory is written whole and read in parts; a lock is written and taken. */
static void test_overlap(void **state)
{
	struct sharing s = begun();

	(void)state;
	step(&s, 0, STRATEGY_WRITE, X, 1);
	step(&s, 1, STRATEGY_READ, X + 8, 2);
	step(&s, 0, STRATEGY_WRITE, MUTEX, 3);
	step(&s, 1, STRATEGY_LOCK, MUTEX, 4);
	step(&s, 1, STRATEGY_WRITE, Y, 5);
	sharing_settle(&s);
	for (uint64_t place = 1; place <= 5; place++)
		assert_own(&s, place, place == 5);
	sharing_fini(&s);
}

/*
 * A thread with the handle of an earlier, joined thread: its joiner is not ordered after that one.
 */
static void test_handle_of_an_earlier_one(void **state)
{
	(void)state;
	for (unsigned reader = 0; reader < 2; reader++) {
		struct sharing s = begun();

		step(&s, 3, STRATEGY_READ, Z, 1);
		step(&s, 2, STRATEGY_WRITE, X, 2);
		step(&s, 2, STRATEGY_END, HANDLE, 3);
		step(&s, 0, STRATEGY_LOCK, HANDLE, 4);
		step(&s, 3, STRATEGY_END, HANDLE, 5);
		step(&s, 1, STRATEGY_LOCK, HANDLE, 6);
		step(&s, reader, STRATEGY_READ, X, 7);
		sharing_settle(&s);
		assert_own(&s, 7, reader == 0);
		sharing_fini(&s);
	}
}

/* The next run 0 forgets the previous one. */
static void test_again(void **state)
{
	struct sharing s = begun();

	(void)state;
	step(&s, 0, STRATEGY_WRITE, X, 1);
	step(&s, 1, STRATEGY_WRITE, X, 2);
	sharing_settle(&s);
	sharing_begin(&s);
	assert_false(sharing_is_shared(&s, X));
	step(&s, 0, STRATEGY_WRITE, X, 1);
	sharing_settle(&s);
	assert_own(&s, 1, true);
	assert_own(&s, 2, false);
	sharing_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conflicts),
		cmocka_unit_test(test_a_read_before),
		cmocka_unit_test(test_place_of_many_objects),
		cmocka_unit_test(test_a_lock_is_no_order),
		cmocka_unit_test(test_created_and_joined),
		cmocka_unit_test(test_not_ordered_by_creation),
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_handle_of_an_earlier_one),
		cmocka_unit_test(test_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
