/* Lines of Lua that a person has typed, one at a time: what one declares is known to the next. */
#include "lua/script_internal.h"

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

/* `local n <const> = 3`: a global has no attributes. */
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

/* Puts blanks there, so that columns stay; a declaration without a value is removed whole. */
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

void script_make_global(char *text)
{
	for (char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		make_line_global(line, strcspn(line, "\n"));
	}
}

static int enter_line(struct script *s, struct call *c, struct error *err)
{
	char *source = NULL;
	int result;

	if (script_start(s, err) < 0)
		return -1;
	if (asprintf(&source, "%s:1", c->path) < 0)
		return error_errno(err, ERROR_SYSTEM, "%s", c->path);
	c->source = source;
	result = script_enter(c, err);
	free(source);
	return result;
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
	result = enter_line(s, &c, err);
	if (out && c.result)
		str_add(out, c.result);
	base_free(c.result);
	base_free(line);
	return result;
}

/* As the lua(1) interpreter finds out. An expression is whole, though no statement. */
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
	lua_State *L = luaL_newstate(); /* nothing is executed, and no script sees it */
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
