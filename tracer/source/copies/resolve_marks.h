/* The rows of the line table that mark where statements begin. */
#ifndef GATECTL_SOURCE_COPIES_RESOLVE_MARKS_H
#define GATECTL_SOURCE_COPIES_RESOLVE_MARKS_H

#include "tracer/source/copies/resolve_copy.h"

/* Are they at the same line and column? */
bool row_is_same(const struct line_row *a, const struct line_row *b);
/* How many rows of the sequence, from `first` on, stand before this one at its address. */
unsigned row_order(const struct line_row *first, const struct line_row *row);
enum row_followed row_followed(const struct line_row *row);
/* Is the statement row before this one at the same line and column? */
bool row_is_repeated(const struct line_row *first, const struct line_row *row);

/* The first row in the range, and how many there are. */
const struct line_row *rows_in(const struct line_unit *l, const struct module_range *range,
			       size_t *count);

/* Is the text of the line one call, or use of a macro, and a semicolon? */
bool is_one_call(struct resolver *r, const char *path, unsigned line);

struct row_place {
	struct die_table *dies;
	const struct line_copy *copy;
	const struct file_use *use;
	const char *path;
	unsigned line;
};
/* Is the row at the line and column of the copy's own statement row before it, behind inlined calls? A macro of several
   statements may have those in its arguments. 0, or -1 with the error. */
int row_ends_macro(const struct row_place *p, const struct line_row *first,
		   const struct line_row *row, bool *out, struct error *err);

/* The mark of the block has no code of its own and is the last one before code that others jump to: do some of them come
   from a `return` on another line, and so pass it by? */
bool mark_is_passed_by(const struct copy_work *w, const struct block *b);

/* Has gcc lost the marks of the function around it, in a unit that has them? */
bool marks_are_lost(const struct line_unit *l, struct scope_ref owner);

#endif
