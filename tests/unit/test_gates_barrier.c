/* Barriers: number of threads, one at a time, and threads that die there. */
#include "test_gates_drive.h"

static void test_barrier(void **state)
{
	struct drive d;
	struct engine_thread *t[4];
	struct place *p;
	struct gate *g;

	(void)state;
	drive_begin(&d);
	g = engine_gate_barrier(d.e, "b", 3, false);
	for (int i = 0; i < 4; i++)
		t[i] = drive_thread(&d, (char[]){(char)('0' + i), 0});
	step_gate(p = drive_place(&d, "B"), STEP_WAIT, g);
	arrive(&d, t[0], p);
	arrive(&d, t[1], p);
	decided(&d, "a:0@B h:0:b a:1@B h:1:b");
	engine_thread_exited(d.e, t[0]); /* at the same time: dead threads do not count */
	arrive(&d, t[2], p);
	decided(&d, "a:2@B h:2:b");
	arrive(&d, t[3], p);
	decided(&d, "a:3@B h:3:b o:b:- p:1:b r:1 p:2:b r:2 p:3:b d:B r:3");
	arrive(&d, t[1], p);
	decided(&d, "a:1@B r:1");
	engine_free(d.e);
}

static void test_barrier_opened_by_hand(void **state)
{
	struct drive d;
	struct engine_thread *t;
	struct place *p;
	struct gate *g;

	(void)state;
	drive_begin(&d);
	g = engine_gate_barrier(d.e, "b", 3, false);
	t = drive_thread(&d, "t");
	step_gate(p = drive_place(&d, "B"), STEP_WAIT, g);
	arrive(&d, t, p);
	engine_open(d.e, g, t);
	decided(&d, "a:t@B h:t:b o:b:t p:t:b d:B r:t");
	engine_free(d.e);
}

/* One by one: after the previous thread has arrived somewhere, blocked or exited. */
static void test_serial(void **state)
{
	struct drive d;
	struct engine_thread *t[6];
	struct place *p, *other;
	struct gate *g;

	(void)state;
	drive_begin(&d);
	g = engine_gate_barrier(d.e, "b", 4, true);
	for (int i = 0; i < 6; i++)
		t[i] = drive_thread(&d, (char[]){(char)('0' + i), 0});
	step_gate(p = drive_place(&d, "B"), STEP_WAIT, g);
	step_text(other = drive_place(&d, "X"), STEP_LOG, "x");
	for (int i = 0; i < 3; i++)
		arrive(&d, t[i], p);
	decided(&d, "a:0@B h:0:b a:1@B h:1:b a:2@B h:2:b");
	arrive(&d, t[3], p);
	decided(&d, "a:3@B h:3:b o:b:- p:0:b r:0 w:0");
	arrive(&d, t[4], p); /* a late thread queues behind the others */
	decided(&d, "a:4@B h:4:b");
	arrive(&d, t[0], other);
	decided(&d, "a:0@X l:x=1 r:0 p:1:b r:1 w:1");
	engine_blocked(d.e, t[0]); /* not the thread whose turn it is */
	decided(&d, "");
	engine_blocked(d.e, t[1]);
	decided(&d, "p:2:b r:2 w:2");
	engine_thread_exited(d.e, t[2]);
	decided(&d, "p:3:b r:3 w:3");
	arrive(&d, t[3], p); /* the same thread again queues behind the waiting ones */
	decided(&d, "a:3@B h:3:b p:4:b r:4 w:4");
	arrive(&d, t[5], p);
	engine_blocked(d.e, t[4]);
	decided(&d, "a:5@B h:5:b p:3:b r:3 w:3");
	engine_blocked(d.e, t[3]);
	decided(&d, "p:5:b r:5 w:5");
	engine_blocked(d.e, t[5]); /* the queue is empty: an open gate from now on */
	arrive(&d, t[0], p);
	arrive(&d, t[1], p);
	decided(&d, "a:0@B r:0 a:1@B r:1");
	engine_free(d.e);
}

/* The released thread is held at the next step, which counts as blocked. */
static void test_serial_held_again(void **state)
{
	struct drive d;
	struct engine_thread *t, *u;
	struct place *p;
	struct gate *b, *g;

	(void)state;
	drive_begin(&d);
	b = engine_gate_barrier(d.e, "b", 2, true);
	g = engine_gate_simple(d.e, "g");
	t = drive_thread(&d, "t");
	u = drive_thread(&d, "u");
	p = drive_place(&d, "B");
	step_gate(p, STEP_WAIT, b);
	step_gate(p, STEP_WAIT, g);
	arrive(&d, t, p);
	arrive(&d, u, p);
	decided(&d, "a:t@B h:t:b a:u@B h:u:b o:b:- p:t:b h:t:g p:u:b h:u:g");
	engine_open(d.e, g, NULL);
	decided(&d, "o:g:- p:t:g r:t p:u:g r:u");
	engine_free(d.e);
}

/* The released thread kills its (child) program at the next step. */
static void test_serial_killed(void **state)
{
	struct drive d;
	struct engine_thread *t, *u;
	struct place *p, *q;
	struct gate *b;

	(void)state;
	drive_begin(&d);
	b = engine_gate_barrier(d.e, "b", 2, true);
	t = drive_thread(&d, "t");
	u = drive_thread(&d, "u");
	p = drive_place(&d, "A");
	step_gate(p, STEP_WAIT, b);
	engine_step(p, STEP_KILL)->signal = 9;
	step_gate(q = drive_place(&d, "B"), STEP_WAIT, b);
	arrive(&d, t, p);
	arrive(&d, u, q);
	decided(&d, "a:t@A h:t:b a:u@B h:u:b o:b:- p:t:b k:t:9 p:u:b r:u w:u");
	engine_free(d.e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_barrier),	      cmocka_unit_test(test_barrier_opened_by_hand),
		cmocka_unit_test(test_serial),	      cmocka_unit_test(test_serial_held_again),
		cmocka_unit_test(test_serial_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
