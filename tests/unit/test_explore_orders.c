/* Orders that a schedule needs, and their places: from schedule files to scripts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tracer/synth/plan/plan.h"
#include "tracer/sched/schedule/schedule.h"

#define HEAD(steps) "# gatectl schedule 2\nsteps: " #steps "\n"

static bool code_sum(void *ctx, const char *object, uint32_t *sum)
{
	(void)ctx;
	*sum = 0xc0ffee;
	return str_same(object, "prog");
}

static const struct plan_words words = {.program = "prog", .code_sum = code_sum};

/* The files do not say that the step is in a library. */
static bool is_library(const struct schedule_step *step)
{
	return step->where.object && strstr(step->where.object, "libc");
}

static void read_schedule(const char *text, struct schedule *s)
{
	struct schedule_head head = {0};
	ERROR(err);

	if (schedule_parse(text, "test", s, &head, &err) < 0)
		fail_msg("%s", error_text(&err));
	schedule_head_fini(&head);
	array_each(struct schedule_step, step, &s->steps)
		step->where.inside = is_library(step);
	array_each(struct schedule_step, step, &s->pending)
		step->where.inside = is_library(step);
}

/* Gates of the script, without comments. */
static char *gates_of(const struct gate_plan *p, const struct schedule *s)
{
	static const struct plan_texts texts = {.expect = "--"};
	struct str out = {0}, gates = {0};
	const char *at;

	gate_plan_script(p, s, &words, &texts, &out);
	for (at = str_text(&out); *at; at += strcspn(at, "\n") + 1)
		if (*at != '-' && *at != '\n')
			str_add_bytes(&gates, at, strcspn(at, "\n") + 1);
	str_fini(&out);
	return str_take(&gates);
}

static bool tells(const struct gate_plan *p, const struct schedule *s, const char *line)
{
	struct str out = {0};
	bool there;

	gate_plan_script(p, s, &words, &(struct plan_texts){.expect = ""}, &out);
	there = strstr(str_text(&out), line) != NULL;
	str_fini(&out);
	return there;
}

static void needs(const char *text, enum plan_orders orders, const char *script)
{
	struct schedule s = {0};
	struct gate_plan p = {0};
	char *gates;
	ERROR(err);

	read_schedule(text, &s);
	if (gate_plan_make(&p, &s, orders, &words, &err) < 0)
		fail_msg("%s", error_text(&err));
	gates = gates_of(&p, &s);
	assert_string_equal(gates ? gates : "", script);
	base_free(gates);
	gate_plan_fini(&p);
	schedule_fini(&s);
}

/*
 * Threads that could still run when the program ended are held until then: at one place if they run
 * the same code, and not while main waits for them.
 */
static void test_to_the_end(void **state)
{
	static const char text[] =
		HEAD(5) "1 main create m.c:1 (main, pthread_create) object=p+0x100\n"
			"2 set#1 start - object=p+0x100\n"
			"3 set#1 write s.c:1 (set, -, a) writes object=p+0x10\n"
			"4 look read l.c:1 (look, -, a) preempts object=p+0x10\n"
			"5 look end l.c:2 (look, _exit) writes object=any\n"
			"- main lock m.c:2 (main, pthread_join) writes object=p+0x100\n"
			"- set#1 write s.c:2 (set, -, b) writes object=p+0x14\n"
			"- set#2 start - object=p+0x200\n";

	(void)state;
	needs(text, PLAN_TO_THE_END,
	      "local set1_wrote_a = SimpleGate \"set1_wrote_a\"\n"
	      "local look_ended   = SimpleGate \"look_ended\"\n"
	      "at(\"s.c:2\", { thread = \"set\" }) :open(set1_wrote_a) :wait(look_ended)\n"
	      "at \"l.c:1\"                      :wait(set1_wrote_a)\n"
	      "on(\"exit\", { thread = \"look\" }) :open(look_ended)\n");
}

/*
 * A call of several steps is one execution of its line; the next execution begins with the same
 * step.
 */
static void test_call(void **state)
{
	static const char text[] = HEAD(
		5) "1 main read m.c:1 (main, reset, a) object=p+0x10 at=p+0x1 code=prog+0x100\n"
		   "2 main write m.c:1 (main, reset, b) writes object=p+0x14 at=p+0x2 "
		   "code=prog+0x100\n"
		   "3 main read m.c:1 (main, reset, a) object=p+0x10 at=p+0x1 code=prog+0x100\n"
		   "4 main write m.c:1 (main, reset, b) writes object=p+0x14 at=p+0x2 "
		   "code=prog+0x100\n"
		   "5 other read o.c:1 (other, -, b) object=p+0x14 at=p+0x3 code=prog+0x200\n";

	(void)state;
	needs(text, PLAN_DEPENDENT,
	      "local main_wrote_b = SimpleGate \"main_wrote_b\"\n"
	      "at(\"m.c:1\", { hit = 2, after = true }) :open(main_wrote_b)\n"
	      "at \"o.c:1\"                             :wait(main_wrote_b)\n");
}

/* The object of a system call is unknown, but it is neither memory nor a lock. */
static void test_kernel(void **state)
{
	static const char text[] =
		HEAD(4) "1 main block m.c:1 (main, fprintf) writes object=any\n"
			"2 other read o.c:1 (other, -, x) preempts object=p+0x10\n"
			"3 other write o.c:2 (other, -, x) writes object=p+0x10\n"
			"4 other lock o.c:3 (other, pthread_mutex_lock, m) writes "
			"object=p+0x20\n";

	(void)state;
	needs(text, PLAN_DEPENDENT, "");
}

/*
 * A call that has blocked in the kernel was made once; a thread that could have returned in the end
 * is held after its line.
 */
static void test_back_from_the_kernel(void **state)
{
	static const char text[] = HEAD(
		7) "1 main block m.c:1 (main, read) writes object=any at=p+0x1 code=prog+0x100\n"
		   "2 w block w.c:1 (w, write) writes object=any at=p+0x2 code=prog+0x200\n"
		   "3 main block m.c:1 (main, read) preempts writes object=any at=p+0x1 "
		   "code=libc.so.6+0x1\n"
		   "4 main read m.c:2 (main, -, x) object=p+0x10\n"
		   "5 w write w.c:2 (w, -, x) writes object=p+0x10\n"
		   "6 main block m.c:3 (main, read) writes object=any at=p+0x1 code=prog+0x110\n"
		   "7 w end w.c:3 (w, abort) writes object=any\n"
		   "- main block m.c:3 (main, read) writes object=any at=p+0x1 "
		   "code=libc.so.6+0x1\n";

	(void)state;
	needs(text, PLAN_TO_THE_END,
	      "local main_read_x    = SimpleGate \"main_read_x\"\n"
	      "local w_called_write = SimpleGate \"w_called_write\"\n"
	      "local w_ended        = SimpleGate \"w_ended\"\n"
	      "at \"m.c:1\"                                     :event \"main_calls_read\"\n"
	      "at \"w.c:1\"                                     :event \"w_calls_write\"\n"
	      "at \"w.c:2\"                                     :open(w_called_write) "
	      ":wait(main_read_x)\n"
	      "at(\"m.c:2\", { after = true })                  :open(main_read_x)\n"
	      "at \"m.c:3\"                                     :wait(w_called_write)\n"
	      "on(\"exit\", { thread = \"w\" })                   :open(w_ended)\n"
	      "at(\"m.c:3\", { after = true, optional = true }) :wait(w_ended)\n"
	      "order \"[main_calls_read] -> w_calls_write\"\n");
}

/* The thread was woken by another process: later steps do not run while it waits. */
static void test_no_more_in_the_kernel(void **state)
{
	static const char text[] = HEAD(
		5) "1 main block m.c:1 (main, read) writes object=any at=p+0x1 code=prog+0x100\n"
		   "2 other read o.c:1 (other, -, x) object=p+0x10\n"
		   "3 main block m.c:1 (main, read) preempts writes object=any at=p+0x1 "
		   "code=libc.so.6+0x1\n"
		   "4 other block o.c:2 (other, read) preempts writes object=any at=p+0x1 "
		   "code=prog+0x300\n"
		   "5 main read m.c:2 (main, -, x) preempts object=p+0x10\n";

	(void)state;
	needs(text, PLAN_DEPENDENT,
	      "local main_called_read = SimpleGate \"main_called_read\"\n"
	      "at(\"m.c:1\", { after = true }) :open(main_called_read)\n"
	      "at \"o.c:2\"                    :wait(main_called_read)\n");
}

/* Orders that the program itself guarantees: creation, exit, join; a lock blocks. */
static void test_not_needed(void **state)
{
	static const char text[] =
		HEAD(12) "1 main create m.c:1 (main, pthread_create) object=p+0x100\n"
			 "2 main lock m.c:2 (main, pthread_join) writes object=p+0x100\n"
			 "3 worker#1 start - object=p+0x100\n"
			 "4 worker#1 write w.c:1 (worker, -, x) writes object=p+0x10\n"
			 "5 worker#1 create w.c:2 (worker, pthread_create) object=p+0x200\n"
			 "6 worker#1 lock w.c:3 (worker, pthread_join) writes object=p+0x200\n"
			 "7 deputy start - object=p+0x200\n"
			 "8 deputy write d.c:1 (deputy, -, x) writes object=p+0x10\n"
			 "9 deputy end - writes object=p+0x200\n"
			 "10 worker#1 write w.c:4 (worker, -, x) writes object=p+0x10\n"
			 "11 worker#1 end - writes object=p+0x100\n"
			 "12 main read m.c:3 (main, -, x) object=p+0x10\n";

	(void)state;
	needs(text, PLAN_DEPENDENT, "");
	/* The creator makes further steps before it waits. */
	needs(text, PLAN_ALL,
	      "local main_created_line1    = SimpleGate \"main_created_line1\"\n"
	      "local worker1_created_line2 = SimpleGate \"worker1_created_line2\"\n"
	      "at \"m.c:2\"                                  :open(main_created_line1)\n"
	      "on(\"thread-start\", { thread = \"worker#1\" }) :wait(main_created_line1)\n"
	      "at \"w.c:3\"                                  :open(worker1_created_line2)\n"
	      "on(\"thread-start\", { thread = \"deputy\" })   :wait(worker1_created_line2)\n");
}

/* The schedule does not say that the threads exist from the start, so the order is forced. */
static void test_creation_not_known(void **state)
{
	(void)state;
	needs(HEAD(3) "1 main create m.c:1 (main)\n"
		      "2 main write m.c:2 (main, -, x) writes object=p+0x10\n"
		      "3 worker#1 read w.c:1 (worker, -, x) object=p+0x10\n",
	      PLAN_DEPENDENT,
	      "local main_wrote_x = SimpleGate \"main_wrote_x\"\n"
	      "at(\"m.c:2\", { after = true }) :open(main_wrote_x)\n"
	      "at \"w.c:1\"                    :wait(main_wrote_x)\n");
	needs(HEAD(2) "1 main write m.c:2 (main, -, x) writes object=p+0x10\n"
		      "2 worker#1 read w.c:1 (worker, -, x) object=p+0x10\n",
	      PLAN_DEPENDENT,
	      "local main_wrote_x = SimpleGate \"main_wrote_x\"\n"
	      "at(\"m.c:2\", { after = true }) :open(main_wrote_x)\n"
	      "at \"w.c:1\"                    :wait(main_wrote_x)\n");
}

/* A lost wake-up: the signal comes between the check and the wait. */
static void test_lost_wakeup(void **state)
{
	(void)state;
	needs(HEAD(8) "1 waiter lock q.c:1 (take, pthread_mutex_lock, m) writes object=p+0x1\n"
		      "2 waiter read q.c:2 (take, -, ready) object=p+0x2\n"
		      "3 waiter unlock q.c:3 (take, pthread_mutex_unlock, m) writes object=p+0x1\n"
		      "4 poster lock q.c:11 (post, pthread_mutex_lock, m) preempts writes "
		      "object=p+0x1\n"
		      "5 poster write q.c:12 (post, -, ready) writes object=p+0x2\n"
		      "6 poster signal q.c:13 (post, pthread_cond_signal, c) writes object=p+0x3\n"
		      "7 poster unlock q.c:14 (post, pthread_mutex_unlock, m) writes object=p+0x1\n"
		      "8 waiter wait q.c:4 (take, pthread_cond_wait, c) preempts writes "
		      "object=p+0x3\n",
	      PLAN_DEPENDENT,
	      "local waiter_read_ready  = SimpleGate \"waiter_read_ready\"\n"
	      "local poster_signalled_c = SimpleGate \"poster_signalled_c\"\n"
	      "at \"q.c:4\"                     :open(waiter_read_ready) "
	      ":wait(poster_signalled_c)\n"
	      "at \"q.c:11\"                    :wait(waiter_read_ready)\n"
	      "at(\"q.c:13\", { after = true }) :open(poster_signalled_c)\n");
}

/* The opposite: the waiter blocks before the signal. */
static void test_blocked(void **state)
{
	static const char text[] = HEAD(
		4) "1 waiter wait q.c:4 (take, pthread_cond_wait, c) writes object=p+0x3\n"
		   "2 poster signal q.c:13 (post, pthread_cond_signal, c) writes object=p+0x3\n"
		   "3 poster write q.c:14 (post, -, ready) writes object=p+0x2\n"
		   "4 waiter read q.c:5 (take, -, ready) preempts object=p+0x2\n";

	(void)state;
	needs(text, PLAN_DEPENDENT,
	      "local poster_wrote_ready = SimpleGate \"poster_wrote_ready\"\n"
	      "at \"q.c:4\"                     :event \"waiter_waits_for_c\"\n"
	      "at \"q.c:13\"                    :event \"poster_signals_c\"\n"
	      "at(\"q.c:14\", { after = true }) :open(poster_wrote_ready)\n"
	      "at \"q.c:5\"                     :wait(poster_wrote_ready)\n"
	      "order \"[waiter_waits_for_c] -> poster_signals_c\"\n");
}

/* Lines that a thread passes often: a certain pass counts. */
static void test_hit(void **state)
{
	(void)state;
	needs(HEAD(6) "1 a write f.c:1 (f, -, x) writes object=p+0x1 code=prog+0x10\n"
		      "2 a write f.c:1 (f, -, x) writes object=p+0x1 code=prog+0x10\n"
		      "3 b read f.c:9 (g, -, y) preempts object=p+0x2 code=prog+0x20\n"
		      "4 b read f.c:9 (g, -, x) object=p+0x1 code=prog+0x28\n"
		      "5 a write f.c:1 (f, -, x) preempts writes object=p+0x1 code=prog+0x10\n"
		      "6 a read f.c:2 (f, -, x) object=p+0x1 code=prog+0x18\n",
	      PLAN_DEPENDENT,
	      "local a_wrote_x = SimpleGate \"a_wrote_x\"\n"
	      "local b_read_x  = SimpleGate \"b_read_x\"\n"
	      "at(\"f.c:1\", { hit = 3 })      :open(a_wrote_x) :wait(b_read_x)\n"
	      "at \"f.c:9\"                    :wait(a_wrote_x)\n"
	      "at(\"f.c:9\", { after = true }) :open(b_read_x)\n");
}

/* Places inside a line, in a library, without source text; at the start and exit of threads. */
static void test_places(void **state)
{
	(void)state;
	needs(HEAD(4) "1 a read lib.c:5 (f, -, n) object=p+0x1 code=/usr/lib/liba.so+0x10\n"
		      "2 b read lib.c:5 (f, -, n) preempts object=p+0x1 "
		      "code=/usr/lib/liba.so+0x10\n"
		      "3 b write lib.c:5 (f, -, n) writes object=p+0x1 code=/usr/lib/liba.so+0x18\n"
		      "4 a write lib.c:5 (f, -, n) writes object=p+0x1 "
		      "code=/usr/lib/liba.so+0x18\n",
	      PLAN_DEPENDENT,
	      "local a_read_n  = SimpleGate \"a_read_n\"\n"
	      "local b_wrote_n = SimpleGate \"b_wrote_n\"\n"
	      "at(\"liba.so!*0x18\", { thread = \"a\" })         :open(a_read_n) :wait(b_wrote_n)\n"
	      "at(\"lib.c:5\", { thread = \"b\" })               :wait(a_read_n)\n"
	      "at(\"lib.c:5\", { thread = \"b\", after = true }) :open(b_wrote_n)\n");
	needs(HEAD(3) "1 a write - (f) writes object=p+0x1 code=prog+0x10\n"
		      "2 a write - (f) writes object=p+0x9 code=prog+0x20\n"
		      "3 b read - (g) preempts object=p+0x1 code=prog+0x30\n",
	      PLAN_DEPENDENT,
	      "local a_wrote = SimpleGate \"a_wrote\"\n"
	      "at \"*0x20:00c0ffee\" :open(a_wrote)\n"
	      "at \"*0x30:00c0ffee\" :wait(a_wrote)\n");
	needs(HEAD(4) "1 a start -\n"
		      "2 a end -\n"
		      "3 b start -\n"
		      "4 b write f.c:1 (f, -, x) writes object=p+0x1\n",
	      PLAN_ALL,
	      "local a_ended = SimpleGate \"a_ended\"\n"
	      "on(\"thread-exit\", { thread = \"a\" })  :open(a_ended)\n"
	      "on(\"thread-start\", { thread = \"b\" }) :wait(a_ended)\n");
}

/* A line that calls a function ends after that function's gate has opened. */
static void test_called(void **state)
{
	(void)state;
	needs(HEAD(4) "1 a read f.c:1 (f, -, x) object=p+0x1 code=prog+0x10\n"
		      "2 b write f.c:9 (g, -, x) preempts writes object=p+0x1 code=prog+0x90\n"
		      "3 b write f.c:10 (g, -, y) writes object=p+0x2 code=prog+0x98\n"
		      "4 a read f.c:5 (called, -, y) preempts object=p+0x2 code=prog+0x50\n",
	      PLAN_DEPENDENT,
	      "local a_read_x  = SimpleGate \"a_read_x\"\n"
	      "local b_wrote_y = SimpleGate \"b_wrote_y\"\n"
	      "at \"f.c:5\"                     :open(a_read_x) :wait(b_wrote_y)\n"
	      "at \"f.c:9\"                     :wait(a_read_x)\n"
	      "at(\"f.c:10\", { after = true }) :open(b_wrote_y)\n");
}

static void test_nowhere(void **state)
{
	struct schedule s = {0};
	struct gate_plan p = {0};
	ERROR(err);

	(void)state;
	read_schedule(HEAD(2) "1 a write f.c:1 (f, -, x) writes object=p+0x1\n"
			      "2 b read - (-, -, x) preempts object=p+0x1\n",
		      &s);
	assert_int_equal(gate_plan_make(&p, &s, PLAN_DEPENDENT, &words, &err), -1);
	assert_int_equal(err.code, ERROR_STATE);
	assert_string_equal(
		error_text(&err),
		"b has to be stopped where it reads `x`, and that place is not known in "
		"the source or in a module");
	gate_plan_fini(&p);
	schedule_fini(&s);
}

/* The write of x has no place: the order begins at the step before it. */
static void test_weaker(void **state)
{
	(void)state;
	needs(HEAD(4) "1 b write f.c:9 (g, -, y) writes object=p+0x2 code=prog+0x90\n"
		      "2 b write - (-, -, x) writes object=p+0x1\n"
		      "3 a read f.c:1 (f, -, x) preempts object=p+0x1 code=prog+0x10\n"
		      "4 b write - (-, -, z) writes object=p+0x3\n",
	      PLAN_DEPENDENT,
	      "local b_wrote_y = SimpleGate \"b_wrote_y\"\n"
	      "at(\"f.c:9\", { after = true }) :open(b_wrote_y)\n"
	      "at \"f.c:1\"                    :wait(b_wrote_y)\n");
}

/* A dropped order is not in the script, nor are places that no other order needs. */
static void test_dropped(void **state)
{
	struct schedule s = {0};
	struct gate_plan p = {0};
	char *gates;
	ERROR(err);

	(void)state;
	read_schedule(HEAD(4) "1 a write f.c:1 (f, -, x) writes object=p+0x1\n"
			      "2 b read f.c:9 (g, -, x) preempts object=p+0x1\n"
			      "3 b read f.c:10 (g, -, x) object=p+0x1\n"
			      "4 a write f.c:2 (f, -, x) preempts writes object=p+0x1\n",
		      &s);
	assert_int_equal(gate_plan_make(&p, &s, PLAN_DEPENDENT, &words, &err), 0);
	assert_int_equal(p.orders.count, 2);
	assert_int_equal(gate_plan_lines(&p), 5);
	p.orders.items[0].dropped = true;
	assert_int_equal(gate_plan_lines(&p), 3);
	gates = gates_of(&p, &s);
	assert_string_equal(gates, "local b_read_x = SimpleGate \"b_read_x\"\n"
				   "at(\"f.c:10\", { after = true }) :open(b_read_x)\n"
				   "at \"f.c:2\"                     :wait(b_read_x)\n");
	base_free(gates);
	p.orders.items[0].dropped = false;
	assert_true(
		tells(&p, &s, "-- 1. a writes `x` (f.c:1); it is held before it writes `x`.\n"));
	p.orders.items[1].dropped = true;
	assert_true(tells(&p, &s, "-- 1. a writes `x` (f.c:1).\n"));
	p.orders.items[0].dropped = true;
	assert_int_equal(gate_plan_lines(&p), 0);
	gate_plan_fini(&p);
	schedule_fini(&s);
}

/* ---- long schedules -------------------------------------------------------------------------- */

enum { LONG = 100000, ROUND = 4, LAST_ORDERS = 8 };

static void add_step(struct schedule *s, unsigned thread, enum strategy_op op, uint64_t object)
{
	struct schedule_step *step = array_add(&s->steps);

	*step = (struct schedule_step){
		.thread = thread,
		.point = {.thread = thread, .op = op, .object = object, .place = (uint64_t)op},
		.where = {.file = "f.c", .func = "f", .line = (unsigned)op + 1, .address = op},
	};
	step->preempts = s->steps.count > 1 && step[-1].thread != thread;
	step->point.writes = op == STRATEGY_LOCK || op == STRATEGY_WRITE;
}

/* `length` steps of a thread before another runs; one lock for all rounds, or one each. */
static void make_long(struct schedule *s, size_t length, bool one)
{
	static const enum strategy_op ops[ROUND] = {STRATEGY_LOCK, STRATEGY_WRITE, STRATEGY_UNLOCK,
						    STRATEGY_READ};

	for (unsigned t = 0; t < 3; t++)
		schedule_thread(s, (const char *[]){"main", "a#1", "b#1"}[t]);
	add_step(s, 0, STRATEGY_CREATE, 0);
	add_step(s, 0, STRATEGY_CREATE, 0);
	for (size_t i = 0; s->steps.count < LONG; i++)
		add_step(s, 1 + i / length % 2, ops[i % ROUND],
			 i % ROUND == 1 ? 64 + i / ROUND % 3 : 8 * (one ? 1 : i / ROUND + 100));
}

/* A quadratic comparison of the steps took minutes at this length. */
static void test_long(void **state)
{
	static const size_t lengths[] = {LONG, ROUND, 1};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(lengths) / sizeof(*lengths); i++) {
		struct schedule s = {0};
		struct gate_plan p = {.most = LAST_ORDERS};
		char *gates;
		ERROR(err);

		make_long(&s, lengths[i / 2], i % 2);
		if (gate_plan_make(&p, &s, PLAN_TO_THE_END, &words, &err) < 0)
			fail_msg("%s", error_text(&err));
		gates = gates_of(&p, &s);
		assert_true(p.orders.count <= LAST_ORDERS);
		if (lengths[i / 2] < LONG)
			assert_int_equal(p.orders.count, LAST_ORDERS);
		base_free(gates);
		gate_plan_fini(&p);
		schedule_fini(&s);
	}
}

static bool at_once(void *ctx)
{
	return ++*(unsigned *)ctx > 1;
}

/* The caller may run out of time for a plan. */
static void test_over(void **state)
{
	unsigned asked = 0;
	struct plan_words short_of_time = {.program = "prog", .ctx = &asked, .is_over = at_once};
	struct schedule s = {0};
	struct gate_plan p = {0};
	ERROR(err);

	(void)state;
	make_long(&s, ROUND, true);
	assert_int_equal(gate_plan_make(&p, &s, PLAN_TO_THE_END, &short_of_time, &err), -1);
	assert_non_null(strstr(error_text(&err), "there was no time to find the orders"));
	assert_true(2 <= asked && asked <= 10);
	error_fini(&err);
	gate_plan_fini(&p);
	schedule_fini(&s);
}

/* Gates beyond Lua's limit of local variables are fields of a table. */
static void test_many_gates(void **state)
{
	struct schedule s = {0};
	struct gate_plan p = {.most = 400};
	char *gates;
	ERROR(err);

	(void)state;
	make_long(&s, ROUND, true);
	if (gate_plan_make(&p, &s, PLAN_DEPENDENT, &words, &err) < 0)
		fail_msg("%s", error_text(&err));
	gates = gates_of(&p, &s);
	assert_ptr_equal(strstr(gates, "local "), gates);
	assert_null(strstr(gates + 1, "local "));
	assert_int_equal(strncmp(gates, "local gates = {}\n", 17), 0);
	assert_non_null(strstr(gates, ":wait(gates."));
	assert_non_null(strstr(gates, ":open(gates."));
	base_free(gates);
	gate_plan_fini(&p);
	schedule_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_to_the_end),
		cmocka_unit_test(test_call),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_back_from_the_kernel),
		cmocka_unit_test(test_no_more_in_the_kernel),
		cmocka_unit_test(test_not_needed),
		cmocka_unit_test(test_creation_not_known),
		cmocka_unit_test(test_lost_wakeup),
		cmocka_unit_test(test_blocked),
		cmocka_unit_test(test_hit),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_called),
		cmocka_unit_test(test_nowhere),
		cmocka_unit_test(test_weaker),
		cmocka_unit_test(test_dropped),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_over),
		cmocka_unit_test(test_many_gates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
