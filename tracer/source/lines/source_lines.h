/* The text of the source, and which files of it a module has lines of. */
#ifndef GATECTL_SOURCE_LINES_SOURCE_LINES_H
#define GATECTL_SOURCE_LINES_SOURCE_LINES_H

#include "tracer/source/source.h"

/* The line on which the function of this site begins, in the site's file; 0 unknown. */
unsigned source_function_line(const struct source_site *site);

/* Calls `each` with the path of every source file that the module has lines of; the module owns
   the path. One file may come under several paths, and more than once. */
void source_paths(struct module *m, void (*each)(void *ctx, const char *path), void *ctx);

/* Does the path of a source file end with these components? */
bool source_path_matches(const char *path, const char *name);
/* Do two paths of the debug information mean one file? */
bool source_same_file(const char *a, const char *b);

/* The text of a source file; `path` may be NULL. False: it cannot be read. Read once and kept: symbols
   own it. */
struct source_text {
	const char *const *lines; /* lines[0] is line 1; without their newline */
	unsigned count;
};
bool source_text(struct modules *s, const char *path, struct source_text *out);
/* One line of it; NULL: there is none. */
const char *source_line(struct modules *s, const char *path, unsigned line);

#endif
