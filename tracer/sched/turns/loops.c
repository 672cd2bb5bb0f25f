/* Traps in loops that reach no point, and preemption of threads that compute. See README.md. */
#include "tracer/sched/sched_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/places/places.h"
#include "tracer/tracee/threads/threads.h"
#include "tracer/tracee/traps/traps.h"
#include "tracer/tracee/syscalls/syscalls.h"

enum {
	LOOK_NS =
		/* processor time of the program without a point before its pc is sampled */
	100000000,
	LOOKS = 6,  /* samples in a run, each after twice the time of the one before */
	ROUNDS = 8, /* hits in the same state before the thread counts as looping */
	/* hits in all runs after which a trap without a looping thread is removed */
	MOST_HITS = 1000,
};

static const double PREEMPTED_S = 1, AGAIN_S = 0.1; /* seconds of computing without a step */

/* ---- hit of a trap ----------------------------------------------------------------------- */

/* Counts hits in one state without a step between: no other thread has moved. */
static bool goes_round(struct scheduler *c, struct sched_thread *t)
{
	struct sched_loop_rounds *r = &t->rounds;
	size_t steps = c->given->schedule.steps.count;
	uint64_t state = spin_state(t->thread, &c->given->code);

	if (r->steps != steps || r->state != state)
		*r = (struct sched_loop_rounds){.steps = steps, .state = state};
	return ++r->count >= ROUNDS;
}

static void yields(struct sched_thread *t)
{
	const struct strategy_point p = {.op = STRATEGY_YIELD, .object = STRATEGY_NO_OBJECT};

	sched_arrive(t, &p, NULL);
}

static enum hit_answer hit_loop(struct run *s, const struct act *a, const struct hit *h)
{
	struct scheduler *c;
	struct sched_thread *t = sched_hit(s, h, &c);
	struct sched_loop *loop;

	if (!t || t->at_point)
		return HIT_SEEN;
	loop = &c->given->loops[a->what];
	if (!goes_round(c, t)) {
		if (!loop->is_one && ++loop->hits > MOST_HITS)
			tracee_site_remove(run_process_tracee(run_process_of(h->thread)), h->site);
		return HIT_SEEN;
	}
	loop->is_one = true;
	t->rounds.count = 0;
	yields(t);
	return HIT_SEEN;
}

static const struct site_owner loop_owner = {.no_registers = true, .hit = hit_loop};

/* True if no step was made since the trap of preempt() was set. */
static bool is_preempted(const struct scheduler *c)
{
	return c->preempted_s > 0 && c->preempted_at == c->given->schedule.steps.count;
}

static enum hit_answer hit_preempted(struct run *s, const struct act *a, const struct hit *h)
{
	const struct site_use *use = h->site->user;
	struct scheduler *c;
	struct sched_thread *t = sched_hit(s, h, &c);

	(void)a;
	if (use->acts.count == 1)
		tracee_site_remove(run_process_tracee(run_process_of(h->thread)), h->site);
	if (t && !t->at_point && is_preempted(c))
		yields(t);
	return HIT_SEEN;
}

static const struct site_owner preempted_owner = {.no_registers = true, .hit = hit_preempted};

/* ---- setting traps ----------------------------------------------------------------------- */

void loops_put(struct run *s, struct run_process *p, struct tracee_thread *t)
{
	const struct sched *g = run_options(s)->sched;

	for (unsigned i = 0; i < g->loops_count; i++)
		if (g->loops[i].is_one || g->loops[i].hits <= MOST_HITS)
			sched_trap(&(struct sched_image){s, p, t, NULL}, g->loops[i].address,
				   &loop_owner, i);
}

/* ---- threads that reach no point --------------------------------------------------------- */

/* Sets a trap where the thread is. Returns the address, or 0 if the thread stops for a reason of
   its own or is in no module. */
static uint64_t put_here(struct run *s, struct run_thread *t, const struct site_owner *owner,
			 unsigned index)
{
	struct arch_regs regs;
	uint64_t pc;

	if (tracee_pause(run_tracee(s), run_thread_tracee(t)) < 0)
		return 0;
	pc = tracee_regs(run_thread_tracee(t), &regs) < 0 ? 0 : regs.dwarf[ARCH_DWARF_PC];
	if (!images_at(run_process_of(t), pc) ||
	    !sched_trap(&(struct sched_image){s, run_process_of(t), run_thread_tracee(t), NULL}, pc,
			owner, index))
		pc = 0;
	tracee_resume(run_tracee(s), run_thread_tracee(t));
	return pc;
}

static void loops_look_at(struct scheduler *c, struct run_thread *t)
{
	struct sched *g = c->given;
	uint64_t pc = put_here(c->run, t, &loop_owner, g->loops_count);

	if (pc)
		g->loops[g->loops_count++] = (struct sched_loop){.address = pc};
}

static void loops_look(struct scheduler *c)
{
	c->looks++;
	array_each(struct sched_thread *, t, &c->threads)
		if ((*t)->state == THREAD_RUNS && c->given->loops_count < SCHED_LOOPS)
			loops_look_at(c, (*t)->thread);
}

static bool is_time_to_look(struct scheduler *c, uint64_t worked_ns)
{
	size_t steps = c->given->schedule.steps.count;

	if (c->looked_at != steps)
		c->looks = 0;
	c->looked_at = steps;
	return c->looks < LOOKS && worked_ns > (uint64_t)LOOK_NS << c->looks;
}

static bool others_can_go_on(const struct scheduler *c)
{
	array_each(struct sched_thread *, t, &c->threads)
		if ((*t)->state == THREAD_READY || (*t)->signalled ||
		    ((*t)->state != THREAD_RUNS && (*t)->timed))
			return true;
	return false;
}

/* Repeats the trap, because the thread may not pass one address twice. */
static void preempt(struct scheduler *c)
{
	size_t steps = c->given->schedule.steps.count;

	if (c->preempted_at != steps)
		c->preempted_s = 0;
	c->preempted_at = steps;
	if (c->hang_steps != steps || c->still_s < PREEMPTED_S ||
	    c->still_s < c->preempted_s + AGAIN_S || !others_can_go_on(c))
		return;
	c->preempted_s = c->still_s;
	c->given->seen |= SCHED_PREEMPTED;
	array_each(struct sched_thread *, t, &c->threads)
		if ((*t)->state == THREAD_RUNS)
			put_here(c->run, (*t)->thread, &preempted_owner, 0);
}

/* Processor time of the program counts, so the load of the machine does not. */
void loops_tick(struct scheduler *c)
{
	uint64_t worked = tracee_worked_ns(run_tracee(c->run));

	if (c->moves != c->moves_then) {
		c->moves_then = c->moves;
		c->worked_then = worked;
	} else if (is_time_to_look(c, worked - c->worked_then)) {
		loops_look(c);
	}
	preempt(c);
}
