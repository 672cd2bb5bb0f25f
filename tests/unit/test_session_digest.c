/* Equality of two outputs by their digest. */
#include "tracer/base/text/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Digest of the text, added in pieces of `piece` bytes. */
static uint64_t sum(const char *text, size_t piece)
{
	size_t n = strlen(text);
	struct digest_written written;
	struct digest d;

	digest_begin(&d);
	for (size_t at = 0; at < n; at += piece)
		digest_add(&d, text + at, at + piece < n ? piece : n - at);
	written = digest_end(&d);
	assert_int_equal(written.start.length, n);
	assert_memory_equal(str_text(&written.start), text, n);
	digest_written_fini(&written);
	return written.text;
}

static bool same(const char *a, const char *b)
{
	for (size_t piece = 1; piece < 12; piece++) {
		assert_int_equal(sum(a, piece), sum(a, 1000));
		assert_int_equal(sum(b, piece), sum(b, 1000));
	}
	return sum(a, 1000) == sum(b, 1000);
}

static void times_are_the_same(void **state)
{
	static const char *const pairs[][2] = {
		{"[ OK ] a.b (60 ms)\n", "[ OK ] a.b (0 ms)\n"},
		{"took 1.25 s", "took 0.5 s"},
		{"took 12s, 3us", "took 1.5ms, 44 nanoseconds"},
		{"1 second", "2 seconds"},
		{"(60 ms total)", "(7 ms total)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		assert_true(same(pairs[i][0], pairs[i][1]));
}

static void others_are_not(void **state)
{
	static const char *const pairs[][2] = {
		{"6 * 7 = 42", "6 * 7 = 6"},
		{"3 seats", "4 seats"},
		{"12", "13"},
		{"12 m", "13 m"},
		{"1 2 s", "2 2 s"},
		{"a1 s", "a2 s"},
		{"v1.2s", "v1.3s"},
		{"5 ms_left", "6 ms_left"},
		{"5 ms", "5 m"},
		{"", "\n"},
		{"1234567890123456789012345678901234567890 s",
		 "2234567890123456789012345678901234567890 s"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		assert_false(same(pairs[i][0], pairs[i][1]));
		assert_true(same(pairs[i][0], pairs[i][0]));
	}
}

static struct digest_written written(const char *text)
{
	struct digest d;

	digest_begin(&d);
	digest_add(&d, text, strlen(text));
	return digest_end(&d);
}

static void assert_other_line(const char *was, const char *is, const char *words)
{
	struct digest_written a = written(was), b = written(is);
	struct str out = {0};

	assert_int_equal(digest_other_line(&a, &b, &out), *words != '\0');
	assert_string_equal(str_text(&out), words);
	str_fini(&out);
	digest_written_fini(&a);
	digest_written_fini(&b);
}

static void other_line_is_quoted(void **state)
{
	(void)state;
	assert_other_line("a\nb\n", "b\na\n", "");
	assert_other_line("took 5 ms\n", "took 17 ms\n", "");
	assert_other_line("a\n", "a\nvalue 7\n", "it also writes \"value 7\"");
	assert_other_line("a\na\n", "a\n", "it does not write \"a\"");
	assert_other_line("a\n", "\x1b[1m\n", "it also writes \"\\x1b[1m\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_the_same),
		cmocka_unit_test(others_are_not),
		cmocka_unit_test(other_line_is_quoted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
