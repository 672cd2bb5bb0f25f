/*
 * A stopped thread in terms of the source. See tracer/inspect/README.md. Errors are ERROR_STATE. A
 * struct inspect_value may be copied; its type, names and files belong to a module, and its
 * dwarf_program outlives it.
 */
#ifndef GATECTL_INSPECT_INSPECT_H
#define GATECTL_INSPECT_INSPECT_H

#include "tracer/base/text/str.h"
#include "tracer/dwarf/frames/frames.h"
#include "tracer/source/source.h"

/* ---- calls ---------------------------------------------------------------------------------- */

/* A call as the source has it: of a function, or of an inlined copy. */
struct inspect_call {
	struct dwarf_frame frame;
	unsigned depth; /* inlined copies at this address that are further in; 0: the innermost */
	bool inlined;	/* an inlined copy: the next call of the list shares its frame */
	bool jumped;	/* left by a tail call to the call before it, so it has no physical frame */
	uint64_t scope; /* DIE of the function or the copy; 0: unknown */
	const char *function; /* demangled, without arguments; NULL: unknown. The module owns it */
	const char *file;     /* NULL: unknown. The module owns it */
	unsigned line;	      /* 0: unknown; in an outer call, the line that calls the inner one */
};

struct inspect_stack {
	struct inspect_call *items;
	size_t count, capacity;
	bool cut; /* more calls follow, but `most` was reached or the next frame cannot be found */
};

/*
 * Lists the calls of a thread, innermost first, at most `most`. Copies further in than `scope` are
 * left out (source_site.scope: the function or copy of the place where the thread stopped; may be
 * 0). The caller frees the list.
 */
void inspect_stack(const struct dwarf_frame *first, uint64_t scope, size_t most,
		   struct inspect_stack *out);
void inspect_stack_fini(struct inspect_stack *s); /* Frees the list of calls. */

/* Returns the function's name as locations spell it: "getenv" if `call->function` is "__GI_getenv",
   "name" for "name[abi:cxx11]"; NULL: unknown. The module owns it. */
const char *inspect_call_named(const struct inspect_call *call);
/* Returns the line of `call->file` that defines the call's function, or 0 if unknown. */
unsigned inspect_call_begins(const struct inspect_call *call);

/* ---- values --------------------------------------------------------------------------------- */

struct type; /* types.h */

enum inspect_place {
	INSPECT_IN_MEMORY, /* at `address` */
	INSPECT_IN_BYTES,  /* in `bytes`: a register, a constant, joined pieces, or a result */
	INSPECT_POINTEE,   /* a dropped pointer whose pointee is known: `bytes` are the pointee's */
};

enum { INSPECT_BYTES = 256, INSPECT_NO_REGISTER = 255 };

struct inspect_value {
	const struct dwarf_program *program;
	const struct type *type; /* type; of INSPECT_POINTEE: the pointer's */
	enum inspect_place place;
	uint64_t address;
	uint16_t bit_offset; /* bit-field: offset from the lowest bit of the first byte */
	uint16_t bit_size;   /* 0: no bit-field */
	/* register of the innermost frame that holds the whole value, or INSPECT_NO_REGISTER */
	uint8_t reg;
	void *thread;  /* thread of `reg` */
	uint16_t size; /* number of valid bytes in `bytes` */
	uint8_t bytes[INSPECT_BYTES];
	uint8_t kept[INSPECT_BYTES]; /* for each byte, the bits that the compiler kept */
};

/* A value as a script or a calculation sees it: references, std::atomic and other wrappers
   removed. */
enum inspect_plain_kind {
	INSPECT_NULL,	 /* a null pointer, an empty unique_ptr, shared_ptr or optional */
	INSPECT_BOOL,	 /* integer: 0 or 1 */
	INSPECT_INTEGER, /* `integer`, also of a character */
	INSPECT_ENUM,	 /* `integer`, and `name` if an enumerator has this value */
	INSPECT_FLOAT,
	INSPECT_TEXT, /* std::string, std::string_view, Rust's str and String: `text` */
	/* `object`: struct, union, array, function, or pointer (also a smart pointer) */
	INSPECT_OBJECT,
};

struct inspect_plain {
	enum inspect_plain_kind kind;
	int64_t integer;
	bool is_unsigned; /* `integer` is a uint64_t that is above INT64_MAX */
	double number;
	const char *name; /* enumerator; the module owns it, NULL: none */
	struct str text;  /* INSPECT_TEXT; inspect_plain_fini() frees it */
	struct inspect_value object;
};

/* Converts a value. Returns 0, or -1 with *err set. inspect_plain_fini() frees *out after
   success. */
int inspect_plain(const struct inspect_value *v, struct inspect_plain *out, struct error *err);
void inspect_plain_fini(struct inspect_plain *p); /* Frees the text. */

/* Writes a value into the program: a scalar, a pointer (an address or another pointer), an
   enumerator given by name as TEXT, or a struct of the same type. Returns 0, or -1 with *err set,
   for example if a number does not fit the type. */
int inspect_store(const struct inspect_value *v, const struct inspect_plain *from,
		  struct error *err);

/* Finds the member v.NAME or v->NAME, also of anonymous members and base classes, through pointers
   and references. Returns 0, or -1 with *err set. */
int inspect_field(const struct inspect_value *v, const char *name, struct inspect_value *out,
		  struct error *err);
/* Finds v[i] of an array (within its bounds, if known), a pointer or a container. For a map: the
   value of the integer key i, or a null pointer if the map lacks it. Returns 0, or -1 with *err
   set. */
int inspect_element(const struct inspect_value *v, int64_t i, struct inspect_value *out,
		    struct error *err);
/* Finds m["text"] in a map whose keys are strings. Returns 1, with a null pointer if the map lacks
   the key; 0 if v is no such map; -1 with *err set. */
int inspect_key(const struct inspect_value *v, const char *text, size_t length,
		struct inspect_value *out, struct error *err);
/* Finds the i-th element in the container's order, or its key. Returns 1, 0 if the elements have no
   keys, or -1 with *err set. */
int inspect_nth(const struct inspect_value *v, uint64_t i, bool key, struct inspect_value *out,
		struct error *err);
/* Computes the number of elements. Returns 0, or -1 with *err set if v has no known length. */
int inspect_length(const struct inspect_value *v, int64_t *out, struct error *err);
/* Finds *v. Returns 0, or -1 with *err set. */
int inspect_deref(const struct inspect_value *v, struct inspect_value *out, struct error *err);
/* Returns in *out the address that a pointer holds, or that of another value. -1 with *err set if
   the value is not in memory. */
int inspect_address(const struct inspect_value *v, uint64_t *out, struct error *err);
/* Reads the string in a char array or at a char pointer, up to its final 0, the array's end or 1
   MiB. Bytes are copied unchanged; wchar_t, char16_t and char32_t become UTF-8. Returns 0, or -1
   with *err set. */
int inspect_string(const struct inspect_value *v, struct str *out, struct error *err);
/* Returns the name of the i-th member, base classes' members first, or NULL past the last one. */
const char *inspect_member(const struct inspect_value *v, size_t i);
/* Appends one line as a debugger prints it, {count = 2, head = 0x5555...}, for messages and
   logs. */
void inspect_describe(const struct inspect_value *v, struct str *out);
/* Appends the same, with what gdb's printers for libstdc++ write in front of it:
   std::map with 1 element = {[1] = 2}. */
void inspect_print(const struct inspect_value *v, struct str *out);
/* Appends the path from v, or from its pointee, to the part at the address: ".lock",
   "->from[1].lock", "" for v itself. Members with reserved names (those of std::mutex) are not
   entered. Returns 0, or -1 with *err set if no part begins there. */
int inspect_member_at(const struct inspect_value *v, uint64_t address, struct str *out,
		      struct error *err);
/* True if both are at one place, or are pointers to one place. */
bool inspect_same(const struct inspect_value *a, const struct inspect_value *b);

/* ---- names ---------------------------------------------------------------------------------- */

/*
 * hit.var.NAME: local variables from the innermost block outward, arguments, `this` and its
 * members (in a lambda: its captures), file-scope variables, then those of all modules. C++ names
 * may be qualified (ns::count).
 */
/* Reads a local variable or a member; other modules are not searched. Returns 0, or -1 with *err
   set, or unset if there is none. */
int inspect_variable_local(const struct inspect_call *call, const char *name,
			   struct inspect_value *out, struct error *err);
/* Reads a variable. Returns 0, or -1 with *err set. The error of an optimised-out variable names
   the nearest line that has it. */
int inspect_variable(const struct inspect_call *call, const char *name, struct inspect_value *out,
		     struct error *err);

/* True if inspect_variable() has found a variable of this name here that has no value. Valid after
   it has failed. The variable hides functions and enumerators of the name. */
bool inspect_variable_known(const struct inspect_call *call, const char *name);

/* Location, at one instruction, of a variable, a member, an element or a pointee: the same in each
   call of the function. */
enum { INSPECT_HOPS = 4, INSPECT_HOP_MOST = 4096 };
struct inspect_spot {
	enum { INSPECT_AT_ADDRESS, INSPECT_AT_REGISTER, INSPECT_IN_REGISTER } kind;
	/* DWARF number: the base register (rbp, rsp), or the one that holds the value */
	unsigned reg;
	int64_t add; /* AT_REGISTER: added to the register; AT_ADDRESS: the address */
	/* Number of pointers to follow from there. hop[i] is added after the i-th; it stays within
	   a page, so that following NULL faults. */
	unsigned hops;
	int64_t hop[INSPECT_HOPS];
	enum {
		INSPECT_SPOT_OTHER,
		INSPECT_SPOT_INTEGER,
		INSPECT_SPOT_BOOL,
		INSPECT_SPOT_POINTER
	} holds;
	unsigned size; /* bytes: 1, 2, 4, 8; 0: OTHER */
	bool is_signed;
};
/* A step from a variable: to the member `name` or, if that is NULL, to the element `number`. */
struct inspect_step {
	const char *name;
	size_t number;
};
/* Finds the location after steps[1..] from the variable steps[0], in the innermost call. Returns 0,
   or -1 if it is not the same in each call. */
int inspect_spot(const struct inspect_call *call, const struct inspect_step *steps, size_t count,
		 struct inspect_spot *out);

/* A condition as comparisons of variables with constants; the first one is made first. */
enum { INSPECT_TESTS = 16, INSPECT_TRUE = -1, INSPECT_FALSE = -2 };
struct inspect_test {
	struct inspect_spot spot; /* an integer, a pointer or a bool, extended to 64 bits */
	int64_t mask;		  /* the bits that are compared; -1: all */
	enum { INSPECT_EQ, INSPECT_LT, INSPECT_LE, INSPECT_GT, INSPECT_GE } compare;
	bool is_unsigned; /* the comparison of the 64 bits is unsigned */
	int64_t constant;
	int yes, no; /* index of the next test, INSPECT_TRUE or INSPECT_FALSE */
};
/* Converts a condition. Returns the number of tests, or 0 if it has another form or the location of
   an operand is not fixed. */
size_t inspect_tests(const struct inspect_call *call, const char *text,
		     struct inspect_test out[INSPECT_TESTS]);

/* hit.arg[i], counted from 0 without an implicit `this`. Without DWARF, at a function's first
   instruction, the i-th of the six integer registers as a long. Returns 0, or -1 with *err set. */
int inspect_argument(const struct inspect_call *call, int64_t i, struct inspect_value *out,
		     struct error *err);

/* Appends all arguments with names on one line, "q=0x5555, n=3, p=<optimised out>", or nothing
   without DWARF. */
void inspect_call_arguments(const struct inspect_call *call, struct str *out);

/* program.var.NAME: reads a global or file-scope variable of any module. Returns 0, or -1 with *err
   set, also if several fit: then 'file.c'::NAME, gdb's notation, selects one. */
int inspect_global(const struct dwarf_program *program, void *thread, const char *name,
		   struct inspect_value *out, struct error *err);

/* hit.ret: makes the value that the frame's function is about to return; the thread is at a return
   instruction. Without DWARF, rax as a long. Returns 0, or -1 with *err set. */
int inspect_return_value(const struct inspect_call *call, struct inspect_value *out,
			 struct error *err);

/* hit:eval: evaluates a C expression to an rvalue or a place in the program; comparisons and logic
   give a bool. Returns 0, or -1 with *err set. */
int inspect_eval(const struct inspect_call *call, const char *text, struct inspect_value *out,
		 struct error *err);

/* Evaluates a condition as in `if (EXPR)`. Returns 0, or -1 with *err set. */
int inspect_condition(const struct inspect_call *call, const char *text, bool *out,
		      struct error *err);
/* Checks that the text is an expression. Returns 0, or -1 with *err set. */
int inspect_condition_parse(const char *text, struct error *err);
/* Checks the condition's names and members at this place; the values in `call` are not used.
   Returns 0, or -1 with *err set. */
int inspect_condition_check(const struct inspect_call *call, const char *text, struct error *err);

/* ---- calls of functions of the program ------------------------------------------------------ */

enum { INSPECT_ARGS = 6, INSPECT_VECTORS = 8, INSPECT_TEXTS = 6 };

/* Registers and stack for a call of a function. The texts, with their final 0, are copied to the
   stack, and the address of text[i] goes into integer[text_at[i]]. */
struct inspect_entry {
	uint64_t address;
	uint64_t integer[INSPECT_ARGS];
	unsigned integers;
	double vector[INSPECT_VECTORS]; /* low 8 bytes of each XMM register */
	unsigned vectors;
	const char *text[INSPECT_TEXTS]; /* the caller of inspect_entry() owns them */
	unsigned text_at[INSPECT_TEXTS], texts;
	const struct type *returns; /* type of the result; NULL: unknown, taken for an integer */
	bool rust;		    /* the result is returned by Rust's convention */
};

/* hit:call: finds a function by name (as in a location, a symbol, or a function pointer in scope)
   and assigns the arguments to registers by the ABI. Returns 0, or -1 with *err set. */
int inspect_entry(const struct inspect_call *call, const char *function,
		  const struct inspect_plain *args, size_t count, struct inspect_entry *out,
		  struct error *err);

/* Makes the result of a call from the registers after its return. Returns 0, or -1 with *err
   set. */
int inspect_returned(const struct dwarf_program *program, const struct inspect_entry *entry,
		     uint64_t rax, uint64_t rdx, const uint8_t xmm0[16], const uint8_t xmm1[16],
		     const uint8_t st0[10], struct inspect_value *out, struct error *err);

/* ---- listing -------------------------------------------------------------------------------- */

struct inspect_variable {
	const char *name; /* the module owns it */
	char *type;	  /* "struct queue *" */
	char *where; /* "in rbx", "on the stack at rbp-24", "constant 5", "optimised out" ... */
	bool argument, optimised_out;
	/* line that declares a variable with one place on the stack, which has no value before that
	   line; 0 for others */
	unsigned declared;
};

struct inspect_variables {
	struct inspect_variable *items;
	size_t count, capacity;
};

/* Lists the variables and arguments in scope at an offset, the innermost first; `scope` as for
   inspect_stack(). No process is needed. The caller frees the list. Returns 0, or -1 with *err
   set. */
int inspect_variables_at(struct module *m, uint64_t offset, uint64_t scope,
			 struct inspect_variables *out, struct error *err);
void inspect_variables_fini(struct inspect_variables *h); /* Frees the list of variables. */

#endif
