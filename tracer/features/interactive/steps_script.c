/*
 * The user's steps as a script. The end of a phase is a gate: a thread that stood through phases p
 * to q waits for the gate of q, at the place where it stood. The gate is opened by what ended the
 * phase: the thread that arrived where it was sent, or that nobody could move (on "rest").
 */
#include "tracer/features/interactive/steps_saving.h"

#include "tracer/base/text/foreign.h"

#include <string.h>

/* ---- words ---------------------------------------------------------------------------------- */

/* WORD3; or WORD[3], where gates are fields of a table. */
static void gate_name(const struct saving *v, long p, struct str *out)
{
	str_addf(out, v->in_table ? "%s[%zu]" : "%s%zu", v->how->word,
		 steps_phase_at(v, p)->step + 1);
}

static void count_name(const struct saving *v, const struct steps_phase *phase, struct str *out)
{
	if (v->in_table)
		str_addf(out, "%s.", v->how->word);
	str_addf(out, "count%zu", phase->step + 1);
}

/* Each phase has a gate and a count at most. */
static bool needs_table(const struct saving *v)
{
	size_t locals = v->how->locals;

	for (size_t p = 0; p < v->taken->phases.count; p++)
		locals += v->needed[p] ? 2 : 1;
	return locals > INTERACTIVE_MOST_LOCALS;
}

static void add_gates(struct saving *v)
{
	if (v->in_table)
		str_addf(&v->gates, "local %s = {}\n", v->how->word);
	for (long p = 0; p < (long)v->taken->phases.count; p++) {
		if (!v->needed[p])
			continue;
		str_add(&v->gates, v->in_table ? "" : "local ");
		gate_name(v, p, &v->gates);
		str_addf(&v->gates, " = SimpleGate \"%s %zu\"\n", v->how->word,
			 steps_phase_at(v, p)->step + 1);
	}
}

static void add_verb(struct saving *v, struct str *out, const char *verb, long p, bool inside)
{
	p = steps_told(v, p);
	if (p < 0)
		return;
	if (inside) {
		str_add(out, "\t\t");
		gate_name(v, p, out);
		str_addf(out, ":%s()\n", verb);
	} else {
		str_addf(out, " :%s(", verb);
		gate_name(v, p, out);
		str_add(out, ")");
	}
}

static void add_beginnings(struct saving *v)
{
	array_each(struct run_thread *, it, &v->interactive->run.threads) {
		long p = steps_begins_after(v, *it);

		if (p == NEVER)
			continue;
		str_add(&v->places, "on(\"thread-start\", { thread = ");
		foreign_lua_string(&v->places, (*it)->engine->id);
		str_add(&v->places, ", optional = true })");
		add_verb(v, &v->places, "wait", p, false);
		str_add(&v->places, "\n");
	}
}

/* What the thread does on its arrival at the end of phase p. */
static void add_verbs(struct saving *v, struct str *out, long p, bool inside)
{
	const struct steps_phase *phase = steps_phase_at(v, p);
	long before = steps_told(v, p - 1);

	if (before >= 0 && !steps_is_behind(v, before, phase->thread))
		add_verb(v, out, "wait", before, inside);
	if (steps_ends_at_rest(v, p))
		add_verb(v, out, "wait", p, inside);
	else if (v->needed[p])
		add_verb(v, out, "open", p, inside);
	array_each(const struct steps_step, step, &v->taken->steps)
		if (steps_is_deed(v, step, p) && !steps_ends_at_rest(v, p))
			str_addf(out, inside ? "\t\t%s:open()\n" : " :open(%s)", step->what);
	if (v->stays[p] != NEVER)
		add_verb(v, out, "wait", v->stays[p], inside);
}

static void add_at(struct str *out, const char *location, const char *thread)
{
	str_add(out, "at(");
	foreign_lua_string(out, location);
	str_add(out, ", { thread = ");
	foreign_lua_string(out, thread);
}

/* Counted from the moment when it was let go. */
static void add_counted(struct saving *v, struct str *out, long p, unsigned nth)
{
	const struct steps_phase *phase = steps_phase_at(v, p);
	struct str count = {0};

	count_name(v, phase, &count);
	str_addf(out, "%s%s = 0\n", v->in_table ? "" : "local ", str_text(&count));
	add_at(out, phase->location, phase->thread);
	str_addf(out, " }) :run(function()\n\t%s = %s + (", str_text(&count), str_text(&count));
	gate_name(v, steps_told(v, p - 1), out);
	str_addf(out, ".is_open and 1 or 0)\n\tif %s == %u then\n", str_text(&count), nth);
	add_verbs(v, out, p, true);
	str_add(out, "\tend\nend)\n");
	str_fini(&count);
}

/* Threads that were blocked by then have to be blocked first; only those that the user named
   count. */
static void add_blocked(struct saving *v, long p, struct str *out)
{
	const struct steps_phase *phase = steps_phase_at(v, p);
	bool any = false;

	array_each(const struct steps_block, block, &phase->blocked) {
		const struct run_thread *t = v->interactive->run.threads.items[block->thread];
		struct str order = {0};

		if (!steps_is_named(v, t))
			continue;
		if (!any)
			str_addf(out, " :event(\"end of %s %zu\")", v->how->word, phase->step + 1);
		any = true;
		str_addf(&order, "['%s'@%s] -> end of %s %zu", block->location, t->engine->id,
			 v->how->word, phase->step + 1);
		str_add(&v->orders, "order(");
		foreign_lua_string(&v->orders, str_text(&order));
		str_add(&v->orders, ")\n");
		str_fini(&order);
	}
}

static void add_there(struct saving *v, long p)
{
	const struct steps_phase *phase = steps_phase_at(v, p);
	const struct steps_step *step = &v->taken->steps.items[phase->step];
	struct str *out = phase->at_gate ? &v->how->before : &v->places;
	unsigned hits = steps_hits_of(v, p);

	if (!hits) {
		add_counted(v, out, p, phase->passes + step->counts_here);
		return;
	}
	add_at(out, phase->location, phase->thread);
	str_addf(out, ", hit = %u })", hits);
	add_blocked(v, p, out);
	add_verbs(v, out, p, false);
	str_add(out, "\n");
	if (!phase->hits && step->since == SINCE_NOW)
		str_addf(&v->how->notes,
			 "note: step %zu, `%s`: whether %s had been there before is not known, the "
			 "script takes the first time (after a `restart` that is counted)\n",
			 phase->step + 1, step->command, phase->thread);
}

/* From one end to the other it does not leave its place, whether it is there already or still
   comes. */
static void add_window(struct saving *v, long p, long q, const struct steps_stand *stand)
{
	long from = steps_told(v, p - 1), to = steps_told(v, q);
	struct str *out = &v->places;

	if (to < 0)
		return;
	add_at(out, stand->location, stand->thread);
	str_addf(out, "%s, optional = true }) :when(function()\n\treturn ",
		 stand->position == POSITION_CALL ? ", after = true" : "");
	if (from >= 0) {
		str_add(out, "not ");
		gate_name(v, from, out);
		str_add(out, ".is_open or ");
	}
	gate_name(v, to, out);
	str_add(out, ".is_open\nend)\n");
}

static void add_stand(struct saving *v, long p, const struct steps_stand *stand)
{
	long q = steps_stands_until(v, p, stand->thread);
	struct str *out = &v->places;

	switch (stand->position) {
	case POSITION_SENT: /* add_there() */
	case POSITION_MIDDLE:
		return;
	case POSITION_GATE:
		if (steps_is_held_throughout(v, p, q, stand->thread))
			return;
		add_window(v, p, q, stand);
		return;
	case POSITION_CALL:
		add_window(v, p, q, stand);
		return;
	case POSITION_MAIN:
		str_add(out, "at(\"main\", { thread = ");
		break;
	case POSITION_START:
		str_add(out, "on(\"thread-start\", { thread = ");
		break;
	}
	foreign_lua_string(out, stand->thread);
	str_add(out, ", hit = 1 })");
	add_verb(v, out, "wait", q, false);
	str_add(out, "\n");
}

static void add_deeds(const struct saving *v, struct str *out, long p)
{
	array_each(const struct steps_step, step, &v->taken->steps) {
		if (!steps_is_deed(v, step, p))
			continue;
		str_add(out, step->kind == HAND_OPEN ? " :open " : " :release ");
		foreign_lua_string(out, step->kind == HAND_OPEN ? step->what : step->thread);
	}
}

/* For when nobody can move. What was done while somebody could is put there, too: a script knows no
   such moment. */
static void add_rest(struct saving *v, long p)
{
	const struct steps_phase *phase = steps_phase_at(v, p);
	bool moved = phase->end == INTERACTIVE_QUIET || phase->end == INTERACTIVE_LOOK;

	str_add(&v->rests, "on \"rest\"");
	if (v->needed[p])
		add_verb(v, &v->rests, "open", p, false);
	add_deeds(v, &v->rests, p);
	str_add(&v->rests,
		moved ? " -- by hand it was done while somebody could still move\n" : "\n");
	if (moved)
		str_addf(&v->how->notes,
			 "note: what followed step %zu, `%s`, was done while somebody could still "
			 "move; the script does it when nobody can\n",
			 phase->step + 1, v->taken->steps.items[phase->step].command);
}

static void steps_script_add_end(struct saving *v, long p)
{
	const struct steps_phase *phase = steps_phase_at(v, p);

	if (steps_is_told_there(v, p))
		add_there(v, p);
	if (steps_told(v, p) == p && steps_ends_at_rest(v, p)) {
		if (v->needed[p] || steps_has_deed(v, p))
			add_rest(v, p);
	} else if (phase->end == INTERACTIVE_GONE && v->needed[p]) {
		str_add(&v->places, "on(\"thread-exit\", { thread = ");
		foreign_lua_string(&v->places, phase->thread);
		str_add(&v->places, " })");
		add_verb(v, &v->places, "open", p, false);
		str_add(&v->places, "\n");
	} else if (phase->end == INTERACTIVE_ENDED && v->needed[p]) {
		str_add(&v->places, "on(\"exit\", { optional = true })");
		add_verb(v, &v->places, "open", p, false);
		str_add(&v->places, "\n");
	}
}

/* What was done before the program's own code ran: a gate with a name in Lua is simply opened. */
static void add_ready(struct saving *v)
{
	array_each(const struct steps_step, step, &v->taken->steps) {
		if (!steps_is_deed(v, step, -1))
			continue;
		if (v->how->is_variable(v->how->ctx, step->what))
			str_addf(&v->places, "%s:open()\n", step->what);
		else
			add_deeds(v, &v->rests, -1);
	}
	if (v->rests.length) {
		struct str line = {0};

		str_addf(&line, "on \"rest\"%s -- by hand it was done before the start\n",
			 str_text(&v->rests));
		str_fini(&v->rests);
		v->rests = line;
	}
}

/* How far other threads were when one arrived is said only of those that the user named. */
static void note_who_moved(const struct saving *v)
{
	array_each(const struct steps_phase, phase, &v->taken->phases) {
		array_each(const size_t, index, &phase->moving) {
			const struct run_thread *t = v->interactive->run.threads.items[*index];

			if (!steps_is_named(v, t))
				continue;
			str_addf(
				&v->how->notes,
				"note: at the end of step %zu, `%s`, %s was on its way: how far it "
				"had come was chance, and is not in the script\n",
				phase->step + 1, v->taken->steps.items[phase->step].command,
				t->engine->id);
			return;
		}
	}
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void add_story(const struct saving *v, struct str *out)
{
	bool any = false;

	array_each(const struct steps_step, step, &v->taken->steps)
		any |= step->kind != HAND_RUN;
	if (!any)
		return;
	foreign_lua_comment(out, "by hand:");
	array_each(const struct steps_step, step, &v->taken->steps) {
		size_t n = (size_t)(step - v->taken->steps.items);

		foreign_lua_comment(out, " %2zu  %s%s", n + 1, step->command,
				    steps_is_left_out(v, n) ? "  (left out)" : "");
	}
}

static void note_who_stands(const struct saving *v)
{
	array_each(struct run_thread *, it, &v->interactive->run.threads)
		if ((*it)->tracee && (*it)->parked && v->interactive->state != INTERACTIVE_ENDED)
			str_addf(&v->how->notes,
				 "note: %s still stands where it was stopped by hand; the script "
				 "lets it go on\n",
				 (*it)->engine->id);
}

static void steps_script_write_all(struct saving *v)
{
	struct interactive_saving *how = v->how;
	struct str top = {0};

	v->in_table = needs_table(v);
	add_ready(v);
	add_beginnings(v);
	for (long p = 0; p < (long)v->taken->phases.count; p++) {
		array_each(const struct steps_stand, stand, &steps_phase_at(v, p)->stands)
			if (steps_begins(v, p, stand))
				add_stand(v, p, stand);
		steps_script_add_end(v, p);
	}
	add_gates(v);
	add_story(v, &top);
	str_addf(&top, "%s%s", str_text(&v->gates), str_text(&how->before));
	str_fini(&how->before);
	how->before = top;
	str_addf(&how->behind, "%s%s%s", str_text(&v->places), str_text(&v->orders),
		 str_text(&v->rests));
	note_who_moved(v);
	note_who_stands(v);
}

void interactive_saving_fini(struct interactive_saving *how)
{
	array_fini(&how->without);
	str_fini(&how->before);
	str_fini(&how->behind);
	str_fini(&how->notes);
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
	failed = steps_needs(&v) < 0;
	if (!failed)
		steps_script_write_all(&v);
	base_free(v.needed);
	base_free(v.stays);
	str_fini(&v.gates);
	str_fini(&v.places);
	str_fini(&v.orders);
	str_fini(&v.rests);
	return failed ? -1 : 0;
}
