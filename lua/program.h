/*
 * The program's state as scripts read it: hit.var, hit.arg, hit.ret, hit:frame, hit:backtrace,
 * hit:eval, hit:call, program.var. The run supplies a table of functions (tests: a double).
 *
 * An object (struct, array, pointer ...) is bytes that only the run understands: they are copied
 * into a Lua userdata and handed back. They own nothing and are never freed.
 */
#ifndef GATECTL_LUA_PROGRAM_H
#define GATECTL_LUA_PROGRAM_H

#include "gates/engine.h"
#include "tracer/base/text/str.h"

#include <stdint.h>

enum { PROGRAM_OBJECT = 640 }; /* bytes of an object */

enum program_kind {
	PROGRAM_NIL, /* a null pointer */
	PROGRAM_BOOL,
	PROGRAM_INTEGER,
	PROGRAM_ENUM, /* integer; `name` is the enumerator's, or NULL */
	PROGRAM_NUMBER,
	PROGRAM_TEXT,
	PROGRAM_THING, /* object */
};

struct program_value {
	enum program_kind kind;
	int64_t integer;
	double number;
	const char *name; /* valid until the end of the run */
	struct str text;  /* owned by the receiver of the value: program_value_fini() */
	union {
		unsigned char object[PROGRAM_OBJECT];
		long double align;
	};
};

/* Frees the members that the value owns. */
static inline void program_value_fini(struct program_value *v)
{
	str_fini(&v->text);
}

/* A frame of hit:backtrace(); the strings are valid until the next call of the host. */
struct program_frame {
	const char *func, *file, *object; /* NULL: unknown; object: file name, "libc.so.6" */
	unsigned line;			  /* 0: unknown */
	uint64_t address;
	bool inlined, signal;
};

/*
 * Each function returns 0, or -1 with *err set: ERROR_STATE, or ERROR_SCRIPT if the script made a
 * mistake. `frame` counts call frames from 0, the frame of the arrival. No function calls Lua or
 * keeps a pointer. A NULL function: "not available here".
 */
struct script_program {
	void *ctx;
	int (*variable)(void *ctx, const struct arrival *a, unsigned frame, const char *name,
			struct program_value *out, struct error *err);
	int (*set_variable)(void *ctx, const struct arrival *a, unsigned frame, const char *name,
			    const struct program_value *from, struct error *err);
	int (*argument)(void *ctx, const struct arrival *a, unsigned frame, int64_t i,
			struct program_value *out, struct error *err);
	int (*result)(void *ctx, const struct arrival *a, struct program_value *out,
		      struct error *err);
	int (*eval)(void *ctx, const struct arrival *a, unsigned frame, const char *text,
		    struct program_value *out, struct error *err);
	int (*call)(void *ctx, const struct arrival *a, const char *function,
		    const struct program_value *args, size_t count, struct program_value *out,
		    struct error *err);
	/* Returns 1 with *out filled; 0 if there are fewer frames; -1 with *err set. */
	int (*frame)(void *ctx, const struct arrival *a, unsigned frame, struct program_frame *out,
		     struct error *err);
	/* program.var.NAME of the program's first process; `a` may be NULL (no hit). */
	int (*global)(void *ctx, const struct arrival *a, const char *name,
		      struct program_value *out, struct error *err);
	int (*set_global)(void *ctx, const struct arrival *a, const char *name,
			  const struct program_value *from, struct error *err);
	/* The rest concerns an object. */
	int (*field)(void *ctx, const void *object, const char *name, struct program_value *out,
		     struct error *err);
	int (*set_field)(void *ctx, const void *object, const char *name,
			 const struct program_value *from, struct error *err);
	int (*element)(void *ctx, const void *object, int64_t i, struct program_value *out,
		       struct error *err);
	int (*set_element)(void *ctx, const void *object, int64_t i,
			   const struct program_value *from, struct error *err);
	/* The i-th element of a container in its order, or its key. Returns 1; 0 if it has no
	   key; -1 with *err set. */
	int (*nth)(void *ctx, const void *object, uint64_t i, bool key, struct program_value *out,
		   struct error *err);
	int (*length)(void *ctx, const void *object, int64_t *out, struct error *err);
	int (*string)(void *ctx, const void *object, struct str *out, struct error *err);
	int (*address)(void *ctx, const void *object, uint64_t *out, struct error *err);
	/* Returns the name of the i-th member, or NULL after the last. */
	const char *(*member)(void *ctx, const void *object, size_t i);
	void (*describe)(void *ctx, const void *object, struct str *out);
	bool (*same)(void *ctx, const void *a, const void *b);
	/* Reports that a pure function is called for this arrival: its answer depends on all
	   that is read until answered(). */
	void (*asking)(void *ctx, const struct arrival *a);
	/* True if the thread is being killed: a fault is then not the script's. */
	bool (*dying)(void *ctx, const struct arrival *a);
	/* Reports that the function has returned: its answer does not depend on later reads. */
	void (*answered)(void *ctx);
};

#endif
