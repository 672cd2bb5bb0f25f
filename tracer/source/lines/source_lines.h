/* What lines give to others: the text of the source, which files of it a module has lines of, functions by their names. */
#ifndef GATECTL_SOURCE_LINES_SOURCE_LINES_H
#define GATECTL_SOURCE_LINES_SOURCE_LINES_H

#include "tracer/dwarf/units/units.h"
#include "tracer/source/source.h"

/* The line on which the function of this site begins, in the site's file; 0 unknown. */
unsigned source_function_line(const struct source_site *site);

/* Calls `each` with the path of every source file that the module has lines of; the module owns
   the path. One file may come under several paths, and more than once. */
void source_paths(struct module *m, void (*each)(void *ctx, const char *path), void *ctx);

/* Its line programs; of all the file tables are read if `headed`. NULL with an error. */
struct line_table *module_lines(struct module *m, bool headed, struct error *err);

/* The text of a source file; `path` may be NULL. False: it cannot be read. Read once and kept: symbols
   own it. */
struct source_text {
	const char *const *lines; /* lines[0] is line 1; without their newline */
	unsigned count;
};
bool source_text(struct modules *s, const char *path, struct source_text *out);
/* One line of it; NULL: there is none. */
const char *source_line(struct modules *s, const char *path, unsigned line);

/* A copy of a function, or the function itself. */
struct instance {
	struct module *module;
	struct scope_ref scope;
	const struct elf_symbol *symbol; /* where there is no scope */
};

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

#endif
