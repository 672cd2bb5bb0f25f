/* Between the files of the expression evaluator: one expression while it runs. */
#ifndef GATECTL_DWARF_EXPRESSIONS_EXPRESSION_INTERNAL_H
#define GATECTL_DWARF_EXPRESSIONS_EXPRESSION_INTERNAL_H

#include "tracer/dwarf/units/units.h"
#include "tracer/dwarf/expressions/expression.h"

/* Numbers on the stack: of the generic type (an address and its arithmetic), or of a base type of
   the program. (expression_number.c) */
enum number_kind { NUMBER_GENERIC, NUMBER_SIGNED, NUMBER_UNSIGNED, NUMBER_FLOAT };

struct number_type {
	enum number_kind kind;
	uint8_t size; /* 1 to 16; of floats 4 or 8, of the generic type 8 */
};

/* Signed ones are sign-extended to 128 bits, all others have zeros above `size`. */
struct number {
	unsigned __int128 bits;
	struct number_type type;
};

struct number number_generic(uint64_t bits);
/* The lowest bytes of `bits`, taken as this type. */
struct number number_make(struct number_type type, unsigned __int128 bits);
/* The value, as far as the other type can hold it. */
struct number number_convert(struct number from, struct number_type to);
bool number_is_zero(struct number n);

/* DW_OP_abs, neg, not. 0, or -1: that is not defined for it. */
int number_unary(unsigned op, struct number *n, struct error *err);
/* DW_OP_and .. xor but for those above, and the comparisons: a OP b, into *a. */
int number_binary(unsigned op, struct number *a, struct number b, struct error *err);

enum { MACHINE_STACK = 64, MACHINE_STEPS = 10000, MACHINE_DEPTH = 48 };

struct evaluation {
	const struct expression *m;
	struct error *err;
	struct number stack[MACHINE_STACK];
	unsigned count, steps, calls;
	struct piece place; /* where `placed`: what a location operation said */
	bool placed;
	struct piece *out;
	int pieces;
};

/* How a group of operations answers. */
enum run_answer { RUN_BROKEN = -1, RUN_NOT_MINE, RUN_DONE };

enum run_answer run_broken(const struct evaluation *r, const char *what);
enum run_answer run_fails(const struct evaluation *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
enum run_answer run_push(struct evaluation *r, struct number n);
enum run_answer run_pop(struct evaluation *r, struct number *out);
/* The operations of a block, on the stack as it is. */
enum run_answer run_code(struct evaluation *r, const uint8_t *code, size_t size);

/* expression_places.c: what needs the frame, the program or its debug information. */
enum run_answer run_register_value(const struct evaluation *r, uint64_t n, uint64_t *out);
/* Memory of `size` bytes at the address on top, in place of that address. */
enum run_answer run_deref(struct evaluation *r, size_t size, struct number_type type);
enum run_answer run_frame_base(struct evaluation *r, uint64_t *out);
enum run_answer run_address(struct evaluation *r, struct cursor *c, unsigned op);
enum run_answer run_tls(struct evaluation *r);
enum run_answer run_typed(struct evaluation *r, struct cursor *c, unsigned op);
enum run_answer run_other(struct evaluation *r, struct cursor *c, unsigned op);

#endif
