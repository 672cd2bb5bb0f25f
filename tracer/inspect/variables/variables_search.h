/* Between variables_search.c and variables_global.c: the search for variables outside of functions. */
#ifndef GATECTL_INSPECT_VARIABLES_VARIABLES_SEARCH_H
#define GATECTL_INSPECT_VARIABLES_VARIABLES_SEARCH_H

#include "tracer/inspect/variables/variables.h"

/* A definition that was found. */
struct variable_candidate {
	struct variable variable;
	const char *space, *name, *linkage;
	const char *file, *unit; /* where it is declared, which unit has it; NULL unknown */
	unsigned line;
	uint64_t address; /* as far as it has a fixed one */
	bool external;
};

struct variable_search {
	const struct dwarf_program *program;
	const struct wanted_variable *wanted;
	const char *space;  /* exactly this one is wanted; NULL: whichever */
	uint64_t offset;    /* of the module of the place, for lists of locations */
	struct module *own; /* the place's own; NULL: none */
	bool exported;	    /* only those; the first one ends the search */
	const char *enough; /* an exported one in this space ends the search; NULL: none does */
	bool done;
	ARRAY(struct variable_candidate) found;
};

/* The definition of what this entry declares or defines, in its own module. 1, 0 (`out` says
   OPTIMISED_OUT), or -1. */
int search_entry(const struct dwarf_program *program, const struct entry *e, uint64_t offset,
		 struct variable *out, struct error *err);
/* Adds what a unit has of the name. 0, or -1. */
int search_unit(struct variable_search *h, struct die_table *t, struct die_unit *u,
		struct error *err);
/* In the module `first` (may be NULL), then in all others, in the order they were loaded; those of the
   system that have no such symbol only if nothing has been found. */
int search_modules(struct variable_search *h, struct module *first, struct error *err);
/* Of several in the space `exact` (NULL: in any that the wanted name fits): the exported one that
   came first, else the only one. 1, 0: none, -1: ambiguous. */
int search_choose(struct variable_search *h, const char *exact, struct variable *out,
		  struct error *err);
/* What the linker calls it; of C its name. NULL: it has none. */
const char *linkage_name(const struct entry *e);
void search_fini(struct variable_search *h);

#endif
