/* gatectl prove: one of many runs. A part of the script is left out, or threads are held back; the
 * result is whether the run is as expected and, without an `expect`, what it was. */
#include "tracer/run/run.h"
#include "tracer/run/places/places.h"
#include "tracer/features/output/output.h"

#include <string.h>

/* Limit for holding threads back while others run. The limit decides nothing: they are released. */
enum { HELD_BACK_MOST_MS = 500, HELD_BACK_PART = 4 };

struct trial_move {
	const struct gate *gate;
	char *thread;
};

/* Per-run data. */
struct trial {
	ARRAY(struct trial_move) moves;
	/* threads that are at a place; threads that have gone on */
	struct run_passes arrived, passed;
	const struct gate *second; /* gate that run_trial.second passes, or NULL */
	bool gave_way, swapped;	   /* `swapped` is final once threads were no longer held back */
	uint64_t back_us;	   /* duration for which threads have been held back */
	uint64_t looked_us;	   /* time of the last update; 0: no thread is held back */
};

static void trial_fini(void *what)
{
	struct trial *trial = what;

	array_each(struct trial_move, m, &trial->moves)
		base_free(m->thread);
	array_fini(&trial->moves);
	run_passes_fini(&trial->arrived);
	run_passes_fini(&trial->passed);
}

static const struct keeper keeper = {sizeof(struct trial), trial_fini};

static struct trial *trial_of(const struct run *s)
{
	return kept_make(run_kept(s), &keeper);
}

/* ---- before the run ---- */

/* Several subjects of one name get a number, by which the next run finds them. */
static char *trial_name_of(const struct engine *e, size_t index)
{
	struct engine_subject subject;
	STR(other);
	struct str name = {0};
	size_t same = 1;

	engine_subject_at(e, index, &subject);
	engine_subject_name(&subject, &name);
	for (size_t i = 0; i < index; i++) {
		engine_subject_at(e, i, &subject);
		str_clear(&other);
		engine_subject_name(&subject, &other);
		same += strcmp(str_text(&other), str_text(&name)) == 0;
	}
	if (same > 1)
		str_addf(&name, " [%zu]", same);
	return str_take(&name);
}

static bool trial_find(const struct engine *e, const char *name, struct engine_subject *out)
{
	bool found = false;

	for (size_t i = 0; !found && engine_subject_at(e, i, out); i++) {
		OWNED(own) = trial_name_of(e, i);

		found = strcmp(own, name) == 0 || (out->gate && strcmp(out->gate->name, name) == 0);
	}
	return found;
}

static void trial_swap(struct run *s)
{
	const struct run_trial *trial = run_options(s)->trial;
	struct engine *e = run_engine(s);
	const struct engine_arrival first = {engine_place_at(e, trial->first->place),
					     trial->first->thread},
				    second = {engine_place_at(e, trial->second->place),
					      trial->second->thread};

	if (first.place && second.place)
		trial_of(s)->second = engine_swap(e, &first, &second);
}

/* A missing name (a script that creates its gates by chance) changes nothing. */
static int trial_prepare(struct run *s, struct error *err)
{
	const struct run_trial *trial = run_options(s)->trial;
	struct engine_subject subject;
	struct place *p;

	(void)err;
	if (!trial)
		return 0;
	if (trial->first) {
		trial_swap(s);
		return 0;
	}
	if (!trial->about) {
		/* Without the script its places need no traps and elide no sleep. Only places that
		 * must not be reached stay watched. */
		for (size_t i = 0; trial->left_out && (p = engine_place_at(run_engine(s), i)); i++)
			if (!expect_looks_at(&run_plan(s)->expect, p))
				engine_drop(run_engine(s), p);
		run_plan(s)->given.sleeps_till_rest &= !trial->left_out;
		return 0;
	}
	if (!trial_find(run_engine(s), trial->about, &subject))
		return 0;
	if (trial->left_out)
		engine_ablate(&subject);
	if (trial->way != TRIAL_PLAIN && subject.gate)
		engine_oppose(run_engine(s), subject.gate, trial->early,
			      trial->way == TRIAL_EARLY ? trial->early_count : 0);
	return 0;
}

/* ---- while it runs ---- */

/* Records threads that open a gate or are held by a barrier: later runs hold these back. */
static void trial_note(struct run *s, const struct decision *d)
{
	bool barrier = d->gate && d->gate->kind == GATE_BARRIER;

	if (!d->thread || !d->gate)
		return;
	if (d->kind != (barrier ? DECISION_HOLD : DECISION_OPENED))
		return;
	array_each(struct trial_move, m, &trial_of(s)->moves)
		if (m->gate == d->gate && strcmp(m->thread, d->thread->id) == 0)
			return;
	*array_add(&trial_of(s)->moves) = (struct trial_move){d->gate, base_strdup(d->thread->id)};
}

static void trial_add_gates(const struct place *p, struct str *out)
{
	const char *comma = "";

	array_each(const struct step, step, &p->steps) {
		if (!step->gate)
			continue;
		str_addf(out, "%s%s %s", comma, step->gate->from_order ? "order" : "gate",
			 step->gate->name);
		comma = ", ";
	}
	if (!*comma && p->companion)
		trial_add_gates(p->companion, out);
}

static bool place_only_opens(const struct place *p)
{
	array_each(const struct step, step, &p->steps)
		if (step->gate && step->kind != STEP_OPEN)
			return false;
	return !p->companion;
}

static void trial_arrives(struct run *s, const struct decision *d)
{
	const struct place *p = d->place;
	STR(text);

	if (p->companion_of || !place_has_gate(p) || !place_in_range(p))
		return;
	array_each(const struct run_pass, known, &trial_of(s)->passed)
		if (known->place == p->index && strcmp(known->thread, d->thread->id) == 0)
			return;
	str_addf(&text, "%s at %s (", d->thread->id, p->location);
	trial_add_gates(p, &text);
	str_add(&text, ")");
	*array_add(&trial_of(s)->arrived) = (struct run_pass){
		base_strdup(d->thread->id), p->index, str_take(&text), !place_only_opens(p)};
}

static void trial_opens(struct run *s, const struct engine_thread *t)
{
	array_each(struct run_pass, pass, &trial_of(s)->arrived)
		pass->acts |= t && strcmp(pass->thread, t->id) == 0;
}

static void trial_passes(struct run *s, const struct decision *d)
{
	struct trial *trial = trial_of(s);

	for (size_t i = 0; i < trial->arrived.count;) {
		if (strcmp(trial->arrived.items[i].thread, d->thread->id) != 0) {
			i++;
			continue;
		}
		if (trial->arrived.items[i].acts)
			*array_add(&trial->passed) = trial->arrived.items[i];
		else
			run_pass_fini(&trial->arrived.items[i]);
		array_remove(&trial->arrived, i);
	}
}

/* A thread passes a place when it goes on from there, whether it was held or not. */
static void trial_decided(struct run *s, const struct decision *d)
{
	if (!run_options(s)->trial || run_is_over(s))
		return;
	if (d->kind == DECISION_ARRIVED)
		trial_arrives(s, d);
	else if (d->kind == DECISION_RELEASE)
		trial_passes(s, d);
	else if (d->kind == DECISION_OPENED)
		trial_opens(s, d->thread);
	trial_note(s, d);
}

static bool is_swapped(const struct run *s)
{
	const struct trial *trial = trial_of(s);

	return trial->gave_way ? trial->swapped : trial->second && trial->second->passed > 0;
}

static bool give_way(struct run *s, bool for_good)
{
	bool swapped = is_swapped(s);

	if (!engine_give_way(run_engine(s), for_good))
		return false;
	trial_of(s)->swapped = swapped;
	trial_of(s)->gave_way = true;
	run_set_explained(s, false);
	apply_decisions(s);
	return true;
}

/* No other thread can move: threads that are held back are released. */
static bool stalled(struct run *s, enum stuck_question question, enum waits_answer *answer)
{
	(void)answer;
	return question == STUCK_FREED && run_options(s)->trial && give_way(s, false);
}

static bool is_held_back(const struct run *s)
{
	run_each_thread(t, s) {
		const struct gate *g = run_thread_is_held(t) ? run_thread_hold(t)->gate : NULL;

		if (g && (g->holds_back || g->ablation == GATE_ONE_BY_ONE))
			return true;
	}
	return false;
}

/* A small part of the run's time limit: holding back must not exhaust it. */
static uint64_t held_back_most_us(const struct run *s)
{
	double part = run_time_limit(s) * 1e6 / HELD_BACK_PART;

	return part > 0 && part < HELD_BACK_MOST_MS * 1000 ? (uint64_t)part
							   : HELD_BACK_MOST_MS * 1000;
}

static void trial_look(struct run *s)
{
	struct trial *trial = trial_of(s);
	uint64_t since = trial->looked_us, now = run_now_us();

	if (!run_options(s)->trial || (run_options(s)->trial->way == TRIAL_PLAIN && !trial->second))
		return;
	trial->looked_us = is_held_back(s) ? now : 0;
	if (since && trial->looked_us)
		trial->back_us += now - since;
	if (trial->back_us > held_back_most_us(s))
		give_way(s, true);
}

/* ---- the result ------------- */

static void add_movers(struct run *s, const struct gate *g, struct run_subject *out)
{
	const struct trial *trial = trial_of(s);

	for (size_t i = trial->moves.count; i-- > 0;)
		if (trial->moves.items[i].gate == g)
			*array_add(&out->movers) = base_strdup(trial->moves.items[i].thread);
}

static void add_subjects(struct run *s, struct run_evidence *out)
{
	struct engine_subject subject;

	for (size_t i = 0; engine_subject_at(run_engine(s), i, &subject); i++) {
		struct run_subject *own = array_add(&out->subjects);

		own->name = trial_name_of(run_engine(s), i);
		own->holds = engine_subject_holds(&subject);
		own->is_gate = subject.gate != NULL;
		own->is_barrier = subject.gate && subject.gate->kind == GATE_BARRIER;
		if (subject.gate)
			add_movers(s, subject.gate, own);
	}
}

/* True if a limit ended the run unexpectedly. */
static bool is_limited(const struct run *s)
{
	const struct expect *x = &run_plan(s)->expect;

	return run_outcome(s)->gate_limit ||
	       (run_outcome(s)->limit && x->end != EXPECT_TIME_LIMIT &&
		!(x->end == EXPECT_LIVELOCK && run_outcome(s)->livelock));
}

/* Unreached places and threads left at gates do not count, since gates are missing. */
static bool is_as_expected(const struct run *s)
{
	const struct outcome *o = run_outcome(s);
	const struct expect *x = &run_plan(s)->expect;
	bool deadlock = o->stuck == OUTCOME_DEADLOCK ? x->end != EXPECT_DEADLOCK
						     : o->stuck && !outcome_is_at_gate(o, x);
	char *why;

	if (o->fault || deadlock || is_limited(s))
		return false;
	why = verdict_unmet(x, o);
	base_free(why);
	return !why;
}

/* The verdict is added: the program may end with exit status 0 all the same. */
static void add_came(const struct run *s, enum verdict v, struct str *out)
{
	if (v == VERDICT_NEVER_REACHED || v == VERDICT_NEVER_OPENED)
		str_addf(out, "%s, ", verdict_word(v));
	outcome_print(run_outcome(s), out);
}

static void trial_judge(struct run *s, struct run_result *result, const struct error *failed)
{
	struct run_evidence *out = &result->evidence;

	if (!run_options(s)->trial || failed)
		return;
	out->has_expect = run_plan(s)->expect.any;
	out->as_expected = is_as_expected(s);
	out->limited = is_limited(s);
	out->has_limit = run_plan(s)->limits.run > 0;
	capture_sums(s, &out->out, &out->err);
	expect_print(&run_plan(s)->expect, &out->expected);
	add_came(s, run_options(s)->trial->left_out ? VERDICT_OK : result->verdict, &out->came);
	add_subjects(s, out);
	out->swapped = is_swapped(s);
	out->passes = trial_of(s)->passed;
	trial_of(s)->passed = (struct run_passes){0};
}

extern const struct observer trial_observer;
const struct observer trial_observer = {
	.loaded = trial_prepare,
	.decision = trial_decided,
	.tick = trial_look,
	.stuck = stalled,
	.judged = trial_judge,
};
