/*
 * Between the files of eval: a C expression as text, as a tree, as a value.
 *
 * Text -> tokens (eval_typename.c) -> tree (eval_parse.c) -> value (eval.c, eval_number.c, eval_types.c);
 * a condition is checked without a process and taken to pieces (eval_check.c).
 * A tree belongs to one text in one function: what its names of types mean is found once and kept
 * in it. Trees live in a cache of bounded size that hangs on struct modules (eval_cache.c).
 */
#ifndef GATECTL_INSPECT_EVAL_EVAL_H
#define GATECTL_INSPECT_EVAL_EVAL_H

#include "tracer/base/text/token.h"
#include "tracer/inspect/values/value_internal.h"

enum {
	EVAL_TEXT = 16384, /* bytes of the longest expression */
	EVAL_DEEP = 200,   /* levels of its tree: evaluation is recursive */
	EVAL_BOUNDS = 4,   /* of an array type's name */
};

/* ---- tokens --------------------------------------------------------------------------------- */

/* As token_at(), comments skipped. TOKEN_BAD with *err set for what is no part of an expression. */
void eval_token(const char *text, const char *at, struct token *out, struct error *err);
/* Why hit:eval does not take this word of C++; NULL: it does. */
const char *eval_refused(const struct token *t);

/* An error of the expression's own; returns -1. `at` NULL: no column. */
int eval_error(const char *text, const char *at, struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* ---- trees ---------------------------------------------------------------------------------- */

enum eval_kind {
	EVAL_NAME,    /* text; maybe qualified */
	EVAL_INTEGER, /* number, of type builtin */
	EVAL_FLOAT,   /* real, of type builtin */
	EVAL_STRING,  /* text, length (its 0 not counted) */
	EVAL_NULLPTR,
	EVAL_FIELD,   /* a.text and a->text */
	EVAL_ELEMENT, /* a[b] */
	EVAL_LENGTH,  /* a.text() of a container: size, length, empty */
	EVAL_UNARY,   /* op a: * & + - ! ~ */
	EVAL_BINARY,  /* a op b; && and || and , too */
	EVAL_CHOICE,  /* a ? b : c */
	EVAL_CAST,    /* (type)a */
	EVAL_SIZEOF,  /* of a; a NULL: of the type */
};

struct eval_type_name {
	char *name;	     /* "struct node"; NULL: builtin */
	const char *builtin; /* "unsigned long" */
	unsigned pointers, bounds;
	uint64_t bound[EVAL_BOUNDS];
	bool reference;
};

struct eval_node {
	enum eval_kind kind;
	unsigned op, depth;
	const char *at; /* in the tree's text, for messages */
	struct eval_node *a, *b, *c;
	char *text;
	size_t length;
	unsigned __int128 number;
	long double real;
	const char *builtin;
	struct eval_type_name name;
	/* Cached by the evaluation. */
	const struct type *type; /* of `name`, or of an enumerator */
	bool is_enumerator;	 /* EVAL_NAME: of `type`, its value is `number` */
	bool no_enumerator;	 /* there is none of this name */
};

struct eval_tree {
	char *text;
	struct eval_node *root;
	ARRAY(struct eval_node *) nodes; /* all of them */
};

/* Tells whether a name is that of a type; asked only where C's grammar needs to know. */
struct eval_parsing {
	bool (*is_type)(void *ctx, const char *name);
	void *ctx;
};

/* NULL with ERROR_STATE. */
struct eval_tree *eval_parse(const char *text, const struct eval_parsing *how, struct error *err);
void eval_tree_free(struct eval_tree *t); /* NULL is allowed */

/* The type's name at `at`, which must reach to the token `closing` (an operator; 0: the end); *end
   is behind that. False: it is none, *out is empty. (eval_typename.c) */
bool eval_type_name(const char *at, unsigned closing, struct eval_type_name *out, const char **end);
void eval_type_name_fini(struct eval_type_name *n);
/* Is the word one of the language's own, that begin a type? */
bool eval_is_type_word(const struct token *t);
/* Behind template arguments <...> that begin at `at`; NULL: they are none. */
const char *eval_skip_template(const char *at);

/* Constants: fill in the node. 0, or -1. (eval_constant.c) */
int eval_constant(const char *text, const struct token *t, struct eval_node *n, struct error *err);

/* ---- values --------------------------------------------------------------------------------- */

/* A number or a pointer: what arithmetic works on. */
struct eval_scalar {
	const struct type *type; /* BOOL, INTEGER, CHAR, ENUM, FLOAT or POINTER */
	unsigned __int128 bits;	 /* not of FLOAT: extended by its sign */
	long double real;	 /* FLOAT */
};

/* Enough of where the expression is asked. */
struct eval_scope {
	const struct inspect_call *call;
	const struct dwarf_program *program;
	const char *text; /* for messages */
	struct error *err;
};

/* An error of another file gets to know which expression it is of; returns -1. */
int eval_inside(const struct eval_scope *s);
/* "struct queue is neither ..."; returns -1. */
int eval_refuse(const struct eval_scope *s, const char *at, const char *what, const struct type *t);
const struct type *scalar_integer_type(uint64_t size, bool with_sign);
/* Cut to the width of the type and extended by its sign. */
unsigned __int128 scalar_fit(unsigned __int128 bits, const struct type *t);
bool scalar_is_pointer(const struct eval_scalar *s);
bool scalar_is_float(const struct eval_scalar *s);
bool scalar_true(const struct eval_scalar *s);
struct eval_scalar scalar_int(int64_t value, const char *builtin);
/* Of a value; arrays and functions decay, smart pointers and atomics are seen through. */
int scalar_of(const struct eval_scope *s, const struct inspect_value *v, const char *at,
	      struct eval_scalar *out);
int scalar_value(const struct eval_scope *s, const struct eval_scalar *from,
		 struct inspect_value *out);
/* To another type of scalars, as a cast does it. */
int scalar_convert(const struct eval_scope *s, const char *at, const struct eval_scalar *from,
		   const struct type *to, struct eval_scalar *out);
int scalar_unary(const struct eval_scope *s, const char *at, unsigned op,
		 const struct eval_scalar *a, struct eval_scalar *out);
int scalar_binary(const struct eval_scope *s, const char *at, unsigned op,
		  const struct eval_scalar *a, const struct eval_scalar *b,
		  struct eval_scalar *out);
/* Returns the type in which the two are compared (C11 6.3.1.8), or NULL if it has more than 64 bits
   or is no integer. */
const struct type *scalar_common(const struct eval_scalar *a, const struct eval_scalar *b);

/* The value of a node of a tree. (eval.c) */
int eval_value(const struct eval_scope *s, struct eval_node *n, struct inspect_value *out);
int eval_number(const struct eval_scope *s, struct eval_node *n, struct eval_scalar *out);
bool eval_compares(unsigned op); /* == and the like */

/* The type that the name means here; NULL: none, *err set. */
const struct type *eval_type_find(const struct eval_scope *s, const struct eval_type_name *n,
				  const char *at);
bool eval_type_exists(const struct eval_scope *s, const char *name);
/* typedefs are no types of their own: the one behind; of an object of the program. */
int eval_cast(const struct eval_scope *s, const char *at, const struct inspect_value *v,
	      const struct type *to, bool reference, struct inspect_value *out);
/* Where base is inside derived (a class of its own is at 0). False: it is not, or only virtually. */
bool eval_base_offset(const struct dwarf_program *p, const struct type *derived,
		      const struct type *base, uint64_t *offset);

/* An enumerator by its (qualified) name: of the function's unit first, then of all. False: there
   is none. (eval_enum.c) */
bool eval_enumerator(const struct eval_scope *s, const char *name, const struct type **type,
		     int64_t *value);

/* ---- cache ---------------------------------------------------------------------------------- */

/* Returns what `use` returns for the tree of the text in this function, or -1 with *err set if the
   text is no expression. */
int eval_with_tree(const struct inspect_call *call, const char *text,
		   int (*use)(const struct eval_scope *s, struct eval_node *root, void *ctx),
		   void *ctx, struct error *err);

#endif
