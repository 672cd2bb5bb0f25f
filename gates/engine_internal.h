/*
 * Inside gates. One file, one idea:
 *
 *	engine.c         the turn: what happens is taken in, closed conditions are asked again, decisions out
 *	decide.c         the queue of decisions, and a fault
 *	thread.c         threads, and patterns that name them
 *	gate.c           the kinds of gates
 *	place.c          places, and when they can never act again
 *	arrival.c        one thread's stop: from place to place, held and released
 *	step.c           what one verb does
 *	order.c          the text of an order
 *	order_compile.c  orders become gates, places and steps
 *	external.c       what is done from outside: at rest, or by a person
 *	ablation.c       gates are left out, and the opposite of what they force
 */
#ifndef GATECTL_GATES_ENGINE_INTERNAL_H
#define GATECTL_GATES_ENGINE_INTERNAL_H

#include "gates/engine.h"
#include "tracer/base/text/str.h"

/* One thread at one stop. Lives in its thread and is used again, so that a hit allocates nothing.
 */
struct engine_stop {
	struct arrival arrival; /* at the current place */
	ARRAY(struct place *) places;
	ARRAY(struct arrival_spot) spots; /* none, or one for each place */
	size_t place_at, step_at;
	bool entered;	     /* the current place has been counted, its steps run */
	bool listed;	     /* among the engine's held ones */
	bool waiting;	     /* held at the current step ... */
	bool dies;	     /* ... and the script was told that it dies: it is not asked again */
	struct gate *gate;   /* ... by this gate; NULL: by a function */
	void *coroutine;     /* of the RUN it is in */
	unsigned long asked; /* the engine's `changed` when its function last said no */
	struct engine_stop *prev, *next;
	struct str file, func; /* copies, once it is held */
};

struct own_thread {
	struct engine_thread thread; /* first: what the others see */
	struct engine_stop stop;
	ARRAY(struct gate *) watches; /* open when it is next blocked */
	ARRAY(struct place *) armed;  /* companions that its next arrival counts for */
};

struct order_name {
	char *text;
	char *thread; /* NULL: any */
	bool blocked; /* in [] */
};

struct order_edge {
	struct order_name from, to;
	char *source;
	bool woven;
	struct gate *gate; /* that forces it; NULL: another edge that says the same has it */
	bool dropped;	   /* by a person: engine_drop_orders() */
};

struct queued {
	struct decision decision;
	char *text; /* owned, or NULL */
};

/* Places, by number, that have a step with this gate. */
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
	ARRAY(struct gate_uses) uses; /* by gate; made anew when there are more steps */
	unsigned long uses_made;
	ARRAY(struct queued) queue;
	size_t queue_head;
	char *last_text;			    /* of the decision that was taken last */
	struct engine_stop *held_first, *held_last; /* in order of arrival */
	unsigned depth;				    /* of calls into the engine */
	unsigned progress;     /* of :run functions in this turn: they could go on for ever */
	unsigned functions;    /* held stops that wait for a function of the script */
	unsigned serial_going; /* gates that have a serial_current or a runner */
	unsigned long changed; /* counts what a function could depend on */
	unsigned long settled; /* `changed` when all of them had been asked */
	bool stirred;	       /* a gate may let somebody go who was held */
	bool faulted;
	struct error error;   /* of the fault */
	struct error scratch; /* for a call of the script */
};

/* engine.c */
void engine_enter(struct engine *e);
void engine_leave(struct engine *e); /* the outermost one asks closed conditions again */
void engine_progress(struct engine *e);

/* decide.c */
struct decision *engine_decide(struct engine *e, enum decision_kind kind);
struct error *engine_scratch(struct engine *e);
/* The script said FAULT: what it left in engine_scratch() ends the run. */
void engine_fault(struct engine *e);

/* thread.c */
struct own_thread *engine_thread_own(struct engine_thread *t);
void engine_thread_arm(struct engine_thread *t, struct place *companion);
bool engine_thread_disarm(struct engine_thread *t, const struct place *companion);
void engine_thread_watch(struct engine_thread *t, struct gate *g);
void engine_thread_release(struct own_thread *t); /* its stop, watches and companions */
void engine_thread_free(struct own_thread *t);

/* gate.c */
void gate_open(struct engine *e, struct gate *g, struct engine_thread *by);
enum engine_answer gate_ask(struct engine *e, struct gate *g, const struct engine_stop *s);
bool gate_may_let(const struct engine_stop *s);	  /* without asking a script */
void gate_join(struct engine *e, struct gate *g); /* one more waits here: a barrier may open */
void gate_unjoin(struct gate *g);
void gate_take_turn(struct engine *e, struct gate *g,
		    struct engine_thread *t); /* held, now let go */
enum engine_answer gate_passed(struct engine *e, struct gate *g, const struct engine_stop *s);
/* It has arrived, blocked or ended: whoever waits until it has run on may go. */
void gate_ran_on(struct engine *e, struct engine_thread *t);
void gate_note_pass(struct engine *e, struct gate *g, struct engine_thread *t);
bool gate_always_passes(const struct gate *g);
void gate_free(struct gate *g);

/* place.c */
void place_check_dead(struct engine *e, struct place *p);
void place_check_gate(struct engine *e,
		      const struct gate *g); /* it has opened, which it does once */
struct step *place_insert(struct place *p, size_t at, enum step_kind kind);
void place_free(struct place *p);

/* arrival.c */
void stop_go(struct engine *e, struct engine_stop *s);
void stop_hold(struct engine *e, struct engine_stop *s, struct gate *g);
void stop_pass(struct engine *e, struct engine_stop *s); /* what held it does so no more */
void stop_drop(struct engine *e, struct engine_stop *s); /* it ends without a release */

/* step.c */
enum step_result {
	STEP_DONE, /* on to the next */
	STEP_HELD,
	STEP_OVER, /* the stop has ended, or the run */
	STEP_GONE, /* its thread dies: nothing more of it matters */
};
/* Asks the program; a FAULT ends the run. */
enum engine_answer step_expression(struct engine *e, const char *expression,
				   const struct arrival *a, bool again);
enum step_result step_take(struct engine *e, struct engine_stop *s, const struct step *step);

/* order.c */
int order_parse(struct engine *e, const char *text, const char *source, struct error *err);
const char *order_word(const char *source); /* "order: ", for an error behind its source */
void order_edge_fini(struct order_edge *edge);
/* Is this place there for what an order says that was not dropped? */
bool order_needs(const struct engine *e, const struct place *p);
bool order_says_the_same(const struct order_edge *a, const struct order_edge *b);
bool order_name_same(const struct order_name *a, const struct order_name *b);
void order_name_print(const struct order_name *n, struct str *out);

#endif
