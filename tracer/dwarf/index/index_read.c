/* Index: units, line programs and files are taken from the cache. */
#include "tracer/base/text/str.h"
#include "tracer/dwarf/units/units.h"
#include "tracer/dwarf/index/index_internal.h"

#include <stdio.h>
#include <string.h>

#ifndef INDEX_LEAST
#define INDEX_LEAST (8 << 20)
#endif

uint64_t index_least = INDEX_LEAST;

/* ---- identity of the file ------------------------------------------------------------------- */

/* Returns a sum that changes if the file is replaced or written. strip and objcopy keep the
   build-id. */
static uint64_t file_sum(const struct stat *st)
{
	const uint64_t facts[] = {
		(uint64_t)st->st_dev,	       (uint64_t)st->st_ino,
		(uint64_t)st->st_size,	       (uint64_t)st->st_mtim.tv_sec,
		(uint64_t)st->st_mtim.tv_nsec, (uint64_t)st->st_ctim.tv_sec,
		(uint64_t)st->st_ctim.tv_nsec,
	};

	return cache_sum(INDEX_FORMAT, facts, sizeof(facts));
}

static bool name_it(const struct module *m, char name[CACHE_NAME])
{
	uint64_t sums[2] = {file_sum(&m->stat)};
	struct stat st;

	if (m->debug_separate && fstat(m->debug_fd, &st) < 0)
		return false;
	if (m->debug_separate)
		sums[1] = file_sum(&st);
	snprintf(name, CACHE_NAME, "%s-%016llx", m->build_id[0] ? m->build_id : "none",
		 (unsigned long long)cache_sum(0, sums, sizeof(sums)));
	return true;
}

/* True if the sections that every start would read without an index are large. */
static bool is_worth_it(const struct die_table *t)
{
	struct section_data line;
	ERROR(ignored);

	return module_section(t->module, ".debug_line", &line, &ignored) == 0 && t->own.info.size &&
	       t->own.info.size + line.size >= index_least;
}

/* ---- tables --------------------------------------------------------------------------------- */

/* Returns a whole part of the cache as an array of items of this size, or NULL if it is damaged. */
static const void *index_read_whole(struct dwarf_index *x, enum index_part part, size_t item,
				    size_t *count)
{
	uint64_t size = cache_size(x->cache, part);

	*count = size / item;
	return size % item ? NULL : cache_bytes(x->cache, part, 0, size);
}

static bool take_units(struct die_table *t)
{
	size_t count;
	const struct index_unit *from =
		index_read_whole(t->kept, INDEX_UNITS, sizeof(*from), &count);
	uint64_t end = 0;

	if (!from || !count || count > UINT32_MAX / 2)
		return false;
	t->units.items = base_alloc(count, sizeof(*t->units.items));
	t->units.capacity = count;
	for (; t->units.count < count; t->units.count++) {
		if (from->offset < end ||
		    !index_unit_take(t, from, &t->units.items[t->units.count]))
			return false;
		end = from++->end;
	}
	return true;
}

static bool take_spans(struct die_table *t)
{
	size_t count;
	const struct unit_span *from =
		index_read_whole(t->kept, INDEX_SPANS, sizeof(*from), &count);

	if (!from)
		return false;
	for (size_t i = 0; i < count; i++)
		if (from[i].unit >= t->units.count || (i && from[i].low < from[i - 1].low))
			return false;
	t->spans.items = base_alloc(count + 1, sizeof(*t->spans.items));
	t->spans.count = t->spans.capacity = count;
	memcpy(t->spans.items, from, count * sizeof(*from));
	return true;
}

static void lines_take(struct line_table *lines, const struct index_line *from, size_t count)
{
	lines->units.items = base_alloc(count + 1, sizeof(*lines->units.items));
	lines->units.count = lines->units.capacity = count;
	for (size_t i = 0; i < count; i++) {
		lines->units.items[i].stmt_list = from[i].stmt_list;
		lines->units.items[i].version = from[i].version;
	}
}

/* Takes the line programs, as the last step: the module has them from here on. */
static bool take_lines(struct die_table *t)
{
	size_t count;
	const struct index_line *from =
		index_read_whole(t->kept, INDEX_LINES, sizeof(*from), &count);

	if (!from)
		return false;
	for (size_t i = 0; i < count; i++)
		if (from[i].version < 2 || from[i].version > 5 ||
		    (i && from[i].stmt_list <= from[i - 1].stmt_list))
			return false;
	if (t->module->lines) /* all of them were already read */
		return true;
	lines_take(lines_new(t->module), from, count);
	t->module->lines->index = t->kept;
	return true;
}

static void index_free(void *data)
{
	struct dwarf_index *x = data;

	cache_close(x->cache);
	base_free(x);
}

bool index_read(struct die_table *t)
{
	char name[CACHE_NAME];

	if (!is_worth_it(t) || !name_it(t->module, name))
		return false;
	t->kept = cleanup_alloc(&t->module->cleanups, sizeof(*t->kept), index_free);
	memcpy(t->kept->name, name, sizeof(name));
	t->kept->cache = cache_open(name, INDEX_FORMAT);
	if (!t->kept->cache)
		return false;
	if (!take_units(t) || !take_spans(t) || !take_lines(t)) {
		array_fini(&t->units);
		array_fini(&t->spans);
		cache_close(t->kept->cache);
		t->kept->cache = NULL;
		return false;
	}
	return true;
}

/* True if all units are in the module's own file. */
static bool is_alone(const struct die_table *t)
{
	if (t->alt || t->alt_missing)
		return false;
	array_each(const struct die_unit, u, &t->units)
		if (u->split || u->in != &t->own)
			return false;
	return true;
}

void index_keep(struct die_table *t)
{
	if (!t->kept)
		return;
	if (!is_alone(t))
		t->kept = NULL;
	else if (index_write(t, NULL))
		t->kept->cache = cache_open(t->kept->name, INDEX_FORMAT);
}

/* ---- files ---------------------------------------------------------------------------------- */

static bool mark_kept(struct dwarf_index *x, const char *base, bool *marks, size_t count)
{
	size_t n;
	const struct index_file *files = index_read_whole(x, INDEX_FILES, sizeof(*files), &n);
	uint32_t hash = index_hash(base);
	size_t i;

	if (!files)
		return false;
	for (i = sorted_below(files, n, hash, hash, false); i < n && files[i].hash == hash; i++)
		if (files[i].unit < count)
			marks[files[i].unit] = true;
	return true;
}

void index_mark_file(struct line_table *t, const char *file, bool *marks)
{
	if (t->index && t->index->cache &&
	    mark_kept(t->index, str_base_name(file), marks, t->units.count))
		return;
	for (size_t i = 0; i < t->units.count; i++)
		marks[i] = true;
}
