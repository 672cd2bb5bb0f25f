/*
 * A run under somebody's hand, for the REPL: it goes until it comes to rest, is looked at, and goes
 * on. While somebody looks every thread is stopped, so that nothing changes under their eyes; Ctrl-C
 * (TARGET_INTERRUPT) is one of the ways to get there and kills nothing.
 *
 *	live_new, live_start -> LIVE_READY, then places by live_load and live_line, then live_go
 *
 * Texts are appended to a struct str, one line each. Threads are named as in a script ("worker#1"),
 * or by their number in live_threads.
 */
#ifndef GATECTL_SESSION_LIVE_H
#define GATECTL_SESSION_LIVE_H

#include "tracer/session/session.h"

#include <sys/types.h>

struct live;

enum live_state {
	LIVE_READY, /* its libraries are loaded, none of its own code has run */
	LIVE_REST,  /* nobody can move */
	LIVE_QUIET, /* somebody is held, and for a while nothing has happened */
	LIVE_LOOK,  /* Ctrl-C */
	LIVE_THERE, /* a thread got where it was sent */
	LIVE_GONE,  /* ... or has ended on the way */
	LIVE_ENDED, /* the program is gone: live_verdict */
};

/* Tells of holds, opens and the like while the program runs: one line. */
struct live_ui {
	void *ctx;
	void (*line)(void *ctx, const char *text);
};

struct live *live_new(const struct session_options *o, struct symbols *symbols,
		      const struct live_ui *ui);
void live_free(struct live *l); /* kills what is left */

/* Starts the program, stopped before its own code; one that runs is killed first. 0, or -1. */
int live_start(struct live *l, struct error *err);
enum live_state live_state(const struct live *l);
bool live_owns_group(const struct live *l, pid_t group); /* is a process of the program in it? */

/*
 * Lua: a script file, or one line of one (`name` stands in messages for the file). The places that it
 * makes are looked for at once; where one of them cannot be found none of this line's acts. `out`
 * (may be NULL) gets the value of an expression, `made` (may be NULL for a line) what was made. A line
 * can still be run when the program has ended; LIVE_NEEDS_PROGRAM (with an error, like -1): it would
 * have made places or orders.
 */
enum { LIVE_NEEDS_PROGRAM = -2 };
struct live_made {
	size_t place, places; /* the first, and how many */
	size_t order, orders; /* a -> b of orders */
};
int live_load(struct live *l, const char *path, struct live_made *made, struct error *err);
int live_line(struct live *l, const char *text, const char *name, struct str *out,
	      struct live_made *made, struct error *err);
void live_drop(struct live *l, const struct live_made *made); /* no more; whom it holds goes on */

/* The name of the i-th gate that is open, or NULL. It stays as it is as long as the run. */
const char *live_open_gate(const struct live *l, size_t i);

/* Goes on until there is something to look at. */
enum live_state live_go(struct live *l);

const char *live_id(struct live *l, const char *thread); /* of one that is given by its number */

/* By hand. 0, or -1: no such gate or thread, or it is nothing that can be done to it. */
int live_open(struct live *l, const char *gate, struct error *err);
int live_hold(struct live *l, const char *thread, struct error *err);
/* And past its gate: 1 where it was held at one, else 0. */
int live_release(struct live *l, const char *thread, struct error *err);
/* The same, and nobody else goes on until the next stop. */
int live_only(struct live *l, const char *thread, struct error *err);

/* Where a thread is sent by the next live_go. */
enum live_way { LIVE_NEXT, LIVE_STEP };
int live_until(struct live *l, const char *thread, const char *location, struct error *err);
int live_line_step(struct live *l, const char *thread, enum live_way way, struct error *err);

/* To look at. */
void live_threads(struct live *l, struct str *out);
void live_gates(struct live *l, struct str *out);
void live_places(struct live *l, struct str *out);
bool live_held(struct live *l, struct str *out); /* the first that is held at a gate */
void live_events(struct live *l, size_t most, struct str *out);
const char *live_reason(const struct live *l); /* why it has stopped, in a few words */
void live_why(struct live *l, struct str *out);
int live_backtrace(struct live *l, const char *thread, struct str *out, struct error *err);
int live_locals(struct live *l, const char *thread, struct str *out, struct error *err);
int live_print(struct live *l, const char *thread, const char *expression, struct str *out,
	       struct error *err);
/* The source around a location, the line marked. */
int live_list(struct live *l, const char *location, struct str *out, struct error *err);
void live_there_line(struct live *l, struct str *out); /* LIVE_THERE: the line that it is at */
/* The lines of FUNC or FILE whose text has TEXT. */
int live_find(struct live *l, const char *where, struct str *out, struct error *err);

/* LIVE_ENDED: the verdict's lines (how it ended, where that is ok) and gatectl's exit status. */
int live_verdict(struct live *l, struct str *out);
int live_interrupted(const struct live *l); /* by SIGTERM or SIGHUP to gatectl; or 0 */

/* Names for completion, one after the other; false behind the last one. */
enum live_names { LIVE_THREADS, LIVE_GATES };
bool live_name(struct live *l, enum live_names what, size_t i, struct str *out);
/* Functions and files of the program itself; or, of a FILE: as it is being written, its lines. */
void live_locations(struct live *l, const char *begin, void (*each)(void *ctx, const char *name),
		    void *ctx);

#endif
