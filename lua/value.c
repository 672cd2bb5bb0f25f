/*
 * Values: the host's answers become Lua values, a script's values become the host's.
 *
 * An object is a userdata with the bytes of a program_value. It owns no memory and has no hit: it
 * is a location in the program, which a script may keep.
 */
#include "lua/script_internal.h"

#include <string.h>

#define OBJECT "object"

/* ---- reading --------------------------------------------------------------------------------- */

struct asked *value_ask(lua_State *L)
{
	struct asked *a = &script_of(L)->asked;

	program_value_fini(&a->value);
	memset(&a->value, 0, sizeof(a->value));
	str_fini(&a->text);
	error_fini(&a->err);
	return a;
}

int value_raise(lua_State *L)
{
	const struct error *err = &script_of(L)->asked.err;

	return fault_raise(L, "%s%s%s", error_text(err), err->hint ? "; " : "",
			   err->hint ? err->hint : "");
}

const struct script_program *value_program(lua_State *L, const char *what)
{
	const struct script_program *p = &script_of(L)->host.program;

	if (!p->variable)
		fault_raise(L, "%s: not available here", what);
	return p;
}

static void push_object(lua_State *L, const struct program_value *v)
{
	memcpy(lua_newuserdatauv(L, PROGRAM_OBJECT, 0), v->object, PROGRAM_OBJECT);
	luaL_setmetatable(L, OBJECT);
}

static void value_push_text(lua_State *L, struct str *text)
{
	lua_pushlstring(L, str_text(text), text->length);
	str_fini(text);
}

int value_answer(lua_State *L, int result)
{
	struct program_value *v = &script_of(L)->asked.value;

	if (result < 0)
		return value_raise(L);
	switch (v->kind) {
	case PROGRAM_NIL:
		lua_pushnil(L);
		break;
	case PROGRAM_BOOL:
		lua_pushboolean(L, v->integer != 0);
		break;
	case PROGRAM_INTEGER:
		lua_pushinteger(L, v->integer);
		break;
	case PROGRAM_ENUM:
		enum_push(L, v->integer, v->name);
		break;
	case PROGRAM_NUMBER:
		lua_pushnumber(L, v->number);
		break;
	case PROGRAM_TEXT:
		value_push_text(L, &v->text);
		break;
	case PROGRAM_THING:
		push_object(L, v);
		break;
	}
	return 1;
}

/* ---- writing --------------------------------------------------------------------------------- */

void value_check_writing(lua_State *L, const char *what)
{
	if (script_of(L)->mode == SCRIPT_PURE)
		budget_fatal(L, lua_pushfstring(L,
						"%s: this function can only read; to write the "
						"program's variables use :run",
						what));
}

void value_take(lua_State *L, int index, struct program_value *out)
{
	const void *object;

	memset(out, 0, sizeof(*out));
	switch (lua_type(L, index)) {
	case LUA_TNIL:
		out->kind = PROGRAM_NIL;
		return;
	case LUA_TBOOLEAN:
		out->kind = PROGRAM_BOOL;
		out->integer = lua_toboolean(L, index);
		return;
	case LUA_TNUMBER:
		out->kind = lua_isinteger(L, index) ? PROGRAM_INTEGER : PROGRAM_NUMBER;
		out->integer = lua_isinteger(L, index) ? lua_tointeger(L, index) : 0;
		out->number = lua_tonumber(L, index);
		return;
	case LUA_TSTRING:
		out->kind = PROGRAM_TEXT;
		out->text.text = (char *)lua_tolstring(L, index, &out->text.length);
		return;
	default:
		object = luaL_testudata(L, index, OBJECT);
		if (!object)
			fault_raise(L, "%s cannot be converted to a value of the program",
				    fault_push_kind(L, index));
		out->kind = PROGRAM_THING;
		memcpy(out->object, object, PROGRAM_OBJECT);
	}
}

const char *value_check_name(lua_State *L, int index, const char *who)
{
	size_t length;
	const char *name;

	if (lua_type(L, index) != LUA_TSTRING)
		fault_raise(L, "%s: expected a string, got %s", who, fault_push_kind(L, index));
	name = lua_tolstring(L, index, &length);
	if (strlen(name) != length)
		fault_raise(L, "%s: the string has a zero byte in it", who);
	return name;
}

/* ---- objects --------------------------------------------------------------------------------- */

static const void *check_object(lua_State *L, const char *method)
{
	const void *object = luaL_testudata(L, 1, OBJECT);

	if (!object)
		fault_raise(L,
			    "%s: expected an object of the program, got %s (call it with a colon)",
			    method, fault_push_kind(L, 1));
	return object;
}

static int object_string(lua_State *L)
{
	const struct script_program *p = value_program(L, OBJECT);
	const void *object = check_object(L, "string");
	struct asked *a = value_ask(L);

	if (p->string(p->ctx, object, &a->text, &a->err) < 0)
		return value_raise(L);
	value_push_text(L, &a->text);
	return 1;
}

static int object_address(lua_State *L)
{
	const struct script_program *p = value_program(L, OBJECT);
	const void *object = check_object(L, "address");
	struct asked *a = value_ask(L);
	uint64_t address;

	if (p->address(p->ctx, object, &address, &a->err) < 0)
		return value_raise(L);
	lua_pushinteger(L, (lua_Integer)address);
	return 1;
}

/* A member of a struct that is named like a method hides the method. */
static int push_field(lua_State *L, const void *object, const char *name)
{
	const struct script_program *p = value_program(L, OBJECT);
	bool string = strcmp(name, "string") == 0, address = strcmp(name, "address") == 0;
	struct asked *a = value_ask(L);
	int result;

	result = p->field(p->ctx, object, name, &a->value, &a->err);
	if (result == 0 || (!string && !address))
		return value_answer(L, result);
	lua_pushcfunction(L, string ? object_string : object_address);
	return 1;
}

static lua_Integer check_element(lua_State *L)
{
	int is_integer;
	lua_Integer i = lua_type(L, 2) == LUA_TNUMBER ? lua_tointegerx(L, 2, &is_integer)
						      : (is_integer = 0);

	if (!is_integer)
		fault_raise(L,
			    "an object has fields by name and elements by number, counted from 0");
	return i;
}

static int object_index(lua_State *L)
{
	const struct script_program *p = value_program(L, OBJECT);
	const void *object = check_object(L, "index");
	struct asked *a;
	lua_Integer i;

	if (lua_type(L, 2) == LUA_TSTRING)
		return push_field(L, object, value_check_name(L, 2, "field"));
	i = check_element(L);
	a = value_ask(L);
	return value_answer(L, p->element(p->ctx, object, i, &a->value, &a->err));
}

static int object_newindex(lua_State *L)
{
	const struct script_program *p = value_program(L, OBJECT);
	const void *object = check_object(L, "index");
	bool field = lua_type(L, 2) == LUA_TSTRING;
	const char *name = field ? value_check_name(L, 2, "field") : "an element";
	lua_Integer i = field ? 0 : check_element(L);
	struct program_value from;
	struct asked *a = value_ask(L);
	int result;

	value_check_writing(L, name);
	value_take(L, 3, &from);
	result = field ? p->set_field(p->ctx, object, name, &from, &a->err)
		       : p->set_element(p->ctx, object, i, &from, &a->err);
	return result < 0 ? value_raise(L) : 0;
}

static int object_length(lua_State *L)
{
	const struct script_program *p = value_program(L, OBJECT);
	const void *object = check_object(L, "#");
	struct asked *a = value_ask(L);
	int64_t length;

	if (p->length(p->ctx, object, &length, &a->err) < 0)
		return value_raise(L);
	lua_pushinteger(L, length);
	return 1;
}

static int object_text(lua_State *L)
{
	const struct script_program *p = value_program(L, OBJECT);
	const void *object = check_object(L, "tostring");
	struct asked *a = value_ask(L);

	p->describe(p->ctx, object, &a->text);
	value_push_text(L, &a->text);
	return 1;
}

static int object_concat(lua_State *L)
{
	luaL_tolstring(L, 1, NULL);
	luaL_tolstring(L, 2, NULL);
	lua_concat(L, 2);
	return 1;
}

static int object_same(lua_State *L)
{
	const struct script_program *p = value_program(L, OBJECT);
	const void *a = luaL_testudata(L, 1, OBJECT), *b = luaL_testudata(L, 2, OBJECT);

	lua_pushboolean(L, a && b && p->same(p->ctx, a, b));
	return 1;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* Upvalue 1: number of elements. Upvalue 2: number of elements returned so far. */
static int next_element(lua_State *L)
{
	const struct script_program *p = value_program(L, OBJECT);
	const void *object = check_object(L, "pairs");
	lua_Integer i = lua_tointeger(L, lua_upvalueindex(2));
	struct asked *a = value_ask(L);
	int answer;

	if (i >= lua_tointeger(L, lua_upvalueindex(1)))
		return 0;
	lua_pushinteger(L, i + 1);
	lua_replace(L, lua_upvalueindex(2));
	answer = p->nth(p->ctx, object, (uint64_t)i, true, &a->value, &a->err);
	if (answer == 0)
		lua_pushinteger(L, i);
	else
		value_answer(L, answer);
	a = value_ask(L);
	return 1 + value_answer(L, p->nth(p->ctx, object, (uint64_t)i, false, &a->value, &a->err));
}

/* Upvalue 1: number of members returned so far. */
static int next_member(lua_State *L)
{
	const struct script_program *p = value_program(L, OBJECT);
	const void *object = check_object(L, "pairs");
	lua_Integer i = lua_tointeger(L, lua_upvalueindex(1));
	const char *name = p->member(p->ctx, object, (size_t)i);
	struct asked *a = value_ask(L);

	if (!name)
		return 0;
	lua_pushinteger(L, i + 1);
	lua_replace(L, lua_upvalueindex(1));
	lua_pushstring(L, name);
	name = lua_tostring(L, -1);
	return 1 + value_answer(L, p->field(p->ctx, object, name, &a->value, &a->err));
}

/* Iterates over the elements of an object with a length, else over its members. */
static int object_pairs(lua_State *L)
{
	const struct script_program *p = value_program(L, OBJECT);
	const void *object = check_object(L, "pairs");
	struct asked *a = value_ask(L);
	int64_t length = 0;
	bool elements = p->length(p->ctx, object, &length, &a->err) == 0;

	/* An array of unknown length has no members, but it is not empty. */
	if (!elements && !p->member(p->ctx, object, 0) &&
	    p->element(p->ctx, object, 0, &a->value, &a->err) == 0)
		return luaL_error(L, "the number of elements is not known");

	lua_pushinteger(L, elements ? length : 0);
	lua_pushinteger(L, 0);
	lua_pushcclosure(L, elements ? next_element : next_member, 2);
	lua_pushvalue(L, 1);
	lua_pushnil(L);
	return 3;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* ("x"):string() is "x": a std::string is a Lua string, a char pointer is an object. */
static int text_string(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TSTRING);
	lua_settop(L, 1);
	return 1;
}

/* Upvalue 1: the message, in which %s is the field. */
static int cannot_set(lua_State *L)
{
	return fault_raise(L, lua_tostring(L, lua_upvalueindex(1)), luaL_tolstring(L, 2, NULL));
}

void value_new_type(lua_State *L, const char *name, const luaL_Reg *functions,
		    const char *read_only)
{
	luaL_newmetatable(L, name);
	luaL_setfuncs(L, functions, 0);
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	if (read_only) {
		lua_pushstring(L, read_only);
		lua_pushcclosure(L, cannot_set, 1);
		lua_setfield(L, -2, "__newindex");
	}
	lua_pop(L, 1);
}

void value_open(lua_State *L)
{
	static const luaL_Reg of_object[] = {
		{"__index", object_index},   {"__newindex", object_newindex},
		{"__len", object_length},    {"__tostring", object_text},
		{"__concat", object_concat}, {"__eq", object_same},
		{"__pairs", object_pairs},   {NULL, NULL},
	};

	value_new_type(L, OBJECT, of_object, NULL);
	lua_getglobal(L, LUA_STRLIBNAME);
	lua_pushcfunction(L, text_string);
	lua_setfield(L, -2, "string");
	lua_pop(L, 1);
}
