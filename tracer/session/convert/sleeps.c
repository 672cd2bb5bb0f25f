/*
 * One run for gatectl convert: who sleeps, where, and how the others stand when a sleep ends.
 */
#include "tracer/session/convert/inside.h"

#include <string.h>

enum { SLEEPS_MOST = 5000, SLEEPS_OFTEN = 100 };

struct convert_thread *convert_thread_of(struct convert_record *r, const struct session_thread *t)
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

bool convert_sleeps_on(const struct convert_record *r, const struct session_thread *t)
{
	return r->sleeps.count >= SLEEPS_MOST && t->index < r->threads.count &&
	       r->threads.items[t->index].times > SLEEPS_OFTEN;
}

/* What it waits in is in the program's own code, not in that of a library of its. */
static void note_calls(struct session *s, struct session_thread *t, struct convert_sleep *sleep)
{
	struct waiter w = {.thread = t};

	caller_look(s, &w);
	if (w.own > 0 && w.own < w.stack.count && w.stack.items[w.own - 1].function)
		sleep->what = base_strdup(w.stack.items[w.own - 1].function);
	for (size_t i = w.own; i < w.stack.count && sleep->call_count < CONVERT_CALLS;
	     i = caller_own(&w, i + 1)) {
		const struct symbols_call *call = &w.stack.items[i];

		if (call->frame.module != t->process->exe || !call->line || !call->file ||
		    !call->function)
			break;
		sleep->calls[sleep->call_count++] = (struct convert_line){
			call->function, call->file,
			call->line,	call->depth ? 0 : call->frame.look - call->frame.bias,
			call->inlined,	false};
	}
	symbols_stack_fini(&w.stack);
}

void convert_note_arrivals(struct session *s, struct arrival_counts *out)
{
	const struct place *p;

	for (size_t i = 0; (p = engine_place_at(s->engine, i)); i++)
		*array_add(out) = p->arrivals;
}

static void begins(struct session *s, struct session_thread *t, uint64_t ns)
{
	struct convert_record *r = s->options->record;
	struct convert_sleep *sleep;

	sleep = convert_open_sleep(r, t->index);
	if (sleep) { /* it was interrupted */
		sleep->cut_off = true;
		turns_end(s, sleep);
	}
	convert_thread_of(r, t)->times++;
	if (convert_sleeps_on(r, t))
		return;
	sleep = array_add(&r->sleeps);
	convert_thread_of(r, t)->sleep = r->sleeps.count;
	sleep->thread = t->index;
	sleep->ns = ns;
	sleep->begin_us = session_now_us() - s->timeline.start_us;
	sleep->events = convert_thread_of(r, t)->events.count;
	note_calls(s, t, sleep);
	convert_note_arrivals(s, &sleep->before);
	turns_begin(s, sleep);
}

static struct convert_other look(struct convert_record *r, const struct session_thread *t)
{
	struct convert_other other = {
		.thread = t->index,
		.events = convert_thread_of(r, t)->events.count,
		.gone = !t->target || t->engine->gone,
		.sleeps = convert_open_sleep(r, t->index) != NULL,
	};
	struct target_block block;

	if (other.gone)
		return other;
	target_look(t->target, &block);
	other.blocked = block.activity == TARGET_BLOCKED;
	return other;
}

void convert_look_round(struct session *s, struct convert_sleep *sleep)
{
	array_each(struct session_thread *, other, &s->threads)
		if ((*other)->index != sleep->thread)
			*array_add(&sleep->others) = look(s->options->record, *other);
	convert_note_arrivals(s, &sleep->after);
}

static void ends(struct session *s, struct session_thread *t, bool timed_out)
{
	struct convert_sleep *sleep = convert_open_sleep(s->options->record, t->index);

	if (sleep && timed_out) {
		turns_wait(s, sleep);
		return;
	}
	if (sleep) {
		sleep->cut_off = true;
		turns_end(s, sleep);
	}
	session_go(s, t);
}

void convert_sleep(struct session *s, const struct target_event *ev)
{
	struct session_thread *t = ev->thread->user;

	if (ev->kind == TARGET_SLEPT) {
		ends(s, t, ev->timed_out);
		return;
	}
	begins(s, t, ev->sleep_ns);
	session_go(s, t);
}
