/*
 * Enum values: Lua numbers with a metatable whose `.name` remembers the enumerators that were read.
 * README.md says when a number that two enumerations share has a name.
 */
#include "lua/bytecode.h"
#include "lua/script_internal.h"

#include <string.h>

static const char all_key; /* registry: number -> name; false: no name; true: several names */
/* registry: number -> name for the current entry; false and true as above */
static const char entry_key;

/* Records the name in the table on top. Returns true if the number now has several. */
static bool enum_note(lua_State *L, lua_Integer number, const char *name)
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
	enum_note(L, number, name);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &all_key);
	if (enum_note(L, number, name)) {
		e->just_read = true;
		e->number = number;
		e->name = name;
		budget_soon(L);
	}
	lua_pop(L, 2);
	lua_pushinteger(L, number);
}

/* ---- .name ----------------------------------------------------------------------------------- */

/* Pops the value on top. Returns true if it is this number. */
static bool pop_is(lua_State *L, lua_Integer number)
{
	bool is = lua_isinteger(L, -1) && lua_tointeger(L, -1) == number;

	lua_pop(L, 1);
	return is;
}

/* True if a named local variable of the calling Lua function holds the number. */
static bool in_local(lua_State *L, lua_Integer number)
{
	lua_Debug ar;
	const char *name;
	bool found = false;

	if (!lua_getstack(L, 1, &ar))
		return false;
	for (int i = 1; !found && (name = lua_getlocal(L, &ar, i)); i++)
		found = pop_is(L, number) && name[0] != '(';
	return found;
}

/* The calling Lua function: its frame, its stack index, and its instructions. */
struct asker {
	lua_Debug frame;
	int function;
	const struct bytecode *f;
	lua_Integer number; /* the number that is indexed */
};

static bool is_upvalue_globals(lua_State *L, const struct asker *by, unsigned upvalue)
{
	bool is;

	if (!lua_getupvalue(L, by->function, (int)upvalue + 1))
		return false;
	lua_pushglobaltable(L);
	is = lua_rawequal(L, -1, -2);
	lua_pop(L, 2);
	return is;
}

/* True if the instruction can read an enum. */
static bool may_read(lua_State *L, const struct asker *by, const struct bytecode_instruction *i)
{
	if (i->op == OP_GETTABUP)
		return !is_upvalue_globals(L, by, i->b);
	return i->op == OP_GETTABLE || i->op == OP_GETI || i->op == OP_GETFIELD || i->op == OP_CALL;
}

static bool may_index(lua_State *L, const struct asker *by, const struct bytecode_instruction *i)
{
	return (i->op == OP_GETFIELD || i->op == OP_GETTABLE) &&
	       lua_getlocal(L, &by->frame, (int)i->b + 1) && pop_is(L, by->number);
}

/*
 * True if another instruction of the line, not the one that has just read the number, may be the
 * one that indexes it.
 */
static bool could_be_another(lua_State *L, const struct asker *by)
{
	struct bytecode_lines lines = by->f->lines;
	struct bytecode_instruction before, i;

	if (!bytecode_fetch(by->f, 0, &before))
		return true;
	bytecode_next_line(&lines);
	for (size_t pc = 1; bytecode_fetch(by->f, pc, &i); pc++, before = i)
		if ((int)bytecode_next_line(&lines) == by->frame.currentline && i.b != before.a &&
		    may_index(L, by, &i) && may_read(L, by, &before))
			return true;
	return false;
}

/*
 * True if the number was read by the previous instruction and it is that result which is indexed.
 */
static bool in_one(lua_State *L, lua_Integer number)
{
	int top = lua_gettop(L);
	struct asker by = {.function = top + 1, .number = number};
	const char *dump;
	size_t length;
	bool is = false;

	if (!lua_getstack(L, 1, &by.frame) || !lua_getinfo(L, "fl", &by.frame))
		return false;
	dump = bytecode_push_dump(L, false, &length);
	by.f = dump ? bytecode_push(L, dump, length) : NULL;
	is = by.f && by.frame.currentline > 0 && !could_be_another(L, &by);
	lua_settop(L, top);
	return is;
}

/*
 * Pushes the number's name from the table on top, or nil. Returns false if it has no name there, or
 * several.
 */
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

/* True if all functions that run on L were called in this entry. */
static bool run_is_new(lua_State *L)
{
	const struct script *s = script_of(L);

	return L == s->L || (s->run && s->run->co == L && !s->run->resumed);
}

static int push_one_of(lua_State *L, lua_Integer number, bool just_read)
{
	struct enum_reads *e = &script_of(L)->enums;
	bool local = in_local(L, number);

	if (just_read && (!local || in_one(L, number))) {
		lua_pushstring(L, e->name);
		return 1;
	}
	push_entry(L, e);
	if (local && run_is_new(L) && push_known(L, number))
		return 1;
	return fault_raise(L,
			   "%s is a value of several enumerations that were read: write "
			   "hit.var.NAME.name to choose one",
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
