/*
 * Functions to call: which one a name means, its parameter and result types, and the registers
 * that hold them (System V ABI of x86-64, 3.2.3).
 */
#ifndef GATECTL_INSPECT_CALLS_CALLS_H
#define GATECTL_INSPECT_CALLS_CALLS_H

#include "tracer/inspect/values/value_internal.h"

/* ---- abi.c ---------------------------------------------------------------------------------- */

enum abi_class {
	ABI_INTEGER,
	ABI_SSE, /* 16 bytes of one register if the part is that large */
	ABI_X87,
};

struct abi_part {
	enum abi_class class;
	uint8_t offset, size; /* bytes in the value */
};

/* Registers or memory in which a value is passed or returned. */
struct abi_place {
	bool memory;	/* passed on the stack; returned at the address in rax */
	unsigned parts; /* 0: nothing is passed (an empty struct of C++) */
	struct abi_part part[2];
};

/* Finds how a value of type `t` is passed. `rust`: by Rust's convention, as far as all versions
   of rustc agree. Returns 0, or -1 with *err set if that is not known for the type. */
int abi_classify(bool rust, const struct type *t, const struct dwarf_program *program,
		 struct abi_place *out, struct error *err);
/* True if C++ copies the class only by its own code; a pointer to the object is passed then. */
bool abi_is_nontrivial(const struct type *t, const struct dwarf_program *program);

struct abi_registers {
	uint64_t integer[2]; /* rax, rdx */
	uint8_t vector[2][16];
	uint8_t x87[10];
};
/* Makes the value of type `t` that a call has returned in these registers. Returns 0, or -1 with
   *err set. */
int abi_returned(const struct dwarf_program *program, const struct type *t,
		 const struct abi_place *place, const struct abi_registers *regs,
		 struct inspect_value *out, struct error *err);

/* True if the compiler changed the parameters or the result of the function at `offset`, which
   it may do if it knows all callers. */
bool call_is_changed(struct module *m, uint64_t offset);
/* True if the compiler may have changed or removed the result of the function at `offset`. */
bool call_returns_otherwise(struct module *m, uint64_t offset);

/* ---- calls_find.c --------------------------------------------------------------------------- */

struct callee {
	uint64_t address;
	const struct type *function; /* type; NULL: parameters and result are not known */
	bool variadic;
	bool rust; /* called by Rust's convention */
};

/* Finds the function of this name that takes `count` arguments (-1: any number). Returns 0, or
   -1 with *err set. */
int callee_find(const struct inspect_call *call, const char *name, int count, struct callee *out,
		struct error *err);
/* True if a function of this type takes `count` arguments; a variadic one also takes more than
   it names. */
bool callee_takes(const struct type *function, bool variadic, size_t count);

/* True if the function is called by Rust's convention. `linkage` may be NULL. */
bool function_is_rust(const struct die_unit *u, const char *linkage);

/* Makes a value of the function of this name. Returns 0, or -1 if there is none. */
int call_function_value(const struct inspect_call *call, const char *name,
			struct inspect_value *out);

/* ---- calls_ifunc.c -------------------------------------------------------------------------- */

/* Returns the address of the function that an IFUNC of a loaded module resolved to, or 0 if that
   is not known. */
uint64_t ifunc_target(const struct dwarf_program *program, struct module *m, uint64_t bias,
		      const struct elf_symbol *s);

#endif
