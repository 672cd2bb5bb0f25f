/*
 * What a script may ask of the program: hit.var, hit.arg, hit.ret, hit:frame, hit:backtrace,
 * hit:eval, hit:call, program.var. The run's table of functions (tests have a double).
 *
 * An object (a struct, an array, a pointer ...) is bytes that only the run understands: they
 * are copied into a userdata of Lua and handed back; nothing is owned by them, none is ever freed.
 */
#ifndef GATECTL_LUA_PROGRAM_H
#define GATECTL_LUA_PROGRAM_H

#include "gates/engine.h"
#include "tracer/base/text/str.h"

#include <stdint.h>

enum { PROGRAM_OBJECT = 640 }; /* bytes */

enum program_kind {
	PROGRAM_NIL, /* NULL */
	PROGRAM_BOOL,
	PROGRAM_INTEGER,
	PROGRAM_ENUM, /* integer; `name` is its enumerator's, or NULL */
	PROGRAM_NUMBER,
	PROGRAM_TEXT,
	PROGRAM_THING, /* object */
};

struct program_value {
	enum program_kind kind;
	int64_t integer;
	double number;
	const char *name; /* lives as long as the run */
	struct str text;  /* whoever gets the value owns it: program_value_fini */
	union {
		unsigned char object[PROGRAM_OBJECT];
		long double align;
	};
};

static inline void program_value_fini(struct program_value *v)
{
	str_fini(&v->text);
}

/* A frame of hit:backtrace(); the texts are valid until the next question. */
struct program_frame {
	const char *func, *file, *object; /* NULL unknown; object: libc.so.6 */
	unsigned line;			  /* 0 unknown */
	uint64_t address;
	bool inlined, signal;
};

/*
 * All answer 0, or -1 with ERROR_STATE (ERROR_SCRIPT where the script asked wrongly); `frame` counts
 * calls from 0, the one that arrived. None of them calls Lua or keeps a pointer. A NULL in place of a
 * function: "not available here".
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
	/* 1: *out is that frame; 0: there are fewer; -1. */
	int (*frame)(void *ctx, const struct arrival *a, unsigned frame, struct program_frame *out,
		     struct error *err);
	/* program.var.NAME, of the program's first process; `a` may be NULL (no hit around) */
	int (*global)(void *ctx, const struct arrival *a, const char *name,
		      struct program_value *out, struct error *err);
	int (*set_global)(void *ctx, const struct arrival *a, const char *name,
			  const struct program_value *from, struct error *err);
	/* of an object */
	int (*field)(void *ctx, const void *object, const char *name, struct program_value *out,
		     struct error *err);
	int (*set_field)(void *ctx, const void *object, const char *name,
			 const struct program_value *from, struct error *err);
	int (*element)(void *ctx, const void *object, int64_t i, struct program_value *out,
		       struct error *err);
	int (*set_element)(void *ctx, const void *object, int64_t i,
			   const struct program_value *from, struct error *err);
	/* The i-th element in the order of a container, or its key: 1, 0: it has no key, -1. */
	int (*nth)(void *ctx, const void *object, uint64_t i, bool key, struct program_value *out,
		   struct error *err);
	int (*length)(void *ctx, const void *object, int64_t *out, struct error *err);
	int (*string)(void *ctx, const void *object, struct str *out, struct error *err);
	int (*address)(void *ctx, const void *object, uint64_t *out, struct error *err);
	/* The name of the i-th member, NULL behind the last one. */
	const char *(*member)(void *ctx, const void *object, size_t i);
	void (*describe)(void *ctx, const void *object, struct str *out);
	bool (*same)(void *ctx, const void *a, const void *b);
	/* A pure function is about to be asked on behalf of this arrival: what it reads from now on is
	   what its answer depends on. */
	void (*asking)(void *ctx, const struct arrival *a);
	/* Is its thread being killed at this moment? Then a fault is none of the script's. */
	bool (*dying)(void *ctx, const struct arrival *a);
	/* It has answered: what is read from now on does not matter to it. */
	void (*answered)(void *ctx);
};

#endif
