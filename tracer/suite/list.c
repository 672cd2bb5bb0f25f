/* --list: one command a line. */
#include "tracer/suite/suite_internal.h"

#include "tracer/base/files/file.h"
#include "tracer/base/text/word.h"

#include <string.h>

/* True if the word is NAME=VALUE. */
static bool is_variable(const char *word)
{
	size_t length = word_length(word);

	return length && word[length] == '=';
}

/* Moves the variables before the command to the environment. */
static void take_variables(struct suite_test *test, struct suite_texts *words)
{
	size_t i = 0;

	for (; i < words->count && is_variable(words->items[i]); i++)
		*array_add(&test->env) = words->items[i];
	for (; i < words->count; i++)
		*array_add(&test->argv) = words->items[i];
	array_fini(words);
}

/* A line with syntax of the shell is the shell's. */
static void take_shell(struct suite_test *test, const char *line, struct suite_texts *words)
{
	array_each(char *, word, words)
		base_free(*word);
	array_fini(words);
	suite_add(&test->argv, "/bin/sh");
	suite_add(&test->argv, "-c");
	suite_add(&test->argv, line);
}

/* Returns what is wrong with the line, or NULL. */
static const char *take_line(const char *line, struct suite_tests *tests)
{
	struct suite_test *test = array_add(tests);
	struct suite_texts words = {0};
	int kind = suite_words(line, &words);
	bool is_empty;

	test->name = base_strdup(line);
	if (kind == 0)
		take_variables(test, &words);
	else
		take_shell(test, line, &words);
	is_empty = !test->argv.count;
	suite_end_argv(test);
	return kind < 0 ? "a quote is not closed" : is_empty ? "variables without a command" : NULL;
}

int suite_parse_list(const char *text, const char *path, struct suite_tests *tests,
		     struct error *err)
{
	unsigned number = 0;

	while (*text) {
		size_t length = strcspn(text, "\n"), blank = strspn(text, " \t\r");
		OWNED(line) = base_strndup(text, length);
		const char *wrong = NULL;

		number++;
		for (size_t end = length; end && strchr(" \t\r", line[end - 1]); end--)
			line[end - 1] = '\0';
		if (blank < length && line[blank] && line[blank] != '#')
			wrong = take_line(line + blank, tests);
		if (wrong)
			return error_set(err, ERROR_USAGE, "--list: %s:%u: %s", path, number,
					 wrong);
		text += length + (text[length] == '\n');
	}
	return 0;
}

int suite_read_list(const char *path, struct suite_tests *tests, struct error *err)
{
	OWNED(text) = file_read(path, err);

	if (!text)
		return error_prefix(err, "--list: ");
	if (suite_parse_list(text, path, tests, err) < 0)
		return -1;
	if (!tests->count)
		return error_set(err, ERROR_USAGE, "--list: %s: no command is in it", path);
	return 0;
}
