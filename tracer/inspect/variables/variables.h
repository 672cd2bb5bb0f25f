/*
 * Between the files of variables: where a name is looked for, and what was found.
 *
 * A name is resolved once for each place in the code; what that gave is kept by the module, and only
 * its expression is run for each question (variables.c).
 */
#ifndef GATECTL_INSPECT_VARIABLES_VARIABLES_H
#define GATECTL_INSPECT_VARIABLES_VARIABLES_H

#include "tracer/source/names/names.h"
#include "tracer/dwarf/expressions/expression.h"
#include "tracer/inspect/values/value_internal.h"

enum { SCOPE_LEVELS = 64, ORIGINS_MAX = 8 };

/* ---- where a name is looked for (variables_scope.c) ------------------------------------------ */

/* A place in the code, as C's rules see it. */
struct code_place {
	const struct dwarf_program *program; /* NULL: a listing, without a process */
	struct module *module;
	struct die_table *table;
	uint64_t offset;
	struct scope_ref self; /* the function, or the inlined copy; scope NULL: no DWARF here */
	const char *file;      /* NULL unknown */
	unsigned line;	       /* 0 unknown */
	/* Entries: the blocks around the offset, the innermost first, the function last. */
	uint64_t levels[SCOPE_LEVELS];
	size_t count;
};

/* `depth` as in struct inspect_call. */
int place_find(struct module *m, uint64_t offset, unsigned depth, struct code_place *out,
	       struct error *err);

/* What a walk shows: a variable, an argument or what `using` named. */
struct local {
	const struct entry *entry; /* valid during the call */
	const char *name;	   /* the module owns it */
	bool argument, artificial;
	bool absent; /* only the abstract function has it: dropped from this copy */
};

struct local_walk {
	/* 1 ends the walk, 0 goes on, -1 with an error. */
	int (*found)(struct local_walk *w, const struct local *l, struct error *err);
	void *ctx;
};

/* The variables of one level. 1 where `found` ended it, 0, or -1. */
int place_walk(const struct code_place *p, size_t level, struct local_walk *w, struct error *err);
/* All variables of the function or copy, those of blocks elsewhere and of dropped ones included. */
void place_walk_all(const struct code_place *p, struct local_walk *w, struct error *err);
/* The arguments of the function as it is written: a copy may have lost some. 0, or -1. */
struct place_argument {
	const char *name; /* the module owns it; NULL: none */
	uint64_t entry;
	bool artificial; /* this */
};
struct place_arguments {
	struct place_argument *items;
	size_t count, capacity;
};
int place_arguments(const struct code_place *p, struct place_arguments *out, struct error *err);
/* The entry's name, its own or inherited; NULL: it has none. */
const char *entry_name(const struct entry *e);

/* ---- what was found ------------------------------------------------------------------------- */

enum variable_kind {
	VARIABLE_PLACED,	/* `code` says where */
	VARIABLE_CONSTANT,	/* DW_AT_const_value: number, or block */
	VARIABLE_ADDRESS,	/* at `number` of `module` */
	VARIABLE_MEMBER,	/* `path` of what the variable `object` points to */
	VARIABLE_OPTIMISED_OUT, /* the compiler dropped it, here or everywhere */
};

struct variable {
	char *name; /* as it was asked for */
	enum variable_kind kind;
	struct module *module;
	struct die_unit *unit;
	uint64_t entry; /* where the location or value stands; 0: an ELF symbol */
	const struct type *type;
	uint64_t function; /* for DW_OP_fbreg */
	uint64_t number;
	const uint8_t *code; /* PLACED; or the CONSTANT's block, NULL: it is in `number` */
	size_t size;
	struct variable *object; /* MEMBER; owned */
	char *path[2];		 /* members: of a lambda's captured `this` there are two. Owned */
	/* Where linking decided: answers hold for programs with this executable. NULL: always. */
	struct module *main;
	/* Of the cache: */
	uint64_t offset;
	unsigned depth;
};

void variable_free(struct variable *v); /* NULL is allowed */

/* Where a name was resolved. For a global by its name alone: the executable, offset and depth -1. */
struct variable_at {
	const struct dwarf_program *program;
	struct module *module; /* it keeps what was found; NULL: nothing is kept */
	uint64_t offset;
	unsigned depth;
};
/* What was found there before; NULL: nothing. */
struct variable *variable_kept(const struct variable_at *at, const char *name);
/* Keeps a copy and takes over what *found owns. NULL with an error. */
struct variable *variable_keep(const struct variable_at *at, const char *name,
			       const struct variable *found, struct error *err);

/* What the entry of a variable says for this offset: kind, type and the rest. */
int variable_of_entry(const struct entry *e, uint64_t offset, struct variable *out,
		      struct error *err);

/* The same for what a walk has shown; `extern` of a block is looked up. */
int variable_of_local(const struct code_place *p, const struct local *l, struct variable *out,
		      struct error *err);

/* Its value now. `frame` NULL: only what is at a fixed address or constant. (variables_value.c) */
struct variable_context {
	const struct dwarf_program *program;
	void *thread;
	const struct dwarf_frame *frame;
	int depth; /* dropped pointers that were followed on the way */
};
/* 0; 1: the compiler dropped it; -1 with an error. */
int variable_value(const struct variable_context *c, const struct variable *v,
		   struct inspect_value *out, struct error *err);
/* The type with its bounds, where they are values of the program; itself otherwise. NULL with an
   error. (variables_value.c) */
const struct type *variable_array(const struct expression *m, const struct variable_context *c,
				  const struct type *t, struct error *err);
/* The fixed address (an offset of its module) that the variable has; false: it has none. */
bool variable_static_address(const struct variable *v, uint64_t *offset);

/* ---- globals (variables_index.c, variables_global.c) ------------------------------------------ */

/* A variable outside of functions, as an entry tells of it. */
struct global {
	const char *name; /* its own; NULL: at the origin's */
	uint64_t entry, origin;
	uint32_t space; /* index into spaces of its unit */
	bool declaration;
};

struct space {
	const char *name; /* "ns::Class", without what is silent; "" for the unit */
	uint64_t entry;
};

/* using namespace */
struct import {
	uint32_t space;
	uint64_t target; /* of a namespace's entry */
};

struct unit_globals {
	bool read, adopted;
	ARRAY(struct space) spaces;
	ARRAY(struct global) globals;
	ARRAY(struct import) imports; /* using namespace */
	ARRAY(uint64_t) parts;	      /* partial units that it imports: their top entries */
	ARRAY(char *) strings;
};

struct made_globals {
	const struct die_unit *unit;
	struct unit_globals *globals;
};

/* What the module (its die_table) keeps for questions about variables. */
struct variable_table {
	struct unit_globals *units; /* one for each unit of the die_table */
	size_t unit_count;
	ARRAY(struct made_globals) made; /* of type units of .dwo files */
	struct variable **slots;	 /* resolved ones, by place and name; a power of two */
	size_t slot_count, used;
};

/* NULL with an error. */
struct variable_table *variable_table(struct module *m, struct error *err);
/* The variables of a unit; its entries are read for it. NULL with an error. */
const struct unit_globals *unit_globals(struct module *m, struct die_unit *u, struct error *err);
/* Appends the partial units that belong to the unit and may have a variable of this name. */
struct unit_list {
	struct die_unit **items;
	size_t count, capacity;
};
void unit_parts(struct module *m, struct die_unit *u, const char *name, struct unit_list *out);

/* A name as the tester wrote it. */
struct wanted_variable {
	const char *text;
	char *file;	    /* of 'file.c'::NAME */
	char *space, *last; /* ns::Class and NAME; space "" where it is not qualified */
	bool global;	    /* it began with :: */
};
void wanted_split(const char *text, struct wanted_variable *out);
void wanted_fini(struct wanted_variable *w);

/* The variable of this name that the place's own unit, namespaces and class show, or that other
   units and modules export. 1, 0: none, -1 with an error. */
int global_in_sight(const struct code_place *p, const struct wanted_variable *w,
		    struct variable *out, struct error *err);
/* The definition of what is only declared by this entry. 1, 0, or -1. */
int global_defined(const struct dwarf_program *program, const struct entry *declaration,
		   struct variable *out, struct error *err);
/* An ELF symbol, for code without DWARF. 1, 0, or -1. */
int global_of_symbols(const struct dwarf_program *program, const struct wanted_variable *w,
		      struct variable *out, struct error *err);
/* Of variables that other modules may share: what the dynamic linker made of it. */
void global_link(const struct dwarf_program *program, const char *linkage, struct variable *v);

/* ---- the search for variables outside of functions (variables_search.c) ---------------------- */

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
int search_entry(const struct dwarf_program *program, const struct entry *e, struct variable *out,
		 struct error *err);
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

/* ---- objects (variables_object.c) ------------------------------------------------------------ */

/* A member of `this`, or what a lambda captured. 1, 0: none, -1 with an error. */
int variable_of_object(const struct code_place *p, const struct wanted_variable *w,
		       struct variable *out, struct error *err);

/* A member of an anonymous union among the variables: its name is one of theirs. */
bool variable_of_union(const struct variable *unnamed, const char *name, struct variable *out);

/* ---- errors (variables_optimised_out.c) --------------------------------------------------------------- */

/* "optimised out at this line", with the nearest line where it lives. -1. */
int variable_optimised_out(const struct code_place *p, const struct variable *v, const char *name,
			   struct error *err);
/* The nearest line where a variable with this entry lives, as FILE:LINE; false: nowhere. */
bool variable_nearest(const struct code_place *p, uint64_t entry, struct str *out);
/* "no variable 'nmae' here; did you mean name?" -1. */
int variable_unknown(const struct code_place *p, const char *name, struct error *err);

/* Is there debug information for this code that knows no types (-g1)? (variables_optimised_out.c) */
bool untyped_at(struct module *m, uint64_t offset);
/* "WHAT: the debug information has no types here: UNKNOWN". -1 */
int untyped_error(const char *what, const char *unknown, struct error *err);

#endif
