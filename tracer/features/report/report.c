/* Reports of a run (--report FILE): the record, and its JSON and JUnit forms. */
#include "tracer/features/timeline/timeline.h"
#include "tracer/features/waiting/waiting.h"
#include "tracer/base/signame.h"
#include "tracer/scripts/scripts.h"
#include "tracer/features/report/report.h"
#include "tracer/run/places/places.h"

#include <string.h>

/* ---- the record ----------------------------------------------------------------------------- */

static void gates(struct run *s, struct json *j)
{
	const struct gate *g;

	json_array(j, "gates");
	for (size_t i = 0; (g = engine_gate_at(run_engine(s), i)); i++) {
		json_object(j, NULL);
		json_string(j, "name", g->given);
		json_string(j, "kind", g->type);
		json_bool(j, "open", g->is_open);
		json_number(j, "held_max_ms", run_held_max_ms(s, g));
		json_end_object(j);
	}
	json_end_array(j);
}

static void trap(struct run *s, const struct place *p, struct json *j)
{
	struct str why = {0};

	json_string(j, "trap", inside_reason(s, p, &why) ? str_text(&why) : NULL);
	str_fini(&why);
}

static void places(struct run *s, struct json *j)
{
	const struct place *p;

	json_array(j, "places");
	for (size_t i = 0; (p = engine_place_at(run_engine(s), i)); i++) {
		const struct run_place *sp = p->user;

		if (p->companion_of)
			continue; /* the end of another place's statement */
		json_object(j, NULL);
		json_string(j, "location", p->location);
		json_string(j, "source", p->source);
		json_integer(j, "sites", sp ? (long long)run_place_sites(sp) : 0);
		json_integer(j, "arrivals", (long long)p->arrivals);
		json_bool(j, "required", !p->optional);
		json_bool(j, "reached", place_reached(p));
		trap(s, p, j);
		json_end_object(j);
	}
	json_end_array(j);
}

static void report_line_of(struct json *j, const char *file, unsigned line, const char *func)
{
	json_string(j, "file", file);
	if (file && line)
		json_integer(j, "line", line);
	else
		json_string(j, "line", NULL);
	json_string(j, "func", func);
}

/* Adds the wait or activity of the thread at the end of the run; null if it had exited. */
static void waiting(const struct run_thread *t, struct json *j)
{
	const struct waiting *w = waiting_of(t);

	if (w->kind == WAITING_GONE) {
		json_string(j, "waiting", NULL);
		return;
	}
	json_object(j, "waiting");
	json_string(j, "kind", waiting_word(w->kind));
	json_string(j, "object", w->object);
	json_array(j, "on");
	array_each(const struct engine_thread *, on, &w->on)
		json_string(j, NULL, (*on)->id);
	json_end_array(j);
	json_string(j, "text", str_text(&w->text));
	json_string(j, "place",
		    w->held && run_thread_hold(t)->place ? run_thread_hold(t)->place->location
							 : NULL);
	report_line_of(j, w->file, w->line, w->func);
	json_string(j, "around", str_text(&w->around));
	if (w->taken_file && w->taken_line) {
		json_string(j, "taken_file", w->taken_file);
		json_integer(j, "taken_line", w->taken_line);
	}
	json_bool(j, "held", w->held);
	json_bool(j, "in_cycle", w->in_cycle);
	json_end_object(j);
}

static void threads(struct run *s, struct json *j)
{
	json_array(j, "threads");
	run_each_thread(t, s) {
		struct str why = {0};

		json_object(j, NULL);
		json_string(j, "id", run_thread_id(t));
		json_string(j, "start", run_thread_engine(t)->start);
		json_string(j, "name", run_thread_name(t));
		json_integer(j, "tid", run_thread_engine(t)->tid);
		json_integer(j, "pid", run_process_pid(run_process_of(t)));
		json_string(j, "state", run_thread_state(t));
		json_string(j, "runs", trampoline_of(t)->runs);
		waiting_says(t, &why);
		json_string(j, "why", str_text(&why));
		str_fini(&why);
		waiting(t, j);
		json_end_object(j);
	}
	json_end_array(j);
}

static void event(const struct happened *h, struct json *j)
{
	json_object(j, NULL);
	json_integer(j, "seq", (long long)h->seq);
	json_integer(j, "t_us", (long long)h->t_us);
	json_string(j, "thread", h->thread ? h->thread->id : NULL);
	json_string(j, "what", timeline_word(h->what));
	json_string(j, "place", h->place ? h->place->location : NULL);
	json_string(j, "gate", h->gate ? h->gate->name : NULL);
	report_line_of(j, h->file, h->line, h->func);
	if (h->caused_by)
		json_integer(j, "caused_by", (long long)h->caused_by);
	if (h->text)
		json_string(j, "text", h->text);
	if (h->what == HAPPENED_PASSED)
		json_integer(j, "times", (long long)h->times);
	json_end_object(j);
}

static void events(struct run *s, struct json *j)
{
	json_array(j, "events");
	array_each(const struct happened, h, &timeline_of(s)->all)
		event(h, j);
	json_end_array(j);
	if (timeline_of(s)->seq > timeline_of(s)->all.count)
		json_integer(j, "events_dropped",
			     (long long)(timeline_of(s)->seq - timeline_of(s)->all.count));
}

void report_record(struct run *s, const struct report_head *head, struct json *j)
{
	json_string(j, "verdict", head->verdict);
	json_integer(j, "status", head->status);
	json_string(j, "message", head->message);
	if (head->error)
		json_string(j, "error", head->error);
	if (*head->note)
		json_string(j, "note", head->note);
	json_string(j, "program", run_options(s)->argv[0]);
	json_array(j, "command");
	for (char *const *arg = given_argv(s); *arg; arg++)
		json_string(j, NULL, *arg);
	json_end_array(j);
	json_integer(j, "runs", (long long)run_number(s));
	json_integer(j, "duration_us", (long long)timeline_elapsed_us(s));
	gates(s, j);
	places(s, j);
	threads(s, j);
	observe(record, s, j);
	events(s, j);
}

void report_json(struct run *s, const struct report_head *head, struct str *out)
{
	struct json j = {0};

	json_object(&j, NULL);
	report_record(s, head, &j);
	json_end_object(&j);
	str_add(&j.out, "\n");
	*out = j.out;
}

/* ---- JUnit ---------------------------------------------------------------------------------- */

/* The test is named after its scripts and orders, or after the program if it has none. */
static void add_test_name(const struct run *s, struct str *out)
{
	const struct run_options *o = run_options(s);

	array_each(const char *, script, &o->scripts)
		str_addf(out, "%s%s", out->length ? ", " : "", str_base_name(*script));
	array_each(const char *, order, &o->orders)
		str_addf(out, "%s%s", out->length ? ", " : "", *order);
	if (!out->length)
		str_add(out, str_base_name(o->argv[0]));
	if (o->repeat > 1)
		str_addf(out, " (run %lu of %lu)", run_number(s), o->repeat);
}

/* A verdict on the program is a failure; an obstacle to a verdict is an error. */
static enum report_case report_case_of(const struct report_head *head)
{
	if (head->status == 0)
		return CASE_PASSED;
	if (head->status == RUN_SKIPPED && strcmp(head->verdict, "cannot-trace") == 0)
		return CASE_SKIPPED;
	if (head->error || strcmp(head->verdict, "interrupted") == 0)
		return CASE_ERROR;
	return CASE_FAILED;
}

/* Adds the first line of the message without "gatectl: WORD: ", because WORD is the type. */
static void add_first_line(const struct report_head *head, struct str *out)
{
	const char *text = head->message;
	size_t word = strlen(head->verdict);

	if (strcmp(head->verdict, "ok") == 0) {
		str_addf(out, "the program ended with status %d", head->status);
		return;
	}
	if (strcmp(head->verdict, "interrupted") == 0) {
		str_addf(out, "ended by SIG%s", signame_text(head->status - 128));
		return;
	}
	if (strncmp(text, "gatectl: ", 9) == 0 && strncmp(text + 9, head->verdict, word) == 0)
		text += 9 + word + strspn(text + 9 + word, ": ");
	str_add_bytes(out, text, strcspn(text, "\n"));
}

static enum report_case report_junit(struct run *s, const struct report_head *head, struct str *out)
{
	const struct str *written = run_outcome(s)->stderr_text;
	struct str name = {0}, first = {0}, errors = {0};
	struct report_test test = {
		.class_name = str_base_name(run_options(s)->argv[0]),
		.seconds = (double)timeline_of(s)->end_us / 1e6,
		.outcome = report_case_of(head),
		.type = strcmp(head->verdict, "ok") == 0 ? "status" : head->verdict,
		.text = head->message,
		.out = run_outcome(s)->stdout_text,
		.err = &errors,
	};

	add_test_name(s, &name);
	add_first_line(head, &first);
	if (written)
		str_add_bytes(&errors, str_text(written), written->length);
	str_addf(&errors, "%s%s", head->note, head->message);
	test.name = str_text(&name);
	test.message = str_text(&first);
	report_test_print(&test, out);
	str_fini(&name);
	str_fini(&first);
	str_fini(&errors);
	return test.outcome;
}

/* ---- requested reports ------------------------------------------------------------------- */

static bool is_asked(const struct run *s, enum report_kind kind)
{
	array_each(const char *, path, &run_options(s)->reports)
		if (report_kind_of(*path) == kind)
			return true;
	return false;
}

void report_print(struct run *s, const struct report_head *head, struct str *reports)
{
#define REPORT_PRINTED(kind, name)                                                                 \
	if (is_asked(s, REPORT_##kind))                                                            \
		report_##name(s, head, &reports[REPORT_##kind]);
	REPORT_RUN_FORMATS(REPORT_PRINTED)
}

static void report_write_all(struct run *s, const struct report_head *head, struct run_result *out)
{
	timeline_end(s);
	out->seconds = (double)timeline_of(s)->end_us / 1e6;
	report_print(s, head, out->reports);
	if (is_asked(s, REPORT_JUNIT))
		out->testcase = report_junit(s, head, &out->reports[REPORT_JUNIT]);
}

void report_run(struct run *s, struct run_result *out)
{
	const struct report_head head = {
		.verdict = run_interrupted(s) ? "interrupted" : verdict_word(out->verdict),
		.status = out->status,
		.error = out->verdict == VERDICT_ERROR ? error_text(run_error(s)) : NULL,
		.message = str_text(&out->text),
		.note = str_text(&out->note),
	};

	report_write_all(s, &head, out);
}

static void report_error(struct run *s, struct run_result *out, const struct error *err)
{
	struct str message = {0};
	struct report_head head;

	if (!err)
		return;
	head = (struct report_head){
		.verdict = run_error_word(err->code),
		.status = run_error_status(run_options(s), err->code),
		/* A failure reported by a script is not an error of gatectl. */
		.error = err->code == ERROR_FAILED ? NULL : error_text(err),
		.note = "",
	};

	str_addf(&message, "gatectl: %s: %s\n", head.verdict, error_text(err));
	if (err->hint)
		str_addf(&message, "try: %s\n", err->hint);
	head.message = str_text(&message);
	report_write_all(s, &head, out);
	str_fini(&message);
}

extern const struct observer report_observer;
const struct observer report_observer = {
	.slow_tick = report_slow_tick,
	.judged = report_error,
};
