/*
 * The program ended by itself too early: a thread was let go shortly before, and nothing delays the
 * end until that thread has done what the test is about.
 */
#include "tracer/features/timeline/timeline.h"
#include "tracer/features/explain/explain.h"

static bool should_not_end(const struct run *s)
{
	const struct expect *x = &s->plan.expect;

	return s->outcome.end == OUTCOME_EXITED && s->outcome.fault != OUTCOME_FAILED &&
	       (x->has_signal || x->deadlock || x->livelock || x->time_limit);
}

static bool is_done(const struct timeline *tl, const struct happened *h)
{
	for (size_t i = 0; i < TIMELINE_LAST; i++) {
		const struct happened *later = &tl->last[i];

		if (later->seq > h->seq && later->thread == h->thread &&
		    later->what != HAPPENED_THREAD_EXIT)
			return true;
	}
	return false;
}

/* The last release of a thread that was not seen to do anything afterwards. NULL: there is none. */
static const struct happened *loose_end(const struct run *s)
{
	const struct timeline *tl = timeline_of(s);
	const struct happened *found = NULL;

	for (size_t i = 0; i < TIMELINE_LAST; i++) {
		const struct happened *h = &tl->last[i];

		if (h->what == HAPPENED_RELEASE && h->thread && h->place && !is_done(tl, h) &&
		    (!found || h->seq > found->seq))
			found = h;
	}
	return found;
}

bool loose_end_try(const struct run *s, struct str *out)
{
	const struct happened *h = should_not_end(s) ? loose_end(s) : NULL;

	if (!h || s->threads.count < 2)
		return false;
	str_addf(out,
		 "on(\"exit\", { optional = true }):wait(GATE), which is opened behind %s: the "
		 "program ended, and %s, "
		 "let go there, "
		 "may have had more to do",
		 h->place->location, h->thread->id);
	return true;
}
