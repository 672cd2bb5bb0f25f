/* Names of functions in C, C++ and Rust: namespaces, templates, operators, arguments. Rules apply
   to text, whether put together from DIEs or demangled from a symbol. */
#ifndef GATECTL_SOURCE_NAMES_NAMES_H
#define GATECTL_SOURCE_NAMES_NAMES_H

#include "tracer/base/text/str.h"
#include "tracer/base/text/suggest.h"
#include "tracer/dwarf/units/units.h"
#include "tracer/source/source.h"

struct name_part {
	const char *text; /* points into the text that was split */
	size_t length;
	size_t plain; /* length without template arguments and [abi:...] */
};

/* A split name: `app::Queue<int>::push(int)` has three parts and arguments. The return type and
   what follows the arguments are dropped. */
struct name_parts {
	ARRAY(struct name_part) parts;
	const char *args; /* begins with the parenthesis; NULL if there are none */
	size_t args_length;
	bool global; /* the text began with :: */
};

/* Splits a name. The parts point into `text`. names_fini() frees *out. */
void names_split(const char *text, struct name_parts *out);
/* Frees the parts, not *n. */
void names_fini(struct name_parts *n);

/*
 * True if the full name ends with the parts of the wanted one. The wanted name may leave out
 * template arguments, anonymous and inline namespaces and Rust's {impl#N}. Arguments are
 * compared if both have some.
 */
bool names_match(const struct name_parts *wanted, const char *full);

/* True if the arguments are equal, or one of the names has none. */
bool names_match_args(const struct name_parts *wanted, const char *full);

/* Returns the last part without template arguments, as DW_AT_name begins. The caller frees it. */
char *names_last(const struct name_parts *n);

/* Returns namespaces, classes and name, without template arguments and
   arguments. The caller frees it. */
char *names_plain(const char *full);
/* Returns namespaces, classes and name, with template arguments, without
   arguments. The caller frees it. */
char *names_without_args(const char *full);

/* Returns the length of the operator's name that begins the text, or 0. */
size_t names_operator_length(const char *text);
/* Returns 1 if a bracket of any kind opens at text[at], -1 if one closes, else 0. */
int names_depth_change(const char *text, size_t at);

/* Appends the name in short form: std::__cxx11::basic_string<char, ...> is std::string; default
   template arguments (allocators, std::less) are left out. */
void names_simple(const char *full, size_t length, struct str *out);
/* True if the wanted name is one that names_brief() makes of the full one. */
bool names_same_brief(const char *wanted, size_t wanted_length, const char *full, size_t length);
/* Appends the full name, or if it has over `most` characters its short form with <...> for template
   arguments, inner ones first, as far as needed: "Queue<...>::push". */
void names_brief(const char *full, size_t most, struct str *out);

/* Returns a symbol's name in readable form, without arguments if it was
   mangled. The caller frees it. */
char *names_of_symbol(const char *symbol);

/* ---- functions.c -------------------------------------------------------------------------- */

/* A function as all DIEs of its chain describe it: inlined copy, abstract function,
   declaration in the class. */
enum { FUNCTIONS_DEEP = 64 }; /* limit for nested inlined copies */

struct function {
	struct scope_ref self, named; /* named: the end of the chain, which has the name */
	const char *name;    /* with namespaces and classes; NULL if unknown. Owned by the table */
	const char *spoken;  /* `name` without inline and anonymous namespaces */
	const char *linkage; /* NULL if unknown */
	const char *file;    /* file of the definition, else of the declaration; NULL if unknown */
	unsigned line;	     /* 0 if unknown */
};

/* Reads the function of a scope. Returns 0, or -1 with *err set (ERROR_OBJECT). */
int function_read(struct die_table *t, struct scope_ref scope, struct function *out,
		  struct error *err);

/* Sets *out to the first DW_AT_name of the chain, without namespaces, or NULL. Returns
   0, or -1 with *err set. */
int function_short_name(struct die_table *t, struct scope_ref scope, const char **out,
			struct error *err);

/* Fills `out` with the scopes at the offset, innermost inlined copy first, the out-of-line function
   last. Returns their number, 0 if there is no function, or -1 with *err set. */
int functions_stack(struct die_table *t, uint64_t offset, struct scope_ref out[FUNCTIONS_DEEP],
		    struct error *err);

/*
 * Sets *out to the scope of the stack that contains the line: the one that begins last before it in
 * its file, else the innermost. Optimisation moves instructions of a caller into copies. Returns 0,
 * or -1 with *err set.
 */
int functions_owner(struct die_table *t, const struct scope_ref *stack, int count, const char *file,
		    unsigned line, struct scope_ref *out, struct error *err);

/* Returns the index in the stack of the DIE `scope` or its nearest enclosing scope; -1 if it
   belongs to another function. */
int functions_which(struct die_table *t, const struct scope_ref *stack, int count, uint64_t scope);

/* Returns the nearest enclosing function or inlined copy; its scope is NULL if there is none. */
struct scope_ref function_around(struct scope_ref scope);
/*
 * Sets *out to true if the inlined copy is the second half of the function around it: gcc splits
 * functions (-fpartial-inlining) and inlines that half on the function's first line. Returns 0,
 * or -1 with *err set.
 */
int function_is_half(struct die_table *t, struct scope_ref scope, bool *out, struct error *err);
/* Returns the outermost enclosing scope, the function that has the code. */
struct scope_ref function_outermost(struct scope_ref scope);

/* Returns the path of a file number of this unit, or NULL. Owned by the module. */
const char *function_file(struct die_table *t, const struct die_unit *u, unsigned number);

/* True if two paths of the debug information name one file. */
bool function_same_file(const char *a, const char *b);

/* Returns the first offset of a function or inlined copy, or UINT64_MAX if unknown. */
uint64_t scope_entry(struct scope_ref scope);
/* Returns the code of a scope, owned by its unit; empty if it has no scope. */
struct flow_ranges scope_code(struct scope_ref scope);

/* ---- functions_index.c ----------------------------------------------------------------- */

struct scope_refs {
	struct scope_ref *items;
	size_t count, capacity;
};

/*
 * Appends, in the order of the debug information, the functions whose name without template
 * arguments is `name`, and possibly others. Returns false if there is no index: too few searches so
 * far, or it cannot be built.
 */
bool function_index_find(struct die_table *t, const char *name, struct scope_refs *out);

#endif
