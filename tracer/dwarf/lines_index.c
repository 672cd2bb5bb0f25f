/*
 * An index of a unit's rows by line. Sorting the rows costs more than a few linear searches, so
 * the index is made only for units that are searched often.
 */
#include "tracer/dwarf/lines.h"

enum { LOOKS = 8 };

/*
 * At -O0 nearly every row begins a statement (but for some of coroutines); where it is optimised, two in five do not. The limit
 * lies between: one in five, or one in eight where there are few.
 */
bool lines_all_stmt(struct line_unit *u)
{
	enum { SMALL = 100 };
	size_t others = 0;

	if (!u->all_stmt) {
		array_each(const struct line_row, row, &u->rows)
			others += !row->is_stmt && !row->end_sequence;
		u->all_stmt = others * (u->rows.count < SMALL ? 8 : 5) <= u->rows.count ? 1 : -1;
	}
	return u->all_stmt > 0;
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

static void make(struct line_unit *u)
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
		make(u);
	if (!u->by_line.count)
		return NULL;
	first = array_below(&u->by_line, line, line);
	*count = array_upto(&u->by_line, line, line) - first;
	return u->by_line.items + first;
}
