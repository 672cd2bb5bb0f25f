/* Records the sleeps of a watched run and decides which of them ends next (README.md). */
#include "tracer/run/run.h"
#include "tracer/features/convert/record.h"
#include "tracer/source/lines/source_lines.h"
#include "tracer/tracee/threads/threads.h"
#include "tracer/tracee/syscalls/syscalls.h"

#include <string.h>
#include <strings.h>

enum { SLEEPS_MOST = 1000, SLEEPS_OFTEN = 100, SPOT_OFTEN = 64 };
enum {
	/* sleeps whose ends are closer than this part of the shorter one end together */
	TOGETHER_PART = 16,
	TOGETHER_MOST_NS = 2000000,
	WORK_FACTOR = 2, /* a watched thread works slower than alone */
	WORK_LEAST_NS = 100000000,
	CLOCK_LEAST_NS = 20000000,
	WAIT_FACTOR = 10, /* patience for a thread that neither works nor is blocked (disk) */
	WAIT_LEAST_US = 2000000,
	/* a sleep waits for no more context switches than this in each second of its time */
	SWITCHES_MOST = 20000,
	SWITCHES_US = 1000000,
	SHORTEST_NS = 100000, /* no sleep is shorter: a loop that reads the clock takes as long */
};

enum {
	WAITING_MS = 1,
	/* TCP sends what it holds back by then (delayed acknowledgement: 40 ms) */
	FLIGHT_US = 50000,
};

struct convert_thread *convert_thread_of(struct convert_record *r, const struct run_thread *t)
{
	while (r->threads.count <= run_thread_index(t))
		*array_add(&r->threads) = (struct convert_thread){0};
	if (!r->threads.items[run_thread_index(t)].id)
		r->threads.items[run_thread_index(t)].id = base_strdup(run_thread_id(t));
	return &r->threads.items[run_thread_index(t)];
}

/* Returns the sleep that the thread is in, or NULL. */
static struct convert_sleep *convert_open_sleep(struct convert_record *r, size_t thread)
{
	size_t sleep = thread < r->threads.count ? r->threads.items[thread].sleep : 0;

	return sleep ? &r->sleeps.items[sleep - 1] : NULL;
}

/* True if the thread has slept so often that more sleeps would make no order: they are not
   recorded. */
static bool convert_sleeps_on(const struct convert_record *r, const struct run_thread *t)
{
	return r->sleeps.count >= SLEEPS_MOST && run_thread_index(t) < r->threads.count &&
	       r->threads.items[run_thread_index(t)].times > SLEEPS_OFTEN;
}

/* ---- call that sleeps ---- */

bool convert_sounds_like_sleep(const char *func)
{
	static const char *const words[] = {"sleep", "delay", "settle", "nap", "pause", "usec"};

	for (size_t i = 0; func && i < sizeof(words) / sizeof(*words); i++)
		if (strcasestr(func, words[i]))
			return true;
	return false;
}

/* True if the called function's name suggests a sleep; if it has no name (a stripped library), if
   the line does. */
static bool asks_for_sleep(struct modules *symbols, const struct waiter *w, size_t call)
{
	const struct inspect_call *from = &w->stack.items[call];
	const char *name = w->stack.items[call - 1].function;

	if (!name && from->file)
		name = source_line(symbols, from->file, from->line);
	return convert_sounds_like_sleep(name);
}

/* Returns the index of the program's innermost call, or stack.count if the thread waits in a
   library of the tester's that the program called for something other than a sleep. */
static size_t program_call(struct modules *symbols, const struct waiter *w)
{
	size_t i = w->own;

	while (i < w->stack.count &&
	       w->stack.items[i].frame.module != run_process_exe(run_process_of(w->thread)))
		i = caller_own(w, i + 1);
	if (i == w->own || i >= w->stack.count)
		return i;
	return asks_for_sleep(symbols, w, i) ? i : w->stack.count;
}

/* Returns the name as the tester writes it: poll, where libc has __GI___poll or __poll. */
static const char *called_name(const struct waiter *w, const struct inspect_call *call)
{
	const char *name = inspect_call_named(call);

	if (name && call->frame.module != run_process_exe(run_process_of(w->thread)))
		name += strspn(name, "_");
	return name;
}

static void note_calls(struct run *s, struct run_thread *t, struct convert_sleep *sleep)
{
	struct waiter w = {.thread = t};
	const char *called = NULL;
	size_t first;

	caller_look(s, &w);
	first = program_call(run_symbols(s), &w);
	if (first > 0 && first < w.stack.count)
		called = called_name(&w, &w.stack.items[first - 1]);
	if (called)
		sleep->what = base_strdup(called);
	for (size_t i = first; i < w.stack.count && sleep->call_count < CONVERT_CALLS;
	     i = caller_own(&w, i + 1)) {
		const struct inspect_call *call = &w.stack.items[i];

		if (call->frame.module != run_process_exe(run_process_of(t)) || !call->line ||
		    !call->file || !call->function)
			break;
		sleep->calls[sleep->call_count++] = (struct convert_line){
			call->function, call->file, call->line,
			call->depth ? 0 : call->frame.lookup_pc - call->frame.bias, false};
	}
	inspect_stack_fini(&w.stack);
}

void convert_note_arrivals(struct run *s, struct arrival_counts *out)
{
	const struct place *p;

	for (size_t i = 0; (p = engine_place_at(run_engine(s), i)); i++)
		*array_add(out) = p->arrivals;
}

void convert_born(struct run *s, struct run_thread *t)
{
	const struct tracee_thread *creator = run_thread_tracee(t)->creator;
	struct convert_thread *own;

	if (!run_record(s))
		return;
	own = convert_thread_of(run_record(s), t);
	own->born_us = run_elapsed_us(s);
	own->creator = creator && creator->user ? 1 + run_thread_index(creator->user) : 0;
}

/* A thread works at times if it was blocked and no longer is, if it has run in between, or if it
   waits for more after a file has given it something. A sleeping thread only waits for its time or
   its turn, so it does not count. */
static void note_rest(struct convert_record *r, const struct run_thread *of,
		      const struct tracee_block *block)
{
	struct convert_thread *t = convert_thread_of(r, of);
	uint64_t rested_at = block->activity == TRACEE_BLOCKED ? block->switches + 1 : 0;

	if (t->sleep)
		rested_at = t->rested_at = 0;
	t->works |= (t->rested_at && t->rested_at != rested_at) ||
		    tracee_polls(run_thread_tracee(of)) > 1;
	t->rested_at = rested_at;
}

static void look_at_begin(struct run *s, struct convert_sleep *sleep)
{
	struct convert_record *r = run_record(s);

	run_each_thread(it, s) {
		struct convert_thread *t = convert_thread_of(r, it);
		struct tracee_block block;

		if (run_thread_lives(it) && !run_thread_engine(it)->exited &&
		    run_thread_index(it) != sleep->thread) {
			tracee_look(run_thread_tracee(it), &block);
			note_rest(r, it, &block);
		}
		*array_add(&sleep->rested_at) = t->rested_at;
	}
}

static struct convert_other sleeps_look(struct convert_record *r, const struct convert_sleep *sleep,
					const struct run_thread *t)
{
	const struct convert_sleep *open = convert_open_sleep(r, run_thread_index(t));
	struct convert_other other = {
		.thread = run_thread_index(t),
		.events = convert_thread_of(r, t)->events.count,
		.gone = !run_thread_lives(t) || run_thread_engine(t)->exited,
		.sleeps = open != NULL,
	};
	struct tracee_block block;

	if (other.gone)
		return other;
	tracee_look(run_thread_tracee(t), &block);
	note_rest(r, t, &block);
	other.blocked = block.activity == TRACEE_BLOCKED && !convert_thread_of(r, t)->dozes &&
			!(open && open->state == CONVERT_OVER);
	other.rested = other.blocked && run_thread_index(t) < sleep->rested_at.count &&
		       sleep->rested_at.items[run_thread_index(t)] ==
			       r->threads.items[run_thread_index(t)].rested_at;
	return other;
}

/* Records the state of the other threads; none of them is resumed for it. */
static void convert_look_round(struct run *s, struct convert_sleep *sleep)
{
	run_each_thread(other, s)
		if (run_thread_index(other) != sleep->thread)
			*array_add(&sleep->others) = sleeps_look(run_record(s), sleep, other);
	convert_note_arrivals(s, &sleep->after);
}

/* ---- turns ---- */

static uint64_t now_us(const struct run *s)
{
	return run_elapsed_us(s);
}

static void turns_begin(struct run *s, struct convert_sleep *sleep)
{
	sleep->due_ns = tracee_slept_ns(run_tracee(s)) +
			(sleep->ns > SHORTEST_NS ? sleep->ns : SHORTEST_NS);
	sleep->begin_worked_ns = tracee_worked_ns(run_tracee(s));
	run_record(s)->begin_worked_ns = sleep->begin_worked_ns;
	sleep->begin_clock_ns = tracee_slept_ns(run_tracee(s)) + sleep->begin_worked_ns;
}

/* Ticks are frequent while a thread waits for its turn. */
static void count_waiting(struct run *s, int more)
{
	struct convert_record *r = run_record(s);

	r->waiting = (unsigned)((int)r->waiting + more);
	ticks_wish(s, r, r->waiting ? WAITING_MS : 0);
}

/* Returns the context switches of all threads; each stop at a system call or place is one. */
static uint64_t all_switches(struct run *s)
{
	struct tracee_block block;
	uint64_t sum = 0;

	run_each_thread(t, s) {
		if (!run_thread_lives(t))
			continue;
		tracee_look(run_thread_tracee(t), &block);
		sum += block.switches;
	}
	return sum;
}

/* From now on the sleep waits for its turn, in this state. */
static void turns_queue(struct run *s, struct convert_sleep *sleep, enum convert_asleep state)
{
	sleep->state = state;
	sleep->over_us = now_us(s);
	sleep->over_switches = all_switches(s);
	count_waiting(s, 1);
}

static bool is_queued(const struct convert_sleep *sleep)
{
	return sleep->state == CONVERT_DUE || sleep->state == CONVERT_OVER;
}

/* Holds the thread of a sleep whose time is up. */
static void turns_wait(struct run *s, struct convert_sleep *sleep)
{
	turns_queue(s, sleep, CONVERT_OVER);
	turns_look(s);
}

static void turns_end(struct run *s, struct convert_sleep *sleep, enum convert_asleep how)
{
	struct convert_thread *t = &run_record(s)->threads.items[sleep->thread];

	if (is_queued(sleep))
		count_waiting(s, -1);
	sleep->state = how;
	t->rested_at = 0; /* waking up is no work */
	t->sleep = 0;
}

/* ---- choice of the next sleep ---- */

/* True if a signal has stopped the thread: its sleep does not end before SIGCONT. */
static bool turns_is_stopped(const struct run *s, size_t thread)
{
	const struct run_thread *t = run_thread_at(s, thread);

	return run_thread_lives(t) && run_thread_tracee(t)->state == TRACEE_GROUP_STOPPED;
}

static struct convert_sleep *first(struct run *s)
{
	struct convert_record *r = run_record(s);
	struct convert_sleep *found = NULL;

	for (size_t i = 0; i < r->threads.count; i++) {
		struct convert_sleep *sleep = convert_open_sleep(r, i);

		if (sleep && !turns_is_stopped(s, i) && (!found || sleep->due_ns < found->due_ns))
			found = sleep;
	}
	return found;
}

static bool is_together(const struct convert_sleep *sleep, const struct convert_sleep *first)
{
	uint64_t shorter = sleep->ns < first->ns ? sleep->ns : first->ns;
	uint64_t apart = sleep->due_ns - first->due_ns;

	return apart <= TOGETHER_MOST_NS && apart <= shorter / TOGETHER_PART;
}

static bool all_are_over(struct run *s, const struct convert_sleep *first)
{
	struct convert_record *r = run_record(s);

	for (size_t i = 0; i < r->threads.count; i++) {
		const struct convert_sleep *sleep = convert_open_sleep(r, i);

		if (sleep && sleep->state == CONVERT_ASLEEP && !turns_is_stopped(s, i) &&
		    is_together(sleep, first))
			return false;
	}
	return true;
}

/* True if the thread is in a loop that outlasted sleeps in the run before. Without watched lines
   the loop may not have begun: all threads together get some time for work first. */
static bool is_endless(const struct run *s, const struct run_thread *t)
{
	struct convert_record *r = run_record(s);

	if (!r->before)
		return false;
	if (r->lines ? !convert_thread_of(r, t)->loops
		     : tracee_worked_ns(run_tracee(s)) < r->begin_worked_ns + WORK_LEAST_NS)
		return false;
	array_each(const struct convert_thread, own, &r->before->threads)
		if (own->outlasts && str_same(own->id, run_thread_id(t)))
			return true;
	return false;
}

/* True if the thread waits for its turn, or if no sleep waits for it. */
static bool is_aside(const struct run *s, const struct run_thread *t)
{
	const struct convert_sleep *sleep = convert_open_sleep(run_record(s), run_thread_index(t));

	return (sleep && sleep->state == CONVERT_OVER) ||
	       convert_thread_of(run_record(s), t)->dozes || is_endless(s, t);
}

/* True if a thread works until the clock has advanced, and has read that it has. */
static bool is_past_by_clock(const struct run *s, const struct convert_sleep *sleep)
{
	return tracee_clock_seen_ns(run_tracee(s)) >
	       sleep->begin_clock_ns + sleep->ns + sleep->ns / 2 + CLOCK_LEAST_NS;
}

/* True if threads have worked for longer than the sleep waits for them. */
static bool is_out_of_patience(struct run *s, const struct convert_sleep *sleep)
{
	uint64_t us = sleep->ns / 1000, factor = run_record(s)->only_turns ? 1 : WAIT_FACTOR;

	return is_past_by_clock(s, sleep) ||
	       all_switches(s) > sleep->over_switches + SWITCHES_MOST * (1 + us / SWITCHES_US) ||
	       tracee_worked_ns(run_tracee(s)) >
		       sleep->begin_worked_ns + WORK_FACTOR * sleep->ns + WORK_LEAST_NS ||
	       now_us(s) > sleep->over_us + factor * us + WAIT_LEAST_US;
}

/* ---- wake-up ---- */

/* Advances the program's clock to the time at which an ended sleep was due. */
static void clock_reaches(struct run *s, uint64_t due_ns)
{
	struct convert_record *r = run_record(s);

	if (due_ns > tracee_slept_ns(run_tracee(s)))
		tracee_slept(run_tracee(s), due_ns);
	r->slept_ns = tracee_slept_ns(run_tracee(s));
}

static void wake(struct run *s, struct convert_sleep *sleep)
{
	struct run_thread *t = run_thread_at(s, sleep->thread);

	clock_reaches(s, sleep->due_ns);
	sleep->end_us = now_us(s);
	turns_end(s, sleep, CONVERT_TIMED_OUT);
	if (run_thread_tracee(t)->state == TRACEE_RUNNING) /* it was due, and is in the kernel */
		tracee_time_out(run_thread_tracee(t));
	else if (run_thread_tracee(t)->state == TRACEE_STOPPED)
		run_go(s, t);
	run_note_event(s);
}

/* Wakes the thread of the sleep and those whose sleeps end together with it. The state of all
   threads is recorded before one of them moves. */
static void wake_all(struct run *s, struct convert_sleep *first)
{
	struct convert_record *r = run_record(s);
	struct convert_sleep **all = base_alloc(r->threads.count, sizeof(struct convert_sleep *));
	size_t count = 0;

	for (size_t i = 0; i < r->threads.count; i++) {
		struct convert_sleep *sleep = convert_open_sleep(r, i);

		if (sleep && is_queued(sleep) && is_together(sleep, first))
			all[count++] = sleep;
	}
	for (size_t i = 0; i < count; i++)
		all[i]->state = CONVERT_OVER;
	for (size_t i = 0; i < count && !r->only_turns; i++)
		convert_look_round(s, all[i]);
	for (size_t i = 0; i < count; i++)
		wake(s, all[i]);
	base_free(all);
}

/* True if no thread dozes, or if the sleep has lasted as long as it would beside one. */
static bool lasted(const struct run *s, const struct convert_sleep *sleep)
{
	const struct convert_record *r = run_record(s);

	if (sleep->state != CONVERT_DUE ||
	    now_us(s) >= sleep->begin_us + sleep->ns / 1000 / r->hasten)
		return true;
	array_each(const struct convert_thread, t, &r->threads)
		if (t->dozes && !t->over_us)
			return false;
	return true;
}

/* True if data may still come to a thread that waits. Data for which nobody waits stay. */
static bool is_expecting(struct run *s)
{
	struct convert_record *r = run_record(s);
	uint64_t switches = all_switches(s);

	if (!holders_in_flight(s))
		return false;
	if (switches != r->flight_switches)
		r->flight_us = now_us(s);
	r->flight_switches = switches;
	return now_us(s) < r->flight_us + FLIGHT_US;
}

void turns_look(struct run *s)
{
	struct convert_record *r = run_record(s);
	struct convert_sleep *next = NULL;

	for (size_t i = 0; r && i < r->threads.count; i++) {
		struct convert_sleep *sleep = convert_open_sleep(r, i);

		if (sleep && !run_thread_lives(run_thread_at(s, i)))
			turns_end(s, sleep, CONVERT_GONE);
		else if (sleep && is_queued(sleep) && is_out_of_patience(s, sleep)) {
			r->impatient = true;
			array_each(struct convert_thread, t, &r->threads)
				t->outlasts |= t->loops;
			wake_all(s, sleep);
		}
	}
	next = r ? first(s) : NULL;
	/* data that has come since the first look has woken a thread by the second */
	if (next && next->due_ns < tracee_timer_due(run_tracee(s)) && all_are_over(s, next) &&
	    lasted(s, next) && waiting_rests(s, is_aside) && !is_expecting(s) &&
	    waiting_rests(s, is_aside))
		wake_all(s, next);
}

/* ---- events ---- */

/* True if a loop sleeps here: its sleeps make no order, and are not recorded. */
static bool sleeps_often(struct convert_record *r, const struct run_thread *t)
{
	struct arch_regs regs;
	uint64_t pc, sp;

	if (tracee_regs(run_thread_tracee(t), &regs) < 0)
		return false;
	pc = regs.dwarf[ARCH_DWARF_PC];
	sp = regs.dwarf[ARCH_DWARF_SP];
	array_each(struct convert_spot, spot, &r->spots)
		if (spot->pc == pc && spot->sp == sp)
			return ++spot->times > SPOT_OFTEN;
	if (r->spots.count < SLEEPS_MOST)
		*array_add(&r->spots) = (struct convert_spot){pc, sp, 1};
	return false;
}

static void sleeps_begins(struct run *s, struct run_thread *t, const struct tracee_event *ev)
{
	struct convert_record *r = run_record(s);
	struct convert_sleep *sleep;

	sleep = convert_open_sleep(r, run_thread_index(t));
	if (sleep) /* a signal interrupted it */
		turns_end(s, sleep, CONVERT_CUT_OFF);
	convert_thread_of(r, t)->times++;
	convert_thread_of(r, t)->dozes = convert_sleeps_on(r, t) || sleeps_often(r, t);
	convert_thread_of(r, t)->doze_due_ns = tracee_slept_ns(run_tracee(s)) + ev->sleep_ns;
	if (!ev->sleep_ns || convert_thread_of(r, t)->dozes)
		return;
	sleep = array_add(&r->sleeps);
	convert_thread_of(r, t)->sleep = r->sleeps.count;
	sleep->thread = run_thread_index(t);
	sleep->ns = ev->sleep_ns;
	sleep->mere = ev->mere_sleep;
	sleep->again = ev->sleeps_again;
	sleep->clock_reads = ev->clock_reads;
	sleep->begin_us = run_elapsed_us(s);
	sleep->events = convert_thread_of(r, t)->events.count;
	if (!r->only_turns) {
		note_calls(s, t, sleep);
		convert_note_arrivals(s, &sleep->before);
		look_at_begin(s, sleep);
	}
	turns_begin(s, sleep);
	if (r->hasten) {
		tracee_outlast(run_thread_tracee(t));
		turns_queue(s, sleep, CONVERT_DUE);
	}
}

static void ends(struct run *s, struct run_thread *t, bool timed_out)
{
	struct convert_sleep *sleep = convert_open_sleep(run_record(s), run_thread_index(t));
	struct convert_thread *own = convert_thread_of(run_record(s), t);

	if (own->dozes && timed_out)
		clock_reaches(s, own->doze_due_ns);
	own->dozes = false;
	if (sleep && timed_out) {
		turns_wait(s, sleep);
		return;
	}
	if (sleep)
		turns_end(s, sleep, CONVERT_CUT_OFF);
	run_go(s, t);
}

bool convert_sleep(struct run *s, const struct tracee_event *ev)
{
	struct run_thread *t = ev->thread->user;

	if (ev->kind == TRACEE_SLEPT) {
		ends(s, t, ev->timed_out);
	} else if (ev->kind == TRACEE_SLEEP) {
		sleeps_begins(s, t, ev);
		run_go(s, t);
	}
	return ev->kind == TRACEE_SLEPT || ev->kind == TRACEE_SLEEP;
}
