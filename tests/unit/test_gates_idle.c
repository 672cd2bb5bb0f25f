/*
 * Arrivals without effect by a C expression: whether it decides all that a place does, and what
 * counts.
 */
#include "gates/engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* Value of the expressions; number of evaluations, and of those for a held thread. */
struct program {
	enum engine_answer x;
	unsigned asked, again;
};

static enum engine_answer is_true(void *ctx, const char *expression, const struct arrival *a,
				  bool again, struct error *err)
{
	struct program *p = ctx;

	assert_string_equal(expression, "x == 1");
	assert_non_null(a->place);
	assert_int_equal(a->line, 3);
	p->asked++;
	p->again += again;
	if (p->x == ENGINE_FAULT)
		error_set(err, ERROR_SCRIPT, "no x");
	return p->x;
}

static struct engine *engine_with(struct program *p)
{
	return engine_new(&(struct engine_world){.ctx = p, .is_true = is_true});
}

static struct place *place_of(struct engine *e, const char *when)
{
	struct place *p = engine_place(e, PLACE_LOCATION, "f.c:1", "t.lua:1");

	p->when = when ? base_strdup(when) : NULL;
	return p;
}

static const char *condition(const struct engine *e, const struct place *p, bool wanted)
{
	bool idle = !wanted;
	const char *text = place_condition(e, p, &idle);

	if (text)
		assert_int_equal(idle, wanted);
	return text;
}

/* Checks the kind of the next decision, and returns it. */
static struct decision next_is(struct engine *e, enum decision_kind kind)
{
	struct decision d;

	assert_true(engine_next(e, &d));
	assert_int_equal(d.kind, kind);
	return d;
}

static void arrive(struct engine *e, struct place *p, struct engine_thread *t)
{
	engine_arrive(e, &p, 1, &(struct arrival){.thread = t, .line = 3});
}

/* Other options and verbs do not matter: they come after `when`. */
static void test_of_an_option(void **state)
{
	struct engine *e = engine_new(NULL);
	struct place *p = place_of(e, "x == 1");

	(void)state;
	assert_string_equal(condition(e, p, false), "x == 1");
	assert_int_equal(place_idle_arrivals(e, p), 0);
	p->hit_first = 3;
	p->thread = base_strdup("worker#1");
	engine_step(p, STEP_EVENT);
	engine_step(p, STEP_RUN);
	assert_non_null(condition(e, p, false));
	assert_int_equal(place_idle_arrivals(e, p), 0);
	p->dropped = true;
	assert_null(condition(e, p, false));
	p->dropped = false;
	p->companion_of = p;
	assert_null(condition(e, p, false));
	p->companion_of = NULL;
	engine_gate_barrier(e, "all at once", 2, false);
	assert_non_null(condition(e, p, false));
	engine_gate_barrier(e, "one by one", 2, true);
	assert_null(condition(e, p, false)); /* a thread may pass when another arrives */
	engine_free(e);
}

/* Changes the place step by step. */
static void test_of_a_verb(void **state)
{
	struct engine *e = engine_new(NULL);
	struct place *p = place_of(e, NULL), *other;

	(void)state;
	engine_step(p, STEP_WHEN)->text = base_strdup("x == 1");
	assert_string_equal(condition(e, p, true), "x == 1");
	p->optional = p->after = true;
	assert_non_null(condition(e, p, true));
	p->hit_first = 3;
	assert_null(condition(e, p, true));
	p->hit_first = 0;
	p->hit_last = 3;
	assert_null(condition(e, p, true));
	p->hit_last = 0;
	p->thread = base_strdup("worker#1");
	assert_null(condition(e, p, true));
	assert_non_null(strstr(place_busy(e, p), "thread option"));
	base_free(p->thread);
	p->thread = NULL;
	engine_step(p, STEP_EVENT);
	assert_null(condition(e, p, true));
	other = place_of(e, NULL);
	engine_step(other, STEP_WHEN)->script_ref = 3;
	assert_null(condition(e, other, true)); /* a Lua function */
	assert_non_null(strstr(place_busy(e, other), "Lua function"));
	other = place_of(e, "x == 1");
	assert_non_null(condition(e, other, false));
	engine_step(other, STEP_WATCH);
	assert_null(
		condition(e, other, false)); /* the place reached before a thread blocks matters */
	engine_free(e);
}

static void test_only_true_ones_count(void **state)
{
	struct program program = {ENGINE_NO, 0, 0};
	struct engine *e = engine_with(&program);
	struct place *p = place_of(e, "x == 1");
	struct engine_thread *t = engine_thread_new(e, "main", "main", 1),
			     *u = engine_thread_new(e, "other#1", "other", 2);

	(void)state;
	p->hit_first = p->hit_last = 2;
	p->thread = base_strdup("main");
	engine_step(p, STEP_KILL);
	arrive(e, p, t);
	next_is(e, DECISION_RELEASE);
	place_passed(p, 10); /* decided inside the program */
	assert_int_equal(p->arrivals, 0);
	assert_int_equal(p->refused, 11);
	program.x = ENGINE_YES;
	arrive(e, p, u); /* another thread: the expression is not evaluated */
	next_is(e, DECISION_RELEASE);
	arrive(e, p, t);
	next_is(e, DECISION_ARRIVED);
	next_is(e, DECISION_RELEASE);
	assert_false(place_reached(p));
	arrive(e, p, t);
	next_is(e, DECISION_ARRIVED);
	next_is(e, DECISION_KILL);
	assert_int_equal(p->arrivals, 2);
	assert_int_equal(program.asked, 3);
	assert_int_equal(program.again, 0);
	engine_free(e);
}

static void test_asked_again(void **state)
{
	struct program program = {ENGINE_NO, 0, 0};
	struct engine *e = engine_with(&program);
	struct place *p = place_of(e, NULL);
	struct engine_thread *t = engine_thread_new(e, "main", "main", 1);

	(void)state;
	engine_step(p, STEP_WHEN)->text = base_strdup("x == 1");
	arrive(e, p, t);
	next_is(e, DECISION_ARRIVED);
	assert_null(next_is(e, DECISION_HOLD).gate);
	engine_changed(e);
	assert_true(t->held);
	program.x = ENGINE_YES;
	engine_changed(e);
	next_is(e, DECISION_PASS);
	next_is(e, DECISION_RELEASE);
	assert_int_equal(program.again, 3);
	engine_free(e);
}

static void test_faults(void **state)
{
	struct program program = {ENGINE_FAULT, 0, 0};

	(void)state;
	for (int verb = 0; verb < 2; verb++) {
		struct engine *e = engine_with(&program);
		struct place *p = place_of(e, verb ? NULL : "x == 1");

		if (verb)
			engine_step(p, STEP_WHEN)->text = base_strdup("x == 1");
		arrive(e, p, engine_thread_new(e, "main", "main", 1));
		if (verb)
			next_is(e, DECISION_ARRIVED);
		assert_string_equal(next_is(e, DECISION_FAULT).error->text, "no x");
		engine_free(e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_an_option),
		cmocka_unit_test(test_of_a_verb),
		cmocka_unit_test(test_only_true_ones_count),
		cmocka_unit_test(test_asked_again),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
