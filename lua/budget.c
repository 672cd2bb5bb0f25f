/*
 * What a script may use up: a second of computing for each entry, and 256 MB.
 *
 * Time is seen by a count hook, and memory by the allocator, which can only refuse; so from the
 * limit on it first asks for the hook at the next instruction, where an error has a position. A
 * script's own pcall would swallow those errors in a loop, so scripts get one that does not.
 */
#include "lua/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define HOOK_EVERY  10000	 /* instructions */
#define CLOCK_EVERY (4u << 20)	 /* bytes */
#define MEMORY_SOFT (256u << 20) /* from here on the hook collects, then complains */
#define MEMORY_HARD (448u << 20) /* what the allocator refuses */
#define TIME_LIMIT  1000000000LL /* ns */

static const char too_long[] = "the function computed for more than a second";
const char budget_too_big[] = "the script uses more than 256 MB of memory";

/* CPU time: on a busy machine a function that only waits for its turn is no runaway. */
static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static bool out_of_time(struct budget *b)
{
	b->unchecked = 0;
	if (!b->started) {
		b->started = true;
		b->start = now();
		return false;
	}
	return now() - b->start > b->limit;
}

static void hook(lua_State *L, lua_Debug *ar)
{
	(void)ar;
	if (lua_gethookcount(L) != HOOK_EVERY)
		lua_sethook(L, hook, LUA_MASKCOUNT, HOOK_EVERY);
	script_of(L)->enums.just_read = false;
	budget_check(L);
}

/* Called by a function of C: the next instruction is still executed before the hook. */
void budget_soon(lua_State *L)
{
	if (!script_of(L)->budget.fatal)
		lua_sethook(L, hook, LUA_MASKCOUNT, 2);
}

void budget_check(lua_State *L)
{
	struct budget *b = &script_of(L)->budget;

	if (b->fatal)
		budget_fatal(L, b->text);
	if (out_of_time(b))
		budget_fatal(L, too_long);
	if (b->used <= MEMORY_SOFT)
		return;
	lua_gc(L, LUA_GCCOLLECT);
	if (b->used > MEMORY_SOFT)
		budget_fatal(L, budget_too_big);
}

int budget_fatal(lua_State *L, const char *what)
{
	struct budget *b = &script_of(L)->budget;

	if (!b->fatal) {
		b->fatal = true;
		if (fault_push_where(L, L))
			lua_pushfstring(L, "%s: %s", lua_tostring(L, -1), what);
		else
			lua_pushstring(L, what);
		snprintf(b->text, sizeof(b->text), "%s", lua_tostring(L, -1));
	}
	/* Whoever swallows this gets it again at the next instruction. */
	lua_sethook(L, hook, LUA_MASKCOUNT, 1);
	lua_pushstring(L, b->text);
	return lua_error(L);
}

void budget_begin(struct script *s)
{
	struct budget *b = &s->budget;

	b->started = b->fatal = false;
	b->unchecked = 0;
}

/* Called in the middle of anything: lua_sethook is all that is safe here. */
static void ask_for_hook(struct script *s)
{
	if (s->running && lua_gethookcount(s->running) == HOOK_EVERY)
		lua_sethook(s->running, hook, LUA_MASKCOUNT, 1);
}

static void *allocate(void *ctx, void *old, size_t old_size, size_t size)
{
	struct script *s = ctx;
	struct budget *b = &s->budget;
	size_t before = old ? old_size : 0; /* without an old block the size is a type */
	void *memory;

	if (size == 0) {
		b->used -= before;
		free(old);
		return NULL;
	}
	if (size > before) {
		b->unchecked += size - before;
		if (size > MEMORY_HARD || b->used - before + size > MEMORY_HARD)
			return NULL;
		if (b->used > MEMORY_SOFT || (b->unchecked > CLOCK_EVERY && out_of_time(b)))
			ask_for_hook(s);
	}
	memory = realloc(old, size);
	if (memory)
		b->used += size - before;
	return memory;
}

lua_State *budget_new_state(struct script *s)
{
	lua_State *L = lua_newstate(allocate, s);

	if (!L)
		return NULL;
	*(struct script **)lua_getextraspace(L) = s;
	s->budget.limit = TIME_LIMIT;
	lua_sethook(L, hook, LUA_MASKCOUNT, HOOK_EVERY);
	return L;
}

/* ---- what a script calls ------------------------------------------------------------------------
 */

/* Raises again what no script may swallow. */
static void pass_on(lua_State *L, int status)
{
	if (status == LUA_ERRMEM)
		budget_fatal(L, budget_too_big);
	if (script_of(L)->budget.fatal)
		lua_error(L);
}

/* The stack is what the protected call gave; `below` values under that are not results. */
static int protected_end(lua_State *L, int status, lua_KContext below)
{
	if (status == LUA_OK || status == LUA_YIELD)
		return lua_gettop(L) - (int)below;
	pass_on(L, status);
	lua_pushboolean(L, 0);
	lua_insert(L, -2);
	return 2;
}

static int protected_call(lua_State *L)
{
	luaL_checkany(L, 1);
	lua_pushboolean(L, 1);
	lua_insert(L, 1);
	return protected_end(L, lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, protected_end),
			     0);
}

static int protected_call_handler(lua_State *L)
{
	int args = lua_gettop(L) - 2;

	luaL_checktype(L, 2, LUA_TFUNCTION);
	lua_pushboolean(L, 1);
	lua_pushvalue(L, 1);
	lua_rotate(L, 3, 2); /* f, handler, true, f, args */
	return protected_end(L, lua_pcallk(L, args, LUA_MULTRET, 2, 2, protected_end), 2);
}

int budget_resume(lua_State *L, lua_State *co, int args, int *results)
{
	struct script *s = script_of(L);
	lua_State *before = s->running;
	int status;

	s->running = co;
	status = lua_resume(co, L, args, results);
	s->running = before;
	return status;
}

/* Resumes with the arguments above index `first`; pushes the results or the error. */
static bool resume(lua_State *L, lua_State *co, int first, int *count)
{
	int args = lua_gettop(L) - first + 1;
	int status;

	if (script_run_owns(script_of(L), co))
		return fault_raise(L, "cannot resume the coroutine of a :run");
	if (!lua_checkstack(co, args + 1))
		return luaL_error(L, "too many arguments to resume");
	lua_xmove(L, co, args);
	status = budget_resume(L, co, args, count);
	if (status != LUA_OK && status != LUA_YIELD) {
		lua_xmove(co, L, 1);
		pass_on(L, status);
		return false;
	}
	luaL_checkstack(L, *count + 1, "too many results to resume");
	lua_xmove(co, L, *count);
	return true;
}

static int coroutine_resume(lua_State *L)
{
	lua_State *co = lua_tothread(L, 1);
	int count;

	luaL_argexpected(L, co, 1, "coroutine");
	if (resume(L, co, 2, &count)) {
		lua_pushboolean(L, 1);
		lua_insert(L, -1 - count);
		return count + 1;
	}
	lua_pushboolean(L, 0);
	lua_insert(L, -2);
	return 2;
}

static int wrapped(lua_State *L)
{
	lua_State *co = lua_tothread(L, lua_upvalueindex(1));
	int count;

	return resume(L, co, 1, &count) ? count : lua_error(L);
}

static int coroutine_wrap(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TFUNCTION);
	lua_State *co = lua_newthread(L);

	lua_pushvalue(L, 1);
	lua_xmove(L, co, 1);
	lua_pushcclosure(L, wrapped, 1);
	return 1;
}

void budget_open(lua_State *L)
{
	lua_pushcfunction(L, protected_call);
	lua_setglobal(L, "pcall");
	lua_pushcfunction(L, protected_call_handler);
	lua_setglobal(L, "xpcall");
	lua_getglobal(L, "coroutine");
	lua_pushcfunction(L, coroutine_resume);
	lua_setfield(L, -2, "resume");
	lua_pushcfunction(L, coroutine_wrap);
	lua_setfield(L, -2, "wrap");
	lua_pop(L, 1);
}
