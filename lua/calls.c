/* Callbacks of the engine: conditions, the script's gate types, the text of a :log. */
#include "lua/script_internal.h"

static const char *source_of(const struct arrival *a)
{
	return a && a->place ? a->place->source : NULL;
}

/* Calls a pure function. */
static enum engine_answer calls_ask(struct call *c, struct error *err)
{
	int result;

	script_asking(c->script, c->arrival);
	result = script_enter(c, err);
	script_answered(c->script);
	if (result < 0 && script_met_change(c->script)) {
		error_fini(err);
		return ENGINE_NO;
	}
	return script_answer(c, result);
}

/* Calls the function at index `f` with (self, hit) or (hit), and then ends the hit. */
static void call_with_hit(lua_State *L, const struct call *c, int self, int f)
{
	struct script_hit *h = script_push_hit(L, c->arrival);
	int status;

	lua_pushvalue(L, f);
	if (self)
		lua_pushvalue(L, self);
	lua_pushvalue(L, self ? -3 : -2);
	status = script_call(L, self ? 2 : 1, 1);
	h->arrival = NULL;
	if (status != LUA_OK)
		lua_error(L);
}

static int body_when(lua_State *L)
{
	struct call *c = lua_touserdata(L, 1);

	lua_rawgeti(L, LUA_REGISTRYINDEX, c->ref);
	call_with_hit(L, c, 0, 2);
	c->answer = lua_toboolean(L, -1) ? ENGINE_YES : ENGINE_NO;
	return 0;
}

enum engine_answer script_on_when(void *ctx, int ref, const struct arrival *a, struct error *err)
{
	struct call c = {.script = ctx,
			 .body = body_when,
			 .mode = SCRIPT_PURE,
			 .ref = ref,
			 .arrival = a,
			 .source = source_of(a)};

	return calls_ask(&c, err);
}

/*
 * True if the upvalue on top may reach the gate: any gate may be reached through a table or
 * function, and globals are in a table.
 */
static bool leads_to(lua_State *L, const struct gate *g)
{
	const struct gate *held = script_to_gate(L, -1);

	if (held)
		return held == g || held->kind == GATE_CUSTOM;
	return lua_type(L, -1) > LUA_TSTRING;
}

bool script_may_open(void *ctx, int ref, const struct gate *g)
{
	struct script *s = ctx;
	int top = s->L ? lua_gettop(s->L) : 0;
	bool may = false;

	if (!s->L || !lua_checkstack(s->L, 8))
		return true;
	lua_rawgeti(s->L, LUA_REGISTRYINDEX, ref);
	for (int i = 1; !may && lua_getupvalue(s->L, top + 1, i); i++) {
		may = leads_to(s->L, g);
		lua_pop(s->L, 1);
	}
	lua_settop(s->L, top);
	return may;
}

/* ---- gate types ------------------------------------------------------------------------------ */

/*
 * Pushes the gate's table (index 2) and the method of its type (index 3). Returns false if there is
 * none.
 */
static bool push_method(lua_State *L, const struct gate *g, const char *name)
{
	lua_rawgeti(L, LUA_REGISTRYINDEX, g->script_ref);
	return lua_getfield(L, -1, name) == LUA_TFUNCTION;
}

static int body_ready(lua_State *L)
{
	struct call *c = lua_touserdata(L, 1);

	if (!push_method(L, c->gate, "ready"))
		return luaL_error(L, "gate '%s': its type %s has no function ready", c->gate->name,
				  c->gate->type);
	call_with_hit(L, c, 2, 3);
	c->answer = lua_toboolean(L, -1) ? ENGINE_YES : ENGINE_NO;
	return 0;
}

static int body_passed(lua_State *L)
{
	struct call *c = lua_touserdata(L, 1);

	c->answer = ENGINE_YES;
	if (push_method(L, c->gate, "passed"))
		call_with_hit(L, c, 2, 3);
	return 0;
}

static int body_opened(lua_State *L)
{
	struct call *c = lua_touserdata(L, 1);

	c->answer = ENGINE_YES;
	if (!push_method(L, c->gate, "opened"))
		return 0;
	lua_insert(L, 2); /* function, self */
	return script_call(L, 1, 0) == LUA_OK ? 0 : lua_error(L);
}

enum engine_answer script_on_ready(void *ctx, struct gate *g, const struct arrival *a,
				   struct error *err)
{
	struct call c = {.script = ctx,
			 .body = body_ready,
			 .mode = SCRIPT_PURE,
			 .gate = g,
			 .arrival = a,
			 .source = source_of(a)};

	return calls_ask(&c, err);
}

enum engine_answer script_on_passed(void *ctx, struct gate *g, const struct arrival *a,
				    struct error *err)
{
	struct call c = {.script = ctx,
			 .body = body_passed,
			 .mode = SCRIPT_NOTIFY,
			 .gate = g,
			 .arrival = a,
			 .source = source_of(a)};

	return script_answer(&c, script_enter(&c, err));
}

enum engine_answer script_on_opened(void *ctx, struct gate *g, struct error *err)
{
	struct call c = {.script = ctx, .body = body_opened, .mode = SCRIPT_NOTIFY, .gate = g};

	return script_enter(&c, err) == 0 ? c.answer : ENGINE_FAULT;
}

/* ---- log ------------------------------------------------------------------------------------- */

static int read_global(lua_State *L)
{
	lua_pushglobaltable(L);
	lua_insert(L, 1);
	lua_gettable(L, 1);
	return 1;
}

static int read_variable(lua_State *L)
{
	lua_getfield(L, 1, "var");
	lua_insert(L, 2);
	lua_gettable(L, 2);
	return 1;
}

/* The value at `key` of the globals. An undefined name that is a variable of the program is an
   error that says how it is written. */
static int log_global(lua_State *L, int known, int key)
{
	lua_pushcfunction(L, read_global);
	lua_pushvalue(L, key);
	if (lua_pcall(L, 1, 1, 0) == LUA_OK)
		return 1;
	lua_pushcfunction(L, read_variable);
	lua_getfield(L, known, "hit");
	lua_pushvalue(L, key);
	if (lua_pcall(L, 2, 1, 0) == LUA_OK)
		return fault_raise(L,
				   "undefined name '%s': the variable of the program is {var.%s}",
				   lua_tostring(L, key), lua_tostring(L, key));
	lua_pop(L, 1);
	return lua_error(L);
}

/*
 * __index of the names in an expression. A C function, so that {ret.name} is in one expression
 * (enum.c).
 */
static int log_index(lua_State *L)
{
	int known = lua_upvalueindex(1);

	lua_settop(L, 2);
	lua_pushvalue(L, 2);
	switch (lua_rawget(L, known)) {
	case LUA_TBOOLEAN:
		lua_getfield(L, known, "hit");
		break;
	case LUA_TNIL:
		return log_global(L, known, 2);
	default:
		return 1;
	}
	lua_pushvalue(L, 2);
	lua_gettable(L, -2);
	return 1;
}

/* core.log_index({name = true, ...}): field `hit` of the table is the hit during a read */
static int core_log_index(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TTABLE);
	lua_settop(L, 1);
	lua_pushcclosure(L, log_index, 1);
	return 1;
}

void script_open_log(lua_State *L)
{
	lua_pushcfunction(L, core_log_index);
	lua_setfield(L, -2, "log_index");
}

static int body_log(lua_State *L)
{
	struct call *c = lua_touserdata(L, 1);

	script_push_prelude(L, "log");
	lua_pushstring(L, c->text);
	struct script_hit *h = script_push_hit(L, c->arrival);

	lua_pushvalue(L, -1);
	lua_insert(L, 2); /* hit, function, text, hit */
	int status = script_call(L, 2, 1);

	h->arrival = NULL;
	if (status != LUA_OK)
		return lua_error(L);
	c->result = base_strdup(lua_tostring(L, -1));
	return 0;
}

enum engine_answer script_on_log_text(void *ctx, const char *text, const struct arrival *a,
				      char **line, struct error *err)
{
	struct call c = {.script = ctx,
			 .body = body_log,
			 .mode = SCRIPT_PURE,
			 .text = text,
			 .arrival = a,
			 .source = source_of(a),
			 .answer = ENGINE_YES};
	int result = script_enter(&c, err);

	*line = c.result;
	return script_answer(&c, result);
}

/*
 * ---- entering Lua: protected, within the budget ------------------------------------------------
 */

/* Sets *err, with the call's own position if the message has none. */
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
	lua_rotate(L, f, 2); /* stack: function, handler, function, arguments */
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

/*
 * ---- reports to the host ------------------------------------------------------------------------
 */

void script_asking(struct script *s, const struct arrival *a)
{
	error_fini(&s->asked.err);
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

bool script_met_change(const struct script *s)
{
	return !s->budget.fatal && s->asked.err.code == ERROR_CHANGING;
}

enum engine_answer script_answer(const struct call *c, int result)
{
	if (result == 0)
		return c->answer;
	return is_dying(c->script, c->arrival) ? ENGINE_GONE : ENGINE_FAULT;
}
