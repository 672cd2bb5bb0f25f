/* Lock files: their text, similarity of lines, and the rewritten script. */
#include "tracer/scripts/scripts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char whole[] = "# What the locations of x.lua meant. Written by gatectl check --lock; "
			    "keep it beside the script.\n"
			    "lock 1\n"
			    "build calc 00ff\n"
			    "\n"
			    "at calc.c:10\n"
			    "\tobject calc\n"
			    "\tfunction pool::operator new +2\n"
			    "\tline calc.c:10\n"
			    "\t- two\n"
			    "\t- one\n"
			    "\t= a = b + c;\n"
			    "\t+ three\n"
			    "\t+ four\n"
			    "\n"
			    "at *0x1200\n"
			    "\tobject libx.so\n"
			    "\tfunction f\n";

static void test_round_trip(void **state)
{
	const struct meaning *m;
	struct lockfile lock = {0};
	struct str out = {0};
	ERROR(err);

	(void)state;
	assert_int_equal(lockfile_parse(whole, "x.lua.lock", &lock, &err), 0);
	assert_int_equal(lock.meanings.count, 2);
	m = lockfile_find(&lock, "  calc.c:10 ");
	assert_non_null(m);
	assert_string_equal(m->object, "calc");
	assert_string_equal(m->build, "00ff");
	assert_string_equal(m->function, "pool::operator new");
	assert_true(m->has_offset);
	assert_int_equal(m->in_function, 2);
	assert_string_equal(m->file, "calc.c");
	assert_int_equal(m->line, 10);
	assert_string_equal(m->text, "a = b + c;");
	assert_string_equal(m->before[0], "one");
	assert_string_equal(m->before[1], "two");
	assert_string_equal(m->behind[0], "three");
	assert_string_equal(m->behind[1], "four");
	assert_null(lock.meanings.items[1].build);
	assert_false(lock.meanings.items[1].has_offset);
	lockfile_print(&lock, "dir/x.lua", &out);
	assert_string_equal(str_text(&out), whole);
	lockfile_fini(&lock);
	str_fini(&out);
}

static void test_broken(void **state)
{
	static const struct {
		const char *text, *where;
	} cases[] = {
		{"", "p:1:"},
		{"lock 2\n", "p:1:"},
		{"lock 1\nnonsense\n", "p:2:"},
		{"lock 1\n\tline x:1\n", "p:2:"},
		{"lock 1\nat x\n\tline nowhere\n", "p:3:"},
		{"lock 1\nat x\n<<<<<<< HEAD\n", "p:3:"},
		{"lock 1\nbuild x\n", "p:2:"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct lockfile lock = {0};
		ERROR(err);

		assert_int_equal(lockfile_parse(cases[i].text, "p", &lock, &err), -1);
		assert_int_equal(strncmp(err.text, cases[i].where, strlen(cases[i].where)), 0);
		assert_non_null(err.hint);
		lockfile_fini(&lock);
	}
}

static void test_each_location_once(void **state)
{
	struct lockfile lock = {0};
	struct meaning a = {.location = base_strdup("x:1"), .text = base_strdup("first")};
	struct meaning b = {.location = base_strdup("x:1"), .text = base_strdup("second")};

	(void)state;
	lockfile_add(&lock, &a);
	lockfile_add(&lock, &b);
	assert_int_equal(lock.meanings.count, 1);
	assert_string_equal(lock.meanings.items[0].text, "first");
	lockfile_fini(&lock);
}

/* x:1 becomes x:2, and x:2 x:3: not both x:3. */
static void test_respell_is_at_once(void **state)
{
	struct lockfile lock = {0};
	struct meaning one = {.location = (char *)"x:2", .text = (char *)"a"};
	struct meaning two = {.location = (char *)"x:3", .text = (char *)"b"};
	const struct respelled changes[] = {{"x:1", &one}, {"x:2", &two}};
	struct meaning a = {.location = base_strdup("x:1")}, b = {.location = base_strdup("x:2")};

	(void)state;
	lockfile_add(&lock, &a);
	lockfile_add(&lock, &b);
	lockfile_respell(&lock, changes, 2);
	assert_int_equal(lock.meanings.count, 2);
	assert_string_equal(lock.meanings.items[0].location, "x:2");
	assert_string_equal(lock.meanings.items[0].text, "a");
	assert_string_equal(lock.meanings.items[1].location, "x:3");
	lockfile_fini(&lock);
}

static void folds_to(const char *text, const char *wanted)
{
	char *folded = drift_fold(text);

	assert_string_equal(folded, wanted);
	base_free(folded);
}

static void test_fold(void **state)
{
	char long_text[700];

	(void)state;
	folds_to("", "");
	folds_to(" \t ", "");
	folds_to("\ta  =\t b;\r", "a = b;");
	for (size_t odd = 0; odd < 2; odd++) { /* no character is split */
		char *folded;

		memset(long_text, 0, sizeof(long_text));
		long_text[0] = 'x';
		for (size_t i = odd; i + 2 < sizeof(long_text); i += 2)
			memcpy(long_text + i, "\xC3\xA9", 2); /* U+00E9 */
		folded = drift_fold(long_text);
		assert_int_equal(strlen(folded), 300 - odd);
		assert_string_equal(folded + strlen(folded) - 2, "\xC3\xA9");
		assert_true(drift_same_text(folded, long_text));
		base_free(folded);
	}
}

static void test_texts(void **state)
{
	(void)state;
	assert_true(drift_same_text("m = 7;", "  m=7 ;"));
	assert_true(drift_same_text("m = 7;", "m = 7; // seven"));
	assert_true(drift_same_text("m = /* old */ 7;", "m = 7; /* more"));
	assert_false(drift_same_text("m = 7;", "m = 8;"));
	assert_false(drift_same_text("open(\"http://a\");", "open(\"http://b\");"));
	assert_false(drift_same_text("// one", "// two"));
	assert_true(drift_same_text("// one", "// one"));
	assert_int_equal(drift_similarity("a = b;", "a=b;"), 100);
	assert_int_equal(drift_similarity("abcd", "wxyz"), 0);
	assert_true(drift_similarity("multiplier = 7;", "multiplier = 8;") >= 90);
	assert_true(drift_similarity("x", "a much longer line of text") < 50);
	assert_int_equal(drift_similarity("", ""), 100);
}

/* ---- scripts -------------------------------------------------------------------------------- */

static void rewrites(const char *text, unsigned line, const char *from, const char *to,
		     enum rewrite_answer answer, const char *wanted)
{
	struct rewrite edit = {.line = line, .from = from, .to = to};
	char *out = rewrite_script(text, &edit, 1);

	assert_int_equal(edit.answer, answer);
	assert_string_equal(out, wanted ? wanted : text);
	base_free(out);
}

static void test_rewrite(void **state)
{
	(void)state;
	rewrites("at \"a.c:1\":wait(g) -- \"a.c:1\"\r\n", 1, "a.c:1", "a.c:20", REWRITE_DONE,
		 "at \"a.c:20\":wait(g) -- \"a.c:1\"\r\n");
	rewrites("at 'a.c:1'", 1, "a.c:1", "b.c:2", REWRITE_DONE, "at 'b.c:2'");
	rewrites("at [==[a.c:1]==]", 1, "a.c:1", "b.c:2", REWRITE_DONE, "at [==[b.c:2]==]");
	rewrites("at(\" a.c:1 \")", 1, "a.c:1", "b.c:2", REWRITE_DONE, "at(\" b.c:2 \")");
	/* other locations with the same beginning or end */
	rewrites("at 'a.c:10' at 'x/a.c:1' at 'a.c:1'", 1, "a.c:1", "a.c:2", REWRITE_DONE,
		 "at 'a.c:10' at 'x/a.c:1' at 'a.c:2'");
	rewrites("--[[ 'a.c:1'\n]] at 'a.c:1'", 2, "a.c:1", "a.c:2", REWRITE_DONE,
		 "--[[ 'a.c:1'\n]] at 'a.c:2'");
	rewrites("#!/usr/bin/gatectl 'a.c:1'\nat 'a.c:1'", 2, "a.c:1", "a.c:2", REWRITE_DONE,
		 "#!/usr/bin/gatectl 'a.c:1'\nat 'a.c:2'");
	rewrites("log 'it\\'s' at 'a.c:1'", 1, "a.c:1", "a.c:2", REWRITE_DONE,
		 "log 'it\\'s' at 'a.c:2'");
}

static void test_rewrite_orders(void **state)
{
	(void)state;
	rewrites("order \"a.c:1 -> [a.c:10], f -> a.c:1@main\"", 1, "a.c:1", "a.c:2", REWRITE_DONE,
		 "order \"a.c:2 -> [a.c:10], f -> a.c:2@main\"");
	rewrites("order \"'a.c:1'->[a.c:1]\"", 1, "a.c:1", "a.c:2", REWRITE_DONE,
		 "order \"'a.c:2'->[a.c:2]\"");
	rewrites("order \"f:+1->f:+10\"", 1, "f:+1", "f:+3", REWRITE_DONE, "order \"f:+3->f:+10\"");
	/* a string of `log` is no order */
	rewrites("log 'at a.c:1 now'", 1, "a.c:1", "a.c:2", REWRITE_NOT_FOUND, NULL);
}

static void test_rewrite_elsewhere(void **state)
{
	(void)state;
	rewrites("for _, l in ipairs {'a.c:1'} do\nat(l)\nend", 2, "a.c:1", "a.c:2", REWRITE_DONE,
		 "for _, l in ipairs {'a.c:2'} do\nat(l)\nend");
	rewrites("local a, b = 'a.c:1', 'a.c:1'\nat(a)\nat(b)", 2, "a.c:1", "a.c:2",
		 REWRITE_AMBIGUOUS, NULL);
	rewrites("at('a.c:' .. 1)", 1, "a.c:1", "a.c:2", REWRITE_NOT_FOUND, NULL);
	rewrites("", 1, "a.c:1", "a.c:2", REWRITE_NOT_FOUND, NULL);
	rewrites("at 'a.c:1", 1, "a.c:2", "a.c:3", REWRITE_NOT_FOUND, NULL);
	rewrites("--[[ never closed 'a.c:1'", 1, "a.c:1", "a.c:2", REWRITE_NOT_FOUND, NULL);
}

static void test_rewrite_several(void **state)
{
	static const char text[] = "at 'a.c:1'\nat 'a.c:2' -- two\nat 'a.c:1'\n";
	struct rewrite edits[] = {
		{1, "a.c:1", "a.c:2", REWRITE_DONE},
		{2, "a.c:2", "a.c:3", REWRITE_DONE},
		{3, "a.c:1", "a.c:2", REWRITE_DONE},
	};
	char *out = rewrite_script(text, edits, 3);

	(void)state;
	assert_string_equal(out, "at 'a.c:2'\nat 'a.c:3' -- two\nat 'a.c:2'\n");
	base_free(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_each_location_once),
		cmocka_unit_test(test_respell_is_at_once),
		cmocka_unit_test(test_fold),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_rewrite),
		cmocka_unit_test(test_rewrite_orders),
		cmocka_unit_test(test_rewrite_elsewhere),
		cmocka_unit_test(test_rewrite_several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
