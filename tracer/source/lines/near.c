/* What is nearly the text or the mark that was asked for, where nothing has it. */
#include "tracer/source/lines/resolve.h"

#include "tracer/base/text/str.h"

#include <string.h>

enum { LINES_MOST = 20000, SHOWN_MOST = 100 };

/* ---- a text --------------------------------------------------------------------------------- */

static bool has_it(struct resolver *r, const struct source_file *f, const char *path,
		   struct str *out)
{
	for (unsigned line = 1; line <= f->lines.count; line++) {
		if (!source_contains(f->lines.items[line - 1], r->location->search))
			continue;
		str_addf(out, "; %s:%u does", str_base_name(path), line);
		return true;
	}
	return false;
}

static unsigned nearest(struct resolver *r, const struct source_file *f, unsigned first,
			unsigned last)
{
	unsigned limit = (unsigned)strlen(r->location->search) / 3, found = 0;

	for (unsigned line = first; line <= last && line <= f->lines.count; line++) {
		unsigned far = suggest_distance_in(r->location->search, f->lines.items[line - 1]);

		if ((far < limit || (far == limit && !found)) && !source_no_code(f, line)) {
			found = line;
			limit = far;
		}
	}
	return found;
}

void near_text(struct resolver *r, const char *path, unsigned first, unsigned last, struct str *out)
{
	const struct source_file *f = path ? lines_source(r->symbols, path) : NULL;
	const char *text;
	unsigned line;

	if (!f || f->lines.count > LINES_MOST || has_it(r, f, path, out))
		return;
	line = nearest(r, f, first, last);
	if (!line)
		line = nearest(r, f, 1, (unsigned)f->lines.count);
	if (!line)
		return;
	text = f->lines.items[line - 1];
	text += strspn(text, " \t");
	str_addf(out, "; the nearest is %s:%u: %.*s", str_base_name(path), line, SHOWN_MOST, text);
}

/* ---- a mark --------------------------------------------------------------------------------- */

static void offer_mark(struct suggestions *s, const struct source_file *f, unsigned line)
{
	const char *at = strstr(f->lines.items[line - 1], "gate:");
	size_t length;
	char *name;

	if (!at)
		return;
	at += strlen("gate:");
	at += strspn(at, " \t");
	length = strcspn(at, " \t*");
	name = base_strndup(at, length);
	if (length && source_mark(f, name, line) == line)
		suggest_offer(s, name);
	base_free(name);
}

static void offer_file(struct resolver *r, const char *path, struct suggestions *s)
{
	const struct source_file *f = lines_source(r->symbols, path);

	for (unsigned line = 1; f && line <= f->lines.count; line++)
		offer_mark(s, f, line);
}

void near_marks(struct resolver *r, struct module *const *modules, size_t count, struct str *out,
		char **best)
{
	struct suggestions s = {.wanted = r->location->search};
	ERROR(ignored);

	for (size_t i = 0; i < count; i++) {
		struct line_table *lines;

		if (!module_find_debug(modules[i]) || modules[i]->debug_separate)
			continue;
		lines = lines_table(modules[i], &ignored);
		if (!lines)
			continue;
		array_each(struct line_unit, u, &lines->units) {
			for (unsigned k = 0; k < u->files.count; k++) {
				const char *path = lines_file(u, k);

				if (path && strncmp(path, "/usr/", 5) != 0)
					offer_file(r, path, &s);
			}
		}
	}
	*best = suggest_best(&s);
	suggest_take(&s, out);
}
