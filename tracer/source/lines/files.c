/* Source files: the line programs with rows of a file, and which of its lines have code. */
#include "tracer/dwarf/index/index.h"
#include "tracer/source/lines/resolve.h"

#include <string.h>

static struct file_group *group_get(struct file_groups *g, const char *path)
{
	struct file_group *group = (struct file_group *)files_group(g, path);

	if (!group) {
		group = array_add(&g->items);
		group->path = path;
	}
	return group;
}

static void add_use(struct file_group *g, struct line_unit *u, unsigned index)
{
	struct file_use *use = g->uses.count ? &g->uses.items[g->uses.count - 1] : NULL;

	if (!use || use->unit != u) {
		use = array_add(&g->uses);
		use->unit = u;
	}
	*array_add(&use->indexes) = index;
}

static void add_uses(struct resolver *r, struct module *m, struct line_unit *u, const char *file,
		     struct file_groups *out)
{
	if (lines_head(m, u, r->err) < 0)
		return;
	for (int i = 0; (i = lines_find_file(u, file, i)) >= 0; i++)
		add_use(group_get(out, lines_file(u, (unsigned)i)), u, (unsigned)i);
}

void files_find(struct resolver *r, struct module *m, const char *file, struct file_groups *out)
{
	struct line_table *lines = module_lines(m, false, r->err);
	bool *marks;

	if (!lines)
		return;
	marks = base_alloc(lines->units.count + 1, sizeof(*marks));
	index_mark_file(lines, file, marks);
	for (size_t i = 0; i < lines->units.count; i++)
		if (marks[i])
			add_uses(r, m, &lines->units.items[i], file, out);
	base_free(marks);
}

const struct file_group *files_group(const struct file_groups *g, const char *path)
{
	array_each(const struct file_group, group, &g->items) {
		if (function_same_file(group->path, path))
			return group;
	}
	return NULL;
}

void files_fini(struct file_groups *g)
{
	array_each(struct file_group, group, &g->items) {
		array_each(struct file_use, use, &group->uses)
			array_fini(&use->indexes);
		array_fini(&group->uses);
	}
	array_fini(&g->items);
}

bool file_use_has(const struct file_use *use, unsigned index)
{
	array_each(const unsigned, i, &use->indexes) {
		if (*i == index)
			return true;
	}
	return false;
}

static void near_in_unit(const struct file_use *use, unsigned line, struct near_lines *out)
{
	const struct line_unit *u = use->unit;

	for (size_t i = 0; i + 1 < u->rows.count; i++) {
		const struct line_row *row = &u->rows.items[i];

		if (row->end_sequence || row[1].offset <= row->offset || !row->line ||
		    !file_use_has(use, row->file))
			continue;
		if (row->line < line && row->line > out->before) {
			out->before = row->line;
			out->before_offset = row->offset;
		}
		if (row->line > line && (!out->behind || row->line < out->behind)) {
			out->behind = row->line;
			out->behind_offset = row->offset;
		}
	}
}

struct near_lines files_near(struct resolver *r, struct module *m, const struct file_group *g,
			     unsigned line)
{
	struct near_lines near = {0};

	array_each(const struct file_use, use, &g->uses)
		if (lines_decode(m, use->unit, r->err) == 0)
			near_in_unit(use, line, &near);
	return near;
}

struct line_table *module_lines(struct module *m, bool headed, struct error *err)
{
	/* dies_table() sets the directories of line programs of DWARF 2 to 4. */
	if (!dies_table(m, err))
		return NULL;
	return headed ? lines_table(m, err) : lines_units(m, err);
}

/* ---- for other folders ---------------------------------------------------------------------- */

void source_paths(struct module *m, void (*each)(void *ctx, const char *path), void *ctx)
{
	ERROR(ignored);
	struct line_table *lines = module_has_debug(m) ? module_lines(m, true, &ignored) : NULL;

	if (lines)
		array_each(struct line_unit, u, &lines->units)
			for (unsigned i = 0; i < u->files.count; i++)
				each(ctx, lines_file(u, i));
}

unsigned source_function_line(const struct source_site *site)
{
	struct scope_ref stack[FUNCTIONS_DEEP];
	ERROR(ignored);
	struct die_table *t = dies_table(site->module, &ignored);
	int count = t ? functions_stack(t, site->offset, stack, &ignored) : 0;
	struct function f;

	for (int i = 0; site->function && i < count; i++)
		if (function_read(t, stack[i], &f, &ignored) == 0 && f.name &&
		    strcmp(f.name, site->function) == 0 && function_same_file(f.file, site->file))
			return f.line;
	return 0;
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

/* ---- files of the same name ----------------------------------------------------------------- */

const char *files_tail(const char *path)
{
	const char *tail = path + strlen(path);
	int slashes = 0;

	while (tail > path && (tail[-1] != '/' || ++slashes < 2))
		tail--;
	return strncmp(tail, "./", 2) == 0 ? tail + 2 : tail;
}

static bool is_looked_at(const struct resolver *r, const struct module *m)
{
	array_each(struct module *, own, &r->modules)
		if (*own == m)
			return true;
	return false;
}

static bool matches_own(struct resolver *r, const char *name)
{
	bool found = false;

	array_each(struct module *, own, &r->modules) {
		struct file_groups groups = {0};

		files_find(r, *own, name, &groups);
		found |= groups.items.count > 0;
		files_fini(&groups);
	}
	return found;
}

/* True if the file has code on this line or a later one, or, for a ;TEXT, can be read. */
static bool reaches(struct resolver *r, struct module *m, const struct file_group *g)
{
	unsigned line = r->location->line;

	if (r->location->kind == LOCATION_TEXT)
		return lines_source(r->symbols, g->path) != NULL;
	return line <= 1 || files_near(r, m, g, line - 1).behind;
}

static void hint_other(struct resolver *r, struct module *m, const struct file_group *g)
{
	const struct location *l = r->location;
	const char *rest = strstr(l->text, l->name);
	const char *tail = files_tail(g->path);
	bool own = matches_own(r, tail);

	if (rest)
		error_hint(&r->complaint,
			   "%s also has a file of this name; to name that one write %s%s%s%s",
			   module_name(m), own ? module_name(m) : "", own ? "!" : "", tail,
			   rest + strlen(l->name));
}

static bool hint_in(struct resolver *r, struct module *m)
{
	struct file_groups groups = {0};
	bool told = false;

	files_find(r, m, r->location->name, &groups);
	array_each(const struct file_group, g, &groups.items)
		if (!told && reaches(r, m, g)) {
			hint_other(r, m, g);
			told = true;
		}
	files_fini(&groups);
	return told;
}

/* Adds a hint how to name the file of a library that has the same name as a file of the program. */
void hint_elsewhere(struct resolver *r, struct module *const *modules, size_t count)
{
	ERROR(kept);

	if (!r->location->name || !strchr(r->location->name, '.') || r->location->object)
		return;
	error_move(&kept, r->err);
	for (size_t i = 0; i < count; i++)
		if (!is_looked_at(r, modules[i]) && module_find_debug(modules[i]) &&
		    hint_in(r, modules[i]))
			break;
	error_move(r->err, &kept);
}
