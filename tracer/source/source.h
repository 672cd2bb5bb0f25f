/*
 * What a tester's words mean: locations, functions, statements, source text; and back from an address to
 * these words. It speaks module + offset (the address as it stands in the file, `nm` prints it) and knows
 * no process: run adds load addresses. Everything is read lazily: nothing of the debug information is
 * touched until a question needs it.
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
	LOCATION_TEXT,	  /* FUNC;TEXT or FILE;TEXT */
	LOCATION_MARK,	  /* //MARK */
	LOCATION_ADDRESS, /* *0xADDR */
};

struct location {
	enum location_kind kind;
	char *text;    /* as the tester wrote it */
	char *object;  /* OBJECT! or NULL */
	char *name;    /* FILE or FUNC */
	char *search;  /* TEXT or MARK */
	unsigned line; /* LINE or N */
	uint64_t address;
	unsigned match; /* #K, or 0 */
	bool briefly;	/* if it is not found, no similar names are searched for */
};

/* 0, or -1 with ERROR_LOCATION. The caller owns the strings: location_fini. */
int location_parse(const char *text, struct location *out, struct error *err);
void location_fini(struct location *l);

/* Code of a module, and places of it. */
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
	SOURCE_STATEMENT, /* before the statement */
	SOURCE_ENTRY,	  /* a function, behind its prologue */
	SOURCE_RETURN,	  /* at a return instruction */
	SOURCE_JUMP, /* at a conditional jump that leads into the statement: `check_target`, it is an
			      arrival only if it goes inside of `ranges` */
	SOURCE_TAIL, /* at a jump out of the function. Where `check_target`, an indirect jump:
			      it is an arrival only if it goes outside of `ranges` */
	SOURCE_BEFORE, /* at the instruction before a function's copy that begins with a loop: what the
			  function has is not known yet */
};

struct source_site {
	enum source_site_kind kind;
	struct module *module;
	uint64_t offset;
	const char *function;	  /* innermost function here; NULL unknown. The module owns it */
	const char *inlined_into; /* the function it is a copy in, or NULL. The module owns it */
	uint64_t scope;	  /* the DIE of that function, or of that copy of it; 0: there is none */
	const char *file; /* NULL unknown. The module owns it */
	unsigned line;
	bool check_target;
	/* Of several statements that begin at one address the one with the lower number comes first;
	   0: it is no statement of a line. */
	unsigned rank;
	bool is_round; /* of a loop, of which several stand in the code that the compiler has for the line */
	bool empty; /* a statement without code of its own: it is over when it begins */
	/* The statement's own code in this copy (for `after`), or the function's (RETURN, TAIL). */
	struct flow_ranges ranges;
	/* Where control leaves `ranges` (STATEMENT, ENTRY and plain offsets): first addresses that
	   are no longer the statement, and return or tail-jump instructions inside it. */
	struct flow_offsets exits;
	/* All ways to `exits` lead through `ranges`, and into those at this location's sites alone: who is at an exit has just
	   executed the statement. False: that cannot be told. */
	bool closed;
};

/* All sites of one location: one source thing (or one #K of several), all its copies. */
struct source_sites {
	struct source_site *items;
	size_t count, capacity;
	unsigned inlined_skipped; /* FUNC%return: inlined copies, that have no return to stop at */
};
void source_sites_fini(struct source_sites *s);

enum source_answer {
	SOURCE_FOUND,
	SOURCE_NOT_FOUND, /* in none of these modules; err is filled as if it were final: nearest
			       names or lines. Session decides whether the location may be pending */
	SOURCE_ERROR,	  /* ambiguous, a line without code, broken debug information, ... */
};

/*
 * Resolves a location in the modules given (the executable first, then libraries in load order).
 * OBJECT! narrows them. Sites come in address order, one for each copy of the statement and for
 * each way into it; a statement executed once passes exactly one of them once.
 */
enum source_answer source_resolve(struct modules *s, struct module *const *modules, size_t count,
				  const struct location *location, struct source_sites *out,
				  struct error *err);

/*
 * What a location without #K matches, in source order, so that #K is the K-th: also lines that
 * have no code. 0, or -1: nothing. `out` is the caller's.
 */
struct source_match {
	const char *file; /* NULL unknown. A module owns it */
	unsigned line;	  /* 0 unknown */
};
struct source_matches {
	struct source_match *items;
	size_t count, capacity;
};
int source_matches(struct modules *s, struct module *const *modules, size_t count,
		   const struct location *location, struct source_matches *out, struct error *err);

/*
 * Boundaries of the function that contains these sites of one location: the entries of it and of
 * its copies; or (`out`) its exits: returns (kinds RETURN and TAIL) and, in all copies, the lines
 * that begin with `return` (STATEMENT). `all`: there are no others. Nothing is in `found` where
 * they cannot be told.
 */
void source_boundaries(struct modules *s, const struct source_sites *sites, bool out,
		       struct source_sites *found, bool *all);

/*
 * Is one arrival at the site one execution? In a vectorised loop it is one of several rounds; and
 * clang gives the rounds that it unrolls one row, so that nobody can count them. Told by the
 * instructions: a statement that is no loop at all may look like one.
 */
enum source_rounds { SOURCE_ROUND, SOURCE_UNROLLED, SOURCE_VECTORISED };
enum source_rounds source_rounds(const struct source_site *site);

/*
 * How many bytes of whole instructions from the offset on, `need` or more, can be executed elsewhere, if whoever comes
 * to the offset is led there? One instruction always can. Of several, control has to come in at the first alone: the
 * others are no target of a jump, whoever's (all of the module's code is looked through), their function has no jump table, and none
 * but the last is a jump or a call, so that nothing returns there. 0: it cannot be said, *why says why.
 */
unsigned source_movable(struct module *m, uint64_t offset, unsigned need, const char **why);

/* Why a thread at the site may be no arrival, or not yet one. NULL: it is one. */
const char *source_site_doubt(const struct source_site *site);

/* Was the source file changed after the module was built (gdb: "Source file is more recent than
   executable.")? `path` may be NULL. */
bool source_is_newer(const struct module *m, const char *path);
/* "FILE is newer than OBJECT: ..." */
void source_add_newer(const struct module *m, const char *path, struct str *out);

/* ---- what an address means ------------------------------------------------------------------ */

struct source_symbolised {
	char *function; /* demangled, without arguments; NULL unknown. Freed by source_symbolised_fini */
	const char *file; /* as the debug information gives it; NULL unknown. The module owns it */
	unsigned line;	  /* 0 unknown */
	uint64_t start;	  /* of the function or symbol, 0 unknown */
};
/* False: nothing is known. Cheap with symbols only (lines = false); with lines, the unit's line program is decoded. */
bool source_symbolise(struct module *m, uint64_t offset, bool lines, struct source_symbolised *out);
/* The name of the innermost function, inlined or not, that the instruction is of; NULL: unknown. The module owns it. */
const char *source_innermost(struct module *m, uint64_t offset);
void source_symbolised_fini(struct source_symbolised *w);

/* The statements of the function at this offset, for stepping: where the line table says that one
   begins, in order of addresses. */
struct source_statement {
	uint64_t offset;
	const char *file; /* the module owns it */
	unsigned line;
};
struct source_statements {
	struct source_statement *items;
	size_t count, capacity;
};
/* False: no debug information tells. array_fini() gives it back. */
bool source_statements(struct module *m, uint64_t offset, struct source_statements *out);

/* What a person may mean by a location, for completion: functions of the symbol table, those of which
   there are only copies in others, source files by their base names, lines of a file that have code. Names may come more than once. */
void source_each_function(struct module *m, void (*each)(void *ctx, const char *name), void *ctx);
void source_each_inlined(struct module *m, void (*each)(void *ctx, const char *name), void *ctx);
void source_each_file(struct module *m, void (*each)(void *ctx, const char *name), void *ctx);
void source_each_line(struct module *m, const char *file, void (*each)(void *ctx, unsigned line),
		      void *ctx);
/* Where the functions of the symbol table begin, each once. */
void source_each_entry(struct module *m, void (*each)(void *ctx, uint64_t offset), void *ctx);

/* The variable or function symbol that holds this offset ("lock_a", "table+0x10"); malloc'd or NULL. */
char *source_name_of(struct module *m, uint64_t offset);

/* "GateRace.ReadAcrossFlush" of the function GateRace_ReadAcrossFlush_Test::TestBody, which GoogleTest makes of
   TEST(GateRace, ReadAcrossFlush); malloc'd. NULL: the function is none of that kind. */
char *source_test_case(const char *function);

/* A mangled C++ or Rust name in readable form, malloc'd; a copy of the name where it is none. */
char *source_demangle(const char *name);

#endif
