/* Threads of a stopped program: finds one by name or number, or the current one, and lets it go
 * on. */
#include "tracer/features/interactive/interactive_internal.h"

#include "tracer/base/text/number.h"
#include "tracer/features/crash/crash.h"
#include "tracer/features/timeline/timeline.h"
#include "tracer/run/places/places.h"

#include <string.h>

int interactive_needs_program(const struct interactive *l, struct error *err)
{
	if (l->state != INTERACTIVE_ENDED)
		return 0;
	error_set(err, ERROR_USAGE, "the program is not running");
	return error_hint(err, "restart");
}

struct run_thread *interactive_find_id(const struct interactive *l, const char *id)
{
	run_each_thread(t, l->run)
		if (strcmp(run_thread_id(t), id) == 0)
			return t;
	return NULL;
}

/* Returns the thread with that id or number, or NULL. */
static struct run_thread *named(struct interactive *l, const char *name)
{
	uint64_t number;

	if (number_read(name, run_thread_count(l->run), &number) && number)
		return run_thread_at(l->run, number - 1);
	return interactive_find_id(l, name);
}

bool interactive_is_thread(struct interactive *l, const char *name)
{
	return l->state != INTERACTIVE_ENDED && named(l, name);
}

/* Returns the last thread that a gate has stopped, if the gate still holds it, else NULL. */
static struct run_thread *last_held(const struct interactive *l)
{
	const struct timeline *tl = timeline_of(l->run);

	for (size_t i = tl->all.count; i-- > 0;) {
		const struct happened *h = &tl->all.items[i];

		if (h->what != HAPPENED_HOLD)
			continue;
		run_each_thread(t, l->run)
			if (run_thread_engine(t) == h->thread && run_thread_lives(t) &&
			    run_thread_is_held(t))
				return t;
	}
	return NULL;
}

static struct run_thread *only_living(const struct interactive *l)
{
	struct run_thread *only = NULL;

	run_each_thread(t, l->run) {
		if (!run_thread_lives(t))
			continue;
		if (only)
			return NULL;
		only = t;
	}
	return only;
}

struct run_thread *interactive_current(const struct interactive *l)
{
	struct run_thread *t;
	const char *next;

	if (l->state == INTERACTIVE_ENDED)
		return NULL;
	if (l->state == INTERACTIVE_CRASHED)
		return l->crash->thread;
	if (l->came)
		return l->came;
	if (l->state == INTERACTIVE_TURN && l->ui->next && (next = l->ui->next(l->ui->ctx)))
		return interactive_find_id(l, next);
	t = last_held(l);
	return t ? t : only_living(l);
}

struct run_thread *interactive_thread(struct interactive *l, const char *name, struct error *err)
{
	struct run_thread *t;

	if (interactive_needs_program(l, err) < 0)
		return NULL;
	t = *name ? named(l, name) : interactive_current(l);
	if (t)
		return t;
	if (!*name) {
		error_set(
			err, ERROR_USAGE,
			"name a thread: none has arrived where it was sent, and no gate holds one");
		error_hint(err, "`threads` lists them");
		return NULL;
	}
	error_set(err, ERROR_USAGE, "there is no thread '%s'", name);
	error_hint(err, "`threads` lists them");
	return NULL;
}

struct run_thread *interactive_living(struct interactive *l, const char *name, struct error *err)
{
	struct run_thread *t = interactive_thread(l, name, err);

	if (!t || run_thread_lives(t))
		return t;
	error_set(err, ERROR_USAGE, "%s has exited", run_thread_id(t));
	return NULL;
}

int interactive_let(struct interactive *l, struct run_thread *t, struct error *err)
{
	if (!run_thread_is_held(t)) {
		run_thread_park(t, NOT_PARKED);
		return 0;
	}
	if (engine_pass_by_hand(run_engine(l->run), run_thread_engine(t)) < 0) {
		error_set(err, ERROR_USAGE,
			  "%s is in a :run function, and only that function lets it go on",
			  run_thread_id(t));
		return error_hint(err, "`drop` the line of `gates` that has it");
	}
	run_thread_park(t, NOT_PARKED);
	apply_decisions(l->run);
	return 1;
}
