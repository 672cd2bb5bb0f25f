/*
 * What a scope is: its full name, where it is declared, and which scopes hold an address.
 * Answers come from the whole chain: copy -> abstract function -> declaration in the class.
 */
#ifndef GATECTL_SOURCE_NAMES_FUNCTIONS_H
#define GATECTL_SOURCE_NAMES_FUNCTIONS_H

#include "tracer/dwarf/units/dies.h"
#include "tracer/source/source.h"

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

#endif
