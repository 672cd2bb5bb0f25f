/* Compares our patterns with Lua's on random subjects and patterns. */
#include "tests/unit/test_lua.h"

#include "lua/script_internal.h"

/* Results of all pattern functions as one string each; errors begin with !. */
static const char probe[] =
	"local s, p = ...\n"
	"local function show(...)\n"
	"  local t = table.pack(...)\n"
	"  for i = 1, t.n do t[i] = tostring(t[i]) end\n"
	"  return table.concat(t, '|')\n"
	"end\n"
	"local function all()\n"
	"  local t = {}\n"
	"  for a, b in s:gmatch(p) do t[#t + 1] = show(a, b) end\n"
	"  return table.concat(t, ';')\n"
	"end\n"
	"local t = {a = 'A', b = false, aa = 7}\n"
	"local calls = {\n"
	"  function() return s:find(p) end, function() return s:find(p, 2) end,\n"
	"  function() return s:find(p, -2) end, function() return s:find(p, 1, true) end,\n"
	"  function() return s:find(p, 9) end, function() return s:match(p) end,\n"
	"  function() return s:match(p, 3) end, function() return s:gsub(p, '<%0%%>') end,\n"
	"  function() return s:gsub(p, '%1', 2) end, function() return s:gsub(p, t) end,\n"
	"  function() return s:gsub(p, function(...) return '[' .. show(...) .. ']' end) end,\n"
	"  all,\n"
	"}\n"
	"local out = {}\n"
	"for i, f in ipairs(calls) do\n"
	"  local r = table.pack(pcall(f))\n"
	"  out[i] = r[1] and show(table.unpack(r, 2, r.n)) or '!' .. r[2]\n"
	"end\n"
	"return table.concat(out, '\\n') .. '\\n'\n";

static void answers(lua_State *L, const char *s, const char *p, struct str *out)
{
	int top = lua_gettop(L);

	assert_int_equal(luaL_loadstring(L, probe), LUA_OK);
	lua_pushstring(L, s);
	lua_pushstring(L, p);
	if (lua_pcall(L, 2, 1, 0) != LUA_OK)
		fail_msg("%s", lua_tostring(L, -1));
	str_clear(out);
	str_add(out, lua_tostring(L, -1));
	lua_settop(L, top);
}

static bool same_line(const char *own, const char *lua)
{
	size_t a = strcspn(own, "\n"), b = strcspn(lua, "\n");

	/* a malformed pattern is an error even if Lua does not reach the malformed part */
	if (own[0] == '!')
		return lua[0] == '!' || strstr(own, "malformed") || strstr(own, "missing") ||
		       strstr(own, "capture");
	return a == b && memcmp(own, lua, a) == 0;
}

static bool same(const char *own, const char *lua)
{
	while (*own && *lua) {
		if (!same_line(own, lua))
			return false;
		own += strcspn(own, "\n") + 1;
		lua += strcspn(lua, "\n") + 1;
	}
	return *own == *lua;
}

static unsigned long seed = 42;

static unsigned pick(unsigned count)
{
	seed = seed * 6364136223846793005UL + 1442695040888963407UL;
	return (unsigned)(seed >> 33) % count;
}

static void make(char *out, const char *const *parts, unsigned count, unsigned most)
{
	out[0] = '\0';
	for (unsigned n = pick(most + 1); n > 0; n--)
		strcat(out, parts[pick(count)]);
}

static void test_against_lua(void **state)
{
	static const char *const of_text[] = {"a", "b", "aa", "(", ")", " ",
					      "1", "x", "-",  "]", "%"};
	static const char *const of_pattern[] = {
		"a",   "b",	".",	 "*",	 "+",	 "-",	 "?",	   "^",
		"$",   "(",	")",	 "()",	 "(a*)", "%a",	 "%A",	   "%d",
		"%s",  "%1",	"%2",	 "%%",	 "%(",	 "[ab]", "[^a",	   "]",
		"[]]", "[a-]",	"[%a-]", "%b()", "%bab", "x",	 "%f[%a]", "%f[^%w]",
		"-",   "[a-c]", "[^%s]", "%",	 "[",	 "[%",	 "(.-)",   "(.)",
	};
	struct str own = {0}, lua = {0};
	lua_State *L = luaL_newstate();
	char text[64], pattern[128];
	struct fixture f;
	int wrong = 0;

	(void)state;
	luaL_openlibs(L);
	fixture_init(&f);
	assert_int_equal(script_start(f.script, &(struct error){0}), 0);
	f.script->budget.limit = INT64_MAX;
	for (int i = 0; i < 10000 && wrong < 10; i++) {
		make(text, of_text, sizeof(of_text) / sizeof(*of_text), 8);
		make(pattern, of_pattern, sizeof(of_pattern) / sizeof(*of_pattern), 6);
		answers(f.script->L, text, pattern, &own);
		answers(L, text, pattern, &lua);
		if (same(own.text, lua.text))
			continue;
		wrong++;
		print_error("'%s' in '%s':\n%s--\n%s\n", pattern, text, own.text, lua.text);
	}
	lua_close(L);
	fixture_fini(&f);
	str_fini(&own);
	str_fini(&lua);
	assert_int_equal(wrong, 0);
}

static void test_zero_bytes_and_limits(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_load_ok(&f, "assert(('a\\0b'):find('\\0') == 2)\n"
			    "assert(('a\\0b'):find('\\0b', 1, true) == 2)\n"
			    "assert(('a\\0b'):match('[\\0]b') == '\\0b')\n"
			    "assert(('a\\0b'):match('[%z\\1-z]+') == 'a')\n"
			    "assert((''):find('') == 1 and (''):find('', 2) == nil)\n"
			    "assert(('abc'):gsub('', '-') == '-a-b-c-')\n"
			    "assert(('abc'):gsub('%w', '%0%0', 2) == 'aabbc')\n"
			    "assert(string.rep(12, 2):find(2) == 2 and ('12'):gsub(1, 3) == '32')\n"
			    "local function fails(f, ...)\n"
			    "  local ok, m = pcall(f, ...) assert(not ok) print(m)\n"
			    "end\n"
			    "fails(string.find, 'a', ('a?'):rep(300))\n"
			    "fails(string.find, 'a', ('()'):rep(33))\n"
			    "fails(string.gsub, 'a', 'a', '%x')\n"
			    "fails(string.gsub, 'a', 'a', '%2')\n"
			    "fails(string.gsub, 'a', 'a', print and function() return {} end)\n"
			    "fails(string.gsub, 'a', 'a', true)\n"
			    "fails(string.find)\n");
	assert_string_equal(
		f.printed.text,
		"pattern too complex\n"
		"too many captures\n"
		"invalid use of '%' in replacement string\n"
		"invalid capture index %2\n"
		"invalid replacement value (a table)\n"
		"bad argument #3 to 'string.gsub' (string/function/table expected, got boolean)\n"
		"bad argument #1 to 'string.find' (string expected, got no value)\n");
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_lua),
		cmocka_unit_test(test_zero_bytes_and_limits),
	};

	return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
