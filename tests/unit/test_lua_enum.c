/* Enums equal their numbers and have names. */
#include "tests/unit/test_lua_program.h"

static void test_enum_names(void **state)
{
	(void)state;
	holds(RUN(
		"assert(v.mode == 7 and v.mode.name == 'FAST' and v.mode + 1 == 8)\n"
		"local m = v.mode\nassert(m.name == 'FAST' and v.odd == 9 and v.odd.name == nil)\n"
		"assert(math.type(m) == 'integer' and ({[7] = 'x'})[v.mode] == 'x')"));
	faults(RUN("local n = v.n return n.name"),
	       "t.lua:2: attempt to index a number value: only an enum has .name");
	faults(RUN("local n = v.mode return n.nmae"), "t.lua:2: attempt to index a number value");
	faults(RUN("local n = v.mode return (7.0).name"), "t.lua:2: attempt to index a number *");
	faults(RUN("local n = v.mode return n[1]"), "t.lua:2: attempt to index a number value");
	faults(RUN("local n = v.mode n.name = 1"), "t.lua:2: attempt to index a number value *");
	assert_true(
		gives_fault("local x = 5 print(x.name)", "t.lua:1: attempt to index a number *"));
}

#define SEVERAL "t.lua:*: 0 is a value of several enumerations *"

/* Two enumerations with the same number: the right name, or an error, never the wrong one. */
static void test_enums_with_the_same_number(void **state)
{
	(void)state;
	holds(RUN("assert(v.state.name == 'OFF' and v.color.name == 'RED')\n"
		  "assert(v.state.name == 'OFF' and v.other.name == 'OFF')\n"
		  "assert(hit:eval('color').name == 'RED' and v.odd.name == nil)\n"
		  "assert(v.blue.name == 'BLUE' and v.odd.name == nil and v.blue.name == 'BLUE')\n"
		  "local both = v.state.name .. v.color.name\nassert(both == 'OFFRED')"));
	holds(RUN("local a, b = v.state, v.other assert(a.name == 'OFF' and b.name == 'OFF')"));
	faults(RUN("local a, b = v.state, v.color return a.name"), SEVERAL);
	faults(RUN("local a = v.state return v.color.name"), SEVERAL);
	faults(RUN("local a = v.state local b = v.color return a.name"), SEVERAL);
	faults(RUN("print(v.state, v.color) local t = {v.state, v.color} return t[1].name"),
	       SEVERAL);
	faults(RUN("t = {v.color} return v.state == 0 and t[1].name"), SEVERAL);
	faults(RUN("local function f(x) return x.name end f(v.color) return f(v.state)"), SEVERAL);
	faults(RUN("local up = v.color\nlocal function f() return v.state == 0 and up.name end\n"
		   "return f()"),
	       SEVERAL);
}

/* What an earlier entry has read does not make a local variable of this one uncertain. */
static void test_enums_of_other_entries(void **state)
{
	(void)state;
	decides("at 'x':run(function(hit) kept = hit.var.color end)\n"
		"at 'y':run(function(hit) local s = hit.var.state assert(s.name == 'OFF') end)",
		"release a; release b; ");
	decides("at 'x':run(function(hit) kept = hit.var.color end)\n"
		"at 'y':run(function(hit) print(hit.var.state) return kept.name end)",
		"*fault " SEVERAL);
	decides("at 'x':run(function(hit) kept = hit.var.mode end)\n"
		"at 'y':run(function(hit) assert(hit.var.state.name .. kept.name == 'OFFFAST') "
		"end)",
		"release a; release b; ");
	/* A coroutine that was held has local variables of earlier entries. */
	decides("local g = SimpleGate 'g'\n"
		"at 'x':run(function(hit) local c = hit.var.color g:wait()\n"
		"print(hit.var.state) return c.name end)\n"
		"at 'y':open(g)",
		"hold a; opened g; release b; *fault " SEVERAL);
	decides("at 'x':run(function(hit)\n"
		"co = coroutine.wrap(function() local c = hit.var.color coroutine.yield()\n"
		"print(c.name) end) co() end)\n"
		"at 'y':run(function(hit) print(hit.var.state) co() end)",
		"release a; *fault " SEVERAL);
}

/* A function that reads enums for ever is still stopped. */
static void test_enums_and_the_budget(void **state)
{
	(void)state;
	faults(RUN("local name\nwhile true do name = v.state.name == v.color.name end"),
	       "t.lua:3: the function computed for more than a second");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_enum_names, forget, forget),
		cmocka_unit_test_setup_teardown(test_enums_with_the_same_number, forget, forget),
		cmocka_unit_test_setup_teardown(test_enums_of_other_entries, forget, forget),
		cmocka_unit_test_setup_teardown(test_enums_and_the_budget, forget, forget),
	};

	return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
