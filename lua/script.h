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
#include "gates/verdict.h"
#include "lua/program.h"
#include "tracer/base/text/str.h"

struct script;

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

#endif
