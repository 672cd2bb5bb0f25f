/* What there is to see of a program that rests. */
#include "tracer/session/explain/explain.h"
#include "tracer/session/live/inside.h"
#include "tracer/session/report/report.h"
#include "tracer/symbols/sources.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CALLS = 200, AROUND = 5 };

int live_calls(struct session_thread *t, struct symbols_stack *out, struct error *err)
{
	struct symbols_frame first;
	struct arch_regs regs;

	*out = (struct symbols_stack){0};
	if (!t->target || target_regs(t->target, &regs) < 0)
		return error_set(err, ERROR_STATE, "%s has exited", t->engine->id);
	symbols_frame_first(&t->process->program, t, &regs, &first);
	symbols_stack(&first, t->engine->held ? t->hold_func : NULL, MOST_CALLS, out);
	if (out->count)
		return 0;
	return error_set(err, ERROR_STATE, "the stack of %s cannot be read", t->engine->id);
}

/* ---- threads -------------------------------------------------------------------------------- */

static const char *mark_of(const struct live *l, const struct session_thread *t)
{
	return t == l->came ? "*" : t->parked ? "h" : " ";
}

/* Before its own code nobody has looked at it; what a signal ended did not come to an end of its own. */
static void thread_sentence(const struct live *l, const struct session_thread *t, struct str *out)
{
	if (l->state == LIVE_READY)
		str_addf(out, "%s has not begun: `run`", t->engine->id);
	else if (!t->target)
		str_addf(out, "%s has %s", t->engine->id,
			 l->state == LIVE_ENDED && l->session.outcome.signaled ? "ended"
									       : "exited");
	else
		waiting_sentence(t, out);
}

void live_threads(struct live *l, struct str *out)
{
	size_t n = 0;

	array_each(struct session_thread *, it, &l->session.threads) {
		const struct session_thread *t = *it;
		struct str sentence = {0};

		thread_sentence(l, t, &sentence);
		str_addf(out, "%s%2zu  %s%s\n", mark_of(l, t), ++n, str_text(&sentence),
			 t->parked && t->target && !t->kept ? " (held by hand)" : "");
		str_fini(&sentence);
	}
}

bool live_held(struct live *l, struct str *out)
{
	array_each(struct session_thread *, it, &l->session.threads) {
		if (!(*it)->target || !(*it)->engine->held)
			continue;
		waiting_sentence(*it, out);
		return true;
	}
	return false;
}

static void call_line(size_t n, const struct symbols_call *call, struct str *out)
{
	str_addf(out, "#%-2zu %s", n, call->function ? call->function : "?");
	if (call->file && call->line)
		str_addf(out, " at %s:%u", shown_path(call->file), call->line);
	else if (call->frame.module)
		str_addf(out, " in %s", module_name(call->frame.module));
	str_addf(out, "%s%s\n", call->inlined ? " (inlined)" : "",
		 call->frame.signal ? " (signal handler called)" : "");
}

int live_backtrace(struct live *l, const char *thread, struct str *out, struct error *err)
{
	struct session_thread *t = live_thread(l, thread, err);
	struct symbols_stack calls;

	if (!t || live_calls(t, &calls, err) < 0)
		return -1;
	for (size_t i = 0; i < calls.count; i++)
		call_line(i, &calls.items[i], out);
	symbols_stack_fini(&calls);
	return 0;
}

/* ---- variables ------------------------------------------------------------------------------ */

/* Libraries of the system are not what a tester looks at. */
bool live_is_own(const struct session_thread *t, const struct symbols_call *call)
{
	const char *path = call->frame.module ? module_path(call->frame.module) : "/lib";

	return call->line && call->file && strncmp(call->file, "/usr/", 5) != 0 &&
	       (call->frame.module == t->process->exe ||
		(strncmp(path, "/lib", 4) != 0 && strncmp(path, "/usr/lib", 8) != 0));
}

/* The innermost call of the tester's own code; else the innermost of all. */
static const struct symbols_call *own_call(const struct session_thread *t,
					   const struct symbols_stack *calls)
{
	array_each(const struct symbols_call, call, calls)
		if (live_is_own(t, call))
			return call;
	return calls->items;
}

static bool named_before(const struct symbols_homes *homes, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(homes->items[k].name, homes->items[i].name) == 0)
			return true;
	return false;
}

static void local_line(const struct symbols_call *call, const struct symbols_home *home,
		       struct str *out)
{
	struct symbols_value v;
	struct error err = {0};

	str_addf(out, "%s %s = ", home->type, home->name);
	if (symbols_variable(call, home->name, &v, &err) == 0)
		symbols_describe(&v, out);
	else
		str_addf(out, "(%s)", err.text);
	str_add(out, "\n");
}

int live_locals(struct live *l, const char *thread, struct str *out, struct error *err)
{
	struct session_thread *t = live_thread(l, thread, err);
	struct symbols_homes homes = {0};
	const struct symbols_call *call;
	struct symbols_stack calls;
	int failed;

	if (!t || live_calls(t, &calls, err) < 0)
		return -1;
	call = own_call(t, &calls);
	str_addf(out, "in %s", call->function ? call->function : "?");
	if (call->file && call->line)
		str_addf(out, " at %s:%u", shown_path(call->file), call->line);
	str_add(out, "\n");
	failed = symbols_homes(call->frame.module, call->frame.look - call->frame.bias,
			       call->function, &homes, err);
	for (size_t i = 0; i < homes.count; i++)
		if (!named_before(&homes, i))
			local_line(call, &homes.items[i], out);
	symbols_homes_fini(&homes);
	symbols_stack_fini(&calls);
	return failed;
}

int live_print(struct live *l, const char *thread, const char *expression, struct str *out,
	       struct error *err)
{
	struct session_thread *t = live_thread(l, thread, err);
	struct symbols_stack calls;
	struct symbols_value v;
	int failed;

	if (!t || live_calls(t, &calls, err) < 0)
		return -1;
	failed = symbols_eval(own_call(t, &calls), expression, &v, err);
	if (!failed) {
		symbols_describe(&v, out);
		str_add(out, "\n");
	}
	symbols_stack_fini(&calls);
	return failed;
}

/* ---- gates, places, events ------------------------------------------------------------------ */

void live_gates(struct live *l, struct str *out)
{
	const struct gate *g;

	for (size_t i = 0; (g = engine_gate_at(l->session.engine, i)); i++) {
		if (g->left_out) /* of an order that was dropped */
			continue;
		str_addf(out, "%s (%s) is %s", g->name, g->type, g->is_open ? "open" : "closed");
		array_each(struct session_thread *, it, &l->session.threads)
			if ((*it)->engine->held && (*it)->hold.gate == g)
				str_addf(out, ", holds %s", (*it)->engine->id);
		str_add(out, "\n");
	}
}

static void step_words(const struct place *p, struct str *out)
{
	static const char *const words[] = {
		[STEP_WAIT] = "wait",
		[STEP_OPEN] = "open",
		[STEP_WHEN] = "when",
		[STEP_RUN] = "run",
		[STEP_EVENT] = "event",
		[STEP_LOG] = "log",
		[STEP_KILL] = "kill",
		[STEP_RELEASE] = "release",
		[STEP_WATCH] = "when blocked, open",
		[STEP_ELIDE] = "elide_sleep",
	};

	array_each(const struct step, step, &p->steps) {
		str_addf(out, " %s", words[step->kind]);
		if (step->gate)
			str_addf(out, " %s", step->gate->name);
		else if (step->text)
			str_addf(out, " \"%s\"", step->text);
	}
}

void live_places(struct live *l, struct str *out)
{
	const struct place *p;

	for (size_t i = 0; (p = engine_place_at(l->session.engine, i)); i++) {
		const struct session_place *sp = p->user;

		if (p->companion_of || (p->retired && p->optional && !p->arrivals))
			continue;
		str_addf(out, "%2zu  %s:", i + 1, p->location);
		step_words(p, out);
		if (p->thread)
			str_addf(out, ", thread %s", p->thread);
		str_addf(out, " (%zu site%s, %lu arrival%s)\n", sp ? sp->sites : 0,
			 sp && sp->sites == 1 ? "" : "s", p->arrivals, p->arrivals == 1 ? "" : "s");
	}
}

void live_events(struct live *l, size_t most, struct str *out)
{
	const struct timeline *tl = &l->session.timeline;
	size_t first = tl->all.count > most ? tl->all.count - most : 0;

	for (size_t i = first; i < tl->all.count; i++) {
		const struct happened *h = &tl->all.items[i];

		str_addf(out, "%.6f ", (double)h->t_us / 1e6);
		timeline_line(h, out);
		str_add(out, "\n");
	}
}

static bool anybody_at_gate(const struct live *l)
{
	array_each(struct session_thread *, it, &l->session.threads)
		if ((*it)->target && (*it)->engine->held)
			return true;
	return false;
}

const char *live_reason(const struct live *l)
{
	switch (l->state) {
	case LIVE_READY:
		return "the program waits before its own code: `run`";
	case LIVE_REST:
		return l->session.rest == WAITS_OWN ? "nobody can move, and no gate is the reason"
		       : anybody_at_gate(l)	    ? "nobody can move: a gate holds somebody"
						    : "nobody can move: you hold somebody";
	case LIVE_QUIET:
		return "somebody is held, and nothing happens that gatectl sees";
	case LIVE_LOOK:
		return "stopped by Ctrl-C";
	case LIVE_THERE:
		return "a thread got where it was sent";
	case LIVE_GONE:
		return "the thread that was sent has ended on the way";
	case LIVE_ENDED:
		break;
	}
	return "the program has ended";
}

static void try_by_hand(struct live *l, struct str *out)
{
	array_each(struct session_thread *, it, &l->session.threads) {
		struct session_thread *t = *it;

		if (!t->target || (!t->engine->held && !t->parked))
			continue;
		str_add(out, "by hand: ");
		if (t->engine->held && t->hold.gate)
			str_addf(out, "`open %s`, or ", t->hold.gate->name);
		str_addf(out, "`go %s`\n", t->engine->id);
		return;
	}
}

static void add_try(struct live *l, struct str *out)
{
	struct session *s = &l->session;
	struct str text = {0};

	if (l->state == LIVE_REST && s->rest == WAITS_OWN)
		own_deadlock_try(s, &text);
	else if (!infeasible_try(s, &text))
		hints_gates_try(s, &text);
	if (text.length)
		str_addf(out, "try: %s\n", str_text(&text));
	try_by_hand(l, out);
	str_fini(&text);
}

/* What a verdict would say here. */
void live_why(struct live *l, struct str *out)
{
	struct session *s = &l->session;

	str_addf(out, "%s\n", live_reason(l));
	if (l->state == LIVE_ENDED) {
		live_verdict(l, out);
		return;
	}
	if (s->cycle.length && l->state != LIVE_READY)
		str_addf(out, "%s%s\n",
			 l->state == LIVE_REST ? "" : "stuck for good: ", str_text(&s->cycle));
	infeasible_lines(s, out);
	hints_gates(s, out);
	live_threads(l, out);
	add_try(l, out);
}

/* ---- source --------------------------------------------------------------------------------- */

int live_resolve(struct live *l, const struct session_process *p, const char *text,
		 struct symbols_sites *out, struct error *err)
{
	struct location location = {0};
	enum symbols_answer answer;
	struct module **modules;

	if (location_parse(text, &location, err) < 0)
		return -1;
	modules = images_modules(p);
	answer = symbols_resolve(l->symbols, modules, p->images.count, &location, out, err);
	base_free(modules);
	location_fini(&location);
	return answer == SYMBOLS_FOUND ? 0 : -1;
}

static int sites_of(struct live *l, const char *text, struct symbols_sites *out, struct error *err)
{
	if (!l->session.root) /* it could not be started again; one that has ended is known still */
		return live_needs_program(l, err);
	return live_resolve(l, l->session.root, text, out, err);
}

static void source_lines(struct live *l, const char *file, unsigned first, unsigned last,
			 unsigned marked, struct str *out)
{
	for (unsigned line = first ? first : 1; line <= last; line++) {
		const char *text = symbols_source_line(l->symbols, file, line);

		if (text)
			str_addf(out, "%s%5u  %s\n", line == marked ? ">" : " ", line, text);
	}
}

int live_list(struct live *l, const char *location, struct str *out, struct error *err)
{
	struct symbols_sites sites = {0};
	const struct symbols_site *site;
	int failed = sites_of(l, location, &sites, err);

	site = sites.items;
	if (!failed && (!site->file || !symbols_source_line(l->symbols, site->file, site->line))) {
		failed = error_set(err, ERROR_LOCATION, "the source of %s is not there", location);
	} else if (!failed) {
		str_addf(out, "%s:%u\n", shown_path(site->file), site->line);
		source_lines(l, site->file, site->line > AROUND ? site->line - AROUND : 1,
			     site->line + AROUND, site->line, out);
	}
	symbols_sites_fini(&sites);
	return failed;
}

/* The source line at which the thread is that was sent off and has got there. */
void live_there_line(struct live *l, struct str *out)
{
	const struct symbols_call *call;
	struct symbols_stack calls;
	struct error ignored;

	if (l->state != LIVE_THERE || !l->came || live_calls(l->came, &calls, &ignored) < 0)
		return;
	call = own_call(l->came, &calls);
	if (call->file && call->line)
		source_lines(l, call->file, call->line, call->line, call->line, out);
	symbols_stack_fini(&calls);
}

/* One line of `find`, for the k-th of several matches (0: there is but one). 0, or -1. */
static int found_line(struct live *l, const char *where, unsigned k, struct str *out,
		      struct error *err)
{
	struct symbols_sites sites = {0};
	struct str location = {0};
	const char *text;
	int failed;

	str_add(&location, where);
	if (k)
		str_addf(&location, "#%u", k);
	failed = sites_of(l, str_text(&location), &sites, err);
	if (!failed && sites.items->file) {
		text = symbols_source_line(l->symbols, sites.items->file, sites.items->line);
		str_addf(out, "%s:%u: %s\n", shown_path(sites.items->file), sites.items->line,
			 text ? text + strspn(text, " \t") : "");
	}
	str_fini(&location);
	symbols_sites_fini(&sites);
	return failed;
}

int live_find(struct live *l, const char *where, struct str *out, struct error *err)
{
	struct error ignored;

	if (found_line(l, where, 0, out, err) == 0)
		return 0;
	for (unsigned k = 1; found_line(l, where, k, out, &ignored) == 0;)
		k++;
	return out->length ? 0 : -1;
}

/* ---- completion ----------------------------------------------------------------------------- */

bool live_name(struct live *l, enum live_names what, size_t i, struct str *out)
{
	const struct gate *g;

	if (!l->began)
		return false;
	if (what == LIVE_THREADS) {
		if (i >= l->session.threads.count)
			return false;
		str_add(out, l->session.threads.items[i]->engine->id);
		return true;
	}
	g = engine_gate_at(l->session.engine, i);
	if (g)
		str_add(out, g->name);
	return g != NULL;
}

struct line_names {
	const char *file;
	int length;
	void (*each)(void *ctx, const char *name);
	void *ctx;
};

static void name_line(void *ctx, unsigned line)
{
	const struct line_names *n = ctx;
	char text[PATH_MAX];

	snprintf(text, sizeof(text), "%.*s:%u", n->length, n->file, line);
	n->each(n->ctx, text);
}

void live_locations(struct live *l, const char *begin, void (*each)(void *ctx, const char *name),
		    void *ctx)
{
	const char *colon = strrchr(begin, ':');
	struct line_names lines = {begin, colon ? (int)(colon - begin) : 0, each, ctx};
	struct module *exe = l->began && l->session.root ? l->session.root->exe : NULL;
	char *file;

	if (!exe)
		return;
	if (colon && memchr(begin, '.', (size_t)lines.length)) {
		file = base_strndup(begin, (size_t)lines.length);
		symbols_each_line(exe, file, name_line, &lines);
		base_free(file);
		return;
	}
	symbols_each_file(exe, each, ctx);
	symbols_each_function(exe, each, ctx);
	symbols_each_inlined(exe, each, ctx);
}
