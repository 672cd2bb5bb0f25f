/* Attributes deadlocks to findings about locks. */
#include "tracer/cli/confirm/confirm.h"

#include <string.h>

/* A deadlock, and the finding that it may be due to. */
struct deadlock {
	const struct audit *audit;
	const struct schedule *schedule;
	const struct finding *finding;
};

bool audit_step_is_at(const struct audit_program *p, const struct schedule_step *step,
		      struct audit_place at)
{
	return step->where.file && step->where.line == at.line &&
	       strcmp(str_base_name(program_text(p, at.file)), str_base_name(step->where.file)) ==
		       0;
}

bool audit_step_is_of(const struct audit_program *p, const struct schedule_step *step,
		      const struct finding *f)
{
	return audit_step_is_at(p, step, f->at) ||
	       (f->other.file && audit_step_is_at(p, step, f->other));
}

/* ---- steps of one thread --------------------------------------------------------------------- */

static const struct schedule_step *last_of(const struct schedule *s, unsigned thread)
{
	const struct schedule_step *last = NULL;

	array_each(const struct schedule_step, step, &s->steps)
		if (step->thread == thread)
			last = step;
	return last;
}

/* True if the thread stands at that line, or came from it: a wrapper may take the lock. */
static bool comes_from(const struct deadlock *d, const struct schedule_step *step,
		       struct audit_place at)
{
	const struct schedule_step *begin = d->schedule->steps.items, *before = step;

	if (audit_step_is_at(d->audit->program, step, at))
		return true;
	while (before > begin)
		if ((--before)->thread == step->thread && !before->where.inside)
			return before->point.op == STRATEGY_LINE &&
			       audit_step_is_at(d->audit->program, before, at);
	return false;
}

static bool comes_from_any(const struct deadlock *d, const struct schedule_step *step)
{
	return comes_from(d, step, d->finding->at) ||
	       (d->finding->other.file && comes_from(d, step, d->finding->other));
}

/* ---- owners of locks ------------------------------------------------------------------------- */

static bool is_locked_at(const struct audit *a, const struct schedule_step *step)
{
	for (unsigned i = 0; i < a->program->functions.count; i++)
		array_each(const struct audit_acquisition *const, taken, &a->facts[i].acquisitions)
			if (!(*taken)->inner && audit_step_is_at(a->program, step, (*taken)->at))
				return true;
	return false;
}

/* True if the step is at a lock, not at a join or a semaphore: by the name of its function, or by
   the sources. */
static bool audit_deadlock_is_lock(const struct audit *a, const struct schedule_step *step)
{
	const char *call = step->where.call;

	return step->point.op == STRATEGY_LOCK &&
	       ((call && strstr(call, "lock")) || is_locked_at(a, step));
}

/* Returns the step at which the thread acquired the object that it still holds, or NULL. A try may
   have failed, so it does not count. */
static const struct schedule_step *audit_deadlock_holds(const struct schedule *s, unsigned thread,
							uint64_t object)
{
	const struct schedule_step *held = NULL, *asks = NULL;

	array_each(const struct schedule_step, step, &s->steps) {
		if (step->thread != thread || step->where.inside)
			continue;
		/* The thread has gone on, so it has acquired the object. */
		held = asks ? asks : held;
		asks = NULL;
		if (step->point.op == STRATEGY_WAIT && step == last_of(s, thread))
			return NULL;
		if (step->point.object != object)
			continue;
		if (step->point.op == STRATEGY_UNLOCK)
			held = NULL;
		else if (step->point.op == STRATEGY_LOCK &&
			 !(step->where.call && strstr(step->where.call, "try")))
			asks = step;
	}
	return held;
}

static bool somebody_holds(const struct schedule *s, uint64_t object)
{
	for (unsigned thread = 0; thread < s->threads.count; thread++)
		if (audit_deadlock_holds(s, thread, object))
			return true;
	return false;
}

/* True if the thread waits for the thread `tracee`, through other threads too (wait graph). A lock
   without a known owner may be held by it. */
static bool waits_for(const struct deadlock *d, unsigned thread, unsigned tracee, bool *seen)
{
	const struct schedule *s = d->schedule;
	const struct schedule_step *last = last_of(s, thread);

	if (!last || !audit_deadlock_is_lock(d->audit, last))
		return false;
	if (!somebody_holds(s, last->point.object))
		return true;
	seen[thread] = true;
	for (unsigned other = 0; other < s->threads.count; other++)
		if (other != thread && audit_deadlock_holds(s, other, last->point.object) &&
		    (other == tracee || (!seen[other] && waits_for(d, other, tracee, seen))))
			return true;
	return false;
}

/* ---- kinds of findings ----------------------------------------------------------------------- */

/* True if the thread waits at a line of the finding, in a cycle of waits. */
static bool is_in_circle(const struct deadlock *d, const struct schedule_step *last)
{
	bool *seen, is;

	if (!comes_from_any(d, last))
		return false;
	seen = base_alloc(d->schedule->threads.count, sizeof(*seen));
	is = waits_for(d, last->thread, last->thread, seen);
	base_free(seen);
	return is;
}

/* True if the thread waits for a lock that it holds. */
static bool audit_deadlock_is_own(const struct deadlock *d, const struct schedule_step *last)
{
	const struct schedule_step *held =
		audit_deadlock_holds(d->schedule, last->thread, last->point.object);

	if (!held && somebody_holds(d->schedule, last->point.object))
		return false;
	return comes_from_any(d, last) || (held && comes_from(d, held, d->finding->other));
}

/* True if the lock was acquired at the finding's other place, and kept on the path through its
   place. */
static bool leaves_with(const struct deadlock *d, const struct schedule_step *taken)
{
	const struct schedule_step *end = d->schedule->steps.items + d->schedule->steps.count;

	if (!comes_from(d, taken, d->finding->other))
		return false;
	for (const struct schedule_step *later = taken + 1; later < end; later++)
		if (later->thread == taken->thread &&
		    audit_step_is_at(d->audit->program, later, d->finding->at))
			return true;
	return false;
}

/* True if the thread waits for a lock that such a path has kept. */
static bool is_kept(const struct deadlock *d, const struct schedule_step *last)
{
	const struct schedule *s = d->schedule;

	for (unsigned thread = 0; thread < s->threads.count; thread++) {
		const struct schedule_step *held =
			audit_deadlock_holds(s, thread, last->point.object);

		if (held && leaves_with(d, held))
			return true;
	}
	if (somebody_holds(s, last->point.object))
		return false;
	array_each(const struct schedule_step, step, &s->steps)
		if (step != last && leaves_with(d, step))
			return true;
	return false;
}

bool audit_deadlock_is_of_locks(const struct audit *a, const struct schedule *s)
{
	for (unsigned thread = 0; thread < s->threads.count; thread++) {
		const struct schedule_step *last = last_of(s, thread);

		if (last && audit_deadlock_is_lock(a, last))
			return true;
	}
	return false;
}

bool audit_deadlock_is_of(const struct audit *a, const struct schedule *s, const struct finding *f)
{
	const struct deadlock d = {a, s, f};
	bool (*const is_it)(const struct deadlock *, const struct schedule_step *) =
		f->tag == FINDING_LOCK_ORDER	? is_in_circle
		: f->tag == FINDING_DOUBLE_LOCK ? audit_deadlock_is_own
						: is_kept;

	for (unsigned thread = 0; thread < s->threads.count; thread++) {
		const struct schedule_step *last = last_of(s, thread);

		if (last && audit_deadlock_is_lock(a, last) && is_it(&d, last))
			return true;
	}
	return false;
}
