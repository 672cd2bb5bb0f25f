/* Detection of hangs: runs in which no thread makes a step any more. README.md gives the limits. */
#include "tracer/sched/sched_internal.h"
#include "tracer/run/run.h"
#include "tracer/tracee/threads/threads.h"
#include "tracer/tracee/syscalls/syscalls.h"
#include "tracer/tracee/fastpath/fastpath.h"

/* Processor time, beyond the measured one, that a stop without a step (such as a clock read)
   costs the program. */
enum { STOP_NS = 20000 };

static const double ns_of_s = 1e9;

static double limit_of(const struct scheduler *c)
{
	return run_is_attended(c->run) ? 0 : c->given->hang_s;
}

void hangs_end(struct scheduler *c)
{
	if (c->given->end != SCHED_STUCK)
		scheduler_note_places(c);
	run_outcome(c->run)->hang = c->given->hang_s;
	scheduler_end(c, SCHED_HANGS);
}

bool hangs_is_waited_for(const struct scheduler *c)
{
	return limit_of(c) > 0 && c->idle_s >= limit_of(c);
}

bool hangs_may(const struct scheduler *c)
{
	static const double noticed_s = 0.2;

	return limit_of(c) > 0 && (c->idle_s > noticed_s || c->still_s > noticed_s);
}

static bool could_go_on(const struct sched_thread *t)
{
	return t->state == THREAD_READY || t->signalled || (t->state != THREAD_RUNS && t->timed);
}

/* Returns the thread that computes, or NULL unless another thread could go on. */
static struct sched_thread *computing(const struct scheduler *c)
{
	struct sched_thread *runs = NULL;
	bool others = false;

	array_each(struct sched_thread *, t, &c->threads) {
		if ((*t)->state == THREAD_RUNS && !(*t)->at_point)
			runs = *t;
		others |= could_go_on(*t);
	}
	return others ? runs : NULL;
}

static bool stop_it(struct scheduler *c, struct sched_thread *t)
{
	struct tracee *tracee = run_tracee(c->run);

	if (tracee_pause(tracee, run_thread_tracee(t->thread)) < 0)
		return false; /* the thread stops for another reason */
	if (tracee_grants_end(run_thread_tracee(t->thread)))
		return true;
	tracee_resume(tracee, run_thread_tracee(t->thread));
	return false;
}

/* Processor time after which a thread that computes is preempted. */
static double round_s(const struct scheduler *c)
{
	static const double most_s = 1;
	double limit = limit_of(c) / 2;

	return limit > 0 && limit < most_s ? limit : most_s;
}

/* True after all preemptions that precede a hang. Their number is the same in each run, however
   late its ticks are, because a replay counts them as steps. */
static bool had_rounds(const struct scheduler *c)
{
	double rounds = limit_of(c) / round_s(c) - 1;

	return limit_of(c) > 0 && (double)(c->preempts - c->hang_preempts) >= rounds;
}

/* Stops a thread that computes, as a kernel's scheduler would: a wait with a time-out can then
   end, or another thread can write what the loop waits for. The address of the stop differs
   between runs; the order of steps does not. */
bool hangs_preempt(struct scheduler *c)
{
	const struct strategy_point p = {.op = STRATEGY_YIELD, .object = STRATEGY_NO_OBJECT};
	double still_s = c->still_s;
	struct sched_thread *t = computing(c);

	if (c->preempt_ns > c->hang_ns)
		still_s -= (double)(c->preempt_ns - c->hang_ns) / ns_of_s;
	if (!t || had_rounds(c) || still_s < round_s(c) || !stop_it(c, t))
		return false;
	c->preempt_ns = c->hang_ns + (uint64_t)(c->still_s * ns_of_s);
	c->preempts++;
	c->given->seen |= SCHED_PREEMPTED;
	t->function = NULL;
	sched_thread_ready(t, &p);
	t->preempted = true;
	return true;
}

/* A thread that cannot be stopped while it computes is never preempted: twice the limit is
   enough. */
static bool is_long_enough(const struct scheduler *c)
{
	double limit = limit_of(c);

	return limit > 0 && c->still_s > limit &&
	       (had_rounds(c) || !computing(c) || c->still_s > 2 * limit);
}

void hangs_tick(struct scheduler *c)
{
	size_t steps = c->given->schedule.steps.count;
	uint64_t worked = tracee_worked_ns(run_tracee(c->run)) + (uint64_t)c->moves * STOP_NS;

	/* The number of looks at each access is limited, so such stops end. */
	if (steps > c->hang_steps + c->preempts || !c->hang_ns ||
	    c->hang_looks != c->access_looks) {
		c->hang_looks = c->access_looks;
		c->hang_steps = steps - c->preempts;
		c->hang_preempts = c->preempts;
		c->hang_ns = worked;
	}
	c->still_s = (double)(worked - c->hang_ns) / ns_of_s;
	if (is_long_enough(c))
		hangs_end(c);
}
