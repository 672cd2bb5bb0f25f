/* Interface of lines to other folders: source text, the source files of a
   module, functions by name. */
#ifndef GATECTL_SOURCE_LINES_SOURCE_LINES_H
#define GATECTL_SOURCE_LINES_SOURCE_LINES_H

#include "tracer/dwarf/units/units.h"
#include "tracer/source/source.h"

/* Returns the first line of the site's function, in the site's file, or 0 if unknown. */
unsigned source_function_line(const struct source_site *site);

/* Calls `each` for every source file of the module's line tables. The module owns the path. A file
   may come under several paths, and more than once. */
void source_paths(struct module *m, void (*each)(void *ctx, const char *path), void *ctx);

/* Returns the module's line programs, or NULL with *err set. `headed`: with the file tables of all
   of them. Owned by the module. */
struct line_table *module_lines(struct module *m, bool headed, struct error *err);

/* Text of a source file. */
struct source_text {
	const char *const *lines; /* lines[0] is line 1; without their newline */
	unsigned count;
};
/* Returns false if the file cannot be read; `path` may be NULL. The text is
   read once; `s` owns it. */
bool source_text(struct modules *s, const char *path, struct source_text *out);
/* Returns one line of the file, or NULL. Owned by `s`. */
const char *source_line(struct modules *s, const char *path, unsigned line);

/* A function's out-of-line code, or one inlined copy of it. */
struct instance {
	struct module *module;
	struct scope_ref scope;
	const struct elf_symbol *symbol; /* where there is no scope */
};

/* A function found by name, or an inlined copy of one. */
struct found_function {
	struct instance instance;
	size_t thing; /* same number for all functions defined at one place */
};
struct found_functions {
	struct found_function *items;
	size_t count, capacity;
};
/* Finds all functions and copies that FUNC means in these modules. Returns 0, or -1 with *err set.
   The caller frees *out with array_fini(). */
int resolve_functions(struct module *const *modules, size_t count, const struct location *location,
		      struct found_functions *out, struct error *err);

#endif
