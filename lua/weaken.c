/* Results that --weaken allows: a Lua file with a function or a table. */
#include "lua/script.h"
#include "lua/script_internal.h"

#include "tracer/base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct script_weaken {
	struct script script; /* first member, for script_of() */
	char *path;
	int allowed;			     /* reference of the function or the table */
	const struct script_weak_call *call; /* of the current call */
	int answer;
};

static struct script_weaken *weaken_of(lua_State *L)
{
	return (struct script_weaken *)script_of(L);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Length up to a comma outside quotes. */
static size_t value_length(const char *text)
{
	bool quoted = false;
	size_t n = 0;

	for (; text[n] && (quoted || text[n] != ','); n++)
		if (text[n] == '\\' && text[n + 1])
			n++;
		else
			quoted ^= text[n] == '"';
	return n;
}

/* Adds the character after a backslash of a C string. Returns a pointer to its last byte. */
static const char *push_escaped(luaL_Buffer *b, const char *at)
{
	unsigned byte;

	if (*at != 'x' || sscanf(at + 1, "%2x", &byte) != 1) {
		luaL_addchar(b, (char)(*at == 'n' ? '\n' : *at == 't' ? '\t' : *at));
		return at;
	}
	luaL_addchar(b, (char)byte);
	return at + 2;
}

/* Pushes the string, from after its first quote. */
static void weaken_push_text(lua_State *L, const char *at)
{
	luaL_Buffer b;

	luaL_buffinit(L, &b);
	for (; *at && *at != '"'; at++)
		if (*at == '\\' && at[1])
			at = push_escaped(&b, at + 1);
		else
			luaL_addchar(&b, *at);
	luaL_pushresult(&b);
}

static void push_value(lua_State *L, const char *text, size_t length)
{
	if (*text == '"') {
		weaken_push_text(L, text + 1);
		return;
	}
	lua_pushlstring(L, text, length);
	if (lua_stringtonumber(L, lua_tostring(L, -1)))
		lua_remove(L, -2);
}

static void push_values(lua_State *L, const char *given)
{
	lua_newtable(L);
	for (lua_Integer i = 1; *given; i++) {
		size_t length = value_length(given);

		push_value(L, given, length);
		lua_rawseti(L, -2, i);
		given += length + (given[length] == ',');
	}
}

static void push_call(lua_State *L, const struct script_weak_call *c)
{
	lua_newtable(L);
	lua_pushstring(L, c->call);
	lua_setfield(L, -2, "call");
	push_values(L, c->given);
	lua_rawgeti(L, -1, 1);
	lua_setfield(L, -3, "result");
	lua_setfield(L, -2, "results");
	lua_newtable(L);
	for (size_t i = 0; i < c->atomic_count; i++) {
		push_value(L, c->atomic[i], value_length(c->atomic[i]));
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	lua_setfield(L, -2, "atomic");
}

/*
 * ---- calls
 * ------------------------------------------------------------------------------------------
 */

/* True if the first of the given values is in the table on top. */
static bool is_listed(lua_State *L, const char *given)
{
	bool found = false;

	push_value(L, given, value_length(given));
	for (lua_pushnil(L); !found && lua_next(L, -3); lua_pop(L, 1))
		found = lua_rawequal(L, -1, -3);
	return found;
}

static int body_allows(lua_State *L)
{
	struct script_weaken *w = weaken_of(L);

	lua_rawgeti(L, LUA_REGISTRYINDEX, w->allowed);
	if (lua_istable(L, -1)) {
		w->answer = is_listed(L, w->call->given);
		return 0;
	}
	push_call(L, w->call);
	if (script_call(L, 1, 1) != LUA_OK)
		lua_error(L);
	w->answer = lua_toboolean(L, -1);
	return 0;
}

int script_weaken_allows(struct script_weaken *w, const struct script_weak_call *call,
			 struct error *err)
{
	struct call c = {.script = &w->script, .body = body_allows, .source = w->path};

	w->call = call;
	return script_enter(&c, err) < 0 ? -1 : w->answer;
}

/*
 * ---- creation
 * ---------------------------------------------------------------------------------------
 */

static int open_all(lua_State *L)
{
	script_open_box(L);
	return 0;
}

static int body_load(lua_State *L)
{
	struct call *c = lua_touserdata(L, 1);

	if (script_load_chunk(L, c->path, c->text, c->length) != LUA_OK ||
	    script_call(L, 0, 1) != LUA_OK)
		return lua_error(L);
	if (!lua_isfunction(L, -1) && !lua_istable(L, -1))
		return luaL_error(L, "%s:1: this file has to return a function or a table, not %s",
				  c->path, fault_push_kind(L, -1));
	weaken_of(L)->allowed = luaL_ref(L, LUA_REGISTRYINDEX);
	return 0;
}

static void weaken_print(void *ctx, const char *line)
{
	(void)ctx;
	log_line("%s", line);
}

struct script_weaken *script_weaken_new(const char *path, struct error *err)
{
	struct script_weaken *w = base_alloc(1, sizeof(*w));
	int result = -1;

	alarm_open();
	w->path = base_strdup(path);
	w->script.host = (struct script_host){.print = weaken_print};
	if (script_open_state(&w->script, open_all, err) == 0)
		result = script_enter_file(&w->script, path, body_load,
					   "--weaken OPERATION:FILE.lua", err);
	if (result == 0)
		return w;
	script_weaken_free(w);
	return NULL;
}

void script_weaken_free(struct script_weaken *w)
{
	if (!w)
		return;
	script_close_state(&w->script);
	base_free(w->path);
	base_free(w);
}
