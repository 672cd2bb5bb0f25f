/* The choice of the next thread, its record in the schedule, and the end of a run. */
#include "tracer/sched/sched_internal.h"
#include "tracer/sched/turns/rounds.h"
#include "tracer/features/timeline/timeline.h"
#include "tracer/run/run.h"

#include <inttypes.h>
#include <stdint.h>
#include <sys/syscall.h>

void scheduler_note_places(struct scheduler *c)
{
	struct str text = {0};

	array_each(struct sched_thread *, t, &c->threads) {
		addresses_of_point(c, *t);
		str_addf(&text, "%s%" PRIx64, t == c->threads.items ? "" : " ", (*t)->place);
	}
	base_free(c->given->stuck);
	c->given->stuck = str_take(&text);
}

static void keep_last(struct scheduler *c)
{
	last_steps(c->given);
	last_words(c->given);
	array_each(struct sched_thread *, t, &c->threads) {
		struct schedule_where where = describe(c, *t, (*t)->point.op);

		last_thread(c->given, *t, &where);
	}
}

/* True if the end is a livelock although the threads have many states. */
static bool is_vain(struct scheduler *c)
{
	return rounds_are_quiet(c) ||
	       (rounds_are_in_vain(c) && !(c->given->seen & (SCHED_STARVES | SCHED_NAPS)));
}

void scheduler_end(struct scheduler *c, enum sched_end how)
{
	struct outcome *o = run_outcome(c->run);

	c->over = true;
	c->given->end = how;
	o->limit = how != SCHED_STOPPED ? OUTCOME_TIME_LIMIT : OUTCOME_IN_TIME;
	if (how == SCHED_STEPS) {
		o->steps = c->given->schedule.steps.count;
		c->given->seen |=
			(spins_starves(c) ? SCHED_STARVES : 0) | (spins_naps(c) ? SCHED_NAPS : 0);
		if (is_vain(c))
			c->given->seen |= SCHED_VAIN;
		if ((c->given->flags & SCHED_KEEPS_LAST))
			keep_last(c);
		o->livelock = sched_spins(c->given);
	}
	run_end(c->run);
}

static bool too_many(struct scheduler *c)
{
	const struct sched *g = c->given;

	return g->steps && g->schedule.steps.count >= g->steps;
}

/* True if the thread of the last step could go on and another thread is chosen. */
static bool preempts(const struct scheduler *c, const struct sched_thread *chosen)
{
	for (size_t i = 0; i < c->at.count; i++)
		if (c->at.items[i] == c->moved && c->points.items[i].op != STRATEGY_SPURIOUS)
			return c->moved != chosen && c->points.items[i].op != STRATEGY_YIELD;
	return false;
}

/* Records the other steps that were possible, in case this step is the last. */
static void note_pending(struct scheduler *c, const struct sched_thread *chosen)
{
	struct schedule *s = &c->given->schedule;

	s->pending.count = 0;
	for (size_t i = 0; i < c->at.count; i++) {
		struct sched_thread *t = c->at.items[i];
		enum strategy_op op = c->points.items[i].op;

		if (t == chosen || op == STRATEGY_WAKE || op == STRATEGY_TIMEOUT ||
		    op == STRATEGY_SPURIOUS)
			continue;
		*array_add(&s->pending) = (struct schedule_step){
			.thread = t->listed,
			.point = c->points.items[i],
			.where = describe(c, t, op),
		};
	}
}

/* Starts and ends of threads are events of each run. */
static void tell_step(struct scheduler *c, const struct sched_thread *t, enum strategy_op op,
		      const struct schedule_where *where)
{
	STR(text);

	if (!t->thread || op == STRATEGY_START || op == STRATEGY_END)
		return;
	str_add(&text, where->call && !where->var ? where->call : schedule_op(op));
	if (where->var)
		str_addf(&text, " %s", where->var);
	timeline_step(c->run, run_thread_engine(t->thread), where->file, where->line, where->func,
		      str_text(&text));
}

static void record(struct scheduler *c, size_t i)
{
	struct schedule_step *step = array_add(&c->given->schedule.steps);
	struct sched_thread *t = c->at.items[i];

	step->thread = t->listed;
	step->point = c->points.items[i];
	step->others = c->points.count > 1 && (c->points.items[1].op != STRATEGY_SPURIOUS ||
					       step->point.op == STRATEGY_SPURIOUS);
	step->preempts = t->thread && preempts(c, t);
	if (step->point.op != STRATEGY_WAKE)
		times_step(c, t);
	if (step->point.op != STRATEGY_WAKE && t->thread)
		c->moved = t;
	if (t->thread) {
		spins_look(c, t);
		rounds_step(c, t, &step->point);
	}
	if (step->point.ends_process) {
		scheduler_note_places(c); /* of a leak */
		left_look(c, t);
	}
	watch_step(c, t, &step->point);
	if ((c->given->flags & SCHED_DESCRIBES) || last_is_near(c->given)) {
		step->where = describe(c, t, step->point.op);
		step->where.memory = addresses_memory(c, t);
	}
	if ((c->given->flags & SCHED_DESCRIBES)) {
		tell_step(c, t, step->point.op, &step->where);
		note_pending(c, t);
	}
	if (t->thread)
		t->known = 0;
}

static bool ends_process(const struct sched_thread *t)
{
	return t->next == NEXT_CALLS && t->call.number == SYS_exit_group &&
	       run_process_tracee(run_process_of(t->thread))->threads > 1;
}

void scheduler_offer(struct scheduler *c, struct sched_thread *t, enum strategy_op op)
{
	struct strategy_point *p = array_add(&c->points);

	addresses_of_point(c, t);
	*p = t->point;
	p->thread = t->number;
	p->place = t->place;
	p->fixed = t->fixed;
	p->op = op;
	p->ends_process = op == STRATEGY_END && ends_process(t);
	if (t->thread && op != STRATEGY_WAKE && strategy_asks_acquires(c->given->strategy))
		acquires_look(c, t, p);
	if (t->signalled) {
		p->object = STRATEGY_ANY_OBJECT;
		p->fixed = 0;
	}
	*array_add(&c->at) = t;
}

void scheduler_offer_none(struct scheduler *c)
{
	c->points.count = c->at.count = 0;
}

struct sched_thread *scheduler_choose(struct scheduler *c)
{
	size_t i;

	if (c->moved)
		race_made(c, c->moved); /* no other thread has moved since */
	rounds_stopped(c);
	if (too_many(c) || ((c->given->flags & SCHED_ENDS_SPINS) && rounds_are_quiet(c))) {
		scheduler_end(c, SCHED_STEPS);
		return NULL;
	}
	i = strategy_choose(c->given->strategy, c->points.items, c->points.count);
	if (i == STRATEGY_STOP) {
		scheduler_end(c, SCHED_STOPPED);
		return NULL;
	}
	c->op = c->points.items[i].op;
	record(c, i);
	spins_pass_over(c, c->at.items[i]);
	c->clock_reads = 0;
	return c->at.items[i];
}

void scheduler_new(struct run *s)
{
	struct scheduler *c;

	if (!run_options(s)->sched)
		return;
	c = scheduler_keep(s);
	c->given = run_options(s)->sched;
	c->given->now = c;
	c->run = s;
	c->given->end = SCHED_RAN;
	c->given->pause = (struct sched_pause){0};
	c->given->seen &= SCHED_ASKS_IDS | SCHED_HAD_THREADS;
	c->given->left_count = 0;
	c->given->callers.freed.count = c->given->callers.freed_count = 0;
	str_clear(&c->given->left);
	schedule_clear(&c->given->schedule);
	addresses_begin(c);
	run_set_driven(s, true);
	run_expect_loads(s); /* libraries loaded by dlopen contain points */
	watch_begin(c);
}
