/* Well-known races, in schedules written by hand. */
#include "explore_trace.h"

/* ---- happens-before by calls ----------------------------------------------------------------- */

static void test_threads(void **state)
{
	(void)state;
	assert_races("0wX 0f1 1rX 1wX", "");
	assert_races("0f1 0wX 1rX", "1-2"); /* after the fork */
	assert_races("0f1 1wX 0wX", "1-2"); /* without the join */
	assert_races("0f1 1wX 1e 0j1 0wX", "");
	assert_races("0f1 0j1 1wX 1e 0wX", ""); /* waits in the call */
	assert_races("0f1 0f2 1wX 2e 0j2 0wX", "2-5");
	assert_races("0f1 1f2 2wX 2e 1j2 1p 1e 0j1 0rX", ""); /* through another thread */
	assert_races("0f1 0f2 1wX 2rX", "2-3");
	assert_races("0f1 0f2 1rX 2rX 0rX", ""); /* no thread writes */
	assert_races("1wX 0rX", "0-1");		 /* threads without a creator */
}

static void test_lost_update(void **state)
{
	(void)state;
	assert_races("0f1 0f2 1lM 1rX 1wX 1uM 2lM 2rX 2wX 2uM", "");
	assert_races("0f1 0f2 1rX 1wX 2rX 2wX", "3-4 3-5");
	assert_races("0f1 0f2 1rX 2rX 2wX 1wX", "2-4 4-5");
	/* One of them holds the wrong lock. */
	assert_races("0f1 0f2 1lM 1rX 1wX 1uM 2lN 2rX 2wX 2uN", "4-7 4-8");
	/* A third access, without a lock, comes in between. */
	assert_races("0f1 0f2 1lM 1rX 2wX 1wX 1uM", "3-4 4-5");
}

/* A thread that waits in a call acquires what others release meanwhile. */
static void test_waiting(void **state)
{
	(void)state;
	assert_races("0f1 0f2 1lM 2lM 1wX 1uM 2wX 2uM", "");
	/* pthread_cond_wait has two objects: thread 2 waits, thread 1 signals and unlocks */
	assert_races("0f1 0f2 2lM 2rX 2sC 2uM 1lM 1wX 1sC 1uM 2rX 2wX 2uM", "");
	/* without the lock around the condition */
	assert_races("0f1 0f2 2lM 2rX 2sC 2uM 1wX 1sC 2rX", "3-6");
	/* The call ends at the thread's next point: later releases are not acquired. */
	assert_races("0f1 0f2 1sM 1p 2wX 2sM 1wX", "4-6");
	assert_races("0f1 0f2 1sM 2wX 2sM 1p 1wX", "");
}

/*
 * A robust lock passes to the next thread when its owner exits, whether or not that thread waited.
 */
static void test_end(void **state)
{
	(void)state;
	assert_races("0f1 0f2 1lM 1wX 2lM 2wX", "3-5");
	assert_races("0f1 0f2 1lM 1wX 1e 2lM 2wX", "");
	assert_races("0f1 0f2 1lM 2sM 1wX 1e 2p 2wX", "");
	assert_races("0f1 0f2 1lM 1lN 1wX 1e 2lN 2wX", "");
	/* thread 1 no longer holds the lock */
	assert_races("0f1 0f2 1lM 1wX 1uM 1wY 1e 2lM 2wY", "5-8");
}

static void test_publication(void **state)
{
	(void)state;
	assert_races("0f1 0wX 0wF 1rF 1rX", "2-3 1-4"); /* a plain flag */
	assert_races("0f1 0wX 0aF 1aF 1rX", "");
	assert_races("0f1 0wX 0aF 1rF", "2-3"); /* an atomic variable, read by a plain access */
	assert_races("0f1 0aF 0wX 1aF 1rX", "2-4");
	assert_races("0f1 0aX 1aX 0aX", "");
	assert_races("0wF 0f1 1aF 0aF", "");
}

/* Two atomic operations never race, even if they overlap only partially. */
static void test_atomics_overlap(void **state)
{
	struct races *r = races_new();
	char text[40];

	(void)state;
	races_access(r, 1, &(struct races_access){0x1000, 8, true, true, 1});
	races_access(r, 2, &(struct races_access){0x1004, 4, true, true, 2});
	assert_string_equal(trace_pairs(r, text, sizeof(text)), "");
	races_access(r, 3, &(struct races_access){0x1004, 4, false, false, 3});
	assert_string_equal(trace_pairs(r, text, sizeof(text)), "2-3");
	races_free(r);
}

/* Each thread announces its arrival and then waits for all. */
static void test_barrier(void **state)
{
	(void)state;
	assert_races("0f1 0f2 1wX 2wY 1sB 2sB 1rY 2rX 1sB 2sB 1wX 2wX", "10-11");
	assert_races("0f1 0f2 1wX 1sB 1p 2wY 2sB 1rY 2rX", "5-7"); /* thread 1 did not wait */
}

static void test_rwlock(void **state)
{
	(void)state;
	assert_races("0f1 0f2 0f3 1lR 1rX 2lR 2rX 1uR 2uR 3lR 3wX 3uR 1lR 1rX 1uR", "");
	assert_races("0f1 0f2 1lR 1rX 2wX 1uR", "3-4");
}

/* ---- examples of the FastTrack paper --------------------------------------------------------- */

/* FastTrack, section 2.1: the release of a lock orders a write before another write. */
static void test_paper(void **state)
{
	(void)state;
	assert_races("0f1 0wX 0uM 1lM 1wX", "");
	/* Section 2.2: reads by two threads, a join by one of them, and another write */
	assert_races("0wX 0f1 1rX 0rX 1rX 1e 0j1 0wX 0rX", "");
	/* Without the join the writes race with the last read of the other thread. */
	assert_races("0wX 0f1 1rX 0rX 1rX 0wX 0rX", "4-5");
	/* Unordered reads by many threads: the write races with each. */
	assert_races("0f1 0f2 0f3 1rX 2rX 3rX 0wX", "3-6 4-6 5-6");
	/* Only one read is unordered. */
	assert_races("0f1 0f2 0f3 1rX 2rX 3rX 1sM 3sM 0sM 0wX", "4-9");
}

/* ---- memory --------------------------------------------------------------------------------- */

struct piece {
	unsigned thread;
	uint64_t address, size;
	bool writes;
};

static const char *races_of(const struct piece *p, size_t count, char *text, size_t size)
{
	struct races *r = races_new();

	for (size_t i = 0; i < count; i++)
		races_access(r, p[i].thread,
			     &(struct races_access){.address = p[i].address,
						    .size = p[i].size,
						    .writes = p[i].writes,
						    .place = i});
	trace_pairs(r, text, size);
	races_free(r);
	return text;
}

#define assert_pieces(expected, ...)                                                               \
	do {                                                                                       \
		const struct piece p_[] = {__VA_ARGS__};                                           \
		char text_[200];                                                                   \
		assert_string_equal(races_of(p_, sizeof(p_) / sizeof(*p_), text_, sizeof(text_)),  \
				    expected);                                                     \
	} while (0)

static void test_bytes(void **state)
{
	(void)state;
	assert_pieces("", {1, 0x1000, 4, true}, {2, 0x1004, 4, true});
	assert_pieces("0-1", {1, 0x1000, 4, true}, {2, 0x1003, 1, false});
	assert_pieces("", {1, 0x1000, 3, true}, {2, 0x1003, 1, false});
	assert_pieces("0-1", {1, 0x1006, 4, true}, {2, 0x1009, 1, true}); /* two cells */
	assert_pieces("", {1, 0x1006, 4, true}, {2, 0x100a, 1, true}, {2, 0x1005, 1, true});
	assert_pieces("1-2 0-2", {1, 0x1000, 1, true}, {2, 0x1007, 1, true}, {3, 0x1000, 8, false});
	assert_pieces("0-1 0-2", {1, 0x1000, 8, true}, {2, 0x1000, 2, false},
		      {2, 0x1004, 2, false});
	assert_pieces("0-1", {1, 0x1003, 1000, true}, {2, 0x13ea, 1, true}); /* the last byte */
	assert_pieces("", {1, 0x1003, 1000, true}, {2, 0x13eb, 1, true});
	assert_pieces("0-1", {1, UINT64_MAX - 7, 8, true}, {2, UINT64_MAX, 1, true});
	assert_pieces("", {1, UINT64_MAX, 2, true}, {2, 0, 1, true}, {2, 0x1000, 0, true});
}

static void test_forget(void **state)
{
	struct races *r = races_new();
	char text[200];

	(void)state;
	/* A block is freed in the middle of a cell and used by another thread. */
	trace_access(r, 1, 'X', true, false, 1);
	races_forget(r, address_of('X') + 1, 3);
	races_access(r, 2, &(struct races_access){address_of('X') + 1, 3, true, false, 2});
	assert_string_equal(trace_pairs(r, text, sizeof(text)), "");
	races_access(r, 2, &(struct races_access){address_of('X'), 1, true, false, 3});
	assert_string_equal(trace_pairs(r, text, sizeof(text)), "1-3");
	/* Freeing more memory than there are cells for. */
	races_forget(r, 1 << 20, 1 << 30);
	races_access(r, 3, &(struct races_access){address_of('X'), 4, false, false, 9});
	assert_string_equal(trace_pairs(r, text, sizeof(text)), "1-3 2-9 3-9");
	/* Freeing all memory. */
	races_forget(r, 0, UINT64_MAX);
	races_access(r, 4, &(struct races_access){address_of('X'), 4, true, false, 4});
	assert_string_equal(trace_pairs(r, text, sizeof(text)), "1-3 2-9 3-9");
	/* The earlier lock ordered accesses; the lock that is there now does not. */
	trace_run(r, "1wY 1sM");
	races_forget(r, address_of('M'), 40);
	trace_run(r, "2sM 2wY");
	assert_string_equal(trace_pairs(r, text, sizeof(text)), "1-3 2-9 3-9 0-1");
	races_free(r);
}

/* free() races with all earlier accesses that are not ordered before it. */
static void test_give_back(void **state)
{
	struct races *r = races_new();
	char text[200];

	(void)state;
	trace_run(r, "0f1 0f2"); /* 0, 1 */
	races_access(r, 1, &(struct races_access){0x1000, 4, false, false, 11});
	races_access(r, 2, &(struct races_access){0x1004, 4, true, false, 12});
	/* after the block */
	races_access(r, 2, &(struct races_access){0x1010, 4, true, false, 13});
	races_access(r, 1, &(struct races_access){0x1008, 8, false, true, 14});
	races_give_back(r, 1, 0x1000, 16, 20);
	assert_string_equal(trace_pairs(r, text, sizeof(text)), "12-20");
	races_forget(r, 0x1000, 16);
	races_give_back(r, 2, 0x1000, 16, 21); /* earlier accesses to the block are forgotten */
	races_access(r, 2, &(struct races_access){0x1000, 4, true, false, 15});
	assert_string_equal(trace_pairs(r, text, sizeof(text)), "12-20");
	/* Ordered by a lock; an atomic access orders only earlier accesses. */
	trace_run(r, "2sM 1sM");
	races_give_back(r, 1, 0x1000, 16, 22);
	assert_string_equal(trace_pairs(r, text, sizeof(text)), "12-20");
	races_access(r, 1, &(struct races_access){0x2000, 8, false, true, 16});
	races_access(r, 1, &(struct races_access){0x3000, 4, true, false, 17});
	races_access(r, 2, &(struct races_access){0x2000, 8, true, true, 18});
	races_give_back(r, 2, 0x3000, 16, 23);
	assert_string_equal(trace_pairs(r, text, sizeof(text)), "12-20 17-23");
	races_give_back(r, 2, 0x2000, 0, 24);
	races_give_back(r, 2, UINT64_MAX, 16, 24);
	assert_string_equal(trace_pairs(r, text, sizeof(text)), "12-20 17-23");
	races_free(r);
}

static void access_at(struct races *r, unsigned thread, uint64_t address, uint64_t place)
{
	races_access(r, thread, &(struct races_access){address, 4, false, false, place});
}

/*
 * An access to a freed block that is not ordered after free() races until the block is allocated
 * again.
 */
static void test_given_back(void **state)
{
	struct races *r = races_new();
	char text[200];

	(void)state;
	trace_run(r, "0f1 0f2"); /* 0, 1 */
	races_give_back(r, 1, 0x1000, 16, 20);
	access_at(r, 1, 0x1000, 10); /* the thread that freed it */
	access_at(r, 2, 0xffc, 10);
	access_at(r, 2, 0x1010, 10);
	assert_string_equal(trace_pairs(r, text, sizeof(text)), "");
	access_at(r, 2, 0x100c, 11);
	assert_string_equal(trace_pairs(r, text, sizeof(text)), "20-11");
	assert_true(races_is_given_back(r, 0x100f) && !races_is_given_back(r, 0x1010));
	races_forget(r, 0x1004, 8); /* a part is allocated */
	access_at(r, 2, 0x1004, 12);
	access_at(r, 2, 0x1008, 12);
	access_at(r, 2, 0x1000, 13);
	races_give_back(r, 2, 0x1008, 8, 21);
	assert_string_equal(trace_pairs(r, text, sizeof(text)), "20-11 20-13 20-21");
	races_forget(r, 0x800, 0x1000); /* the whole block and more is allocated */
	assert_false(races_have_given_back(r));
	access_at(r, 2, 0x1000, 14);
	races_give_back(r, 1, 0x2000, 16, 22);
	trace_run(r, "1sM 2sM"); /* the other thread now knows of free() */
	access_at(r, 2, 0x2000, 15);
	races_give_back(r, 1, 0x3000, 16, 23);
	races_forget_given_back(r);
	access_at(r, 2, 0x3000, 16);
	assert_string_equal(trace_pairs(r, text, sizeof(text)), "20-11 20-13 20-21");
	races_free(r);
}

/* ---- reports -------------------------------------------------------------------------------- */

static void test_pair(void **state)
{
	struct races *r = races_new();
	const struct races_pair *pairs;
	size_t count;

	(void)state;
	races_lock(r, 1, 0x30);
	races_lock(r, 1, 0x20);
	races_lock(r, 1, 0x30); /* locked twice */
	races_unlock(r, 1, 0x30);
	races_access(r, 1, &(struct races_access){0x1000, 8, true, false, 70});
	races_lock(r, 2, 0x20);
	races_unlock(r, 2, 0x20);
	races_unlock(r, 2, 0x99); /* a lock that the thread does not hold */
	races_access(r, 2, &(struct races_access){0x1004, 8, false, true, 60});
	races_access(r, 1, &(struct races_access){0x1004, 8, true, false, 70});
	races_restart(r);
	races_access(r, 4, &(struct races_access){0x2000, 64, true, false, 60});
	races_access(r, 5, &(struct races_access){0x2000, 64, true, false, 70});
	pairs = races_pairs(r, &count);
	assert_int_equal(count, 1);
	assert_int_equal(pairs->count, 3); /* both orders, in both runs, of any size */
	assert_int_equal(pairs->address, 0x1004);
	assert_int_equal(pairs->first.place, 70);
	assert_int_equal(pairs->first.thread, 1);
	assert_true(pairs->first.writes && !pairs->first.atomic);
	assert_int_equal(pairs->first.lock_count, 2);
	assert_int_equal(pairs->first.locks[0], 0x20);
	assert_int_equal(pairs->first.locks[1], 0x30);
	assert_int_equal(pairs->second.place, 60);
	assert_int_equal(pairs->second.thread, 2);
	assert_true(!pairs->second.writes && pairs->second.atomic);
	assert_int_equal(pairs->second.lock_count, 0);
	races_free(r);
}

/* Nothing of an earlier run orders or races with accesses of the current run. */
static void test_restart(void **state)
{
	struct races *r = races_new();
	char text[100];

	(void)state;
	trace_run(r, "0wX 1sM 1lN 1aA");
	races_restart(r);
	trace_run(r, "1wX 1sM 1aA");
	assert_string_equal(trace_pairs(r, text, sizeof(text)), "");
	races_restart(r);
	trace_run(r, "0rY 1wY");
	assert_string_equal(trace_pairs(r, text, sizeof(text)), "0-1");
	races_restart(r);
	trace_run(r, "1rA 2rB 3rC 1sM 1p");
	races_restart(r);
	trace_run(r, "1rD 1wY 2sM 2wY");
	assert_string_equal(trace_pairs(r, text, sizeof(text)), "0-1 1-3");
	races_free(r);
}

/* Dropped pairs are found again if they recur; earlier pairs stay. */
static void test_drop(void **state)
{
	struct races *r = races_new();
	char text[64];

	(void)state;
	trace_run(r, "0wX 1wX");
	races_restart(r);
	trace_run(r, "0rY 1sM 1wY");
	assert_string_equal(trace_pairs(r, text, sizeof(text)), "0-1 0-2");
	races_drop_pairs(r, 1);
	assert_string_equal(trace_pairs(r, text, sizeof(text)), "0-1");
	races_restart(r);
	trace_run(r, "0wX 1wX");
	assert_string_equal(trace_pairs(r, text, sizeof(text)), "0-1");
	races_restart(r);
	trace_run(r, "0rY 1sM 1wY");
	assert_string_equal(trace_pairs(r, text, sizeof(text)), "0-1 0-2");
	races_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads),	  cmocka_unit_test(test_lost_update),
		cmocka_unit_test(test_waiting),	  cmocka_unit_test(test_publication),
		cmocka_unit_test(test_barrier),	  cmocka_unit_test(test_atomics_overlap),
		cmocka_unit_test(test_rwlock),	  cmocka_unit_test(test_paper),
		cmocka_unit_test(test_bytes),	  cmocka_unit_test(test_forget),
		cmocka_unit_test(test_pair),	  cmocka_unit_test(test_end),
		cmocka_unit_test(test_restart),	  cmocka_unit_test(test_drop),
		cmocka_unit_test(test_give_back), cmocka_unit_test(test_given_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
