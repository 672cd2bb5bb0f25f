/*
 * Between the files of lines. First the source things that a location means are gathered as
 * matches (lines or functions), one for each thing whatever the number of modules and copies; when
 * one of them is chosen, its sites are placed.
 *
 * Debug information that cannot be read is an error in r->err, where it stays: whoever has met it goes on as if nothing were
 * known, and those who end a question look whether there is one.
 */
#ifndef GATECTL_SOURCE_LINES_RESOLVE_H
#define GATECTL_SOURCE_LINES_RESOLVE_H

#include "tracer/source/flow/flow.h"
#include "tracer/source/lines/source_lines.h"
#include "tracer/source/names/names.h"

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

struct location_matches {
	struct location_match *items;
	size_t count, capacity;
};

struct resolver {
	struct modules *symbols;
	const struct location *location;
	struct name_parts wanted;	/* location->name as a function ... */
	char *case_function;		/* ... of this name, where it is a test case's; or NULL */
	ARRAY(struct module *) modules; /* of the group that is looked at */
	struct module *first;		/* the executable, for messages */
	struct location_matches matches;
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

/* ---- matches.c ------------------------------------------------------------------------------ */

/* The match for this thing; a new one where it is the first of its kind. `plain` NULL: a line. */
struct location_match *match_get(struct resolver *r, struct module *m, const char *file,
				 unsigned line, const char *plain);
void matches_keep(struct resolver *r, bool (*keeps)(struct resolver *, struct location_match *));
void matches_fini(struct location_matches *matches);
void site_fini(struct source_site *s);
/* Keeps the first complaint; its text is what r->err then says if nothing is found. */
void complain(struct resolver *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* False: there is no scope, or nothing of it is known (*out is empty). */
bool resolve_function(struct resolver *r, struct module *m, struct scope_ref scope,
		      struct function *out);
/* functions_stack(); 0 also where it cannot be read. */
int resolve_stack(struct resolver *r, struct module *m, uint64_t offset,
		  struct scope_ref out[FUNCTIONS_DEEP]);
/* The line program of a unit, decoded; NULL where there is none. */
struct line_unit *unit_lines(struct resolver *r, struct module *m, const struct die_unit *u);

/* ---- files.c -------------------------------------------------------------------------------- */

void files_find(struct resolver *r, struct module *m, const char *file, struct file_groups *out);
/* The group of this very path; NULL: none. */
const struct file_group *files_group(const struct file_groups *g, const char *path);
void files_fini(struct file_groups *g);
bool file_use_has(const struct file_use *use, unsigned index);
/* The nearest lines with code around `line`: 0 where there is none. */
struct near_lines {
	unsigned before, behind;
	uint64_t before_offset, behind_offset;
};
struct near_lines files_near(struct resolver *r, struct module *m, const struct file_group *g,
			     unsigned line);
/* As much of a path as people write: the file and its folder. */
const char *files_tail(const char *path);

/* ---- copies/copies.c: the sites of a line ------------------------------------------------------------ */

/* The sites of a line in one module. `within`: only copies of these functions (or NULL). Adds
   nothing where the line has no code. */
void line_place(struct resolver *r, struct module *m, const struct file_group *g, unsigned line,
		const struct location_match *within, struct source_sites *out);

/* ---- functions: func.c, symbol.c, entry.c, copies/inlined.c, destructor.c ------------------------------ */

/* Adds the functions of this name to the matches. */
void functions_find(struct resolver *r, struct module *m);
/* The same from the symbol table; `exported`: only those that other modules can see. */
void source_find(struct resolver *r, struct module *m, bool exported);
/* Of these, with their lines, those that the debug information knows under another name: lambdas by their number. */
void symbols_written(struct resolver *r, struct module *m);
/* Ranges of a function that only the symbol table knows, its .cold part included, in `out`. */
struct flow_ranges symbol_ranges(struct module *m, const struct elf_symbol *s,
				 struct module_range out[2]);
void entry_sites(struct resolver *r, const struct location_match *match, struct source_sites *out);
void return_sites(struct resolver *r, const struct location_match *match, struct source_sites *out);
void address_sites(struct resolver *r, struct module *m, struct source_sites *out);
/* The first row at this very address, and the end of its sequence; NULL: no row begins there. */
const struct line_row *line_rows_at(const struct line_unit *l, uint64_t offset,
				    const struct line_row **end);
/* The first address of the function at which its arguments are where the debug information says. */
uint64_t entry_behind_prologue(struct resolver *r, struct module *m, struct scope_ref f,
			       const struct flow *flow);
/* Names, file and line of a site at this place of this scope. */
void site_describe(struct resolver *r, struct source_site *site, struct scope_ref scope);
/* Where the copy is called: all ways, and at least one. `lines`: of its unit, or NULL. Adds to out, which is empty before. */
void inlined_entries(struct resolver *r, const struct instance *copy, struct flow *flow,
		     struct line_unit *lines, struct flow_ways *out);
/* Does this version of a destructor, a function or a copy, call another one? */
bool destructor_calls(struct resolver *r, const struct instance *i);
/* ... or has it a copy of another inside? Then nothing that is written is executed in its own code. Also of what is none, or
   no scope. */
bool destructor_passes_on(struct resolver *r, struct module *m, struct scope_ref scope);

/* ---- text_find.c ---------------------------------------------------------------------------- */

/* Adds the lines that a ;TEXT or a //MARK means. */
void text_find(struct resolver *r, struct module *m);
void mark_find(struct resolver *r, struct module *m);
/* The same of a function that symbols_written() finds. */
void text_find_by_symbol(struct resolver *r, struct module *m);
/* How many of the matches count, as neither a comment nor left out by the preprocessor; the others are marked. */
size_t matches_count(struct resolver *r);

/* ---- text/text.c: lines are counted from 1 in all of these ------------------------------------- */

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

/* ---- report.c, offer.c: why a location means nothing, or too much ------------------------------- */

/* Appends "; the nearest is FILE:LINE: TEXT", of these lines first, then of the file; or nothing. */
void near_text(struct resolver *r, const char *path, unsigned first, unsigned last,
	       struct str *out);
/* Offers the functions of the module's DIEs, but for those that it has symbols of. */
void offer_functions(struct resolver *r, struct module *m, struct suggestions *s);
/* Offers a function's full name, as far qualified as what was asked for. */
void offer_name(const struct resolver *r, const char *full, struct suggestions *s);
/* The file that was looked for is there, but not so: a hint where a module that was not asked has another
   of that name. */
void hint_elsewhere(struct resolver *r, struct module *const *modules, size_t count);
/* Says so if the source file was changed after the module was built. */
void report_newer(const struct module *m, const char *path, struct str *out);
void report_no_code(struct resolver *r, struct module *m, const struct file_group *g,
		    unsigned line);
void report_ambiguous(struct resolver *r);
void report_none_counts(struct resolver *r);
void report_not_found(struct resolver *r, struct module *const *modules, size_t count);

#endif
