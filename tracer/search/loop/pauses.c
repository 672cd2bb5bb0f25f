/* Failures that need a pause of a thread: which are time-related, in words, and their order. */
#include "tracer/search/explore.h"

#include <string.h>

/* Every machine makes a thread wait for so long, and reading the clock takes time. */
enum { LEAST_NS = 1000000 };

void explore_pauses_set(const struct explore *e, struct sched *c)
{
	if (e->options.time == EXPLORE_TIME_LIMITED)
		c->flags |= SCHED_PAUSES;
	c->pause_most_ns = e->options.pause_most_ns;
}

void explore_pause_take(struct explore_pause *p, const struct sched *c)
{
	base_free(p->thread);
	*p = (struct explore_pause){.ns = c->pause.ns, .slept_ns = c->pause.slept_ns};
	if (p->ns)
		p->thread = base_strdup(c->schedule.threads.items[c->pause.thread]);
}

uint64_t explore_pause_usual_ns(const struct explore_pause *p)
{
	return p->slept_ns > LEAST_NS ? p->slept_ns : LEAST_NS;
}

/* A thread that computes until it hangs, and reads the clock, makes any time pass. */
bool explore_is_time_related(const struct explore_failure *f)
{
	return !(f->kind && strcmp(f->kind, "hang") == 0) && f->pause.thread &&
	       f->pause.ns > explore_pause_usual_ns(&f->pause);
}

void explore_pause_words(const struct explore_failure *f, struct str *out)
{
	static const double whole_s = 10;
	double seconds = (double)f->pause.ns / 1e9;

	if (!explore_is_time_related(f))
		return;
	str_addf(out, "time-related: needs %s to pause for ", f->pause.thread);
	str_addf(out, seconds < whole_s ? "%.2g s" : "%.0f s", seconds);
}

void explore_pauses_sort(struct explore *e)
{
	size_t ordinary = 0;

	for (size_t i = 0; i < e->failures.count; i++) {
		struct explore_failure f = e->failures.items[i];

		if (explore_is_time_related(&f))
			continue;
		memmove(e->failures.items + ordinary + 1, e->failures.items + ordinary,
			(i - ordinary) * sizeof(f));
		e->failures.items[ordinary++] = f;
	}
}
