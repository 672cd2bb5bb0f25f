/* Source files of a unit by name, and rows of a unit by line. */
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

/* Returns the last component of the path, or NULL if it is "." or "..": no file has such a name. */
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

/*
 * Index of a unit's rows by line. Sorting them costs more than a few linear searches, so only
 * units that are searched often get an index.
 */

enum { LOOKS = 8 };

/*
 * True if the row begins no statement although its place differs from the row before. Without
 * statement markers, gcc clears is_stmt only for a second row of one place (another basic block: a
 * discriminator) and for very few rows in coroutines.
 */
static bool is_between_marks(const struct line_row *row)
{
	return !row->is_stmt && !row->end_sequence &&
	       (row->file != row[-1].file || row->line != row[-1].line ||
		row->column != row[-1].column);
}

static bool is_all_stmt(const struct line_unit *u)
{
	enum { FEW = 50 };
	size_t between = 0;

	array_each(const struct line_sequence, sequence, &u->sequences)
		for (size_t i = 1; i < sequence->count; i++)
			between += is_between_marks(&u->rows.items[sequence->first + i]);
	return between * FEW <= u->rows.count;
}

bool lines_all_stmt(struct line_unit *u)
{
	if (!u->all_stmt)
		u->all_stmt = is_all_stmt(u) ? 1 : -1;
	return u->all_stmt > 0;
}

/* Adds the number of the piece's rows to *rows. Returns false if one of them is between marks. */
static bool counts_all_stmt(const struct line_unit *u, const struct module_range *piece,
			    size_t *rows)
{
	const struct line_row *row = lines_row_at(u, piece->low);

	while (row && !row->end_sequence && !(++row)->end_sequence && row->offset < piece->high) {
		if (is_between_marks(row))
			return false;
		++*rows;
	}
	return true;
}

bool lines_all_stmt_in(const struct line_unit *u, const struct module_range *pieces, size_t count)
{
	enum { ENOUGH = 8 };
	size_t rows = 0;

	for (size_t i = 0; i < count; i++)
		if (!counts_all_stmt(u, &pieces[i], &rows))
			return false;
	return rows >= ENOUGH;
}

static int by_line(const void *a, const void *b)
{
	const struct line_place *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->sequence != y->sequence)
		return x->sequence < y->sequence ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static void lines_index_make(struct line_unit *u)
{
	for (size_t s = 0; s < u->sequences.count; s++) {
		const struct line_sequence *sequence = &u->sequences.items[s];
		const struct line_row *rows = u->rows.items + sequence->first;

		for (size_t i = 0; i + 1 < sequence->count; i++)
			if (rows[i].line)
				*array_add(&u->by_line) =
					(struct line_place){rows[i].line, (uint32_t)s, (uint32_t)i};
	}
	array_sort(&u->by_line, by_line);
}

const struct line_place *lines_places(struct line_unit *u, unsigned line, size_t *count)
{
	size_t first;

	*count = 0;
	if (u->looks < LOOKS && ++u->looks < LOOKS)
		return NULL;
	if (!u->by_line.count)
		lines_index_make(u);
	if (!u->by_line.count)
		return NULL;
	first = array_below(&u->by_line, line, line);
	*count = array_upto(&u->by_line, line, line) - first;
	return u->by_line.items + first;
}
