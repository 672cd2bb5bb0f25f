/* Converts a test that orders its threads by sleeping into a gate script: runs it unchanged, then
   watched, then without each sleep, then with gates in place of all sleeps, and verifies the
   script. */
#include "tracer/synth/sleeps/convert_internal.h"

#include "tracer/base/signame.h"
#include "tracer/base/text/foreign.h"
#include "tracer/synth/script/script.h"

#include <stdlib.h>
#include <string.h>

/* Seconds of verifying runs, in this process and in processes of their own, if the caller gave no
   number: a script that still sleeps is verified in fewer runs. */
static const double verify_s = 10, fresh_s = 5;
/* A script counts as slower than the test beyond what a busy machine makes of equal times. */
static const double slower_factor = 2, slower_s = 2;
enum {
	FRESH_RUNS = 10,
	FRESH_LEAST = 4,
	RUNS_USUAL = 20,
	RUNS_LEAST = 5,
	LEARN_MOST = 5,
	COUNT_MOST = 6
};
enum { AGAIN_RUNS = 10 };
/* Parts of the remaining time. */
static const double alone_part = 0.4, again_part = 0.5, gated_part = 0.5;

/* ---- what the sleeps order ---- */

/* Makes the first watched run. Returns NULL if being watched changes the outcome. */
static struct convert_record *learn_first(struct convert *c)
{
	struct convert_record *r = convert_watch_run(c);

	return r && convert_is_long(c) && !c->x.hasten && convert_by_clock(c, r) ? NULL : r;
}

/* Leaves sleeps that are longer than an unchanged run. */
static void leave_rare(struct convert *c)
{
	array_each(struct convert_site, site, &c->plan.sites) {
		STR(why);

		if ((double)site->ns / 1e9 <= c->shortest)
			continue;
		str_addf(&why, "not every run sleeps there: one took %.3f s", c->shortest);
		convert_leave(site, str_text(&why));
	}
}

/* An event counts once two runs show it; an event that one of them lacks is dropped. Returns 0 or
   -1. */
static int learn_twice(struct convert *c)
{
	struct convert_record *r;
	bool same = false;

	experiment_say(&c->x, "learning");
	r = learn_first(c);
	if (r)
		convert_learn(&c->plan, r);
	if (r)
		leave_rare(c);
	for (int i = 1; r && !same && i < LEARN_MOST; i++) {
		r = convert_watch_run(c);
		same = r && (convert_confirm(&c->plan, r) || !convert_count_converted(&c->plan));
	}
	return r ? 0 : convert_not_learned(c);
}

/* Counts, by the rules of gates, which arrivals the orders mean, until two runs agree. Returns 0 or
   -1. */
static int count(struct convert *c)
{
	struct convert_record *r = NULL;
	bool same = false;

	for (int i = 0; !same && i < COUNT_MOST; i++) {
		STR(text);

		convert_probe(&c->plan, &text);
		experiment_say(&c->x, "counting");
		r = convert_use_script(c, str_text(&text)) < 0 ? NULL : convert_watch_run(c);
		if (!r)
			break;
		same = convert_count(&c->plan, r);
	}
	return r ? 0 : convert_not_learned(c);
}

/* Returns the number of arrivals at the script's first place. */
static unsigned long times_of(const struct convert_record *r)
{
	return r->arrivals.count ? r->arrivals.items[0] : 0;
}

/* Returns 1 if the line is in a loop that passes it more often without the sleep, 0, or -1. A sleep
   of zero length is not recorded, so site->times may be too small. */
static int is_loop(struct convert *c, const struct convert_site *site, unsigned long times)
{
	struct convert_record usual = {0};
	STR(text);
	int loop;

	if (site->times <= 1 || times <= site->times)
		return 0;
	convert_probe_site(site, &text);
	loop = convert_alone(c, str_text(&text), &usual) < 0 ? -1 : times > times_of(&usual);
	convert_record_fini(&usual);
	return loop;
}

/* Removes this sleep alone: sets site->matters if the outcome differs. Returns 0 or -1. */
static int without(struct convert *c, size_t i)
{
	struct convert_site *site = &c->plan.sites.items[i];
	struct convert_record run = {0};
	const char *sleeps;
	STR(text);
	int same, loop;

	experiment_say(&c->x, "without one sleep");
	convert_elide_only(&c->plan, i, &text);
	same = convert_alone(c, str_text(&text), &run);
	loop = same < 0 ? -1 : is_loop(c, site, times_of(&run));
	if (loop >= 0) {
		site->matters = !same;
		sleeps = convert_still_sleeps(&c->plan, &run, i);
		if (sleeps)
			convert_leave(site, sleeps);
		if (loop)
			convert_leave(site, convert_why_loop(times_of(&run), run.clock_reads));
	}
	convert_record_fini(&run);
	return loop < 0 ? -1 : 0;
}

/* True if removing this sleep alone shows nothing: all its orders are kept even if the outcome does
   not depend on them, and no loop could pass it more often. */
static bool is_plain(const struct convert *c, const struct convert_site *site)
{
	return !c->needed && site->times == 1 && !site->unseen;
}

/* Removes each sleep alone. A sleep that there is no time to remove counts as one that matters.
   Returns 0 or -1. */
static int alone(struct convert *c)
{
	bool failed = false;

	convert_grant(c, CONVERT_CHOOSE_PART * alone_part);
	for (size_t i = 0; i < c->plan.sites.count; i++) {
		struct convert_site *site = &c->plan.sites.items[i];

		site->matters = failed;
		if (site->left || site->matters || is_plain(c, site))
			continue;
		failed = without(c, i) < 0;
		site->matters |= failed;
	}
	if (failed && !c->x.expired)
		return -1;
	convert_grant(c, CONVERT_CHOOSE_PART);
	return 0;
}

/* ---- the result ---- */

static int convert_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Writes an expect of the end that was verified. */
static void add_expect(const struct convert *c, struct str *out)
{
	static const char exits[] = "exit status ", ends[] = "ended by signal SIG";
	const char *came = str_text(&c->outcome.came);
	STR(expect);

	if (strncmp(came, exits, sizeof(exits) - 1) == 0)
		script_expect(SCRIPT_END_EXIT, atoi(came + sizeof(exits) - 1), NULL, NULL, &expect);
	else if (strncmp(came, ends, sizeof(ends) - 1) == 0)
		script_expect(SCRIPT_END_SIGNAL, signame_number(came + sizeof(ends) - 1), NULL,
			      NULL, &expect);
	else if (strcmp(came, "a deadlock") == 0)
		script_expect(SCRIPT_END_DEADLOCK, 0, NULL, NULL, &expect);
	if (expect.length)
		str_addf(out, "%s\n", str_text(&expect));
}

static bool next_verifying(void *ctx)
{
	struct convert *c = ctx;
	STR(what);

	str_addf(&what, "verifying, %lu of %lu", c->verified + 1, c->wanted);
	experiment_say(&c->x, str_text(&what));
	return c->verified < c->wanted;
}

static int judge_verifying(const struct oracle_question *q, struct run_result *r)
{
	struct convert *c = q->ctx;

	c->took[c->verified++] = r->seconds;
	c->verifying += r->seconds;
	if (!c->given_runs && c->verified >= RUNS_LEAST &&
	    (c->verifying > verify_s || convert_is_late(c)))
		c->wanted = c->verified;
	return convert_judge(q, r);
}

static unsigned long fresh_runs(const struct convert *c)
{
	unsigned long most = c->wanted < FRESH_RUNS ? c->wanted : FRESH_RUNS;

	while (!c->given_runs && most > FRESH_LEAST &&
	       ((double)most * c->after > fresh_s || convert_is_late(c)))
		most--;
	return most;
}

/* Returns 1 if all runs had the outcome, 0 if one did not, -1 to stop. */
static int verify(struct convert *c)
{
	struct oracle_question q;
	int same;
	STR(text);

	convert_script(&c->plan, "", &text);
	if (convert_use_script(c, str_text(&text)) < 0 ||
	    (convert_count_converted(&c->plan) && convert_till_rest(c) < 0))
		return -1;
	str_clear(&text);
	same = convert_plan_holds(c, 1);
	q = convert_question(c, 0);
	q.next = next_verifying;
	q.judge = judge_verifying;
	c->verified = 0;
	c->verifying = 0;
	c->wanted = c->given_runs ? c->given_runs : RUNS_USUAL;
	if (same > 0)
		same = convert_ask(c, &q);
	if (same < 0 && c->x.expired && c->verified >= RUNS_LEAST)
		same = 1;
	qsort(c->took, c->verified, sizeof(*c->took), convert_compare);
	c->after = c->verified ? c->took[c->verified / 2] : 0;
	if (same <= 0)
		return same;
	convert_script(&c->plan, "", &text);
	add_expect(c, &text);
	if (convert_use_script(c, str_text(&text)) < 0)
		return -1;
	return convert_fresh(c, fresh_runs(c));
}

static void head(const struct convert *c, struct str *out)
{
	STR(words);

	for (char *const *word = c->x.options->argv; *word; word++) {
		str_add(&words, " ");
		foreign_shell_word(&words, *word);
	}
	foreign_lua_comment(out, "Made by gatectl convert from%s: %s in %lu runs.",
			    str_text(&words), str_text(&c->outcome.came), c->verified);
	array_each(const struct convert_site, site, &c->plan.sites) {
		if (!site->left)
			continue;
		str_clear(&words);
		convert_site_words(site, &words);
		foreign_lua_comment(out, "%s: %s.",
				    c->plan.till_rest ? "Ends at rest" : "Left as it is",
				    str_text(&words));
		foreign_lua_comment(out, "    %s", site->left);
	}
}

/* Returns the part of the time left for a script with gates. One without is known to work. */
static double gates_part(const struct convert *c)
{
	return convert_can_rest(c) ? gated_part : 1;
}

/* Verifies the script as it is, then with all orders that were seen, then without the sites that
   change the outcome. Returns 1, 0 or -1. */
static int verified(struct convert *c)
{
	int same = verify(c);

	if (same == 0 && c->plan.till_rest) {
		c->plan.no_rest = true;
		same = verify(c);
	}
	if (same == 0 && convert_take_back(c))
		same = verify(c);
	if (same || convert_is_late(c))
		return same;
	convert_grant(c, again_part);
	if (convert_one_by_one(c, AGAIN_RUNS) < 0 && !c->x.expired)
		return -1;
	c->late |= c->x.expired;
	convert_grant(c, gates_part(c));
	if (!convert_count_converted(&c->plan))
		return 0;
	return verify(c);
}

/* Verifies the script without gates, in which all sleeps end at rest. Returns 1, 0 or -1. */
static int rests(struct convert *c)
{
	static const char why[] = "no gates in its place keep the outcome in every run";

	array_each(struct convert_site, site, &c->plan.sites)
		convert_leave(site, why);
	c->plan.till_rest = true;
	convert_grant(c, 1);
	return verify(c);
}

static int finish(struct convert *c)
{
	STR(first);
	int same = 0;

	if (c->x.expired)
		convert_leave_untried(c, false);
	convert_grant(c, gates_part(c));
	if (convert_count_converted(&c->plan))
		same = verified(c);
	if (experiment_is_over(&c->x))
		return -1;
	if ((same <= 0 || !convert_count_converted(&c->plan)) && convert_can_rest(c))
		same = rests(c);
	else if (!convert_count_converted(&c->plan))
		return convert_none(c);
	if (same <= 0)
		return c->x.expired ? -1 : convert_unverified(c);
	if (c->after > slower_factor * c->seconds + slower_s)
		return convert_slower(c);
	head(c, &first);
	convert_script(&c->plan, str_text(&first), &c->script);
	add_expect(c, &c->script);
	return 0;
}

static int all(struct convert *c)
{
	convert_grant(c, CONVERT_CHOOSE_PART);
	if (convert_baseline(c) < 0 || learn_twice(c) < 0)
		return -1;
	if (!convert_count_converted(&c->plan))
		return convert_none(c);
	convert_words(&c->plan, c->x.symbols, c->records.items[0]->program);
	if (alone(c) < 0 || count(c) < 0)
		convert_leave_untried(c, true);
	else
		convert_choose(c);
	return experiment_is_over(&c->x) ? -1 : finish(c);
}

int convert_test(struct convert *c)
{
	int failed;

	c->oracle.x = &c->x;
	c->wanted = c->given_runs ? c->given_runs : RUNS_USUAL;
	c->took = base_alloc(c->wanted, sizeof(*c->took));
	failed = all(c);
	return failed && c->x.expired ? convert_late(c) : failed;
}

size_t convert_count_converted(const struct convert_plan *p)
{
	size_t n = 0;

	array_each(const struct convert_site, site, &p->sites)
		n += !site->left;
	return n;
}

void convert_fini(struct convert *c)
{
	convert_plan_fini(&c->plan);
	oracle_fini(&c->oracle);
	convert_forget_runs(c);
	array_fini(&c->records);
	experiment_outcome_fini(&c->outcome);
	str_fini(&c->differs);
	base_free(c->took);
	str_fini(&c->script);
}
