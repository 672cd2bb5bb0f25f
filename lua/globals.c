/*
 * Global variables. Reading an unset global is an error, as it is most likely misspelt, unless the
 * script sets it somewhere or tests whether it exists. These names are collected from the bytecode
 * of each chunk.
 */
#include "lua/bytecode.h"

#include "lua/script_internal.h"
#include "tracer/base/text/suggest.h"

#include <stdio.h>
#include <string.h>

static const char names_key; /* registry: name -> true: reads as nil until it is set */

/*
 * ---- collecting names -------------------------------------------------------------------------
 */

static const struct bytecode_constant *globals_constant(const struct bytecode *f, size_t i)
{
	return i < f->constant_count ? &f->constants[i] : NULL;
}

/* Access to a global by an instruction. */
struct access {
	const struct bytecode_constant *name; /* NULL: the instruction accesses none */
	bool reads;
	unsigned into; /* register that receives the value */
	size_t behind; /* number of the next instruction */
};

/* Access with a name that does not fit into an instruction: _ENV and the name are loaded first. */
static struct access access_far(const struct bytecode *f, size_t pc, unsigned env)
{
	struct bytecode_instruction load, get;

	if (!bytecode_fetch(f, pc + 1, &load) || load.op != OP_LOADK ||
	    !bytecode_fetch(f, pc + 2, &get))
		return (struct access){.name = NULL};
	return (struct access){.name = globals_constant(f, load.bx),
			       .reads = get.op == OP_GETTABLE && get.b == env && get.c == load.a,
			       .into = get.a,
			       .behind = pc + 3};
}

static struct access access_at(const struct bytecode *f, size_t pc)
{
	struct bytecode_instruction i;

	if (!bytecode_fetch(f, pc, &i))
		return (struct access){.name = NULL};
	if (i.op == OP_SETTABUP && (int)i.a == f->globals)
		return (struct access){.name = globals_constant(f, i.b)};
	if (i.op == OP_GETTABUP && (int)i.b == f->globals)
		return (struct access){globals_constant(f, i.c), true, i.a, pc + 1};
	if (i.op == OP_GETUPVAL && (int)i.b == f->globals)
		return access_far(f, pc, i.a);
	return (struct access){.name = NULL};
}

/* True if the register is only tested for nil (or false). */
static bool is_tested(const struct bytecode *f, size_t pc, unsigned r)
{
	struct bytecode_instruction i, next;
	const struct bytecode_constant *with;

	if (!bytecode_fetch(f, pc, &i))
		return false;
	switch (i.op) {
	case OP_TEST:
		return i.a == r;
	case OP_TESTSET:
	case OP_NOT:
		return i.b == r;
	case OP_EQK:
		with = globals_constant(f, i.b);
		return i.a == r && with && with->kind == BYTECODE_NIL;
	case OP_LOADNIL: /* emitted if nil does not fit as a constant operand */
		return bytecode_fetch(f, pc + 1, &next) && next.op == OP_EQ && next.a == r &&
		       next.b == i.a;
	default:
		return false;
	}
}

struct global_names {
	lua_State *L;
	int table; /* stack index */
};

static void note_function(void *ctx, const struct bytecode *f)
{
	const struct global_names *names = ctx;

	for (size_t pc = 0; pc < f->length; pc++) {
		struct access a = access_at(f, pc);

		if (!a.name || a.name->kind != BYTECODE_TEXT ||
		    (a.reads && !is_tested(f, a.behind, a.into)))
			continue;
		budget_step(names->L);
		lua_pushlstring(names->L, a.name->text, a.name->length);
		lua_pushboolean(names->L, 1);
		lua_rawset(names->L, names->table);
	}
}

void globals_note(lua_State *L)
{
	int top = lua_gettop(L);
	size_t length;
	const char *dump = bytecode_push_dump(L, true, &length);
	struct global_names names = {L, top + 2};

	if (dump) {
		lua_rawgetp(L, LUA_REGISTRYINDEX, &names_key);
		bytecode_visit(L, dump, length, note_function, &names);
	}
	lua_settop(L, top);
}

/* ---- "did you mean" -------------------------------------------------------------------------- */

enum { TEXT_MAX = 256 };

/* Pushes a copy: Lua may raise an error, so no memory may be held meanwhile. */
static void push(lua_State *L, struct suggestions *s)
{
	char copy[TEXT_MAX];
	struct str text = {0};

	suggest_take(s, &text);
	snprintf(copy, sizeof(copy), "%s", str_text(&text));
	str_fini(&text);
	lua_pushstring(L, copy);
}

static void lua_suggest_offer(lua_State *L, struct suggestions *s)
{
	if (lua_type(L, -1) == LUA_TSTRING)
		suggest_offer(s, lua_tostring(L, -1));
}

/* core.like(word, {name, ...}): "; did you mean NAME?", or "" */
static int core_like(lua_State *L)
{
	struct suggestions s = {.wanted = luaL_checkstring(L, 1)};

	luaL_checktype(L, 2, LUA_TTABLE);
	luaL_checkstack(L, 4, NULL);
	for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1))
		lua_suggest_offer(L, &s);
	push(L, &s);
	return 1;
}

static void offer_globals(lua_State *L, struct suggestions *s)
{
	lua_pushglobaltable(L);
	for (lua_pushnil(L); lua_next(L, -2);) {
		lua_pop(L, 1);
		lua_suggest_offer(L, s);
	}
	lua_pop(L, 1);
}

/* Offers local variables and upvalues of the running function; "(" begins Lua's internal names. */
static void offer_locals(lua_State *L, struct suggestions *s)
{
	lua_Debug ar;
	const char *name;

	if (!lua_getstack(L, 1, &ar))
		return;
	for (int i = 1; (name = lua_getlocal(L, &ar, i)); i++) {
		lua_pop(L, 1);
		if (name[0] != '(')
			suggest_offer(s, name);
	}
	if (!lua_getinfo(L, "f", &ar))
		return;
	for (int i = 1; (name = lua_getupvalue(L, -1, i)); i++) {
		lua_pop(L, 1);
		if (name[0] && strcmp(name, "_ENV") != 0)
			suggest_offer(s, name);
	}
	lua_pop(L, 1);
}

static const char *script_push_like_name(lua_State *L, const char *name)
{
	struct suggestions s = {.wanted = name};

	luaL_checkstack(L, 4, NULL);
	if (name[0] && name[1]) { /* any letter resembles any other */
		offer_locals(L, &s);
		offer_globals(L, &s);
	}
	push(L, &s);
	return lua_tostring(L, -1);
}

void script_open_like(lua_State *L)
{
	lua_pushcfunction(L, core_like);
	lua_setfield(L, -2, "like");
}

/*
 * ---- reading ----------------------------------------------------------------------------------
 */

static bool is_noted(lua_State *L, int name)
{
	bool found;

	lua_rawgetp(L, LUA_REGISTRYINDEX, &names_key);
	lua_pushvalue(L, name);
	found = lua_rawget(L, -2) != LUA_TNIL;
	lua_pop(L, 2);
	return found;
}

static int undefined(lua_State *L)
{
	static const char *const known[] = {"io",     "os",	  "debug", "package",
					    "dofile", "loadfile", NULL};
	const char *name;

	if (is_noted(L, 2)) {
		lua_pushnil(L);
		return 1;
	}
	name = luaL_tolstring(L, 2, NULL);
	for (size_t i = 0; known[i]; i++)
		if (strcmp(name, known[i]) == 0)
			return fault_raise(L, "undefined name '%s' (not available in gate scripts)",
					   name);
	return fault_raise(L, "undefined name '%s'%s", name, script_push_like_name(L, name));
}

void globals_open(lua_State *L)
{
	lua_newtable(L);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &names_key);
	lua_pushglobaltable(L);
	lua_newtable(L);
	lua_pushcfunction(L, undefined);
	lua_setfield(L, -2, "__index");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_setmetatable(L, -2);
	lua_pop(L, 1);
}
