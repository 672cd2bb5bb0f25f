/* Between variables_hunt.c and variables_global.c: the search for variables outside of functions. */
#ifndef GATECTL_SYMBOLS_VARIABLES_HUNT_H
#define GATECTL_SYMBOLS_VARIABLES_HUNT_H

#include "tracer/symbols/variables.h"

/* A definition that was found. */
struct candidate {
	struct variable variable;
	const char *space, *name, *linkage;
	const char *file, *unit; /* where it is declared, which unit has it; NULL unknown */
	unsigned line;
	uint64_t address; /* as far as it has a fixed one */
	bool external;
};

struct hunt {
	const struct symbols_program *program;
	const struct wanted *wanted;
	const char *space;   /* exactly this one is wanted; NULL: whichever */
	uint64_t offset;     /* of the module of the place, for lists of locations */
	struct module *home; /* the place's own; NULL: none */
	bool exported;	     /* only those; the first one ends the hunt */
	const char *enough;  /* an exported one in this space ends the hunt; NULL: none does */
	bool done;
	ARRAY(struct candidate) found;
};

/* The definition of what this entry declares or defines, in its own module. 1, 0 (`out` says GONE),
   or -1. */
int hunt_entry(const struct symbols_program *program, const struct entry *e, uint64_t offset,
	       struct variable *out, struct error *err);
/* Adds what a unit has of the name. 0, or -1. */
int hunt_unit(struct hunt *h, struct die_table *t, struct die_unit *u, struct error *err);
/* In the module `first` (may be NULL), then in all others, in the order they were loaded. */
int hunt_modules(struct hunt *h, struct module *first, struct error *err);
/* Of several in the space `exact` (NULL: in any that the wanted name fits): the exported one that
   came first, else the only one. 1, 0: none, -1: ambiguous. */
int hunt_choose(struct hunt *h, const char *exact, struct variable *out, struct error *err);
/* What the linker calls it; of C its name. NULL: it has none. */
const char *linkage_name(const struct entry *e);
void hunt_fini(struct hunt *h);

#endif
