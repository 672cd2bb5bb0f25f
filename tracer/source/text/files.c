/* Source files as the tester sees them: text and where its lines begin. */
#include "tracer/dwarf/lines/lines.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { SOURCE_MAX = 256 << 20 };

struct cached_source {
	struct source_file file;
	struct stat stat;
};

struct source_cache {
	ARRAY(struct cached_source *)
	files; /* older texts of a changed file stay: they are in use */
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

/* The whole file with a NUL behind it, or NULL. A file that shrinks meanwhile is what is left. */
static char *read_text(int fd, size_t size, size_t *length)
{
	char *text = base_alloc(size + 1, 1);

	*length = 0;
	while (*length < size) {
		ssize_t n = read(fd, text + *length, size - *length);

		if (n < 0) {
			base_free(text);
			return NULL;
		}
		if (n == 0)
			break;
		*length += (size_t)n;
	}
	return text;
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

static struct cached_source *read_source(const char *path, int fd, const struct stat *st)
{
	struct cached_source *c;
	size_t length;
	char *text = read_text(fd, (size_t)st->st_size, &length);

	if (!text)
		return NULL;
	c = base_alloc(1, sizeof(*c));
	c->stat = *st;
	c->file.path = base_strdup(path);
	c->file.text = text;
	split_lines(&c->file, length);
	return c;
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
