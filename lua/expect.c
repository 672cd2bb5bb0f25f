/* expect, limits and fail, from values that expect.lua has checked. */
#include "lua/script_internal.h"

#include <string.h>

static struct plan *plan_of(lua_State *L)
{
	return script_of(L)->plan;
}

static void add_never(struct expect *x, const char *location, const struct place *place)
{
	*array_add(&x->never) = (struct expect_never){base_strdup(location), place, place};
}

/* core.expect(key, value); for never_reached (location, place), for at (location, FILE:LINE) */
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
	} else if (strcmp(key, "at") == 0) {
		base_free(x->at);
		base_free(x->at_source);
		x->at = base_strdup(luaL_checkstring(L, 2));
		x->at_source = base_strdup(luaL_optstring(L, 3, "?"));
	} else if (strcmp(key, "deadlock") == 0) {
		x->deadlock = lua_toboolean(L, 2);
	} else if (strcmp(key, "livelock") == 0) {
		x->livelock = lua_toboolean(L, 2);
	} else if (strcmp(key, "time_limit") == 0) {
		x->time_limit = lua_toboolean(L, 2);
	} else if (strcmp(key, "never_reached") == 0) {
		add_never(x, luaL_checkstring(L, 2), script_to_place(L, 3));
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

/* core.fail_run(text) */
static int core_fail_run(lua_State *L)
{
	return budget_fail(L, luaL_checkstring(L, 1));
}

void script_open_expect(lua_State *L)
{
	static const luaL_Reg functions[] = {{"expect", core_expect},
					     {"limits", core_limits},
					     {"fail_run", core_fail_run},
					     {NULL, NULL}};

	luaL_setfuncs(L, functions, 0);
}
