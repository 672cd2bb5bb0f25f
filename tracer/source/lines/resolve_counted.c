/* Which lines count as matches of a text: no comment, and nothing that the preprocessor has left out. */
#include "tracer/source/lines/resolve.h"

enum { TOLD_APART = 200 }; /* among more nobody chooses, and each may cost a look at its file */

static bool has_row(const struct file_use *use, unsigned first, unsigned last)
{
	array_each(const struct line_row, row, &use->unit->rows) {
		if (!row->end_sequence && row->line >= first && row->line <= last &&
		    file_use_has(use, row->file))
			return true;
	}
	return false;
}

/* Has one of these lines code in this module? 1, 0, or -1. */
static int module_has(struct resolver *r, struct module *m, const char *file, unsigned first,
		      unsigned last)
{
	struct file_groups groups = {0};
	const struct file_group *g;
	int answer = files_find(r, m, file, &groups);

	g = answer == 0 ? files_group(&groups, file) : NULL;
	for (size_t i = 0; g && answer == 0 && i < g->uses.count; i++) {
		answer = lines_decode(m, g->uses.items[i].unit, r->err);
		if (answer == 0 && has_row(&g->uses.items[i], first, last))
			answer = 1;
	}
	files_fini(&groups);
	return answer;
}

static int anybody_has(struct resolver *r, const char *file, unsigned first, unsigned last)
{
	int answer = 0;

	for (size_t i = 0; answer == 0 && i < r->modules.count; i++)
		answer = module_has(r, r->modules.items[i], file, first, last);
	return answer;
}

/*
 * What is only optimised away counts: else it would depend on the build what a text means. 1, 0, or -1.
 */
static int counts(struct resolver *r, const struct location_match *match)
{
	const struct source_file *f = lines_source(r->symbols, match->file);
	int answer = anybody_has(r, match->file, match->line, match->line);
	unsigned first, last;

	if (answer || !f)
		return answer;
	if (source_no_code(f, match->line) || source_directive(f, match->line))
		return 0;
	if (!source_branch(f, match->line, &first, &last))
		return 1;
	return anybody_has(r, match->file, first, last);
}

int matches_count(struct resolver *r, size_t *out)
{
	*out = r->matches.count;
	if (r->location->kind != LOCATION_TEXT || r->matches.count > TOLD_APART)
		return 0;
	*out = 0;
	array_each(struct location_match, match, &r->matches) {
		int answer = counts(r, match);

		if (answer < 0)
			return -1;
		match->uncounted = !answer;
		*out += (size_t)answer;
	}
	return 0;
}
