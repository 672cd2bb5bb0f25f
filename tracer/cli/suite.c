/* gatectl explore --ctest, --gtest, --list: the table on standard output, the verdict on standard
   error. */
#include "tracer/suite/suite.h"
#include "tracer/base/files/path.h"
#include "tracer/base/hash.h"
#include "tracer/cli/cli.h"
#include "tracer/cli/progress.h"
#include "tracer/cli/report/report.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEARCH_S = 10, NAME_LEAST = 4, NAME_MOST = 72 };

struct suite_view {
	struct suite suite;
	struct cli *cli;
	struct progress bar;
	struct experiment_view view;
	size_t width; /* of the column of names */
	size_t next;  /* first row that is not printed */
};

/* ---- options --------------------------------------------------------------------------------- */

bool suite_is_asked(const struct cli *cli)
{
	return cli->suite.ctest || cli->suite.gtest || cli->suite.list;
}

int suite_check(const struct cli *cli, struct error *err)
{
	const struct cli_suite *o = &cli->suite;
	int kinds = !!o->ctest + !!o->gtest + !!o->list;

	if (kinds > 1)
		return error_set(err, ERROR_USAGE,
				 "explore: --ctest, --gtest and --list: only one can be given");
	if (o->regex && !kinds)
		return error_set(err, ERROR_USAGE,
				 "explore: -R chooses tests of --ctest, --gtest or --list");
	if (kinds &&
	    (cli->schedule || cli->merge || cli->run.scripts.count || cli->run.orders.count))
		return error_set(err, ERROR_USAGE,
				 "explore: --gates, --order and --merge are for one program, not "
				 "for a suite");
	return 0;
}

/* Adds what changes the results of a search. */
static uint64_t digest_of(const struct cli *cli)
{
	const struct explore_options *o = &cli->explore;
	uint64_t words[] = {o->depth,
			    o->bound,
			    o->points,
			    o->runs,
			    o->steps,
			    (uint64_t)(o->hang * 1000),
			    o->seed,
			    o->all,
			    o->verify,
			    o->time,
			    o->spurious,
			    o->flags,
			    (uint64_t)(o->seconds * 1000),
			    (uint64_t)cli->run.kinds[STDOUT_FILENO]};
	uint64_t hash = hash_bytes(HASH_START, words, sizeof(words));

	hash = hash_text(hash_word(hash_text(hash, o->strategy), 0), o->location);
	return hash_text(hash_word(hash, 0), o->from);
}

static unsigned count_processors(void)
{
	cpu_set_t all;

	return sched_getaffinity(0, sizeof(all), &all) < 0 ? 1 : (unsigned)CPU_COUNT(&all);
}

static const char *source_of(const struct cli *cli)
{
	const struct cli_suite *o = &cli->suite;

	return o->ctest ? o->ctest : o->gtest ? o->gtest : o->list;
}

static int read_tests(const struct cli *cli, struct suite_tests *tests, struct error *err)
{
	const struct cli_suite *o = &cli->suite;
	struct texts argv = {0};
	int failed;

	if (!o->gtest && cli->rest_count) {
		error_set(err, ERROR_USAGE, "explore: %s: a suite of %s takes no other program",
			  cli->rest[0], o->ctest ? "--ctest" : "--list");
		return error_hint(err, "gatectl explore --help");
	}
	if (!o->gtest)
		return o->ctest ? suite_read_ctest(o->ctest, tests, err)
				: suite_read_list(o->list, tests, err);
	*array_add(&argv) = o->gtest;
	for (int i = 0; i < cli->rest_count; i++)
		*array_add(&argv) = cli->rest[i];
	(void)array_add(&argv);
	failed = suite_read_gtest((char *const *)argv.items, tests, err);
	array_fini(&argv);
	return failed;
}

/* Makes the path absolute: each test has a folder of its own as working directory. */
static char *absolute(const char *path)
{
	char *cwd = *path == '/' ? NULL : getcwd(NULL, 0);
	struct str out = {0};

	str_addf(&out, "%s%s%s", cwd ? cwd : "", cwd ? "/" : "", path);
	free(cwd);
	return str_take(&out);
}

/* ---- the search of one test, in its process -------------------------------------------------- */

static void set_report(struct cli *cli, const char *folder, const char *name)
{
	struct str path = {0};

	str_addf(&path, "%s/%s", folder, name);
	*array_add(&cli->run.reports) = str_take(&path); /* until the process ends */
}

static int search(void *ctx, const struct suite_test *test, const char *folder, const char *script)
{
	const struct suite_view *w = ctx;
	struct cli cli = *w->cli;

	cli.suite = (struct cli_suite){.is_test = true};
	cli.run.argv = test->argv.items;
	cli.run.reports = (struct texts){0};
	cli.run.quiet = cli.run.verbose = false;
	cli.output = folder;
	cli.color = false;
	cli.explore.jobs = 1;
	cli.explore.shard = cli.explore.shards = 1;
	set_report(&cli, folder, "report.json");
	set_report(&cli, folder, "report.html");
	if (script)
		*array_add(&cli.run.scripts) = script;
	return command_explore(&cli);
}

/* ---- the table ------------------------------------------------------------------------------- */

static size_t name_width(const struct suite *s)
{
	size_t width = NAME_LEAST;

	for (size_t i = 0; i < s->tests.count; i++) {
		size_t length = strlen(s->tests.items[i].name);

		if (s->is_mine[i] && length > width)
			width = length;
	}
	return width > NAME_MOST ? NAME_MOST : width;
}

static void add_number(const struct suite_result *r, unsigned long number, int width,
		       struct str *out)
{
	if (r->schedules)
		str_addf(out, "  %*lu", width, number);
	else
		str_addf(out, "  %*s", width, "-");
}

/* The place without the kind's article: "a deadlock at bank.c:32". */
static void add_end(const struct suite_result *r, struct str *out)
{
	const char *folder = r->script ? r->script : r->failure_folder;

	if (r->verdict == SUITE_FAILED)
		str_addf(out, "  %s: %s", r->where ? r->where : "?",
			 folder ? path_shown(folder) : "no folder");
	if (r->reason)
		str_addf(out, "%s%s", r->verdict == SUITE_FAILED ? "; " : "  ", r->reason);
}

static void print_row(const struct suite_view *w, size_t i)
{
	const struct suite_result *r = &w->suite.results[i];
	bool failed = r->verdict == SUITE_FAILED;
	STR(row);

	str_addf(&row, "%-*s", (int)w->width, w->suite.tests.items[i].name);
	add_number(r, r->threads, 7, &row);
	add_number(r, r->schedules, 9, &row);
	str_addf(&row, "  %-10s  %-9s  %-12s", suite_verdict_word(r->verdict),
		 failed && r->kind ? r->kind : "-", failed && r->is_timed ? "yes" : "-");
	add_end(r, &row);
	while (row.length && row.text[row.length - 1] == ' ')
		row.text[--row.length] = '\0';
	output_line(&row);
}

static void print_head(const struct suite_view *w)
{
	STR(row);

	str_addf(&row, "%-*s  threads  schedules  verdict     kind       time-related",
		 (int)w->width, "test");
	output_line(&row);
}

/* Prints rows in the order of the suite, each as soon as those before it are known. */
static void on_progress(void *ctx)
{
	struct suite_view *w = ctx;
	const struct suite *s = &w->suite;

	progress_erase(&w->bar);
	for (; w->next < s->tests.count; w->next++) {
		if (!s->is_mine[w->next])
			continue;
		if (!s->is_done[w->next])
			break;
		print_row(w, w->next);
	}
	output_flush();
	w->view.progress(w->view.ctx, s->done, s->mine, "searching");
}

static void print_rest(struct suite_view *w)
{
	for (; w->next < w->suite.tests.count; w->next++)
		if (w->suite.is_mine[w->next])
			print_row(w, w->next);
	output_flush();
}

/* ---- the verdict ----------------------------------------------------------------------------- */

struct suite_counts {
	size_t verdict[SUITE_VERDICT_KINDS], timed, earlier;
	unsigned long schedules;
	const struct suite_test *first; /* that has failed */
	const struct suite_result *first_result;
};

static struct suite_counts count_results(const struct suite *s)
{
	struct suite_counts c = {0};

	for (size_t i = 0; i < s->tests.count; i++) {
		const struct suite_result *r = &s->results[i];
		bool failed = r->verdict == SUITE_FAILED;

		if (!s->is_mine[i])
			continue;
		c.verdict[r->verdict]++;
		c.timed += failed && r->is_timed;
		c.earlier += r->is_earlier;
		c.schedules += r->schedules;
		if (!failed || (c.first && (r->is_timed || !c.first_result->is_timed)))
			continue;
		c.first = &s->tests.items[i];
		c.first_result = r;
	}
	return c;
}

static void add_found(const struct suite *s, const struct suite_counts *c, struct str *out)
{
	const struct suite_result *r = c->first_result;
	const char *folder = r->script ? r->script : r->failure_folder;

	str_addf(out, "gatectl: found: %zu of %zu tests fail%s; the first: %s: %s",
		 c->verdict[SUITE_FAILED], s->mine, c->verdict[SUITE_FAILED] == 1 ? "s" : "",
		 c->first->name, r->where ? r->where : "?");
	if (folder)
		str_addf(out, "; its %s: %s", r->script ? "script" : "folder", path_shown(folder));
	str_add(out, "\n");
	if (c->timed)
		str_addf(out, "%zu of them only if a thread pauses: time-related\n", c->timed);
}

static void add_count(size_t count, const char *what, struct str *out)
{
	if (count)
		str_addf(out, ", %zu %s", count, what);
}

static void add_counts(const struct suite *s, const struct suite_counts *c, double seconds,
		       struct str *out)
{
	const size_t *n = c->verdict;

	str_addf(out, "%zu test%s in %.1f s: %zu passed", s->mine, str_plural(s->mine), seconds,
		 n[SUITE_PASSED]);
	add_count(n[SUITE_FAILED], "failed", out);
	add_count(n[SUITE_NO_THREADS], "without threads", out);
	add_count(n[SUITE_SKIPPED], "skipped", out);
	add_count(n[SUITE_FAILS_BARE], "failed without gatectl", out);
	add_count(n[SUITE_NOT_RUN], "not searched", out);
	add_count(n[SUITE_NO_RESULT], "without a result", out);
	add_count(n[SUITE_ERROR], "with errors of gatectl", out);
	add_count(n[SUITE_UNFINISHED], "unfinished", out);
	str_addf(out, "; %lu schedule%s\n", c->schedules, str_plural(c->schedules));
	if (c->earlier)
		str_addf(out, "%zu of them by an earlier command with this folder\n", c->earlier);
	if (n[SUITE_UNFINISHED])
		str_add(out, "the same command goes on where this one was ended\n");
	if (s->shards > 1)
		str_addf(out, "this is part %u of %u\n", s->shard, s->shards);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int suite_tell(const struct suite_view *w, double seconds)
{
	const struct suite *s = &w->suite;
	struct cli *cli = w->cli;
	struct suite_counts c = count_results(s);
	int status = c.first ? VERDICT_FOUND : 0;
	STR(found);
	STR(summary);
	ERROR(err);

	status = s->signal ? 128 + s->signal : status;
	if (c.first)
		add_found(s, &c, &found);
	if (found.length)
		output_verdict(cli, str_text(&found), NULL, 0);
	if (!cli->run.quiet)
		add_counts(s, &c, seconds, &summary);
	output_lines(cli, str_text(&summary));
	if (suite_report(cli, s, source_of(cli), status, seconds, &err) == 0)
		return status;
	return output_error(cli, &err);
}

static int suite_begin(struct suite_view *w, struct error *err)
{
	struct suite *s = &w->suite;
	struct cli *cli = w->cli;
	struct explore_options *o = &cli->explore;

	if (cli->most_seconds < 0 && !cli->runs)
		cli->most_seconds = SEARCH_S;
	explore_settle(cli);
	if (o->strategy && !options_is_strategy(o->strategy))
		o->strategy = absolute(o->strategy); /* until the process ends */
	s->jobs = o->jobs ? o->jobs : count_processors();
	s->shard = o->shard;
	s->shards = o->shards;
	s->seconds = o->seconds;
	s->digest = digest_of(cli);
	s->output = absolute(o->output);
	s->search = search;
	s->progress = on_progress;
	s->ctx = w;
	if (reports_check(cli, REPORTS_SEARCH, err) < 0 || found_check(o->output, err) < 0 ||
	    read_tests(cli, &s->tests, err) < 0)
		return -1;
	return suite_select(s, cli->suite.regex, err);
}

int command_suite(struct cli *cli)
{
	struct suite_view w = {.cli = cli};
	double begun = explore_now_s();
	ERROR(err);
	int status;

	if (suite_begin(&w, &err) < 0) {
		status = output_error(cli, &err);
	} else {
		w.width = name_width(&w.suite);
		progress_begin(&w.bar, cli, &w.view);
		w.bar.noun = "test";
		print_head(&w);
		status = suite_run(&w.suite, &err) < 0 ? output_error(cli, &err) : 0;
		progress_end(&w.bar);
		print_rest(&w);
		status = status ? status : suite_tell(&w, explore_now_s() - begun);
	}
	suite_fini(&w.suite);
	return status;
}
