/* Actions outside any thread: by the user, or if no thread can move. */
#include "test_gates_drive.h"

static struct drive d;
static struct engine_thread *a, *b;
static struct gate *g;

static int begin(void **state)
{
	(void)state;
	drive_begin(&d);
	a = drive_thread(&d, "a");
	b = drive_thread(&d, "b");
	g = engine_gate_simple(d.e, "g");
	return 0;
}

static int end(void **state)
{
	(void)state;
	engine_free(d.e);
	return 0;
}

static struct place *waiting(const char *location)
{
	struct place *p = drive_place(&d, location);

	step_gate(p, STEP_WAIT, g);
	return p;
}

static void test_let(void **state)
{
	struct gate *h = engine_gate_simple(d.e, "h");
	struct place *p = waiting("A");

	(void)state;
	step_gate(p, STEP_OPEN, h);
	assert_int_equal(engine_pass_by_hand(d.e, a), -1); /* not even stopped */
	arrive(&d, a, p);
	decided(&d, "a:a@A h:a:g");
	assert_int_equal(engine_pass_by_hand(d.e, a), 0);
	decided(&d, "p:a:g o:h:a r:a"); /* steps after the gate are taken */
	assert_false(g->is_open);
	arrive(&d, b, p);
	decided(&d, "a:b@A h:b:g"); /* this once */
}

static void test_let_go(void **state)
{
	struct gate *h = engine_gate_simple(d.e, "h");
	struct place *p = waiting("A");

	(void)state;
	step_gate(p, STEP_OPEN, h);
	assert_false(engine_let_go(d.e, a)); /* not held */
	arrive(&d, a, p);
	decided(&d, "a:a@A h:a:g");
	assert_true(engine_let_go(d.e, a));
	decided(&d, "p:a:g o:h:a d:A r:a"); /* steps after the gate are taken */
	arrive(&d, b, p);
	decided(&d, "a:b@A r:b"); /* the gate holds no thread any more */
}

static void test_let_not_by_function(void **state)
{
	struct place *p = drive_place(&d, "A");

	(void)state;
	step_ref(p, STEP_RUN, 1);
	d.ops[1][0] = (struct op_code){OP_UNTIL, NULL, 2};
	arrive(&d, a, p);
	assert_true(is_held(&d, a));
	assert_int_equal(engine_pass_by_hand(d.e, a), -1);
}

static void test_drop(void **state)
{
	struct place *p = waiting("A"), *q = waiting("B");

	(void)state;
	step_text(p, STEP_EVENT, "behind");
	arrive2(&d, a, p, q);
	arrive(&d, b, q);
	decided(&d, "a:a@A h:a:g a:b@B h:b:g");
	engine_drop(d.e, q); /* a has not arrived there and never does */
	decided(&d, "p:b:g r:b d:B");
	engine_drop(d.e, p); /* nor at the steps after the gate */
	decided(&d, "p:a:g r:a d:A");
	engine_drop(d.e, p);
	decided(&d, "");
	assert_false(place_missing(p));
}

static void test_drop_ends_a_function(void **state)
{
	struct place *p = drive_place(&d, "A");

	(void)state;
	step_ref(p, STEP_RUN, 1);
	d.ops[1][0] = (struct op_code){OP_UNTIL, NULL, 2};
	arrive(&d, a, p);
	engine_drop(d.e, p);
	assert_false(is_held(&d, a));
	assert_int_equal(d.run_ends, 1);
}

static struct place *rest(enum step_kind kind)
{
	struct place *p = engine_place(d.e, PLACE_REST, "rest", "x.lua:1");

	if (kind == STEP_OPEN)
		step_gate(p, kind, g);
	else
		step_text(p, kind, "a");
	return p;
}

/* One place after the other, each once. */
static void test_rest(void **state)
{
	struct place *p = waiting("A"), *first, *second;

	(void)state;
	first = rest(STEP_RELEASE);
	second = rest(STEP_OPEN);
	arrive(&d, a, p);
	arrive(&d, b, p);
	decided(&d, "a:a@A h:a:g a:b@A h:b:g");
	assert_true(place_missing(first));
	assert_true(engine_rest(d.e));
	decided(&d, "p:a:g r:a");
	assert_false(place_missing(first));
	assert_true(place_missing(second));
	assert_true(engine_rest(d.e));
	decided(&d, "o:g:- p:b:g d:A r:b");
	assert_false(engine_rest(d.e));
}

static void test_rest_dropped(void **state)
{
	(void)state;
	engine_drop(d.e, rest(STEP_OPEN));
	assert_false(engine_rest(d.e));
	assert_false(g->is_open);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_let, begin, end),
		cmocka_unit_test_setup_teardown(test_let_go, begin, end),
		cmocka_unit_test_setup_teardown(test_let_not_by_function, begin, end),
		cmocka_unit_test_setup_teardown(test_drop, begin, end),
		cmocka_unit_test_setup_teardown(test_drop_ends_a_function, begin, end),
		cmocka_unit_test_setup_teardown(test_rest, begin, end),
		cmocka_unit_test_setup_teardown(test_rest_dropped, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
