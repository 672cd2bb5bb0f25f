#include "tracer/search/loop/failure.h"

#include "tracer/base/hash.h"
#include "tracer/base/signame.h"

#include <string.h>

/* Where the last step of the run was: of two crashes by one signal it tells which. */
static uint64_t last_place(const struct sched *c)
{
	const struct schedule *s = &c->schedule;

	return s->steps.count ? s->steps.items[s->steps.count - 1].point.place : 0;
}

static enum explore_ended failed(const char *word, const char **kind)
{
	*kind = word;
	return EXPLORE_FAILED;
}

static enum explore_ended failure_judge(const struct sched *c, const struct run_result *r,
					const char **kind)
{
	if (c->end == SCHED_STOPPED || r->out_of_time)
		return EXPLORE_CUT;
	if (c->end == SCHED_STEPS)
		return r->expects && r->verdict == VERDICT_OK ? EXPLORE_PASSED
		       : sched_spins(c)			      ? failed("livelock", kind)
							      : EXPLORE_CUT;
	if (c->end == SCHED_HANGS)
		return r->expects && r->verdict == VERDICT_OK ? EXPLORE_PASSED
							      : failed("hang", kind);
	switch (r->verdict) {
	case VERDICT_OK:
		if (r->expects || !r->status)
			return EXPLORE_PASSED;
		return failed(c->seen & SCHED_SANITIZER ? "sanitizer"
			      : r->signaled		? "signal"
							: "status",
			      kind);
	case VERDICT_CRASHED:
		return failed(c->seen & SCHED_SANITIZER ? "sanitizer" : "signal", kind);
	case VERDICT_DEADLOCK:
		return failed("deadlock", kind);
	case VERDICT_NOT_AS_EXPECTED:
		return failed("expect", kind);
	case VERDICT_TIME_LIMIT: /* of the script: it holds for each schedule */
		return failed("hang", kind);
	default:
		return EXPLORE_BARRED;
	}
}

enum explore_ended explore_judge(const struct sched *c, const struct run_result *r,
				 const char **kind, uint64_t *key)
{
	enum explore_ended ended = failure_judge(c, r, kind);
	bool is_told_by_places;

	if (ended != EXPLORE_FAILED)
		return ended;
	is_told_by_places = strcmp(*kind, "deadlock") == 0 || c->end == SCHED_HANGS;
	*key = hash_text(hash_text(HASH_START, *kind), is_told_by_places ? c->stuck : NULL) +
	       (uint64_t)r->status;
	if (strcmp(*kind, "signal") == 0)
		*key ^= last_place(c);
	return ended;
}

char *explore_where(const struct run_result *r, const char *kind)
{
	struct str text = {0};

	if (strcmp(kind, "signal") == 0)
		str_addf(&text, "SIG%s", signame_text(r->status - 128));
	else if (strcmp(kind, "deadlock") == 0 || strcmp(kind, "livelock") == 0 ||
		 strcmp(kind, "hang") == 0)
		str_addf(&text, "a %s", kind);
	else if (strcmp(kind, "expect") == 0)
		str_add(&text, "not as expected");
	else if (strcmp(kind, "sanitizer") == 0)
		str_add(&text, "a sanitizer's report");
	else
		str_addf(&text, "exit status %d", r->status);
	return str_take(&text);
}

void explore_points_clear(struct explore_points_at *points)
{
	array_each(struct sched_chosen, chosen, points)
		base_free(chosen->module);
	points->count = 0;
}

void explore_points_fini(struct explore_points_at *points)
{
	explore_points_clear(points);
	array_each(struct sched_chosen, start, &points->starts)
		base_free(start->module);
	array_fini(&points->starts);
	array_fini(points);
}

void explore_failure_fini(struct explore_failure *f)
{
	if (f->points)
		explore_points_fini(f->points);
	base_free(f->points);
	base_free(f->kind);
	base_free(f->where);
	base_free(f->text);
	base_free(f->folder);
	base_free(f->script);
	base_free(f->no_script);
	str_fini(&f->out);
	str_fini(&f->err);
	str_fini(&f->gates);
	for (int kind = 0; kind < REPORT_KINDS; kind++)
		str_fini(&f->reports[kind]);
	schedule_fini(&f->schedule);
	sched_paths_cut(&f->paths, 0);
	array_fini(&f->paths);
}
