/* One DWARF expression during its evaluation, and its groups of operations. */
#ifndef GATECTL_DWARF_EXPRESSIONS_EXPRESSION_INTERNAL_H
#define GATECTL_DWARF_EXPRESSIONS_EXPRESSION_INTERNAL_H

#include "tracer/dwarf/units/units.h"
#include "tracer/dwarf/expressions/expression.h"

/* Kinds of numbers on the stack: the generic type (addresses and their arithmetic), or a base type
   of the program. (expression_number.c) */
enum number_kind { NUMBER_GENERIC, NUMBER_SIGNED, NUMBER_UNSIGNED, NUMBER_FLOAT };

struct number_type {
	enum number_kind kind;
	uint8_t size; /* 1 to 16; 4 or 8 for floats, 8 for the generic type */
};

/* A signed number is sign-extended to 128 bits; all others have zeros above `size`. */
struct number {
	unsigned __int128 bits;
	struct number_type type;
};

struct number number_generic(uint64_t bits);
/* Makes a number of the lowest bytes of `bits`. */
struct number number_make(struct number_type type, unsigned __int128 bits);
/* Converts a number, as far as the other type can hold it. */
struct number number_convert(struct number from, struct number_type to);
bool number_is_zero(struct number n);

/* Computes DW_OP_abs, neg and not. Returns 0, or -1 with *err set if the type has no such
   operation. */
int number_unary(unsigned op, struct number *n, struct error *err);
/* Computes *a = *a OP b for the binary operations and comparisons. Returns 0, or -1 with *err
   set. */
int number_binary(unsigned op, struct number *a, struct number b, struct error *err);

enum { MACHINE_STACK = 64, MACHINE_STEPS = 10000, MACHINE_DEPTH = 48 };

struct evaluation {
	const struct expression *m;
	struct error *err;
	struct number stack[MACHINE_STACK];
	unsigned count, steps, calls;
	struct piece place; /* result of a location operation, if `placed` */
	bool placed;
	struct piece *out;
	int pieces;
};

/* Answers of a group of operations: an error, not an operation of the group, or done. */
enum run_answer { RUN_BROKEN = -1, RUN_NOT_MINE, RUN_DONE };

enum run_answer run_broken(const struct evaluation *r, const char *what);
enum run_answer run_fails(const struct evaluation *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
enum run_answer run_push(struct evaluation *r, struct number n);
enum run_answer run_pop(struct evaluation *r, struct number *out);
/* Runs the operations of a block on the current stack. */
enum run_answer run_code(struct evaluation *r, const uint8_t *code, size_t size);

/* Operations that need the frame, the program or its debug information. (expression_places.c) */
enum run_answer run_register_value(const struct evaluation *r, uint64_t n, uint64_t *out);
/* Replaces the address on top of the stack by `size` bytes of memory there. */
enum run_answer run_deref(struct evaluation *r, size_t size, struct number_type type);
enum run_answer run_frame_base(struct evaluation *r, uint64_t *out);
enum run_answer run_address(struct evaluation *r, struct cursor *c, unsigned op);
enum run_answer run_tls(struct evaluation *r);
enum run_answer run_typed(struct evaluation *r, struct cursor *c, unsigned op);
enum run_answer run_other(struct evaluation *r, struct cursor *c, unsigned op);

#endif
