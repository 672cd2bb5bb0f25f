/* gatectl races: makes the runs, groups races by lines and variable, applies --ignore. */
#include "tracer/search/explore.h"

#include "tracer/base/files/file.h"
#include "tracer/base/files/path.h"
#include "tracer/scripts/scripts.h"
#include "tracer/search/search_internal.h"
#include "tracer/source/lines/source_lines.h"

#include <string.h>

/* ---- races --ignore FILE --------------------------------------------------------------------- */

/* ---- the file -------------------------------------------------------------------------------- */

static int add_ignored(struct races_hunt *h, const char *line, unsigned number, struct error *err)
{
	struct location *l;
	struct races_ignored *ignored;
	ERROR(why);

	if (!*line || *line == '#')
		return 0;
	ignored = array_add(&h->at);
	*ignored = (struct races_ignored){.number = number};
	l = &ignored->location;
	if (location_parse(line, l, &why) == 0 && l->kind != LOCATION_RETURN)
		return 0;
	error_set(err, ERROR_USAGE,
		  "--ignore: %s:%u: '%s' is not FILE:LINE, FUNC, FUNC:+N, FILE;TEXT, //MARK or "
		  "*0xADDR",
		  h->ignore, number, line);
	error_fini(&why);
	return -1;
}

static int read_file(struct races_hunt *h, struct error *err)
{
	char *text = h->ignore ? file_read(h->ignore, err) : NULL, *at = text;
	int failed = h->ignore && !text ? -1 : 0;

	for (unsigned number = 1; at && *at && !failed; number++) {
		size_t length = strcspn(at, "\n"), blanks = strspn(at, " \t");
		bool more = at[length];

		at[length] = '\0';
		failed = add_ignored(h, at + (blanks < length ? blanks : length), number, err);
		at += length + more;
	}
	base_free(text);
	return failed;
}

/* ---- lines of the locations ------------------------------------------------------------------ */

static void note_lines(struct races_ignored *ignored, const struct source_sites *sites)
{
	array_each(const struct source_site, site, sites) {
		struct source_symbolised is = {0};

		if (source_symbolise(site->module, site->offset, true, &is) && is.file)
			*array_add(&ignored->lines) =
				(struct races_line){base_strdup(is.file), is.line};
		source_symbolised_fini(&is);
	}
}

/* Resolves all locations at once, since the program was started for the first one. */
static void look_up(void *ctx, const struct run_query *q)
{
	struct races_hunt *h = ctx;

	array_each(struct races_ignored, ignored, &h->at) {
		struct source_sites sites;
		ERROR(why);
		enum source_answer answer =
			source_resolve(h->e.x.symbols, q->modules, q->module_count,
				       &ignored->location, &sites, &why);

		ignored->is_nothing = answer == SOURCE_NOT_FOUND && !ignored->location.object;
		if (answer != SOURCE_FOUND)
			continue;
		note_lines(ignored, &sites);
		source_sites_fini(&sites);
	}
}

static int races_ignored_read(struct races_hunt *h, struct error *err)
{
	struct run_options program = *h->e.x.options;
	const char *first;

	if (read_file(h, err) < 0)
		return -1;
	if (!h->at.count)
		return 0;
	program.scripts.count = program.orders.count = 0;
	first = h->at.items[0].location.text;
	return run_query(&program, h->e.x.symbols, &first, 1, look_up, h, err);
}

/* ---- matching races -------------------------------------------------------------------------- */

static bool races_ignored_is_file(const struct sched_race_side *side, const char *name)
{
	return side->file && path_names_file(side->file, name);
}

static bool is_on_line(const struct races_ignored *ignored, const struct sched_race_side *side)
{
	array_each(const struct races_line, at, &ignored->lines)
		if (at->line == side->line && races_ignored_is_file(side, at->file))
			return true;
	return false;
}

static bool races_ignored_is_at(struct races_hunt *h, const struct sched_race_side *side,
				const struct races_ignored *ignored)
{
	const struct location *l = &ignored->location;
	const char *line = side->file ? source_line(h->e.x.symbols, side->file, side->line) : NULL;
	bool in = l->name && side->func && strcmp(side->func, l->name) == 0;

	switch (l->kind) {
	case LOCATION_LINE:
		return races_ignored_is_file(side, l->name) && side->line == l->line;
	case LOCATION_FUNC:
		return in;
	case LOCATION_TEXT:
		return line && (in || races_ignored_is_file(side, l->name)) &&
		       strstr(line, l->search);
	case LOCATION_MARK: {
		const char *mark = line ? strstr(line, "//") : NULL;

		return mark && strstr(mark, l->search);
	}
	case LOCATION_OFFSET:
	case LOCATION_CALL:
	case LOCATION_ADDRESS:
		return is_on_line(ignored, side);
	case LOCATION_RETURN:
		break;
	}
	return false;
}

static bool races_is_ignored(struct races_hunt *h, const struct sched_race *r)
{
	array_each(struct races_ignored, ignored, &h->at)
		if (races_ignored_is_at(h, &r->sides[0], ignored) ||
		    races_ignored_is_at(h, &r->sides[1], ignored)) {
			ignored->is_nothing = false;
			return true;
		}
	return false;
}

static void races_ignored_fini(struct races_hunt *h)
{
	array_each(struct races_ignored, ignored, &h->at) {
		location_fini(&ignored->location);
		array_each(struct races_line, line, &ignored->lines)
			base_free(line->file);
		array_fini(&ignored->lines);
	}
	array_fini(&h->at);
}

/* ---- collecting races ------------------------------------------------------------------------ */

static bool same_place(const struct sched_race_side *a, const struct sched_race_side *b)
{
	return a->line == b->line && str_same(a->file, b->file);
}

static bool races_is_same(const struct sched_race *a, const struct sched_race *b)
{
	const struct sched_race_side *x = a->sides, *y = b->sides;

	return str_same(a->variable, b->variable) &&
	       ((same_place(&x[0], &y[0]) && same_place(&x[1], &y[1])) ||
		(same_place(&x[0], &y[1]) && same_place(&x[1], &y[0])));
}

static void races_add(struct races_hunt *h, const struct sched_race *r, unsigned long times)
{
	array_each(struct race, known, &h->found)
		if (races_is_same(known->seen, r)) {
			known->times += times;
			return;
		}
	*array_add(&h->found) = (struct race){r, times};
}

static void races_collect(struct races_hunt *h)
{
	const struct sched *c = &h->runs->runs.sched;
	size_t count;
	const struct races_pair *pairs = races_pairs(h->runs->races, &count);

	for (size_t i = 0; i < count && i < c->reported.count; i++) {
		if (races_is_ignored(h, &c->reported.items[i]))
			h->ignored++;
		else
			races_add(h, &c->reported.items[i], pairs[i].count);
	}
}

/* ---- the runs -------------------------------------------------------------------------------- */

static bool races_is_over(const struct races_hunt *h, double begun)
{
	const struct explore_options *o = &h->e.options;

	return (o->runs && h->e.runs >= o->runs) ||
	       (o->seconds > 0 && explore_now_s() - begun >= o->seconds) ||
	       (h->enough && h->runs->quiet >= h->enough);
}

static int races_run(struct races_hunt *h)
{
	struct explore *e = &h->e;
	struct sched *c = &h->runs->runs.sched;
	struct run_result r;
	const char *kind;
	uint64_t key;

	if (e->x.view.progress)
		e->x.view.progress(e->x.view.ctx, e->runs, e->options.runs, "");
	strategy_begin(c->strategy, h->runs->made);
	if (explore_runs_until(e, &h->runs->runs, e->until, &r) < 0)
		return -1;
	if (r.interrupted)
		return experiment_over(&e->x, &r);
	strategy_end(c->strategy, STRATEGY_PASSED);
	e->runs++;
	e->alone += c->paths.count < 2;
	h->failed += explore_judge(c, &r, &kind, &key) == EXPLORE_FAILED;
	run_result_fini(&r);
	explore_races_more(h->runs);
	return 0;
}

int races_hunt(struct races_hunt *h)
{
	double begun = explore_now_s(), seconds = h->e.options.seconds;
	int answer;

	h->e.until = seconds > 0 ? begun + seconds : 0;
	h->runs = base_alloc(1, sizeof(*h->runs));
	h->runs->strategy = h->e.options.strategy;
	h->e.options.flags |= SCHED_CALLERS;
	answer = races_ignored_read(h, h->e.x.err);
	if (answer == 0)
		answer = explore_races_begin(h->runs, &h->e);
	while (answer == 0 && !races_is_over(h, begun))
		answer = races_run(h);
	h->e.seconds = explore_now_s() - begun;
	if (h->runs->races)
		races_collect(h);
	return answer;
}

void races_hunt_fini(struct races_hunt *h)
{
	array_fini(&h->found);
	races_ignored_fini(h);
	if (h->runs && h->runs->races)
		explore_races_end(h->runs);
	base_free(h->runs);
	explore_fini(&h->e);
}
