/* Explains in three lines why gatectl convert makes no script. */
#include "tracer/synth/sleeps/convert_internal.h"

#include <string.h>

enum { REASON_MOST = 240, OTHERS_MOST = 300, MORE_RUNS = 30, MORE_TIMES = 4 };

bool convert_by_clock(struct convert *c, const struct convert_record *r)
{
	array_each(const struct convert_sleep, s, &r->sleeps) {
		const struct convert_line *at = own_counts(s) ? own_line(s) : NULL;

		if (!at || !polls_measures(r, at))
			continue;
		error_set(c->x.err, ERROR_STATE,
			  "%s measures the time: it reads the clock before and after %s at %s:%u, "
			  "and the outcome depends on that time%s%s",
			  c->x.options->argv[0], s->what ? s->what : "the sleep",
			  str_base_name(at->file), at->line, c->differs.length ? ": " : "",
			  str_text(&c->differs));
		error_hint(c->x.err, "change the test so that it does not measure the time");
		return true;
	}
	return false;
}

int convert_not_learned(struct convert *c)
{
	if (experiment_is_over(&c->x) || c->x.expired)
		return -1;
	if (c->records.count && convert_by_clock(c, c->records.items[c->records.count - 1]))
		return -1;
	error_set(c->x.err, ERROR_STATE,
		  "the outcome of %s changes when every sleep lasts until no other thread works, "
		  "or when the test is watched: %s",
		  c->x.options->argv[0], str_text(&c->differs));
	return error_hint(c->x.err,
			  "change the test so that its outcome does not depend on the time itself");
}

static bool has_harmless(const struct convert_plan *p)
{
	array_each(const struct convert_site, site, &p->sites)
		if (!site->matters && strncmp(site->left, "not for ordering", 16) == 0)
			return true;
	return false;
}

static bool has_several(const struct convert_plan *p)
{
	array_each(const struct convert_site, site, &p->sites)
		if (site->several && !site->location)
			return true;
	return false;
}

/* Returns true with the error set if the end of the program cut a sleep short. */
static bool never_ended(struct convert *c, const struct convert_record *r)
{
	array_each(const struct convert_sleep, s, &r->sleeps) {
		if ((s->state > CONVERT_OVER && s->state != CONVERT_GONE) || !s->call_count)
			continue;
		error_set(c->x.err, ERROR_STATE,
			  "%s:%u in %s: %s of %g s in %s never ended: the program was over before",
			  str_base_name(s->calls[0].file), s->calls[0].line, s->calls[0].func,
			  s->what ? s->what : "a sleep", (double)s->ns / 1e9,
			  r->threads.items[s->thread].id);
		return true;
	}
	return false;
}

static int no_sleep(struct convert *c)
{
	const struct convert_record *r = c->records.items[0];
	const char *program = c->x.options->argv[0];

	if (r->program && !module_has_debug(r->program)) {
		error_set(c->x.err, ERROR_STATE,
			  "%s has no debug information: the lines that sleep have no names",
			  program);
		return error_hint(c->x.err, "build it with -g, best with -O0");
	}
	if (never_ended(c, r))
		return error_hint(c->x.err, "there is nothing to convert");
	error_set(c->x.err, ERROR_STATE, "%s does not sleep in its own code", program);
	return error_hint(
		c->x.err,
		"there is nothing to convert; sleeps in libraries and in code built without "
		"-g are not observed");
}

/* Appends the sites from `first` on that are left for the same reason: "x.c:7 in f: usleep of 10
   ms, x.c:9 in f: usleep of 20 ms: not for ordering: ...". */
static void add_alike(const struct convert_plan *p, size_t first, struct str *out)
{
	const char *why = p->sites.items[first].left;

	for (size_t i = first; i < p->sites.count; i++) {
		if (strcmp(p->sites.items[i].left, why) != 0)
			continue;
		str_add(out, i > first ? ", " : "");
		convert_site_words(&p->sites.items[i], out);
	}
	str_add(out, ": ");
	str_add_short(out, why, REASON_MOST);
}

static bool is_first_of_its_kind(const struct convert_plan *p, size_t site)
{
	for (size_t i = 0; i < site; i++)
		if (strcmp(p->sites.items[i].left, p->sites.items[site].left) == 0)
			return false;
	return true;
}

/* Appends one line for the first reason, and one for all others. */
static void add_reasons(const struct convert_plan *p, struct str *out)
{
	STR(others);
	STR(first);

	add_alike(p, 0, &first);
	str_add_short(out, str_text(&first), REASON_MOST + OTHERS_MOST);
	for (size_t i = 1; i < p->sites.count; i++) {
		if (!is_first_of_its_kind(p, i))
			continue;
		str_add(&others, others.length ? "; " : "");
		add_alike(p, i, &others);
	}
	if (others.length) {
		str_add(out, "\nothers: ");
		str_add_short(out, str_text(&others), OTHERS_MOST);
	}
}

/* Returns the option that the time is of. */
static const char *given(const struct convert *c)
{
	return c->given_time ? " (--for)" : "";
}

int convert_none(struct convert *c)
{
	STR(why);

	if (!c->plan.sites.count)
		return no_sleep(c);
	add_reasons(&c->plan, &why);
	if (c->late)
		error_set(c->x.err, ERROR_STATE, "no sleep of %s was converted in %.3g s%s: %s",
			  c->x.options->argv[0], convert_spent(c), given(c), str_text(&why));
	else
		error_set(c->x.err, ERROR_STATE, "no sleep of %s can be converted: %s",
			  c->x.options->argv[0], str_text(&why));
	if (c->late)
		error_hint(c->x.err, "gatectl convert --for=%.0f for more time",
			   MORE_TIMES * c->x.most);
	else if (has_harmless(&c->plan) && c->needed)
		error_hint(c->x.err, "without --needed, gatectl converts such sleeps and keeps "
				     "the orders that they make");
	else if (has_several(&c->plan))
		error_hint(c->x.err,
			   "put each sleep on a line of its own, and convert the test again");
	else
		error_hint(c->x.err, "write the script by hand, as gatectl-gates(5) describes");
	return -1;
}

int convert_unverified(struct convert *c)
{
	STR(differs);

	if (experiment_is_over(&c->x))
		return -1;
	str_add_short(&differs, str_text(&c->differs), REASON_MOST);
	error_set(c->x.err, ERROR_STATE,
		  "with gates in place of sleeps the outcome of %s is not always the same (%lu "
		  "verifying runs): %s",
		  c->x.options->argv[0], c->verified, str_text(&differs));
	error_hint(c->x.err,
		   "the order depends on something that gatectl does not observe; write the "
		   "script by hand, as gatectl-gates(5) describes");
	return -1;
}

int convert_slower(struct convert *c)
{
	error_set(c->x.err, ERROR_STATE,
		  "with gates in place of sleeps %s takes %.3f s, longer than the unchanged %.3f s",
		  c->x.options->argv[0], c->after, c->seconds);
	return error_hint(c->x.err, "keep the sleeps, or write the script by hand, as "
				    "gatectl-gates(5) describes");
}

int convert_late(struct convert *c)
{
	double more = MORE_RUNS * c->seconds;
	STR(takes);

	if (experiment_is_over(&c->x))
		return -1;
	if (c->seconds > 0)
		str_addf(&takes, "takes %.1f s", c->seconds);
	else
		str_add(&takes, "does not end in that time");
	error_set(c->x.err, ERROR_STATE,
		  "%.3g s%s are not enough to convert %s: one run %s, and no script was "
		  "verified",
		  convert_spent(c), given(c), c->x.options->argv[0], str_text(&takes));
	error_hint(c->x.err, "gatectl convert --for=%.0f for more time",
		   more > MORE_TIMES * c->x.most ? more : MORE_TIMES * c->x.most);
	return -1;
}
