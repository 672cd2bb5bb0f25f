/*
 * gatectl convert: a gate script from a test that orders its threads by sleeping. The test is run as it
 * is, then it is watched, to see what its sleeps order; then each is taken away alone; then all of
 * them, with gates instead, until only those gates are left that the outcome depends on.
 */
#include "tracer/cli/convert.h"
#include "tracer/cli/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RUNS_USUAL = 20, ALONE_MOST = 12, LEARN_MOST = 5, COUNT_MOST = 4 };

/* ---- what the sleeps order -------------------------------------------------------------------- */

static int fail(struct convert *c, const struct error *err)
{
	progress_erase(&c->progress);
	c->status = output_error(c->cli, err);
	return -1;
}

static int not_learned(struct convert *c)
{
	struct error err = {0};

	if (c->status >= 0)
		return -1;
	error_set(&err, ERROR_STATE,
		  "the outcome of %s is another one when every sleep lasts until nobody else "
		  "works any more, or when it is watched: %s",
		  c->cli->rest[0], str_text(&c->differs));
	error_hint(&err, "it depends on the time itself; such a test has to be changed by hand");
	return fail(c, &err);
}

/* What one run shows is taken for granted when another has shown the same; what one of them has not shown
   does not count. */
static int learn(struct convert *c)
{
	struct convert_record *r = NULL;
	bool same = false;

	for (int i = 0; !same && i < LEARN_MOST; i++) {
		convert_say(c, "learning");
		r = convert_watch_run(c);
		if (!r)
			return not_learned(c);
		if (i == 0)
			convert_learn(&c->plan, r);
		else
			same = convert_confirm(&c->plan, r);
	}
	return 0;
}

/* Which arrivals they are is counted by gates' own rules, until two runs say the same. */
static int count(struct convert *c)
{
	struct str text = {0};
	struct error err = {0};
	struct convert_record *r = NULL;
	bool same = false;

	convert_probe(&c->plan, &text);
	for (int i = 0; !same && i < COUNT_MOST; i++) {
		convert_say(c, "counting");
		r = convert_use_script(c, str_text(&text), &err) < 0 ? NULL : convert_watch_run(c);
		if (!r)
			break;
		same = convert_count(&c->plan, r);
	}
	str_fini(&text);
	if (!r)
		return not_learned(c);
	convert_name_events(&c->plan);
	return 0;
}

/* 1 the outcome is the same with this script, 0, or -1. */
static int run_site(struct convert *c, size_t site, const struct str *text, unsigned long *times,
		    bool *sleeps)
{
	struct error err = {0};

	return convert_use_script(c, str_text(text), &err) < 0
		       ? -1
		       : convert_alone(c, site, times, sleeps);
}

/* It comes by more often when it does not sleep. A sleep of no time is no sleep, and need not be
   counted by now. 1, 0, or -1. */
static int is_loop(struct convert *c, size_t site, unsigned long times)
{
	const struct convert_site *s = &c->plan.sites.items[site];
	struct str text = {0};
	unsigned long usual = 0;
	bool ignored;
	int same;

	if (s->times <= 1 || times <= s->times)
		return 0;
	convert_probe_site(&c->plan, site, &text);
	same = run_site(c, site, &text, &usual, &ignored);
	str_fini(&text);
	return same < 0 ? -1 : times > usual;
}

/* Does its removal alone change the outcome? */
static int alone(struct convert *c)
{
	for (size_t i = 0; i < c->plan.sites.count && i < ALONE_MOST; i++) {
		struct str text = {0};
		struct convert_site *site = &c->plan.sites.items[i];
		unsigned long times = 0;
		bool sleeps = false;
		int same, loop;

		if (site->left)
			continue;
		convert_say(c, "without one sleep");
		convert_elide_only(&c->plan, i, &text);
		same = run_site(c, i, &text, &times, &sleeps);
		str_fini(&text);
		loop = same < 0 ? -1 : is_loop(c, i, times);
		if (loop < 0)
			return -1;
		site->matters = !same;
		if (sleeps)
			convert_leave(site, "the code of its line begins elsewhere; put the sleep "
					    "on a line of its own, and build the test with -g -O0");
		if (loop)
			convert_leave(site,
				      "it sleeps in a loop, until something else has happened");
	}
	return 0;
}

/* ---- the result ------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void say_verifying(struct convert *c, unsigned long runs)
{
	struct str what = {0};

	str_addf(&what, "verifying, %lu of %lu", c->verified + 1, runs);
	convert_say(c, str_text(&what));
	str_fini(&what);
}

/* 1 every time, 0, or -1. */
static int verify(struct convert *c, unsigned long runs)
{
	const struct session_trial plain = {0};
	double *took = base_alloc(runs, sizeof(*took));
	int same = convert_plan_same(c, 1);

	for (c->verified = 0; same > 0 && c->verified < runs; c->verified++) {
		struct session_result r;

		say_verifying(c, runs);
		same = convert_trial(c, &plain, &r);
		if (same < 0)
			break;
		took[c->verified] = r.seconds;
		session_result_fini(&r);
	}
	qsort(took, c->verified, sizeof(*took), compare);
	c->after = c->verified ? took[c->verified / 2] : 0;
	base_free(took);
	return same;
}

static size_t converted(const struct convert_plan *p)
{
	size_t n = 0;

	array_each(const struct convert_site, site, &p->sites)
		n += !site->left;
	return n;
}

static void print_site(const struct convert_plan *p, size_t i)
{
	const struct convert_site *site = &p->sites.items[i];
	size_t gates = 0;
	struct str words = {0};

	array_each(const struct convert_order, o, &p->orders)
		gates += o->site == i && !o->dropped;
	convert_site_words(site, &words);
	if (site->left)
		printf("  left       %s: %s\n", str_text(&words), site->left);
	else
		printf("  converted  %s: %zu order%s\n", str_text(&words), gates,
		       gates == 1 ? "" : "s");
	str_fini(&words);
}

static void print_summary(const struct convert *c)
{
	printf("%s: %zu of %zu sleeps converted\n", c->cli->output, converted(&c->plan),
	       c->plan.sites.count);
	for (size_t i = 0; i < c->plan.sites.count; i++)
		print_site(&c->plan, i);
	printf("verified: the same outcome in %lu of %lu runs (%s)\n", c->verified, c->verified,
	       str_text(&c->came));
	if (c->unsteady)
		printf("as it is, the test did not come out alike each time: its sleeps are too "
		       "short for a machine as busy as this one\n");
	printf("time: %.3f s before, %.3f s after: %.1f times as fast\n", c->seconds, c->after,
	       c->after > 0 ? c->seconds / c->after : 0);
}

static void head(const struct convert *c, struct str *out)
{
	str_add(out, "-- Made by gatectl convert from");
	for (int i = 0; i < c->cli->rest_count; i++) {
		str_add(out, " ");
		str_add_on_line(out, c->cli->rest[i]);
	}
	str_addf(out, ": %s.\n-- Gates instead of sleeps: the outcome was the same in %lu runs.\n",
		 str_text(&c->came), c->verified);
	array_each(const struct convert_site, site, &c->plan.sites) {
		if (!site->left)
			continue;
		str_add(out, "-- Left as it is: ");
		convert_site_words(site, out);
		str_addf(out, ".\n--     %s\n", site->left);
	}
}

static int write_script(struct convert *c)
{
	struct str first = {0}, text = {0};
	struct error err = {0};
	int failed;

	head(c, &first);
	convert_script(&c->plan, str_text(&first), &text);
	failed = file_replace(c->cli->output, str_text(&text), &err);
	str_fini(&first);
	str_fini(&text);
	return failed < 0 ? fail(c, &err) : 0;
}

static bool has_harmless(const struct convert_plan *p)
{
	array_each(const struct convert_site, site, &p->sites)
		if (!site->matters && strncmp(site->left, "not for ordering", 16) == 0)
			return true;
	return false;
}

static int no_sleep(struct convert *c)
{
	const struct convert_record *r = c->records.items[0];
	struct error err = {0};

	if (r->program && !module_has_debug(r->program)) {
		error_set(&err, ERROR_STATE,
			  "%s has no debug information: where it sleeps cannot be named",
			  c->cli->rest[0]);
		error_hint(&err, "build it with -g, best with -O0");
	} else {
		error_set(&err, ERROR_STATE, "%s does not sleep in code of its own",
			  c->cli->rest[0]);
		error_hint(&err, "there is nothing to convert; sleeps of code without -g, and of "
				 "libraries, are not seen");
	}
	return fail(c, &err);
}

static int nothing(struct convert *c)
{
	struct error err = {0};
	struct str why = {0};

	if (!c->plan.sites.count)
		return no_sleep(c);
	array_each(const struct convert_site, site, &c->plan.sites) {
		str_add(&why, why.length ? "; " : "");
		convert_site_words(site, &why);
		str_addf(&why, ": %s", site->left);
	}
	error_set(&err, ERROR_STATE, "no sleep of %s can be converted: %s", c->cli->rest[0],
		  str_text(&why));
	if (has_harmless(&c->plan) && !c->cli->all)
		error_hint(&err, "gatectl convert --all keeps the order that they make, and "
				 "converts them, too");
	else
		error_hint(&err, "write the script by hand, gatectl-gates(5)");
	str_fini(&why);
	return fail(c, &err);
}

static int unverified(struct convert *c)
{
	struct error err = {0};

	if (c->status >= 0)
		return -1;
	error_set(&err, ERROR_STATE,
		  "with gates instead of sleeps the outcome of %s is not always the same (%lu runs "
		  "were): %s",
		  c->cli->rest[0], c->verified, str_text(&c->differs));
	error_hint(&err,
		   "its order depends on something that gatectl does not see; write the script "
		   "by hand, gatectl-gates(5)");
	return fail(c, &err);
}

/* ---- the command ------------------------------------------------------------------------------ */

static int finish(struct convert *c)
{
	unsigned long runs = c->cli->runs ? c->cli->runs : RUNS_USUAL;
	int same;

	if (!converted(&c->plan))
		return nothing(c);
	convert_name_events(&c->plan); /* names of what is dropped are free again */
	same = verify(c, runs);
	if (same == 0 && convert_take_back(&c->plan)) {
		convert_name_events(&c->plan);
		same = verify(c, runs);
	}
	if (same <= 0)
		return unverified(c);
	if (write_script(c) < 0)
		return -1;
	progress_erase(&c->progress);
	print_summary(c);
	c->status = fflush(stdout) == EOF ? VERDICT_ERROR : 0;
	return 0;
}

static int all(struct convert *c)
{
	struct error err = {0};

	if (convert_baseline(c, &err) < 0 || learn(c) < 0)
		return -1;
	if (!converted(&c->plan))
		return nothing(c);
	convert_words(&c->plan, c->symbols, c->records.items[0]->program);
	if (alone(c) < 0 || count(c) < 0 || convert_choose(c, c->cli->all) < 0)
		return -1;
	return finish(c);
}

/* Before anything takes long: can the script be written there? */
static int check_output(const char *path, struct error *err)
{
	char *real = realpath(path, NULL);
	const char *file = real ? real : path, *slash = strrchr(file, '/');
	char *dir = slash ? base_strndup(file, (size_t)(slash - file) + 1) : base_strdup(".");
	struct stat is;
	bool there = stat(path, &is) == 0;
	int failed = access(there && !S_ISREG(is.st_mode) ? path : dir, W_OK);

	if (there && S_ISDIR(is.st_mode)) {
		errno = EISDIR;
		failed = -1;
	}
	if (failed < 0)
		error_errno(err, ERROR_SYSTEM, "%s cannot be written", path);
	base_free(dir);
	free(real);
	return failed;
}

int command_convert(struct cli *cli)
{
	struct convert c = {.cli = cli, .status = -1};
	struct error err = {0};

	if (!cli->output) {
		error_set(&err, ERROR_USAGE, "convert: no file for the script was given");
		error_hint(&err, "gatectl convert -o FILE.lua PROG");
		return output_error(cli, &err);
	}
	if (check_output(cli->output, &err) < 0)
		return output_error(cli, &err);
	c.symbols = symbols_new();
	progress_begin(&c.progress, !cli->session.quiet && !cli->session.verbose, cli->color);
	cli->session.quiet |= !cli->session.verbose;
	session_signals_hold();
	all(&c);
	convert_plan_fini(&c.plan);
	convert_runs_fini(&c);
	symbols_free(c.symbols);
	return runs_end(c.status);
}
