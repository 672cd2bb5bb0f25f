/* Chrome's trace format (--report FILE.trace.json), for Perfetto. A thread is a track: its life is
 * a slice with a slice for each hold, other events are instants, a flow leads from an open to its
 * releases. Events of one microsecond get distinct times, so that slices nest. */
#include "tracer/run/threads/threads.h"
#include "tracer/features/timeline/timeline.h"
#include "tracer/features/report/report.h"

#include "tracer/base/files/path.h"

#include <inttypes.h>
#include <string.h>

enum { STEP_NS = 10 };

struct track {
	size_t process;	     /* number of the process's first thread */
	bool is_alive, held; /* slices that are open */
};

/* An event's flows: `first` and `last` release that it caused, by seq; for a release, the `next`
 * one with the same cause. 0: none. */
struct flows {
	unsigned long first, last, next;
};

struct trace {
	struct run *run;
	struct json json;
	uint64_t now_ns;
	ARRAY(struct track) tracks; /* by index of the thread */
	ARRAY(struct flows) flows;  /* by index of the event */
};

/* Tracks are numbered by threads, from 1, because the kernel may reuse its ids. */
static void number_tracks(struct trace *tr)
{
	run_each_thread(t, tr->run) {
		size_t first = 0;

		while (run_process_of(run_thread_at(tr->run, first)) != run_process_of(t))
			first++;
		array_add(&tr->tracks)->process = first + 1;
	}
}

static void advance_time(struct trace *tr, uint64_t us)
{
	tr->now_ns = us * 1000 > tr->now_ns ? us * 1000 : tr->now_ns + STEP_NS;
}

/* Begins an event; the caller ends it with json_end_object(). */
static struct json *event_begin(struct trace *tr, const char *phase, const char *name,
				const struct run_thread *t)
{
	struct json *j = &tr->json;

	json_object(j, NULL);
	json_string(j, "ph", phase);
	if (name) {
		json_string(j, "name", name);
		json_string(j, "cat", "gatectl");
	}
	json_integer(j, "pid", (long long)tr->tracks.items[run_thread_index(t)].process);
	json_integer(j, "tid", (long long)run_thread_index(t) + 1);
	str_addf(&j->out, ",\"ts\":%" PRIu64 ".%03u", tr->now_ns / 1000,
		 (unsigned)(tr->now_ns % 1000));
	return j;
}

/* ---- names of tracks ------------------------------------------------------------------------ */

/* `what` is "process" or "thread". */
static void name_track(struct trace *tr, const char *what, const char *name,
		       const struct run_thread *t)
{
	struct str key = {0};

	for (int sorts = 0; sorts <= 1; sorts++) {
		struct json *j;

		str_clear(&key);
		str_addf(&key, "%s_%s", what, sorts ? "sort_index" : "name");
		j = event_begin(tr, "M", str_text(&key), t);
		json_object(j, "args");
		if (sorts)
			json_integer(j, "sort_index", (long long)run_thread_index(t) + 1);
		else
			json_string(j, "name", name);
		json_end_object(j);
		json_end_object(j);
	}
	str_fini(&key);
}

static void name_process(struct trace *tr, const char *program, const struct run_thread *first)
{
	const struct run_process *p = run_process_of(first);
	struct str name = {0};

	if (*run_process_prefix(p))
		str_addf(&name, "%.*s ", (int)strlen(run_process_prefix(p)) - 1,
			 run_process_prefix(p));
	str_addf(&name, "%s (pid %d)", program, run_process_pid(p));
	name_track(tr, "process", str_text(&name), first);
	str_fini(&name);
}

/* A thread that has not set its name has the program's name, which is not shown. */
static void name_thread(struct trace *tr, const char *program, const struct run_thread *t)
{
	struct str name = {0};

	str_add(&name, run_thread_id(t));
	if (*run_thread_name(t) &&
	    strncmp(run_thread_name(t), program, strlen(run_thread_name(t))) != 0)
		str_addf(&name, " (%s)", run_thread_name(t));
	name_track(tr, "thread", str_text(&name), t);
	str_fini(&name);
}

static void name_tracks(struct trace *tr)
{
	const char *program = str_base_name(run_options(tr->run)->argv[0]);

	run_each_thread(t, tr->run) {
		if (tr->tracks.items[run_thread_index(t)].process == run_thread_index(t) + 1)
			name_process(tr, program, t);
		name_thread(tr, program, t);
	}
}

/* ---- slices and instants -------------------------------------------------------------------- */

static void add_args(const struct happened *h, struct json *j)
{
	struct str at = {0};

	json_object(j, "args");
	json_integer(j, "seq", (long long)h->seq);
	if (h->place)
		json_string(j, "place", h->place->location);
	if (h->gate)
		json_string(j, "gate", h->gate->name);
	if (h->file && h->line) {
		str_addf(&at, "%s:%u", path_shown(h->file), h->line);
		json_string(j, "source", str_text(&at));
	}
	if (h->func)
		json_string(j, "function", h->func);
	if (h->text)
		json_string(j, "text", h->text);
	json_end_object(j);
	str_fini(&at);
}

static void add_title(const struct happened *h, struct str *out)
{
	const char *gate = h->gate ? h->gate->name : NULL;

	if (h->what == HAPPENED_HOLD)
		str_addf(out, "held: %s", gate ? gate : "by a function");
	else if (h->what == HAPPENED_ARRIVAL && h->place)
		str_addf(out, "arrives: %s", h->place->location);
	else if (h->what == HAPPENED_OPEN && gate)
		str_addf(out, "opens %s", gate);
	else if (h->what == HAPPENED_RELEASE)
		str_addf(out, "released: %s", gate ? gate : "by a function");
	else if (h->text)
		str_addf(out, "%s: %s", timeline_word(h->what), h->text);
	else
		str_add(out, timeline_word(h->what));
}

/* `phase` is "B" for the begin of a slice, or "i" for an instant. */
static void add_event(struct trace *tr, const char *phase, const struct happened *h,
		      const struct run_thread *t)
{
	struct str name = {0};
	struct json *j;

	add_title(h, &name);
	j = event_begin(tr, phase, str_text(&name), t);
	if (*phase == 'i')
		json_string(j, "s", "t");
	add_args(h, j);
	json_end_object(j);
	str_fini(&name);
}

static void end_slice(struct trace *tr, const struct run_thread *t, bool *open)
{
	if (*open)
		json_end_object(event_begin(tr, "E", NULL, t));
	*open = false;
}

static void begin_life(struct trace *tr, const struct run_thread *t, struct track *track)
{
	struct json *j;

	if (track->is_alive)
		return;
	track->is_alive = true;
	j = event_begin(tr, "B", run_thread_id(t), t);
	json_object(j, "args");
	json_string(j, "start", run_thread_engine(t)->start);
	json_integer(j, "tid", run_thread_engine(t)->tid);
	json_end_object(j);
	json_end_object(j);
}

static void end_life(struct trace *tr, const struct run_thread *t, struct track *track)
{
	end_slice(tr, t, &track->held);
	end_slice(tr, t, &track->is_alive);
}

/* ---- flows ---------------------------------------------------------------------------------- */

static const struct happened *cause_of(const struct timeline *tl, const struct happened *h)
{
	const struct happened *cause = NULL;

	if (h->what == HAPPENED_RELEASE && h->thread && h->caused_by &&
	    h->caused_by <= tl->all.count)
		cause = &tl->all.items[h->caused_by - 1];
	return cause && cause->thread ? cause : NULL;
}

static void find_flows(struct trace *tr)
{
	const struct timeline *tl = timeline_of(tr->run);

	array_each(const struct happened, h, &tl->all) {
		const struct happened *cause = cause_of(tl, h);
		struct flows *from;

		(void)array_add(&tr->flows);
		if (!cause)
			continue;
		from = &tr->flows.items[cause->seq - 1];
		if (from->first)
			tr->flows.items[from->last - 1].next = h->seq;
		else
			from->first = h->seq;
		from->last = h->seq;
	}
}

static void add_flow(struct trace *tr, const char *phase, unsigned long release,
		     const struct run_thread *t)
{
	struct json *j = event_begin(tr, phase, "lets go", t);

	json_integer(j, "id", (long long)release);
	if (*phase == 'f')
		json_string(j, "bp", "e");
	json_end_object(j);
}

static void add_flows(struct trace *tr, const struct happened *h, const struct run_thread *t)
{
	unsigned long to = tr->flows.items[h->seq - 1].first;

	if (cause_of(timeline_of(tr->run), h))
		add_flow(tr, "f", h->seq, t);
	for (; to; to = tr->flows.items[to - 1].next)
		add_flow(tr, "s", to, t);
}

/* ---- the trace --------------------------------------------------------------------------- */

static void write_event(struct trace *tr, const struct happened *h)
{
	const struct run_thread *t = h->thread ? threads_of(h->thread) : NULL;
	struct track *track;

	advance_time(tr, h->t_us);
	if (!t)
		return; /* a barrier has opened: the flow begins at the last arrival */
	track = &tr->tracks.items[run_thread_index(t)];
	begin_life(tr, t, track);
	/* A second hold without a release: a signal took the thread from its place. */
	if (h->what == HAPPENED_HOLD || h->what == HAPPENED_RELEASE)
		end_slice(tr, t, &track->held);
	track->held |= h->what == HAPPENED_HOLD;
	add_event(tr, h->what == HAPPENED_HOLD ? "B" : "i", h, t);
	add_flows(tr, h, t);
	if (h->what == HAPPENED_THREAD_EXIT)
		end_life(tr, t, track);
}

void report_trace(struct run *s, const struct report_head *head, struct str *out)
{
	const struct timeline *tl = timeline_of(s);
	struct trace tr = {.run = s};
	struct json *j = &tr.json;

	number_tracks(&tr);
	find_flows(&tr);
	json_object(j, NULL);
	json_array(j, "traceEvents");
	name_tracks(&tr);
	array_each(const struct happened, h, &tl->all)
		write_event(&tr, h);
	advance_time(&tr, timeline_elapsed_us(s));
	run_each_thread(t, s)
		end_life(&tr, t, &tr.tracks.items[run_thread_index(t)]);
	json_end_array(j);
	json_string(j, "displayTimeUnit", "ms");
	json_object(j, "otherData");
	json_string(j, "verdict", head->verdict);
	json_integer(j, "status", head->status);
	json_string(j, "message", head->message);
	json_string(j, "program", run_options(s)->argv[0]);
	json_end_object(j);
	json_end_object(j);
	str_addf(out, "%s\n", str_text(&j->out));
	json_fini(j);
	array_fini(&tr.tracks);
	array_fini(&tr.flows);
}
