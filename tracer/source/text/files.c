/* Reads source files, splits them into lines and caches them; compares their
   time with the module's. */
#include "tracer/base/files/io.h"
#include "tracer/dwarf/lines/lines.h"
#include "tracer/source/source.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { SOURCE_MAX = 256 << 20 };

struct cached_source {
	struct source_file file;
	struct stat stat;
};

struct source_cache {
	/* Earlier texts of a changed file are kept: they are in use. */
	ARRAY(struct cached_source *) files;
};

static void source_cache_free(void *data)
{
	struct source_cache *c = data;

	array_each(struct cached_source *, f, &c->files) {
		base_free((*f)->file.path);
		base_free((*f)->file.text);
		array_fini(&(*f)->file.lines);
		base_free(*f);
	}
	array_fini(&c->files);
	base_free(c);
}

static struct cached_source *find_cached(struct source_cache *c, const char *path,
					 const struct stat *now)
{
	array_each(struct cached_source *, f, &c->files)
		if (strcmp((*f)->file.path, path) == 0 && (*f)->stat.st_size == now->st_size &&
		    (*f)->stat.st_mtim.tv_sec == now->st_mtim.tv_sec &&
		    (*f)->stat.st_mtim.tv_nsec == now->st_mtim.tv_nsec)
			return *f;
	return NULL;
}

static void split_lines(struct source_file *f, size_t length)
{
	char *at = f->text, *end = f->text + length;

	while (at < end) {
		char *newline = memchr(at, '\n', (size_t)(end - at));

		*array_add(&f->lines) = at;
		if (!newline)
			break;
		*newline = '\0';
		if (newline > at && newline[-1] == '\r')
			newline[-1] = '\0';
		at = newline + 1;
	}
}

/* Reads the file as it is now, even if it shrinks meanwhile. Returns NULL if it cannot be read. */
static struct cached_source *read_source(const char *path, int fd, const struct stat *st)
{
	struct cached_source *c;
	struct str text = {0};
	size_t length;

	if (io_read(fd, &text) < 0) {
		str_fini(&text);
		return NULL;
	}
	length = text.length;
	c = base_alloc(1, sizeof(*c));
	c->stat = *st;
	c->file.path = base_strdup(path);
	c->file.text = str_take(&text);
	split_lines(&c->file, length);
	return c;
}

bool source_is_newer(const struct module *m, const char *path)
{
	const struct timespec *built = &m->stat.st_mtim;
	struct stat st;

	return path && stat(path, &st) == 0 &&
	       (st.st_mtim.tv_sec > built->tv_sec ||
		(st.st_mtim.tv_sec == built->tv_sec && st.st_mtim.tv_nsec > built->tv_nsec));
}

void source_add_newer(const struct module *m, const char *path, struct str *out)
{
	str_addf(out, "%s is newer than %s: what stands on a line may be other code in the program",
		 str_base_name(path), m->name);
}

const struct source_file *lines_source(struct modules *s, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct cached_source *c = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (!s->sources)
		s->sources = cleanup_alloc(&s->cleanups, sizeof(*s->sources), source_cache_free);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= SOURCE_MAX) {
		c = find_cached(s->sources, path, &st);
		if (!c) {
			c = read_source(path, fd, &st);
			if (c)
				*array_add(&s->sources->files) = c;
		}
	}
	close(fd);
	return c ? &c->file : NULL;
}
