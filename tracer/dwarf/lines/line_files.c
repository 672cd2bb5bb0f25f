/* The source files of a unit, by their names. */
#include "tracer/base/files/path.h"
#include "tracer/base/text/str.h"
#include "tracer/dwarf/lines/lines.h"

#include <limits.h>
#include <string.h>

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
		    path_names_file(lines_file(u, (unsigned)i), file))
			return (int)i;
	return -1;
}
