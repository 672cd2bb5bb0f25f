/* One line of Lua that a person has typed. */
#include "lua/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The values on the stack from `first` on, as print() writes them. */
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

	if (c->length) /* its value is asked for */
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

static const char *without_local(const char *text)
{
	size_t word = strlen("local");
	const char *whole = text;

	text += strspn(text, " \t\n");
	if (strncmp(text, "local", word) != 0 || !strchr(" \t", text[word]) || !text[word])
		return whole;
	text += word + strspn(text + word, " \t");
	return strncmp(text, "function", 8) == 0 || strchr(text, '=') ? text : "";
}

int script_line(struct script *s, const char *name, const char *text, struct str *out,
		struct error *err)
{
	char *source = NULL;
	struct call c = {.script = s,
			 .body = body_line,
			 .mode = SCRIPT_LOADING,
			 .path = name,
			 .text = out ? text : without_local(text),
			 .length = out ? strlen(text) : 0};
	int result;

	if (s->broken.code) {
		*err = s->broken;
		return -1;
	}
	if (asprintf(&source, "%s:1", name) < 0)
		return error_errno(err, ERROR_SYSTEM, "%s", name);
	c.source = source;
	result = script_enter(&c, err);
	if (out && c.result)
		str_add(out, c.result);
	base_free(c.result);
	free(source);
	return result;
}
