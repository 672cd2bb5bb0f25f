/* From failing made-up programs to scripts that force the failure. */
#include "explore_failing.h"

#include "tracer/synth/plan/plan.h"
#include "tracer/sched/schedule/schedule.h"

/* ---- sources --------------------------------------------------------------------------------- */

struct source_line {
	const char *file;
	unsigned line;
	const char *text;
};

static const char *line_text(void *ctx, const char *file, unsigned line)
{
	for (const struct source_line *l = ctx; l->file; l++)
		if (l->line == line && strcmp(l->file, file) == 0)
			return l->text;
	return NULL;
}

/* FUNC;TEXT, with #K if several lines have the text. */
static char *location(void *ctx, const struct schedule_where *w)
{
	const char *text = line_text(ctx, w->file, w->line);
	unsigned same = 0, own = 0;
	struct str out = {0};

	if (!text)
		return NULL;
	for (const struct source_line *l = ctx; l->file; l++) {
		same += strcmp(l->text, text) == 0;
		own = l->line == w->line ? same : own;
	}
	text += strspn(text, " \t");
	str_addf(&out, "%s;%.*s", w->func, (int)strcspn(text, ";"), text);
	if (same > 1)
		str_addf(&out, "#%u", own);
	return str_take(&out);
}

static struct plan_words words_of(const struct source_line *lines)
{
	return (struct plan_words){
		.ctx = (void *)(uintptr_t)lines,
		.program = "prog",
		.line_text = line_text,
		.location = location,
	};
}

/* ---- from schedules to scripts --------------------------------------------------------------- */

static const struct plan_texts texts = {
	.title = "Found by a test.",
	.outcome = "it has failed",
	.expect = "expect { signal = \"SIGABRT\" }",
};

static void planned(const struct schedule *s, enum plan_orders orders,
		    const struct source_line *lines, const char *script)
{
	struct plan_words words = words_of(lines);
	struct gate_plan p = {0};
	struct str out = {0};
	ERROR(err);

	if (gate_plan_make(&p, s, orders, &words, &err) < 0)
		fail_msg("%s", error_text(&err));
	gate_plan_script(&p, s, &words, &texts, &out);
	assert_string_equal(str_text(&out), script);
	assert_true(gate_plan_lines(&p) <= 8);
	str_fini(&out);
	gate_plan_fini(&p);
}

/* Checks the script of a schedule found by a random walk and minimised. */
static void forced(const struct failing *f, enum plan_orders orders,
		   const struct source_line *lines, const char *script)
{
	struct minimise m = {
		.ctx = (void *)(uintptr_t)f,
		.run = failing_follow,
		.most = 1000,
	};
	struct schedule s = {0};

	failing_search(f, "random", 1, &s);
	assert_int_equal(schedule_minimise(&m, &s), 0);
	assert_true(m.is_minimal);
	planned(&s, orders, lines, script);
	schedule_fini(&s);
}

/* ---- a lost update --------------------------------------------------------------------------- */

static const struct source_line count_c[] = {
	{"count.c", 12, "\t\tcount++;"},
	{NULL, 0, NULL},
};

static struct schedule_where count_where(size_t thread, size_t at)
{
	(void)thread;
	return (struct schedule_where){.file = "count.c",
				       .line = 12,
				       .func = "worker",
				       .var = "count",
				       .object = "prog",
				       .address = at ? 0x1193u : 0x1189u};
}

static void test_lost_update(void **state)
{
	static const struct failing f = {
		.program = {{"rxwx", "rxwx"}},
		.fails = fails_lost_update,
		.where = count_where,
		.threads = {"worker#1", "worker#2"},
	};

	(void)state;
	forced(&f, PLAN_DEPENDENT, count_c,
	       "-- Found by a test.\n"
	       "--\n"
	       "-- 1. worker#2 reads `count` (count.c:12); it is held before it writes `count`.\n"
	       "-- 2. worker#1 reads `count` and writes `count` (count.c:12).\n"
	       "-- 3. worker#2 goes on: writes `count` (count.c:12).\n"
	       "-- Then it has failed.\n"
	       "--\n"
	       "-- *0x1193 is the instruction of count.c:12 that writes `count`.\n"
	       "-- A place inside a line has no name but its address, which is that of this "
	       "build. In another one,\n"
	       "-- look it up again (objdump -dl), or let gatectl explore find it again.\n"
	       "\n"
	       "local worker2_read_count  = SimpleGate \"worker2_read_count\"\n"
	       "local worker1_wrote_count = SimpleGate \"worker1_wrote_count\"\n"
	       "\n"
	       "at(\"*0x1193\", { thread = \"worker#2\" })                      "
	       ":open(worker2_read_count) :wait(worker1_wrote_count)\n"
	       "at(\"worker;count++\", { thread = \"worker#1\" })               "
	       ":wait(worker2_read_count)\n"
	       "at(\"worker;count++\", { thread = \"worker#1\", after = true }) "
	       ":open(worker1_wrote_count)\n"
	       "\n"
	       "expect { signal = \"SIGABRT\" }\n");
}

/* A line that is also inlined elsewhere may be passed without a step; an instruction may not. */
static void test_by_instruction(void **state)
{
	static const struct failing f = {
		.program = {{"rxwx", "rxwx"}},
		.fails = fails_lost_update,
		.where = count_where,
		.threads = {"worker#1", "worker#2"},
	};
	struct plan_words words = words_of(count_c);
	struct gate_plan p = {.by = PLAN_BY_INSTRUCTION};
	struct schedule s = {0};
	unsigned instructions = 0;
	ERROR(err);

	(void)state;
	failing_search(&f, "random", 1, &s);
	assert_int_equal(gate_plan_make(&p, &s, PLAN_DEPENDENT, &words, &err), 0);
	array_each(const struct plan_place, place, &p.places) {
		if (place->at.kind != SCRIPT_LOCATION || place->at.after)
			continue;
		instructions++;
		assert_true(place->inside && place->at.location[0] == '*');
		assert_non_null(place->at.thread);
	}
	assert_true(instructions >= 2);
	gate_plan_fini(&p);
	schedule_fini(&s);
}

/* ---- two locks ------------------------------------------------------------------------------- */

static const struct source_line bank_c[] = {
	{"bank.c", 20, "\tpthread_mutex_lock(&from->lock);"},
	{"bank.c", 21, "\tpthread_mutex_lock(&to->lock);"},
	{"bank.c", 24, "\tpthread_mutex_unlock(&to->lock);"},
	{"bank.c", 25, "\tpthread_mutex_unlock(&from->lock);"},
	{NULL, 0, NULL},
};

static struct schedule_where bank_where(size_t thread, size_t at)
{
	static const unsigned lines[] = {20, 21, 24, 25};

	return (struct schedule_where){
		.file = "bank.c",
		.line = lines[at],
		.func = "transfer",
		.call = at < 2 ? "pthread_mutex_lock" : "pthread_mutex_unlock",
		.var = (at == 0 || at == 3) == (thread == 0) ? "accounts[0].lock"
							     : "accounts[1].lock",
		.object = "prog",
		.address = 0x1200 + at * 16,
	};
}

static void test_two_locks(void **state)
{
	static const struct failing f = {
		.program = {{"lalbubua", "lblauaub"}},
		.fails = fails_deadlock,
		.where = bank_where,
		.threads = {"teller#1", "teller#2"},
	};

	(void)state;
	forced(&f, PLAN_DEPENDENT, bank_c,
	       "-- Found by a test.\n"
	       "--\n"
	       "-- 1. teller#2 locks `accounts[1].lock` (bank.c:20); it is held before it locks\n"
	       "--    `accounts[0].lock`.\n"
	       "-- 2. teller#1 locks `accounts[0].lock` (bank.c:20), asks for `accounts[1].lock` "
	       "(bank.c:21),\n"
	       "--    where it blocks.\n"
	       "-- 3. teller#2 goes on: asks for `accounts[0].lock` (bank.c:21).\n"
	       "-- Then it has failed.\n"
	       "\n"
	       "local teller2_locked_accounts_1_lock = SimpleGate "
	       "\"teller2_locked_accounts_1_lock\"\n"
	       "local teller1_locked_accounts_0_lock = SimpleGate "
	       "\"teller1_locked_accounts_0_lock\"\n"
	       "\n"
	       "at(\"transfer;pthread_mutex_lock(&to->lock)\", { thread = \"teller#2\" }) "
	       ":open(teller2_locked_accounts_1_lock) :wait(teller1_locked_accounts_0_lock)\n"
	       "at(\"transfer;pthread_mutex_lock(&from->lock)\", { thread = \"teller#1\", after = "
	       "true }) :open(teller1_locked_accounts_0_lock)\n"
	       "at(\"transfer;pthread_mutex_lock(&to->lock)\", { thread = \"teller#1\" }) "
	       ":wait(teller2_locked_accounts_1_lock)\n"
	       "\n"
	       "expect { signal = \"SIGABRT\" }\n");
}

/* ---- check, then act ------------------------------------------------------------------------- */

static const struct source_line seats_c[] = {
	{"seats.c", 8, "\tpthread_mutex_lock(&m);"},
	{"seats.c", 9, "\tfree = seats_free;"},
	{"seats.c", 10, "\tpthread_mutex_unlock(&m);"},
	{"seats.c", 12, "\tpthread_mutex_lock(&m);"},
	{"seats.c", 13, "\tseats_free = free - 1;"},
	{"seats.c", 14, "\tpthread_mutex_unlock(&m);"},
	{NULL, 0, NULL},
};

static struct schedule_where seats_where(size_t thread, size_t at)
{
	static const unsigned lines[] = {8, 9, 10, 12, 13, 14};
	static const char *const calls[] = {"pthread_mutex_lock", NULL, "pthread_mutex_unlock"};

	(void)thread;
	return (struct schedule_where){.file = "seats.c",
				       .line = lines[at],
				       .func = "book",
				       .call = calls[at % 3],
				       .var = at % 3 == 1 ? "seats_free" : "m",
				       .object = "prog",
				       .address = 0x1300 + at * 16};
}

static void test_check_then_act(void **state)
{
	static const struct failing f = {
		.program = {{"lmrxumlmwxum", "lmrxumlmwxum"}},
		.fails = fails_lost_update,
		.where = seats_where,
		.threads = {"clerk#1", "clerk#2"},
	};

	(void)state;
	forced(&f, PLAN_DEPENDENT, seats_c,
	       "-- Found by a test.\n"
	       "--\n"
	       "-- 1. clerk#2 locks `m` (seats.c:8), reads `seats_free` (seats.c:9), unlocks `m` "
	       "(seats.c:10); it\n"
	       "--    is held before it locks `m`.\n"
	       "-- 2. clerk#1 locks `m` (seats.c:8), reads `seats_free` (seats.c:9), unlocks `m` "
	       "(seats.c:10),\n"
	       "--    locks `m` (seats.c:12), writes `seats_free` (seats.c:13), unlocks `m` "
	       "(seats.c:14).\n"
	       "-- 3. clerk#2 goes on: locks `m` (seats.c:12), writes `seats_free` (seats.c:13), "
	       "unlocks `m`\n"
	       "--    (seats.c:14).\n"
	       "-- Then it has failed.\n"
	       "\n"
	       "local clerk2_read_seats_free = SimpleGate \"clerk2_read_seats_free\"\n"
	       "local clerk1_locked_m        = SimpleGate \"clerk1_locked_m\"\n"
	       "\n"
	       "at(\"book;pthread_mutex_lock(&m)#2\", { thread = \"clerk#2\" }) "
	       ":open(clerk2_read_seats_free) :wait(clerk1_locked_m)\n"
	       "at(\"book;pthread_mutex_lock(&m)#1\", { thread = \"clerk#1\" }) "
	       ":wait(clerk2_read_seats_free)\n"
	       "at(\"book;pthread_mutex_lock(&m)#2\", { thread = \"clerk#1\", after = true }) "
	       ":open(clerk1_locked_m)\n"
	       "\n"
	       "expect { signal = \"SIGABRT\" }\n");
}

/* ---- reordered ------------------------------------------------------------------------------- */

static const struct source_line flags_c[] = {
	{"flags.c", 5, "\ta = 1;"},
	{"flags.c", 6, "\tb = -1;"},
	{"flags.c", 11, "\tassert(a == 0 || b == -1);"},
	{NULL, 0, NULL},
};

static struct schedule_where flags_where(size_t thread, size_t at)
{
	return (struct schedule_where){
		.file = "flags.c",
		.line = thread ? 11 : 5 + (unsigned)at,
		.func = thread ? "check" : "set",
		.var = at ? "b" : "a",
		.object = "prog",
		.address = 0x1400 + thread * 256 + at * 8,
	};
}

static void test_reordered(void **state)
{
	static const struct failing f = {
		.program = {{"wxwy", "rxry"}},
		.fails = fails_reorder,
		.where = flags_where,
		.threads = {"set#1", "check#1"},
		.at_once = true,
	};

	(void)state;
	forced(&f, PLAN_DEPENDENT, flags_c,
	       "-- Found by a test.\n"
	       "--\n"
	       "-- 1. set#1 writes `a` (flags.c:5).\n"
	       "-- 2. check#1 reads `a` and reads `b` (flags.c:11).\n"
	       "-- Then it has failed.\n"
	       "\n"
	       "local set1_wrote_a = SimpleGate \"set1_wrote_a\"\n"
	       "\n"
	       "at(\"set;a = 1\", { after = true })    :open(set1_wrote_a)\n"
	       "at \"check;assert(a == 0 || b == -1)\" :wait(set1_wrote_a)\n"
	       "\n"
	       "expect { signal = \"SIGABRT\" }\n");
	forced(&f, PLAN_TO_THE_END, flags_c,
	       "-- Found by a test.\n"
	       "--\n"
	       "-- 1. set#1 writes `a` (flags.c:5); it is held before it writes `b`.\n"
	       "-- 2. check#1 reads `a` and reads `b` (flags.c:11).\n"
	       "-- Then it has failed.\n"
	       "\n"
	       "local set1_wrote_a  = SimpleGate \"set1_wrote_a\"\n"
	       "local check1_read_b = SimpleGate \"check1_read_b\"\n"
	       "\n"
	       "at \"set;b = -1\"                                                          "
	       ":open(set1_wrote_a) :wait(check1_read_b)\n"
	       "at \"check;assert(a == 0 || b == -1)\"                                     "
	       ":wait(set1_wrote_a)\n"
	       "at(\"check;assert(a == 0 || b == -1)\", { after = true, optional = true }) "
	       ":open(check1_read_b)\n"
	       "\n"
	       "expect { signal = \"SIGABRT\" }\n");
}

/* ---- wake-ups -------------------------------------------------------------------------------- */

static const struct source_line wait_c[] = {
	{"wait.c", 4, "\tpthread_mutex_lock(&m);"},
	{"wait.c", 5, "\tpthread_cond_wait(&c, &m);"},
	{"wait.c", 6, "\tpthread_mutex_unlock(&m);"},
	{"wait.c", 9, "\tpthread_cond_signal(&c);"},
	{NULL, 0, NULL},
};

enum { MUTEX = 8, COND };

static void waited(struct schedule *s, const char *thread, enum strategy_op op, uint64_t object,
		   unsigned line, const char *call)
{
	struct schedule_step *step = array_add(&s->steps);

	*step = (struct schedule_step){.thread = schedule_thread(s, thread)};
	step->point = (struct strategy_point){
		.thread = step->thread, .op = op, .object = object, .place = line, .writes = true};
	step->where = (struct schedule_where){.file = "wait.c",
					      .line = line,
					      .func = line == 9 ? "tell" : "sleep",
					      .call = call,
					      .object = "prog",
					      .address = line};
}

/* The thread takes the lock and releases it by waiting. */
static void waits(struct schedule *s, const char *thread)
{
	waited(s, thread, STRATEGY_START, STRATEGY_NO_OBJECT, 3, NULL);
	waited(s, thread, STRATEGY_LOCK, MUTEX, 4, "pthread_mutex_lock");
	waited(s, thread, STRATEGY_WAIT, STRATEGY_ANY_OBJECT, 5, "pthread_cond_wait");
}

/* The signal wakes the first of two waiters: in a plain run it must block before the other. */
static void test_woken(void **state)
{
	struct schedule s = {0};

	(void)state;
	waits(&s, "sleep#1");
	waits(&s, "sleep#2");
	waited(&s, "main", STRATEGY_SIGNAL, COND, 9, "pthread_cond_signal");
	waited(&s, "sleep#1", STRATEGY_WAKE, STRATEGY_ANY_OBJECT, 5, "pthread_cond_wait");
	waited(&s, "sleep#1", STRATEGY_LOCK, MUTEX, 5, "pthread_cond_wait");
	s.steps.items[s.steps.count - 1].where.inside = true;
	waited(&s, "sleep#1", STRATEGY_UNLOCK, MUTEX, 6, "pthread_mutex_unlock");
	planned(&s, PLAN_DEPENDENT, wait_c,
		"-- Found by a test.\n"
		"--\n"
		"-- 1. sleep#1 locks (wait.c:4), waits in pthread_cond_wait (wait.c:5), where it "
		"blocks.\n"
		"-- 2. sleep#2 locks (wait.c:4), waits in pthread_cond_wait (wait.c:5), where it "
		"blocks.\n"
		"-- 3. main signals (wait.c:9).\n"
		"-- Then it has failed.\n"
		"\n"
		"local sleep1_locked_line4 = SimpleGate \"sleep1_locked_line4\"\n"
		"\n"
		"at(\"sleep;pthread_mutex_lock(&m)\", { thread = \"sleep#1\", after = true }) "
		":open(sleep1_locked_line4)\n"
		"at(\"sleep;pthread_cond_wait(&c, &m)\", { thread = \"sleep#1\" })            "
		":event \"sleep1_waits_for_line5\"\n"
		"at(\"sleep;pthread_mutex_lock(&m)\", { thread = \"sleep#2\" })               "
		":wait(sleep1_locked_line4)\n"
		"at(\"sleep;pthread_cond_wait(&c, &m)\", { thread = \"sleep#2\" })            "
		":event \"sleep2_waits_for_line5\" :event \"sleep2_waits_for_line5_2\"\n"
		"at \"tell;pthread_cond_signal(&c)\"                                        :event "
		"\"main_signals_line9\"\n"
		"\n"
		"order \"[sleep2_waits_for_line5] -> main_signals_line9\"\n"
		"order \"[sleep1_waits_for_line5] -> sleep2_waits_for_line5_2\"\n"
		"\n"
		"expect { signal = \"SIGABRT\" }\n");
	schedule_fini(&s);
}

/* ---- inside a call --------------------------------------------------------------------------- */

static const struct source_line call_c[] = {
	{"call.c", 4, "\tn = 1;"},
	{"call.c", 9, "\tpublish(&n);"},
	{NULL, 0, NULL},
};

static void called(struct schedule *s, const char *id, uint64_t object, unsigned line, uint64_t at)
{
	struct schedule_step *step = array_add(&s->steps);

	*step = (struct schedule_step){.thread = schedule_thread(s, id)};
	step->preempts = s->steps.count > 1;
	step->point = (struct strategy_point){.op = STRATEGY_WRITE, .object = object, .writes = 1};
	step->point.thread = step->thread, step->point.place = at;
	step->where = (struct schedule_where){.file = "call.c",
					      .line = line,
					      .func = line == 9 ? "main" : "set",
					      .call = line == 9 ? "publish" : NULL,
					      .var = "n",
					      .object = "prog",
					      .address = line * 16};
}

/* The identifier of a lambda or a template would be cut where it differs. */
static void test_short_names(void **state)
{
	struct plan_words words = words_of(call_c);
	struct gate_plan p = {0};
	struct schedule s = {0};
	struct str out = {0};
	ERROR(err);

	(void)state;
	called(&s, "main", 1, 9, 901);
	called(&s, "each<main::{lambda(int)#3}>(int)::{lambda()#1}#1", 2, 4, 400);
	called(&s, "main", 2, 9, 902);
	assert_int_equal(gate_plan_make(&p, &s, PLAN_ALL, &words, &err), 0);
	gate_plan_script(&p, &s, &words, &texts, &out);
	assert_non_null(strstr(str_text(&out), "local main_wrote_n    = SimpleGate"));
	assert_non_null(strstr(str_text(&out), "local thread2_wrote_n = SimpleGate"));
	str_fini(&out);
	gate_plan_fini(&p);
	schedule_fini(&s);
}

/* No gate holds a thread between two steps of one call: the other thread runs before the call. */
static void test_in_a_call(void **state)
{
	struct plan_words words = words_of(call_c);
	struct gate_plan p = {0};
	struct schedule s = {0};
	struct str out = {0};
	ERROR(err);

	(void)state;
	called(&s, "main", 1, 9, 901);
	called(&s, "set#1", 2, 4, 400);
	called(&s, "main", 2, 9, 902);
	assert_int_equal(gate_plan_make(&p, &s, PLAN_ALL, &words, &err), 0);
	gate_plan_script(&p, &s, &words, &texts, &out);
	assert_string_equal(
		str_text(&out),
		"-- Found by a test.\n"
		"--\n"
		"-- 1. main writes `n` (call.c:9); it is held before it writes `n`.\n"
		"-- 2. set#1 writes `n` (call.c:4).\n"
		"-- 3. main goes on: writes `n` (call.c:9).\n"
		"-- Then it has failed.\n"
		"\n"
		"local main_wrote_n = SimpleGate \"main_wrote_n\"\n"
		"local set1_wrote_n = SimpleGate \"set1_wrote_n\"\n"
		"\n"
		"at \"main;publish(&n)\"             :open(main_wrote_n) :wait(set1_wrote_n)\n"
		"at \"set;n = 1\"                    :wait(main_wrote_n)\n"
		"at(\"set;n = 1\", { after = true }) :open(set1_wrote_n)\n"
		"\n"
		"expect { signal = \"SIGABRT\" }\n");
	str_fini(&out);
	gate_plan_fini(&p);
	schedule_fini(&s);
}

/* ---- sleeping -------------------------------------------------------------------------------- */

static const struct source_line nap_c[] = {
	{"wait.c", 4, "\tusleep(1000);"},
	{"wait.c", 5, "\tx = 1;"},
	{"wait.c", 9, "\tx = 2;"},
	{NULL, 0, NULL},
};

static void has(struct schedule *s, const struct source_line *lines, const char *a, const char *b)
{
	struct plan_words words = words_of(lines);
	struct gate_plan p = {0};
	struct str out = {0};
	ERROR(err);

	assert_int_equal(gate_plan_make(&p, s, PLAN_DEPENDENT, &words, &err), 0);
	gate_plan_script(&p, s, &words, &texts, &out);
	if (!strstr(str_text(&out), a) || !strstr(str_text(&out), b))
		fail_msg("%s", str_text(&out));
	str_fini(&out);
	gate_plan_fini(&p);
	schedule_fini(s);
}

static void test_slept(void **state)
{
	struct schedule s = {0};

	(void)state;
	for (int i = 0; i < 3; i++)
		waited(&s, "sleep#1", STRATEGY_TIMEOUT, STRATEGY_NO_OBJECT, 4, "usleep");
	waited(&s, "sleep#1", STRATEGY_WRITE, 1, 5, NULL);
	waited(&s, "main", STRATEGY_WRITE, 1, 9, NULL);
	has(&s, nap_c, "-- 1. sleep#1 comes back from usleep 3 times (wait.c:4), writes memory ",
	    "in `x = 1;` (wait.c:5).\n");
}

/* The script makes the wait return; after it the thread has the mutex again. */
static void test_spurious(void **state)
{
	struct schedule s = {0};

	(void)state;
	waits(&s, "sleep#1");
	waited(&s, "sleep#1", STRATEGY_SPURIOUS, STRATEGY_ANY_OBJECT, 5, "pthread_cond_wait");
	s.steps.items[s.steps.count - 1].where.inside = true;
	waited(&s, "sleep#1", STRATEGY_UNLOCK, MUTEX, 6, "pthread_mutex_unlock");
	waited(&s, "main", STRATEGY_LOCK, MUTEX, 9, "pthread_mutex_lock");
	has(&s, wait_c, "signal (POSIX permits it) (wait.c:5)",
	    " :spurious()\nat(\"sleep;pthread_cond_wait(&c, &m)\", { after = true }) :open(");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lost_update), cmocka_unit_test(test_by_instruction),
		cmocka_unit_test(test_two_locks),   cmocka_unit_test(test_check_then_act),
		cmocka_unit_test(test_reordered),   cmocka_unit_test(test_woken),
		cmocka_unit_test(test_short_names), cmocka_unit_test(test_in_a_call),
		cmocka_unit_test(test_slept),	    cmocka_unit_test(test_spurious),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
