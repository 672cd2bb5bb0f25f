/* The state of a script: made, entered, freed. */
#include "lua/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char prelude[] = {
#include "lua/prelude.lua.inc"
};

static const char prelude_key; /* registry: what prelude.lua gave back */

struct script *script_of(lua_State *L)
{
	return *(struct script **)lua_getextraspace(L);
}

void script_push_prelude(lua_State *L, const char *name)
{
	lua_rawgetp(L, LUA_REGISTRYINDEX, &prelude_key);
	lua_getfield(L, -1, name);
	lua_remove(L, -2);
}

static void open_prelude(lua_State *L)
{
	if (luaL_loadbufferx(L, (const char *)prelude, sizeof(prelude), "=[gatectl]", "t"))
		lua_error(L);
	lua_newtable(L);
	script_open_gates(L);
	script_open_places(L);
	script_open_like(L);
	script_open_expect(L);
	lua_call(L, 1, 1);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &prelude_key);
}

static int open_all(lua_State *L)
{
	script_open_sandbox(L);
	budget_open(L);
	script_open_load(L);
	script_open_hit(L);
	value_open(L);
	enum_open(L);
	state_open(L);
	script_open_run(L);
	open_prelude(L);
	return 0;
}

/* What went wrong, with the call's own position where the message has none. */
static void take_fault(struct call *c, lua_State *L, int status, struct error *err)
{
	const struct budget *b = &c->script->budget;
	const char *text = status != LUA_OK && lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1)
									      : "(no message)";

	if (b->fatal)
		text = b->text;
	else if (status == LUA_ERRMEM)
		text = budget_too_big;
	if (!c->source || fault_has_position(L, text))
		error_set(err, ERROR_SCRIPT, "%s", text);
	else
		error_set(err, ERROR_SCRIPT, "%s: %s", c->source, text);
}

static int protect(struct call *c, lua_State *L)
{
	int handler = lua_gettop(L) + 1;

	if (!lua_checkstack(L, LUA_MINSTACK))
		return LUA_ERRMEM;
	lua_pushcfunction(L, fault_message);
	lua_pushcfunction(L, c->body);
	lua_pushlightuserdata(L, c);
	return lua_pcall(L, 1, 0, handler);
}

int script_enter(struct call *c, struct error *err)
{
	struct script *s = c->script;
	lua_State *L = s->running;
	enum script_mode mode = s->mode;
	struct engine_thread *thread = s->thread;
	const struct arrival *arrival = s->arrival;
	int top = lua_gettop(L), status, result = 0;

	if (s->depth++ == 0) {
		s->entries++;
		budget_begin(s);
	}
	s->mode = c->mode;
	s->thread = c->arrival ? c->arrival->thread : thread;
	s->arrival = c->arrival ? c->arrival : arrival;
	status = protect(c, L);
	if (status != LUA_OK || s->budget.fatal) {
		take_fault(c, L, status, err);
		result = -1;
	}
	lua_settop(L, top);
	s->running = L;
	s->thread = thread;
	s->arrival = arrival;
	s->mode = mode;
	s->depth--;
	return result;
}

int script_call(lua_State *L, int args, int results)
{
	int f = lua_gettop(L) - args, status;
	lua_Debug ar;

	lua_pushvalue(L, f);
	lua_pushcfunction(L, fault_message);
	lua_rotate(L, f, 2); /* the function again, handler, function, arguments */
	status = lua_pcall(L, args, results, f + 1);
	lua_remove(L, f + 1);
	if (status == LUA_ERRMEM) {
		lua_pop(L, 1);
		lua_pushstring(L, budget_too_big);
	}
	if (status != LUA_OK && !fault_has_position(L, lua_tostring(L, -1))) {
		lua_pushvalue(L, f);
		lua_getinfo(L, ">S", &ar);
		lua_pushfstring(L, "%s:%d: ", ar.source + 1, ar.linedefined ? ar.linedefined : 1);
		lua_insert(L, -2);
		if (ar.source[0] == '@')
			lua_concat(L, 2);
		else
			lua_remove(L, -2);
	}
	lua_remove(L, f);
	return status;
}

struct script *script_new(struct engine *e, struct plan *plan, const struct script_host *host)
{
	struct script *s = base_alloc(1, sizeof(*s));
	struct call c = {.script = s, .body = open_all, .mode = SCRIPT_IDLE};
	struct engine_script calls = {
		.ctx = s,
		.ready = script_on_ready,
		.when = script_on_when,
		.run = script_run,
		.run_end = script_run_end,
		.passed = script_on_passed,
		.opened = script_on_opened,
		.log_text = script_on_log_text,
	};

	s->engine = e;
	s->plan = plan;
	if (host)
		s->host = *host;
	s->L = s->running = budget_new_state(s);
	if (!s->L)
		error_set(&s->broken, ERROR_SYSTEM, "cannot start Lua: out of memory");
	else
		script_enter(&c, &s->broken);
	engine_set_script(e, &calls);
	return s;
}

void script_free(struct script *s)
{
	if (!s)
		return;
	script_run_free_all(s);
	if (s->L)
		lua_close(s->L);
	program_value_fini(&s->asked.value);
	str_fini(&s->asked.text);
	base_free(s);
}

static int body_load(lua_State *L)
{
	struct call *c = lua_touserdata(L, 1);

	if (script_load_chunk(L, c->path, c->text, c->length) != LUA_OK)
		return lua_error(L);
	if (script_call(L, 0, 0) != LUA_OK)
		return lua_error(L);
	script_push_prelude(L, "loaded");
	lua_call(L, 0, 0);
	return 0;
}

static int load_text(struct script *s, const char *path, const char *text, size_t length,
		     struct error *err)
{
	char *source = NULL;
	struct call c = {.script = s,
			 .body = body_load,
			 .mode = SCRIPT_LOADING,
			 .path = path,
			 .text = text,
			 .length = length};
	int result;

	if (asprintf(&source, "%s:1", path) < 0)
		return error_errno(err, ERROR_SYSTEM, "%s", path);
	c.source = source;
	result = script_enter(&c, err);
	free(source);
	return result;
}

static int load_file(struct script *s, const char *path, bool open, struct error *err)
{
	const char *what;
	size_t length;
	char *text;
	int result;

	if (s->broken.code) {
		*err = s->broken;
		return -1;
	}
	text = script_read_file(path, &length, &what);
	if (!text) {
		error_errno(err, ERROR_SCRIPT, "%s: %s", path, what);
		return error_hint(err, "give the name of a gate script that is there");
	}
	if (open)
		script_make_global(text);
	result = load_text(s, path, text, length, err);
	base_free(text);
	return result;
}

int script_load(struct script *s, const char *path, struct error *err)
{
	return load_file(s, path, false, err);
}

int script_load_open(struct script *s, const char *path, struct error *err)
{
	return load_file(s, path, true, err);
}
