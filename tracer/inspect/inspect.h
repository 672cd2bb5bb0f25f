/*
 * The state of a stopped thread in the source's words: calls, variables, values, expressions. What is
 * needed of the process comes through struct dwarf_program (tracer/dwarf/frames/frames.h).
 *
 * Errors are ERROR_STATE: "optimised out at this line", an address that cannot be read, a name that
 * is not there. Nothing here is ever a guess.
 *
 * Ownership: a inspect_value is plain data, it may be copied and forgotten. Types, names and files
 * that are pointed to belong to a module of the cache. A dwarf_program lives as long as any value
 * that came through it.
 */
#ifndef GATECTL_INSPECT_INSPECT_H
#define GATECTL_INSPECT_INSPECT_H

#include "tracer/base/text/str.h"
#include "tracer/dwarf/frames/frames.h"
#include "tracer/source/source.h"

/* ---- calls ---------------------------------------------------------------------------------- */

/* A frame as the programmer sees it: a function, or an inlined copy of one. */
struct inspect_call {
	struct dwarf_frame frame;
	unsigned depth; /* copies at this address that are further in; 0: the innermost */
	bool inlined;	/* a copy: the next call of the list shares its frame */
	bool jumped;	/* left by a tail call to the call before it: it has no physical frame */
	uint64_t scope; /* the DIE of the function, or of the copy; 0 unknown */
	const char *function; /* demangled, without arguments; NULL unknown. The module owns it */
	const char *file;     /* NULL unknown. The module owns it */
	unsigned line;	      /* 0 unknown; of an outer call: where it calls the inner one */
};

struct inspect_stack {
	struct inspect_call *items;
	size_t count, capacity;
	bool cut; /* it goes on, but cannot be followed, or `most` was reached */
};

/*
 * The calls of a thread, innermost first, at most `most`. `scope` (may be 0) is the function, or the copy of one, that
 * the thread was stopped in as far as the tester is concerned (source_site): copies further in are left out, even if the
 * instruction is one of theirs. Compilers mix them, and a place has to be answered from the function that it is in.
 */
void inspect_stack(const struct dwarf_frame *first, uint64_t scope, size_t most,
		   struct inspect_stack *out);
void inspect_stack_fini(struct inspect_stack *s);

/* What locations call the function of the call: "getenv", where `call->function` is "__GI_getenv", and "name"
   for "name[abi:cxx11]"; NULL unknown. The module owns it. */
const char *inspect_call_named(const struct inspect_call *call);
/* The line of `call->file` on which the function of the call is defined; 0 unknown. */
unsigned inspect_call_begins(const struct inspect_call *call);

/* ---- values --------------------------------------------------------------------------------- */

struct type; /* types.h */

enum inspect_place {
	INSPECT_IN_MEMORY, /* at `address` */
	INSPECT_IN_BYTES,  /* `bytes`: a register, a constant, put together from pieces, a result */
	INSPECT_POINTEE,   /* a pointer that the compiler dropped, but not what it points to:
			      `bytes` are those of the pointee */
};

enum { INSPECT_BYTES = 256, INSPECT_NO_REGISTER = 255 };

struct inspect_value {
	const struct dwarf_program *program;
	const struct type *type; /* of INSPECT_POINTEE: the pointer's */
	enum inspect_place place;
	uint64_t address;
	uint16_t bit_offset; /* of a bit-field: from the lowest bit of the first byte on */
	uint16_t bit_size;   /* 0: none */
	uint8_t reg;	     /* the register of the innermost frame that holds all of it, else
			INSPECT_NO_REGISTER */
	void *thread;	     /* of `reg` */
	uint16_t size;	     /* of bytes */
	uint8_t bytes[INSPECT_BYTES];
	uint8_t kept[INSPECT_BYTES]; /* of each byte the bits that the compiler kept */
};

/* A value as a script or a calculation takes it: references, std::atomic and the like seen through. */
enum inspect_plain_kind {
	INSPECT_NULL,	 /* a null pointer, an empty unique_ptr or shared_ptr */
	INSPECT_BOOL,	 /* integer: 0 or 1 */
	INSPECT_INTEGER, /* and characters */
	INSPECT_ENUM,	 /* integer, and `name` where it has one */
	INSPECT_FLOAT,
	INSPECT_TEXT,	/* std::string, std::string_view, Rust's str and String: `text` */
	INSPECT_OBJECT, /* `object`: struct, union, array, pointer (a unique_ptr's own), function */
};

struct inspect_plain {
	enum inspect_plain_kind kind;
	int64_t integer;
	bool is_unsigned; /* of 64 bits: integer is to be read as uint64_t */
	double number;
	const char *name; /* the module owns it; NULL */
	struct str text;  /* TEXT: the caller's to give back */
	struct inspect_value object;
};

int inspect_plain(const struct inspect_value *v, struct inspect_plain *out, struct error *err);
void inspect_plain_fini(struct inspect_plain *p);

/* Writes a value into the program: scalars, pointers (an address, or another pointer value), the
   name of an enumerator given as TEXT. Checked against the type: a number that does not fit is an
   error. */
int inspect_store(const struct inspect_value *v, const struct inspect_plain *from,
		  struct error *err);

/* v.NAME or v->NAME: members, of anonymous members and base classes too; through pointers and
   references. */
int inspect_field(const struct inspect_value *v, const char *name, struct inspect_value *out,
		  struct error *err);
/* v[i]: of arrays (inside their bounds, where they have any), pointers, containers in their order.
   Of a map: the value of the integer key; a null pointer if there is none. */
int inspect_element(const struct inspect_value *v, int64_t i, struct inspect_value *out,
		    struct error *err);
/* m["text"] of a map whose keys are texts: 1, with a null pointer if there is no such key; 0: no
   such map, -1. */
int inspect_key(const struct inspect_value *v, const char *text, size_t length,
		struct inspect_value *out, struct error *err);
/* The i-th element in the order of the container, or its key: 1, 0: it has no key, -1. */
int inspect_nth(const struct inspect_value *v, uint64_t i, bool key, struct inspect_value *out,
		struct error *err);
/* How many elements v has. -1: it is nothing that has a length. */
int inspect_length(const struct inspect_value *v, int64_t *out, struct error *err);
/* *v */
int inspect_deref(const struct inspect_value *v, struct inspect_value *out, struct error *err);
/* What a pointer holds, or where anything else is. -1: it is in no memory. */
int inspect_address(const struct inspect_value *v, uint64_t *out, struct error *err);
/* The text that a char pointer or array holds: up to its 0 (an array's end), 1 MiB at most. Bytes
   are as they are. wchar_t, char16_t and char32_t come as UTF-8. */
int inspect_string(const struct inspect_value *v, struct str *out, struct error *err);
/* The name of the i-th member, base classes' members first; NULL behind the last one. */
const char *inspect_member(const struct inspect_value *v, size_t i);
/* One line, as a debugger would print it: {count = 2, head = 0x5555...}. For messages and logs. */
void inspect_describe(const struct inspect_value *v, struct str *out);
/* The words that lead from v, or from what it points to, to what begins at the address: ".lock",
   "->from[1].lock", "" where v itself does. Members with reserved names (the insides of
   std::mutex) are not entered. -1: nothing of v begins there. */
int inspect_member_at(const struct inspect_value *v, uint64_t address, struct str *out,
		      struct error *err);
/* The same place, or pointers to the same place. */
bool inspect_same(const struct inspect_value *a, const struct inspect_value *b);

/* ---- names ---------------------------------------------------------------------------------- */

/*
 * hit.var.NAME: block locals from the innermost outward, arguments, `this` and its members (in a
 * lambda: what it captured), file-scope, then global and thread-local variables of all modules.
 * C++ names may be qualified (ns::count). What the compiler dropped is an error, with the nearest
 * line where it lives.
 */
/* Locals and members only: no search through all modules. */
int inspect_variable_local(const struct inspect_call *call, const char *name,
			   struct inspect_value *out, struct error *err);
int inspect_variable(const struct inspect_call *call, const char *name, struct inspect_value *out,
		     struct error *err);

/* Where inspect_variable has just failed: is there a variable of that name in scope all the same, which
   has no value here? It hides what else has the name. */
bool inspect_variable_known(const struct inspect_call *call, const char *name);

/* Where a variable is at this instruction, in any call of the function; or a member, or an element, of it, or of what it
   points to. */
enum { INSPECT_HOPS = 4, INSPECT_HOP_MOST = 4096 };
struct inspect_spot {
	enum { INSPECT_AT_ADDRESS, INSPECT_AT_REGISTER, INSPECT_IN_REGISTER } kind;
	unsigned reg; /* a DWARF number: of the frame (rbp, rsp), or what holds it */
	int64_t add;  /* AT_REGISTER: to what that holds; AT_ADDRESS: all of it */
	/* So many times the pointer that is there is followed, and then so many bytes on: in the first page, so that NULL is a fault. */
	unsigned hops;
	int64_t hop[INSPECT_HOPS];
	enum {
		INSPECT_SPOT_OTHER,
		INSPECT_SPOT_INTEGER,
		INSPECT_SPOT_BOOL,
		INSPECT_SPOT_POINTER
	} holds;
	unsigned size; /* 1, 2, 4, 8; OTHER: 0 */
	bool is_signed;
};
/* From a variable of this name to a member of this name, or (NULL) to that element. */
struct inspect_step {
	const char *name;
	size_t number;
};
/* For the innermost call. -1: it is in no such place, or can be told from one call to the next only. */
int inspect_spot(const struct inspect_call *call, const struct inspect_step *steps, size_t count,
		 struct inspect_spot *out);

/*
 * A condition as comparisons of variables with constants, the first one asked first: `yes` and `no` are the number of a later
 * one, or the end. Returns how many; 0: it is more than that, or where an operand is cannot be told beforehand.
 */
enum { INSPECT_TESTS = 16, INSPECT_TRUE = -1, INSPECT_FALSE = -2 };
struct inspect_test {
	struct inspect_spot spot; /* of an integer, a pointer or a bool, extended to 64 bits */
	int64_t mask;		  /* these bits of it, -1: all */
	enum { INSPECT_EQ, INSPECT_LT, INSPECT_LE, INSPECT_GT, INSPECT_GE } compare;
	bool is_unsigned; /* how 64 bits are compared */
	int64_t constant;
	int yes, no;
};
size_t inspect_tests(const struct inspect_call *call, const char *text,
		     struct inspect_test out[INSPECT_TESTS]);

/* hit.arg[i], from 0, without an artificial `this`. In code without DWARF, at the first instruction
   of a function: the i-th of the six integer registers, as a long. */
int inspect_argument(const struct inspect_call *call, int64_t i, struct inspect_value *out,
		     struct error *err);

/* All of them, with their names, on one line: "q=0x5555, n=3, p=<optimised out>". Nothing in code without
   DWARF. */
void inspect_call_arguments(const struct inspect_call *call, struct str *out);

/* program.var.NAME: a global or file-scope variable of any module; several are an error which lists
   them (qualify it: FILE::NAME is not C, but 'file.c'::NAME is gdb's and is understood). */
int inspect_global(const struct dwarf_program *program, void *thread, const char *name,
		   struct inspect_value *out, struct error *err);

/* What the function of this frame is about to return (it stands at a return instruction). Without
   DWARF: rax as a long. */
int inspect_return_value(const struct inspect_call *call, struct inspect_value *out,
			 struct error *err);

/* hit:eval: a C expression. Its value is an rvalue or a place in the program; that of a comparison
   or of logic is a bool. */
int inspect_eval(const struct inspect_call *call, const char *text, struct inspect_value *out,
		 struct error *err);

/* A condition: is the expression true, as in `if (EXPR)`? 0, or -1. */
int inspect_condition(const struct inspect_call *call, const char *text, bool *out,
		      struct error *err);
/* Is the text an expression at all? 0, or -1. */
int inspect_condition_parse(const char *text, struct error *err);
/* Are its names and members those of this place? The values in `call` are not used. 0, or -1. */
int inspect_condition_check(const struct inspect_call *call, const char *text, struct error *err);

/* ---- calls ---------------------------------------------------------------------------------- */

enum { INSPECT_ARGS = 6, INSPECT_VECTORS = 8, INSPECT_TEXTS = 6 };

/* How a function of the program is to be entered. Texts go on the stack: `text[i]` (a copy of the
   caller's pointer) with its final 0, and its address into integer[text_at[i]]. */
struct inspect_entry {
	uint64_t address;
	uint64_t integer[INSPECT_ARGS];
	unsigned integers;
	double vector[INSPECT_VECTORS]; /* the low 8 bytes of an XMM, as they are to be */
	unsigned vectors;
	const char *text[INSPECT_TEXTS];
	unsigned text_at[INSPECT_TEXTS], texts;
	const struct type *returns; /* NULL: not known, an integer is assumed */
	bool rust;		    /* it returns as Rust's functions do */
};

/* hit:call: finds the function by name (as a location names it, or a symbol; a function pointer's
   name in scope serves too) and puts the arguments where the ABI has them. */
int inspect_entry(const struct inspect_call *call, const char *function,
		  const struct inspect_plain *args, size_t count, struct inspect_entry *out,
		  struct error *err);

/* What it returned. */
int inspect_returned(const struct dwarf_program *program, const struct inspect_entry *entry,
		     uint64_t rax, uint64_t rdx, const uint8_t xmm0[16], const uint8_t xmm1[16],
		     const uint8_t st0[10], struct inspect_value *out, struct error *err);

/* ---- listing -------------------------------------------------------------------------------- */

struct inspect_variable {
	const char *name; /* the module owns it */
	char *type;	  /* "struct queue *" */
	char *where; /* "in rbx", "on the stack at rbp-24", "constant 5", "optimised out" ... */
	bool argument, optimised_out;
};

struct inspect_variables {
	struct inspect_variable *items;
	size_t count, capacity;
};

/* The variables and arguments in scope at an offset, the innermost first; `scope` as for
   inspect_stack. Without a process. */
int inspect_variables_at(struct module *m, uint64_t offset, uint64_t scope,
			 struct inspect_variables *out, struct error *err);
void inspect_variables_fini(struct inspect_variables *h);

#endif
