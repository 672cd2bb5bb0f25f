/* The state of a script: made, loaded, freed. */
#include "lua/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The C functions that the API's Lua code is made of. */
static void push_core(lua_State *L)
{
	lua_newtable(L);
	script_open_gates(L);
	script_open_places(L);
	script_open_like(L);
	script_open_expect(L);
	script_open_end(L);
	script_open_given(L);
	script_open_log(L);
}

static int open_all(lua_State *L)
{
	script_open_sandbox(L);
	script_open_protected(L);
	script_open_load(L);
	script_open_hit(L);
	value_open(L);
	enum_open(L);
	state_open(L);
	push_core(L);
	script_open_run(L);
	prelude_run(L);
	return 0;
}

struct script *script_new(struct engine *e, struct plan *plan, const struct script_host *host)
{
	struct script *s = base_alloc(1, sizeof(*s));
	struct engine_script calls = {
		.ctx = s,
		.ready = script_on_ready,
		.when = script_on_when,
		.run = script_run,
		.run_end = script_run_end,
		.may_open = script_may_open,
		.passed = script_on_passed,
		.opened = script_on_opened,
		.log_text = script_on_log_text,
	};

	alarm_open();
	s->engine = e;
	s->plan = plan;
	if (host)
		s->host = *host;
	engine_set_script(e, &calls);
	return s;
}

/* With the first file or line: of many runs that have none, none pays for it. */
int script_start(struct script *s, struct error *err)
{
	struct call c = {.script = s, .body = open_all, .mode = SCRIPT_IDLE};

	if (!s->L && !s->broken.code) {
		s->L = s->running = budget_new_state(s);
		if (!s->L)
			error_set(&s->broken, ERROR_SYSTEM, "cannot start Lua: out of memory");
		else
			script_enter(&c, &s->broken);
	}
	return s->broken.code ? error_copy(err, &s->broken) : 0;
}

void script_free(struct script *s)
{
	if (!s)
		return;
	alarm_close();
	script_run_free_all(s);
	if (s->L)
		lua_close(s->L);
	program_value_fini(&s->asked.value);
	str_fini(&s->asked.text);
	error_fini(&s->asked.err);
	error_fini(&s->broken);
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

	if (script_start(s, err) < 0)
		return -1;
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

/* ---- by name, for lines that are typed -------------------------------------------------------- */

/* Whose value at the top of the stack is. A gate that was dropped is none. */
static const struct gate *listed_gate(lua_State *L)
{
	const struct gate *g = script_to_gate(L, -1);

	return g && !g->dropped ? g : NULL;
}

static bool is_keyword(lua_State *L, const char *name)
{
	char text[128];
	int failed;

	if (snprintf(text, sizeof(text), "local %s", name) >= (int)sizeof(text))
		return false;
	failed = luaL_loadbufferx(L, text, strlen(text), "name", "t");
	lua_pop(L, 1);
	return failed != LUA_OK;
}

/* How well the variable at the top of the stack answers to the name: best with a gate that is called so. */
static int likeness(lua_State *L, const char *key, const char *name)
{
	const struct gate *g = listed_gate(L);

	return g ? 2 * (strcmp(g->name, name) == 0) + (strcmp(key, name) == 0) : 0;
}

enum script_gate_name script_gate_name(struct script *s, const char *name, const char **variable)
{
	ERROR(ignored);
	lua_State *L = script_start(s, &ignored) == 0 ? s->L : NULL;
	bool taken = L && is_keyword(L, name);
	int best = 0;

	if (!L)
		return SCRIPT_GATE_NONE;
	lua_pushglobaltable(L);
	for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
		const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
		int like = likeness(L, key, name);

		taken = taken || (strcmp(key, name) == 0 && !script_to_gate(L, -1));
		if (*key && like > best) {
			best = like;
			*variable = key;
		}
	}
	lua_pop(L, 1);
	return best ? SCRIPT_GATE_KNOWN : taken ? SCRIPT_GATE_TAKEN : SCRIPT_GATE_NONE;
}
