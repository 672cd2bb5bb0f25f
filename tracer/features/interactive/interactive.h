/*
 * A run that a user steers, for the REPL: it goes until it comes to rest, is looked at, and goes
 * on. While somebody looks every thread is stopped, so that nothing changes under their eyes; Ctrl-C
 * (TRACEE_INTERRUPT) is one of the ways to get there and kills nothing.
 *
 *	interactive_new, interactive_start -> INTERACTIVE_READY, then places by interactive_load and interactive_line, then interactive_go
 *
 * Texts are appended to a struct str, one line each. Threads are named as in a script ("worker#1"),
 * or by their number in interactive_threads.
 */
#ifndef GATECTL_FEATURES_INTERACTIVE_INTERACTIVE_H
#define GATECTL_FEATURES_INTERACTIVE_INTERACTIVE_H

#include "tracer/base/array.h"
#include "tracer/run/run.h"

#include <sys/types.h>

struct interactive;

enum interactive_state {
	INTERACTIVE_READY,   /* its libraries are loaded, but none of its own code has run */
	INTERACTIVE_REST,    /* nobody can move */
	INTERACTIVE_QUIET,   /* some thread is held, and nothing has happened for a while */
	INTERACTIVE_LOOK,    /* Ctrl-C */
	INTERACTIVE_THERE,   /* a thread got where it was sent */
	INTERACTIVE_CRASHED, /* a signal is about to end the program: interactive_crash */
	INTERACTIVE_TURN,    /* a controlled run rests before its next step (sched.h) */
	INTERACTIVE_GONE,    /* ... or has ended without getting there */
	INTERACTIVE_ENDED,   /* the program is gone: interactive_verdict */
};

/* Called for holds, opens and the like while the program runs: one line each. */
struct interactive_ui {
	void *ctx;
	void (*line)(void *ctx, const char *text);
	/* Or NULL. From now on, or no longer, signals may end the start of the program. */
	void (*starts)(void *ctx, bool now);
	/* Of a controlled run, or NULL: it is about to begin; it has ended, and is to be judged. */
	void (*begins)(void *ctx);
	void (*ends)(void *ctx, struct run *s);
	bool rests_at_crash; /* else the program ends, and the verdict tells of the crash */
};

struct interactive *interactive_new(const struct run_options *o, struct modules *symbols,
				    const struct interactive_ui *ui);
void interactive_free(struct interactive *l); /* kills what is left */

/* Starts the program, stopped before its own code; kills one that still runs. With a pid: attaches
   to the process, which stops where it is (INTERACTIVE_LOOK). 0, or -1. */
int interactive_start(struct interactive *l, struct error *err);
/* Do scripts and lines say by now that PROG gets other variables, arguments or input than it was
   started with? With the next start it gets them. */
bool interactive_gives_other(const struct interactive *l);
/* What scripts print is not told. Was it so before? */
bool interactive_mute(struct interactive *l, bool mute);
enum interactive_state interactive_state(const struct interactive *l);
bool interactive_owns_group(const struct interactive *l,
			    pid_t group); /* is a process of the program in it? */

/*
 * Lua: a script file, or one line (`name` stands for the file in messages). The places that it
 * makes are resolved at once; if one of them cannot be found, nothing made by this line acts. `out`
 * (may be NULL) gets the value of an expression, `made` (may be NULL for a line) what was made. A
 * line can still be run when the program has ended; INTERACTIVE_NEEDS_PROGRAM (with an error, like
 * -1): it would have made places or orders.
 */
enum { INTERACTIVE_NEEDS_PROGRAM = -2 };
struct interactive_made {
	size_t place, places; /* the first, and how many */
	size_t gate, gates;
	size_t order, orders; /* a -> b of orders */
	bool seen;	      /* a line has used program.var: it is of this run only */
};
int interactive_load(struct interactive *l, const char *path, struct interactive_made *made,
		     struct error *err);
int interactive_line(struct interactive *l, const char *text, struct str *out,
		     struct interactive_made *made, struct error *err);
void interactive_drop(struct interactive *l,
		      const struct interactive_made *made); /* retires it; threads it holds go on */
/* Gates of a line that was dropped are listed again. */
void interactive_take_up(struct interactive *l, const struct interactive_made *made);

/* May a line have a gate of this name? */
enum interactive_gate {
	INTERACTIVE_GATE_NONE,	   /* it has to be made first */
	INTERACTIVE_GATE_KNOWN,	   /* there is one: `variable` holds it, until the next line */
	INTERACTIVE_GATE_NAMELESS, /* there is one, but only in a function or block of a script */
	INTERACTIVE_GATE_TAKEN,	   /* the name means something else */
};
enum interactive_gate interactive_gate(struct interactive *l, const char *name,
				       const char **variable);

/* The name of the i-th gate that is open, or NULL. Valid as long as the run. */
const char *interactive_open_gate(const struct interactive *l, size_t i);

/* Goes on until there is something to look at. */
enum interactive_state interactive_go(struct interactive *l);

/* Steps of the user. 0, or -1: there is no such gate or thread, or this cannot be done to it. */
int interactive_open(struct interactive *l, const char *gate, struct error *err);
void interactive_opened(struct interactive *l, const char *gate); /* opened by a line of Lua */
int interactive_hold(struct interactive *l, const char *thread, struct error *err);
int interactive_release(struct interactive *l, const char *thread,
			struct error *err); /* and past its gate */
/* Also those that stay where they were sent; `noted`: noted as a step of its own. */
void interactive_release_all(struct interactive *l, bool noted);
/* Like interactive_release, but nobody else goes on until the next stop. */
int interactive_only(struct interactive *l, const char *thread, struct error *err);

/* Where the next interactive_go sends a thread. It stays there until it is let go, or all are. */
enum interactive_way { INTERACTIVE_NEXT, INTERACTIVE_STEP };
/* The thread need not exist yet: "worker#2" can be sent before it is created. */
int interactive_until(struct interactive *l, const char *thread, const char *location,
		      struct error *err);
int interactive_line_step(struct interactive *l, const char *thread, enum interactive_way way,
			  struct error *err);

/*
 * The user's steps in this run, as lines of a script that takes them by itself. `before` goes
 * before the lines that made gates and places, `behind` after them; `notes` is for the user. 0; or
 * -1 with an error: `refused` (from 1) is a step that a script cannot express; listed in `without`
 * it would be left out.
 */
struct interactive_saving {
	const char *word;      /* its gates are WORD1, WORD2, ... */
	size_t locals;	       /* local variables of the rest of the script */
	ARRAY(size_t) without; /* numbers of steps, from 1; the caller's */
	bool (*is_variable)(void *ctx, const char *gate); /* of the script, by the gate's name? */
	void *ctx;
	struct str before, behind, notes;
	size_t refused;
};
/* Do the scripts give the program its arguments? */
bool interactive_has_args(const struct interactive *l);
int interactive_save(struct interactive *l, struct interactive_saving *how, struct error *err);
void interactive_saving_fini(struct interactive_saving *how);

/* Looking around. */
void interactive_threads(struct interactive *l, struct str *out);
void interactive_gates(struct interactive *l, struct str *out);
void interactive_places(struct interactive *l, struct str *out);
bool interactive_held(struct interactive *l,
		      struct str *out); /* the first thread that is held at a gate */
void interactive_events(struct interactive *l, size_t most, struct str *out);
const char *
interactive_reason(const struct interactive *l); /* why it has stopped, in a few words */
void interactive_why(struct interactive *l, struct str *out);
int interactive_backtrace(struct interactive *l, const char *thread, struct str *out,
			  struct error *err);
int interactive_locals(struct interactive *l, const char *thread, struct str *out,
		       struct error *err);
int interactive_print(struct interactive *l, const char *thread, const char *expression,
		      struct str *out, struct error *err);
/* The source around a location, with the line marked. */
int interactive_list(struct interactive *l, const char *location, struct str *out,
		     struct error *err);
void interactive_crash(struct interactive *l,
		       struct str *out); /* INTERACTIVE_CRASHED: what happened */
void interactive_there_line(struct interactive *l,
			    struct str *out); /* INTERACTIVE_THERE: the line that it is at */
/* The lines of FUNC or FILE whose text has TEXT. */
int interactive_find(struct interactive *l, const char *where, struct str *out, struct error *err);

/* INTERACTIVE_ENDED: the verdict's lines (for ok, how it ended) and gatectl's exit status. */
int interactive_verdict(struct interactive *l, struct str *out);
int interactive_interrupted(
	const struct interactive
		*l); /* by SIGTERM or SIGHUP to gatectl, a start by SIGINT, too; or 0 */

/* Names for completion, one after the other; false after the last one. */
enum interactive_names { INTERACTIVE_THREADS, INTERACTIVE_GATES };
bool interactive_name(struct interactive *l, enum interactive_names what, size_t i,
		      struct str *out);
/* Functions and files of the program itself; once FILE: is typed, its lines; once FUNC; is typed,
   texts of its lines. A function's namespaces may be left out. */
void interactive_locations(struct interactive *l, const char *begin,
			   void (*each)(void *ctx, const char *name));

#endif
