/* string.find, match, gmatch and gsub with patterns bounded by the budget. */
#include "lua/script_internal.h"
#include "lua/pattern.h"

#include <string.h>

/*
 * ---- captures ---------------------------------------------------------------------------------
 */

/* Pushes capture i, or the whole match if the pattern has no captures. */
static void push_capture(lua_State *L, const struct match *m, int i, const char *start,
			 const char *end)
{
	if (i >= m->count && i == 0)
		lua_pushlstring(L, start, (size_t)(end - start));
	else if (i >= m->count)
		luaL_error(L, "invalid capture index %%%d", i + 1);
	else if (m->captures[i].length == CAPTURE_POSITION)
		lua_pushinteger(L, m->captures[i].start - m->text + 1);
	else
		lua_pushlstring(L, m->captures[i].start, (size_t)m->captures[i].length);
}

/* Pushes all captures; with `whole`, the whole match if there are none. */
static int push_captures(lua_State *L, const struct match *m, bool whole, const char *start,
			 const char *end)
{
	int count = m->count == 0 && whole ? 1 : m->count;

	luaL_checkstack(L, count, "too many captures");
	for (int i = 0; i < count; i++)
		push_capture(L, m, i, start, end);
	return count;
}

/* ---- find and match -------------------------------------------------------------------------- */

/* Offset of the start; length + 1 if it is after the end. */
static size_t start_offset(lua_State *L, int index, size_t length)
{
	lua_Integer at = luaL_optinteger(L, index, 1);

	if (at > 0)
		return (lua_Unsigned)at - 1 > length ? length + 1 : (size_t)at - 1;
	if (at == 0 || at < -(lua_Integer)length)
		return 0;
	return length - (size_t)-at;
}

static int find_plain(lua_State *L, const char *text, size_t length, size_t from)
{
	size_t size;
	const char *what = luaL_checklstring(L, 2, &size);
	const char *at = size ? memmem(text + from, length - from, what, size) : text + from;

	if (!at) {
		lua_pushnil(L);
		return 1;
	}
	lua_pushinteger(L, at - text + 1);
	lua_pushinteger(L, at - text + (lua_Integer)size);
	return 2;
}

static bool is_plain(lua_State *L)
{
	size_t length;
	const char *p = luaL_checklstring(L, 2, &length);

	for (size_t i = 0; i < length; i++)
		if (p[i] && strchr("^$*+?.([%-", p[i]))
			return false;
	return true;
}

/* The first match from `at` on, with its *end; or NULL. */
static const char *strings_search(struct match *m, const char *at, const char **end)
{
	for (; at <= m->end; at++) {
		*end = pattern_match(m, at);
		if (*end)
			return at;
		if (pattern_anchored(m->pattern))
			return NULL;
	}
	return NULL;
}

static int find_or_match(lua_State *L, bool find)
{
	size_t length, size, from;
	const char *text = luaL_checklstring(L, 1, &length), *start, *end;
	const char *pattern = luaL_checklstring(L, 2, &size);
	struct match m;

	from = start_offset(L, 3, length);
	if (from <= length && find && (lua_toboolean(L, 4) || is_plain(L)))
		return find_plain(L, text, length, from);
	pattern_begin(&m, L, pattern_compile(L, pattern, size, true), text, length);
	start = from <= length ? strings_search(&m, text + from, &end) : NULL;
	if (!start) {
		lua_pushnil(L);
		return 1;
	}
	if (!find)
		return push_captures(L, &m, true, start, end);
	lua_pushinteger(L, start - text + 1);
	lua_pushinteger(L, end - text);
	return 2 + push_captures(L, &m, false, start, end);
}

static int strings_find(lua_State *L)
{
	return find_or_match(L, true);
}

static int match(lua_State *L)
{
	return find_or_match(L, false);
}

/* ---- gmatch ---------------------------------------------------------------------------------- */

struct walk {
	struct match match;
	const char *at, *last; /* start of the next search; end of the last match */
};

/*
 * Upvalues: subject, pattern's text, struct walk, pattern; they keep each other's pointers valid.
 */
static int walk_on(lua_State *L)
{
	struct walk *w = lua_touserdata(L, lua_upvalueindex(3));
	const char *start = w->at, *end;

	w->match.L = L;
	while ((start = strings_search(&w->match, start, &end))) {
		if (end != w->last) {
			w->at = w->last = end;
			return push_captures(L, &w->match, true, start, end);
		}
		start++;
	}
	w->at = w->match.end + 1;
	return 0;
}

static int gmatch(lua_State *L)
{
	size_t length, size, from;
	const char *text = luaL_checklstring(L, 1, &length);
	const char *pattern = luaL_checklstring(L, 2, &size);
	struct walk *w;

	from = start_offset(L, 3, length);
	lua_settop(L, 2);
	w = lua_newuserdatauv(L, sizeof(*w), 0);
	pattern_begin(&w->match, L, pattern_compile(L, pattern, size, false), text, length);
	w->at = text + from;
	w->last = NULL;
	lua_pushcclosure(L, walk_on, 4);
	return 1;
}

/* ---- gsub ------------------------------------------------------------------------------------ */

static void strings_add_text(lua_State *L, luaL_Buffer *b, const struct match *m, const char *start,
			     const char *end)
{
	size_t length;
	const char *by = lua_tolstring(L, 3, &length), *stop = by + length;

	for (; by < stop; by++) {
		if (*by != '%') {
			luaL_addchar(b, *by);
			continue;
		}
		by++;
		if (by == stop || (*by != '%' && (*by < '0' || *by > '9')))
			luaL_error(L, "invalid use of '%%' in replacement string");
		if (*by == '%') {
			luaL_addchar(b, '%');
		} else if (*by == '0') {
			luaL_addlstring(b, start, (size_t)(end - start));
		} else {
			push_capture(L, m, *by - '1', start, end);
			luaL_tolstring(L, -1, NULL);
			lua_remove(L, -2);
			luaL_addvalue(b);
		}
	}
}

/* Adds the replacement from a table or a function; false or nil keeps the match. */
static void strings_add_value(lua_State *L, luaL_Buffer *b, const struct match *m,
			      const char *start, const char *end)
{
	if (lua_isfunction(L, 3)) {
		lua_pushvalue(L, 3);
		lua_call(L, push_captures(L, m, true, start, end), 1);
	} else {
		push_capture(L, m, 0, start, end);
		lua_gettable(L, 3);
	}
	if (!lua_toboolean(L, -1)) {
		lua_pop(L, 1);
		luaL_addlstring(b, start, (size_t)(end - start));
	} else if (lua_isstring(L, -1)) {
		luaL_addvalue(b);
	} else {
		luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
	}
}

static lua_Integer replace_all(lua_State *L, luaL_Buffer *b, struct match *m, lua_Integer most)
{
	const char *at = m->text, *last = NULL;
	lua_Integer count = 0;

	while (count < most) {
		const char *end = pattern_match(m, at);

		if (end && end != last) {
			count++;
			if (lua_type(L, 3) == LUA_TSTRING)
				strings_add_text(L, b, m, at, end);
			else
				strings_add_value(L, b, m, at, end);
			at = last = end;
		} else if (at < m->end) {
			luaL_addchar(b, *at);
			at++;
		} else {
			break;
		}
		if (pattern_anchored(m->pattern))
			break;
	}
	luaL_addlstring(b, at, (size_t)(m->end - at));
	return count;
}

static int gsub(lua_State *L)
{
	size_t length, size;
	const char *text = luaL_checklstring(L, 1, &length);
	const char *pattern = luaL_checklstring(L, 2, &size);
	int type = lua_type(L, 3);
	lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)length + 1);
	struct match m;
	luaL_Buffer b;

	luaL_argexpected(L,
			 type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TTABLE ||
				 type == LUA_TFUNCTION,
			 3, "string/function/table");
	if (type == LUA_TNUMBER)
		lua_tostring(L, 3);
	lua_settop(L, 4);
	pattern_begin(&m, L, pattern_compile(L, pattern, size, true), text, length);
	luaL_buffinit(L, &b);
	most = replace_all(L, &b, &m, most);
	luaL_pushresult(&b);
	lua_pushinteger(L, most);
	return 2;
}

void script_open_strings(lua_State *L)
{
	static const luaL_Reg functions[] = {
		{"find", strings_find}, {"match", match}, {"gmatch", gmatch},
		{"gsub", gsub},		{NULL, NULL},
	};

	lua_getglobal(L, LUA_STRLIBNAME);
	luaL_setfuncs(L, functions, 0);
	lua_pop(L, 1);
}
