/* Record of a schedule that was cut: its last steps, and the place of each thread at the end. */
#include "tracer/base/path.h"
#include "tracer/explore/schedule/text.h"
#include "tracer/features/controlled/controlled_internal.h"

enum { LAST = 1000 };

bool last_is_near(const struct controlled *g)
{
	return g->keeps_last && g->steps && g->schedule.steps.count + LAST >= g->steps;
}

static void add_where(const struct schedule_where *w, struct str *out)
{
	if (w->file && w->line)
		str_addf(out, "  %s:%u", path_shown(w->file), w->line);
	if (w->func)
		str_addf(out, " (%s%s%s)", w->func, w->call ? ", " : "", w->call ? w->call : "");
}

static void add_steps(const struct schedule *s, struct str *out)
{
	size_t from = s->steps.count > LAST ? s->steps.count - LAST : 0;

	str_addf(out, "# the last %zu of %zu steps\n", s->steps.count - from, s->steps.count);
	for (size_t i = from; i < s->steps.count; i++) {
		const struct schedule_step *step = &s->steps.items[i];

		str_addf(out, "%zu  %s  %s", i + 1, s->threads.items[step->thread],
			 schedule_op(step->point.op));
		add_where(&step->where, out);
		str_add(out, "\n");
	}
}

void last_steps(struct controlled *g)
{
	str_clear(&g->last_steps);
	str_clear(&g->last_threads);
	add_steps(&g->schedule, &g->last_steps);
}

void last_thread(struct controlled *g, const struct turn *t, const struct schedule_where *where)
{
	struct str *out = &g->last_threads;

	str_add(out, g->schedule.threads.items[t->listed]);
	if (t->moment == MOMENT_READY)
		str_addf(out, " is to %s", schedule_op(t->point.op));
	else if (t->moment == MOMENT_SLEEPS)
		str_add(out, " sleeps");
	else
		str_add(out, t->moment == MOMENT_RUNS ? " runs" : " waits");
	add_where(where, out);
	str_add(out, "\n");
}
