/* What a function of a script sees of an arrival: `hit` and `hit.thread`. */
#include "lua/state.h"

#include <string.h>

#define HIT    "hit"
#define THREAD "thread"

static const char threads_key; /* registry: struct engine_thread -> its userdata */

static void hit_push_text(lua_State *L, const char *text)
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

	return state ? state : t->exited ? "exited" : t->held ? "held" : "running";
}

static void push_id(lua_State *L, struct engine_thread *t)
{
	t->identified = true;
	hit_push_text(L, t->id);
}

static int thread_index(lua_State *L)
{
	struct engine_thread *t = *(struct engine_thread **)luaL_checkudata(L, 1, THREAD);
	const char *key = luaL_tolstring(L, 2, NULL);

	if (strcmp(key, "id") == 0)
		push_id(L, t);
	else if (strcmp(key, "name") == 0)
		hit_push_text(L, thread_name(script_of(L), t));
	else if (strcmp(key, "start") == 0)
		hit_push_text(L, t->start);
	else if (strcmp(key, "tid") == 0)
		lua_pushinteger(L, t->tid);
	else if (strcmp(key, "state") == 0)
		hit_push_text(L, thread_state(script_of(L), t));
	else
		return fault_raise(L,
				   "no field '%s' in a thread; fields are id, name, start, tid, "
				   "state",
				   key);
	return 1;
}

static int thread_text(lua_State *L)
{
	push_id(L, *(struct engine_thread **)luaL_checkudata(L, 1, THREAD));
	return 1;
}

void thread_push(lua_State *L, struct engine_thread *t)
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

struct script_hit *hit_at(lua_State *L, int index)
{
	return luaL_testudata(L, index, HIT);
}

/* An arrival at a location knows where it is; at an event the program has to be asked. */
static struct program_frame where(lua_State *L, const struct arrival *a)
{
	const struct script_program *p = &script_of(L)->host.program;
	struct program_frame f = {.func = a->func, .file = a->file, .line = a->line};
	struct program_frame asked = {0};
	struct error *ignored = &script_of(L)->asked.err;

	if (a->func || a->file || !p->frame || p->frame(p->ctx, a, 0, &asked, ignored) <= 0)
		return f;
	return asked;
}

bool hit_push_field(lua_State *L, const struct arrival *a, const char *key)
{
	unsigned line;

	if (strcmp(key, "count") == 0)
		lua_pushinteger(L, (lua_Integer)a->count);
	else if (strcmp(key, "thread") == 0)
		thread_push(L, a->thread);
	else if (strcmp(key, "file") == 0)
		hit_push_text(L, where(L, a).file);
	else if (strcmp(key, "func") == 0)
		hit_push_text(L, where(L, a).func);
	else if (strcmp(key, "line") != 0)
		return false;
	else if ((line = where(L, a).line) > 0)
		lua_pushinteger(L, line);
	else
		lua_pushnil(L);
	return true;
}

static int hit_index(lua_State *L)
{
	const struct script_hit *h = luaL_checkudata(L, 1, HIT);
	const char *key = luaL_tolstring(L, 2, NULL);

	if (!h->arrival)
		return fault_raise(L, "this hit is over");
	if (hit_push_field(L, h->arrival, key) || state_push_field(L, key))
		return 1;
	return fault_raise(L,
			   "no field '%s' in hit; fields are thread, count, file, line, func, var, "
			   "arg, ret, frame, backtrace, eval, call",
			   key);
}

static int hit_newindex(lua_State *L)
{
	return fault_raise(L, "hit.%s cannot be set", luaL_tolstring(L, 2, NULL));
}

struct script_hit *script_push_hit(lua_State *L, const struct arrival *a)
{
	struct script_hit *h = lua_newuserdatauv(L, sizeof(*h), 0);

	h->arrival = a;
	luaL_setmetatable(L, HIT);
	return h;
}

void script_open_hit(lua_State *L)
{
	static const luaL_Reg of_hit[] = {
		{"__index", hit_index}, {"__newindex", hit_newindex}, {NULL, NULL}};
	static const luaL_Reg of_thread[] = {
		{"__index", thread_index}, {"__tostring", thread_text}, {NULL, NULL}};

	value_new_type(L, HIT, of_hit);
	value_new_type(L, THREAD, of_thread);
	lua_newtable(L);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &threads_key);
}
