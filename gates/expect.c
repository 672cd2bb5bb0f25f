/*
 * What can be expected of a run beside an exit status, a signal and output: that it ends in a deadlock, a
 * livelock or at the time limit, that nobody comes to a place, and whatever a function of the script says.
 */
#include "gates/expect.h"
#include "tracer/base/text/str.h"

#include <string.h>

void expect_fini(struct expect *x)
{
	array_each(char *, text, &x->stdout_has)
		base_free(*text);
	array_each(char *, text, &x->stderr_has)
		base_free(*text);
	array_each(struct expect_never, never, &x->never)
		base_free(never->location);
	array_each(struct expect_check, check, &x->checks) {
		base_free(check->text);
		base_free(check->source);
	}
	base_free(x->at);
	base_free(x->at_source);
	array_fini(&x->stdout_has);
	array_fini(&x->stderr_has);
	array_fini(&x->never);
	array_fini(&x->checks);
	*x = (struct expect){0};
}

bool expect_wants_stdout(const struct expect *x)
{
	return x->stdout_has.count || x->checks.count;
}

bool expect_wants_stderr(const struct expect *x)
{
	return x->stderr_has.count || x->checks.count;
}

bool expect_is_plain(const struct expect *x)
{
	return x->any && !x->at && !x->stderr_has.count && !x->never.count && !x->checks.count;
}

/* ---- never reached ---- */

static bool expect_is_meant(const struct expect_never *never, const struct place *p)
{
	return !p->optional && p->kind == PLACE_LOCATION &&
	       strcmp(p->location, never->location) == 0;
}

void expect_settle(struct expect *x, const struct engine *e)
{
	struct place *p;

	for (size_t i = 0; (p = engine_place_at(e, i)); i++)
		array_each(struct expect_never, never, &x->never) {
			if (!expect_is_meant(never, p))
				continue;
			never->place = p;
			p->optional = true;
		}
}

/* A place of the script's that was dropped tells nothing. */
static bool is_reached(const struct expect_never *never)
{
	const struct place *p = never->place->dropped ? never->own : never->place;

	return place_reached(p);
}

bool expect_looks_at(const struct expect *x, const struct place *p)
{
	array_each(const struct expect_never, never, &x->never)
		if (never->own == p)
			return true;
	return false;
}

static const struct expect_never *first_reached(const struct expect *x)
{
	array_each(const struct expect_never, never, &x->never)
		if (is_reached(never))
			return never;
	return NULL;
}

/* ---- in words ---- */

static void expect_add(struct str *out, const char *text)
{
	str_addf(out, "%s%s", out->length ? ", " : "", text);
}

void expect_print_more(const struct expect *x, struct str *out)
{
	if (x->deadlock)
		expect_add(out, "a deadlock");
	if (x->livelock)
		expect_add(out, "a livelock");
	if (x->time_limit)
		expect_add(out, "the time limit passes");
	array_each(const struct expect_never, never, &x->never) {
		expect_add(out, never->location);
		str_add(out, " is never reached");
	}
}

void expect_print_checks(const struct expect *x, struct str *out)
{
	array_each(const struct expect_check, check, &x->checks)
		expect_add(out, check->text);
}

/* The end that was expected in place of this one; NULL: it came, or none is. */
static const char *other_end(const struct expect *x, const struct outcome *o)
{
	if (x->deadlock && !o->deadlock)
		return "a deadlock";
	if (x->livelock && !o->livelock)
		return "a livelock";
	if (x->time_limit && !o->time_limit)
		return "that the time limit passes";
	return NULL;
}

bool expect_unmet_more(const struct expect *x, const struct outcome *o, struct str *out)
{
	const char *end = other_end(x, o);
	const struct expect_never *reached = end ? NULL : first_reached(x);

	if (end) {
		outcome_print_end(o, out);
		if (x->livelock && o->time_limit)
			str_add(out, ", and it is not known that nobody gets on");
		str_addf(out, ", expected %s", end);
	} else if (reached) {
		str_addf(out, "%s was reached, expected that it never is", reached->location);
	}
	return end || reached;
}

bool expect_unmet_checks(const struct outcome *o, struct str *out)
{
	if (o->refused)
		str_addf(out, "%s: the function at %s does not say yes", o->refused->text,
			 o->refused->source);
	return o->refused != NULL;
}

/* ---- how it ended ---- */

void outcome_print(const struct outcome *o, struct str *out)
{
	if (o->fault)
		str_add(out, "a fault of the script");
	else if (o->failed)
		str_add(out, "the script failed the run");
	else if (o->gate_deadlock)
		str_add(out, "a deadlock with a gate in it");
	else if (o->deadlock)
		str_add(out, "a deadlock");
	else if (o->livelock)
		str_add(out, "a livelock");
	else if (o->time_limit || o->gate_limit)
		str_add(out, "a limit that passed");
	else
		outcome_print_end(o, out);
}
