/* gatectl explore: failures and a summary on standard error; each failure in a folder. */
#include "tracer/search/explore.h"
#include "tracer/base/log.h"
#include "tracer/base/text/foreign.h"
#include "tracer/cli/cli.h"
#include "tracer/cli/report/report.h"
#include "tracer/cli/progress.h"
#include "tracer/synth/synth.h"
#include "tracer/sched/schedule/schedule.h"
#include "tracer/features/features.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- options --------------------------------------------------------------------------------- */

/* Seconds for the script of a failure. */
enum { GATES_S = 60 };
/* Extra time for scripts beyond --for: half of the allowed delay of a command, which is the larger
   of 5 s and a tenth. The other half is for the end of a script's search. */
static const double PART_MORE = 0.05, LEAST_MORE_S = 2.5;

const struct explore_options explore_defaults = {
	.depth = 3,
	.bound = 2,
	.points = POINTS_RACES,
	.runs = 10000,
	.steps = 100000,
	.hang = 5,
	.verify = 100,
	.seed = 1,
	.spurious = 2,
	.shard = 1,
	.shards = 1,
};

/* True if the file begins like a schedule and is not named *.lua. */
static bool is_schedule(const char *path)
{
	char line[sizeof(SCHEDULE_WORDS)] = "";
	FILE *file = str_wildcard("*.lua", path) ? NULL : fopen(path, "re");

	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		*line = '\0';
	fclose(file);
	return strcmp(line, SCHEDULE_WORDS) == 0;
}

int explore_take_schedule(struct cli *cli, struct error *err)
{
	size_t kept = 0, count = cli->run.scripts.count;

	for (size_t i = 0; i < count; i++) {
		const char *path = cli->run.scripts.items[i];

		if (!is_schedule(path)) {
			cli->run.scripts.items[kept++] = path;
			continue;
		}
		if (cli->schedule)
			return error_set(err, ERROR_USAGE,
					 "--gates: %s and %s: only one schedule can be given",
					 cli->schedule, path);
		cli->schedule = path;
	}
	cli->run.scripts.count = kept;
	if (cli->schedule && cli->merge)
		return error_set(err, ERROR_USAGE,
				 "--gates: %s is a schedule, and --merge runs no schedule",
				 cli->schedule);
	return 0;
}

void explore_settle(struct cli *cli)
{
	struct explore_options *o = &cli->explore;

	o->output = cli->output ? cli->output : "gatectl-found";
	o->goes_on = cli->output;
	o->all = cli->all;
	o->seconds = cli->most_seconds > 0 ? cli->most_seconds : 0;
	/* ends a run that does not end by itself */
	cli->run.time_limit = o->seconds > 0 ? o->seconds : -1;
	if (cli->runs || o->seconds > 0)
		o->runs = cli->runs;
	o->strategy = o->strategy ? o->strategy : "auto";
	/* a trace is told from others by every access that threads may share */
	if (!o->points_asked && strcmp(o->strategy, "dpor") == 0)
		o->points = POINTS_MEMORY;
}

void explore_settle_gates(const struct cli *cli, double seconds, struct explore_options *o)
{
	double more = seconds * PART_MORE > LEAST_MORE_S ? seconds * PART_MORE : LEAST_MORE_S;

	o->gates_s = cli->gates_seconds < 0 ? GATES_S : cli->gates_seconds;
	o->whole_s = cli->gates_seconds < 0 && seconds > 0 ? seconds + more : 0;
}

/* ---- during the search ----------------------------------------------------------------------- */

struct searching {
	struct progress bar;
	struct str last_words;
	ARRAY(uint64_t) announced; /* keys of failures */
};

/* Prints a line of a strategy in Lua. */
static void explore_print(void *ctx, const char *line)
{
	progress_erase(ctx);
	log_line("%s", line);
}

/* Sets the text that a signal prints, instead of the result, while nothing polls for signals. */
static void prepare_last_words(struct searching *w, const struct explore *e,
			       const struct explore_failure *f)
{
	str_clear(&w->last_words);
	str_addf(&w->last_words,
		 "gatectl: found: %zu failure%s in %lu schedule%s; the last: %s; its schedule: "
		 "%s/schedule\n",
		 e->failures.count, str_plural(e->failures.count), e->runs, str_plural(e->runs),
		 f->where, f->folder);
	run_signals_say(str_text(&w->last_words));
}

static bool is_announced(const struct searching *w, const struct explore_failure *f)
{
	array_each(const uint64_t, key, &w->announced)
		if (*key == f->key)
			return true;
	return false;
}

/* Prints a failure on a terminal once its report gives its place. Of FAILURE_REPORTED_APART another
   process has done that. */
static void announce(struct searching *w, const struct explore *e, const struct explore_failure *f)
{
	const struct explore_options *o = &e->options;

	if (!w->bar.shown || f->progress != FAILURE_REPORTED || is_announced(w, f))
		return;
	*array_add(&w->announced) = f->key;
	progress_erase(&w->bar);
	fprintf(stderr, "found: %s (schedule %lu)%s\n", f->where, f->run,
		!o->verify ? ""
		: o->all   ? ", its script is made after the search"
			   : ", making its script");
}

/* Writes a failure's folder as soon as it is found, and again with its report and script. */
static void found(void *ctx, struct explore *e, struct explore_failure *f)
{
	struct searching *w = ctx;
	ERROR(err);

	run_signals_say(NULL);
	f->is_unwritten = found_write(e, f, e->options.output, &err) < 0;
	if (f->is_unwritten) /* explore_write_all() tries again, and reports the error */
		return;
	prepare_last_words(w, e, f);
	announce(w, e, f);
}

/* ---- failures -------------------------------------------------------------------------------- */

static void add_first_line(const struct explore *e, struct str *out)
{
	const struct explore_failure *f = &e->failures.items[0];

	str_addf(out, "gatectl: found: %zu failure%s in %lu schedule%s; the first: %s",
		 e->failures.count, str_plural(e->failures.count), e->runs, str_plural(e->runs),
		 f->where);
	if (f->script)
		str_addf(out, "; its script: %s", f->script);
	else if (f->folder)
		str_addf(out, "; its schedule: %s/schedule", f->folder);
	str_add(out, "\n");
}

static void add_undisturbed(const struct explore_failure *f, struct str *out)
{
	if (f->undisturbed)
		str_add(out, "the run without preemptions hangs: no particular order of threads is "
			     "needed\n");
}

/* Adds the program's last line on standard error, if its exit status is the failure. */
static void add_last_message(const struct explore_failure *f, struct str *out)
{
	const char *text = str_text(&f->err);
	size_t end = f->err.length, begin;

	while (end && isspace((unsigned char)text[end - 1]))
		end--;
	for (begin = end; begin && text[begin - 1] != '\n';)
		begin--;
	if (strcmp(f->kind, "status") != 0 || begin == end)
		return;
	OWNED(line) = base_strndup(text + begin, end - begin);
	str_add(out, "the program's last message: ");
	foreign_line(out, line);
	str_add(out, "\n");
}

static void add_pause(const struct explore_failure *f, struct str *out)
{
	STR(words);

	explore_pause_words(f, &words);
	if (words.length)
		str_addf(out, "%s\n", str_text(&words));
}

/* Adds what `run` would print, and the replay command if that gives no hint. */
static void add_story(const struct explore_failure *f, struct str *out)
{
	if (f->rerun != RERUN_NONE && f->rerun != RERUN_SAME)
		str_add(out, "a second run of the schedule did not fail like that: the program "
			     "depends on more than the order of its threads\n");
	add_last_message(f, out);
	str_add(out, f->text);
	if (f->folder && !strstr(f->text, "\ntry: "))
		str_addf(out, "try: gatectl replay %s/schedule\n", f->folder);
	if (f->script && !f->forced)
		str_add(out, "the script is not verified: the search was ended\n");
	else if (f->no_script)
		str_addf(out, "no script of gates: %s\n", f->no_script);
	if (f->forced) {
		if (f->is_other)
			str_add(out, "no gates certainly force the schedule that was found first: "
				     "this is "
				     "another schedule with the same failure\n");
		str_add(out, "the script has forced it in ");
		explore_gates_runs(f->forced, f->asked, f->forced_s, out);
		str_add(out, "\n");
		if (f->gates_cut)
			str_addf(out, "%s\n", explore_gates_cut);
	}
}

/* Says why a failure that is not the first has no script, if one was asked for. */
static void add_without_script(const struct explore *e, const struct explore_failure *f,
			       struct str *out)
{
	if (f->script || !f->folder || (!f->no_script && !e->options.verify))
		return;
	str_addf(out, "no script of gates: %s; gatectl explore -g %s/schedule tries again\n",
		 f->no_script ? f->no_script : "the search for one was ended", f->folder);
}

static void add_others(const struct cli *cli, const struct explore *e, struct str *out)
{
	for (size_t i = 1; i < e->failures.count; i++) {
		const struct explore_failure *f = &e->failures.items[i];
		STR(pause);

		explore_pause_words(f, &pause);
		str_addf(out, "%s, in %lu schedule%s: %s%s%s\n", f->where, f->times,
			 str_plural(f->times), f->folder ? f->folder : "not written",
			 pause.length ? "; " : "", str_text(&pause));
		if (cli->run.verbose)
			add_story(f, out);
		else
			add_without_script(e, f, out);
	}
}

static int explore_tell_found(const struct cli *cli, const struct explore *e)
{
	struct str text = {0};

	run_signals_say(NULL);
	add_first_line(e, &text);
	add_pause(&e->failures.items[0], &text);
	add_undisturbed(&e->failures.items[0], &text);
	if (e->keeps_state)
		str_addf(&text, "%s\n", e->keeps_state);
	add_story(&e->failures.items[0], &text);
	add_others(cli, e, &text);
	output_verdict(cli, str_text(&text), NULL, 0);
	str_fini(&text);
	return VERDICT_FOUND;
}

/* A search without a result is no all-clear. */
static int explore_tell_endless(const struct cli *cli, const struct explore *e)
{
	struct str text = {0};

	if (e->cut)
		str_addf(&text, "gatectl: time-limit: no schedule ended within %lu steps\n",
			 e->options.steps);
	else
		str_add(&text, "gatectl: time-limit: no schedule had ended when the time was "
			       "over\n");
	output_verdict(cli, str_text(&text), NULL, 0);
	str_fini(&text);
	return VERDICT_TIME_LIMIT;
}

static int explore_write_all(struct explore *e, struct error *err)
{
	array_each(struct explore_failure, f, &e->failures)
		if ((!f->folder || f->is_unwritten) &&
		    found_write(e, f, e->options.output, err) < 0)
			return -1;
	return 0;
}

/* ---- command --------------------------------------------------------------------------------- */

/* `status`: of an error, or 0; `answer`: the status if there is no failure. */
static int explore_tell(struct cli *cli, struct explore *e, int status, int answer)
{
	struct str summary = {0};
	ERROR(err);

	if (e->failures.count)
		answer = explore_tell_found(cli, e);
	else if (!status && explore_none_ended(e))
		answer = explore_tell_endless(cli, e);
	if ((e->runs || (e->over && e->options.shards > 1)) && !cli->run.quiet)
		explore_summary(e, &summary);
	output_lines(cli, str_text(&summary));
	str_fini(&summary);
	status = status ? status : answer;
	if (explore_report(cli, e, status, &err) == 0 || status == VERDICT_ERROR)
		return status;
	return output_error(cli, &err);
}

/* Failures are reported even if a signal or an error ended the search, or a disk is full. */
static int finish(struct cli *cli, struct explore *e, int answer)
{
	int status = answer < 0 ? output_over(cli, &e->x) : 0;
	ERROR(err);

	if (explore_write_all(e, &err) < 0 || found_write_cuts(e, &err) < 0)
		status = output_error(cli, &err);
	explore_keep(e);
	explore_pauses_sort(e);
	return explore_tell(cli, e, status, answer);
}

static struct explore explore_of(const struct cli *cli)
{
	return (struct explore){.quick = &search_features,
				.full = &sched_features,
				.plain = &all_features,
				.options = cli->explore,
				.ends_alone = cli->suite.is_test};
}

static int explore(struct cli *cli)
{
	struct explore e = explore_of(cli);
	struct searching w = {0};
	ERROR(err);
	int status;

	experiment_begin(&e.x, &cli->run, &err);
	progress_begin(&w.bar, cli, &e.x.view);
	w.bar.search = &e;
	e.x.view.print = explore_print;
	e.found = found;
	e.found_ctx = &w;
	status = synth_explore(&e);
	progress_end(&w.bar);
	status = finish(cli, &e, status);
	run_signals_say(NULL);
	str_fini(&w.last_words);
	array_fini(&w.announced);
	explore_fini(&e);
	return experiment_end(&e.x, status);
}

/* ---- scripts of kept schedules --------------------------------------------------------------- */

/* Returns the folder of a schedule that a search has written; NULL: a new one is made for the
   script. The caller frees it. */
static char *folder_of(const struct cli *cli, const char *path)
{
	const char *name = str_base_name(path);

	if (cli->output || strcmp(name, "schedule") != 0)
		return NULL;
	return name == path ? base_strdup(".") : base_strndup(path, (size_t)(name - path - 1));
}

/* Files in the folder stay as they are if no script can be made. */
static int finish_later(struct cli *cli, struct explore *e)
{
	struct explore_failure *f = &e->failures.items[0];
	ERROR(err);

	if ((f->gates.length || !f->folder) && found_write(e, f, e->options.output, &err) < 0)
		return output_error(cli, &err);
	if (explore_report(cli, e, explore_tell_found(cli, e), &err) == 0)
		return VERDICT_FOUND;
	return output_error(cli, &err);
}

static int make_later(struct cli *cli)
{
	struct explore e = explore_of(cli);
	struct explore_later later = {.path = cli->schedule};
	struct progress bar;
	ERROR(err);
	int answer;

	experiment_begin(&e.x, &cli->run, &err);
	progress_begin(&bar, cli, &e.x.view);
	answer = explore_later_read(&later, &e);
	if (answer == 0)
		answer = explore_later_make(&later, &e);
	progress_end(&bar);
	if (e.failures.count)
		e.failures.items[0].folder = folder_of(cli, cli->schedule);
	answer = answer < 0 && !(e.failures.count && e.failures.items[0].rerun == RERUN_SAME)
			 ? output_over(cli, &e.x)
			 : finish_later(cli, &e);
	explore_fini(&e);
	explore_later_fini(&later);
	return experiment_end(&e.x, answer);
}

/* ---- merging --------------------------------------------------------------------------------- */

/* With -o DIR the folders of the failures are copied there. */
static int explore_gather(struct explore *e, struct error *err)
{
	if (e->options.goes_on)
		array_each(struct explore_failure, f, &e->failures)
			if (f->folder && found_copy(f, e->options.output, err) < 0)
				return -1;
	return 0;
}

/* Merges folders that searches have left. */
static int merge(struct cli *cli)
{
	ERROR(err);
	struct explore e = {.x = {.options = &cli->run, .err = &err}, .options = cli->explore};
	struct explore_args args = {0};
	int status;

	if (explore_merge(&e, cli->rest, (size_t)cli->rest_count, &args, &err) < 0 ||
	    explore_gather(&e, &err) < 0) {
		status = output_error(cli, &err);
	} else {
		(void)array_add(&args);
		cli->run.argv = args.items;
		explore_pauses_sort(&e);
		status = explore_tell(cli, &e, 0, 0);
	}
	array_each(char *, arg, &args)
		base_free(*arg);
	array_fini(&args);
	explore_fini(&e);
	return status;
}

/* Many runs cannot read one pipe or terminal: they read /dev/null. */
static void set_kinds(struct run_options *o)
{
	enum stream_kind *kinds = o->kinds;

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (kinds[fd] == STREAM_INHERITED)
			kinds[fd] = stream_kind_of(fd);
	if (kinds[STDIN_FILENO] == STREAM_PIPE || kinds[STDIN_FILENO] == STREAM_TERMINAL)
		kinds[STDIN_FILENO] = STREAM_NULL;
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (kinds[fd] == STREAM_NULL) /* the output is recorded even then */
			kinds[fd] = STREAM_FILE;
}

int command_explore(struct cli *cli)
{
	ERROR(err);

	if (suite_is_asked(cli))
		return command_suite(cli);
	set_kinds(&cli->run);
	explore_settle(cli);
	explore_settle_gates(cli, cli->most_seconds, &cli->explore);
	if (reports_check(cli, REPORTS_SEARCH, &err) < 0 ||
	    ((!(cli->merge || cli->schedule) || cli->explore.goes_on) &&
	     found_check(cli->explore.output, &err) < 0))
		return output_error(cli, &err);
	return cli->merge ? merge(cli) : cli->schedule ? make_later(cli) : explore(cli);
}
