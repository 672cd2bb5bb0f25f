/* --report FILE.json: the same facts as the words, for programs. */
#include "tracer/base/json.h"
#include "tracer/session/internal.h"

#include <string.h>

static void gates(struct session *s, struct json *j)
{
	const struct gate *g;

	json_array(j, "gates");
	for (size_t i = 0; (g = engine_gate_at(s->engine, i)); i++) {
		json_object(j, NULL);
		json_string(j, "name", g->name);
		json_string(j, "kind", g->type);
		json_bool(j, "open", g->is_open);
		json_number(j, "held_max_ms", i < s->held_max.count ? s->held_max.items[i] : 0);
		json_end_object(j);
	}
	json_end_array(j);
}

static void places(struct session *s, struct json *j)
{
	const struct place *p;

	json_array(j, "places");
	for (size_t i = 0; (p = engine_place_at(s->engine, i)); i++) {
		const struct session_place *sp = p->user;

		if (p->companion_of)
			continue; /* the end of another place's statement */
		json_object(j, NULL);
		json_string(j, "location", p->location);
		json_string(j, "source", p->source);
		json_integer(j, "sites", sp ? (long long)sp->sites : 0);
		json_integer(j, "arrivals", (long long)p->arrivals);
		json_bool(j, "required", !p->optional);
		json_bool(j, "reached", place_reached(p));
		json_end_object(j);
	}
	json_end_array(j);
}

static void threads(struct session *s, struct json *j)
{
	json_array(j, "threads");
	array_each(struct session_thread *, it, &s->threads) {
		const struct session_thread *t = *it;
		struct str why = {0};

		json_object(j, NULL);
		json_string(j, "id", t->engine->id);
		json_string(j, "start", t->engine->start);
		json_string(j, "name", t->comm);
		json_integer(j, "tid", t->engine->tid);
		json_integer(j, "pid", t->process->pid);
		json_string(j, "state", t->state);
		waiting_sentence(t, &why);
		json_string(j, "why", str_text(&why) + strlen(t->engine->id) + 1);
		str_fini(&why);
		json_end_object(j);
	}
	json_end_array(j);
}

static void events(struct session *s, struct json *j)
{
	json_array(j, "events");
	array_each(const struct happened, h, &s->timeline.all) {
		json_object(j, NULL);
		json_integer(j, "seq", (long long)h->seq);
		json_integer(j, "t_us", (long long)h->t_us);
		json_string(j, "thread", h->thread ? h->thread->id : NULL);
		json_string(j, "what", timeline_word(h->what));
		json_string(j, "place", h->place ? h->place->location : NULL);
		json_string(j, "gate", h->gate ? h->gate->name : NULL);
		if (h->text)
			json_string(j, "text", h->text);
		json_end_object(j);
	}
	json_end_array(j);
	if (s->timeline.seq > s->timeline.all.count)
		json_integer(j, "events_dropped",
			     (long long)(s->timeline.seq - s->timeline.all.count));
}

static void report(struct session *s, const char *verdict, int status, const char *message,
		   struct str *out)
{
	struct json j = {0};

	json_object(&j, NULL);
	json_string(&j, "verdict", verdict);
	json_integer(&j, "status", status);
	if (message)
		json_string(&j, "error", message);
	json_string(&j, "program", s->options->argv[0]);
	json_array(&j, "command");
	for (char *const *arg = s->options->argv; *arg; arg++)
		json_string(&j, NULL, *arg);
	json_end_array(&j);
	json_integer(&j, "runs", (long long)s->run_number);
	gates(s, &j);
	places(s, &j);
	threads(s, &j);
	events(s, &j);
	json_end_object(&j);
	str_add(&j.out, "\n");
	*out = j.out;
}

void report_json(struct session *s, enum verdict v, int status, struct str *out)
{
	report(s, s->interrupted ? "interrupted" : verdict_word(v), status,
	       v == VERDICT_ERROR ? s->fault.text : NULL, out);
}

/* There was no run to give a verdict on. */
void report_error(struct session *s, const struct error *err, struct str *out)
{
	report(s, err->code == ERROR_CANNOT_TRACE ? "cannot-trace" : "error",
	       session_error_status(err->code), err->text, out);
}
