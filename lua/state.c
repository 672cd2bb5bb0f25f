/*
 * hit.var, hit.arg, hit.ret, hit:frame, hit:backtrace, hit:eval, hit:call; program.var; threads.
 *
 * Values are read from the host on each use, and only while the thread stays at the hit.
 */
#include "lua/script_internal.h"

#include <limits.h>
#include <string.h>

#define HIT	"hit"
#define FRAME	"frame"
#define VAR	"hit.var"
#define ARG	"hit.arg"
#define PROGRAM "program"
#define GLOBAL	"program.var"

enum { MOST_ARGS = 16 }; /* of hit:call; more than fit into registers */

/* Userdata of FRAME, VAR and ARG, which keep the hit's userdata alive. */
struct frame {
	const struct script_hit *hit;
	unsigned index;
};

/* The frame at index 1 for the method; a hit is its own frame 0. */
static struct frame check_frame(lua_State *L, const char *method)
{
	const struct script_hit *h = luaL_testudata(L, 1, HIT);
	const struct frame *f = h ? NULL : luaL_testudata(L, 1, FRAME);

	if (!h && !f)
		fault_raise(L, "%s: expected a hit, got %s (call it with a colon)", method,
			    fault_push_kind(L, 1));
	return f ? *f : (struct frame){.hit = h};
}

static const struct arrival *check_arrival(lua_State *L, const struct frame *f)
{
	if (!f->hit->arrival)
		fault_raise(L, "this hit is no longer valid: its arrival has ended");
	return f->hit->arrival;
}

/* Pushes a part of the value at index 1. */
static void push_part(lua_State *L, const char *type, struct frame f)
{
	*(struct frame *)lua_newuserdatauv(L, sizeof(f), 1) = f;
	lua_pushvalue(L, 1);
	lua_setiuservalue(L, -2, 1);
	luaL_setmetatable(L, type);
}

/* ---- var and arg ----------------------------------------------------------------------------- */

static int var_index(lua_State *L)
{
	const struct script_program *p = value_program(L, VAR);
	const struct frame *f = luaL_checkudata(L, 1, VAR);
	const struct arrival *a = check_arrival(L, f);
	const char *name = value_check_name(L, 2, VAR);
	struct asked *out = value_ask(L);

	return value_answer(L, p->variable(p->ctx, a, f->index, name, &out->value, &out->err));
}

static int var_newindex(lua_State *L)
{
	const struct script_program *p = value_program(L, VAR);
	const struct frame *f = luaL_checkudata(L, 1, VAR);
	const struct arrival *a = check_arrival(L, f);
	const char *name = value_check_name(L, 2, VAR);
	struct asked *out = value_ask(L);
	struct program_value from;

	value_check_writing(L, name);
	value_take(L, 3, &from);
	if (p->set_variable(p->ctx, a, f->index, name, &from, &out->err) < 0)
		return value_raise(L);
	return 0;
}

static int arg_index(lua_State *L)
{
	const struct script_program *p = value_program(L, ARG);
	const struct frame *f = luaL_checkudata(L, 1, ARG);
	const struct arrival *a = check_arrival(L, f);
	struct asked *out = value_ask(L);
	int is_integer;
	lua_Integer i = lua_tointegerx(L, 2, &is_integer);

	if (!is_integer || lua_type(L, 2) != LUA_TNUMBER)
		return fault_raise(L, "hit.arg: expected a number, 0 or greater, got %s",
				   fault_push_kind(L, 2));
	return value_answer(L, p->argument(p->ctx, a, f->index, i, &out->value, &out->err));
}

/* ---- program --------------------------------------------------------------------------------- */

/* The host's functions; raises an error if the program does not run yet. */
static const struct script_program *check_runs(lua_State *L)
{
	struct script *s = script_of(L);

	if (s->mode == SCRIPT_LOADING && !s->lines_see)
		fault_raise(L, "program.var: the program does not run while the script is loaded; "
			       "use it in a function");
	s->lines_have_seen |= s->mode == SCRIPT_LOADING;
	return value_program(L, GLOBAL);
}

static int global_index(lua_State *L)
{
	const struct script *s = script_of(L);
	const struct script_program *p = check_runs(L);
	const char *name = value_check_name(L, 2, GLOBAL);
	struct asked *out = value_ask(L);

	return value_answer(L, p->global(p->ctx, s->arrival, name, &out->value, &out->err));
}

static int global_newindex(lua_State *L)
{
	const struct script *s = script_of(L);
	const struct script_program *p = check_runs(L);
	const char *name = value_check_name(L, 2, GLOBAL);
	struct asked *out = value_ask(L);
	struct program_value from;

	value_check_writing(L, name);
	value_take(L, 3, &from);
	if (p->set_global(p->ctx, s->arrival, name, &from, &out->err) < 0)
		return value_raise(L);
	return 0;
}

/* Upvalue 1: program.var */
static int program_index(lua_State *L)
{
	const char *key = luaL_tolstring(L, 2, NULL);

	if (strcmp(key, "var") != 0)
		return fault_raise(L, "no field '%s' in program; there is program.var", key);
	lua_pushvalue(L, lua_upvalueindex(1));
	return 1;
}

/* ---- methods --------------------------------------------------------------------------------- */

static int method_eval(lua_State *L)
{
	const struct script_program *p = value_program(L, "hit:eval");
	struct frame f = check_frame(L, "eval");
	const struct arrival *a = check_arrival(L, &f);
	const char *text = value_check_name(L, 2, "eval");
	struct asked *out = value_ask(L);

	return value_answer(L, p->eval(p->ctx, a, f.index, text, &out->value, &out->err));
}

static int method_call(lua_State *L)
{
	const struct script_program *p = value_program(L, "hit:call");
	struct frame f = check_frame(L, "call");
	const struct arrival *a = check_arrival(L, &f);
	const char *function = value_check_name(L, 2, "call");
	int count = lua_gettop(L) - 2, result;
	struct program_value args[MOST_ARGS];
	struct asked *out = value_ask(L);

	if (count > MOST_ARGS)
		return fault_raise(L, "call: %d arguments are too many, the limit is %d", count,
				   MOST_ARGS);
	for (int i = 0; i < count; i++)
		value_take(L, 3 + i, &args[i]);
	result = p->call(p->ctx, a, function, args, (size_t)count, &out->value, &out->err);
	if (script_of(L)->mode !=
	    SCRIPT_PURE) /* the call may have written to the program, even if it failed */
		engine_changed(script_of(L)->engine);
	return value_answer(L, result);
}

/* Returns 1, 0 or -1 as the host; the frame's strings are valid until the next call of the host. */
static int ask_frame(lua_State *L, const struct arrival *a, unsigned index,
		     struct program_frame *out)
{
	const struct script_program *p = value_program(L, "frames");
	struct asked *asked = value_ask(L);

	memset(out, 0, sizeof(*out));
	return p->frame(p->ctx, a, index, out, &asked->err);
}

static int method_frame(lua_State *L)
{
	struct frame f = check_frame(L, "frame");
	const struct arrival *a = check_arrival(L, &f);
	struct program_frame found;
	int is_integer, got;
	lua_Integer n = lua_tointegerx(L, 2, &is_integer);

	if (!is_integer || lua_type(L, 2) != LUA_TNUMBER || n < 0)
		return fault_raise(L, "frame: expected a number, 0 or greater");
	if (n == f.index) { /* the hit is frame 0 */
		lua_settop(L, 1);
		return 1;
	}
	got = n <= UINT_MAX ? ask_frame(L, a, (unsigned)n, &found) : 0;
	if (got < 0)
		return value_raise(L);
	if (got == 0) {
		lua_pushnil(L);
		return 1;
	}
	f.index = (unsigned)n;
	push_part(L, FRAME, f);
	return 1;
}

static void set_text(lua_State *L, const char *key, const char *text)
{
	lua_pushstring(L, text);
	lua_setfield(L, -2, key);
}

/* Pushes a frame as a table: plain data, valid for ever. */
static void push_frame(lua_State *L, const struct program_frame *f)
{
	lua_createtable(L, 0, 7);
	set_text(L, "func", f->func);
	set_text(L, "file", f->file);
	set_text(L, "object", f->object);
	lua_pushinteger(L, (lua_Integer)f->address);
	lua_setfield(L, -2, "address");
	lua_pushboolean(L, f->inlined);
	lua_setfield(L, -2, "inlined");
	lua_pushboolean(L, f->signal);
	lua_setfield(L, -2, "signal");
	if (f->line) {
		lua_pushinteger(L, f->line);
		lua_setfield(L, -2, "line");
	}
	script_push_prelude(L, "frame");
	lua_setmetatable(L, -2);
}

/* A stack that cannot be unwound to its end is returned as far as it goes, with the reason. */
static int method_backtrace(lua_State *L)
{
	struct frame f = check_frame(L, "backtrace");
	const struct arrival *a = check_arrival(L, &f);
	struct program_frame found;
	unsigned count = 0;
	int got;

	lua_newtable(L);
	while ((got = ask_frame(L, a, count, &found)) > 0) {
		push_frame(L, &found);
		lua_rawseti(L, -2, ++count);
		budget_check(L);
	}
	if (got < 0 && count == 0)
		return value_raise(L);
	if (got < 0)
		set_text(L, "cut", error_text(&script_of(L)->asked.err));
	script_push_prelude(L, "backtrace");
	lua_setmetatable(L, -2);
	return 1;
}

/* ---- fields of hits and frames --------------------------------------------------------------- */

static void push_result(lua_State *L, const struct frame *f)
{
	const struct script_program *p = value_program(L, "hit.ret");
	const struct arrival *a = check_arrival(L, f);
	struct asked *out = value_ask(L);

	if (f->index != 0)
		fault_raise(L, "ret: only frame 0, which arrived, has a return value");
	value_answer(L, p->result(p->ctx, a, &out->value, &out->err));
}

/* Pushes the field of the hit or frame at index 1. Returns false if there is none of this name. */
static bool state_push_field(lua_State *L, const char *key)
{
	static const luaL_Reg methods[] = {{"eval", method_eval},
					   {"call", method_call},
					   {"frame", method_frame},
					   {"backtrace", method_backtrace},
					   {NULL, NULL}};
	struct frame f = check_frame(L, key);

	if (strcmp(key, "var") == 0) {
		push_part(L, VAR, f);
		return true;
	}
	if (strcmp(key, "arg") == 0) {
		push_part(L, ARG, f);
		return true;
	}
	if (strcmp(key, "ret") == 0) {
		push_result(L, &f);
		return true;
	}
	if (strcmp(key, "index") == 0) {
		lua_pushinteger(L, f.index);
		return true;
	}
	for (const luaL_Reg *m = methods; m->name; m++) {
		if (strcmp(key, m->name) == 0) {
			lua_pushcfunction(L, m->func);
			return true;
		}
	}
	return false;
}

/* The arrival's location; at an event without one, the location of the program's frame 0. */
static struct program_frame where(lua_State *L, const struct arrival *a)
{
	const struct script_program *p = &script_of(L)->host.program;
	struct program_frame f = {.func = a->func, .file = a->file, .line = a->line};
	struct program_frame asked = {0};
	struct error *ignored = &script_of(L)->asked.err;

	if (a->func || a->file || !p->frame || p->frame(p->ctx, a, 0, &asked, ignored) <= 0)
		return f;
	return asked;
}

/* Pushes the field of the arrival. Returns false if there is none of this name. */
static bool hit_push_field(lua_State *L, const struct arrival *a, const char *key)
{
	unsigned line;

	if (strcmp(key, "count") == 0)
		lua_pushinteger(L, (lua_Integer)a->count);
	else if (strcmp(key, "thread") == 0)
		thread_push(L, a->thread);
	else if (strcmp(key, "file") == 0)
		lua_pushstring(L, where(L, a).file);
	else if (strcmp(key, "func") == 0)
		lua_pushstring(L, where(L, a).func);
	else if (strcmp(key, "line") != 0)
		return false;
	else if ((line = where(L, a).line) > 0)
		lua_pushinteger(L, line);
	else
		lua_pushnil(L);
	return true;
}

/* file, func and line of the frame; other fields are those of the hit. */
static int frame_index(lua_State *L)
{
	const struct frame *f = luaL_checkudata(L, 1, FRAME);
	const struct arrival *a = check_arrival(L, f);
	const char *key = luaL_tolstring(L, 2, NULL);
	bool file = strcmp(key, "file") == 0, func = strcmp(key, "func") == 0;
	struct program_frame found;

	if (file || func || strcmp(key, "line") == 0) {
		if (ask_frame(L, a, f->index, &found) < 0)
			return value_raise(L);
		if (file || func)
			lua_pushstring(L, file ? found.file : found.func);
		else if (found.line)
			lua_pushinteger(L, found.line);
		else
			lua_pushnil(L);
		return 1;
	}
	if (state_push_field(L, key) || hit_push_field(L, a, key))
		return 1;
	return fault_raise(L,
			   "no field '%s' in a frame; fields are thread, count, file, line, func, "
			   "index, var, arg, frame, backtrace, eval, call",
			   key);
}

static void open_program(lua_State *L)
{
	static const luaL_Reg of_global[] = {
		{"__index", global_index}, {"__newindex", global_newindex}, {NULL, NULL}};
	static const luaL_Reg none[] = {{NULL, NULL}};

	value_new_type(L, GLOBAL, of_global, NULL);
	value_new_type(L, PROGRAM, none, "program.%s cannot be set");
	lua_newuserdatauv(L, 0, 0);
	luaL_getmetatable(L, PROGRAM);
	lua_newuserdatauv(L, 0, 0);
	luaL_setmetatable(L, GLOBAL);
	lua_pushcclosure(L, program_index, 1);
	lua_setfield(L, -2, "__index");
	lua_setmetatable(L, -2);
	lua_setglobal(L, "program");
}

void state_open(lua_State *L)
{
	static const luaL_Reg of_frame[] = {{"__index", frame_index}, {NULL, NULL}};
	static const luaL_Reg of_var[] = {
		{"__index", var_index}, {"__newindex", var_newindex}, {NULL, NULL}};
	static const luaL_Reg of_arg[] = {{"__index", arg_index}, {NULL, NULL}};

	value_new_type(L, FRAME, of_frame, "%s of a frame cannot be set");
	value_new_type(L, VAR, of_var, NULL);
	value_new_type(L, ARG, of_arg,
		       "hit.arg cannot be set; hit.var can, by the argument's name");
	open_program(L);
}

/* ---- `hit` and `hit.thread` ------------------------------------------------------------------ */

#define THREAD "thread"

static const char threads_key; /* registry: struct engine_thread -> its userdata */

/* ---- thread ---------------------------------------------------------------------------------- */

static const char *thread_name(const struct script *s, const struct engine_thread *t)
{
	const char *name = s->host.thread_name ? s->host.thread_name(s->host.ctx, t) : NULL;

	return name ? name : "";
}

static const char *thread_state(const struct script *s, const struct engine_thread *t)
{
	const char *state = s->host.thread_state ? s->host.thread_state(s->host.ctx, t) : NULL;

	return state ? state : t->exited ? "exited" : t->held ? "held" : "running";
}

static void push_id(lua_State *L, struct engine_thread *t)
{
	t->identified = true;
	lua_pushstring(L, t->id);
}

static int thread_index(lua_State *L)
{
	struct engine_thread *t = *(struct engine_thread **)luaL_checkudata(L, 1, THREAD);
	const char *key = luaL_tolstring(L, 2, NULL);

	if (strcmp(key, "id") == 0)
		push_id(L, t);
	else if (strcmp(key, "name") == 0)
		lua_pushstring(L, thread_name(script_of(L), t));
	else if (strcmp(key, "start") == 0)
		lua_pushstring(L, t->start);
	else if (strcmp(key, "tid") == 0)
		lua_pushinteger(L, t->tid);
	else if (strcmp(key, "state") == 0)
		lua_pushstring(L, thread_state(script_of(L), t));
	else
		return fault_raise(L,
				   "no field '%s' in a thread; fields are id, name, start, tid, "
				   "state",
				   key);
	return 1;
}

static int thread_text(lua_State *L)
{
	push_id(L, *(struct engine_thread **)luaL_checkudata(L, 1, THREAD));
	return 1;
}

void thread_push(lua_State *L, struct engine_thread *t)
{
	lua_rawgetp(L, LUA_REGISTRYINDEX, &threads_key);
	if (lua_rawgetp(L, -1, t) == LUA_TNIL) {
		lua_pop(L, 1);
		*(struct engine_thread **)lua_newuserdatauv(L, sizeof(t), 0) = t;
		luaL_setmetatable(L, THREAD);
		lua_pushvalue(L, -1);
		lua_rawsetp(L, -3, t);
	}
	lua_remove(L, -2);
}

/* ---- hit ------------------------------------------------------------------------------------- */

static int hit_index(lua_State *L)
{
	const struct script_hit *h = luaL_checkudata(L, 1, HIT);
	const char *key = luaL_tolstring(L, 2, NULL);

	if (!h->arrival)
		return fault_raise(L, "this hit is no longer valid: its arrival has ended");
	if (hit_push_field(L, h->arrival, key) || state_push_field(L, key))
		return 1;
	return fault_raise(L,
			   "no field '%s' in hit; fields are thread, count, file, line, func, var, "
			   "arg, ret, frame, backtrace, eval, call",
			   key);
}

struct script_hit *script_push_hit(lua_State *L, const struct arrival *a)
{
	struct script_hit *h = lua_newuserdatauv(L, sizeof(*h), 0);

	h->arrival = a;
	luaL_setmetatable(L, HIT);
	return h;
}

void script_open_hit(lua_State *L)
{
	static const luaL_Reg of_hit[] = {{"__index", hit_index}, {NULL, NULL}};
	static const luaL_Reg of_thread[] = {
		{"__index", thread_index}, {"__tostring", thread_text}, {NULL, NULL}};

	value_new_type(L, HIT, of_hit, "hit.%s cannot be set");
	value_new_type(L, THREAD, of_thread, NULL);
	lua_newtable(L);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &threads_key);
}
