/* Threads that run without progress: where, and since when. */
#include "tracer/run/go.h"
#include "tracer/features/timeline/timeline.h"
#include "tracer/features/waiting/waiting_internal.h"
#include "tracer/features/waiting/spin.h"

#include <string.h>

enum { LOOKS_LEAST = 2 }; /* one sample alone does not say for how long */

static bool spinning_is_known(const struct run *s, const struct run_thread *t, struct spin *out)
{
	return spin_of(s, t, out) && out->samples >= LOOKS_LEAST && out->place.func;
}

static double seconds(const struct run *s, const struct spin *spin)
{
	uint64_t end = timeline_of(s)->end_us ? s->start_us + timeline_of(s)->end_us : run_now_us();

	return end > spin->since_us ? (double)(end - spin->since_us) / 1e6 : 0;
}

void spinning_told(const struct run *s, struct waiter *w)
{
	struct spin spin;

	if (!spinning_is_known(s, w->thread, &spin) || !spin.loops)
		return;
	for (size_t i = w->told; i < w->stack.count; i++) {
		const struct inspect_call *call = &w->stack.items[i];

		if (!call->function || strcmp(call->function, spin.place.func) != 0)
			continue;
		w->told = i;
		w->loops = true;
		return;
	}
}

/* The place where it was seen most often: the last sample may be from anywhere. */
static void take_place(const struct spin_place *place, struct waiting *out)
{
	bool same = out->func && strcmp(out->func, place->func) == 0;

	if (!same)
		str_clear(&out->around);
	out->func = place->func;
	out->file = place->line ? place->file : NULL;
	out->line = place->line;
}

/* What explain/livelock.c has found; other limits do not ask. */
static const char *how(const struct run *s, const struct spin *spin)
{
	if (spin->sleeps)
		return "again and again";
	return s->outcome.limit && !s->outcome.livelock ? "in the same few functions" : "spinning";
}

void spinning_describe(const struct run *s, const struct run_thread *t, struct waiting *out)
{
	struct spin spin;

	if (!spinning_is_known(s, t, &spin))
		return;
	if (out->kind == WAITING_RUNNING)
		take_place(&spin.place, out);
	out->spins = true;
	str_addf(&out->note, ", %s for %.1f s", how(s, &spin), seconds(s, &spin));
}

bool spinning_try(const struct run *s, struct str *out)
{
	array_each(struct run_thread *, it, &s->threads) {
		const struct waiting *w = waiting_of(*it);

		if (!w->spins || !w->func)
			continue;
		str_addf(out, "find out what %s waits for in %s", (*it)->engine->id, w->func);
		if (w->file)
			str_addf(out, " at %s:%u", str_base_name(w->file), w->line);
		str_add(out,
			s->outcome.livelock
				? ": it goes round there, a longer --time-limit changes nothing"
				: "; a longer --time-limit helps only where it is slow");
		return true;
	}
	return false;
}
