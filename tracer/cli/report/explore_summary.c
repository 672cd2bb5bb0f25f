/* Summary of a search: how many schedules, what was odd, and whether all were tried. */
#include "tracer/cli/report/report.h"

#include <string.h>
#include <unistd.h>

static const char *points_of(const struct explore *e)
{
	switch (e->options.points) {
	case POINTS_SYNC:
		return ", with synchronisation alone as points";
	case POINTS_RACES:
		return ", with accesses as points that raced in the first runs";
	case POINTS_MEMORY:
		return ", with all accesses as points that threads may share";
	case POINTS_LOCATION:
		break;
	}
	return "";
}

bool explore_none_ended(const struct explore *e)
{
	return e->runs && !e->failures.count && e->cut + e->late >= e->runs;
}

static bool is_dpor(const struct explore *e)
{
	return strcmp(e->options.strategy, "dpor") == 0;
}

/* Adds whether each trace was tried, and what was not searched. */
static void add_traces(const struct explore *e, struct str *out)
{
	if (e->complete)
		str_addf(out, "complete: %lu trace%s%s\n", e->runs, str_plural(e->runs),
			 e->left_out ? " under sequential consistency" : "");
	else
		str_add(out, "there may be traces that were not tried\n");
	for (size_t i = 0; explore_left_out(e, i); i++)
		str_addf(out, "not searched: %s\n", explore_left_out(e, i));
}

/* Adds whether all schedules were tried. */
static void add_extent(const struct explore *e, struct str *out)
{
	const char *end = is_dpor(e) ? "\n" : "; ";

	if (explore_none_ended(e))
		str_addf(out, "no schedule ended, so there is no result%s", end);
	else if (!e->failures.count && e->cut + e->late)
		str_addf(out, "no failure in the others%s", end);
	else if (!e->failures.count)
		str_addf(out, "nothing failed%s", end);
	if (is_dpor(e)) {
		add_traces(e, out);
		return;
	}
	if (e->complete == EXPLORE_INCOMPLETE)
		str_add(out, "there may be schedules that were not tried\n");
	else
		str_addf(out, "these are all schedules of at most %u preemption%s%s\n",
			 e->options.bound, str_plural(e->options.bound), points_of(e));
	if (e->complete == EXPLORE_COMPLETE_IF_FAIR)
		str_add(out, "except those in which a thread that yields, or spins, runs again "
			     "before the other threads have run\n");
	if (!e->failures.count && !e->costly && e->options.points == POINTS_RACES)
		str_add(out, "accesses to memory were points only where they raced in the first "
			     "runs: --points memory takes all that threads may share\n");
}

static void add_cut(const struct explore *e, struct str *out)
{
	const char *folder = e->cuts.count ? e->cuts.items[0].folder : NULL;

	str_addf(out, "%lu schedule%s did not end within %lu steps", e->cut, str_plural(e->cut),
		 e->options.steps);
	if (folder)
		str_addf(out, ": see cut/%s in %s", str_base_name(folder), e->options.output);
	str_add(out, "\n");
	if (folder)
		str_addf(out, "in cut/%s %s\n", str_base_name(folder), e->cuts.items[0].words);
}

/* Folders of earlier failures are never removed: they may be the only trace of a rare one. */
static void add_old_failure(const struct explore *e, struct str *out)
{
	STR(first);

	str_addf(&first, "%s/1", e->options.output);
	if (!e->failures.count && !access(str_text(&first), F_OK))
		str_addf(out, "%s is of an earlier search, which found a failure\n",
			 str_text(&first));
}

static void add_oddities(const struct explore *e, struct str *out)
{
	if (e->earlier)
		str_addf(out, "%lu of them by an earlier search, which this one has continued\n",
			 e->earlier);
	if (e->no_journal)
		str_addf(out, "the search cannot be continued later: %s\n", e->no_journal);
	array_each(char *const, text, &e->lacks)
		str_addf(out, "%s\n", *text);
	if (e->alone == e->runs)
		str_add(out, "the program had one thread: there was no order to search\n");
	output_no_debug(&e->x, out);
	if (e->barred)
		str_addf(out, "%lu ended because of the gates, which is no failure\n", e->barred);
	if (e->costly)
		str_add(out,
			"only synchronisation was a point, since one run that recorded accesses to "
			"memory took too many stops: --points races records all of them\n");
	if (e->cut)
		add_cut(e, out);
	if (e->left && !(e->options.flags & SCHED_LEAKS))
		str_addf(out, "%s\n", e->left);
	if (e->late)
		str_addf(out, "%lu schedule%s had not ended when the time was over\n", e->late,
			 str_plural(e->late));
	if (e->differed)
		str_addf(out, "%lu of %lu schedules that were run twice differed: %s\n",
			 e->differed, e->twice, e->differs ? e->differs : "");
	if (e->asks_ids)
		str_add(out, "the program asks for ids of its threads or processes, which differ "
			     "from run to run\n");
	if (e->not_from)
		str_addf(out,
			 "schedules begin at main, since the program has several threads when it "
			 "reaches %s\n",
			 e->options.from);
	if (!e->forked && e->not_forked)
		str_addf(out, "each schedule has started the program again: %s\n", e->not_forked);
	add_old_failure(e, out);
}

void explore_summary(const struct explore *e, struct str *out)
{
	const struct explore_options *o = &e->options;

	if (!e->runs) {
		str_addf(out,
			 "no schedule was tried: part %u of %u has none of the %lu that --runs "
			 "asks for; "
			 "%s/search.%u-%u is kept for --merge\n",
			 o->shard, o->shards, o->runs, o->output, o->shard, o->shards);
		return;
	}
	str_addf(out, "%lu schedule%s, %lu distinct, in %.2f s", e->runs, str_plural(e->runs),
		 e->distinct, e->seconds);
	if (e->seconds > 0 && e->runs)
		str_addf(out, " (%.0f/s, %.1f points each)", (double)e->runs / e->seconds,
			 (double)e->points / (double)e->runs);
	str_addf(out, "; strategy %s, seed %llu\n", e->options.strategy,
		 (unsigned long long)e->options.seed);
	add_oddities(e, out);
	if (e->complete || !e->failures.count || is_dpor(e))
		add_extent(e, out);
}
