/* Threads that repeat a few steps in vain: which steps they are, and whether the objects of the
   steps change. README.md gives the criteria. */
#include "tracer/sched/sched_internal.h"
#include "tracer/sched/syscalls/timers.h"
#include "tracer/features/waiting/waiting.h"
#include "tracer/tracee/signals/signals.h"
#include "tracer/sched/turns/rounds.h"

#include <string.h>

enum {
	FEW_TIMES = 8,	   /* times that a thread must have repeated its steps */
	MANY_VALUES = 256, /* more values of the objects are progress */
};

/* ---- steps that repeat ------------------------------------------------------------------- */

static uint64_t value_of(const struct sched_thread *t, const struct strategy_point *p)
{
	uint64_t value = 0, size = p->size && p->size < sizeof(value) ? p->size : sizeof(value);

	if (p->object == STRATEGY_NO_OBJECT || p->object == STRATEGY_ANY_OBJECT ||
	    run_thread_read(t->thread, p->object, &value, size) < 0)
		return 0;
	return value;
}

/* True for functions that return without the lock. */
static bool tries(const char *function)
{
	return function && (strstr(function, "try") || strstr(function, "_test_") ||
			    strcmp(function, "syscall") == 0);
}

static struct round_step *find_step(struct rounds *r, const struct strategy_point *p)
{
	for (unsigned i = 0; i < r->count && i < ROUND_STEPS; i++) {
		struct round_step *step = &r->steps[i];

		if (step->point.thread == p->thread && step->point.place == p->place &&
		    step->point.object == p->object && step->point.op == p->op)
			return step;
	}
	return NULL;
}

/* Returns NULL if there are too many. */
static struct round_step *add_step(struct rounds *r, const struct sched_thread *t,
				   const struct strategy_point *p)
{
	if (r->count >= ROUND_STEPS) {
		r->count = ROUND_STEPS + 1;
		return NULL;
	}
	r->steps[r->count] =
		(struct round_step){.point = *p,
				    .tries = p->op == STRATEGY_LOCK && tries(t->function),
				    .constant = true,
				    .still = true};
	return &r->steps[r->count++];
}

static void note_value(struct rounds *r, struct round_step *step, uint64_t value)
{
	if (!step->times++)
		step->value = value;
	step->constant &= step->value == value;
	if (r->values.count <= MANY_VALUES)
		*table_at(&r->values, table_mix(step->point.object, value)) = 1;
	r->last = step;
}

static void forget_steps(struct rounds *r)
{
	r->count = 0;
	r->last = NULL;
	table_clear(&r->values);
}

static void learn_effect(struct rounds *r, const struct sched_thread *t)
{
	struct round_step *step = r->last;

	r->last = NULL;
	if (step && (!t->thread || !run_thread_lives(t->thread)))
		step->still = false;
	else if (step && step->still && step->constant)
		step->still = value_of(t, &step->point) == step->value;
}

/* True for a step of a wait: nothing that the thread has seen there says that the wait may end. */
static bool awaits(const struct round_step *s)
{
	return s->constant && s->still &&
	       (s->point.op == STRATEGY_READ || s->point.op == STRATEGY_ATOMIC || s->tries);
}

/* ---- all threads that can go on wait for a value ----------------------------------------- */

static void forget_quiet(struct quiet *q)
{
	q->since = q->news = 0;
	table_clear(&q->states);
	forget_steps(&q->rounds);
}

static bool may_be_quiet(const struct strategy_point *p)
{
	return p->op == STRATEGY_READ || p->op == STRATEGY_YIELD || p->op == STRATEGY_ATOMIC ||
	       p->op == STRATEGY_LOCK;
}

static void quiet_state(struct scheduler *c, const struct sched_thread *t)
{
	struct quiet *q = c->quiet;
	uint64_t *seen =
		table_at(&q->states, table_mix(spin_state(t->thread, &c->given->code), t->number));

	if (!*seen && q->since > QUIET_WATCHED + QUIET_WATCHED / 2)
		q->news++;
	*seen = 1;
}

static void quiet_step(struct scheduler *c, const struct sched_thread *t,
		       const struct strategy_point *p)
{
	struct quiet *q = c->quiet;
	struct round_step *step;

	if (!may_be_quiet(p) || c->clock_reads || q->rounds.count > ROUND_STEPS) {
		if (q->rounds.count)
			forget_quiet(q);
		return;
	}
	step = find_step(&q->rounds, p);
	if (!step) {
		if (q->since > QUIET_WATCHED)
			forget_quiet(q);
		q->since = 0;
		add_step(&q->rounds, t, p);
		return;
	}
	if (q->since++ < QUIET_WATCHED)
		return;
	note_value(&q->rounds, step, value_of(t, p));
	quiet_state(c, t);
}

size_t rounds_unwatched(const struct scheduler *c)
{
	const struct quiet *q = c->quiet;

	return !q ? QUIET_WATCHED : q->since < QUIET_WATCHED ? QUIET_WATCHED - q->since : 0;
}

static bool is_seen_again(const struct rounds *r, const struct sched_thread *t)
{
	for (unsigned i = 0; i < r->count; i++)
		if (r->steps[i].point.thread == t->number && r->steps[i].times >= FEW_TIMES &&
		    awaits(&r->steps[i]))
			return true;
	return false;
}

/* True if an event from outside, a time-out or a gate can end a wait. */
static bool is_awaited(const struct scheduler *c)
{
	if (c->kernel || timers_are_armed(c) || c->signals)
		return true;
	array_each(struct sched_thread *, t, &c->threads)
		if ((*t)->timed || (*t)->signalled || run_thread_is_held((*t)->thread) ||
		    tracee_has_unseen_child(run_thread_tracee((*t)->thread)))
			return true;
	return false;
}

bool rounds_are_quiet(struct scheduler *c)
{
	const struct quiet *q = c->quiet;

	if (!q || q->since < QUIET_STEPS || q->news || is_awaited(c))
		return false;
	for (unsigned i = 0; i < q->rounds.count; i++)
		if (q->rounds.steps[i].times && !q->rounds.steps[i].still)
			return false;
	for (size_t i = 0; i < c->at.count; i++)
		if (c->points.items[i].op != STRATEGY_SPURIOUS &&
		    !is_seen_again(&q->rounds, c->at.items[i]))
			return false;
	return true;
}

/* ---- the last steps of a run ------------------------------------------------------------- */

static void last_step(struct scheduler *c, const struct sched_thread *t,
		      const struct strategy_point *p)
{
	const struct sched *g = c->given;
	struct rounds *r = c->last_rounds;
	struct round_step *step;

	if (!g->steps || g->schedule.steps.count + spins_looked_at(g) < g->steps)
		return;
	step = find_step(r, p);
	if (!step)
		step = add_step(r, t, p);
	if (step)
		note_value(r, step, value_of(t, p));
}

/* True if the thread gives way or changes nothing at all, and a step of it waits. */
static bool is_in_vain(const struct rounds *r, unsigned thread)
{
	bool waits = false, gives_way = false, changes = false;

	for (unsigned i = 0; i < r->count; i++) {
		const struct round_step *s = &r->steps[i];

		if (s->point.thread != thread)
			continue;
		waits |= s->times >= FEW_TIMES && awaits(s);
		gives_way |= s->point.op == STRATEGY_YIELD || s->point.op == STRATEGY_TIMEOUT ||
			     (s->tries && awaits(s));
		changes |= !s->still;
	}
	return waits && (gives_way || !changes);
}

bool rounds_are_in_vain(const struct scheduler *c)
{
	const struct rounds *r = c->last_rounds;

	if (!r || !r->count || r->count > ROUND_STEPS || r->values.count > MANY_VALUES)
		return false;
	for (unsigned i = 0; i < r->count; i++)
		if (!is_in_vain(r, r->steps[i].point.thread))
			return false;
	return true;
}

/* ---- a step ------------------------------------------------------------------------------ */

void rounds_step(struct scheduler *c, struct sched_thread *t, const struct strategy_point *p)
{
	struct strategy_point point = *p;

	if (p->op == STRATEGY_WAKE)
		return;
	if (!c->quiet) {
		c->quiet = base_alloc(1, sizeof(*c->quiet));
		c->last_rounds = base_alloc(1, sizeof(*c->last_rounds));
	}
	point.object = t->point.object;
	quiet_step(c, t, &point);
	last_step(c, t, &point);
}

void rounds_stopped(struct scheduler *c)
{
	if (!c->quiet || !c->moved)
		return;
	learn_effect(&c->quiet->rounds, c->moved);
	learn_effect(c->last_rounds, c->moved);
}

void rounds_fini(struct scheduler *c)
{
	if (!c->quiet)
		return;
	table_fini(&c->quiet->states);
	table_fini(&c->quiet->rounds.values);
	table_fini(&c->last_rounds->values);
	base_free(c->quiet);
	base_free(c->last_rounds);
}
