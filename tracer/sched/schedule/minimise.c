/* Minimisation of a failing schedule: delta debugging over its segments. */
#include "tracer/sched/schedule/schedule.h"

#include "tracer/base/hash.h"

#include <limits.h>

/* State of the search. Digests of tried candidates suffice, since a guided program is
   deterministic. */
struct minimise_search {
	struct minimise *m;
	struct schedule *best;
	struct segments segments; /* of `best` */
	ARRAY(uint64_t) tried;	  /* digests */
	bool stopped;
};

void schedule_segments(const struct schedule *s, struct segments *out)
{
	array_each(const struct schedule_step, step, &s->steps) {
		bool spurious = step->point.op == STRATEGY_SPURIOUS;

		if (step->point.op == STRATEGY_WAKE)
			continue;
		if (spurious || !out->count ||
		    out->items[out->count - 1].thread != step->point.thread)
			*array_add(out) = (struct strategy_segment){.thread = step->point.thread,
								    .spurious = spurious};
		out->items[out->count - 1].steps++;
	}
}

size_t schedule_preemptions(const struct schedule *s)
{
	size_t count = 0;

	array_each(const struct schedule_step, step, &s->steps)
		count += step->preempts;
	return count;
}

static size_t switches(const struct schedule *s)
{
	struct segments segments = {0};
	size_t count;

	schedule_segments(s, &segments);
	count = segments.count;
	array_fini(&segments);
	return count;
}

static size_t spurious_steps(const struct schedule *s)
{
	size_t count = 0;

	array_each(const struct schedule_step, step, &s->steps)
		count += step->point.op == STRATEGY_SPURIOUS;
	return count;
}

/* A failure that needs no spurious wake-up is shown without. */
static bool is_smaller(const struct schedule *a, const struct schedule *b)
{
	size_t in_a = schedule_preemptions(a), in_b = schedule_preemptions(b);
	size_t woken_a = spurious_steps(a), woken_b = spurious_steps(b);

	if (woken_a != woken_b)
		return woken_a < woken_b;
	return in_a < in_b || (in_a == in_b && switches(a) < switches(b));
}

static uint64_t digest_of(const struct segments *list)
{
	uint64_t digest = HASH_START;

	array_each(const struct strategy_segment, segment, list) {
		digest = hash_word(digest, segment->thread);
		digest = hash_word(digest, segment->steps);
		digest = hash_word(digest, segment->spurious);
	}
	return digest;
}

static bool was_tried(struct minimise_search *s, const struct segments *list)
{
	uint64_t digest = digest_of(list);

	array_each(const uint64_t, known, &s->tried)
		if (*known == digest)
			return true;
	*array_add(&s->tried) = digest;
	return false;
}

static bool minimise_is_over(const struct minimise_search *s)
{
	const struct minimise *m = s->m;

	return s->stopped || m->tries >= m->most || (m->is_over && m->is_over(m->ctx));
}

/* Runs the candidate. Returns true, with a new `best`, if it failed and its schedule is smaller. */
static bool try_it(struct minimise_search *s, const struct segments *wanted)
{
	struct schedule came = {0};
	bool better = false;
	int answer;

	if (minimise_is_over(s) || was_tried(s, wanted))
		return false;
	s->m->tries++;
	answer = s->m->run(s->m->ctx, wanted, &came);
	s->stopped = answer < 0;
	if (answer > 0 && is_smaller(&came, s->best)) {
		schedule_fini(s->best);
		*s->best = came;
		came = (struct schedule){0};
		s->segments.count = 0;
		schedule_segments(s->best, &s->segments);
		better = true;
	}
	schedule_fini(&came);
	return better;
}

/* ---- candidates -------------------------------------------------------------------------- */

static void append(struct segments *list, struct strategy_segment segment)
{
	if (list->count && list->items[list->count - 1].thread == segment.thread &&
	    !segment.spurious)
		list->items[list->count - 1].steps += segment.steps;
	else
		*array_add(list) = segment;
}

/* Returns the steps that the thread of segment `at` has missed in [first, last), since its own
   previous segment. */
static unsigned long missed(const struct segments *all, size_t first, size_t last, size_t at)
{
	unsigned long steps = 0;

	for (size_t i = at; i-- > first;) {
		if (all->items[i].thread != all->items[at].thread)
			continue;
		if (i >= last)
			return 0;
		steps += all->items[i].steps;
	}
	return steps;
}

static bool without(struct minimise_search *s, size_t first, size_t last)
{
	const struct segments *all = &s->segments;
	struct segments wanted = {0};
	bool better;

	for (size_t i = 0; i < all->count; i++) {
		struct strategy_segment segment = all->items[i];

		if (i >= first && i < last)
			continue;
		if (i >= last)
			segment.steps += missed(all, first, last, i);
		append(&wanted, segment);
	}
	better = try_it(s, &wanted);
	array_fini(&wanted);
	return better;
}

static bool prolonged(struct minimise_search *s, size_t at)
{
	struct segments wanted = {0};
	bool better;

	for (size_t i = 0; i < s->segments.count; i++)
		*array_add(&wanted) = s->segments.items[i];
	wanted.items[at].steps = ULONG_MAX;
	better = try_it(s, &wanted);
	array_fini(&wanted);
	return better;
}

/* Lets the wait of segment `at` end by a signal, or never. */
static bool by_signal(struct minimise_search *s, size_t at)
{
	struct segments wanted = {0};
	bool better;

	for (size_t i = 0; i < s->segments.count; i++) {
		struct strategy_segment segment = s->segments.items[i];

		segment.spurious &= i != at;
		append(&wanted, segment);
	}
	better = try_it(s, &wanted);
	array_fini(&wanted);
	return better;
}

static bool drop_spurious(struct minimise_search *s)
{
	bool better = false;

	for (size_t i = 0; i < s->segments.count && !minimise_is_over(s); i++)
		better |= s->segments.items[i].spurious && by_signal(s, i);
	return better;
}

/* Omits parts from the end on, where steps are least likely to cause the failure. */
static bool drop_parts(struct minimise_search *s, size_t length)
{
	bool better = false;

	for (size_t last = s->segments.count; last > 0 && !minimise_is_over(s);) {
		size_t first = last > length ? last - length : 0;

		if (without(s, first, last))
			better = true;
		last = first < s->segments.count ? first : s->segments.count;
	}
	return better;
}

static bool prolong(struct minimise_search *s)
{
	bool better = false;

	for (size_t i = 0; i < s->segments.count && !minimise_is_over(s); i++)
		better |= prolonged(s, i);
	return better;
}

int schedule_minimise(struct minimise *m, struct schedule *schedule)
{
	struct minimise_search s = {.m = m, .best = schedule};
	bool better = true;

	m->tries = 0;
	schedule_segments(schedule, &s.segments);
	while (better && !minimise_is_over(&s)) {
		better = false;
		for (size_t length = s.segments.count; length && !minimise_is_over(&s); length /= 2)
			better |= drop_parts(&s, length);
		better |= drop_spurious(&s);
		better |= prolong(&s);
	}
	m->is_minimal = !better && !minimise_is_over(&s);
	array_fini(&s.segments);
	array_fini(&s.tried);
	return s.stopped ? -1 : 0;
}
