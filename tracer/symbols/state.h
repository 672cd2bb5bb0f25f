/*
 * The state of a stopped thread in the source's words: frames, variables, values, expressions.
 *
 * Symbols still knows no process: what it needs of one comes through struct symbols_program, a
 * table of functions of the session's. Addresses in this header are the program's (load addresses
 * included), unless they are called offsets.
 *
 * Errors are ERROR_STATE: "optimised out at this line", an address that cannot be read, a name that
 * is not there. Nothing here is ever a guess.
 *
 * Ownership: a symbols_value is plain data, it may be copied and forgotten. Types, names and files
 * that are pointed to belong to a module of the cache. A symbols_program lives as long as any value
 * that came through it.
 */
#ifndef GATECTL_SYMBOLS_STATE_H
#define GATECTL_SYMBOLS_STATE_H

#include "tracer/arch/arch.h"
#include "tracer/base/str.h"
#include "tracer/symbols/symbols.h"

/* ---- the program, as the session shows it --------------------------------------------------- */

/* DWARF numbers of registers that are wider than struct arch_regs (System V ABI, figure 3.36). */
enum {
	SYMBOLS_XMM0 = 17, /* .. 32: 16 bytes */
	SYMBOLS_ST0 = 33,  /* .. 40: 10 bytes */
	SYMBOLS_FS_BASE = 58,
};

/* `thread` is the session's word for a stopped thread. All return 0, or -1. */
struct symbols_program {
	void *ctx;
	/* All n bytes or none. */
	int (*read)(void *ctx, uint64_t address, void *buf, size_t n);
	int (*write)(void *ctx, uint64_t address, const void *buf, size_t n);
	/* The i-th loaded module, the executable first; NULL behind the last one. */
	struct module *(*module)(void *ctx, size_t i, uint64_t *bias);
	/* The module that holds the address, or NULL. */
	struct module *(*module_at)(void *ctx, uint64_t address, uint64_t *bias);
	/* Where this thread's block of the module's thread-local variables begins (offset 0 of its
	   PT_TLS). -1: not made yet, or none. */
	int (*tls)(void *ctx, void *thread, struct module *m, uint64_t *base);
	/* XMM, ST and FS_BASE of the innermost frame; n bytes from its lowest on. */
	int (*vector)(void *ctx, void *thread, unsigned dwarf, void *buf, size_t n);
	/* Sets a register of the innermost frame: 8 bytes of a general one, or an XMM (n bytes, the
	   rest stays). */
	int (*set_register)(void *ctx, void *thread, unsigned dwarf, const void *buf, size_t n);
};

/* ---- frames --------------------------------------------------------------------------------- */

/* A frame of the machine. Inlined copies share one: struct symbols_call tells them apart. */
struct symbols_frame {
	const struct symbols_program *program;
	void *thread;
	unsigned level;	       /* 0: where the thread is */
	struct module *module; /* NULL: code of no known file */
	uint64_t bias;
	uint64_t pc;
	uint64_t look; /* the address that says which code this is: pc, or the byte before it where
			  that is a return address */
	uint64_t regs[17]; /* by DWARF number; valid where `known` has the bit */
	uint32_t known;
	bool signal; /* the trampoline that a signal handler returns to */
};

/* The innermost frame of a stopped thread. */
void symbols_frame_first(const struct symbols_program *program, void *thread,
			 const struct arch_regs *regs, struct symbols_frame *out);

/* The frame that called this one: 1; 0: there is none (outermost); -1: it cannot be told. */
int symbols_frame_up(const struct symbols_frame *frame, struct symbols_frame *out,
		     struct error *err);

/* Canonical frame address: the stack pointer before the call that made this frame. 0, or -1. */
int symbols_frame_cfa(const struct symbols_frame *frame, uint64_t *cfa, struct error *err);

/* A frame as the programmer sees it: a function, or an inlined copy of one. */
struct symbols_call {
	struct symbols_frame frame;
	unsigned depth;	      /* copies at this address that are further in; 0: the innermost */
	bool inlined;	      /* a copy: the next call of the list shares its frame */
	bool jumped;	      /* left by a jump to the call before it, which returns for it: the
				 machine's stack has no frame of it */
	const char *function; /* demangled, without arguments; NULL unknown. The module owns it */
	const char *file;     /* NULL unknown. The module owns it */
	unsigned line;	      /* 0 unknown; of an outer call: where it calls the inner one */
};

struct symbols_stack {
	struct symbols_call *items;
	size_t count, capacity;
	bool cut; /* it goes on, but cannot be followed, or `most` was reached */
};

/*
 * The calls of a thread, innermost first, at most `most`. `function` (may be NULL) is the one that
 * the thread was stopped in as far as the tester is concerned: copies further in that begin at this
 * very address have not been entered yet and are left out.
 */
void symbols_stack(const struct symbols_frame *first, const char *function, size_t most,
		   struct symbols_stack *out);
void symbols_stack_fini(struct symbols_stack *s);

/* The line of `call->file` on which the function of the call is defined; 0 unknown. */
unsigned symbols_call_begins(const struct symbols_call *call);

/* ---- values --------------------------------------------------------------------------------- */

struct type; /* types.h */

enum symbols_place {
	SYMBOLS_IN_MEMORY, /* at `address` */
	SYMBOLS_IN_BYTES,  /* `bytes`: a register, a constant, put together from pieces, a result */
	SYMBOLS_POINTEE,   /* a pointer that the compiler dropped, but not what it points to:
			      `bytes` are those of the pointee */
};

enum { SYMBOLS_BYTES = 256, SYMBOLS_NO_REGISTER = 255 };

struct symbols_value {
	const struct symbols_program *program;
	const struct type *type; /* of SYMBOLS_POINTEE: the pointer's */
	enum symbols_place place;
	uint64_t address;
	uint16_t bit_offset; /* of a bit-field: from the lowest bit of the first byte on */
	uint16_t bit_size;   /* 0: none */
	uint8_t reg;	     /* the register of the innermost frame that holds all of it, else
			SYMBOLS_NO_REGISTER */
	void *thread;	     /* of `reg` */
	uint16_t size;	     /* of bytes */
	uint8_t bytes[SYMBOLS_BYTES];
	uint8_t kept[SYMBOLS_BYTES]; /* of each byte the bits that the compiler kept */
};

/* A value as a script or a calculation takes it: references, std::atomic and the like seen through. */
enum symbols_plain_kind {
	SYMBOLS_NULL,	 /* a null pointer, an empty unique_ptr or shared_ptr */
	SYMBOLS_BOOL,	 /* integer: 0 or 1 */
	SYMBOLS_INTEGER, /* and characters */
	SYMBOLS_ENUM,	 /* integer, and `name` where it has one */
	SYMBOLS_FLOAT,
	SYMBOLS_TEXT,	/* std::string, std::string_view, Rust's str and String: `text` */
	SYMBOLS_OBJECT, /* `object`: struct, union, array, pointer (a unique_ptr's own), function */
};

struct symbols_plain {
	enum symbols_plain_kind kind;
	int64_t integer;
	bool is_unsigned; /* of 64 bits: integer is to be read as uint64_t */
	double number;
	const char *name;	 /* the module owns it; NULL */
	const struct type *type; /* of ENUM */
	struct str text;	 /* TEXT: the caller's to give back */
	struct symbols_value object;
};

int symbols_plain(const struct symbols_value *v, struct symbols_plain *out, struct error *err);
void symbols_plain_fini(struct symbols_plain *p);

/* Writes a value into the program: scalars, pointers (an address, or another pointer value), the
   name of an enumerator given as TEXT. Checked against the type: a number that does not fit is an
   error. */
int symbols_store(const struct symbols_value *v, const struct symbols_plain *from,
		  struct error *err);

/* v.NAME or v->NAME: members, of anonymous members and base classes too; through pointers and
   references. */
int symbols_field(const struct symbols_value *v, const char *name, struct symbols_value *out,
		  struct error *err);
/* v[i]: of arrays (inside their bounds, where they have any), pointers, std::vector, std::array,
   Rust's slices and Vec. */
int symbols_element(const struct symbols_value *v, int64_t i, struct symbols_value *out,
		    struct error *err);
/* How many elements v has. -1: it is nothing that has a length. */
int symbols_length(const struct symbols_value *v, int64_t *out, struct error *err);
/* *v */
int symbols_deref(const struct symbols_value *v, struct symbols_value *out, struct error *err);
/* What a pointer holds, or where anything else is. -1: it is in no memory. */
int symbols_address(const struct symbols_value *v, uint64_t *out, struct error *err);
/* The text that a char pointer or array holds: up to its 0 (an array's end), 1 MiB at most. Bytes
   are as they are. wchar_t, char16_t and char32_t come as UTF-8. */
int symbols_string(const struct symbols_value *v, struct str *out, struct error *err);
/* The name of the i-th member, base classes' members first; NULL behind the last one. */
const char *symbols_member(const struct symbols_value *v, size_t i);
/* One line, as a debugger would print it: {count = 2, head = 0x5555...}. For messages and logs. */
void symbols_describe(const struct symbols_value *v, struct str *out);
/* The words that lead from v, or from what it points to, to what begins at the address: ".lock",
   "->from[1].lock", "" where v itself does. Members with reserved names (the insides of
   std::mutex) are not entered. -1: nothing of v begins there. */
int symbols_member_at(const struct symbols_value *v, uint64_t address, struct str *out,
		      struct error *err);
/* The same place, or pointers to the same place. */
bool symbols_same(const struct symbols_value *a, const struct symbols_value *b);

/* ---- names ---------------------------------------------------------------------------------- */

/*
 * hit.var.NAME: block locals from the innermost outward, arguments, `this` and its members (in a
 * lambda: what it captured), file-scope, then global and thread-local variables of all modules.
 * C++ names may be qualified (ns::count). What the compiler dropped is an error, with the nearest
 * line where it lives.
 */
/* Locals and members only: no search through all modules. */
int symbols_variable_local(const struct symbols_call *call, const char *name,
			   struct symbols_value *out, struct error *err);
int symbols_variable(const struct symbols_call *call, const char *name, struct symbols_value *out,
		     struct error *err);

/* Where symbols_variable has just failed: is there a variable of that name in scope all the same, which
   has no value here? It hides what else has the name. */
bool symbols_variable_known(const struct symbols_call *call, const char *name);

/* hit.arg[i], from 0, without an artificial `this`. In code without DWARF, at the first instruction
   of a function: the i-th of the six integer registers, as a long. */
int symbols_argument(const struct symbols_call *call, int64_t i, struct symbols_value *out,
		     struct error *err);

/* program.var.NAME: a global or file-scope variable of any module; several are an error which lists
   them (qualify it: FILE::NAME is not C, but 'file.c'::NAME is gdb's and is understood). */
int symbols_global(const struct symbols_program *program, void *thread, const char *name,
		   struct symbols_value *out, struct error *err);

/* What the function of this frame is about to return (it stands at a return instruction). Without
   DWARF: rax as a long. */
int symbols_result(const struct symbols_call *call, struct symbols_value *out, struct error *err);

/* hit:eval: a C expression. Its value is an rvalue or a place in the program; that of a comparison
   or of logic is a bool. */
int symbols_eval(const struct symbols_call *call, const char *text, struct symbols_value *out,
		 struct error *err);

/* ---- calls ---------------------------------------------------------------------------------- */

enum { SYMBOLS_ARGS = 6, SYMBOLS_VECTORS = 8, SYMBOLS_TEXTS = 6 };

/* How a function of the program is to be entered. Texts go on the stack: `text[i]` (a copy of the
   caller's pointer) with its final 0, and its address into integer[text_at[i]]. */
struct symbols_entry {
	uint64_t address;
	uint64_t integer[SYMBOLS_ARGS];
	unsigned integers;
	double vector[SYMBOLS_VECTORS]; /* the low 8 bytes of an XMM, as they are to be */
	unsigned vectors;
	const char *text[SYMBOLS_TEXTS];
	unsigned text_at[SYMBOLS_TEXTS], texts;
	const struct type *returns; /* NULL: not known, an integer is assumed */
	bool rust;		    /* it returns as Rust's functions do */
};

/* hit:call: finds the function by name (as a location names it, or a symbol; a function pointer's
   name in scope serves too) and puts the arguments where the ABI has them. */
int symbols_entry(const struct symbols_call *call, const char *function,
		  const struct symbols_plain *args, size_t count, struct symbols_entry *out,
		  struct error *err);

/* What it returned. */
int symbols_returned(const struct symbols_program *program, const struct symbols_entry *entry,
		     uint64_t rax, uint64_t rdx, const uint8_t xmm0[16], const uint8_t xmm1[16],
		     const uint8_t st0[10], struct symbols_value *out, struct error *err);

/* ---- listing -------------------------------------------------------------------------------- */

struct symbols_home {
	const char *name; /* the module owns it */
	char *type;	  /* "struct queue *" */
	char *where; /* "in rbx", "on the stack at rbp-24", "constant 5", "optimised out" ... */
	bool argument, optimised_out;
};

struct symbols_homes {
	struct symbols_home *items;
	size_t count, capacity;
};

/* The variables and arguments in scope at an offset, the innermost first; `function` as for
   symbols_stack. Without a process. */
int symbols_homes(struct module *m, uint64_t offset, const char *function,
		  struct symbols_homes *out, struct error *err);
void symbols_homes_fini(struct symbols_homes *h);

/* How many units' DIEs have been read so far, of all modules: what laziness is measured by. */
size_t symbols_units_read(const struct symbols *s);

#endif
