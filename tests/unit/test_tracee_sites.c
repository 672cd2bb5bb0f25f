/* Traps: every arrival is reported once, whatever else happens in the program. */
#include "test_tracee_scenes.h"

static void every_hit_counts(void **state)
{
	struct counted plain = {.sites = {nop_line}}, all;

	(void)state;
	run_scene(&plain, "hammer");
	assert_int_equal(plain.status, 0);
	assert_int_equal(plain.hits, THREADS * ROUNDS);
	assert_int_equal(plain.counts[TRACEE_THREAD_START], THREADS);
	all = (struct counted){.sites = {push_line, call_site, call_by_site, branch_site,
					 count_site, return_site, syscall_site}};
	run_scene(&all, "hammer");
	assert_int_equal(all.status, 0);
	assert_int_equal(all.hits, 7 * THREADS * ROUNDS);
}

static void every_hit_counts_under_signals(void **state)
{
	struct counted r = {.sites = {push_line, call_site, call_by_site, branch_site, count_site,
				      return_site, syscall_site}};

	(void)state;
	run_scene(&r, "alarms");
	assert_int_equal(r.status, 0);
	assert_int_equal(r.hits, 7 * THREADS * ROUNDS);
	assert_true(r.counts[TRACEE_SIGNAL] > 10);
}

static void every_hit_counts_among_forks(void **state)
{
	struct counted r = {.sites = {nop_line, call_by_site}};

	(void)state;
	run_scene(&r, "forks");
	assert_int_equal(r.status, 0);
	assert_int_equal(r.hits, 2 * THREADS * ROUNDS);
	assert_true(r.counts[TRACEE_FORK] > 2);
	assert_int_equal(r.counts[TRACEE_FORK], r.counts[TRACEE_PROCESS_START]);
	assert_int_equal(r.counts[TRACEE_FORK], r.counts[TRACEE_EXEC]);
}

static void not_followed(void **state)
{
	struct counted r = {.sites = {nop_line, call_by_site}, .no_follow = true};

	(void)state;
	run_scene(&r, "forks");
	assert_int_equal(r.status, 0);
	assert_int_equal(r.hits, 2 * THREADS * ROUNDS);
	assert_true(r.counts[TRACEE_FORK] > 2);
	assert_int_equal(r.counts[TRACEE_PROCESS_START], 0);
	assert_int_equal(r.counts[TRACEE_PROCESS_GONE], 1);
	r = (struct counted){.sites = {nop_line}, .no_follow = true};
	run_scene(&r, "vfork");
	assert_int_equal(r.status, 0);
	assert_int_equal(r.hits, 1);
}

static void handlers_see_the_original(void **state)
{
	struct counted r = {.sites = {load_site}};

	(void)state;
	run_scene(&r, "faults");
	assert_int_equal(r.status, 0);
	assert_int_equal(r.hits, 8);
	r = (struct counted){.sites = {ud2_site}};
	run_scene(&r, "undefined");
	assert_int_equal(r.status, 0);
	assert_int_equal(r.hits, 1);
	r = (struct counted){.sites = {wait_site}};
	run_scene(&r, "restart");
	assert_int_equal(r.status, 0);
	assert_int_equal(r.hits, 1);
}

static void children_of_killed_creators(void **state)
{
	struct counted r;

	(void)state;
	for (int i = 0; i < 2; i++) {
		r = (struct counted){.sites = {nop_line}, .trace_exit = i};
		run_scene(&r, "orphans");
		assert_int_equal(r.status, 0);
		assert_true(r.hits > 0);
		assert_int_equal(r.counts[TRACEE_PROCESS_START] + 1, r.counts[TRACEE_PROCESS_GONE]);
	}
}

static void exec_by_another_thread(void **state)
{
	struct counted r = {.sites = {nop_line}};

	(void)state;
	run_scene(&r, "exec");
	assert_int_equal(WEXITSTATUS(r.status), 7);
	assert_int_equal(r.hits, 2);
	assert_int_equal(r.counts[TRACEE_THREAD_START], 4);
	assert_int_equal(r.counts[TRACEE_THREAD_GONE], 5);
	assert_int_equal(r.counts[TRACEE_EXEC], 1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(every_hit_counts, sweep),
		cmocka_unit_test_teardown(every_hit_counts_under_signals, sweep),
		cmocka_unit_test_teardown(every_hit_counts_among_forks, sweep),
		cmocka_unit_test_teardown(not_followed, sweep),
		cmocka_unit_test_teardown(handlers_see_the_original, sweep),
		cmocka_unit_test_teardown(children_of_killed_creators, sweep),
		cmocka_unit_test_teardown(exec_by_another_thread, sweep),
	};

	if (argc > 1)
		play_scene(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
