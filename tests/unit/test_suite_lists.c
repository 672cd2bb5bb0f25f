/* Readers of suites: JSON, lists of commands, GoogleTest's and CTest's lists, and CTest's rules. */
#include "tracer/suite/suite.h"

#include "tracer/base/text/json_read.h"
#include "tracer/base/text/regex.h"
#include "tracer/base/text/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- JSON ------------------------------------------------------------------------------------ */

static void reads_json(void **state)
{
	struct json_value v;
	ERROR(err);

	(void)state;
	assert_int_equal(
		json_read(
			" {\"a\" : [1, -2.5e1, true, null], \"b\":\"x\\u00e9\\n\\ud83d\\ude00\"} ",
			&v, &err),
		0);
	assert_int_equal(json_member(&v, "a")->count, 4);
	assert_true(json_member(&v, "a")->items[1].number == -25);
	assert_int_equal(json_member(&v, "a")->items[2].kind, JSON_BOOL);
	assert_string_equal(json_member_text(&v, "b"), "x\xc3\xa9\n\xf0\x9f\x98\x80");
	assert_null(json_member(&v, "c"));
	assert_true(json_member_number(&v, "c", 7) == 7);
	json_value_fini(&v);
}

static void rejects_what_is_no_json(void **state)
{
	static const char *const texts[] = {
		"",	     "{",	"[1,]", "{\"a\" 1}",	      "\"x",
		"\"\\u12\"", "tru",	"1 2",	"\"\\ud800\\u0041\"", "{\"a\":1,}",
		"+1",	     "\"\\x\"", "[1"};
	STR(deep);
	struct json_value v;
	ERROR(err);

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(json_read(texts[i], &v, &err), -1);
	for (int i = 0; i < 100000; i++)
		str_add(&deep, "[");
	assert_int_equal(json_read(str_text(&deep), &v, &err), -1);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void check_words(const struct suite_texts *got, const char *const *expected)
{
	size_t i = 0;

	for (; expected[i]; i++)
		assert_string_equal(got->items[i], expected[i]);
	assert_true(i == got->count || !got->items[i]);
}

static void reads_commands(void **state)
{
	struct suite_tests tests = {0};
	ERROR(err);

	(void)state;
	assert_int_equal(suite_parse_list("# no test\n\n  ./a 'b c' \"d\\\"e\" f\\ g  \n"
					  "A=1 B='2 3' ./h\n./i | grep x\n./j --a=b",
					  "list", &tests, &err),
			 0);
	assert_int_equal(tests.count, 4);
	check_words(&tests.items[0].argv, (const char *[]){"./a", "b c", "d\"e", "f g", NULL});
	check_words(&tests.items[1].env, (const char *[]){"A=1", "B=2 3", NULL});
	check_words(&tests.items[1].argv, (const char *[]){"./h", NULL});
	check_words(&tests.items[2].argv, (const char *[]){"/bin/sh", "-c", "./i | grep x", NULL});
	check_words(&tests.items[3].argv, (const char *[]){"./j", "--a=b", NULL});
	assert_string_equal(tests.items[0].name, "./a 'b c' \"d\\\"e\" f\\ g");
	suite_tests_fini(&tests);
}

static void reports_lines_of_lists(void **state)
{
	struct suite_tests tests = {0};
	ERROR(err);

	(void)state;
	assert_int_equal(suite_parse_list("./a\n./b 'x\n", "list", &tests, &err), -1);
	assert_string_equal(error_text(&err), "--list: list:2: a quote is not closed");
	assert_int_equal(suite_parse_list("A=1\n", "list", &tests, &err), -1);
	assert_string_equal(error_text(&err), "--list: list:1: variables without a command");
	suite_tests_fini(&tests);
}

static void reads_tests_of_googletest(void **state)
{
	static char *const argv[] = {(char *)"./t", (char *)"-x", NULL};
	struct suite_tests tests = {0};

	(void)state;
	assert_int_equal(suite_parse_gtest("Running main() from gtest_main.cc\n"
					   "Queue.\n  Push\n  DISABLED_Pop\n"
					   "Typed/0.  # TypeParam = int\n  Size\n"
					   "Some/Many.\n  Is/1  # GetParam() = 2\n",
					   argv, &tests),
			 4);
	assert_string_equal(tests.items[0].name, "Queue.Push");
	assert_null(tests.items[0].not_run);
	assert_non_null(tests.items[1].not_run);
	assert_string_equal(tests.items[2].name, "Typed/0.Size");
	check_words(&tests.items[3].argv,
		    (const char *[]){"./t", "-x", "--gtest_filter=Some/Many.Is/1", NULL});
	assert_int_equal(suite_parse_gtest("no.\nlist\n  of tests\n", argv, &tests), 0);
	suite_tests_fini(&tests);
}

/* ---- CTest ----------------------------------------------------------------------------------- */

static void reads_tests_of_ctest(void **state)
{
	static const char text[] =
		"{\"tests\":[{\"name\":\"a\",\"command\":[\"/a\",\"1\"],\"properties\":["
		"{\"name\":\"ENVIRONMENT\",\"value\":[\"P=x\",\"Q=1\"]},"
		"{\"name\":\"ENVIRONMENT_MODIFICATION\",\"value\":[\"P=path_list_prepend:y\","
		"\"Q=unset:\",\"R=set:a:b\"]},"
		"{\"name\":\"SKIP_RETURN_CODE\",\"value\":77},"
		"{\"name\":\"WILL_FAIL\",\"value\":true},"
		"{\"name\":\"WORKING_DIRECTORY\",\"value\":\"/w\"}]},"
		"{\"name\":\"b\",\"properties\":[]}]}";
	struct suite_tests tests = {0};
	ERROR(err);

	(void)state;
	assert_int_equal(suite_parse_ctest(text, &tests, &err), 0);
	assert_int_equal(tests.count, 2);
	check_words(&tests.items[0].argv, (const char *[]){"/a", "1", NULL});
	check_words(&tests.items[0].env,
		    (const char *[]){"P=x", "Q=1", "P=y:x", "Q", "R=a:b", NULL});
	assert_string_equal(tests.items[0].dir, "/w");
	assert_true(tests.items[0].expects.will_fail && tests.items[0].expects.skips);
	assert_non_null(tests.items[1].not_run);
	suite_tests_fini(&tests);
	assert_int_equal(suite_parse_ctest("{\"kind\":\"other\"}", &tests, &err), -1);
}

static char *const one[] = {(char *)"n = [12]{2}"};

static void judges_as_ctest(void **state)
{
	const struct suite_expects plain = {0}, fails = {.will_fail = true},
				   skips = {.skips = true, .skip = 77},
				   wanted = {.pass = {(char **)one, 1, 0}},
				   unwanted = {.fail = {(char **)one, 1, 0}},
				   not_wanted = {.will_fail = true, .pass = {(char **)one, 1, 0}};

	(void)state;
	assert_int_equal(suite_judge(&plain, 0, ""), SUITE_AS_EXPECTED);
	assert_int_equal(suite_judge(&plain, 1, ""), SUITE_NOT_AS_EXPECTED);
	assert_int_equal(suite_judge(&fails, 1, ""), SUITE_AS_EXPECTED);
	assert_int_equal(suite_judge(&fails, 0, ""), SUITE_NOT_AS_EXPECTED);
	assert_int_equal(suite_judge(&skips, 77, ""), SUITE_SKIPS);
	assert_int_equal(suite_judge(&wanted, 3, "so n = 1{2}"), SUITE_AS_EXPECTED);
	assert_int_equal(suite_judge(&wanted, 0, "n = 22"), SUITE_NOT_AS_EXPECTED);
	assert_int_equal(suite_judge(&unwanted, 0, "n = 2{2}"), SUITE_NOT_AS_EXPECTED);
	assert_int_equal(suite_judge(&unwanted, 0, "n = 3"), SUITE_AS_EXPECTED);
	assert_int_equal(suite_judge(&not_wanted, 0, "n = 3"), SUITE_AS_EXPECTED);
}

static void knows_expressions(void **state)
{
	(void)state;
	assert_null(regex_wrong("a(b|c)*[^]x{]{"));
	assert_non_null(regex_wrong("("));
	assert_non_null(regex_wrong("(a)\\1"));
	assert_true(regex_matches("^a[0-9]+$", "a12"));
	assert_false(regex_matches("^a[0-9]+$", "a12\n"));
}

/* ---- selection ------------------------------------------------------------------------------- */

static void names_folders(void **state)
{
	struct suite s = {.shard = 1, .shards = 1};
	ERROR(err);

	(void)state;
	assert_int_equal(suite_parse_list("./a/b\n./a b\n.\n./A_b\n", "list", &s.tests, &err), 0);
	assert_int_equal(suite_select(&s, NULL, &err), 0);
	assert_string_equal(s.tests.items[0].folder, "__a_b");
	assert_string_equal(s.tests.items[1].folder, "__a_b-2");
	assert_string_equal(s.tests.items[2].folder, "_");
	assert_string_equal(s.tests.items[3].folder, "__A_b-3");
	suite_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_json),
		cmocka_unit_test(rejects_what_is_no_json),
		cmocka_unit_test(reads_commands),
		cmocka_unit_test(reports_lines_of_lists),
		cmocka_unit_test(reads_tests_of_googletest),
		cmocka_unit_test(reads_tests_of_ctest),
		cmocka_unit_test(judges_as_ctest),
		cmocka_unit_test(knows_expressions),
		cmocka_unit_test(names_folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
