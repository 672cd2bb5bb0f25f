/* expect(function(run) ... end): what the script asks when the run is over, and what it sees of it. */
#include "lua/state.h"
#include "tracer/base/signame.h"

#include <signal.h>
#include <string.h>

#define RUN "run"

struct ended {
	const struct script_end *end; /* NULL: the function has returned */
};

/* core.expect_function(f, text) */
static int core_expect_function(lua_State *L)
{
	struct expect *x = &script_of(L)->plan->expect;
	const char *text = luaL_checkstring(L, 2), *source;
	int ref;

	source = fault_push_where(L, L) ? lua_tostring(L, -1) : "?";
	lua_pushvalue(L, 1);
	ref = luaL_ref(L, LUA_REGISTRYINDEX);
	x->any = true;
	*array_add(&x->checks) = (struct expect_check){base_strdup(text), base_strdup(source), ref};
	return 0;
}

/* ---- run ---------------------------------------------------------------------------------------- */

static void push_signal(lua_State *L, int signal)
{
	if (signal)
		lua_pushfstring(L, "SIG%s", signame_text(signal));
	else
		lua_pushnil(L);
}

static void push_output(lua_State *L, const char *key, const struct str *text)
{
	if (!text)
		fault_raise(L,
			    "run.%s: what a running process writes does not pass through gatectl",
			    key);
	lua_pushlstring(L, str_text(text), text->length);
}

static void push_threads(lua_State *L)
{
	const struct engine *e = script_of(L)->engine;
	struct engine_thread *t;

	lua_newtable(L);
	for (size_t i = 0; (t = engine_thread_at(e, i)); i++) {
		thread_push(L, t);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
}

static int run_index(lua_State *L)
{
	const struct ended *r = luaL_checkudata(L, 1, RUN);
	const char *key = luaL_tolstring(L, 2, NULL);

	if (!r->end)
		return fault_raise(L, "this run is over and judged");
	if (strcmp(key, "status") == 0 && r->end->exited) {
		lua_pushinteger(L, r->end->status);
	} else if (strcmp(key, "status") == 0) {
		lua_pushnil(L);
	} else if (strcmp(key, "signal") == 0) {
		*r->end->signal_judged = true;
		push_signal(L, r->end->signal);
	} else if (strcmp(key, "stdout") == 0) {
		push_output(L, key, r->end->stdout_text);
	} else if (strcmp(key, "stderr") == 0) {
		push_output(L, key, r->end->stderr_text);
	} else if (strcmp(key, "threads") == 0) {
		push_threads(L);
	} else {
		fault_raise(L,
			    "no field '%s' in run; fields are status, signal, stdout, stderr, "
			    "threads",
			    key);
	}
	return 1;
}

static int run_newindex(lua_State *L)
{
	return fault_raise(L, "run.%s cannot be set", luaL_tolstring(L, 2, NULL));
}

void script_open_end(lua_State *L)
{
	static const luaL_Reg of_run[] = {
		{"__index", run_index}, {"__newindex", run_newindex}, {NULL, NULL}};

	value_new_type(L, RUN, of_run);
	lua_pushcfunction(L, core_expect_function);
	lua_setfield(L, -2, "expect_function");
}

/* ---- asked -------------------------------------------------------------------------------------- */

static int body_end(lua_State *L)
{
	struct call *c = lua_touserdata(L, 1);
	struct ended *r = lua_newuserdatauv(L, sizeof(*r), 0);
	int status;

	r->end = c->end;
	luaL_setmetatable(L, RUN);
	lua_rawgeti(L, LUA_REGISTRYINDEX, c->ref);
	lua_pushvalue(L, 2);
	status = script_call(L, 1, 1);
	r->end = NULL;
	if (status != LUA_OK)
		return lua_error(L);
	c->answer = lua_toboolean(L, -1) ? ENGINE_YES : ENGINE_NO;
	return 0;
}

enum engine_answer script_end(struct script *s, const struct expect_check *check,
			      const struct script_end *end, struct error *err)
{
	struct call c = {.script = s,
			 .body = body_end,
			 .mode = SCRIPT_PURE,
			 .ref = check->ref,
			 .end = end,
			 .source = check->source};

	return script_enter(&c, err) < 0 ? ENGINE_FAULT : c.answer;
}
