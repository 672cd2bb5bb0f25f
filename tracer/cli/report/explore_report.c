/* --report of a search: its numbers, and each failure. */
#include "tracer/cli/report/report.h"

#include "tracer/base/files/path.h"
#include "tracer/sched/schedule/schedule.h"
#include "tracer/synth/synth.h"

#include <inttypes.h>

/* The last steps of a schedule are shown, at most this many. */
enum { STEPS_MOST = 400 };

static const char *const files[] = {"report.html", "report.json", "schedule", "gates.lua",
				    "stdout",	   "stderr",	  NULL};

/* ---- for the page --------------------------------------------------------------------------- */

static void add_step(const struct schedule_step *step, struct json *j)
{
	const struct schedule_where *w = &step->where;
	struct str place = {0};

	if (w->file)
		str_addf(&place, "%s:%u", path_shown(w->file), w->line);
	json_array(j, NULL);
	json_integer(j, NULL, step->thread);
	json_bool(j, NULL, step->preempts);
	json_string(j, NULL, schedule_op(step->point.op));
	json_string(j, NULL, str_text(&place));
	json_string(j, NULL, w->var ? w->var : w->call ? w->call : "");
	json_end_array(j);
	str_fini(&place);
}

static void add_schedule(const struct schedule *s, struct json *j)
{
	size_t first = s->steps.count > STEPS_MOST ? s->steps.count - STEPS_MOST : 0;

	json_array(j, "threads");
	array_each(char *const, id, &s->threads)
		json_string(j, NULL, *id);
	json_end_array(j);
	json_integer(j, "first_step", (long long)first + 1);
	json_array(j, "path");
	for (size_t i = first; i < s->steps.count; i++)
		add_step(&s->steps.items[i], j);
	json_end_array(j);
}

static void add_runs(const struct explore_failure *f, struct json *j)
{
	STR(runs);

	if (!f->forced)
		return;
	explore_gates_runs(f->forced, f->asked, f->forced_s, &runs);
	json_string(j, "forced_in", str_text(&runs));
}

/* "time_related" is the pause, or null; "needs" says it in words. */
static void add_pause(const struct explore_failure *f, struct json *j)
{
	STR(words);

	explore_pause_words(f, &words);
	json_bool(j, "time_related", explore_is_time_related(f));
	if (!explore_is_time_related(f))
		return;
	json_number(j, "pause", (double)f->pause.ns / 1e9);
	json_string(j, "pauses", f->pause.thread);
	json_string(j, "needs", str_text(&words));
}

/* ---- the record ----------------------------------------------------------------------------- */

static void add_failure(const struct explore_failure *f, const char *page, struct json *j)
{
	json_object(j, NULL);
	json_string(j, "kind", f->kind);
	json_string(j, "where", f->where);
	json_integer(j, "status", f->status);
	json_integer(j, "schedule", (long long)f->run);
	json_string(j, "strategy", f->strategy);
	json_integer(j, "times", (long long)f->times);
	json_integer(j, "steps", f->steps);
	json_integer(j, "preemptions", f->preemptions);
	add_pause(f, j);
	if (f->rerun != RERUN_NONE)
		json_bool(j, "again", (f->rerun == RERUN_SAME));
	json_string(j, "folder", f->folder);
	json_string(j, "script", f->script);
	if (f->no_script)
		json_string(j, "no_script", f->no_script);
	if (f->forced) {
		json_integer(j, "forced", (long long)f->forced);
		json_integer(j, "asked", (long long)f->asked);
	}
	json_string(j, "text", f->text);
	if (page) {
		report_links(page, f->folder, files, j);
		add_runs(f, j);
		add_schedule(&f->schedule, j);
	}
	json_end_object(j);
}

static void add_samples(const struct explore *e, struct json *j)
{
	json_array(j, "samples");
	array_each(const struct explore_sample, s, &e->samples) {
		json_array(j, NULL);
		json_number(j, NULL, s->seconds);
		json_integer(j, NULL, (long long)s->runs);
		json_integer(j, NULL, (long long)s->distinct);
		json_end_array(j);
	}
	json_end_array(j);
}

const char *explore_left_out(const struct explore *e, size_t i)
{
	static const struct {
		enum strategy_left what;
		const char *text;
	} all[] = {
		{STRATEGY_LEFT_TRACES, "schedules that were not tried yet"},
		{STRATEGY_LEFT_TIME, "other lengths of sleeps and time-outs, other clocks"},
		{STRATEGY_LEFT_SPURIOUS, "spurious wake-ups"},
		{STRATEGY_LEFT_CUT, "the rest of schedules that were cut"},
		{STRATEGY_LEFT_UNFAIR, "schedules in which a thread that yields, or spins, runs "
				       "again before the other threads have run"},
		{STRATEGY_LEFT_STRAYED, "what follows a step at which the program did something "
					"else when it was run again"},
		{STRATEGY_LEFT_POINTS,
		 "accesses to memory that are no points: see --points memory"},
		{STRATEGY_LEFT_STORES, "what the memory model of x86 permits besides: a store that "
				       "other threads see only after a later load"},
	};

	for (size_t k = 0; k < sizeof(all) / sizeof(*all); k++)
		if (e->left_out & all[k].what && !i--)
			return all[k].text;
	return NULL;
}

static void add_left_out(const struct explore *e, struct json *j)
{
	json_array(j, "left_out");
	for (size_t i = 0; explore_left_out(e, i); i++)
		json_string(j, NULL, explore_left_out(e, i));
	json_end_array(j);
}

static size_t count_time_related(const struct explore *e)
{
	size_t count = 0;

	array_each(const struct explore_failure, f, &e->failures)
		count += explore_is_time_related(f);
	return count;
}

static void add_numbers(const struct explore *e, struct json *j)
{
	struct str digest = {0};

	str_addf(&digest, "%016" PRIx64, e->digest);
	json_integer(j, "schedules", (long long)e->runs);
	json_integer(j, "distinct", (long long)e->distinct);
	json_string(j, "digest", str_text(&digest));
	json_integer(j, "points", (long long)e->points);
	json_integer(j, "threads", (long long)e->threads);
	json_integer(j, "time_related", (long long)count_time_related(e));
	json_integer(j, "barred", (long long)e->barred);
	json_integer(j, "cut", (long long)e->cut);
	if (e->cuts.count)
		json_string(j, "cut_folder", e->cuts.items[0].folder);
	json_integer(j, "late", (long long)e->late);
	json_number(j, "seconds", e->seconds);
	json_number(j, "rate", e->seconds > 0 ? (double)e->runs / e->seconds : 0);
	json_bool(j, "complete", e->complete);
	if (e->left_out)
		add_left_out(e, j);
	json_bool(j, "forked", e->forked);
	if (e->not_forked)
		json_string(j, "not_forked", e->not_forked);
	json_integer(j, "twice", (long long)e->twice);
	json_integer(j, "differed", (long long)e->differed);
	if (e->differs)
		json_string(j, "differs", e->differs);
	json_bool(j, "asks_ids", e->asks_ids);
	str_fini(&digest);
}

static void explore_add(const void *of, const char *page, struct json *j)
{
	const struct explore *e = of;

	json_string(j, "program", e->x.options->argv[0]);
	json_array(j, "command");
	for (char *const *arg = e->x.options->argv; *arg; arg++)
		json_string(j, NULL, *arg);
	json_end_array(j);
	json_integer(j, "seed", (long long)e->options.seed);
	json_string(j, "strategy", e->options.strategy);
	add_numbers(e, j);
	json_array(j, "failures");
	array_each(const struct explore_failure, f, &e->failures)
		add_failure(f, page, j);
	json_end_array(j);
	add_samples(e, j);
	if (page)
		json_bool(j, "fair", (e->complete == EXPLORE_COMPLETE_IF_FAIR));
}

int explore_report(const struct cli *cli, const struct explore *e, int status, struct error *err)
{
	const struct explore_failure *f = e->failures.items;
	struct str headline = {0}, text = {0};
	size_t related = count_time_related(e);
	int failed;

	str_addf(&headline, "%lu schedule%s, %lu distinct", e->runs, str_plural(e->runs),
		 e->distinct);
	if (e->failures.count)
		str_addf(&headline, ": %zu failure%s; the first: %s", e->failures.count,
			 str_plural(e->failures.count), f->where);
	if (related)
		str_addf(&headline, "; time-related: %zu", related);
	if (e->failures.count)
		explore_pause_words(f, &text);
	str_addf(&text, "%s%s", text.length ? "\n" : "", e->failures.count ? f->text : "");
	failed = reports_write_record(cli,
				      &(struct cli_record){.command = "explore",
							   .status = status,
							   .add = explore_add,
							   .of = e,
							   .x = &e->x,
							   .argv = e->x.options->argv,
							   .seconds = e->seconds,
							   .headline = str_text(&headline),
							   .text = str_text(&text)},
				      err);
	str_fini(&text);
	str_fini(&headline);
	return failed;
}
