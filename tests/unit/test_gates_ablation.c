/* Gates left out, and the opposite of what they force. */
#include "test_gates_drive.h"

static struct engine_thread *threads[4];

static void begin(struct drive *d)
{
	drive_begin(d);
	for (int i = 0; i < 4; i++)
		threads[i] = drive_thread(d, (char[]){(char)('a' + i), 0});
}

static void order(struct drive *d, const char *text)
{
	ERROR(err);

	if (engine_order(d->e, text, "x.lua:5", &err) < 0 || engine_orders_finish(d->e, &err) < 0)
		fail_msg("%s: %s", text, err.text);
}

static void leave_out(struct drive *d, size_t index)
{
	struct engine_subject s;

	assert_true(engine_subject_at(d->e, index, &s));
	engine_ablate(&s);
}

static void oppose(struct drive *d, size_t gate, const char *thread)
{
	engine_oppose(d->e, engine_gate_at(d->e, gate), &thread, thread ? 1 : 0);
}

static void subject_is(struct drive *d, size_t index, const char *name)
{
	struct engine_subject s;
	struct str text = {0};

	assert_true(engine_subject_at(d->e, index, &s));
	engine_subject_name(&s, &text);
	assert_string_equal(str_text(&text), name);
	str_fini(&text);
}

static void test_names(void **state)
{
	struct engine_subject s;
	struct place *p;
	struct drive d;

	(void)state;
	begin(&d);
	engine_gate_simple(d.e, "done")->source = base_strdup("calc.lua:3");
	engine_gate_simple(d.e, "bare");
	p = drive_place(&d, "queue.c:12");
	step_ref(p, STEP_WHEN, 1);
	step_ref(p, STEP_RUN, 2);
	step_text(p, STEP_EVENT, "x");
	order(&d, "a.c:3 -> x");
	subject_is(&d, 0, "gate done (calc.lua:3)");
	subject_is(&d, 1, "gate bare");
	subject_is(&d, 2, "order a.c:3 -> x (x.lua:5)");
	subject_is(&d, 3, "condition at queue.c:12 (x.lua:1)");
	subject_is(&d, 4, "wait_until at queue.c:12 (x.lua:1)");
	assert_false(engine_subject_at(d.e, 5, &s));
	oppose(&d, 0, "a"); /* the gates that hold back are not subjects */
	assert_true(engine_subject_at(d.e, 4, &s));
	assert_false(engine_subject_at(d.e, 5, &s));
	engine_free(d.e);
}

/* A gate left out holds no thread; it is opened, and opens others, as before. */
static void test_simple(void **state)
{
	struct place *wait, *open;
	struct drive d;
	struct gate *g, *h;

	(void)state;
	begin(&d);
	g = engine_gate_simple(d.e, "g");
	h = engine_gate_simple(d.e, "h");
	wait = drive_place(&d, "A");
	step_gate(wait, STEP_WAIT, g);
	step_gate(wait, STEP_OPEN, h);
	step_gate(open = drive_place(&d, "B"), STEP_OPEN, g);
	leave_out(&d, 0);
	arrive(&d, threads[0], wait);
	decided(&d, "a:a@A o:h:a d:A r:a");
	assert_false(g->is_open);
	arrive(&d, threads[1], open);
	decided(&d, "a:b@B o:g:b d:B r:b");
	assert_true(g->is_open);
	engine_free(d.e);
}

/* Only the subject is left out: other gates hold as before. */
static void test_the_others_hold(void **state)
{
	struct place *p;
	struct drive d;

	(void)state;
	begin(&d);
	p = drive_place(&d, "A");
	step_gate(p, STEP_WAIT, engine_gate_simple(d.e, "g"));
	step_gate(p, STEP_WAIT, engine_gate_simple(d.e, "h"));
	leave_out(&d, 0);
	arrive(&d, threads[0], p);
	decided(&d, "a:a@A h:a:h");
	engine_free(d.e);
}

/* A barrier left out still opens after its number of threads: a function may read is_open. */
static void test_barrier(void **state)
{
	struct place *p;
	struct drive d;
	struct gate *g;

	(void)state;
	begin(&d);
	g = engine_gate_barrier(d.e, "b", 2, false);
	step_gate(p = drive_place(&d, "A"), STEP_WAIT, g);
	leave_out(&d, 0);
	arrive(&d, threads[0], p);
	decided(&d, "a:a@A r:a");
	assert_false(g->is_open);
	arrive(&d, threads[1], p);
	decided(&d, "a:b@A o:b:- r:b");
	assert_true(g->is_open);
	arrive(&d, threads[2], p);
	decided(&d, "a:c@A r:c");
	engine_free(d.e);
}

/* ready() is not called; passed() and opened() are: they may count. */
static void test_custom(void **state)
{
	struct place *p, *q;
	struct drive d;
	struct gate *g;

	(void)state;
	begin(&d);
	g = engine_gate_custom(d.e, "Turn", "g", 1);
	step_gate(p = drive_place(&d, "A"), STEP_WAIT, g);
	step_gate(q = drive_place(&d, "B"), STEP_OPEN, g);
	leave_out(&d, 0);
	arrive(&d, threads[0], p);
	arrive(&d, threads[1], q);
	decided(&d, "a:a@A r:a a:b@B o:g:b r:b");
	assert_int_equal(d.ready_calls, 0);
	assert_int_equal(d.passed_calls, 1);
	assert_int_equal(d.opened_calls, 1);
	engine_free(d.e);
}

static void test_conditions(void **state)
{
	struct engine_subject s;
	struct place *p, *q;
	struct drive d;

	(void)state;
	begin(&d);
	step_ref(p = drive_place(&d, "A"), STEP_WHEN, 1);
	step_ref(q = drive_place(&d, "B"), STEP_RUN, 2);
	d.ops[2][0] = (struct op_code){.op = OP_UNTIL, .flag = 3};
	leave_out(&d, 0);
	arrive(&d, threads[0], p);
	decided(&d, "a:a@A r:a");
	assert_int_equal(d.when_calls, 0);
	assert_true(engine_subject_at(d.e, 1, &s));
	assert_false(engine_subject_holds(&s)); /* no wait_until seen so far */
	arrive(&d, threads[0], q);
	decided(&d, "a:a@B h:a:?");
	assert_true(engine_subject_holds(&s));
	engine_free(d.e);
}

static void test_true_at_once(void **state)
{
	struct engine_subject s;
	struct place *p;
	struct drive d;

	(void)state;
	begin(&d);
	p = drive_place(&d, "A");
	step_ref(p, STEP_RUN, 1);
	step_ref(p, STEP_RUN, 2);
	d.ops[1][0] = (struct op_code){.op = OP_UNTIL, .flag = 3};
	d.flags[3] = ENGINE_YES;
	arrive(&d, threads[0], p);
	decided(&d, "a:a@A r:a");
	assert_true(engine_subject_at(d.e, 0, &s));
	assert_true(engine_subject_holds(&s));
	assert_true(engine_subject_at(d.e, 1, &s));
	assert_false(engine_subject_holds(&s)); /* the function has none */
	engine_free(d.e);
}

static void test_all(void **state)
{
	struct place *p;
	struct drive d;

	(void)state;
	begin(&d);
	p = drive_place(&d, "A");
	step_gate(p, STEP_WAIT, engine_gate_simple(d.e, "g"));
	step_gate(p, STEP_WAIT, engine_gate_barrier(d.e, "b", 3, true));
	step_ref(p, STEP_WHEN, 1);
	step_text(p, STEP_LOG, "x");
	order(&d, "B -> A");
	for (size_t i = 0; engine_subject_at(d.e, i, &(struct engine_subject){0}); i++)
		leave_out(&d, i);
	arrive(&d, threads[0], p);
	decided(&d, "a:a@A l:x=1 r:a");
	engine_free(d.e);
}

/* ---- the opposite ---- */

/* The opener is held until a thread has passed and has then arrived somewhere. */
static void test_opener_waits(void **state)
{
	struct place *wait, *open, *other;
	struct drive d;

	(void)state;
	begin(&d);
	step_gate(wait = drive_place(&d, "A"), STEP_WAIT, engine_gate_simple(d.e, "g"));
	step_gate(open = drive_place(&d, "B"), STEP_OPEN, engine_gate_at(d.e, 0));
	step_text(other = drive_place(&d, "C"), STEP_LOG, "x");
	leave_out(&d, 0);
	oppose(&d, 0, NULL);
	arrive(&d, threads[1], open);
	decided(&d, "a:b@B h:b:g (held back where it would open)");
	arrive(&d, threads[0], wait);
	decided(&d, "a:a@A r:a w:a");
	arrive(&d, threads[2], wait); /* the first pass counts */
	decided(&d, "a:c@A r:c");
	arrive(&d, threads[2], other);
	decided(&d, "a:c@C l:x=1 r:c");
	arrive(&d, threads[0], other);
	decided(&d, "o:g (held back where it would open):a a:a@C l:x=2 r:a "
		    "p:b:g (held back where it would open) o:g:b d:B r:b");
	assert_false(engine_give_way(d.e, false));
	engine_free(d.e);
}

/* The opener is released too if that thread has blocked, exited or been held. */
static void test_ran_on(void **state)
{
	for (int how = 0; how < 3; how++) {
		struct place *wait, *open;
		struct drive d;

		(void)state;
		begin(&d);
		wait = drive_place(&d, "A");
		step_gate(wait, STEP_WAIT, engine_gate_simple(d.e, "g"));
		if (how == 2)
			step_gate(wait, STEP_WAIT, engine_gate_simple(d.e, "h"));
		step_gate(open = drive_place(&d, "B"), STEP_OPEN, engine_gate_at(d.e, 0));
		leave_out(&d, 0);
		oppose(&d, 0, NULL);
		arrive(&d, threads[1], open);
		assert_true(is_held(&d, threads[1]));
		arrive(&d, threads[0], wait);
		assert_int_equal(is_held(&d, threads[1]), how < 2);
		if (how == 0)
			engine_blocked(d.e, threads[0]);
		else if (how == 1)
			engine_thread_exited(d.e, threads[0]);
		assert_false(is_held(&d, threads[1]));
		engine_free(d.e);
	}
}

/* If a thread has passed before, the opener is not held. */
static void test_already_so(void **state)
{
	struct place *wait, *open;
	struct drive d;

	(void)state;
	begin(&d);
	step_gate(wait = drive_place(&d, "A"), STEP_WAIT, engine_gate_simple(d.e, "g"));
	step_gate(open = drive_place(&d, "B"), STEP_OPEN, engine_gate_at(d.e, 0));
	leave_out(&d, 0);
	oppose(&d, 0, NULL);
	arrive(&d, threads[0], wait);
	engine_thread_exited(d.e, threads[0]);
	arrive(&d, threads[1], open);
	decided(&d, "a:a@A r:a w:a o:g (held back where it would open):a a:b@B o:g:b d:B r:b");
	engine_free(d.e);
}

/* With the gate acting, holding back changes nothing in the end. */
static void test_control(void **state)
{
	struct place *wait, *open;
	struct drive d;

	(void)state;
	begin(&d);
	step_gate(wait = drive_place(&d, "A"), STEP_WAIT, engine_gate_simple(d.e, "g"));
	step_gate(open = drive_place(&d, "B"), STEP_OPEN, engine_gate_at(d.e, 0));
	oppose(&d, 0, "b");
	arrive(&d, threads[1], open);
	arrive(&d, threads[0], wait);
	decided(&d, "a:b@B h:b:g (held back where it would open) a:a@A h:a:g");
	assert_true(engine_give_way(d.e, false));
	decided(&d, "o:g (held back where it would open):- "
		    "p:b:g (held back where it would open) o:g:b d:B r:b p:a:g r:a w:a");
	engine_free(d.e);
}

/*
 * A thread held at its start, released there, is held again on its way and where it opens the gate.
 */
static void test_from_the_start(void **state)
{
	struct place *wait, *open, *way, *start;
	struct drive d;

	(void)state;
	begin(&d);
	step_gate(wait = drive_place(&d, "A"), STEP_WAIT, engine_gate_simple(d.e, "g"));
	step_gate(open = drive_place(&d, "B"), STEP_OPEN, engine_gate_at(d.e, 0));
	step_gate(way = drive_place(&d, "W"), STEP_OPEN, engine_gate_simple(d.e, "h"));
	leave_out(&d, 0);
	oppose(&d, 0, "b");
	start = engine_place_at(d.e, 3);
	assert_int_equal(start->kind, PLACE_THREAD_START);
	assert_false(place_missing(start));
	arrive(&d, threads[2], start);
	decided(&d, "r:c");
	arrive(&d, threads[1], start);
	decided(&d, "a:b@thread-start h:b:g (held back at its start)");
	assert_true(engine_give_way(d.e, false));
	decided(&d, "o:g (held back at its start):- p:b:g (held back at its start) d:thread-start "
		    "r:b");
	arrive(&d, threads[0], way);
	arrive(&d, threads[1], way);
	decided(&d, "a:a@W o:h:a r:a a:b@W h:b:g (held back on its way)");
	assert_true(engine_give_way(d.e, false));
	decided(&d, "o:g (held back on its way):- p:b:g (held back on its way) d:W r:b");
	arrive(&d, threads[1], open);
	decided(&d, "a:b@B h:b:g (held back where it would open)");
	arrive(&d, threads[0], wait);
	engine_blocked(d.e, threads[0]);
	assert_false(is_held(&d, threads[1]));
	engine_free(d.e);
}

/* a -> b: a is held before its statement until b's has been executed. */
static void test_order(void **state)
{
	struct place *a, *a_after, *b;
	struct drive d;

	(void)state;
	begin(&d);
	order(&d, "A -> B");
	leave_out(&d, 0);
	oppose(&d, 0, NULL);
	a = engine_place_at(d.e, 0);
	a_after = engine_place_at(d.e, 1);
	b = engine_place_at(d.e, 2);
	arrive(&d, threads[0], a);
	decided(&d, "a:a@A h:a:A -> B (held back where it would open)");
	arrive(&d, threads[1], b);
	decided(&d, "a:b@B r:b w:b");
	engine_blocked(d.e, threads[1]);
	decided(&d, "o:A -> B (held back where it would open):b "
		    "p:a:A -> B (held back where it would open) r:a");
	arrive(&d, threads[0], a_after);
	decided(&d, "a:a@A+ o:A -> B:a d:A d:A+ r:a");
	engine_free(d.e);
}

/* [a] -> b: a is held before it reaches the place where it would block. */
static void test_order_of_blocking(void **state)
{
	struct drive d;

	(void)state;
	begin(&d);
	order(&d, "[A] -> B");
	leave_out(&d, 0);
	oppose(&d, 0, NULL);
	arrive(&d, threads[0], engine_place_at(d.e, 0));
	decided(&d, "a:a@A h:a:[A] -> B (held back where it would open)");
	engine_free(d.e);
}

/* A place with `after` is too late to hold: the thread is held before the statement. */
static void test_open_after(void **state)
{
	struct place *open, *before;
	struct drive d;

	(void)state;
	begin(&d);
	open = drive_place(&d, "B");
	open->after = true;
	open->thread = base_strdup("b");
	open->hit_first = open->hit_last = 2;
	step_gate(open, STEP_OPEN, engine_gate_simple(d.e, "g"));
	leave_out(&d, 0);
	oppose(&d, 0, NULL);
	before = engine_place_at(d.e, 1);
	assert_string_equal(before->location, "B");
	assert_false(before->after);
	arrive(&d, threads[0], before);
	decided(&d, "r:a");
	arrive(&d, threads[1], before);
	decided(&d, "a:b@B r:b");
	arrive(&d, threads[1], before);
	decided(&d, "a:b@B h:b:g (held back where it would open)");
	engine_free(d.e);
}

static void test_barrier_one_by_one(void **state)
{
	struct place *p, *other;
	struct drive d;

	(void)state;
	begin(&d);
	step_gate(p = drive_place(&d, "A"), STEP_WAIT, engine_gate_barrier(d.e, "b", 2, false));
	step_text(other = drive_place(&d, "C"), STEP_LOG, "x");
	leave_out(&d, 0);
	oppose(&d, 0, NULL);
	arrive(&d, threads[0], p);
	decided(&d, "a:a@A r:a w:a");
	arrive(&d, threads[1], p);
	arrive(&d, threads[2], p);
	decided(&d, "a:b@A h:b:b a:c@A h:c:b o:b:-");
	arrive(&d, threads[0], other);
	decided(&d, "a:a@C l:x=1 r:a p:b:b r:b w:b");
	assert_true(engine_give_way(d.e, false));
	decided(&d, "p:c:b r:c");
	engine_free(d.e);
}

static void test_for_good(void **state)
{
	struct place *open, *start;
	struct drive d;

	(void)state;
	begin(&d);
	step_gate(open = drive_place(&d, "B"), STEP_OPEN, engine_gate_simple(d.e, "g"));
	leave_out(&d, 0);
	oppose(&d, 0, "b");
	start = engine_place_at(d.e, 1);
	arrive(&d, threads[1], start);
	assert_true(is_held(&d, threads[1]));
	assert_true(engine_give_way(d.e, true));
	assert_false(is_held(&d, threads[1]));
	arrive(&d, threads[1], open);
	assert_false(is_held(&d, threads[1]));
	assert_false(engine_give_way(d.e, true));
	engine_free(d.e);
}

/* Threads that are to reach a barrier later wait at their start for the first pass. */
static void test_barrier_from_the_start(void **state)
{
	struct place *p, *start;
	struct drive d;

	(void)state;
	begin(&d);
	step_gate(p = drive_place(&d, "A"), STEP_WAIT, engine_gate_barrier(d.e, "b", 2, false));
	leave_out(&d, 0);
	oppose(&d, 0, "b");
	start = engine_place_at(d.e, 1);
	arrive(&d, threads[1], start);
	arrive(&d, threads[0], p);
	assert_true(is_held(&d, threads[1]));
	engine_thread_exited(d.e, threads[0]);
	assert_false(is_held(&d, threads[1]));
	engine_free(d.e);
}

/* The first arrival is held until the second has arrived and run on; other threads pass. */
static void test_swap(void **state)
{
	struct engine_arrival first = {.thread = "a"}, second = {.thread = "b"};
	const struct gate *passed;
	struct gate *g;
	struct drive d;

	(void)state;
	begin(&d);
	g = engine_gate_simple(d.e, "g");
	step_gate(first.place = drive_place(&d, "A"), STEP_OPEN, g);
	step_gate(second.place = drive_place(&d, "B"), STEP_OPEN, g);
	assert_true(place_has_gate(first.place));
	passed = engine_swap(d.e, &first, &second);
	arrive(&d, threads[2], second.place);
	assert_int_equal(passed->passed, 0);
	arrive(&d, threads[0], first.place);
	assert_true(is_held(&d, threads[0]));
	arrive(&d, threads[1], second.place);
	assert_int_equal(passed->passed, 1);
	engine_blocked(d.e, threads[1]);
	assert_false(is_held(&d, threads[0]));
	engine_free(d.e);
}

/* A gate orders the two arrivals: the second cannot come, so the first is released. */
static void test_swap_that_gives_way(void **state)
{
	struct engine_arrival first = {.thread = "a"}, second = {.thread = "b"};
	const struct gate *passed;
	struct gate *g;
	struct drive d;

	(void)state;
	begin(&d);
	g = engine_gate_simple(d.e, "g");
	step_gate(first.place = drive_place(&d, "A"), STEP_OPEN, g);
	step_gate(second.place = drive_place(&d, "B"), STEP_WAIT, g);
	passed = engine_swap(d.e, &first, &second);
	arrive(&d, threads[0], first.place);
	arrive(&d, threads[1], second.place);
	assert_int_equal(passed->passed, 0);
	assert_true(engine_give_way(d.e, false));
	assert_false(is_held(&d, threads[0]));
	assert_false(is_held(&d, threads[1]));
	engine_free(d.e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_simple),
		cmocka_unit_test(test_the_others_hold),
		cmocka_unit_test(test_barrier),
		cmocka_unit_test(test_custom),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_true_at_once),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_opener_waits),
		cmocka_unit_test(test_ran_on),
		cmocka_unit_test(test_already_so),
		cmocka_unit_test(test_control),
		cmocka_unit_test(test_from_the_start),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_order_of_blocking),
		cmocka_unit_test(test_open_after),
		cmocka_unit_test(test_barrier_one_by_one),
		cmocka_unit_test(test_for_good),
		cmocka_unit_test(test_barrier_from_the_start),
		cmocka_unit_test(test_swap),
		cmocka_unit_test(test_swap_that_gives_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
