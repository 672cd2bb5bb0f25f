/* elide_sleep and :spurious(): a thread does not sleep, or its next wait returns without a signal,
 * from its arrival until control leaves the statement in the same frame, or reaches the return
 * address of its function. An end by longjmp or an exception is noticed at the next system call
 * (tracee_elide()), or at the next arrival. */
#include "tracer/features/statement/begun.h"
#include "tracer/run/run.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/places/places.h"
#include "tracer/run/threads/threads.h"
#include "tracer/tracee/syscalls/syscalls.h"
#include "tracer/tracee/attach/attach.h"

static const struct site_owner elide_end;

bool elide_busy(struct run *s, const struct place *place)
{
	run_each_thread(t, s) {
		if (!run_thread_lives(t))
			continue;
		array_each(const struct elision, e, &begun_of(t)->elisions)
			if (!place || e->place == place)
				return true;
	}
	return false;
}

/* Sets a trap at the return address of the frame's function, in the word below the frame. */
static int watch_return(struct run *s, struct run_thread *t, struct place *place, uint64_t frame,
			struct error *err)
{
	const struct act end = {.owner = &elide_end, .place = place};
	uint64_t address;

	if (run_thread_read(t, frame - sizeof(address), &address, sizeof(address)) < 0)
		return 0;
	return sites_put(s, run_process_of(t), run_thread_tracee(t), address, &end, err);
}

static void elision_end(struct run_thread *t, const struct elision *e)
{
	if (e->spurious)
		spurious_end(t, e->place, e->frame);
	else
		tracee_elide_end(run_thread_tracee(t), e->frame);
}

/* Inner frames have ended; so has this one, if it was left without passing an end. */
static void forget_left(struct run_thread *t, const struct place *place, uint64_t frame)
{
	struct begun *begun = begun_of(t);

	for (size_t i = begun->elisions.count; i-- > 0;) {
		struct elision e = begun->elisions.items[i];

		if (e.frame > frame || (e.frame == frame && e.place != place))
			continue;
		array_remove(&begun->elisions, i);
		elision_end(t, &e);
	}
}

static void elide_begin(struct run *s, struct run_thread *t, struct place *place, bool spurious)
{
	struct arch_regs regs;
	ERROR(err);
	uint64_t frame, pc;

	if (!run_thread_lives(t) || tracee_regs(run_thread_tracee(t), &regs) < 0)
		return;
	pc = regs.dwarf[ARCH_DWARF_PC];
	frame = images_frame_at(images_find(s, run_process_of(t), pc), pc, &regs);
	forget_left(t, place, frame);
	*array_add(&begun_of(t)->elisions) = (struct elision){place, frame, spurious};
	if (spurious)
		spurious_begin(t, place, frame);
	else
		tracee_elide(run_thread_tracee(t), frame);
	if (watch_return(s, t, place, frame, &err) < 0)
		run_fault(s, &err);
}

/* At an end of the statement or at the return address: ends the thread's elision. */
static enum hit_answer hit_end(struct run *s, const struct act *a, const struct hit *h)
{
	struct run_thread *t = h->thread;
	struct begun *begun = begun_of(t);
	uint64_t frame =
		a->info ? sites_frame(a, h->address, &h->regs) : h->regs.dwarf[ARCH_DWARF_SP];

	for (size_t i = begun->elisions.count; i-- > 0;) {
		struct elision e = begun->elisions.items[i];

		if (e.place != a->place || e.frame != frame)
			continue;
		array_remove(&begun->elisions, i);
		elision_end(t, &e);
	}
	if (a->place->retired && !elide_busy(s, a->place))
		places_retire(s, a->place);
	return HIT_SEEN;
}

static bool statement_elide_is_over(const struct act *a)
{
	const struct run_place *place = a->place->user;

	return run_place_ended(place);
}

static const struct site_owner elide_end = {
	.ends = true, .outlives = true, .hit = hit_end, .idle = statement_elide_is_over};

/* ---- traps of a place -------------------------------------------------------------------- */

/* The arrival is the start of the statement. Exits inside its own code are left out, because a jump
 * there may lead to the call that sleeps; watch_return() covers them. */
static int elide_put(struct run *s, struct run_process *p, struct tracee_thread *t, struct act act,
		     struct error *err)
{
	if (sites_put(s, p, t, act.bias + act.info->offset, &act, err) < 0)
		return -1;
	if (place_has_step(act.place, STEP_SPURIOUS) && spurious_put(s, p, t, act.place, err) < 0)
		return -1;
	act.owner = &elide_end;
	if (act.info->kind == SOURCE_ENTRY && !act.info->inlined_into)
		return 0; /* the elision covers the whole function */
	array_each(const uint64_t, offset, &act.info->exits)
		if (!sites_inside(act.info, *offset) &&
		    sites_put(s, p, t, act.bias + *offset, &act, err) < 0)
			return -1;
	return 0;
}

static bool elide_wants(const struct place *place, const struct source_site *info)
{
	(void)info;
	return place_has_step(place, STEP_ELIDE) || place_has_step(place, STEP_SPURIOUS);
}

extern const struct site_placer elide_placer;
const struct site_placer elide_placer = {elide_wants, elide_put};

/* ---- observer ---------------------------------------------------------------------------- */

int elide_launch(struct run *s, struct tracee_launch *how, struct error *err)
{
	const struct place *p;

	(void)err;
	for (size_t i = 0; (p = engine_place_at(run_engine(s), i)); i++)
		how->no_vdso |= place_has_step(p, STEP_ELIDE);
	return 0;
}

void elide_decided(struct run *s, const struct decision *d)
{
	if (d->kind == DECISION_ELIDE)
		elide_begin(s, threads_of(d->thread), d->place, false);
	else if (d->kind == DECISION_SPURIOUS && !spurious_was(s, d->place))
		elide_begin(s, threads_of(d->thread), d->place, true);
}
