/* The effect of each verb. */
#include "gates/engine_internal.h"

/* Resumptions of :run functions in one call of the engine that count as an endless loop. */
enum { PROGRESS_MOST = 100000 };

/* A held thread that dies stays held and is not asked again. */
static enum step_result answered(struct engine *e, struct engine_stop *s, enum engine_answer answer)
{
	if (e->faulted || answer == ENGINE_FAULT)
		return STEP_OVER;
	s->dies = answer == ENGINE_GONE;
	if (s->dies && !s->waiting)
		return STEP_GONE;
	return answer == ENGINE_YES ? STEP_DONE : STEP_HELD;
}

static enum step_result no_script(struct engine *e, const struct engine_stop *s)
{
	error_set(engine_scratch(e), ERROR_SCRIPT, "%s: no script is loaded that could decide",
		  s->arrival.place->source ? s->arrival.place->source : "gatectl");
	engine_fault(e);
	return STEP_OVER;
}

static enum step_result wait_at(struct engine *e, struct engine_stop *s, struct gate *g)
{
	enum step_result result = answered(e, s, gate_ask(e, g, s));

	if (result == STEP_HELD)
		stop_hold(e, s, g);
	if (result != STEP_DONE)
		return result;
	stop_pass(e, s);
	gate_note_pass(e, g, s->arrival.thread);
	return answered(e, s, gate_passed(e, g, s));
}

static enum step_result take_open(struct engine *e, struct engine_stop *s, struct gate *g)
{
	gate_open(e, g, s->arrival.thread);
	return answered(e, s, ENGINE_YES);
}

enum engine_answer step_expression(struct engine *e, const char *expression,
				   const struct arrival *a, bool again)
{
	enum engine_answer answer =
		e->world.is_true(e->world.ctx, expression, a, again, engine_scratch(e));

	if (answer == ENGINE_FAULT)
		engine_fault(e);
	return answer;
}

static enum engine_answer ask_function(struct engine *e, struct engine_stop *s, int ref)
{
	enum engine_answer answer =
		e->script.when(e->script.ctx, ref, &s->arrival, engine_scratch(e));

	if (answer == ENGINE_FAULT)
		engine_fault(e);
	return answer;
}

static enum step_result take_when(struct engine *e, struct engine_stop *s, const struct step *step)
{
	enum step_result result;

	if (!step->text && !e->script.when)
		return no_script(e, s);
	result = answered(e, s,
			  step->text ? step_expression(e, step->text, &s->arrival, true)
				     : ask_function(e, s, step->script_ref));
	if (result == STEP_HELD)
		stop_hold(e, s, NULL);
	else if (result == STEP_DONE)
		stop_pass(e, s);
	return result;
}

/* Resumes the function. HELD: at *gate, or, if *gate is NULL, by its wait_until. */
static enum step_result resume(struct engine *e, struct engine_stop *s, int ref, struct gate **gate)
{
	bool again = s->waiting;
	enum engine_answer answer;

	*gate = NULL;
	answer = e->script.run(e->script.ctx, ref, &s->arrival, &s->coroutine, gate,
			       engine_scratch(e));
	if (answer == ENGINE_FAULT)
		engine_fault(e);
	if (answer != ENGINE_NO)
		s->coroutine = NULL; /* the coroutine has ended or was freed by the script */
	if (!again || answer == ENGINE_YES || *gate)
		/* the function may have set variables that other conditions read */
		engine_progress(e);
	return answered(e, s, answer);
}

static enum step_result endless(struct engine *e, const struct engine_stop *s)
{
	error_set(engine_scratch(e), ERROR_SCRIPT,
		  "%s: a :run function never yields, so that the program cannot run",
		  s->arrival.place->source ? s->arrival.place->source : "gatectl");
	engine_fault(e);
	return STEP_OVER;
}

static enum step_result take_run(struct engine *e, struct engine_stop *s, int ref)
{
	struct gate *gate = s->gate;
	enum step_result result;

	if (!e->script.run)
		return no_script(e, s);
	while (e->progress < PROGRESS_MOST) {
		if (gate && (result = wait_at(e, s, gate)) != STEP_DONE)
			return result;
		result = resume(e, s, ref, &gate);
		if (result == STEP_DONE || (result == STEP_HELD && gate))
			stop_pass(e, s);
		else if (result == STEP_HELD)
			stop_hold(e, s, NULL);
		if (result != STEP_HELD || !gate)
			return result;
	}
	return endless(e, s);
}

static enum step_result take_event(struct engine *e, struct engine_stop *s, const char *text)
{
	struct place *p = s->arrival.place;
	struct decision *d;

	if (p->companion)
		engine_thread_arm(s->arrival.thread, p->companion);
	if (p->from_order)
		/* the event's name is the location: the arrival has recorded it */
		return STEP_DONE;
	d = engine_decide(e, DECISION_EVENT);
	d->thread = s->arrival.thread;
	d->place = p;
	d->text = text;
	return STEP_DONE;
}

static enum step_result take_log(struct engine *e, struct engine_stop *s, const char *text)
{
	enum engine_answer answer = ENGINE_YES;
	enum step_result result;
	struct decision *d;
	char *line = NULL;

	if (e->script.log_text)
		answer = e->script.log_text(e->script.ctx, text, &s->arrival, &line,
					    engine_scratch(e));
	else
		line = base_strdup(text);
	if (answer == ENGINE_FAULT)
		engine_fault(e);
	result = answered(e, s, answer);
	if (result != STEP_DONE) {
		base_free(line);
		return result;
	}
	d = engine_decide(e, DECISION_LOG);
	d->thread = s->arrival.thread;
	d->place = s->arrival.place;
	d->text = line;
	e->queue.items[e->queue.count - 1].text = line;
	return STEP_DONE;
}

static enum step_result take_kill(struct engine *e, struct engine_stop *s, int signal)
{
	struct engine_thread *t = s->arrival.thread;
	struct decision *d = engine_decide(e, DECISION_KILL);

	d->thread = t;
	d->place = s->arrival.place;
	d->signal = signal;
	stop_drop(e, s);
	gate_ran_on(e, t);
	return STEP_OVER;
}

/* For observers, which act on the thread's system calls. */
static enum step_result take_for_calls(struct engine *e, const struct engine_stop *s,
				       enum decision_kind kind)
{
	struct decision *d = engine_decide(e, kind);

	d->thread = s->arrival.thread;
	d->place = s->arrival.place;
	return STEP_DONE;
}

static enum step_result take_watch(struct engine_stop *s, struct gate *g)
{
	if (!g->is_open)
		engine_thread_watch(s->arrival.thread, g);
	return STEP_DONE;
}

enum step_result step_take(struct engine *e, struct engine_stop *s, const struct step *step)
{
	if (!s->waiting && !engine_thread_matches(e, s->arrival.thread, step->thread))
		return STEP_DONE;
	switch (step->kind) {
	case STEP_WAIT:
		return wait_at(e, s, step->gate);
	case STEP_OPEN:
		return take_open(e, s, step->gate);
	case STEP_WHEN:
		return step->left_out ? STEP_DONE : take_when(e, s, step);
	case STEP_RUN:
		s->arrival.left_out = step->left_out;
		return take_run(e, s, step->script_ref);
	case STEP_EVENT:
		return take_event(e, s, step->text);
	case STEP_LOG:
		return take_log(e, s, step->text);
	case STEP_KILL:
		return take_kill(e, s, step->signal);
	case STEP_ELIDE:
		return take_for_calls(e, s, DECISION_ELIDE);
	case STEP_SPURIOUS:
		return take_for_calls(e, s, DECISION_SPURIOUS);
	case STEP_RELEASE: /* takes effect only at PLACE_REST */
		break;
	case STEP_WATCH:
		return take_watch(s, step->gate);
	}
	return STEP_DONE;
}
