/*
 * Between the files of resolve. First the source things that a location means are gathered as
 * matches (lines or functions), one for each thing whatever the number of modules and copies; when
 * one of them is chosen, its sites are placed.
 */
#ifndef GATECTL_SOURCE_LINES_RESOLVE_H
#define GATECTL_SOURCE_LINES_RESOLVE_H

#include "tracer/dwarf/units/dies.h"
#include "tracer/source/flow/flow.h"
#include "tracer/source/names/functions.h"
#include "tracer/source/names/names.h"
#include "tracer/source/source.h"

/* A copy of a function, or the function itself. */
struct instance {
	struct module *module;
	struct scope_ref scope;
	const struct elf_symbol *symbol; /* where there is no scope */
};

struct location_match {
	struct module *module; /* where it was found first */
	const char *name;      /* of the function; NULL unknown. A table owns it */
	const char *plain;     /* the same without template arguments */
	const char *file;      /* NULL unknown */
	unsigned line;	       /* 0 unknown */
	unsigned begins;       /* the line that the function begins on; 0: not in one function */
	bool optimised;	       /* DW_AT_inline was seen, in whatever unit */
	bool uncounted;	       /* a line with a text, but no statement in any build like this one */
	ARRAY(struct instance) instances; /* of a function */
	struct source_sites sites;	  /* of a line that is placed already */
};

struct resolver {
	struct modules *symbols;
	const struct location *location;
	struct name_parts wanted;	/* location->name as a function */
	ARRAY(struct module *) modules; /* of the group that is looked at */
	struct module *first;		/* the executable, for messages */
	ARRAY(struct location_match) matches;
	bool complained; /* complaint is set: the thing is there, but not so */
	struct error complaint;
	struct error *err;
};

/* The indexes of one source file in one line program. */
struct file_use {
	struct line_unit *unit;
	ARRAY(unsigned) indexes;
};

/* One source file of a module, under one path. */
struct file_group {
	const char *path;
	ARRAY(struct file_use) uses;
};

struct file_groups {
	ARRAY(struct file_group) items;
};

/* Everything that returns int: 0, or -1 with r->err set. */

/* ---- resolve.c ------------------------------------------------------------------------------ */

/* The match for this thing; a new one where it is the first of its kind. `plain` NULL: a line. */
struct location_match *match_get(struct resolver *r, struct module *m, const char *file,
				 unsigned line, const char *plain);
void match_fini(struct location_match *match);
void site_fini(struct source_site *s);
/* Keeps the first complaint; its text is what r->err then says if nothing is found. */
int complain(struct resolver *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* flow_cache.c: the flow of the function with these ranges; valid until flows_trim(). */
struct flow *flow_for(struct module *m, const struct module_range *ranges, size_t count);
void flows_trim(struct modules *s); /* what is resolved has come to its end */

/* A function of a name, or a copy of one. */
struct found_function {
	struct instance instance;
	size_t thing; /* functions written at one place have one number */
};
struct found_functions {
	struct found_function *items;
	size_t count, capacity;
};
/* All that FUNC means in these modules; *err says why there are none. 0, or -1. */
int resolve_functions(struct module *const *modules, size_t count, const struct location *location,
		      struct found_functions *out, struct error *err);

/* ---- resolve_files.c ------------------------------------------------------------------------ */

int files_find(struct resolver *r, struct module *m, const char *file, struct file_groups *out);
/* The group of this very path; NULL: none. */
const struct file_group *files_group(const struct file_groups *g, const char *path);
void files_fini(struct file_groups *g);
bool file_use_has(const struct file_use *use, unsigned index);
/* The nearest lines with code around `line`: 0 where there is none. */
struct near_lines {
	unsigned before, behind;
	uint64_t before_offset, behind_offset;
};
int files_near(struct resolver *r, struct module *m, const struct file_group *g, unsigned line,
	       struct near_lines *out);

/* ---- resolve_elsewhere.c -------------------------------------------------------------------- */

/* As much of a path as people write: the file and its folder. */
const char *files_tail(const char *path);
/* The file that was looked for is there, but not so: a hint where a module that was not asked has another
   of that name. */
void hint_elsewhere(struct resolver *r, struct module *const *modules, size_t count);

/* ---- resolve_line.c, resolve_copy.c --------------------------------------------------------- */

/* A run of rows of one line in one copy. */
/* What comes behind a statement row without code at its address: nothing that matters, code of a later line that has no mark (the function's
   end), another line's statement. */
enum row_followed { ROW_LAST, ROW_BEFORE_CODE, ROW_BEFORE_STATEMENT };

struct block {
	uint64_t start, low, high; /* low == high: no code of its own */
	unsigned column;	   /* of the row at `start`; 0 unknown */
	unsigned order;		   /* rows at the same address that come before it */
	bool stmt;
	bool repeated; /* the statement row before it is at the same line and column */
	bool ends_macro; /* so is the one before the inlined calls before it, in a line that is one call or macro */
	enum row_followed followed;
};

/* One copy of a line: the code of it in one function, or in one inlined copy of a function. */
struct line_copy {
	struct module *module;
	struct scope_ref owner; /* scope NULL: no function is known */
	uint64_t symbol;	/* then: where the symbol or sequence begins */
	bool all_stmt;		/* each row of another place is said to begin a statement */
	bool markers;		/* it has one statement row for each execution (gcc, optimised) */
	ARRAY(struct block) blocks;
	ARRAY(struct line_row) inner;	     /* further rows of its blocks */
	ARRAY(struct module_range) lineless; /* code of no line in its blocks */
	ARRAY(struct scope *) calls; /* inlined copies that this line calls, in owner.unit */
};

struct line_copies {
	ARRAY(struct line_copy) items;
};

/* The sites of a line in one module. `within`: only copies of these functions (or NULL). Adds
   nothing where the line has no code. */
int line_place(struct resolver *r, struct module *m, const struct file_group *g, unsigned line,
	       const struct location_match *within, struct source_sites *out);
bool copy_has_code(const struct line_copy *c);
/* resolve_drop.c: empties copies that are none: of lambdas, whose statement is around them, and of destructors that pass on. */
int copies_drop(struct resolver *r, struct die_table *dies, const char *path, unsigned line,
		struct line_copies *copies);
int copy_sites(struct resolver *r, struct line_copy *c, const char *file, unsigned line,
	       bool code_elsewhere, struct source_sites *out);

/* ---- resolve_func.c, resolve_entry.c, resolve_symbol.c -------------------------------------- */

/* Adds the functions of this name to the matches. */
int functions_find(struct resolver *r, struct module *m);
/* The same from the symbol table; `exported`: only those that other modules can see. */
int source_find(struct resolver *r, struct module *m, bool exported);
/* Of these, with their lines, those that the debug information knows under another name: lambdas by their number. */
int symbols_written(struct resolver *r, struct module *m);
int entry_sites(struct resolver *r, const struct location_match *match, struct source_sites *out);
int return_sites(struct resolver *r, const struct location_match *match, struct source_sites *out);
int address_sites(struct resolver *r, struct module *m, struct source_sites *out);

/* The line program of a unit, decoded; *out NULL where there is none. */
int unit_lines(struct resolver *r, struct module *m, const struct die_unit *u,
	       struct line_unit **out);
/* The first row at this very address, and the end of its sequence; NULL: no row begins there. */
const struct line_row *line_rows_at(const struct line_unit *l, uint64_t offset,
				    const struct line_row **end);
/* Where a function or a copy begins; UINT64_MAX unknown. */
uint64_t scope_entry(struct scope_ref scope);

/* The first address of the function at which its arguments are where the debug information says. */
uint64_t entry_behind_prologue(struct resolver *r, struct module *m, struct scope_ref f,
			       const struct flow *flow);
/* Names, file and line of a site at this place of this scope. */
int site_describe(struct resolver *r, struct source_site *site, struct scope_ref scope);
/* Ranges of a function that only the symbol table knows, its .cold part included. */
void symbol_ranges(struct module *m, const struct elf_symbol *s, struct module_range out[2],
		   size_t *count);

/* ---- resolve_inlined.c ---------------------------------------------------------------------- */

/* Where the copy is called: all ways, and at least one. `lines`: of its unit, or NULL. Adds to out, which is empty before. */
int inlined_entries(struct resolver *r, const struct instance *copy, struct flow *flow,
		    struct line_unit *lines, struct flow_ways *out);

/* ---- resolve_destructor.c: versions of a destructor ------------------------------------------- */

/* Does this one, a function or a copy, call another one? */
int destructor_calls(struct die_table *t, struct module *m, struct scope_ref scope, bool *out,
		     struct error *err);
bool destructor_symbol_calls(struct module *m, const struct elf_symbol *s);
/* ... or has it a copy of another inside? Then nothing that is written is executed in its own code. Also of what is none, or
   no scope. */
int destructor_passes_on(struct die_table *t, struct module *m, struct scope_ref scope, bool *out,
			 struct error *err);

/* ---- resolve_text.c ------------------------------------------------------------------------- */

/* Adds the lines that a ;TEXT or a //MARK means. */
int text_find(struct resolver *r, struct module *m);
int mark_find(struct resolver *r, struct module *m);
/* The same of a function that symbols_written() finds. */
int text_find_by_symbol(struct resolver *r, struct module *m);

/* resolve_counted.c: how many of the matches count; the others are marked. */
int matches_count(struct resolver *r, size_t *out);

/* ---- text.c -------------------------------------------------------------------------- */

/* Lines are counted from 1 in all of these. */

/* Does what begins on line `first` go on to line `last`, without a semicolon or brace between? */
bool source_spans(const struct source_file *f, unsigned first, unsigned last);
/* The line on which the expression at the end of this one goes on with or behind &&, || or a part of ?: ; 0: none. */
unsigned source_joined(const struct source_file *f, unsigned line);
/* The column, from 1, of the operator of that kind with which the line begins, or else ends (`*leads`); 0: there is none. */
unsigned source_operator(const struct source_file *f, unsigned line, bool *leads);
/* The column of a `for` with which the line begins, where the rest of its header is on other lines; or 0. */
unsigned source_open_for(const struct source_file *f, unsigned line);
/* The line of the brace that closes the first one from line `first` on, which is on `*opens`; 0: there is none. */
unsigned source_block_end(const struct source_file *f, unsigned first, unsigned *opens);
/* Does the line stand in a loop of the function that begins on line `first`? */
bool source_in_loop(const struct source_file *f, unsigned first, unsigned line);
/* Of the function that begins on line `first`: may there be a loop around a later line of it? */
bool source_may_loop(const struct source_file *f, unsigned first, unsigned line);
/* How often the line calls a function of that name; 0 where a loop stands on it, too. */
unsigned source_calls_of(const struct source_file *f, unsigned line, const char *name);
/* Is there nothing on the line but blanks and comments? */
bool source_no_code(const struct source_file *f, unsigned line);
/* Is it the preprocessor's, or goes on with such a line? Not Rust's #[attributes]. */
bool source_directive(const struct source_file *f, unsigned line);
/* The lines of the innermost branch of an #if that the line stands in; false: it stands in none. */
bool source_branch(const struct source_file *f, unsigned line, unsigned *first, unsigned *last);
/* The next line from `line` on with a comment that has gate: MARK; 0: no more. */
unsigned source_mark(const struct source_file *f, const char *mark, unsigned line);
/* Does the line contain the text, in which blanks do not count and * matches anything? */
bool source_contains(const char *line, const char *text);

/* ---- resolve_near.c ------------------------------------------------------------------------- */

/* Append "; the nearest is FILE:LINE: TEXT", of these lines first, then of the file; "; did you mean
   MARK?" (*best: base_free); or nothing. */
void near_text(struct resolver *r, const char *path, unsigned first, unsigned last,
	       struct str *out);
void near_marks(struct resolver *r, struct module *const *modules, size_t count, struct str *out,
		char **best);

/* ---- resolve_offer.c ------------------------------------------------------------------------ */

/* Offers the functions of the module's DIEs, but for those that it has symbols of. */
void offer_functions(struct resolver *r, struct module *m, struct suggestions *s);

/* ---- resolve_report.c ----------------------------------------------------------------------- */

/* Offers a function's full name, as far qualified as what was asked for. */
void offer_name(const struct resolver *r, const char *full, struct suggestions *s);

int report_no_code(struct resolver *r, struct module *m, const struct file_group *g, unsigned line);
int report_ambiguous(struct resolver *r);
int report_none_counts(struct resolver *r);
int report_not_found(struct resolver *r, struct module *const *modules, size_t count);

#endif
