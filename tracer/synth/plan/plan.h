/*
 * Plans of gates: places, and orders between them. Orders come from a failing schedule that is made small and described,
 * or from sleeps (synth/sleeps/).
 *
 *	view.c	 the schedule as threads, segments (who goes on until another one does) and lines
 *	orders.c which orders of steps of different threads make the outcome; by related.c
 *	plan.c	 the gates for them
 *	places.c where threads are held for them, and where gates are opened
 *	words.c	 what steps are called
 *	story.c	 what happens, for the script's comments
 *	script.c the script (words of scripts: synth/script/script.h)
 *
 * Under plain `gatectl run` all threads run free and at once: an order "`done` has been executed before
 * `held` may be" is one gate, at which the thread of `held` waits before that step.
 *
 * The schedule has to be described. That a thread runs only once it was created is seen by its START having
 * the object of the CREATE, and that a join waits by its LOCK having the object of the END; else gates see
 * to it. `preempts` tells who is blocked in a LOCK, WAIT or BLOCK: whose last step that is before another
 * thread goes on without preempting.
 */
#ifndef GATECTL_SYNTH_PLAN_PLAN_H
#define GATECTL_SYNTH_PLAN_PLAN_H

#include "tracer/sched/schedule/schedule.h"
#include "tracer/synth/script/script.h"

struct plan_place {
	struct script_place at; /* owns its texts */
	char *gate;		/* that is opened there: an identifier of Lua; NULL: none */
	bool inside; /* an address inside a line: it means nothing once the program is recompiled */
	bool called; /* ... and not the line's own, but in what it calls */
	size_t step; /* it is about to be done there (`after`: it has been) */
};

struct plan_order {
	char *from_event, *to_event; /* names of events; NULL: a gate makes the order */
	size_t from, to;	     /* places: a gate is opened there, and waited for here */
	size_t done, held;	     /* steps: plan_step_at() */
	bool blocked;		     /* `done` has begun and blocks in the kernel */
	bool dropped;		     /* the caller's: it is left out of the script */
	bool needed;		     /* the caller's: without it things came out differently */
};

/* Where a thread is held that has a line. */
enum plan_by {
	PLAN_BY_LINE, /* before the line; who stands inside of it: before the instruction */
	/* ... also then before all of the line: a place that every build has; but what the line
	   had done by then comes later. */
	PLAN_BY_WHOLE_LINE,
	/* Before the instruction: a line that is inlined in many places may be passed more often
	   than the schedule shows. */
	PLAN_BY_INSTRUCTION,
};

struct gate_plan {
	enum plan_by by;		 /* the caller's */
	size_t most;			 /* ... too: only the last so many orders; 0: all */
	size_t left_out;		 /* ... orders that were more than that */
	ARRAY(struct plan_place) places; /* in the order of their steps */
	ARRAY(struct plan_order) orders; /* in the order of `held` */
	char *unplaced; /* reason that orders are left out or weaker than the schedule's; NULL: none is */
};

/* What the caller knows of the source. */
struct plan_words {
	void *ctx;
	const char
		*program; /* file name of the executable: other modules are OBJECT! in locations */
	/* The text of a line; NULL: it is not known. May be NULL. */
	const char *(*line_text)(void *ctx, const char *file, unsigned line);
	/* FUNC;TEXT, or what else means this line only; base_free'd here. NULL (it may be, too):
	   FILE:LINE will do. */
	char *(*location)(void *ctx, const struct schedule_where *w);
	/* Is the time over, or does a signal ask for the end? NULL: never. */
	bool (*is_over)(void *ctx);
};

enum plan_orders {
	/* Steps that depend on each other (strategy_depends) come in the schedule's order, where
	   the program does not see to it: enough if all that matters is a point. */
	PLAN_DEPENDENT,
	/* ... and steps that were pending in the end come after those done that they depend on. */
	PLAN_TO_THE_END,
	/* Segment comes after segment, what was pending last: more gates, and nothing is left to
	   chance. */
	PLAN_ALL,
};

/* Steps are counted from 0; behind the schedule's last one are those that are pending. */
const struct schedule_step *plan_step_at(const struct schedule *s, size_t index);

/* Fills `p`, which is empty but for `by` and `most`. An order that no gate can express is weakened
   or left out (`unplaced`). Returns 0, or -1 with ERROR_STATE if there is no plan; the caller calls
   gate_plan_fini() in both cases. */
int gate_plan_make(struct gate_plan *p, const struct schedule *s, enum plan_orders orders,
		   const struct plan_words *words, struct error *err);
void gate_plan_fini(struct gate_plan *p);
/* The name, or NAME_2, NAME_3, ...: the first that no gate and no event of the plan has. The caller owns it. */
char *gate_plan_unique(const struct gate_plan *p, const char *name);
/* Lines of gates, places and orders that the script has; comments and `expect` are none. */
size_t gate_plan_lines(const struct gate_plan *p);
/* Has it a place that is an address inside a line of the program? */
bool gate_plan_is_inside(const struct gate_plan *p);
/* The name of the order's gate in the script; of events: "a -> b", or "[a] -> b" if `blocked`. */
void gate_plan_gate(const struct gate_plan *p, const struct plan_order *o, struct str *out);

/* Has an earlier order than `before` that place? Then its event is written already. */
bool gate_plan_has_event(const struct gate_plan *p, const struct plan_order *before, size_t place);
/* Writes the place of an event of the order, unless an earlier order has it. */
void gate_plan_event(const struct gate_plan *p, const struct plan_order *own, size_t place,
		     const char *event, struct str *out);
/* Writes an order of events, after those of its two places that no earlier order of the plan has. */
void gate_plan_order(const struct gate_plan *p, const struct plan_order *o, struct str *out);

/* What the caller says in the script: lines, without -- and without a newline at the end. */
struct plan_texts {
	const char *title;   /* where it comes from; NULL: nothing */
	const char *outcome; /* what happens in the end: "main fails the assertion ..."; NULL */
	const char *expect;  /* expect { ... } */
};
void gate_plan_script(const struct gate_plan *p, const struct schedule *s,
		      const struct plan_words *words, const struct plan_texts *texts,
		      struct str *out);

#endif
