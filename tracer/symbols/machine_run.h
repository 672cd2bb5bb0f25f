/* Between the files of the machine: one expression while it runs. */
#ifndef GATECTL_SYMBOLS_MACHINE_RUN_H
#define GATECTL_SYMBOLS_MACHINE_RUN_H

#include "tracer/symbols/dies_read.h"
#include "tracer/symbols/machine.h"
#include "tracer/symbols/machine_number.h"

enum { MACHINE_STACK = 64, MACHINE_STEPS = 10000, MACHINE_DEPTH = 48 };

struct run {
	const struct machine *m;
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

enum run_answer run_broken(const struct run *r, const char *what);
enum run_answer run_fails(const struct run *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
enum run_answer run_push(struct run *r, struct number n);
enum run_answer run_pop(struct run *r, struct number *out);
/* The operations of a block, on the stack as it is. */
enum run_answer run_code(struct run *r, const uint8_t *code, size_t size);

/* machine_places.c: what needs the frame, the program or its debug information. */
enum run_answer run_register_value(const struct run *r, uint64_t n, uint64_t *out);
enum run_answer run_memory(const struct run *r, uint64_t address, size_t size, uint64_t *out);
enum run_answer run_frame_base(struct run *r, uint64_t *out);
enum run_answer run_address(struct run *r, struct cursor *c, unsigned op);
enum run_answer run_tls(struct run *r);
enum run_answer run_typed(struct run *r, struct cursor *c, unsigned op);
enum run_answer run_other(struct run *r, struct cursor *c, unsigned op);

#endif
