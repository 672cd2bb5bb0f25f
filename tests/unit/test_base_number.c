/* Parsing of numbers. */
#include "tracer/base/text/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct sample {
	const char *text;
	uint64_t most;
	bool is_one;
	uint64_t number;
};

static const struct sample samples[] = {
	{"0", 9, true, 0},
	{"0", 0, true, 0},
	{"1", 0, false, 0},
	{"007", 9, true, 7},
	{"10", 9, false, 0},
	{"9", 9, true, 9},
	{"19", 18, false, 0},
	{"18", 18, true, 18},
	{"18446744073709551615", UINT64_MAX, true, UINT64_MAX},
	{"18446744073709551616", UINT64_MAX, false, 0},
	{"99999999999999999999", UINT64_MAX, false, 0},
	{"9223372036854775808", INT64_MAX, false, 0},
	{"", 9, false, 0},
	{"-1", 9, false, 0},
	{"+1", 9, false, 0},
	{" 1", 9, false, 0},
	{"1 ", 9, false, 0},
	{"1x", 9, false, 0},
	{"0x1", 99, false, 0},
	{"1.5", 99, false, 0},
};

static void test_numbers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		uint64_t number;

		if (number_read(samples[i].text, samples[i].most, &number) != samples[i].is_one)
			fail_msg("'%s' up to %ju", samples[i].text, (uintmax_t)samples[i].most);
		if (samples[i].is_one)
			assert_int_equal(number, samples[i].number);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
