/* What has been read is put into the cache. */
#include "tracer/dwarf/index/index_internal.h"

#include <string.h>

struct pieces {
	ARRAY(struct index_unit) units;
	ARRAY(struct index_line) lines;
	ARRAY(struct index_file) files;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void index_write_add_line(struct pieces *p, const struct line_unit *u)
{
	uint32_t number = (uint32_t)p->lines.count;
	struct index_line *line = array_add(&p->lines);

	line->stmt_list = u->stmt_list;
	line->version = u->version;
	array_each(const struct line_file, f, &u->files)
		*array_add(&p->files) = (struct index_file){index_hash(base_name(f->name)), number};
}

static int by_hash(const void *a, const void *b)
{
	const struct index_file *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

/* A unit may have a file twice, or files of one name in two folders. */
static void sort_files(struct pieces *p)
{
	size_t kept = 0;

	array_sort(&p->files, by_hash);
	array_each(const struct index_file, f, &p->files)
		if (!kept || by_hash(&p->files.items[kept - 1], f) != 0)
			p->files.items[kept++] = *f;
	p->files.count = kept;
}

#define PART(array) (array).items, (array).count * sizeof(*(array).items)

bool index_write(struct die_table *t, const struct index_names *names)
{
	static const struct index_names none;
	const struct index_names *n = names ? names : &none;
	struct pieces p = {0};
	ERROR(ignored);
	const struct line_table *lines = lines_table(t->module, &ignored);
	bool done;

	if (!lines)
		return false;
	array_each(const struct die_unit, u, &t->units)
		*array_add(&p.units) = index_unit_of(t, u);
	array_each(const struct line_unit, u, &lines->units)
		index_write_add_line(&p, u);
	sort_files(&p);
	const struct cache_part parts[INDEX_PARTS] = {
		[INDEX_UNITS] = {PART(p.units)},  [INDEX_SPANS] = {PART(t->spans)},
		[INDEX_LINES] = {PART(p.lines)},  [INDEX_FILES] = {PART(p.files)},
		[INDEX_HEADS] = {PART(n->heads)}, [INDEX_LISTS] = {PART(n->lists)},
	};
	done = cache_write(t->kept->name, INDEX_FORMAT, parts, INDEX_PARTS);
	array_fini(&p.units);
	array_fini(&p.lines);
	array_fini(&p.files);
	return done;
}
