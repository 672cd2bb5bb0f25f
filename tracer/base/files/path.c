/* Compares paths by their components. */
#include "tracer/base/files/path.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

struct components {
	const char *path;
	size_t left; /* number of bytes before the components already returned */
	size_t skip; /* number of ".." passed: each removes one component */
	const char *name;
	size_t length;
};

static struct components components_of(const char *path)
{
	return (struct components){.path = path, .left = strlen(path)};
}

/* Moves to the preceding component. Returns false at the beginning. Leading ".." that
   remove nothing are dropped. */
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

/* Compares from the end. `path_done` and `name_done` are true for those that ended. */
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

bool path_ends_with(const char *path, const char *name)
{
	bool path_done, name_done;

	if (!same_ends(path, name, &path_done, &name_done))
		return false;
	return name_done && (name[0] != '/' || path_done);
}

bool path_names_file(const char *path, const char *file)
{
	bool path_done, file_done;

	if (!same_ends(path, file, &path_done, &file_done))
		return false;
	if (file[0] == '/')
		return path_done && (file_done || path[0] != '/');
	return file_done;
}

const char *path_shown(const char *file)
{
	char cwd[PATH_MAX];
	size_t n = getcwd(cwd, sizeof(cwd)) ? strlen(cwd) : 0;

	return n && strncmp(file, cwd, n) == 0 && file[n] == '/' ? file + n + 1 : file;
}

/* ---- folders of the system ------------------------------------------------------------------- */

static bool path_is_below(const char *path, const char *const *directories)
{
	for (; path && *directories; directories++)
		if (strncmp(path, *directories, strlen(*directories)) == 0)
			return true;
	return false;
}

/* A plain prefix: compilers write paths such as /usr/bin/../lib/gcc/../../include. */
bool path_is_system_source(const char *file)
{
	static const char *const directories[] = {"/usr/", "/rustc/", NULL};
	static const char *const but[] = {"/usr/src/", "/usr/local/src/", NULL};

	return path_is_below(file, directories) && !path_is_below(file, but);
}

bool path_is_system_object(const char *path)
{
	static const char *const directories[] = {
		"/lib/",       "/lib32/",     "/lib64/",      "/libx32/",      "/usr/lib/",
		"/usr/lib32/", "/usr/lib64/", "/usr/libx32/", "/usr/libexec/", NULL};

	return path_is_below(path, directories);
}
