/*
 * Inside the room: the state that its files share.
 *
 * One rule above all: a Lua error is a longjmp, so C holds nothing that it would have to release
 * (memory, files) while Lua is called, and Lua is entered by script_enter() only.
 */
#ifndef GATECTL_LUA_SCRIPT_INTERNAL_H
#define GATECTL_LUA_SCRIPT_INTERNAL_H

#include "lua/script.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

/* What a script may do just now. */
enum script_mode {
	SCRIPT_IDLE,
	SCRIPT_LOADING, /* make gates and places */
	SCRIPT_PURE,	/* answer: :when, ready, wait_until, the expressions of :log */
	SCRIPT_RUNNING, /* :run: hold the thread, open gates */
	SCRIPT_NOTIFY,	/* passed, opened: open gates */
};

/* ---- budget.c: time and memory of one entry ---- */

struct budget {
	size_t used; /* bytes that Lua has */
	size_t queued; /* bytes that others keep for it until the entry is left: lines printed, gates */
	size_t unchecked; /* bytes it asked for since the clock was read */
	unsigned steps;	  /* of a loop in C */
	long long start;  /* ns of this thread's CPU time; valid when `started` */
	long long limit;  /* ns of computing in one entry */
	bool started;	  /* the clock is first read when the hook first fires */
	bool fatal;	  /* an error that no pcall of the script may swallow ... */
	bool failed;	  /* ... raised by the script itself: `fail` */
	bool placed;	  /* FILE:LINE stands behind it */
	char text[4096];  /* what is fatal, FILE:LINE: in front */
};

struct script;

lua_State *budget_new_state(struct script *s);
void budget_begin(struct script *s);
/* Raises the error where the script has used up its time or memory; for long loops in C. */
void budget_check(lua_State *L);
/* The same, for each turn of a loop in C that is short in itself. */
void budget_step(lua_State *L);
/* So much memory is kept outside of Lua on behalf of the script. */
void budget_charge(lua_State *L, size_t bytes);
/* Raises an error that goes through every pcall of the script. */
int budget_fatal(lua_State *L, const char *what);
/* The same, by the script's own wish (`fail`): the run ends with this text, ERROR_FAILED. */
int budget_fail(lua_State *L, const char *text);
/* What LUA_ERRMEM means to the tester. */
extern const char budget_too_big[];
/* Asks for the hook after one more instruction: enums.just_read ends there. */
void budget_soon(lua_State *L);
/* lua_resume, with `running` kept right. */
int budget_resume(lua_State *L, lua_State *co, int args, int *results);

void alarm_open(void); /* by each script that is made */
void alarm_close(void);
void alarm_watch(struct script *s); /* it is entered now; NULL: it was left */

/* ---- fault.c: FILE:LINE ---- */

/* A file whose name may stand in front of a message. */
void fault_add_file(lua_State *L, const char *path);
/* Pushes "FILE:LINE" of the innermost frame of `of` that is in a script's file; false: nothing. */
bool fault_push_where(lua_State *L, lua_State *of);
/* Raises "FILE:LINE: what" with the position of the script's line that called. */
int fault_raise(lua_State *L, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The error value on top of L, raised in `of`, becomes a string, with its position if there is one.
 */
void fault_describe(lua_State *L, lua_State *of);
int fault_message(lua_State *L); /* the same as a message handler */
/* Does the text begin with FILE:LINE: of a script's file? Allocates nothing. */
bool fault_has_position(lua_State *L, const char *text);
/* What a value is, for messages: "a gate", "a string", "nil". Pushes it. */
const char *fault_push_kind(lua_State *L, int index);

/* ---- script.c ---- */

struct script_run;

/* Where the host's answers go: Lua may raise an error while it copies them. */
struct asked {
	struct program_value value;
	struct str text;
	struct error err;
};

/* enum.c: what was read as an enum */
struct enum_reads {
	unsigned long entry; /* for which there is a table */
	bool just_read;	     /* by the instruction before: `number`, which has several names */
	lua_Integer number;
	const char *name;
};

struct script {
	lua_State *L;
	lua_State *running; /* L or the coroutine that runs now */
	struct engine *engine;
	struct plan *plan;
	struct script_host host;
	enum script_mode mode;
	unsigned depth;		      /* entries that are not left yet */
	unsigned long entries;	      /* so far, not counting nested ones */
	struct engine_thread *thread; /* on whose behalf; NULL at load */
	const struct arrival *arrival;
	struct script_run *run;		 /* whose coroutine was resumed; NULL none */
	ARRAY(struct script_run *) runs; /* owned: those that have not ended */
	struct budget budget;
	struct asked asked;
	struct enum_reads enums;
	bool lines_see, lines_have_seen; /* program.var, see script_lines_see() */
	struct error broken;		 /* the start failed: every load gives this */
};

static inline struct script *script_of(lua_State *L)
{
	return *(struct script **)lua_getextraspace(L);
}

/* Before anything is loaded: makes the Lua state, if there is none yet. 0 or -1. */
int script_start(struct script *s, struct error *err);
/* A Lua state in which `open` has run; 0 or -1. alarm_open() comes before it. */
int script_open_state(struct script *s, lua_CFunction open, struct error *err);
void script_close_state(struct script *s); /* and alarm_close() */

/* ---- calls.c ---- */

/* What a call from outside hands to its Lua part. */
struct call {
	struct script *script;
	lua_CFunction body; /* gets the struct call as light userdata at index 1 */
	enum script_mode mode;
	const char *source; /* FILE:LINE for a fault that has no position */
	int ref;
	struct gate *gate;
	const struct arrival *arrival;
	struct script_run *run;
	const struct script_end *end;
	const char *path, *text; /* a file to load, its contents; or the text of a :log */
	size_t length;
	char *result; /* base_alloc'd */
	enum engine_answer answer;
};

/* Runs c->body under protection and the budget; nests. 0, or -1 with ERROR_SCRIPT. */
int script_enter(struct call *c, struct error *err);
/* What the engine is told of a call that gave `result`: c->answer, FAULT, or GONE, if it failed because the thread is dying. */
enum engine_answer script_answer(const struct call *c, int result);

/*
 * Inside a body: calls the script's function below its arguments. On a fault the message, with
 * position, is on top instead of results, and the status is returned.
 */
int script_call(lua_State *L, int args, int results);

/* Tell the host that a pure function is asked for this arrival, and that it has answered. */
void script_asking(struct script *s, const struct arrival *a);
void script_answered(struct script *s);
/* The last question was about an object that a thread is changing: the answer is no, for now. */
bool script_met_change(const struct script *s);

/* ---- the API's parts ------------------------------------------------------------------------- */

/* Loads the chunk of a file (no BOM, no #! line), pushing the function or the message. */
int script_load_chunk(lua_State *L, const char *path, const char *text, size_t length);
/* The file's contents, base_free'd by the caller; NULL with errno and *what ("cannot open"). */
char *script_read_file(const char *path, size_t *length, const char **what);
/* script_enter() with the file's text; ERROR_SCRIPT, with the hint, where it cannot be read. */
int script_enter_file(struct script *s, const char *path, lua_CFunction body, const char *hint,
		      struct error *err);
void script_open_load(lua_State *L); /* load and require */

void script_open_strings(lua_State *L); /* find, match, gmatch, gsub */
/* What every file of Lua may use: the libraries, without what a script must not have, load, require. */
void script_open_box(lua_State *L);

/* ---- globals.c ---- */

/* Those that the chunk on top sets or tests are nil until they are set. */
void globals_note(lua_State *L);
void globals_open(lua_State *L); /* to read any other that is not set is a fault */

/* ---- load.c: what is written in Lua: check.lua, expect.lua, given.lua, prelude.lua ---- */

/* Runs them with the table of C's functions that is on top, and pops it. */
void prelude_run(lua_State *L);
/* What prelude.lua gives back, by name. */
void script_push_prelude(lua_State *L, const char *name);

/* Functions for them, added to the table on top. */
void script_open_gates(lua_State *L);
void script_open_places(lua_State *L);
void script_open_like(lua_State *L);
void script_open_expect(lua_State *L);
void script_open_run(lua_State *L);
/* gate:NAME(...) calls this function. */
void script_add_gate_method(lua_State *L, const char *name, lua_CFunction function);
struct gate *script_to_gate(lua_State *L, int index);	/* NULL: not a gate */
struct place *script_to_place(lua_State *L, int index); /* NULL: not a place */

void script_open_end(lua_State *L);   /* run.c: what is asked when the run is over */
void script_open_given(lua_State *L); /* given.c: env, args, stdin */
void script_open_log(lua_State *L);   /* calls.c: what an expression of :log knows */

/* The arrival is the engine's: it lives as long as the call, or for :run until script_run_end(). */
struct script_hit {
	const struct arrival *arrival; /* NULL: over */
};
struct script_hit *script_push_hit(lua_State *L, const struct arrival *a);
void script_open_hit(lua_State *L);

/* ---- struct engine_script -------------------------------------------------------------------- */

bool script_may_open(void *ctx, int ref, const struct gate *g);
enum engine_answer script_on_ready(void *ctx, struct gate *g, const struct arrival *a,
				   struct error *err);
enum engine_answer script_on_when(void *ctx, int ref, const struct arrival *a, struct error *err);
enum engine_answer script_on_passed(void *ctx, struct gate *g, const struct arrival *a,
				    struct error *err);
enum engine_answer script_on_opened(void *ctx, struct gate *g, struct error *err);
enum engine_answer script_on_log_text(void *ctx, const char *text, const struct arrival *a,
				      char **line, struct error *err);
enum engine_answer script_run(void *ctx, int ref, const struct arrival *a, void **coroutine,
			      struct gate **gate, struct error *err);
void script_run_end(void *ctx, void *coroutine);
void script_run_free_all(struct script *s);
struct script_run {
	struct script *script;
	lua_State *co;
	int ref;		/* of the function */
	int co_ref, hit_ref;	/* what keeps the coroutine and its hit alive */
	int until_ref;		/* the function of wait_until while it holds, or LUA_NOREF */
	struct script_hit *hit; /* valid as long as hit_ref */
	struct gate *waits;	/* what gate:wait() has just asked for */
	bool resumed;		/* it has held before */
};

bool script_run_owns(const struct script *s, const lua_State *co);

/* ---- value.c ---- */

/* Empties the place for the next answer (the script owns it: a Lua error leaks nothing). */
struct asked *value_ask(lua_State *L);
/* Pushes asked->value; for -1 raises asked->err at the script's line. */
int value_answer(lua_State *L, int result);
/* Raises asked->err at the script's line. */
int value_raise(lua_State *L);
/* The host's functions; raises "WHAT: not available here" if it has none. */
const struct script_program *value_program(lua_State *L, const char *what);
/* Raises an error if the running function may only answer. */
void value_check_writing(lua_State *L, const char *what);
/* The value at that index for the program. A text in it is Lua's: keep it on the stack. */
void value_take(lua_State *L, int index, struct program_value *out);
/* The string at that index as a name; raises "WHO: ..." for anything else. */
const char *value_check_name(lua_State *L, int index, const char *who);
/* A metatable of this name. `read_only`: the message for who sets a field, its %s; NULL: he may. */
void value_new_type(lua_State *L, const char *name, const luaL_Reg *functions,
		    const char *read_only);
void value_open(lua_State *L);

/* ---- enum.c ---- */

/* Pushes the number and remembers its name (NULL: it has none). */
void enum_push(lua_State *L, lua_Integer number, const char *name);
void enum_open(lua_State *L);

/* ---- state.c ---- */

void state_open(lua_State *L);

/* ---- threads and hits (state.c) ---- */

/* Pushes the thread: the same one is the same value, so that scripts can compare them. */
void thread_push(lua_State *L, struct engine_thread *t);

#endif
