/*
 * Inside gates. One file, one idea:
 *
 * engine.c         one call of the engine: an event in, held threads asked again, decisions out
 * decide.c         the queue of decisions, and faults
 * thread.c         threads, and patterns that match them
 * gate.c           the kinds of gates
 * place.c          places, and whether they can act again
 * arrival.c        one thread's stop: from place to place, held and released
 * step.c           the effect of each verb
 * order.c          the syntax of orders
 * order_compile.c  orders become gates, places and steps
 * external.c       actions outside any thread: at rest, orders given up, or by the user
 * ablation.c       gates left out, and the opposite of what they force
 */
#ifndef GATECTL_GATES_ENGINE_INTERNAL_H
#define GATECTL_GATES_ENGINE_INTERNAL_H

#include "gates/engine.h"
#include "tracer/base/text/str.h"

/*
 * One thread at one stop. Embedded in its thread and reused, so that an arrival allocates nothing.
 */
struct engine_stop {
	struct arrival arrival; /* at the current place */
	ARRAY(struct place *) places;
	ARRAY(struct arrival_spot) spots; /* empty, or one for each place */
	size_t place_at, step_at;
	bool entered;	     /* the current place has counted the arrival; its steps run */
	bool listed;	     /* linked in the engine's list of held stops */
	bool waiting;	     /* held at the current step */
	bool dies;	     /* held, and the script reported GONE: not asked again */
	struct gate *gate;   /* the gate that holds it, if `waiting`; NULL: a function */
	void *coroutine;     /* coroutine of the current STEP_RUN, or NULL */
	unsigned long asked; /* value of the engine's `changed` when its function last said no */
	struct engine_stop *prev, *next;
	struct str file, func; /* copies of the arrival's strings once it is held */
};

struct own_thread {
	struct engine_thread thread; /* first member: the public part */
	struct engine_stop stop;
	ARRAY(struct gate *) watches; /* gates to open when the thread next blocks */
	ARRAY(struct place *) armed;  /* companions at which its next arrival counts */
};

struct order_name {
	char *text;
	char *thread; /* NULL: any thread */
	bool blocked; /* written in [] */
	/* "f;q->head" of `head`, if the arrow left of it may be part of a location; or NULL */
	char *quoted;
};

struct order_edge {
	struct order_name from, to;
	char *source;
	bool woven;	   /* places and steps have been made for it, or for an equal edge */
	struct gate *gate; /* gate that forces the edge; NULL: an equal edge has it */
	bool dropped;	   /* by the user: engine_drop_orders() */
};

struct queued {
	struct decision decision;
	char *text; /* owned, or NULL */
};

/* Indexes of the places that have a step with this gate. */
struct gate_uses {
	size_t *items;
	size_t count, capacity;
};

struct engine {
	struct engine_world world;
	struct engine_script script;
	ARRAY(struct gate *) gates;
	ARRAY(struct place *) places;
	ARRAY(struct own_thread *) threads;
	ARRAY(struct order_edge) edges;
	ARRAY(struct gate_uses) uses; /* by gate index; rebuilt after steps were added */
	unsigned long uses_made;      /* place.c's steps_made when `uses` was built */
	ARRAY(struct queued) queue;
	size_t queue_head;
	/* string of the decision that was fetched last */
	char *last_text;
	struct engine_stop *held_first, *held_last; /* in order of arrival */
	unsigned depth;				    /* nesting of calls into the engine */
	/* resumptions of :run functions in the current call, to detect an endless loop */
	unsigned progress;
	unsigned functions;    /* held stops that wait for a function of the script */
	unsigned serial_going; /* gates that have a serial_current or a runner */
	unsigned long changed; /* counts events that a function's answer may depend on */
	unsigned long settled; /* `changed` when all functions had last been asked */
	bool stirred;	       /* a gate may now let a held thread pass */
	bool faulted;
	struct error error;   /* error of the fault */
	struct error scratch; /* filled by callbacks of the script */
};

/* engine.c */
void engine_enter(struct engine *e);
void engine_leave(struct engine *e); /* The outermost call asks held threads again. */
void engine_progress(struct engine *e);

/* decide.c */
struct decision *engine_decide(struct engine *e, enum decision_kind kind);
struct error *engine_scratch(struct engine *e);
/* Ends the run with the error in engine_scratch(), after a callback returned FAULT. */
void engine_fault(struct engine *e);

/* thread.c */
struct own_thread *engine_thread_own(struct engine_thread *t);
void engine_thread_arm(struct engine_thread *t, struct place *companion);
bool engine_thread_disarm(struct engine_thread *t, const struct place *companion);
void engine_thread_watch(struct engine_thread *t, struct gate *g);
void engine_thread_release(struct own_thread *t); /* frees stop, watches and companions */
void engine_thread_free(struct own_thread *t);

/* gate.c */
void gate_open(struct engine *e, struct gate *g, struct engine_thread *by);
enum engine_answer gate_ask(struct engine *e, struct gate *g, const struct engine_stop *s);
bool gate_may_let(const struct engine_stop *s); /* without asking a script */
/* counts a waiting thread; the last one opens a barrier */
void gate_join(struct engine *e, struct gate *g);
void gate_unjoin(struct gate *g);
void gate_take_turn(struct engine *e, struct gate *g,
		    struct engine_thread *t); /* if it was held at g */
enum engine_answer gate_passed(struct engine *e, struct gate *g, const struct engine_stop *s);
/* Reports that the thread has arrived, blocked or exited: threads that wait for that may pass. */
void gate_ran_on(struct engine *e, struct engine_thread *t);
void gate_note_pass(struct engine *e, struct gate *g, struct engine_thread *t);
bool gate_always_passes(const struct gate *g);
void gate_free(struct gate *g);

/* place.c */
void place_check_dead(struct engine *e, struct place *p);
void place_check_gate(struct engine *e, const struct gate *g); /* after g has opened, once */
struct step *place_insert(struct place *p, size_t at, enum step_kind kind);
void place_free(struct place *p);

/* arrival.c */
void stop_go(struct engine *e, struct engine_stop *s);
void stop_hold(struct engine *e, struct engine_stop *s, struct gate *g);
void stop_pass(struct engine *e, struct engine_stop *s); /* ends the hold at the current step */
void stop_drop(struct engine *e, struct engine_stop *s); /* ends the stop without a release */

/* step.c */
enum step_result {
	STEP_DONE, /* go on with the next step */
	STEP_HELD,
	STEP_OVER, /* the stop or the run has ended */
	STEP_GONE, /* the thread dies; its remaining steps do not matter */
};
/* Evaluates a C expression in the program; a FAULT ends the run. */
enum engine_answer step_expression(struct engine *e, const char *expression,
				   const struct arrival *a, bool again);
enum step_result step_take(struct engine *e, struct engine_stop *s, const struct step *step);

/* order.c */
int order_parse(struct engine *e, const char *text, const char *source, struct error *err);
/* prefix of errors after the source: "order: ", or "" if the source says so */
const char *order_word(const char *source);
void order_edge_fini(struct order_edge *edge);
/* True if an edge that was not dropped needs the place. */
bool order_needs(const struct engine *e, const struct place *p);
bool order_says_the_same(const struct order_edge *a, const struct order_edge *b);
bool order_name_same(const struct order_name *a, const struct order_name *b);
void order_name_print(const struct order_name *n, struct str *out);

#endif
