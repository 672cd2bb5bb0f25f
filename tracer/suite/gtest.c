/* --gtest: a process for each test of a GoogleTest program. */
#include "tracer/suite/suite_internal.h"

#include <string.h>

enum { LIST_LIMIT_S = 60 };

/* A name ends at a blank: what follows is a comment (# TypeParam = int). */
static size_t name_length(const char *line)
{
	return strcspn(line, " \t\r\n");
}

static bool is_disabled(const char *name)
{
	return strncmp(name, "DISABLED_", 9) == 0 || strstr(name, "/DISABLED_") ||
	       strstr(name, ".DISABLED_");
}

static void add_test(char *const *argv, const char *suite, const char *name, size_t length,
		     struct suite_tests *tests)
{
	struct suite_test *test = array_add(tests);
	struct str full = {0}, filter = {0};

	str_add(&full, suite);
	str_add_bytes(&full, name, length);
	str_addf(&filter, "--gtest_filter=%s", str_text(&full));
	for (; *argv; argv++)
		suite_add(&test->argv, *argv);
	*array_add(&test->argv) = str_take(&filter);
	suite_end_argv(test);
	test->name = str_take(&full);
	if (is_disabled(test->name))
		test->not_run = base_strdup("disabled by its name");
}

/* The names of suites end with a dot and begin at the margin, those of their tests are indented. */
size_t suite_parse_gtest(const char *text, char *const *argv, struct suite_tests *tests)
{
	size_t before = tests->count;
	STR(suite);

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		size_t length = name_length(text);

		if (length && text[length - 1] == '.') {
			str_clear(&suite);
			str_add_bytes(&suite, text, length);
		} else if (length) {
			str_clear(&suite);
		} else if (suite.length && strncmp(text, "  ", 2) == 0 && name_length(text + 2)) {
			add_test(argv, str_text(&suite), text + 2, name_length(text + 2), tests);
		}
	}
	return tests->count - before;
}

static int not_gtest(const char *program, const char *what, struct error *err)
{
	error_set(err, ERROR_USAGE,
		  "--gtest: %s is no GoogleTest program: with --gtest_list_tests it %s", program,
		  what);
	return error_hint(err, "gatectl explore --list FILE, with a command on each line");
}

int suite_read_gtest(char *const *argv, struct suite_tests *tests, struct error *err)
{
	struct suite_texts words = {0};
	struct suite_end end;
	STR(text);
	int failed;

	for (char *const *word = argv; *word; word++)
		*array_add(&words) = *word;
	*array_add(&words) = (char *)"--gtest_list_tests";
	*array_add(&words) = NULL;
	failed = suite_capture(words.items, NULL, LIST_LIMIT_S, &text, &end, err);
	array_fini(&words);
	if (failed)
		return error_prefix(err, "--gtest: ");
	if (end.out_of_time)
		return not_gtest(argv[0], "does not end", err);
	if (end.signal || end.status)
		return not_gtest(argv[0], "fails", err);
	if (!suite_parse_gtest(str_text(&text), argv, tests))
		return not_gtest(argv[0], "lists no tests", err);
	return 0;
}
