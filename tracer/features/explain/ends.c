/* Text on how a run ended: hang, livelock, too early; and the line that represents the verdict. */
#include "tracer/features/timeline/timeline.h"
#include "tracer/features/crash/crash.h"
#include "tracer/features/explain/hints.h"

#include <stdlib.h>
#include <string.h>

enum { HANGING_MOST = 6, SPINNING_MOST = 4 }; /* number of threads that are named */

/* ---- a hang ------------------------------------------------------------------------------ */

/* Appends what the thread waits for, and what could end the wait. */
static void add_hanging(const struct run_thread *t, struct str *out)
{
	const struct waiting *w = waiting_of(t);
	const char *call = waiting_call_name(w->call);

	if (w->kind == WAITING_RUNNING) {
		waiting_sentence(t, out);
		return;
	}
	str_add(out, run_thread_id(t));
	if (!w->call) {
		str_addf(out, " %s", str_text(&w->text));
		return;
	}
	if (call)
		str_addf(out, " waits in %s(2)", call);
	else
		str_addf(out, " waits in system call %ld", w->call);
	if (w->file)
		str_addf(out, " at %s:%u", str_base_name(w->file), w->line);
	str_add(out, w->is_deep ? ", which no signal interrupts: the kernel waits for a file "
				  "system or a device"
		     : waiting_call_is_for_signal(w->call)
			     ? ", which only a signal could end"
			     : ", which only another process could end");
}

void hang_text(const struct run *s, struct str *out)
{
	double seconds = run_outcome(s)->hang;
	size_t named = 0;

	str_addf(out, "the program hangs: no thread has made a step for %g second%s", seconds,
		 seconds == 1 ? "" : "s");
	run_each_thread(t, s) {
		if (!waiting_is_alive(waiting_of(t)))
			continue;
		if (named++ == HANGING_MOST) {
			str_add(out, "; ...");
			return;
		}
		str_add(out, named > 1 ? "; " : ": ");
		add_hanging(t, out);
	}
}

/* ---- a livelock -------------------------------------------------------------------------- */

static void add_spinning(const struct run_thread *t, const struct spin_place *place,
			 struct str *out)
{
	str_add(out, run_thread_id(t));
	if (place->func)
		str_addf(out, " in %s", place->func);
	if (place->file)
		str_addf(out, " at %s:%u", str_base_name(place->file), place->line);
}

void livelock_line(struct run *s, struct str *out)
{
	uint64_t since_us = 0;
	STR(names);
	size_t named = 0;

	run_each_thread(t, s) {
		struct spin spin;

		if (!run_outcome(s)->livelock || !waiting_is_alive(waiting_of(t)) ||
		    !spin_of(s, t, &spin))
			continue;
		since_us = spin.since_us > since_us ? spin.since_us : since_us;
		if (named++ == SPINNING_MOST)
			str_add(&names, ", ...");
		if (named > SPINNING_MOST)
			continue;
		str_add(&names, named > 1 ? "; " : "");
		add_spinning(t, &spin.place, &names);
	}
	if (named)
		str_addf(out,
			 "a livelock: the same states again and again, since %.1f s, no place "
			 "reached: %s\n",
			 spin_seconds(s, since_us), str_text(&names));
}

/* ---- an early end ------------------------------------------------------------------------ */

static bool is_done(const struct timeline *tl, const struct happened *h)
{
	for (size_t i = 0; i < tl->last_count; i++) {
		const struct happened *later = &tl->last[i];

		if (later->seq > h->seq && later->thread == h->thread &&
		    later->what != HAPPENED_THREAD_EXIT)
			return true;
	}
	return false;
}

/* Finds a thread that was released shortly before the end and made no step afterwards: nothing
 * makes the end wait until that thread has finished what the test is about. */
bool loose_end_try(const struct run *s, struct str *out)
{
	const struct expect *x = &run_plan(s)->expect;
	const struct timeline *tl = timeline_of(s);
	const struct happened *found = NULL;

	if (run_outcome(s)->end != OUTCOME_EXITED || run_outcome(s)->fault == OUTCOME_FAILED ||
	    run_thread_count(s) < 2 || x->end <= EXPECT_EXIT)
		return false;
	for (size_t i = 0; i < tl->last_count; i++) {
		const struct happened *h = &tl->last[i];

		if (h->what == HAPPENED_RELEASE && h->thread && h->place && !is_done(tl, h) &&
		    (!found || h->seq > found->seq))
			found = h;
	}
	if (found)
		str_addf(out,
			 "on(\"exit\", { optional = true }):wait(GATE), with GATE opened after %s: "
			 "the program ended before %s, released there, made another step",
			 found->place->location, found->thread->id);
	return found;
}

/* ---- a gate opened too early ------------------------------------------------------------- */

/* Finds the last place that opened a gate before its own statement was executed: threads that pass
 * the gate race with the statement. */
bool opened_before_try(const struct run *s, struct str *out)
{
	const struct timeline *tl = timeline_of(s);
	const struct place *found = NULL;

	for (size_t i = 0; i < tl->last_count; i++) {
		const struct happened *h = &tl->last[i];
		const struct place *p = h->what == HAPPENED_OPEN ? h->place : NULL;

		if (p && p->kind == PLACE_LOCATION && !p->after && !p->from_order &&
		    run_place_location(p->user)->kind != LOCATION_RETURN)
			found = p;
	}
	if (found)
		str_addf(out,
			 "at(\"%s\", { after = true }), if that is to have been executed when the "
			 "gate opens; now the gate opens before",
			 found->location);
	return found;
}

/* ---- the line that the verdict is about -------------------------------------------------- */

/* For a hang: a running thread, else a waiting one. For other verdicts: a thread of the verdict,
 * preferably a held one. */
static const struct waiting *thread_to_blame(struct run *s, bool hang)
{
	const struct waiting *found = NULL;

	if (!hang && run_culprit(s) && waiting_of(run_culprit(s))->file)
		return waiting_of(run_culprit(s));
	run_each_thread(t, s) {
		const struct waiting *w = waiting_of(t);
		bool better =
			hang ? w->kind == WAITING_RUNNING && found && found->kind != WAITING_RUNNING
			     : w->held && found && !found->held;

		if ((hang ? waiting_is_alive(w) : w->in_cycle) && w->file && w->line &&
		    (!found || better))
			found = w;
	}
	return found;
}

/* Sets file and line to those of the missing place in the script. */
static void blame_missing(struct run *s, struct run_result *out)
{
	const struct place *p = engine_missing(run_engine(s));
	const char *colon = p && p->source ? strrchr(p->source, ':') : NULL;

	if (!colon || !atoi(colon + 1))
		return;
	str_addf(&out->file, "%.*s", (int)(colon - p->source), p->source);
	out->line = (unsigned)atoi(colon + 1);
}

static void blame(const char *file, unsigned line, struct run_result *out)
{
	if (!file)
		return;
	str_add(&out->file, file);
	out->line = line;
}

void blame_verdict(struct run *s, enum verdict v, struct run_result *out)
{
	bool hang =
		v == VERDICT_TIME_LIMIT && (run_outcome(s)->hang > 0 || run_outcome(s)->livelock);
	const struct crash *c = crash_of_root(s);
	const struct waiting *w;

	if (v == VERDICT_NEVER_REACHED)
		blame_missing(s, out);
	if ((v == VERDICT_CRASHED || v == VERDICT_NOT_AS_EXPECTED) && c && crash_own(c))
		blame(crash_own(c)->file, crash_own(c)->line, out);
	if (!hang && v != VERDICT_NEVER_OPENED && v != VERDICT_GATE_DEADLOCK &&
	    v != VERDICT_DEADLOCK)
		return;
	w = thread_to_blame(s, hang);
	if (w)
		blame(w->file, w->line, out);
}
