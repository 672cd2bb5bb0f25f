/* Records the events of a run, with their causes and source positions. */
#include "tracer/run/run.h"
#include "tracer/run/threads/threads.h"
#include "tracer/run/places/places.h"
#include "tracer/features/timeline/timeline.h"

#include "tracer/base/text/foreign.h"
#include "tracer/base/files/path.h"
#include "tracer/base/log.h"
#include "tracer/base/signame.h"

#include <string.h>

static const char *const words[] = {
	[HAPPENED_ARRIVAL] = "arrival",
	[HAPPENED_PASSED] = "passed",
	[HAPPENED_HOLD] = "hold",
	[HAPPENED_RELEASE] = "release",
	[HAPPENED_OPEN] = "open",
	[HAPPENED_EVENT] = "event",
	[HAPPENED_STEP] = "step",
	[HAPPENED_LOG] = "log",
	[HAPPENED_THREAD_START] = "thread-start",
	[HAPPENED_THREAD_EXIT] = "thread-exit",
	[HAPPENED_FORK] = "fork",
	[HAPPENED_EXEC] = "exec",
	[HAPPENED_SIGNAL] = "signal",
	[HAPPENED_KILL] = "kill",
	[HAPPENED_CRASH] = "crash",
};

const char *timeline_word(enum happening what)
{
	return words[what];
}

static void timeline_fini(void *what)
{
	struct timeline *tl = what;

	array_each(struct happened, h, &tl->all)
		base_free(h->text);
	array_fini(&tl->all);
	array_fini(&tl->opened);
	for (size_t i = 0; i < tl->last_count; i++)
		base_free(tl->last[i].text);
}

static const struct keeper keeper = {sizeof(struct timeline), timeline_fini};

struct timeline *timeline_of(const struct run *s)
{
	return kept_make(run_kept(s), &keeper);
}

/* Per-thread data: place of its last arrival or release. In later turns the thread is elsewhere. */
struct stand {
	const struct place *at;
	unsigned long turn;
};
static const struct keeper stand_keeper = {sizeof(struct stand), NULL};

unsigned long timeline_stands(const struct run_thread *t)
{
	const struct stand *stand = kept_of(run_thread_kept(t), &stand_keeper);

	return stand ? stand->turn : 0;
}

static void timeline_begin(struct run *s)
{
	timeline_of(s)->keep = run_options(s)->reports.count > 0 || run_is_attended(s);
}

void timeline_line(const struct happened *h, struct str *out)
{
	static const char *const verbs[] = {
		[HAPPENED_ARRIVAL] = "arrives",	    [HAPPENED_HOLD] = "is held",
		[HAPPENED_RELEASE] = "is released", [HAPPENED_OPEN] = "opens",
		[HAPPENED_EVENT] = "event",	    [HAPPENED_LOG] = "log",
		[HAPPENED_THREAD_START] = "starts", [HAPPENED_THREAD_EXIT] = "exits",
		[HAPPENED_FORK] = "forks",	    [HAPPENED_EXEC] = "execs",
		[HAPPENED_SIGNAL] = "gets signal",  [HAPPENED_KILL] = "is killed by",
		[HAPPENED_CRASH] = "crashes:",	    [HAPPENED_STEP] = "step",
	};

	if (h->what == HAPPENED_PASSED) {
		str_addf(out, "%lu arrivals without consequence at %s", h->times,
			 h->place->location);
		return;
	}
	str_addf(out, "%s %s", h->thread ? h->thread->id : "gatectl", verbs[h->what]);
	if (h->what == HAPPENED_ARRIVAL && h->times > 1)
		str_addf(out, " %lu times", h->times);
	if (h->what == HAPPENED_OPEN && h->gate)
		str_addf(out, " gate %s", h->gate->name);
	if (h->text) {
		str_add(out, " ");
		foreign_line(out, h->text);
	}
	if (h->place)
		str_addf(out, " at %s", h->place->location);
	if (h->what != HAPPENED_OPEN && h->gate)
		str_addf(out, " by gate %s", h->gate->name);
	else if (h->what == HAPPENED_HOLD && h->place)
		str_addf(out, " by a %s (%s)", place_holder(h->place), place_source(h->place));
}

/* An event at a place is where the thread has stopped. A thread opens a gate at the place
 * of its arrival or release in this turn; by blocking in the kernel, at no place. A crash
 * has a position, too. */
static void timeline_note_place(struct run *s, struct happened *h)
{
	struct run_thread *t = h->thread ? threads_of(h->thread) : NULL;
	struct stand *stand = t ? kept_make(run_thread_kept(t), &stand_keeper) : NULL;

	if (!t)
		return;
	if (h->place)
		*stand = (struct stand){h->place, run_turns(s)};
	else if (h->what == HAPPENED_OPEN && stand->turn == run_turns(s))
		h->place = stand->at;
	if (!h->place && h->what != HAPPENED_CRASH &&
	    (h->what != HAPPENED_SIGNAL || !run_thread_crashes(t)))
		return;
	h->file = run_thread_spot(t)->file;
	h->func = run_thread_spot(t)->func;
	h->line = run_thread_spot(t)->line;
}

/* ---- the last events --------------------------------------------------------------------- */

static struct happened *timeline_newest(struct timeline *tl)
{
	return tl->last_count ? &tl->last[tl->last_count - 1] : NULL;
}

static void timeline_drop(struct timeline *tl, size_t i)
{
	base_free(tl->last[i].text);
	tl->last_count--;
	memmove(&tl->last[i], &tl->last[i + 1], (tl->last_count - i) * sizeof(*tl->last));
}

/* Drops the line of earlier arrivals of the thread at the place since the last event of another
 * kind, and returns how many there are now: arrivals before `hit` would fill all lines. */
static unsigned long timeline_merge(struct timeline *tl, const struct happened *h)
{
	for (size_t i = tl->last_count; i > 0 && tl->last[i - 1].what == HAPPENED_ARRIVAL; i--) {
		unsigned long times = tl->last[i - 1].times;

		if (tl->last[i - 1].thread != h->thread || tl->last[i - 1].place != h->place)
			continue;
		timeline_drop(tl, i - 1);
		return times + 1;
	}
	return 1;
}

/* Takes ownership of h->text. */
static void timeline_keep_last(struct timeline *tl, const struct happened *h)
{
	unsigned long times = h->what == HAPPENED_ARRIVAL ? timeline_merge(tl, h) : 0;

	if (tl->last_count == TIMELINE_LAST)
		timeline_drop(tl, 0);
	tl->last[tl->last_count] = *h;
	tl->last[tl->last_count++].times = times;
}

/* ---- causes ------------------------------------------------------------------------------ */

static unsigned long *opened_by(struct timeline *tl, const struct gate *g)
{
	while (tl->opened.count <= g->index)
		*array_add(&tl->opened) = 0;
	return &tl->opened.items[g->index];
}

/* A complete barrier is opened by its last arrival, the event before, not by a verb. */
static void note_open(struct timeline *tl, struct happened *h)
{
	const struct happened *before = timeline_newest(tl);

	if (!h->thread && before && before->what == HAPPENED_HOLD && before->gate == h->gate)
		h->caused_by = before->seq;
	*opened_by(tl, h->gate) = h->thread || !h->caused_by ? h->seq : h->caused_by;
}

/* A release at a gate is caused by the open of the gate. A function of the script is called again
 * because of an event in this turn; a store to the program's memory is no event. */
static unsigned long cause_of_release(struct run *s, const struct happened *h)
{
	struct timeline *tl = timeline_of(s);

	if (h->gate && h->gate->kind != GATE_CUSTOM)
		return *opened_by(tl, h->gate);
	return tl->stir_turn == run_turns(s) ? tl->stir : 0;
}

static void note_cause(struct run *s, struct happened *h)
{
	struct timeline *tl = timeline_of(s);

	if (h->what == HAPPENED_OPEN && h->gate)
		note_open(tl, h);
	if (h->what == HAPPENED_RELEASE)
		h->caused_by = cause_of_release(s, h);
	if (h->what != HAPPENED_HOLD && h->what != HAPPENED_RELEASE && h->what != HAPPENED_LOG &&
	    h->what != HAPPENED_EVENT) {
		tl->stir = h->seq;
		tl->stir_turn = run_turns(s);
	}
}

void timeline_end(struct run *s)
{
	struct timeline *tl = timeline_of(s);

	if (!tl->end_us)
		tl->end_us = run_elapsed_us(s);
}

uint64_t timeline_elapsed_us(const struct run *s)
{
	return timeline_of(s)->end_us ? timeline_of(s)->end_us : run_elapsed_us(s);
}

static void write_verbose(const struct happened *h)
{
	STR(line);

	if (h->file && h->line)
		str_addf(&line, "%s:%u: ", path_shown(h->file), h->line);
	str_addf(&line, "gatectl: %.6f ", (double)h->t_us / 1e6);
	timeline_line(h, &line);
	log_line("%s", str_text(&line));
}

void timeline_add(struct run *s, enum happening what, const struct engine_thread *t,
		  const struct place *p, const struct gate *g, const char *text)
{
	struct timeline *tl = timeline_of(s);
	struct happened h;

	if (run_is_over(s))
		return; /* effects of gatectl's own SIGKILL are not events */
	if (what == HAPPENED_ARRIVAL && p->companion_of)
		return; /* the end of a statement; its start is in the timeline */
	h = (struct happened){
		.seq = ++tl->seq,
		.t_us = run_elapsed_us(s),
		.what = what,
		.thread = t,
		.place = p,
		.gate = g,
		.text = text ? base_strdup(text) : NULL,
	};
	timeline_note_place(s, &h);
	note_cause(s, &h);
	if (tl->keep && tl->all.count < TIMELINE_MOST) {
		struct happened *kept = array_add(&tl->all);

		*kept = h;
		kept->text = text ? base_strdup(text) : NULL;
	}
	if (tl->follower)
		tl->follower(s, &h);
	if (!run_is_attended(s) && run_options(s)->verbose)
		write_verbose(&h);
	timeline_keep_last(tl, &h);
}

void timeline_step(struct run *s, const struct engine_thread *t, const char *file, unsigned line,
		   const char *func, const char *text)
{
	struct timeline *tl = timeline_of(s);

	if (!tl->keep || run_is_over(s) || tl->all.count >= TIMELINE_MOST)
		return;
	*array_add(&tl->all) = (struct happened){
		.seq = ++tl->seq,
		.t_us = run_elapsed_us(s),
		.what = HAPPENED_STEP,
		.thread = t,
		.text = base_strdup(text),
		.file = file,
		.line = line,
		.func = func,
	};
}

/* ---- observer ---------------------------------------------------------------------------- */

static void add_exec(struct run *s, struct run_thread *t, bool first)
{
	if (!first)
		timeline_add(s, HAPPENED_EXEC, run_thread_engine(t), NULL, NULL, NULL);
}

static void add_fork(struct run *s, struct run_thread *t, struct run_process *child)
{
	(void)child;
	timeline_add(s, HAPPENED_FORK, run_thread_engine(t), NULL, NULL, NULL);
}

static void timeline_add_start(struct run *s, struct run_thread *t)
{
	timeline_add(s, HAPPENED_THREAD_START, run_thread_engine(t), NULL, NULL, NULL);
}

static void add_exit(struct run *s, struct run_thread *t, bool renamed)
{
	if (!renamed)
		timeline_add(s, HAPPENED_THREAD_EXIT, run_thread_engine(t), NULL, NULL, NULL);
}

static bool add_signal(struct run *s, struct run_thread *t, int signal)
{
	timeline_add(s, HAPPENED_SIGNAL, run_thread_engine(t), NULL, NULL, signame_text(signal));
	return false;
}

static void add_decision(struct run *s, const struct decision *d)
{
	static const struct {
		enum decision_kind kind;
		enum happening what;
	} rows[] = {
		{DECISION_ARRIVED, HAPPENED_ARRIVAL}, {DECISION_HOLD, HAPPENED_HOLD},
		{DECISION_PASS, HAPPENED_RELEASE},    {DECISION_OPENED, HAPPENED_OPEN},
		{DECISION_EVENT, HAPPENED_EVENT},     {DECISION_LOG, HAPPENED_LOG},
		{DECISION_KILL, HAPPENED_KILL},
	};
	bool killed = d->kind == DECISION_KILL;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].kind == d->kind && (d->thread || d->kind != DECISION_LOG))
			timeline_add(s, rows[i].what, d->thread, d->place, d->gate,
				     killed ? signame_text(d->signal) : d->text);
}

/* Consecutive arrivals at a place are one event. */
static void add_passed(struct run *s, struct place *place, unsigned long arrivals, bool others)
{
	struct timeline *tl = timeline_of(s);
	struct happened *last = timeline_newest(tl);

	if (others)
		return;
	if (!last || last->what != HAPPENED_PASSED || last->place != place) {
		timeline_add(s, HAPPENED_PASSED, NULL, place, NULL, NULL);
		last = timeline_newest(tl);
	}
	last->times += arrivals;
	if (tl->keep && tl->seq == tl->all.count)
		tl->all.items[tl->all.count - 1].times = last->times;
}

extern const struct observer timeline_observer;
const struct observer timeline_observer = {
	.begin = timeline_begin,
	.exec = add_exec,
	.fork = add_fork,
	.thread_new = timeline_add_start,
	.thread_over = add_exit,
	.signal = add_signal,
	.passed = add_passed,
	.decision = add_decision,
	.end = timeline_end,
};
