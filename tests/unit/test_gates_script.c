/* Callbacks of the engine: custom gates, :when, :run, :log, and their faults. */
#include "test_gates_drive.h"

static void test_when(void **state)
{
	struct drive d;
	struct engine_thread *t, *u;
	struct engine_hold hold;
	struct place *p, *x;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	u = drive_thread(&d, "u");
	step_ref(p = drive_place(&d, "A"), STEP_WHEN, 1);
	x = drive_place(&d, "X");
	arrive(&d, t, p);
	decided(&d, "a:t@A h:t:?");
	assert_true(engine_held(d.e, t, &hold));
	assert_null(hold.gate);
	assert_int_equal(d.when_calls, 1); /* once in the call in which it arrived */
	arrive(&d, u, x);
	assert_int_equal(d.when_calls, 2);
	engine_changed(d.e);
	assert_int_equal(d.when_calls, 3);
	engine_thread_exited(d.e, drive_thread(&d, "v"));
	assert_int_equal(d.when_calls, 5);
	engine_blocked(d.e, u);
	assert_int_equal(d.when_calls, 6);
	decided(&d, "a:u@X d:X r:u");
	d.flags[1] = ENGINE_YES;
	engine_changed(d.e);
	decided(&d, "p:t:? r:t");
	assert_int_equal(d.when_calls, 7);
	engine_changed(d.e);
	assert_int_equal(d.when_calls, 7);
	assert_int_equal(d.last_count, 1);
	engine_free(d.e);
}

/* The caller's strings may be freed after the arrival; a held thread's condition has copies. */
static void test_texts_are_kept(void **state)
{
	struct drive d;
	struct engine_thread *t;
	struct place *p;
	char func[] = "before";

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	step_ref(p = drive_place(&d, "A"), STEP_WHEN, 1);
	engine_arrive(d.e, &p, 1, &(struct arrival){.thread = t, .func = func});
	assert_ptr_equal(d.last_func, func);
	memcpy(func, "xxxxxx", 6);
	engine_changed(d.e);
	assert_string_equal(d.last_func, "before");
	engine_free(d.e);
}

/* A function may read another thread's state: that thread's release is a change. */
static void test_when_of_another(void **state)
{
	struct drive d;
	struct engine_thread *t, *u;
	struct place *p, *q;
	struct gate *g;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	u = drive_thread(&d, "u");
	g = engine_gate_simple(d.e, "g");
	step_gate(q = drive_place(&d, "Q"), STEP_WAIT, g);
	step_ref(p = drive_place(&d, "P"), STEP_WHEN, 1);
	arrive(&d, t, p);
	d.until_runs = u;
	arrive(&d, u, q);
	decided(&d, "a:t@P h:t:? a:u@Q h:u:g");
	engine_open(d.e, g, NULL); /* t, held first, is asked first: not yet */
	decided(&d, "o:g:- p:u:g d:Q r:u p:t:? r:t");
	engine_free(d.e);
}

/* passed() may let another thread pass that was asked before. */
static void test_passed_frees(void **state)
{
	struct drive d;
	struct engine_thread *t, *u;
	struct place *p, *q;

	(void)state;
	drive_begin(&d);
	d.passed_sets = 4;
	t = drive_thread(&d, "t");
	u = drive_thread(&d, "u");
	step_ref(q = drive_place(&d, "Q"), STEP_WHEN, 4);
	step_gate(p = drive_place(&d, "P"), STEP_WAIT, engine_gate_custom(d.e, "C", "c", 5));
	step_gate(p, STEP_WAIT, engine_gate_simple(d.e, "g"));
	arrive(&d, u, q);
	arrive(&d, t, p);
	d.flags[5] = ENGINE_YES;
	engine_changed(d.e);
	decided(&d, "a:u@Q h:u:? a:t@P h:t:c p:t:c h:t:g p:u:? r:u");
	engine_free(d.e);
}

static void test_custom_permits(void **state)
{
	struct drive d;
	struct engine_thread *t, *u;
	struct place *p, *o;
	struct gate *g;

	(void)state;
	drive_begin(&d);
	d.passed_shuts = d.opened_sets = true;
	t = drive_thread(&d, "t");
	u = drive_thread(&d, "u");
	g = engine_gate_custom(d.e, "Permits", "c", 2);
	assert_string_equal(g->type, "Permits");
	step_gate(p = drive_place(&d, "A"), STEP_WAIT, g);
	step_gate(o = drive_place(&d, "O"), STEP_OPEN, g);
	arrive(&d, t, p);
	arrive(&d, u, p);
	decided(&d, "a:t@A h:t:c a:u@A h:u:c");
	engine_open(d.e, g, NULL);
	decided(&d, "o:c:- p:t:c r:t"); /* one permit, one thread */
	assert_int_equal(d.passed_calls, 1);
	arrive(&d, t, o);
	decided(&d, "a:t@O o:c:t r:t p:u:c r:u");
	assert_int_equal(d.opened_calls, 2);
	assert_int_equal(d.passed_calls, 2);
	engine_free(d.e);
}

/* ready() decides, whatever is_open is; simple gates do not call it. */
static void test_custom_decides(void **state)
{
	struct drive d;
	struct engine_thread *t;
	struct place *p;
	struct gate *g, *h;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	g = engine_gate_custom(d.e, "Mine", "c", 2);
	h = engine_gate_simple(d.e, "h");
	p = drive_place(&d, "A");
	step_gate(p, STEP_WAIT, h);
	step_gate(p, STEP_WAIT, g);
	engine_open(d.e, g, NULL);
	arrive(&d, t, p);
	assert_int_equal(d.ready_calls, 0);
	engine_open(d.e, h, NULL);
	decided(&d, "o:c:- a:t@A h:t:h o:h:- p:t:h h:t:c");
	d.flags[2] = ENGINE_YES;
	engine_changed(d.e);
	decided(&d, "p:t:c r:t");
	engine_free(d.e);
}

static void test_run(void **state)
{
	struct drive d;
	struct engine_thread *t, *u;
	struct gate *g, *h;
	struct place *p, *o;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	u = drive_thread(&d, "u");
	g = engine_gate_simple(d.e, "g");
	h = engine_gate_simple(d.e, "h");
	d.ops[0][0] = (struct op_code){OP_GATE, g, 0};
	d.ops[0][1] = (struct op_code){OP_UNTIL, NULL, 3};
	d.ops[0][2] = (struct op_code){OP_OPEN, h, 0};
	step_ref(p = drive_place(&d, "R"), STEP_RUN, 0);
	step_text(p, STEP_LOG, "end");
	step_gate(o = drive_place(&d, "H"), STEP_WAIT, h);
	arrive(&d, u, o);
	arrive(&d, t, p);
	decided(&d, "a:u@H h:u:h a:t@R h:t:g");
	engine_changed(d.e);
	assert_int_equal(d.run_calls, 1); /* the engine asks the gate */
	engine_open(d.e, g, NULL);
	decided(&d, "o:g:- p:t:g h:t:?");
	assert_int_equal(d.run_calls, 2);
	engine_changed(d.e);
	assert_int_equal(d.run_calls, 3);
	d.flags[3] = ENGINE_YES;
	engine_changed(d.e);
	decided(&d, "o:h:t p:t:? l:end=1 r:t p:u:h d:H r:u");
	assert_int_equal(d.run_ends, 0);
	engine_free(d.e);
}

/* An open gate does not hold; the function is resumed at once. */
static void test_run_straight(void **state)
{
	struct drive d;
	struct engine_thread *t;
	struct gate *g;
	struct place *p;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	g = engine_gate_simple(d.e, "g");
	engine_open(d.e, g, NULL);
	d.ops[0][0] = d.ops[0][1] = (struct op_code){OP_GATE, g, 0};
	step_ref(p = drive_place(&d, "R"), STEP_RUN, 0);
	arrive(&d, t, p);
	decided(&d, "o:g:- a:t@R r:t");
	assert_int_equal(d.run_calls, 3);
	arrive(&d, t, p); /* starts from the beginning */
	assert_int_equal(d.run_calls, 6);
	engine_free(d.e);
}

static void test_run_at_barrier(void **state)
{
	struct drive d;
	struct engine_thread *t, *u;
	struct gate *b;
	struct place *p, *q;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	u = drive_thread(&d, "u");
	b = engine_gate_barrier(d.e, "b", 2, false);
	d.ops[0][0] = (struct op_code){OP_GATE, b, 0};
	step_ref(p = drive_place(&d, "R"), STEP_RUN, 0);
	step_gate(q = drive_place(&d, "B"), STEP_WAIT, b);
	arrive(&d, t, p);
	engine_changed(d.e);
	arrive(&d, u, q);
	decided(&d, "a:t@R h:t:b a:u@B h:u:b o:b:- p:t:b r:t p:u:b d:B r:u");
	engine_free(d.e);
}

/* Statements between two waits may free others, in the same call. */
static void test_run_progress(void **state)
{
	struct drive d;
	struct engine_thread *t, *u;
	struct place *p, *q;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	u = drive_thread(&d, "u");
	d.ops[0][0] = (struct op_code){OP_UNTIL, NULL, 3};
	d.ops[0][1] = (struct op_code){OP_SET, NULL, 4};
	d.ops[0][2] = (struct op_code){OP_UNTIL, NULL, 5};
	step_ref(q = drive_place(&d, "W"), STEP_WHEN, 4);
	step_ref(p = drive_place(&d, "R"), STEP_RUN, 0);
	arrive(&d, u, q);
	arrive(&d, t, p);
	decided(&d, "a:u@W h:u:? a:t@R h:t:?");
	d.flags[3] = ENGINE_YES;
	engine_changed(d.e);
	decided(&d, "p:u:? r:u");
	engine_thread_exited(d.e, t);
	assert_int_equal(d.run_ends, 1);
	engine_free(d.e);
}

static void test_run_endless(void **state)
{
	struct drive d;
	struct engine_thread *t;
	struct decision one;
	struct gate *g;
	struct place *p;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	g = engine_gate_simple(d.e, "g");
	engine_open(d.e, g, NULL);
	d.ops[0][0] = (struct op_code){OP_GATE, g, 0};
	d.ops[0][1] = (struct op_code){.op = OP_LOOP};
	step_ref(p = drive_place(&d, "R"), STEP_RUN, 0);
	arrive(&d, t, p);
	while (engine_next(d.e, &one) && one.kind != DECISION_FAULT)
		;
	assert_int_equal(one.kind, DECISION_FAULT);
	assert_int_equal(one.error->code, ERROR_SCRIPT);
	assert_non_null(strstr(one.error->text, "x.lua:1: "));
	engine_thread_exited(d.e, t);
	assert_int_equal(d.run_ends, 1);
	engine_free(d.e);
}

/* Many calls of the engine are no endless loop. */
static void test_run_after_many(void **state)
{
	struct drive d;
	struct engine_thread *t;
	struct place *p;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	step_ref(p = drive_place(&d, "R"), STEP_RUN, 0);
	for (int i = 0; i < 200000; i++)
		engine_changed(d.e);
	arrive(&d, t, p);
	decided(&d, "a:t@R r:t");
	engine_free(d.e);
}

/* A thread that dies inside a function: its coroutine is freed, at a gate or not. */
static void test_run_dies(void **state)
{
	struct drive d;
	struct engine_thread *t;
	struct gate *g;
	struct place *p;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	g = engine_gate_simple(d.e, "g");
	d.ops[0][0] = (struct op_code){OP_GATE, g, 0};
	step_ref(p = drive_place(&d, "R"), STEP_RUN, 0);
	arrive(&d, t, p);
	engine_thread_exited(d.e, t);
	assert_int_equal(d.run_ends, 1);
	engine_open(d.e, g, NULL);
	decided(&d, "a:t@R h:t:g o:g:-");
	assert_int_equal(d.run_calls, 1);
	engine_free(d.e);
}

/* ---- faults ---- */

/* One fault is decided, with its text, and nothing after it. */
static void faulted(struct drive *d, struct engine_thread *t, const char *before)
{
	struct str out = {0};
	struct decision one = {0};
	struct place *x = drive_place(d, "X");

	while (engine_next(d->e, &one) && one.kind != DECISION_FAULT)
		drive_say(&one, &out);
	assert_int_equal(one.kind, DECISION_FAULT);
	assert_string_equal(one.error->text, "x.lua:1: broken");
	assert_int_equal(one.error->code, ERROR_SCRIPT);
	assert_string_equal(str_text(&out), before);
	engine_changed(d->e);
	arrive(d, drive_thread(d, "v"), x);
	engine_open(d->e, engine_gate_simple(d->e, "late"), NULL);
	engine_thread_exited(d->e, t);
	assert_false(engine_next(d->e, &one));
	str_fini(&out);
	engine_free(d->e);
}

static void test_fault_when(void **state)
{
	struct drive d;
	struct engine_thread *t;
	struct place *p;

	(void)state;
	drive_begin(&d);
	d.flags[0] = ENGINE_FAULT;
	t = drive_thread(&d, "t");
	step_ref(p = drive_place(&d, "A"), STEP_WHEN, 0);
	arrive(&d, t, p);
	faulted(&d, t, "a:t@A");
}

static void test_fault_later(void **state)
{
	struct drive d;
	struct engine_thread *t, *u;
	struct place *p;
	struct gate *g;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	u = drive_thread(&d, "u");
	g = engine_gate_custom(d.e, "C", "c", 0);
	step_gate(p = drive_place(&d, "A"), STEP_WAIT, g);
	arrive(&d, t, p);
	arrive(&d, u, p);
	d.flags[0] = ENGINE_FAULT;
	engine_changed(d.e);
	/* u's arrival asked t again; then t's fault ends the run */
	assert_int_equal(d.ready_calls, 4);
	faulted(&d, t, "a:t@A h:t:c a:u@A h:u:c");
}

/*
 * A thread that dies during a callback is not held, and takes no further step. A thread that was
 * held stays so and is not asked again.
 */
static void test_gone(void **state)
{
	struct drive d;
	struct engine_thread *t, *u;
	struct place *p;
	struct gate *g;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	u = drive_thread(&d, "u");
	g = engine_gate_custom(d.e, "C", "c", 0);
	step_gate(p = drive_place(&d, "A"), STEP_WAIT, g);
	step_text(p, STEP_LOG, "text");
	arrive(&d, t, p);
	assert_true(t->held);
	d.flags[0] = ENGINE_GONE;
	arrive(&d, u, p);
	assert_false(u->held);
	assert_true(t->held);
	decided(&d, "a:t@A h:t:c a:u@A r:u");
	d.flags[0] = ENGINE_YES;
	engine_changed(d.e);
	assert_true(t->held);
	step_text(p = drive_place(&d, "B"), STEP_LOG, "dying");
	arrive(&d, u, p);
	decided(&d, "a:u@B r:u");
	engine_free(d.e);
}

static void test_fault_opened(void **state)
{
	struct drive d;
	struct engine_thread *t;
	struct place *p;
	struct gate *g;

	(void)state;
	drive_begin(&d);
	d.opened = ENGINE_FAULT;
	t = drive_thread(&d, "t");
	g = engine_gate_custom(d.e, "C", "c", 0);
	step_gate(p = drive_place(&d, "A"), STEP_OPEN, g);
	arrive(&d, t, p);
	faulted(&d, t, "a:t@A o:c:t");
}

/* The function opens a gate whose opened() fails, and continues as if nothing had happened. */
static void test_fault_inside_run(void **state)
{
	struct drive d;
	struct engine_thread *t;
	struct place *p;
	struct gate *g;

	(void)state;
	drive_begin(&d);
	d.opened = ENGINE_FAULT;
	t = drive_thread(&d, "t");
	g = engine_gate_custom(d.e, "C", "c", 0);
	d.ops[0][0] = (struct op_code){OP_OPEN, g, 0};
	step_ref(p = drive_place(&d, "A"), STEP_RUN, 0);
	arrive(&d, t, p);
	faulted(&d, t, "a:t@A o:c:t");
}

static void test_fault_run(void **state)
{
	struct drive d;
	struct engine_thread *t;
	struct place *p;
	struct gate *g;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	g = engine_gate_simple(d.e, "g");
	d.ops[0][0] = (struct op_code){OP_GATE, g, 0};
	d.ops[0][1] = (struct op_code){.op = OP_FAULT};
	step_ref(p = drive_place(&d, "A"), STEP_RUN, 0);
	arrive(&d, t, p);
	engine_open(d.e, g, NULL);
	faulted(&d, t, "a:t@A h:t:g o:g:- p:t:g");
}

static void test_fault_log(void **state)
{
	struct drive d;
	struct engine_thread *t;
	struct place *p;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	p = drive_place(&d, "A");
	step_text(p, STEP_LOG, "fine");
	step_text(p, STEP_LOG, "broken");
	arrive(&d, t, p);
	faulted(&d, t, "a:t@A l:fine=1");
}

static void test_no_script(void **state)
{
	struct engine *e = engine_new(NULL);
	struct place *p = engine_place(e, PLACE_LOCATION, "A", "x.lua:9");
	struct engine_thread *t = engine_thread_new(e, "t", NULL, 1);
	struct decision one;

	(void)state;
	step_text(p, STEP_LOG, "plain");
	step_ref(p, STEP_RUN, 0);
	engine_arrive(e, &p, 1, &(struct arrival){.thread = t});
	assert_true(engine_next(e, &one) && one.kind == DECISION_ARRIVED);
	assert_true(engine_next(e, &one) && one.kind == DECISION_LOG);
	assert_string_equal(one.text, "plain");
	assert_true(engine_next(e, &one) && one.kind == DECISION_FAULT);
	assert_string_equal(one.error->text, "x.lua:9: no script is loaded that could decide");
	assert_false(engine_next(e, &one));
	engine_free(e);
}

/* opened() of a gate opens another: held threads are asked at the end of the call. */
static void test_open_in_opened(void **state)
{
	struct drive d;
	struct engine_thread *t;
	struct gate *c, *g;
	struct place *p;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	c = engine_gate_custom(d.e, "C", "c", 0);
	g = engine_gate_simple(d.e, "g");
	d.opened_opens = g;
	step_gate(p = drive_place(&d, "A"), STEP_WAIT, g);
	arrive(&d, t, p);
	engine_open(d.e, c, NULL);
	decided(&d, "a:t@A h:t:g o:c:- o:g:- p:t:g d:A r:t");
	engine_free(d.e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_when),	       cmocka_unit_test(test_when_of_another),
		cmocka_unit_test(test_passed_frees),   cmocka_unit_test(test_run_after_many),
		cmocka_unit_test(test_texts_are_kept), cmocka_unit_test(test_custom_permits),
		cmocka_unit_test(test_custom_decides), cmocka_unit_test(test_run),
		cmocka_unit_test(test_run_straight),   cmocka_unit_test(test_run_at_barrier),
		cmocka_unit_test(test_run_progress),   cmocka_unit_test(test_run_endless),
		cmocka_unit_test(test_run_dies),       cmocka_unit_test(test_fault_when),
		cmocka_unit_test(test_fault_later),    cmocka_unit_test(test_gone),
		cmocka_unit_test(test_fault_opened),   cmocka_unit_test(test_fault_inside_run),
		cmocka_unit_test(test_fault_run),      cmocka_unit_test(test_fault_log),
		cmocka_unit_test(test_no_script),      cmocka_unit_test(test_open_in_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
