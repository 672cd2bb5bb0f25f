/*
 * Positions of messages: each begins with FILE:LINE:, FILE as given by the user. Lua shortens long
 * file names to "...end"; a table has the loaded files under both names to restore them.
 */
#include "lua/script_internal.h"

#include <ctype.h>
#include <string.h>

static const char files_key; /* registry: name in messages -> path */

static void push_files(lua_State *L)
{
	if (lua_rawgetp(L, LUA_REGISTRYINDEX, &files_key) == LUA_TTABLE)
		return;
	lua_pop(L, 1);
	lua_newtable(L);
	lua_pushvalue(L, -1);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &files_key);
}

void fault_add_file(lua_State *L, const char *path)
{
	lua_Debug ar;

	push_files(L);
	lua_pushstring(L, path);
	lua_pushvalue(L, -1);
	lua_setfield(L, -3, path);
	if (luaL_loadbuffer(L, "", 0, lua_pushfstring(L, "@%s", path)) != LUA_OK)
		lua_error(L);
	lua_getinfo(L, ">S", &ar); /* pops the function */
	lua_pop(L, 1);
	lua_setfield(L, -2, ar.short_src);
	lua_pop(L, 1);
}

static bool fault_is_file(lua_State *L, const char *source)
{
	bool known;

	if (source[0] != '@')
		return false;
	push_files(L);
	known = lua_getfield(L, -1, source + 1) == LUA_TSTRING;
	lua_pop(L, 2);
	return known;
}

static bool push_frame(lua_State *L, lua_State *of)
{
	lua_Debug ar;

	for (int level = 0; lua_getstack(of, level, &ar); level++) {
		lua_getinfo(of, "Sl", &ar);
		if (ar.currentline > 0 && fault_is_file(L, ar.source)) {
			lua_pushfstring(L, "%s:%d", ar.source + 1, ar.currentline);
			return true;
		}
	}
	return false;
}

/* If no line of a script runs in the coroutine, the line in the main thread counts. */
bool fault_push_where(lua_State *L, lua_State *of)
{
	lua_State *main = script_of(L)->L;

	return push_frame(L, of) || (of != main && push_frame(L, main));
}

int fault_raise(lua_State *L, const char *fmt, ...)
{
	va_list ap;

	if (fault_push_where(L, L))
		lua_pushliteral(L, ": ");
	else
		lua_pushliteral(L, ""), lua_pushliteral(L, "");
	va_start(ap, fmt);
	lua_pushvfstring(L, fmt, ap);
	va_end(ap);
	lua_concat(L, 3);
	return lua_error(L);
}

/* Length of ":LINE: " at the start of the text, or 0. */
static size_t line_length(const char *text)
{
	size_t n = 1;

	if (text[0] != ':')
		return 0;
	while (isdigit((unsigned char)text[n]))
		n++;
	return n > 1 && text[n] == ':' && text[n + 1] == ' ' ? n + 2 : 0;
}

/* Path of the file whose name begins the text, with *length of the name there; or NULL. */
static const char *fault_file_of(lua_State *L, const char *text, size_t *length)
{
	const char *path = NULL;

	if (lua_rawgetp(L, LUA_REGISTRYINDEX, &files_key) != LUA_TTABLE) {
		lua_pop(L, 1);
		return NULL;
	}
	for (lua_pushnil(L); !path && lua_next(L, -2); lua_pop(L, 1)) {
		const char *name = lua_tolstring(L, -2, length);

		if (strncmp(text, name, *length) == 0 && line_length(text + *length))
			path = lua_tostring(L, -1);
	}
	lua_pop(L, path ? 2 : 1);
	return path; /* kept alive by the table */
}

bool fault_has_position(lua_State *L, const char *text)
{
	size_t length;

	return fault_file_of(L, text, &length) != NULL;
}

/* Skips the position in a chunk that is no file of the user: the prelude, an {expr}. */
static const char *skip_own(const char *text)
{
	static const char *const own[] = {"[gatectl]", "(log)"};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		size_t length = strlen(own[i]);

		if (strncmp(text, own[i], length) == 0)
			return text + length + line_length(text + length);
	}
	return text;
}

static const char *fault_push_text(lua_State *L)
{
	if (lua_isstring(L, -1))
		lua_pushstring(L, lua_tostring(L, -1));
	else if (luaL_getmetafield(L, -1, "__tostring") != LUA_TNIL)
		luaL_tolstring(L, -2, NULL);
	else
		lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, -1));
	return lua_tostring(L, -1);
}

void fault_describe(lua_State *L, lua_State *of)
{
	int top = lua_gettop(L);
	const char *text = skip_own(fault_push_text(L));
	size_t length;
	const char *path = fault_file_of(L, text, &length);

	if (path)
		lua_pushfstring(L, "%s%s", path, text + length);
	else if (fault_push_where(L, of))
		lua_pushfstring(L, "%s: %s", lua_tostring(L, -1), text);
	else
		lua_pushstring(L, text);
	lua_replace(L, top);
	lua_settop(L, top);
}

int fault_message(lua_State *L)
{
	fault_describe(L, L);
	return 1;
}

const char *fault_push_kind(lua_State *L, int index)
{
	const char *name = luaL_typename(L, index);

	if (luaL_getmetafield(L, index, "__name") == LUA_TSTRING) {
		name = lua_tostring(L, -1);
		lua_remove(L, -1);
	}
	if (strcmp(name, "nil") == 0 || strcmp(name, "no value") == 0)
		return lua_pushliteral(L, "nil");
	return lua_pushfstring(L, "%s %s", strchr("aeiou", name[0]) ? "an" : "a", name);
}
