/*
 * Limits of a script: one second of CPU time per entry, and 256 MB of memory. A count hook checks
 * the time, the allocator the memory; see README.md.
 */
#include "lua/script_internal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#define HOOK_EVERY  10000      /* instructions */
#define STEPS_EVERY 4096       /* turns of a loop in C */
#define CLOCK_EVERY (4u << 20) /* bytes */
/* bytes; above it the hook collects garbage, then raises an error */
#define MEMORY_SOFT (256u << 20)
#define MEMORY_HARD (448u << 20) /* bytes; above it the allocator refuses */
#define TIME_LIMIT  1000000000LL /* ns */

static const char too_long[] = "the function computed for more than a second";
const char budget_too_big[] = "the script uses more than 256 MB of memory";

/* CPU time: a function that waits for a processor on a busy machine is not endless. */
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

/* Called by a C function: one more instruction runs before the hook. */
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
	if (b->used + b->queued <= MEMORY_SOFT)
		return;
	lua_gc(L, LUA_GCCOLLECT);
	if (b->used + b->queued > MEMORY_SOFT)
		budget_fatal(L, budget_too_big);
}

void budget_step(lua_State *L)
{
	if (++script_of(L)->budget.steps % STEPS_EVERY == 0)
		budget_check(L);
}

void budget_charge(lua_State *L, size_t bytes)
{
	struct budget *b = &script_of(L)->budget;

	b->queued += bytes;
	if (b->used + b->queued > MEMORY_SOFT)
		budget_check(L);
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
	/* A pcall that catches this error gets it again at the next instruction. */
	lua_sethook(L, hook, LUA_MASKCOUNT, 1);
	lua_pushstring(L, b->text);
	return lua_error(L);
}

int budget_fail(lua_State *L, const char *text)
{
	struct budget *b = &script_of(L)->budget;

	if (!b->fatal) {
		b->fatal = b->failed = true;
		b->placed = fault_push_where(L, L);
		if (b->placed)
			lua_pushfstring(L, "%s (%s)", text, lua_tostring(L, -1));
		else
			lua_pushstring(L, text);
		snprintf(b->text, sizeof(b->text), "%s", lua_tostring(L, -1));
	}
	return budget_fatal(L, text);
}

void budget_begin(struct script *s)
{
	struct budget *b = &s->budget;

	b->started = b->fatal = b->failed = false;
	b->unchecked = b->queued = 0;
}

/* May run in a signal handler: only lua_sethook is safe here. */
static void budget_ask_for_hook(struct script *s)
{
	if (s->running && lua_gethookcount(s->running) == HOOK_EVERY)
		lua_sethook(s->running, hook, LUA_MASKCOUNT, 1);
}

static void *allocate(void *ctx, void *old, size_t old_size, size_t size)
{
	struct script *s = ctx;
	struct budget *b = &s->budget;
	size_t before = old ? old_size : 0; /* without an old block Lua passes a type in old_size */
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
			budget_ask_for_hook(s);
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

int budget_resume(lua_State *L, lua_State *co, int args, int *results)
{
	struct script *s = script_of(L);
	lua_State *before = s->running;
	int status;

	s->running = co;
	s->enums.just_read = false;
	status = lua_resume(co, L, args, results);
	/* the hook that would clear it belongs to the other coroutine */
	s->enums.just_read = false;
	s->running = before;
	return status;
}

/* The timer for long instructions: SIGPROF after each 250 ms of CPU time requests the hook. */

enum { EVERY_US = 250000 };

static struct script *volatile current;
static unsigned users;
static struct sigaction before;

/* A signal handler may call no function of Lua but lua_sethook (as lua.c does for Ctrl-C). */
static void on_alarm(int signal)
{
	(void)signal;
	if (current)
		budget_ask_for_hook(current);
}

static void set_timer(long us)
{
	const struct itimerval period = {{0, us}, {0, us}};

	setitimer(ITIMER_PROF, &period, NULL);
}

void alarm_open(void)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};

	if (users++)
		return;
	sigfillset(&action.sa_mask);
	sigaction(SIGPROF, &action, &before);
	set_timer(EVERY_US);
}

void alarm_close(void)
{
	if (--users)
		return;
	set_timer(0);
	sigaction(SIGPROF, &before, NULL);
}

void alarm_watch(struct script *s)
{
	current = s;
}
