/*
 * Made-up programs for the strategies. A thread is a string, a step is two characters:
 *
 *	wx writes x	rx reads x	lm locks m	um unlocks m	-- a step without an object
 *	y- yields	sx reads x until it is written		Yx yields until x is written
 *	px calls something unknown until x is written		c1 creates thread 1
 *
 * A schedule is a string of threads: ABBA is four steps of threads 0 and 1.
 */
#ifndef EXPLORE_PROGRAM_H
#define EXPLORE_PROGRAM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tracer/base/array.h"
#include "tracer/sched/strategy/strategy.h"

enum { THREADS = 32, MOVES = 4000 };

struct program {
	const char *threads[THREADS];
};

struct state {
	size_t at[THREADS];
	bool is_here[THREADS], locked[128], written[128];
	bool waits[THREADS]; /* for a lock; only with offers_held */
};

struct world {
	const struct program *program;
	bool offers_held; /* threads that would wait for a lock have points, too */
	struct state now;
	size_t moves;
	struct strategy_point moved[MOVES];
	char schedule[MOVES + 1];
};

enum ended { RAN_OUT, ALL_DONE, DEADLOCK, STOPPED };

static inline void world_begin(struct world *w, const struct program *p)
{
	w->program = p;
	w->offers_held = false;
	w->moves = 0;
	w->schedule[0] = '\0';
	w->now = (struct state){0};
	for (size_t t = 0; t < THREADS; t++)
		w->now.is_here[t] = p->threads[t] != NULL;
	for (size_t t = 0; t < THREADS; t++)
		for (const char *at = p->threads[t]; at && *at; at += 2)
			if (*at == 'c')
				w->now.is_here[at[1] - '0'] = false;
}

static inline const char *next_step(const struct world *w, size_t thread)
{
	static const char none[2] = ""; /* a step has two letters */

	return w->now.is_here[thread] ? w->program->threads[thread] + w->now.at[thread] : none;
}

static inline struct strategy_point point_of(size_t thread, size_t at, const char *step)
{
	static const char letters[] = "wrlu-ysYcp";
	static const enum strategy_op ops[] = {
		STRATEGY_WRITE, STRATEGY_READ, STRATEGY_LOCK,  STRATEGY_UNLOCK, STRATEGY_WRITE,
		STRATEGY_YIELD, STRATEGY_READ, STRATEGY_YIELD, STRATEGY_CREATE, STRATEGY_BLOCK,
	};
	bool has_object = strchr("wrlus", *step);

	return (struct strategy_point){
		.thread = (unsigned)thread,
		.op = ops[strchr(letters, *step) - letters],
		.object = has_object	 ? (uint64_t)step[1]
			  : *step == 'p' ? STRATEGY_ANY_OBJECT
					 : STRATEGY_NO_OBJECT,
		.place = (uint64_t)thread * 1000 + at,
		.writes = *step == 'p' || (has_object && *step != 'r' && *step != 's'),
	};
}

static inline size_t world_points(const struct world *w, struct strategy_point *points)
{
	size_t count = 0;

	for (size_t t = 0; t < THREADS; t++) {
		const char *step = next_step(w, t);

		bool held = *step == 'l' && w->now.locked[(int)step[1]];

		if (!*step || (held && (!w->offers_held || w->now.waits[t])))
			continue;
		points[count] = point_of(t, w->now.at[t], step);
		if (*step == 'l' && w->offers_held)
			points[count].acquires =
				held ? STRATEGY_ACQUIRE_HELD : STRATEGY_ACQUIRE_FREE;
		count++;
	}
	return count;
}

static inline void world_move(struct world *w, const struct strategy_point *p)
{
	const char *step = next_step(w, p->thread);
	int object = step[1];

	w->now.waits[p->thread] = p->acquires == STRATEGY_ACQUIRE_HELD;
	if (w->now.waits[p->thread])
		return;
	w->moved[w->moves] = *p;
	w->schedule[w->moves++] = (char)('A' + p->thread);
	w->schedule[w->moves] = '\0';
	if (strchr("sYp", *step) && !w->now.written[object])
		return;
	if (*step == 'l' || *step == 'u')
		w->now.locked[object] = *step == 'l';
	if (*step == 'w')
		w->now.written[object] = true;
	if (*step == 'c')
		w->now.is_here[object - '0'] = true;
	w->now.at[p->thread] += 2;
}

static inline bool world_is_done(const struct world *w)
{
	for (size_t t = 0; t < THREADS; t++)
		if (*next_step(w, t))
			return false;
	return true;
}

static inline enum ended world_run(struct world *w, const struct program *p, struct strategy *s,
				   uint64_t run)
{
	struct strategy_point points[THREADS];
	enum ended ended = RAN_OUT;
	size_t count, i;

	world_begin(w, p);
	w->offers_held = strategy_asks_acquires(s);
	strategy_begin(s, run);
	while (w->moves < MOVES) {
		count = world_points(w, points);
		if (!count) {
			ended = world_is_done(w) ? ALL_DONE : DEADLOCK;
			break;
		}
		i = strategy_choose(s, points, count);
		if (i == STRATEGY_STOP) {
			ended = STOPPED;
			break;
		}
		assert_true(i < count);
		world_move(w, &points[i]);
	}
	strategy_end(s, ended == STOPPED || ended == RAN_OUT ? STRATEGY_CUT
			: ended == DEADLOCK		     ? STRATEGY_FAILED
							     : STRATEGY_PASSED);
	return ended;
}

static inline struct strategy *strategy_made(const char *name, uint64_t seed, unsigned depth,
					     unsigned bound)
{
	struct strategy *s = strategy_new(
		name, &(struct strategy_options){.seed = seed, .depth = depth, .bound = bound});

	assert_non_null(s);
	return s;
}

/* ---- sets of strings ------------------------------------------------------------------------- */

struct tally {
	char *text;
	unsigned long times;
};

struct tallies {
	struct tally *items; /* sorted by text */
	size_t count, capacity;
};

/* Adds the string; returns how often it has been added so far. */
static inline unsigned long tally(struct tallies *all, const char *text)
{
	size_t low = 0, high = all->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(all->items[middle].text, text);

		if (order == 0)
			return ++all->items[middle].times;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*array_add(all) = (struct tally){0};
	memmove(all->items + low + 1, all->items + low,
		(all->count - 1 - low) * sizeof(*all->items));
	all->items[low] = (struct tally){base_strdup(text), 1};
	return 1;
}

static inline void tallies_fini(struct tallies *all)
{
	array_each(struct tally, t, all)
		base_free(t->text);
	array_fini(all);
}

#endif
