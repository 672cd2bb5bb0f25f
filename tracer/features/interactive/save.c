/* Writes the user's steps as a script. Each end of a phase becomes a gate, see README.md. */
#include "tracer/features/interactive/interactive_internal.h"

#include "tracer/base/text/foreign.h"
#include "tracer/synth/script/script.h"

#include <string.h>

enum { NEVER = -1 };

/* A thread that stands from the first of its phases to the last. */
struct standing {
	long from, to;
	const struct steps_stand *stand;
};

struct saving {
	const struct interactive *interactive;
	const struct steps_taken *taken;
	struct interactive_saving *how;
	bool in_table; /* gates are fields of a table: they exceed Lua's limit of locals */
	bool *needed;  /* by phase: its end needs a gate */
	/* by phase: the thread that arrived at its end stays to the end of this phase; or NEVER */
	long *stays;
	ARRAY(struct standing) standing;
	struct str gates, places, orders, rests;
	struct error *err;
};

/* ---- the record -------------------------------------------------------------------------- */

static const struct steps_phase *phase_at(const struct saving *v, long p)
{
	return &v->taken->phases.items[p];
}

static long phase_count(const struct saving *v)
{
	return (long)v->taken->phases.count;
}

/* Returns p, or the last phase before it whose end is in the script; NEVER for the program's
 * start. */
static long told_phase(const struct saving *v, long p)
{
	while (p >= 0 && phase_at(v, p)->end == INTERACTIVE_THERE &&
	       steps_are_without(v->how, phase_at(v, p)->step))
		p--;
	return p;
}

/* Returns the thread's stand in phase p, or NULL. */
static const struct steps_stand *stand_in(const struct saving *v, long p, const char *thread)
{
	array_each(const struct steps_stand, stand, &phase_at(v, p)->stands)
		if (strcmp(stand->thread, thread) == 0 && !steps_are_without(v->how, stand->step))
			return stand;
	return NULL;
}

static void find_standing(struct saving *v)
{
	for (long p = 0; p < phase_count(v); p++)
		array_each(const struct steps_stand, stand, &phase_at(v, p)->stands) {
			long to = p;

			if (steps_are_without(v->how, stand->step) ||
			    (p && stand_in(v, p - 1, stand->thread)))
				continue;
			while (to + 1 < phase_count(v) && stand_in(v, to + 1, stand->thread))
				to++;
			*array_add(&v->standing) = (struct standing){p, to, stand};
		}
}

/* True if the step, at the stop after phase p, opens a gate or lets a thread past its gate. */
static bool is_deed(const struct saving *v, const struct steps_step *step, long p)
{
	return (long)step->phase == p + 1 && (step->kind == HAND_OPEN || step->passes) &&
	       !steps_are_without(v->how, (size_t)(step - v->taken->steps.items));
}

/* `at_rest`: only steps that a script can take at rest alone: letting a thread past a gate, opening
 * a gate that has no variable. */
static bool has_deed(const struct saving *v, long p, bool at_rest)
{
	array_each(const struct steps_step, step, &v->taken->steps)
		if (is_deed(v, step, p) && (!at_rest || step->passes || phase_at(v, p)->at_gate ||
					    !v->how->is_variable(v->how->ctx, step->what)))
			return true;
	return false;
}

/* True if the script takes phase p to end when no thread can move. */
static bool ends_at_rest(const struct saving *v, long p)
{
	enum interactive_state end = phase_at(v, p)->end;

	return end == INTERACTIVE_REST || end == INTERACTIVE_QUIET || end == INTERACTIVE_LOOK ||
	       (end == INTERACTIVE_THERE && has_deed(v, p, true)) ||
	       (end == INTERACTIVE_GONE && has_deed(v, p, false));
}

/* True if the thread stood until the end of phase p or arrived then: what it does next is later. */
static bool comes_behind(const struct saving *v, long p, const char *thread)
{
	return stand_in(v, p, thread) || (phase_at(v, p)->end == INTERACTIVE_THERE &&
					  strcmp(phase_at(v, p)->thread, thread) == 0);
}

static bool is_named(const struct saving *v, size_t thread)
{
	const char *id = run_thread_id(run_thread_at(v->interactive->run, thread));

	array_each(const struct steps_step, step, &v->taken->steps)
		if (step->thread && strcmp(step->thread, id) == 0)
			return true;
	return false;
}

/* Returns the last phase, with an arrival or with standing threads, at whose end this thread had
 * not begun, so it has to begin later. NEVER if there is none. */
static long begins_after(const struct saving *v, const struct run_thread *t)
{
	for (long p = phase_count(v) - 1; p >= 0 && strchr(run_thread_id(t), '#'); p--) {
		const struct steps_phase *phase = phase_at(v, p);

		if (phase->end == INTERACTIVE_THERE
			    ? told_phase(v, p) != p || !phase->location
			    : phase->end != INTERACTIVE_REST || !phase->stands.count)
			continue;
		if (run_thread_index(t) >= phase->threads_then)
			return p;
		array_each(const size_t, index, &phase->unbegun)
			if (*index == run_thread_index(t))
				return p;
	}
	return NEVER;
}

/* Returns the number of arrivals since the thread's start; 0: known only since it was released. */
static unsigned hits_of(const struct saving *v, long p)
{
	const struct steps_phase *phase = phase_at(v, p);
	const struct steps_step *step = &v->taken->steps.items[phase->step];

	if (phase->hits || (step->since == SINCE_STOP && told_phase(v, p - 1) >= 0))
		return phase->hits;
	return phase->passes + step->counts_here;
}

/* ---- which gates are needed ----------------------------------------------------------------- */

static int __attribute__((format(printf, 3, 4)))
refuse_step(struct saving *v, size_t step, const char *fmt, ...)
{
	va_list ap;

	v->how->refused = step + 1;
	va_start(ap, fmt);
	error_vset(v->err, ERROR_USAGE, fmt, ap);
	va_end(ap);
	return error_prefix(v->err, "a script cannot express step %zu, `%s`: ", step + 1,
			    v->taken->steps.items[step].command);
}

static void need(struct saving *v, long p)
{
	p = told_phase(v, p);
	if (p >= 0)
		v->needed[p] = true;
}

static bool is_held_throughout(const struct saving *v, const struct standing *s)
{
	for (long i = s->from; i <= s->to; i++)
		if (!stand_in(v, i, s->stand->thread)->still_held)
			return false;
	return true;
}

static int need_for_standing(struct saving *v, const struct standing *s)
{
	const struct steps_stand *stand = s->stand;
	long p = s->from;

	switch (stand->position) {
	case POSITION_SENT:
		if (p == 0 || told_phase(v, p - 1) != p - 1)
			return refuse_step(v, stand->step,
					   "%s is where a step that is left out has sent it",
					   stand->thread);
		v->stays[p - 1] = s->to;
		break;
	case POSITION_GATE:
		if (is_held_throughout(v, s))
			return 0;
		need(v, p - 1);
		break;
	case POSITION_CALL:
		need(v, p - 1);
		break;
	case POSITION_MAIN:
	case POSITION_START:
		break;
	case POSITION_MIDDLE:
		return refuse_step(v, stand->step, "%s was in the middle of %s, by chance",
				   stand->thread, stand->location);
	}
	need(v, s->to);
	return 0;
}

/* True if the script has a place for the thread that arrived at the end of phase p. */
static bool is_told_there(const struct saving *v, long p)
{
	return phase_at(v, p)->end == INTERACTIVE_THERE && told_phase(v, p) == p &&
	       (v->needed[p] || v->stays[p] != NEVER || has_deed(v, p, false));
}

static int need_for_there(struct saving *v, long p)
{
	const struct steps_phase *phase = phase_at(v, p);
	long before = told_phase(v, p - 1);

	if (!phase->location)
		return refuse_step(v, phase->step, "%s got to %s, which is no location of a script",
				   phase->thread, phase->words ? phase->words : "unknown code");
	v->needed[p] |= ends_at_rest(v, p);
	if (before >= 0 && (!hits_of(v, p) || !comes_behind(v, before, phase->thread)))
		need(v, before);
	return 0;
}

/* Goes backwards, since each phase may need earlier ones. */
static int find_needed(struct saving *v)
{
	array_each(const struct standing, s, &v->standing)
		if (need_for_standing(v, s) < 0)
			return -1;
	run_each_thread(t, v->interactive->run)
		need(v, begins_after(v, t));
	for (long p = phase_count(v) - 1; p >= 0; p--)
		if (is_told_there(v, p) && need_for_there(v, p) < 0)
			return -1;
	return 0;
}

/* ---- gates ------------------------------------------------------------------------------- */

/* Appends WORD3, or WORD[3] if gates are fields of a table. */
static void gate_name(const struct saving *v, long p, struct str *out)
{
	str_addf(out, v->in_table ? "%s[%zu]" : "%s%zu", v->how->word, phase_at(v, p)->step + 1);
}

/* Each phase has at most a gate and a counter. */
static void add_gates(struct saving *v)
{
	size_t locals = v->how->locals;

	for (long p = 0; p < phase_count(v); p++)
		locals += v->needed[p] ? 2 : 1;
	v->in_table = locals > SCRIPT_MOST_LOCALS;
	v->how->gates = 0;
	if (v->in_table)
		str_addf(&v->gates, "local %s = {}\n", v->how->word);
	for (long p = 0; p < phase_count(v); p++) {
		if (!v->needed[p])
			continue;
		v->how->gates++;
		str_add(&v->gates, v->in_table ? "" : "local ");
		gate_name(v, p, &v->gates);
		str_addf(&v->gates, " = SimpleGate \"%s %zu\"\n", v->how->word,
			 phase_at(v, p)->step + 1);
	}
}

/* `inside`: in the body of a function. */
static void add_verb(struct saving *v, struct str *out, const char *verb, long p, bool inside)
{
	p = told_phase(v, p);
	if (p < 0)
		return;
	if (!inside)
		str_addf(out, " :%s(", verb);
	else
		str_add(out, "\t\t");
	gate_name(v, p, out);
	if (inside)
		str_addf(out, ":%s()\n", verb);
	else
		str_add(out, ")");
}

/* Adds a place that waits for the gate of phase p, or opens it. */
static void add_gate_place(struct saving *v, const struct script_place *place, const char *verb,
			   long p)
{
	script_place(place, &v->places);
	add_verb(v, &v->places, verb, p, false);
	str_add(&v->places, "\n");
}

/* ---- arrivals ------------------------------------------------------------------------------- */

/* Adds the verbs of the thread that arrives at the end of phase p. */
static void add_verbs(struct saving *v, struct str *out, long p, bool inside)
{
	long before = told_phase(v, p - 1);

	if (before >= 0 && !comes_behind(v, before, phase_at(v, p)->thread))
		add_verb(v, out, "wait", before, inside);
	if (ends_at_rest(v, p))
		add_verb(v, out, "wait", p, inside);
	else if (v->needed[p])
		add_verb(v, out, "open", p, inside);
	array_each(const struct steps_step, step, &v->taken->steps)
		if (is_deed(v, step, p) && !ends_at_rest(v, p))
			str_addf(out, inside ? "\t\t%s:open()\n" : " :open(%s)", step->what);
	if (v->stays[p] != NEVER)
		add_verb(v, out, "wait", v->stays[p], inside);
}

/* Counts arrivals from the moment of release. */
static void add_counted(struct saving *v, struct str *out, long p, const struct script_place *place,
			unsigned nth)
{
	STR(count);

	if (v->in_table)
		str_addf(&count, "%s.", v->how->word);
	str_addf(&count, "count%zu", phase_at(v, p)->step + 1);
	str_addf(out, "%s%s = 0\n", v->in_table ? "" : "local ", str_text(&count));
	script_place(place, out);
	str_addf(out, " :run(function()\n\t%s = %s + (", str_text(&count), str_text(&count));
	gate_name(v, told_phase(v, p - 1), out);
	str_addf(out, ".is_open and 1 or 0)\n\tif %s == %u then\n", str_text(&count), nth);
	add_verbs(v, out, p, true);
	str_add(out, "\tend\nend)\n");
}

/* Threads that were blocked at the end of p must be blocked first, if the user named them. */
static void add_blocked(struct saving *v, long p, struct str *out)
{
	const struct steps_phase *phase = phase_at(v, p);
	STR(end);
	bool any = false;

	str_addf(&end, "end of %s %zu", v->how->word, phase->step + 1);
	array_each(const struct steps_block, block, &phase->blocked) {
		STR(order);

		if (!is_named(v, block->thread))
			continue;
		any = true;
		str_addf(&order, "['%s'@%s] -> %s", block->location,
			 run_thread_id(run_thread_at(v->interactive->run, block->thread)),
			 str_text(&end));
		str_add(&v->orders, "order(");
		foreign_lua_string(&v->orders, str_text(&order));
		str_add(&v->orders, ")\n");
	}
	if (any)
		str_addf(out, " :event(\"%s\")", str_text(&end));
}

static void add_there(struct saving *v, long p)
{
	const struct steps_phase *phase = phase_at(v, p);
	const struct steps_step *step = &v->taken->steps.items[phase->step];
	struct str *out = phase->at_gate ? &v->how->before : &v->places;
	struct script_place place = {
		.location = phase->location, .thread = phase->thread, .hit = hits_of(v, p)};

	if (!place.hit) {
		add_counted(v, out, p, &place, phase->passes + step->counts_here);
		return;
	}
	script_place(&place, out);
	add_blocked(v, p, out);
	add_verbs(v, out, p, false);
	str_add(out, "\n");
	if (!phase->hits && step->since == SINCE_NOW)
		str_addf(&v->how->notes,
			 "note: step %zu, `%s`: whether %s had been there before is not known, the "
			 "script takes the first time (after a `restart` that is counted)\n",
			 phase->step + 1, step->command, phase->thread);
}

/* ---- stands --------------------------------------------------------------------------------- */

/* Keeps the thread at its place from one gate to the other, whether it is there already or arrives
 * later. */
static void add_window(struct saving *v, const struct standing *s)
{
	const struct script_place place = {
		.location = s->stand->location,
		.thread = s->stand->thread,
		.after = s->stand->position == POSITION_CALL,
		.optional = true,
	};
	long from = told_phase(v, s->from - 1), to = told_phase(v, s->to);
	struct str *out = &v->places;

	if (to < 0)
		return;
	script_place(&place, out);
	str_add(out, " :when(function()\n\treturn ");
	if (from >= 0) {
		str_add(out, "not ");
		gate_name(v, from, out);
		str_add(out, ".is_open or ");
	}
	gate_name(v, to, out);
	str_add(out, ".is_open\nend)\n");
}

static void add_standing(struct saving *v, const struct standing *s)
{
	bool starts = s->stand->position == POSITION_START;
	const struct script_place begin = {
		.kind = starts ? SCRIPT_THREAD_START : SCRIPT_LOCATION,
		.location = "main",
		.thread = s->stand->thread,
		.hit = 1,
	};

	switch (s->stand->position) {
	case POSITION_SENT: /* written by add_there() */
	case POSITION_MIDDLE:
		return;
	case POSITION_GATE:
	case POSITION_CALL:
		if (s->stand->position == POSITION_CALL || !is_held_throughout(v, s))
			add_window(v, s);
		return;
	case POSITION_MAIN:
	case POSITION_START:
		add_gate_place(v, &begin, "wait", s->to);
	}
}

/* ---- rests ---------------------------------------------------------------------------------- */

static void add_deeds(const struct saving *v, struct str *out, long p)
{
	array_each(const struct steps_step, step, &v->taken->steps) {
		if (!is_deed(v, step, p))
			continue;
		str_add(out, step->kind == HAND_OPEN ? " :open " : " :release ");
		foreign_lua_string(out, step->kind == HAND_OPEN ? step->what : step->thread);
	}
}

/* A script cannot act while a thread can still move: such steps are taken at rest as well. */
static void add_rest(struct saving *v, long p)
{
	const struct steps_phase *phase = phase_at(v, p);
	bool moved = phase->end == INTERACTIVE_QUIET || phase->end == INTERACTIVE_LOOK;

	str_add(&v->rests, "on \"rest\"");
	if (v->needed[p])
		add_verb(v, &v->rests, "open", p, false);
	add_deeds(v, &v->rests, p);
	str_add(&v->rests,
		moved ? " -- by hand it was done while a thread could still move\n" : "\n");
	if (moved)
		str_addf(&v->how->notes,
			 "note: what followed step %zu, `%s`, was done while a thread could still "
			 "move; the script does it when no thread can\n",
			 phase->step + 1, v->taken->steps.items[phase->step].command);
}

static void add_end(struct saving *v, long p)
{
	const struct steps_phase *phase = phase_at(v, p);
	bool gone = phase->end == INTERACTIVE_GONE;
	const struct script_place end = {.kind = gone ? SCRIPT_THREAD_EXIT : SCRIPT_EXIT,
					 .thread = gone ? phase->thread : NULL,
					 .optional = !gone};

	if (is_told_there(v, p))
		add_there(v, p);
	if (told_phase(v, p) == p && ends_at_rest(v, p)) {
		if (v->needed[p] || has_deed(v, p, false))
			add_rest(v, p);
	} else if ((gone || phase->end == INTERACTIVE_ENDED) && v->needed[p]) {
		add_gate_place(v, &end, "open", p);
	}
}

/* Steps before the program's own code: a gate with a variable is opened directly. */
static void add_ready(struct saving *v)
{
	STR(deeds);

	array_each(const struct steps_step, step, &v->taken->steps) {
		if (!is_deed(v, step, NEVER))
			continue;
		if (v->how->is_variable(v->how->ctx, step->what))
			str_addf(&v->places, "%s:open()\n", step->what);
		else
			add_deeds(v, &deeds, NEVER);
	}
	if (deeds.length)
		str_addf(&v->rests, "on \"rest\"%s -- by hand it was done before the start\n",
			 str_text(&deeds));
}

/* ---- the script -------------------------------------------------------------------------- */

/* Notes only threads that the user named. */
static void note_who_moved(const struct saving *v)
{
	array_each(const struct steps_phase, phase, &v->taken->phases)
		array_each(const size_t, index, &phase->moving) {
			if (!is_named(v, *index))
				continue;
			str_addf(
				&v->how->notes,
				"note: at the end of step %zu, `%s`, %s was on its way: how far it "
				"had come was chance, and is not in the script\n",
				phase->step + 1, v->taken->steps.items[phase->step].command,
				run_thread_id(run_thread_at(v->interactive->run, *index)));
			return;
		}
}

static void note_who_stands(const struct saving *v)
{
	run_each_thread(t, v->interactive->run)
		if (run_thread_lives(t) && run_thread_parked(t) &&
		    v->interactive->state != INTERACTIVE_ENDED)
			str_addf(&v->how->notes,
				 "note: %s is still held by hand; the script "
				 "lets it go on\n",
				 run_thread_id(t));
}

static void write_steps(struct saving *v)
{
	struct interactive_saving *how = v->how;
	const struct standing *s = v->standing.items;
	struct str top = {0};

	add_gates(v);
	add_ready(v);
	run_each_thread(t, v->interactive->run) {
		const struct script_place begin = {
			.kind = SCRIPT_THREAD_START, .thread = run_thread_id(t), .optional = true};
		long p = begins_after(v, t);

		if (p != NEVER)
			add_gate_place(v, &begin, "wait", p);
	}
	for (long p = 0; p < phase_count(v); p++) {
		for (; s < v->standing.items + v->standing.count && s->from == p; s++)
			add_standing(v, s);
		add_end(v, p);
	}
	steps_story(v->taken, how, &top);
	str_addf(&top, "%s%s", str_text(&v->gates), str_text(&how->before));
	str_fini(&how->before);
	how->before = top;
	str_addf(&how->behind, "%s%s%s", str_text(&v->places), str_text(&v->orders),
		 str_text(&v->rests));
	note_who_moved(v);
	note_who_stands(v);
}

int interactive_save(struct interactive *l, struct interactive_saving *how, struct error *err)
{
	size_t count = l->taken.phases.count;
	struct saving v = {.interactive = l, .taken = &l->taken, .how = how, .err = err};
	int failed;

	v.needed = base_alloc(count + 1, sizeof(*v.needed));
	v.stays = base_alloc(count + 1, sizeof(*v.stays));
	for (size_t p = 0; p < count; p++)
		v.stays[p] = NEVER;
	how->refused = 0;
	find_standing(&v);
	failed = find_needed(&v);
	if (!failed)
		write_steps(&v);
	base_free(v.needed);
	base_free(v.stays);
	array_fini(&v.standing);
	str_fini(&v.gates);
	str_fini(&v.places);
	str_fini(&v.orders);
	str_fini(&v.rests);
	return failed;
}
