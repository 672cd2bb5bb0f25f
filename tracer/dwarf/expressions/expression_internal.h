/* Between the files of the expression evaluator: one expression while it runs. */
#ifndef GATECTL_DWARF_EXPRESSIONS_EXPRESSION_INTERNAL_H
#define GATECTL_DWARF_EXPRESSIONS_EXPRESSION_INTERNAL_H

#include "tracer/dwarf/units/dies_read.h"
#include "tracer/dwarf/expressions/expression.h"
#include "tracer/dwarf/expressions/expression_number.h"

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
