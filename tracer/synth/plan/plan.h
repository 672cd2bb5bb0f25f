/* Plans of gates: places, and orders between them, derived from a minimized and described schedule
   or from sleeps (synth/sleeps/). README.md has the files, terms and assumptions. */
#ifndef GATECTL_SYNTH_PLAN_PLAN_H
#define GATECTL_SYNTH_PLAN_PLAN_H

#include "tracer/sched/schedule/schedule.h"
#include "tracer/synth/script/script.h"

struct plan_place {
	struct script_place at; /* owns its texts */
	char *gate;		/* Lua identifier of the gate opened there; NULL if none is */
	/* An address inside a line, which changes when the program is recompiled. */
	bool inside;
	bool called; /* an address in a function that the line calls */
	/* The wait there returns without a signal; the place is in every script. */
	bool spurious;
	/* Step that the thread is about to do there (with at.after: has done). */
	size_t step;
};

struct plan_order {
	char *from_event, *to_event; /* names of events; NULL if a gate forces the order */
	size_t from, to;	     /* indexes of places: gate opened; gate waited for */
	size_t done, held;	     /* steps of the order: plan_step_at() */
	bool blocked;		     /* `done` has begun and blocks in the kernel */
	bool dropped;		     /* set by the caller: left out of the script */
	bool needed;		     /* set by the caller: without it the outcome differed */
	bool tried; /* set by the caller: tried without it, with those that are left */
};

/* Place where a thread is held at a step with a source line. */
enum plan_by {
	/* Before the line; before the instruction if the thread is inside the line. */
	PLAN_BY_LINE,
	/* Always before the line, a place that every build has; what the line did before the step
	   then comes later. */
	PLAN_BY_WHOLE_LINE,
	/* Before the instruction: an inlined line may be passed more often than the schedule
	   shows. */
	PLAN_BY_INSTRUCTION,
};

struct gate_plan {
	enum plan_by by; /* set by the caller */
	/* Set by the caller: most orders, the last ones; 0 means all. */
	size_t most;
	size_t left_out;		 /* number of orders left out because of `most` */
	ARRAY(struct plan_place) places; /* in the order of their steps */
	ARRAY(struct plan_order) orders; /* in the order of `held` */
	/* Why orders are left out or weaker than the schedule's; NULL if none is. */
	char *unplaced;
};

/* Callbacks and data of the caller about the source. */
struct plan_words {
	void *ctx;
	/* File name of the executable; places in other modules are written OBJECT!... */
	const char *program;
	/* Returns the text of a line, or NULL. May be NULL. */
	const char *(*line_text)(void *ctx, const char *file, unsigned line);
	/* Returns a location that means only this line, such as FUNC;TEXT, freed here, or NULL for
	   FILE:LINE. May be NULL. */
	char *(*location)(void *ctx, const struct schedule_where *w);
	/* Returns FUNC%call(CALLEE)#K, LINE:read or LINE:write that means only the instruction of
	   this step, freed here, or NULL for *0xADDR. `called`: the instruction is in library code
	   that the step's line calls. May be NULL. */
	char *(*instruction)(void *ctx, const struct schedule_step *step, bool called);
	/* Sets the sum of the object's code for *0xADDR:SUM. Returns false for *0xADDR, as if it
	   were NULL. */
	bool (*code_sum)(void *ctx, const char *object, uint32_t *sum);
	/* Returns true to stop planning: no time left, or a signal. May be NULL. */
	bool (*is_over)(void *ctx);
};

enum plan_orders {
	/* Dependent steps (strategy_depends) keep the schedule's order unless the program enforces
	   it: enough if only points matter. */
	PLAN_DEPENDENT,
	/* PLAN_DEPENDENT, and pending steps come after executed steps that they depend on. */
	PLAN_TO_THE_END,
	/* Every segment comes after the one before it, pending steps last: more gates, nothing left
	   to chance. */
	PLAN_ALL,
};

/* True for *0xADDR and OBJECT!*0xADDR, which are valid for one build. */
bool plan_is_address(const struct plan_place *place);
/* Returns a step by index from 0; pending steps follow the schedule's last one. */
const struct schedule_step *plan_step_at(const struct schedule *s, size_t index);

/* Fills `p`, empty but for `by` and `most`. An order without a gate is weakened or left out
   (`unplaced`). Returns 0, or -1 with ERROR_STATE set; the caller calls gate_plan_fini() in both
   cases. */
int gate_plan_make(struct gate_plan *p, const struct schedule *s, enum plan_orders orders,
		   const struct plan_words *words, struct error *err);
/* Frees what the plan owns. */
void gate_plan_fini(struct gate_plan *p);
/* Returns the first of NAME, NAME_2, NAME_3, ... that no gate or event of the plan has; the caller
   frees it. */
char *gate_plan_unique(const struct gate_plan *p, const char *name);
/* Returns the script's number of lines of gates, places and orders, without comments and
   `expect`. */
size_t gate_plan_lines(const struct gate_plan *p);
/* Returns true if a place is an address inside a line of the program. */
bool gate_plan_is_inside(const struct gate_plan *p);
/* Appends the name of the order's gate; for events "a -> b", or "[a] -> b" if `blocked`. */
void gate_plan_gate(const struct gate_plan *p, const struct plan_order *o, struct str *out);

/* Returns true if an order before `before` has the place: its event is written already. */
bool gate_plan_has_event(const struct gate_plan *p, const struct plan_order *before, size_t place);
/* Appends the place of an event of the order, unless an earlier order has it. */
void gate_plan_event(const struct gate_plan *p, const struct plan_order *own, size_t place,
		     const char *event, struct str *out);

/* Texts for the script: lines without "--" and without a final newline. */
struct plan_texts {
	const char *title;   /* origin of the script; may be NULL */
	const char *outcome; /* final outcome, "main fails the assertion ..."; may be NULL */
	const char *expect;  /* expect { ... } */
};
/* Appends the whole script. */
void gate_plan_script(const struct gate_plan *p, const struct schedule *s,
		      const struct plan_words *words, const struct plan_texts *texts,
		      struct str *out);

#endif
