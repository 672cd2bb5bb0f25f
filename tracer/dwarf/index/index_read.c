/* What an earlier run has kept is taken from the cache. */
#include "tracer/base/text/str.h"
#include "tracer/dwarf/units/dies_read.h"
#include "tracer/dwarf/index/index_internal.h"

#include <stdio.h>
#include <string.h>

#ifndef INDEX_LEAST
#define INDEX_LEAST (8 << 20)
#endif

uint64_t index_least = INDEX_LEAST;

/* ---- of which file -------------------------------------------------------------------------- */

/* Equal sums: it is the same file, and has not been written to. */
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

/* What is read at every start without it. */
static bool is_worth_it(const struct die_table *t)
{
	struct section_data line;
	ERROR(ignored);

	return module_section(t->module, ".debug_line", &line, &ignored) == 0 && t->own.info.size &&
	       t->own.info.size + line.size >= index_least;
}

/* ---- the tables ----------------------------------------------------------------------------- */

/* All of a part, as items of this size; NULL: it is damaged. */
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

/* The last step: from here on the module has line programs. */
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
	if (t->module->lines) /* somebody has read all of them already */
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
	array_each(const struct die_unit, u, &t->units)
		dies_tell_directory(u, t->module->lines);
	dies_sort_signatures(t);
	return true;
}

/* Is all of it in this one file? */
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

/* ---- names ---------------------------------------------------------------------------------- */

/* Collects them, and keeps them for this run and later ones. */
static void make_names(struct die_table *t)
{
	struct index_names names = {0};

	t->kept->tried = true;
	if (!cache_usable() || !index_collect(t, &names))
		return;
	if (index_write(t, &names)) {
		cache_close(t->kept->cache);
		t->kept->cache = cache_open(t->kept->name, INDEX_FORMAT);
	}
	index_names_fini(&names);
}

bool index_has_names(const struct die_table *t)
{
	return t->kept && t->kept->cache && cache_size(t->kept->cache, INDEX_HEADS);
}

static const struct name_head *head_at(struct dwarf_index *x, uint64_t i)
{
	return cache_bytes(x->cache, INDEX_HEADS, i * sizeof(struct name_head),
			   2 * sizeof(struct name_head));
}

/* The head with this hash, and the one behind it. True with *out NULL: no name has it. */
static bool find_head(struct dwarf_index *x, uint32_t hash, const struct name_head **out)
{
	uint64_t low = 0, high = cache_size(x->cache, INDEX_HEADS) / sizeof(**out) - 1;

	*out = NULL;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		const struct name_head *head = head_at(x, middle);

		if (!head)
			return false;
		if (head->hash == hash) {
			*out = head;
			return true;
		}
		if (head->hash < hash)
			low = middle + 1;
		else
			high = middle;
	}
	return true;
}

static bool mark_list(struct dwarf_index *x, const struct name_head *head, bool functions,
		      bool *marks, size_t count)
{
	uint64_t n = head[1].first > head[0].first ? head[1].first - head[0].first : 0;
	const uint32_t *list = cache_bytes(
		x->cache, INDEX_LISTS, (uint64_t)head->first * sizeof(*list), n * sizeof(*list));

	for (uint64_t i = 0; list && i < n; i++)
		if ((!functions || list[i] & 1) && list[i] >> 1 < count)
			marks[list[i] >> 1] = true;
	return list;
}

/* Of such names parts were left out; but for operators, that have these characters themselves. */
static bool is_collected(const char *name)
{
	return !strpbrk(name, "<[") || strncmp(name, "operator", 8) == 0;
}

bool index_mark_named(struct die_table *t, const char *name, bool functions, bool *marks)
{
	const struct name_head *head;

	if (!t->kept || !is_collected(name))
		return false;
	if (!index_has_names(t) && !t->kept->tried)
		make_names(t);
	if (!index_has_names(t) || !find_head(t->kept, index_hash(name), &head))
		return false;
	return !head || mark_list(t->kept, head, functions, marks, t->units.count);
}
