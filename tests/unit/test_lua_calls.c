/* Scripts at run time: arrivals of a program played by the test. */
#include "tests/unit/test_lua.h"

#include "lua/script_internal.h"

#include <time.h>

struct run_of {
	struct fixture f;
	struct engine_thread *a, *b;
};

static void begin(struct run_of *r, const char *text)
{
	fixture_init(&r->f);
	r->a = thread_new(&r->f, "worker#1", 11);
	r->b = thread_new(&r->f, "worker#2", 12);
	fixture_load_ok(&r->f, text);
}

/* Thread t arrives at the place; checks the decisions. */
static void step(struct run_of *r, struct engine_thread *t, size_t place, const char *decisions)
{
	const char *is;

	arrive(&r->f, t, place);
	is = decided(&r->f);
	if (!str_wildcard(decisions, is))
		fail_msg("place %zu: is %s, expected %s", place, is, decisions);
}

/* Loads the script, makes one arrival and checks the fault. */
static void fault_at(const char *text, const char *message)
{
	struct run_of r;
	char expected[512];

	begin(&r, text);
	if (strstr(message, "256 MB")) /* under load this takes longer than a second */
		r.f.script->budget.limit = 60000000000;
	snprintf(expected, sizeof(expected), "*fault %s; ", message);
	step(&r, r.a, 0, expected);
	fixture_fini(&r.f);
}

static void test_simple_gate(void **state)
{
	struct run_of r;

	(void)state;
	begin(&r, "local done = SimpleGate 'done'\n"
		  "at 'calc.c:7' :wait(done)\nat 'calc.c:14' :open(done)");
	step(&r, r.a, 0, "hold worker#1; ");
	step(&r, r.b, 1, "opened done; release worker#2; release worker#1; ");
	fixture_fini(&r.f);
}

static void test_when_sees_the_hit(void **state)
{
	struct run_of r;

	(void)state;
	begin(&r, "at 'x' :when(function(hit)\n"
		  "  local t = hit.thread\n"
		  "  print(hit.count, hit.file, hit.line, hit.func)\n"
		  "  print(t.id, t.start, t.tid, t.state, '[' .. t.name .. ']', t)\n"
		  "  print(t == hit.thread)\n"
		  "  return hit.count == 2\n"
		  "end)");
	step(&r, r.a, 0, "hold worker#1; ");
	assert_string_equal(r.f.printed.text,
			    "1\tcalc.c\t7\tadd\n"
			    "worker#1\tworker\t11\trunning\t[]\tworker#1\ntrue\n");
	step(&r, r.b, 0, "release worker#2; ");
	fixture_fini(&r.f);
}

static void test_when_is_asked_again(void **state)
{
	struct run_of r;

	(void)state;
	begin(&r, "ready = false\nat 'x':when(function() return ready end)\n"
		  "at 'y':run(function() ready = true end)");
	step(&r, r.a, 0, "hold worker#1; ");
	engine_changed(r.f.engine);
	assert_string_equal(decided(&r.f), "");
	step(&r, r.b, 1, "release worker#2; release worker#1; ");
	fixture_fini(&r.f);
}

static void test_faults_of_functions(void **state)
{
	(void)state;
	fault_at("at 'x':when(function(hit)\nreturn hit.var.q end)",
		 "t.lua:2: hit.var: not available here");
	fault_at("at 'x':when(function(hit)\nreturn hit:backtrace() end)",
		 "t.lua:2: frames: not available here");
	fault_at("at 'x':when(function(hit)\nreturn hit.cuont end)",
		 "t.lua:2: no field 'cuont' in hit; fields are thread, count, file, line, func, "
		 "var, *");
	fault_at("at 'x':when(function(hit)\nreturn hit.thread.nam end)",
		 "t.lua:2: no field 'nam' in a thread; fields are id, name, start, tid, state");
	fault_at("at 'x':when(function(hit) hit.count = 3 end)",
		 "t.lua:1: hit.count cannot be set");
	fault_at("at 'x':when(function() error(nil) end)",
		 "t.lua:1: (error object is a nil value)");
	fault_at("\nat 'x':when(error)", "t.lua:2: (error object is a userdata value)");
	fault_at("\n\nlocal function f() return error('tail', 0) end\nat 'x':when(f)",
		 "t.lua:3: tail");
	fault_at("local g = SimpleGate 'g'\nat 'x':when(function() g:open() end)",
		 "t.lua:2: open: this function can only read; *");
	fault_at("local g = SimpleGate 'g'\nat 'x':when(function() g:wait() end)",
		 "t.lua:2: wait: this function can only read; *");
	fault_at("local g = SimpleGate 'g'\nat 'x':when(function() pcall(g.open, g) end)",
		 "t.lua:2: open: this function can only read; *");
	fault_at("at 'x':when(function() at 'y' end)",
		 "t.lua:1: at: can be called only while the script is loaded");
	fault_at("at 'x':run(function() on 'exit' end)",
		 "t.lua:1: on: can be called only while the script is loaded");
	fault_at("at 'x':run(function() SimpleGate 'g' end)",
		 "t.lua:1: SimpleGate: can be called only while the script is loaded");
	fault_at("at 'x':run(function() order 'a -> b' end)",
		 "t.lua:1: order: can be called only while the script is loaded");
	fault_at("at 'x':run(function() limits {} end)",
		 "t.lua:1: limits: can be called only while the script is loaded");
	fault_at("local p = at 'x'\np:run(function() p:kill() end)",
		 "t.lua:2: kill: can be called only while the script is loaded");
	fault_at("C = Gate.type 'C'\nC.ready = print\nat 'x':run(function() C 'c' end)",
		 "t.lua:3: C: can be called only while the script is loaded");
	fault_at("at 'x':run(function()\nfor i = 1, nil do end end)", "t.lua:2: *'for' limit*");
	fault_at("at 'x':run(function()\ncoroutine.yield(1) end)",
		 "t.lua:2: yield: can be called only in a coroutine of the script");
	fault_at("local g = SimpleGate 'g'\n"
		 "at 'x':run(function() coroutine.wrap(function()\ng:wait() end)() end)",
		 "t.lua:3: wait: cannot be called inside a coroutine of the script");
	fault_at("at 'x':run(function() wait_until(3) end)",
		 "t.lua:1: wait_until: expected a function, got a number");
	fault_at("at 'x':run(function() wait_until(function()\nnope() end) end)",
		 "t.lua:2: undefined name 'nope'");
	fault_at("at 'x':run(function() while true do\nwait_until(function() return true end) end "
		 "end)",
		 "t.lua:*: the function computed for more than a second");
	fault_at("at 'x':run(function()\nlocal s = 'x' while true do s = s .. s end end)",
		 "t.lua:2: the script uses more than 256 MB of memory");
	fault_at("at 'x':log '{(function() while true do end end)()}'",
		 "t.lua:1: the function computed for more than a second");
}

/* Only the engine resumes the coroutine of a :run. */
static void test_run_is_not_resumed_by_others(void **state)
{
	struct run_of r;

	(void)state;
	begin(&r, "local g, co = SimpleGate 'g'\n"
		  "at 'x':run(function() co = coroutine.running() g:wait() end)\n"
		  "at 'y':run(function() coroutine.resume(co) end)\n");
	step(&r, r.a, 0, "hold worker#1; ");
	step(&r, r.b, 1, "fault t.lua:3: cannot resume the coroutine of a :run; ");
	fixture_fini(&r.f);
}

static void test_stored_hit_is_over(void **state)
{
	struct run_of r;

	(void)state;
	begin(&r, "local old\n"
		  "at 'x':when(function(hit)\n"
		  "  if old then return old.count end\n"
		  "  old = hit\n"
		  "  return true\n"
		  "end)");
	step(&r, r.a, 0, "release worker#1; ");
	step(&r, r.a, 0, "fault t.lua:3: this hit is no longer valid: its arrival has ended; ");
	fixture_fini(&r.f);
}

static void test_run_waits_and_opens(void **state)
{
	struct run_of r;

	(void)state;
	begin(&r, "local g, h = SimpleGate 'g', SimpleGate 'h'\n"
		  "at 'x':run(function(hit)\n"
		  "  print('before', hit.count, g.is_open)\n"
		  "  g:wait()\n"
		  "  print('after', hit.count, hit.thread.id, g.is_open, g.name)\n"
		  "  pcall(h.wait, h)\n"
		  "  print 'end'\n"
		  "end)\n"
		  "at 'y':run(function() g:open() print(g) end)\nat 'z':open(h)");
	step(&r, r.a, 0, "hold worker#1; ");
	step(&r, r.b, 1, "opened g; *release worker#2; *");
	step(&r, r.b, 2, "opened h; release worker#2; release worker#1; ");
	assert_string_equal(r.f.printed.text,
			    "before\t1\tfalse\nSimpleGate 'g'\nafter\t1\tworker#1\ttrue\tg\nend\n");
	fixture_fini(&r.f);
}

static void test_hit_of_a_run_lives_on(void **state)
{
	struct run_of r;

	(void)state;
	begin(&r, "local g, kept = SimpleGate 'g'\n"
		  "at 'x':run(function(hit) kept = hit g:wait() end)\n"
		  "at 'y':run(function() print(kept.file, kept.count) end)\n"
		  "at 'z':open(g)\n");
	step(&r, r.a, 0, "hold worker#1; ");
	step(&r, r.b, 1, "release worker#2; ");
	assert_string_equal(r.f.printed.text, "calc.c\t1\n");
	step(&r, r.b, 2, "opened g; release worker#2; release worker#1; ");
	step(&r, r.b, 1, "fault t.lua:3: this hit is no longer valid: its arrival has ended; ");
	fixture_fini(&r.f);
}

static void test_wait_until(void **state)
{
	struct run_of r;

	(void)state;
	begin(&r, "n = 0\n"
		  "at 'x':run(function(hit)\n"
		  "  wait_until(function() return true end)\n"
		  "  wait_until(function() return n >= 2 end)\n"
		  "  print('n', n)\n"
		  "end)\n"
		  "at 'y':run(function() n = n + 1 end)");
	step(&r, r.a, 0, "hold worker#1; ");
	step(&r, r.b, 1, "release worker#2; ");
	step(&r, r.b, 1, "release worker#2; release worker#1; ");
	assert_string_equal(r.f.printed.text, "n\t2\n");
	fixture_fini(&r.f);
}

/* A thread that dies while its function holds it: the coroutine is freed. */
static void test_run_of_a_dead_thread(void **state)
{
	struct run_of r;

	(void)state;
	begin(&r, "local g = SimpleGate 'g'\nlocal kept\n"
		  "at 'x':run(function(hit) kept = hit g:wait() end)\n"
		  "at 'y':run(function() print(kept.count) end)\n");
	step(&r, r.a, 0, "hold worker#1; ");
	engine_thread_exited(r.f.engine, r.a);
	assert_string_equal(decided(&r.f), "");
	step(&r, r.b, 1, "fault t.lua:4: this hit is no longer valid: its arrival has ended; ");
	fixture_fini(&r.f);
}

static void test_barrier_in_runs(void **state)
{
	struct run_of r;

	(void)state;
	begin(&r, "local b = BarrierGate('b', 2)\nat 'x':run(function(hit) b:wait() end)");
	step(&r, r.a, 0, "hold worker#1; ");
	step(&r, r.b, 0, "*release worker#1; *");
	fixture_fini(&r.f);
}

static void test_gate_type(void **state)
{
	struct run_of r;

	(void)state;
	begin(&r, "local Counting = Gate.type 'Counting'\n"
		  "function Counting:init(n, word) self.left = n print(self.name, word, self) end\n"
		  "function Counting:ready(hit) return self.is_open and self:enough() end\n"
		  "function Counting:enough() return self.left > 0 end\n"
		  "function Counting:passed(hit) self.left = self.left - 1 print('passed', "
		  "hit.thread.id) end\n"
		  "function Counting:opened() print('opened', self.is_open) end\n"
		  "local c = Counting('two', 2, 'hello')\n"
		  "at 'x':wait(c)\nat 'y':open(c)\n"
		  "assert(not c.is_open and c.missing == nil)");
	assert_int_equal(engine_gate_at(r.f.engine, 0)->kind, GATE_CUSTOM);
	assert_string_equal(engine_gate_at(r.f.engine, 0)->type, "Counting");
	step(&r, r.a, 0, "hold worker#1; ");
	step(&r, r.b, 1, "opened two; release worker#2; release worker#1; ");
	step(&r, r.a, 0, "release worker#1; ");
	step(&r, r.a, 0, "hold worker#1; ");
	assert_string_equal(r.f.printed.text, "two\thello\tCounting 'two'\nopened\ttrue\n"
					      "passed\tworker#1\npassed\tworker#1\n");
	fixture_fini(&r.f);
}

static void test_faults_of_gate_types(void **state)
{
	(void)state;
#define TYPE(body) "local C = Gate.type 'C'\n" body "\nlocal c = C 'c'\n"
	fault_at(TYPE("function C:ready() c2() end") "at 'x':wait(c)",
		 "t.lua:2: undefined name 'c2'");
	fault_at(TYPE("function C:ready() self:open() end") "at 'x':wait(c)",
		 "t.lua:2: open: this function can only read; *");
	fault_at(TYPE("function C:ready() return true end function C:passed() error {} end") "at "
											     "'x':"
											     "wait("
											     "c)",
		 "t.lua:2: (error object is a table value)");
	fault_at(TYPE("C.ready = print function C:opened() error 'no' end") "at 'x':open(c)",
		 "t.lua:2: no");
	fault_at(TYPE("C.ready = print function C:opened() error 'no' end") "at 'x':run(function() "
									    "c:open() end)",
		 "t.lua:2: no");
	fault_at(TYPE("C.ready = print function C:opened() self:open() end") "at 'x':open(c)",
		 "t.lua:2: *C stack overflow*");
	fault_at(TYPE("C.ready = print function C:opened() c0 = nil self:wait() end") "at "
										      "'x':open(c)",
		 "t.lua:2: wait: can be called only inside a function given to :run");
	fault_at(TYPE("function C:ready() while true do end end") "at 'x':wait(c)",
		 "t.lua:2: the function computed for more than a second");
}

/* opened() of a gate opens another one: inside a coroutine, inside the engine. */
static void test_opened_opens(void **state)
{
	struct run_of r;

	(void)state;
	begin(&r, "local C = Gate.type 'C'\n"
		  "function C:ready() return self.is_open end\n"
		  "function C:opened() if self.other then self.other:open() end end\n"
		  "local a, b = C 'a', C 'b'\na.other = b\n"
		  "at 'x':wait(b)\n"
		  "at 'y':run(function() a:open() print(a.is_open, b.is_open) end)");
	step(&r, r.a, 0, "hold worker#1; ");
	step(&r, r.b, 1, "opened a; opened b; release worker#2; release worker#1; ");
	assert_string_equal(r.f.printed.text, "true\ttrue\n");
	fixture_fini(&r.f);
}

static void log_is(const char *text, const char *line)
{
	struct run_of r;
	struct str script = {0}, expected = {0};

	str_addf(&script, "word, t = 'w', {2, 3}\nfunction f(x) return x * 2 end\nat 'x':log %s",
		 text);
	str_addf(&expected, "%s", line);
	begin(&r, str_text(&script));
	step(&r, r.a, 0, str_text(&expected));
	fixture_fini(&r.f);
	str_fini(&script);
	str_fini(&expected);
}

static void test_log(void **state)
{
	(void)state;
	log_is("'plain'", "log plain; release worker#1; ");
	log_is("''", "log ; release worker#1; ");
	log_is("'{thread} {thread.id} {count} {file}:{line} {func} {hit.count}'",
	       "log worker#1 worker#1 1 calc.c:7 add 1; release worker#1; ");
	log_is("'{word}{f(t[1])}{#t}'", "log w42; release worker#1; ");
	log_is("'{({5, 6})[2]} {\"}\"} {{x}} }'", "log 6 } {x} }; release worker#1; ");
	log_is("'{nil} {1, 2}'", "log nil 1; release worker#1; ");
	log_is("'a {nope}'", "fault t.lua:3: undefined name 'nope'; ");
	log_is("'a {t.x.y}'", "fault t.lua:3: attempt to index a nil value (field 'x'); ");
	log_is("'{f()}'",
	       "fault t.lua:2: attempt to perform arithmetic on a nil value (local 'x'); ");
	log_is("'{hit.ret}'", "fault t.lua:3: hit.ret: not available here; ");
}

static void test_two_scripts_share_globals(void **state)
{
	struct run_of r;

	(void)state;
	begin(&r, "shared = SimpleGate 's'\nat 'x':wait(shared)");
	write_file("u.lua", "at 'y':open(shared)");
	assert_int_equal(script_load(r.f.script, "u.lua", &r.f.err), 0);
	step(&r, r.a, 0, "hold worker#1; ");
	step(&r, r.b, 1, "opened s; release worker#2; release worker#1; ");
	fixture_fini(&r.f);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Cost of a condition; the bound is far above the measured cost, for machines under load. */
static void test_cost_of_when(void **state)
{
	enum { HITS = 100000 };
	struct run_of r;
	double begun;

	(void)state;
	begin(&r, "at 'x':when(function(hit) return hit.count ~= 0 end)");
	begun = seconds();
	for (int i = 0; i < HITS; i++) {
		arrive(&r.f, r.a, 0);
		decided(&r.f);
	}
	begun = (seconds() - begun) / HITS * 1e6;
	print_message("an arrival with a condition: %.2f us\n", begun);
	assert_true(begun < 30);
	fixture_fini(&r.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_simple_gate),
		cmocka_unit_test(test_when_sees_the_hit),
		cmocka_unit_test(test_when_is_asked_again),
		cmocka_unit_test(test_faults_of_functions),
		cmocka_unit_test(test_stored_hit_is_over),
		cmocka_unit_test(test_run_waits_and_opens),
		cmocka_unit_test(test_hit_of_a_run_lives_on),
		cmocka_unit_test(test_wait_until),
		cmocka_unit_test(test_run_of_a_dead_thread),
		cmocka_unit_test(test_run_is_not_resumed_by_others),
		cmocka_unit_test(test_barrier_in_runs),
		cmocka_unit_test(test_gate_type),
		cmocka_unit_test(test_faults_of_gate_types),
		cmocka_unit_test(test_opened_opens),
		cmocka_unit_test(test_log),
		cmocka_unit_test(test_two_scripts_share_globals),
		cmocka_unit_test(test_cost_of_when),
	};

	return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
