/*
 * Gate scripts: Lua 5.4 in a box, bound to the engine.
 *
 * A script is loaded once a run; loading it makes gates and places in the engine and fills the
 * plan. Afterwards the engine calls back through struct engine_script. Lua errors never cross this
 * boundary: they come out as ERROR_SCRIPT with "FILE:LINE: what".
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

/* What the script needs of the run; all may be NULL. */
struct script_host {
	void *ctx;
	void (*print)(void *ctx, const char *line); /* print() of a script: one line, to stderr */
	/* thread.state as a word: "held", "running", "blocked", "exited"; a static string */
	const char *(*thread_state)(void *ctx, const struct engine_thread *t);
	const char *(*thread_name)(void *ctx, const struct engine_thread *t);
	struct script_program program; /* hit.var, hit.eval, ... */
};

/*
 * Installs itself in the engine (engine_set_script). The plan must outlive the script, the host is
 * copied. Script and engine may be freed in either order.
 */
struct script *script_new(struct engine *e, struct plan *plan, const struct script_host *host);
void script_free(struct script *s);

/* How the run ended, for the functions of expect(). */
struct script_end {
	bool exited;
	int status, signal;			     /* signal 0: by none */
	const struct str *stdout_text, *stderr_text; /* NULL: not kept */
	bool *signal_judged;			     /* set when a function looks at the signal */
};
/* YES where the function says so; FAULT with `err`. */
enum engine_answer script_end(struct script *s, const struct expect_check *check,
			      const struct script_end *end, struct error *err);

/* Runs a script file. 0, or -1 with ERROR_SCRIPT. `require` finds Lua files beside it. */
int script_load(struct script *s, const char *path, struct error *err);

/* The same, but what the file declares local at the start of a line becomes global, so that lines
   typed later know it. */
int script_load_open(struct script *s, const char *path, struct error *err);

/* One line, as if it stood in a script of this name. What it declares local becomes global, so that
   the next lines know it. If it is an expression, `out` (may be NULL) gets its value as text. */
int script_line(struct script *s, const char *name, const char *text, struct str *out,
		struct error *err);
/* What a gate's name is for a line: `variable` (the script owns it) holds a gate that is called so, or is the name itself
   and holds one; or it means something else, as a word of Lua does; or nothing yet. */
enum script_gate_name { SCRIPT_GATE_NONE, SCRIPT_GATE_KNOWN, SCRIPT_GATE_TAKEN };
enum script_gate_name script_gate_name(struct script *s, const char *name, const char **variable);
/* Is it the beginning of a statement that goes on in the next line? */
bool script_line_goes_on(const char *text);
/* May lines use program.var? The program has begun then, and stands still. */
void script_lines_see(struct script *s, bool may);
/* Has a line used it since that was said? */
bool script_lines_have_seen(const struct script *s);

/*
 * What a contract allows a call to give: a Lua file that returns a function, or a table with all that is allowed.
 *
 *	return function(call) return call.result >= 0 end
 *	return { 0, 1, "a" }
 *
 * The function is asked for a call that gave what no order of whole calls explains; true allows it. `call` has
 * .call ("size()"), .result (what it gave first), .results (also what its out-parameters show, from 1), and
 * .atomic (the results that orders of whole calls give there, a list).
 */

struct script_weak_call {
	const char *call;  /* "size()" */
	const char *given; /* "1,2"; numbers, NULL or texts in quotes, with commas between */
	const char *const *atomic; /* as `given` */
	size_t atomic_count;
};

/* NULL with ERROR_SCRIPT: it cannot be read, is faulty, or returns something else. */
struct script_weaken *script_weaken_new(const char *path, struct error *err);
void script_weaken_free(struct script_weaken *w); /* NULL is fine */
/* 1: allowed; 0: not; -1: a fault. */
int script_weaken_allows(struct script_weaken *w, const struct script_weak_call *call,
			 struct error *err);

/*
 * A strategy of the tester's own: `strategy { start = function(run) end, choose = function(points)
 * return i end }` in a Lua file, which has a state of its own, in the same box as gate scripts have.
 *
 * What `math.random` gives depends on the seed and the run. Faults come out as ERROR_SCRIPT with
 * "FILE:LINE: what"; none of these functions may be called after one.
 */

/* What the thread would do next. */
struct script_point {
	unsigned thread; /* its number */
	const char *op;	 /* "lock" */
	uint64_t object;
};

/* Where it is; NULL and 0: not known. */
struct script_where {
	const char *file, *func;
	unsigned line;
};

struct script_strategy_host {
	void *ctx;
	void (*print)(void *ctx, const char *line); /* NULL: what it prints is lost */
	/* Of points[index] of the call of choose() that runs; asked when the file looks at it, and at each
	   look. NULL: nothing is known. Where it is; its thread's id, "main"; what the source calls the
	   memory or the object, "account.balance". Texts are good until the next call. */
	void (*describe)(void *ctx, size_t index, struct script_where *where);
	const char *(*thread)(void *ctx, size_t index);
	const char *(*name)(void *ctx, size_t index);
};

/* The host is copied. NULL: it cannot be read, is faulty, or has no strategy in it. */
struct script_strategy *script_strategy_new(const char *path, uint64_t seed,
					    const struct script_strategy_host *host,
					    struct error *err);
void script_strategy_free(struct script_strategy *s); /* NULL is fine */

void script_strategy_start(struct script_strategy *s, uint64_t run, struct error *err);
/* The index that it chose, from 0; -1 with an error. */
long script_strategy_choose(struct script_strategy *s, const struct script_point *points,
			    size_t count, struct error *err);

#endif
