/* The part of a livelock's schedule that shows the livelock. */
#include "tracer/sched/sched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { BEFORE = 300, ROUND = 3, LAST = 1000 };

/* Steps at new places first, then always at the same few. */
static void goes_round(struct schedule *s, size_t steps)
{
	for (size_t i = 0; i < steps; i++) {
		struct schedule_step *step = array_add(&s->steps);

		step->point.place = i < BEFORE ? BEFORE + i : i % ROUND;
		step->point.op = STRATEGY_READ;
	}
}

static void enough(size_t steps, size_t last, size_t expected)
{
	struct schedule s = {0};

	goes_round(&s, steps);
	assert_int_equal(sched_spins_enough(&s, last), expected);
	schedule_fini(&s);
}

static void rounds_and_the_steps_before(void **state)
{
	(void)state;
	enough(100000, SCHED_LOOKED_AT, BEFORE + 2 * SCHED_LOOKED_AT);
}

static void less_if_fewer_are_looked_at(void **state)
{
	(void)state;
	enough(100000, LAST, BEFORE + 2 * LAST);
}

static void never_more_than_there_are(void **state)
{
	(void)state;
	enough(10000, SCHED_LOOKED_AT, 10000);
	enough(9000, LAST, BEFORE + 2 * LAST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds_and_the_steps_before),
		cmocka_unit_test(less_if_fewer_are_looked_at),
		cmocka_unit_test(never_more_than_there_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
