#include "tracer/session/live/hooks.h"
#include "tracer/session/live/inside.h"
#include "tracer/session/report/report.h"
#include "tracer/session/stuck/stuck.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { QUIET_TICKS = 12 }; /* slow ticks, 20 ms each */

struct live *live_new(const struct session_options *o, struct symbols *symbols,
		      const struct live_ui *ui)
{
	struct live *l = base_alloc(1, sizeof(*l));

	l->options = *o;
	memset(&l->options.scripts, 0, sizeof(l->options.scripts));
	memset(&l->options.orders, 0, sizeof(l->options.orders));
	l->symbols = symbols;
	l->ui = ui;
	l->state = LIVE_ENDED;
	return l;
}

static void end_session(struct live *l)
{
	if (!l->began)
		return;
	live_forget_stops(&l->session);
	session_result_fini(&l->result);
	session_fini(&l->session);
	l->session = (struct session){0};
	l->began = false;
}

void live_free(struct live *l)
{
	if (!l)
		return;
	end_session(l);
	base_free(l);
}

enum live_state live_state(const struct live *l)
{
	return l->state;
}

int live_needs_program(const struct live *l, struct error *err)
{
	if (l->state != LIVE_ENDED)
		return 0;
	error_set(err, ERROR_USAGE, "the program is not running");
	return error_hint(err, "restart");
}

/* ---- halted and not ------------------------------------------------------------------------- */

static void release(struct session *s)
{
	s->halted = false;
	array_each(struct session_thread *, it, &s->threads) {
		struct session_thread *t = *it;

		if (!t->kept || t->parked || !t->target || (s->only && s->only != t))
			continue;
		t->kept = false;
		target_resume(s->target, t->target);
	}
}

/* What they do now is what is told of them; in a moment all of them are stopped. */
static void note_what_they_do(struct session *s)
{
	array_each(struct session_thread *, it, &s->threads) {
		struct session_thread *t = *it;

		t->is_judged = t->target && !t->engine->held && !t->kept;
		if (t->is_judged)
			target_look(t->target, &t->judged);
	}
}

/* Everything stops. A thread that stops at this moment for a reason of its own says so by an event
   that is taken up when the program goes on. */
static void look_around(struct live *l)
{
	struct session *s = &l->session;
	bool explained = l->state == LIVE_REST && s->explained;

	s->only = NULL;
	live_forget_stops(s);
	if (!explained)
		note_what_they_do(s);
	s->halted = true;
	target_halt(s->target);
	pages_forget(s);
	if (!explained)
		stuck_explain(s);
	s->explained = false;
	array_each(struct session_thread *, it, &s->threads) {
		(*it)->is_judged = false;
		if ((*it)->target && target_is_paused((*it)->target))
			(*it)->kept = true;
	}
}

static void ended(struct live *l)
{
	session_judge(&l->session, &l->result);
	l->state = LIVE_ENDED;
}

/* ---- start ---------------------------------------------------------------------------------- */

static int run_to_ready(struct live *l, struct error *err)
{
	struct session *s = &l->session;
	struct target_event ev;

	s->halted = true;
	while (!s->root_settled) {
		target_wait(s->target, &ev);
		session_turn(s, &ev);
		if (s->outcome.fault) {
			*err = s->fault;
			return -1;
		}
		if (ev.kind == TARGET_EMPTY)
			return error_set(err, ERROR_OBJECT,
					 "%s ended before its libraries were loaded",
					 s->options->argv[0]);
		if (s->root_settled)
			break;
		release(s);
		s->halted = true;
	}
	return 0;
}

int live_start(struct live *l, struct error *err)
{
	struct session *s = &l->session;

	end_session(l);
	l->state = LIVE_ENDED;
	l->began = true;
	s->options = &l->options;
	s->symbols = l->symbols;
	s->live = l;
	s->run_number = 1;
	if (session_prepare(s, err) < 0)
		return -1;
	s->has_places = s->loads_matter = true; /* places come later */
	if (session_launch(s, err) < 0 || run_to_ready(l, err) < 0) {
		end_session(l);
		return -1;
	}
	l->state = LIVE_READY;
	return 0;
}

/* ---- going ---------------------------------------------------------------------------------- */

static bool anybody_held(const struct session *s)
{
	array_each(struct session_thread *, it, &s->threads)
		if ((*it)->target && ((*it)->engine->held || (*it)->parked))
			return true;
	return false;
}

/* The terminal has sent Ctrl-C to the program, too. It is dropped there, and whoever was roused by it
   goes back to what it did before: that is what is to be seen. */
static bool is_roused(const struct live *l)
{
	struct target_block b;

	array_each(struct session_process *, p, &l->session.processes)
		if ((*p)->target && target_is_pending((*p)->target, SIGINT))
			return true;
	if (!l->roused || !l->roused->target)
		return false;
	target_look(l->roused->target, &b);
	return b.activity == TARGET_ACTIVE;
}

static bool is_look_due(struct live *l, const struct target_event *ev)
{
	enum { SOON = 2, LATEST = 12 }; /* ticks; whoever computes does not get to rest */

	if (ev->kind == TARGET_INTERRUPT)
		l->is_asked = true;
	if (!l->is_asked || ev->kind != TARGET_TICK)
		return false;
	l->asked_ticks++;
	return l->asked_ticks >= LATEST || (l->asked_ticks >= SOON && !is_roused(l));
}

/* Somebody is held, and for a while nothing has happened: neither here nor at the terminal, where
   somebody may be typing what the program waits for. */
static bool is_quiet(struct session *s, const struct target_event *ev)
{
	if (ev->kind != TARGET_TICK || s->events || s->quiet_ticks == 0 || !anybody_held(s))
		return false;
	if (live_reads_terminal(s))
		s->quiet_ticks = 0;
	return s->quiet_ticks >= QUIET_TICKS;
}

static bool anybody_lives(const struct session *s)
{
	array_each(struct session_thread *, it, &s->threads)
		if ((*it)->target)
			return true;
	return false;
}

/* False: on and on. */
static bool is_to_look(struct live *l, const struct target_event *ev)
{
	struct session *s = &l->session;

	if (ev->kind == TARGET_EMPTY)
		l->state = LIVE_ENDED;
	else if (s->over)
		return false;
	else if (l->came)
		l->state = LIVE_THERE;
	else if (l->sent.thread && !l->sent.thread->target && anybody_lives(s))
		l->state = LIVE_GONE;
	else if (is_look_due(l, ev))
		l->state = LIVE_LOOK;
	else if (s->rest != WAITS_MOVING)
		l->state = LIVE_REST;
	else if (!l->is_asked && is_quiet(s, ev))
		l->state = LIVE_QUIET;
	else
		return false;
	return true;
}

enum live_state live_go(struct live *l)
{
	struct session *s = &l->session;
	struct target_event ev;
	int ending;

	if (l->state == LIVE_ENDED)
		return l->state;
	l->came = NULL;
	l->is_asked = false;
	l->asked_ticks = 0;
	l->roused = NULL;
	s->rest = WAITS_MOVING;
	s->explained = false;
	s->quiet_ticks = 0;
	s->doubt_us = 0;
	s->events = 1;
	release(s);
	do {
		target_wait(s->target, &ev);
		session_turn(s, &ev);
	} while (!is_to_look(l, &ev));
	if (l->state == LIVE_ENDED)
		ended(l);
	else
		look_around(l);
	ending = target_forget_interrupt(); /* too late to be an event */
	if (ending)
		l->result.interrupted = ending;
	return l->state;
}

void live_came(struct session *s, struct session_thread *t)
{
	s->live->came = t;
	s->halted = true;
}

/* Ctrl-C is a wish to look: the terminal sends it to its foreground group, that is us and the program,
   or the program alone where it has a group of its own. */
bool live_drops_signal(struct session_thread *t, int signal)
{
	struct live *l = t->process->session->live;

	if (signal != SIGINT || !target_signal_of_kernel(t->target))
		return false;
	if (getpgid(t->process->pid) != getpgrp())
		l->is_asked = true;
	l->roused = t;
	return true;
}

bool live_owns_group(const struct live *l, pid_t group)
{
	array_each(struct session_process *, p, &l->session.processes)
		if ((*p)->target && getpgid((*p)->pid) == group)
			return true;
	return false;
}

/* Unless the location says it already. */
static void add_position(const struct happened *h, struct str *out)
{
	struct str here = {0};

	str_addf(&here, "%s:%u", str_base_name(h->file), h->line);
	if (!h->place || !strstr(h->place->location, str_text(&here)))
		str_addf(out, " (%s)", str_text(&here));
	str_fini(&here);
}

/* Job control and the like is every day's. */
static bool is_of_interest(const char *signal)
{
	static const char *const daily[] = {"TSTP", "CONT", "WINCH", "CHLD", "TTIN", "TTOU"};

	for (size_t i = 0; signal && i < sizeof(daily) / sizeof(*daily); i++)
		if (strcmp(signal, daily[i]) == 0)
			return false;
	return true;
}

void live_tell(struct live *l, const struct happened *h)
{
	const struct session_options *o = &l->options;
	bool tells = o->verbose || h->what == HAPPENED_HOLD || h->what == HAPPENED_OPEN ||
		     h->what == HAPPENED_FORK || h->what == HAPPENED_EXEC ||
		     (h->what == HAPPENED_SIGNAL && is_of_interest(h->text));
	struct str line = {0};

	if (!tells || o->quiet || !l->ui->line)
		return;
	timeline_line(h, &line);
	if (h->file && h->line && h->what == HAPPENED_HOLD)
		add_position(h, &line);
	l->ui->line(l->ui->ctx, str_text(&line));
	str_fini(&line);
}

int live_verdict(struct live *l, struct str *out)
{
	const struct outcome *o = &l->session.outcome;

	if (l->result.text.length)
		str_add(out, str_text(&l->result.text));
	else if (o->exited)
		str_addf(out, "the program has exited with status %d\n", o->exit);
	else if (o->signaled)
		str_addf(out, "the program was ended by SIG%s\n",
			 sigabbrev_np(o->signal) ? sigabbrev_np(o->signal) : "?");
	return l->result.status;
}

int live_interrupted(const struct live *l)
{
	return l->result.interrupted;
}

/* ---- scripts -------------------------------------------------------------------------------- */

static size_t places_so_far(const struct live *l)
{
	size_t n = 0;

	while (engine_place_at(l->session.engine, n))
		n++;
	return n;
}

/* What is made from here on. */
static struct live_made begin_to_make(const struct live *l)
{
	return (struct live_made){.place = places_so_far(l),
				  .order = engine_order_count(l->session.engine)};
}

static void count_what_was_made(const struct live *l, struct live_made *made)
{
	made->places = places_so_far(l) - made->place;
	made->orders = engine_order_count(l->session.engine) - made->order;
}

static int add_places(struct live *l, struct live_made *made, struct error *err)
{
	struct session *s = &l->session;
	int failed =
		engine_orders_finish(s->engine, err) < 0 || places_add(s, made->place, err) < 0;

	count_what_was_made(l, made);
	if (failed) {
		live_drop(l, made);
		return -1;
	}
	apply_decisions(s);
	return 0;
}

int live_load(struct live *l, const char *path, struct live_made *made, struct error *err)
{
	if (live_needs_program(l, err) < 0)
		return -1;
	*made = begin_to_make(l);
	if (script_load_open(l->session.script, path, err) < 0) {
		count_what_was_made(l, made);
		live_drop(l, made);
		return -1;
	}
	return add_places(l, made, err);
}

/* The program has ended, what Lua knows of the run is still there: only places need a program. */
static int line_behind_the_end(struct live *l, struct live_made *made, struct error *err)
{
	count_what_was_made(l, made);
	if (!made->places && !made->orders)
		return 0;
	live_drop(l, made);
	live_needs_program(l, err);
	return LIVE_NEEDS_PROGRAM;
}

int live_line(struct live *l, const char *text, const char *name, struct str *out,
	      struct live_made *made, struct error *err)
{
	struct live_made here;
	int failed;

	if (!l->began)
		return live_needs_program(l, err);
	here = begin_to_make(l);
	failed = script_line(l->session.script, name, text, out, err);
	if (failed) {
		count_what_was_made(l, &here);
		live_drop(l, &here);
	} else if (l->state == LIVE_ENDED) {
		failed = line_behind_the_end(l, &here, err);
	} else {
		failed = add_places(l, &here, err);
	}
	if (made)
		*made = here;
	return failed;
}

/* A place that was made in vain has no sites yet, or some. */
void live_drop(struct live *l, const struct live_made *made)
{
	struct engine *e = l->session.engine;

	for (size_t i = made->place; i - made->place < made->places; i++) {
		struct place *place = engine_place_at(e, i);

		if (!place->user)
			place->user = base_alloc(1, sizeof(struct session_place));
		if (!place->from_order)
			engine_drop(e, place);
	}
	engine_drop_orders(e, made->order, made->orders);
	apply_decisions(&l->session);
}

/* ---- by hand -------------------------------------------------------------------------------- */

struct session_thread *live_thread(struct live *l, const char *name, struct error *err)
{
	char *end;
	unsigned long number = strtoul(name, &end, 10);

	if (live_needs_program(l, err) < 0)
		return NULL;
	if (*name && !*end && number >= 1 && number <= l->session.threads.count)
		return l->session.threads.items[number - 1];
	array_each(struct session_thread *, it, &l->session.threads)
		if (strcmp((*it)->engine->id, name) == 0)
			return *it;
	error_set(err, ERROR_USAGE, "there is no thread '%s'", name);
	error_hint(err, "`threads` lists them");
	return NULL;
}

struct session_thread *live_living(struct live *l, const char *name, struct error *err)
{
	struct session_thread *t = live_thread(l, name, err);

	if (!t || t->target)
		return t;
	error_set(err, ERROR_USAGE, "%s has exited", t->engine->id);
	return NULL;
}

int live_open(struct live *l, const char *gate, struct error *err)
{
	struct gate *g;

	if (live_needs_program(l, err) < 0)
		return -1;
	for (size_t i = 0; (g = engine_gate_at(l->session.engine, i)); i++) {
		if (g->left_out || strcmp(g->name, gate) != 0)
			continue;
		engine_open(l->session.engine, g, NULL);
		apply_decisions(&l->session);
		return 0;
	}
	error_set(err, ERROR_USAGE, "there is no gate '%s'", gate);
	return error_hint(err, "`gates` lists them");
}

const char *live_open_gate(const struct live *l, size_t i)
{
	const struct gate *g;

	for (size_t k = 0; l->began && (g = engine_gate_at(l->session.engine, k)); k++)
		if (g->is_open && !g->left_out && i-- == 0)
			return g->name;
	return NULL;
}

int live_hold(struct live *l, const char *thread, struct error *err)
{
	struct session_thread *t = live_living(l, thread, err);

	if (!t)
		return -1;
	t->parked = true;
	return 0;
}

int live_release(struct live *l, const char *thread, struct error *err)
{
	struct session_thread *t = live_living(l, thread, err);

	if (!t)
		return -1;
	t->parked = false;
	if (!t->engine->held)
		return 0;
	if (engine_let(l->session.engine, t->engine) < 0) {
		error_set(err, ERROR_USAGE, "%s is in a :run function, which alone can let it go",
			  t->engine->id);
		return error_hint(err, "`drop` the line of `gates` that has it");
	}
	apply_decisions(&l->session);
	return 1;
}

int live_only(struct live *l, const char *thread, struct error *err)
{
	struct session_thread *t = live_living(l, thread, err);
	int passes = t ? live_release(l, thread, err) : -1;

	if (passes >= 0)
		l->session.only = t;
	return passes;
}

const char *live_id(struct live *l, const char *thread)
{
	struct error ignored;
	struct session_thread *t = live_thread(l, thread, &ignored);

	return t ? t->engine->id : thread;
}
