/* Record of a truncated schedule: its last steps, and the place of each thread at the end. */
#include "tracer/base/files/path.h"
#include "tracer/sched/schedule/schedule.h"
#include "tracer/sched/sched_internal.h"
#include "tracer/source/source.h"

enum { LAST = 1000 };

bool last_is_near(const struct sched *g)
{
	return (g->flags & SCHED_KEEPS_LAST) && g->steps &&
	       g->schedule.steps.count + LAST >= g->steps;
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

void last_steps(struct sched *g)
{
	str_clear(&g->last_steps);
	str_clear(&g->last_threads);
	add_steps(&g->schedule, &g->last_steps);
}

static size_t largest_of(const size_t *numbers, size_t count)
{
	size_t best = 0;

	for (size_t i = 1; i < count; i++)
		if (numbers[i] > numbers[best])
			best = i;
	return best;
}

/* Adds text such as "main made 60000 of the 100000 steps and worker#1 39990". */
static void add_makers(const struct schedule *s, struct str *out)
{
	size_t *made = base_alloc(s->threads.count, sizeof(*made)), first, second;

	array_each(const struct schedule_step, step, &s->steps)
		made[step->thread]++;
	first = largest_of(made, s->threads.count);
	str_addf(out, "%s made ", s->threads.items[first]);
	if (made[first] == s->steps.count)
		str_add(out, "all ");
	else
		str_addf(out, "%zu of the ", made[first]);
	str_addf(out, "%zu steps", s->steps.count);
	made[first] = 0;
	second = largest_of(made, s->threads.count);
	if (made[second])
		str_addf(out, " and %s %zu", s->threads.items[second], made[second]);
	base_free(made);
}

static bool is_same_step(const struct schedule_step *a, const struct schedule_step *b)
{
	return a->point.op == b->point.op && a->point.place == b->point.place;
}

static const struct schedule_step *most_frequent(const struct schedule *s)
{
	const struct schedule_step *last = s->steps.items + s->steps.count;
	const struct schedule_step *from = last - (s->steps.count > LAST ? LAST : s->steps.count);
	size_t times[LAST] = {0};

	for (const struct schedule_step *step = from; step < last; step++)
		for (const struct schedule_step *same = from; same <= step; same++)
			if (is_same_step(same, step)) {
				times[same - from]++;
				break;
			}
	return from + largest_of(times, (size_t)(last - from));
}

/* Adds text such as " in CRYPTO_THREAD_unlock+0x9" for code without line numbers. */
static void add_symbol(const struct sched *g, uint64_t place, struct str *out)
{
	char *name;

	array_each(const struct sched_module, m, &g->modules) {
		if (m->first != place - address_offset(place))
			continue;
		name = source_name_of((struct module *)m->module, address_offset(place));
		str_addf(out, " in %s", name ? name : module_name(m->module));
		base_free(name);
		return;
	}
}

static bool is_memory(enum strategy_op op)
{
	return op == STRATEGY_READ || op == STRATEGY_WRITE || op == STRATEGY_ATOMIC;
}

void last_words(struct sched *g)
{
	const struct schedule_step *step = most_frequent(&g->schedule);
	struct str *out = &g->last_words;

	str_clear(out);
	add_makers(&g->schedule, out);
	str_addf(out, ", most often %s", schedule_op(step->point.op));
	if (step->where.file && step->where.line)
		str_addf(out, " at %s:%u", str_base_name(step->where.file), step->where.line);
	else
		add_symbol(g, step->point.place, out);
	if (g->schedule.threads.count == 1)
		str_add(out, "; it had created no other thread: if it creates one later, --from "
			     "pthread_create begins schedules there");
	else if (is_memory(step->point.op) && g->points != SCHED_SYNC)
		str_add(out, "; --points sync takes no accesses to memory");
	str_add(out, "; --steps N makes schedules longer");
}

void last_thread(struct sched *g, const struct sched_thread *t, const struct schedule_where *where)
{
	struct str *out = &g->last_threads;

	str_add(out, g->schedule.threads.items[t->listed]);
	if (t->state == THREAD_READY)
		str_addf(out, " is to %s", schedule_op(t->point.op));
	else if (t->state == THREAD_SLEEPS)
		str_add(out, " sleeps");
	else
		str_add(out, t->state == THREAD_RUNS ? " runs" : " waits");
	add_where(where, out);
	str_add(out, "\n");
}
