/* The program's state as scripts read it; the program is played by the test. */
#include "tests/unit/test_lua_program.h"

static void test_values(void **state)
{
	(void)state;
	holds(RUN("assert(v.n == 5 and math.type(v.n) == 'integer' and hit.var['n'] == 5)\n"
		  "assert(v.yes == true and v.x == 2.5 and v.null == nil)\n"
		  "assert(v.str == 'a\\0b' and v.str:string() == v.str)\n"
		  "assert(hit.arg[0] == 100 and hit.arg[1] == 101 and hit.ret == -5)\n"
		  "assert(type(v.q) == 'userdata' and tostring(v.q) == '{at 0x1000}')\n"
		  "assert(hit:eval 'n' == 5 and hit:eval('q').count == 2)\n"
		  "assert(hit:call('size', 1, 2) == 2 and hit:call('nothing') == nil)"));
}

static void test_objects(void **state)
{
	(void)state;
	holds(RUN("local q = v.q\n"
		  "assert(q.count == 2 and q.next.next:address() == 0x1200 and q.none == nil)\n"
		  "assert(q == v.q and q ~= q.next and q.next == v.q.next and q ~= 0x1000)\n"
		  "assert(v.a[0] == 10 and v.a[2] == 30 and #v.a == 3 and v.a[1.0] == 20)\n"
		  "assert('q: ' .. q == 'q: {at 0x1000}' and q .. q.next == "
		  "'{at 0x1000}{at 0x1100}')\n"
		  "assert(v.chars:string() == 'half\\0way' and v.strange.string == 3)\n"
		  "local names, sum = '', 0\n"
		  "for name, value in pairs(q) do names = names .. name .. tostring(value) end\n"
		  "assert(names == 'count2next{at 0x1100}nonenil', names)\n"
		  "for i, value in pairs(v.a) do sum = sum * 10 + i + value end\n"
		  "assert(sum == (10 * 10 + 21) * 10 + 32, sum)\n"
		  "for _ in pairs(v.chars) do error 'a member' end\n"
		  "assert(getmetatable(q) == false)"));
}

/* An object is a location in the program, not a part of the hit. */
static void test_objects_outlive_the_hit(void **state)
{
	(void)state;
	decides("local q, old\nat 'x':run(function(hit) q, old = hit.var.q, hit.var end)\n"
		"at 'y':run(function() assert(q.count == 2) return old.n end)",
		"release a; fault t.lua:3: this hit is no longer valid: its arrival has ended; ");
	decides("local f\nat 'x':run(function(hit) f = hit:frame(1) collectgarbage() end)\n"
		"at 'y':run(function() collectgarbage() return f.line end)",
		"*fault t.lua:3: this hit is no longer valid: its arrival has ended; ");
	decides("local f\nat 'x':run(function(hit) f = hit end)\n"
		"at 'y':run(function() return f:frame(0) end)",
		"*fault t.lua:3: this hit is no longer valid: its arrival has ended; ");
}

static void test_writing(void **state)
{
	(void)state;
	holds(RUN("v.n = 6 v.n = 1.5 v.n = true v.n = nil v.n = 'FAST' v.p = v.q\n"
		  "v['ns::x'] = 1 hit:frame(1).var.y = 2\n"
		  "v.q.count = 9 v.a[1] = 21 program.var.total = 3\n"
		  "hit:call('f', 1, 'text', nil, v.q, 2.5)"));
	logged("0:n=integer 6; 0:n=number 1.5; 0:n=bool 1; 0:n=nil; 0:n=text FAST; "
	       "0:p=thing 0x1000; 0:ns::x=integer 1; 1:y=integer 2; count=integer 9; "
	       "total=integer 3; f=integer 1; f=text text; f=nil; f=thing 0x1000; f=number 2.5; ");
	assert_int_equal(world.array[1], 21);
}

static void test_faults(void **state)
{
	(void)state;
	faults(RUN("return v.gone"),
	       "t.lua:2: 'gone' is optimised out at this line; it lives at calc.c:9");
	faults(RUN("return v.nope"), "t.lua:2: no variable 'nope' here");
	faults(RUN("return v[1]"), "t.lua:2: hit.var: expected a string, got a number");
	faults(RUN("return v['n\\0']"), "t.lua:2: hit.var: the string has a zero byte in it");
	faults(RUN("v.n = print"),
	       "t.lua:2: a function cannot be converted to a value of the program");
	faults(RUN("v.n = {}"), "t.lua:2: a table cannot be converted to a value of the program");
	faults(RUN("v.n = hit"), "t.lua:2: a hit cannot be converted to a value of the program");
	faults(RUN("v.constant = 1"), "t.lua:2: 'constant' cannot be written");
	faults(RUN("return hit.arg[2]"), "t.lua:2: there is no argument 2");
	faults(RUN("return hit.arg.x"), "t.lua:2: hit.arg: expected a number, *, got a string");
	faults(RUN("return hit.arg['1']"), "t.lua:2: hit.arg: expected a number, *");
	faults(RUN("hit.arg[0] = 1"), "t.lua:2: hit.arg cannot be set; *");
	faults(RUN("hit.var = 1"), "t.lua:2: hit.var cannot be set");
	faults(RUN("return v.q.nope"), "t.lua:2: no field 'nope' in struct queue");
	faults(RUN("return v.a[3]"), "t.lua:2: no element 3");
	faults(RUN("return v.a[1.5]"), "t.lua:2: an object has fields by name and elements *");
	faults(RUN("return v.a[true]"), "t.lua:2: an object has fields by name and elements *");
	faults(RUN("return #v.q"), "t.lua:2: it has no length");
	faults(RUN("return v.bad:string()"), "t.lua:2: cannot read memory at 0x5000");
	faults(RUN("return v.q.string('x')"), "t.lua:2: string: expected an object *");
	faults(RUN("return hit.eval 'n'"), "t.lua:2: eval: expected a hit, got a string (call *");
	faults(RUN("return hit:eval(3)"), "t.lua:2: eval: expected a string, got a number");
	faults(RUN("return hit:eval '1 +'"), "t.lua:2: 1 +: the expression ends too early");
	faults(RUN("return hit:call()"), "t.lua:2: call: expected a string, got nil");
	faults(RUN("return hit:call('f', {})"),
	       "t.lua:2: a table cannot be converted to a value of the program");
	faults(RUN("hit:call('f', table.unpack({}, 1, 17))"),
	       "t.lua:2: call: 17 arguments are too many, the limit is 16");
	faults(RUN("return hit:frame(-1)"), "t.lua:2: frame: expected a number, 0 or greater");
	faults(RUN("return hit:frame(1).ret"), "t.lua:2: ret: only frame 0, which arrived*");
	faults(RUN("return hit:frame(1).nope"), "t.lua:2: no field 'nope' in a frame; *");
	faults(RUN("hit:frame(1).line = 1"), "t.lua:2: line of a frame cannot be set");
	faults(RUN("return v.q + 1"), "t.lua:2: attempt to perform arithmetic on a object value *");
	faults(RUN("return v.null.x"), "t.lua:2: attempt to index a nil value (field 'null')");
	holds(RUN("local ok, text = pcall(function() return v.gone end)\n"
		  "assert(not ok and text:find 'optimised out')"));
}

static void test_frames(void **state)
{
	(void)state;
	holds(RUN("local f = hit:frame(1)\n"
		  "assert(f.func == 'main' and f.file == 'calc.c' and f.line == 30)\n"
		  "assert(f.index == 1 and f.var.depth == 1 and f.arg[0] == 110)\n"
		  "assert(f.thread == hit.thread and f.count == 1 and f:eval 'n' == 5)\n"
		  "assert(hit:frame(0) == hit and hit:frame(0).index == 0 and v.depth == 0)\n"
		  "assert(hit:frame(2).func == nil and hit:frame(2).line == nil)\n"
		  "assert(hit:frame(5) == nil and hit:frame(1 << 40) == nil)\n"
		  "assert(f:frame(1) == f and f:frame(3).func == 'start')"));
	logged("eval n in 1; ");
}

static void test_backtrace(void **state)
{
	(void)state;
	holds(RUN("local t = hit:backtrace()\n"
		  "assert(#t == 5 and t[1].func == 'add' and t[1].inlined and not t[1].signal)\n"
		  "assert(t[2].line == 30 and t[2].address == 0x401100 and t[4].line == nil)\n"
		  "assert(t[4].object == 'libc.so.6' and t.cut == nil)\n"
		  "assert(tostring(t[1]) == 'add at calc.c:7 (inlined)')\n"
		  "assert(tostring(t) == '#0  add at calc.c:7 (inlined)\\n"
		  "#1  main at calc.c:30\\n#2  <signal handler called>\\n"
		  "#3  start in libc.so.6\\n#4  0x7200', tostring(t))"));
	world.n = 77;
	holds(RUN("local t = hit:backtrace()\n"
		  "assert(#t == 5 and t.cut == 'the stack is broken')\n"
		  "assert(tostring(t):find '\\n%(the stack is broken%)$')"));
}

static void test_program(void **state)
{
	(void)state;
	holds(RUN("assert(program.var.n == 5 and program.var.q.count == 2)"));
	logged("n for a; q for a; ");
	faults(RUN("return program.nope"),
	       "t.lua:2: no field 'nope' in program; there is program.var");
	faults(RUN("program.var = 1"), "t.lua:2: program.var cannot be set");
	faults(RUN("return program.var.gone"), "t.lua:2: 'gone' is optimised out *");
	expect_fault("print(program.var.n)", "t.lua:1: program.var: the program does not run *");
	expect_fault("\nprogram.var.n = 1", "t.lua:2: program.var: the program does not run *");
}

static void test_pure(void **state)
{
	(void)state;
	holds(WHEN("return v.n == 5 and hit:call('size') == 0"));
	logged("a; answered; ");
	faults(WHEN("v.n = 1"), "t.lua:2: n: this function can only read; *");
	faults(WHEN("pcall(function() v.q.count = 1 end)"), "t.lua:2: count: this function can *");
	faults(WHEN("v.a[0] = 1"), "t.lua:2: an element: this function can only read; *");
	faults(WHEN("program.var.n = 1"), "t.lua:2: n: this function can only read; *");
	faults("at 'x':log '{(function() var.n = 1 end)()}'", "t.lua:1: n: this function can *");
}

static void test_which_conditions_are_asked(void **state)
{
	(void)state;
	holds("local C = Gate.type 'C'\nfunction C:ready(hit) return hit.var.n == 5 end\n"
	      "at 'x':wait(C 'c')");
	logged("a; answered; ");
	forget(NULL);
	decides("at 'x':run(function(hit) wait_until(function() return hit.var.n == 6 end) end)\n"
		"at 'y':run(function(hit) hit.var.n = 6 end)",
		"hold a; release b; release a; ");
	logged("a; answered; *0:n=integer 6; a; answered; ");
	forget(NULL);
	decides("at 'x':log '{var.n}'", "log 5; release a; ");
	logged("");
}

static void test_log(void **state)
{
	(void)state;
	decides("at 'x':log '{var.n} {hit.var.x} {arg[0]} {ret} {var.q} {var.null} "
		"{var.mode.name}'",
		"log 5 2.5 100 -5 {at 0x1000} nil FAST; release a; ");
	decides("at 'x':log '{var.gone}'", "fault t.lua:1: 'gone' is optimised out *");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_values, forget, forget),
		cmocka_unit_test_setup_teardown(test_objects, forget, forget),
		cmocka_unit_test_setup_teardown(test_objects_outlive_the_hit, forget, forget),
		cmocka_unit_test_setup_teardown(test_writing, forget, forget),
		cmocka_unit_test_setup_teardown(test_faults, forget, forget),
		cmocka_unit_test_setup_teardown(test_frames, forget, forget),
		cmocka_unit_test_setup_teardown(test_backtrace, forget, forget),
		cmocka_unit_test_setup_teardown(test_program, forget, forget),
		cmocka_unit_test_setup_teardown(test_pure, forget, forget),
		cmocka_unit_test_setup_teardown(test_which_conditions_are_asked, forget, forget),
		cmocka_unit_test_setup_teardown(test_log, forget, forget),
	};

	return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
