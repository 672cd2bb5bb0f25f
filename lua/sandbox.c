/*
 * Libraries for scripts: without access to the outside, bounded by the budget.
 *
 * The count hook sees only Lua's instructions. A C function that can loop for long by itself, or
 * make a huge value at once, therefore gets a guard that is called first.
 */
#include "lua/script_internal.h"

#include <string.h>

#define LARGEST_STRING (64u << 20)
#define LINE_COSTS     128	/* bytes besides the text: lines are kept until the entry is left */
#define MOST_ELEMENTS  10000000 /* elements that one call may move */

static int guard_rep(lua_State *L)
{
	size_t length, gap;
	lua_Integer n = luaL_checkinteger(L, 2);

	luaL_checklstring(L, 1, &length);
	luaL_optlstring(L, 3, "", &gap);
	if (n > 0 && length + gap > 0 && (lua_Unsigned)n > LARGEST_STRING / (length + gap))
		return fault_raise(L, "rep: the string would be larger than %d MB",
				   (int)(LARGEST_STRING >> 20));
	if (length + gap == 0) {
		lua_pushliteral(L, "");
		return 1;
	}
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, lua_gettop(L) - 1, 1);
	return 1;
}

static int call_original(lua_State *L, lua_Integer elements)
{
	if (elements > MOST_ELEMENTS)
		return fault_raise(L, "too many elements at once");
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
	return lua_gettop(L);
}

static lua_Integer elements(lua_Integer first, lua_Integer last)
{
	if (last < first)
		return 0;
	return (lua_Unsigned)last - (lua_Unsigned)first > MOST_ELEMENTS ? MOST_ELEMENTS + 1
									: last - first;
}

static int guard_move(lua_State *L)
{
	return call_original(L, elements(luaL_checkinteger(L, 2), luaL_checkinteger(L, 3)));
}

/* table.concat: an __index may have an element for every number. */
static int guard_concat(lua_State *L)
{
	lua_Integer first = luaL_optinteger(L, 3, 1);

	return call_original(L, elements(first, luaL_opt(L, luaL_checkinteger, 4, luaL_len(L, 1))));
}

/* Length for table.insert, remove and sort, which rely on __len. */
static lua_Integer believed_length(lua_State *L)
{
	if (luaL_getmetafield(L, 1, "__len") == LUA_TNIL)
		return 0;
	lua_pop(L, 1);
	return luaL_len(L, 1);
}

static int guard_length(lua_State *L)
{
	return call_original(L, believed_length(L));
}

/* a < b, or the result of the function (upvalue 1) for them. */
static int is_less(lua_State *L)
{
	budget_step(L);
	lua_settop(L, 2);
	if (lua_isnil(L, lua_upvalueindex(1))) {
		lua_pushboolean(L, lua_compare(L, 1, 2, LUA_OPLT));
		return 1;
	}
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, 2, 1);
	return 1;
}

/*
 * table.sort: without a Lua function that compares there are no instructions for the hook to count.
 */
static int guard_sort(lua_State *L)
{
	if (!lua_isnoneornil(L, 2))
		luaL_checktype(L, 2, LUA_TFUNCTION);
	lua_settop(L, 2);
	lua_pushcclosure(L, is_less, 1);
	return call_original(L, believed_length(L));
}

/* setmetatable without __gc: a finalizer runs with hooks off. */
static int guard_setmetatable(lua_State *L)
{
	if (lua_istable(L, 2)) {
		lua_pushliteral(L, "__gc");
		if (lua_rawget(L, 2) != LUA_TNIL)
			return fault_raise(L, "__gc is not available in gate scripts");
		lua_pop(L, 1);
	}
	return call_original(L, 0);
}

static void guard(lua_State *L, const char *library, const char *name, lua_CFunction f)
{
	lua_getglobal(L, library);
	lua_getfield(L, -1, name);
	lua_pushcclosure(L, f, 1);
	lua_setfield(L, -2, name);
	lua_pop(L, 1);
}

/* ---- print ----------------------------------------------------------------------------------- */

static void print_lines(lua_State *L, const char *text)
{
	struct script *s = script_of(L);
	size_t length;

	for (; s->host.print; text += length + 1) {
		length = strcspn(text, "\n");
		budget_charge(L, length + LINE_COSTS);
		lua_pushlstring(L, text, length);
		s->host.print(s->host.ctx, lua_tostring(L, -1));
		lua_pop(L, 1);
		if (text[length] == '\0' || text[length + 1] == '\0')
			break;
	}
}

static int sandbox_print(lua_State *L)
{
	int count = lua_gettop(L);
	luaL_Buffer b;

	luaL_buffinit(L, &b);
	for (int i = 1; i <= count; i++) {
		if (i > 1)
			luaL_addchar(&b, '\t');
		luaL_tolstring(L, i, NULL);
		luaL_addvalue(&b);
	}
	luaL_pushresult(&b);
	print_lines(L, lua_tostring(L, -1));
	return 0;
}

/* warn(text, ...); upvalue 1: enabled, from "@on" to "@off". */
static int warn(lua_State *L)
{
	int count = lua_gettop(L);
	const char *text = luaL_checkstring(L, 1);

	for (int i = 2; i <= count; i++)
		luaL_checkstring(L, i);
	if (count == 1 && text[0] == '@') {
		if (strcmp(text, "@on") == 0 || strcmp(text, "@off") == 0) {
			lua_pushboolean(L, text[2] == 'n');
			lua_replace(L, lua_upvalueindex(1));
		}
	} else if (lua_toboolean(L, lua_upvalueindex(1))) {
		lua_pushliteral(L, "gatectl: warning: ");
		lua_insert(L, 1);
		lua_concat(L, count + 1);
		print_lines(L, lua_tostring(L, -1));
	}
	return 0;
}

/*
 * ---- opening -----------------------------------------------------------------------------------
 */

static void open_libraries(lua_State *L)
{
	static const luaL_Reg libraries[] = {
		{LUA_GNAME, luaopen_base},	 {LUA_STRLIBNAME, luaopen_string},
		{LUA_TABLIBNAME, luaopen_table}, {LUA_MATHLIBNAME, luaopen_math},
		{LUA_UTF8LIBNAME, luaopen_utf8}, {LUA_COLIBNAME, luaopen_coroutine},
	};

	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		luaL_requiref(L, libraries[i].name, libraries[i].func, 1);
		lua_pop(L, 1);
	}
}

static void open_sandbox(lua_State *L)
{
	static const char *const removed[] = {"dofile", "loadfile"};

	open_libraries(L);
	for (size_t i = 0; i < sizeof(removed) / sizeof(removed[0]); i++) {
		lua_pushnil(L);
		lua_setglobal(L, removed[i]);
	}
	script_open_strings(L);
	guard(L, LUA_STRLIBNAME, "rep", guard_rep);
	guard(L, LUA_TABLIBNAME, "move", guard_move);
	guard(L, LUA_TABLIBNAME, "concat", guard_concat);
	guard(L, LUA_TABLIBNAME, "insert", guard_length);
	guard(L, LUA_TABLIBNAME, "remove", guard_length);
	guard(L, LUA_TABLIBNAME, "sort", guard_sort);
	guard(L, LUA_GNAME, "setmetatable", guard_setmetatable);
	lua_pushcfunction(L, sandbox_print);
	lua_setglobal(L, "print");
	lua_pushboolean(L, 0);
	lua_pushcclosure(L, warn, 1);
	lua_setglobal(L, "warn");
	globals_open(L);
}

/* pcall, xpcall and coroutines as in Lua, but errors of the budget pass through. */

/* Raises again an error that no script may catch. */
static void protected_pass_on(lua_State *L, int status)
{
	if (status == LUA_ERRMEM)
		budget_fatal(L, budget_too_big);
	if (script_of(L)->budget.fatal)
		lua_error(L);
}

/* The stack holds the results of the protected call, above `below` other values. */
static int protected_end(lua_State *L, int status, lua_KContext below)
{
	if (status == LUA_OK || status == LUA_YIELD)
		return lua_gettop(L) - (int)below;
	protected_pass_on(L, status);
	lua_pushboolean(L, 0);
	lua_insert(L, -2);
	return 2;
}

static int protected_call(lua_State *L)
{
	luaL_checkany(L, 1);
	lua_pushboolean(L, 1);
	lua_insert(L, 1);
	return protected_end(L, lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, protected_end),
			     0);
}

/* Upvalue 1: the script's message handler, skipped for errors of the hook: hooks are off then. */
static int handle_message(lua_State *L)
{
	if (script_of(L)->budget.fatal)
		return 1;
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
	return lua_gettop(L);
}

static int protected_call_handler(lua_State *L)
{
	int args = lua_gettop(L) - 2;

	luaL_checktype(L, 2, LUA_TFUNCTION);
	lua_pushvalue(L, 2);
	lua_pushcclosure(L, handle_message, 1);
	lua_replace(L, 2);
	lua_pushboolean(L, 1);
	lua_pushvalue(L, 1);
	lua_rotate(L, 3, 2); /* stack: f, handler, true, f, args */
	return protected_end(L, lua_pcallk(L, args, LUA_MULTRET, 2, 2, protected_end), 2);
}

/* Resumes with the arguments from index `first` on; pushes the results or the error. */
static bool resume(lua_State *L, lua_State *co, int first, int *count)
{
	int args = lua_gettop(L) - first + 1;
	int status;

	if (script_run_owns(script_of(L), co))
		return fault_raise(L, "cannot resume the coroutine of a :run");
	if (!lua_checkstack(co, args + 1))
		return luaL_error(L, "too many arguments to resume");
	lua_xmove(L, co, args);
	status = budget_resume(L, co, args, count);
	if (status != LUA_OK && status != LUA_YIELD) {
		lua_xmove(co, L, 1);
		protected_pass_on(L, status);
		return false;
	}
	luaL_checkstack(L, *count + 1, "too many results to resume");
	lua_xmove(co, L, *count);
	return true;
}

static int coroutine_resume(lua_State *L)
{
	lua_State *co = lua_tothread(L, 1);
	int count;

	luaL_argexpected(L, co, 1, "coroutine");
	if (resume(L, co, 2, &count)) {
		lua_pushboolean(L, 1);
		lua_insert(L, -1 - count);
		return count + 1;
	}
	lua_pushboolean(L, 0);
	lua_insert(L, -2);
	return 2;
}

static int wrapped(lua_State *L)
{
	lua_State *co = lua_tothread(L, lua_upvalueindex(1));
	int count;

	return resume(L, co, 1, &count) ? count : lua_error(L);
}

static int coroutine_wrap(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TFUNCTION);
	lua_State *co = lua_newthread(L);

	lua_pushvalue(L, 1);
	lua_xmove(L, co, 1);
	lua_pushcclosure(L, wrapped, 1);
	return 1;
}

/*
 * close(co); upvalue 1 is Lua's close. Hooks are still off in a coroutine that the hook has ended.
 */
static int coroutine_close(lua_State *L)
{
	budget_check(L);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
	return lua_gettop(L);
}

static void open_protected(lua_State *L)
{
	lua_pushcfunction(L, protected_call);
	lua_setglobal(L, "pcall");
	lua_pushcfunction(L, protected_call_handler);
	lua_setglobal(L, "xpcall");
	lua_getglobal(L, "coroutine");
	lua_pushcfunction(L, coroutine_resume);
	lua_setfield(L, -2, "resume");
	lua_pushcfunction(L, coroutine_wrap);
	lua_setfield(L, -2, "wrap");
	lua_getfield(L, -1, "close");
	lua_pushcclosure(L, coroutine_close, 1);
	lua_setfield(L, -2, "close");
	lua_pop(L, 1);
}

void script_open_box(lua_State *L)
{
	open_sandbox(L);
	open_protected(L);
	script_open_load(L);
}
