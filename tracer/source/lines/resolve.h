/*
 * Shared by the files that resolve locations: gather matches, one for each line or function of the
 * source, then place the sites of one match. Unreadable debug information sets r->err; functions go
 * on as if nothing were known, and callers check r->err at the end.
 */
#ifndef GATECTL_SOURCE_LINES_RESOLVE_H
#define GATECTL_SOURCE_LINES_RESOLVE_H

#include "tracer/source/flow/flow.h"
#include "tracer/source/lines/source_lines.h"
#include "tracer/source/names/names.h"

struct location_match {
	struct module *module; /* module of the first instance found */
	const char *name;      /* function; NULL if unknown. Owned by a table */
	const char *plain;     /* `name` without template arguments */
	const char *file;      /* NULL if unknown */
	unsigned line;	       /* 0 if unknown */
	unsigned begins;       /* first line of the function; 0 if not in one function */
	bool optimised;	       /* a unit has DW_AT_inline for it */
	bool uncounted; /* text only: no build with this configuration has a statement here */
	ARRAY(struct instance) instances; /* function: the function itself and its inlined copies */
	struct source_sites sites;	  /* line: sites that are placed already */
};

struct location_matches {
	struct location_match *items;
	size_t count, capacity;
};

struct resolver {
	struct modules *symbols;
	const struct location *location;
	struct name_parts wanted;	/* location->name split as a function's name */
	char *case_function;		/* function of the test case `location` names, or NULL */
	ARRAY(struct module *) modules; /* modules of the current group */
	struct module *first;		/* the executable, for messages */
	struct location_matches matches;
	bool complained;   /* `complaint` is set: there is a match, but it cannot be used */
	bool without_code; /* the chosen line has no code, or no such access */
	struct error complaint;
	struct error *err;
};

/* The file numbers of one source file in one line program. */
struct file_use {
	struct line_unit *unit;
	ARRAY(unsigned) indexes;
};

/* One source file of a module, under one path, and the line programs that have rows of it. */
struct file_group {
	const char *path;
	ARRAY(struct file_use) uses;
};

struct file_groups {
	ARRAY(struct file_group) items;
};

/* ---- matches.c ------------------------------------------------------------------------------ */

/* Returns the match for this line, or for this function if `plain` is not NULL;
   adds it if it is new. */
struct location_match *match_get(struct resolver *r, struct module *m, const char *file,
				 unsigned line, const char *plain);
/* Keeps the matches for which `keeps` is true, in their order, and frees the others. */
void matches_keep(struct resolver *r, bool (*keeps)(struct resolver *, struct location_match *));
/* Frees the matches, not *matches. */
void matches_fini(struct location_matches *matches);
/* Frees the ranges and exits of one site. */
void site_fini(struct source_site *s);
/* Sets r->complaint unless it is set. It becomes the error if nothing else is found. */
void complain(struct resolver *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Reads the function of a scope. Returns false and clears *out if there is no scope
   or it cannot be read. */
bool resolve_function(struct resolver *r, struct module *m, struct scope_ref scope,
		      struct function *out);
/* Returns functions_stack(), or 0 with r->err set on an error. */
int resolve_stack(struct resolver *r, struct module *m, uint64_t offset,
		  struct scope_ref out[FUNCTIONS_DEEP]);
/* Returns the decoded line program of a unit, or NULL. */
struct line_unit *unit_lines(struct resolver *r, struct module *m, const struct die_unit *u);

/* ---- files.c -------------------------------------------------------------------------------- */

/* Adds the source files that `file`, a path or its last parts, means in the module.
   files_fini() frees *out. */
void files_find(struct resolver *r, struct module *m, const char *file, struct file_groups *out);
/* Returns the group of exactly this path, or NULL. */
const struct file_group *files_group(const struct file_groups *g, const char *path);
/* Frees the groups, not *g. */
void files_fini(struct file_groups *g);
/* True if `index` is a file number of this file in the line program. */
bool file_use_has(const struct file_use *use, unsigned index);
/* The nearest lines with code before and after a line, and an address of each;
   line 0 if there is none. */
struct near_lines {
	unsigned before, behind;
	uint64_t before_offset, behind_offset;
};
/* Finds the nearest lines with code around `line`. */
struct near_lines files_near(struct resolver *r, struct module *m, const struct file_group *g,
			     unsigned line);
/* Returns the part of a path that messages show: the file and its folder. */
const char *files_tail(const char *path);

/* ---- copies/copies.c: the sites of a line --------------------------------------------------- */

/* Adds the sites of a line in one module, none if the line has no code. With `within`, only in
   copies of these functions. */
void line_place(struct resolver *r, struct module *m, const struct file_group *g, unsigned line,
		const struct location_match *within, struct source_sites *out);

/* ---- functions: func.c, symbol.c, entry.c, copies/inlined.c, destructor.c ------------------- */

/* Adds the functions of the location's name, from the debug information, to the matches. */
void functions_find(struct resolver *r, struct module *m);
/* Adds the functions of the location's name from the symbol table; `exported`: only those
   visible to other modules. */
void source_find(struct resolver *r, struct module *m, bool exported);
/* Keeps of the symbol table's functions those with debug information, and gives them its names and
   lines. Lambdas are found by number this way: their numbers are in symbols only. */
void symbols_written(struct resolver *r, struct module *m);
/* Returns the ranges of a function without debug information and of its .cold part.
   They are stored in `out`. */
struct flow_ranges symbol_ranges(struct module *m, const struct elf_symbol *s,
				 struct module_range out[2]);
/* Adds the entry sites of the match's instances. */
void entry_sites(struct resolver *r, const struct location_match *match, struct source_sites *out);
/* Adds the return sites of the match's instances; counts inlined ones, which have none. */
void return_sites(struct resolver *r, const struct location_match *match, struct source_sites *out);
/* Adds the sites of FUNC%call(CALLEE); sets r->err if there is no such call, or no single one.
   calls.c */
void call_sites(struct resolver *r, const struct location_match *match, struct source_sites *out);
/* Replaces the sites of a statement by those of LOCATION:read or LOCATION:write; sets r->err if
   there are none. parts.c */
void part_sites(struct resolver *r, struct source_sites *sites);
/* Adds the site before an instruction, whose code is this instruction alone; with a length of 0,
   the code of its line. */
void instruction_site(struct resolver *r, struct module *m, uint64_t offset, unsigned length,
		      struct source_sites *out);
/* Adds the site of a plain address; sets r->err if it is not the beginning of an instruction. */
void address_sites(struct resolver *r, struct module *m, struct source_sites *out);
/* Returns the first row at exactly this address and sets *end to the end of its sequence; NULL
   if no row begins there. */
const struct line_row *line_rows_at(const struct line_unit *l, uint64_t offset,
				    const struct line_row **end);
/* Returns the function's first address after its prologue, where its arguments are readable; its
   entry if that is unknown. */
uint64_t entry_behind_prologue(struct resolver *r, struct module *m, struct scope_ref f,
			       const struct flow *flow);
/* Sets function, scope and inlined_into of the site, which is in this scope. */
void site_describe(struct resolver *r, struct source_site *site, struct scope_ref scope);
/* Adds to *out, which is empty, the paths into an inlined copy, at least one. `lines`: line program
   of its unit, or NULL. */
void inlined_entries(struct resolver *r, const struct instance *copy, struct flow *flow,
		     struct line_unit *lines, struct flow_ways *out);
/* True if this version of a destructor, as a function or an inlined copy, calls another version. */
bool destructor_calls(struct resolver *r, const struct instance *i);
/* True if this version of a destructor calls another one or contains an inlined copy of it: the
   source is not executed in its own code. False for other functions and without a scope. */
bool destructor_passes_on(struct resolver *r, struct module *m, struct scope_ref scope);

/* ---- text_find.c ---------------------------------------------------------------------------- */

/* Adds the lines that contain a ;TEXT to the matches. */
void text_find(struct resolver *r, struct module *m);
/* Adds the lines with a //MARK to the matches. */
void mark_find(struct resolver *r, struct module *m);
/* Adds the lines with a ;TEXT in a function that symbols_written() finds. */
void text_find_by_symbol(struct resolver *r, struct module *m);
/* Returns the number of matches with code; marks the others, comments and lines that the
   preprocessor leaves out, as uncounted. */
size_t matches_count(struct resolver *r);

/* ---- text/text.c: lines are counted from 1 --------------------------------------------- */

/* True if what begins on line `first` continues on line `last` without a
   semicolon or brace in between. */
bool source_spans(const struct source_file *f, unsigned first, unsigned last);
/* Returns the line that continues the expression at the end of this line with &&,
   || or a part of ?:, or 0. */
unsigned source_joined(const struct source_file *f, unsigned line);
/* Returns the column (from 1) of such an operator at the beginning (*leads) or
   end of the line, or 0. */
unsigned source_operator(const struct source_file *f, unsigned line, bool *leads);
/* Returns the column of a `for` that begins the line if its header
   continues on other lines, else 0. */
unsigned source_open_for(const struct source_file *f, unsigned line);
/* Returns the line of the brace that closes the first block opened from line `first` on, and its
   opening line in *opens; 0 if there is none. */
unsigned source_block_end(const struct source_file *f, unsigned first, unsigned *opens);
/* True if the line is in a loop of the function that begins on line `first`. */
bool source_in_loop(const struct source_file *f, unsigned first, unsigned line);
/* True if a loop may contain a later line of the function that begins on line `first`. */
bool source_may_loop(const struct source_file *f, unsigned first, unsigned line);
/* Returns the number of calls of `name` on the line; 0 if the line also has a loop. */
unsigned source_calls_of(const struct source_file *f, unsigned line, const char *name);
/* True if the line has only blanks and comments. */
bool source_no_code(const struct source_file *f, unsigned line);
/* True for a preprocessor directive or its continuation; false for Rust's #[attributes]. */
bool source_directive(const struct source_file *f, unsigned line);
/* Finds the first and last line of the innermost #if branch that contains the line. Returns
   false if there is none. */
bool source_branch(const struct source_file *f, unsigned line, unsigned *first, unsigned *last);
/* Returns the next line, from `line` on, with a comment "gate: MARK", or 0. */
unsigned source_mark(const struct source_file *f, const char *mark, unsigned line);
/* True if the line contains the text. Blanks are ignored, * in the text matches anything. */
bool source_contains(const char *line, const char *text);

/* ---- report.c, offer.c: why a location matches nothing, or too much ------------------------- */

/* Appends "; the nearest is FILE:LINE: TEXT" for the line most like the searched text, from
   first..last, else from the whole file; nothing if no line is similar. */
void near_text(struct resolver *r, const char *path, unsigned first, unsigned last,
	       struct str *out);
/* Offers the functions of the module's DIEs, except those that its symbol table has. */
void offer_functions(struct resolver *r, struct module *m, struct suggestions *s);
/* Offers a function's name, with as many qualifiers as the location has. */
void offer_name(const struct resolver *r, const char *full, struct suggestions *s);
/* Adds a hint to r->err if a module outside of the current group has another
   file of the same name. */
void hint_elsewhere(struct resolver *r, struct module *const *modules, size_t count);
/* Appends a warning if the source file was modified after the module was built. */
void report_newer(const struct module *m, const char *path, struct str *out);
/* Records, as a complaint, why the line has no code and which lines near it do. */
void report_no_code(struct resolver *r, struct module *m, const struct file_group *g,
		    unsigned line);
/* Sets r->err: the location matches several things, or #K is too large. Lists the matches. */
void report_ambiguous(struct resolver *r);
/* Sets r->err: none of the matching lines has code. Lists the matches. */
void report_none_counts(struct resolver *r);
/* Sets r->err: nothing matches. Suggests similar names. */
void report_not_found(struct resolver *r, struct module *const *modules, size_t count);

#endif
