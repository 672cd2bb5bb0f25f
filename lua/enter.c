/* Into Lua and out again: every call is protected, has its budget, and its fault a position. */
#include "lua/script_internal.h"

/* What went wrong, with the call's own position where the message has none. */
static void take_fault(struct call *c, lua_State *L, int status, struct error *err)
{
	const struct budget *b = &c->script->budget;
	const char *text = status != LUA_OK && lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1)
									      : "(no message)";

	if (b->fatal)
		text = b->text;
	else if (status == LUA_ERRMEM)
		text = budget_too_big;
	if (b->failed && !b->placed && c->source)
		error_set(err, ERROR_FAILED, "%s (%s)", text, c->source);
	else if (b->failed)
		error_set(err, ERROR_FAILED, "%s", text);
	else if (!c->source || fault_has_position(L, text))
		error_set(err, ERROR_SCRIPT, "%s", text);
	else
		error_set(err, ERROR_SCRIPT, "%s: %s", c->source, text);
}

static int protect(struct call *c, lua_State *L)
{
	int handler = lua_gettop(L) + 1;

	if (!lua_checkstack(L, LUA_MINSTACK))
		return LUA_ERRMEM;
	lua_pushcfunction(L, fault_message);
	lua_pushcfunction(L, c->body);
	lua_pushlightuserdata(L, c);
	return lua_pcall(L, 1, 0, handler);
}

int script_enter(struct call *c, struct error *err)
{
	struct script *s = c->script;
	lua_State *L = s->running;
	enum script_mode mode = s->mode;
	struct engine_thread *thread = s->thread;
	const struct arrival *arrival = s->arrival;
	int top = lua_gettop(L), status, result = 0;

	if (s->depth++ == 0) {
		s->entries++;
		budget_begin(s);
		alarm_watch(s);
	}
	s->mode = c->mode;
	s->thread = c->arrival ? c->arrival->thread : thread;
	s->arrival = c->arrival ? c->arrival : arrival;
	status = protect(c, L);
	if (status != LUA_OK || s->budget.fatal) {
		take_fault(c, L, status, err);
		result = -1;
	}
	lua_settop(L, top);
	s->running = L;
	s->thread = thread;
	s->arrival = arrival;
	s->mode = mode;
	if (--s->depth == 0)
		alarm_watch(NULL);
	return result;
}

int script_call(lua_State *L, int args, int results)
{
	int f = lua_gettop(L) - args, status;
	lua_Debug ar;

	lua_pushvalue(L, f);
	lua_pushcfunction(L, fault_message);
	lua_rotate(L, f, 2); /* the function again, handler, function, arguments */
	status = lua_pcall(L, args, results, f + 1);
	lua_remove(L, f + 1);
	if (status == LUA_ERRMEM) {
		lua_pop(L, 1);
		lua_pushstring(L, budget_too_big);
	}
	if (status != LUA_OK && !fault_has_position(L, lua_tostring(L, -1))) {
		lua_pushvalue(L, f);
		lua_getinfo(L, ">S", &ar);
		lua_pushfstring(L, "%s:%d: ", ar.source + 1, ar.linedefined ? ar.linedefined : 1);
		lua_insert(L, -2);
		if (ar.source[0] == '@')
			lua_concat(L, 2);
		else
			lua_remove(L, -2);
	}
	lua_remove(L, f);
	return status;
}

/* ---- what the host is told ---------------------------------------------------------------------- */

void script_asking(struct script *s, const struct arrival *a)
{
	if (s->host.program.asking)
		s->host.program.asking(s->host.program.ctx, a);
}

void script_answered(struct script *s)
{
	if (s->host.program.answered)
		s->host.program.answered(s->host.program.ctx);
}

static bool is_dying(const struct script *s, const struct arrival *a)
{
	const struct script_program *p = &s->host.program;

	return !s->budget.fatal && a && p->dying && p->dying(p->ctx, a);
}

enum engine_answer script_answer(const struct call *c, int result)
{
	if (result == 0)
		return c->answer;
	return is_dying(c->script, c->arrival) ? ENGINE_GONE : ENGINE_FAULT;
}
