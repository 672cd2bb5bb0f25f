/*
 * --report FILE.trace.json: Chrome's trace format, which Perfetto opens. A process is a process, a
 * thread a track: its life is a slice, every hold one inside it, whatever else happens an instant,
 * and a flow leads from an open to the releases that it caused.
 *
 * Several events may have the same microsecond: each gets a time of its own, some nanoseconds later
 * than the one before, so that slices nest and arrows point forward.
 */
#include "tracer/run/threads/threads.h"
#include "tracer/features/timeline/timeline.h"
#include "tracer/features/waiting/waiting.h"
#include "tracer/features/report/report.h"

#include "tracer/base/files/path.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { STEP_NS = 10 };

struct track {
	size_t process;
	bool living, held; /* slices that are open */
};

/* The arrows from one event: the seq of the first release that it caused, and of the next release
   with the same cause. By event index; 0: none. */
struct arrows {
	unsigned long first, last, next;
};

struct trace {
	struct run *run;
	struct json json;
	uint64_t now_ns;
	ARRAY(struct track) tracks;  /* by thread index */
	ARRAY(struct arrows) arrows; /* by index of the event */
};

/* Numbers unique to a thread, as the kernel may reuse its ids; a process has its first thread's. */
static size_t track_of(const struct run_thread *t)
{
	return t->index + 1;
}

static void number_tracks(struct trace *tr)
{
	const struct run *s = tr->run;

	array_each(struct run_thread *, it, &s->threads) {
		struct track *track = array_add(&tr->tracks);

		track->process = track_of(*it);
		for (size_t i = 0; i < tr->tracks.count; i++)
			if (s->threads.items[i]->process == (*it)->process) {
				track->process = i + 1;
				break;
			}
	}
}

static void trace_begin(struct trace *tr, const char *phase, const char *name,
			const struct run_thread *t)
{
	struct json *j = &tr->json;
	char ts[32];

	json_object(j, NULL);
	json_string(j, "ph", phase);
	if (name) {
		json_string(j, "name", name);
		json_string(j, "cat", "gatectl");
	}
	json_integer(j, "pid", (long long)tr->tracks.items[t->index].process);
	json_integer(j, "tid", (long long)track_of(t));
	snprintf(ts, sizeof(ts), ",\"ts\":%" PRIu64 ".%03u", tr->now_ns / 1000,
		 (unsigned)(tr->now_ns % 1000));
	str_add(&j->out, ts);
}

static void trace_end(struct trace *tr)
{
	json_end_object(&tr->json);
}

/* ---- names of tracks ------------------------------------------------------------------------ */

static void name_track(struct trace *tr, const char *what, const char *key, const char *name,
		       long long index, const struct run_thread *t)
{
	struct json *j = &tr->json;

	trace_begin(tr, "M", what, t);
	json_object(j, "args");
	if (name)
		json_string(j, key, name);
	else
		json_integer(j, key, index);
	json_end_object(j);
	trace_end(tr);
}

static const char *program_name(const struct run *s)
{
	return str_base_name(s->options->argv[0]);
}

static void name_process(struct trace *tr, const struct run_thread *first)
{
	const struct run_process *p = first->process;
	struct str name = {0};

	if (*p->prefix)
		str_addf(&name, "%.*s ", (int)strlen(p->prefix) - 1, p->prefix);
	str_addf(&name, "%s (pid %d)", program_name(tr->run), p->pid);
	name_track(tr, "process_name", "name", str_text(&name), 0, first);
	name_track(tr, "process_sort_index", "sort_index", NULL, (long long)track_of(first), first);
	str_fini(&name);
}

/* A thread without a name has its program's, which says nothing. */
static void name_thread(struct trace *tr, const struct run_thread *t)
{
	struct str name = {0};

	str_add(&name, t->engine->id);
	if (*t->comm && strncmp(t->comm, program_name(tr->run), strlen(t->comm)) != 0)
		str_addf(&name, " (%s)", t->comm);
	name_track(tr, "thread_name", "name", str_text(&name), 0, t);
	name_track(tr, "thread_sort_index", "sort_index", NULL, (long long)track_of(t), t);
	str_fini(&name);
}

static void name_tracks(struct trace *tr)
{
	array_each(struct run_thread *, t, &tr->run->threads) {
		if (tr->tracks.items[(*t)->index].process == track_of(*t))
			name_process(tr, *t);
		name_thread(tr, *t);
	}
}

/* ---- what an event says --------------------------------------------------------------------- */

static void add_args(struct trace *tr, const struct happened *h)
{
	struct json *j = &tr->json;

	json_object(j, "args");
	json_integer(j, "seq", (long long)h->seq);
	if (h->place)
		json_string(j, "place", h->place->location);
	if (h->gate)
		json_string(j, "gate", h->gate->name);
	if (h->file && h->line) {
		struct str at = {0};

		str_addf(&at, "%s:%u", path_shown(h->file), h->line);
		json_string(j, "source", str_text(&at));
		str_fini(&at);
	}
	if (h->func)
		json_string(j, "function", h->func);
	if (h->text)
		json_string(j, "text", h->text);
	json_end_object(j);
}

static void title(const struct happened *h, struct str *out)
{
	const char *place = h->place ? h->place->location : NULL;
	const char *gate = h->gate ? h->gate->name : NULL;

	if (h->what == HAPPENED_HOLD)
		str_addf(out, "held: %s", gate ? gate : "by a function");
	else if (h->what == HAPPENED_ARRIVAL && place)
		str_addf(out, "arrives: %s", place);
	else if (h->what == HAPPENED_OPEN && gate)
		str_addf(out, "opens %s", gate);
	else if (h->what == HAPPENED_RELEASE)
		str_addf(out, "released: %s", gate ? gate : "by a function");
	else if (h->text)
		str_addf(out, "%s: %s", timeline_word(h->what), h->text);
	else
		str_add(out, timeline_word(h->what));
}

static void instant(struct trace *tr, const struct happened *h, const struct run_thread *t)
{
	struct str name = {0};

	title(h, &name);
	trace_begin(tr, "i", str_text(&name), t);
	json_string(&tr->json, "s", "t");
	add_args(tr, h);
	trace_end(tr);
	str_fini(&name);
}

/* ---- slices --------------------------------------------------------------------------------- */

static void slice_end(struct trace *tr, const struct run_thread *t, bool *open)
{
	if (*open) {
		trace_begin(tr, "E", NULL, t);
		trace_end(tr);
	}
	*open = false;
}

static void life_begin(struct trace *tr, const struct run_thread *t)
{
	struct track *track = &tr->tracks.items[t->index];

	if (track->living)
		return;
	trace_begin(tr, "B", t->engine->id, t);
	json_object(&tr->json, "args");
	json_string(&tr->json, "start", t->engine->start);
	json_integer(&tr->json, "tid", t->engine->tid);
	json_end_object(&tr->json);
	trace_end(tr);
	track->living = true;
}

static void life_end(struct trace *tr, const struct run_thread *t)
{
	struct track *track = &tr->tracks.items[t->index];

	slice_end(tr, t, &track->held);
	slice_end(tr, t, &track->living);
}

static void hold_begin(struct trace *tr, const struct happened *h, const struct run_thread *t)
{
	struct track *track = &tr->tracks.items[t->index];
	struct str name = {0};

	slice_end(tr, t, &track->held); /* a signal took it away from where it was held */
	title(h, &name);
	trace_begin(tr, "B", str_text(&name), t);
	add_args(tr, h);
	trace_end(tr);
	track->held = true;
	str_fini(&name);
}

/* ---- flows ---------------------------------------------------------------------------------- */

static const struct happened *by_seq(const struct trace *tr, unsigned long seq)
{
	const struct timeline *tl = timeline_of(tr->run);

	return seq && seq <= tl->all.count ? &tl->all.items[seq - 1] : NULL;
}

static const struct happened *cause_of(const struct trace *tr, const struct happened *h)
{
	const struct happened *cause = by_seq(tr, h->caused_by);

	return h->what == HAPPENED_RELEASE && h->thread && cause && cause->thread ? cause : NULL;
}

static void find_arrows(struct trace *tr)
{
	const struct timeline *tl = timeline_of(tr->run);

	for (size_t i = 0; i < tl->all.count; i++) {
		const struct happened *cause = cause_of(tr, &tl->all.items[i]);
		struct arrows *from;

		*array_add(&tr->arrows) = (struct arrows){0};
		if (!cause)
			continue;
		from = &tr->arrows.items[cause->seq - 1];
		if (from->first)
			tr->arrows.items[from->last - 1].next = i + 1;
		else
			from->first = i + 1;
		from->last = i + 1;
	}
}

static void flow(struct trace *tr, const char *phase, unsigned long release,
		 const struct run_thread *t)
{
	trace_begin(tr, phase, "lets go", t);
	json_integer(&tr->json, "id", (long long)release);
	if (*phase == 'f')
		json_string(&tr->json, "bp", "e");
	trace_end(tr);
}

static void flows(struct trace *tr, const struct happened *h, const struct run_thread *t)
{
	if (cause_of(tr, h))
		flow(tr, "f", h->seq, t);
	for (unsigned long to = tr->arrows.items[h->seq - 1].first; to;
	     to = tr->arrows.items[to - 1].next)
		flow(tr, "s", to, t);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void write_event(struct trace *tr, const struct happened *h)
{
	const struct run_thread *t = h->thread ? threads_of(h->thread) : NULL;

	tr->now_ns = h->t_us * 1000 > tr->now_ns ? h->t_us * 1000 : tr->now_ns + STEP_NS;
	if (!t)
		return; /* a barrier has opened: the flow begins at the last to arrive */
	life_begin(tr, t);
	if (h->what == HAPPENED_HOLD)
		hold_begin(tr, h, t);
	if (h->what == HAPPENED_RELEASE)
		slice_end(tr, t, &tr->tracks.items[t->index].held);
	if (h->what != HAPPENED_HOLD)
		instant(tr, h, t);
	flows(tr, h, t);
	if (h->what == HAPPENED_THREAD_EXIT)
		life_end(tr, t);
}

static void write_end(struct trace *tr)
{
	uint64_t end_ns = timeline_of(tr->run)->end_us * 1000;

	tr->now_ns = end_ns > tr->now_ns ? end_ns : tr->now_ns + STEP_NS;
	array_each(struct run_thread *, t, &tr->run->threads)
		life_end(tr, *t);
}

static void write_other(struct trace *tr, const struct report_head *head)
{
	struct json *j = &tr->json;

	json_string(j, "displayTimeUnit", "ms");
	json_object(j, "otherData");
	json_string(j, "verdict", head->verdict);
	json_integer(j, "status", head->status);
	json_string(j, "message", head->message);
	json_string(j, "program", tr->run->options->argv[0]);
	json_end_object(j);
}

void report_trace(struct run *s, const struct report_head *head, struct str *out)
{
	struct trace tr = {.run = s};

	number_tracks(&tr);
	find_arrows(&tr);
	json_object(&tr.json, NULL);
	json_array(&tr.json, "traceEvents");
	name_tracks(&tr);
	array_each(const struct happened, h, &timeline_of(s)->all)
		write_event(&tr, h);
	write_end(&tr);
	json_end_array(&tr.json);
	write_other(&tr, head);
	json_end_object(&tr.json);
	str_add(&tr.json.out, "\n");
	*out = tr.json.out;
	array_fini(&tr.tracks);
	array_fini(&tr.arrows);
}
