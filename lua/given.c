/* env, args and stdin, from values that given.lua has checked. */
#include "lua/script_internal.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static struct given *given_of(lua_State *L)
{
	struct given *g = &script_of(L)->plan->given;

	if (!g->source && fault_push_where(L, L)) {
		g->source = base_strdup(lua_tostring(L, -1));
		lua_pop(L, 1);
	}
	return g;
}

/* core.env(name, value or false) */
static int core_env(lua_State *L)
{
	const char *name = luaL_checkstring(L, 1), *value = lua_tostring(L, 2);

	*array_add(&given_of(L)->env) = (struct given_variable){
		base_strdup(name),
		value ? base_strdup(value) : NULL,
	};
	return 0;
}

/* core.args(list): the same list may come again */
static int core_args(lua_State *L)
{
	struct given *g = given_of(L);
	lua_Integer count = luaL_len(L, 1);

	for (lua_Integer i = 1; !g->has_args && i <= count; i++) {
		lua_rawgeti(L, 1, i);
		*array_add(&g->args) = base_strdup(lua_tostring(L, -1));
		lua_pop(L, 1);
	}
	g->has_args = true;
	return 0;
}

/* Pushes the path: a relative one is beside the script. */
static const char *push_beside(lua_State *L, const char *name)
{
	const char *file, *slash;

	if (name[0] == '/' || !fault_push_where(L, L)) {
		lua_pushstring(L, name);
		return lua_tostring(L, -1);
	}
	file = lua_tostring(L, -1);
	slash = strrchr(file, '/');
	lua_pushlstring(L, file, slash ? (size_t)(slash + 1 - file) : 0);
	lua_pushfstring(L, "%s%s", lua_tostring(L, -1), name);
	return lua_tostring(L, -1);
}

/* Is it a file's name rather than text? It has a slash or a suffix, and no blank. */
static bool looks_like_path(const char *text)
{
	const char *dot = strrchr(text, '.');

	if (strpbrk(text, " \t"))
		return false;
	return strchr(text, '/') || (dot && dot > text && isalpha((unsigned char)dot[1]));
}

/* Pushes the path if a file is meant; NULL: it is text. */
static const char *push_file(lua_State *L, const char *text, size_t length)
{
	struct stat found;
	const char *path;

	if (!length || length != strlen(text) || strchr(text, '\n'))
		return NULL;
	path = push_beside(L, text);
	if (stat(path, &found) == 0 && S_ISDIR(found.st_mode))
		fault_raise(L, "stdin: %s is a directory", path);
	if (stat(path, &found) == 0)
		return path;
	if (looks_like_path(text))
		fault_raise(L, "stdin: %s: %s (what is meant as a text ends with a newline)", path,
			    strerror(errno));
	return NULL;
}

/* core.stdin(text): a single line that names a file means that file, anything else is text. */
static int core_stdin(lua_State *L)
{
	size_t length;
	const char *text = luaL_checklstring(L, 1, &length), *path = push_file(L, text, length);
	struct given *g = given_of(L);

	if (path)
		text = lua_tolstring(L, -1, &length);
	base_free(g->input);
	g->input = base_alloc(1, length + 1);
	memcpy(g->input, text, length);
	g->input_length = length;
	g->input_is_file = path != NULL;
	return 0;
}

void script_open_given(lua_State *L)
{
	static const luaL_Reg functions[] = {
		{"env", core_env}, {"args", core_args}, {"stdin", core_stdin}, {NULL, NULL}};

	luaL_setfuncs(L, functions, 0);
}
