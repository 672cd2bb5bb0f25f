/* Index: units, line programs and files are written to the cache. */
#include "tracer/dwarf/index/index_internal.h"

#include "tracer/base/text/str.h"

#include <string.h>

struct pieces {
	ARRAY(struct index_unit) units;
	ARRAY(struct index_line) lines;
	ARRAY(struct index_file) files;
};

static void index_write_add_line(struct pieces *p, const struct line_unit *u)
{
	uint32_t number = (uint32_t)p->lines.count;
	struct index_line *line = array_add(&p->lines);

	line->stmt_list = u->stmt_list;
	line->version = u->version;
	array_each(const struct line_file, f, &u->files)
		*array_add(&p->files) =
			(struct index_file){index_hash(str_base_name(f->name)), number};
}

static int by_hash(const void *a, const void *b)
{
	const struct index_file *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

/* Removes duplicates: a unit may have a file twice, or files of one name in two directories. */
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

/* ---- conversion of a unit; each number is checked ------------------------------------------- */

/* A text is kept as its section and its offset there. */
enum { TEXT_NONE, TEXT_STR, TEXT_LINE_STR, TEXT_INFO };
#define TEXT_SHIFT 60

static const struct section_data *text_section(const struct die_source *in, unsigned which)
{
	switch (which) {
	case TEXT_STR:
		return &in->str;
	case TEXT_LINE_STR:
		return &in->line_str;
	case TEXT_INFO:
		return &in->info;
	default:
		return NULL;
	}
}

static uint64_t text_place(const struct die_source *in, const char *text)
{
	for (unsigned which = TEXT_STR; text && which <= TEXT_INFO; which++) {
		const struct section_data *s = text_section(in, which);
		const uint8_t *at = (const uint8_t *)text;

		if (at >= s->bytes && at < s->bytes + s->size)
			return (uint64_t)which << TEXT_SHIFT | (uint64_t)(at - s->bytes);
	}
	return TEXT_NONE;
}

static const char *text_at(const struct die_source *in, uint64_t place)
{
	const struct section_data *s = text_section(in, (unsigned)(place >> TEXT_SHIFT));

	return s ? section_text(s, place & ((1ull << TEXT_SHIFT) - 1)) : NULL;
}

/* Members that are copied without change. */
#define FIELD(name)                                                                                \
	{                                                                                          \
		offsetof(struct index_unit, name), offsetof(struct die_unit, name),                \
			sizeof(((struct die_unit *)0)->name)                                       \
	}
static const struct {
	size_t kept, unit, size;
} fields[] = {
	FIELD(offset),	      FIELD(end),	    FIELD(first),	FIELD(abbrev_offset),
	FIELD(stmt_list),     FIELD(low),	    FIELD(str_base),	FIELD(addr_base),
	FIELD(rnglists_base), FIELD(loclists_base), FIELD(ranges_base), FIELD(signature),
	FIELD(type_die),      FIELD(language),	    FIELD(version),	FIELD(address_size),
	FIELD(offset_size),   FIELD(type),	    FIELD(partial),	FIELD(has_stmt_list),
	FIELD(is_gcc),
};
enum { FIELDS = sizeof(fields) / sizeof(*fields) };

struct index_unit index_unit_of(const struct die_table *t, const struct die_unit *u)
{
	struct index_unit kept = {.name = text_place(&t->own, u->name),
				  .comp_dir = text_place(&t->own, u->comp_dir)};

	for (size_t i = 0; i < FIELDS; i++)
		memcpy((char *)&kept + fields[i].kept, (const char *)u + fields[i].unit,
		       fields[i].size);
	return kept;
}

static bool is_possible(const struct die_table *t, const struct index_unit *from)
{
	return from->offset < from->first && from->first <= from->end &&
	       from->end <= t->own.info.size && from->version >= 2 && from->version <= 5 &&
	       (from->address_size == 4 || from->address_size == 8) &&
	       (from->offset_size == 4 || from->offset_size == 8) && from->type_die < from->end &&
	       (from->partial | from->has_stmt_list | from->is_gcc) <= 1;
}

bool index_unit_take(const struct die_table *t, const struct index_unit *from, struct die_unit *to)
{
	if (!is_possible(t, from))
		return false;
	*to = (struct die_unit){.in = &t->own,
				.place_end = from->end,
				.ref_base = t->own.start,
				.name = text_at(&t->own, from->name),
				.comp_dir = text_at(&t->own, from->comp_dir)};
	for (size_t i = 0; i < FIELDS; i++)
		memcpy((char *)to + fields[i].unit, (const char *)from + fields[i].kept,
		       fields[i].size);
	return true;
}
