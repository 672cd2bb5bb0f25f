/* Gates as a script sees them: tables that stand for a struct gate. */
#include "lua/script_internal.h"

#include <limits.h>
#include <string.h>

enum { GATE_COSTS = 512 }; /* bytes that the engine needs for one, about */

static const char gates_key;  /* registry: table of a gate -> struct gate */
static const char method_key; /* registry: what every gate can do */

struct gate *script_to_gate(lua_State *L, int index)
{
	struct gate *g;

	if (!lua_istable(L, index))
		return NULL;
	index = lua_absindex(L, index);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &gates_key);
	lua_pushvalue(L, index);
	lua_rawget(L, -2);
	g = lua_touserdata(L, -1);
	lua_pop(L, 2);
	return g;
}

static void remember(lua_State *L, int index, struct gate *g)
{
	index = lua_absindex(L, index);
	if (fault_push_where(L, L)) {
		g->source = base_strdup(lua_tostring(L, -1));
		lua_pop(L, 1);
	}
	lua_rawgetp(L, LUA_REGISTRYINDEX, &gates_key);
	lua_pushvalue(L, index);
	lua_pushlightuserdata(L, g);
	lua_rawset(L, -3);
	lua_pop(L, 1);
}

static struct gate *check_self(lua_State *L, const char *method)
{
	struct gate *g = script_to_gate(L, 1);

	if (!g)
		fault_raise(L, "%s: expected a gate, got %s (call it with a colon)", method,
			    fault_push_kind(L, 1));
	return g;
}

/* ---- methods
 * -------------------------------------------------------------------------------------- */

static int method_open(lua_State *L)
{
	struct script *s = script_of(L);
	struct gate *g = check_self(L, "open");
	lua_State *before = s->running;

	if (s->mode == SCRIPT_PURE)
		return budget_fatal(L, "open: this function may only answer; to open gates "
				       "use :run or :open");
	s->running = L; /* `opened` may be called from in there */
	engine_open(s->engine, g, s->thread);
	s->running = before;
	return 0;
}

static int method_text(lua_State *L)
{
	struct gate *g = check_self(L, "tostring");

	lua_pushfstring(L, "%s '%s'", g->type, g->name);
	return 1;
}

/* Upvalue 1: the functions of the tester's type, or nil. */
static int gate_index(lua_State *L)
{
	const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";

	if (strcmp(key, "is_open") == 0) {
		struct gate *g = script_to_gate(L, 1);

		lua_pushboolean(L, g && g->is_open);
		return 1;
	}
	if (strcmp(key, "name") == 0) {
		struct gate *g = script_to_gate(L, 1);

		lua_pushstring(L, g ? g->name : NULL);
		return 1;
	}
	if (lua_istable(L, lua_upvalueindex(1))) {
		lua_pushvalue(L, 2);
		if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
			return 1;
	}
	lua_rawgetp(L, LUA_REGISTRYINDEX, &method_key);
	lua_pushvalue(L, 2);
	lua_rawget(L, -2);
	return 1;
}

static int gate_newindex(lua_State *L)
{
	const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";

	if (strcmp(key, "is_open") == 0 || strcmp(key, "name") == 0)
		return fault_raise(L, "%s of a gate cannot be set", key);
	lua_rawset(L, 1);
	return 0;
}

/* core.metatable(functions or nil) */
static int core_metatable(lua_State *L)
{
	lua_settop(L, 1);
	lua_newtable(L);
	lua_pushvalue(L, 1);
	lua_pushcclosure(L, gate_index, 1);
	lua_setfield(L, 2, "__index");
	lua_pushcfunction(L, gate_newindex);
	lua_setfield(L, 2, "__newindex");
	lua_pushcfunction(L, method_text);
	lua_setfield(L, 2, "__tostring");
	lua_pushliteral(L, "gate");
	lua_setfield(L, 2, "__name");
	lua_pushboolean(L, 0);
	lua_setfield(L, 2, "__metatable");
	return 1;
}

/* ---- constructors
 * ----------------------------------------------------------------------------------- */

/* Pushes a table with the metatable at `index`, for the gate whose name is at index 2. */
static void push_gate(lua_State *L, int index)
{
	budget_charge(L, GATE_COSTS + lua_rawlen(L, 2));
	lua_newtable(L);
	lua_pushvalue(L, index);
	lua_setmetatable(L, -2);
}

/* core.simple(metatable, name) */
static int core_simple(lua_State *L)
{
	push_gate(L, 1);
	remember(L, -1, engine_gate_simple(script_of(L)->engine, lua_tostring(L, 2)));
	return 1;
}

/* core.barrier(metatable, name, n, serial) */
static int core_barrier(lua_State *L)
{
	lua_Integer n = luaL_checkinteger(L, 3);

	push_gate(L, 1);
	remember(L, -1,
		 engine_gate_barrier(script_of(L)->engine, lua_tostring(L, 2),
				     n > UINT_MAX ? UINT_MAX : (unsigned)n, lua_toboolean(L, 4)));
	return 1;
}

/* core.custom(metatable, name, type) */
static int core_custom(lua_State *L)
{
	int ref;

	push_gate(L, 1);
	lua_pushvalue(L, -1);
	ref = luaL_ref(L, LUA_REGISTRYINDEX);
	remember(L, -1,
		 engine_gate_custom(script_of(L)->engine, lua_tostring(L, 3), lua_tostring(L, 2),
				    ref));
	return 1;
}

static int core_is_gate(lua_State *L)
{
	lua_pushboolean(L, script_to_gate(L, 1) != NULL);
	return 1;
}

void script_open_gates(lua_State *L)
{
	static const luaL_Reg functions[] = {
		{"metatable", core_metatable}, {"simple", core_simple},	  {"barrier", core_barrier},
		{"custom", core_custom},       {"is_gate", core_is_gate}, {NULL, NULL},
	};

	luaL_setfuncs(L, functions, 0);
	lua_newtable(L);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &gates_key);
	lua_newtable(L);
	lua_pushcfunction(L, method_open);
	lua_setfield(L, -2, "open");
	lua_rawsetp(L, LUA_REGISTRYINDEX, &method_key);
}

void script_add_gate_method(lua_State *L, const char *name, lua_CFunction function)
{
	lua_rawgetp(L, LUA_REGISTRYINDEX, &method_key);
	lua_pushcfunction(L, function);
	lua_setfield(L, -2, name);
	lua_pop(L, 1);
}
