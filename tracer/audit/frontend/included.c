/* Checks a unit's includes for pipes and devices before libclang reads it. */
#include "tracer/audit/frontend/reader.h"

#include "tracer/base/files/file.h"
#include "tracer/base/files/path.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST = 200, SEEN_GOOD = 1, SEEN_BAD };

/* An #include directive. */
struct include {
	const char *name;
	int length;
	bool is_quoted;
	unsigned line;
};

enum what { IS_NOTHING, IS_FILE, IS_ENDLESS };

/* Kind of a path. libclang reports missing files; /dev/null is empty. */
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

/* True if the line at `p` is an #include. */
static bool is_include(const char *p, struct include *out)
{
	const char *end;

	p += strspn(p, " \t");
	if (*p != '#')
		return false;
	p += 1 + strspn(p + 1, " \t");
	if (strncmp(p, "include", 7) != 0)
		return false;
	p += strncmp(p, "include_next", 12) == 0 ? 12 : 7;
	p += strspn(p, " \t");
	if (*p != '"' && *p != '<')
		return false;
	out->is_quoted = *p == '"';
	out->name = ++p;
	end = p + strcspn(p, out->is_quoted ? "\"\n" : ">\n");
	out->length = (int)(end - p);
	return *end && *end != '\n' && end > p;
}

/* Folder that the argument names, or NULL. `next` is the following argument. */
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

static enum what look_in(const struct included *i, const char *folder, const struct include *d,
			 struct str *path)
{
	str_clear(path);
	if (*d->name != '/' && folder && *folder != '/' && i->folder)
		str_addf(path, "%s/", i->folder);
	if (*d->name != '/' && folder && *folder)
		str_addf(path, "%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/");
	str_addf(path, "%.*s", d->length, d->name);
	return what_is(str_text(path));
}

/* Finds the file in the including file's folder or in one that an argument names. */
static enum what find_include(const struct included *i, const char *own, const struct include *d,
			      struct str *path)
{
	enum what is = d->is_quoted || *d->name == '/' ? look_in(i, own, d, path) : IS_NOTHING;

	for (size_t w = 0; !is && w < i->count; w++) {
		const char *folder =
			folder_of(i->words[w], w + 1 < i->count ? i->words[w + 1] : NULL);

		if (folder)
			is = look_in(i, folder, d, path);
	}
	return is;
}

static char *check_file(const struct included *i, const char *file, unsigned depth);

static char *check_include(const struct included *i, const char *file, const struct include *d,
			   unsigned depth)
{
	OWNED(own) = base_strndup(file, (size_t)(str_base_name(file) - file));
	struct str said = {0};
	char *real, *answer = NULL;
	STR(path);

	switch (find_include(i, own, d, &path)) {
	case IS_ENDLESS:
		if (depth)
			str_addf(&said, "%s:", path_shown(file));
		str_addf(&said, "%s%u: '%.*s' is not a file", depth ? "" : "line ", d->line,
			 d->length, d->name);
		return str_take(&said);
	case IS_FILE:
		/* The real path identifies a header that includes itself by "../x/x.h". */
		real = realpath(str_text(&path), NULL);
		answer = real ? check_file(i, real, depth + 1) : NULL;
		free(real);
		return answer;
	default:
		return NULL;
	}
}

static char *check_file(const struct included *i, const char *file, unsigned depth)
{
	const unsigned name = interned_add(&i->known->files, file);
	struct include d = {.line = 1};
	char *answer = NULL;
	OWNED(text) = NULL;
	ERROR(err);

	if (number_map_get(&i->known->seen, name) == SEEN_GOOD || depth > DEEPEST)
		return NULL;
	/* Marks the file first, so that a cycle of includes ends. */
	number_map_set(&i->known->seen, name, SEEN_GOOD);
	text = file_read(file, &err);
	for (const char *p = text; p && !answer; d.line++) {
		if (is_include(p, &d))
			answer = check_include(i, file, &d, depth);
		p = strchr(p, '\n');
		p = p ? p + 1 : NULL;
	}
	if (answer)
		number_map_set(&i->known->seen, name, SEEN_BAD);
	return answer;
}

char *included_no_file(const struct included *i, const char *file)
{
	struct str said = {0};

	for (size_t w = 0; w + 1 < i->count; w++) {
		const char *name = i->words[w + 1];
		const struct include d = {name, (int)strlen(name), true, 0};
		STR(path);

		if ((strcmp(i->words[w], "-include") && strcmp(i->words[w], "-imacros")) ||
		    find_include(i, i->folder, &d, &path) != IS_ENDLESS)
			continue;
		str_addf(&said, "%s %s: this is not a file", i->words[w], name);
		return str_take(&said);
	}
	return check_file(i, file, 0);
}

void included_known_fini(struct included_known *k)
{
	interned_fini(&k->files);
	number_map_fini(&k->seen);
}
