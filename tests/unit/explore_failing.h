/*
 * Made-up programs that can fail, run like the scheduler does: a lock that is taken blocks inside
 * its step, so the last steps of a deadlock are those that block.
 */
#ifndef EXPLORE_FAILING_H
#define EXPLORE_FAILING_H

#include "explore_program.h"

#include "tracer/sched/schedule/schedule.h"

struct failing {
	struct program program;
	/* true if the finished run has failed */
	bool (*fails)(const struct world *w, bool deadlock);
	/* location of a step in the source; NULL: none */
	struct schedule_where (*where)(size_t thread, size_t at);
	const char *threads[THREADS]; /* NULL: "a", "b", ... */
	bool at_once;		      /* the run ends at its first failure */
};

struct failing_run {
	struct world w;
	bool waits[THREADS];
};

static inline size_t failing_points(const struct failing_run *r, struct strategy_point *points)
{
	size_t count = 0;

	for (size_t t = 0; t < THREADS; t++) {
		const char *step = next_step(&r->w, t);

		if (*step && !r->waits[t])
			points[count++] = point_of(t, r->w.now.at[t], step);
	}
	return count;
}

static inline void hand_over(struct failing_run *r, char object)
{
	for (size_t t = 0; t < THREADS; t++) {
		if (!r->waits[t] || next_step(&r->w, t)[1] != object)
			continue;
		r->waits[t] = false;
		r->w.now.at[t] += 2;
		r->w.now.locked[(int)object] = true;
		return;
	}
}

static inline void failing_move(struct failing_run *r, const struct strategy_point *p)
{
	const char *step = next_step(&r->w, p->thread);

	if (*step == 'l' && r->w.now.locked[(int)step[1]]) {
		r->waits[p->thread] = true;
		r->w.moved[r->w.moves] = *p;
		r->w.schedule[r->w.moves++] = (char)('A' + p->thread);
		r->w.schedule[r->w.moves] = '\0';
		return;
	}
	world_move(&r->w, p);
	if (*step == 'u')
		hand_over(r, step[1]);
}

static inline struct schedule_step
failing_step(const struct failing *f, const struct strategy_point *p, struct schedule *out)
{
	char id[2] = {(char)('a' + p->thread), '\0'};
	const char *known = f->threads[p->thread];
	struct schedule_step step = {.point = *p};

	step.thread = schedule_thread(out, known ? known : id);
	if (f->where)
		step.where = f->where(p->thread, p->place % 1000 / 2);
	return step;
}

static inline void failing_note(const struct failing *f, const struct strategy_point *points,
				size_t count, size_t chosen, struct schedule *out)
{
	struct schedule_step step = failing_step(f, &points[chosen], out);
	size_t steps = out->steps.count;

	step.others = count > 1;
	for (size_t i = 0; steps && i < count; i++)
		step.preempts |= points[i].thread == out->steps.items[steps - 1].point.thread &&
				 i != chosen && points[i].op != STRATEGY_YIELD;
	*array_add(&out->steps) = step;
}

/* Adds the pending steps if the run ends at its failure; the failing thread has none. */
static inline void failing_end(const struct failing *f, struct failing_run *r, struct schedule *out)
{
	struct strategy_point points[THREADS];
	size_t count = failing_points(r, points);

	for (size_t i = 0; i < count; i++)
		if (points[i].thread != r->w.moved[r->w.moves - 1].thread)
			*array_add(&out->pending) = failing_step(f, &points[i], out);
}

/* Runs once. Returns true if the run fails. *out, empty before, is owned by the caller. */
static inline bool failing_run(const struct failing *f, struct strategy *s, uint64_t run,
			       struct world *w, struct schedule *out)
{
	struct strategy_point points[THREADS];
	static struct failing_run r;
	size_t count, i;

	r = (struct failing_run){0};
	world_begin(&r.w, &f->program);
	strategy_begin(s, run);
	while ((count = failing_points(&r, points)) && r.w.moves < MOVES) {
		i = strategy_choose(s, points, count);
		assert_true(i < count);
		failing_note(f, points, count, i, out);
		failing_move(&r, &points[i]);
		if (f->at_once && f->fails(&r.w, false))
			break;
	}
	if (count)
		failing_end(f, &r, out);
	strategy_end(s, STRATEGY_PASSED);
	*w = r.w;
	return f->fails(w, !count && !world_is_done(w));
}

/* Searches with a strategy; *out is the schedule of the first failing run. */
static inline void failing_search(const struct failing *f, const char *name, uint64_t seed,
				  struct schedule *out)
{
	struct strategy *s = strategy_made(name, seed, 3, 2);
	static struct world w;

	for (uint64_t run = 0; run < 100000; run++) {
		if (failing_run(f, s, run, &w, out))
			break;
		schedule_fini(out);
		*out = (struct schedule){0};
	}
	assert_int_not_equal(out->steps.count, 0);
	strategy_free(s);
}

/* Callback for struct minimise. */
static inline int failing_follow(void *ctx, const struct segments *wanted, struct schedule *came)
{
	struct strategy *s = strategy_guide_loose(wanted->items, wanted->count);
	static struct world w;
	bool failed = failing_run(ctx, s, 0, &w, came);

	strategy_free(s);
	return failed;
}

/* ---- kinds of failures ----------------------------------------------------------------------- */

static inline bool fails_deadlock(const struct world *w, bool deadlock)
{
	(void)w;
	return deadlock;
}

/* Each write of x writes the last value read plus 1. True if an update is lost. */
static inline bool fails_lost_update(const struct world *w, bool deadlock)
{
	unsigned x = 0, writes = 0, seen[THREADS] = {0};

	for (size_t i = 0; i < w->moves; i++) {
		const struct strategy_point *p = &w->moved[i];

		if (p->object != 'x')
			continue;
		if (p->op == STRATEGY_READ)
			seen[p->thread] = x;
		else if (p->op == STRATEGY_WRITE)
			x = seen[p->thread] + 1, writes++;
	}
	return !deadlock && x < writes;
}

/* True if a thread has read y before it was written, after reading x once x was written. */
static inline bool fails_reorder(const struct world *w, bool deadlock)
{
	bool written[128] = {false}, x[THREADS] = {false}, failed = false;

	(void)deadlock;
	for (size_t i = 0; i < w->moves; i++) {
		const struct strategy_point *p = &w->moved[i];

		if (p->op == STRATEGY_WRITE)
			written[p->object] = true;
		else if (p->op == STRATEGY_READ && p->object == 'x')
			x[p->thread] = written['x'];
		else if (p->op == STRATEGY_READ && p->object == 'y')
			failed |= x[p->thread] && !written['y'];
	}
	return failed;
}

#endif
