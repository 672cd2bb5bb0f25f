/* expect, limits and fail, from values that expect.lua has checked. */
#include "lua/script_internal.h"

#include "tracer/base/signame.h"
#include "tracer/base/text/regex.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

static struct plan *plan_of(lua_State *L)
{
	return script_of(L)->plan;
}

static void add_never(struct expect *x, const char *location, const struct place *place)
{
	*array_add(&x->never) = (struct expect_never){base_strdup(location), place, place};
}

static void set_end(lua_State *L, struct expect *x, enum expect_end end)
{
	if (lua_toboolean(L, 2))
		x->end = end;
}

/* core.expect(key, value); never_reached: (location, place); at: (location, FILE:LINE) */
static int core_expect(lua_State *L)
{
	struct expect *x = &plan_of(L)->expect;
	const char *key = luaL_checkstring(L, 1);

	x->any = true;
	if (strcmp(key, "exit") == 0) {
		x->end = EXPECT_EXIT;
		x->exit = (int)lua_tointeger(L, 2);
	} else if (strcmp(key, "signal") == 0) {
		x->end = EXPECT_SIGNAL;
		x->signal = (int)lua_tointeger(L, 2);
	} else if (strcmp(key, "at") == 0) {
		base_free(x->at);
		base_free(x->at_source);
		x->at = base_strdup(luaL_checkstring(L, 2));
		x->at_source = base_strdup(luaL_optstring(L, 3, "?"));
	} else if (strcmp(key, "deadlock") == 0) {
		set_end(L, x, EXPECT_DEADLOCK);
	} else if (strcmp(key, "gate_deadlock") == 0) {
		set_end(L, x, EXPECT_GATE_DEADLOCK);
		x->gate = script_to_gate(L, 2);
	} else if (strcmp(key, "livelock") == 0) {
		set_end(L, x, EXPECT_LIVELOCK);
	} else if (strcmp(key, "time_limit") == 0) {
		set_end(L, x, EXPECT_TIME_LIMIT);
	} else if (strcmp(key, "never_reached") == 0) {
		add_never(x, luaL_checkstring(L, 2), script_to_place(L, 3));
	} else if (strcmp(key, "stdout") == 0) {
		*array_add(&x->stdout_has) = base_strdup(luaL_checkstring(L, 2));
	} else {
		*array_add(&x->stderr_has) = base_strdup(luaL_checkstring(L, 2));
	}
	return 0;
}

/* core.limits(key, seconds) */
static int core_limits(lua_State *L)
{
	struct limits *limits = &plan_of(L)->limits;
	double seconds = luaL_checknumber(L, 2);

	if (strcmp(luaL_checkstring(L, 1), "gate") == 0)
		limits->gate = seconds;
	else
		limits->run = seconds;
	return 0;
}

/* core.fail_run(text) */
static int core_fail_run(lua_State *L)
{
	return budget_fail(L, luaL_checkstring(L, 1));
}

void script_open_expect(lua_State *L)
{
	static const luaL_Reg functions[] = {{"expect", core_expect},
					     {"limits", core_limits},
					     {"fail_run", core_fail_run},
					     {NULL, NULL}};

	luaL_setfuncs(L, functions, 0);
}

/* Functions of expect(function(run) ... end), called after the run, and their `run`. */

#define RUN "run"

struct ended {
	const struct script_end *end; /* NULL: the function has returned */
};

static const char over[] =
	"this run is no longer valid: it is only valid inside the function of expect";

/* core.expect_function(f, text) */
static int core_expect_function(lua_State *L)
{
	struct expect *x = &script_of(L)->plan->expect;
	const char *text = luaL_checkstring(L, 2), *source;
	int ref;

	source = fault_push_where(L, L) ? lua_tostring(L, -1) : "?";
	lua_pushvalue(L, 1);
	ref = luaL_ref(L, LUA_REGISTRYINDEX);
	x->any = true;
	*array_add(&x->checks) = (struct expect_check){base_strdup(text), base_strdup(source), ref};
	return 0;
}

/* ---- run ------------------------------------------------------------------------------------- */

static void push_signal(lua_State *L, int signal)
{
	if (signal)
		lua_pushfstring(L, "SIG%s", signame_text(signal));
	else
		lua_pushnil(L);
}

static void push_output(lua_State *L, const char *key, const struct str *text)
{
	if (!text)
		fault_raise(L,
			    "run.%s: gatectl does not see the output of a process that it has "
			    "attached to",
			    key);
	lua_pushlstring(L, str_text(text), text->length);
}

/* run:matches(expression): true if it matches a part of one of the outputs. */
static int run_matches(lua_State *L)
{
	const struct ended *r = luaL_checkudata(L, 1, RUN);
	const char *expression = luaL_checkstring(L, 2);
	const char *wrong = regex_wrong(expression);

	if (wrong)
		fault_raise(L, "run:matches: %s is no regular expression: %s", expression, wrong);
	if (!r->end)
		fault_raise(L, "%s", over);
	push_output(L, "stdout", r->end->stdout_text);
	push_output(L, "stderr", r->end->stderr_text);
	lua_pushboolean(L, regex_matches(expression, lua_tostring(L, -2)) ||
				   regex_matches(expression, lua_tostring(L, -1)));
	return 1;
}

static void push_threads(lua_State *L)
{
	const struct engine *e = script_of(L)->engine;
	struct engine_thread *t;

	lua_newtable(L);
	for (size_t i = 0; (t = engine_thread_at(e, i)); i++) {
		thread_push(L, t);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
}

static int run_index(lua_State *L)
{
	const struct ended *r = luaL_checkudata(L, 1, RUN);
	const char *key = luaL_tolstring(L, 2, NULL);

	if (!r->end)
		return fault_raise(L, "%s", over);
	if (strcmp(key, "status") == 0 && r->end->exited) {
		lua_pushinteger(L, r->end->status);
	} else if (strcmp(key, "status") == 0) {
		lua_pushnil(L);
	} else if (strcmp(key, "signal") == 0) {
		*r->end->signal_judged = true;
		push_signal(L, r->end->signal);
	} else if (strcmp(key, "stdout") == 0) {
		push_output(L, key, r->end->stdout_text);
	} else if (strcmp(key, "stderr") == 0) {
		push_output(L, key, r->end->stderr_text);
	} else if (strcmp(key, "threads") == 0) {
		push_threads(L);
	} else if (strcmp(key, "matches") == 0) {
		lua_pushcfunction(L, run_matches);
	} else {
		fault_raise(L,
			    "no field '%s' in run; fields are status, signal, stdout, stderr, "
			    "threads, matches",
			    key);
	}
	return 1;
}

void script_open_end(lua_State *L)
{
	static const luaL_Reg of_run[] = {{"__index", run_index}, {NULL, NULL}};

	value_new_type(L, RUN, of_run, "run.%s cannot be set");
	lua_pushcfunction(L, core_expect_function);
	lua_setfield(L, -2, "expect_function");
}

/*
 * ---- calls --------------------------------------------------------------------------------------
 */

static int body_end(lua_State *L)
{
	struct call *c = lua_touserdata(L, 1);
	struct ended *r = lua_newuserdatauv(L, sizeof(*r), 0);
	int status;

	r->end = c->end;
	luaL_setmetatable(L, RUN);
	lua_rawgeti(L, LUA_REGISTRYINDEX, c->ref);
	lua_pushvalue(L, 2);
	status = script_call(L, 1, 1);
	r->end = NULL;
	if (status != LUA_OK)
		return lua_error(L);
	c->answer = lua_toboolean(L, -1) ? ENGINE_YES : ENGINE_NO;
	return 0;
}

enum engine_answer script_end(struct script *s, const struct expect_check *check,
			      const struct script_end *end, struct error *err)
{
	struct call c = {.script = s,
			 .body = body_end,
			 .mode = SCRIPT_PURE,
			 .ref = check->ref,
			 .end = end,
			 .source = check->source};

	return script_enter(&c, err) < 0 ? ENGINE_FAULT : c.answer;
}

/* ---- env, args, stdin and sleeps till rest, from checked values ------------------------------ */

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

/* core.args(list): a repeated list is ignored */
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

/* Pushes the path; a relative path starts at the script's folder. */
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

/* True if the text looks like a file's name: it has a slash or a suffix, and no blank. */
static bool looks_like_path(const char *text)
{
	const char *dot = strrchr(text, '.');

	if (strpbrk(text, " \t"))
		return false;
	return strchr(text, '/') || (dot && dot > text && isalpha((unsigned char)dot[1]));
}

/* Pushes and returns the path if the text names a file; returns NULL if it is text. */
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
		fault_raise(L,
			    "stdin: %s: %s (a text that is not the name of a file has to end with "
			    "a newline)",
			    path, strerror(errno));
	return NULL;
}

/* core.stdin(text): a single line that names a file is a file, anything else is text. */
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

/* core.sleeps_till_rest() */
static int core_sleeps_till_rest(lua_State *L)
{
	given_of(L)->sleeps_till_rest = true;
	return 0;
}

void script_open_given(lua_State *L)
{
	static const luaL_Reg functions[] = {
		{"env", core_env},     {"args", core_args},
		{"stdin", core_stdin}, {"sleeps_till_rest", core_sleeps_till_rest},
		{NULL, NULL},
	};

	luaL_setfuncs(L, functions, 0);
}
