/* What a function of a script sees of an arrival: `hit` and `hit.thread`. */
#include "lua/inside.h"

#include <string.h>

#define HIT    "hit"
#define THREAD "thread"

static const char threads_key; /* registry: struct engine_thread -> its userdata */

static void push_text(lua_State *L, const char *text)
{
	lua_pushstring(L, text); /* NULL: nil */
}

/* ---- thread
 * ---------------------------------------------------------------------------------------- */

static const char *thread_name(const struct script *s, const struct engine_thread *t)
{
	const char *name = s->host.thread_name ? s->host.thread_name(s->host.ctx, t) : NULL;

	return name ? name : "";
}

static const char *thread_state(const struct script *s, const struct engine_thread *t)
{
	const char *state = s->host.thread_state ? s->host.thread_state(s->host.ctx, t) : NULL;

	return state ? state : t->gone ? "exited" : t->held ? "held" : "running";
}

static int thread_index(lua_State *L)
{
	const struct engine_thread *t = *(struct engine_thread **)luaL_checkudata(L, 1, THREAD);
	const char *key = luaL_tolstring(L, 2, NULL);

	if (strcmp(key, "id") == 0)
		push_text(L, t->id);
	else if (strcmp(key, "name") == 0)
		push_text(L, thread_name(script_of(L), t));
	else if (strcmp(key, "start") == 0)
		push_text(L, t->start);
	else if (strcmp(key, "tid") == 0)
		lua_pushinteger(L, t->tid);
	else if (strcmp(key, "state") == 0)
		push_text(L, thread_state(script_of(L), t));
	else
		return fault_raise(L,
				   "no field '%s' in a thread; fields are id, name, start, tid, "
				   "state",
				   key);
	return 1;
}

static int thread_text(lua_State *L)
{
	const struct engine_thread *t = *(struct engine_thread **)luaL_checkudata(L, 1, THREAD);

	push_text(L, t->id);
	return 1;
}

/* The same thread is the same value, so that scripts can compare them. */
static void push_thread(lua_State *L, struct engine_thread *t)
{
	lua_rawgetp(L, LUA_REGISTRYINDEX, &threads_key);
	if (lua_rawgetp(L, -1, t) == LUA_TNIL) {
		lua_pop(L, 1);
		*(struct engine_thread **)lua_newuserdatauv(L, sizeof(t), 0) = t;
		luaL_setmetatable(L, THREAD);
		lua_pushvalue(L, -1);
		lua_rawsetp(L, -3, t);
	}
	lua_remove(L, -2);
}

/* ---- hit
 * ------------------------------------------------------------------------------------------- */

static int no_field(lua_State *L, const char *key)
{
	static const char *const later[] = {"var",  "arg",	 "ret",	 "frame",
					    "eval", "backtrace", "call", NULL};

	for (size_t i = 0; later[i]; i++)
		if (strcmp(key, later[i]) == 0)
			return fault_raise(L, "hit.%s is not available in this version", key);
	return fault_raise(L, "no field '%s' in hit; fields are thread, count, file, line, func",
			   key);
}

static int hit_index(lua_State *L)
{
	const struct hit *h = luaL_checkudata(L, 1, HIT);
	const struct arrival *a = h->arrival;
	const char *key = luaL_tolstring(L, 2, NULL);

	if (!a)
		return fault_raise(L, "this hit is over");
	if (strcmp(key, "count") == 0)
		lua_pushinteger(L, (lua_Integer)a->count);
	else if (strcmp(key, "thread") == 0)
		push_thread(L, a->thread);
	else if (strcmp(key, "file") == 0)
		push_text(L, a->file);
	else if (strcmp(key, "func") == 0)
		push_text(L, a->func);
	else if (strcmp(key, "line") != 0)
		return no_field(L, key);
	else if (a->line)
		lua_pushinteger(L, a->line);
	else
		lua_pushnil(L);
	return 1;
}

static int hit_newindex(lua_State *L)
{
	return fault_raise(L, "hit.%s cannot be set", luaL_tolstring(L, 2, NULL));
}

struct hit *script_push_hit(lua_State *L, const struct arrival *a)
{
	struct hit *h = lua_newuserdatauv(L, sizeof(*h), 0);

	h->arrival = a;
	luaL_setmetatable(L, HIT);
	return h;
}

static void new_type(lua_State *L, const char *name, const luaL_Reg *functions)
{
	luaL_newmetatable(L, name);
	luaL_setfuncs(L, functions, 0);
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_pop(L, 1);
}

void script_open_hit(lua_State *L)
{
	static const luaL_Reg of_hit[] = {
		{"__index", hit_index}, {"__newindex", hit_newindex}, {NULL, NULL}};
	static const luaL_Reg of_thread[] = {
		{"__index", thread_index}, {"__tostring", thread_text}, {NULL, NULL}};

	new_type(L, HIT, of_hit);
	new_type(L, THREAD, of_thread);
	lua_newtable(L);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &threads_key);
}
