/*
 * Line programs made byte by byte, for tests of lines.h. The module is the test's own executable
 * with its .debug_line replaced.
 */
#ifndef GATECTL_TESTS_LINE_MAKER_H
#define GATECTL_TESTS_LINE_MAKER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tracer/dwarf/lines/lines.h"

#include <string.h>

#define UNIT_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

/* ---- a module with a made-up .debug_line ---------------------------------------------------- */

struct bytes {
	ARRAY(uint8_t) b;
};

struct fixture {
	struct modules *s;
	struct module *m;
	struct bytes line, line_str, str;
	uint64_t code; /* offset with code at and after it */
	struct error err;
};

static inline int setup(void **state)
{
	struct fixture *f = base_alloc(1, sizeof(*f));

	f->s = modules_new();
	f->m = modules_open(f->s, "/proc/self/exe", &f->err);
	if (!f->m)
		return -1;
	f->code = module_entry(f->m);
	*state = f;
	return 0;
}

static inline int teardown(void **state)
{
	struct fixture *f = *state;

	modules_free(f->s);
	array_fini(&f->line.b);
	array_fini(&f->line_str.b);
	array_fini(&f->str.b);
	error_fini(&f->err);
	base_free(f);
	return 0;
}

static inline void put(struct bytes *b, uint64_t value, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		*array_add(&b->b) = i < 8 ? (uint8_t)(value >> 8 * i) : 0;
}

static inline void put_uleb(struct bytes *b, uint64_t value)
{
	do {
		*array_add(&b->b) = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		value >>= 7;
	} while (value);
}

static inline void put_text(struct bytes *b, const char *text)
{
	do
		*array_add(&b->b) = (uint8_t)*text;
	while (*text++);
}

/* Overwrites n bytes with a number. */
static inline void patch(struct bytes *b, size_t at, uint64_t value, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		b->b.items[at + i] = (uint8_t)(value >> 8 * i);
}

static inline void set_section(struct fixture *f, const char *name, const struct bytes *b)
{
	struct module_section *section = NULL;

	array_each(struct module_section, s, &f->m->sections)
		if (strcmp(s->name, name) == 0)
			section = s;
	if (!section) {
		section = array_add(&f->m->sections);
		section->name = base_strdup(name);
	}
	section->data.bytes = b->b.items;
	section->data.size = b->b.count;
}

/* Reads f->line as the module's .debug_line. Returns NULL with f->err set on an error. */
static inline struct line_table *table(struct fixture *f)
{
	cleanups_run(&f->m->cleanups);
	f->m->lines = NULL;
	error_fini(&f->err);
	if (!module_find_debug(f->m))
		f->m->debug_path = base_strdup("made by hand");
	if (!f->m->debug_elf)
		f->m->debug_elf = f->m->elf;
	set_section(f, ".debug_line", &f->line);
	set_section(f, ".debug_line_str", &f->line_str);
	set_section(f, ".debug_str", &f->str);
	return lines_table(f->m, &f->err);
}

/* Parameters of a unit; 0: the usual value. */
struct unit {
	unsigned version;
	bool wide; /* 64-bit DWARF */
	uint8_t min_inst, max_ops, line_range, opcode_base;
	bool no_stmt;
	void (*tables)(struct fixture *f, bool wide);
	size_t start, header; /* offsets of its length fields */
};

static const uint8_t usual_operands[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 2, 0, 3};

static inline void two_files(struct fixture *f, bool wide)
{
	(void)wide;
	put_text(&f->line, "src");
	put_text(&f->line, "/abs/include");
	put_text(&f->line, "");
	put_text(&f->line, "main.c");
	put_uleb(&f->line, 1);
	put_uleb(&f->line, 0);
	put_uleb(&f->line, 300);
	put_text(&f->line, "head.h");
	put_uleb(&f->line, 2);
	put_uleb(&f->line, 1000000);
	put_uleb(&f->line, 0);
	put_text(&f->line, "");
}

/* Directories by line_strp; files by strp, udata, and forms to skip. */
static inline void described_files(struct fixture *f, bool wide)
{
	static const unsigned formats[] = {1, 0x0e, 2, 0x0b, 5,	     0x1e,
					   4, 0x0f, 3, 0x06, 0x2001, 0x09};
	size_t comp_dir = f->line_str.b.count, sub, main_c, head;

	put_text(&f->line_str, "/home/u/project");
	sub = f->line_str.b.count;
	put_text(&f->line_str, "lib");
	main_c = f->str.b.count;
	put_text(&f->str, "main.c");
	head = f->str.b.count;
	put_text(&f->str, "head.h");

	put(&f->line, 1, 1);
	put_uleb(&f->line, 1);
	put_uleb(&f->line, 0x1f);
	put_uleb(&f->line, 2);
	put(&f->line, comp_dir, wide ? 8 : 4);
	put(&f->line, sub, wide ? 8 : 4);

	put(&f->line, 6, 1);
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		put_uleb(&f->line, formats[i]);
	put_uleb(&f->line, 2);
	for (int i = 0; i < 2; i++) {
		put(&f->line, i ? head : main_c, wide ? 8 : 4);
		put(&f->line, (unsigned)i, 1);
		put(&f->line, 0x1122334455667788, 8);
		put(&f->line, 0x99aabbccddeeff00, 8);
		put_uleb(&f->line, 70000);
		put(&f->line, 12345678, 4);
		put_uleb(&f->line, 3);
		put(&f->line, 0x010203, 3);
	}
}

/* Other forms that a producer may choose; names are in the table itself. */
static inline void inline_files(struct fixture *f, bool wide)
{
	(void)wide;
	put(&f->line, 1, 1);
	put_uleb(&f->line, 1);
	put_uleb(&f->line, 0x08);
	put_uleb(&f->line, 1);
	put_text(&f->line, "/d");
	put(&f->line, 5, 1);
	static const unsigned formats[] = {1, 0x08, 2, 0x05, 3, 0x07, 4, 0x0a, 0x3000, 0x03};
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		put_uleb(&f->line, formats[i]);
	put_uleb(&f->line, 2);
	for (int i = 0; i < 2; i++) {
		put_text(&f->line, i ? "b.c" : "./a.c");
		put(&f->line, 0, 2);
		put(&f->line, 1, 8);
		put(&f->line, 2, 1);
		put(&f->line, 3, 2);
		put(&f->line, 1, 2);
		put(&f->line, 9, 1);
	}
}

static inline void begin(struct fixture *f, struct unit *u)
{
	u->start = f->line.b.count;
	if (u->wide)
		put(&f->line, 0xffffffff, 4);
	put(&f->line, 0, u->wide ? 8 : 4);
	put(&f->line, u->version, 2);
	if (u->version >= 5)
		put(&f->line, 0x0008, 2);
	u->header = f->line.b.count;
	put(&f->line, 0, u->wide ? 8 : 4);
	put(&f->line, u->min_inst ? u->min_inst : 1, 1);
	if (u->version >= 4)
		put(&f->line, u->max_ops ? u->max_ops : 1, 1);
	put(&f->line, !u->no_stmt, 1);
	put(&f->line, (uint8_t)-5, 1);
	put(&f->line, u->line_range ? u->line_range : 14, 1);
	u->opcode_base = u->opcode_base ? u->opcode_base : 13;
	put(&f->line, u->opcode_base, 1);
	for (unsigned op = 1; op < u->opcode_base; op++)
		put(&f->line, usual_operands[op - 1], 1);
	(u->tables ? u->tables : two_files)(f, u->wide);
	patch(&f->line, u->header, f->line.b.count - u->header - (u->wide ? 8 : 4),
	      u->wide ? 8 : 4);
}

static inline void finish(struct fixture *f, const struct unit *u)
{
	size_t at = u->start + (u->wide ? 4 : 0), n = u->wide ? 8 : 4;

	patch(&f->line, at, f->line.b.count - at - n, (unsigned)n);
}

static inline void op_address(struct fixture *f, uint64_t address)
{
	put(&f->line, 0, 1);
	put_uleb(&f->line, 9);
	put(&f->line, 2, 1);
	put(&f->line, address, 8);
}

static inline void op_end(struct fixture *f)
{
	put(&f->line, 0, 1);
	put_uleb(&f->line, 1);
	put(&f->line, 1, 1);
}

static inline void op(struct fixture *f, unsigned opcode)
{
	put(&f->line, opcode, 1);
}

static inline void op_uleb(struct fixture *f, unsigned opcode, uint64_t operand)
{
	op(f, opcode);
	put_uleb(&f->line, operand);
}

/* advance_line, then copy */
static inline void row(struct fixture *f, int lines, unsigned bytes)
{
	op_uleb(f, 2, bytes);
	op(f, 3);
	put(&f->line, (unsigned)lines & 0x7f, 1);
	op(f, 1);
}

static inline struct line_unit *decoded(struct fixture *f)
{
	struct line_table *t = table(f);

	if (!t)
		fail_msg("%s", f->err.text);
	assert_true(t->units.count > 0);
	array_each(struct line_unit, u, &t->units)
		if (lines_decode(f->m, u, &f->err) < 0)
			fail_msg("%s", f->err.text);
	return &t->units.items[0];
}

static inline void expect_row(const struct line_unit *u, size_t i, uint64_t offset, unsigned file,
			      unsigned line)
{
	assert_true(i < u->rows.count);
	assert_int_equal(u->rows.items[i].offset, offset);
	assert_int_equal(u->rows.items[i].file, file);
	assert_int_equal(u->rows.items[i].line, line);
}

/* A program with each opcode of versions 2 to 5. */
static inline void one_of_each(struct fixture *f)
{
	op_address(f, f->code);
	op(f, 13 + 5 + 2);	/* special: line + 2, address + 0 */
	op(f, 13 + 14 * 3 + 4); /* special: line - 1, address + 3 */
	op_uleb(f, 4, 2);	/* file 2 */
	op_uleb(f, 5, 300);	/* column */
	op(f, 6);		/* negate_stmt */
	op(f, 7);
	op(f, 10); /* set_prologue_end */
	op(f, 11);
	op_uleb(f, 12, 77);
	op(f, 8); /* const_add_pc: (255 - 13) / 14 = 17 */
	op(f, 9);
	put(&f->line, 0x100, 2);
	put(&f->line, 0, 1); /* discriminator */
	put_uleb(&f->line, 2);
	put(&f->line, 4, 1);
	put_uleb(&f->line, 9);
	row(f, 10, 1);
	op_uleb(f, 2, 4);
	op(f, 1);
	op_uleb(f, 2, 1);
	op_end(f);
}

#endif
