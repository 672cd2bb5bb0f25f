/* Which line of source a verdict is about, for reports that can show only one. */
#include "tracer/features/crash/crash.h"
#include "tracer/features/explain/explain.h"

#include <stdlib.h>
#include <string.h>

/* Of the threads that the verdict is about, one that is held comes first. */
static const struct waiting *of_threads(struct run *s)
{
	const struct waiting *found = NULL;

	if (s->culprit && waiting_of(s->culprit)->file)
		return waiting_of(s->culprit);
	array_each(struct run_thread *, it, &s->threads) {
		const struct waiting *w = waiting_of(*it);

		if (w->in_cycle && w->file && w->line && (!found || (w->held && !found->held)))
			found = w;
	}
	return found;
}

/* Thread to blame for a hang: one that computes, else one that waits for ever. */
static const struct waiting *of_hang(struct run *s)
{
	const struct waiting *found = NULL;

	array_each(struct run_thread *, it, &s->threads) {
		const struct waiting *w = waiting_of(*it);

		if (!waiting_is_alive(w) || !w->file || !w->line)
			continue;
		if (w->kind == WAITING_RUNNING)
			return w;
		found = found ? found : w;
	}
	return found;
}

/* "FILE:LINE" of a script */
static void of_source(const char *source, struct run_result *out)
{
	const char *colon = source ? strrchr(source, ':') : NULL;

	if (!colon || !atoi(colon + 1))
		return;
	str_addf(&out->file, "%.*s", (int)(colon - source), source);
	out->line = (unsigned)atoi(colon + 1);
}

static void of_missing(struct run *s, struct run_result *out)
{
	const struct place *p;

	for (size_t i = 0; (p = engine_place_at(s->engine, i)); i++)
		if (place_missing(p)) {
			of_source(p->source, out);
			return;
		}
}

static void of_crash(const struct crash *c, struct run_result *out)
{
	const struct crash_frame *f =
		c && c->own < c->frames.count ? &c->frames.items[c->own] : NULL;

	if (!f || !f->file)
		return;
	str_add(&out->file, f->file);
	out->line = f->line;
}

void blame_verdict(struct run *s, enum verdict v, struct run_result *out)
{
	const bool is_hang =
		v == VERDICT_TIME_LIMIT && (s->outcome.hang > 0 || s->outcome.livelock);
	const struct waiting *w;

	if (v == VERDICT_NEVER_REACHED)
		of_missing(s, out);
	if (v == VERDICT_CRASHED || v == VERDICT_NOT_AS_EXPECTED)
		of_crash(crash_of_root(s), out);
	if (!is_hang && v != VERDICT_NEVER_OPENED && v != VERDICT_GATE_DEADLOCK &&
	    v != VERDICT_DEADLOCK)
		return;
	w = is_hang ? of_hang(s) : of_threads(s);
	if (!w || !w->file)
		return;
	str_add(&out->file, w->file);
	out->line = w->line;
}
