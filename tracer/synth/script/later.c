#include "tracer/search/explore.h"
#include "tracer/synth/script/later.h"

#include "tracer/synth/script/scripts.h"
#include "tracer/sched/schedule/minimise.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned long later_number_of(const struct schedule_head *h, const char *key)
{
	const char *value = schedule_option(h, key, 0);

	return value ? strtoul(value, NULL, 10) : 0;
}

static char *text_of(const struct schedule_head *h, const char *key)
{
	const char *value = schedule_option(h, key, 0);

	return base_strdup(value ? value : "");
}

/* Failure as the search had it; values that the head lacks are those of a first schedule. */
static void take_failure(struct explore_later *l, struct explore *e)
{
	const struct schedule_head *h = &l->replay.head;
	struct explore_failure *f = array_add(&e->failures);
	const char *strategy = schedule_option(h, "strategy", 0), *path;

	*f = (struct explore_failure){.kind = text_of(h, "failure"),
				      .where = text_of(h, "where"),
				      .text = base_strdup(""),
				      .status = (int)later_number_of(h, "status"),
				      .run = later_number_of(h, "run"),
				      .strategy = strategy ? strategy : e->options.strategy,
				      .times = 1,
				      .schedule = l->replay.schedule};
	l->replay.schedule = (struct schedule){0};
	f->run = f->run ? f->run : 1;
	f->steps = (unsigned)f->schedule.steps.count;
	f->preemptions = (unsigned)schedule_preemptions(&f->schedule);
	for (size_t k = 0; (path = schedule_option(h, "path", k)); k++)
		*array_add(&f->paths) = base_strdup(path);
	if (e->options.steps && e->options.steps <= f->steps)
		e->options.steps = f->steps + 1ul; /* the search had another --steps */
	e->runs = e->distinct = f->run;
	e->options.seed = schedule_option(h, "seed", 0)
				  ? strtoull(schedule_option(h, "seed", 0), NULL, 10)
				  : e->options.seed;
	if (schedule_option(h, "hang", 0))
		e->options.hang = strtod(schedule_option(h, "hang", 0), NULL);
	e->forked = !schedule_option(h, "begins", 0);
	replay_points(h, &e->points_at);
}

int explore_later_read(struct explore_later *l, struct explore *e)
{
	l->replay.options = e->x.options;
	if (replay_load(&l->replay, l->path, e->x.err) < 0)
		return -1;
	if (!schedule_option(&l->replay.head, "failure", 0)) {
		error_set(e->x.err, ERROR_USAGE, "%s does not say how it fails", l->path);
		return error_hint(e->x.err, "give the file `schedule` of a folder that "
					    "`gatectl explore` has written");
	}
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (replay_stream(&l->replay, fd) != STREAM_INHERITED)
			e->x.options->kinds[fd] = replay_stream(&l->replay, fd);
	take_failure(l, e);
	return 0;
}

static int not_again(const struct explore_later *l, struct explore *e)
{
	error_set(e->x.err, ERROR_STATE,
		  "%s: the program does not follow it, or does not fail like that any more",
		  l->path);
	return error_hint(e->x.err, "gatectl replay %s says where it goes another way", l->path);
}

int explore_later_make(struct explore_later *l, struct explore *e)
{
	struct explore_failure *f = &e->failures.items[0];
	double now = explore_now_s();
	int answer;

	e->ends = e->options.whole_s > 0 ? now + e->options.whole_s : 0;
	sched_settle();
	answer = explore_examine(e, f);
	if (answer == 0 && f->rerun != RERUN_SAME)
		answer = not_again(l, e);
	if (answer < 0)
		return -1;
	answer = synth_script(e, 1, f);
	e->seconds = explore_now_s() - now;
	return answer;
}

void explore_later_fini(struct explore_later *l)
{
	replay_fini(&l->replay);
}
