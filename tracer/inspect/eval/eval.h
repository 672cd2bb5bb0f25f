/*
 * C expressions as text, tree and value. See tracer/inspect/README.md. A tree belongs to one text
 * in one function, because it keeps the types that names mean there; struct modules owns a cache
 * of trees.
 */
#ifndef GATECTL_INSPECT_EVAL_EVAL_H
#define GATECTL_INSPECT_EVAL_EVAL_H

#include "tracer/base/text/token.h"
#include "tracer/inspect/values/value_internal.h"

enum {
	EVAL_TEXT = 16384, /* bytes of the longest expression */
	EVAL_DEEP = 200,   /* levels of its tree: evaluation is recursive */
	EVAL_BOUNDS = 4,   /* dimensions of an array in a type's name */
};

/* ---- tokens --------------------------------------------------------------------------------- */

/* Reads the token at `at`, without comments before it. *out is TOKEN_BAD with *err set for a
   token that no expression has. */
void eval_token(const char *text, const char *at, struct token *out, struct error *err);
/* Returns why hit:eval does not accept this word of C++, or NULL if it does. */
const char *eval_refused(const struct token *t);

/* Sets an error of the expression. `at`: place in `text`, NULL: no column. Returns -1. */
int eval_error(const char *text, const char *at, struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* ---- trees ---------------------------------------------------------------------------------- */

enum eval_kind {
	EVAL_NAME,    /* text; may be qualified */
	EVAL_INTEGER, /* number, of the type `builtin` */
	EVAL_FLOAT,   /* real, of the type `builtin` */
	EVAL_STRING,  /* text, length (without the final 0) */
	EVAL_NULLPTR,
	EVAL_FIELD,   /* a.text and a->text */
	EVAL_ELEMENT, /* a[b] */
	EVAL_LENGTH,  /* a.text() of a container: size, length or empty */
	EVAL_UNARY,   /* op a: * & + - ! ~ */
	EVAL_BINARY,  /* a op b, including && || and the comma */
	EVAL_CHOICE,  /* a ? b : c */
	EVAL_CAST,    /* (type)a */
	EVAL_SIZEOF,  /* of a; a is NULL: of the type `name` */
};

struct eval_type_name {
	char *name;	     /* "struct node"; NULL: `builtin` is set */
	const char *builtin; /* "unsigned long" */
	unsigned pointers, bounds;
	uint64_t bound[EVAL_BOUNDS];
	bool reference;
};

struct eval_node {
	enum eval_kind kind;
	unsigned op, depth;
	const char *at; /* place in the tree's text, for messages */
	struct eval_node *a, *b, *c;
	char *text;
	size_t length;
	unsigned __int128 number;
	long double real;
	const char *builtin;
	struct eval_type_name name;
	/* Kept by the first evaluation. */
	const struct type *type; /* of `name`, or of the enumerator */
	bool is_enumerator;	 /* EVAL_NAME: an enumerator of `type` with the value `number` */
	bool no_enumerator;	 /* no enumerator has this name */
};

struct eval_tree {
	char *text;
	struct eval_node *root;
	ARRAY(struct eval_node *) nodes; /* all nodes; the tree owns them */
};

/* is_type() returns true if the name is a type's. The parser calls it only if C's grammar
   depends on it. */
struct eval_parsing {
	bool (*is_type)(void *ctx, const char *name);
	void *ctx;
};

/* Parses an expression. Returns a tree, which the caller frees, or NULL with *err set to
   ERROR_STATE. */
struct eval_tree *eval_parse(const char *text, const struct eval_parsing *how, struct error *err);
void eval_tree_free(struct eval_tree *t); /* Frees a tree; NULL is allowed. */

/* Reads the name of a type that ends at the token `closing` (an operator; 0: the end of the
   text). Sets *end to the end of that token. Returns false, with *out empty, if there is no such
   name. (eval_typename.c) */
bool eval_type_name(const char *at, unsigned closing, struct eval_type_name *out, const char **end);
/* Frees the strings of a name that eval_type_name() has read. */
void eval_type_name_fini(struct eval_type_name *n);
/* True if the word belongs to the language and can begin a type. */
bool eval_is_type_word(const struct token *t);
/* Returns the end of the template arguments <...> that begin at `at`, or NULL if they are none. */
const char *eval_skip_template(const char *at);

/* Reads a constant into the node. Returns 0, or -1 with *err set. (eval_constant.c) */
int eval_constant(const char *text, const struct token *t, struct eval_node *n, struct error *err);

/* ---- values --------------------------------------------------------------------------------- */

/* A number or a pointer, the operands of arithmetic. */
struct eval_scalar {
	const struct type *type; /* BOOL, INTEGER, CHAR, ENUM, FLOAT or POINTER */
	unsigned __int128 bits;	 /* not for FLOAT; extended by the sign of the type */
	long double real;	 /* FLOAT: the number */
};

/* Place at which the expression is evaluated. Functions that fail set *err. */
struct eval_scope {
	const struct inspect_call *call;
	const struct dwarf_program *program;
	const char *text; /* for messages */
	struct error *err;
};

/* Names the expression in an error that another folder has set in *s->err. Returns -1. */
int eval_inside(const struct eval_scope *s);
/* Sets the error "TYPE WHAT", as in "struct queue is neither a number nor a pointer". Returns
   -1. */
int eval_refuse(const struct eval_scope *s, const char *at, const char *what, const struct type *t);
/* Returns int, long or __int128, the smallest that has `size` bytes, or its unsigned type. */
const struct type *scalar_integer_type(uint64_t size, bool with_sign);
/* Cuts to the width of the type and extends by its sign. */
unsigned __int128 scalar_fit(unsigned __int128 bits, const struct type *t);
bool scalar_is_pointer(const struct eval_scalar *s); /* True for a pointer. */
bool scalar_is_float(const struct eval_scalar *s);   /* True for a floating-point number. */
bool scalar_true(const struct eval_scalar *s);	     /* True if C takes the scalar for true. */
/* Returns an integer of the built-in type. */
struct eval_scalar scalar_int(int64_t value, const char *builtin);
/* Converts a value. Arrays and functions decay to pointers; smart pointers, references and
   atomics are replaced by what they hold. Returns 0, or -1 with *s->err set. */
int scalar_of(const struct eval_scope *s, const struct inspect_value *v, const char *at,
	      struct eval_scalar *out);
/* Makes a value of a scalar. Returns 0. */
int scalar_value(const struct eval_scope *s, const struct eval_scalar *from,
		 struct inspect_value *out);
/* Converts to another type, as a cast does. Returns 0, or -1 with *s->err set. */
int scalar_convert(const struct eval_scope *s, const char *at, const struct eval_scalar *from,
		   const struct type *to, struct eval_scalar *out);
/* Computes `op a`. Returns 0, or -1 with *s->err set. */
int scalar_unary(const struct eval_scope *s, const char *at, unsigned op,
		 const struct eval_scalar *a, struct eval_scalar *out);
/* Computes `a op b`. Returns 0, or -1 with *s->err set. */
int scalar_binary(const struct eval_scope *s, const char *at, unsigned op,
		  const struct eval_scalar *a, const struct eval_scalar *b,
		  struct eval_scalar *out);
/* Returns the type in which the two are compared (C11 6.3.1.8), or NULL if it has more than 64 bits
   or is no integer. */
const struct type *scalar_common(const struct eval_scalar *a, const struct eval_scalar *b);

/* Evaluates a node of a tree. Returns 0, or -1 with *s->err set. (eval.c) */
int eval_value(const struct eval_scope *s, struct eval_node *n, struct inspect_value *out);
/* Evaluates a node whose value is a number or a pointer. Returns 0, or -1 with *s->err set. */
int eval_number(const struct eval_scope *s, struct eval_node *n, struct eval_scalar *out);
bool eval_compares(unsigned op); /* True for == != < > <= >= */

/* Finds the type that the name means at this place. Returns NULL with *s->err set if there is
   none. */
const struct type *eval_type_find(const struct eval_scope *s, const struct eval_type_name *n,
				  const char *at);
/* True if a type has this name at this place. */
bool eval_type_exists(const struct eval_scope *s, const char *name);
/* Casts a value. `reference`: to a reference, so that *out remains a place in memory. Returns 0,
   or -1 with *s->err set. */
int eval_cast(const struct eval_scope *s, const char *at, const struct inspect_value *v,
	      const struct type *to, bool reference, struct inspect_value *out);
/* Finds the offset of `base` in `derived`, 0 if both are one class. Returns false if it is no
   base class or only a virtual one. */
bool eval_base_offset(const struct dwarf_program *p, const struct type *derived,
		      const struct type *base, uint64_t *offset);

/* Finds an enumerator by its name, which may be qualified: in the function's unit, then in all
   units. Returns false if there is none. (eval_enum.c) */
bool eval_enumerator(const struct eval_scope *s, const char *name, const struct type **type,
		     int64_t *value);

/* ---- cache ---------------------------------------------------------------------------------- */

/* Returns what `use` returns for the tree of the text in this function, or -1 with *err set if the
   text is no expression. */
int eval_with_tree(const struct inspect_call *call, const char *text,
		   int (*use)(const struct eval_scope *s, struct eval_node *root, void *ctx),
		   void *ctx, struct error *err);

#endif
