/*
 * Evaluator of DWARF expressions (DWARF 5, 2.5 and 2.6, and GNU's older forms of its operations),
 * for variables and for call frames.
 */
#ifndef GATECTL_DWARF_EXPRESSIONS_EXPRESSION_H
#define GATECTL_DWARF_EXPRESSIONS_EXPRESSION_H

#include "tracer/dwarf/units/units.h"
#include "tracer/dwarf/frames/frames.h"

enum piece_kind {
	PIECE_MEMORY,	/* at the address `number` */
	PIECE_REGISTER, /* in the register `number` */
	PIECE_VALUE, /* value `number` (DW_OP_stack_value); is_wide: `high` has its upper 8 bytes */
	PIECE_BYTES, /* in `bytes` (DW_OP_implicit_value) */
	PIECE_POINTEE, /* DW_OP_implicit_pointer: number is a DIE, add an offset in its value */
	PIECE_NONE,    /* optimised out */
};

struct piece {
	enum piece_kind kind;
	uint64_t number, high; /* high: upper 8 bytes of a PIECE_VALUE of 16 bytes */
	bool is_wide;
	int64_t add;
	const uint8_t *bytes; /* owned by the section */
	size_t size;	      /* of `bytes` */
	uint64_t bits;	      /* size of the piece; 0: the whole variable */
	uint64_t bit_offset;  /* in the piece's register or memory */
};

struct expression {
	const struct dwarf_frame *frame;     /* NULL: only constants and addresses are known */
	const struct dwarf_program *program; /* the frame's, or a global's */
	void *thread;
	struct module *module; /* module that the expression is from */
	uint64_t bias;
	/* for address sizes, base types, .debug_addr; NULL: call frame rules */
	struct die_unit *unit;
	uint64_t function; /* DIE of the enclosing function, for DW_OP_fbreg; 0: none */
	bool has_object;
	uint64_t object; /* DW_OP_push_object_address; initial value for locations of members */
	unsigned depth;	 /* levels of nested evaluations; callers start with 0 */
};

enum { EXPRESSION_PIECES = 32 };

/* Evaluates a location. `initial` (may be NULL) is pushed first. Writes at most EXPRESSION_PIECES
   to out and returns their count, or -1 with *err set. */
int expression_run(const struct expression *m, const uint8_t *code, size_t size,
		   const uint64_t *initial, struct piece *out, struct error *err);

/* Evaluates a value: of a call frame rule, a frame base, a bound or an offset. `initial` (may be
   NULL) is pushed first. Returns 0, or -1 with *err set. */
int expression_value(const struct expression *m, const uint8_t *code, size_t size,
		     const uint64_t *initial, uint64_t *out, struct error *err);

/* Finds the value at the function's entry of a register (the expression of DW_OP_entry_value) or of
   the parameter whose DIE is given (DW_OP_GNU_parameter_ref; code is NULL), from the caller's call
   site. Returns 0, or -1 with *err set. (expression_places.c) */
int callsite_value(const struct expression *m, const uint8_t *code, size_t size, uint64_t parameter,
		   uint64_t *out, struct error *err);

/* Finds the location expression at this offset of the module for an attribute DW_AT_location or
   DW_AT_frame_base of any form. *code is NULL if there is none. Returns 0, or -1 with *err set.
   (location_lists.c) */
int loclist_find(const struct entry *e, const struct attr *a, uint64_t offset, const uint8_t **code,
		 size_t *size, struct error *err);
/* A range of code in which a variable has a location. */
struct loclist_range {
	uint64_t low, high;
};
struct loclist_ranges {
	struct loclist_range *items;
	size_t count, capacity;
};
/* Lists the ranges in which the location needs nothing of the caller. The caller of this function
   frees the list, also after an error. Returns 0, or -1 with *err set. */
int loclist_ranges(const struct entry *e, const struct attr *a, struct loclist_ranges *out,
		   struct error *err);

struct cursor;
/* Reads the operand of an operation that pushes a constant. Returns false for other operations. */
bool expression_constant(struct cursor *c, unsigned op, uint64_t *out);

/* Returns the name of a register by its DWARF number, or NULL if it is unknown. */
const char *expression_register_name(unsigned dwarf);

#endif
