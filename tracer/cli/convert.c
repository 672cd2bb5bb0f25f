/* gatectl convert: writes the script, and prints which sleeps were converted. */
#include "tracer/synth/sleeps/convert.h"
#include "tracer/cli/cli.h"
#include "tracer/cli/progress.h"

#include "tracer/base/files/file.h"
#include "tracer/base/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ESTIMATE_FROM_S = 1, SECONDS_USUAL = 60, REASON_MOST = 240 };

static void print_site(const struct convert_plan *p, size_t i)
{
	const struct convert_site *site = &p->sites.items[i];
	size_t gates = convert_orders_of(p, i);
	STR(words);

	convert_site_words(site, &words);
	if (site->left) {
		str_add(&words, ": ");
		str_add_short(&words, site->left, REASON_MOST);
		output_print("  %s  %s\n", p->till_rest ? "at rest  " : "left     ",
			     str_text(&words));
	} else {
		output_print("  converted  %s: %zu order%s\n", str_text(&words), gates,
			     gates == 1 ? "" : "s");
	}
}

static void print_summary(const struct convert *c, const char *output)
{
	output_print("%s: %zu of %zu sleeps converted\n", output, convert_count_converted(&c->plan),
		     c->plan.sites.count);
	for (size_t i = 0; i < c->plan.sites.count; i++)
		print_site(&c->plan, i);
	if (c->plan.till_rest)
		output_print("  at rest    sleeps and time-outs without gates\n");
	output_print("verified: the same outcome in %lu of %lu runs (%s)\n", c->verified,
		     c->verified, str_text(&c->outcome.came));
	if (c->verified < c->wanted)
		output_print("%lu runs were asked for: the %g s of --for were over before\n",
			     c->wanted, c->x.most);
	if (c->unsteady)
		output_print(
			"as it is, the test did not come out alike each time: its sleeps are too "
			"short for a machine as busy as this one\n");
	output_print("time: %.3f s before, %.3f s after: %.1f times as fast\n", c->seconds,
		     c->after, c->after > 0 ? c->seconds / c->after : 0);
}

/* Checks that the script can be written, before anything takes long. */
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

/* Writes the script and prints the summary. Returns the exit status. */
static int report(const struct cli *cli, const struct convert *c)
{
	ERROR(err);

	if (file_replace(cli->output, str_text(&c->script), &err) < 0)
		return output_error(cli, &err);
	print_summary(c, cli->output);
	return 0;
}

struct converting {
	struct progress progress;
	const struct convert *convert;
};

/* After the first run of a test that is not short: says on a terminal how long converting takes. */
static int print_estimate(void *ctx, const struct run_result *r, struct error *err)
{
	struct converting *own = ctx; /* the progress bar is its first member */
	const struct convert *c = own->convert;
	double about, most = 0;
	STR(line);

	(void)err;
	if (c->x.made > 1 || r->seconds < ESTIMATE_FROM_S || !own->progress.shown)
		return 0;
	about = convert_estimate(c, r->seconds, &most);
	str_addf(&line, "gatectl: note: one run takes %.1f s: converting takes about %.0f s",
		 r->seconds, about);
	if (most > 0)
		str_addf(&line, ", at most %.0f s (--for)", most);
	progress_erase(&own->progress);
	log_line("%s", str_text(&line));
	return 0;
}

int command_convert(struct cli *cli)
{
	struct convert c = {.needed = cli->all, .given_runs = cli->runs};
	struct converting own = {.convert = &c};
	ERROR(err);
	int status;

	if (!cli->output) {
		error_set(&err, ERROR_USAGE, "convert: no file for the script was given");
		error_hint(&err, "gatectl convert -o FILE.lua PROG");
		return output_error(cli, &err);
	}
	if (check_output(cli->output, &err) < 0)
		return output_error(cli, &err);
	experiment_begin(&c.x, &cli->run, &err);
	c.given_time = cli->most_seconds >= 0;
	c.x.most = c.given_time ? cli->most_seconds : SECONDS_USUAL;
	progress_begin(&own.progress, cli, &c.x.view);
	c.x.view.ran = print_estimate;
	status = convert_test(&c);
	progress_erase(&own.progress);
	status = status < 0 ? output_over(cli, &c.x) : report(cli, &c);
	convert_fini(&c);
	return experiment_end(&c.x, status);
}
