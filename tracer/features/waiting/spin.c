/* Samples threads that run while no event comes, to find spinning threads and livelocks. A running
 * thread is stopped briefly; of sleeping threads only those that wake by themselves, whose sleep
 * continues unchanged. */
#include "tracer/run/run.h"
#include "tracer/features/sanitizer/sanitizer.h"
#include "tracer/features/timeline/timeline.h"
#include "tracer/features/waiting/waiting_internal.h"
#include "tracer/tracee/threads/threads.h"

#include <string.h>
#include <sys/syscall.h>

/* Ticks of quiet before the first look, and between two; number of threads examined each time. */
enum { QUIET_TICKS = 10, EVERY_TICKS = 2, MOST_THREADS = 8 };
enum { MOST_PLACES = 16, MOST_FUNCTIONS = 4 };
/* CPU time that shows that a thread has run since its last sample; a stop costs less. */
enum { RUN_NS = 50000 };
/* Context switches of a sleeping thread that is paused: into the stop, and back into the sleep. */
enum { PAUSE_SWITCHES = 2 };
/* A livelock: no other event for so long, and so many samples of each spinning thread. */
enum { LIVELOCK_US = 1000000, REST_US = 500000, SAMPLES = 64, SAMPLES_AT_LAST = 16 };
/* Latest verdict after the time limit, in general and on a busy machine. */
enum { LATE_US = 100000, BUSY_US = 20000000 };

struct spin_places {
	struct spin_place *items;
	size_t count, capacity;
};

struct spinner {
	const struct run_thread *thread;
	uint64_t since_us;
	/* timeline_stands() at that time: the thread has arrived nowhere since */
	unsigned long stands_turn;
	uint64_t switches; /* at the last look; 0: none yet */
	uint64_t pauses;   /* pauses by gatectl, at the last look */
	/* time at which switches last grew by more than these pauses cause */
	uint64_t moved_us;
	uint64_t ran_ns;		 /* CPU time at the last sample */
	uint64_t first_us, first_ran_ns; /* time of the first sample, CPU time then */
	struct spin_states states;	 /* states since the run's last event */
	unsigned samples, slept;
	bool decides; /* its loop contains a conditional branch */
	struct spin_places places;
	/* Innermost function in which the thread loops, the same in all samples, and
	 * the lines seen there. */
	const char *loop;
	struct spin_places lines;
};

/* Per-run data. */
struct spins {
	ARRAY(struct spinner) threads;
	struct spin_code code;
	uint64_t event_us;  /* time of the run's last event */
	uint64_t change_us; /* time of the last event, read or write */
	uint64_t transfers;
	unsigned ticks; /* quiet ticks since then */
	size_t next;	/* next thread to sample, if there are many */
};

static void free_spins(void *what)
{
	struct spins *all = what;

	array_each(struct spinner, sp, &all->threads) {
		array_fini(&sp->places);
		array_fini(&sp->lines);
		spin_states_clear(&sp->states);
	}
	array_fini(&all->threads);
	array_fini(&all->code);
}

static const struct keeper keeper = {sizeof(struct spins), free_spins};

static struct spins *spins_of(const struct run *s)
{
	struct spins *all = kept_make(run_kept(s), &keeper);

	if (!all->event_us)
		all->event_us = all->change_us = run_start_us(s);
	return all;
}

static struct spinner *spin_find(const struct run *s, const struct run_thread *t)
{
	array_each(struct spinner, sp, &spins_of(s)->threads)
		if (sp->thread == t)
			return sp;
	return NULL;
}

static void spin_forget(struct spinner *sp, uint64_t since)
{
	array_fini(&sp->places);
	array_fini(&sp->lines);
	sp->loop = NULL;
	sp->samples = sp->slept = 0;
	sp->decides = false;
	sp->since_us = since;
}

static struct spinner *spinner_of(const struct run *s, const struct run_thread *t)
{
	struct spins *all = spins_of(s);
	struct spinner *sp = spin_find(s, t);

	if (!sp) {
		sp = array_add(&all->threads);
		*sp = (struct spinner){.thread = t,
				       .since_us = all->event_us,
				       .stands_turn = timeline_stands(t),
				       .moved_us = run_now_us()};
	} else if (sp->stands_turn != timeline_stands(t)) {
		spin_forget(sp, all->event_us);
		sp->stands_turn = timeline_stands(t);
	}
	return sp;
}

/* ---- one look ------------------------------------------------------------------------------- */

/* True for a sleep that a stop does not disturb. */
static bool is_nap(const struct tracee_block *b)
{
	return syscalls_is_for_time(b->number) || b->number == SYS_sched_yield ||
	       b->number == SYS_futex || (b->number == SYS_poll && b->args[1] == 0);
}

static size_t count_functions(const struct spin_places *places)
{
	size_t count = 0;

	for (size_t i = 0; i < places->count; i++) {
		size_t k = 0;

		while (k < i && !str_same(places->items[k].func, places->items[i].func))
			k++;
		count += k == i;
	}
	return count;
}

static void note_place(struct spin_places *places, const struct inspect_call *call)
{
	const char *file = call->line ? call->file : NULL;

	array_each(struct spin_place, p, places)
		if (p->line == call->line && str_same(p->func, call->function) &&
		    str_same(p->file, file)) {
			p->times++;
			return;
		}
	if (places->count < MOST_PLACES)
		*array_add(places) = (struct spin_place){call->function, file, call->line, 1};
}

/* Returns the innermost of the tester's calls from i on, not inlined, that is in a loop;
 * stack.count if there is none. */
static size_t loop_from(const struct waiter *w, size_t i, struct spin_code *code,
			enum spin_loop *kind)
{
	*kind = SPIN_NO_LOOP;
	for (i = caller_own(w, i); i < w->stack.count; i = caller_own(w, i + 1)) {
		const struct inspect_call *call = &w->stack.items[i];

		if (!call->inlined && !call->jumped)
			*kind = spin_loop_of(run_process_of(w->thread), &call->frame, code);
		if (*kind != SPIN_NO_LOOP)
			break;
	}
	return i;
}

/* Returns the copy of `function` inlined in call i, or the call. */
static const struct inspect_call *copy_in(const struct waiter *w, size_t i, const char *function)
{
	for (size_t k = i; k > 0 && w->stack.items[k - 1].inlined; k--)
		if (str_same(w->stack.items[k - 1].function, function))
			return &w->stack.items[k - 1];
	return &w->stack.items[i];
}

/* A loop may call functions with loops of their own. Of a sample's loops the outermost one counts
 * that was the innermost one in any sample. */
static void note_loop(struct spins *all, struct spinner *sp, const struct waiter *w)
{
	struct run_process *p = run_process_of(w->thread);
	const struct inspect_call *innermost = NULL, *call = NULL;
	bool decides = true, same = false;
	enum spin_loop kind;

	for (size_t i = loop_from(w, w->told, &all->code, &kind); i < w->stack.count && !same;
	     i = loop_from(w, i + 1, &all->code, &kind)) {
		const struct dwarf_frame *frame = &w->stack.items[i].frame;

		call = copy_in(w, i, spin_loop_function(p, frame, &all->code));
		same = !sp->loop || str_same(call->function, sp->loop);
		if (!innermost || same)
			decides = kind != SPIN_ENDLESS;
		innermost = innermost ? innermost : call;
	}
	sp->decides |= decides;
	call = same ? call : innermost;
	if (!call || !call->function)
		return;
	if (!same)
		array_fini(&sp->lines);
	sp->loop = call->function;
	note_place(&sp->lines, call);
}

static bool has_run(struct spinner *sp, const struct run_thread *t, const struct tracee_block *b,
		    uint64_t now)
{
	uint64_t pauses = run_thread_tracee(t)->pauses;
	bool moved =
		sp->switches && b->switches - sp->switches > (pauses - sp->pauses) * PAUSE_SWITCHES;
	uint64_t ran;

	sp->switches = b->switches;
	sp->pauses = pauses;
	if (moved || b->activity == TRACEE_ACTIVE)
		sp->moved_us = now;
	if (b->activity != TRACEE_ACTIVE)
		return moved && b->activity == TRACEE_BLOCKED && is_nap(b);
	ran = tracee_ran_ns(run_thread_tracee(t));
	return !ran || ran >= sp->ran_ns + RUN_NS;
}

static void take_sample(struct run *s, struct spinner *sp, struct waiter *w, uint64_t now)
{
	struct tracee_thread *tracee = run_thread_tracee(w->thread);

	if (tracee_pause(run_tracee(s), tracee) < 0)
		return; /* it has stopped by itself */
	/* Read while stopped: on a busy machine the next look may come before the thread has run.
	 * Its state is equal then, but not because of a loop. */
	sp->ran_ns = tracee_ran_ns(tracee);
	if (!sp->first_us) {
		sp->first_us = now;
		sp->first_ran_ns = sp->ran_ns;
	}
	caller_look(s, w);
	if (w->told < w->stack.count) {
		note_place(&sp->places, &w->stack.items[w->told]);
		if (count_functions(&sp->places) > MOST_FUNCTIONS) {
			spin_forget(sp, now);
			note_place(&sp->places, &w->stack.items[w->told]);
		}
		note_loop(spins_of(s), sp, w);
		sp->samples++;
		sp->slept += w->block.activity == TRACEE_BLOCKED;
	}
	spin_states_add(&sp->states, spin_state(w->thread, &spins_of(s)->code));
	tracee_resume(run_tracee(s), tracee);
	inspect_stack_fini(&w->stack);
}

static bool is_sampled(const struct run_thread *t)
{
	return run_thread_lives(t) && !sanitizer_owns(t);
}

static bool may_move(const struct run_thread *t)
{
	return is_sampled(t) && run_thread_tracee(t)->state == TRACEE_RUNNING &&
	       !run_thread_is_held(t) && !run_thread_is_paused(t);
}

/* Samples the running threads. */
static void sample(struct run *s)
{
	struct spins *all = spins_of(s);
	uint64_t now = run_now_us();
	size_t looks = 0;

	for (size_t i = 0; i < run_thread_count(s) && looks < MOST_THREADS; i++) {
		struct waiter w = {.thread = run_thread_at(s, all->next++ % run_thread_count(s))};
		struct spinner *sp;

		if (!may_move(w.thread))
			continue;
		looks++;
		sp = spinner_of(s, w.thread);
		tracee_look(run_thread_tracee(w.thread), &w.block);
		if (has_run(sp, w.thread, &w.block, now))
			take_sample(s, sp, &w, now);
	}
}

/* ---- over time ------------------------------------------------------------------------------ */

/* False in a run of a search, which writes no text. */
static bool is_told(const struct run *s)
{
	return *observers_of(judged, s) != NULL;
}

static bool expects_livelock(const struct run *s)
{
	return run_plan(s)->expect.end == EXPECT_LIVELOCK;
}

/* True if an order that no thread can bring about is given up (features/fixed). */
static bool gives_up(const struct run *s)
{
	return run_options(s)->aim == AIM_FIXED;
}

/* True if the run may end with a text that names spinning threads, or gives up an order. */
static bool is_of_use(const struct run *s)
{
	if (run_is_attended(s) || run_record(s) || !is_told(s))
		return false;
	if (run_time_limit(s) > 0 || run_options(s)->until_us || expects_livelock(s))
		return true;
	run_each_thread(t, s)
		if (run_thread_lives(t) && run_thread_is_held(t))
			return run_gate_limit(s) > 0 || gives_up(s);
	return false;
}

static void begin_anew(struct spins *all, uint64_t now)
{
	all->change_us = now;
	array_each(struct spinner, sp, &all->threads)
		spin_states_clear(&sp->states);
}

static void look_at_transfers(struct run *s, uint64_t now)
{
	uint64_t sum = 0;

	run_each_process(p, s)
		if (run_process_lives(p))
			sum += tracee_transfers(run_process_tracee(p));
	if (sum != spins_of(s)->transfers)
		begin_anew(spins_of(s), now);
	spins_of(s)->transfers = sum;
}

/* ---- a livelock ----------------------------------------------------------------------------- */

/* True if the thread waits for a thread of the program and, with `rests`, has not moved for a
 * while. A leader that has ended counts. */
static bool is_waiting(struct run *s, struct run_thread *t, bool rests)
{
	const struct spinner *sp = spin_find(s, t);
	struct tracee_block b;
	struct wait w = {0};
	bool waits;

	tracee_look(run_thread_tracee(t), &b);
	if (b.activity == TRACEE_DEAD)
		return true;
	judge_wait(s, t, &b, &w, NULL);
	waits = w.kind != WAIT_NOT && (!rests || (sp && sp->switches == b.switches &&
						  run_now_us() - sp->moved_us >= REST_US));
	wait_fini(&w);
	return waits;
}

/* True if too few samples are known, but they permit a livelock. */
static bool may_go_round(const struct run *s, const struct run_thread *t)
{
	const struct spinner *sp = spin_find(s, t);
	struct tracee_block b;

	if (sp && !spin_states_may_repeat(&sp->states, SAMPLES_AT_LAST, SAMPLES))
		return false;
	tracee_look(run_thread_tracee(t), &b);
	return b.activity == TRACEE_ACTIVE || (sp && sp->states.samples > 0);
}

static bool goes_round(const struct run *s, const struct run_thread *t, unsigned least)
{
	const struct spinner *sp = spin_find(s, t);

	return sp && spin_states_repeat(&sp->states, least);
}

/* A thread that sleeps again and again without a condition waits for no thread, and no
 * thread waits for it. */
static bool only_sleeps(const struct run *s, const struct run_thread *t)
{
	const struct spinner *sp = spin_find(s, t);

	return sp && sp->slept && !sp->decides;
}

/* True for a livelock: the threads that run return to a few states, all others wait for them, and
 * for a while no place was reached and nothing read or written. `at_last`: the time limit has
 * passed, so fewer samples suffice. `held`: a thread held at a gate waits like the others. */
static bool is_livelock(struct run *s, bool at_last, bool held)
{
	unsigned least = at_last ? SAMPLES_AT_LAST : SAMPLES;
	bool any = false;

	if (!at_last && run_now_us() - spins_of(s)->change_us < LIVELOCK_US)
		return false;
	run_each_thread(t, s) {
		bool round = goes_round(s, t, least);

		if (!is_sampled(t) || (held && run_thread_is_held(t)))
			continue;
		if (!may_move(t) || (!round && !is_waiting(s, t, true)))
			return false;
		any |= round && !only_sleeps(s, t);
	}
	return any;
}

/* True if the thread wanted to run and got less than half of a processor. */
static bool is_starved(const struct run *s, const struct run_thread *t, uint64_t now)
{
	const struct spinner *sp = spin_find(s, t);
	struct tracee_block b;

	tracee_look(run_thread_tracee(t), &b);
	return b.activity == TRACEE_ACTIVE &&
	       (!sp || !sp->first_us ||
		tracee_ran_ns(run_thread_tracee(t)) - sp->first_ran_ns <
			(now - sp->first_us) * 1000 / 2);
}

/* At the time limit: true if too few samples permit a livelock. `busy`: because threads did
 * not get a processor. */
static bool is_unclear(struct run *s, bool busy)
{
	const struct spins *all = spins_of(s);
	uint64_t now = run_now_us();
	bool any = false;

	if (now - all->event_us < REST_US || now - all->change_us < REST_US)
		return false;
	run_each_thread(t, s) {
		bool may;

		if (!is_sampled(t))
			continue;
		if (!may_move(t))
			return false;
		if (goes_round(s, t, SAMPLES_AT_LAST))
			continue;
		may = may_go_round(s, t);
		if (!may && !is_waiting(s, t, false))
			return false;
		any |= may && !only_sleeps(s, t) && (!busy || is_starved(s, t, now));
	}
	return any;
}

void spin_look(struct run *s, uint64_t now, bool quiet)
{
	struct spins *all = spins_of(s);
	bool often = expects_livelock(s) || run_outcome(s)->limit || gives_up(s);
	unsigned every = often ? 1 : EVERY_TICKS;

	if (!quiet) {
		all->event_us = now;
		all->ticks = 0;
		begin_anew(all, now);
		return;
	}
	all->ticks++;
	if (all->ticks < QUIET_TICKS || all->ticks % every || !is_of_use(s))
		return;
	look_at_transfers(s, now);
	sample(s);
	if (expects_livelock(s) && !run_is_over(s) && is_livelock(s, false, false)) {
		run_outcome(s)->livelock = true;
		run_end(s);
	}
}

bool waiting_goes_round(struct run *s)
{
	return is_livelock(s, false, true);
}

/* At the time limit: waits a moment for samples that distinguish a slow program from a livelock;
 * longer if the machine is busy or a livelock is expected. */
bool spin_late(struct run *s, enum end_reason reason, double over_us)
{
	if (reason != END_LATE || !is_told(s))
		return false;
	run_outcome(s)->livelock = is_livelock(s, true, false);
	return !run_outcome(s)->livelock && over_us <= BUSY_US &&
	       is_unclear(s, over_us > LATE_US && !expects_livelock(s));
}

/* ---- result ------------------------------------------------------------------------------ */

/* Takes the most frequent place, or line of a loop. */
static void take_place(const struct spin_places *places, struct spin *out)
{
	out->place.times = 0;
	array_each(const struct spin_place, p, places)
		if (p->times > out->place.times)
			out->place = *p;
}

bool spin_of(const struct run *s, const struct run_thread *t, struct spin *out)
{
	const struct spinner *sp = spin_find(s, t);

	if (!sp || !sp->samples || sp->stands_turn != timeline_stands(t))
		return false;
	*out = (struct spin){.since_us = sp->since_us,
			     .samples = sp->samples,
			     .sleeps = sp->slept > 0,
			     .loops = sp->loop};
	take_place(&sp->places, out);
	if (sp->loop)
		take_place(&sp->lines, out);
	return true;
}

double spin_seconds(const struct run *s, uint64_t since_us)
{
	uint64_t end = run_start_us(s) + timeline_elapsed_us(s);

	return end > since_us ? (double)(end - since_us) / 1e6 : 0;
}

bool spin_only_sleeps(struct run *s, struct run_thread *t)
{
	struct waiter w = {.thread = t};
	enum spin_loop kind;

	caller_look(s, &w);
	(void)loop_from(&w, w.told, &spins_of(s)->code, &kind);
	inspect_stack_fini(&w.stack);
	return kind == SPIN_ENDLESS;
}
