/* Shows the state of a stopped program: threads, gates, places, events, source. */
#include "tracer/run/modules/images.h"
#include "tracer/sched/sched.h"
#include "tracer/features/crash/crash.h"
#include "tracer/features/explain/explain.h"
#include "tracer/features/interactive/interactive_internal.h"
#include "tracer/features/timeline/timeline.h"
#include "tracer/source/lines/source_lines.h"

#include "tracer/base/files/path.h"
#include "tracer/base/signame.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CALLS = 200, AROUND = 5 };

int interactive_calls(struct run_thread *t, struct inspect_stack *out, struct error *err)
{
	if (calls_read(t, calls_scope(t), MOST_CALLS, out) < 0)
		return error_set(err, ERROR_STATE, "%s has exited", run_thread_id(t));
	if (out->count)
		return 0;
	return error_set(err, ERROR_STATE, "the stack of %s cannot be read", run_thread_id(t));
}

/* ---- threads -------------------------------------------------------------------------------- */

/* Before the program's own code runs, waiting_explain() has not run. A thread that a signal ended
 * has not exited by itself. */
static void thread_sentence(const struct interactive *l, const struct run_thread *t,
			    struct str *out)
{
	if (l->state == INTERACTIVE_READY)
		str_addf(out, "%s has not begun: `run`", run_thread_id(t));
	else if (!run_thread_lives(t))
		str_addf(out, "%s has %s", run_thread_id(t),
			 l->state == INTERACTIVE_ENDED &&
					 run_outcome(l->run)->end == OUTCOME_SIGNALED
				 ? "ended"
				 : "exited");
	else
		waiting_sentence(t, out);
}

void interactive_threads(struct interactive *l, struct str *out)
{
	const struct run_thread *current = interactive_current(l);
	size_t n = 0;

	run_each_thread(t, l->run) {
		STR(sentence);

		thread_sentence(l, t, &sentence);
		str_addf(out, "%s%2zu  %s%s",
			 t == l->came		? "*"
			 : run_thread_parked(t) ? "h"
			 : t == current		? "*"
						: " ",
			 ++n, str_text(&sentence),
			 run_thread_parked(t) && run_thread_lives(t) && !run_thread_is_paused(t)
				 ? " (held by hand)"
				 : "");
		if (l->state == INTERACTIVE_TURN && run_thread_lives(t))
			sched_say(t, out);
		str_add(out, "\n");
	}
}

bool interactive_held(struct interactive *l, struct str *out)
{
	run_each_thread(t, l->run) {
		if (!run_thread_lives(t) || !run_thread_is_held(t))
			continue;
		waiting_sentence(t, out);
		return true;
	}
	return false;
}

int interactive_backtrace(struct interactive *l, const char *thread, struct str *out,
			  struct error *err)
{
	struct run_thread *t = interactive_thread(l, thread, err);
	struct inspect_stack calls;

	if (!t || interactive_calls(t, &calls, err) < 0)
		return -1;
	for (size_t i = 0; i < calls.count; i++) {
		str_addf(out, "#%-2zu ", i);
		calls_place(&calls.items[i], NULL, out);
		str_add(out, "\n");
	}
	inspect_stack_fini(&calls);
	return 0;
}

const struct inspect_call *interactive_own_call(const struct run_thread *t,
						const struct inspect_stack *calls)
{
	array_each(const struct inspect_call, call, calls)
		if (interactive_is_own(t, call))
			return call;
	return calls->items;
}

/* ---- gates, places, events ------------------------------------------------------------------ */

/* False for a gate left out by --without, or of a dropped line. */
static bool is_listed_gate(const struct gate *g)
{
	return !g->ablation && !g->dropped;
}

size_t interactive_gate_count(const struct interactive *l)
{
	const struct gate *g;
	size_t count = 0;

	for (size_t i = 0; (g = engine_gate_at(run_engine(l->run), i)); i++)
		count += is_listed_gate(g);
	return count;
}

void interactive_gates(struct interactive *l, struct str *out)
{
	const struct gate *g;

	for (size_t i = 0; (g = engine_gate_at(run_engine(l->run), i)); i++) {
		if (!is_listed_gate(g))
			continue;
		str_addf(out, "%s (%s) is %s", g->name, g->type, g->is_open ? "open" : "closed");
		run_each_thread(t, l->run)
			if (run_thread_is_held(t) && run_thread_hold(t)->gate == g)
				str_addf(out, ", holds %s", run_thread_id(t));
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
		[STEP_SPURIOUS] = "spurious",
	};

	if (p->when)
		str_addf(out, " when \"%s\"", p->when);
	array_each(const struct step, step, &p->steps) {
		str_addf(out, " %s", words[step->kind]);
		if (step->gate)
			str_addf(out, " %s", step->gate->name);
		else if (step->text)
			str_addf(out, " \"%s\"", step->text);
	}
}

void interactive_places(struct interactive *l, size_t (*line_of)(const void *ctx, size_t place),
			const void *ctx, struct str *out)
{
	const struct place *p;

	for (size_t i = 0; (p = engine_place_at(run_engine(l->run), i)); i++) {
		size_t sites = p->user ? run_place_sites(p->user) : 0, line = line_of(ctx, i);

		if (p->companion_of || (p->retired && p->optional && !p->arrivals))
			continue;
		if (line)
			str_addf(out, "%2zu  ", line);
		else
			str_add(out, "    ");
		str_addf(out, "%s:", p->location);
		step_words(p, out);
		if (p->thread)
			str_addf(out, ", thread %s", p->thread);
		str_addf(out, " (%zu site%s, %lu arrival%s)\n", sites, sites == 1 ? "" : "s",
			 p->arrivals, p->arrivals == 1 ? "" : "s");
	}
}

void interactive_events(struct interactive *l, size_t most, struct str *out)
{
	const struct timeline *tl = l->began ? timeline_of(l->run) : NULL;
	size_t first = tl && tl->all.count > most ? tl->all.count - most : 0;

	for (size_t i = first; tl && i < tl->all.count; i++) {
		const struct happened *h = &tl->all.items[i];

		str_addf(out, "%.6f ", (double)h->t_us / 1e6);
		timeline_line(h, out);
		str_add(out, "\n");
	}
}

static bool anybody_by_hand(const struct interactive *l)
{
	run_each_thread(t, l->run)
		if (run_thread_lives(t) && run_thread_parked(t) == PARKED)
			return true;
	return false;
}

static bool anybody_at_gate(const struct interactive *l)
{
	run_each_thread(t, l->run)
		if (run_thread_lives(t) && run_thread_is_held(t))
			return true;
	return false;
}

static const char *rest_reason(const struct interactive *l)
{
	if (anybody_at_gate(l))
		return "no thread can move: a gate holds one of them";
	return anybody_by_hand(l) ? "no thread can move: one of them is held by hand"
				  : "no thread can move: one of them stays where it was sent (`go` "
				    "lets all go on)";
}

void interactive_reason(const struct interactive *l, struct str *out)
{
	static const char *const reasons[] = {
		[INTERACTIVE_READY] = "the program has not begun: `run` starts it",
		[INTERACTIVE_QUIET] = "a thread is held, and no event comes",
		[INTERACTIVE_LOOK] = "stopped by Ctrl-C",
		[INTERACTIVE_THERE] = "a thread has arrived where it was sent",
		[INTERACTIVE_TURN] =
			"the schedule is paused: `step` takes its next step, `run` all "
			"that are left",
		[INTERACTIVE_CRASHED] = "a signal is about to end the program: `bt`, `locals` and "
					"`print` show why, `run` lets it end",
		[INTERACTIVE_GONE] = "the thread that was sent has exited on the way",
		[INTERACTIVE_ENDED] = "the program has ended",
	};

	if (l->state == INTERACTIVE_ATTACHED) {
		explain_looked(l->run, out);
	} else if (l->state == INTERACTIVE_REST && run_rest(l->run) == WAITS_OWN) {
		str_add(out, "deadlock: ");
		explain_deadlock(l->run, out);
	} else {
		str_add(out, l->state == INTERACTIVE_REST ? rest_reason(l) : reasons[l->state]);
	}
	str_add(out, "\n");
}

static void try_by_hand(struct interactive *l, struct str *out)
{
	run_each_thread(t, l->run) {
		if (!run_thread_lives(t) || (!run_thread_is_held(t) && !run_thread_parked(t)))
			continue;
		str_add(out, "by hand: ");
		if (run_thread_is_held(t) && run_thread_hold(t)->gate)
			str_addf(out, "`open %s`, or ", run_thread_hold(t)->gate->name);
		str_addf(out, "`go %s`\n", run_thread_id(t));
		return;
	}
}

static void add_try(struct interactive *l, struct str *out)
{
	struct run *s = l->run;
	STR(text);

	if (l->state == INTERACTIVE_REST && run_rest(s) == WAITS_OWN)
		own_deadlock_try(s, &text);
	else if (!infeasible_try(s, &text))
		hints_gates_try(s, &text);
	if (text.length)
		str_addf(out, "try: %s\n", str_text(&text));
	try_by_hand(l, out);
}

/* The reasons of other states contain the cycle themselves. */
static void add_cycle(const struct interactive *l, struct str *out)
{
	bool rests = l->state == INTERACTIVE_REST;

	if (waiting_cycle(l->run)->length && l->state != INTERACTIVE_READY &&
	    l->state != INTERACTIVE_ATTACHED && !(rests && run_rest(l->run) == WAITS_OWN))
		str_addf(out, "%s%s\n",
			 rests ? "" : "deadlocked: ", str_text(waiting_cycle(l->run)));
}

/* Appends what a verdict would say at this point. */
void interactive_why(struct interactive *l, struct str *out)
{
	struct run *s = l->run;

	interactive_reason(l, out);
	if (l->state == INTERACTIVE_ENDED) {
		interactive_verdict(l, out);
		return;
	}
	add_cycle(l, out);
	infeasible_lines(s, out);
	hints_gates(s, out);
	interactive_threads(l, out);
	add_try(l, out);
}

/* ---- source --------------------------------------------------------------------------------- */

int interactive_resolve(struct interactive *l, const struct run_process *p, const char *text,
			struct source_sites *out, struct error *err)
{
	struct location location = {0};
	enum source_answer answer;
	struct module **modules;

	if (location_parse(text, &location, err) < 0)
		return -1;
	modules = images_modules(p);
	answer = source_resolve(l->symbols, modules, run_process_images(p)->count, &location, out,
				err);
	base_free(modules);
	location_fini(&location);
	return answer == SOURCE_FOUND ? 0 : -1;
}

int interactive_addresses(struct interactive *l, const struct run_process *p, const char *text,
			  struct interactive_addresses *out, struct error *err)
{
	struct source_sites sites = {0};
	int failed = interactive_resolve(l, p, text, &sites, err);

	array_each(const struct source_site, site, &sites)
		array_each(const struct image, image, run_process_images(p))
			if (!failed && image->module == site->module)
				*array_add(out) = (struct interactive_address){
					image->bias + site->offset, site->scope};
	source_sites_fini(&sites);
	return failed;
}

int interactive_matches(struct interactive *l, const struct run_process *p, const char *where,
			struct source_matches *out, struct error *err)
{
	struct location location = {0};
	struct module **modules;
	int failed = -1;

	if (location_parse(where, &location, err) < 0)
		return -1;
	if (!location.match && (location.kind == LOCATION_TEXT || location.kind == LOCATION_MARK ||
				location.kind == LOCATION_FUNC)) {
		modules = images_modules(p);
		failed = source_matches(l->symbols, modules, run_process_images(p)->count,
					&location, out, err);
		base_free(modules);
	}
	location_fini(&location);
	return failed;
}

static int sites_of(struct interactive *l, const char *text, struct source_sites *out,
		    struct error *err)
{
	/* NULL if the program could not be started again; it is set after a normal end. */
	if (!run_root(l->run))
		return interactive_needs_program(l, err);
	return interactive_resolve(l, run_root(l->run), text, out, err);
}

static void source_lines(struct interactive *l, const char *file, unsigned first, unsigned last,
			 unsigned marked, struct str *out)
{
	for (unsigned line = first ? first : 1; line <= last; line++) {
		const char *text = source_line(l->symbols, file, line);

		if (text)
			str_addf(out, "%s%5u  %s\n", line == marked ? ">" : " ", line, text);
	}
}

/* `what` has this line, in a module with debug information or not. */
static int list_around(struct interactive *l, const char *what, const char *file, unsigned line,
		       bool has_debug, struct str *out, struct error *err)
{
	if (!file && !has_debug) {
		error_set(err, ERROR_LOCATION, "%s has no line: there is no debug information",
			  what);
		return error_hint(err, "build it with -g");
	}
	if (!file || !source_line(l->symbols, file, line))
		return error_set(err, ERROR_LOCATION, "the source of %s cannot be read", what);
	str_addf(out, "%s:%u\n", path_shown(file), line);
	source_lines(l, file, line > AROUND ? line - AROUND : 1, line + AROUND, line, out);
	return 0;
}

static int list_at_thread(struct interactive *l, struct run_thread *t, struct str *out,
			  struct error *err)
{
	const struct inspect_call *call;
	struct inspect_stack calls;
	struct module *m;
	int failed;

	if (interactive_calls(t, &calls, err) < 0)
		return -1;
	call = interactive_own_call(t, &calls);
	m = call->frame.module;
	str_addf(out, "%s is at ", run_thread_id(t));
	failed = list_around(l, run_thread_id(t), call->file, call->line, m && module_has_debug(m),
			     out, err);
	inspect_stack_fini(&calls);
	return failed;
}

int interactive_list(struct interactive *l, const char *where, struct str *out, struct error *err)
{
	struct source_sites sites = {0};
	const struct source_site *site;
	struct run_thread *t;
	ERROR(ignored);
	int failed;

	if (!*where && l->state == INTERACTIVE_READY) {
		error_set(err, ERROR_USAGE, "list: the program has not begun");
		return error_hint(err, "list LOCATION, or `run`");
	}
	if (!*where) {
		t = interactive_thread(l, where, err);
		return t ? list_at_thread(l, t, out, err) : -1;
	}
	t = l->state == INTERACTIVE_READY ? NULL : interactive_living(l, where, &ignored);
	error_fini(&ignored);
	if (t)
		return list_at_thread(l, t, out, err);
	failed = sites_of(l, where, &sites, err);
	site = sites.items;
	if (!failed)
		failed = list_around(l, where, site->file, site->line,
				     module_has_debug(site->module), out, err);
	source_sites_fini(&sites);
	return failed;
}

void interactive_crash(struct interactive *l, struct str *out)
{
	const struct crash *c = l->state == INTERACTIVE_CRASHED ? l->crash : NULL;

	if (!c)
		return;
	crash_title(c, out);
	str_add(out, ": ");
	crash_deed(c, out);
	str_add(out, "\n");
	crash_lines(c, out);
}

/* Shows the line of the thread that has arrived where it was sent. */
void interactive_there_line(struct interactive *l, struct str *out)
{
	const struct inspect_call *call;
	struct inspect_stack calls;
	ERROR(ignored);

	if (l->state != INTERACTIVE_THERE || !l->came ||
	    interactive_calls(l->came, &calls, &ignored) < 0)
		return;
	call = interactive_own_call(l->came, &calls);
	if (call->file && call->line)
		source_lines(l, call->file, call->line, call->line, call->line, out);
	inspect_stack_fini(&calls);
}

static void found_line(struct interactive *l, const char *file, unsigned line, bool has_code,
		       struct str *out)
{
	const char *text = source_line(l->symbols, file, line);

	str_addf(out, "%s:%u: %s%s\n", path_shown(file), line,
		 text ? text + strspn(text, " \t") : "", has_code ? "" : "  (no code of its own)");
}

static int found_one(struct interactive *l, const char *where, struct str *out, struct error *err)
{
	struct source_sites sites = {0};
	int failed = sites_of(l, where, &sites, err);

	if (!failed && sites.items->file)
		found_line(l, sites.items->file, sites.items->line, true, out);
	source_sites_fini(&sites);
	return failed;
}

static void found_match(struct interactive *l, const char *where, size_t k,
			const struct source_match *match, struct str *out)
{
	struct source_sites sites = {0};
	STR(location);
	ERROR(ignored);

	if (!match->file)
		return;
	str_addf(&location, "%s#%zu", where, k);
	found_line(l, match->file, match->line,
		   sites_of(l, str_text(&location), &sites, &ignored) == 0, out);
	error_fini(&ignored);
	source_sites_fini(&sites);
}

int interactive_find(struct interactive *l, const char *where, struct str *out, struct error *err)
{
	struct source_matches found = {0};
	ERROR(ignored);

	if (!run_root(l->run) ||
	    interactive_matches(l, run_root(l->run), where, &found, &ignored) < 0) {
		error_fini(&ignored);
		return found_one(l, where, out, err);
	}
	for (size_t i = 0; i < found.count; i++)
		found_match(l, where, i + 1, &found.items[i], out);
	array_fini(&found);
	return 0;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void tell_sent(struct interactive *l, struct str *out)
{
	const char *name = l->sent.name;

	if (name)
		str_addf(out,
			 interactive_find_id(l, name) ? "%s has not arrived where it was sent\n"
						      : "there was no thread %s\n",
			 name);
}

int interactive_verdict(struct interactive *l, struct str *out)
{
	const struct outcome *o = run_outcome(l->run);

	if (l->result.text.length)
		str_add(out, str_text(&l->result.text));
	else if (l->result.note.length)
		str_addf(out, "%.*s\n", (int)strcspn(str_text(&l->result.note), "\n"),
			 str_text(&l->result.note));
	else if (o->end == OUTCOME_EXITED)
		str_addf(out, "the program has exited with status %d\n", o->exit);
	if (o->end == OUTCOME_SIGNALED)
		str_addf(out, "the program was ended by SIG%s\n", signame_text(o->signal));
	tell_sent(l, out);
	return l->result.status;
}
