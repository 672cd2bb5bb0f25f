#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "gates/waits.h"

enum { MOST = 8 };

static struct engine_thread T[MOST];

static struct wait in_process(struct wait w, int process, int parent)
{
	w.process = process;
	w.parent = parent;
	return w;
}

static struct wait waits(int thread, enum wait_kind kind, int on)
{
	return (struct wait){
		.thread = &T[thread],
		.kind = kind,
		.on = on < 0 ? NULL : &T[on],
		.process = 100,
	};
}

/* The answer, and the indexes of the chain, in order. */
static void judged(const struct wait *w, size_t count, enum waits_answer answer, const char *chain)
{
	size_t cycle[MOST], length = 99;

	assert_int_equal(waits_judge(w, count, cycle, &length), answer);
	assert_int_equal(waits_judge(w, count, NULL, NULL), answer);
	for (size_t i = 0; i < length; i++) {
		assert_true(chain[i] != '\0');
		assert_int_equal(cycle[i], chain[i] - '0');
	}
	assert_int_equal(chain[length], '\0');
}

static void test_moving(void **state)
{
	struct wait w[] = {
		waits(0, WAIT_MUTEX, 1),
		waits(1, WAIT_MUTEX, 0),
		waits(2, WAIT_NOT, -1),
		waits(3, WAIT_GATE, -1),
	};

	(void)state;
	judged(w, 4, WAITS_MOVING, "");
	judged(NULL, 0, WAITS_MOVING, "");
}

static void test_abba(void **state)
{
	struct wait w[] = {
		waits(0, WAIT_JOIN, 1),
		waits(1, WAIT_MUTEX, 2),
		waits(2, WAIT_MUTEX, 1),
		waits(3, WAIT_FUTEX, -1),
	};

	(void)state;
	judged(w, 3, WAITS_OWN, "12");
	judged(w, 4, WAITS_OWN, "12");
}

/* The program's own circle is its own even where somebody is held as well. */
static void test_abba_beside_gate(void **state)
{
	struct wait w[] = {
		waits(0, WAIT_GATE, -1),
		waits(1, WAIT_MUTEX, 2),
		waits(2, WAIT_MUTEX, 1),
		waits(3, WAIT_FUTEX, -1),
	};

	(void)state;
	judged(w, 4, WAITS_OWN, "12");
}

static void test_relock(void **state)
{
	struct wait w[] = {waits(0, WAIT_JOIN, 1), waits(1, WAIT_MUTEX, 1)};

	(void)state;
	judged(w, 2, WAITS_OWN, "1");
}

/* Held while it owns the mutex that the one who would open the gate needs. */
static void test_gate_in_chain(void **state)
{
	struct wait w[] = {
		waits(0, WAIT_JOIN, 1),
		waits(1, WAIT_MUTEX, 2),
		waits(2, WAIT_GATE, -1),
	};

	(void)state;
	judged(w, 3, WAITS_GATE, "012");
}

static void test_only_gates(void **state)
{
	struct wait w[] = {waits(0, WAIT_GATE, -1), waits(1, WAIT_GATE, -1)};

	(void)state;
	judged(w, 2, WAITS_GATE, "0");
}

/* A condition variable: the held one may be who would have signalled it. */
static void test_unknown_with_gate(void **state)
{
	struct wait w[] = {
		waits(0, WAIT_JOIN, 1),
		waits(1, WAIT_FUTEX, -1),
		waits(2, WAIT_GATE, -1),
		waits(3, WAIT_MUTEX, -1),
	};

	(void)state;
	judged(w, 4, WAITS_GATE, "2");
}

static void test_unknown_without_gate(void **state)
{
	struct wait w[] = {
		waits(0, WAIT_FUTEX, -1),
		waits(1, WAIT_JOIN, 2),
		waits(2, WAIT_JOIN, 3),
		waits(3, WAIT_FUTEX, -1),
	};

	(void)state;
	judged(w, 4, WAITS_OWN, "123");
	judged(w, 1, WAITS_OWN, "0");
}

/* Whom it joins is gone: it is just about to wake. A mutex of one that is gone stays locked. */
static void test_gone(void **state)
{
	struct wait w[] = {waits(0, WAIT_JOIN, 5), waits(1, WAIT_GATE, -1)};
	struct wait v[] = {waits(0, WAIT_MUTEX, 5), waits(1, WAIT_GATE, -1)};

	(void)state;
	judged(w, 2, WAITS_MOVING, "");
	judged(v, 2, WAITS_OWN, "0");
}

static struct wait waits_process(int thread, int on_process)
{
	struct wait w = waits(thread, WAIT_PROCESS, -1);

	w.on_process = on_process;
	return w;
}

static void test_child_at_gate(void **state)
{
	struct wait w[] = {
		waits_process(0, 200),
		in_process(waits(1, WAIT_JOIN, 2), 200, 100),
		in_process(waits(2, WAIT_GATE, -1), 200, 100),
	};

	(void)state;
	judged(w, 3, WAITS_GATE, "012");
	w[0].on_process = 0;
	judged(w, 3, WAITS_GATE, "012");
	w[0].on_process = 300; /* has ended, or is none of ours */
	judged(w, 3, WAITS_MOVING, "");
}

/* The child has one thread at a gate and another that waits for its parent for ever. */
static void test_child_in_circle(void **state)
{
	struct wait w[] = {
		waits_process(0, 200),
		in_process(waits(1, WAIT_GATE, -1), 200, 100),
		in_process(waits(2, WAIT_MUTEX, 0), 200, 100),
	};

	(void)state;
	judged(w, 3, WAITS_OWN, "02");
}

/* Any child will do: as long as one of them could end, there is hope; a grandchild is none. */
static void test_any_child(void **state)
{
	struct wait w[] = {
		waits_process(0, 0),
		in_process(waits(1, WAIT_MUTEX, 0), 200, 100),
		in_process(waits(2, WAIT_GATE, -1), 300, 100),
		in_process(waits(3, WAIT_GATE, -1), 400, 300),
	};

	(void)state;
	judged(w, 4, WAITS_GATE, "102");
	w[2] = in_process(waits(2, WAIT_MUTEX, 0), 300, 100);
	judged(w, 4, WAITS_OWN, "01");
}

static void test_child_futex(void **state)
{
	struct wait w[] = {
		waits_process(0, 200),
		in_process(waits(1, WAIT_FUTEX, -1), 200, 100),
	};

	(void)state;
	judged(w, 2, WAITS_OWN, "01");
}

/* ---- against a slow but plain definition: can the gates, if they opened, set everybody free? ---- */

static uint64_t seed = 1;

static unsigned dice(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

static enum waits_answer plain(const struct wait *w, size_t count)
{
	bool free[MOST] = {false}, gate = false;

	for (size_t i = 0; i < count; i++)
		gate |= w[i].kind == WAIT_GATE;
	for (size_t round = 0; round < count && gate; round++)
		for (size_t i = 0; i < count; i++)
			free[i] |= w[i].kind == WAIT_GATE || w[i].kind == WAIT_FUTEX || !w[i].on ||
				   free[w[i].on - T];
	for (size_t i = 0; i < count; i++)
		if (!free[i])
			return WAITS_OWN;
	return WAITS_GATE;
}

static void test_random(void **state)
{
	static const enum wait_kind kinds[] = {WAIT_MUTEX, WAIT_MUTEX, WAIT_JOIN, WAIT_FUTEX,
					       WAIT_GATE};
	unsigned own = 0;

	(void)state;
	for (int n = 0; n < 20000; n++) {
		size_t count = 1 + dice(MOST), cycle[MOST], length;
		struct wait w[MOST];

		for (size_t i = 0; i < count; i++) {
			w[i] = waits((int)i, kinds[dice(5)], -1);
			if (w[i].kind < WAIT_PROCESS && w[i].kind > WAIT_GATE && dice(8))
				w[i].on = &T[dice((unsigned)count)];
		}
		assert_int_equal(waits_judge(w, count, cycle, &length), plain(w, count));
		own += plain(w, count) == WAITS_OWN;
		assert_true(length > 0 && length <= count);
		for (size_t i = 0; i + 1 < length; i++)
			assert_ptr_equal(w[cycle[i]].on, &T[cycle[i + 1]]);
	}
	assert_true(own > 2000 && own < 18000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moving),
		cmocka_unit_test(test_abba),
		cmocka_unit_test(test_abba_beside_gate),
		cmocka_unit_test(test_relock),
		cmocka_unit_test(test_gate_in_chain),
		cmocka_unit_test(test_only_gates),
		cmocka_unit_test(test_unknown_with_gate),
		cmocka_unit_test(test_unknown_without_gate),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_child_at_gate),
		cmocka_unit_test(test_child_in_circle),
		cmocka_unit_test(test_any_child),
		cmocka_unit_test(test_child_futex),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
