/* Choices that a run makes before its strategy is asked: rounds of a spin, the end of the process,
   and the fair end of a long run. README.md gives the reasons. */
#include "tracer/sched/strategy/strategy_internal.h"

/* One of LAST_OF runs lets the process end at any point, one of SPINS_OF lets spinners go on.
   PASSED_MOST: choices in a run that pass over the end of the process. */
enum { LAST_OF = 8, SPINS_OF = 2, PASSED_MOST = 2048 };
/* Steps of spins in a row in one run: long spins are rare, and cost time where a spin never
   ends. */
static const uint64_t spun_most[] = {64, 64, 64, 64, 64, 64, 256, 1024};
enum { SPUN = sizeof(spun_most) / sizeof(*spun_most) };

static const uint64_t BIAS_DRAW = 0x62696173; /* keeps the draws apart from other draws of a run */

void bias_begin(struct bias *b, uint64_t seed, uint64_t run)
{
	uint64_t drawn = table_mix(seed ^ BIAS_DRAW, run);

	b->ends_last = drawn % LAST_OF != 0;
	b->passed = 0;
	b->spins_left = 0;
	drawn /= LAST_OF;
	if (run > 0 && drawn % SPINS_OF == 0)
		b->spins_left = spun_most[drawn / SPINS_OF % SPUN];
	b->turn = (struct bias_turn){.thread = NOBODY};
	b->step = 0;
	b->moved_at.count = 0;
}

void bias_fini(struct bias *b)
{
	array_fini(&b->moved_at);
	array_fini(&b->points);
	array_fini(&b->indexes);
}

/* ---- spinners that go on ----------------------------------------------------------------- */

static bool turn_has(const struct bias_turn *t, const struct strategy_point *p)
{
	for (size_t i = 0; i < t->count && i < BIAS_TURN; i++)
		if (t->steps[i].place == p->place && t->steps[i].object == p->object)
			return true;
	return false;
}

/* True for a step that the thread has made since another thread moved: a round of a spin, if it
   only reads or the thread has given way in between. */
static bool is_spin(const struct bias_turn *t, const struct strategy_point *p)
{
	if (p->op == STRATEGY_YIELD)
		return true;
	return (!p->writes || t->yielded) && p->op != STRATEGY_END && p->op != STRATEGY_TIMEOUT &&
	       turn_has(t, p);
}

size_t bias_spinner(struct bias *b, const struct strategy_point *points, size_t count)
{
	for (size_t i = 0; b->spins_left && i < count; i++) {
		if (points[i].thread != b->turn.thread || points[i].op == STRATEGY_WAKE)
			continue;
		if (!is_spin(&b->turn, &points[i]))
			break;
		b->spins_left--;
		b->spun = true;
		return i;
	}
	return STRATEGY_STOP;
}

/* The turn's oldest steps are forgotten if there are too many. */
static void note_turn(struct bias_turn *t, const struct strategy_point *moved)
{
	if (t->thread != moved->thread)
		*t = (struct bias_turn){.thread = moved->thread};
	t->yielded |= moved->op == STRATEGY_YIELD;
	if (turn_has(t, moved))
		return;
	t->steps[t->count % BIAS_TURN].place = moved->place;
	t->steps[t->count++ % BIAS_TURN].object = moved->object;
}

/* ---- the end of the process ---------------------------------------------------------------- */

/* A thread that yields or sleeps may do so for ever, so it does not keep the process. */
static bool keeps_process(const struct strategy_point *p)
{
	return !p->ends_process && p->op != STRATEGY_YIELD && p->op != STRATEGY_TIMEOUT;
}

static bool has_end(const struct strategy_point *points, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (points[i].ends_process)
			return true;
	return false;
}

static bool is_passed_over(const struct bias *b, const struct strategy_point *points, size_t count)
{
	bool keeps = false;

	if (!b->ends_last || b->passed >= PASSED_MOST || !has_end(points, count))
		return false;
	for (size_t i = 0; i < count; i++)
		keeps |= keeps_process(&points[i]);
	return keeps;
}

const struct strategy_point *bias_points(struct bias *b, const struct strategy_point *points,
					 size_t *count)
{
	size_t all = *count;

	b->indexes.count = b->points.count = 0;
	if (!is_passed_over(b, points, all))
		return points;
	for (size_t i = 0; i < all; i++) {
		if (points[i].ends_process)
			continue;
		*array_add(&b->points) = points[i];
		*array_add(&b->indexes) = i;
	}
	*count = b->points.count;
	return b->points.items;
}

size_t bias_index(const struct bias *b, size_t i)
{
	return i == STRATEGY_STOP || !b->indexes.count ? i : b->indexes.items[i];
}

bool bias_foresees(const struct bias *b, const struct strategy_point *points, size_t count,
		   size_t *most)
{
	if (!b->ends_last || !has_end(points, count))
		return true;
	if (!is_passed_over(b, points, count))
		return false;
	if (*most > PASSED_MOST - b->passed)
		*most = PASSED_MOST - b->passed;
	return true;
}

/* ---- the fair end of a run ----------------------------------------------------------------- */

bool bias_is_fair(const struct bias *b, unsigned long fair_from)
{
	return fair_from && b->step >= fair_from;
}

/* The thread that has waited longest. */
size_t bias_fair(struct bias *b, const struct strategy_point *points, size_t count)
{
	size_t best = 0;

	for (size_t i = 0; i < count; i++)
		(void)array_at(&b->moved_at, points[i].thread);
	for (size_t i = 1; i < count; i++)
		if (b->moved_at.items[points[i].thread] < b->moved_at.items[points[best].thread])
			best = i;
	return best;
}

void bias_moved(struct bias *b, const struct strategy_point *moved)
{
	if (moved->op == STRATEGY_WAKE)
		return;
	b->passed += b->indexes.count > 0;
	if (b->spins_left)
		note_turn(&b->turn, moved);
	*array_at(&b->moved_at, moved->thread) = ++b->step;
}
