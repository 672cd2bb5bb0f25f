/* Parts that all strategies share: dependence of steps, spinning, lessons, the frame of a run. */
#include "tracer/sched/strategy/strategy_internal.h"

#include <string.h>

/* One run of OFTEN treats own places as shared. With many accesses at own places, where such runs
   are slow, it is one of up to SELDOM. */
enum { OFTEN = 2, SELDOM = 16, STEPS_FOR_ONE = 64 };

/* One run of SPURIOUS_RUNS chooses SPURIOUS points: at once, or at one choice of 4 or 16. */
enum { SPURIOUS_RUNS = 4, RARITIES = 3, RARITY_BITS = 2 };

/* ---- dependence of steps ----------------------------------------------------------------- */

static bool is_access(const struct strategy_point *p)
{
	return p->op == STRATEGY_READ || p->op == STRATEGY_WRITE || p->op == STRATEGY_ATOMIC;
}

static bool synchronises(const struct strategy_point *p)
{
	return p->op != STRATEGY_READ && p->op != STRATEGY_WRITE;
}

static bool starts_within(const struct strategy_point *a, const struct strategy_point *b)
{
	return b->object - a->object < (a->size ? a->size : 1);
}

/* A step without an object accesses no memory. */
static bool overlap(const struct strategy_point *a, const struct strategy_point *b)
{
	if (a->object == STRATEGY_NO_OBJECT || b->object == STRATEGY_NO_OBJECT)
		return false;
	if (a->size == STRATEGY_ANY_SIZE || b->size == STRATEGY_ANY_SIZE)
		return a->object == b->object || (is_access(a) && is_access(b));
	return starts_within(a, b) || starts_within(b, a);
}

static bool matters(const struct strategy_point *a, const struct strategy_point *b, bool together)
{
	if (a->thread == b->thread)
		return true;
	if (a->object == STRATEGY_ANY_OBJECT || b->object == STRATEGY_ANY_OBJECT)
		return true;
	return together && (a->writes || b->writes || (synchronises(a) && synchronises(b)));
}

bool strategy_depends(const struct strategy_point *a, const struct strategy_point *b)
{
	return matters(a, b, overlap(a, b));
}

/* strategy_foresee() compares objects by their addresses, as this function does. */
bool strategy_meets(const struct strategy_point *a, const struct strategy_point *b)
{
	return matters(a, b, a->object == b->object && a->object != STRATEGY_NO_OBJECT);
}

bool strategy_is_same(const struct strategy_point *a, const struct strategy_point *b)
{
	return a->thread == b->thread && a->op == b->op && a->object == b->object &&
	       a->place == b->place && a->writes == b->writes;
}

/* ---- spinning ---------------------------------------------------------------------------- */

static bool is_power_of_two(unsigned long n)
{
	return (n & (n - 1)) == 0;
}

static void spin_watch_step(struct spin_watch *s, const struct strategy_point *moved)
{
	s->place = moved->place;
	s->object = moved->object;
	s->op = moved->op;
	s->hits = s->hits_before = 0;
}

bool spin_step(struct spin_watch *s, const struct strategy_point *moved)
{
	if (s->thread != moved->thread)
		*s = (struct spin_watch){.thread = moved->thread};
	s->steps++;
	if (is_power_of_two(s->steps)) {
		if (s->hits == s->hits_before)
			spin_watch_step(s, moved);
		s->hits_before = s->hits;
	}
	if (moved->place != s->place || moved->object != s->object || moved->op != s->op ||
	    ++s->hits < SPIN_HITS)
		return false;
	*s = (struct spin_watch){.thread = moved->thread};
	return true;
}

unsigned spin_left(const struct spin_watch *s)
{
	return SPIN_HITS - 1 - s->hits;
}

/* ---- lessons, applied when a run of a later batch begins, whichever worker made the run ---- */

const uint64_t *strategy_lesson(const struct strategy *s, size_t *count)
{
	*count = s->lesson.count;
	return *count ? s->lesson.items : NULL;
}

static void keep_lesson(struct strategy *s, uint64_t run, const uint64_t *lesson, size_t count)
{
	size_t at = array_below(&s->lessons, run, run);

	if (!count || (at < s->lessons.count && s->lessons.items[at].run == run))
		return;
	*array_add(&s->lessons) = (struct strategy_lesson){0};
	memmove(&s->lessons.items[at + 1], &s->lessons.items[at],
		(s->lessons.count - 1 - at) * sizeof(*s->lessons.items));
	s->lessons.items[at] = (struct strategy_lesson){
		.run = run, .words = base_alloc(count, sizeof(*lesson)), .count = count};
	memcpy(s->lessons.items[at].words, lesson, count * sizeof(*lesson));
}

void strategy_learn(struct strategy *s, uint64_t run, const uint64_t *lesson, size_t count)
{
	if (run > 0 && s->type->learn)
		keep_lesson(s, run, lesson, count);
}

/* Applies lessons of earlier batches. Every strategy makes run 0 itself, so its lesson applies
   at once. */
static void apply_lessons(struct strategy *s, uint64_t run)
{
	size_t learnt = 0;

	for (; learnt < s->lessons.count; learnt++) {
		struct strategy_lesson *l = &s->lessons.items[learnt];

		if (l->run / STRATEGY_BATCH >= run / STRATEGY_BATCH && (l->run || !run))
			break;
		s->type->learn(s, l->run, l->words, l->count);
		base_free(l->words);
	}
	if (!learnt)
		return;
	s->lessons.count -= learnt;
	memmove(s->lessons.items, s->lessons.items + learnt,
		s->lessons.count * sizeof(*s->lessons.items));
}

static void free_lessons(struct strategy *s)
{
	array_each(struct strategy_lesson, l, &s->lessons)
		base_free(l->words);
	array_fini(&s->lessons);
	array_fini(&s->lesson);
}

/* ---- runs -------------------------------------------------------------------------------- */

struct strategy *strategy_alloc(const struct strategy_type *type,
				const struct strategy_options *options)
{
	struct strategy *s = base_alloc(1, type->size);

	s->type = type;
	s->memory = type->memory;
	s->options = *options;
	s->shown = &s->sharing;
	return s;
}

void strategy_free(struct strategy *s)
{
	if (!s)
		return;
	if (s->type->fini)
		s->type->fini(s);
	free_lessons(s);
	bias_fini(&s->bias);
	sharing_fini(&s->sharing);
	base_free(s);
}

enum strategy_memory strategy_memory(const struct strategy *s)
{
	return s->type->flags & STRATEGY_COUNTS && s->options.steps ? STRATEGY_MEMORY_NONE
								    : s->memory;
}

/* Workers that skipped run 0 must not use data collected in it: schedules would depend on -j. */
static bool looks(const struct strategy *s)
{
	return s->run == 0 && s->type->flags & STRATEGY_LOOKS &&
	       strategy_memory(s) != STRATEGY_MEMORY_NONE;
}

/* Run 0, which counts, has no such choices, nor has DPOR, which names them as left out. */
static void begin_chance(struct strategy *s)
{
	uint64_t rarity = s->run / SPURIOUS_RUNS % RARITIES;
	bool draws = (s->run + 1) % SPURIOUS_RUNS == 0 && !(s->type->flags & STRATEGY_LOCKS);

	prng_seed(&s->chance, ~s->options.seed, s->run);
	s->one_of = draws ? 1u << (RARITY_BITS * rarity) : 0;
}

void strategy_begin(struct strategy *s, uint64_t run)
{
	apply_lessons(s, run);
	s->run = run;
	prng_seed(&s->prng, s->options.seed, run);
	s->walk = s->spin = (struct spin_watch){0};
	s->last = NOBODY;
	bias_begin(&s->bias, s->options.seed, run);
	begin_chance(s);
	if (looks(s))
		sharing_begin(&s->sharing);
	if (s->type->begin)
		s->type->begin(s);
}

bool strategy_is_own_place(const struct strategy *s, uint64_t place)
{
	return sharing_is_own_place(s->shown, place);
}

bool strategy_looks_everywhere(const struct strategy *s)
{
	unsigned long one_of = s->shown->own_steps / STEPS_FOR_ONE;

	one_of = one_of < OFTEN ? OFTEN : one_of > SELDOM ? SELDOM : one_of;
	return s->run == 0 || table_mix(s->options.seed, s->run) % one_of == 0;
}

bool strategy_is_own(const struct strategy *s, const struct strategy_point *p)
{
	return !strategy_looks_everywhere(s) && sharing_is_access(p) &&
	       sharing_is_own_place(s->shown, p->place);
}

static bool walks_on(const struct strategy *s)
{
	return s->type->flags & STRATEGY_WALKS && !strategy_looks_everywhere(s);
}

/* Returns the thread that moved last if it is at an own place and does not spin, else
   STRATEGY_STOP. */
static size_t walker(struct strategy *s, const struct strategy_point *points, size_t count)
{
	if (!walks_on(s) || s->last == NOBODY)
		return STRATEGY_STOP;
	for (size_t i = 0; i < count; i++)
		if (points[i].thread == s->last)
			return strategy_is_own(s, &points[i]) && !spin_step(&s->walk, &points[i])
				       ? i
				       : STRATEGY_STOP;
	return STRATEGY_STOP;
}

/* Asks the strategy, unless the run departs from it. */
static size_t choose(struct strategy *s, const struct strategy_point *points, size_t count)
{
	size_t i;

	if (!(s->type->flags & STRATEGY_BIASED))
		return s->type->choose(s, points, count);
	i = bias_spinner(&s->bias, points, count);
	if (i != STRATEGY_STOP)
		return i;
	points = bias_points(&s->bias, points, &count);
	return bias_index(&s->bias, s->type->choose(s, points, count));
}

/* Returns how many points the strategy's own functions get. */
static size_t shown_of(const struct strategy *s, const struct strategy_point *points, size_t count)
{
	while (!(s->type->flags & STRATEGY_SPURIOUSLY) && points[count - 1].op == STRATEGY_SPURIOUS)
		count--;
	return count;
}

/* Returns the index of a SPURIOUS point, or STRATEGY_STOP. */
static size_t draw_spurious(struct strategy *s, size_t shown, size_t count)
{
	if (shown == count || !s->one_of || prng_below(&s->chance, s->one_of))
		return STRATEGY_STOP;
	return shown + (size_t)prng_below(&s->chance, count - shown);
}

/* A systematic strategy counts what it leaves out: it makes its own choices to the end. */
static bool is_fair_now(const struct strategy *s)
{
	return s->memory != STRATEGY_MEMORY_ALL && bias_is_fair(&s->bias, s->options.fair_from);
}

size_t strategy_choose(struct strategy *s, const struct strategy_point *points, size_t count)
{
	size_t shown = shown_of(s, points, count), i = draw_spurious(s, shown, count);

	s->bias.indexes.count = 0;
	s->bias.spun = false;
	if (i != STRATEGY_STOP) {
		s->last = points[i].thread;
		bias_moved(&s->bias, &points[i]);
		return i;
	}
	count = shown;
	if (is_fair_now(s))
		i = bias_fair(&s->bias, points, count);
	else
		i = walker(s, points, count);
	if (i == STRATEGY_STOP)
		i = choose(s, points, count);
	if (i == STRATEGY_STOP || points[i].op == STRATEGY_WAKE)
		return i;
	if (looks(s))
		sharing_saw(&s->sharing, points, count, i);
	s->last = points[i].thread;
	bias_moved(&s->bias, &points[i]);
	return i;
}

/* A strategy that was not asked, because a spinner goes on, may not have seen all threads yet. */
static size_t foresee(struct strategy *s, const struct strategy_point *points, size_t count,
		      size_t chosen, size_t most, struct strategy_avoid *avoid)
{
	size_t at = chosen;

	if (!s->type->foresee || s->bias.spun)
		return 0;
	if (!(s->type->flags & STRATEGY_BIASED))
		return s->type->foresee(s, points, count, chosen, most, avoid);
	if (!bias_foresees(&s->bias, points, count, &most))
		return 0;
	points = bias_points(&s->bias, points, &count);
	while (at > 0 && bias_index(&s->bias, at) != chosen)
		at--;
	return s->type->foresee(s, points, count, at, most, avoid);
}

size_t strategy_foresee(struct strategy *s, const struct strategy_point *points, size_t count,
			size_t chosen, size_t most, struct strategy_avoid *avoid)
{
	size_t n, shown = shown_of(s, points, count);

	*avoid = (struct strategy_avoid){.elsewhere = most};
	if (shown < count && s->one_of)
		return 0;
	count = shown;
	if (s->options.fair_from && s->bias.step + most >= s->options.fair_from)
		return 0;
	n = foresee(s, points, count, chosen, most, avoid);
	if (n < avoid->elsewhere)
		avoid->elsewhere = n;
	if (!walks_on(s))
		return n;
	return spin_left(&s->walk) < most ? spin_left(&s->walk) : most;
}

bool strategy_avoid_object(struct strategy_avoid *avoid, uint64_t object)
{
	if (object == STRATEGY_NO_OBJECT)
		return true;
	for (size_t i = 0; i < avoid->count; i++)
		if (avoid->objects[i] == object)
			return true;
	if (avoid->count == STRATEGY_AVOID || object == STRATEGY_ANY_OBJECT)
		return false;
	avoid->objects[avoid->count++] = object;
	return true;
}

bool strategy_avoid_others(struct strategy_avoid *avoid, const struct strategy_point *points,
			   size_t count, size_t chosen)
{
	for (size_t i = 0; i < count; i++)
		if (i != chosen && !strategy_avoid_object(avoid, points[i].object))
			return false;
	return true;
}

void strategy_end(struct strategy *s, enum strategy_result result)
{
	if (looks(s))
		sharing_settle(&s->sharing);
	if (s->type->end)
		s->type->end(s, result);
	if (s->type->learn)
		keep_lesson(s, s->run, s->lesson.items, s->lesson.count);
}

bool strategy_is_done(const struct strategy *s)
{
	return s->is_done;
}

unsigned long strategy_strayed(const struct strategy *s)
{
	return s->strayed;
}

bool strategy_was_fair(const struct strategy *s)
{
	return s->fair;
}

bool strategy_asks_acquires(const struct strategy *s)
{
	return s->type->flags & STRATEGY_LOCKS;
}

unsigned strategy_left_out(const struct strategy *s)
{
	if (!strategy_asks_acquires(s))
		return 0;
	return s->left | (s->is_done ? 0 : STRATEGY_LEFT_TRACES) |
	       (s->fair ? STRATEGY_LEFT_UNFAIR : 0) | (s->strayed ? STRATEGY_LEFT_STRAYED : 0);
}

void strategy_leave_out(struct strategy *s, enum strategy_left what)
{
	s->left |= what;
}
