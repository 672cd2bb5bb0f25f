/* Verdicts: precedence, exit status, and expectations that are not met. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "gates/engine.h"

/* Returns an engine with one required place, reached or not. */
static struct engine *engine(bool reached)
{
	struct engine *e = engine_new(NULL);
	struct place *p = engine_place(e, PLACE_LOCATION, "A", "x.lua:1");

	p->arrivals = reached;
	return e;
}

static enum verdict judge(const struct expect *x, const struct outcome *o, bool reached)
{
	struct engine *e = engine(reached);
	enum verdict v = verdict_of(e, x, o);

	engine_free(e);
	return v;
}

/* Every set of failures: the strongest verdict counts. */
static void test_precedence(void **state)
{
	struct expect x = {.any = true, .end = EXPECT_EXIT, .exit = 3};

	(void)state;
	for (unsigned set = 0; set < 256; set++) {
		struct outcome o = {
			.fault = set & 1 ? OUTCOME_FAULT : OUTCOME_SOUND,
			.stuck = set & 2   ? OUTCOME_GATE_DEADLOCK
				 : set & 4 ? OUTCOME_DEADLOCK
					   : OUTCOME_MOVING,
			.limit = set & 8 ? OUTCOME_TIME_LIMIT : OUTCOME_IN_TIME,
			.gate_limit = set & 16,
			.held_at_end = set & 32,
			.end = OUTCOME_EXITED,
			.exit = set & 128 ? 1 : 3,
		};
		int expected = set & 1	   ? 125
			       : set & 2   ? 122
			       : set & 4   ? 123
			       : set & 8   ? 124
			       : set & 48  ? 121
			       : set & 64  ? 120
			       : set & 128 ? 119
					   : 0;

		assert_int_equal(judge(&x, &o, !(set & 64)), expected);
	}
}

static void test_words(void **state)
{
	(void)state;
	assert_string_equal(verdict_word(VERDICT_OK), "ok");
	assert_string_equal(verdict_word(VERDICT_NOT_AS_EXPECTED), "not-as-expected");
	assert_string_equal(verdict_word(VERDICT_NEVER_REACHED), "never-reached");
	assert_string_equal(verdict_word(VERDICT_NEVER_OPENED), "never-opened");
	assert_string_equal(verdict_word(VERDICT_GATE_DEADLOCK), "gate-deadlock");
	assert_string_equal(verdict_word(VERDICT_DEADLOCK), "deadlock");
	assert_string_equal(verdict_word(VERDICT_TIME_LIMIT), "time-limit");
	assert_string_equal(verdict_word(VERDICT_ERROR), "error");
}

static void test_status(void **state)
{
	struct expect none = {0}, some = {.any = true};
	struct outcome exits = {.end = OUTCOME_EXITED, .exit = 3};
	struct outcome dies = {.end = OUTCOME_SIGNALED, .signal = SIGSEGV};

	(void)state;
	assert_int_equal(verdict_status(VERDICT_OK, &none, &exits), 3);
	assert_int_equal(verdict_status(VERDICT_OK, &none, &dies), 128 + SIGSEGV);
	assert_int_equal(verdict_status(VERDICT_OK, &some, &exits), 0);
	assert_int_equal(verdict_status(VERDICT_OK, &some, &dies), 0);
	for (int v = VERDICT_NOT_AS_EXPECTED; v <= VERDICT_ERROR; v++)
		assert_int_equal(verdict_status((enum verdict)v, &some, &exits), v);
}

/* Without an expect the program's end is no verdict. */
static void test_no_expect(void **state)
{
	struct expect none = {0};
	struct outcome exits = {.end = OUTCOME_EXITED, .exit = 3};
	struct outcome dies = {.end = OUTCOME_SIGNALED, .signal = SIGSEGV, .held_at_end = true};

	(void)state;
	assert_int_equal(judge(&none, &exits, true), VERDICT_OK);
	/* held: not the fault of its gate */
	assert_int_equal(judge(&none, &dies, true), VERDICT_OK);
	assert_int_equal(judge(&none, &dies, false), VERDICT_NEVER_REACHED);
}

static void test_never_reached(void **state)
{
	struct outcome o = {.end = OUTCOME_EXITED};
	struct engine *e = engine(false);
	struct expect none = {0};
	struct place *p = engine_place_at(e, 0);

	(void)state;
	assert_int_equal(verdict_of(e, &none, &o), VERDICT_NEVER_REACHED);
	p->optional = true;
	assert_int_equal(verdict_of(e, &none, &o), VERDICT_OK);
	p->optional = false;
	p->hit_first = 3;
	p->arrivals = 2;
	assert_int_equal(verdict_of(e, &none, &o), VERDICT_NEVER_REACHED);
	p->arrivals = 3;
	assert_int_equal(verdict_of(e, &none, &o), VERDICT_OK);
	engine_free(e);
}

/* The expected failure is FOUND; any other end is judged as without a script and its gates. */
static void test_fixed(void **state)
{
	const struct expect exits = {.any = true, .end = EXPECT_EXIT, .exit = 3},
			    deadlock = {.any = true, .end = EXPECT_DEADLOCK};
	const struct {
		const struct expect *x;
		struct outcome o;
		int verdict;
	} rows[] = {
		{&exits, {.end = OUTCOME_EXITED, .exit = 3}, 116},
		{&exits, {.end = OUTCOME_EXITED, .exit = 3, .held_at_end = true}, 116},
		{&exits, {.end = OUTCOME_EXITED}, 0},
		{&exits, {.end = OUTCOME_EXITED, .held_at_end = true}, 0},
		{&exits, {.end = OUTCOME_EXITED, .exit = 4}, 0},
		{&exits, {.end = OUTCOME_SIGNALED, .signal = SIGSEGV, .crashed = true}, 128},
		{&exits, {.stuck = OUTCOME_DEADLOCK}, 123},
		{&exits, {.limit = OUTCOME_TIME_LIMIT}, 124},
		{&exits, {.gate_limit = true}, 121},
		{&exits, {.end = OUTCOME_EXITED, .exit = 3, .fault = OUTCOME_FAULT}, 125},
		{&deadlock, {.stuck = OUTCOME_DEADLOCK}, 116},
		{&deadlock, {.end = OUTCOME_EXITED, .exit = 3}, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(verdict_of_fixed(rows[i].x, &rows[i].o), rows[i].verdict);
}

static void test_is_failure(void **state)
{
	struct expect x = {.any = true, .end = EXPECT_EXIT};

	(void)state;
	assert_false(expect_is_failure(&x));
	x.exit = 1;
	assert_true(expect_is_failure(&x));
	x.end = EXPECT_GATE_DEADLOCK;
	assert_false(expect_is_failure(&x));
	x = (struct expect){.any = true};
	assert_false(expect_is_failure(&x)); /* only never_reached */
	*array_add(&x.stdout_has) = base_strdup("wrong");
	assert_true(expect_is_failure(&x));
	expect_fini(&x);
	assert_false(expect_is_failure(&x));
}

static void test_expected_deadlock(void **state)
{
	struct expect x = {.any = true, .end = EXPECT_DEADLOCK};
	struct outcome o = {.stuck = OUTCOME_DEADLOCK, .held_at_end = true};
	struct outcome ends = {.end = OUTCOME_EXITED};

	(void)state;
	assert_int_equal(judge(&x, &o, true), VERDICT_OK);
	assert_int_equal(judge(&x, &o, false), VERDICT_NEVER_REACHED);
	assert_int_equal(judge(&x, &ends, true), VERDICT_NOT_AS_EXPECTED);
	o.stuck = OUTCOME_GATE_DEADLOCK;
	assert_int_equal(judge(&x, &o, true), VERDICT_GATE_DEADLOCK);
}

static void test_expected_gate_deadlock(void **state)
{
	const struct gate gate = {.name = (char[]){"g"}};
	struct expect x = {.any = true, .end = EXPECT_GATE_DEADLOCK};
	struct outcome o = {.stuck = OUTCOME_GATE_DEADLOCK};

	(void)state;
	assert_int_equal(judge(&x, &o, true), VERDICT_OK);
	assert_int_equal(judge(&x, &o, false), VERDICT_OK); /* a place was not reached */
	x.gate = &gate;
	assert_int_equal(judge(&x, &o, true), VERDICT_GATE_DEADLOCK);
	o.at = true; /* the gate holds a thread */
	assert_int_equal(judge(&x, &o, true), VERDICT_OK);
	o.stuck = OUTCOME_DEADLOCK;
	assert_int_equal(judge(&x, &o, true), VERDICT_DEADLOCK);
}

static void unmet(const struct expect *x, const struct outcome *o, const char *words)
{
	char *is = verdict_unmet(x, o);

	if (words) {
		assert_non_null(is);
		assert_string_equal(is, words);
		assert_null(strchr(is, '\n'));
	} else {
		assert_null(is);
	}
	assert_int_equal(judge(x, o, true), words ? VERDICT_NOT_AS_EXPECTED : VERDICT_OK);
	base_free(is);
}

static void test_unmet_end(void **state)
{
	struct expect x = {.any = true, .end = EXPECT_EXIT};
	struct outcome exits = {.end = OUTCOME_EXITED, .exit = 1};
	struct outcome dies = {.end = OUTCOME_SIGNALED, .signal = SIGABRT};
	struct outcome other = {.end = OUTCOME_SIGNALED, .signal = 40};

	(void)state;
	unmet(&x, &exits, "exit status 1, expected 0");
	unmet(&x, &dies, "ended by signal SIGABRT, expected exit status 0");
	x.exit = 1;
	unmet(&x, &exits, NULL);
	unmet(&x, &(struct outcome){0}, "did not end by itself, expected exit status 1");
	x = (struct expect){.any = true, .end = EXPECT_SIGNAL, .signal = SIGABRT};
	unmet(&x, &dies, NULL);
	unmet(&x, &exits, "exit status 1, expected signal SIGABRT");
	unmet(&x, &other, "ended by signal SIGRTMIN+6, expected signal SIGABRT");
}

/* Without exit and signal any exit status is met, but an unexpected signal is not. */
static void test_unmet_any_end(void **state)
{
	struct expect x = {.any = true};
	struct outcome exits = {.end = OUTCOME_EXITED, .exit = 1};
	struct outcome dies = {.end = OUTCOME_SIGNALED, .signal = SIGKILL};

	(void)state;
	unmet(&x, &exits, NULL);
	unmet(&x, &dies, "ended by signal SIGKILL, which was not expected");
	dies.killed_by = SIGKILL;
	unmet(&x, &dies, NULL);
	x.end = EXPECT_DEADLOCK;
	unmet(&x, &exits, "exit status 1, expected a deadlock");
	x.end = EXPECT_GATE_DEADLOCK;
	unmet(&x, &exits, "exit status 1, expected a deadlock with a gate in it");
}

static void test_unmet_text(void **state)
{
	struct str lines = {.text = (char[]){"one\0two\n"}, .length = 8};
	struct str warning = {.text = (char[]){"a warning"}, .length = 9};
	struct expect x = {.any = true};
	struct outcome o = {.end = OUTCOME_EXITED, .stdout_text = &lines};

	(void)state;
	*array_add(&x.stdout_has) = base_strdup("one");
	*array_add(&x.stdout_has) = base_strdup("two\n");
	unmet(&x, &o, NULL);
	*array_add(&x.stdout_has) = base_strdup("\"th\tree\"\n\001");
	unmet(&x, &o,
	      "standard output does not have \"\\\"th\\tree\\\"\\n\\x01\"; it begins with "
	      "\"one\"");
	o.stdout_text = NULL;
	unmet(&x, &o, "standard output does not have \"one\"");
	expect_fini(&x);
	x.any = true;
	*array_add(&x.stderr_has) = base_strdup("warn");
	unmet(&x, &o, "standard error does not have \"warn\"");
	o.stderr_text = &warning;
	unmet(&x, &o, NULL);
	expect_fini(&x);
	assert_false(x.any);
}

static void test_expected_in_words(void **state)
{
	struct expect x = {.any = true, .end = EXPECT_EXIT, .exit = 1};
	struct str out = {0};

	(void)state;
	*array_add(&x.stdout_has) = base_strdup("6 * 7 = 6");
	*array_add(&x.stderr_has) = base_strdup("a\nb");
	expect_print(&x, &out);
	assert_string_equal(str_text(&out), "exit status 1, standard output has "
					    "\"6 * 7 = 6\", standard error has \"a\\nb\"");
	expect_fini(&x);
	str_clear(&out);
	x = (struct expect){.any = true, .end = EXPECT_SIGNAL, .signal = SIGABRT};
	expect_print(&x, &out);
	assert_string_equal(str_text(&out), "ended by signal SIGABRT");
	str_fini(&out);
}

static void test_came_in_words(void **state)
{
	static const struct {
		struct outcome outcome;
		const char *text;
	} rows[] = {
		{{.end = OUTCOME_EXITED, .exit = 3}, "exit status 3"},
		{{.end = OUTCOME_SIGNALED, .signal = SIGKILL}, "ended by signal SIGKILL"},
		{{.stuck = OUTCOME_DEADLOCK}, "a deadlock"},
		{{.stuck = OUTCOME_GATE_DEADLOCK}, "a deadlock with a gate in it"},
		{{.limit = OUTCOME_TIME_LIMIT}, "a limit that passed"},
		{{.gate_limit = true}, "a limit that passed"},
		{{.fault = OUTCOME_FAULT, .limit = OUTCOME_TIME_LIMIT}, "a fault of the script"},
		{{.end = OUTCOME_EXITED, .held_at_end = true}, "exit status 0"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct str out = {0};

		outcome_print(&rows[i].outcome, &out);
		assert_string_equal(str_text(&out), rows[i].text);
		str_fini(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_precedence),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_no_expect),
		cmocka_unit_test(test_never_reached),
		cmocka_unit_test(test_fixed),
		cmocka_unit_test(test_is_failure),
		cmocka_unit_test(test_expected_deadlock),
		cmocka_unit_test(test_expected_gate_deadlock),
		cmocka_unit_test(test_unmet_end),
		cmocka_unit_test(test_unmet_any_end),
		cmocka_unit_test(test_unmet_text),
		cmocka_unit_test(test_expected_in_words),
		cmocka_unit_test(test_came_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
