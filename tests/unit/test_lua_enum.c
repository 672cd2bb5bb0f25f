/* Enum values equal their numbers and have names. */
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

/* Two enumerations with one number: the right name or an error, never the wrong name. */
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
	faults(RUN("local a = v.state local b = v.color return a.name"), SEVERAL);
	faults(RUN("print(v.state, v.color) local t = {v.state, v.color} return t[1].name"),
	       SEVERAL);
	faults(RUN("t = {v.color} return v.state == 0 and t[1].name"), SEVERAL);
	faults(RUN("local function f(x) return x.name end f(v.color) return f(v.state)"), SEVERAL);
	faults(RUN("local up = v.color\nlocal function f() return v.state == 0 and up.name end\n"
		   "return f()"),
	       SEVERAL);
}

/* A name read in one expression with the value is always right. */
static void test_enums_in_one(void **state)
{
	static const char *const bodies[] = {
		"local a = v.state return is(v.color.name, 'RED')",
		"local s, c = v.state, v.color\nis(v.state.name, 'OFF')\nis(v.color.name, 'RED')",
		"local s, c = v.state, v.color is(v.state.name, 'OFF') is(v.color.name, 'RED')",
		"local s, c = v.state, v.color\n"
		"is(v.state.name .. v.color.name .. hit.var.other.name, 'OFFREDOFF')",
		"local c = v.color local t = {v.state.name, v.color.name} is(t[1] .. t[2], "
		"'OFFRED')",
		"local c, s = v.color, v.state is(hit:eval('color').name, 'RED')",
		"local c, s = v.color, v.state is(hit:frame(1).var.state.name, 'OFF')",
		"local c, s = v.color, v.state local n = 'state' is(v[n].name, 'OFF')",
		"local c, s = v.color, v.state is(program.var.state.name, 'OFF')",
		"local c, s = v.color, v.state for i = 1, 3 do is(v.color.name, 'RED') end",
		"local c = v.color is(c.name, 'RED') is(v.state.name, 'OFF') is(v.color.name, "
		"'RED')",
		"local c = v.color\nlocal name = c.name is(name .. v.state.name, 'REDOFF')",
		"local c, s = v.color, v.state\nis(v.state\n.name, 'OFF')",
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		snprintf(text, sizeof(text),
			 "local function is(a, b) if a ~= b then error(tostring(a)) end end\n"
			 "local t = {}\n" RUN("%s"),
			 bodies[i]);
		holds(text);
	}
}

static void test_enums_in_logs(void **state)
{
	(void)state;
	decides("at 'x':run(function(hit) hit.var.n = 70 c = hit.var.color s = hit.var.state end)\n"
		"at 'y':log '{ret.name} {var.state.name} {hit.ret.name} {program.var.other.name}'",
		"release a; log RED OFF RED OFF; release b; ");
	decides("at 'x':run(function(hit) c = hit.var.color s = hit.var.state end)\n"
		"at 'y':log '{c.name}'",
		"*fault " SEVERAL);
}

/* The number just read may be of one enumeration, the number that is indexed of another. */
static void test_enums_just_read(void **state)
{
	static const char *const bodies[] = {
		"local s = v.state local c = v.color local n = s.name return n",
		"local s = v.state local c = v.color return s.name",
		"local s, x = v.state x = v.color x = s.name return x",
		"local c, s = v.color, v.state return (v.state == 0 and v.color or s).name",
		"local s = v.state x = {v.color, s.name}",
		"local s, k = v.state, 'name' x = {v.color, s[k]}",
		"local s = v.state x = {hit:eval 'color', s.name}",
		"local s = v.state local c, t = v.color, {s} t[2] = v.color return t[1].name",
		"local t = {v.state}\nlocal c = coroutine.wrap(function() return v.color end)\n"
		"c()\nreturn t[1].name",
		"local t = {v.state}\nlocal c = v.color\n"
		"return coroutine.wrap(function() return t[1].name end)()",
		"local t = {v.state}\n"
		"local f = coroutine.wrap(function() while true do coroutine.yield(t[1].name) end "
		"end)\n"
		"return v.color == 0 and f()",
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		snprintf(text, sizeof(text), RUN("%s"), bodies[i]);
		faults(text, SEVERAL);
	}
	/* Names in a :log are fields of a table that reads the program. */
	decides("at 'x':run(function(hit) hit.var.n = 70 s = hit.var.state end)\n"
		"at 'y':log '{(function(c) return {ret, c.name} end)(var.state)}'",
		"*fault " SEVERAL);
}

/* Reads of an earlier entry do not make a local variable of this entry ambiguous. */
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

/* An endless function that reads enums is stopped. */
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
		cmocka_unit_test_setup_teardown(test_enums_in_one, forget, forget),
		cmocka_unit_test_setup_teardown(test_enums_in_logs, forget, forget),
		cmocka_unit_test_setup_teardown(test_enums_just_read, forget, forget),
		cmocka_unit_test_setup_teardown(test_enums_of_other_entries, forget, forget),
		cmocka_unit_test_setup_teardown(test_enums_and_the_budget, forget, forget),
	};

	return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
