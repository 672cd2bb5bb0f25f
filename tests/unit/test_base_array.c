/* Growing, removing and sorting arrays. */
#include "tracer/base/array.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct named {
	const char *name;
	uint64_t key;
	unsigned small;
};

static int by_key(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static void test_search(void **state)
{
	static const uint64_t keys[] = {7, 3, UINT64_MAX, 3, 0};
	ARRAY(struct named) a = {0};

	(void)state;
	array_sort(&a, by_key);
	assert_int_equal(array_below(&a, key, 3), 0);
	assert_int_equal(array_upto(&a, small, 3), 0);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		*array_add(&a) = (struct named){"", keys[i], (unsigned)keys[i]};
	array_sort(&a, by_key); /* 0 3 3 7 and the maximum */
	assert_int_equal(array_below(&a, key, 0), 0);
	assert_int_equal(array_upto(&a, key, 0), 1);
	assert_int_equal(array_below(&a, key, 3), 1);
	assert_int_equal(array_upto(&a, key, 3), 3);
	assert_int_equal(array_below(&a, key, 8), 4);
	assert_int_equal(array_below(&a, key, UINT64_MAX), 4);
	assert_int_equal(array_upto(&a, key, UINT64_MAX), 5);
	assert_int_equal(array_below(&a, small, 7), 3);
	assert_int_equal(array_upto(&a, small, UINT32_MAX), 5);
	assert_int_equal(sorted_below(a.items + 1, 2, key, 3, true), 2);
	array_fini(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_search)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
