/* Shared by the files of interactive. Steps taken, and saved: steps_taken.h. */
#ifndef GATECTL_FEATURES_INTERACTIVE_INTERACTIVE_INTERNAL_H
#define GATECTL_FEATURES_INTERACTIVE_INTERACTIVE_INTERNAL_H

#include "tracer/run/state.h"
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
struct interactive_sent {
	struct session_thread *thread; /* NULL: nobody is sent, or it does not exist yet: ... */
	char *name;		       /* ... then its id; always that of one sent to a location */
	uint64_t frame;
	ARRAY(struct interactive_stop) stops; /* an address may have several */
	ARRAY(struct placed) placed;
};

struct interactive {
	struct session session;
	struct given given; /* what the program was started with; the session may point to it */
	struct session_options options; /* without its scripts: interactive_load loads them */
	const struct interactive_ui *ui;
	struct modules *symbols;
	enum interactive_state state;
	bool began;		       /* `session` is in use */
	struct session_thread *only;   /* nobody else goes on; or NULL */
	bool is_asked;		       /* Ctrl-C */
	unsigned asked_ticks;	       /* since then */
	struct session_thread *roused; /* woken by its own Ctrl-C, which was dropped; or NULL */
	struct interactive_sent sent;
	struct session_thread *came; /* the thread that got where it was sent */
	const struct crash *crash;   /* what is about to end the program; or NULL */
	struct steps_taken taken;
	struct session_result result;
};

/* Is it in code of the tester's own, with lines, and not in the system's libraries? */
bool interactive_is_own(const struct session_thread *t, const struct inspect_call *call);
struct session_thread *interactive_find_id(struct interactive *l, const char *id); /* or NULL */
/* By id, or by number (from 1). NULL with an error. */
struct session_thread *interactive_thread(struct interactive *l, const char *name,
					  struct error *err);
struct session_thread *interactive_living(struct interactive *l, const char *name,
					  struct error *err);
/* Lets it go on: 1 if past its gate, too, else 0; or -1 with an error. */
int interactive_let(struct interactive *l, struct session_thread *t, struct error *err);
/* The calls of a stopped thread, for the caller to free by inspect_stack_fini(). 0, or -1. */
int interactive_calls(struct session_thread *t, struct inspect_stack *out, struct error *err);
/* The sites of the location in this process. 0 with at least one, or -1. */
int interactive_resolve(struct interactive *l, const struct session_process *p, const char *text,
			struct source_sites *out, struct error *err);
/* All that a function's name or a text means, with code or without. 0, or -1. */
int interactive_matches(struct interactive *l, const struct session_process *p, const char *where,
			struct source_matches *out, struct error *err);
/* step.c: from the next phase on, steps_passes() is told of threads that come by there. */
void interactive_count_at(struct interactive *l, struct session_process *p, const char *location,
			  struct interactive_addresses *out);
/* input.c: does the program wait for input from the user's terminal? Then it is the user's turn to
   type. */
bool interactive_reads_terminal(struct session *s);
/* 0, or -1 with an error: there is no program, or it is not stopped. */
int interactive_needs_program(const struct interactive *l, struct error *err);

/* The one that the run is part of; NULL: nobody steers it. */
static inline struct interactive *interactive_of(struct session *s)
{
	return s->attended
		       ? (struct interactive *)((char *)s - offsetof(struct interactive, session))
		       : NULL;
}

#endif
