/*
 * Gate scripts: sandboxed Lua 5.4, bound to the engine.
 *
 * A script is loaded once a run; loading creates gates and places in the engine and fills the plan.
 * Afterwards the engine calls back through struct engine_script. Lua errors never leave this
 * folder: they become ERROR_SCRIPT with "FILE:LINE: what".
 */
#ifndef GATECTL_LUA_SCRIPT_H
#define GATECTL_LUA_SCRIPT_H

#include "gates/engine.h"
#include "lua/program.h"
#include "tracer/base/text/str.h"
#include "tracer/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct script;
struct script_strategy;
struct script_weaken;

/* Services of the run for the script; each may be NULL. */
struct script_host {
	void *ctx;
	void (*print)(void *ctx, const char *line); /* print() of a script: one line, to stderr */
	/* Returns thread.state: "held", "running", "blocked", "exited"; a static string. */
	const char *(*thread_state)(void *ctx, const struct engine_thread *t);
	/* Returns the name set by pthread_setname_np, or NULL. */
	const char *(*thread_name)(void *ctx, const struct engine_thread *t);
	struct script_program program; /* hit.var, hit.eval, ... */
};

/*
 * Creates a script and installs it in the engine (engine_set_script). The plan must outlive the
 * script; the host is copied. Script and engine may be freed in either order.
 */
struct script *script_new(struct engine *e, struct plan *plan, const struct script_host *host);
/* Frees the script; NULL is allowed. */
void script_free(struct script *s);

/* The end of the run, as functions of expect() see it. */
struct script_end {
	bool exited;
	int status, signal;			     /* signal 0: not ended by one */
	const struct str *stdout_text, *stderr_text; /* NULL: not recorded */
	bool *signal_judged; /* set to true if a function reads the signal */
};
/* Calls a function of expect(). Returns YES if it returns true, NO if not, FAULT with *err set. */
enum engine_answer script_end(struct script *s, const struct expect_check *check,
			      const struct script_end *end, struct error *err);

/*
 * Runs a script file. Returns 0, or -1 with *err set (ERROR_SCRIPT). `require` finds Lua files in
 * the file's folder.
 */
int script_load(struct script *s, const char *path, struct error *err);

/*
 * Runs a script file like script_load(), but makes `local` declarations at the start of a line
 * global, so that lines typed later can use them. Returns 0, or -1 with *err set.
 */
int script_load_open(struct script *s, const char *path, struct error *err);

/*
 * Runs one line of a script called `name`: with `out` an expression, whose value is appended as
 * text; without, a statement, whose locals become global. Returns 0, or -1 with *err set.
 */
int script_line(struct script *s, const char *name, const char *text, struct str *out,
		struct error *err);
/*
 * Meaning of a gate's name in a typed line: no variable, a gate, or taken by another value or a
 * keyword.
 */
enum script_gate_name { SCRIPT_GATE_NONE, SCRIPT_GATE_KNOWN, SCRIPT_GATE_TAKEN };
/*
 * Looks up a gate by name. KNOWN: *variable, owned by the script, holds a gate of that name, or
 * else is called so and holds a gate. TAKEN: the name has another meaning.
 */
enum script_gate_name script_gate_name(struct script *s, const char *name, const char **variable);
/* True if the text is the beginning of a statement that continues on the next line. */
bool script_line_goes_on(const char *text);
/* Allows lines to use program.var (the program has started and is stopped), or forbids it. */
void script_lines_see(struct script *s, bool may);
/* True if a line has used program.var since the last script_lines_see(). */
bool script_lines_have_seen(const struct script *s);

/*
 * Results that --weaken allows a call to have: a Lua file that returns a table of results, or a
 * function that returns true for an allowed result. README.md describes its argument.
 */

struct script_weak_call {
	const char *call;  /* "size()" */
	const char *given; /* results: "1,2"; numbers, NULL, quoted strings; separated by commas */
	const char *const *atomic; /* results of sequential histories, in the format of `given` */
	size_t atomic_count;
};

/*
 * Loads the file. Returns NULL with *err set (ERROR_SCRIPT) if it is unreadable, faulty or returns
 * neither function nor table. Freed by script_weaken_free().
 */
struct script_weaken *script_weaken_new(const char *path, struct error *err);
void script_weaken_free(struct script_weaken *w); /* Frees it; NULL is allowed. */
/* Returns 1 if the result is allowed, 0 if not, -1 with *err set. */
int script_weaken_allows(struct script_weaken *w, const struct script_weak_call *call,
			 struct error *err);

/*
 * A user-defined strategy: a Lua file that calls `strategy { start = ..., choose = ... }`, with a
 * sandboxed Lua state of its own. A fault is an ERROR_SCRIPT with "FILE:LINE: what"; after one only
 * script_strategy_free() may be called.
 */

/* The next operation of a thread. */
struct script_point {
	unsigned thread; /* number of the thread */
	const char *op;	 /* operation: "lock" */
	uint64_t object;
};

/* Location of a thread; NULL and 0: unknown. */
struct script_where {
	const char *file, *func;
	unsigned line;
};

struct script_strategy_host {
	void *ctx;
	void (*print)(void *ctx, const char *line); /* NULL: output is dropped */
	/* Facts about points[index] of the current choose() call, fetched on each read; NULL:
	   none. describe: location. thread: id, "main". name: the source's name of the object,
	   "account.balance". Strings are valid until the next call. */
	void (*describe)(void *ctx, size_t index, struct script_where *where);
	const char *(*thread)(void *ctx, size_t index);
	const char *(*name)(void *ctx, size_t index);
};

/*
 * Loads a strategy; the host is copied. Returns NULL with *err set if the file is unreadable,
 * faulty or has no strategy. Freed by script_strategy_free().
 */
struct script_strategy *script_strategy_new(const char *path, uint64_t seed,
					    const struct script_strategy_host *host,
					    struct error *err);
void script_strategy_free(struct script_strategy *s); /* Frees it; NULL is allowed. */

/* Begins a run: seeds math.random and calls `start`. Sets *err on a fault. */
void script_strategy_start(struct script_strategy *s, uint64_t run, struct error *err);
/* Returns the index of the chosen point, from 0, or -1 with *err set. */
long script_strategy_choose(struct script_strategy *s, const struct script_point *points,
			    size_t count, struct error *err);

#endif
