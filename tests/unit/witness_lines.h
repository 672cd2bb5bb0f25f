/* Compares rows of line tables. */
#ifndef TESTS_WITNESS_LINES_H
#define TESTS_WITNESS_LINES_H

#include "witness.h"

#include "tracer/dwarf/lines/lines.h"

struct their_row {
	Dwarf_Addr offset;
	Dwarf_Unsigned line, column, file;
	Dwarf_Bool is_stmt, end, prologue_end;
	const char *path;
};

static inline bool read_row(struct witness *w, Dwarf_Line l, struct difference d,
			    struct their_row *out)
{
	Dwarf_Unsigned isa, discriminator;
	Dwarf_Bool epilogue;
	Dwarf_Error error;
	char *path;

	if (!said(w, dwarf_lineaddr(l, &out->offset, &error), &error, d) ||
	    !said(w, dwarf_lineno(l, &out->line, &error), &error, d) ||
	    !said(w, dwarf_lineoff_b(l, &out->column, &error), &error, d) ||
	    !said(w, dwarf_linebeginstatement(l, &out->is_stmt, &error), &error, d) ||
	    !said(w, dwarf_lineendsequence(l, &out->end, &error), &error, d) ||
	    !said(w,
		  dwarf_prologue_end_etc(l, &out->prologue_end, &epilogue, &isa, &discriminator,
					 &error),
		  &error, d) ||
	    !said(w, dwarf_line_srcfileno(l, &out->file, &error), &error, d) ||
	    !said(w, dwarf_linesrc(l, &path, &error), &error, d))
		return false;
	out->path = path;
	out->end = out->end &&
		   /* libdwarf issue 322: a row that begins an epilogue ends no sequence */
		   !epilogue;
	return true;
}

static inline void compare_line_row(struct witness *w, struct line_unit *u,
				    const struct line_row *r, const struct their_row *theirs)
{
	const char *path = lines_file(u, r->file);

	if (r->offset != theirs->offset || r->end_sequence != theirs->end)
		differ(w, "the address of a row", r->offset, r->offset, theirs->offset);
	if (r->line != theirs->line || r->column != theirs->column)
		differ(w, "the line of a row", r->offset, r->line, theirs->line);
	if (r->is_stmt != theirs->is_stmt || r->prologue_end != theirs->prologue_end)
		differ(w, "the flags of a row", r->offset, r->is_stmt, theirs->is_stmt);
	if (r->file != lines_file_index(u, theirs->file) || !path ||
	    strcmp(path, theirs->path) != 0)
		differs(w, &(struct difference){.what = "the file of a row",
						.entry = r->offset,
						.ours = r->file,
						.theirs = theirs->file,
						.our_text = path,
						.their_text = theirs->path});
	w->counts->lines++;
}

/* Compares one sequence; sequences dropped by the linker are not in our table. */
static inline void compare_sequence(struct witness *w, struct line_unit *u,
				    const struct their_row *rows, size_t count)
{
	if (!rows[0].offset || rows[0].offset == UINT64_MAX)
		return;
	array_each(const struct line_sequence, s, &u->sequences) {
		if (s->low != rows[0].offset)
			continue;
		if (s->count != count)
			differ(w, "the rows of a sequence", s->low, s->count, count);
		for (size_t i = 0; i < s->count && i < count; i++)
			compare_line_row(w, u, &u->rows.items[s->first + i], &rows[i]);
		return;
	}
	differ(w, "a sequence that we do not have", rows[0].offset, 0, count);
}

static inline void compare_table(struct witness *w, struct line_unit *u, Dwarf_Line *list,
				 Dwarf_Signed count)
{
	struct difference d = {.what = "an error in a line table", .entry = w->unit->first};
	ARRAY(struct their_row) rows = {0};

	for (Dwarf_Signed i = 0; i < count; i++) {
		struct their_row *r = array_add(&rows);

		if (!read_row(w, list[i], d, r))
			break;
		if (!r->end)
			continue;
		compare_sequence(w, u, rows.items, rows.count);
		array_each(struct their_row, one, &rows)
			dwarf_dealloc(w->theirs, (void *)one->path, DW_DLA_STRING);
		rows.count = 0;
	}
	array_fini(&rows);
}

/* Compares the line table of the unit with this top entry, if it has one. */
static inline void compare_lines(struct witness *w, Dwarf_Die top)
{
	struct difference d = {.what = "an error in a line table", .entry = w->unit->first};
	struct line_table *table;
	Dwarf_Line_Context context;
	Dwarf_Unsigned version;
	Dwarf_Signed count;
	struct line_unit *u;
	Dwarf_Small tables;
	Dwarf_Error error;
	Dwarf_Line *list;
	ERROR(err);

	table = lines_table(w->module, &err);
	u = table && w->unit->has_stmt_list ? lines_unit_at(table, w->unit->stmt_list) : NULL;
	if (!u)
		return;
	if (lines_decode(w->module, u, &err) < 0)
		fail_msg("%s: %s", w->name, err.text);
	if (!said(w, dwarf_srclines_b(top, &version, &tables, &context, &error), &error, d))
		return;
	if (said(w, dwarf_srclines_from_linecontext(context, &list, &count, &error), &error, d))
		compare_table(w, u, list, count);
	dwarf_srclines_dealloc_b(context);
}

#endif
