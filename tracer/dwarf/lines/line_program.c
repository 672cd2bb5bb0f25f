/* The line number state machine: runs the program of one unit and keeps its rows. */
#include "tracer/dwarf/lines/lines.h"

#include "tracer/dwarf/cursor.h"

#include <inttypes.h>
#include <stdlib.h>

#include <libdwarf/dwarf.h>

struct line_state {
	const struct module *m;
	struct line_unit *u;
	const struct line_program *p;
	struct cursor in;
	/* registers of the state machine */
	uint64_t address;
	unsigned file; /* index into the unit's files */
	unsigned op_index, line, column;
	bool is_stmt, prologue_end;
	/* the sequence that is being read */
	size_t first;  /* index of its first row */
	uint64_t last; /* address of its last row */
	bool sorted;
	const char *fault; /* NULL: no error so far */
};

static void reset(struct line_state *x)
{
	x->address = 0;
	x->file = lines_file_index(x->u, 1);
	x->op_index = x->column = 0;
	x->line = 1;
	x->is_stmt = x->p->default_is_stmt;
	x->prologue_end = false;
	x->first = x->u->rows.count;
	x->last = 0;
	x->sorted = true;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static inline void add_row(struct line_state *x, bool end)
{
	struct line_unit *u = x->u;
	struct line_row *row;

	if (u->rows.count < u->rows.capacity)
		row = &u->rows.items[u->rows.count++];
	else
		row = array_add(&u->rows);
	*row = (struct line_row){
		.offset = x->address,
		.file = x->file,
		.line = x->line,
		.column = x->column,
		.is_stmt = x->is_stmt,
		.prologue_end = x->prologue_end,
		.end_sequence = end,
	};
	x->prologue_end = false;
	x->sorted &= x->address >= x->last;
	x->last = x->address;
}

struct ordered_row {
	struct line_row row;
	size_t order;
};

static int compare_ordered(const void *left, const void *right)
{
	const struct ordered_row *a = left, *b = right;

	if (a->row.offset != b->row.offset)
		return a->row.offset < b->row.offset ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Sorts rows whose addresses decrease, which the standard forbids but some assemblers wrote. The
   end_sequence row stays last and gets no lower address than the row before. */
static void sort_rows(struct line_row *rows, size_t count)
{
	struct ordered_row *copy = base_alloc(count, sizeof(*copy));

	for (size_t i = 0; i < count; i++)
		copy[i] = (struct ordered_row){rows[i], i};
	qsort(copy, count - 1, sizeof(*copy), compare_ordered);
	for (size_t i = 0; i < count; i++)
		rows[i] = copy[i].row;
	if (count > 1 && rows[count - 1].offset < rows[count - 2].offset)
		rows[count - 1].offset = rows[count - 2].offset;
	base_free(copy);
}

/* True for code that the linker dropped: it has address 0 or -1, outside of all code. If a segment
   with code begins at 0, the ELF header is there. */
static bool is_dead(const struct module *m, uint64_t offset)
{
	if (!module_is_code(m, offset))
		return true;
	array_each(const Elf64_Phdr, p, &m->segments)
		if (p->p_offset == 0 && offset - p->p_vaddr < sizeof(Elf64_Ehdr))
			return true;
	return false;
}

static void end_sequence(struct line_state *x)
{
	struct line_row *rows;
	size_t count;

	add_row(x, true);
	rows = x->u->rows.items + x->first;
	count = x->u->rows.count - x->first;
	if (!x->sorted)
		sort_rows(rows, count);
	/* An empty sequence covers no code but would hide the one that begins at its address. */
	if (rows[0].offset == rows[count - 1].offset || is_dead(x->m, rows[0].offset)) {
		x->u->rows.count = x->first;
	} else {
		*array_add(&x->u->sequences) = (struct line_sequence){
			rows[0].offset, rows[count - 1].offset, x->first, count};
	}
	reset(x);
}

/* ---- opcodes -------------------------------------------------------------------------------- */

static inline void advance(struct line_state *x, uint64_t operations)
{
	if (x->p->max_ops == 1) {
		x->address += operations * x->p->min_inst;
		return;
	}
	operations += x->op_index;
	x->address += operations / x->p->max_ops * x->p->min_inst;
	x->op_index = (unsigned)(operations % x->p->max_ops);
}

static inline void special(struct line_state *x, unsigned opcode)
{
	unsigned adjusted = opcode - x->p->opcode_base;

	advance(x, adjusted / x->p->line_range);
	x->line += (unsigned)(x->p->line_base + (int)(adjusted % x->p->line_range));
	add_row(x, false);
}

static void define_file(struct line_state *x, struct cursor *operand)
{
	const char *name = cursor_string(operand);
	struct line_file *f;

	if (!name)
		return;
	f = array_add(&x->u->files);
	f->name = name;
	f->dir = cursor_uleb(operand);
}

static void extended(struct line_state *x)
{
	uint64_t length = cursor_uleb(&x->in);
	struct cursor operand = {.at = x->in.at};

	if (length == 0 || !cursor_take(&x->in, length)) {
		x->fault = "an extended opcode has a wrong length";
		return;
	}
	operand.end = operand.at + length;
	switch (cursor_u8(&operand)) {
	case DW_LNE_end_sequence:
		end_sequence(x);
		break;
	case DW_LNE_set_address:
		if (length - 1 > 8)
			x->fault = "an address has more than 8 bytes";
		else
			x->address = cursor_fixed(&operand, (unsigned)length - 1);
		x->op_index = 0;
		break;
	case DW_LNE_define_file:
		define_file(x, &operand);
		break;
	default: /* discriminators and unknown opcodes */
		break;
	}
}

static void standard(struct line_state *x, unsigned opcode)
{
	switch (opcode) {
	case DW_LNS_copy:
		add_row(x, false);
		break;
	case DW_LNS_advance_pc:
		advance(x, cursor_uleb(&x->in));
		break;
	case DW_LNS_advance_line:
		x->line += (unsigned)cursor_sleb(&x->in);
		break;
	case DW_LNS_set_file:
		x->file = lines_file_index(x->u, cursor_uleb(&x->in));
		break;
	case DW_LNS_set_column:
		x->column = (unsigned)cursor_uleb(&x->in);
		break;
	case DW_LNS_negate_stmt:
		x->is_stmt = !x->is_stmt;
		break;
	case DW_LNS_const_add_pc:
		advance(x, (255u - x->p->opcode_base) / x->p->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		x->address += cursor_fixed(&x->in, 2);
		x->op_index = 0;
		break;
	case DW_LNS_set_prologue_end:
		x->prologue_end = true;
		break;
	default: /* set_basic_block, set_epilogue_begin, set_isa and unknown opcodes */
		for (unsigned i = x->p->operands[opcode - 1]; i > 0; i--)
			cursor_uleb(&x->in);
		break;
	}
}

static void line_program_run(struct line_state *x)
{
	while (x->in.at < x->in.end && !x->fault) {
		unsigned opcode = *x->in.at++;

		if (opcode >= x->p->opcode_base)
			special(x, opcode);
		else if (opcode == 0)
			extended(x);
		else
			standard(x, opcode);
	}
	if (x->in.broken && !x->fault)
		x->fault = "an operand extends beyond the end";
	if (!x->fault && x->u->rows.count > x->first)
		x->fault = "its last sequence has no end";
}

static int compare_sequences(const void *left, const void *right)
{
	const struct line_sequence *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

/* Reserves memory for the rows: most opcodes are special ones, one row for two or three bytes. */
static void reserve_rows(struct line_unit *u)
{
	size_t bytes = (size_t)(u->program.end - u->program.bytes);

	u->rows.capacity = bytes / 3 + 8;
	u->rows.items = base_alloc(u->rows.capacity, sizeof(*u->rows.items));
}

int lines_decode(struct module *m, struct line_unit *u, struct error *err)
{
	struct line_state x = {.m = m, .u = u, .p = &u->program};
	size_t files;

	if (u->decoded)
		return 0;
	if (lines_head(m, u, err) < 0)
		return -1;
	files = u->files.count;
	x.in = (struct cursor){.at = x.p->bytes, .end = x.p->end};
	reserve_rows(u);
	reset(&x);
	line_program_run(&x);
	if (x.fault) {
		array_fini(&u->rows);
		array_fini(&u->sequences);
		u->files.count = files;
		return error_set(err, ERROR_OBJECT,
				 "%s: .debug_line is broken at 0x%" PRIx64
				 " (program of the unit at 0x%" PRIx64 "): %s",
				 m->debug_path, u->stmt_list + (uint64_t)(x.in.at - x.p->unit),
				 u->stmt_list, x.fault);
	}
	array_sort(&u->sequences, compare_sequences);
	u->decoded = true;
	return 0;
}

/* ---- lookup --------------------------------------------------------------------------------- */

/* Finds the last row at or before the offset whose line is not 0. The sequence covers the
   offset. */
static const struct line_row *row_in(const struct line_unit *u, const struct line_sequence *s,
				     uint64_t offset)
{
	const struct line_row *first = &u->rows.items[s->first];
	const struct line_row *row =
		first + sorted_below(first, s->count, offset, offset, true) - 1;

	while (row > first && row->line == 0)
		row--;
	return row->line ? row : NULL;
}

const struct line_row *lines_row_at(const struct line_unit *u, uint64_t offset)
{
	size_t n = array_upto(&u->sequences, low, offset);

	if (n == 0 || offset >= u->sequences.items[n - 1].high)
		return NULL;
	return row_in(u, &u->sequences.items[n - 1], offset);
}

struct line_walk lines_walk(const struct line_unit *u, uint64_t low, uint64_t high)
{
	size_t n = u ? array_upto(&u->sequences, low, low) : 0;

	return (struct line_walk){.unit = u, .low = low, .high = high, .sequence = n ? n - 1 : 0};
}

static void walk_sequence(struct line_walk *w, const struct line_sequence *s)
{
	const struct line_row *first = &w->unit->rows.items[s->first];

	w->end = first + s->count - 1;
	w->at = first + sorted_below(first, s->count - 1, offset, w->low, false);
}

const struct line_row *lines_next(struct line_walk *w)
{
	while (w->at == w->end || w->at->offset >= w->high) {
		if (!w->unit || w->sequence == w->unit->sequences.count)
			return NULL;
		walk_sequence(w, &w->unit->sequences.items[w->sequence++]);
	}
	return w->at++;
}
