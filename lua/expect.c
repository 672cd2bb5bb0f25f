/* expect and limits, from values that prelude.lua has checked. */
#include "lua/inside.h"

#include <string.h>

static struct plan *plan_of(lua_State *L)
{
	return script_of(L)->plan;
}

/* core.expect(key, value) */
static int core_expect(lua_State *L)
{
	struct expect *x = &plan_of(L)->expect;
	const char *key = luaL_checkstring(L, 1);

	x->any = true;
	if (strcmp(key, "exit") == 0) {
		x->has_exit = true;
		x->exit = (int)lua_tointeger(L, 2);
	} else if (strcmp(key, "signal") == 0) {
		x->has_signal = true;
		x->signal = (int)lua_tointeger(L, 2);
	} else if (strcmp(key, "deadlock") == 0) {
		x->deadlock = lua_toboolean(L, 2);
	} else if (strcmp(key, "stdout") == 0) {
		*array_add(&x->stdout_has) = base_strdup(luaL_checkstring(L, 2));
	} else {
		*array_add(&x->stderr_has) = base_strdup(luaL_checkstring(L, 2));
	}
	return 0;
}

/* core.limits(key, seconds) */
static int core_limits(lua_State *L)
{
	struct limits *limits = &plan_of(L)->limits;
	double seconds = luaL_checknumber(L, 2);

	if (strcmp(luaL_checkstring(L, 1), "gate") == 0)
		limits->gate = seconds;
	else
		limits->run = seconds;
	return 0;
}

void script_open_expect(lua_State *L)
{
	lua_pushcfunction(L, core_expect);
	lua_setfield(L, -2, "expect");
	lua_pushcfunction(L, core_limits);
	lua_setfield(L, -2, "limits");
}
