/* pcall, xpcall and the coroutines of a script: as Lua's, but what the budget raises goes through. */
#include "lua/script_internal.h"

/* Raises again what no script may swallow. */
static void protected_pass_on(lua_State *L, int status)
{
	if (status == LUA_ERRMEM)
		budget_fatal(L, budget_too_big);
	if (script_of(L)->budget.fatal)
		lua_error(L);
}

/* The stack holds what the protected call returned, above `below` values that are not results. */
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

/* Upvalue 1: the script's message handler. Hooks are off when an error of the hook comes here. */
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
	lua_rotate(L, 3, 2); /* f, handler, true, f, args */
	return protected_end(L, lua_pcallk(L, args, LUA_MULTRET, 2, 2, protected_end), 2);
}

/* Resumes with the arguments above index `first`; pushes the results or the error. */
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

/* close(co), upvalue 1 is Lua's own. In a coroutine that the hook has ended, hooks are still
   off. */
static int coroutine_close(lua_State *L)
{
	budget_check(L);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
	return lua_gettop(L);
}

void script_open_protected(lua_State *L)
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
