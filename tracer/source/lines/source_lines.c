#include "tracer/source/lines/source_lines.h"
#include "tracer/base/files/path.h"

#include "tracer/source/names/functions.h"
#include "tracer/dwarf/lines/lines.h"

#include <string.h>

unsigned source_function_line(const struct source_site *site)
{
	struct scope_ref stack[FUNCTIONS_DEEP];
	ERROR(ignored);
	struct die_table *t = dies_table(site->module, &ignored);
	int count = t ? functions_stack(t, site->offset, stack, &ignored) : 0;
	struct function f;

	for (int i = 0; site->function && i < count; i++) {
		if (function_read(t, stack[i], &f, &ignored) < 0 || !f.name || !f.file)
			continue;
		if (strcmp(f.name, site->function) == 0 && site->file &&
		    function_same_file(f.file, site->file))
			return f.line;
	}
	return 0;
}

void source_paths(struct module *m, void (*each)(void *ctx, const char *path), void *ctx)
{
	ERROR(ignored);
	struct line_table *lines;

	/* The units of DWARF 2 to 4 have to be told their directories first. */
	if (!module_has_debug(m) || !dies_table(m, &ignored))
		return;
	lines = lines_table(m, &ignored);
	if (!lines)
		return;
	array_each(struct line_unit, u, &lines->units) {
		for (unsigned i = 0; i < u->files.count; i++)
			each(ctx, lines_file(u, i));
	}
}

bool source_path_matches(const char *path, const char *name)
{
	return path_names_file(path, name);
}

bool source_same_file(const char *a, const char *b)
{
	return function_same_file(a, b);
}

bool source_text(struct modules *s, const char *path, struct source_text *out)
{
	const struct source_file *f = path ? lines_source(s, path) : NULL;

	*out = (struct source_text){0};
	if (f) {
		out->lines = f->lines.items;
		out->count = (unsigned)f->lines.count;
	}
	return f != NULL;
}

const char *source_line(struct modules *s, const char *path, unsigned line)
{
	struct source_text text;

	return source_text(s, path, &text) && line && line <= text.count ? text.lines[line - 1]
									 : NULL;
}
