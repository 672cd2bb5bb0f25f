/*
 * The stack machine of DWARF expressions (DWARF 5 standard, 2.5 and 2.6; GNU's older spellings of
 * the same operations too), for variables and for call frames.
 */
#ifndef GATECTL_DWARF_EXPRESSIONS_EXPRESSION_H
#define GATECTL_DWARF_EXPRESSIONS_EXPRESSION_H

#include "tracer/dwarf/units/units.h"
#include "tracer/dwarf/frames/frames.h"

enum piece_kind {
	PIECE_MEMORY,	/* number: address */
	PIECE_REGISTER, /* number: which */
	PIECE_VALUE,	/* number: the value itself (DW_OP_stack_value); high, where it is_wide */
	PIECE_BYTES,	/* bytes (DW_OP_implicit_value) */
	PIECE_POINTEE,	/* DW_OP_implicit_pointer: number is the entry, add the offset in it */
	PIECE_NONE,	/* optimised out */
};

struct piece {
	enum piece_kind kind;
	uint64_t number, high; /* high: of a VALUE of 16 bytes the upper 8 */
	bool is_wide;
	int64_t add;
	const uint8_t *bytes; /* in the section */
	size_t size;	      /* of bytes */
	uint64_t bits;	      /* how much of the variable: 0 all of it */
	uint64_t bit_offset;  /* in the place */
};

struct expression {
	const struct dwarf_frame *frame;     /* NULL: only constants and addresses can be told */
	const struct dwarf_program *program; /* of the frame, or alone for globals */
	void *thread;
	struct module *module; /* whose expression it is */
	uint64_t bias;
	struct die_unit
		*unit;	   /* for address sizes, base types, .debug_addr; NULL: a call frame's */
	uint64_t function; /* entry of the function around, for DW_OP_fbreg; 0 none */
	bool has_object;
	uint64_t object; /* DW_OP_push_object_address; initial value for member locations */
	unsigned depth;	 /* nesting: expressions waiting for this one; callers start with 0 */
};

enum { EXPRESSION_PIECES = 32 };

/* What the expression says; how many pieces, or -1. `initial` (may be NULL) is on the stack first. */
int expression_run(const struct expression *m, const uint8_t *code, size_t size,
		   const uint64_t *initial, struct piece *out, struct error *err);

/* The value on top of the stack: of call frame rules, frame bases, bounds, offsets. */
int expression_value(const struct expression *m, const uint8_t *code, size_t size,
		     const uint64_t *initial, uint64_t *out, struct error *err);

/* What the register (or the expression of DW_OP_entry_value), or the parameter with this entry
   (DW_OP_GNU_parameter_ref; code NULL), had when the frame's function was entered, as its caller's
   call site tells: DW_TAG_call_site_parameter (GNU's, too). (expression_places.c) */
int callsite_value(const struct expression *m, const uint8_t *code, size_t size, uint64_t parameter,
		   uint64_t *out, struct error *err);

/* A list of locations: DW_AT_location or DW_AT_frame_base in whatever form. NULL, *size 0: there is
   none at this offset of the module. (location_lists.c) */
int loclist_find(const struct entry *e, const struct attr *a, uint64_t offset, const uint8_t **code,
		 size_t *size, struct error *err);
/* Ranges of the module where there is one that needs nothing from the caller, for "the nearest line where it lives". */
struct loclist_range {
	uint64_t low, high;
};
struct loclist_ranges {
	struct loclist_range *items;
	size_t count, capacity;
};
int loclist_ranges(const struct entry *e, const struct attr *a, struct loclist_ranges *out,
		   struct error *err);

/* The constant that an operation pushes, its operand read; false: it is another operation. */
struct cursor;
bool expression_constant(struct cursor *c, unsigned op, uint64_t *out);

/* Operations by name, for listings: "rbp-24". Unknown ones give false. (variables' listing) */
const char *expression_register_name(unsigned dwarf); /* NULL: unknown */

#endif
