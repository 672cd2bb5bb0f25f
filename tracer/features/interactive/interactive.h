/* A run that a user controls, for the REPL. All threads are stopped while the user inspects the
 * program; Ctrl-C (TRACEE_INTERRUPT) stops it and ends nothing. Texts are appended to a struct str.
 * Threads are named as in a script ("worker#1"), or by their number in interactive_threads(). */
#ifndef GATECTL_FEATURES_INTERACTIVE_INTERACTIVE_H
#define GATECTL_FEATURES_INTERACTIVE_INTERACTIVE_H

#include "tracer/base/array.h"
#include "tracer/run/run.h"

#include <sys/types.h>

struct interactive;

enum interactive_state {
	INTERACTIVE_READY,    /* libraries are loaded, no code of the program has run */
	INTERACTIVE_REST,     /* no thread can move */
	INTERACTIVE_QUIET,    /* a thread is held, and no event has come for a while */
	INTERACTIVE_LOOK,     /* stopped by Ctrl-C */
	INTERACTIVE_ATTACHED, /* attached to, and not in a deadlock */
	INTERACTIVE_THERE,    /* a thread has arrived where it was sent */
	INTERACTIVE_CRASHED,  /* a signal is about to end the program: interactive_crash() */
	INTERACTIVE_TURN,     /* the scheduler pauses before its next step (sched.h) */
	INTERACTIVE_GONE,     /* the thread that was sent has ended on its way */
	INTERACTIVE_ENDED,    /* the program has ended: interactive_verdict() */
};

/* Callbacks of the user interface, while the program runs. */
struct interactive_ui {
	void *ctx;
	/* An event to show: a hold, an opened gate. One line. */
	void (*line)(void *ctx, const char *text);
	/* May be NULL. From now on (or no longer) signals may end the start of the program. */
	void (*starts)(void *ctx, bool now);
	/* For a run under the scheduler, or NULL: before it begins; after its end, before the
	 * verdict. */
	void (*begins)(void *ctx);
	void (*ends)(void *ctx, struct run *s);
	/* May be NULL. Returns the id of the thread of the scheduler's next step, or NULL. */
	const char *(*next)(void *ctx);
	bool rests_at_crash; /* false: the program ends, and the verdict describes the crash */
};

/* Returns a new session, without a program; freed with interactive_free(). `symbols` and `ui` must
 * outlive it. */
struct interactive *interactive_new(const struct run_options *o, struct modules *symbols,
				    const struct interactive_ui *ui);
/* Ends what is left of the program and frees the session. */
void interactive_free(struct interactive *l);

/* Starts the program and stops it before its own code; ends one that still runs. With a pid,
 * attaches to the process, and stops it as soon as it is known what its threads wait for
 * (INTERACTIVE_ATTACHED unless something else has happened). Returns 0, or -1 with *err set. */
int interactive_start(struct interactive *l, struct error *err);
/* True if scripts or lines by now give the program other variables, arguments or input than it was
 * started with. They take effect with the next start. */
bool interactive_gives_other(const struct interactive *l);
/* Sets whether output of scripts is suppressed. Returns the previous setting. */
bool interactive_mute(struct interactive *l, bool mute);
/* Returns the state of the session. */
enum interactive_state interactive_state(const struct interactive *l);
/* True if a process of the program is in the process group. */
bool interactive_owns_group(const struct interactive *l, pid_t group);

/* Lua of a script file, or of one line (messages show the file as "input"). Places are resolved at
 * once; if one is not found, nothing that this line made takes effect. A line can be run after the
 * program has ended, unless it makes places or orders: INTERACTIVE_NEEDS_PROGRAM. */
enum { INTERACTIVE_NEEDS_PROGRAM = -2 };
struct interactive_made {
	size_t place, places; /* index of the first place, number of places */
	size_t gate, gates;
	size_t order, orders; /* a -> b of orders */
	bool seen;	      /* a line has used program.var, so it is valid for this run only */
};
/* Runs a script file. *made is what it made. Returns 0, or -1 with *err set. */
int interactive_load(struct interactive *l, const char *path, struct interactive_made *made,
		     struct error *err);
/* Runs one line. `out` (may be NULL) gets the value of an expression, *made (may be NULL) what the
 * line made. Returns 0, or -1 or INTERACTIVE_NEEDS_PROGRAM with *err set. */
int interactive_line(struct interactive *l, const char *text, struct str *out,
		     struct interactive_made *made, struct error *err);
/* Disables what a line or script has made; threads that it holds go on. */
void interactive_drop(struct interactive *l, const struct interactive_made *made);
/* Gates of a dropped line are listed again. */
void interactive_take_up(struct interactive *l, const struct interactive_made *made);

/* Whether a line can use a gate by name. */
enum interactive_gate {
	INTERACTIVE_GATE_NONE,	/* there is no such gate */
	INTERACTIVE_GATE_KNOWN, /* `variable` is the Lua variable that has the gate */
	/* the gate is only in a local variable of a function or block of a script */
	INTERACTIVE_GATE_NAMELESS,
	INTERACTIVE_GATE_TAKEN, /* the name has another meaning */
};
/* Finds a gate by name. *variable is valid until the next line. */
enum interactive_gate interactive_gate(struct interactive *l, const char *name,
				       const char **variable);

/* Returns the name of the i-th open gate, or NULL. The name is valid until the run ends. */
const char *interactive_open_gate(const struct interactive *l, size_t i);

/* Lets the program run until there is something to inspect. Returns the new state. */
enum interactive_state interactive_go(struct interactive *l);

/* Opens a gate. Returns 0, or -1 with *err set. */
int interactive_open(struct interactive *l, const char *gate, struct error *err);
/* Records that a line of Lua has opened the gate. */
void interactive_opened(struct interactive *l, const char *gate);
/* Keeps a thread stopped. Returns 0, or -1 with *err set. */
int interactive_hold(struct interactive *l, const char *thread, struct error *err);
/* Lets a thread go on, past a gate that holds it. Returns 0, or -1 with *err set. */
int interactive_release(struct interactive *l, const char *thread, struct error *err);
/* Lets threads go on that stay where they were sent. `noted`: also recorded as a step. */
void interactive_release_all(struct interactive *l, bool noted);
/* Lets one thread go on, past its gate, and no other thread until the next stop. Returns 0, or -1
 * with *err set. */
int interactive_only(struct interactive *l, const char *thread, struct error *err);

/* Targets for one thread; the next interactive_go() runs it there. It stays there until it is
 * released. */
enum interactive_way { INTERACTIVE_NEXT, INTERACTIVE_STEP };
/* Sends a thread to a location. "worker#2" may not have been created yet. Returns 0, or -1 with
 * *err set. */
int interactive_until(struct interactive *l, const char *thread, const char *location,
		      struct error *err);
/* Sends a thread to the next line, or into a call. Returns 0, or -1 with *err set. */
int interactive_line_step(struct interactive *l, const char *thread, enum interactive_way way,
			  struct error *err);

/* The user's steps as lines of a script. `before` precedes the lines that made gates and places,
 * `behind` follows them; `notes` are for the user. */
struct interactive_saving {
	const char *word;      /* gates of the script are WORD1, WORD2, ... */
	size_t locals;	       /* number of local variables of the rest of the script */
	ARRAY(size_t) without; /* steps to leave out, numbered from 1; filled in by the caller */
	/* true if the script has a variable for the gate */
	bool (*is_variable)(void *ctx, const char *gate);
	void *ctx;
	struct str before, behind, notes;
	size_t gates; /* number of gates among the lines */
	/* After a failure: step, numbered from 1, that a script cannot express. It can be left
	 * out. */
	size_t refused;
};
/* Returns a failure that the run has ended in, or is about to: SIGNAL, or DEADLOCK without a gate
 * in it; *signal is the signal. Otherwise ANY_END: the program runs, or has exited. */
enum expect_end interactive_failure(const struct interactive *l, int *signal);
/* True if scripts or lines expect an end or anything else. */
bool interactive_has_expect(const struct interactive *l);
/* True if scripts give the program its arguments. */
bool interactive_has_args(const struct interactive *l);
/* Writes the steps. Returns 0, or -1 with *err and how->refused set. */
int interactive_save(struct interactive *l, struct interactive_saving *how, struct error *err);
/* Frees the lists and texts in *how. */
void interactive_saving_fini(struct interactive_saving *how);

/* Thread names below: an id or number, or "" for the current thread: the thread that crashes or has
 * arrived where it was sent, else the last one that a gate has stopped and still holds, else the
 * only one. */

/* True if a thread has that id or number. */
bool interactive_is_thread(struct interactive *l, const char *name);
/* Appends a line for each thread: its number, and what it does. The current one is marked `*`. */
void interactive_threads(struct interactive *l, struct str *out);
/* Returns the number of gates that interactive_gates() lists. */
size_t interactive_gate_count(const struct interactive *l);
/* Appends a line for each gate: its state, and the threads that it holds. */
void interactive_gates(struct interactive *l, struct str *out);
/* Appends a line for each place: its steps, sites and arrivals, after the number of the line that
 * made it; line_of() returns 0 if no line did. */
void interactive_places(struct interactive *l, size_t (*line_of)(const void *ctx, size_t place),
			const void *ctx, struct str *out);
/* Appends a sentence on the first thread that is held. Returns false if none is. */
bool interactive_held(struct interactive *l, struct str *out);
/* Appends the last events, at most `most`. */
void interactive_events(struct interactive *l, size_t most, struct str *out);
/* Appends a line that says in a few words why the program has stopped. */
void interactive_reason(const struct interactive *l, struct str *out);
/* Appends why the program has stopped, what each thread waits for, and what to try. */
void interactive_why(struct interactive *l, struct str *out);
/* Appends the calls of a thread. Returns 0, or -1 with *err set. */
int interactive_backtrace(struct interactive *l, const char *thread, struct str *out,
			  struct error *err);
/* Appends the local variables of the tester's innermost call. Returns 0, or -1 with *err set. */
int interactive_locals(struct interactive *l, const char *thread, struct str *out,
		       struct error *err);
/* Appends the value of an expression in the tester's innermost call. Returns 0, or -1 with *err
 * set. */
int interactive_print(struct interactive *l, const char *thread, const char *expression,
		      struct str *out, struct error *err);
/* Appends the source around a location, or around the line of a thread that has begun ("": the
 * current one), with the line marked. Returns 0, or -1 with *err set. */
int interactive_list(struct interactive *l, const char *where, struct str *out, struct error *err);
/* In state INTERACTIVE_CRASHED: appends a description of the crash. */
void interactive_crash(struct interactive *l, struct str *out);
/* In state INTERACTIVE_THERE: appends the source line at which the thread is. */
void interactive_there_line(struct interactive *l, struct str *out);
/* Appends the lines of `where`: FUNC;TEXT, FILE;TEXT, or another location. Returns 0, or -1 with
 * *err set. */
int interactive_find(struct interactive *l, const char *where, struct str *out, struct error *err);

/* In state INTERACTIVE_ENDED: appends the verdict, or how a passed run ended. Returns gatectl's
 * exit status. */
int interactive_verdict(struct interactive *l, struct str *out);
/* Returns the signal that interrupted gatectl: SIGTERM or SIGHUP, also SIGINT during a start; 0 if
 * none has. */
int interactive_interrupted(const struct interactive *l);

/* Names for completion. */
enum interactive_names { INTERACTIVE_THREADS, INTERACTIVE_GATES };
/* Appends the i-th name. Returns false after the last one. */
bool interactive_name(struct interactive *l, enum interactive_names what, size_t i,
		      struct str *out);
/* Calls `each` for functions and files of the program, with or without namespaces; after "FILE:"
 * for its lines; after "FUNC;" for texts of its lines. */
void interactive_locations(struct interactive *l, const char *begin,
			   void (*each)(void *ctx, const char *name));

#endif
