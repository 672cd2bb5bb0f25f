#include "tracer/audit/frontend/reader.h"

#include "tracer/base/files/file.h"
#include "tracer/base/files/path.h"
#include "tracer/base/text/str.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST = 200, SEEN_GOOD = 1, SEEN_BAD };

/* One directive. */
struct include {
	const char *name;
	int length;
	bool is_quoted;
	unsigned line;
};

enum what { IS_NOTHING, IS_FILE, IS_ENDLESS };

/* What is not there is libclang's to tell; /dev/null is empty. */
static enum what what_is(const char *path)
{
	struct stat s, null;

	if (stat(path, &s) != 0)
		return IS_NOTHING;
	if (S_ISREG(s.st_mode))
		return IS_FILE;
	if (S_ISDIR(s.st_mode) || (stat("/dev/null", &null) == 0 && s.st_rdev == null.st_rdev))
		return IS_NOTHING;
	return IS_ENDLESS;
}

static const char *behind_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

/* Is the line at `p` an #include? */
static bool is_include(const char *p, struct include *out)
{
	const char *end;

	p = behind_blanks(p);
	if (*p != '#')
		return false;
	p = behind_blanks(p + 1);
	if (strncmp(p, "include", 7) != 0)
		return false;
	p = behind_blanks(p + (strncmp(p, "include_next", 12) == 0 ? 12 : 7));
	if (*p != '"' && *p != '<')
		return false;
	out->is_quoted = *p == '"';
	out->name = ++p;
	end = p + strcspn(p, out->is_quoted ? "\"\n" : ">\n");
	out->length = (int)(end - p);
	return *end && *end != '\n' && end > p;
}

/* The folder that the argument names, or NULL; `next`: the argument behind it. */
static const char *folder_of(const char *word, const char *next)
{
	static const char *const options[] = {"-I", "-iquote", "-isystem", "-idirafter"};

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		size_t length = strlen(options[i]);

		if (strncmp(word, options[i], length) == 0)
			return word[length] ? word + length : next;
	}
	return NULL;
}

static enum what included_look(const struct included *i, const char *folder,
			       const struct include *d, struct str *path)
{
	str_clear(path);
	if (*d->name != '/' && folder && *folder != '/' && i->folder)
		str_addf(path, "%s/", i->folder);
	if (*d->name != '/' && folder && *folder)
		str_addf(path, "%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/");
	str_addf(path, "%.*s", d->length, d->name);
	return what_is(str_text(path));
}

/* Its path: beside the file that includes it, or in a folder that an argument names. */
static enum what included_find(const struct included *i, const char *beside,
			       const struct include *d, struct str *path)
{
	enum what is =
		d->is_quoted || *d->name == '/' ? included_look(i, beside, d, path) : IS_NOTHING;

	for (size_t w = 0; !is && w < i->count; w++) {
		const char *next = w + 1 < i->count ? i->words[w + 1] : NULL,
			   *folder = folder_of(i->words[w], next);

		if (folder)
			is = included_look(i, folder, d, path);
	}
	return is;
}

static char *in_file(const struct included *i, const char *file, unsigned depth);

/* By its real path: a header that includes itself by "../x/x.h" is one file. */
static char *in_header(const struct included *i, const char *path, unsigned depth)
{
	char *real = realpath(path, NULL), *answer = real ? in_file(i, real, depth) : NULL;

	free(real);
	return answer;
}

static char *in_directive(const struct included *i, const char *file, const struct include *d,
			  unsigned depth)
{
	char *beside = base_strndup(file, (size_t)(str_base_name(file) - file)), *answer = NULL;
	struct str path = {0}, said = {0};

	switch (included_find(i, beside, d, &path)) {
	case IS_ENDLESS:
		if (depth)
			str_addf(&said, "%s:%u: ", path_shown(file), d->line);
		else
			str_addf(&said, "line %u: ", d->line);
		str_addf(&said, "'%.*s' is no file", d->length, d->name);
		answer = str_take(&said);
		break;
	case IS_FILE:
		answer = in_header(i, str_text(&path), depth + 1);
		break;
	default:
		break;
	}
	str_fini(&path);
	base_free(beside);
	return answer;
}

static char *in_file(const struct included *i, const char *file, unsigned depth)
{
	const unsigned name = interned_add(&i->known->files, file);
	char *text, *answer = NULL;
	struct include d = {.line = 1};
	ERROR(err);

	if (number_map_get(&i->known->seen, name) == SEEN_GOOD || depth > DEEPEST)
		return NULL;
	/* Whoever includes itself is good until the rest is read. */
	number_map_set(&i->known->seen, name, SEEN_GOOD);
	text = file_read(file, &err);
	for (const char *p = text; p && !answer; d.line++) {
		if (is_include(p, &d))
			answer = in_directive(i, file, &d, depth);
		p = strchr(p, '\n');
		p = p ? p + 1 : NULL;
	}
	if (answer)
		number_map_set(&i->known->seen, name, SEEN_BAD);
	base_free(text);
	return answer;
}

/* Of -include and -imacros. */
static char *in_words(const struct included *i)
{
	char *answer = NULL;

	for (size_t w = 0; !answer && w + 1 < i->count; w++) {
		const char *name = i->words[w + 1];
		const struct include d = {name, (int)strlen(name), true, 0};
		struct str path = {0}, said = {0};

		if (strcmp(i->words[w], "-include") && strcmp(i->words[w], "-imacros"))
			continue;
		if (included_find(i, i->folder, &d, &path) == IS_ENDLESS) {
			str_addf(&said, "%s %s: that is no file", i->words[w], name);
			answer = str_take(&said);
		}
		str_fini(&path);
	}
	return answer;
}

char *included_no_file(const struct included *i, const char *file)
{
	char *answer = in_words(i);

	return answer ? answer : in_file(i, file, 0);
}

void included_known_fini(struct included_known *k)
{
	interned_fini(&k->files);
	number_map_fini(&k->seen);
}
