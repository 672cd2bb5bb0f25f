/*
 * Resolution of variable names. A name is resolved once for each place in the code; the module
 * keeps the result, and each question only evaluates its location expression (variables.c).
 */
#ifndef GATECTL_INSPECT_VARIABLES_VARIABLES_H
#define GATECTL_INSPECT_VARIABLES_VARIABLES_H

#include "tracer/source/names/names.h"
#include "tracer/dwarf/expressions/expression.h"
#include "tracer/inspect/values/value_internal.h"

enum { SCOPE_LEVELS = 64, ORIGINS_MAX = 8 };

/* ---- scopes (variables_scope.c) ------------------------------------------------------------- */

/* A place in the code with its scopes. */
struct code_place {
	const struct dwarf_program *program; /* NULL: a listing, without a process */
	struct module *module;
	struct die_table *table;
	uint64_t offset;
	struct scope_ref self; /* function or inlined copy; self.scope is NULL without DWARF */
	const char *file;      /* NULL: unknown */
	unsigned line;	       /* 0: unknown */
	/* DIEs of the blocks around the offset, the innermost first, the function last. */
	uint64_t levels[SCOPE_LEVELS];
	size_t count;
};

/* Finds the scopes at an offset of the module; `depth` as in struct inspect_call. Returns 0, or -1
   with *err set. */
int place_find(struct module *m, uint64_t offset, unsigned depth, struct code_place *out,
	       struct error *err);

/* One result of a walk: a variable, an argument, or a variable that `using` named. */
struct local {
	const struct entry *entry; /* valid during the call of found() */
	const char *name;	   /* the module owns it */
	bool argument, artificial;
	bool absent; /* only the abstract function has it: removed from this copy */
};

struct local_walk {
	/* Returns 1 to end the walk, 0 to continue, or -1 with *err set. */
	int (*found)(struct local_walk *w, const struct local *l, struct error *err);
	void *ctx;
};

/* Walks the variables of one level. Returns 1 if found() ended the walk, 0, or -1 with *err set. */
int place_walk(const struct code_place *p, size_t level, struct local_walk *w, struct error *err);
/* Walks all variables of the function or copy, also those of other blocks and removed ones. */
void place_walk_all(const struct code_place *p, struct local_walk *w, struct error *err);
/* An argument in the function's source: a copy may have lost some. */
struct place_argument {
	const char *name; /* the module owns it; NULL: unnamed */
	uint64_t entry;	  /* DIE of the argument */
	bool artificial;  /* such as `this` */
};
struct place_arguments {
	struct place_argument *items;
	size_t count, capacity;
};
/* Lists the arguments of the function's source. The caller frees the list. Returns 0, or -1 with
   *err set. */
int place_arguments(const struct code_place *p, struct place_arguments *out, struct error *err);
/* Returns the DIE's name, its own or an inherited one, or NULL if it has none. */
const char *entry_name(const struct entry *e);

/* ---- variables ------------------------------------------------------------------------------ */

enum variable_kind {
	VARIABLE_PLACED,   /* location expression in `code` */
	VARIABLE_CONSTANT, /* DW_AT_const_value: in `number`, or in `code` */
	VARIABLE_ADDRESS,  /* at offset `number` of `module` */
	VARIABLE_MEMBER,   /* member `path` of the object that the variable `object` points to */
	VARIABLE_OPTIMISED_OUT, /* removed by the compiler, here or everywhere */
};

struct variable {
	char *name; /* name that was asked for */
	enum variable_kind kind;
	struct module *module;
	struct die_unit *unit;
	uint64_t entry; /* DIE with the location or the value; 0: an ELF symbol */
	const struct type *type;
	uint64_t function; /* DIE of the function, for DW_OP_fbreg */
	uint64_t number;
	const uint8_t *code; /* PLACED: location; CONSTANT: its bytes, NULL: it is in `number` */
	size_t size;
	struct variable *object; /* MEMBER: owned */
	char *path[2];		 /* members, owned; a captured `this` of a lambda has two */
	/* Executable that linking depended on: the result is valid only in processes that run it.
	   NULL: in all. */
	struct module *main;
	/* Key of the cache, beside the name. */
	uint64_t offset;
	unsigned depth;
};

void variable_free(struct variable *v); /* Frees a variable; NULL is allowed. */

/* A place where a name was resolved. A global found by its name alone has the executable as module,
   and offset and depth -1. */
struct variable_at {
	const struct dwarf_program *program;
	struct module *module; /* keeps the result; NULL: nothing is kept */
	uint64_t offset;
	unsigned depth;
};
/* Returns the variable that was kept for the place and name, or NULL. The module owns it. */
struct variable *variable_kept(const struct variable_at *at, const char *name);
/* Keeps a copy and takes over the memory that *found owns. Returns the copy, or NULL with *err
   set. */
struct variable *variable_keep(const struct variable_at *at, const char *name,
			       const struct variable *found, struct error *err);

/* Fills *out from the DIE of a variable: kind, type and location at this offset. Returns 0, or -1
   with *err set. */
int variable_of_entry(const struct entry *e, uint64_t offset, struct variable *out,
		      struct error *err);

/* Fills *out from a walk's result; an `extern` in a block is looked up. Returns 0, or -1 with *err
   set. */
int variable_of_local(const struct code_place *p, const struct local *l, struct variable *out,
		      struct error *err);

/* Thread and frame in which a variable is read. `frame` NULL: only fixed addresses and constants.
   (variables_value.c) */
struct variable_context {
	const struct dwarf_program *program;
	void *thread;
	const struct dwarf_frame *frame;
	int depth; /* dropped pointers that were followed so far */
};
/* Reads a variable. Returns 0, 1 if the compiler dropped it, or -1 with *err set. */
int variable_value(const struct variable_context *c, const struct variable *v,
		   struct inspect_value *out, struct error *err);
/* Returns the array type with the bounds that the program has computed, `t` itself if it needs
   none, or NULL with *err set. (variables_value.c) */
const struct type *variable_array(const struct expression *m, const struct variable_context *c,
				  const struct type *t, struct error *err);
/* Finds the variable's fixed address, an offset of its module; `offset` may be NULL. Returns false
   if there is none. */
bool variable_static_address(const struct variable *v, uint64_t *offset);

/* ---- globals (variables_index.c, variables_global.c) ---------------------------------------- */

/* A DIE of a variable outside of functions. */
struct global {
	const char *name; /* its own name; NULL: the origin has it */
	uint64_t entry, origin;
	uint32_t space; /* index into the spaces of its unit */
	bool declaration;
};

struct space {
	const char *name; /* "ns::Class", without anonymous and inline ones; "" for the unit */
	uint64_t entry;
};

/* A `using namespace`. */
struct import {
	uint32_t space;
	uint64_t target; /* DIE of the namespace */
};

struct unit_globals {
	bool read, adopted;
	ARRAY(struct space) spaces;
	ARRAY(struct global) globals;
	ARRAY(struct import) imports;
	ARRAY(uint64_t) parts; /* top DIEs of the partial units that it imports */
	ARRAY(char *) strings;
};

struct made_globals {
	const struct die_unit *unit;
	struct unit_globals *globals;
};

/* Data about variables that a module's die_table keeps. */
struct variable_table {
	struct unit_globals *units; /* one for each unit of the die_table */
	size_t unit_count;
	ARRAY(struct made_globals) made; /* for type units of .dwo files */
	/* resolved variables, hashed by place and name; the size is a power of two */
	struct variable **slots;
	size_t slot_count, used;
};

/* Returns the module's table, made on first use, or NULL with *err set. */
struct variable_table *variable_table(struct module *m, struct error *err);
/* Returns the variables of a unit, whose DIEs are read on first use, or NULL with *err set. */
const struct unit_globals *unit_globals(struct module *m, struct die_unit *u, struct error *err);
/* Partial units of a unit. */
struct unit_list {
	struct die_unit **items;
	size_t count, capacity;
};
/* Appends the partial units that belong to the unit and may have a variable of this name. */
void unit_parts(struct module *m, struct die_unit *u, const char *name, struct unit_list *out);

/* A name in parts, as the tester wrote it. */
struct wanted_variable {
	const char *text;
	char *file;	    /* from 'file.c'::NAME, else NULL */
	char *space, *last; /* ns::Class and NAME; space is "" if the name is not qualified */
	bool global;	    /* the name began with :: */
};
/* Splits a name. wanted_fini() frees the parts. */
void wanted_split(const char *text, struct wanted_variable *out);
void wanted_fini(struct wanted_variable *w); /* Frees the parts. */

/* Finds a variable that the place's own unit, namespaces and class show, or that other units and
   modules export. Returns 1, 0 if there is none, or -1 with *err set. */
int global_in_sight(const struct code_place *p, const struct wanted_variable *w,
		    struct variable *out, struct error *err);
/* Finds the definition for a DIE that only declares a variable. Returns 1, 0, or -1 with *err
   set. */
int global_defined(const struct dwarf_program *program, const struct entry *declaration,
		   struct variable *out, struct error *err);
/* Finds an ELF symbol, for code without DWARF. Returns 1, 0, or -1 with *err set. */
int global_of_symbols(const struct dwarf_program *program, const struct wanted_variable *w,
		      struct variable *out, struct error *err);
/* Sets *v to the symbol that the dynamic linker binds an exported variable to. */
void global_link(const struct dwarf_program *program, const char *linkage, struct variable *v);

/* ---- search for variables outside of functions (variables_search.c) ------------------------- */

/* A definition that the search has found. */
struct variable_candidate {
	struct variable variable;
	const char *space, *name, *linkage;
	const char *file, *unit; /* file of the declaration, name of the unit; NULL: unknown */
	unsigned line;
	uint64_t address; /* 0: no fixed address */
	bool external;
};

struct variable_search {
	const struct dwarf_program *program;
	const struct wanted_variable *wanted;
	const char *space;  /* only this space is searched; NULL: all */
	uint64_t offset;    /* offset in the place's module, for location lists */
	struct module *own; /* the place's module; NULL: none */
	bool exported;	    /* only exported variables; the first one ends the search */
	/* an exported variable in this space ends the search; NULL: none does */
	const char *enough;
	bool done;
	ARRAY(struct variable_candidate) found;
};

/* Finds the definition for a DIE in its own module. Returns 1, 0 with VARIABLE_OPTIMISED_OUT in
   *out, or -1 with *err set. */
int search_entry(const struct dwarf_program *program, const struct entry *e, struct variable *out,
		 struct error *err);
/* Adds the unit's variables of the wanted name. Returns 0, or -1 with *err set. */
int search_unit(struct variable_search *h, struct die_table *t, struct die_unit *u,
		struct error *err);
/* Searches the module `first` (may be NULL), then all others in load order. System libraries
   without such a symbol are searched only if nothing was found. Returns 0, or -1 with *err set. */
int search_modules(struct variable_search *h, struct module *first, struct error *err);
/* Chooses a candidate of the space `exact` (NULL: any that the name fits): the first exported
   one, else the only one. Returns 1, 0 if there is none, or -1 with *err set if the name is
   ambiguous. */
int search_choose(struct variable_search *h, const char *exact, struct variable *out,
		  struct error *err);
/* Returns the linker's name of a variable, which in C is its name, or NULL. */
const char *linkage_name(const struct entry *e);
/* Frees the candidates. */
void search_fini(struct variable_search *h);

/* ---- objects (variables_object.c) ----------------------------------------------------------- */

/* Finds a member of `this` or a variable that a lambda captured. Returns 1, 0, or -1 with *err
   set. */
int variable_of_object(const struct code_place *p, const struct wanted_variable *w,
		       struct variable *out, struct error *err);

/* Finds `name` among the members of an anonymous union that is a variable. Returns false if it has
   none. */
bool variable_of_union(const struct variable *unnamed, const char *name, struct variable *out);

/* ---- errors (variables_optimised_out.c) ----------------------------------------------------- */

/* Sets the error "optimised out at this line", with the nearest line that has the variable. Returns
   -1. */
int variable_optimised_out(const struct code_place *p, const struct variable *v, const char *name,
			   struct error *err);
/* Finds the nearest line at which the variable of this DIE has a value, as FILE:LINE. Returns false
   if there is none. */
bool variable_nearest(const struct code_place *p, uint64_t entry, struct str *out);
/* Sets the error "no variable 'nmae' here; did you mean name?". Returns -1. */
int variable_unknown(const struct code_place *p, const char *name, struct error *err);

/* True if the debug information of this code has no types (-g1). (variables_optimised_out.c) */
bool untyped_at(struct module *m, uint64_t offset);
/* Sets the error "WHAT: the debug information has no types here: UNKNOWN". Returns -1. */
int untyped_error(const char *what, const char *unknown, struct error *err);

#endif
