/* Shared by the files of this folder. The record of the user's steps is in steps_taken.h. */
#ifndef GATECTL_FEATURES_INTERACTIVE_INTERACTIVE_INTERNAL_H
#define GATECTL_FEATURES_INTERACTIVE_INTERACTIVE_INTERNAL_H

#include "tracer/run/run.h"
#include "tracer/features/interactive/steps_taken.h"
#include "tracer/features/interactive/interactive.h"

/* When a thread has arrived at a stop. `frame` is the call frame from which it was sent. */
enum interactive_reach {
	REACH_ANY,    /* at each arrival */
	REACH_FRAME,  /* in that frame or an outer one */
	REACH_AROUND, /* only in an outer frame */
	REACH_NEVER,  /* never: arrivals are only counted (steps_taken.h) */
	REACH_CALL,   /* a call or jump: the stop is moved to its target */
};
struct interactive_stop {
	uint64_t address;
	enum interactive_reach reach;
	unsigned passed; /* number of arrivals */
	uint64_t scope;	 /* scope of the location (source_site), or 0 */
};
struct step_addresses {
	uint64_t *items;
	size_t count, capacity;
};
struct interactive_sent {
	struct run_thread *thread; /* NULL: no thread is sent, or it does not exist yet */
	char *name;		   /* id of a thread sent to a location, else NULL */
	uint64_t frame;
	ARRAY(struct interactive_stop) stops; /* an address may occur several times */
	ARRAY(struct placed) placed;
	struct step_addresses entered; /* functions that `step` has examined */
};

struct interactive {
	struct run *run;	    /* never NULL */
	struct given given;	    /* what the program was started with; the run may refer to it */
	struct run_options options; /* without scripts: interactive_load() loads them */
	const struct interactive_ui *ui;
	struct modules *symbols;
	enum interactive_state state;
	bool began;		   /* `run` is prepared */
	struct run_thread *only;   /* the only thread that goes on, or NULL */
	bool is_asked;		   /* Ctrl-C was pressed */
	unsigned asked_ticks;	   /* ticks since Ctrl-C */
	struct run_thread *roused; /* thread woken by its own Ctrl-C, which was dropped; or NULL */
	struct interactive_sent sent;
	struct run_thread *came;   /* thread that has arrived where it was sent, or NULL */
	const struct crash *crash; /* crash that is about to end the program, or NULL */
	struct steps_taken taken;
	struct run_result result;
};

/* True if the call is in the tester's own code, with line information, not in a system library. */
bool interactive_is_own(const struct run_thread *t, const struct inspect_call *call);
/* True if code of that file (may be NULL) in that module is the tester's own. */
bool interactive_is_own_file(const struct run_thread *t, const struct module *m, const char *file);
/* True if the module is the tester's own, not the system's. */
bool interactive_is_own_module(const struct run_thread *t, const struct module *m);
/* Returns the thread with that id, or NULL. */
struct run_thread *interactive_find_id(const struct interactive *l, const char *id);
/* Returns the current thread (interactive.h), or NULL if none is. */
struct run_thread *interactive_current(const struct interactive *l);
/* Returns the thread with that id or number (from 1), the current one for "", or NULL with *err
 * set. */
struct run_thread *interactive_thread(struct interactive *l, const char *name, struct error *err);
/* Returns the thread with that id or number if it has not exited, else NULL with *err set. */
struct run_thread *interactive_living(struct interactive *l, const char *name, struct error *err);
/* Lets the thread go on. Returns 1 if it passes its gate, 0 if none held it, or -1 with *err
 * set. */
int interactive_let(struct interactive *l, struct run_thread *t, struct error *err);
/* Reads the calls of a stopped thread, freed with inspect_stack_fini(). Returns 0, or -1 with *err
 * set. */
int interactive_calls(struct run_thread *t, struct inspect_stack *out, struct error *err);
/* Finds the sites of the location in this process. Returns 0 with at least one site, or -1 with
 * *err set. */
int interactive_resolve(struct interactive *l, const struct run_process *p, const char *text,
			struct source_sites *out, struct error *err);
/* Finds the addresses of the location in this process; the caller frees the array. Returns 0, or -1
 * with *err set. */
int interactive_addresses(struct interactive *l, const struct run_process *p, const char *text,
			  struct interactive_addresses *out, struct error *err);
/* Finds all lines of a function name or text, with code or without. Returns 0, or -1 with *err
 * set. */
int interactive_matches(struct interactive *l, const struct run_process *p, const char *where,
			struct source_matches *out, struct error *err);

/* Returns the innermost call in the tester's own code, else the innermost call. */
const struct inspect_call *interactive_own_call(const struct run_thread *t,
						const struct inspect_stack *calls);

/* step_lines.c: the line of a statement, seen from `around`. */
struct step_line {
	const char *file;
	unsigned line;
	/* copy (inlined call) made on this line, or 0 if it is the statement's own line */
	uint64_t copy;
	uint64_t scope; /* function or copy of the line: for run_thread_sent() */
};
/* Finds the line of a statement. Copies in `around`, the DIE of the thread's function or copy,
 * count as the line of their call; with `around` 0 the tester's innermost line counts. Returns
 * false if the statement is in a system header or another function. */
bool step_line_at(const struct run_thread *t, struct module *m, uint64_t around,
		  const struct source_statement *row, struct step_line *out);

/* step_into.c: stops for calls that may lead to the tester's own code. The caller sets them and
 * frees the list. */
struct step_walk {
	struct run *run;
	struct run_thread *thread;
	struct step_addresses *entered;
	ARRAY(struct interactive_stop) stops;
};
/* Adds the stops for a call of the function at `address`. */
void step_into(struct step_walk *w, uint64_t address);
/* Adds the stops for the calls in the code from low to high. */
void step_into_calls(struct step_walk *w, uint64_t low, uint64_t high);
/* Returns the target of the call or jump at `at`, or 0 if unknown. Without registers, an indirect
 * target is known only from the GOT. */
uint64_t step_target(struct run_thread *t, uint64_t at, const struct arch_regs *regs);

/* step.c: removes all stops. Processes that have ended have none. */
void interactive_forget_stops(struct run *s);
/* From the next phase on, steps_passes() is called for threads that arrive there. *out gets the
 * addresses. */
void interactive_count_at(struct interactive *l, struct run_process *p, const char *location,
			  struct interactive_addresses *out);
/* input.c: true if the program reads from the user's terminal, so that the user has to type. */
bool interactive_reads_terminal(struct run *s);
/* Returns 0, or -1 with *err set if no program is running. */
int interactive_needs_program(const struct interactive *l, struct error *err);

/* Returns the session of the run, or NULL if it is not interactive. */
static inline struct interactive *interactive_of(struct run *s)
{
	return run_is_attended(s) ? (struct interactive *)((char *)run_options(s) -
							   offsetof(struct interactive, options))
				  : NULL;
}

#endif
