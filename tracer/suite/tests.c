/* Tests and lists of texts; which tests a shard has, and their folders. */
#include "tracer/suite/suite_internal.h"

#include "tracer/base/text/regex.h"
#include "tracer/base/text/word.h"

#include <ctype.h>
#include <string.h>

enum { FOLDER_MOST = 100 };

/* ---- texts ----------------------------------------------------------------------------------- */

void suite_add(struct suite_texts *texts, const char *text)
{
	*array_add(texts) = base_strdup(text);
}

bool suite_has(const struct suite_texts *texts, const char *text)
{
	array_each(char *const, item, texts)
		if (strcmp(*item, text) == 0)
			return true;
	return false;
}

bool suite_overlap(const struct suite_texts *a, const struct suite_texts *b)
{
	array_each(char *const, item, a)
		if (suite_has(b, *item))
			return true;
	return false;
}

static void texts_fini(struct suite_texts *texts)
{
	array_each(char *, item, texts)
		base_free(*item);
	array_fini(texts);
}

void suite_end_argv(struct suite_test *test)
{
	*array_add(&test->argv) = NULL;
}

static void test_fini(struct suite_test *test)
{
	base_free(test->name);
	base_free(test->folder);
	base_free(test->dir);
	base_free(test->not_run);
	texts_fini(&test->argv);
	texts_fini(&test->env);
	texts_fini(&test->expects.pass);
	texts_fini(&test->expects.fail);
	texts_fini(&test->expects.skip_text);
	texts_fini(&test->after);
	texts_fini(&test->needs);
	texts_fini(&test->sets_up);
	texts_fini(&test->cleans_up);
}

void suite_tests_fini(struct suite_tests *tests)
{
	array_each(struct suite_test, test, tests)
		test_fini(test);
	array_fini(tests);
}

/* ---- words of a command ---------------------------------------------------------------------- */

/* Reads one word at *at. Returns as suite_words(). */
static int read_word(const char **at, struct str *out)
{
	const char *end;

	for (; **at && !isspace((unsigned char)**at); ++*at) {
		char quote = **at;

		if (quote == '\\' && (*at)[1]) {
			++*at;
			str_add_bytes(out, *at, 1);
		} else if (quote == '\'' || quote == '"') {
			for (++*at; **at && **at != quote; ++*at) {
				if (quote == '"' && **at == '\\' && strchr("\\\"$`", (*at)[1]))
					++*at;
				else if (quote == '"' && strchr("$`", **at))
					return 1;
				str_add_bytes(out, *at, 1);
			}
			if (!**at)
				return -1;
		} else {
			end = strchr("|&;<>()$`*?[]~{}!", quote);
			if (end)
				return 1;
			str_add_bytes(out, *at, 1);
		}
	}
	return 0;
}

int suite_words(const char *line, struct suite_texts *out)
{
	for (;;) {
		STR(word);
		int failed;

		line += strspn(line, " \t\r");
		if (!*line)
			return 0;
		failed = read_word(&line, &word);
		if (failed)
			return failed;
		suite_add(out, str_text(&word));
	}
}

/* ---- selection ------------------------------------------------------------------------------- */

static bool is_taken(const struct suite_tests *tests, const struct suite_test *upto,
		     const char *folder)
{
	for (const struct suite_test *t = tests->items; t < upto; t++)
		if (strcasecmp(t->folder, folder) == 0)
			return true;
	return false;
}

/* Makes a name from the test's, one that no test before it has. */
static void name_folder(const struct suite_tests *tests, struct suite_test *test)
{
	struct str name = {0};
	size_t length;

	for (const char *c = test->name; *c && name.length < FOLDER_MOST; c++)
		str_add_bytes(&name, word_char(*c) || strchr("+-.", *c) ? c : "_", 1);
	if (!name.length || *name.text == '.' || *name.text == '-')
		name.length ? (void)(*name.text = '_') : str_add(&name, "_");
	length = name.length;
	for (unsigned n = 2; is_taken(tests, test, str_text(&name)); n++) {
		name.length = length;
		str_addf(&name, "-%u", n);
	}
	test->folder = str_take(&name);
}

int suite_select(struct suite *s, const char *regex, struct error *err)
{
	size_t matching = 0, count = s->tests.count;

	if (regex && regex_wrong(regex))
		return error_set(err, ERROR_USAGE, "-R: '%s' is no regular expression: %s", regex,
				 regex_wrong(regex));
	s->results = base_alloc(count + 1, sizeof(*s->results));
	s->is_done = base_alloc(count + 1, sizeof(*s->is_done));
	s->is_mine = base_alloc(count + 1, sizeof(*s->is_mine));
	for (size_t i = 0; i < count; i++) {
		name_folder(&s->tests, &s->tests.items[i]);
		if (regex && !regex_matches(regex, s->tests.items[i].name))
			continue;
		s->is_mine[i] = matching++ % s->shards == s->shard - 1;
		s->mine += s->is_mine[i];
	}
	if (matching)
		return 0;
	if (regex)
		return error_set(err, ERROR_USAGE, "-R: no test of %zu matches '%s'", count, regex);
	return error_set(err, ERROR_USAGE, "the suite has no tests");
}
