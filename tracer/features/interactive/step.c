/* Sends one thread to a location, to the next statement of its function, or into a call. Traps are
 * set at all stops that it may reach, and removed at the next stop of the program. */
#include "tracer/run/modules/images.h"
#include "tracer/features/interactive/interactive_internal.h"
#include "tracer/run/places/places.h"
#include "tracer/tracee/traps/traps.h"

#include <string.h>

static const struct site_owner step_owner;

static struct interactive_sent *sent_of(struct run *s)
{
	return &interactive_of(s)->sent;
}

static int put_stop(struct run *s, struct run_thread *t, uint64_t address,
		    enum interactive_reach reach, uint64_t scope, struct error *err)
{
	const struct act stop = {.owner = &step_owner};
	struct tracee_site *site;
	struct site_use *use =
		sites_use(s, run_process_of(t), run_thread_tracee(t), address, &site, err);

	if (!use)
		return -1;
	*array_add(&sent_of(s)->stops) = (struct interactive_stop){address, reach, 0, scope};
	if (sites_has(use, &stop))
		return 0;
	sites_act(use, &stop);
	*array_add(&sent_of(s)->placed) = (struct placed){run_process_of(t), site};
	return 0;
}

static void take_stop(struct placed *p)
{
	struct site_use *use = p->site->user;

	for (size_t i = use->acts.count; i-- > 0;)
		if (use->acts.items[i].owner == &step_owner)
			array_remove(&use->acts, i);
	if (!use->acts.count)
		tracee_site_remove(run_process_tracee(p->process), p->site);
}

/* Sites of a process that has ended, or of an image replaced by exec, no longer exist. */
void interactive_forget_stops(struct run *s)
{
	struct interactive_sent *sent = sent_of(s);

	array_each(struct placed, p, &sent->placed)
		if (run_process_lives(p->process) &&
		    tracee_site_find(run_process_tracee(p->process), p->site->addr) == p->site)
			take_stop(p);
	array_fini(&sent->placed);
	array_fini(&sent->stops);
	array_fini(&sent->entered);
	base_free(sent->name);
	*sent = (struct interactive_sent){0};
}

/* ---- stops ------------------------------------------------------------------------------- */

static bool statements_of(const struct inspect_call *call, struct source_statements *out)
{
	const struct dwarf_frame *f = &call->frame;

	*out = (struct source_statements){0};
	return f->module && source_statements(f->module, f->lookup_pc - f->bias, out);
}

/* True if the statement is on another line than the thread, or is reached again by a loop. A copy
 * called on the line belongs to the line while it runs. */
static bool is_elsewhere(const struct inspect_call *here, const struct source_statement *at,
			 const struct step_line *line)
{
	if (line->line != here->line || line->scope != here->scope)
		return true;
	return !line->copy && at->offset + here->frame.bias <= here->frame.pc;
}

/* In system code, where only `until` leads, all lines count. */
static bool line_for(const struct run_thread *t, const struct inspect_call *here,
		     enum interactive_way way, const struct source_statement *at,
		     struct step_line *out)
{
	*out = (struct step_line){at->file, at->line, 0, here->scope};
	return !interactive_is_own(t, here) ||
	       step_line_at(t, here->frame.module, way == INTERACTIVE_NEXT ? here->scope : 0, at,
			    out);
}

static int stop_in_own(struct run *s, struct run_thread *t, const struct inspect_call *here,
		       enum interactive_way way, struct error *err)
{
	const struct dwarf_frame *f = &here->frame;
	struct source_statements list;
	struct step_line line;

	if (!statements_of(here, &list)) {
		error_set(err, ERROR_STATE, "%s is in code without line information",
			  run_thread_id(t));
		return error_hint(err, "%s`until %s LOCATION` takes it further",
				  here->frame.module && module_has_debug(here->frame.module)
					  ? ""
					  : "build it with -g, for debug information; ",
				  run_thread_id(t));
	}
	array_each(const struct source_statement, at, &list)
		if (line_for(t, here, way, at, &line) && is_elsewhere(here, at, &line))
			put_stop(s, t, at->offset + f->bias, REACH_FRAME, line.scope, err);
	array_fini(&list);
	return 0;
}

/* Sets stops at all statements of an outer frame: an exception or longjmp may lead to any of
 * them. */
static void stop_in_frame(struct run *s, struct run_thread *t, const struct inspect_call *own)
{
	const struct dwarf_frame *f = &own->frame;
	struct source_statements list;
	struct step_line line;
	ERROR(ignored);

	put_stop(s, t, f->pc, REACH_AROUND, own->scope, &ignored);
	if (!statements_of(own, &list))
		return;
	array_each(const struct source_statement, at, &list)
		if (step_line_at(t, f->module, 0, at, &line))
			put_stop(s, t, at->offset + f->bias, REACH_AROUND, line.scope, &ignored);
	array_fini(&list);
}

/* The thread may leave its function by a return, an exception or longjmp: it then arrives at the
 * next statement of an outer function. */
static void stop_around(struct run *s, struct run_thread *t, const struct inspect_stack *calls)
{
	enum { MOST_AROUND = 16 };
	const struct inspect_call *own = NULL;

	for (size_t i = 1; i < calls->count && i < MOST_AROUND; i++) {
		const struct inspect_call *call = &calls->items[i];

		if (!own && interactive_is_own(t, call))
			own = call;
		if (own && !call->inlined)
			stop_in_frame(s, t, own);
		if (!call->inlined)
			own = NULL;
	}
}

/* ---- into calls ----------------------------------------------------------------------------- */

static struct step_walk walk_of(struct run *s, struct run_thread *t)
{
	return (struct step_walk){.run = s, .thread = t, .entered = &sent_of(s)->entered};
}

static void put_walked(struct step_walk *w)
{
	ERROR(ignored);

	array_each(const struct interactive_stop, stop, &w->stops)
		put_stop(w->run, w->thread, stop->address, stop->reach, stop->scope, &ignored);
	array_fini(&w->stops);
}

/* Adds calls of the thread's line: from the pc on, and in the line's other ranges. */
static void stop_at_own_calls(struct run *s, struct run_thread *t, const struct inspect_call *here)
{
	uint64_t bias = here->frame.bias, pc = here->frame.pc;
	struct step_walk walk = walk_of(s, t);
	struct source_statements list;
	struct step_line line;

	if (!statements_of(here, &list))
		return;
	for (size_t i = 0; i < list.count; i++) {
		uint64_t low = list.items[i].offset + bias, high;

		if (i + 1 == list.count ||
		    !line_for(t, here, INTERACTIVE_NEXT, &list.items[i], &line) ||
		    line.line != here->line)
			continue;
		high = list.items[i + 1].offset + bias;
		if (high > low)
			step_into_calls(&walk, pc >= low && pc < high ? pc : low, high);
	}
	array_fini(&list);
	put_walked(&walk);
}

static int find_stops(struct interactive *l, struct run_thread *t, enum interactive_way way,
		      struct error *err)
{
	struct inspect_stack calls = {0};
	int result = -1;

	if (interactive_calls(t, &calls, err) < 0)
		return -1;
	if (dwarf_frame_cfa(&calls.items[0].frame, &l->sent.frame, err) == 0)
		result = stop_in_own(l->run, t, &calls.items[0], way, err);
	if (result == 0)
		stop_around(l->run, t, &calls);
	if (result == 0 && way == INTERACTIVE_STEP)
		stop_at_own_calls(l->run, t, &calls.items[0]);
	inspect_stack_fini(&calls);
	return result;
}

/* Lets the thread go on to the stops; on failure all are removed. */
static int send_off(struct interactive *l, struct run_thread *t, struct steps_step *step,
		    const char *verb, struct error *err)
{
	int passes = t ? interactive_let(l, t, err) : 0;

	if (passes < 0) {
		interactive_forget_stops(l->run);
		return -1;
	}
	step->passes = passes;
	steps_add(l, step, verb);
	return 0;
}

int interactive_line_step(struct interactive *l, const char *thread, enum interactive_way way,
			  struct error *err)
{
	struct run_thread *t = interactive_thread(l, thread, err);
	struct steps_step step = {.kind = HAND_LINE};

	if (t && l->state == INTERACTIVE_READY) /* only the loader has run so far */
		return interactive_until(l, thread, "main", err);
	if (!t)
		return -1;
	step.thread = run_thread_id(t);
	steps_begin_step(l, &step, t);
	interactive_forget_stops(l->run);
	l->sent.thread = t;
	if (find_stops(l, t, way, err) < 0) {
		interactive_forget_stops(l->run);
		return -1;
	}
	return send_off(l, t, &step, way == INTERACTIVE_STEP ? "step" : "next", err);
}

/* Returns a stopped thread of the process, through which traps can be set; NULL if the process has
 * ended. */
static struct run_thread *helper_of(struct interactive *l, const struct run_process *p)
{
	run_each_thread(t, l->run)
		if (run_process_of(t) == p && run_thread_lives(t))
			return t;
	return NULL;
}

static int stop_at_location(struct interactive *l, struct run_thread *helper, const char *location,
			    enum interactive_reach reach, struct interactive_addresses *out,
			    struct error *err)
{
	struct interactive_addresses here = {0};
	int result = interactive_addresses(l, run_process_of(helper), location, &here, err);

	array_each(const struct interactive_address, a, &here) {
		if (result == 0)
			result = put_stop(l->run, helper, a->address, reach, a->scope, err);
		if (result == 0 && out)
			*array_add(out) = *a;
	}
	array_fini(&here);
	return result;
}

void interactive_count_at(struct interactive *l, struct run_process *p, const char *location,
			  struct interactive_addresses *out)
{
	struct run_thread *helper = run_process_lives(p) ? helper_of(l, p) : NULL;
	ERROR(ignored);

	if (helper)
		stop_at_location(l, helper, location, REACH_NEVER, out, &ignored);
}

/* Returns the process in which "worker#2" or "p1/worker#2" would be, or NULL if there is none.
 * *rest is the id without the prefix. */
static struct run_process *process_of_id(struct interactive *l, const char *thread,
					 const char **rest)
{
	const char *slash = strchr(thread, '/');

	*rest = slash ? slash + 1 : thread;
	run_each_process(p, l->run)
		if (run_process_lives(p) &&
		    strlen(run_process_prefix(p)) == (size_t)(*rest - thread) &&
		    strncmp(run_process_prefix(p), thread, (size_t)(*rest - thread)) == 0)
			return p;
	return NULL;
}

static bool has_function(struct interactive *l, const struct run_process *p, const char *name)
{
	struct source_matches functions = {0};
	ERROR(ignored);
	bool found = interactive_matches(l, p, name, &functions, &ignored) == 0;

	array_fini(&functions);
	return found;
}

/* Returns the lambda's part of "f::{lambda()#1}" (gcc) or "f::$_0" (clang), or NULL. */
static char *lambda_in(char *name)
{
	char *gcc = strstr(name, "::{lambda("), *clang = strstr(name, "::$_");

	return gcc ? gcc : clang;
}

/* True if "worker#2", not created yet, may be: worker is a function of the process. A lambda that
 * is inlined everywhere is no function; then the function that contains it counts. */
static bool may_come(struct interactive *l, const struct run_process *p, const char *id)
{
	const char *number = strrchr(id, '#');
	char *routine, *lambda;
	bool found;

	if (l->state == INTERACTIVE_ENDED || !number || number == id || !number[1] ||
	    number[1] == '0' || number[1 + strspn(number + 1, "0123456789")])
		return false;
	routine = base_strndup(id, (size_t)(number - id));
	lambda = lambda_in(routine);
	found = has_function(l, p, routine);
	if (!found && lambda) {
		*lambda = '\0';
		found = has_function(l, p, routine);
	}
	base_free(routine);
	return found;
}

/* Finds the thread to send; *t is NULL if it does not exist yet. *helper is a thread of its
 * process. */
static int find_sent(struct interactive *l, const char *thread, struct run_thread **t,
		     struct run_thread **helper, struct error *err)
{
	const struct run_process *p;
	const char *id;

	*t = *helper = interactive_living(l, thread, err);
	if (*t || interactive_find_id(l, thread))
		return *t ? 0 : -1;
	p = process_of_id(l, thread, &id);
	if (p && !may_come(l, p, id))
		return -1;
	if (!p && (id == thread || l->state == INTERACTIVE_ENDED))
		return -1;
	error_fini(err);
	if (!p) {
		error_set(err, ERROR_USAGE, "there is no process %.*s, or not yet",
			  (int)(id - 1 - thread), thread);
		return error_hint(err,
				  "go on until it has been forked: a gate after the fork holds it");
	}
	*helper = helper_of(l, p);
	return *helper ? 0 : error_set(err, ERROR_USAGE, "no thread of its process is left");
}

int interactive_until(struct interactive *l, const char *thread, const char *location,
		      struct error *err)
{
	struct steps_step step = {.kind = HAND_UNTIL, .what = location};
	struct run_thread *t, *helper;

	if (find_sent(l, thread, &t, &helper, err) < 0)
		return -1;
	step.thread = t ? run_thread_id(t) : thread;
	steps_begin_step(l, &step, t);
	interactive_forget_stops(l->run);
	l->sent.thread = t;
	l->sent.name = base_strdup(step.thread);
	if (stop_at_location(l, helper, location, REACH_ANY, NULL, err) < 0) {
		interactive_forget_stops(l->run);
		return -1;
	}
	return send_off(l, t, &step, "until", err);
}

/* ---- arrival ----------------------------------------------------------------------------- */

/* Moves the stop at a call or jump to its target, which is known now. */
static void step_follow(struct run *s, struct run_thread *t, uint64_t at,
			const struct arch_regs *regs)
{
	struct step_walk walk = walk_of(s, t);
	uint64_t to = step_target(t, at, regs);

	if (to)
		step_into(&walk, to);
	put_walked(&walk);
}

static bool reaches(const struct interactive_stop *stop, uint64_t at, uint64_t from)
{
	return stop->reach == REACH_ANY || (stop->reach == REACH_FRAME && (!from || at >= from)) ||
	       (stop->reach == REACH_AROUND && at > from);
}

/* A recursive call of the same function does not count as arrival. */
static bool step_is_there(struct run *s, struct run_thread *t, const struct tracee_site *site,
			  const struct arch_regs *regs)
{
	struct interactive_sent *sent = sent_of(s);
	bool there = false, call = false;
	uint64_t frame;

	steps_passes(interactive_of(s), t, site->addr);
	if (sent->name && !sent->thread && strcmp(sent->name, run_thread_id(t)) == 0)
		sent->thread = t;
	if (t != sent->thread)
		return false;
	frame = images_frame_at(images_at(run_process_of(t), site->addr), site->addr, regs);
	array_each(struct interactive_stop, stop, &sent->stops) {
		if (stop->address != site->addr)
			continue;
		stop->passed++;
		if (!reaches(stop, frame, sent->frame)) {
			call |= stop->reach == REACH_CALL;
			continue;
		}
		there = true;
		run_thread_sent(t, stop->scope);
	}
	if (call && !there)
		step_follow(s, t, site->addr, regs);
	return there;
}

static void send_came(struct run *s, struct run_thread *t, uint64_t address)
{
	steps_came(interactive_of(s), t, address);
	interactive_of(s)->came = t;
	run_set_halted(s, true);
}

static enum hit_answer step_hit(struct run *s, const struct act *a, const struct hit *h)
{
	(void)a;
	if (step_is_there(s, h->thread, h->site, &h->regs))
		send_came(s, h->thread, h->address);
	return HIT_SEEN;
}

static const struct site_owner step_owner = {.hit = step_hit};
