/* Lessons wait until a run of a later batch begins, so that who did which run makes no difference. */
#include "tracer/sched/strategy/strategy_internal.h"

#include <string.h>

const uint64_t *strategy_lesson(const struct strategy *s, size_t *count)
{
	*count = s->lesson.count;
	return *count ? s->lesson.items : NULL;
}

static void lesson_keep(struct strategy *s, uint64_t run, const uint64_t *lesson, size_t count)
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
		lesson_keep(s, run, lesson, count);
}

void strategy_keep_lesson(struct strategy *s)
{
	if (s->type->learn)
		lesson_keep(s, s->run, s->lesson.items, s->lesson.count);
}

/* Each strategy has done run 0 by itself, so that one need not wait. */
void strategy_apply_lessons(struct strategy *s, uint64_t run)
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

void strategy_free_lessons(struct strategy *s)
{
	array_each(struct strategy_lesson, l, &s->lessons)
		base_free(l->words);
	array_fini(&s->lessons);
	array_fini(&s->lesson);
}
