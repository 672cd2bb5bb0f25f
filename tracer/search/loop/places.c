/* Options of explore that name places: points (--points) and where schedules begin (--from). */
#include "tracer/search/search_internal.h"
#include "tracer/scripts/scripts.h"
#include "tracer/source/flow/flow.h"

#include <stdlib.h>
#include <string.h>

/* Code range of a statement that is a point. */
struct span {
	const struct module *module;
	struct module_range range;
};

struct places {
	struct explore *e;
	const struct run_query *query;
	const char *what;	  /* one item of the list of --points */
	struct location location; /* FUNC, FILE:LINE, or FILE:1 for FILE */
	bool is_file;
	const char *file;
	ARRAY(unsigned) lines; /* lines with code */
	ARRAY(struct span) spans;
};

static void add_point(struct explore_points_at *points, const struct module *m, uint64_t offset)
{
	struct sched_chosen place = {.module = (char *)module_name(m), .offset = offset};

	if (!sched_places_find(&points->chosen, place.module, offset))
		sched_places_add(&points->chosen, &place);
}

/* ---- statements ------------------------------------------------------------------------------ */

static void places_add_line(void *ctx, unsigned line)
{
	struct places *s = ctx;

	*array_add(&s->lines) = line;
}

static int places_by_number(const void *a, const void *b)
{
	const unsigned *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void places_add_site(struct places *s, const struct source_site *site)
{
	if (site->empty)
		return;
	add_point(&s->e->points_at, site->module, site->offset);
	array_each(const struct module_range, range, &site->ranges)
		*array_add(&s->spans) = (struct span){site->module, *range};
}

/* True if the statement is in one of `functions`, or in an inlined copy of one. NULL stands for a
   whole file. */
static bool is_in(const struct source_site *site, const struct source_sites *functions)
{
	if (!functions)
		return true;
	array_each(const struct source_site, f, functions)
		if (f->function && site->function && strcmp(f->function, site->function) == 0)
			return true;
	return false;
}

/* Adds the statements of a line. Lines of the line table that have no code of their own are left
   out. */
static void add_statements(struct places *s, unsigned line, const struct source_sites *functions)
{
	const struct run_query *q = s->query;
	struct location l = s->location;
	struct source_sites sites;
	ERROR(ignored);

	l.kind = LOCATION_LINE;
	l.name = (char *)s->file;
	l.line = line;
	l.briefly = true;
	if (source_resolve(s->e->x.symbols, q->modules, q->module_count, &l, &sites, &ignored) !=
	    SOURCE_FOUND)
		return;
	array_each(const struct source_site, site, &sites)
		if (is_in(site, functions))
			places_add_site(s, site);
	source_sites_fini(&sites);
}

static void add_lines(struct places *s, const struct source_sites *functions)
{
	unsigned last = 0;

	if (s->lines.count)
		qsort(s->lines.items, s->lines.count, sizeof(*s->lines.items), places_by_number);
	array_each(const unsigned, line, &s->lines) {
		if (*line != last)
			add_statements(s, *line, functions);
		last = *line;
	}
	s->lines.count = 0;
}

/* ---- files and functions --------------------------------------------------------------------- */

static void places_add_file(struct places *s)
{
	const struct run_query *q = s->query;

	s->file = s->location.name;
	for (size_t i = 0; i < q->module_count; i++)
		if (!s->location.object || module_matches(q->modules[i], s->location.object))
			source_each_line(q->modules[i], s->file, places_add_line, s);
	add_lines(s, NULL);
}

/* Collects the lines of the code around each copy; is_in() drops statements of other functions. */
static void add_function(struct places *s, const struct source_sites *functions)
{
	struct source_statements all;

	array_each(const struct source_site, f, functions) {
		s->file = f->file;
		if (!f->file || !source_statements(f->module, f->offset, &all))
			continue;
		array_each(const struct source_statement, one, &all)
			if (one->file && strcmp(one->file, f->file) == 0)
				places_add_line(s, one->line);
		array_fini(&all);
		add_lines(s, functions);
	}
}

/* ---- accesses -------------------------------------------------------------------------------- */

struct places_module {
	struct places *places;
	const struct module *module;
};

/* Adds an access within the spans. Atomic accesses are skipped: they are points anyway. */
static void add_access(void *ctx, const struct source_access *a)
{
	const struct places_module *x = ctx;

	if (a->what.atomic || a->what.pauses)
		return;
	array_each(const struct span, span, &x->places->spans)
		if (span->module == x->module && a->offset >= span->range.low &&
		    a->offset < span->range.high) {
			add_point(&x->places->e->points_at, x->module, a->offset);
			return;
		}
}

static void add_accesses(struct places *s)
{
	for (size_t i = 0; i < s->query->module_count; i++) {
		struct module *m = s->query->modules[i];
		struct places_module x = {s, m};
		bool has = false;

		array_each(const struct span, span, &s->spans)
			has |= span->module == m;
		if (has)
			source_accesses(m, true, add_access, &x);
	}
}

/* ---- items of --points ----------------------------------------------------------------------- */

/* Reports that the item has no code. A file was resolved as FILE:1, so ":1" is cut from the
   hint. */
static void no_points(const struct places *s, const struct run_query *q)
{
	struct error *err = s->e->x.err;

	size_t length;

	if (!q->error) {
		error_set(err, ERROR_LOCATION, "--points: %s: no debug information names its lines",
			  s->what);
		error_hint(err, "compile it with -g");
		return;
	}
	error_copy(err, q->error);
	error_prefix(err, "--points: ");
	length = err->hint ? strlen(err->hint) : 0;
	if (s->is_file && length > 2 && strcmp(err->hint + length - 2, ":1") == 0)
		error_hint(err, "%.*s", (int)length - 2, err->hint);
}

static void add_sites(struct places *s, const struct source_sites *sites)
{
	array_each(const struct source_site, site, sites)
		places_add_site(s, site);
}

/* True if the item has statements. Points of an earlier item of the list are not added twice. */
static bool has_point(const struct places *s)
{
	return s->spans.count;
}

static void places_look(void *ctx, const struct run_query *q)
{
	struct places *s = ctx;

	size_t before = s->e->points_at.chosen.count;

	s->query = q;
	if (s->is_file)
		places_add_file(s);
	else if (q->sites && s->location.kind == LOCATION_LINE)
		add_sites(s, q->sites);
	else if (q->sites)
		add_function(s, q->sites);
	add_accesses(s);
	if (s->e->points_at.chosen.count == before && !has_point(s))
		no_points(s, q);
}

/* Parses FUNC, FILE:LINE or FILE. A FILE is parsed as FILE:1, since a location needs a line. */
static int places_parse(struct places *s, struct str *text)
{
	ERROR(ignored);
	ERROR(err);

	str_add(text, s->what);
	if (location_parse(s->what, &s->location, &err) == 0 &&
	    (s->location.kind == LOCATION_FUNC || s->location.kind == LOCATION_LINE))
		return 0;
	location_fini(&s->location);
	str_add(text, ":1");
	s->is_file = true;
	if (location_parse(str_text(text), &s->location, &ignored) == 0 &&
	    s->location.kind == LOCATION_LINE)
		return 0;
	if (!err.code)
		error_set(&err, ERROR_LOCATION, "%s is not a file, a line or a function", s->what);
	error_move(s->e->x.err, &err);
	return error_prefix(s->e->x.err, "--points: ");
}

static int find_those(struct explore *e, const char *what)
{
	struct run_options program = *e->x.options;
	struct places s = {.e = e, .what = what};
	STR(text);
	const char *location;
	int answer = places_parse(&s, &text);

	program.scripts.count = program.orders.count = 0;
	location = str_text(&text);
	if (answer == 0)
		answer = run_query(&program, e->x.symbols, &location, 1, places_look, &s, e->x.err);
	location_fini(&s.location);
	array_fini(&s.lines);
	array_fini(&s.spans);
	return answer < 0 || e->x.err->code ? -1 : 0;
}

/* Length of the first item of a list separated by commas; commas in the parameters of a function do
   not count. */
static size_t length_of_first(const char *list)
{
	size_t depth = 0, i;

	for (i = 0; list[i] && (list[i] != ',' || depth); i++)
		depth += list[i] == '(' || list[i] == '<'	       ? 1
			 : depth && (list[i] == ')' || list[i] == '>') ? (size_t)-1
								       : 0;
	return i;
}

static int find_points(struct explore *e)
{
	const char *list = e->options.location;
	int answer = 0;

	while (answer == 0 && *list) {
		size_t length = length_of_first(list);
		char *what = base_strndup(list, length);

		answer = find_those(e, what);
		base_free(what);
		list += length + (list[length] == ',');
	}
	return answer;
}

/* ---- where schedules begin ------------------------------------------------------------------- */

static void start_look(void *ctx, const struct run_query *q)
{
	struct explore *e = ctx;

	if (!q->sites) {
		error_copy(e->x.err, q->error);
		error_prefix(e->x.err, "--from: ");
		return;
	}
	array_each(const struct source_site, site, q->sites)
		sched_places_add(&e->points_at.starts,
				 &(struct sched_chosen){.module = (char *)module_name(site->module),
							.offset = site->offset});
}

static int start_begin(struct explore *e, const struct run_options *o, struct explore_runs *runs)
{
	*runs = (struct explore_runs){0};
	explore_points_set(&runs->sched, &e->points_at);
	return explore_runs_begin(e, runs, o, e->quick, true);
}

/* Reports that the program or the time ended before the program reached --from. */
static int not_come(struct explore *e)
{
	if (e->until > 0 && explore_now_s() >= e->until) {
		error_set(e->x.err, ERROR_LOCATION,
			  "--from: the program has not reached %s in %g s (--for)", e->options.from,
			  e->options.seconds);
		return error_hint(e->x.err, "a longer --for, or an earlier place");
	}
	return error_set(e->x.err, ERROR_LOCATION,
			 "--from: the program has ended without reaching %s", e->options.from);
}

/* Tries to reach --from. If gates begin with the program, tries without them: they hold no thread
   while there is only one. */
static int try_start(struct explore *e, const struct run_options *program)
{
	struct explore_runs runs;
	int answer = start_begin(e, e->x.options, &runs);

	if (answer == 0 && runs.has_gates) {
		explore_runs_end(&runs);
		answer = start_begin(e, program, &runs);
	}
	if (answer == 0 && run_signals_came()) {
		e->x.over = true;
		answer = -1;
	} else if (answer == 0 && !runs.kept && !runs.came) {
		answer = not_come(e);
	} else if (answer == 0 && !runs.kept) {
		e->not_from = true;
		sched_places_clear(&e->points_at.starts);
	}
	explore_runs_end(&runs);
	return answer;
}

/* Resolves e->options.from and runs the program to it once. If other threads exist there, sets
   e->not_from. Returns 0, or -1 with *e->x.err set if there is no such place or no thread reaches
   it. */
static int explore_start(struct explore *e)
{
	struct run_options program = *e->x.options;

	if (!e->options.from)
		return 0;
	program.scripts.count = program.orders.count = 0;
	if (run_query(&program, e->x.symbols, &e->options.from, 1, start_look, e, e->x.err) < 0 ||
	    e->x.err->code)
		return -1;
	return try_start(e, &program);
}

int explore_places(struct explore *e)
{
	static const enum sched_points kinds[] = {
		[POINTS_RACES] = SCHED_SYNC,
		[POINTS_SYNC] = SCHED_SYNC,
		[POINTS_MEMORY] = SCHED_MEMORY,
		[POINTS_LOCATION] = SCHED_CHOSEN,
	};

	e->points_at.kind = kinds[e->options.points];
	if (e->options.points == POINTS_LOCATION && find_points(e) < 0)
		return -1;
	return explore_start(e);
}
