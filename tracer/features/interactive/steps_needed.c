/* What a script has to say about the user's steps, and what no script can say. */
#include "tracer/features/interactive/steps_saving.h"

#include <string.h>

/* ---- what is asked for ---------------------------------------------------------------------- */

bool steps_is_left_out(const struct saving *v, size_t step)
{
	array_each(const size_t, number, &v->how->without)
		if (*number == step + 1)
			return true;
	return false;
}

struct steps_phase *steps_phase_at(const struct saving *v, long p)
{
	return &v->taken->phases.items[p];
}

/* Phase p, or the last one before it whose end the script tells; NEVER: the start of the
   program. */
long steps_told(const struct saving *v, long p)
{
	while (p >= 0 && steps_phase_at(v, p)->end == INTERACTIVE_THERE &&
	       steps_is_left_out(v, steps_phase_at(v, p)->step))
		p--;
	return p;
}

static int steps_needed_refuse(struct saving *v, size_t step, const char *thread, const char *why)
{
	const struct steps_step *s = &v->taken->steps.items[step];

	if (v->how->refused)
		return -1;
	v->how->refused = step + 1;
	error_set(v->err, ERROR_USAGE, "a script has no words for step %zu, `%s`: %s %s", step + 1,
		  s->command, thread, why);
	return -1;
}

/* The thread's stand in phase p; or NULL. */
static const struct steps_stand *stand_in(const struct saving *v, long p, const char *thread)
{
	array_each(const struct steps_stand, stand, &steps_phase_at(v, p)->stands)
		if (strcmp(stand->thread, thread) == 0 && !steps_is_left_out(v, stand->step))
			return stand;
	return NULL;
}

/* Is it an action at the stop after phase p: opening a gate, letting a thread past its gate? */
bool steps_is_deed(const struct saving *v, const struct steps_step *step, long p)
{
	return (long)step->phase == p + 1 && (step->kind == HAND_OPEN || step->passes) &&
	       !steps_is_left_out(v, (size_t)(step - v->taken->steps.items));
}

/* Only at rest can a script let a thread past a gate, or open a gate that it knows only by name. */
static bool has_rest_deed(const struct saving *v, long p)
{
	array_each(const struct steps_step, step, &v->taken->steps)
		if (steps_is_deed(v, step, p) && (step->passes || steps_phase_at(v, p)->at_gate ||
						  !v->how->is_variable(v->how->ctx, step->what)))
			return true;
	return false;
}

bool steps_has_deed(const struct saving *v, long p)
{
	array_each(const struct steps_step, step, &v->taken->steps)
		if (steps_is_deed(v, step, p))
			return true;
	return false;
}

bool steps_ends_at_rest(const struct saving *v, long p)
{
	enum interactive_state end = steps_phase_at(v, p)->end;

	return end == INTERACTIVE_REST || end == INTERACTIVE_QUIET || end == INTERACTIVE_LOOK ||
	       (end == INTERACTIVE_THERE ? has_rest_deed(v, p)
					 : end == INTERACTIVE_GONE && steps_has_deed(v, p));
}

/* ---- which gates are needed ----------------------------------------------------------------- */

static void need(struct saving *v, long p)
{
	p = steps_told(v, p);
	if (p >= 0)
		v->needed[p] = true;
}

/* The last phase through which it stands, counting from phase p. */
long steps_stands_until(const struct saving *v, long p, const char *thread)
{
	while (p + 1 < (long)v->taken->phases.count && stand_in(v, p + 1, thread))
		p++;
	return p;
}

bool steps_is_held_throughout(const struct saving *v, long p, long q, const char *thread)
{
	for (long i = p; i <= q; i++)
		if (!stand_in(v, i, thread)->still_held)
			return false;
	return true;
}

static int need_for_stand(struct saving *v, long p, const struct steps_stand *stand)
{
	long q = steps_stands_until(v, p, stand->thread);
	struct str why = {0};
	int failed = 0;

	switch (stand->position) {
	case POSITION_SENT:
		if (p == 0 || steps_told(v, p - 1) != p - 1)
			failed = steps_needed_refuse(
				v, stand->step, stand->thread,
				"stands where a step that is left out has brought it");
		else
			v->stays[p - 1] = q;
		break;
	case POSITION_GATE:
		if (steps_is_held_throughout(v, p, q, stand->thread))
			return 0;
		need(v, p - 1);
		break;
	case POSITION_CALL:
		need(v, p - 1);
		break;
	case POSITION_MAIN:
	case POSITION_START:
		break;
	case POSITION_MIDDLE:
		str_addf(&why, "was in the middle of %s, by chance", stand->location);
		failed = steps_needed_refuse(v, stand->step, stand->thread, str_text(&why));
		str_fini(&why);
		break;
	}
	need(v, q);
	return failed;
}

/* Does its stand begin with phase p? */
bool steps_begins(const struct saving *v, long p, const struct steps_stand *stand)
{
	return !steps_is_left_out(v, stand->step) && (p == 0 || !stand_in(v, p - 1, stand->thread));
}

static int need_for_stands(struct saving *v)
{
	for (long p = 0; p < (long)v->taken->phases.count; p++)
		array_each(const struct steps_stand, stand, &steps_phase_at(v, p)->stands)
			if (steps_begins(v, p, stand) && need_for_stand(v, p, stand) < 0)
				return -1;
	return 0;
}

bool steps_is_named(const struct saving *v, const struct run_thread *t)
{
	array_each(const struct steps_step, step, &v->taken->steps)
		if (step->thread && strcmp(step->thread, t->engine->id) == 0)
			return true;
	return false;
}

/* The last phase, with an arrival or with threads standing, at whose end this thread had not begun:
   it begins after that. */
long steps_begins_after(const struct saving *v, const struct run_thread *t)
{
	if (!strchr(t->engine->id, '#'))
		return NEVER;
	for (long p = (long)v->taken->phases.count - 1; p >= 0; p--) {
		const struct steps_phase *phase = steps_phase_at(v, p);

		if (phase->end == INTERACTIVE_THERE
			    ? steps_told(v, p) != p || !phase->location
			    : phase->end != INTERACTIVE_REST || !phase->stands.count)
			continue;
		if (t->index >= phase->threads_then)
			return p;
		array_each(const size_t, index, &phase->unbegun)
			if (*index == t->index)
				return p;
	}
	return NEVER;
}

static void need_for_beginnings(struct saving *v)
{
	array_each(struct run_thread *, it, &v->interactive->run.threads)
		need(v, steps_begins_after(v, *it));
}

bool steps_is_told_there(const struct saving *v, long p)
{
	return steps_phase_at(v, p)->end == INTERACTIVE_THERE && steps_told(v, p) == p &&
	       (v->needed[p] || v->stays[p] != NEVER || steps_has_deed(v, p));
}

/* Did it stand until the end of phase p, or arrive then? Then whatever it does is later than
   that. */
bool steps_is_behind(const struct saving *v, long p, const char *thread)
{
	const char *who = steps_phase_at(v, p)->thread;

	return stand_in(v, p, thread) ||
	       (steps_phase_at(v, p)->end == INTERACTIVE_THERE && strcmp(who, thread) == 0);
}

/* How often it had arrived there since its start. 0: only known since it was let go. */
unsigned steps_hits_of(const struct saving *v, long p)
{
	const struct steps_phase *phase = steps_phase_at(v, p);
	const struct steps_step *step = &v->taken->steps.items[phase->step];

	if (phase->hits || (step->since == SINCE_STOP && steps_told(v, p - 1) >= 0))
		return phase->hits;
	return phase->passes + step->counts_here;
}

static int need_for_there(struct saving *v, long p)
{
	const struct steps_phase *phase = steps_phase_at(v, p);
	long before = steps_told(v, p - 1);
	struct str why = {0};

	if (!phase->location) {
		str_addf(&why, "got to %s, which is no location of a script",
			 phase->words ? phase->words : "unknown code");
		steps_needed_refuse(v, phase->step, phase->thread, str_text(&why));
		str_fini(&why);
		return -1;
	}
	if (steps_ends_at_rest(v, p))
		v->needed[p] = true;
	if (before >= 0 && (!steps_hits_of(v, p) || !steps_is_behind(v, before, phase->thread)))
		need(v, before);
	return 0;
}

/* From the last to the first, since each may need earlier ones. */
static int need_for_phases(struct saving *v)
{
	for (long p = (long)v->taken->phases.count - 1; p >= 0; p--)
		if (steps_is_told_there(v, p) && need_for_there(v, p) < 0)
			return -1;
	return 0;
}

int steps_needs(struct saving *v)
{
	if (need_for_stands(v) < 0)
		return -1;
	need_for_beginnings(v);
	return need_for_phases(v);
}
