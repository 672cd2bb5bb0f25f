/*
 * The engine: arrivals in, decisions out.
 *
 * No ptrace, no DWARF, no Lua, no clock, no file: a test drives it with made-up arrivals. The
 * caller (run) tells it what happened (engine_thread_new, engine_arrive, ...) and afterwards
 * takes every decision from engine_next() until there is none. Nothing in here waits, and nothing
 * calls up, but for the two tables of functions below: what the tester wrote (struct engine_script)
 * and what only the program knows (struct engine_world).
 *
 * Ownership: the engine owns gates, places and threads and copies every string it is given.
 * Pointers to them stay valid until engine_free().
 */
#ifndef GATECTL_GATES_ENGINE_H
#define GATECTL_GATES_ENGINE_H

#include "tracer/base/array.h"
#include "tracer/base/error.h"
#include "tracer/base/text/str.h"
#include "gates/verdict.h"

#include <stdbool.h>
#include <stddef.h>

struct arrival;
struct engine;
struct gate;
struct place;

/*
 * The wait-for graph: who waits for whom, and whether a gate is part of the reason that nobody moves.
 * Pure: the run describes each thread, this says what it means.
 */

enum wait_kind {
	WAIT_NOT,     /* it can move: runs, sleeps, waits with a time-out, or for what is outside */
	WAIT_GATE,    /* held */
	WAIT_MUTEX,   /* a lock whose owner is `on`; where `more` own it as well, for all of them */
	WAIT_JOIN,    /* the end of the thread `on` */
	WAIT_PROCESS, /* the end of a traced child process: any thread with `process` == its target */
	WAIT_FUTEX,   /* something that any other thread of its memory can give, not known whom */
	WAIT_FILE,    /* something that any other thread of the processes `by` can give */
	WAIT_NEVER,   /* a lock whose owner is gone: nobody can give it */
};

struct wait {
	struct engine_thread *thread;
	enum wait_kind kind;
	struct engine_thread *on;	    /* MUTEX, JOIN; NULL: not known, then as FUTEX */
	ARRAY(struct engine_thread *) more; /* MUTEX: readers that own it as well */
	ARRAY(int) by;			    /* FILE: pids */
	int process;			    /* pid the thread belongs to */
	int space;	/* threads with the same number share their memory; 0: that is `process` */
	bool shared;	/* FUTEX: in memory that all processes share */
	int on_process; /* PROCESS: pid waited for; 0: any child (then children's `parent` says) */
	int parent;	/* pid of the parent of `process`, 0 unknown */
};

/* Frees what it owns: `more` and `by`. */
void wait_fini(struct wait *w);

enum waits_answer {
	WAITS_MOVING, /* at least one thread can move */
	WAITS_GATE,   /* nobody can move, and a gate is part of the reason */
	WAITS_OWN,    /* nobody can move, and it is the program's own doing */
};

/*
 * `cycle` gets the indexes of a cycle of waits, or of a chain that ends at what can never happen
 * or at a gate (at most count of them), *length how many; NULL is allowed. A cycle without a gate
 * in it is the program's own deadlock even where another thread is held at a gate.
 */
enum waits_answer waits_judge(const struct wait *waits, size_t count, size_t *cycle,
			      size_t *length);

/*
 * The same, while others still move: those that nobody can set free any more, whatever the others
 * and the gates do. False, and *length 0: there are none.
 */
bool waits_lost(const struct wait *waits, size_t count, size_t *cycle, size_t *length);

/* ---- threads -------------------------------------------------------------------------------- */

struct engine_thread {
	char *id;    /* "main", "worker#1", "p1/main" */
	char *start; /* start routine, "main" for a process's first thread */
	int tid;
	bool held;
	bool exited;
	bool identified;	  /* a function of the script has asked for its id */
	void *user;		  /* the run's */
	struct engine_stop *stop; /* what it is doing here, NULL while it runs; the engine's own */
};

/* ---- gates ---------------------------------------------------------------------------------- */

enum gate_kind { GATE_SIMPLE, GATE_BARRIER, GATE_CUSTOM };

enum gate_queue {
	GATE_TOGETHER,
	GATE_SERIAL,
	GATE_DRAINING, /* serial, and open: those that waited go one by one */
};

enum gate_ablation {
	GATE_ACTS,
	GATE_LEFT_OUT,
	GATE_ONE_BY_ONE, /* a barrier that is left out: none passes together with another */
};

struct gate {
	char *name;   /* as people are shown it: without control characters */
	char *given;  /* as the script says it: for machines */
	char *source; /* FILE:LINE of the script, "--order", or NULL */
	enum gate_kind kind;
	const char *type;      /* "SimpleGate", "BarrierGate", or the name of the tester's type */
	bool is_open;	       /* opened, or a barrier that came together: for good */
	size_t index;	       /* in order of creation */
	unsigned barrier_size; /* BARRIER */
	enum gate_queue queue; /* BARRIER: whether threads pass one at a time */
	int script_ref;	       /* CUSTOM: what the script knows it by */
	bool from_order;       /* made by an order, not by name */
	bool dropped;	       /* what made it was taken back: it is not listed; the user's own */
	struct engine_thread *serial_current; /* the one that was let go last; the engine's own */
	unsigned waiting;		      /* threads held at it now; the engine's own */
	/* Leaving gates out; the engine's own. */
	enum gate_ablation ablation;
	bool opposed;		 /* other gates hold back whoever would open this one */
	struct gate *holds_back; /* this is one: opens when one that passed that gate has run on */
	unsigned passed;	 /* how many have; counted only where it matters */
	struct engine_thread *runner; /* the first of them, until it has run on */
};

/* `source` may be filled in afterwards: base_free'd by the engine. */
struct gate *engine_gate_simple(struct engine *e, const char *name);
struct gate *engine_gate_barrier(struct engine *e, const char *name, unsigned n, bool serial);
struct gate *engine_gate_custom(struct engine *e, const char *type, const char *name, int ref);
struct gate *engine_gate_at(const struct engine *e, size_t index); /* NULL behind the last */
#define engine_each_gate(g, e)                                                                     \
	for (struct gate *g = engine_gate_at(e, 0); g; g = engine_gate_at(e, (g)->index + 1))
/* May a :run function of this place open the gate? */
bool engine_may_open(const struct engine *e, const struct place *p, const struct gate *g);

/* `open()`: by a verb, by a function of the script, by a person. Waiting threads are asked again. */
void engine_open(struct engine *e, struct gate *g, struct engine_thread *by);

/* ---- places --------------------------------------------------------------------------------- */

enum place_kind {
	PLACE_LOCATION,
	PLACE_THREAD_START,
	PLACE_THREAD_EXIT,
	PLACE_EXIT,
	PLACE_FORK,
	PLACE_EXEC,
	PLACE_LOAD,
	PLACE_SIGNAL,
	PLACE_THROW,
	PLACE_REST, /* nobody can move: no thread arrives, see engine_rest() */
};

enum step_kind {
	STEP_WAIT,    /* gate */
	STEP_OPEN,    /* gate */
	STEP_WHEN,    /* script function, or text, a C expression: true lets the thread go on */
	STEP_RUN,     /* script function: a coroutine, once */
	STEP_EVENT,   /* text: where the name given by :event stands among the verbs */
	STEP_LOG,     /* text */
	STEP_KILL,    /* signal */
	STEP_ELIDE,   /* sleeping calls of the statement return at once */
	STEP_RELEASE, /* text: the held threads whose id this is go on, see engine_pass_by_hand() */
	STEP_WATCH, /* gate: opens when this thread is next blocked in the kernel ([c] of an order) */
};

struct step {
	enum step_kind kind;
	struct gate *gate;
	int script_ref;
	char *text;
	int signal;
	char *thread;  /* a pattern: only these threads take the step; NULL all (from an order) */
	bool left_out; /* WHEN, RUN: its function or expression holds no thread */
	bool waits;    /* RUN: its function has called wait_until */
};

struct place {
	size_t index;
	enum place_kind kind;
	char *location;			   /* as the tester wrote it; for an event its name */
	char *source;			   /* FILE:LINE of the script, or "--order" */
	char *thread;			   /* pattern of the `thread` option, or NULL */
	unsigned long hit_first, hit_last; /* 0, 0: all */
	char *when; /* a C expression: only arrivals for which it is true count; NULL: all do */
	bool after;
	bool optional;
	char *object; /* LOAD */
	int signal;   /* SIGNAL: 0 any */
	bool from_order;
	ARRAY(char *) again; /* FROM_ORDER: the sources of further orders that name it */
	ARRAY(struct step) steps;
	unsigned long arrivals; /* that `thread` and `when` admit */
	unsigned long refused;	/* that `when` does not admit */
	bool retired;		/* PLACE_DEAD was decided */
	bool dropped;		/* ... by a person: engine_drop() */
	void *user;		/* the run's: its sites */
	/* An order that has this place's event on the left of an arrow needs to know when the statement
	   has been executed: a second place, with `after`, which takes only the threads that came by
	   here (others are not even counted). It is part of this one: no report need show it. */
	struct place *companion, *companion_of;
	unsigned inside; /* threads stopped in the middle of its steps; the engine's own */
};

/* Makes a place; fill in the options before the first arrival. */
struct place *engine_place(struct engine *e, enum place_kind kind, const char *location,
			   const char *source);
struct step *engine_step(struct place *p, enum step_kind kind);	     /* valid until the next one */
struct place *engine_place_at(const struct engine *e, size_t index); /* NULL behind the last */
#define engine_each_place(p, e)                                                                    \
	for (struct place *p = engine_place_at(e, 0); p; p = engine_place_at(e, (p)->index + 1))

/*
 * "a -> b, [c] -> d": adds the gates, places and steps that force it. Call it when every place with
 * an :event name exists (run calls engine_orders_finish for those kept by engine_order).
 * ERROR_SCRIPT with `source` in front where the text is not an order.
 */
int engine_order(struct engine *e, const char *text, const char *source, struct error *err);
int engine_orders_finish(struct engine *e, struct error *err);
size_t engine_order_count(const struct engine *e); /* of all a -> b so far */

/* Does the place's last arrival act, by the `hit` option? */
bool place_in_range(const struct place *p);
/* The k-th arrival that the place needs to have been reached: hit_first or 1. */
bool place_reached(const struct place *p);

/*
 * Can no place ever act again? Each one is retired; an optional one that was not reached counts too
 * if its steps would change nothing.
 */
bool engine_is_done(const struct engine *e);

/*
 * How many of the next arrivals of anybody at the place are certain to have no consequence but that they
 * are counted: ULONG_MAX without end. It only grows as the program goes on. Those that were not told one by one
 * are told by place_passed(), also those that `when` does not admit.
 */
unsigned long place_idle_arrivals(const struct engine *e, const struct place *p);
void place_passed(struct place *p, unsigned long arrivals);
/*
 * The thread for which alone the place is, as "worker#1": no other one that comes by is of any consequence, ever (but
 * that each arrival has held functions asked again). NULL: there is no such thread, or it cannot be told. A thread that
 * gives itself a name like that is not meant. Does not change once the script is loaded.
 */
const char *place_only_thread(const struct engine *e, const struct place *p);

/*
 * The C expression that decides the arrivals of all threads at the place: arrivals for which its
 * truth is *idle have no consequence, except that held functions are asked again. Returns NULL if
 * no expression decides arrivals now.
 */
const char *place_condition(const struct engine *e, const struct place *p, bool *idle);
/* The reason in words where these three say that each arrival matters. Never NULL. */
const char *place_busy(const struct engine *e, const struct place *p);

/* The word for what holds threads at the place without a gate: "function", or "condition" for a C
   expression. */
const char *place_holder(const struct place *p);

/* FILE:LINE of the script that made it. */
const char *place_source(const struct place *p);

/* Has it a STEP_ELIDE? */
bool place_elides(const struct place *p);

/* Is it a failure that it was not reached? Never for an optional one or a companion. */
bool place_missing(const struct place *p);
const struct place *engine_missing(const struct engine *e); /* the first such place, or NULL */

/* ---- the two tables ------------------------------------------------------------------------- */

/* Where one of the places is that a thread stops at. The texts live as long as the engine. */
struct arrival_spot {
	const char *file, *func; /* NULL unknown */
	unsigned line;
	uint64_t scope; /* the run's: which function, or copy of one, that is; 0 unknown */
};

struct arrival {
	struct engine_thread *thread;
	struct place *place;
	unsigned long count; /* of arrivals at this place, this one included */
	const char *file;    /* NULL unknown */
	unsigned line;
	const char *func; /* NULL unknown */
	uint64_t scope;	  /* see struct arrival_spot */
	void *at;	  /* the run's: where to read registers and memory from */
	bool left_out;	  /* RUN: every wait_until is true */
	/* For engine_arrive, which copies them: of each of its places, where they are not all on one
	   line of one function; else NULL. */
	const struct arrival_spot *spots;
};

/* GONE: the thread dies meanwhile, and what would have been said is of no consequence. */
enum engine_answer { ENGINE_NO, ENGINE_YES, ENGINE_FAULT, ENGINE_GONE };

/* What the tester wrote. On FAULT `err` is filled (ERROR_SCRIPT). `coroutine` starts as NULL. */
struct engine_script {
	void *ctx;
	/* Pure: may this thread pass now? */
	enum engine_answer (*ready)(void *ctx, struct gate *g, const struct arrival *a,
				    struct error *err);
	enum engine_answer (*when)(void *ctx, int ref, const struct arrival *a, struct error *err);
	/* YES: ran to its end; then, on a FAULT and on GONE, the script has dropped the coroutine itself. NO:
	   holds; *gate is what it waits at, or NULL: it waits for the function of its wait_until, which
	   is asked by calling this again. A gate is asked by the engine, which calls this again only
	   when it has let the thread pass. wait_until is told by engine_waits_until(). A call that has gone past a wait_until and stops at the next
	   one says so by engine_changed(): what it did between may matter to others. */
	enum engine_answer (*run)(void *ctx, int ref, const struct arrival *a, void **coroutine,
				  struct gate **gate, struct error *err);
	void (*run_end)(void *ctx, void *coroutine); /* the thread died: drop it */
	/* Can this function get at the gate? False: certainly not. */
	bool (*may_open)(void *ctx, int ref, const struct gate *g);
	enum engine_answer (*passed)(void *ctx, struct gate *g, const struct arrival *a,
				     struct error *err);
	enum engine_answer (*opened)(void *ctx, struct gate *g, struct error *err);
	/* YES: the text of a :log with every {expr} replaced is in *line; base_free'd by the engine. */
	enum engine_answer (*log_text)(void *ctx, const char *text, const struct arrival *a,
				       char **line, struct error *err);
};

/* What only the program knows. */
struct engine_world {
	void *ctx;
	/* pthread_setname_np's name as it is now, or "". Valid until the next call. */
	const char *(*thread_name)(void *ctx, const struct engine_thread *t);
	/* The function that a thread runs whose start routine is a trampoline; NULL: none is known. */
	const char *(*thread_runs)(void *ctx, const struct engine_thread *t);
	/* Evaluates the C expression in the scope of the arrival. With `again` the thread is held
	   until it is true, so what it reads is watched. On FAULT `err` is set (ERROR_SCRIPT). */
	enum engine_answer (*is_true)(void *ctx, const char *expression, const struct arrival *a,
				      bool again, struct error *err);
};

/* ---- what happens, and what is decided ------------------------------------------------------ */

struct engine *engine_new(const struct engine_world *world);
void engine_set_script(struct engine *e, const struct engine_script *script);
void engine_free(struct engine *e);

struct engine_thread *engine_thread_new(struct engine *e, const char *id, const char *start,
					int tid);
void engine_thread_exited(struct engine *e, struct engine_thread *t);
struct engine_thread *engine_thread_at(const struct engine *e, size_t index);

/* Does the pattern match this thread's id, start routine, name, or what a trampoline runs for it? NULL
   matches all. */
bool engine_thread_matches(struct engine *e, const struct engine_thread *t, const char *pattern);

/*
 * The thread is stopped at these places (in the order written); `at` is the template of the arrival:
 * thread, file, line, func, signal and at are copied (the texts too, if it is held), place and count
 * are the engine's. Exactly one DECISION_RELEASE for this thread follows, now or later (or never: it
 * is held). A thread that arrives while it is held was torn away from there: that stop is forgotten.
 */
void engine_arrive(struct engine *e, struct place *const *places, size_t count,
		   const struct arrival *at);

/*
 * Something happened that a condition might depend on: every closed one is asked again. engine_open
 * and engine_changed may be called by the functions of the script too; then the asking happens when
 * the engine is done with what it does.
 */
void engine_changed(struct engine *e);

/* The thread that a DECISION_WATCH named is now blocked in the kernel. */
void engine_blocked(struct engine *e, struct engine_thread *t);

enum decision_kind {
	DECISION_ARRIVED, /* for the record: thread, place */
	DECISION_HOLD,	  /* for the record: thread, place, gate (NULL: a function) */
	DECISION_PASS,	  /* for the record: a held thread's gate has let it go on */
	DECISION_OPENED,  /* for the record: gate, thread (who opened it; NULL: nobody's doing) */
	DECISION_EVENT,	  /* for the record: text */
	DECISION_LOG,	  /* text: write this line */
	DECISION_RELEASE, /* thread: let it run */
	DECISION_KILL,	  /* thread, signal: its program dies here; no RELEASE follows */
	DECISION_WATCH, /* thread: call engine_blocked() once it is blocked, unless it arrives or ends.
			     Where the reason outlives the arrival, a new one follows its RELEASE */
	DECISION_ELIDE, /* thread, place: until the statement there has been executed it does not sleep */
	DECISION_DEAD,	/* place: it can never act again; its traps may go */
	DECISION_FAULT, /* error: the run ends */
};

struct decision {
	enum decision_kind kind;
	struct engine_thread *thread;
	struct place *place;
	struct gate *gate;
	int signal;
	const char *text;	   /* valid until the next engine_next() */
	const struct error *error; /* FAULT */
};

/* A line of the script's own (print), in its place among the decisions: DECISION_LOG of nobody. */
void engine_log(struct engine *e, const char *text);

/* The next decision, in the order they were made; false when there is none. */
bool engine_next(struct engine *e, struct decision *out);
/* The i-th of those that come next; NULL behind the last. Valid until the engine is called again. */
const struct decision *engine_coming(const struct engine *e, size_t i);

/* ---- leaving gates out (ablation.c) --------------------------------------------------------- */

/* What can be left out: a gate (an order's too), the function of a :when, every wait_until of a :run. */
struct engine_subject {
	struct gate *gate;   /* or NULL: */
	struct place *place; /* its step of that number */
	size_t step;
};
/* False behind the last. */
bool engine_subject_at(const struct engine *e, size_t index, struct engine_subject *out);
/* As a person would name it: "gate done (calc.lua:3)", "condition at queue.c:12 (calc.lua:5)". */
void engine_subject_name(const struct engine_subject *s, struct str *out);

/* A :run has called wait_until, true at once or not. */
void engine_waits_until(struct place *p, int ref);
/* False for a :run that has not called wait_until so far: it may have none. */
bool engine_subject_holds(const struct engine_subject *s);

/* Before the first arrival: from now on it lets everybody pass. Nothing else changes. */
void engine_ablate(const struct engine_subject *s);

/*
 * Before the first arrival: brings about the opposite of what the gate forces. Threads about to
 * open it are held there, those in `threads` (ids) at their start and at every place they come
 * to, until a thread has passed the gate and has then arrived, blocked or ended. A barrier that
 * is left out lets its threads pass one at a time.
 */
void engine_oppose(struct engine *e, struct gate *g, const char *const *threads, size_t count);
/*
 * Before the first arrival: holds the thread `first->thread` at first->place until second->thread has
 * passed second->place and has then arrived, blocked or ended. Returns the gate that the second one
 * passes: its `passed` counts.
 */
struct engine_arrival {
	struct place *place;
	const char *thread; /* its id */
};
const struct gate *engine_swap(struct engine *e, const struct engine_arrival *first,
			       const struct engine_arrival *second);
/* Does the place hold threads at a gate, or open one? Its companion does so for it. */
bool place_has_gate(const struct place *p);
/* Nobody else can move: releases the threads that engine_oppose() or engine_swap() holds; `for_good`: it holds
   nobody from now on. False: it held nobody. */
bool engine_give_way(struct engine *e, bool for_good);

/*
 * Nobody can move, and somebody is held: the first PLACE_REST that has not been yet takes its steps,
 * of which only OPEN and RELEASE do something here. False: there is none left.
 */
bool engine_rest(struct engine *e);
bool engine_has_rest(const struct engine *e);

/* A person lets the held thread past what holds it, this once. -1: nothing holds it, or a :run
   function does, which cannot be skipped. */
int engine_pass_by_hand(struct engine *e, struct engine_thread *t);

/* A person removes the place: it no longer acts, and threads held there go on. */
void engine_drop(struct engine *e, struct place *p);
/* The same for orders: removes the edges [first, first + count) of all a -> b seen so far. A
   place made for an order stays while another order names it. */
void engine_drop_orders(struct engine *e, size_t first, size_t count);

/* What a held thread waits for. False: it is not held. */
struct engine_hold {
	struct place *place;
	struct gate *gate; /* NULL: a :when or wait_until function */
};
bool engine_held(const struct engine *e, const struct engine_thread *t, struct engine_hold *out);
/* Fills *out with that of the `spots` of its arrival that the thread is at; leaves it where there are none. */
void engine_spot(const struct engine_thread *t, struct arrival_spot *out);

#endif
