/*
 * Between the files of calls: which function a name means, what it takes and gives back, and which
 * registers that is (System V ABI of x86-64, 3.2.3).
 */
#ifndef GATECTL_INSPECT_CALLS_CALLS_H
#define GATECTL_INSPECT_CALLS_CALLS_H

#include "tracer/inspect/values/value_internal.h"

/* ---- abi.c ---------------------------------------------------------------------------------- */

enum abi_class {
	ABI_INTEGER,
	ABI_SSE, /* 16 bytes of one register where the part is so large */
	ABI_X87,
};

struct abi_part {
	enum abi_class class;
	uint8_t offset, size; /* in the value */
};

/* Where a value is when it is passed or returned. */
struct abi_place {
	bool memory;	/* passed on the stack; returned where rax says */
	unsigned parts; /* 0: nothing at all is passed (an empty struct of C++) */
	struct abi_part part[2];
};

/* `rust`: by Rust's own convention, as far as its compilers have always done the same. 0, or -1: such a
   type has no known place. */
int abi_classify(bool rust, const struct type *t, const struct dwarf_program *program,
		 struct abi_place *out, struct error *err);
/* A class that C++ only moves by its own code: a pointer to it is passed. */
bool abi_is_nontrivial(const struct type *t, const struct dwarf_program *program);

struct abi_registers {
	uint64_t integer[2]; /* rax, rdx */
	uint8_t vector[2][16];
	uint8_t x87[10];
};
/* What these registers hold. */
int abi_returned(const struct dwarf_program *program, const struct type *t,
		 const struct abi_place *place, const struct abi_registers *regs,
		 struct inspect_value *out, struct error *err);

/* Has the compiler changed how the function there is called? It does so where it knows all callers. */
bool call_is_changed(struct module *m, uint64_t offset);
/* The same for what it gives back: nobody may know whether there is still a value. */
bool call_returns_otherwise(struct module *m, uint64_t offset);

/* ---- calls_find.c --------------------------------------------------------------------------- */

struct callee {
	uint64_t address;
	const struct type *function; /* NULL: nothing is known of what it takes */
	bool variadic;
	bool rust; /* called as Rust does it */
};

/* The function that takes `count` arguments (-1: any number). 0, or -1. */
int callee_find(const struct inspect_call *call, const char *name, int count, struct callee *out,
		struct error *err);
/* What a function's type says; true: also a number that is not its own is accepted. */
bool callee_takes(const struct type *function, bool variadic, size_t count);

/* Is it called as Rust does it? `linkage` may be NULL. */
bool function_is_rust(const struct die_unit *u, const char *linkage);

/* The name of a function as a value. 0, or -1. */
int call_function_value(const struct inspect_call *call, const char *name,
			struct inspect_value *out);

/* ---- calls_ifunc.c -------------------------------------------------------------------------- */

/* What an IFUNC of a loaded module was found to be; 0: it cannot be told. */
uint64_t ifunc_target(const struct dwarf_program *program, struct module *m, uint64_t bias,
		      const struct elf_symbol *s);

#endif
