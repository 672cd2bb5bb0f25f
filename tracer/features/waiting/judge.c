/* Decides whether any thread can still move, from /proc, without stopping threads, after a tick
 * without events. Any doubt counts as moving: a verdict of deadlock must be correct. README.md
 * explains the two looks at each thread. */
#include "tracer/run/run.h"
#include "tracer/run/threads/threads.h"
#include "tracer/features/sanitizer/sanitizer.h"
#include "tracer/features/waiting/waiting_internal.h"
#include "tracer/tracee/threads/threads.h"
#include "tracer/tracee/syscalls/syscalls.h"

#include <string.h>
#include <sys/syscall.h>

/* Pause in microseconds before files are searched, or threads stopped, again; an event ends it. */
enum { DOUBT_US = 60000, QUIET_US = 50000 };

/* Per-run data. */
struct judging {
	struct str cycle;      /* text of the cycle in the wait graph */
	uint64_t doubt_us;     /* time of the next check for a deadlock; an event clears it */
	uint64_t doubt_for_us; /* last pause, where each check disturbs the program */
	/* Since when a thread is held and all others wait; 0: not the case. */
	uint64_t quiet_us;
	uint64_t quiet_switches; /* context switches of all threads at that time */
	bool timers;		 /* the program had timers when it was last asked */
	bool quiet;		 /* the last look found this state to be older than QUIET_US */
};

static void judging_fini(void *what)
{
	str_fini(&((struct judging *)what)->cycle);
}

static const struct keeper judging_keeper = {sizeof(struct judging), judging_fini};

static struct judging *judging_of(const struct run *s)
{
	return kept_make(run_kept(s), &judging_keeper);
}

const struct str *waiting_cycle(const struct run *s)
{
	return &judging_of(s)->cycle;
}

/* ---- one thread -------------------------------------------------------------------------- */

/* True if the thread is held at a gate or by a user. */
static bool is_held(const struct run_thread *t)
{
	return run_thread_is_held(t) || run_thread_is_paused(t);
}

/* The end of a thread is reported at once, and another thread may wait for it. Only a leader stays
 * a zombie until the other threads of its process have ended. */
static bool is_leader_that_left(const struct run_thread *t)
{
	if (!run_thread_is_first(t))
		return false;
	run_each_thread(other, run_of(run_process_of(t)))
		if (other != t && run_process_of(other) == run_process_of(t) &&
		    run_thread_lives(other))
			return true;
	return false;
}

/* Returns false if this thread alone shows that something can move. */
static bool rests(const struct run_thread *t, struct tracee_block *out)
{
	if (!is_held(t) && run_thread_tracee(t)->state != TRACEE_RUNNING)
		return false;
	tracee_look(run_thread_tracee(t), out);
	if (is_held(t)) /* unless its process is being killed */
		return out->activity == TRACEE_HALTED;
	if (out->activity == TRACEE_DEAD)
		return is_leader_that_left(t);
	return out->activity == TRACEE_BLOCKED || out->activity == TRACEE_DISK;
}

/* For a thread that was stopped after the look: the stop has interrupted the same wait. */
static bool unchanged_at_stop(const struct waiter *w)
{
	struct tracee_block now;

	tracee_look_stopped(run_thread_tracee(w->thread), &now);
	return now.activity == TRACEE_BLOCKED && now.number == w->block.number &&
	       memcmp(now.args, w->block.args, sizeof(now.args)) == 0;
}

static bool unchanged(const struct waiter *w)
{
	const struct tracee_block *before = &w->block;
	struct tracee_block now;

	if (w->stopped)
		return true;
	if (judged_of(w->thread)->on && tracee_is_paused(run_thread_tracee(w->thread)))
		return before->activity == TRACEE_BLOCKED && unchanged_at_stop(w);
	if (!rests(w->thread, &now))
		return false;
	return is_held(w->thread) ||
	       (now.activity == before->activity && now.number == before->number &&
		now.switches == before->switches);
}

/* ---- all threads ------------------------------------------------------------------------- */

/* The wait graph in the form of gates/engine.h. */
struct judgement {
	struct waiters nodes; /* all living threads */
	ARRAY(struct wait) edges;
	ARRAY(struct waiter *) of; /* nodes of the edges */
	struct ends ends;
	bool asked; /* threads were stopped to ask for timers */
	bool halted;
	ARRAY(struct run_thread *) paused;    /* stopped by halt_hidden() */
	ARRAY(struct run_thread *) disclosed; /* one of each process */
	size_t *cycle;
	size_t length;
};

/* False for a leader that has ended, and for a sanitizer's own thread. */
static bool is_judged(const struct waiter *w)
{
	return w->block.activity != TRACEE_DEAD && !sanitizer_owns(w->thread);
}

/* `moves`: there is a doubt, so the edge is WAIT_NOT. */
static void add_edge(struct judgement *j, struct waiter *w, bool moves)
{
	struct wait *edge = array_add(&j->edges);

	*edge = w->wait;
	if (moves)
		edge->kind = WAIT_NOT;
	*array_add(&j->of) = w;
}

static enum waits_answer judge_edges(struct judgement *j)
{
	if (!j->cycle)
		j->cycle = base_alloc(j->edges.count + 1, sizeof(*j->cycle));
	return waits_judge(j->edges.items, j->edges.count, j->cycle, &j->length);
}

/* Applies the owners found while the threads were stopped. `perhaps`: also threads that may be
 * involved, although any other could end the wait. */
static void refine(const struct waiter *w, struct wait *edge, bool perhaps)
{
	enum kind_owned owned = w->owners.count ? kinds_owned(w->what) : OWNED_BY_NONE;

	if (edge->kind != WAIT_FUTEX && edge->kind != WAIT_MUTEX && edge->kind != WAIT_NEVER)
		return;
	if (w->gone) {
		edge->kind = WAIT_NEVER;
	} else if (owned == OWNED_BY_THREAD || (perhaps && owned == OWNED_PERHAPS)) {
		edge->kind = WAIT_MUTEX;
		edge->more.count = 0;
		edge->on = run_thread_engine(w->owners.items[0].thread);
		for (size_t i = 1; i < w->owners.count; i++)
			*array_add(&edge->more) = run_thread_engine(w->owners.items[i].thread);
	} else if (edge->kind == WAIT_MUTEX && w->what != WAITING_GONE &&
		   w->what != WAITING_FUTEX) {
		edge->kind = WAIT_FUTEX; /* the word only looked like a mutex's */
	}
}

static void refine_all(struct judgement *j, bool perhaps)
{
	for (size_t i = 0; i < j->edges.count; i++)
		refine(j->of.items[i], &j->edges.items[i], perhaps);
}

static void describe_cycle(struct run *s, const struct judgement *j)
{
	struct str *cycle = &judging_of(s)->cycle;

	str_clear(cycle);
	for (size_t i = 0; i < j->length; i++) {
		struct run_thread *t = threads_of(j->edges.items[j->cycle[i]].thread);

		waiting_of(t)->in_cycle = true;
		str_add(cycle, i ? "; " : "");
		waiting_sentence(t, cycle);
	}
}

/* Threads that took a semaphore, or would signal, decide nothing, but may be worth reporting. */
static void describe_best(struct run *s, struct judgement *j, enum waits_answer answer)
{
	size_t *cycle = base_alloc(j->edges.count, sizeof(*cycle)), length = j->length;

	memcpy(cycle, j->cycle, length * sizeof(*cycle));
	refine_all(j, true);
	if (judge_edges(j) != answer) {
		memcpy(j->cycle, cycle, length * sizeof(*cycle));
		j->length = length;
	}
	base_free(cycle);
	describe_cycle(s, j);
}

/* ---- threads that /proc hides ------------------------------------------------------------ */

static bool any_hidden(const struct waiters *all)
{
	array_each(const struct waiter, w, all)
		if (w->block.hidden)
			return true;
	return false;
}

/* Completes the look from the registers. Returns false if the thread moves. */
static bool complete(struct waiter *w)
{
	struct run_thread *t = w->thread;

	if (is_held(t) || !is_judged(w))
		return true;
	if (w->block.activity == TRACEE_DISK && tracee_is_vfork(w->block.number))
		return true; /* it cannot be stopped, and its wait is known */
	if (!run_thread_lives(t) || !tracee_is_paused(run_thread_tracee(t)))
		return false;
	tracee_look_stopped(run_thread_tracee(t), &w->block);
	w->stopped = true;
	return w->block.activity == TRACEE_BLOCKED;
}

static bool is_disclosed(const struct judgement *j, const struct run_thread *t)
{
	array_each(struct run_thread *, it, &j->disclosed)
		if (run_process_of(*it) == run_process_of(t))
			return true;
	return false;
}

/* Stops all threads. Returns false if one has stopped by itself, or was not in a system call.
 * judgement_fini() resumes them. */
static bool halt_hidden(struct judgement *j)
{
	struct run *s = j->nodes.run;
	bool known = true;

	j->halted = true;
	run_each_thread(t, s)
		if (run_thread_lives(t) && run_thread_tracee(t)->state == TRACEE_RUNNING)
			*array_add(&j->paused) = t;
	tracee_halt(run_tracee(s));
	pages_forget(s);
	array_each(struct waiter, w, &j->nodes)
		known &= complete(w);
	run_each_thread(it, s)
		if (run_thread_lives(it) && !is_disclosed(j, it) &&
		    tracee_can_call(run_thread_tracee(it)) &&
		    tracee_disclose(run_tracee(s), run_thread_tracee(it)))
			*array_add(&j->disclosed) = it;
	return known;
}

static void judgement_fini(struct judgement *j)
{
	struct run *s = j->nodes.run;

	array_each(struct run_thread *, it, &j->disclosed)
		if (run_thread_lives(*it))
			tracee_disclose_end(run_tracee(s), run_thread_tracee(*it));
	array_each(struct run_thread *, it, &j->paused)
		if (run_thread_lives(*it) && tracee_is_paused(run_thread_tracee(*it)))
			tracee_resume(run_tracee(s), run_thread_tracee(*it));
	array_fini(&j->paused);
	array_fini(&j->disclosed);
	array_fini(&j->ends);
	array_each(struct wait, w, &j->edges)
		array_fini(&w->more); /* `by` is owned by the node */
	array_fini(&j->edges);
	array_fini(&j->of);
	base_free(j->cycle);
	waiters_fini(&j->nodes);
}

/* ---- the verdict ------------------------------------------------------------------------- */

/* Returns false as soon as a thread is found that can move. */
static bool all_rest(struct judgement *j)
{
	bool any = false;

	waiters_add_all(j->nodes.run, &j->nodes);
	array_each(struct waiter, w, &j->nodes) {
		if (!is_judged(w))
			continue;
		if (!rests(w->thread, &w->block))
			return false;
		any |= is_judged(w);
	}
	return any;
}

static bool all_unchanged(const struct judgement *j, const struct timers_asked *but)
{
	array_each(const struct waiter, w, &j->nodes)
		if (is_judged(w) && !(but && timers_has_asked(but, w->thread)) && !unchanged(w))
			return false;
	return true;
}

/* Files are examined last, because they take longest. Returns false as soon as a thread is
 * found that can move. */
static bool judge_each(struct judgement *j)
{
	for (int files = 0; files <= 1; files++)
		array_each(struct waiter, w, &j->nodes) {
			if (!is_judged(w) || syscalls_is_at_file(w->thread, &w->block) != files)
				continue;
			judge_wait(j->nodes.run, w->thread, &w->block, &w->wait, &j->ends);
			w->known = true;
			if (w->wait.kind == WAIT_NOT)
				return false;
		}
	array_each(struct waiter, w, &j->nodes)
		if (is_judged(w))
			add_edge(j, w, false);
	return true;
}

/* No thread moves: true if neither another process nor a timer can wake one. */
static bool nothing_comes(struct judgement *j)
{
	struct run *s = j->nodes.run;
	struct timers_asked asked = {0};
	struct judging *judging = judging_of(s);
	bool nothing = false, timers;

	if (!all_unchanged(j, NULL) || holders_outside(s, &j->ends) || holders_async(s))
		return false;
	if (judging->timers && engine_has_rest(run_engine(s)))
		return false; /* asking for timers again would make threads run */
	j->asked = true;
	timers = timers_ask(s, &asked);
	judging->timers = timers;
	if (!timers)
		nothing = all_unchanged(j, &asked); /* a timer may just have expired */
	timers_let_go(s, &asked);
	return nothing;
}

/* All threads wait, but a process outside or a time-out may wake one: records since when none has
 * run. A thread that only sleeps counts as running. */
static void note_quiet(struct judgement *j, struct judging *judging)
{
	uint64_t switches = 0;
	bool held = false, sleeps = false;

	array_each(const struct waiter, w, &j->nodes) {
		switches += w->block.switches;
		held |= is_held(w->thread);
		sleeps |=
			w->block.number == SYS_nanosleep || w->block.number == SYS_clock_nanosleep;
	}
	if (!held || sleeps || !all_unchanged(j, NULL))
		judging->quiet_us = 0;
	else if (!judging->quiet_us || switches != judging->quiet_switches)
		judging->quiet_us = run_now_us();
	judging->quiet_switches = switches;
	judging->quiet = judging->quiet_us && run_now_us() - judging->quiet_us >= QUIET_US;
}

static enum waits_answer judge(struct run *s)
{
	struct judgement j = {.nodes = {.run = s}};
	struct judging *judging = judging_of(s);
	enum waits_answer answer = WAITS_MOVING;
	bool rest;

	judging->quiet = false;
	run_set_explained(s, false);
	if (run_now_us() < judging->doubt_us)
		return answer;
	rest = all_rest(&j);
	if (rest && (!any_hidden(&j.nodes) || (all_unchanged(&j, NULL) && halt_hidden(&j))) &&
	    judge_each(&j) && judge_edges(&j) != WAITS_MOVING && nothing_comes(&j)) {
		waiters_describe(&j.nodes);
		refine_all(&j, false);
		answer = judge_edges(&j);
		if (answer != WAITS_MOVING)
			describe_best(s, &j, answer);
		run_set_explained(s, answer != WAITS_MOVING);
	} else if (j.asked || j.ends.count || j.halted) {
		/* Each check may restart a time-out, as of epoll_wait: growing
		 * pauses let it expire. */
		judging->doubt_for_us =
			j.halted && judging->doubt_us ? 2 * judging->doubt_for_us : DOUBT_US;
		judging->doubt_us = run_now_us() + judging->doubt_for_us;
	}
	if (answer == WAITS_MOVING && rest && engine_has_rest(run_engine(s)))
		note_quiet(&j, judging);
	judgement_fini(&j);
	return answer;
}

bool waiting_rests(struct run *s, bool (*aside)(const struct run *s, const struct run_thread *t))
{
	struct waiters all = {.run = s};
	bool rest = true;

	run_each_thread(it, s) {
		struct waiter *w;

		if (!run_thread_lives(it) || sanitizer_owns(it) || aside(s, it) ||
		    run_thread_tracee(it)->state == TRACEE_GROUP_STOPPED)
			continue;
		w = array_add(&all);
		w->thread = it;
		/* an uninterruptible sleep is short, except that of a parent in vfork */
		rest = rests(it, &w->block) &&
		       (w->block.activity != TRACEE_DISK || tracee_is_vfork(w->block.number));
		if (!rest)
			break;
	}
	array_each(const struct waiter, w, &all)
		rest = rest && (w->block.activity == TRACEE_DEAD ||
				(unchanged(w) && !blocking_is_untold(w->thread)));
	waiters_fini(&all);
	return rest;
}

/* ---- while threads move ------------------------------------------------------------------ */

/* Any doubt counts as moving, also a thread that has moved since the look. */
static void judge_one(struct judgement *j, struct waiter *w)
{
	struct run *s = j->nodes.run;
	struct ends ends = {0};
	bool moves;

	judge_wait(s, w->thread, &w->block, &w->wait, &ends);
	moves = w->wait.kind == WAIT_NOT || !unchanged(w) || holders_outside(s, &ends);
	w->known = !moves || w->stopped || judged_of(w->thread)->on;
	add_edge(j, w, moves);
	array_fini(&ends);
}

void waiting_explain(struct run *s)
{
	struct judgement j = {.nodes = {.run = s}};

	waiters_add_all(s, &j.nodes);
	array_each(struct waiter, w, &j.nodes)
		if (judged_of(w->thread)->on)
			w->block = judged_of(w->thread)->look;
		else if (is_judged(w))
			rests(w->thread, &w->block);
	if (any_hidden(&j.nodes))
		halt_hidden(&j);
	array_each(struct waiter, w, &j.nodes)
		if (is_judged(w))
			judge_one(&j, w);
	waiters_describe(&j.nodes);
	refine_all(&j, false);
	str_clear(&judging_of(s)->cycle);
	j.cycle = base_alloc(j.edges.count + 1, sizeof(*j.cycle));
	if (waits_lost(j.edges.items, j.edges.count, j.cycle, &j.length))
		describe_cycle(s, &j);
	judgement_fini(&j);
}

/* Describes the threads before their states are lost. */
static void judge_end(struct run *s)
{
	if (!run_is_explained(s))
		waiting_explain(s);
}

static bool answer(struct run *s, enum stuck_question question, enum waits_answer *out)
{
	if (question == STUCK_AWAITED)
		return blocking_awaits(s);
	if (question == STUCK_QUIET)
		return judging_of(s)->quiet;
	if (question != STUCK_JUDGED)
		return false;
	*out = judge(s);
	return true;
}

static void slow_tick(struct run *s, uint64_t now, bool quiet)
{
	if (!quiet)
		judging_of(s)->doubt_us = judging_of(s)->quiet_us = 0;
	spin_look(s, now, quiet);
}

extern const struct observer waiting_observer;
const struct observer waiting_observer = {.stuck = answer,
					  .end = judge_end,
					  .runs = trampoline_runs,
					  .slow_tick = slow_tick,
					  .ends = spin_late,
					  .thread_over = blocking_over,
					  .comes = blocking_comes,
					  .decision = blocking_decided,
					  .tick = blocking_look,
					  .record = words_record};
