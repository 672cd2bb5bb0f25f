/*
 * Names of functions: C's, C++'s with namespaces, templates, operators and arguments, Rust's.
 * Text only: the same rules hold for names put together from DIEs and for demangled symbols.
 */
#ifndef GATECTL_SOURCE_NAMES_NAMES_H
#define GATECTL_SOURCE_NAMES_NAMES_H

#include "tracer/base/text/str.h"
#include "tracer/base/text/suggest.h"
#include "tracer/dwarf/units/units.h"
#include "tracer/source/source.h"

struct name_part {
	const char *text; /* into the text that was split */
	size_t length;
	size_t plain; /* length without template arguments and [abi:...] */
};

/* `app::Queue<int>::push(int)` is three parts and arguments. A return type before them and what
   stands behind the arguments are left out. */
struct name_parts {
	ARRAY(struct name_part) parts;
	const char *args; /* from the parenthesis on, or NULL */
	size_t args_length;
	bool global; /* it began with :: */
};

void names_split(const char *text, struct name_parts *out);
void names_fini(struct name_parts *n);

/* Does the full name end with the parts of the wanted one? Template arguments, anonymous and
   inline namespaces and Rust's {impl#N} may be left out of the wanted one. Arguments are compared
   where both have some. */
bool names_match(const struct name_parts *wanted, const char *full);

/* Only the arguments. */
bool names_match_args(const struct name_parts *wanted, const char *full);

/* The last part without template arguments: what DW_AT_name begins with. Owned by the caller. */
char *names_last(const struct name_parts *n);

/* Namespaces, classes and name, without template arguments and arguments. Owned by the caller. */
char *names_plain(const char *full);
/* The same with template arguments. */
char *names_without_args(const char *full);

/* How long the name of an operator is at the beginning of this text; 0: it is none. */
size_t names_operator_length(const char *text);
/* 1 where a bracket of any kind opens here, -1 where one closes. */
int names_depth_change(const char *text, size_t at);

/* names_brief.c: std::__cxx11::basic_string<char, ...> is std::string, and what is as it is for everybody
   (allocators, std::less) is left out. */
void names_simple(const char *full, size_t length, struct str *out);
/* Is the wanted name what names_brief() may make of the full one? */
bool names_same_brief(const char *wanted, size_t wanted_length, const char *full, size_t length);
/* Where the name is longer than `most`, the simple one; and of that, template arguments are left out, the inner
   ones first, as far as is needed: "Queue<...>::push". */
void names_brief(const char *full, size_t most, struct str *out);

/* A symbol's name in readable form, without arguments where it was mangled. Owned by the caller. */
char *names_of_symbol(const char *symbol);

/* ---- functions.c: functions -------------------------------------------------------------------- */

/*
 * What a scope is: its full name, where it is declared, and which scopes hold an address.
 * Answers come from the whole chain: copy -> abstract function -> declaration in the class.
 */
enum { FUNCTIONS_DEEP = 64 }; /* nesting of copies that is followed */

struct function {
	struct scope_ref self, named; /* named: where the name stands, at the end of the chain */
	const char *name;    /* with namespaces and classes; NULL unknown. The table owns it */
	const char *spoken;  /* the same without inline and anonymous namespaces */
	const char *linkage; /* or NULL */
	const char *file;    /* where it is defined, else declared; NULL unknown */
	unsigned line;	     /* 0 unknown */
};

/* 0, or -1 with ERROR_OBJECT. */
int function_read(struct die_table *t, struct scope_ref scope, struct function *out,
		  struct error *err);

/* Only the name that DW_AT_name has at the end of the chain, without namespaces; NULL unknown. */
int function_short_name(struct die_table *t, struct scope_ref scope, const char **out,
			struct error *err);

/* The scopes that hold the offset, the innermost copy first, the concrete function last: how many,
   0 where there is no function, -1 with an error. */
int functions_stack(struct die_table *t, uint64_t offset, struct scope_ref out[FUNCTIONS_DEEP],
		    struct error *err);

/* Which of the stack the line belongs to: the one that begins last before it in its file, else
   the innermost. An instruction that was moved into a copy stays one of the caller's. */
int functions_owner(struct die_table *t, const struct scope_ref *stack, int count, const char *file,
		    unsigned line, struct scope_ref *out, struct error *err);

/* Which of the stack that DIE is, or else the one nearest around it; -1: none, it is of another function. */
int functions_which(struct die_table *t, const struct scope_ref *stack, int count, uint64_t scope);

/* The concrete function or copy around a scope; scope NULL: none. */
struct scope_ref function_around(struct scope_ref scope);
/* Is this copy only the second half of the function around it, that gcc had split? */
int function_is_half(struct die_table *t, struct scope_ref scope, bool *out, struct error *err);
/* The outermost of those: it has the code. */
struct scope_ref function_outermost(struct scope_ref scope);

/* The path of a file number in a DIE of this unit, or NULL. */
const char *function_file(struct die_table *t, const struct die_unit *u, unsigned number);

/* Do two paths of the debug information mean one file? */
bool function_same_file(const char *a, const char *b);

/* Where a function or a copy begins; UINT64_MAX unknown. */
uint64_t scope_entry(struct scope_ref scope);
/* Its code, which the unit owns; none of no scope. */
struct flow_ranges scope_code(struct scope_ref scope);

/* ---- functions_index.c ------------------------------------------------------------------------- */

struct scope_refs {
	struct scope_ref *items;
	size_t count, capacity;
};

/* Appends those whose own name, template arguments left out, is `name`, and maybe a few others, in the order of
   the debug information. False: there is no index; few names were asked for, or it cannot be made. */
bool function_index_find(struct die_table *t, const char *name, struct scope_refs *out);

#endif
