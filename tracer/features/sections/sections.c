/* Notes gates whose order came by chance in a good run: the thread that waits and the thread that
 * opens are in critical sections of one mutex. Had the first one taken the mutex first, neither
 * could have gone on. */
#include "tracer/features/waiting/waiting.h"
#include "tracer/run/places/places.h"
#include "tracer/run/threads/threads.h"

#include <string.h>

enum { SEEN_MOST = 4 }; /* arrivals of a place that are examined: reading its text takes time */

/* Per-place data: mutexes that the arriving threads owned. */
struct section {
	struct waiting_owns owns;
	const struct engine_thread *thread;  /* of the last arrival with a mutex */
	const struct engine_thread *creator; /* of that thread; NULL: unknown */
	size_t number;			     /* its position among the run's threads */
	size_t threads;			     /* number of the run's threads at that arrival */
	unsigned seen;
};

/* Per-thread data: the thread has come to a place where it may be held. */
struct section_thread {
	bool came;
};
static const struct keeper thread_keeper = {sizeof(struct section_thread), NULL};

static struct section_thread *section_thread_of(const struct run_thread *t)
{
	return kept_make(run_thread_kept(t), &thread_keeper);
}

static void section_free(void *what)
{
	waiting_owns_fini(&((struct section *)what)->owns);
}

static const struct keeper keeper = {sizeof(struct section), section_free};

static struct section *section_of(const struct place *place)
{
	return kept_make(run_place_kept(place->user), &keeper);
}

static bool has_step(const struct place *place, enum step_kind kind, const struct gate *gate)
{
	array_each(const struct step, step, &place->steps)
		if (step->kind == kind && step->gate && (!gate || step->gate == gate))
			return true;
	return false;
}

static bool is_held_at(const struct place *place)
{
	array_each(const struct step, step, &place->steps)
		if (step->kind == STEP_WAIT && !step->gate->is_open)
			return true;
	return false;
}

static size_t number_of(const struct run *s, const struct run_thread *t)
{
	size_t i = 0;

	while (run_thread_at(s, i) != t)
		i++;
	return i;
}

/* Only a thread's first place at which it may be held counts: gates there may order what follows.
 * And only if it passes: a thread that is held lets others take no mutex that it owns. */
static bool is_examined(struct run *s, struct run_thread *t, const struct place *place)
{
	struct section_thread *thread = section_thread_of(t);
	bool may_hold = has_step(place, STEP_WAIT, NULL), first = !thread->came;

	if (!engine_thread_matches(run_engine(s), run_thread_engine(t), place->thread))
		return false;
	thread->came |= may_hold;
	return may_hold ? first && !is_held_at(place) : has_step(place, STEP_OPEN, NULL);
}

static void sections_comes(struct run *s, struct run_thread *t, struct place *place)
{
	const struct tracee_thread *creator;
	struct section *section;
	size_t before;

	if (!place || !place->user || place->kind != PLACE_LOCATION || run_is_attended(s) ||
	    run_options(s)->quiet || !is_examined(s, t, place))
		return;
	section = section_of(place);
	if (section->seen++ >= SEEN_MOST)
		return;
	before = section->owns.count;
	waiting_owns_read(s, t, &section->owns);
	if (section->owns.count == before)
		return;
	creator = run_thread_tracee(t)->creator;
	section->thread = run_thread_engine(t);
	section->creator = creator && creator->user ? run_thread_engine(creator->user) : NULL;
	section->number = number_of(s, t);
	section->threads = run_thread_count(s);
}

/* Returns a mutex of both, or NULL if there is none, or if the program itself orders the two: the
 * thread that opens has created the other one since. */
static const struct waiting_owned *common(const struct section *waits, const struct section *opens)
{
	if (waits->thread == opens->thread ||
	    (waits->creator == opens->thread && waits->number >= opens->threads))
		return NULL;
	array_each(const struct waiting_owned, x, &waits->owns)
		array_each(const struct waiting_owned, y, &opens->owns)
			if (x->mutex == y->mutex)
				return x;
	return NULL;
}

static void add_note(const struct place *waits, const struct gate *gate, const struct place *opens,
		     struct str *out)
{
	const struct waiting_owned *m = common(section_of(waits), section_of(opens));
	const char *thread;

	if (!m)
		return;
	thread = section_of(waits)->thread->id;
	str_addf(out,
		 "note: gate %s was open already when %s came to %s: it owns mutex %s "
		 "there (taken at %s:%u), which the thread that opens the gate at %s "
		 "needs, too. Unless "
		 "something else orders the two, %s may take %s first, and neither can go on: hold "
		 "it before %s:%u\n",
		 gate->name, thread, waits->location, m->name, str_base_name(m->file), m->line,
		 opens->location, thread, m->name, str_base_name(m->file), m->line);
}

static void sections_judged(struct run *s, struct run_result *out, const struct error *failed)
{
	if (failed || out->verdict != VERDICT_OK)
		return;
	engine_each_place(waits, run_engine(s)) {
		array_each(const struct step, step, &waits->steps) {
			if (step->kind != STEP_WAIT || !waits->user)
				continue;
			engine_each_place(opens, run_engine(s))
				if (opens->user && has_step(opens, STEP_OPEN, step->gate))
					add_note(waits, step->gate, opens, &out->note);
		}
	}
}

extern const struct observer sections_observer;
const struct observer sections_observer = {.comes = sections_comes, .judged = sections_judged};
