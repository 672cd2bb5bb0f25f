/* The sandbox: what scripts lack, and limits that they cannot exceed. */
#include "tests/unit/test_lua.h"

#include "lua/script_internal.h"

static void test_libraries(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_load_ok(
		&f,
		"for _, name in ipairs {'io', 'os', 'debug', 'package', 'dofile', 'loadfile'} do\n"
		"  assert(rawget(_G, name) == nil, name)\n"
		"end\n"
		"local binary = string.dump(function() end)\n"
		"assert(binary:sub(1, 4) == '\\27Lua' and not load(binary) and not load(binary, "
		"'x', 'b'))\n"
		"assert(('x'):rep(3, ',') == 'x,x,x' and #('a'):rep(0) == 0 and (''):rep(5) == "
		"'')\n"
		"assert(table.concat({1, 2}, '+') == '1+2' and utf8.char(228) == 'ä')\n"
		"assert(math.max(1, 2) == 2 and select('#', 1, 2) == 2 and _VERSION == 'Lua 5.4')\n"
		"local t = table.move({1, 2, 3}, 1, 3, 2)\n"
		"assert(#t == 4 and t[4] == 3)\n"
		"table.insert(t, 9) table.insert(t, 1, 0)\n"
		"assert(t[1] == 0 and t[6] == 9 and table.remove(t) == 9 and table.remove(t, 1) == "
		"0)\n"
		"table.sort(t, function(a, b) return a > b end)\n"
		"assert(t[1] == 3 and collectgarbage('count') > 0)\n"
		"local m = setmetatable({}, {__index = {a = 1}})\n"
		"assert(m.a == 1 and getmetatable(m).__index.a == 1)\n"
		"new_global = 1\nassert(new_global == 1)\n"
		"assert(load('return 1 + 1')() == 2)\n"
		"assert(load('return x', 'name', 't', {x = 5})() == 5)\n"
		"local parts = {'return', ' 7'}\n"
		"assert(load(function() return table.remove(parts, 1) end)() == 7)\n"
		"assert(not load('\\27Lua'))\nassert(not load('\\27Lua', 'x', 'b'))\n"
		"assert(load('return ...', 'x', 'b')(3) == 3)\n");
	fixture_fini(&f);
}

static void test_protected_calls(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_load_ok(
		&f,
		"local function same(want, ...)\n"
		"  local got = {}\n"
		"  for i = 1, select('#', ...) do got[i] = tostring((select(i, ...))) end\n"
		"  got = table.concat(got, ' ')\n"
		"  if got ~= want then error(got .. ' instead of ' .. want, 2) end\n"
		"end\n"
		"same('true 1 2', pcall(function(...) return ... end, 1, 2))\n"
		"same('true', pcall(function() end))\n"
		"same('false t.lua:9: x', pcall(function() error 'x' end))\n"
		"same('false nil', pcall(error))\n"
		"same('false 7', pcall(error, 7, 0))\n"
		"same('true 3', xpcall(function(...) return ... end, print, 3))\n"
		"same('false <x>', xpcall(error, function(m) return '<' .. m .. '>' end, 'x', 0))\n"
		"local co = coroutine.create(function(a)\n"
		"  local ok, b = pcall(function() return coroutine.yield(a + 1) end)\n"
		"  xpcall(coroutine.yield, print, b)\n"
		"  error 'end'\n"
		"end)\n"
		"same('true 2', coroutine.resume(co, 1))\n"
		"same('true 5', coroutine.resume(co, 5))\n"
		"same('false t.lua:17: end', coroutine.resume(co))\n"
		"same('false cannot resume dead coroutine', coroutine.resume(co))\n"
		"same('dead', coroutine.status(co))\n"
		"local w = coroutine.wrap(function(...) local x = coroutine.yield(...) error(x, 0) "
		"end)\n"
		"same('1 2', w(1, 2))\n"
		"same('false boom', pcall(w, 'boom'))\n"
		"same('false cannot resume dead coroutine', pcall(w))\n"
		"local e = {}\n"
		"assert(select(2, pcall(coroutine.wrap(function() error(e) end))) == e)\n"
		"for i in coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) do "
		"print(i) end\n"
		"same('false cannot resume non-suspended coroutine',\n"
		"     coroutine.wrap(function() return coroutine.resume(coroutine.running()) "
		"end)())\n"
		"print('a', nil, true)\nprint()\nprint('two\\nlines')\n");
	assert_string_equal(f.printed.text, "1\n2\n3\na\tnil\ttrue\n\ntwo\nlines\n");
	fixture_fini(&f);
}

static void test_warn(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_load_ok(
		&f, "warn 'not yet' warn '@on' warn('a', 1, 'b') warn '@what' warn('@on', '!')\n"
		    "warn 'two\\nlines' warn '@off' warn 'no more' warn('@', 'on')\n"
		    "assert(not pcall(warn) and not pcall(warn, 'x', {}))");
	assert_string_equal(f.printed.text, "gatectl: warning: a1b\ngatectl: warning: @on!\n"
					    "gatectl: warning: two\nlines\n");
	fixture_fini(&f);
}

#define TOO_LONG "t.lua:*: the function computed for more than a second"
#define TOO_BIG	 "t.lua:*: the script uses more than 256 MB of memory"

static const char *const runaways[][2] = {
	{"\nwhile true do end", "t.lua:2: the function computed for more than a second"},
	{"local function f() while true do end end\nwhile true do pcall(f) end",
	 "t.lua:1: the function computed for more than a second"},
	{"local function f() while true do end end\nwhile true do xpcall(f, print) end", TOO_LONG},
	{"local function f() while true do end end\n"
	 "while true do coroutine.resume(coroutine.create(f)) end",
	 TOO_LONG},
	{"local function f() while true do end end\nwhile true do pcall(coroutine.wrap(f)) end",
	 TOO_LONG},
	{"while true do pcall(pcall, pcall, error) end", TOO_LONG},
	{"while true do coroutine.wrap(function() coroutine.yield() end)() end", TOO_LONG},
	{"local co = coroutine.wrap(function() while true do coroutine.yield() end end)\n"
	 "while true do co() end",
	 TOO_LONG},
	{"local x <close> = setmetatable({}, {__close = function() while true do end end})",
	 TOO_LONG},
	{"local function f()\n"
	 "  local x <close> = setmetatable({}, {__close = function() while true do end end})\n"
	 "  while true do end\nend\nwhile true do pcall(f) end",
	 TOO_LONG},
	{"while true do local s = ('x'):rep(1000000) end", TOO_LONG},
	{"while true do local s = ('x'):rep(60000000) end", TOO_LONG},
	{"local s = ('x'):rep(1000000) while true do s:upper() end", TOO_LONG},
	{"table.sort({3, 1, 2, 5, 4}, function() while true do end end)", TOO_LONG},
	{"('x'):gsub('x', function() while true do end end)", TOO_LONG},
	{"load(function() return ' ' end)", "t.lua:*"},
	{"xpcall(error, function() while true do end end)", TOO_LONG},
	{"xpcall(function() while true do end end, function() while true do end end)", TOO_LONG},
	{"while true do xpcall(error, function() error() end) end", TOO_LONG},
	{"local function loop() while true do end end\n"
	 "local function h() xpcall(error, h) loop() end xpcall(loop, h)",
	 TOO_LONG},
	{"local function loop() while true do end end\n"
	 "local co = coroutine.create(function()\n"
	 "  local x <close> = setmetatable({}, {__close = loop})\n"
	 "  loop()\nend)\n"
	 "local y <close> = setmetatable({}, {__close = function() coroutine.close(co) end})\n"
	 "coroutine.resume(co)",
	 TOO_LONG},
	{"local e = setmetatable({}, {__tostring = function() while true do end end})\nerror(e)",
	 TOO_LONG},
	/* each coroutine is too short for its own instruction count */
	{"local function nest(n)\n"
	 "  if n == 0 then return end\n"
	 "  for i = 1, 900 do coroutine.wrap(nest)(n - 1) end\nend\nnest(5)",
	 TOO_LONG},
	/* few instructions that take long */
	{"local a, b = ('x'):rep(60000000), ('x'):rep(60000000)\nwhile true do local c = a <= b "
	 "end",
	 TOO_LONG},
	{"local s = ('x'):rep(60000000)\nwhile true do s:find('y', 1, true) end", TOO_LONG},
	{"local t = {} for i = 1, 1500000 do t[i] = i * 7919 % 1500007 end\n"
	 "for i = 1, 9 do table.sort(t, math.ult) table.sort(t) end",
	 TOO_LONG},
	{"table.concat(setmetatable({}, {__index = tostring}), '', 1, 1 << 60)",
	 "t.lua:1: too many elements at once"},
	{"local n = 0 for i = 1, 3 do load(('x = 1 '):rep(5000000)) end", TOO_LONG},
	{"local s = ('x'):rep(1000000) for i = 1, 300 do print(s) end", TOO_BIG},
	{"for i = 1, 1e9 do SimpleGate('g') end", TOO_BIG},
	{"for i = 1, 1e9 do at('main'):event('e') end", TOO_BIG},
	{"setmetatable({}, {__gc = function() while true do end end})",
	 "t.lua:1: __gc is not available in gate scripts"},
	{"table.move({}, 1, 1 << 50, 2)", "t.lua:1: too many elements at once"},
	{"table.move({}, math.mininteger, math.maxinteger, 2)",
	 "t.lua:1: too many elements at once"},
	{"table.insert(setmetatable({}, {__len = function() return 1 << 50 end}), 1, 1)",
	 "t.lua:1: too many elements at once"},
	{"(''):rep(1 << 60, '')()", "t.lua:1: attempt to call a string value"},
	{"('x'):rep(1 << 40)", "t.lua:1: rep: the string would be larger than 64 MB"},
	{"('x'):rep(1 << 62, 'yyyy')", "t.lua:1: rep: the string would be larger than 64 MB"},
	{"local t = {}\nwhile true do\nt[#t + 1] = ('x'):rep(1000000) .. #t\nend",
	 "t.lua:*: the script uses more than 256 MB of memory"},
	{"(('a'):rep(2000)):find(('.-'):rep(20) .. 'b')", TOO_LONG},
	{"(('a'):rep(3000)):match(('a*'):rep(20) .. 'b')", TOO_LONG},
	{"(('a'):rep(3000)):gsub(('a?'):rep(30) .. ('a*'):rep(9) .. 'b', '')", TOO_LONG},
	{"for x in (('a'):rep(3000)):gmatch('(a-)(a-)(a-)(a-)(a-)b') do end", TOO_LONG},
	{"(('('):rep(300000)):find('%b()')", TOO_LONG},
	{"local s = 'x'\nwhile true do\ns = s .. s\nend", TOO_BIG},
	{"local t = {}\nwhile true do pcall(function()\nlocal s = 'x' while true do s = s .. s end "
	 "end) end",
	 TOO_BIG},
	{"local t = {} for i = 1, 1e9 do t[i] = i end", TOO_BIG},
	{"local s = ('x'):rep(30000000) return table.concat({s, s, s, s, s, s, s, s, s, s, s, s, "
	 "s, s})",
	 TOO_BIG},
	{"local function f() return coroutine.wrap(f)() end f()", "t.lua:*"},
	{"local f f = function() return coroutine.wrap(f)() end\nf()",
	 "t.lua:*: *C stack overflow*"},
};

/*
 * Uses a lower time limit, so that the table does not take a minute; scripts that exhaust memory
 * keep theirs.
 */
static bool runs_away(const char *text, const char *message)
{
	struct fixture f;
	bool right;

	fixture_init(&f);
	assert_int_equal(script_start(f.script, &f.err), 0); /* starting has a limit of its own */
	f.script->budget.limit = strstr(message, "256 MB") ? INT64_MAX / 2 : 30000000;
	right = fixture_load(&f, text) == -1 && str_wildcard(message, f.err.text);
	if (!right)
		print_error("in: %s\n  is:       %s\n  expected: %s\n", text, f.err.text, message);
	fixture_fini(&f);
	return right;
}

static void test_a_second(void **state)
{
	(void)state;
	expect_fault("\nwhile true do end",
		     "t.lua:2: the function computed for more than a second");
}

static void test_runaways(void **state)
{
	int wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(runaways) / sizeof(runaways[0]); i++)
		wrong += !runs_away(runaways[i][0], runaways[i][1]);
	assert_int_equal(wrong, 0);
}

/* Long computations in several calls are within the budget. */
static void test_budget_is_for_one_call(void **state)
{
	struct fixture f;
	struct engine_thread *t;
	const char *is;

	(void)state;
	fixture_init(&f);
	fixture_load_ok(&f, "for i = 1, 3e6 do end\n"
			    "at 'x':when(function() for i = 1, 3e6 do end return true end)");
	t = thread_new(&f, "worker#1", 1);
	for (int i = 0; i < 60; i++) {
		arrive(&f, t, 0);
		is = decided(&f);
		assert_string_equal(is, "release worker#1; ");
	}
	fixture_fini(&f);
}

/* After a fault another script can be loaded: no state of the fault remains. */
static void test_fault_is_over(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	assert_int_equal(fixture_load(&f, "while true do end"), -1);
	fixture_load_ok(&f, "for i = 1, 1e6 do end print(pcall(error, 'x', 0))");
	assert_string_equal(f.printed.text, "false\tx\n");
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libraries),
		cmocka_unit_test(test_warn),
		cmocka_unit_test(test_protected_calls),
		cmocka_unit_test(test_a_second),
		cmocka_unit_test(test_runaways),
		cmocka_unit_test(test_budget_is_for_one_call),
		cmocka_unit_test(test_fault_is_over),
	};

	return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
