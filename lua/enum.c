/*
 * An enum value equals its number, so in Lua it has to be a number, and yet it has `.name`: numbers
 * get a metatable that remembers the enumerators they were read as.
 *
 * Two enumerations may share a number. Then a name is given only where it is certain which one is
 * meant:
 *   - the number was read by the previous instruction, as in hit.var.state.name, and is not in a
 *     local variable as well;
 *   - it is in a local variable of a function that was called in this entry, and in this entry the
 *     number has been read as one enumeration only.
 * Anything else is an error. What is remembered counts towards the script's memory.
 */
#include "lua/state.h"

#include <string.h>

static const char all_key;   /* registry: number -> its name; false: none; true: it has several */
static const char entry_key; /* registry: the same, for the current entry */

/* Notes the name in the table on top of the stack; true: the number has several by now. */
static bool note(lua_State *L, lua_Integer number, const char *name)
{
	bool several = false;

	if (name)
		lua_pushstring(L, name);
	else
		lua_pushboolean(L, 0);
	if (lua_rawgeti(L, -2, number) == LUA_TNIL) {
		lua_pop(L, 1);
		lua_rawseti(L, -2, number);
		return false;
	}
	if (!lua_rawequal(L, -1, -2)) {
		several = true;
		lua_pushboolean(L, 1);
		lua_rawseti(L, -4, number);
	}
	lua_pop(L, 2);
	return several;
}

static void push_entry(lua_State *L, struct enum_reads *e)
{
	const struct script *s = script_of(L);

	if (e->entry != s->entries) {
		lua_newtable(L);
		lua_rawsetp(L, LUA_REGISTRYINDEX, &entry_key);
		e->entry = s->entries;
	}
	lua_rawgetp(L, LUA_REGISTRYINDEX, &entry_key);
}

void enum_push(lua_State *L, lua_Integer number, const char *name)
{
	struct enum_reads *e = &script_of(L)->enums;

	e->just_read = false;
	push_entry(L, e);
	note(L, number, name);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &all_key);
	if (note(L, number, name)) {
		e->just_read = true;
		e->number = number;
		e->name = name;
		budget_soon(L);
	}
	lua_pop(L, 2);
	lua_pushinteger(L, number);
}

/* ---- .name
 * ----------------------------------------------------------------------------------------- */

/* Does a named local variable of the Lua function that asks hold the number? */
static bool in_local(lua_State *L, lua_Integer number)
{
	lua_Debug ar;
	const char *name;
	bool found = false;

	if (!lua_getstack(L, 1, &ar))
		return false;
	for (int i = 1; !found && (name = lua_getlocal(L, &ar, i)); i++) {
		found = name[0] != '(' && lua_isinteger(L, -1) && lua_tointeger(L, -1) == number;
		lua_pop(L, 1);
	}
	return found;
}

/* Pushes the number's name from the table on top, or nil; false: it has none there, or several. */
static bool push_known(lua_State *L, lua_Integer number)
{
	int type = lua_rawgeti(L, -1, number);

	if (type == LUA_TSTRING)
		return true;
	if (type == LUA_TNIL || lua_toboolean(L, -1))
		return false;
	lua_pushnil(L);
	return true;
}

static int push_one_of(lua_State *L, lua_Integer number, bool just_read)
{
	struct enum_reads *e = &script_of(L)->enums;
	bool local = in_local(L, number);

	if (just_read && !local) {
		lua_pushstring(L, e->name);
		return 1;
	}
	push_entry(L, e);
	if (local && script_run_is_new(L) && push_known(L, number))
		return 1;
	return fault_raise(L,
			   "%s is a value of several enumerations that were read: write it in one, "
			   "as hit.var.NAME.name",
			   luaL_tolstring(L, 1, NULL));
}

static int number_index(lua_State *L)
{
	struct enum_reads *e = &script_of(L)->enums;
	lua_Integer number = lua_tointeger(L, 1);
	bool just_read = e->just_read && e->number == number;

	e->just_read = false;
	if (lua_type(L, 2) != LUA_TSTRING || strcmp(lua_tostring(L, 2), "name") != 0)
		return fault_raise(L, "attempt to index a number value");
	lua_rawgetp(L, LUA_REGISTRYINDEX, &all_key);
	if (lua_isinteger(L, 1) && push_known(L, number))
		return 1;
	if (!lua_isinteger(L, 1) || lua_isnil(L, -1))
		return fault_raise(L, "attempt to index a number value: only an enum has .name");
	return push_one_of(L, number, just_read);
}

void enum_open(lua_State *L)
{
	static const luaL_Reg of_number[] = {{"__index", number_index}, {NULL, NULL}};

	lua_newtable(L);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &all_key);
	lua_newtable(L);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &entry_key);
	lua_pushinteger(L, 0);
	lua_newtable(L);
	luaL_setfuncs(L, of_number, 0);
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_setmetatable(L, -2);
	lua_pop(L, 1);
}
