/* Which arrivals are of no consequence by what a function asks: only where the place has nothing else. */
#include "gates/engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static bool outer(void *ctx, int ref, size_t number, int64_t *out)
{
	*out = ref * 100 + (int64_t)number;
	return ctx && number < 5;
}

static struct place *place_with(struct engine *e, enum step_kind kind, struct idle **idle)
{
	struct place *p = engine_place(e, PLACE_LOCATION, "f.c:1", "t.lua:1");
	struct step *step = engine_step(p, kind);

	step->script_ref = 7;
	*idle = step->idle = base_alloc(1, sizeof(**idle));
	return p;
}

/* One thing after the other is asked of the place. */
static void test_what_else_it_has(void **state)
{
	struct engine *e = engine_new(NULL);
	struct idle *idle;
	struct place *p = place_with(e, STEP_RUN, &idle);

	(void)state;
	assert_ptr_equal(place_idle(e, p), idle);
	assert_string_equal(place_busy(e, p),
			    "what its function does is not told by a few comparisons of integers");
	p->optional = true;
	assert_ptr_equal(place_idle(e, p), idle);
	p->after = true; /* whether it has been executed is not the engine's business */
	assert_ptr_equal(place_idle(e, p), idle);
	p->after = false;
	p->companion = p;
	assert_non_null(strstr(place_busy(e, p), "has been executed"));
	p->companion = NULL;
	p->hit_first = 3;
	assert_null(place_idle(e, p));
	p->hit_first = 0;
	p->hit_last = 3;
	assert_null(place_idle(e, p));
	p->hit_last = 0;
	p->dropped = true;
	assert_null(place_idle(e, p));
	p->dropped = false;
	p->companion_of = p;
	assert_null(place_idle(e, p));
	p->companion_of = NULL;
	p->thread = base_strdup("worker#1");
	assert_null(place_idle(e, p));
	assert_non_null(strstr(place_busy(e, p), "thread option"));
	base_free(p->thread);
	p->thread = NULL;
	assert_ptr_equal(place_idle(e, p), idle);
	engine_step(p, STEP_EVENT);
	assert_null(place_idle(e, p));
	engine_free(e);
}

static void test_who_else_there_is(void **state)
{
	struct engine *e = engine_new(NULL);
	struct idle *idle;
	struct place *p = place_with(e, STEP_WHEN, &idle), *other;

	(void)state;
	engine_gate_barrier(e, "all at once", 2, false);
	assert_ptr_equal(place_idle(e, p), idle);
	other = engine_place(e, PLACE_LOCATION, "f.c:2", "t.lua:2");
	engine_step(other, STEP_WATCH);
	assert_null(place_idle(e, p)); /* where a thread has come to before it blocks matters */
	engine_free(e);

	e = engine_new(NULL);
	p = place_with(e, STEP_WHEN, &idle);
	engine_gate_barrier(e, "one by one", 2, true);
	assert_null(place_idle(e, p)); /* one goes on when another one arrives */
	engine_free(e);
}

static void test_locals_of_the_script(void **state)
{
	struct engine *e = engine_new(NULL);
	struct engine_script script = {.ctx = e, .outer = outer};
	struct idle *idle;
	struct place *p = place_with(e, STEP_RUN, &idle);
	int64_t value;

	(void)state;
	idle->count = 2;
	assert_false(idle_has_outer(idle));
	idle->tests[1].outer = 2;
	assert_true(idle_has_outer(idle));
	assert_false(place_outer(e, p, 2, &value)); /* there is no script */
	engine_set_script(e, &script);
	assert_true(place_outer(e, p, 2, &value));
	assert_int_equal(value, 702);
	assert_false(place_outer(e, p, 5, &value));
	engine_free(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_else_it_has),
		cmocka_unit_test(test_who_else_there_is),
		cmocka_unit_test(test_locals_of_the_script),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
