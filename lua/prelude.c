/* The part of the API in Lua: compiled by the build (build/dump.c), run once for each script. */
#include "lua/script_internal.h"

struct chunk {
	const unsigned char *code;
	size_t size;
};

static const unsigned char check[] = {
#include "lua/check.lua.inc"
};
static const unsigned char prelude[] = {
#include "lua/prelude.lua.inc"
};
static const unsigned char expect[] = {
#include "lua/expect.lua.inc"
};
static const unsigned char given[] = {
#include "lua/given.lua.inc"
};

static const char prelude_key; /* registry: table returned by prelude.lua */

/* Calls the chunk with the values above `below` on the stack as arguments; pushes its result. */
static void run_chunk(lua_State *L, const struct chunk *c, int below)
{
	int top = lua_gettop(L);

	if (luaL_loadbufferx(L, (const char *)c->code, c->size, "=[gatectl]", "b"))
		lua_error(L);
	for (int i = below + 1; i <= top; i++)
		lua_pushvalue(L, i);
	lua_call(L, top - below, 1);
}

void prelude_run(lua_State *L)
{
	static const struct chunk others[] = {{expect, sizeof(expect)}, {given, sizeof(given)}};
	int below = lua_gettop(L) - 1;

	run_chunk(L, &(struct chunk){check, sizeof(check)}, below);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		run_chunk(L, &others[i], below);
		lua_pop(L, 1);
	}
	run_chunk(L, &(struct chunk){prelude, sizeof(prelude)}, below);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &prelude_key);
	lua_settop(L, below);
}

void script_push_prelude(lua_State *L, const char *name)
{
	lua_rawgetp(L, LUA_REGISTRYINDEX, &prelude_key);
	lua_getfield(L, -1, name);
	lua_remove(L, -2);
}
