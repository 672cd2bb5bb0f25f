/* Loading a script: the gates and places created, and every error message. */
#include "tests/unit/test_lua.h"

#include <signal.h>

static void test_makes_gates_and_places(void **state)
{
	struct fixture f;
	const struct place *p;
	struct gate *g;

	(void)state;
	fixture_init(&f);
	fixture_load_ok(&f,
			"local done = SimpleGate 'done'\n"
			"local b = BarrierGate('three', 3, {serial = true})\n"
			"at 'calc.c:7' :wait(done) :open(b)\n"
			"at('f%return', {thread='worker', hit={2, 4}, optional=true}):kill()\n"
			"at('g', {hit=3, after=true}):event 'e' :log 'x {hit.count}':kill 'TERM'\n"
			"on('load', {object='libx.so'}):when(function() return true end)\n"
			"on('signal', {signal='SIGUSR1'}):run(function() end)\n"
			"on('signal', {signal=12, hit=2.0})\n"
			"at('h', {when='i == 7'}):when 'x > 1'\n");
	g = engine_gate_at(f.engine, 0);
	assert_string_equal(g->name, "done");
	assert_int_equal(g->kind, GATE_SIMPLE);
	g = engine_gate_at(f.engine, 1);
	assert_int_equal(g->kind, GATE_BARRIER);
	assert_int_equal(g->barrier_size, 3);
	assert_true(g->queue == GATE_SERIAL);

	p = engine_place_at(f.engine, 0);
	assert_string_equal(p->location, "calc.c:7");
	assert_string_equal(p->source, "t.lua:3");
	assert_int_equal(p->kind, PLACE_LOCATION);
	assert_int_equal(p->steps.count, 2);
	assert_int_equal(p->steps.items[0].kind, STEP_WAIT);
	assert_ptr_equal(p->steps.items[0].gate, engine_gate_at(f.engine, 0));
	assert_int_equal(p->steps.items[1].kind, STEP_OPEN);
	assert_ptr_equal(p->steps.items[1].gate, g);

	p = engine_place_at(f.engine, 1);
	assert_string_equal(p->thread, "worker");
	assert_int_equal(p->hit_first, 2);
	assert_int_equal(p->hit_last, 4);
	assert_true(p->optional);
	assert_false(p->after);
	assert_int_equal(p->steps.items[0].signal, SIGKILL);

	p = engine_place_at(f.engine, 2);
	assert_int_equal(p->hit_first, 3);
	assert_int_equal(p->hit_last, 3);
	assert_true(p->after);
	assert_int_equal(p->steps.items[0].kind, STEP_EVENT);
	assert_string_equal(p->steps.items[0].text, "e");
	assert_int_equal(p->steps.items[1].kind, STEP_LOG);
	assert_string_equal(p->steps.items[1].text, "x {hit.count}");
	assert_int_equal(p->steps.items[2].signal, SIGTERM);

	p = engine_place_at(f.engine, 3);
	assert_int_equal(p->kind, PLACE_LOAD);
	assert_string_equal(p->object, "libx.so");
	assert_int_equal(p->steps.items[0].kind, STEP_WHEN);
	p = engine_place_at(f.engine, 4);
	assert_int_equal(p->kind, PLACE_SIGNAL);
	assert_int_equal(p->signal, SIGUSR1);
	assert_string_equal(p->location, "signal");
	p = engine_place_at(f.engine, 5);
	assert_int_equal(p->signal, 12);
	assert_int_equal(p->hit_first, 2);
	p = engine_place_at(f.engine, 6);
	assert_string_equal(p->when, "i == 7");
	assert_int_equal(p->steps.items[0].kind, STEP_WHEN);
	assert_string_equal(p->steps.items[0].text, "x > 1");
	assert_null(engine_place_at(f.engine, 7));
	fixture_fini(&f);
}

static void test_plan(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_load_ok(&f, "");
	assert_false(f.plan.expect.any);
	assert_true(f.plan.limits.gate < 0);
	fixture_load_ok(&f, "expect { exit = 3, stdout = 'one' }\nexpect { stdout = 'two' }\n"
			    "expect { stderr = 'three' } limits { gate = 0.5 }\n");
	assert_true(f.plan.expect.any && f.plan.expect.end == EXPECT_EXIT);
	assert_int_equal(f.plan.expect.exit, 3);
	assert_int_equal(f.plan.expect.stdout_has.count, 2);
	assert_string_equal(f.plan.expect.stdout_has.items[1], "two");
	assert_string_equal(f.plan.expect.stderr_has.items[0], "three");
	assert_true(f.plan.limits.gate == 0.5 && f.plan.limits.run < 0);
	fixture_fini(&f);
	fixture_init(&f);
	fixture_load_ok(&f, "expect { signal = 'SIGABRT' } limits { run = 60 }");
	assert_int_equal(f.plan.expect.signal, SIGABRT);
	assert_true(f.plan.expect.end == EXPECT_SIGNAL);
	assert_true(f.plan.limits.run == 60);
	fixture_fini(&f);
}

static const char *const faults[][2] = {
	/* errors of Lua itself */
	{"x = = 1", "t.lua:1: unexpected symbol near '='"},
	{"expect { exit = 0 }\nexpect { exit = 0 }\nexpect { exit = 1 }",
	 "t.lua:3: expect: exit is expected to be 0 and 1"},
	{"expect { exit = 0, signal = 9 }", "t.lua:1: expect: a program that ends with an exit *"},
	{"\n\nlocal t = nil\nt.x = 1", "t.lua:4: attempt to index a nil value (local 't')"},
	{"error 'boom'", "t.lua:1: boom"},
	{"error('boom', 0)", "t.lua:1: boom"},
	{"error {}", "t.lua:1: (error object is a table value)"},
	{"error(setmetatable({}, {__tostring = function() return 'mine' end}))", "t.lua:1: mine"},
	{"error(setmetatable({}, {__tostring = function() error {} end}))", "t.lua:1: *"},
	{"coroutine.wrap(at)()", "t.lua:1: at: location: expected a string, got nil"},
	{"coroutine.wrap(error)('x', 0)", "t.lua:1: x"},
	{"at('x', {names=1})", "t.lua:1: at: unknown option 'names'; *"},
	{"error(nil)", "t.lua:1: (error object is a nil value)"},
	{"error()", "t.lua:1: (error object is a nil value)"},
	{"error(42)", "t.lua:1: 42"},
	{"\nerror('t2.lua:9: other', 0)", "t.lua:2: t2.lua:9: other"},
	{"\nassert(false)", "t.lua:2: assertion failed!"},
	{"\nassert(load 'x = = 1')", "t.lua:2: [string \"x = = 1\"]:1: unexpected symbol near '='"},
	{"local function f() return f() + 1 end\nf()", "t.lua:1: stack overflow*"},
	{"string.rep()", "t.lua:1: bad argument #2 to 'rep' (number expected, got no value)"},
	{"\x1bLua\x54", "t.lua:1: *binary chunk*"},
	{"\nat 'x':wait(donee)", "t.lua:2: undefined name 'donee'"},
	{"print(io)", "t.lua:1: undefined name 'io' (not available in gate scripts)"},
	/* gates */
	{"SimpleGate()", "t.lua:1: SimpleGate: name: expected a string, got nil"},
	{"SimpleGate ''", "t.lua:1: SimpleGate: name: the string is empty"},
	{"SimpleGate(7)", "t.lua:1: SimpleGate: name: expected a string, got a number"},
	{"BarrierGate 'b'", "t.lua:1: BarrierGate: number of threads: expected an integer "
			    "greater than 0, got nil"},
	{"BarrierGate('b', 0)",
	 "t.lua:1: BarrierGate: number of threads: expected an integer greater than 0, got 0"},
	{"BarrierGate('b', 1.5)", "t.lua:1: BarrierGate: *, got 1.5"},
	{"BarrierGate('b', 2, {seral=true})",
	 "t.lua:1: BarrierGate: unknown option 'seral'; known are serial; did you mean serial?"},
	{"BarrierGate('b', 2, {serial=1})",
	 "t.lua:1: BarrierGate: serial: expected true or false, got a number"},
	{"BarrierGate('b', 2, true)",
	 "t.lua:1: BarrierGate: expected a table of options, got a boolean"},
	{"Gate.type()", "t.lua:1: Gate.type: name: expected a string, got nil"},
	{"Gate.typ 'x'", "t.lua:1: no field 'typ' in Gate; there is Gate.type"},
	{"local C = Gate.type 'C'\nC()", "t.lua:2: C: name: expected a string, got nil"},
	{"local C = Gate.type 'C'\nC 'g'", "t.lua:1: Gate.type 'C' has no function ready"},
	{"local C = Gate.type 'C'\nfunction C:open() end", "t.lua:2: C.open: every gate has its "
							   "own 'open'"},
	{"local C = Gate.type 'C'\nC.ready = 3",
	 "t.lua:2: C.ready: expected a function, got a number"},
	{"local C = Gate.type 'C'\nfunction C:init() nope() end\nC 'g'",
	 "t.lua:2: undefined name 'nope'"},
	{"SimpleGate('g').is_open = true", "t.lua:1: is_open of a gate cannot be set"},
	{"SimpleGate('g').open()",
	 "t.lua:1: open: expected a gate, got nil (call it with a colon)"},
	{"SimpleGate('g'):wait()",
	 "t.lua:1: wait: can be called only inside a function given to :run"},
	{"SimpleGate('g'):opne()", "t.lua:1: attempt to call a nil value (method 'opne')"},
	/* at, on */
	{"at()", "t.lua:1: at: location: expected a string, got nil"},
	{"at {}", "t.lua:1: at: location: expected a string, got a table"},
	{"at ''", "t.lua:1: at: location: the string is empty"},
	{"at('x', 'y')", "t.lua:1: at: expected a table of options, got a string"},
	{"at('x', {thraed='a'})", "t.lua:1: at: unknown option 'thraed'; known are thread, hit, "
				  "when, after, optional; did you mean thread?"},
	{"at('x', {'worker'})", "t.lua:1: at: unknown option '1'; known are *"},
	{"at('x', {object='a'})", "t.lua:1: at: unknown option 'object'; known are *"},
	{"at('x', {thread=1})", "t.lua:1: at: thread: expected a string, got a number"},
	{"at('x', {after=1})", "t.lua:1: at: after: expected true or false, got a number"},
	{"at('x', {optional='yes'})",
	 "t.lua:1: at: optional: expected true or false, got a string"},
	{"at('x', {hit=0})", "t.lua:1: at: hit: expected an integer greater than 0, got 0"},
	{"at('x', {hit=1.5})", "t.lua:1: at: hit: expected an integer greater than 0, got 1.5"},
	{"at('x', {hit='2'})",
	 "t.lua:1: at: hit: expected a number or {first, last}, got a string"},
	{"at('x', {hit={3}})", "t.lua:1: at: hit: expected an integer greater than 0, got nil"},
	{"at('x', {hit={3, 2}})", "t.lua:1: at: hit: first (3) is greater than last (2)"},
	{"at('x', {hit={1, 2, 3}})",
	 "t.lua:1: at: hit: expected {first, last}, got a table with 3"},
	{"at('f%return', {after=true})", "t.lua:1: at: 'after' cannot be used with f%return: *"},
	{"at('lib!f%return#2', {after=true})", "t.lua:1: at: 'after' cannot be used with *"},
	{"on 'nope'", "t.lua:1: on: no such event 'nope'; events are thread-start, *, rest"},
	{"on()", "t.lua:1: on: event: expected a string, got nil"},
	{"on('fork', {after=true})",
	 "t.lua:1: on: 'after' can be used only with at: an event has no statement"},
	{"on('fork', {object='x'})",
	 "t.lua:1: on: option object can be used only with on \"load\", not with \"fork\""},
	{"on('load', {signal=1})",
	 "t.lua:1: on: option signal can be used only with on \"signal\", not with \"load\""},
	{"on('signal', {signal='USR9'})",
	 "t.lua:1: on: signal: no such signal 'USR9'; did you mean USR1 or USR2?"},
	{"on('signal', {signal=0})", "t.lua:1: on: signal: expected a signal, got 0"},
	/* verbs */
	{"at 'x':wait('done')",
	 "t.lua:1: wait: expected a gate, got a string; make one first: local g = "
	 "SimpleGate \"done\""},
	{"local d\nat 'x':wait(d)", "t.lua:2: wait: expected a gate, got nil (misspelt name?)"},
	{"at 'x':open(at 'y')", "t.lua:1: open: expected a gate, got a place"},
	{"at 'x':open(Gate.type 'T')",
	 "t.lua:1: open: expected a gate, got a gate type (call it to make a gate)"},
	{"local g = SimpleGate 'g' at('x'):wait(g, g)", "t.lua:1: wait: takes one value, got 2"},
	{"at 'x':when(true)", "t.lua:1: when: expected a function or a string, got a boolean"},
	{"at 'x':run()", "t.lua:1: run: expected a function, got nil"},
	{"at 'x':event(1)", "t.lua:1: event: expected a string, got a number"},
	{"at 'x':log()", "t.lua:1: log: expected a string, got nil"},
	{"at 'x':log '{a'", "t.lua:1: log: a { is not closed by } (write {{ for a brace)"},
	{"at 'x':log '{1 +}'", "t.lua:1: log: {1 +}: unexpected symbol near <eof>"},
	{"at 'x':log '{ }'", "t.lua:1: log: there is no expression between { and }"},
	{"at 'x':kill 'SIGNOPE'", "t.lua:1: kill: no such signal 'SIGNOPE'"},
	{"at 'x':kill(99)", "t.lua:1: kill: expected a signal, got 99"},
	{"local g = SimpleGate 'g'\nat 'x':opne(g)",
	 "t.lua:2: no such verb 'opne'; verbs are wait, open, when, run, event, log, kill, "
	 "spurious, release; did you mean open?"},
	{"at('x').kill()", "t.lua:1: kill: call it with a colon: at(...):kill(...)"},
	{"at('x').thread = 'a'", "t.lua:1: attempt to index a place value"},
	/* order, expect, limits */
	{"order()", "t.lua:1: order: expected a string, got nil"},
	{"\norder 'a -> '", "t.lua:2: *"},
	{"expect()", "t.lua:1: expect: expected a table of fields, got nil"},
	{"expect {}", "t.lua:1: expect: the table is empty"},
	{"expect { exti = 0 }", "t.lua:1: expect: unknown field 'exti'; known are exit, signal, "
				"stdout, stderr, deadlock, *; did you mean exit?"},
	{"expect { exit = 'x' }",
	 "t.lua:1: expect: exit: expected an exit status from 0 to 255, got a "
	 "string"},
	{"expect { exit = 256 }", "t.lua:1: expect: exit: *, got 256"},
	{"expect { signal = 'ABORT' }",
	 "t.lua:1: expect: signal: no such signal 'ABORT'; did you mean ABRT?"},
	{"expect { stdout = 1 }", "t.lua:1: expect: stdout: expected a string, got a number"},
	{"expect { deadlock = 1 }",
	 "t.lua:1: expect: deadlock: expected true or false, got a number"},
	{"limits { gates = 1 }",
	 "t.lua:1: limits: unknown field 'gates'; known are gate, run; did you mean gate?"},
	{"limits { gate = -1 }",
	 "t.lua:1: limits: gate: expected a number of seconds, 0 or greater, got -1"},
	{"limits { gate = 0/0 }", "t.lua:1: limits: gate: *nan"},
	{"limits { run = '5' }",
	 "t.lua:1: limits: run: expected a number of seconds, 0 or greater, got a string"},
	{"at('x', {when = 3})", "t.lua:1: at: when: expected a string, got a number"},
	{"at('x', {when = ''})", "t.lua:1: at: when: the string is empty"},
	{"at 'x':when ''", "t.lua:1: when: the string is empty"},
	{"on('exit', {when = 'x'})", "t.lua:1: on: unknown option 'when'*"},
	/* positions through helpers and tail calls */
	{"local function mine(x)\n\treturn at(x, {bad=1})\nend\n\nmine 'a'",
	 "t.lua:*: at: unknown option *"},
	{"return error 'tail'", "t.lua:1: tail"},
	{"wait_until(function() end)",
	 "t.lua:1: wait_until: can be called only inside a function given to :run"},
};

static void test_faults(void **state)
{
	int wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		wrong += !gives_fault(faults[i][0], faults[i][1]);
	assert_int_equal(wrong, 0);
}

static void test_front_of_file(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_load_ok(&f, "#!/usr/bin/gatectl\nat 'x'");
	assert_string_equal(engine_place_at(f.engine, 0)->source, "t.lua:2");
	fixture_load_ok(&f, "\xEF\xBB\xBF"
			    "at 'y'");
	assert_string_equal(engine_place_at(f.engine, 1)->source, "t.lua:1");
	fixture_load_ok(&f, "\xEF\xBB\xBF#!x\n\nat 'z'");
	assert_string_equal(engine_place_at(f.engine, 2)->source, "t.lua:3");
	fixture_load_ok(&f, "#only this");
	fixture_fini(&f);
}

static void test_missing_file(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	assert_int_equal(script_load(f.script, "nope.lua", &f.err), -1);
	assert_int_equal(f.err.code, ERROR_SCRIPT);
	assert_string_equal(f.err.text, "nope.lua: cannot open: No such file or directory");
	mkdir("folder", 0700);
	assert_int_equal(script_load(f.script, "folder", &f.err), -1);
	assert_string_equal(f.err.text, "folder: cannot read: Is a directory");
	fixture_fini(&f);
}

/* Lua shortens names of 60 characters and more; the script's line is found nevertheless. */
static void test_long_path(void **state)
{
	static const char *const faults_at[] = {"x = = 1", "error 'x'", "at()", "local t t.x = 1"};
	char path[300] = "";
	struct fixture f;

	(void)state;
	for (int i = 0; i < 8; i++) {
		strcat(path, "directory_with_a_long_name/");
		mkdir(path, 0700);
	}
	strcat(path, "s.lua");
	for (size_t i = 0; i < 4; i++) {
		fixture_init(&f);
		write_file(path, faults_at[i]);
		assert_int_equal(script_load(f.script, path, &f.err), -1);
		assert_memory_equal(f.err.text, path, strlen(path));
		assert_memory_equal(f.err.text + strlen(path), ":1: ", 4);
		fixture_fini(&f);
	}
}

static void test_require(void **state)
{
	struct fixture f;

	(void)state;
	mkdir("lib", 0700);
	mkdir("lib/sub", 0700);
	write_file("lib/a.lua", "local b = require 'sub.b'\nprint('a', ...)\nreturn {b = b}");
	write_file("lib/sub/b.lua", "print 'b'\nhelper = at 'in_b'\nreturn 5");
	write_file("lib/main.lua",
		   "assert(require('a').b == 5)\nassert(require 'a' == require 'a')");
	fixture_init(&f);
	if (script_load(f.script, "lib/main.lua", &f.err) != 0)
		fail_msg("%s", f.err.text);
	assert_string_equal(f.printed.text, "b\na\ta\tlib/a.lua\n");
	assert_string_equal(engine_place_at(f.engine, 0)->source, "lib/sub/b.lua:2");
	fixture_fini(&f);
}

static void expect_elsewhere(const char *name)
{
	char text[128], fault[192];

	snprintf(text, sizeof(text), "\nrequire '%s'", name);
	snprintf(fault, sizeof(fault),
		 "t.lua:2: module '%s': only files beside the script can be required, by names as "
		 "mod and sub.mod",
		 name);
	expect_fault(text, fault);
}

static void test_require_faults(void **state)
{
	(void)state;
	mkdir("lib", 0700);
	mkdir("lib/dir.lua", 0700);
	write_file("lib/bad.lua", "\nx = = 1");
	write_file("lib/run.lua", "\n\nerror 'in it'");
	write_file("lib/bin.lua", "\x1bLua");
	write_file("lib/c1.lua", "require 'c2'");
	write_file("lib/c2.lua", "require 'c1'");
	write_file("c1.lua", "require 'lib.c3'");
	write_file("none.lua", "");
	expect_fault("\nrequire 'nope.x'", "t.lua:2: module 'nope.x' not found: tried nope/x.lua");
	expect_fault("require 'lib.bad'", "lib/bad.lua:2: unexpected symbol near '='");
	expect_fault("require 'lib.run'", "lib/run.lua:3: in it");
	expect_fault("require 'lib.bin'", "t.lua:1: module 'lib.bin': lib/bin.lua: *binary chunk*");
	expect_fault("require 'lib.dir'",
		     "t.lua:1: module 'lib.dir': lib/dir.lua: cannot read: Is a directory");
	expect_fault("require 'lib.c1'",
		     "lib/c2.lua:1: module 'c1' requires itself through other modules");
	expect_fault("require ''", "t.lua:1: require: the name is empty");
	expect_elsewhere("/tmp/mod");
	expect_elsewhere("../lib/a");
	expect_elsewhere("./none");
	expect_elsewhere("lib/../none");
	expect_elsewhere("lib..a");
	expect_fault("require()",
		     "t.lua:1: bad argument #1 to 'require' (string expected, got no value)");
	expect_fault("assert(require 'none' == true)\nassert(not pcall(require, 'lib.run'))\n"
		     "require 'lib.run'",
		     "lib/run.lua:3: in it");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_makes_gates_and_places),
		cmocka_unit_test(test_plan),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_front_of_file),
		cmocka_unit_test(test_missing_file),
		cmocka_unit_test(test_long_path),
		cmocka_unit_test(test_require),
		cmocka_unit_test(test_require_faults),
	};

	return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
