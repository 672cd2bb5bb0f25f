/* Names of source files: those of a unit, and whether a name of the tester's means one of them. */
#include "tracer/base/str.h"
#include "tracer/symbols/lines.h"

#include <limits.h>
#include <string.h>

/* ---- paths by their components, from the last to the first ---------------------------------- */

struct components {
	const char *path;
	size_t left; /* bytes before the components already given */
	size_t skip; /* ".." seen, each takes one component away */
	const char *name;
	size_t length;
};

static struct components components_of(const char *path)
{
	return (struct components){.path = path, .left = strlen(path)};
}

/* Steps to the component before; false at the beginning. Leading ".." that have nothing to take
   away are dropped. */
static bool previous(struct components *c)
{
	while (c->left > 0) {
		size_t end = c->left, begin = end;

		while (begin > 0 && c->path[begin - 1] != '/')
			begin--;
		c->name = c->path + begin;
		c->length = end - begin;
		c->left = begin > 0 ? begin - 1 : 0;
		if (c->length == 0 || (c->length == 1 && c->name[0] == '.'))
			continue;
		if (c->length == 2 && c->name[0] == '.' && c->name[1] == '.')
			c->skip++;
		else if (c->skip > 0)
			c->skip--;
		else
			return true;
	}
	return false;
}

/* Compares from the end; `path_done` and `name_done` say which of them ended first. */
static bool same_ends(const char *path, const char *name, bool *path_done, bool *name_done)
{
	struct components a = components_of(path), b = components_of(name);

	for (size_t common = 0;; common++) {
		*path_done = !previous(&a);
		*name_done = !previous(&b);
		if (*path_done || *name_done)
			return common > 0;
		if (a.length != b.length || memcmp(a.name, b.name, a.length) != 0)
			return false;
	}
}

bool module_path_ends(const char *path, const char *name)
{
	bool path_done, name_done;

	if (!same_ends(path, name, &path_done, &name_done))
		return false;
	return name_done && (name[0] != '/' || path_done);
}

bool lines_file_matches(const char *path, const char *file)
{
	bool path_done, file_done;

	if (!same_ends(path, file, &path_done, &file_done))
		return false;
	if (file[0] == '/')
		return path_done && (file_done || path[0] != '/');
	return file_done;
}

/* ---- the files of a unit -------------------------------------------------------------------- */

unsigned lines_file_index(const struct line_unit *u, uint64_t number)
{
	if (u->version < 5)
		number--;
	return number < UINT_MAX ? (unsigned)number : UINT_MAX;
}

void lines_set_comp_dir(struct line_unit *u, const char *comp_dir)
{
	if (u->version >= 5)
		return;
	u->comp_dir = comp_dir;
	if (u->dirs.count)
		u->dirs.items[0] = comp_dir;
}

static const char *without_dot(const char *path)
{
	while (path[0] == '.' && path[1] == '/')
		path += 2;
	return path;
}

static void add_dir(struct str *out, const char *dir)
{
	if (!dir)
		return;
	if (dir[0] == '/')
		str_clear(out);
	dir = without_dot(dir);
	if (!*dir || strcmp(dir, ".") == 0)
		return;
	str_add(out, dir);
	if (dir[strlen(dir) - 1] != '/')
		str_add(out, "/");
}

const char *lines_file(struct line_unit *u, unsigned index)
{
	struct str path = {0};
	struct line_file *f;

	if (index >= u->files.count)
		return NULL;
	f = &u->files.items[index];
	if (f->path)
		return f->path;
	if (f->name[0] != '/') {
		add_dir(&path, u->comp_dir);
		if (f->dir > 0 && f->dir < u->dirs.count)
			add_dir(&path, u->dirs.items[f->dir]);
	}
	str_add(&path, without_dot(f->name));
	f->path = str_take(&path);
	return f->path;
}

/* The last component as it stands, or NULL where it is "." or "..": no quick answer then. */
static const char *last_name(const char *file)
{
	const char *name = str_base_name(file);

	return *name == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ? NULL : name;
}

static bool has_base_name(const char *path, const char *base, size_t base_length)
{
	size_t length = strlen(path);

	return length >= base_length &&
	       memcmp(path + length - base_length, base, base_length) == 0 &&
	       (length == base_length || path[length - base_length - 1] == '/');
}

int lines_find_file(struct line_unit *u, const char *file, int from)
{
	const char *base = last_name(file);
	size_t length = base ? strlen(base) : 0;

	for (size_t i = (size_t)from; base && i < u->files.count && i < INT_MAX; i++)
		if (has_base_name(u->files.items[i].name, base, length) &&
		    lines_file_matches(lines_file(u, (unsigned)i), file))
			return (int)i;
	return -1;
}
