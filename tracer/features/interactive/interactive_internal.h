/* Shared by the files of interactive. Steps taken, and saved: steps_taken.h. */
#ifndef GATECTL_FEATURES_INTERACTIVE_INTERACTIVE_INTERNAL_H
#define GATECTL_FEATURES_INTERACTIVE_INTERACTIVE_INTERNAL_H

#include "tracer/run/run.h"
#include "tracer/features/interactive/steps_taken.h"
#include "tracer/features/interactive/interactive.h"

/* When a thread counts as there. `frame` is the frame that it was sent from. */
enum interactive_reach {
	REACH_ANY,    /* whenever it comes by */
	REACH_FRAME,  /* in that frame, or in one around it */
	REACH_AROUND, /* only in one around it */
	REACH_NEVER,  /* only counted: steps_taken.h */
	REACH_CALL,   /* at a call or jump, whose target is what is meant */
};
struct interactive_stop {
	uint64_t address;
	enum interactive_reach reach;
	unsigned passed; /* how often the thread came by */
	uint64_t scope;	 /* of a location (source_site), or 0 */
};
struct step_addresses {
	uint64_t *items;
	size_t count, capacity;
};
struct interactive_sent {
	struct run_thread *thread; /* NULL: nobody is sent, or it does not exist yet: ... */
	char *name;		   /* ... then its id; always that of one sent to a location */
	uint64_t frame;
	ARRAY(struct interactive_stop) stops; /* an address may have several */
	ARRAY(struct placed) placed;
	struct step_addresses entered; /* the functions that `step` has looked into */
};

struct interactive {
	struct run *run;	    /* never NULL */
	struct given given;	    /* what the program was started with; the run may point to it */
	struct run_options options; /* without its scripts: interactive_load loads them */
	const struct interactive_ui *ui;
	struct modules *symbols;
	enum interactive_state state;
	bool began;		   /* `run` is prepared */
	struct run_thread *only;   /* nobody else goes on; or NULL */
	bool is_asked;		   /* Ctrl-C */
	unsigned asked_ticks;	   /* since then */
	struct run_thread *roused; /* woken by its own Ctrl-C, which was dropped; or NULL */
	struct interactive_sent sent;
	struct run_thread *came;   /* the thread that got where it was sent */
	const struct crash *crash; /* what is about to end the program; or NULL */
	struct steps_taken taken;
	struct run_result result;
};

/* Is it in code of the tester's own, with lines, and not in the system's libraries? */
bool interactive_is_own(const struct run_thread *t, const struct inspect_call *call);
/* The same of code of that file (may be NULL) in that module, and of the module alone. */
bool interactive_is_own_file(const struct run_thread *t, const struct module *m, const char *file);
bool interactive_is_own_module(const struct run_thread *t, const struct module *m);
struct run_thread *interactive_find_id(struct interactive *l, const char *id); /* or NULL */
/* By id, or by number (from 1). NULL with an error. */
struct run_thread *interactive_thread(struct interactive *l, const char *name, struct error *err);
struct run_thread *interactive_living(struct interactive *l, const char *name, struct error *err);
/* Lets it go on: 1 if past its gate, too, else 0; or -1 with an error. */
int interactive_let(struct interactive *l, struct run_thread *t, struct error *err);
/* The calls of a stopped thread, for the caller to free by inspect_stack_fini(). 0, or -1. */
int interactive_calls(struct run_thread *t, struct inspect_stack *out, struct error *err);
/* The sites of the location in this process. 0 with at least one, or -1. */
int interactive_resolve(struct interactive *l, const struct run_process *p, const char *text,
			struct source_sites *out, struct error *err);
/* The same as addresses, for the caller to free. */
int interactive_addresses(struct interactive *l, const struct run_process *p, const char *text,
			  struct interactive_addresses *out, struct error *err);
/* All that a function's name or a text means, with code or without. 0, or -1. */
int interactive_matches(struct interactive *l, const struct run_process *p, const char *where,
			struct source_matches *out, struct error *err);

/* step_lines.c: what a statement counts as for somebody who stands in the function or copy `around` (a DIE), so that
   copies in it are at the line of their call; or, with `around` 0, for somebody who wants the innermost of the tester's
   own. False: as nothing, it is code of the system's headers, or of another function. */
struct step_line {
	const char *file;
	unsigned line;
	uint64_t
		copy; /* the copy that is called on this line, or 0: it is the statement's own line */
	uint64_t scope; /* whose line it is: for run_thread_sent() */
};
bool step_line_at(const struct run_thread *t, struct module *m, uint64_t around,
		  const struct source_statement *row, struct step_line *out);

/* step_into.c: the stops for calls that may lead to the tester's own code; for the caller to set, and to free. */
struct step_walk {
	struct run *run;
	struct run_thread *thread;
	struct step_addresses *entered;
	ARRAY(struct interactive_stop) stops;
};
void step_into(struct step_walk *w, uint64_t address);
void step_into_calls(struct step_walk *w, uint64_t low, uint64_t high);
/* Where the call or jump there leads; without registers only if it is known without. 0: unknown. */
uint64_t step_target(struct run_thread *t, uint64_t at, const struct arch_regs *regs);

/* step.c */
void interactive_forget_stops(struct run *s);
/* From the next phase on, steps_passes() is told of threads that come by there. */
void interactive_count_at(struct interactive *l, struct run_process *p, const char *location,
			  struct interactive_addresses *out);
/* input.c: does the program wait for input from the user's terminal? Then it is the user's turn to
   type. */
bool interactive_reads_terminal(struct run *s);
/* 0, or -1 with an error: there is no program, or it is not stopped. */
int interactive_needs_program(const struct interactive *l, struct error *err);

/* The one that the run is part of; NULL: nobody steers it. */
static inline struct interactive *interactive_of(struct run *s)
{
	return run_is_attended(s) ? (struct interactive *)((char *)run_options(s) -
							   offsetof(struct interactive, options))
				  : NULL;
}

#endif
