/* Failures that need a pause: which are time-related, in words, and their order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tracer/search/explore.h"

static struct explore_failure failure(unsigned long run, uint64_t pause_ns, uint64_t slept_ns)
{
	static char thread[] = "worker#1";

	return (struct explore_failure){.run = run,
					.pause = {pause_ns, slept_ns, pause_ns ? thread : NULL}};
}

static void says(const struct explore_failure *f, const char *expected)
{
	STR(words);

	explore_pause_words(f, &words);
	assert_string_equal(str_text(&words), expected);
	assert_int_equal(explore_is_time_related(f), *expected != '\0');
}

static void test_words(void **state)
{
	struct explore_failure f;

	(void)state;
	f = failure(1, 800000400, 100000000);
	says(&f, "time-related: needs worker#1 to pause for 0.8 s");
	f = failure(1, 12345000000, 0);
	says(&f, "time-related: needs worker#1 to pause for 12 s");
	f = failure(1, 2000000, 0);
	says(&f, "time-related: needs worker#1 to pause for 0.002 s");
}

/* A pause as long as a sleep of the program, one that any machine makes, and none. */
static void test_ordinary(void **state)
{
	struct explore_failure f;

	(void)state;
	f = failure(1, 300000000, 300000000);
	says(&f, "");
	f = failure(1, 1000000, 0);
	says(&f, "");
	f = failure(1, 0, 0);
	says(&f, "");
}

static void test_order(void **state)
{
	static const unsigned long expected[] = {2, 4, 1, 3};
	struct explore e = {0};

	(void)state;
	*array_add(&e.failures) = failure(1, 900000000, 0);
	*array_add(&e.failures) = failure(2, 0, 0);
	*array_add(&e.failures) = failure(3, 500000000, 1000000);
	*array_add(&e.failures) = failure(4, 500000000, 2000000000);
	explore_pauses_sort(&e);
	for (size_t i = 0; i < e.failures.count; i++)
		assert_int_equal(e.failures.items[i].run, expected[i]);
	array_fini(&e.failures);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_ordinary),
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
