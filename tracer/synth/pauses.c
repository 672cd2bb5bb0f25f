/* How short a pause of a thread leads to the failure? Schedules are searched that fail alike and
   whose pauses are limited: first to what the program's own sleeps allow, then, by and by, to less
   than the pause that was found. */
#include "tracer/synth/synth_internal.h"

#include "tracer/search/explore.h"

/* Schedules of each search; searches; the part of a pause by which another one is shorter. */
enum { SCHEDULES = 100, SHORTER = 4, PART = 32 };

/* Returns 1 if a schedule was found, 0 if not, -1 if the experiment is over. */
static int search(struct explore *e, struct explore_failure *f, uint64_t most_ns)
{
	struct explore other = synth_search_begin(e, f, SCHEDULES, synth_search_until(f->until));
	struct explore_failure found;
	int answer;

	other.options.verify = 0;
	other.options.alike = f->key;
	other.options.time = EXPLORE_TIME_LIMITED;
	other.options.pause_most_ns = most_ns;
	answer = synth_explore(&other);
	if (answer == 0 && other.failures.count && other.failures.items[0].rerun == RERUN_SAME &&
	    other.failures.items[0].pause.ns < f->pause.ns) {
		synth_take_failure(&other, &found);
		synth_adopt(f, &found);
		explore_failure_fini(&found);
		answer = 1;
	}
	synth_search_end(&other, e);
	return answer;
}

int synth_pauses(struct explore *e, struct explore_failure *f)
{
	int answer;

	if (e->options.alike || !explore_is_time_related(f) || f->rerun != RERUN_SAME)
		return 0;
	experiment_say(&e->x, "searching for a shorter pause");
	answer = search(e, f, explore_pause_usual_ns(&f->pause));
	if (answer)
		return answer < 0 ? -1 : 0;
	for (int i = 0; i < SHORTER && answer >= 0 && !synth_is_past(f->until); i++) {
		answer = search(e, f, f->pause.ns - f->pause.ns / PART);
		if (answer != 1)
			break;
	}
	return answer < 0 ? -1 : 0;
}
