/* Places that can no longer act: when the engine reports them, and when it must not yet. */
#include "test_gates_drive.h"

#include <limits.h>

/* A place without verbs only needs to be reached. */
static void test_dead_without_steps(void **state)
{
	struct drive d;
	struct engine_thread *t;
	struct place *p, *q;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	p = drive_place(&d, "A");
	q = drive_place(&d, "B");
	q->hit_first = 2;
	q->hit_last = 2;
	arrive2(&d, t, p, q);
	arrive2(&d, t, p, q);
	arrive2(&d, t, p, q);
	decided(&d, "a:t@A d:A a:t@B r:t a:t@A a:t@B d:B r:t a:t@A a:t@B r:t");
	engine_free(d.e);
}

/* Number of idle arrivals: only a number that no other thread can reduce. */
static void test_idle_arrivals(void **state)
{
	struct drive d;
	struct engine_thread *t;
	struct place *p, *q;
	struct gate *g;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	p = drive_place(&d, "A");
	q = drive_place(&d, "B");
	g = engine_gate_simple(d.e, "g");
	p->hit_first = p->hit_last = 4;
	step_gate(p, STEP_WAIT, g);
	step_gate(q, STEP_WAIT, g);
	assert_int_equal(place_idle_arrivals(d.e, p), 3);
	assert_int_equal(place_idle_arrivals(d.e, q), 0);
	arrive(&d, t, p);
	assert_int_equal(place_idle_arrivals(d.e, p), 2);
	place_passed(p, 2);
	assert_int_equal(place_idle_arrivals(d.e, p), 0);
	decided(&d, "a:t@A r:t");
	arrive(&d, t, p);
	decided(&d, "a:t@A h:t:g");
	assert_int_equal(place_idle_arrivals(d.e, p), ULONG_MAX);
	engine_open(d.e, g, NULL);
	assert_int_equal(place_idle_arrivals(d.e, q), ULONG_MAX);
	p->arrivals = 0;
	p->thread = base_strdup("u"); /* arrivals of other threads do not count */
	assert_int_equal(place_idle_arrivals(d.e, p), 0);
	engine_free(d.e);
}

/* If threads pass one at a time, an arrival lets the next thread pass. */
static void test_no_idle_arrivals_if_serial(void **state)
{
	struct drive d;
	struct place *p;

	(void)state;
	drive_begin(&d);
	p = drive_place(&d, "A");
	p->hit_first = 100;
	assert_int_equal(place_idle_arrivals(d.e, p), 99);
	engine_gate_barrier(d.e, "b", 2, true);
	assert_int_equal(place_idle_arrivals(d.e, p), 0);
	engine_free(d.e);
}

/* The last arrival of the range is still inside: its trap must stay until it leaves. */
static void test_not_dead_inside(void **state)
{
	struct drive d;
	struct engine_thread *t, *u;
	struct place *p;
	struct gate *g, *h;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	u = drive_thread(&d, "u");
	g = engine_gate_simple(d.e, "g");
	h = engine_gate_simple(d.e, "h");
	p = drive_place(&d, "A");
	p->hit_first = p->hit_last = 1;
	step_gate(p, STEP_WAIT, g);
	arrive(&d, t, p);
	arrive(&d, u, p);
	engine_open(d.e, h, NULL);
	decided(&d, "a:t@A h:t:g a:u@A r:u o:h:-");
	engine_thread_exited(d.e, t);
	decided(&d, "d:A");
	engine_free(d.e);
}

static void test_not_dead(void **state)
{
	struct drive d;
	struct engine_thread *t;
	struct place *p[4];
	struct gate *serial, *custom;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	serial = engine_gate_barrier(d.e, "s", 1, true);
	custom = engine_gate_custom(d.e, "Mine", "c", 0);
	d.flags[0] = ENGINE_YES;
	engine_open(d.e, serial, NULL);
	engine_open(d.e, custom, NULL);
	step_gate(p[0] = drive_place(&d, "A"), STEP_WAIT, serial);
	step_gate(p[1] = drive_place(&d, "B"), STEP_WAIT, custom);
	step_gate(p[2] = drive_place(&d, "C"), STEP_OPEN, custom);
	step_ref(p[3] = drive_place(&d, "D"), STEP_WHEN, 0);
	for (int i = 0; i < 4; i++)
		arrive(&d, t, p[i]);
	decided(&d, "o:s:- o:c:- a:t@A r:t a:t@B r:t a:t@C o:c:t r:t a:t@D r:t");
	engine_free(d.e);
}

/* Done: no place can act again. An optional place without effect need not be reached. */
static void test_done(void **state)
{
	struct drive d;
	struct engine_thread *t, *u;
	struct place *wait, *open, *optional;
	struct gate *g;

	(void)state;
	drive_begin(&d);
	assert_true(engine_is_done(d.e));
	g = engine_gate_simple(d.e, "g");
	t = drive_thread(&d, "t");
	u = drive_thread(&d, "u");
	step_gate(wait = drive_place(&d, "A"), STEP_WAIT, g);
	step_gate(open = drive_place(&d, "B"), STEP_OPEN, g);
	step_gate(optional = drive_place(&d, "C"), STEP_OPEN, g);
	optional->optional = true;
	assert_false(engine_is_done(d.e));
	arrive(&d, t, wait);
	assert_false(engine_is_done(d.e));
	arrive(&d, u, open);
	assert_true(engine_is_done(d.e));
	step_text(optional, STEP_LOG, "x");
	assert_false(engine_is_done(d.e));
	engine_free(d.e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dead_without_steps),
		cmocka_unit_test(test_idle_arrivals),
		cmocka_unit_test(test_no_idle_arrivals_if_serial),
		cmocka_unit_test(test_not_dead_inside),
		cmocka_unit_test(test_not_dead),
		cmocka_unit_test(test_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
