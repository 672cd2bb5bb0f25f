/*
 * State shared by the files of this folder.
 *
 * A Lua error is a longjmp. C code therefore holds nothing that it must release (memory, files)
 * while Lua is called, and Lua is entered through script_enter() only.
 */
#ifndef GATECTL_LUA_SCRIPT_INTERNAL_H
#define GATECTL_LUA_SCRIPT_INTERNAL_H

#include "lua/script.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

/* Permissions of the running script function. */
enum script_mode {
	SCRIPT_IDLE,
	SCRIPT_LOADING, /* may create gates and places */
	SCRIPT_PURE,	/* pure: :when, ready, wait_until, the expressions of :log */
	SCRIPT_RUNNING, /* :run: may hold the thread and open gates */
	SCRIPT_NOTIFY,	/* passed, opened: may open gates */
};

/* ---- budget.c: time and memory of one entry ---- */

struct budget {
	size_t used; /* bytes allocated by Lua */
	/* bytes that others keep for the script until the entry is left: printed lines, gates */
	size_t queued;
	size_t unchecked; /* bytes allocated since the clock was last read */
	unsigned steps;	  /* turns of loops in C */
	long long start;  /* ns of the thread's CPU time; valid if `started` */
	long long limit;  /* ns of CPU time for one entry */
	bool started;	  /* `start` is set, at the first call of the hook */
	bool fatal;	  /* an error is set in `text` that no pcall of the script may catch */
	bool failed;	  /* the fatal error was raised by the script: `fail` */
	bool placed;	  /* `text` ends with FILE:LINE */
	char text[4096];  /* fatal error, with FILE:LINE */
};

struct script;

/* Returns a Lua state with the budget's allocator and hook, or NULL. */
lua_State *budget_new_state(struct script *s);
/* Resets time and memory at the outermost entry. */
void budget_begin(struct script *s);
/* Raises an error if the script has used up its time or memory; for long loops in C. */
void budget_check(lua_State *L);
/* Calls budget_check() at intervals; for each turn of a short loop in C. */
void budget_step(lua_State *L);
/* Counts memory that is kept outside Lua on behalf of the script. */
void budget_charge(lua_State *L, size_t bytes);
/* Raises an error that no pcall of the script catches. */
int budget_fatal(lua_State *L, const char *what);
/* Ends the run with this text (ERROR_FAILED), on the script's request (`fail`). */
int budget_fail(lua_State *L, const char *text);
/* message for LUA_ERRMEM */
extern const char budget_too_big[];
/* Makes the hook run after one more instruction: there enums.just_read ends. */
void budget_soon(lua_State *L);
/* lua_resume() that keeps `running` up to date. */
int budget_resume(lua_State *L, lua_State *co, int args, int *results);

void alarm_open(void); /* once per Lua state */
void alarm_close(void);
void alarm_watch(struct script *s); /* The script that is now entered; NULL: none. */

/* ---- fault.c: FILE:LINE ---- */

/* Registers a file whose name may begin a message. */
void fault_add_file(lua_State *L, const char *path);
/*
 * Pushes "FILE:LINE" of the innermost frame of `of` in a script's file; returns false, and pushes
 * nothing, if there is none.
 */
bool fault_push_where(lua_State *L, lua_State *of);
/* Raises "FILE:LINE: message" with the position of the calling line of the script. */
int fault_raise(lua_State *L, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Replaces the error value on top of L, raised in `of`, by a string, with its position if known. */
void fault_describe(lua_State *L, lua_State *of);
int fault_message(lua_State *L); /* fault_describe() as a message handler */
/* True if the text begins with FILE:LINE: of a script's file. Allocates nothing. */
bool fault_has_position(lua_State *L, const char *text);
/* Pushes the kind of a value for messages: "a gate", "a string", "nil". */
const char *fault_push_kind(lua_State *L, int index);

/* ---- script.c ---- */

struct script_run;

/* Buffers for the host's answers: Lua may raise an error while it copies them. */
struct asked {
	struct program_value value;
	struct str text;
	struct error err;
};

/* Enum values that were read (enum.c). */
struct enum_reads {
	unsigned long entry; /* value of `entries` for which the entry's table is valid */
	/* the previous instruction has read `number`, which has several names */
	bool just_read;
	lua_Integer number;
	const char *name;
};

struct script {
	lua_State *L;
	lua_State *running; /* L, or the coroutine that is running */
	struct engine *engine;
	struct plan *plan;
	struct script_host host;
	enum script_mode mode;
	unsigned depth;		      /* nesting of entries */
	unsigned long entries;	      /* number of outermost entries so far */
	struct engine_thread *thread; /* thread of the call; NULL while loading */
	const struct arrival *arrival;
	struct script_run *run;		 /* the run whose coroutine is resumed; NULL: none */
	ARRAY(struct script_run *) runs; /* owned: runs that have not ended */
	struct budget budget;
	struct asked asked;
	struct enum_reads enums;
	bool lines_see, lines_have_seen; /* program.var in typed lines: script_lines_see() */
	struct error broken;		 /* error of the start; every load returns it */
};

static inline struct script *script_of(lua_State *L)
{
	return *(struct script **)lua_getextraspace(L);
}

/* Creates the Lua state if there is none yet. Returns 0, or -1 with *err set. */
int script_start(struct script *s, struct error *err);
/*
 * Creates a Lua state and calls `open` in it. Returns 0, or -1 with *err set. Requires
 * alarm_open().
 */
int script_open_state(struct script *s, lua_CFunction open, struct error *err);
void script_close_state(struct script *s); /* Closes the state and calls alarm_close(). */

/* ---- calls.c ---- */

/* Arguments and results of a call into Lua. */
struct call {
	struct script *script;
	lua_CFunction body; /* receives the struct call as light userdata at index 1 */
	enum script_mode mode;
	const char *source; /* FILE:LINE for a fault without a position */
	int ref;
	struct gate *gate;
	const struct arrival *arrival;
	struct script_run *run;
	const struct script_end *end;
	const char *path, *text; /* file to load and its contents; or the text of a :log */
	size_t length;
	char *result; /* allocated by base_alloc, owned by the caller */
	enum engine_answer answer;
};

/*
 * Runs c->body protected and within the budget; nests. Returns 0, or -1 with *err set
 * (ERROR_SCRIPT).
 */
int script_enter(struct call *c, struct error *err);
/*
 * Answer to the engine for the `result` of script_enter(): c->answer; FAULT; or GONE if the call
 * failed because its thread is dying.
 */
enum engine_answer script_answer(const struct call *c, int result);

/*
 * Calls the script's function below its arguments; for use in a body. Returns the status; on a
 * fault the message, with position, is on top instead of the results.
 */
int script_call(lua_State *L, int args, int results);

/* Report to the host that a pure function is called for this arrival, and that it has returned. */
void script_asking(struct script *s, const struct arrival *a);
void script_answered(struct script *s);
/* True if the last read met an object that a thread is changing: the answer is no, for now. */
bool script_met_change(const struct script *s);

/* ---- the API's parts ------------------------------------------------------------------------- */

/* Compiles a file (skips a BOM and a #! line). Pushes the function or the error message. */
int script_load_chunk(lua_State *L, const char *path, const char *text, size_t length);
/*
 * Returns the file's contents, freed by the caller; or NULL with errno and *what ("cannot open").
 */
char *script_read_file(const char *path, size_t *length, const char **what);
/*
 * Reads the file and calls script_enter(). Returns 0, or -1 with *err set; the hint is for an
 * unreadable file.
 */
int script_enter_file(struct script *s, const char *path, lua_CFunction body, const char *hint,
		      struct error *err);
void script_open_load(lua_State *L); /* load and require */

void script_open_strings(lua_State *L); /* find, match, gmatch, gsub */
/* Libraries of every Lua file: Lua's own without the unsafe functions; load, require. */
void script_open_box(lua_State *L);

/* ---- globals.c ---- */

/*
 * Collects the globals that the chunk on top sets or tests: reading them before they are set gives
 * nil.
 */
void globals_note(lua_State *L);
void globals_open(lua_State *L); /* makes it an error to read any other unset global */

/* ---- prelude.c: the part of the API in Lua: check.lua, expect.lua, given.lua, prelude.lua ---- */

/* Runs the Lua files with the table of C functions on top, and pops it. */
void prelude_run(lua_State *L);
/* Pushes a function or table that prelude.lua returned. */
void script_push_prelude(lua_State *L, const char *name);

/* Add C functions for the Lua files to the table on top. */
void script_open_gates(lua_State *L);
void script_open_places(lua_State *L);
void script_open_like(lua_State *L);
void script_open_expect(lua_State *L);
void script_open_run(lua_State *L);
/* Makes `function` a method of all gates. */
void script_add_gate_method(lua_State *L, const char *name, lua_CFunction function);
struct gate *script_to_gate(lua_State *L, int index);	/* NULL: not a gate */
struct place *script_to_place(lua_State *L, int index); /* NULL: not a place */

void script_open_end(lua_State *L);   /* expect.c: functions of expect() */
void script_open_given(lua_State *L); /* expect.c: env, args, stdin, sleeps */
void script_open_log(lua_State *L);   /* calls.c: names known to expressions of :log */

/* The engine's arrival; valid during the call, or for :run until script_run_end(). */
struct script_hit {
	const struct arrival *arrival; /* NULL: the hit has ended */
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
	int ref;		/* reference of the function */
	int co_ref, hit_ref;	/* references that keep the coroutine and its hit alive */
	int until_ref;		/* function of the wait_until that holds, or LUA_NOREF */
	struct script_hit *hit; /* valid while hit_ref is */
	struct gate *waits;	/* gate of the last gate:wait(), or NULL */
	bool resumed;		/* the coroutine has held before */
};

bool script_run_owns(const struct script *s, const lua_State *co);

/* ---- value.c ---- */

/*
 * Empties and returns the buffers for the next answer; owned by the script, so a Lua error leaks
 * nothing.
 */
struct asked *value_ask(lua_State *L);
/* Pushes asked->value; raises asked->err at the script's line if result is -1. */
int value_answer(lua_State *L, int result);
/* Raises asked->err at the script's line. */
int value_raise(lua_State *L);
/* Returns the host's functions; raises "WHAT: not available here" if there are none. */
const struct script_program *value_program(lua_State *L, const char *what);
/* Raises an error if the running function must be pure. */
void value_check_writing(lua_State *L, const char *what);
/*
 * Converts the Lua value at `index` for the program. A string in it belongs to Lua: keep it on the
 * stack.
 */
void value_take(lua_State *L, int index, struct program_value *out);
/* Returns the string at `index` as a name; raises "WHO: ..." for any other value. */
const char *value_check_name(lua_State *L, int index, const char *who);
/* Creates a metatable. `read_only` is the error message for setting a field (%s); NULL: allowed. */
void value_new_type(lua_State *L, const char *name, const luaL_Reg *functions,
		    const char *read_only);
void value_open(lua_State *L);

/* ---- enum.c ---- */

/* Pushes the number and records its enumerator's name (NULL: none). */
void enum_push(lua_State *L, lua_Integer number, const char *name);
void enum_open(lua_State *L);

/* ---- state.c ---- */

void state_open(lua_State *L);

/* ---- threads and hits (state.c) ---- */

/* Pushes the thread; equal threads are equal values, so that scripts can compare them. */
void thread_push(lua_State *L, struct engine_thread *t);

#endif
