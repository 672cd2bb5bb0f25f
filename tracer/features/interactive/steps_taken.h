/*
 * The user's steps, noted so that they can be saved as a script.
 *
 * Between two stops of the program there is a phase: it begins when a step lets the program go,
 * with some threads standing, and ends when there is something to look at. Steps of `phase` p were
 * taken at the stop before phase p, where phase p - 1 ended.
 */
#ifndef GATECTL_FEATURES_INTERACTIVE_STEPS_TAKEN_H
#define GATECTL_FEATURES_INTERACTIVE_STEPS_TAKEN_H

#include "tracer/base/array.h"
#include "tracer/features/interactive/interactive.h"

struct run_thread;

/* A site in a process; its scope as in source_site. */
struct interactive_address {
	uint64_t address, scope;
};
struct interactive_addresses {
	struct interactive_address *items;
	size_t count, capacity;
};

enum steps_kind { HAND_OPEN, HAND_HOLD, HAND_GO, HAND_ONLY, HAND_UNTIL, HAND_LINE, HAND_RUN };

/* Since when it is known how often a thread that is sent comes by the location. */
enum steps_since {
	SINCE_START, /* its own beginning */
	SINCE_STOP,  /* it was stopped when it was sent */
	SINCE_NOW,   /* it was on its way: earlier arrivals are not known */
};

struct steps_step {
	enum steps_kind kind;
	const char *command; /* as one would type it; the thread by its id */
	const char *thread;  /* or NULL */
	const char *what;    /* a gate or location, or NULL */
	bool passes;	     /* past the gate that held it */
	size_t phase;
	enum steps_since since; /* of UNTIL and LINE */
	bool counts_here;	/* the place where it stood is an arrival at the location, too */
};

enum steps_position {
	POSITION_SENT,	 /* it arrived where it was sent */
	POSITION_GATE,	 /* held by a gate at `location` */
	POSITION_CALL,	 /* in a call made by the statement at `location` */
	POSITION_MAIN,	 /* nothing of the program has run yet */
	POSITION_START,	 /* created in a phase of `only`; none of its code has run */
	POSITION_MIDDLE, /* anywhere else: `location` is in words */
};

/* A thread that does not go on with the others in a phase. */
struct steps_stand {
	char *thread;
	size_t step; /* because of this one */
	enum steps_position position;
	char *location;
	bool still_held; /* by the gate, when the phase ended */
};

/* A thread that waits in the kernel, in the statement at `location`. */
struct steps_block {
	size_t thread; /* index */
	char *location;
};

struct steps_phase {
	size_t step; /* that let the program go */
	ARRAY(struct steps_stand) stands;
	size_t threads; /* how many there were */
	enum interactive_state end;
	char *thread;	 /* THERE and GONE */
	char *location;	 /* THERE; NULL: none that a script could use */
	char *words;	 /* ... then where it was, in words, or NULL */
	unsigned passes; /* how often it came by, this time included */
	unsigned hits;	 /* ... since its own beginning; 0: not known */
	bool at_gate;	 /* a gate holds it there, too */
	/* THERE: threads that had not begun, or did not exist: index `threads_then` and above. */
	size_t threads_then;
	ARRAY(size_t) unbegun;
	ARRAY(size_t) moving; /* in the middle of something */
	ARRAY(struct steps_block) blocked;
};

/* A location that some thread was sent to: from then on all threads that come by are counted, in
   later runs from the start. */
struct steps_count {
	char *thread;
	unsigned times;
	bool known; /* since the thread's start */
};
struct steps_watch {
	char *location;
	size_t since;				/* phase */
	struct interactive_addresses addresses; /* in this phase */
	ARRAY(struct steps_count) counts;
	unsigned all;
	bool given_up; /* too many */
};

struct steps_taken {
	ARRAY(struct steps_step) steps;
	ARRAY(struct steps_phase) phases;
	ARRAY(struct steps_watch) watches; /* kept over a restart */
};

/* Before a step: notes how the arrivals of a thread that is to be sent can be counted. */
void steps_begin_step(struct interactive *l, struct steps_step *step, struct run_thread *t);
/* After a step. Copies `thread` and `what`. */
void steps_add(struct interactive *l, const struct steps_step *step, const char *verb);
void steps_goes(struct interactive *l); /* everything is stopped, and about to go on */
void steps_passes(struct interactive *l, const struct run_thread *t, uint64_t address);
void steps_came(struct interactive *l, struct run_thread *t,
		uint64_t address); /* it is where it was sent */
/* The step because of which the thread is parked. */
size_t *steps_parked_by(const struct run_thread *t);
void steps_stops(struct interactive *l);  /* everything has stopped */
void steps_forget(struct steps_taken *h); /* the run is over */
void steps_fini(struct steps_taken *h);
/* Is the step (from 0) to be left out of the script? */
bool steps_are_without(const struct interactive_saving *how, size_t step);
/* The commands, as comments of the script. */
void steps_story(const struct steps_taken *h, const struct interactive_saving *how,
		 struct str *out);

#endif
