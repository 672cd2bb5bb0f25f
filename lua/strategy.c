/* A user-defined strategy: a Lua file that chooses the next thread of each step. */
#include "lua/script.h"
#include "lua/script_internal.h"

#include <stdlib.h>
#include <string.h>

#define POINT "point"

struct script_strategy {
	struct script script; /* first member, for script_of() */
	struct script_strategy_host host;
	char *path;
	uint64_t seed;
	int start, choose, seeder; /* references; LUA_NOREF: none */
	/* the current call */
	uint64_t run;
	const struct script_point *points;
	size_t count;
	unsigned long calls; /* number of calls so far; points of earlier calls are invalid */
	long chosen;
};

/* Userdata of points[index]. */
struct point_seen {
	unsigned long of_call;
	size_t index;
};

static struct script_strategy *strategy_of(lua_State *L)
{
	return (struct script_strategy *)script_of(L);
}

/* ---- points ---------------------------------------------------------------------------------- */

static bool push_where(lua_State *L, size_t index, const char *key)
{
	const struct script_strategy_host *host = &strategy_of(L)->host;
	bool file = strcmp(key, "file") == 0, func = strcmp(key, "func") == 0,
	     line = strcmp(key, "line") == 0;
	struct script_where where = {0};

	if (!file && !func && !line)
		return false;
	if (host->describe)
		host->describe(host->ctx, index, &where);
	if (!line)
		lua_pushstring(L, file ? where.file : where.func);
	else if (where.line)
		lua_pushinteger(L, where.line);
	else
		lua_pushnil(L);
	return true;
}

static bool push_name(lua_State *L, size_t index, const char *key)
{
	const struct script_strategy_host *host = &strategy_of(L)->host;
	bool thread = strcmp(key, "thread") == 0;
	const char *(*ask)(void *ctx, size_t index) = thread ? host->thread : host->name;

	if (!thread && strcmp(key, "var") != 0)
		return false;
	lua_pushstring(L, ask ? ask(host->ctx, index) : NULL);
	return true;
}

static int point_index(lua_State *L)
{
	const struct point_seen *p = luaL_checkudata(L, 1, POINT);
	const struct script_strategy *s = strategy_of(L);
	const char *key = luaL_tolstring(L, 2, NULL);

	if (p->of_call != s->calls || !s->points)
		return fault_raise(L, "this point is no longer valid: points are valid during one "
				      "call of choose");
	if (strcmp(key, "number") == 0)
		lua_pushinteger(L, s->points[p->index].thread);
	else if (strcmp(key, "op") == 0)
		lua_pushstring(L, s->points[p->index].op);
	else if (strcmp(key, "object") == 0)
		lua_pushinteger(L, (lua_Integer)s->points[p->index].object);
	else if (!push_where(L, p->index, key) && !push_name(L, p->index, key))
		return fault_raise(L,
				   "no field '%s' in a point; fields are thread, number, op, "
				   "object, file, line, func, var",
				   key);
	return 1;
}

static void push_points(lua_State *L, const struct script_strategy *s)
{
	lua_createtable(L, (int)s->count, 0);
	for (size_t i = 0; i < s->count; i++) {
		struct point_seen *p = lua_newuserdatauv(L, sizeof(*p), 0);

		*p = (struct point_seen){.of_call = s->calls, .index = i};
		luaL_setmetatable(L, POINT);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
}

/* ---- strategy { ... } ------------------------------------------------------------------------ */

/* Reference of the function of this name in the table at index 1. */
static int take_function(lua_State *L, const char *name, bool needed)
{
	int type = lua_getfield(L, 1, name);

	if (type == LUA_TNIL && !needed) {
		lua_pop(L, 1);
		return LUA_NOREF;
	}
	if (type != LUA_TFUNCTION)
		fault_raise(L, "strategy: %s has to be a function, not %s", name,
			    fault_push_kind(L, -1));
	return luaL_ref(L, LUA_REGISTRYINDEX);
}

static int declare(lua_State *L)
{
	struct script_strategy *s = strategy_of(L);

	if (!lua_istable(L, 1))
		return fault_raise(L, "strategy: expected a table, got %s", fault_push_kind(L, 1));
	if (s->choose != LUA_NOREF)
		return fault_raise(L, "strategy: the script has a strategy already");
	for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
		const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";

		if (strcmp(key, "start") != 0 && strcmp(key, "choose") != 0)
			return fault_raise(L, "strategy: no field '%s'; fields are start, choose",
					   key);
	}
	s->start = take_function(L, "start", false);
	s->choose = take_function(L, "choose", true);
	return 0;
}

static int open_all(lua_State *L)
{
	static const luaL_Reg of_point[] = {{"__index", point_index}, {NULL, NULL}};

	script_open_box(L);
	value_new_type(L, POINT, of_point, "%s of a point cannot be set");
	lua_pushcfunction(L, declare);
	lua_setglobal(L, "strategy");
	lua_getglobal(L, LUA_MATHLIBNAME);
	lua_getfield(L, -1, "randomseed");
	strategy_of(L)->seeder = luaL_ref(L, LUA_REGISTRYINDEX);
	return 0;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Adds the hint for a strategy's file: it is no gate script. */
static int advise(int result, struct error *err)
{
	if (result < 0 && err->code == ERROR_SCRIPT && !err->hint)
		error_hint(err,
			   "correct the script there; gatectl-explore(1) describes strategies");
	return result;
}

static int strategy_enter(struct script_strategy *s, lua_CFunction body, struct error *err)
{
	struct call c = {.script = &s->script, .body = body, .source = s->path};

	return advise(script_enter(&c, err), err);
}

/* Calls the function below its arguments; raises faults with their position. */
static void strategy_call(lua_State *L, int args, int results)
{
	if (script_call(L, args, results) != LUA_OK)
		lua_error(L);
}

/* Seeds math.random for each run, so that a run does not depend on earlier ones. */
static void seed(lua_State *L, uint64_t run)
{
	struct script_strategy *s = strategy_of(L);

	lua_rawgeti(L, LUA_REGISTRYINDEX, s->seeder);
	lua_pushinteger(L, (lua_Integer)s->seed);
	lua_pushinteger(L, (lua_Integer)run);
	lua_call(L, 2, 0);
}

static int body_start(lua_State *L)
{
	struct script_strategy *s = strategy_of(L);

	seed(L, s->run);
	if (s->start == LUA_NOREF)
		return 0;
	lua_rawgeti(L, LUA_REGISTRYINDEX, s->start);
	lua_pushinteger(L, (lua_Integer)s->run);
	strategy_call(L, 1, 0);
	return 0;
}

/* Raises the error at the first line of `choose`, which has returned. */
static int raise_choice(lua_State *L, const struct script_strategy *s)
{
	lua_Debug ar;

	lua_rawgeti(L, LUA_REGISTRYINDEX, s->choose);
	lua_getinfo(L, ">S", &ar);
	lua_pushfstring(L, "%s:%d: choose has to return a number from 1 to %d, not %s",
			ar.source + 1, ar.linedefined, (int)s->count, luaL_tolstring(L, -1, NULL));
	return lua_error(L);
}

static int body_choose(lua_State *L)
{
	struct script_strategy *s = strategy_of(L);
	int is_number;
	lua_Integer i;

	lua_rawgeti(L, LUA_REGISTRYINDEX, s->choose);
	push_points(L, s);
	strategy_call(L, 1, 1);
	i = lua_tointegerx(L, -1, &is_number);
	if (!is_number || i < 1 || i > (lua_Integer)s->count)
		return raise_choice(L, s);
	s->chosen = (long)i - 1;
	return 0;
}

void script_strategy_start(struct script_strategy *s, uint64_t run, struct error *err)
{
	s->run = run;
	strategy_enter(s, body_start, err);
}

long script_strategy_choose(struct script_strategy *s, const struct script_point *points,
			    size_t count, struct error *err)
{
	int result;

	s->points = points;
	s->count = count;
	s->calls++;
	result = strategy_enter(s, body_choose, err);
	s->points = NULL;
	return result == 0 ? s->chosen : -1;
}

/*
 * ---- creation ----------------------------------------------------------------------------------
 */

static int body_load(lua_State *L)
{
	struct call *c = lua_touserdata(L, 1);

	seed(L, 0);
	if (script_load_chunk(L, c->path, c->text, c->length) != LUA_OK)
		return lua_error(L);
	strategy_call(L, 0, 0);
	if (strategy_of(L)->choose == LUA_NOREF)
		return luaL_error(L, "%s:1: there is no strategy { ... } in this file", c->path);
	return 0;
}

static void strategy_print(void *ctx, const char *line)
{
	const struct script_strategy_host *host = &((struct script_strategy *)ctx)->host;

	if (host->print)
		host->print(host->ctx, line);
}

struct script_strategy *script_strategy_new(const char *path, uint64_t seed_of_all,
					    const struct script_strategy_host *host,
					    struct error *err)
{
	struct script_strategy *s = base_alloc(1, sizeof(*s));
	int result = -1;

	s->start = s->choose = s->seeder = LUA_NOREF;
	s->seed = seed_of_all;
	s->path = base_strdup(path);
	if (host)
		s->host = *host;
	s->script.host = (struct script_host){.ctx = s, .print = strategy_print};
	alarm_open();
	if (advise(script_open_state(&s->script, open_all, err), err) == 0)
		result = advise(
			script_enter_file(
				&s->script, path, body_load,
				"give the name of a strategy, or of a Lua file that contains one",
				err),
			err);
	if (result == 0)
		return s;
	script_strategy_free(s);
	return NULL;
}

void script_strategy_free(struct script_strategy *s)
{
	if (!s)
		return;
	script_close_state(&s->script);
	base_free(s->path);
	base_free(s);
}
