/*
 * One run for gatectl convert: which threads sleep, where, and how the others stand when a sleep
 * ends.
 */
#include "tracer/run/go.h"
#include "tracer/features/convert/record.h"
#include "tracer/source/lines/source_lines.h"

#include <string.h>

enum { SLEEPS_MOST = 1000, SLEEPS_OFTEN = 100 };

struct convert_thread *convert_thread_of(struct convert_record *r, const struct run_thread *t)
{
	while (r->threads.count <= t->index)
		*array_add(&r->threads) = (struct convert_thread){0};
	if (!r->threads.items[t->index].id)
		r->threads.items[t->index].id = base_strdup(t->engine->id);
	return &r->threads.items[t->index];
}

struct convert_sleep *convert_open_sleep(struct convert_record *r, size_t thread)
{
	size_t sleep = thread < r->threads.count ? r->threads.items[thread].sleep : 0;

	return sleep ? &r->sleeps.items[sleep - 1] : NULL;
}

bool convert_sleeps_on(const struct convert_record *r, const struct run_thread *t)
{
	return r->sleeps.count >= SLEEPS_MOST && t->index < r->threads.count &&
	       r->threads.items[t->index].times > SLEEPS_OFTEN;
}

/* By the name of the function that it calls; by the line, if that has no name (a stripped
   library). */
static bool asks_for_sleep(struct modules *symbols, const struct waiter *w, size_t call)
{
	const struct inspect_call *from = &w->stack.items[call];
	const char *name = w->stack.items[call - 1].function;

	if (!name && from->file)
		name = source_line(symbols, from->file, from->line);
	return deeds_sounds_like_sleep(name);
}

/* The program's innermost call; stack.count: it waits in a library of the tester's, which the
   program asked for something else than to sleep. */
static size_t program_call(struct modules *symbols, const struct waiter *w)
{
	size_t i = w->own;

	while (i < w->stack.count && w->stack.items[i].frame.module != w->thread->process->exe)
		i = caller_own(w, i + 1);
	if (i == w->own || i >= w->stack.count)
		return i;
	return asks_for_sleep(symbols, w, i) ? i : w->stack.count;
}

/* As the tester calls it: poll, where libc calls it __GI___poll or __poll. */
static const char *called_name(const struct waiter *w, const struct inspect_call *call)
{
	const char *name = inspect_call_named(call);

	if (name && call->frame.module != w->thread->process->exe)
		name += strspn(name, "_");
	return name;
}

static void note_calls(struct run *s, struct run_thread *t, struct convert_sleep *sleep)
{
	struct waiter w = {.thread = t};
	const char *called = NULL;
	size_t first;

	caller_look(s, &w);
	first = program_call(s->symbols, &w);
	if (first > 0 && first < w.stack.count)
		called = called_name(&w, &w.stack.items[first - 1]);
	if (called)
		sleep->what = base_strdup(called);
	for (size_t i = first; i < w.stack.count && sleep->call_count < CONVERT_CALLS;
	     i = caller_own(&w, i + 1)) {
		const struct inspect_call *call = &w.stack.items[i];

		if (call->frame.module != t->process->exe || !call->line || !call->file ||
		    !call->function)
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

	for (size_t i = 0; (p = engine_place_at(s->engine, i)); i++)
		*array_add(out) = p->arrivals;
}

void convert_born(struct run *s, struct run_thread *t)
{
	if (s->options->record)
		convert_thread_of(s->options->record, t)->born_us = run_now_us() - s->start_us;
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
	t->works |= (t->rested_at && t->rested_at != rested_at) || tracee_polls(of->tracee) > 1;
	t->rested_at = rested_at;
}

static void look_at_begin(struct run *s, struct convert_sleep *sleep)
{
	struct convert_record *r = s->options->record;

	array_each(struct run_thread *, it, &s->threads) {
		struct convert_thread *t = convert_thread_of(r, *it);
		struct tracee_block block;

		if ((*it)->tracee && !(*it)->engine->exited && (*it)->index != sleep->thread) {
			tracee_look((*it)->tracee, &block);
			note_rest(r, *it, &block);
		}
		*array_add(&sleep->rested_at) = t->rested_at;
	}
}

static void sleeps_begins(struct run *s, struct run_thread *t, const struct tracee_event *ev)
{
	struct convert_record *r = s->options->record;
	struct convert_sleep *sleep;

	sleep = convert_open_sleep(r, t->index);
	if (sleep) /* it was interrupted */
		turns_end(s, sleep, CONVERT_CUT_OFF);
	convert_thread_of(r, t)->times++;
	if (convert_sleeps_on(r, t))
		return;
	sleep = array_add(&r->sleeps);
	convert_thread_of(r, t)->sleep = r->sleeps.count;
	sleep->thread = t->index;
	sleep->ns = ev->sleep_ns;
	sleep->mere = ev->mere_sleep;
	sleep->again = ev->sleeps_again;
	sleep->clock_reads = ev->clock_reads;
	sleep->begin_us = run_now_us() - s->start_us;
	sleep->events = convert_thread_of(r, t)->events.count;
	note_calls(s, t, sleep);
	convert_note_arrivals(s, &sleep->before);
	look_at_begin(s, sleep);
	turns_begin(s, sleep);
}

static struct convert_other sleeps_look(struct convert_record *r, const struct convert_sleep *sleep,
					const struct run_thread *t)
{
	struct convert_other other = {
		.thread = t->index,
		.events = convert_thread_of(r, t)->events.count,
		.gone = !t->tracee || t->engine->exited,
		.sleeps = convert_open_sleep(r, t->index) != NULL,
	};
	struct tracee_block block;

	if (other.gone)
		return other;
	tracee_look(t->tracee, &block);
	note_rest(r, t, &block);
	other.blocked = block.activity == TRACEE_BLOCKED;
	other.rested = other.blocked && t->index < sleep->rested_at.count &&
		       sleep->rested_at.items[t->index] == r->threads.items[t->index].rested_at;
	return other;
}

void convert_look_round(struct run *s, struct convert_sleep *sleep)
{
	array_each(struct run_thread *, other, &s->threads)
		if ((*other)->index != sleep->thread)
			*array_add(&sleep->others) = sleeps_look(s->options->record, sleep, *other);
	convert_note_arrivals(s, &sleep->after);
}

static void ends(struct run *s, struct run_thread *t, bool timed_out)
{
	struct convert_sleep *sleep = convert_open_sleep(s->options->record, t->index);

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
