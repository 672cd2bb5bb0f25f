/* --ctest: the tests of a build folder (cmake-properties(7), "Properties on Tests"). */
#include "tracer/suite/suite_internal.h"

#include "tracer/base/text/json_read.h"
#include "tracer/base/text/regex.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIST_LIMIT_S = 120 };

/* ---- variables ------------------------------------------------------------------------------- */

/* Returns the value that the test has so far; "" if there is none. */
static const char *value_now(const struct suite_test *test, const char *name)
{
	size_t length = strlen(name);
	const char *found = getenv(name);

	array_each(char *const, item, &test->env)
		if (strncmp(*item, name, length) == 0 &&
		    (!(*item)[length] || (*item)[length] == '='))
			found = (*item)[length] ? *item + length + 1 : NULL;
	return found ? found : "";
}

/* Joins the value so far and another, unless one is empty. */
static void join(const struct suite_test *test, const char *name, const char *value,
		 const char *between, bool before, struct str *out)
{
	const char *now = value_now(test, name);

	between = *now && *value ? between : "";
	if (before)
		str_addf(out, "%s%s%s", value, between, now);
	else
		str_addf(out, "%s%s%s", now, between, value);
}

/* ENVIRONMENT_MODIFICATION: NAME=OPERATION:VALUE. Returns false if there is no such operation. */
static bool modify(struct suite_test *test, const char *text)
{
	static const struct {
		const char *operation, *between;
		bool before;
	} joins[] = {
		{"string_append", "", false},	   {"string_prepend", "", true},
		{"path_list_append", ":", false},  {"path_list_prepend", ":", true},
		{"cmake_list_append", ";", false}, {"cmake_list_prepend", ";", true},
	};
	const char *equals = strchr(text, '='), *colon = equals ? strchr(equals, ':') : NULL;
	STR(out);

	if (!colon)
		return false;
	OWNED(name) = base_strndup(text, (size_t)(equals - text));
	OWNED(operation) = base_strndup(equals + 1, (size_t)(colon - equals - 1));
	str_add(&out, name);
	if (strcmp(operation, "set") == 0)
		str_addf(&out, "=%s", colon + 1);
	else if (strcmp(operation, "reset") == 0 && getenv(name))
		str_addf(&out, "=%s", getenv(name));
	else if (strcmp(operation, "unset") != 0 && strcmp(operation, "reset") != 0) {
		size_t i = 0, count = sizeof(joins) / sizeof(*joins);

		while (i < count && strcmp(joins[i].operation, operation) != 0)
			i++;
		if (i == count)
			return false;
		str_add(&out, "=");
		join(test, name, colon + 1, joins[i].between, joins[i].before, &out);
	}
	suite_add(&test->env, str_text(&out));
	return true;
}

static void not_run(struct suite_test *test, const char *why, const char *what)
{
	STR(text);

	if (test->not_run)
		return;
	str_addf(&text, "%s%s", why, what);
	test->not_run = str_take(&text);
}

/* ---- properties ------------------------------------------------------------------------------ */

static void add_texts(const struct json_value *value, struct suite_texts *out)
{
	if (value->kind == JSON_STRING)
		suite_add(out, value->text);
	array_each(const struct json_value, item, value)
		if (item->kind == JSON_STRING)
			suite_add(out, item->text);
}

/* Properties that are lists of texts. */
static bool take_texts(struct suite_test *test, const char *name, const struct json_value *value)
{
	const struct {
		const char *name;
		struct suite_texts *out;
	} lists[] = {
		{"ENVIRONMENT", &test->env},
		{"DEPENDS", &test->after},
		{"FIXTURES_REQUIRED", &test->needs},
		{"FIXTURES_SETUP", &test->sets_up},
		{"FIXTURES_CLEANUP", &test->cleans_up},
		{"PASS_REGULAR_EXPRESSION", &test->expects.pass},
		{"FAIL_REGULAR_EXPRESSION", &test->expects.fail},
		{"SKIP_REGULAR_EXPRESSION", &test->expects.skip_text},
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		if (strcmp(lists[i].name, name) == 0) {
			add_texts(value, lists[i].out);
			return true;
		}
	return false;
}

static bool is_true(const struct json_value *value)
{
	return value->kind == JSON_STRING ? *value->text && strcmp(value->text, "0") != 0
					  : value->number != 0;
}

static void check_files(struct suite_test *test, const struct json_value *value)
{
	struct suite_texts files = {0};

	add_texts(value, &files);
	array_each(char *, file, &files) {
		if (access(*file, F_OK) < 0)
			not_run(test, "a required file is missing: ", *file);
		base_free(*file);
	}
	array_fini(&files);
}

static void take_property(struct suite_test *test, const char *name, const struct json_value *value)
{
	if (take_texts(test, name, value))
		return;
	if (strcmp(name, "WORKING_DIRECTORY") == 0 && value->kind == JSON_STRING) {
		base_free(test->dir);
		test->dir = base_strdup(value->text);
	} else if (strcmp(name, "TIMEOUT") == 0) {
		test->limit = value->number;
	} else if (strcmp(name, "WILL_FAIL") == 0) {
		test->expects.will_fail = is_true(value);
	} else if (strcmp(name, "SKIP_RETURN_CODE") == 0) {
		test->expects.skips = true;
		test->expects.skip = (int)value->number;
	} else if (strcmp(name, "DISABLED") == 0 && is_true(value)) {
		not_run(test, "disabled", "");
	} else if (strcmp(name, "RUN_SERIAL") == 0 || strcmp(name, "RESOURCE_LOCK") == 0) {
		test->serial |= value->count || is_true(value);
	} else if (strcmp(name, "REQUIRED_FILES") == 0) {
		check_files(test, value);
	}
}

/* After ENVIRONMENT, which it changes, wherever it stands. */
static void take_modifications(struct suite_test *test, const struct json_value *properties)
{
	array_each(const struct json_value, p, properties) {
		const char *name = json_member_text(p, "name");
		struct suite_texts texts = {0};

		if (!name || strcmp(name, "ENVIRONMENT_MODIFICATION") != 0)
			continue;
		add_texts(json_member(p, "value"), &texts);
		array_each(char *, text, &texts) {
			if (!modify(test, *text))
				not_run(test, "a change of the environment is not known: ", *text);
			base_free(*text);
		}
		array_fini(&texts);
	}
}

static void check_expressions(struct suite_test *test)
{
	const struct suite_texts *const all[] = {&test->expects.pass, &test->expects.fail,
						 &test->expects.skip_text};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		array_each(char *const, text, all[i])
			if (regex_wrong(*text))
				not_run(test, "no regular expression: ", *text);
}

static void take_test(const struct json_value *from, struct suite_tests *tests)
{
	const struct json_value *command = json_member(from, "command"),
				*properties = json_member(from, "properties");
	const char *name = json_member_text(from, "name");
	struct suite_test *test = array_add(tests);

	test->name = base_strdup(name ? name : "?");
	if (command)
		add_texts(command, &test->argv);
	if (properties)
		array_each(const struct json_value, p, properties)
			if (json_member_text(p, "name") && json_member(p, "value"))
				take_property(test, json_member_text(p, "name"),
					      json_member(p, "value"));
	if (properties)
		take_modifications(test, properties);
	check_expressions(test);
	if (!test->argv.count)
		not_run(test, "its program does not exist: it is not built", "");
	suite_end_argv(test);
}

int suite_parse_ctest(const char *text, struct suite_tests *tests, struct error *err)
{
	struct json_value json;
	const struct json_value *list;

	if (json_read(text, &json, err) < 0)
		return -1;
	list = json_member(&json, "tests");
	if (list)
		array_each(const struct json_value, from, list)
			take_test(from, tests);
	json_value_fini(&json);
	return list ? 0 : error_set(err, ERROR_STATE, "it has no list of tests");
}

/* ---- ctest ----------------------------------------------------------------------------------- */

static int ctest_failed(const struct suite_end *end, struct error *err)
{
	if (end->out_of_time)
		return error_set(err, ERROR_STATE, "--ctest: ctest --show-only does not end");
	return error_set(err, ERROR_STATE, "--ctest: ctest --show-only=json-v1 fails, status %d",
			 end->signal ? 128 + end->signal : end->status);
}

int suite_read_ctest(const char *folder, struct suite_tests *tests, struct error *err)
{
	static char *const argv[] = {(char *)"ctest", (char *)"--show-only=json-v1", NULL};
	struct suite_end end;
	STR(text);
	STR(file);

	str_addf(&file, "%s/CTestTestfile.cmake", folder);
	if (access(folder, F_OK) < 0)
		return error_errno(err, ERROR_USAGE, "--ctest: %s", folder);
	if (access(str_text(&file), R_OK) < 0) {
		error_errno(err, ERROR_USAGE, "--ctest: %s", str_text(&file));
		return error_hint(err, "a build folder of CMake whose project calls "
				       "enable_testing()");
	}
	if (suite_capture(argv, folder, LIST_LIMIT_S, &text, &end, err) < 0)
		return error_prefix(err, "--ctest: ");
	if (end.out_of_time || end.signal || end.status)
		return ctest_failed(&end, err);
	if (suite_parse_ctest(str_text(&text), tests, err) < 0)
		return error_prefix(err, "--ctest: what ctest --show-only=json-v1 prints: ");
	if (!tests->count)
		return error_set(err, ERROR_USAGE, "--ctest: %s has no tests", folder);
	return 0;
}
