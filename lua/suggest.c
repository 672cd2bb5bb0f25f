/* "did you mean": a word of the script that is nearly an existing name. */
#include "lua/script_internal.h"

#include "tracer/base/text/suggest.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 256 };

/* Nothing may be held while Lua could raise an error: the text goes by way of the stack. */
static void push(lua_State *L, struct suggestions *s)
{
	char copy[TEXT_MAX];
	struct str text = {0};

	suggest_take(s, &text);
	snprintf(copy, sizeof(copy), "%s", str_text(&text));
	str_fini(&text);
	lua_pushstring(L, copy);
}

static void lua_suggest_offer(lua_State *L, struct suggestions *s)
{
	if (lua_type(L, -1) == LUA_TSTRING)
		suggest_offer(s, lua_tostring(L, -1));
}

/* core.like(word, {name, ...}): "; did you mean NAME?", or "" */
static int core_like(lua_State *L)
{
	struct suggestions s = {.wanted = luaL_checkstring(L, 1)};

	luaL_checktype(L, 2, LUA_TTABLE);
	luaL_checkstack(L, 4, NULL);
	for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1))
		lua_suggest_offer(L, &s);
	push(L, &s);
	return 1;
}

static void offer_globals(lua_State *L, struct suggestions *s)
{
	lua_pushglobaltable(L);
	for (lua_pushnil(L); lua_next(L, -2);) {
		lua_pop(L, 1);
		lua_suggest_offer(L, s);
	}
	lua_pop(L, 1);
}

/* Those of the running function; names that begin with ( are Lua's own. */
static void offer_locals(lua_State *L, struct suggestions *s)
{
	lua_Debug ar;
	const char *name;

	if (!lua_getstack(L, 1, &ar))
		return;
	for (int i = 1; (name = lua_getlocal(L, &ar, i)); i++) {
		lua_pop(L, 1);
		if (name[0] != '(')
			suggest_offer(s, name);
	}
	if (!lua_getinfo(L, "f", &ar))
		return;
	for (int i = 1; (name = lua_getupvalue(L, -1, i)); i++) {
		lua_pop(L, 1);
		if (name[0] && strcmp(name, "_ENV") != 0)
			suggest_offer(s, name);
	}
	lua_pop(L, 1);
}

const char *script_push_like_name(lua_State *L, const char *name)
{
	struct suggestions s = {.wanted = name};

	luaL_checkstack(L, 4, NULL);
	if (name[0] && name[1]) { /* any letter resembles any other */
		offer_locals(L, &s);
		offer_globals(L, &s);
	}
	push(L, &s);
	return lua_tostring(L, -1);
}

void script_open_like(lua_State *L)
{
	lua_pushcfunction(L, core_like);
	lua_setfield(L, -2, "like");
}
