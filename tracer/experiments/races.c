#include "tracer/experiments/races.h"

#include "tracer/base/file.h"
#include "tracer/experiments/explore_failure.h"
#include "tracer/experiments/explore_races.h"
#include "tracer/source/source_lines.h"

#include <string.h>
#include <time.h>

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- what is left out ------------------------------------------------------------------------------- */

static int add_ignored(struct races_hunt *h, const char *line, unsigned number, struct error *err)
{
	struct location *l;
	ERROR(why);

	if (!*line || *line == '#')
		return 0;
	l = array_add(&h->at);
	*l = (struct location){0};
	if (location_parse(line, l, &why) == 0 &&
	    (l->kind == LOCATION_LINE || l->kind == LOCATION_FUNC || l->kind == LOCATION_TEXT ||
	     l->kind == LOCATION_MARK))
		return 0;
	error_set(err, ERROR_USAGE,
		  "--ignore: %s:%u: '%s' is no FILE:LINE, FUNC, FILE;TEXT or //MARK", h->ignore,
		  number, line);
	error_fini(&why);
	return -1;
}

static int read_ignored(struct races_hunt *h, struct error *err)
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

static bool is_file(const struct controlled_race_side *side, const char *name)
{
	return side->file && source_path_matches(side->file, name);
}

static bool is_at(struct races_hunt *h, const struct controlled_race_side *side,
		  const struct location *l)
{
	const char *line = side->file ? source_line(h->e.x.symbols, side->file, side->line) : NULL;
	bool in = l->name && side->func && strcmp(side->func, l->name) == 0;

	switch (l->kind) {
	case LOCATION_LINE:
		return is_file(side, l->name) && side->line == l->line;
	case LOCATION_FUNC:
		return in;
	case LOCATION_TEXT:
		return line && (in || is_file(side, l->name)) && strstr(line, l->search);
	case LOCATION_MARK: {
		const char *mark = line ? strstr(line, "//") : NULL;

		return mark && strstr(mark, l->search);
	}
	default:
		return false;
	}
}

static bool is_ignored(struct races_hunt *h, const struct controlled_race *r)
{
	array_each(const struct location, l, &h->at)
		if (is_at(h, &r->sides[0], l) || is_at(h, &r->sides[1], l))
			return true;
	return false;
}

/* ---- what is found ---------------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_place(const struct controlled_race_side *a, const struct controlled_race_side *b)
{
	return a->line == b->line && same_text(a->file, b->file);
}

static bool is_same(const struct controlled_race *a, const struct controlled_race *b)
{
	const struct controlled_race_side *x = a->sides, *y = b->sides;

	return same_text(a->variable, b->variable) &&
	       ((same_place(&x[0], &y[0]) && same_place(&x[1], &y[1])) ||
		(same_place(&x[0], &y[1]) && same_place(&x[1], &y[0])));
}

static void add(struct races_hunt *h, const struct controlled_race *r, unsigned long times)
{
	array_each(struct race, known, &h->found)
		if (is_same(known->seen, r)) {
			known->times += times;
			return;
		}
	*array_add(&h->found) = (struct race){r, times};
}

static void collect(struct races_hunt *h)
{
	const struct controlled *c = &h->runs->runs.controlled;
	size_t count;
	const struct races_pair *pairs = races_pairs(h->runs->races, &count);

	for (size_t i = 0; i < count && i < c->told.count; i++) {
		if (is_ignored(h, &c->told.items[i]))
			h->ignored++;
		else
			add(h, &c->told.items[i], pairs[i].count);
	}
}

/* ---- the runs --------------------------------------------------------------------------------------- */

static bool is_over(const struct races_hunt *h, double begun)
{
	const struct explore_options *o = &h->e.options;

	return (o->runs && h->e.runs >= o->runs) ||
	       (o->seconds > 0 && now_s() - begun >= o->seconds) ||
	       (h->enough && h->runs->quiet >= h->enough);
}

static int run(struct races_hunt *h)
{
	struct explore *e = &h->e;
	struct controlled *c = &h->runs->runs.controlled;
	struct session_result r;
	const char *kind;
	uint64_t key;

	if (e->x.view.progress)
		e->x.view.progress(e->x.view.ctx, e->runs, e->options.runs, "");
	strategy_begin(c->strategy, h->runs->made);
	if (explore_runs_one(&h->runs->runs, &r, e->x.err) < 0)
		return -1;
	if (r.interrupted)
		return experiment_over(&e->x, &r);
	strategy_end(c->strategy, STRATEGY_PASSED);
	e->runs++;
	h->failed += explore_judge(c, &r, &kind, &key) == EXPLORE_FAILED;
	session_result_fini(&r);
	explore_races_more(h->runs);
	return 0;
}

int races_hunt(struct races_hunt *h)
{
	double begun = now_s();
	int answer;

	h->runs = base_alloc(1, sizeof(*h->runs));
	h->runs->strategy = h->e.options.strategy;
	answer = read_ignored(h, h->e.x.err);
	if (answer == 0)
		answer = explore_races_begin(h->runs, &h->e);
	while (answer == 0 && !is_over(h, begun))
		answer = run(h);
	h->e.seconds = now_s() - begun;
	if (h->runs->races)
		collect(h);
	return answer;
}

void races_hunt_fini(struct races_hunt *h)
{
	array_fini(&h->found);
	array_each(struct location, l, &h->at)
		location_fini(l);
	array_fini(&h->at);
	if (h->runs && h->runs->races)
		explore_races_end(h->runs);
	base_free(h->runs);
	explore_fini(&h->e);
}
