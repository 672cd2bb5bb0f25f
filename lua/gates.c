/* Gates and places as a script sees them: tables for struct gate, userdata for struct place. */
#include "lua/script_internal.h"

#include "tracer/base/signame.h"

#include <limits.h>
#include <signal.h>
#include <string.h>

enum { GATE_COSTS = 512 }; /* bytes of the engine for one gate, estimated */

static const char gates_key;  /* registry: table of a gate -> struct gate */
static const char method_key; /* registry: methods of every gate */

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

/* Makes the table on top the gate's. */
static void remember(lua_State *L, struct gate *g)
{
	int index = lua_gettop(L);

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

/* ---- methods --------------------------------------------------------------------------------- */

static int method_open(lua_State *L)
{
	struct script *s = script_of(L);
	struct gate *g = check_self(L, "open");
	lua_State *before = s->running;

	if (s->mode == SCRIPT_PURE)
		return budget_fatal(
			L, "open: this function can only read; to open gates use :run or :open");
	s->running = L; /* `opened` may be called by engine_open() */
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

/* Upvalue 1: functions of the script's gate type, or nil. */
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

/* ---- constructors ---------------------------------------------------------------------------- */

/* Pushes a table with the metatable at index 1; the name at index 2 is charged to the budget. */
static void push_gate(lua_State *L)
{
	budget_charge(L, GATE_COSTS + lua_rawlen(L, 2));
	lua_newtable(L);
	lua_pushvalue(L, 1);
	lua_setmetatable(L, -2);
}

/* core.simple(metatable, name) */
static int core_simple(lua_State *L)
{
	push_gate(L);
	remember(L, engine_gate_simple(script_of(L)->engine, lua_tostring(L, 2)));
	return 1;
}

/* core.barrier(metatable, name, n, serial) */
static int core_barrier(lua_State *L)
{
	lua_Integer n = luaL_checkinteger(L, 3);

	push_gate(L);
	remember(L,
		 engine_gate_barrier(script_of(L)->engine, lua_tostring(L, 2),
				     n > UINT_MAX ? UINT_MAX : (unsigned)n, lua_toboolean(L, 4)));
	return 1;
}

/* core.custom(metatable, name, type) */
static int core_custom(lua_State *L)
{
	int ref;

	push_gate(L);
	lua_pushvalue(L, -1);
	ref = luaL_ref(L, LUA_REGISTRYINDEX);
	remember(L, engine_gate_custom(script_of(L)->engine, lua_tostring(L, 3), lua_tostring(L, 2),
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

/* ---- places and their steps, from values checked by prelude.lua ------------------------------ */

#define PLACE "place"

/* Bytes of the engine, estimated; ORDER_COSTS per byte of an order's text, as names are copied. */
enum { PLACE_COSTS = 512, STEP_COSTS = 96, ORDER_COSTS = 8 };

static struct script *check_loading(lua_State *L, const char *who)
{
	struct script *s = script_of(L);

	if (s->mode != SCRIPT_LOADING)
		fault_raise(L, "%s: can be called only while the script is loaded", who);
	return s;
}

/* core.loading(who): raises an error if gates and places may no longer be created */
static int core_loading(lua_State *L)
{
	check_loading(L, luaL_checkstring(L, 1));
	return 0;
}

/* core.fail(message): an error at the script's line that called the prelude */
static int core_fail(lua_State *L)
{
	return fault_raise(L, "%s", luaL_checkstring(L, 1));
}

/* core.kind(value): "a gate", "an integer" ... */
static int core_kind(lua_State *L)
{
	fault_push_kind(L, 1);
	return 1;
}

/* core.where(): "FILE:LINE" of the script's line that called the prelude */
static int core_where(lua_State *L)
{
	if (!fault_push_where(L, L))
		lua_pushliteral(L, "?");
	return 1;
}

/* A string field of the options of core_place(), copied; or NULL. */
static char *copy_field(lua_State *L, const char *name)
{
	char *copy =
		lua_getfield(L, 3, name) == LUA_TSTRING ? base_strdup(lua_tostring(L, -1)) : NULL;

	lua_pop(L, 1);
	return copy;
}

static lua_Integer integer_field(lua_State *L, const char *name)
{
	lua_Integer n;

	lua_getfield(L, 3, name);
	n = lua_tointeger(L, -1);
	lua_pop(L, 1);
	return n;
}

static bool flag_field(lua_State *L, const char *name)
{
	bool flag;

	lua_getfield(L, 3, name);
	flag = lua_toboolean(L, -1);
	lua_pop(L, 1);
	return flag;
}

static enum place_kind places_kind_of(const char *event)
{
	static const struct {
		const char *name;
		enum place_kind kind;
	} kinds[] = {
		{"thread-start", PLACE_THREAD_START},
		{"thread-exit", PLACE_THREAD_EXIT},
		{"exit", PLACE_EXIT},
		{"fork", PLACE_FORK},
		{"exec", PLACE_EXEC},
		{"load", PLACE_LOAD},
		{"signal", PLACE_SIGNAL},
		{"throw", PLACE_THROW},
		{"rest", PLACE_REST},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, event) == 0)
			return kinds[i].kind;
	return PLACE_LOCATION;
}

struct place *script_to_place(lua_State *L, int index)
{
	struct place **box = luaL_testudata(L, index, PLACE);

	return box ? *box : NULL;
}

/* core.place(is_event, location, options) */
static int core_place(lua_State *L)
{
	bool event = lua_toboolean(L, 1);
	const char *location = luaL_checkstring(L, 2);
	struct script *s = check_loading(L, event ? "on" : "at");
	struct place **box = lua_newuserdatauv(L, sizeof(struct place *), 0), *p;

	luaL_setmetatable(L, PLACE);
	core_where(L);
	budget_charge(L, PLACE_COSTS + lua_rawlen(L, 2));
	p = *box = engine_place(s->engine, event ? places_kind_of(location) : PLACE_LOCATION,
				location, lua_tostring(L, -1));
	lua_pop(L, 1);
	p->thread = copy_field(L, "thread");
	p->when = copy_field(L, "when");
	p->object = copy_field(L, "object");
	p->signal = (int)integer_field(L, "signal");
	p->hit_first = (unsigned long)integer_field(L, "first");
	p->hit_last = (unsigned long)integer_field(L, "last");
	p->after = flag_field(L, "after");
	p->optional = flag_field(L, "optional");
	return 1;
}

static struct step *places_add_step(lua_State *L, enum step_kind kind)
{
	struct place **box = luaL_checkudata(L, 1, PLACE);

	budget_charge(L, STEP_COSTS + lua_rawlen(L, 2));
	return engine_step(*box, kind);
}

static struct gate *gate_named(lua_State *L, const char *name)
{
	struct gate *g;

	for (size_t i = 0; (g = engine_gate_at(script_of(L)->engine, i)); i++)
		if (strcmp(g->name, name) == 0)
			return g;
	fault_raise(L, "open: no gate '%s' has been made yet", name);
	return NULL;
}

/* core.step_gate(place, "wait" or "open", gate or its name) */
static int core_step_gate(lua_State *L)
{
	bool wait = strcmp(luaL_checkstring(L, 2), "wait") == 0;
	struct gate *g = lua_type(L, 3) == LUA_TSTRING ? gate_named(L, lua_tostring(L, 3))
						       : script_to_gate(L, 3);

	places_add_step(L, wait ? STEP_WAIT : STEP_OPEN)->gate = g;
	return 0;
}

/* core.step_function(place, "when" or "run", function) */
static int core_step_function(lua_State *L)
{
	bool when = strcmp(luaL_checkstring(L, 2), "when") == 0;
	struct step *step;

	lua_settop(L, 3);
	step = places_add_step(L, when ? STEP_WHEN : STEP_RUN);
	step->script_ref = luaL_ref(L, LUA_REGISTRYINDEX);
	return 0;
}

/* core.step_text(place, "when", "event", "log" or "release", text) */
static int core_step_text(lua_State *L)
{
	const char *verb = luaL_checkstring(L, 2);
	const char *text = luaL_checkstring(L, 3);
	enum step_kind kind = strcmp(verb, "when") == 0	     ? STEP_WHEN
			      : strcmp(verb, "event") == 0   ? STEP_EVENT
			      : strcmp(verb, "release") == 0 ? STEP_RELEASE
							     : STEP_LOG;

	places_add_step(L, kind)->text = base_strdup(text);
	return 0;
}

/* core.step_kill(place, signal) */
static int core_step_kill(lua_State *L)
{
	int number = (int)luaL_checkinteger(L, 2);

	places_add_step(L, STEP_KILL)->signal = number;
	return 0;
}

/* core.step_elide(place) */
static int core_step_elide(lua_State *L)
{
	places_add_step(L, STEP_ELIDE);
	return 0;
}

/* core.step_spurious(place) */
static int core_step_spurious(lua_State *L)
{
	places_add_step(L, STEP_SPURIOUS);
	return 0;
}

/* core.order(text) */
static int core_order(lua_State *L)
{
	struct script *s = check_loading(L, "order");
	/* freed by the script: a local one would leak when an error is raised */
	struct error *err = &s->asked.err;

	core_where(L);
	budget_charge(L, ORDER_COSTS * lua_rawlen(L, 1));
	if (engine_order(s->engine, luaL_checkstring(L, 1), lua_tostring(L, -1), err) == 0)
		return 0;
	lua_pushstring(L, err->text);
	return lua_error(L);
}

/* core.signal(name without SIG): its number, or nil */
static int core_signal(lua_State *L)
{
	int number = signame_number(luaL_checkstring(L, 1));

	if (number)
		lua_pushinteger(L, number);
	return number != 0;
}

/* core.signal_name(number): the name without SIG */
static int core_signal_name(lua_State *L)
{
	lua_pushstring(L, signame_text((int)luaL_checkinteger(L, 1)));
	return 1;
}

/* core.place_index(function): sets the function called to read a field of a place */
static int core_place_index(lua_State *L)
{
	luaL_getmetatable(L, PLACE);
	lua_pushvalue(L, 1);
	lua_setfield(L, -2, "__index");
	return 0;
}

static int core_is_place(lua_State *L)
{
	lua_pushboolean(L, luaL_testudata(L, 1, PLACE) != NULL);
	return 1;
}

static int place_text(lua_State *L)
{
	struct place **box = luaL_checkudata(L, 1, PLACE);

	lua_pushfstring(L, "place '%s'", (*box)->location);
	return 1;
}

void script_open_places(lua_State *L)
{
	static const luaL_Reg functions[] = {
		{"loading", core_loading},
		{"fail", core_fail},
		{"kind", core_kind},
		{"where", core_where},
		{"place", core_place},
		{"place_index", core_place_index},
		{"is_place", core_is_place},
		{"step_gate", core_step_gate},
		{"step_function", core_step_function},
		{"step_text", core_step_text},
		{"step_kill", core_step_kill},
		{"step_elide", core_step_elide},
		{"step_spurious", core_step_spurious},
		{"order", core_order},
		{"signal", core_signal},
		{"signal_name", core_signal_name},
		{NULL, NULL},
	};

	luaL_newmetatable(L, PLACE);
	lua_pushcfunction(L, place_text);
	lua_setfield(L, -2, "__tostring");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_pop(L, 1);
	luaL_setfuncs(L, functions, 0);
}
