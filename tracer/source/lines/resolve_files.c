/* Source files: which line programs have rows of one, and which of its lines have code. */
#include "tracer/dwarf/index/index.h"
#include "tracer/source/lines/resolve.h"

#include <stdlib.h>

static struct file_group *group_get(struct file_groups *g, const char *path)
{
	struct file_group *group;

	array_each(struct file_group, old, &g->items) {
		if (function_same_file(old->path, path))
			return old;
	}
	group = array_add(&g->items);
	group->path = path;
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

static int add_uses(struct resolver *r, struct module *m, struct line_unit *u, const char *file,
		    struct file_groups *out)
{
	if (lines_head(m, u, r->err) < 0)
		return -1;
	for (int i = 0; (i = lines_find_file(u, file, i)) >= 0; i++)
		add_use(group_get(out, lines_file(u, (unsigned)i)), u, (unsigned)i);
	return 0;
}

int files_find(struct resolver *r, struct module *m, const char *file, struct file_groups *out)
{
	struct line_table *lines;
	int answer = 0;
	bool *marks;

	/* The units of DWARF 2 to 4 have to be told their directories first. */
	if (!dies_table(m, r->err))
		return -1;
	lines = lines_units(m, r->err);
	if (!lines)
		return -1;
	marks = base_alloc(lines->units.count + 1, sizeof(*marks));
	index_mark_file(lines, file, marks);
	for (size_t i = 0; i < lines->units.count && answer == 0; i++)
		if (marks[i])
			answer = add_uses(r, m, &lines->units.items[i], file, out);
	base_free(marks);
	return answer;
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

int files_near(struct resolver *r, struct module *m, const struct file_group *g, unsigned line,
	       struct near_lines *out)
{
	*out = (struct near_lines){0};
	array_each(const struct file_use, use, &g->uses) {
		if (lines_decode(m, use->unit, r->err) < 0)
			return -1;
		near_in_unit(use, line, out);
	}
	return 0;
}
