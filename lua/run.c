/* :run: a function of the script in a coroutine that holds its thread. */
#include "lua/script_internal.h"

/* ---- functions for scripts ------------------------------------------------------------------- */

static struct script_run *check_inside(lua_State *L, const char *who)
{
	struct script *s = script_of(L);

	if (s->mode != SCRIPT_RUNNING || !s->run)
		fault_raise(L, "%s: can be called only inside a function given to :run", who);
	if (s->run->co != L)
		fault_raise(L, "%s: cannot be called inside a coroutine of the script", who);
	return s->run;
}

static int method_wait(lua_State *L)
{
	struct gate *g = script_to_gate(L, 1);
	struct script_run *r;

	if (!g)
		return fault_raise(L, "wait: expected a gate, got %s (call it with a colon)",
				   fault_push_kind(L, 1));
	if (script_of(L)->mode == SCRIPT_PURE)
		return budget_fatal(
			L,
			"wait: this function can only read; to hold the thread use :run or :wait");
	r = check_inside(L, "wait");
	r->waits = g;
	return lua_yield(L, 0);
}

static int wait_until(lua_State *L)
{
	struct script_run *r = check_inside(L, "wait_until");

	if (!lua_isfunction(L, 1))
		return fault_raise(L, "wait_until: expected a function, got %s",
				   fault_push_kind(L, 1));
	lua_settop(L, 1);
	engine_waits_until(r->hit->arrival->place, r->ref);
	r->until_ref = luaL_ref(L, LUA_REGISTRYINDEX);
	return lua_yield(L, 0);
}

void script_open_run(lua_State *L)
{
	script_add_gate_method(L, "wait", method_wait);
	lua_pushcfunction(L, wait_until);
	lua_setglobal(L, "wait_until");
}

/* ---- one resumption -------------------------------------------------------------------------- */

/* Creates the hit, and the coroutine with the function and the hit on its stack. */
static void run_start(lua_State *L, struct script_run *r, const struct call *c)
{
	r->ref = c->ref;
	r->co = lua_newthread(L);
	r->co_ref = luaL_ref(L, LUA_REGISTRYINDEX);
	r->hit = script_push_hit(L, c->arrival);
	r->hit_ref = luaL_ref(L, LUA_REGISTRYINDEX);
	lua_rawgeti(L, LUA_REGISTRYINDEX, c->ref);
	lua_rawgeti(L, LUA_REGISTRYINDEX, r->hit_ref);
	lua_xmove(L, r->co, 2);
}

static void forget_until(lua_State *L, struct script_run *r)
{
	luaL_unref(L, LUA_REGISTRYINDEX, r->until_ref);
	r->until_ref = LUA_NOREF;
}

/* True if the condition of wait_until holds, or is left out. */
static bool until(lua_State *L, struct script_run *r)
{
	struct script *s = r->script;
	int status;

	if (r->hit->arrival->left_out) {
		forget_until(L, r);
		return true;
	}
	lua_rawgeti(L, LUA_REGISTRYINDEX, r->until_ref);
	lua_rawgeti(L, LUA_REGISTRYINDEX, r->hit_ref);
	s->mode = SCRIPT_PURE;
	script_asking(s, r->hit->arrival);
	status = script_call(L, 1, 1);
	script_answered(s);
	s->mode = SCRIPT_RUNNING;
	if (status != LUA_OK && !script_met_change(s))
		lua_error(L);
	if (status != LUA_OK || !lua_toboolean(L, -1))
		return false;
	forget_until(L, r);
	lua_pop(L, 1);
	return true;
}

/* Resumes until the function ends (true) or holds (false). */
static bool resume(lua_State *L, struct script_run *r, bool first)
{
	for (int args = first ? 1 : 0;; args = 0) {
		int results, status;

		if (r->until_ref != LUA_NOREF && !until(L, r))
			return false;
		status = budget_resume(L, r->co, args, &results);
		if (status == LUA_OK)
			return true;
		if (status != LUA_YIELD) {
			lua_xmove(r->co, L, 1);
			if (status == LUA_ERRMEM)
				lua_pushstring(L, budget_too_big);
			fault_describe(L, r->co);
			lua_error(L);
		}
		lua_pop(r->co, results);
		r->resumed = true;
		if (r->waits)
			return false;
		if (r->until_ref == LUA_NOREF)
			fault_raise(r->co,
				    "yield: can be called only in a coroutine of the script");
	}
}

static int body_run(lua_State *L)
{
	struct call *c = lua_touserdata(L, 1);
	struct script_run *r = c->run;
	bool first = !r->co;

	if (first)
		run_start(L, r, c);
	else
		r->hit->arrival = c->arrival;
	r->waits = NULL;
	c->answer = resume(L, r, first) ? ENGINE_YES : ENGINE_NO;
	return 0;
}

/* Needs no Lua stack and no memory: luaL_unref writes to existing slots. */
static void drop(struct script_run *r)
{
	lua_State *L = r->script->running;

	if (r->hit_ref != LUA_NOREF)
		r->hit->arrival = NULL;
	luaL_unref(L, LUA_REGISTRYINDEX, r->until_ref);
	luaL_unref(L, LUA_REGISTRYINDEX, r->hit_ref);
	luaL_unref(L, LUA_REGISTRYINDEX, r->co_ref);
	base_free(r);
}

static struct script_run *run_make(struct script *s)
{
	struct script_run *r = base_alloc(1, sizeof(*r));

	r->script = s;
	r->co_ref = r->hit_ref = r->until_ref = LUA_NOREF;
	*array_add(&s->runs) = r;
	return r;
}

enum engine_answer script_run(void *ctx, int ref, const struct arrival *a, void **coroutine,
			      struct gate **gate, struct error *err)
{
	struct script *s = ctx;
	struct script_run *before = s->run, *r = *coroutine ? *coroutine : run_make(s);
	struct call c = {.script = s,
			 .body = body_run,
			 .mode = SCRIPT_RUNNING,
			 .ref = ref,
			 .arrival = a,
			 .run = r,
			 .source = a->place ? a->place->source : NULL};
	enum engine_answer answer;
	int result;

	s->run = r;
	result = script_enter(&c, err);
	s->run = before;
	answer = script_answer(&c, result);
	*gate = answer == ENGINE_NO ? r->waits : NULL;
	*coroutine = r;
	if (answer == ENGINE_NO)
		return answer;
	script_run_end(s, r);
	*coroutine = NULL;
	return answer;
}

void script_run_end(void *ctx, void *coroutine)
{
	struct script *s = ctx;

	for (size_t i = 0; i < s->runs.count; i++) {
		if (s->runs.items[i] != coroutine)
			continue;
		array_remove(&s->runs, i);
		drop(coroutine);
		return;
	}
}

bool script_run_owns(const struct script *s, const lua_State *co)
{
	for (size_t i = 0; i < s->runs.count; i++)
		if (s->runs.items[i]->co == co)
			return true;
	return false;
}

void script_run_free_all(struct script *s)
{
	array_each(struct script_run *, r, &s->runs)
		drop(*r);
	array_fini(&s->runs);
}
