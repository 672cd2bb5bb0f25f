/* The scheduler: collects threads that can go on, resumes the chosen one, and detects a
   deadlock. */
#include "tracer/sched/schedule/schedule.h"
#include "tracer/sched/sched_internal.h"
#include "tracer/sched/syscalls/timers.h"
#include "tracer/features/waiting/waiting.h"
#include "tracer/run/run.h"
#include "tracer/tracee/events/events.h"
#include "tracer/tracee/threads/threads.h"
#include "tracer/tracee/signals/signals.h"
#include "tracer/tracee/fastpath/fastpath.h"
#include "tracer/tracee/attach/attach.h"

#include <assert.h>
#include <string.h>
#include <sys/syscall.h>

enum {
	IDLE_TICKS = 10,
	SHORT_NS = 1000000000, /* a wait of at most this length can end at any time */
};

/* ---- threads ----------------------------------------------------------------------------- */

/* Starts the scheduler when a thread creates another one before schedules begin: no thread may
   wait in the kernel for what the scheduler decides. The creator goes on from where it is. */
static void begin_early(struct scheduler *c, const struct run_thread *made)
{
	const struct tracee_thread *maker = run_thread_tracee(made)->creator;

	if (c->begun || c->over || !maker || !maker->user)
		return;
	c->given->seen |= SCHED_HAD_THREADS;
	if (!(c->given->flags & SCHED_EARLY))
		return;
	scheduler_begin(c->run, maker->user);
	sched_thread_of(maker->user)->at_point = false;
}

static void thread_new(struct run *s, struct run_thread *t)
{
	struct scheduler *c = scheduler_of(s);

	if (c)
		begin_early(c, t);
	if (c && c->begun && !c->over)
		sched_thread_new(c, t);
}

static void thread_gone(struct run *s, struct run_thread *thread, bool renamed)
{
	struct scheduler *c = scheduler_of(s);
	struct sched_thread *t = sched_thread_of(thread);

	if (!c || !t->thread || renamed)
		return;
	sched_thread_forget(c, t);
	if (t->next != NEXT_END)
		sched_threads_forget(c, run_process_of(thread));
	if (!c->over)
		futexes_thread_gone(c, t);
	t->thread = NULL;
}

static void process_gone(struct run *s, struct run_process *p, int status)
{
	struct scheduler *c = scheduler_of(s);

	(void)status;
	if (c && c->dying == p)
		c->dying = NULL;
	if (c)
		timers_process_gone(c, p);
}

static void exec(struct run *s, struct run_thread *t, bool first)
{
	struct scheduler *c = scheduler_of(s);

	if (!c || first || !c->begun)
		return;
	if (c->dying == run_process_of(t))
		c->dying = NULL;
	timers_exec(c, run_process_of(t));
	if (!sched_thread_of(t)->thread)
		sched_thread_new(c, t);
	else
		sched_thread_exec(c, sched_thread_of(t));
	watch_exec(c, sched_thread_of(t));
}

/* ---- steps ------------------------------------------------------------------------------- */

static void make_call(struct scheduler *c, struct sched_thread *t)
{
	t->next = NEXT_RESUMES;
	interrupts_step(c, t);
	timers_closed(c, t);
	if (t->call.number == SYS_sched_yield)
		sched_thread_answer(t, 0);
	else if (!timers_set(c, t))
		kernel_call(c, t);
}

static void take_step(struct scheduler *c, struct sched_thread *t)
{
	array_each(struct sched_thread *, other, &c->threads)
		(*other)->preempted = false;
	if (!t->thread) {
		timers_step(c, t);
		times_pass(c, t->until_ns);
		return;
	}
	if (t->state != THREAD_READY && t->signalled) {
		interrupts_end_wait(c, t);
		return;
	}
	if (c->op == STRATEGY_SPURIOUS)
		spurious_return(c, t);
	if (t->state != THREAD_READY)
		times_pass(c, t->until_ns);
	if (t->state == THREAD_RUNS) {
		t->blocked = false; /* the thread leaves the kernel and goes on */
	} else if (t->next == NEXT_ANSWERS) {
		t->next = NEXT_RESUMES;
		sched_thread_answer(t, t->result);
	} else if (t->next == NEXT_CALLS) {
		make_call(c, t);
	} else if (!updates_step(c, t)) {
		if (!tracee_told(run_tracee(c->run)))
			grants_give(c, t);
		sched_thread_goes(t);
	}
}

/* ---- choosing the next thread ------------------------------------------------------------ */

static bool is_settled(struct scheduler *c)
{
	const struct run *s = c->run;

	return !run_goes_last(s) && tracee_is_settled(run_tracee(s), c->kernel) &&
	       kernel_rests(c) && interrupts_are_over(c);
}

/* Returns the end of waits that can be over by now. The clock jumps to the first end only if no
   thread is ready, and not past a timer: the kernel expires it whatever threads do. */
static uint64_t time_for_some(struct scheduler *c)
{
	uint64_t soon = c->now_ns + SHORT_NS, timer = timers_first(c), first = timer;
	bool ready = false;

	array_each(struct sched_thread *, t, &c->threads) {
		ready |= (*t)->signalled ||
			 ((*t)->state == THREAD_READY && !(*t)->preempted && !(*t)->spins);
		if ((*t)->timed && (*t)->until_ns < first)
			first = (*t)->until_ns;
	}
	if (ready || first < soon)
		first = soon;
	return first < timer ? first : timer;
}

/* Offers ready threads, signalled ones, and those whose wait can be over. */
static void offer_ready(struct scheduler *c, uint64_t until, bool preempted)
{
	array_each(struct sched_thread *, t, &c->threads) {
		if ((*t)->preempted != preempted)
			continue;
		if ((*t)->state == THREAD_READY)
			scheduler_offer(c, *t, (*t)->point.op);
		else if ((*t)->signalled)
			scheduler_offer(c, *t, STRATEGY_BLOCK);
		else if ((*t)->timed && (*t)->until_ns <= until &&
			 times_may_pass(c, (*t)->until_ns))
			scheduler_offer(c, *t, STRATEGY_TIMEOUT);
	}
}

static void offer_all(struct scheduler *c)
{
	uint64_t until;

	children_look(c);
	interrupts_look(c);
	until = time_for_some(c);
	scheduler_offer_none(c);
	offer_ready(c, until, false);
	timers_offer(c, until);
	if (!c->points.count)
		offer_ready(c, until, true);
	spurious_offer(c);
}

static bool somebody_is_held(const struct scheduler *c)
{
	array_each(struct sched_thread *, t, &c->threads)
		if (run_thread_is_held((*t)->thread))
			return true;
	return false;
}

/* True if an untraced child lives. Its work is no step, but can let threads go on. */
static bool somebody_is_unseen(const struct scheduler *c)
{
	array_each(struct sched_thread *, t, &c->threads)
		if (run_thread_lives((*t)->thread) &&
		    tracee_has_unseen_child(run_thread_tracee((*t)->thread)))
			return true;
	return false;
}

/* Handles a run in which no thread can go on. Waits decided by the scheduler become waits in the
   kernel, so that the run's own verdict finds what the threads wait for. */
static void stuck(struct scheduler *c)
{
	struct run *s = c->run;
	bool unseen = somebody_is_unseen(c), taken = false;
	enum waits_answer unused;

	scheduler_note_places(c);
	c->given->end = SCHED_STUCK;
	c->over = true;
	if (!(c->given->flags & SCHED_JUDGES) && !c->kernel && !c->real_timers &&
	    !somebody_is_held(c) && !unseen) {
		/* The death of an unseen child is a cause outside the program. */
		observe_until(taken, stuck, s, STUCK_EXCUSED, &unused);
		if (taken)
			return;
		run_outcome(s)->stuck = OUTCOME_DEADLOCK;
		run_end(s);
		return;
	}
	array_each(struct sched_thread *, t, &c->threads) {
		if ((*t)->state == THREAD_FUTEX)
			futexes_let_wait(*t);
		else if ((*t)->state == THREAD_BEHIND)
			sched_thread_goes(*t);
	}
	run_set_driven(s, false);
}

static bool is_to_rest(const struct scheduler *c)
{
	const struct sched *g = c->given;

	return g->rest_at && c->points.count && g->schedule.steps.count >= g->rest_at;
}

/* A thread reported at this point was already resumed, because the strategy promised to choose
   it. */
static void assert_as_foreseen(const struct scheduler *c, const struct sched_thread *chosen)
{
	const struct tracee_thread *told = tracee_told(run_tracee(c->run));

	assert(!told || c->over || (chosen && run_thread_tracee(chosen->thread) == told));
}

/* Reports waiting threads to observers that record the order of waiters. Returns true if an
   observer has released a thread that now runs. */
static bool tell_waits(struct scheduler *c)
{
	struct run *s = c->run;

	for (size_t i = 0; i < c->threads.count; i++) {
		struct sched_thread *t = c->threads.items[i];

		if (t->state != THREAD_RUNS && t->state != THREAD_READY && !t->signalled)
			observe(comes, s, t->thread, NULL);
	}
	return !is_settled(c);
}

static void scheduler_turn(struct scheduler *c)
{
	while (c->begun && !c->over && !c->dying && !run_is_over(c->run) && c->threads.count &&
	       !c->rests && is_settled(c)) {
		struct sched_thread *chosen;

		if (tell_waits(c))
			continue;
		offer_all(c);
		c->rests = is_to_rest(c);
		if (c->rests) {
			written_drain(c);
			return;
		}
		chosen = c->points.count ? scheduler_choose(c) : NULL;
		assert_as_foreseen(c, chosen);
		if (chosen)
			take_step(c, chosen);
		else if (c->kernel && !c->over && c->idle < IDLE_TICKS)
			return; /* an event from outside may come: wait_outside() */
		else if (!c->over)
			stuck(c);
	}
}

bool sched_rests(const struct run *s)
{
	const struct scheduler *c = scheduler_of(s);

	return c && c->rests;
}

void sched_go_on(struct run *s)
{
	struct scheduler *c = scheduler_of(s);

	if (!c)
		return;
	c->rests = false;
	scheduler_turn(c);
}

void sched_say(const struct run_thread *thread, struct str *out)
{
	const struct sched_thread *t = sched_thread_of(thread);

	if (!t->thread)
		return;
	if (t->state == THREAD_READY && t->next != NEXT_ANSWERS)
		str_addf(out, " (is to %s)", schedule_op(t->point.op));
	else
		str_add(out, t->state == THREAD_READY ? " (is to go on)" : " (waits)");
}

/* Counts ticks without an event: input, timers and the network arrive in real time. */
static void wait_outside(struct scheduler *c)
{
	c->idle++;
	c->idle_s += run_tick_ms(c->run) / 1e3;
	if (!c->over)
		scheduler_turn(c);
	else if (c->given->end == SCHED_STUCK && hangs_is_waited_for(c))
		hangs_end(c);
}

static void tick(struct run *s)
{
	struct scheduler *c = scheduler_of(s);

	if (!c)
		return;
	written_drain(c);
	if (!c->begun)
		return;
	if (!c->over)
		kernel_notice(c);
	if (c->kernel || c->over)
		wait_outside(c);
	if (!c->over)
		loops_tick(c);
	if (!c->over)
		hangs_tick(c);
	if (!c->over && hangs_preempt(c))
		scheduler_turn(c);
}

/* Extends a run at the search's time limit, to show whether a run without steps hangs. */
static bool late(struct run *s, enum end_reason reason, double over_us)
{
	struct scheduler *c = scheduler_of(s);
	static const double most_us = 4e6;

	return reason == END_LATE && c && c->begun && !run_outcome(s)->limit && over_us < most_us &&
	       hangs_may(c);
}

/* ---- events of the run ------------------------------------------------------------------- */

static int launch(struct run *s, struct tracee_launch *how, struct error *err)
{
	(void)err;
	if (!run_options(s)->sched)
		return 0;
	how->calls = calls_numbers();
	streams_launch(run_options(s)->sched, how);
	return 0;
}

static bool goes(struct run *s, struct run_thread *thread)
{
	struct scheduler *c = scheduler_of(s);
	struct sched_thread *t = sched_thread_of(thread);

	if (!c || !c->begun || c->over || !t->thread)
		return false;
	c->moves++;
	kernel_left(c, t);
	if (t->next == NEXT_BIRTH) {
		kernel_born(c, t);
		return true;
	}
	if (t->next == NEXT_EXIT) {
		kernel_leave(c, t);
		return true;
	}
	if (!t->at_point) {
		t->state = THREAD_RUNS;
		return false;
	}
	t->at_point = false;
	sched_thread_ready(t, &t->point);
	scheduler_turn(c);
	return true;
}

/* Runs after each event, because threads may have been held or have exited. */
static bool scheduler_decided(struct run *s)
{
	struct scheduler *c = scheduler_of(s);

	if (!c)
		return false;
	if (run_has_events(s))
		c->idle = 0, c->idle_s = 0;
	kernel_notice_stopped(c);
	scheduler_turn(c);
	return false;
}

static bool scheduler_call(struct run *s, const struct tracee_event *ev)
{
	struct scheduler *c = scheduler_of(s);
	struct sched_thread *t = sched_thread_of(ev->thread->user);

	if (!c)
		return false;
	written_next(c);
	c->moves++;
	t->call = ev->call;
	if (!c->begun || c->over || !t->thread) {
		struct run_thread *sched = t->thread;

		t->thread = ev->thread->user;
		t->path = sched ? t->path : "";
		if (!calls_early(c, t))
			tracee_resume(run_tracee(s), ev->thread);
		t->thread = sched;
	} else if (ev->kind == TRACEE_CALLED) {
		kernel_left(c, t);
		kernel_called(t);
	} else {
		kernel_left(c, t);
		calls_make(c, t);
	}
	return true;
}

/* True for a child of vfork until its exec. */
static bool shares_memory(const struct run *s, const struct run_process *p)
{
	run_each_process(other, s)
		if (other != p && run_process_lives(other) &&
		    run_process_tracee(other)->space == run_process_tracee(p)->space)
			return true;
	return false;
}

static void forked(struct run *s, struct run_thread *t, struct run_process *child)
{
	struct scheduler *c = scheduler_of(s);

	(void)child;
	if (!c)
		return;
	watch_fork(c, t);
	if (shares_memory(s, run_process_of(t)))
		sched_thread_of(t)->next = NEXT_BIRTH;
}

static bool needs_libraries(struct run *s, const struct run_process *p)
{
	(void)p;
	return scheduler_of(s);
}

static int modules(struct run *s, const struct modules_seen *m, struct error *err)
{
	(void)err;
	if (scheduler_of(s) && m->stage == MODULES_SETTLED)
		points_settled(s, m->process, m->thread);
	else if (scheduler_of(s) && m->stage == MODULES_OPENED)
		points_opened(s, m->process, m->thread, m->images, m->count);
	return 0;
}

static bool scheduler_signal(struct run *s, struct run_thread *t, int signal)
{
	(void)signal;
	if (scheduler_of(s) && sched_thread_of(t)->thread)
		updates_signal(sched_thread_of(t));
	return false;
}

static void outcome(struct run *s)
{
	struct scheduler *c = scheduler_of(s);

	if (c)
		written_outcome(c);
}

extern const struct observer sched_observer;
const struct observer sched_observer = {.begin = scheduler_new,
					.launch = launch,
					.needs_libraries = needs_libraries,
					.modules = modules,
					.thread_new = thread_new,
					.thread_over = thread_gone,
					.process_gone = process_gone,
					.exec = exec,
					.fork = forked,
					.goes = goes,
					.call = scheduler_call,
					.signal = scheduler_signal,
					.tick = tick,
					.ends = late,
					.outcome = outcome,
					.decided = scheduler_decided};

/* ---- the end of the run ------------------------------------------------------------------ */

static void parked_end(struct run *s)
{
	struct scheduler *c = scheduler_of(s);

	if (c)
		sched_judge(c);
}

/* Runs before the observer of deadlock/, which describes these threads. */
extern const struct observer parked_observer;
const struct observer parked_observer = {.end = parked_end};
