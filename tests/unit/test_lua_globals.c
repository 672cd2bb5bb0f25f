/* Unset global variables: an error, or nil if the script sets or tests them. */
#include "tests/unit/test_lua_program.h"

static void loads(const char *text)
{
	struct fixture f;

	fixture_init(&f);
	fixture_load_ok(&f, text);
	fixture_fini(&f);
}

static void test_set_somewhere(void **state)
{
	(void)state;
	loads("n = (n or 0) + 1 assert(n == 1)");
	loads("assert(later == nil) print(later) later = 1 assert(later == 1)");
	loads("print(by_inner) local function f() return function() by_inner = 1 end end");
	loads("print(helper) function helper() end assert(helper)");
	loads("local t = {mine} if false then mine = 1 end assert(#t == 0)");
	expect_fault("\nlater()\nfunction later() end",
		     "t.lua:2: attempt to call a nil value (global 'later')");
	holds(RUN("seen = (seen or 0) + 1 assert(seen == 1)"));
	decides("at 'x':run(function() first = true end)\nat 'y':run(function() print(second) "
		"second = first "
		"end)",
		"release a; release b; ");
}

static void test_tested(void **state)
{
	static const char *const tests[] = {
		"if DEBUG then error 'no' end",
		"if not DEBUG then return end error 'no'",
		"assert(DEBUG == nil and nil == DEBUG and not (DEBUG ~= nil))",
		"assert(io == nil and os == nil and debug == nil) if not os then end",
		"local is = not DEBUG assert(is)",
		"local n = DEBUG or 7 assert(n == 7)",
		"local n = DEBUG and DEBUG.level assert(n == nil)",
		"while DEBUG do end repeat until not DEBUG",
		"local function f() return function() return DEBUG or 3 end end assert(f()() == 3)",
		"local t = {DEBUG or nil, n = DEBUG and 1} assert(t.n == nil)",
		"assert(({DEBUG or 'no'})[1] == 'no' and math.max(DEBUG or 2, 1) == 2)",
		"assert(not _G.DEBUG) local x = DEBUG and 1",
		"assert(load('return DEBUG or 4')() == 4)",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		loads(tests[i]);
	expect_fault("if helper then end\nhelper()",
		     "t.lua:2: attempt to call a nil value (global 'helper')");
	holds(WHEN("return not DEBUG"));
	decides("at 'x':log '{DEBUG or 5} {hit.count == nil and count}'",
		"log 5 false; release a; ");
}

static void test_misspelt(void **state)
{
	static const char *const tests[] = {
		"local on1 = 1 print(n)",
		"n()",
		"n.x = 1",
		"n:f()",
		"local a = n",
		"return n",
		"local t = {n}",
		"local a = n + 1",
		"if n == 3 then end",
		"if n == false then end",
		"if n < 3 then end",
		"local a = print and n",
		"local a = type(n)",
		"local x = 1 local a = n if x then end",
		"local a = n x = 1 if x == nil then end",
		"local a = _G.n",
		"local function f(_ENV) n = 1 return not n end print(n)",
		"local t = {} t.n = 1 if t.n then end print(n)",
	};
	int wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		wrong += !gives_fault(tests[i], "t.lua:1: undefined name 'n'*");
	assert_int_equal(wrong, 0);
	expect_fault("local done = 1\nprint(doen)",
		     "t.lua:2: undefined name 'doen'; did you mean done?");
	expect_fault("print(io)", "t.lua:1: undefined name 'io' (not available in gate scripts)");
}

/* After 256 constants a name does not fit into an instruction. */
static void test_many_constants(void **state)
{
	struct str text = {0};
	size_t front;

	(void)state;
	str_add(&text, "do local t = {");
	for (int i = 0; i < 300; i++)
		str_addf(&text, "'c%d',", i);
	str_add(&text, "} end\n");
	front = text.length;
	str_add(&text, "n = (n or 0) + 1 if DEBUG then end assert(io == nil and not os)\n"
		       "print(late) function late() end");
	loads(text.text);
	text.length = front;
	str_add(&text, "local a = 'n' local t = {} t.n = 3 print(n)");
	expect_fault(text.text, "t.lua:2: undefined name 'n'*");
	text.length = front;
	str_add(&text, "if n == 'x' then end");
	expect_fault(text.text, "t.lua:2: undefined name 'n'*");
	str_fini(&text);
}

/* Names of files loaded later are unknown before; names of earlier files stay known. */
static void test_other_files(void **state)
{
	struct fixture f;

	(void)state;
	write_file("sets.lua", "print(counter) counter = (counter or 0) + 1");
	write_file("tests.lua", "if DEBUG then end");
	loads("require 'sets' counter = nil print(counter)");
	loads("require 'tests' print(DEBUG)");
	expect_fault("print(counter) require 'sets'", "t.lua:1: undefined name 'counter'*");
	expect_fault("local a = x load('x = 1')", "t.lua:1: undefined name 'x'*");
	loads("load('x = 1') local a = x");
	fixture_init(&f);
	fixture_load_ok(&f, "limit = nil");
	fixture_load_ok(&f, "print(limit)");
	assert_int_equal(fixture_load(&f, "print(limti)"), -1);
	assert_string_equal(f.err.text, "t.lua:1: undefined name 'limti'; did you mean limits?");
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_set_somewhere, forget, forget),
		cmocka_unit_test_setup_teardown(test_tested, forget, forget),
		cmocka_unit_test(test_misspelt),
		cmocka_unit_test(test_many_constants),
		cmocka_unit_test(test_other_files),
	};

	return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
