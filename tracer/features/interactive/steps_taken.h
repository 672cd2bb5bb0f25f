/* A record of the user's steps, to be saved as a script. A phase is the time between two stops of
 * the program; some threads stand through it. Steps of phase p were taken at the stop before phase
 * p, at which phase p - 1 ended. */
#ifndef GATECTL_FEATURES_INTERACTIVE_STEPS_TAKEN_H
#define GATECTL_FEATURES_INTERACTIVE_STEPS_TAKEN_H

#include "tracer/base/array.h"
#include "tracer/features/interactive/interactive.h"

struct run_thread;

/* A site in a process; `scope` as in source_site. */
struct interactive_address {
	uint64_t address, scope;
};
struct interactive_addresses {
	struct interactive_address *items;
	size_t count, capacity;
};

enum steps_kind { HAND_OPEN, HAND_HOLD, HAND_GO, HAND_ONLY, HAND_UNTIL, HAND_LINE, HAND_RUN };

/* Since when the arrivals of the sent thread at the location are counted. */
enum steps_since {
	SINCE_START, /* since the thread's start */
	SINCE_STOP,  /* since it was sent: it was stopped then */
	SINCE_NOW,   /* since it was sent: it was running, earlier arrivals are not known */
};

struct steps_step {
	enum steps_kind kind;
	const char *command; /* as the user would type it, the thread by its id */
	const char *thread;  /* may be NULL */
	const char *what;    /* a gate or location, or NULL */
	bool passes;	     /* the thread passes the gate that held it */
	size_t phase;
	enum steps_since since; /* for HAND_UNTIL and HAND_LINE */
	/* the address at which the thread stood is a site of the location, and counts as an
	 * arrival */
	bool counts_here;
};

enum steps_position {
	POSITION_SENT,	 /* it had arrived where it was sent */
	POSITION_GATE,	 /* held by a gate at `location` */
	POSITION_CALL,	 /* in a call made by the statement at `location` */
	POSITION_MAIN,	 /* no code of the program has run yet */
	POSITION_START,	 /* created in a phase of `only`; none of its code has run */
	POSITION_MIDDLE, /* elsewhere: `location` is a description */
};

/* A thread that does not go on in a phase. */
struct steps_stand {
	char *thread;
	size_t step; /* step for which it stands */
	enum steps_position position;
	char *location;
	bool still_held; /* the gate still held it when the phase ended */
};

/* A thread that waits in the kernel, in the statement at `location`. */
struct steps_block {
	size_t thread; /* index of the thread */
	char *location;
};

struct steps_phase {
	size_t step; /* step that started the phase */
	ARRAY(struct steps_stand) stands;
	size_t threads; /* number of threads at the start */
	enum interactive_state end;
	char *thread;	 /* for INTERACTIVE_THERE and INTERACTIVE_GONE, else NULL */
	char *location;	 /* for INTERACTIVE_THERE; NULL if a script has no location for it */
	char *words;	 /* description of the place, or NULL */
	unsigned passes; /* arrivals of `thread` in this phase, the last one included */
	unsigned hits;	 /* arrivals of `thread` since its start; 0: not known */
	bool at_gate;	 /* a gate also holds the thread there */
	/* For INTERACTIVE_THERE: number of threads at the end of the phase, and those without own
	 * code so far. */
	size_t threads_then;
	ARRAY(size_t) unbegun;
	ARRAY(size_t) moving; /* running at the end of the phase */
	ARRAY(struct steps_block) blocked;
};

/* Arrivals of one thread at a location. */
struct steps_count {
	char *thread;
	unsigned times;
	bool known; /* counted since the thread's start */
};
/* A location to which a thread was sent. Arrivals of all threads are counted from then on, in later
 * runs from the start. */
struct steps_watch {
	char *location;
	size_t since;				/* phase */
	struct interactive_addresses addresses; /* in the current phase */
	ARRAY(struct steps_count) counts;
	unsigned all;
	bool given_up; /* more than MOST_COUNTED arrivals */
};

struct steps_taken {
	ARRAY(struct steps_step) steps;
	ARRAY(struct steps_phase) phases;
	ARRAY(struct steps_watch) watches; /* kept when the program is restarted */
};

/* Before a step: sets since and counts_here of *step for a thread that is to be sent. */
void steps_begin_step(struct interactive *l, struct steps_step *step, struct run_thread *t);
/* After a step: records it. Copies `thread` and `what`. */
void steps_add(struct interactive *l, const struct steps_step *step, const char *verb);
/* Starts a phase. All threads are stopped. */
void steps_goes(struct interactive *l);
/* Counts an arrival of t at the address. */
void steps_passes(struct interactive *l, const struct run_thread *t, uint64_t address);
/* Records that t has arrived where it was sent. */
void steps_came(struct interactive *l, struct run_thread *t, uint64_t address);
/* Returns the step, stored per thread, for which the thread is parked. */
size_t *steps_parked_by(const struct run_thread *t);
/* Ends the phase. All threads are stopped. */
void steps_stops(struct interactive *l);
/* Frees the steps and phases of the run; locations are kept. */
void steps_forget(struct steps_taken *h);
/* Frees the record. */
void steps_fini(struct steps_taken *h);
/* True if the step (from 0) is left out of the script. */
bool steps_are_without(const struct interactive_saving *how, size_t step);
/* Appends the user's commands as comments of the script. */
void steps_story(const struct steps_taken *h, const struct interactive_saving *how,
		 struct str *out);

#endif
