/* Split DWARF: skeletons become the units of .dwo files and .dwp packages. */
#include "tracer/dwarf/units/units.h"

#include "tracer/base/text/str.h"

#include <libdwarf/dwarf.h>

#include <string.h>

struct split_table {
	ARRAY(struct die_file *) files; /* DIEs of [i] begin at SPLIT_START + i * DIES_SOURCE */
	struct die_file *package;	/* one of `files`, or NULL */
	bool looked;			/* the package was searched */
};

/* ---- packages: parts of each section by unit ------------------------------------------------ */

/* Kinds of sections in an index of version 2 (GNU, DWARF 4) or 5. */
enum part { PART_INFO, PART_TYPES, PART_ABBREV, PART_STR_OFFSETS, PART_LOC, PART_RNGLISTS, PARTS };

struct parts {
	uint64_t at[PARTS];
};

static enum part split_part_of(unsigned version, uint32_t id)
{
	static const uint8_t old[] = {PARTS, PART_INFO, PART_TYPES,	 PART_ABBREV,
				      PARTS, PART_LOC,	PART_STR_OFFSETS};
	static const uint8_t new[] = {PARTS,	PART_INFO,	  PARTS, PART_ABBREV,  PARTS,
				      PART_LOC, PART_STR_OFFSETS, PARTS, PART_RNGLISTS};

	if (version == 2)
		return id < sizeof(old) ? old[id] : PARTS;
	return id < sizeof(new) ? new[id] : PARTS;
}

static uint64_t number_at(const struct section_data *s, uint64_t at, unsigned size)
{
	struct cursor c = {.at = s->bytes, .end = s->bytes + s->size};

	cursor_take(&c, at);
	return cursor_fixed(&c, size);
}

struct index_head {
	unsigned version;
	uint64_t columns, units, slots;
	uint64_t rows, ids, offsets; /* offsets of the tables */
};

static bool read_head(const struct section_data *s, struct index_head *out)
{
	struct cursor c = {.at = s->bytes, .end = s->bytes + s->size};

	out->version = (unsigned)cursor_fixed(&c, 2);
	cursor_fixed(&c, 2);
	out->columns = cursor_fixed(&c, 4);
	out->units = cursor_fixed(&c, 4);
	out->slots = cursor_fixed(&c, 4);
	out->rows = 16 + out->slots * 8;
	out->ids = out->rows + out->slots * 4;
	out->offsets = out->ids + out->columns * 4;
	return !c.broken && (out->version == 2 || out->version == 5) && out->columns < 64 &&
	       out->slots && !(out->slots & (out->slots - 1)) && out->offsets < s->size;
}

/* Returns the row of a signature, counted from 1, or 0. */
static uint64_t find_row(const struct section_data *s, const struct index_head *h,
			 uint64_t signature)
{
	uint64_t mask = h->slots - 1, slot = signature & mask, step = (signature >> 32 & mask) | 1;

	for (uint64_t i = 0; i < h->slots; i++, slot = (slot + step) & mask) {
		uint64_t row = number_at(s, h->rows + slot * 4, 4);

		if (!row)
			return 0;
		if (number_at(s, 16 + slot * 8, 8) == signature)
			return row <= h->units ? row : 0;
	}
	return 0;
}

static bool find_parts(const struct section_data *s, uint64_t signature, struct parts *out)
{
	struct index_head h;
	uint64_t row;

	*out = (struct parts){0};
	if (!read_head(s, &h) || !(row = find_row(s, &h, signature)))
		return false;
	for (uint64_t i = 0; i < h.columns; i++) {
		uint32_t id = (uint32_t)number_at(s, h.ids + i * 4, 4);
		enum part part = split_part_of(h.version, id);

		if (part != PARTS)
			out->at[part] =
				number_at(s, h.offsets + ((row - 1) * h.columns + i) * 4, 4);
	}
	return true;
}

/* ---- units ---------------------------------------------------------------------------------- */

/* Sets the bases of a unit of a split file, which has no attributes for them. */
static void set_bases(struct die_unit *u, const struct parts *p)
{
	uint64_t header = u->offset_size == 8 ? 20 : 12;

	u->is_dwo = true;
	u->abbrev_offset += p->at[PART_ABBREV];
	u->ref_base += p->at[PART_INFO];
	u->str_base = p->at[PART_STR_OFFSETS];
	u->loc_base = p->at[PART_LOC];
	if (u->version < 5)
		return;
	u->str_base += u->offset_size == 8 ? 16 : 8;
	u->loclists_base = p->at[PART_LOC] + header;
	u->rnglists_base = p->at[PART_RNGLISTS] + header;
}

static void split_add_unit(struct die_file *f, struct die_unit *u)
{
	size_t i;

	*array_add(&f->units) = u;
	for (i = f->units.count - 1; i > 0 && f->units.items[i - 1]->offset > u->offset; i--)
		f->units.items[i] = f->units.items[i - 1];
	f->units.items[i] = u;
}

static void add_made(struct die_file *f, const struct die_unit *u)
{
	struct die_unit *made = base_alloc(1, sizeof(*made));

	*made = *u;
	*array_add(&f->made) = made;
	split_add_unit(f, made);
}

/* Replaces the skeleton by the whole unit; its addresses, line table and own place remain. */
static int become(struct die_table *t, struct die_unit *u, struct die_file *f,
		  const struct die_unit *whole, struct error *err)
{
	const struct die_unit skeleton = *u;
	struct die d;

	*u = *whole;
	u->place_end = skeleton.place_end;
	u->split = UNIT_JOINED;
	u->dwo_id = skeleton.dwo_id;
	u->dwo_name = skeleton.dwo_name;
	u->comp_dir = skeleton.comp_dir;
	u->has_stmt_list = skeleton.has_stmt_list;
	u->stmt_list = skeleton.stmt_list;
	u->low = skeleton.low;
	u->addr_base = skeleton.addr_base;
	u->ranges_base = skeleton.ranges_base;
	if (u->first < u->end) {
		if (die_read_top(t, u, &d, err) < 0) {
			*u = skeleton;
			return -1;
		}
		dies_take_names(t, u, &d);
	}
	split_add_unit(f, u);
	return 0;
}

static int read_unit(struct die_table *t, struct die_file *f, uint64_t at, const struct parts *p,
		     struct die_unit *out, struct error *err)
{
	const struct section_data *info = &f->source.info;
	struct cursor c = {.at = info->bytes, .end = info->bytes + info->size};
	int answer;

	cursor_take(&c, at);
	answer = dies_header(t, &f->source, &c, out, err);
	if (answer == 0)
		answer = dies_broken(t, err, "a unit that is missing, in .debug_info.dwo,", at);
	if (answer > 0)
		set_bases(out, p);
	return answer < 0 ? -1 : 0;
}

/* ---- .dwo files ----------------------------------------------------------------------------- */

static uint64_t next_start(const struct split_table *s)
{
	return SPLIT_START + s->files.count * DIES_SOURCE;
}

static int other_build(const struct die_file *f, const struct die_unit *u, struct error *err)
{
	error_set(err, ERROR_OBJECT, "%s: this file is of another build of %s", f->file.path,
		  u->name ? u->name : "its unit");
	return error_hint(err, "build again, or restore the .dwo files of this build");
}

/* Finds the id of a unit, which GNU's DWARF 4 has in the top DIE. */
static int split_number_of(struct die_table *t, struct die_unit *u, uint64_t *out,
			   struct error *err)
{
	struct die d;

	*out = u->dwo_id;
	if (u->version >= 5 || u->first >= u->end)
		return 0;
	if (die_read_top(t, u, &d, err) < 0)
		return -1;
	if (d.tag && d.wanted)
		*out = d.at[DIE_DWO_ID].number;
	return 0;
}

/* Joins the skeleton to its unit in the file. Type units of the file are added on the way. */
static int join_file(struct die_table *t, struct die_unit *u, struct die_file *f, struct error *err)
{
	const struct section_data *info = &f->source.info;
	const struct parts whole = {0};
	bool types = !f->made.count, found = false;
	struct die_unit one, own = {0};
	uint64_t at = 0, id;

	while (at < info->size) {
		if (read_unit(t, f, at, &whole, &one, err) < 0)
			return -1;
		at = one.place_end - f->source.start;
		if (one.type_die) {
			if (types)
				add_made(f, &one);
			continue;
		}
		if (split_number_of(t, &one, &id, err) < 0)
			return -1;
		if (id == u->dwo_id && !found) {
			own = one;
			found = true;
		}
	}
	return found ? become(t, u, f, &own, err) : other_build(f, u, err);
}

static struct die_file *known_file(const struct split_table *s, const char *path)
{
	array_each(struct die_file *, f, &s->files)
		if (strcmp((*f)->file.path, path) == 0)
			return *f;
	return NULL;
}

/* Returns 1 if the skeleton was joined, 0 if there is no such file, or -1. */
static int try_file(struct die_table *t, struct die_unit *u, const char *path, struct error *err)
{
	struct split_table *s = t->split;
	struct die_file *f = known_file(s, path);
	bool broken;

	if (!f) {
		f = die_file_open(path, next_start(s), ".dwo", &broken, err);
		if (!f)
			return broken ? -1 : 0;
		*array_add(&s->files) = f;
	}
	return join_file(t, u, f, err) < 0 ? -1 : 1;
}

/* Tries the path in the debug information, then the module's directory. */
static int join_dwo(struct die_table *t, struct die_unit *u, struct error *err)
{
	const char *name = u->dwo_name, *path = t->module->path, *slash = strrchr(path, '/');
	int directory = slash ? (int)(slash - path) : 0, answer;
	STR(full);

	if (!name)
		return 0;
	if (*name != '/' && u->comp_dir)
		str_addf(&full, "%s/", u->comp_dir);
	str_add(&full, name);
	answer = try_file(t, u, str_text(&full), err);
	for (int i = 0; i < 2 && answer == 0; i++) {
		str_clear(&full);
		str_addf(&full, "%.*s/%s", directory, path, i ? str_base_name(name) : name);
		answer = try_file(t, u, str_text(&full), err);
	}
	return answer;
}

/* ---- packages ------------------------------------------------------------------------------- */

static int open_package(struct die_table *t, const char *of, struct error *err)
{
	struct split_table *s = t->split;
	STR(path);
	bool broken = false;

	str_addf(&path, "%s.dwp", of);
	if (!s->package)
		s->package = die_file_open(str_text(&path), next_start(s), ".dwo", &broken, err);
	if (s->package && !known_file(s, s->package->file.path))
		*array_add(&s->files) = s->package;
	return broken ? -1 : 0;
}

static int find_package(struct die_table *t, struct error *err)
{
	if (t->split->looked)
		return 0;
	if (open_package(t, t->module->path, err) < 0 ||
	    open_package(t, t->module->debug_path, err) < 0)
		return -1;
	t->split->looked = true;
	return 0;
}

/* Returns 1 if the skeleton was joined, 0 if the unit is not in the package, or -1. */
static int join_package(struct die_table *t, struct die_unit *u, struct error *err)
{
	struct die_file *f = t->split->package;
	struct die_unit whole;
	struct parts p;

	if (!f || !find_parts(&f->cu_index, u->dwo_id, &p))
		return 0;
	if (read_unit(t, f, p.at[PART_INFO], &p, &whole, err) < 0 ||
	    become(t, u, f, &whole, err) < 0)
		return -1;
	return 1;
}

static uint64_t signed_in_package(struct die_table *t, struct die_file *f, uint64_t signature)
{
	struct die_unit unit;
	ERROR(ignored);
	struct parts p;
	uint64_t at;

	if (!find_parts(&f->tu_index, signature, &p))
		return 0;
	at = p.at[PART_TYPES] ? f->source.types_from + p.at[PART_TYPES] : p.at[PART_INFO];
	if (read_head(&f->tu_index, &(struct index_head){0}) && number_at(&f->tu_index, 0, 2) == 2)
		at = f->source.types_from + p.at[PART_TYPES];
	if (read_unit(t, f, at, &p, &unit, &ignored) < 0 || unit.signature != signature)
		return 0;
	unit.ref_base = unit.offset;
	add_made(f, &unit);
	return unit.type_die;
}

static uint64_t signed_in(struct die_table *t, struct die_file *f, uint64_t signature)
{
	array_each(struct die_unit *, made, &f->made)
		if ((*made)->type_die && (*made)->signature == signature)
			return (*made)->type_die;
	return f == t->split->package ? signed_in_package(t, f, signature) : 0;
}

/* Makes all type units of a package, which otherwise are made one by one. */
static void make_all(struct die_table *t, struct die_file *f)
{
	struct index_head h;

	if (f->all_made || f != t->split->package)
		return;
	f->all_made = true;
	if (!read_head(&f->tu_index, &h))
		return;
	for (uint64_t i = 0; i < h.slots; i++) {
		uint64_t signature = number_at(&f->tu_index, 16 + i * 8, 8);

		if (number_at(&f->tu_index, h.rows + i * 4, 4))
			signed_in(t, f, signature);
	}
}

/* ---- queries -------------------------------------------------------------------------------- */

static int units_split_join(struct die_table *t, struct die_unit *u, struct error *err)
{
	int answer;

	if (!t->split)
		t->split = base_alloc(1, sizeof(*t->split));
	if (find_package(t, err) < 0)
		return -1;
	answer = join_package(t, u, err);
	return answer ? answer : join_dwo(t, u, err);
}

int split_join(struct die_table *t, struct die_unit *u, struct error *err)
{
	int answer;

	if (u->split == UNIT_MISSING)
		return 0;
	answer = units_split_join(t, u, err);
	if (answer)
		return answer < 0 ? -1 : 0;
	u->split = UNIT_MISSING;
	u->first = u->end;
	return 0;
}

static struct die_file *split_file_of(const struct die_table *t, uint64_t die)
{
	uint64_t i = (die - SPLIT_START) / DIES_SOURCE;

	return t->split && i < t->split->files.count ? t->split->files.items[i] : NULL;
}

struct die_unit *split_unit_of(struct die_table *t, uint64_t die)
{
	const struct die_file *f = split_file_of(t, die);
	size_t low = 0, high = f ? f->units.count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->units.items[middle]->end <= die)
			low = middle + 1;
		else
			high = middle;
	}
	if (!f || low == f->units.count || die < f->units.items[low]->first)
		return NULL;
	return f->units.items[low];
}

uint64_t split_signed(struct die_table *t, const struct die_unit *u, uint64_t signature)
{
	struct die_file *f = split_file_of(t, u->offset);

	return f ? signed_in(t, f, signature) : 0;
}

static bool has_text(const struct section_data *s, const char *name)
{
	return s->size && memmem(s->bytes, s->size, name, strlen(name));
}

bool split_contains(struct die_table *t, struct die_unit *u, const char *name)
{
	ERROR(ignored);

	if (u->split == UNIT_SKELETON && split_join(t, u, &ignored) < 0)
		return true; /* reading the unit reports the error */
	return u->split != UNIT_MISSING &&
	       (has_text(&u->in->str, name) || has_text(&u->in->info, name));
}

int split_each_type(struct die_table *t, const char *name,
		    int (*visit)(struct die_table *t, struct die_unit *u, void *ctx,
				 struct error *err),
		    void *ctx, struct error *err)
{
	int answer = 0;

	for (size_t i = 0; t->split && i < t->split->files.count && answer == 0; i++) {
		struct die_file *f = t->split->files.items[i];

		if (!has_text(&f->source.str, name) && !has_text(&f->source.info, name))
			continue;
		make_all(t, f);
		for (size_t k = 0; k < f->made.count && answer == 0; k++)
			answer = visit(t, f->made.items[k], ctx, err);
	}
	return answer;
}

/* Sets an error if the unit's file is missing. Returns false if it is not. */
static bool missing(const struct die_table *t, const struct die_unit *u, const char *what,
		    struct error *err)
{
	if (u->split != UNIT_MISSING || !u->dwo_name)
		return false;
	error_set(err, ERROR_STATE,
		  "%s: %s%s%s is missing, which contains the functions and variables here", what,
		  u->comp_dir && u->dwo_name[0] != '/' ? u->comp_dir : "",
		  u->comp_dir && u->dwo_name[0] != '/' ? "/" : "", u->dwo_name);
	error_hint(err, "restore the .dwo files, or %s.dwp beside the program, or build again",
		   module_name(t->module));
	return true;
}

bool split_explain(struct die_table *t, uint64_t offset, const char *what, struct error *err)
{
	const struct die_unit *u = dies_unit_at(t, offset);

	return u && missing(t, u, what, err);
}

bool split_explain_any(struct die_table *t, const char *what, struct error *err)
{
	array_each(const struct die_unit, u, &t->units)
		if (missing(t, u, what, err))
			return true;
	return false;
}

void split_free(struct split_table *s)
{
	if (!s)
		return;
	array_each(struct die_file *, f, &s->files)
		die_file_free(*f);
	array_fini(&s->files);
	base_free(s);
}
