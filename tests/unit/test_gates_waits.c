/* The wait-for graph: deadlocks, gates in cycles, threads that are lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "gates/engine.h"

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

static struct wait waits_process(int thread, int on_process)
{
	struct wait w = waits(thread, WAIT_PROCESS, -1);

	w.on_process = on_process;
	return w;
}

/* Checks the answer, and the indexes of the chain in order. */
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

/* A cycle is the program's own deadlock even if another thread is held at a gate. */
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

/* A thread is held while it owns the mutex that the gate's opener needs. */
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

/* A condition variable: the held thread may be the one that would signal it. */
static void test_unknown_with_gate(void **state)
{
	struct wait w[] = {
		waits(0, WAIT_JOIN, 1),
		waits(1, WAIT_FUTEX, -1),
		waits(2, WAIT_GATE, -1),
		waits(3, WAIT_MUTEX, -1),
	};

	(void)state;
	judged(w, 4, WAITS_GATE, "012");
}

/* Memory of a process can be written by its own threads only. */
static void test_own_memory(void **state)
{
	struct wait w[] = {
		waits_process(0, 200),
		waits(1, WAIT_FUTEX, -1),
		in_process(waits(2, WAIT_GATE, -1), 200, 100),
		in_process(waits(3, WAIT_FUTEX, -1), 300, 100),
	};

	(void)state;
	judged(w, 3, WAITS_GATE, "02");
	judged(w, 4, WAITS_OWN, "3");
	w[3].shared = true;
	judged(w, 4, WAITS_GATE, "02");
	w[3].shared = false;
	w[3].space = 200; /* created by vfork: shares memory */
	w[2].space = 200;
	judged(w, 4, WAITS_GATE, "02");
}

/* A read lock is free after all its owners have released it. */
static void test_readers(void **state)
{
	struct wait w[] = {
		waits(0, WAIT_MUTEX, 1),
		waits(1, WAIT_GATE, -1),
		waits(2, WAIT_MUTEX, 0),
	};

	(void)state;
	*array_add(&w[0].more) = &T[2];
	judged(w, 3, WAITS_OWN, "02");
	w[2].kind = WAIT_GATE;
	judged(w, 3, WAITS_GATE, "01");
	w[2] = waits(2, WAIT_NEVER, -1);
	judged(w, 3, WAITS_OWN, "02");
	wait_fini(&w[0]);
}

static struct wait reads(int thread, int process, int by, int or_by)
{
	struct wait w = in_process(waits(thread, WAIT_FILE, -1), process, 100);

	*array_add(&w.by) = by;
	if (or_by)
		*array_add(&w.by) = or_by;
	return w;
}

/* Each thread reads from a pipe that the other could write to; both have both ends open. */
static void test_pipes(void **state)
{
	struct wait w[] = {reads(0, 100, 100, 200), reads(1, 200, 100, 200),
			   waits(2, WAIT_GATE, -1)};

	(void)state;
	judged(w, 2, WAITS_OWN, "01");
	judged(w, 1, WAITS_OWN, "0");
	judged(w, 3, WAITS_GATE, "02");
	w[2].process = 300;
	judged(w, 3, WAITS_OWN, "01");
	wait_fini(&w[0]);
	wait_fini(&w[1]);
}

/* A cycle while other threads still move. */
static void test_lost(void **state)
{
	struct wait w[] = {
		waits(0, WAIT_JOIN, 1), waits(1, WAIT_MUTEX, 2),  waits(2, WAIT_MUTEX, 1),
		waits(3, WAIT_NOT, -1), waits(4, WAIT_FUTEX, -1),
	};
	size_t cycle[MOST], length = 99;

	(void)state;
	assert_true(waits_lost(w, 5, cycle, &length));
	assert_int_equal(length, 2);
	assert_int_equal(cycle[0], 1);
	w[2] = waits(2, WAIT_MUTEX, 3);
	assert_false(waits_lost(w, 5, cycle, &length));
	assert_int_equal(length, 0);
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

/*
 * The joined thread has exited: the joiner is about to wake. A mutex of an exited thread stays
 * locked.
 */
static void test_gone(void **state)
{
	struct wait w[] = {waits(0, WAIT_JOIN, 5), waits(1, WAIT_GATE, -1)};
	struct wait v[] = {waits(0, WAIT_MUTEX, 5), waits(1, WAIT_GATE, -1)};

	(void)state;
	judged(w, 2, WAITS_MOVING, "");
	judged(v, 2, WAITS_OWN, "0");
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
	w[0].on_process = 300; /* has exited, or is not traced */
	judged(w, 3, WAITS_MOVING, "");
}

/* The child has a thread at a gate and another that waits for its parent for ever. */
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

/* Any child suffices: there is hope as long as one could exit; a grandchild does not count. */
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

/* ---- comparison with a slow reference implementation ---- */

static uint64_t seed = 1;

static unsigned dice(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

static bool in_set(unsigned set, const struct engine_thread *t)
{
	return set & (1u << (t - T));
}

static bool all_out(const struct wait *w, size_t count, unsigned set, int process)
{
	for (size_t i = 0; i < count; i++)
		if (w[i].process == process && in_set(set, w[i].thread))
			return false;
	return true;
}

/* True if a child could exit, provided that all threads outside the set do what they can. */
static bool some_child_ends(const struct wait *w, size_t count, unsigned set, const struct wait *of)
{
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		if (of->on_process ? w[i].process != of->on_process : w[i].parent != of->process)
			continue;
		any = true;
		if (all_out(w, count, set, w[i].process))
			return true;
	}
	return !any;
}

static bool some_giver(const struct wait *w, size_t count, unsigned set, size_t of)
{
	for (size_t i = 0; i < count; i++) {
		bool gives = w[of].shared || w[i].process == w[of].process;

		if (w[of].kind == WAIT_FILE)
			gives = w[i].process == w[of].by.items[0] ||
				w[i].process == w[of].by.items[w[of].by.count - 1];
		if (i != of && gives && !in_set(set, w[i].thread))
			return true;
	}
	return false;
}

/* True if thread i could go on, provided that all threads outside the set do what they can. */
static bool could_go(const struct wait *w, size_t count, unsigned set, size_t i)
{
	switch (w[i].kind) {
	case WAIT_NOT:
	case WAIT_GATE:
		return true;
	case WAIT_NEVER:
		return false;
	case WAIT_PROCESS:
		return some_child_ends(w, count, set, &w[i]);
	case WAIT_MUTEX:
		if (w[i].more.count && in_set(set, w[i].more.items[0]))
			return false;
		/* fall through */
	case WAIT_JOIN:
		if (w[i].on)
			return !in_set(set, w[i].on);
		/* fall through */
	default:
		return some_giver(w, count, set, i);
	}
}

/* All threads of all sets in which no thread could go on, whatever the others do. */
static unsigned lost_by_definition(const struct wait *w, size_t count)
{
	unsigned lost = 0;

	for (unsigned set = 1; set < 1u << count; set++) {
		bool closed = true;

		for (size_t i = 0; i < count && closed; i++)
			closed = !(set & (1u << i)) || !could_go(w, count, set, i);
		if (closed)
			lost |= set;
	}
	return lost;
}

static void make(struct wait *w, size_t count, bool moving)
{
	static const enum wait_kind kinds[] = {WAIT_MUTEX, WAIT_MUTEX, WAIT_JOIN, WAIT_FUTEX,
					       WAIT_FILE,  WAIT_GATE,  WAIT_GATE, WAIT_PROCESS,
					       WAIT_NEVER, WAIT_NOT};

	for (size_t i = 0; i < count; i++) {
		int process = 100 * (1 + (int)dice(3));

		w[i] = waits((int)i, kinds[dice(moving ? 10 : 9)], -1);
		if ((w[i].kind == WAIT_MUTEX || w[i].kind == WAIT_JOIN) && dice(8))
			w[i].on = &T[dice((unsigned)count)];
		if (w[i].kind == WAIT_MUTEX && w[i].on && !dice(3))
			*array_add(&w[i].more) = &T[dice((unsigned)count)];
		w[i].process = process;
		w[i].parent = process == 100 ? 1 : 100;
		w[i].shared = w[i].kind == WAIT_FUTEX && !dice(4);
		w[i].on_process = dice(2) ? 100 * (1 + (int)dice(3)) : 0;
		*array_add(&w[i].by) = 100 * (1 + (int)dice(3));
		*array_add(&w[i].by) = 100 * (1 + (int)dice(3));
	}
}

/* Each thread of the chain waits for the next, and none is freed by the others. */
static void check_chain(const struct wait *w, const size_t *cycle, size_t length)
{
	for (size_t i = 0; i + 1 < length; i++) {
		const struct wait *one = &w[cycle[i]];
		const struct engine_thread *next = &T[cycle[i + 1]];

		if ((one->kind == WAIT_MUTEX || one->kind == WAIT_JOIN) && one->on)
			assert_true(one->on == next ||
				    (one->more.count && one->more.items[0] == next));
		assert_true(one->kind != WAIT_NEVER && one->kind != WAIT_NOT);
	}
}

static void test_random(void **state)
{
	unsigned own = 0, gate = 0, some = 0;

	(void)state;
	for (int n = 0; n < 30000; n++) {
		size_t count = 1 + dice(MOST), cycle[MOST], length;
		struct wait w[MOST];
		enum waits_answer answer;
		unsigned lost;

		make(w, count, n % 2);
		lost = lost_by_definition(w, count);
		assert_int_equal(waits_lost(w, count, cycle, &length), lost != 0);
		check_chain(w, cycle, length);
		for (size_t i = 0; i < length; i++)
			assert_true(in_set(lost, w[cycle[i]].thread));
		answer = waits_judge(w, count, cycle, &length);
		if (answer != WAITS_MOVING) {
			assert_int_equal(answer, lost ? WAITS_OWN : WAITS_GATE);
			assert_true(length > 0 && length <= count);
			check_chain(w, cycle, length);
		}
		own += answer == WAITS_OWN;
		gate += answer == WAITS_GATE;
		some += answer == WAITS_MOVING && lost;
		for (size_t i = 0; i < count; i++)
			wait_fini(&w[i]);
	}
	assert_true(own > 5000 && gate > 1000 && some > 1000);
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
		cmocka_unit_test(test_own_memory),
		cmocka_unit_test(test_readers),
		cmocka_unit_test(test_pipes),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_child_at_gate),
		cmocka_unit_test(test_child_in_circle),
		cmocka_unit_test(test_any_child),
		cmocka_unit_test(test_child_futex),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
