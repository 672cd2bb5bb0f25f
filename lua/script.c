/* A script: creation, loading, typed lines, freeing. */
#include "lua/script_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pushes the table of C functions for the API's Lua files. */
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
	script_open_box(L);
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

int script_open_state(struct script *s, lua_CFunction open, struct error *err)
{
	struct call c = {.script = s, .body = open, .mode = SCRIPT_IDLE};

	s->L = s->running = budget_new_state(s);
	return s->L ? script_enter(&c, err)
		    : error_set(err, ERROR_SYSTEM, "cannot start Lua: out of memory");
}

void script_close_state(struct script *s)
{
	alarm_close();
	if (s->L)
		lua_close(s->L);
}

/* The state is created with the first file or line: a run without a script does not pay for it. */
int script_start(struct script *s, struct error *err)
{
	if (!s->L && !s->broken.code)
		script_open_state(s, open_all, &s->broken);
	return s->broken.code ? error_copy(err, &s->broken) : 0;
}

void script_free(struct script *s)
{
	if (!s)
		return;
	script_run_free_all(s);
	script_close_state(s);
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

static int enter_line(struct call *c, struct error *err)
{
	STR(source);

	str_addf(&source, "%s:1", c->path);
	c->source = str_text(&source);
	return script_enter(c, err);
}

static int load_text(struct script *s, const char *path, const char *text, size_t length,
		     struct error *err)
{
	struct call c = {.script = s,
			 .body = body_load,
			 .mode = SCRIPT_LOADING,
			 .path = path,
			 .text = text,
			 .length = length};

	return enter_line(&c, err);
}

/* Blanks attributes (`local n <const> = 3`): a global has none. */
static void blank_attributes(char *from, const char *to)
{
	bool inside = false;

	for (; from < to; from++) {
		inside |= *from == '<';
		if (inside && *from == '>')
			*from = ' ', inside = false;
		if (inside)
			*from = ' ';
	}
}

/* Blanks `local`, so that columns stay; blanks a declaration without a value altogether. */
static void make_line_global(char *line, size_t length)
{
	enum { WORD = sizeof("local") };
	char *value = memchr(line, '=', length);

	if (strncmp(line, "local ", WORD) != 0 && strncmp(line, "local\t", WORD) != 0)
		return;
	if (value)
		blank_attributes(line + WORD, value);
	if (value || strncmp(line + WORD, "function", strlen("function")) == 0)
		memset(line, ' ', WORD);
	else
		memset(line, ' ', length);
}

static void script_make_global(char *text)
{
	for (char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		make_line_global(line, strcspn(line, "\n"));
	}
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
		return error_hint(err, "give the name of a gate script that exists");
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

/*
 * ---- gates by name, for typed lines -----------------------------------------------------------
 */

/* The gate on top of the stack, or NULL if it is none or was dropped. */
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

/*
 * How well the variable on top matches the name: 2 for the gate's name, 1 for the variable's; 0: no
 * gate.
 */
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

/* Lines of Lua that the user types: a line's declarations are visible to the next. */

/* Pushes the values from `first` on as one text, in the format of print(). */
static const char *push_values(lua_State *L, int first)
{
	int last = lua_gettop(L);
	luaL_Buffer b;

	luaL_buffinit(L, &b);
	for (int i = first; i <= last; i++) {
		if (i > first)
			luaL_addchar(&b, '\t');
		luaL_tolstring(L, i, NULL);
		luaL_addvalue(&b);
	}
	luaL_pushresult(&b);
	return lua_tostring(L, -1);
}

static int body_line(lua_State *L)
{
	struct call *c = lua_touserdata(L, 1);
	int before;

	if (c->length) /* an expression */
		lua_pushfstring(L, "return %s", c->text);
	else
		lua_pushstring(L, c->text);
	if (script_load_chunk(L, c->path, lua_tostring(L, -1), strlen(lua_tostring(L, -1))) !=
	    LUA_OK)
		return lua_error(L);
	before = lua_gettop(L);
	if (script_call(L, 0, LUA_MULTRET) != LUA_OK)
		return lua_error(L);
	if (c->length)
		c->result = base_strdup(push_values(L, before));
	script_push_prelude(L, "loaded");
	lua_call(L, 0, 0);
	return 0;
}

int script_line(struct script *s, const char *name, const char *text, struct str *out,
		struct error *err)
{
	char *line = base_strdup(text);
	struct call c = {.script = s,
			 .body = body_line,
			 .mode = SCRIPT_LOADING,
			 .path = name,
			 .text = line,
			 .length = out ? strlen(line) : 0};
	int result;

	if (!out)
		script_make_global(line);
	result = script_start(s, err) < 0 ? -1 : enter_line(&c, err);
	if (out && c.result)
		str_add(out, c.result);
	base_free(c.result);
	base_free(line);
	return result;
}

/* True if the error is at the end of the text, as in lua.c, and the text is not an expression. */
static int body_goes_on(lua_State *L)
{
	static const char end[] = "<eof>";
	const char *text = lua_touserdata(L, 1), *message;
	size_t length;

	if (luaL_loadbufferx(L, text, strlen(text), "=", "t") != LUA_ERRSYNTAX)
		return 0;
	message = lua_tolstring(L, -1, &length);
	if (length < strlen(end) || strcmp(message + length - strlen(end), end) != 0)
		return 0;
	lua_pushfstring(L, "return %s", text);
	lua_pushboolean(L, luaL_loadstring(L, lua_tostring(L, -1)) != LUA_OK);
	return 1;
}

bool script_line_goes_on(const char *text)
{
	lua_State *L = luaL_newstate(); /* compiles only, executes nothing */
	bool goes_on;

	if (!L)
		return false;
	lua_pushcfunction(L, body_goes_on);
	lua_pushlightuserdata(L, (void *)text);
	goes_on = lua_pcall(L, 1, 1, 0) == LUA_OK && lua_toboolean(L, -1);
	lua_close(L);
	return goes_on;
}

void script_lines_see(struct script *s, bool may)
{
	s->lines_see = may;
	s->lines_have_seen = false;
}

bool script_lines_have_seen(const struct script *s)
{
	return s->lines_have_seen;
}
