/* Annotations: on GitHub, ::error file=FILE,line=LINE,title=gatectl%3A WORD::MESSAGE in the output
   of a job is shown beside the source line. */
#include "tracer/cli/report/report.h"

#include "tracer/base/text/foreign.h"
#include "tracer/base/log.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool annotate_is_wanted(void)
{
	const char *actions = getenv("GITHUB_ACTIONS");

	return actions && strcmp(actions, "true") == 0;
}

/* Returns the length of FILE if the text begins with "FILE:LINE:", or 0. */
static size_t annotate_place_of(const char *text, size_t length, unsigned long *line)
{
	for (size_t i = 1; i + 1 < length; i++) {
		char *end;

		if (text[i] != ':' || !isdigit((unsigned char)text[i + 1]))
			continue;
		*line = strtoul(text + i + 1, &end, 10);
		if (*line && *end == ':')
			return i;
	}
	return 0;
}

/* GitHub knows files by their path in the repository. */
static void annotate_add_file(struct str *out, const char *file, size_t length)
{
	const char *workspace = getenv("GITHUB_WORKSPACE"), *shown;
	char *given = base_strndup(file, length), *path = realpath(given, NULL);
	char *root = realpath(workspace ? workspace : ".", NULL);
	size_t prefix = root ? strlen(root) : 0;

	shown = path ? path : given;
	if (prefix && strncmp(shown, root, prefix) == 0 && shown[prefix] == '/')
		shown += prefix + 1;
	str_add(out, " file=");
	foreign_workflow(out, shown, strlen(shown), true);
	base_free(given);
	free(path);
	free(root);
}

/* Returns the text after `begin` on the first line that begins with it, or NULL. */
static const char *line_behind(const char *text, const char *begin)
{
	for (const char *at = text; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, begin, strlen(begin)) == 0)
			return at + strlen(begin);
	}
	return NULL;
}

static void add_properties(struct str *out, const char *word, size_t word_length, const char *file,
			   size_t file_length, unsigned long line)
{
	if (file_length) {
		annotate_add_file(out, file, file_length);
		if (line)
			str_addf(out, ",line=%lu", line);
	}
	str_addf(out, "%ctitle=gatectl%%3A ", file_length ? ',' : ' ');
	foreign_workflow(out, word, word_length, true);
}

void annotate(const char *text, const char *file, unsigned long line)
{
	const char *word = line_behind(text, "gatectl: "), *hint = line_behind(text, "try: ");
	size_t word_length = word ? strcspn(word, ":\n") : 0, file_length = file ? strlen(file) : 0;
	struct str out = {0};
	const char *message;

	if (!annotate_is_wanted() || !word || word[word_length] != ':')
		return;
	message = word + word_length + 1;
	message += strspn(message, " ");
	if (!file) {
		file = message;
		file_length = annotate_place_of(message, strcspn(message, "\n"), &line);
	}
	str_add(&out, "::error");
	add_properties(&out, word, word_length, file, file_length, line);
	str_add(&out, "::");
	foreign_workflow(&out, message, strcspn(message, "\n"), false);
	if (hint) {
		str_add(&out, "%0Atry: ");
		foreign_workflow(&out, hint, strcspn(hint, "\n"), false);
	}
	log_line("%s", str_text(&out));
	str_fini(&out);
}
