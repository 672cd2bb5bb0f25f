/* A source file of the tester's own hides one of the same name in a library. This finds what
   to call the other. */
#include "tracer/source/lines/resolve.h"

#include <string.h>

const char *files_tail(const char *path)
{
	const char *tail = path + strlen(path);
	int slashes = 0;

	while (tail > path && (tail[-1] != '/' || ++slashes < 2))
		tail--;
	return strncmp(tail, "./", 2) == 0 ? tail + 2 : tail;
}

static bool is_looked_at(const struct resolver *r, const struct module *m)
{
	array_each(struct module *, own, &r->modules)
		if (*own == m)
			return true;
	return false;
}

static bool matches_own(struct resolver *r, const char *name)
{
	bool found = false;

	array_each(struct module *, own, &r->modules) {
		struct file_groups groups = {0};

		found |= files_find(r, *own, name, &groups) == 0 && groups.items.count;
		files_fini(&groups);
	}
	return found;
}

/* Has the file so many lines of code, or a text to be searched? */
static bool reaches(struct resolver *r, struct module *m, const struct file_group *g)
{
	unsigned line = r->location->line;
	struct near_lines near;

	if (r->location->kind == LOCATION_TEXT)
		return lines_source(r->symbols, g->path) != NULL;
	return line <= 1 || (files_near(r, m, g, line - 1, &near) == 0 && near.behind);
}

static void hint_other(struct resolver *r, struct module *m, const struct file_group *g)
{
	const struct location *l = r->location;
	const char *rest = strstr(l->text, l->name);
	const char *tail = files_tail(g->path);
	bool own = matches_own(r, tail);

	if (rest)
		error_hint(&r->complaint,
			   "%s has a file of this name, too; to mean that one write %s%s%s%s",
			   module_name(m), own ? module_name(m) : "", own ? "!" : "", tail,
			   rest + strlen(l->name));
}

static bool search_in(struct resolver *r, struct module *m)
{
	struct file_groups groups = {0};
	bool told = false;

	if (files_find(r, m, r->location->name, &groups) == 0)
		array_each(const struct file_group, g, &groups.items)
			if (!told && reaches(r, m, g)) {
				hint_other(r, m, g);
				told = true;
			}
	files_fini(&groups);
	return told;
}

void hint_elsewhere(struct resolver *r, struct module *const *modules, size_t count)
{
	ERROR(kept);

	if (!r->location->name || !strchr(r->location->name, '.') || r->location->object)
		return;
	error_move(&kept, r->err);
	for (size_t i = 0; i < count; i++)
		if (!is_looked_at(r, modules[i]) && module_find_debug(modules[i]) &&
		    search_in(r, modules[i]))
			break;
	error_move(r->err, &kept);
}
