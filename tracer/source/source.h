/*
 * Resolves locations (functions, lines, source text) to sites in a module's code, and describes an
 * address in the same terms. Addresses are module + offset, as nm(1) prints them; tracer/run adds
 * the load address. Debug information is read lazily, when a query needs it.
 */
#ifndef GATECTL_SOURCE_SOURCE_H
#define GATECTL_SOURCE_SOURCE_H

#include "tracer/base/text/str.h"
#include "tracer/elf/module.h"

/* ---- locations ------------------------------------------------------------------------------ */

enum location_kind {
	LOCATION_LINE,	  /* FILE:LINE */
	LOCATION_FUNC,	  /* FUNC */
	LOCATION_OFFSET,  /* FUNC:+N */
	LOCATION_RETURN,  /* FUNC%return */
	LOCATION_CALL,	  /* FUNC%call(CALLEE); `match` counts the calls */
	LOCATION_TEXT,	  /* FUNC;TEXT or FILE;TEXT */
	LOCATION_MARK,	  /* //MARK */
	LOCATION_ADDRESS, /* *0xADDR, *0xADDR:SUM */
};

/* LOCATION:read and LOCATION:write of a statement. */
enum location_part { LOCATION_WHOLE, LOCATION_READ, LOCATION_WRITE };

struct location {
	enum location_kind kind;
	enum location_part part;
	char *text;	  /* as written in the test script */
	char *object;	  /* OBJECT! or NULL */
	char *name;	  /* FILE or FUNC */
	char *search;	  /* TEXT, MARK, CALLEE or SUM */
	unsigned line;	  /* LINE or N */
	uint64_t address; /* LOCATION_ADDRESS: an offset in the module */
	unsigned match;	  /* #K, or 0 */
	bool briefly;	  /* a failed lookup does not search for similar names */
};

/* Parses a location. Returns 0, or -1 with *err set (ERROR_LOCATION). location_fini()
   frees the strings of *out. */
int location_parse(const char *text, struct location *out, struct error *err);
/* Returns ":read", ":write" or "". */
const char *location_part_text(enum location_part part);
/* Frees the strings and clears *l. */
void location_fini(struct location *l);

/* Address ranges and offsets in the code of one module. The arrays belong to the
   struct that holds them. */
struct flow_ranges {
	struct module_range *items;
	size_t count, capacity;
};
struct flow_offsets {
	uint64_t *items;
	size_t count, capacity;
};

/* ---- what a location means ------------------------------------------------------------------ */

enum source_site_kind {
	SOURCE_STATEMENT, /* before the first instruction of the statement */
	SOURCE_ENTRY,	  /* a function, after its prologue */
	SOURCE_RETURN,	  /* at a return instruction */
	/* a conditional jump into the statement; with `check_target`, an arrival only
	   if it goes into `ranges` */
	SOURCE_JUMP,
	/* a jump out of the function; with `check_target` an indirect jump, an arrival only if
	   it goes out of `ranges` */
	SOURCE_TAIL,
	/* the instruction before an inlined copy that begins with a loop; the copy's variables
	   have no value there yet */
	SOURCE_BEFORE,
};

struct source_site {
	enum source_site_kind kind;
	struct module *module;
	uint64_t offset;
	/* innermost function at `offset`; NULL if unknown. Owned by the module */
	const char *function;
	/* the function that holds the inlined copy; NULL if the function is not
	   inlined. Owned by the module */
	const char *inlined_into;
	uint64_t scope;	  /* offset of the function's or inlined copy's DIE, or 0 */
	const char *file; /* NULL if unknown. Owned by the module */
	unsigned line;
	/* a lambda with other code on this line, which has no site; or NULL. Owned by the module */
	const char *lambda;
	bool check_target;
	/* Order of the statements that begin at one address, the lowest first; 0 if the site is
	   no statement of a line. */
	unsigned rank;
	/* one of several unrolled or peeled iterations that the line table has for a loop */
	bool is_round;
	bool empty; /* the statement has no code: it ends where it begins */
	/* Code of the statement in this copy, or of the whole function
	   (SOURCE_RETURN, SOURCE_TAIL). */
	struct flow_ranges ranges;
	/* Exits from `ranges` (statements, entries and addresses): the first addresses after the
	   statement, and the return and tail-jump instructions in it. */
	struct flow_offsets exits;
	/*
	 * True if `ranges` are entered at this location's sites alone and `exits` are reached
	 * from `ranges` alone: a thread at an exit has just executed the statement. False
	 * also if this is unknown.
	 */
	bool closed;
};

/* All sites of one location: every copy of one function or statement, which #K selects if the
   location is ambiguous. */
struct source_sites {
	struct source_site *items;
	size_t count, capacity;
	/* FUNC%return: number of inlined copies, which have no return instruction */
	unsigned inlined_skipped;
};
/* Frees the sites, not *s. */
void source_sites_fini(struct source_sites *s);

enum source_answer {
	SOURCE_FOUND,
	/* not found in these modules; *err says so and names similar functions or lines. The caller
	   decides whether the location waits for a library */
	SOURCE_NOT_FOUND,
	/* the line was found by its text or a mark, but has no code of its own, or its statement
	   has no access of its own for the :read or :write */
	SOURCE_NO_CODE,
	SOURCE_ERROR, /* ambiguous, a line number without code, unreadable debug information, ... */
};

/*
 * Resolves a location in `modules`, the executable first, then libraries in load order. Appends
 * sites in address order: one execution of the statement passes exactly one site, once. Sets *err
 * unless it returns SOURCE_FOUND.
 */
enum source_answer source_resolve(struct modules *s, struct module *const *modules, size_t count,
				  const struct location *location, struct source_sites *out,
				  struct error *err);

/* One match of a location. */
struct source_match {
	const char *file; /* NULL if unknown. Owned by a module */
	unsigned line;	  /* 0 if unknown */
};
struct source_matches {
	struct source_match *items;
	size_t count, capacity;
};
/*
 * Lists what the location matches without its #K, in source order (#K is the K-th match), lines
 * without code included. Returns 0, or -1 with *err set if nothing matches. The caller frees
 * *out with array_fini().
 */
int source_matches(struct modules *s, struct module *const *modules, size_t count,
		   const struct location *location, struct source_matches *out, struct error *err);

/*
 * Finds the entries of the sites' function and its copies; with `out` its returns, and its copies'
 * lines that begin with `return`. *all is true if there are no others. *found is empty if they are
 * unknown, else the caller frees it with source_sites_fini().
 */
void source_boundaries(struct modules *s, const struct source_sites *sites, bool out,
		       struct source_sites *found, bool *all);

/* Number of loop iterations that one arrival at a site stands for. An unrolled loop has one row of
   the line table for several iterations (clang), a vectorised one executes several at once. */
enum source_rounds { SOURCE_ROUND, SOURCE_UNROLLED, SOURCE_VECTORISED };
/* Judges by the site's instructions alone: straight-line code may also be taken for a
   vectorised or unrolled loop. */
enum source_rounds source_rounds(const struct source_site *site);

/*
 * Returns the length in bytes of whole instructions, at least `need`, that a jump to a copy of them
 * can replace; 0 with *why set if there are none. Of several instructions only the first may be the
 * target of a jump, and only the last may be a jump or a call.
 */
unsigned source_movable(struct module *m, uint64_t offset, unsigned need, const char **why);

/* Returns why a thread at the site may not have arrived, or not yet; NULL if each stop is an
   arrival. The string is static. */
const char *source_site_doubt(const struct source_site *site);

/* True if the source file was modified after the module was built. `path` may be NULL. */
bool source_is_newer(const struct module *m, const char *path);
/* Appends a warning like gdb's "Source file is more recent than executable": "FILE is
   newer than OBJECT: ...". */
void source_add_newer(const struct module *m, const char *path, struct str *out);

/* ---- addresses to names and lines ----------------------------------------------------------- */

struct source_symbolised {
	char *function;	  /* demangled, without arguments; NULL if unknown. Owned by this struct */
	const char *file; /* as in the debug information; NULL if unknown. Owned by the module */
	unsigned line;	  /* 0 if unknown */
	uint64_t start;	  /* offset of the function or symbol; 0 if unknown */
};
/* Describes the code at an offset. Returns false if nothing is known. `lines` decodes the unit's
   line program; without it only symbols are read. source_symbolised_fini() frees *out. */
bool source_symbolise(struct module *m, uint64_t offset, bool lines, struct source_symbolised *out);
/* Returns the name of the innermost function, inlined or not, at the offset, or NULL if
   unknown. Owned by the module. */
const char *source_innermost(struct module *m, uint64_t offset);
/* Frees the strings of *w. */
void source_symbolised_fini(struct source_symbolised *w);

/* A statement of a function, as the line table gives it; for stepping. */
struct source_statement {
	uint64_t offset;
	const char *file; /* owned by the module */
	unsigned line;
};
struct source_statements {
	struct source_statement *items;
	size_t count, capacity;
};
/* Lists the statements of the function at this offset, in the order of the line table. Returns
   false if there is no debug information. The caller frees *out with array_fini(). */
bool source_statements(struct module *m, uint64_t offset, struct source_statements *out);

/* Calls `each` for every function of the symbol table; for completion. A name
   may come more than once. */
void source_each_function(struct module *m, void (*each)(void *ctx, const char *name), void *ctx);
/* Calls `each` for every function with an inlined copy, except those of system headers: some have
   no symbol. A name may come more than once. */
void source_each_inlined(struct module *m, void (*each)(void *ctx, const char *name), void *ctx);
/* Calls `each` for the base name of every source file with code. A name may come more than once. */
void source_each_file(struct module *m, void (*each)(void *ctx, const char *name), void *ctx);
/* Calls `each` for every line of the file that begins a statement. A line
   may come more than once. */
void source_each_line(struct module *m, const char *file, void (*each)(void *ctx, unsigned line),
		      void *ctx);
/* Calls `each` once for the offset of every function of the symbol table that has a size. */
void source_each_entry(struct module *m, void (*each)(void *ctx, uint64_t offset), void *ctx);

/* Returns the symbol that contains the offset ("lock_a", "table+0x10"), or
   NULL. The caller frees it. */
char *source_name_of(struct module *m, uint64_t offset);

/* Returns the test case of a function that GoogleTest generates: "Suite.Case" for
   Suite_Case_Test::TestBody. Returns NULL for other functions. The caller frees it. */
char *source_test_case(const char *function);

/* Returns a C++ or Rust symbol in readable form, or a copy of a name that is not
   mangled. The caller frees it. */
char *source_demangle(const char *name);

#endif
