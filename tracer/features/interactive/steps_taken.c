/* Records the user's steps: where threads stood in each phase, and how often they arrived at
 * locations. */
#include "tracer/base/text/foreign.h"
#include "tracer/features/explain/explain.h"
#include "tracer/features/interactive/interactive_internal.h"
#include "tracer/tracee/threads/threads.h"

#include <stdio.h>
#include <string.h>

size_t *steps_parked_by(const struct run_thread *t)
{
	static const struct keeper keeper = {sizeof(size_t), NULL};

	return kept_make(run_thread_kept(t), &keeper);
}

static char *copy(const char *text)
{
	return text ? base_strdup(text) : NULL;
}

static void forget_counts(struct steps_watch *watch)
{
	array_each(struct steps_count, count, &watch->counts)
		base_free(count->thread);
	array_fini(&watch->counts);
	array_fini(&watch->addresses);
	watch->all = 0;
	watch->since = 0;
}

void steps_forget(struct steps_taken *h)
{
	array_each(struct steps_step, step, &h->steps) {
		base_free((char *)step->command);
		base_free((char *)step->thread);
		base_free((char *)step->what);
	}
	array_each(struct steps_phase, phase, &h->phases) {
		array_each(struct steps_stand, stand, &phase->stands) {
			base_free(stand->thread);
			base_free(stand->location);
		}
		array_fini(&phase->stands);
		array_fini(&phase->unbegun);
		array_fini(&phase->moving);
		array_each(struct steps_block, block, &phase->blocked)
			base_free(block->location);
		array_fini(&phase->blocked);
		base_free(phase->thread);
		base_free(phase->location);
		base_free(phase->words);
	}
	array_fini(&h->steps);
	array_fini(&h->phases);
	array_each(struct steps_watch, watch, &h->watches)
		forget_counts(watch);
}

void steps_fini(struct steps_taken *h)
{
	steps_forget(h);
	array_each(struct steps_watch, watch, &h->watches)
		base_free(watch->location);
	array_fini(&h->watches);
}

static const struct steps_stand *stand_of(const struct steps_phase *phase, const char *thread)
{
	array_each(const struct steps_stand, stand, &phase->stands)
		if (strcmp(stand->thread, thread) == 0)
			return stand;
	return NULL;
}

static struct steps_phase *last_phase(struct interactive *l)
{
	return l->taken.phases.count ? &l->taken.phases.items[l->taken.phases.count - 1] : NULL;
}

/* ---- position of a thread ---------------------------------------------------------------- */

/* True if the address is one of the location's sites. */
static bool steps_taken_is_at(struct interactive *l, const struct run_thread *t,
			      const char *location, uint64_t address)
{
	struct interactive_addresses here = {0};
	ERROR(ignored);
	bool found = false;

	interactive_addresses(l, run_process_of(t), location, &here, &ignored);
	array_each(const struct interactive_address, a, &here)
		found |= a->address == address;
	array_fini(&here);
	return found;
}

/* Returns the line as a script names it: by file name, or by path if several files have that name.
 * NULL if it has no site; else freed by the caller. */
static char *steps_taken_line_of(struct interactive *l, const struct run_thread *t,
				 const struct inspect_call *call)
{
	const char *paths[] = {str_base_name(call->file), call->file};
	struct source_sites sites = {0};
	ERROR(ignored);

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		STR(text);
		int failed;

		str_addf(&text, "%s:%u", paths[i], call->line);
		failed = interactive_resolve(l, run_process_of(t), str_text(&text), &sites,
					     &ignored);
		source_sites_fini(&sites);
		if (!failed)
			return str_take(&text);
	}
	return NULL;
}

static char *steps_taken_words_of(const struct inspect_call *call)
{
	struct str text = {0};

	if (call && call->file && call->line)
		str_addf(&text, "%s:%u", str_base_name(call->file), call->line);
	else
		str_addf(&text, "%s", call && call->function ? call->function : "unknown code");
	return str_take(&text);
}

/* A thread in a call made by a statement has not ended the statement. In the tester's innermost
 * code its position is by chance. */
static void find_middle(struct interactive *l, struct run_thread *t, struct steps_stand *out)
{
	const struct inspect_call *own = NULL;
	struct inspect_stack calls = {0};
	ERROR(ignored);

	if (interactive_calls(t, &calls, &ignored) == 0)
		for (size_t i = 0; i < calls.count && !own; i++)
			if (interactive_is_own(t, &calls.items[i]))
				own = &calls.items[i];
	out->position = POSITION_MIDDLE;
	out->location = own && own != calls.items ? steps_taken_line_of(l, t, own) : NULL;
	if (out->location)
		out->position = POSITION_CALL;
	else
		out->location = steps_taken_words_of(own || !calls.count ? own : calls.items);
	inspect_stack_fini(&calls);
}

static void find_position(struct interactive *l, struct run_thread *t, struct steps_stand *out)
{
	const struct steps_phase *before = last_phase(l);
	const struct steps_stand *stood = before ? stand_of(before, run_thread_id(t)) : NULL;

	if (stood) {
		out->position = stood->position;
		out->location = copy(stood->location);
	} else if (l->state == INTERACTIVE_READY) {
		out->position = POSITION_MAIN;
	} else if (run_thread_is_held(t)) {
		out->position = POSITION_GATE;
		out->location = copy(run_thread_hold(t)->place->location);
	} else if (l->came == t) {
		out->position = POSITION_SENT;
	} else {
		find_middle(l, t, out);
	}
}

/* ---- arrivals ---------------------------------------------------------------------------- */

enum { MOST_COUNTED = 10000 }; /* each costs a trap */

static struct steps_watch *watch_of(struct interactive *l, const char *location)
{
	array_each(struct steps_watch, watch, &l->taken.watches)
		if (strcmp(watch->location, location) == 0)
			return watch;
	return NULL;
}

static void set_watches(struct interactive *l)
{
	array_each(struct steps_watch, watch, &l->taken.watches) {
		watch->addresses.count = 0;
		if (watch->given_up)
			continue;
		run_each_process(p, l->run)
			interactive_count_at(l, p, watch->location, &watch->addresses);
	}
}

static struct steps_count *count_of(struct steps_watch *watch, const char *thread)
{
	array_each(struct steps_count, count, &watch->counts)
		if (strcmp(count->thread, thread) == 0)
			return count;
	*array_add(&watch->counts) = (struct steps_count){.thread = base_strdup(thread)};
	return &watch->counts.items[watch->counts.count - 1];
}

void steps_passes(struct interactive *l, const struct run_thread *t, uint64_t address)
{
	array_each(struct steps_watch, watch, &l->taken.watches) {
		bool here = false;

		array_each(const struct interactive_address, at, &watch->addresses)
			here |= at->address == address;
		if (!here)
			continue;
		count_of(watch, run_thread_id(t))->times++;
		watch->given_up |= ++watch->all > MOST_COUNTED;
	}
}

/* A thread that has not begun is counted from its start. */
static void begin_to_watch(struct interactive *l, const struct steps_step *step)
{
	struct steps_watch *watch = watch_of(l, step->what);

	if (watch)
		return;
	*array_add(&l->taken.watches) = (struct steps_watch){.location = base_strdup(step->what),
							     .since = l->taken.phases.count};
	if (step->since != SINCE_START)
		return;
	watch = watch_of(l, step->what);
	*array_add(&watch->counts) =
		(struct steps_count){base_strdup(step->thread), step->counts_here, true};
}

/* Returns 0 if the thread had begun before counting started, or there were too many arrivals. */
static unsigned hits_at(struct interactive *l, const struct run_thread *t, const char *location)
{
	struct steps_watch *watch = watch_of(l, location);
	const struct steps_count *count;

	if (!watch || watch->given_up)
		return 0;
	count = count_of(watch, run_thread_id(t));
	if (!count->known && watch->since &&
	    run_thread_index(t) < l->taken.phases.items[watch->since].threads)
		return 0;
	return count->times;
}

/* True if threads start in this module before their own code begins. */
static bool is_cradle(const struct module *m)
{
	static const char *const names[] = {"libc.so", "libpthread.so", "libstdc++.so",
					    "ld-linux-x86-64.so"};

	for (size_t i = 0; m && i < sizeof(names) / sizeof(*names); i++)
		if (module_matches(m, names[i]))
			return true;
	return !m;
}

/* True if code of its own has run: until then its stack has only libc and the loader. */
static bool has_begun(struct run_thread *t)
{
	struct inspect_stack calls = {0};
	ERROR(ignored);
	bool begun = strcmp(run_thread_engine(t)->start, "main") == 0 || run_thread_is_held(t) ||
		     interactive_calls(t, &calls, &ignored) < 0;

	array_each(const struct inspect_call, call, &calls)
		begun |= !is_cradle(call->frame.module) ||
			 (call->function &&
			  strcmp(call->function, run_thread_engine(t)->start) == 0);
	inspect_stack_fini(&calls);
	return begun;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static bool stood_at_start(struct interactive *l, struct run_thread *t)
{
	const struct steps_phase *before = last_phase(l);
	const struct steps_stand *stood = before ? stand_of(before, run_thread_id(t)) : NULL;

	if (stood && stood->position == POSITION_START)
		return true;
	if (run_thread_is_held(t))
		return strcmp(run_thread_hold(t)->place->location, run_thread_engine(t)->start) ==
		       0;
	return !has_begun(t);
}

void steps_begin_step(struct interactive *l, struct steps_step *step, struct run_thread *t)
{
	struct arch_regs regs;

	step->since = SINCE_NOW;
	if (!t || l->state == INTERACTIVE_READY) {
		step->since = SINCE_START;
		return;
	}
	if (stood_at_start(l, t))
		step->since = SINCE_START;
	else if (run_thread_parked(t) || run_thread_is_held(t) || l->came == t)
		step->since = SINCE_STOP;
	if (step->what && step->since != SINCE_NOW && tracee_regs(run_thread_tracee(t), &regs) == 0)
		step->counts_here = steps_taken_is_at(l, t, step->what, regs.dwarf[ARCH_DWARF_PC]);
}

void steps_add(struct interactive *l, const struct steps_step *step, const char *verb)
{
	struct steps_step *added = array_add(&l->taken.steps);
	struct str command = {0};

	if (step->kind == HAND_UNTIL)
		begin_to_watch(l, step);
	*added = *step;
	added->thread = copy(step->thread);
	added->what = copy(step->what);
	added->phase = l->taken.phases.count;
	str_add(&command, verb);
	if (step->thread)
		str_addf(&command, " %s", step->thread);
	if (step->what)
		str_addf(&command, " %s", step->what);
	added->command = str_take(&command);
}

/* ---- phases --------------------------------------------------------------------------------- */

void steps_goes(struct interactive *l)
{
	struct run *s = l->run;
	struct steps_phase phase = {
		.step = l->taken.steps.count ? l->taken.steps.count - 1 : 0,
		.threads = run_thread_count(s),
		.passes = 1,
	};

	run_each_thread(t, s) {
		struct steps_stand stand = {.step = run_thread_parked(t) ? *steps_parked_by(t)
									 : phase.step};

		if (!run_thread_lives(t) || (!run_thread_parked(t) && (!l->only || l->only == t)))
			continue;
		find_position(l, t, &stand);
		stand.thread = copy(run_thread_id(t));
		*array_add(&phase.stands) = stand;
	}
	*array_add(&l->taken.phases) = phase;
	set_watches(l);
}

/* Returns the number of arrivals at the sites of the line in this phase; 0 if some had no trap. */
static unsigned passes_of(struct interactive *l, const struct run_thread *t, const char *location)
{
	struct interactive_addresses here = {0};
	ERROR(ignored);
	unsigned sum = 0;
	bool all = interactive_addresses(l, run_process_of(t), location, &here, &ignored) == 0;

	array_each(const struct interactive_address, a, &here) {
		const struct interactive_stop *found = NULL;

		array_each(const struct interactive_stop, stop, &l->sent.stops)
			if (stop->address == a->address)
				found = stop;
		all = all && found;
		sum += found ? found->passed : 0;
	}
	array_fini(&here);
	return all ? sum : 0;
}

static void find_line(struct interactive *l, struct run_thread *t, uint64_t address,
		      struct steps_phase *phase)
{
	struct inspect_stack calls = {0};
	ERROR(ignored);
	char *line = NULL;

	if (interactive_calls(t, &calls, &ignored) == 0 && interactive_is_own(t, &calls.items[0]))
		line = steps_taken_line_of(l, t, &calls.items[0]);
	phase->words = steps_taken_words_of(calls.count ? &calls.items[0] : NULL);
	inspect_stack_fini(&calls);
	phase->passes = line && steps_taken_is_at(l, t, line, address) ? passes_of(l, t, line) : 0;
	if (phase->passes)
		phase->location = line;
	else
		base_free(line);
}

void steps_came(struct interactive *l, struct run_thread *t, uint64_t address)
{
	struct steps_phase *phase = last_phase(l);
	const struct steps_step *step = &l->taken.steps.items[phase->step];

	if (step->kind == HAND_LINE)
		find_line(l, t, address, phase);
	else
		phase->location = copy(step->what);
	if (step->kind == HAND_UNTIL)
		phase->hits = hits_at(l, t, step->what);
}

/* Threads created while only one thread went on have not begun. */
static void add_newborn(struct interactive *l, struct steps_phase *phase)
{
	for (size_t i = phase->threads; i < run_thread_count(l->run); i++) {
		struct run_thread *t = run_thread_at(l->run, i);

		if (run_thread_lives(t) && l->taken.steps.items[phase->step].kind == HAND_ONLY)
			*array_add(&phase->stands) = (struct steps_stand){
				.thread = copy(run_thread_id(t)),
				.step = phase->step,
				.position = POSITION_START,
			};
	}
}

static void note_block(struct interactive *l, struct run_thread *t, struct steps_phase *phase)
{
	struct steps_stand where = {0};

	find_middle(l, t, &where);
	if (where.position == POSITION_CALL)
		*array_add(&phase->blocked) =
			(struct steps_block){run_thread_index(t), where.location};
	else
		base_free(where.location);
}

/* A script can delay threads that have not begun, and can require that blocked threads are
 * blocked. */
static void look_at_others(struct interactive *l, struct steps_phase *phase)
{
	run_each_thread(t, l->run) {
		if (!run_thread_lives(t) || t == l->came || stand_of(phase, run_thread_id(t)))
			continue;
		if (!has_begun(t))
			*array_add(&phase->unbegun) = run_thread_index(t);
		else if (!run_thread_is_held(t) && l->state != INTERACTIVE_REST &&
			 judged_of(t)->look.activity != TRACEE_BLOCKED)
			*array_add(&phase->moving) = run_thread_index(t);
		else if (!run_thread_is_held(t))
			note_block(l, t, phase);
	}
}

void steps_stops(struct interactive *l)
{
	struct steps_phase *phase = last_phase(l);

	phase->end = l->state;
	phase->threads_then = run_thread_count(l->run);
	array_each(struct steps_stand, stand, &phase->stands) {
		const struct run_thread *t = interactive_find_id(l, stand->thread);

		stand->still_held = t && run_thread_is_held(t);
	}
	add_newborn(l, phase);
	if (l->state == INTERACTIVE_THERE) {
		phase->thread = copy(run_thread_id(l->came));
		phase->at_gate = run_thread_is_held(l->came);
		look_at_others(l, phase);
		/* A thread that arrives where it was sent stays there, unless a gate holds it. */
		if (!phase->at_gate) {
			run_thread_park(l->came, PARKED_STAYS);
			*steps_parked_by(l->came) = phase->step;
		}
	} else if (l->state == INTERACTIVE_GONE) {
		phase->thread = copy(l->taken.steps.items[phase->step].thread);
	}
}

/* ---- for the script ---------------------------------------------------------------------- */

bool steps_are_without(const struct interactive_saving *how, size_t step)
{
	array_each(const size_t, number, &how->without)
		if (*number == step + 1)
			return true;
	return false;
}

void steps_story(const struct steps_taken *h, const struct interactive_saving *how, struct str *out)
{
	bool any = false;

	array_each(const struct steps_step, step, &h->steps)
		any |= step->kind != HAND_RUN;
	if (!any)
		return;
	foreign_lua_comment(out, "by hand:");
	for (size_t n = 0; n < h->steps.count; n++)
		foreign_lua_comment(out, " %2zu  %s%s", n + 1, h->steps.items[n].command,
				    steps_are_without(how, n) ? "  (left out)" : "");
}

void interactive_saving_fini(struct interactive_saving *how)
{
	array_fini(&how->without);
	str_fini(&how->before);
	str_fini(&how->behind);
	str_fini(&how->notes);
}
