/* Lua source files: the script and the modules that it requires; load() for text only. */
#include "lua/script_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define FILE_LIMIT (64u << 20)
#define PIECE	   (64u << 10) /* bytes compiled between two checks of the clock */

static const char modules_key; /* registry: path -> result of the module */

static char *load_read_all(int fd, size_t *length)
{
	size_t capacity = 4096;
	char *text = base_alloc(1, capacity + 1);
	ssize_t n;

	*length = 0;
	while ((n = read(fd, text + *length, capacity - *length)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || *length + (size_t)n > FILE_LIMIT) {
			errno = n < 0 ? errno : EFBIG;
			base_free(text);
			return NULL;
		}
		*length += (size_t)n;
		if (*length == capacity) {
			char *more = base_alloc(2, capacity + 1);

			memcpy(more, text, *length);
			base_free(text);
			text = more;
			capacity *= 2;
		}
	}
	return text;
}

char *script_read_file(const char *path, size_t *length, const char **what)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), saved;
	char *text;

	*what = "cannot open";
	if (fd < 0)
		return NULL;
	*what = "cannot read";
	text = load_read_all(fd, length);
	saved = errno;
	close(fd);
	errno = saved;
	return text;
}

int script_enter_file(struct script *s, const char *path, lua_CFunction body, const char *hint,
		      struct error *err)
{
	struct call c = {.script = s, .body = body, .path = path, .source = path};
	const char *what;
	char *text = script_read_file(path, &c.length, &what);
	int result;

	if (!text) {
		error_errno(err, ERROR_SCRIPT, "%s: %s", path, what);
		return error_hint(err, "%s", hint);
	}
	c.text = text;
	result = script_enter(&c, err);
	base_free(text);
	return result;
}

/* Length of a byte order mark and a #! line before the text. */
static size_t skip_front(const char *text, size_t length)
{
	size_t n = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;

	if (n < length && text[n] == '#')
		while (n < length && text[n] != '\n')
			n++;
	return n;
}

int script_load_chunk(lua_State *L, const char *path, const char *text, size_t length)
{
	size_t front = skip_front(text, length);
	int status;

	fault_add_file(L, path);
	lua_pushfstring(L, "@%s", path);
	status = luaL_loadbufferx(L, text + front, length - front, lua_tostring(L, -1), "t");
	if (status == LUA_OK)
		globals_note(L);
	return status;
}

/* ---- require --------------------------------------------------------------------------------- */

/*
 * True if no part of the name is empty: "/tmp/mod", "../mod" or "./mod" may lead to other folders.
 */
static bool stays_beside(const char *name)
{
	bool empty = true;

	for (; *name; name++) {
		bool ends = *name == '.' || *name == '/';

		if (ends && empty)
			return false;
		empty = ends;
	}
	return true;
}

/*
 * Pushes the path of a module: in the folder of the file that requires it, with a subfolder for
 * each dot.
 */
static const char *push_path(lua_State *L, const char *name)
{
	const char *file, *slash;

	if (!stays_beside(name))
		fault_raise(L,
			    "module '%s': only files beside the script can be required, by names "
			    "as mod and sub.mod",
			    name);
	if (!fault_push_where(L, L))
		fault_raise(L, "require: not called by a file");
	file = lua_tostring(L, -1);
	slash = strrchr(file, '/');
	lua_pushlstring(L, file, slash ? (size_t)(slash + 1 - file) : 0);
	luaL_gsub(L, name, ".", "/");
	lua_pushfstring(L, "%s%s.lua", lua_tostring(L, -2), lua_tostring(L, -1));
	lua_replace(L, -4);
	lua_pop(L, 2);
	return lua_tostring(L, -1);
}

/* Pushes the chunk. No Lua error can occur between reading the text and freeing it. */
static void push_module(lua_State *L, const char *name, const char *path)
{
	const char *what;
	size_t length, front;
	char *text;
	int status;

	fault_add_file(L, path);
	lua_pushfstring(L, "@%s", path);
	text = script_read_file(path, &length, &what);
	if (!text && errno == ENOENT)
		fault_raise(L, "module '%s' not found: tried %s", name, path);
	if (!text)
		fault_raise(L, "module '%s': %s: %s: %s", name, path, what, strerror(errno));
	front = skip_front(text, length);
	status = luaL_loadbufferx(L, text + front, length - front, lua_tostring(L, -1), "t");
	base_free(text);
	if (status != LUA_OK && !fault_has_position(L, lua_tostring(L, -1)))
		fault_raise(L, "module '%s': %s: %s", name, path, lua_tostring(L, -1));
	if (status != LUA_OK)
		lua_error(L);
	globals_note(L);
}

/* Runs the module whose chunk is on top; modules[path] marks it as being loaded meanwhile. */
static int run_module(lua_State *L)
{
	int status;

	lua_pushlightuserdata(L, (void *)&modules_key);
	lua_setfield(L, 3, lua_tostring(L, 2));
	lua_pushvalue(L, 1);
	lua_pushvalue(L, 2);
	status = script_call(L, 2, 1);
	if (status == LUA_OK && lua_isnil(L, -1)) {
		lua_pushboolean(L, 1);
		lua_replace(L, -2);
	}
	if (status == LUA_OK)
		lua_pushvalue(L, -1);
	else
		lua_pushnil(L);
	lua_setfield(L, 3, lua_tostring(L, 2));
	return status == LUA_OK ? 1 : lua_error(L);
}

static int require(lua_State *L)
{
	const char *name = luaL_checkstring(L, 1), *path;

	lua_settop(L, 1);
	if (name[0] == '\0')
		return fault_raise(L, "require: the name is empty");
	path = push_path(L, name);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &modules_key); /* 1 name, 2 path, 3 modules */
	if (lua_getfield(L, 3, path) == LUA_TLIGHTUSERDATA)
		return fault_raise(L, "module '%s' requires itself through other modules", name);
	if (!lua_isnil(L, -1))
		return 1;
	push_module(L, name, path);
	return run_module(L);
}

/*
 * Reader of load(): a long text is compiled in pieces, so that the budget bounds the compiler too.
 */
static int next_piece(lua_State *L)
{
	lua_Integer at = lua_tointeger(L, lua_upvalueindex(2));
	size_t length;
	const char *text = lua_tolstring(L, lua_upvalueindex(1), &length);

	budget_check(L);
	length -= (size_t)at;
	if (length > PIECE)
		length = PIECE;
	lua_pushinteger(L, at + (lua_Integer)length);
	lua_replace(L, lua_upvalueindex(2));
	lua_pushlstring(L, text + at, length);
	return 1;
}

static void read_in_pieces(lua_State *L)
{
	lua_pushvalue(L, 1);
	if (lua_isnil(L, 2)) { /* the name of a chunk without one is its text */
		lua_pushvalue(L, 1);
		lua_replace(L, 2);
	}
	lua_pushinteger(L, 0);
	lua_pushcclosure(L, next_piece, 2);
	lua_replace(L, 1);
}

/* load(chunk, name, mode, env): upvalue 1 is Lua's load; the mode is always text */
static int load_text_only(lua_State *L)
{
	int args = lua_gettop(L);

	luaL_checkany(L, 1);
	if (args < 3)
		lua_settop(L, 3);
	if (lua_type(L, 1) == LUA_TSTRING && lua_rawlen(L, 1) > PIECE)
		read_in_pieces(L);
	lua_pushliteral(L, "t");
	lua_replace(L, 3);
	args = lua_gettop(L);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, args, LUA_MULTRET);
	if (script_of(L)->budget.fatal)
		return budget_fatal(L, "");
	if (lua_gettop(L) == 1)
		globals_note(L);
	return lua_gettop(L);
}

void script_open_load(lua_State *L)
{
	lua_getglobal(L, "load");
	lua_pushcclosure(L, load_text_only, 1);
	lua_setglobal(L, "load");
	lua_newtable(L);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &modules_key);
	lua_pushcfunction(L, require);
	lua_setglobal(L, "require");
}
