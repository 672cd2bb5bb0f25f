/* Compares the meaning of a location with the recorded one, and finds where its line is now. */
#include "tracer/base/files/path.h"
#include "tracer/scripts/search.h"
#include "tracer/source/names/names.h"

#include <stdlib.h>
#include <string.h>

/* Minimum difference of scores between two candidates. */
enum {
	BETTER = 60,   /* enough to prefer a line */
	CLEARLY = 100, /* enough to exclude any third line */
};

/* ---- meaning of a line ------------------------------------------------------------------- */

static char *folded(const char *text)
{
	char *out = text ? drift_fold(text) : NULL;

	if (out && !*out) {
		base_free(out);
		out = NULL;
	}
	return out;
}

/* Returns the same copy in each build, independent of addresses. */
static const struct source_site *first_site(const struct source_sites *sites)
{
	const struct source_site *first = &sites->items[0];

	array_each(const struct source_site, s, sites) {
		const char *a = s->function ? s->function : "", *b = first->function;

		if (strcmp(a, b ? b : "") < 0)
			first = s;
	}
	return first;
}

static void look_at_text(struct modules *s, const char *path, struct meaning *out)
{
	struct source_text text;

	if (!source_text(s, path, &text) || !out->line || out->line > text.count)
		return;
	out->text = folded(text.lines[out->line - 1]);
	for (unsigned i = 0; i < DRIFT_AROUND; i++) {
		out->before[i] = folded(drift_around(&text, out->line, -1, i));
		out->behind[i] = folded(drift_around(&text, out->line, 1, i));
	}
}

void drift_look(struct modules *s, const char *location, const struct source_sites *sites,
		struct meaning *out)
{
	const struct source_site *site = first_site(sites);
	unsigned begins = source_function_line(site);

	*out = (struct meaning){.location = drift_fold(location), .line = site->line};
	out->object = base_strdup(module_name(site->module));
	out->build =
		*module_build_id(site->module) ? base_strdup(module_build_id(site->module)) : NULL;
	if (site->function)
		out->function = base_strdup(site->function);
	out->has_offset = begins && site->line >= begins;
	if (out->has_offset)
		out->in_function = site->line - begins;
	if (!site->file)
		return;
	out->file = base_strdup(str_base_name(site->file));
	look_at_text(s, site->file, out);
}

/* ---- location for the script ------------------------------------------------------------- */

/* Resolves the location. True if it means exactly this line. */
static bool compare_means(struct drift_search *s, const char *spelled, const char *path,
			  unsigned line, struct source_sites *out)
{
	struct location location;
	ERROR(ignored);
	bool same = false;

	if (location_parse(spelled, &location, &ignored) < 0)
		return false;
	if (source_resolve(s->symbols, s->modules, s->count, &location, out, &ignored) ==
	    SOURCE_FOUND)
		same = out->items[0].line == line && out->items[0].file &&
		       function_same_file(out->items[0].file, path);
	location_fini(&location);
	if (!same)
		source_sites_fini(out);
	return same;
}

static void spell(const struct drift_search *s, struct str *out, const char *name,
		  const char *colon, unsigned number)
{
	str_clear(out);
	if (s->location.object)
		str_addf(out, "%s!", s->location.object);
	str_addf(out, "%s%s%u", name, colon, number);
	if (s->location.match)
		str_addf(out, "#%u", s->location.match);
	str_add(out, location_part_text(s->location.part));
}

static bool line_means(struct drift_search *s, const struct seed *seed, const char *name,
		       struct str *out)
{
	struct source_sites sites = {0};
	bool found;

	spell(s, out, name, ":", seed->line);
	found = compare_means(s, str_text(out), seed->path, seed->line, &sites);
	source_sites_fini(&sites);
	return found;
}

/* Tries the file as the tester wrote it, then as many last components of its
 * path as make it unique. */
static bool spell_line(struct drift_search *s, const struct seed *seed, struct str *out)
{
	const char *name = str_base_name(seed->path);

	if (path_names_file(seed->path, s->location.name) &&
	    line_means(s, seed, s->location.name, out))
		return true;
	for (;;) {
		if (line_means(s, seed, name, out))
			return true;
		if (name == seed->path)
			return false;
		for (name--; name > seed->path && name[-1] != '/';)
			name--;
	}
}

static bool spell_offset(struct drift_search *s, const struct seed *seed, const struct meaning *now,
			 struct str *out)
{
	struct source_sites sites = {0};
	const char *names[] = {s->location.name, now->function};
	bool found = false;

	for (unsigned i = 0; i < 2 && !found && now->has_offset && names[i]; i++) {
		spell(s, out, names[i], ":+", now->in_function);
		found = compare_means(s, str_text(out), seed->path, seed->line, &sites);
	}
	source_sites_fini(&sites);
	return found;
}

/* Returns the corrected location, freed by the caller, or NULL: only lines and offsets contain
 * a number to correct. */
static char *spelled(struct drift_search *s, const struct seed *seed, const struct meaning *now)
{
	struct str out = {0};
	bool found = false;

	if (s->location.kind == LOCATION_LINE)
		found = spell_line(s, seed, &out);
	else if (s->location.kind == LOCATION_OFFSET)
		found = spell_offset(s, seed, now, &out);
	if (found)
		return str_take(&out);
	str_fini(&out);
	return NULL;
}

/* ---- candidates ----------------------------------------------------------------------------- */

static void candidate_fini(struct drift_candidate *c)
{
	base_free(c->spelled);
	meaning_fini(&c->now);
	*c = (struct drift_candidate){0};
}

void drift_fini(struct drift *d)
{
	for (unsigned i = 0; i < d->count; i++)
		candidate_fini(&d->candidates[i]);
	*d = (struct drift){0};
}

static bool same_function(const struct meaning *a, const struct meaning *b)
{
	return a->function && b->function && strcmp(a->function, b->function) == 0;
}

/* Fills in the code of the line. Returns false if it has none. */
static bool candidate_fill(struct drift_search *s, const struct seed *seed,
			   struct drift_candidate *c)
{
	struct source_sites sites = {0};
	struct str plain = {0};
	bool found;

	*c = (struct drift_candidate){.score = seed->score, .same_text = seed->same_text};
	str_addf(&plain, "%s:%u", seed->path, seed->line);
	found = compare_means(s, str_text(&plain), seed->path, seed->line, &sites);
	str_fini(&plain);
	if (!found)
		return false;
	drift_look(s->symbols, "", &sites, &c->now);
	source_sites_fini(&sites);
	if (seed->same_function && !same_function(s->was, &c->now)) {
		meaning_fini(&c->now);
		return false;
	}
	if (same_function(s->was, &c->now)) {
		c->score += SAME_FUNCTION;
		if (s->was->has_offset && c->now.has_offset)
			c->score += drift_nearness(s->was->in_function, c->now.in_function);
	}
	return true;
}

static void keep_candidate(struct drift *d, struct drift_candidate *c)
{
	unsigned i = d->count;

	if (i == DRIFT_CANDIDATES && c->score <= d->candidates[i - 1].score) {
		candidate_fini(c);
		return;
	}
	if (i < DRIFT_CANDIDATES)
		d->count++;
	else
		candidate_fini(&d->candidates[--i]);
	for (; i > 0 && d->candidates[i - 1].score < c->score; i--)
		d->candidates[i] = d->candidates[i - 1];
	d->candidates[i] = *c;
}

static void spell_candidates(struct drift_search *s)
{
	for (unsigned i = 0; i < s->out->count; i++) {
		struct drift_candidate *c = &s->out->candidates[i];

		for (unsigned k = 0; k < s->seed_count && !c->spelled; k++) {
			const struct seed *seed = &s->seeds[k];

			if (seed->line == c->now.line && c->now.file &&
			    strcmp(str_base_name(seed->path), c->now.file) == 0)
				c->spelled = spelled(s, seed, &c->now);
		}
	}
}

/* An equal text alone is not enough: `return NULL;` is frequent. */
static bool convincing(const struct drift_search *s, const struct drift_candidate *c)
{
	unsigned around = 0;

	for (unsigned i = 0; i < DRIFT_AROUND; i++) {
		around += drift_same(s->was->before[i], c->now.before[i]);
		around += drift_same(s->was->behind[i], c->now.behind[i]);
	}
	return c->same_text && (same_function(s->was, &c->now) || around >= DRIFT_AROUND);
}

static void compare_gather(struct drift_search *s)
{
	drift_lines(s);
	for (unsigned i = 0; i < s->seed_count; i++) {
		struct drift_candidate c;

		if (candidate_fill(s, &s->seeds[i], &c))
			keep_candidate(s->out, &c);
	}
	spell_candidates(s);
}

static enum drift_kind compare_judge(const struct drift_search *s)
{
	const struct drift *d = s->out;

	if (!d->count || !d->candidates[0].same_text)
		return DRIFT_LOST;
	if (!convincing(s, &d->candidates[0]))
		return DRIFT_DOUBTED;
	if (d->count > 1 && d->candidates[1].same_text &&
	    d->candidates[1].score + CLEARLY > d->candidates[0].score)
		return DRIFT_DOUBTED;
	return DRIFT_MOVED;
}

/* ---- recorded and present meaning -------------------------------------------------------- */

/* Names, texts and marks stay valid when their code moves. */
static bool survives(const struct location *l)
{
	switch (l->kind) {
	case LOCATION_FUNC:
	case LOCATION_RETURN:
	case LOCATION_CALL:
	case LOCATION_TEXT:
	case LOCATION_MARK:
		return l->match == 0;
	default:
		return false;
	}
}

/* True if the present line is as good as the best candidate. */
static bool is_best(const struct drift_search *s, const struct meaning *now)
{
	for (unsigned i = 0; i < s->out->count; i++) {
		const struct drift_candidate *c = &s->out->candidates[i];

		if (c->now.line == now->line && c->now.file && now->file &&
		    strcmp(c->now.file, now->file) == 0)
			return convincing(s, c) && c->score + BETTER > s->out->candidates[0].score;
	}
	return false;
}

static bool unchanged(const struct drift_search *s, const struct meaning *now)
{
	const struct meaning *was = s->was;
	bool whole = true;

	if (was->build && now->build && strcmp(was->build, now->build) == 0)
		return true; /* the same code, even if the source has changed */
	if (!was->text)	     /* the source was not readable when it was recorded */
		return same_function(was, now) && was->in_function == now->in_function;
	if (!now->text || !drift_same_text(was->text, now->text) || !same_function(was, now))
		return false;
	for (unsigned i = 0; i < DRIFT_AROUND; i++)
		whole = whole && drift_same(was->before[i], now->before[i]) &&
			drift_same(was->behind[i], now->behind[i]);
	return whole;
}

void drift_compare(struct modules *s, struct module *const *modules, size_t count,
		   const struct meaning *was, const struct source_sites *now, struct drift *out)
{
	struct drift_search search = {s, modules, count, was, .out = out};
	struct meaning meaning = {0};
	ERROR(ignored);

	*out = (struct drift){0};
	if (location_parse(was->location, &search.location, &ignored) < 0)
		return;
	if (now)
		drift_look(s, was->location, now, &meaning);
	if (now && (survives(&search.location) || unchanged(&search, &meaning)))
		goto out;
	if (was->text && was->file)
		compare_gather(&search);
	out->kind = compare_judge(&search);
	if (now && is_best(&search, &meaning))
		drift_fini(out);
out:
	meaning_fini(&meaning);
	location_fini(&search.location);
}
