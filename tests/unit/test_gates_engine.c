/* Built-in gates, places, patterns, ranges: everything without a function of a script. */
#include "test_gates_drive.h"

static void test_simple(void **state)
{
	struct drive d;
	struct engine_thread *t, *u;
	struct place *wait, *open;
	struct engine_hold hold;
	struct gate *g;

	(void)state;
	drive_begin(&d);
	g = engine_gate_simple(d.e, "g");
	t = drive_thread(&d, "t");
	u = drive_thread(&d, "u");
	step_gate(wait = drive_place(&d, "A"), STEP_WAIT, g);
	step_gate(open = drive_place(&d, "B"), STEP_OPEN, g);

	arrive(&d, t, wait);
	decided(&d, "a:t@A h:t:g");
	assert_true(t->held);
	assert_true(engine_held(d.e, t, &hold));
	assert_ptr_equal(hold.gate, g);
	assert_ptr_equal(hold.place, wait);
	arrive(&d, u, open);
	decided(&d, "a:u@B o:g:u d:B r:u p:t:g d:A r:t");
	assert_false(t->held);
	assert_false(engine_held(d.e, t, &hold));
	assert_true(g->is_open);
	/* a gate stays open */
	arrive(&d, t, wait);
	arrive(&d, u, open);
	engine_open(d.e, g, NULL);
	decided(&d, "a:t@A r:t a:u@B r:u");
	engine_free(d.e);
}

static void test_open_by_hand(void **state)
{
	struct drive d;
	struct engine_thread *t;
	struct place *p;
	struct gate *g;

	(void)state;
	drive_begin(&d);
	g = engine_gate_simple(d.e, "g");
	t = drive_thread(&d, "t");
	step_gate(p = drive_place(&d, "A"), STEP_WAIT, g);
	arrive(&d, t, p);
	engine_changed(d.e);
	decided(&d, "a:t@A h:t:g");
	engine_open(d.e, g, NULL);
	decided(&d, "o:g:- p:t:g d:A r:t");
	engine_free(d.e);
}

/* A thread is held once at a step and continues from there. */
static void test_position(void **state)
{
	struct drive d;
	struct engine_thread *t;
	struct place *p, *q;
	struct gate *g, *h, *k;

	(void)state;
	drive_begin(&d);
	g = engine_gate_simple(d.e, "g");
	h = engine_gate_simple(d.e, "h");
	k = engine_gate_simple(d.e, "k");
	t = drive_thread(&d, "t");
	p = drive_place(&d, "A");
	step_text(p, STEP_EVENT, "one");
	step_gate(p, STEP_WAIT, g);
	step_text(p, STEP_LOG, "two");
	step_gate(p, STEP_WAIT, h);
	q = drive_place(&d, "A2");
	step_gate(q, STEP_WAIT, k);
	step_text(q, STEP_EVENT, "three");
	arrive2(&d, t, p, q);
	decided(&d, "a:t@A e:one h:t:g");
	engine_open(d.e, g, NULL);
	decided(&d, "o:g:- p:t:g l:two=1 h:t:h");
	engine_open(d.e, h, NULL);
	decided(&d, "o:h:- p:t:h a:t@A2 h:t:k");
	engine_open(d.e, k, NULL);
	decided(&d, "o:k:- p:t:k e:three d:A2 r:t");
	engine_free(d.e);
}

/* A released thread may open a gate for others; those are asked in order of arrival. */
static void test_asked_in_order(void **state)
{
	struct drive d;
	struct engine_thread *t[4];
	struct place *at_g, *at_h, *opener;
	struct gate *g, *h;

	(void)state;
	drive_begin(&d);
	g = engine_gate_simple(d.e, "g");
	h = engine_gate_simple(d.e, "h");
	for (int i = 0; i < 4; i++)
		t[i] = drive_thread(&d, (char[]){(char)('0' + i), 0});
	step_gate(at_g = drive_place(&d, "G"), STEP_WAIT, g);
	at_h = drive_place(&d, "H");
	step_gate(at_h, STEP_WAIT, h);
	opener = drive_place(&d, "O");
	step_gate(opener, STEP_WAIT, g);
	step_gate(opener, STEP_OPEN, h);
	arrive(&d, t[2], at_h);
	arrive(&d, t[1], opener);
	arrive(&d, t[3], at_g);
	arrive(&d, t[0], at_h);
	decided(&d, "a:2@H h:2:h a:1@O h:1:g a:3@G h:3:g a:0@H h:0:h");
	engine_open(d.e, g, NULL);
	decided(&d, "o:g:- p:1:g o:h:1 d:O r:1 p:2:h r:2 p:3:g d:G r:3 p:0:h d:H r:0");
	engine_free(d.e);
}

static void test_hit_range(void **state)
{
	struct drive d;
	struct engine_thread *t;
	struct place *p;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	step_text(p = drive_place(&d, "A"), STEP_LOG, "n");
	p->hit_first = 2;
	p->hit_last = 3;
	arrive(&d, t, p);
	assert_false(place_reached(p));
	assert_true(place_missing(p));
	arrive(&d, t, p);
	assert_true(place_reached(p));
	assert_false(place_missing(p));
	decided(&d, "a:t@A r:t a:t@A l:n=2 r:t");
	arrive(&d, t, p);
	arrive(&d, t, p);
	decided(&d, "a:t@A l:n=3 d:A r:t a:t@A r:t");
	assert_int_equal(p->arrivals, 4);
	engine_free(d.e);
}

static void test_missing(void **state)
{
	struct drive d;
	struct place *p;

	(void)state;
	drive_begin(&d);
	p = drive_place(&d, "A");
	assert_true(place_missing(p));
	p->optional = true;
	assert_false(place_missing(p));
	engine_free(d.e);
}

static void test_thread_patterns(void **state)
{
	struct drive d;
	struct engine_thread *t;

	(void)state;
	drive_begin(&d);
	d.name = "net-io";
	t = engine_thread_new(d.e, "p1/reader#2", "reader", 7);
	assert_true(engine_thread_matches(d.e, t, NULL));
	assert_true(engine_thread_matches(d.e, t, "p1/reader#2"));
	assert_true(engine_thread_matches(d.e, t, "*#2"));
	assert_true(engine_thread_matches(d.e, t, "reader"));
	assert_true(engine_thread_matches(d.e, t, "re?der"));
	assert_int_equal(d.name_calls, 0); /* only read if the others do not match */
	assert_true(engine_thread_matches(d.e, t, "net-*"));
	assert_int_equal(d.name_calls, 1);
	assert_false(engine_thread_matches(d.e, t, "reader#2"));
	assert_false(engine_thread_matches(d.e, t, "writer"));
	assert_int_equal(d.name_calls, 3);
	assert_false(engine_thread_matches(d.e, t, "*sixteen??letters*"));
	assert_int_equal(d.name_calls, 3); /* longer than any name */
	d.name = "fifteen letters";
	assert_true(engine_thread_matches(d.e, t, "fifteen*letters*"));
	d.name = "";
	assert_false(engine_thread_matches(d.e, t, "?"));
	engine_free(d.e);
}

/* Other threads do not arrive there at all: not counted, not recorded. */
static void test_thread_option(void **state)
{
	struct drive d;
	struct engine_thread *t, *u;
	struct place *p;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	u = drive_thread(&d, "u");
	step_text(p = drive_place(&d, "A"), STEP_LOG, "n");
	p->thread = base_strdup("u");
	arrive(&d, t, p);
	arrive(&d, u, p);
	decided(&d, "r:t a:u@A l:n=1 r:u");
	assert_int_equal(p->arrivals, 1);
	engine_free(d.e);
}

static void test_step_thread(void **state)
{
	struct drive d;
	struct engine_thread *t, *u;
	struct place *p;
	struct gate *g;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	u = drive_thread(&d, "u");
	g = engine_gate_simple(d.e, "g");
	p = drive_place(&d, "A");
	step_gate(p, STEP_WAIT, g);
	p->steps.items[0].thread = base_strdup("u");
	arrive(&d, t, p);
	arrive(&d, u, p);
	decided(&d, "a:t@A r:t a:u@A h:u:g");
	engine_free(d.e);
}

/* A thread held at a step stays held there, even if another thread renames it. */
static void test_renamed_while_held(void **state)
{
	struct drive d;
	struct engine_thread *t;
	struct place *p;
	struct gate *g;

	(void)state;
	drive_begin(&d);
	d.name = "io";
	t = drive_thread(&d, "t");
	g = engine_gate_simple(d.e, "g");
	p = drive_place(&d, "A");
	step_gate(p, STEP_WAIT, g);
	p->steps.items[0].thread = base_strdup("io");
	arrive(&d, t, p);
	d.name = "other";
	engine_open(d.e, g, NULL);
	decided(&d, "a:t@A h:t:g o:g:- p:t:g d:A r:t");
	assert_int_equal(g->waiting, 0);
	engine_free(d.e);
}

static void test_no_places(void **state)
{
	struct drive d;
	struct engine_thread *t;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	engine_arrive(d.e, NULL, 0, &(struct arrival){.thread = t});
	decided(&d, "r:t");
	engine_free(d.e);
}

static void test_kill(void **state)
{
	struct drive d;
	struct engine_thread *t;
	struct place *p;
	struct gate *g;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	g = engine_gate_simple(d.e, "g");
	p = drive_place(&d, "A");
	step_gate(p, STEP_WAIT, g);
	engine_step(p, STEP_KILL)->signal = 9;
	step_text(p, STEP_LOG, "never");
	arrive(&d, t, p);
	engine_open(d.e, g, NULL);
	decided(&d, "a:t@A h:t:g o:g:- p:t:g k:t:9");
	assert_false(is_held(&d, t));
	engine_changed(d.e);
	engine_thread_exited(d.e, t);
	engine_thread_exited(d.e, t);
	decided(&d, "");
	engine_free(d.e);
}

static void test_watch(void **state)
{
	struct drive d;
	struct engine_thread *t, *u;
	struct place *c, *w, *x;
	struct gate *g, *h;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	u = drive_thread(&d, "u");
	g = engine_gate_simple(d.e, "g");
	h = engine_gate_simple(d.e, "h");
	c = drive_place(&d, "C");
	step_gate(c, STEP_WATCH, g);
	step_gate(c, STEP_WATCH, g);
	step_gate(c, STEP_WAIT, h);
	step_gate(w = drive_place(&d, "W"), STEP_WAIT, g);
	step_text(x = drive_place(&d, "X"), STEP_LOG, "x");
	arrive(&d, u, w);
	arrive(&d, t, c);
	decided(&d, "a:u@W h:u:g a:t@C h:t:h");
	engine_open(d.e, h, NULL);
	decided(&d, "o:h:- p:t:h r:t w:t");
	arrive(&d, t, x); /* the watch stays until the thread blocks */
	decided(&d, "a:t@X l:x=1 r:t w:t");
	engine_blocked(d.e, t);
	decided(&d, "o:g:t d:C p:u:g d:W r:u");
	engine_blocked(d.e, t);
	arrive(&d, t, c);
	decided(&d, "a:t@C r:t");
	engine_free(d.e);
}

static void test_watch_dies(void **state)
{
	struct drive d;
	struct engine_thread *t;
	struct place *c;
	struct gate *g;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	g = engine_gate_simple(d.e, "g");
	step_gate(c = drive_place(&d, "C"), STEP_WATCH, g);
	arrive(&d, t, c);
	engine_thread_exited(d.e, t);
	engine_blocked(d.e, t);
	decided(&d, "a:t@C r:t w:t");
	assert_false(g->is_open);
	engine_free(d.e);
}

/* A held thread that is torn away (exec, a fatal signal) arrives elsewhere or exits. */
static void test_torn_away(void **state)
{
	struct drive d;
	struct engine_thread *t;
	struct place *p, *x;
	struct gate *g;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	g = engine_gate_simple(d.e, "g");
	step_gate(p = drive_place(&d, "A"), STEP_WAIT, g);
	step_text(x = drive_place(&d, "exit"), STEP_LOG, "x");
	arrive(&d, t, p);
	arrive(&d, t, x);
	decided(&d, "a:t@A h:t:g a:t@exit l:x=1 r:t");
	engine_open(d.e, g, NULL);
	decided(&d, "o:g:- d:A");
	assert_int_equal(g->waiting, 0);
	engine_free(d.e);
}

/* Each arrival that acts elides, or lets a wait return, before the thread continues; such a place
   never dies by itself. */
static void test_elide(void **state)
{
	static const enum step_kind kinds[] = {STEP_ELIDE, STEP_SPURIOUS};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct drive d;
		struct engine_thread *t;
		struct place *p;

		drive_begin(&d);
		t = drive_thread(&d, "t");
		engine_step(p = drive_place(&d, "A"), kinds[i]);
		p->hit_first = 2;
		p->hit_last = 3;
		assert_true(place_has_step(p, kinds[i]));
		assert_false(place_has_step(p, kinds[1 - i]));
		arrive(&d, t, p);
		arrive(&d, t, p);
		decided(&d, "a:t@A r:t a:t@A z:t r:t");
		arrive(&d, t, p);
		arrive(&d, t, p);
		decided(&d, "a:t@A z:t d:A r:t a:t@A r:t");
		engine_free(d.e);
	}
}

static void test_iteration(void **state)
{
	struct drive d;
	struct engine_thread *t;

	(void)state;
	drive_begin(&d);
	t = drive_thread(&d, "t");
	engine_thread_exited(d.e, t);
	assert_ptr_equal(engine_thread_at(d.e, 0), t);
	assert_true(t->exited);
	assert_null(engine_thread_at(d.e, 1));
	assert_null(engine_gate_at(d.e, 0));
	assert_null(engine_place_at(d.e, 0));
	engine_free(d.e);
	engine_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_simple),		cmocka_unit_test(test_open_by_hand),
		cmocka_unit_test(test_position),	cmocka_unit_test(test_asked_in_order),
		cmocka_unit_test(test_hit_range),	cmocka_unit_test(test_missing),
		cmocka_unit_test(test_thread_patterns), cmocka_unit_test(test_thread_option),
		cmocka_unit_test(test_step_thread),	cmocka_unit_test(test_renamed_while_held),
		cmocka_unit_test(test_no_places),	cmocka_unit_test(test_kill),
		cmocka_unit_test(test_watch),		cmocka_unit_test(test_watch_dies),
		cmocka_unit_test(test_torn_away),	cmocka_unit_test(test_elide),
		cmocka_unit_test(test_iteration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
