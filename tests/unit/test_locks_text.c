/* Calls in source text, as parsed by tracer/features/waiting/locks_text.c. */
#include "tracer/features/waiting/waiting_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINES = 32 };

/*
 * "word(object
 * arg
 * arg)@line" of each call, with ! for a declaration.
 */
static char *calls_of(const char *text)
{
	char *copy = base_strdup(text), *save = NULL;
	const char *lines[LINES];
	struct locks_calls calls = {0};
	struct str out = {0};
	size_t count = 0;

	for (char *l = strtok_r(copy, "\n", &save); l && count < LINES;
	     l = strtok_r(NULL, "\n", &save))
		lines[count++] = l;
	locks_text(lines, count, 1, (unsigned)count, &calls);
	array_each(const struct locks_call, c, &calls) {
		str_addf(&out, "%s%s%s(%s", out.length ? " " : "", c->declares ? "!" : "", c->word,
			 c->object ? c->object : "");
		for (unsigned i = 0; i < c->args; i++)
			str_addf(&out, "|%s", c->arg[i]);
		str_addf(&out, ")@%u", c->line);
	}
	locks_text_fini(&calls);
	base_free(copy);
	return str_take(&out);
}

static void test_calls(void **state)
{
	static const struct {
		const char *text, *calls;
	} cases[] = {
		{"pthread_mutex_lock(&from->lock);", "pthread_mutex_lock(|&from->lock)@1"},
		{"q->items[i + 1].m_.lock();", "lock(q->items[i + 1].m_)@1"},
		{"get(x)->m.try_lock ( ) ;", "get(|x)@1 try_lock(get(x)->m)@1"},
		{"std::lock_guard<std::mutex> g(m);", "!lock_guard(|m)@1"},
		{"std::unique_lock lock{m, std::defer_lock};",
		 "!unique_lock(|m|std::defer_lock)@1"},
		{"wait_for(\n  a,\n  b);\nnext(c);", "wait_for(|a|b)@1 next(|c)@4"},
		{"f(\"lock(x);\", ')', a);", "f(|\"\"|\"\"|a)@1"},
		{"// lock(a)\n/* lock(b)\n lock(c) */ lock(d);", "lock(|d)@3"},
		{"#define L() lock(a) \\\n  lock(b)\nlock(c);", "lock(|c)@3"},
		{"if (x) return f(y); while (z) {}", "f(|y)@1"},
		{"a::b<c>::d(e);", "d(|e)@1"},
		{"int n = 1'000; f(n);", "f(|n)@1"},
		{"int n = 0xdead'beef; f(n);", "f(|n)@1"},
		{"c = u8'('; f(n);", "f(|n)@1"},
		{"lock(a", ""},
		{"lock)a(", ""},
		{"\"never ends lock(a);", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *calls = calls_of(cases[i].text);

		assert_string_equal(calls ? calls : "", cases[i].calls);
		base_free(calls);
	}
}

static void read_text(const char *const *lines, size_t count, struct locks_calls *out)
{
	*out = (struct locks_calls){0};
	locks_text(lines, count, 1, (unsigned)count, out);
}

static void test_blocks(void **state)
{
	static const char *const lines[] = {
		"lock(&a);",   "if (x) {", "\tunlock(&a);",   "\treturn;",
		"}",	       "if (y)",   "\tunlock(&b);",   "run([&](int n) mutable -> int {",
		"\tlock(&c);", "});",	   "(void)lock(&d);",
	};
	struct locks_calls calls;

	(void)state;
	read_text(lines, sizeof(lines) / sizeof(*lines), &calls);
	assert_int_equal(calls.count, 6);
	assert_int_equal(calls.items[0].until, 0);
	assert_false(calls.items[0].jumps);
	assert_int_equal(calls.items[1].until, 5); /* unlock(&a) */
	assert_true(calls.items[1].jumps);
	assert_false(calls.items[1].guarded);
	assert_true(calls.items[2].guarded); /* unlock(&b) */
	assert_string_equal(calls.items[3].word, "run");
	assert_int_equal(calls.items[3].last, 10);
	assert_true(calls.items[4].lambda); /* lock(&c) */
	assert_int_equal(calls.items[4].until, 10);
	assert_false(calls.items[5].lambda); /* lock(&d) */
	assert_false(calls.items[5].guarded);
	locks_text_fini(&calls);
}

/* Any text is only read. */
static void test_any_text(void **state)
{
	static const char some[] = "(){}[]<>;:,.->\"'\\/* #ab_1\n";
	char text[128];
	const char *lines[1] = {text};

	(void)state;
	srand(7);
	for (int round = 0; round < 20000; round++) {
		struct locks_calls calls;
		size_t n = (size_t)rand() % (sizeof(text) - 1);

		for (size_t i = 0; i < n; i++)
			text[i] = some[(size_t)rand() % (sizeof(some) - 1)];
		text[n] = '\0';
		read_text(lines, 1, &calls);
		array_each(const struct locks_call, c, &calls)
			assert_true(c->word && *c->word);
		locks_text_fini(&calls);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_any_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
