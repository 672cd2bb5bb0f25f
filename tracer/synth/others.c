/* A failure may depend on what no gate can force, such as which waiting thread is woken. Then other
   schedules with this failure are searched that wake the thread a plain run would wake. */
#include "tracer/synth/synth_internal.h"

#include "tracer/search/explore.h"

/* Part of a script's time for finding it; the rest is for verifying it. */
static const double PART_MADE = 0.5;

/* Most other schedules to try; schedules searched for each, relative to the first failure's
   number. */
enum { OTHERS = 5, LONGER = 4, LEAST = 200 };

void synth_take_failure(struct explore *e, struct explore_failure *out)
{
	*out = e->failures.items[0];
	e->failures.count = 0;
	if (!out->points) {
		out->points = base_alloc(1, sizeof(*out->points));
		*out->points = e->points_at;
		e->points_at = (struct explore_points_at){0};
	}
}

/* Searches another schedule. Returns 1 with *out minimized and described, 0 if none was found, -1
   if the experiment is over. */
static int another(struct explore *e, const struct explore_failure *f, unsigned number,
		   double until, struct explore_failure *out)
{
	struct explore other =
		synth_search_begin(e, f, LONGER * f->run + LEAST, synth_search_until(until));
	int answer;

	other.options.whole_s = until > 0 ? until - explore_now_s() : 0;
	other.options.seed += number;
	other.options.verify = 0;
	other.options.in_turn = true;
	other.options.alike = f->key;
	if (!f->no_script) /* auto also counts the runs before all points are known */
		other.options.strategy = "pos";
	if (!explore_is_time_related(f)) { /* the other schedule is none of that kind, either */
		other.options.time = EXPLORE_TIME_LIMITED;
		other.options.pause_most_ns = explore_pause_usual_ns(&f->pause);
	}
	answer = synth_explore(&other);
	if (answer == 0 && other.failures.count && other.failures.items[0].rerun == RERUN_SAME) {
		synth_take_failure(&other, out);
		answer = 1;
	}
	synth_search_end(&other, e);
	return answer;
}

void synth_adopt(struct explore_failure *f, struct explore_failure *other)
{
	struct explore_failure before = *f;

	*f = *other;
	f->run = before.run;
	f->strategy = before.strategy;
	f->times = before.times;
	f->steps = before.steps;
	f->preemptions = before.preemptions;
	f->until = before.until;
	f->folder = before.folder;
	f->progress = before.progress;
	before.folder = NULL;
	*other = before;
}

/* Takes the other schedule; the pause is still the shortest one, which gates may not force. */
static void adopt(struct explore_failure *f, struct explore_failure *other)
{
	struct explore_pause shortest = f->pause;

	synth_adopt(f, other);
	other->pause = f->pause;
	f->pause = shortest;
	f->is_other = true;
}

static int try_other(struct explore *e, struct explore_failure *f, unsigned number, double until)
{
	struct explore_failure other = {0};
	int answer = another(e, f, number, until, &other);

	other.until = f->until;
	if (answer == 1 && schedule_digest(&other.schedule) != schedule_digest(&f->schedule))
		answer = synth_make(e, &other, until);
	if (answer >= 0 && other.gates.length && (answer == 0 || f->no_script))
		adopt(f, &other);
	explore_failure_fini(&other);
	return answer < 0 ? -1 : 0;
}

/* Number of other schedules to try. `loose`: gates permit another outcome. A failure in the first
   runs, before all racing accesses were points, may lack a step that matters: these gates hold by
   chance. */
static unsigned others_most(const struct explore_failure *f, bool loose)
{
	if (f->no_script)
		return OTHERS;
	return loose && f->points ? 1 : 0;
}

int synth_gates(struct explore *e, struct explore_failure *f)
{
	double now = explore_now_s(), until = f->until > 0 ? now + (f->until - now) * PART_MADE : 0;
	bool loose;
	int answer;

	if (!e->options.verify)
		return 0;
	if (f->rerun != RERUN_SAME) {
		base_free(f->no_script);
		f->no_script =
			base_strdup((f->rerun != RERUN_NONE)
					    ? "it did not fail again"
					    : "there was no time to run its schedule once more");
		return 0;
	}
	answer = synth_make(e, f, until);
	loose = answer == 1;
	for (unsigned i = 1; answer >= 0 && i <= others_most(f, loose); i++) {
		/* Time for a run that fails alike and one under gates. */
		if (until > 0 && explore_now_s() + 2 * f->seconds >= until)
			break;
		answer = try_other(e, f, i, until);
	}
	return answer < 0 ? -1 : 0;
}
