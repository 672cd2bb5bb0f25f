/* An error owns its strings. Under -fsanitize=address these tests find leaks and double frees. */
#include "tracer/base/array.h"
#include "tracer/base/error.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_empty(const struct error *err)
{
	assert_int_equal(err->code, ERROR_NONE);
	assert_null(err->text);
	assert_null(err->hint);
	assert_string_equal(error_text(err), "");
}

static void test_empty(void **state)
{
	ERROR(err);

	(void)state;
	assert_empty(&err);
	error_fini(&err);
	assert_empty(&err);
	assert_true(sizeof(err) <= 3 * sizeof(void *));
}

static void test_set(void **state)
{
	ERROR(err);

	(void)state;
	assert_int_equal(error_set(&err, ERROR_STATE, "%s is %d", "x", 7), -1);
	assert_int_equal(err.code, ERROR_STATE);
	assert_string_equal(err.text, "x is 7");
	assert_null(err.hint);
	error_fini(&err);
	assert_empty(&err);
	error_set(&err, ERROR_USAGE, "%s", "");
	assert_string_equal(err.text, "");
}

static void test_hint(void **state)
{
	ERROR(err);

	(void)state;
	error_set(&err, ERROR_USAGE, "no");
	assert_int_equal(error_hint(&err, "try %d", 1), -1);
	assert_string_equal(err.text, "no");
	assert_string_equal(err.hint, "try 1");
	error_hint(&err, "%s, then %d", err.hint, 2);
	assert_string_equal(err.hint, "try 1, then 2");
	error_set(&err, ERROR_USAGE, "another");
	assert_null(err.hint); /* the hint belonged to the first error */
	error_fini(&err);
	error_hint(&err, "of nothing");
	assert_string_equal(err.text, "");
	error_fini(&err);
	assert_empty(&err);
}

static void test_of_itself(void **state)
{
	ERROR(err);

	(void)state;
	error_set(&err, ERROR_STATE, "inner");
	error_hint(&err, "advice");
	error_set(&err, ERROR_OBJECT, "f.c:3: %s (%s)", err.text + 2, err.hint);
	assert_int_equal(err.code, ERROR_OBJECT);
	assert_string_equal(err.text, "f.c:3: ner (advice)");
	errno = ENOENT;
	error_errno(&err, ERROR_SYSTEM, "%s", err.text);
	assert_string_equal(err.text, "f.c:3: ner (advice): No such file or directory");
	error_hint(&err, "%.5s", err.text);
	assert_string_equal(err.hint, "f.c:3");
}

static void test_prefix(void **state)
{
	ERROR(err);

	(void)state;
	error_set(&err, ERROR_LOCATION, "no such line");
	error_hint(&err, "look");
	assert_int_equal(error_prefix(&err, "%s:%d: ", "f.lua", 4), -1);
	assert_int_equal(err.code, ERROR_LOCATION);
	assert_string_equal(err.text, "f.lua:4: no such line");
	assert_string_equal(err.hint, "look");
	error_prefix(&err, "%s, ", err.hint);
	assert_string_equal(err.text, "look, f.lua:4: no such line");
}

static void test_move(void **state)
{
	ERROR(from);
	ERROR(to);

	(void)state;
	error_set(&to, ERROR_USAGE, "old");
	error_hint(&to, "old");
	error_set(&from, ERROR_STATE, "text");
	error_hint(&from, "hint");
	assert_int_equal(error_move(&to, &from), -1);
	assert_empty(&from);
	assert_int_equal(to.code, ERROR_STATE);
	assert_string_equal(to.text, "text");
	assert_string_equal(to.hint, "hint");
	error_move(&to, &to);
	assert_string_equal(to.text, "text");
	error_move(&to, &from); /* moves an empty error */
	assert_empty(&to);
}

static void test_copy(void **state)
{
	ERROR(from);
	ERROR(to);

	(void)state;
	error_set(&to, ERROR_USAGE, "old");
	error_hint(&to, "old");
	error_set(&from, ERROR_STATE, "text");
	assert_int_equal(error_copy(&to, &from), -1);
	assert_int_equal(to.code, ERROR_STATE);
	assert_string_equal(to.text, "text");
	assert_ptr_not_equal(to.text, from.text);
	assert_null(to.hint);
	error_hint(&from, "hint");
	error_copy(&to, &from);
	assert_string_equal(to.hint, "hint");
	error_copy(&to, &to);
	assert_string_equal(to.text, "text");
	error_fini(&from);
	assert_string_equal(to.text, "text");
	error_copy(&to, &from); /* copies an empty error */
	assert_empty(&to);
}

/* Lengths around the size formatted on the stack, and around the limit. */
static void test_lengths(void **state)
{
	static const size_t lengths[] = {1,
					 510,
					 511,
					 512,
					 513,
					 5000,
					 ERROR_TEXT_MOST - 1,
					 ERROR_TEXT_MOST,
					 ERROR_TEXT_MOST + 9};
	char *text = base_alloc(ERROR_TEXT_MOST + 10, 1);
	ERROR(err);

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		size_t n = lengths[i], cut = n < ERROR_TEXT_MOST ? n : ERROR_TEXT_MOST - 1;

		memset(text, 'a' + (int)i, n);
		text[n] = '\0';
		error_set(&err, ERROR_STATE, "%s", text);
		error_hint(&err, "%s", text);
		assert_int_equal(strlen(err.text), cut);
		assert_memory_equal(err.text, text, cut);
		assert_string_equal(err.hint, err.text);
	}
	error_prefix(&err, "x: ");
	assert_int_equal(strlen(err.text), ERROR_TEXT_MOST - 1);
	assert_memory_equal(err.text, "x: ", 3);
	base_free(text);
}

/* Each round has its own error. */
static void test_scopes(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		ERROR(err);

		if (i == 2)
			continue;
		assert_empty(&err);
		error_set(&err, ERROR_STATE, "%d", i);
		error_hint(&err, "%d", i);
		if (i == 1)
			break;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),  cmocka_unit_test(test_set),
		cmocka_unit_test(test_hint),   cmocka_unit_test(test_of_itself),
		cmocka_unit_test(test_prefix), cmocka_unit_test(test_move),
		cmocka_unit_test(test_copy),   cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_scopes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
