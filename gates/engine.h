/*
 * The engine: arrivals in, decisions out.
 *
 * The engine uses no ptrace, DWARF, Lua, clock or file: a test drives it with made-up arrivals. The
 * caller (run) reports what happened (engine_thread_new, engine_arrive, ...) and then takes every
 * decision from engine_next() until there is none. The engine never blocks. It calls up only
 * through two tables of functions: struct engine_script (the user's script) and struct engine_world
 * (facts that only the program knows).
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
 * The wait-for graph: which thread waits for which, and whether a gate is part of the reason that
 * no thread can move. Pure functions: the run describes each thread, these judge the graph.
 */

enum wait_kind {
	/* the thread can move: runs, sleeps, has a time-out, or waits for the outside */
	WAIT_NOT,
	WAIT_GATE,  /* held at a gate */
	WAIT_MUTEX, /* a lock owned by `on` and, for a read lock, by every thread in `more` */
	WAIT_JOIN,  /* the exit of the thread `on` */
	/* the exit of a traced child process: of every thread whose `process` is the target */
	WAIT_PROCESS,
	/* a wake-up that any other thread of the same memory can send; sender unknown */
	WAIT_FUTEX,
	WAIT_FILE,  /* a wake-up that any other thread of the processes `by` can send */
	WAIT_NEVER, /* a lock whose owner has exited: never released */
};

struct wait {
	struct engine_thread *thread;
	enum wait_kind kind;
	struct engine_thread *on;	    /* MUTEX, JOIN; NULL: unknown, then judged like FUTEX */
	ARRAY(struct engine_thread *) more; /* MUTEX: readers that own the lock besides `on` */
	/* FILE: pids of the processes that can wake the thread */
	ARRAY(int) by;
	int process;	/* pid that the thread belongs to */
	int space;	/* address space: equal numbers share memory; 0: the number is `process` */
	bool shared;	/* FUTEX: the word is in memory shared by all processes */
	int on_process; /* PROCESS: pid waited for; 0: any child, found by its `parent` */
	int parent;	/* pid of the parent of `process`; 0: unknown */
};

/* Frees the arrays `more` and `by`, not *w. */
void wait_fini(struct wait *w);

enum waits_answer {
	WAITS_MOVING, /* at least one thread can move */
	WAITS_GATE,   /* no thread can move, and a gate is part of the reason */
	/* no thread can move, and no gate is the reason: the program's own deadlock */
	WAITS_OWN,
};

/*
 * Judges the wait-for graph. `cycle` (NULL allowed, room for `count`) gets the indexes of a cycle
 * of waits, or of a chain that ends at a lost owner or at a gate; *length their number. A cycle
 * without a gate is the program's own deadlock even if another thread is held at a gate.
 */
enum waits_answer waits_judge(const struct wait *waits, size_t count, size_t *cycle,
			      size_t *length);

/*
 * True if some threads can never move again although others still can, whatever the other threads
 * and the gates do. Fills `cycle` and *length as waits_judge() does; *length is 0 if false.
 */
bool waits_lost(const struct wait *waits, size_t count, size_t *cycle, size_t *length);

/* ---- threads -------------------------------------------------------------------------------- */

struct engine_thread {
	char *id;    /* "main", "worker#1", "p1/main" */
	char *start; /* start routine; "main" for the first thread of a process */
	int tid;
	bool held;
	bool exited;
	bool identified; /* a script function has read the thread's id */
	void *user;	 /* private data of the run */
	/* the current stop; NULL while the thread runs; private to the engine */
	struct engine_stop *stop;
};

/* ---- gates ---------------------------------------------------------------------------------- */

enum gate_kind { GATE_SIMPLE, GATE_BARRIER, GATE_CUSTOM };

enum gate_queue {
	GATE_TOGETHER,
	GATE_SERIAL,
	GATE_DRAINING, /* a serial barrier that is open: the threads that waited pass one by one */
};

enum gate_ablation {
	GATE_ACTS,
	GATE_LEFT_OUT,
	GATE_ONE_BY_ONE, /* a barrier left out: its threads pass one at a time */
};

struct gate {
	char *name;   /* name shown to users: without control characters */
	char *given;  /* name as written in the script: for machine-readable output */
	char *source; /* FILE:LINE of the script, "--order", or NULL */
	enum gate_kind kind;
	/* "SimpleGate", "BarrierGate" or the name of a type defined by the script */
	const char *type;
	bool is_open;	       /* opened, or the barrier is complete; never closes again */
	size_t index;	       /* position in order of creation */
	unsigned barrier_size; /* BARRIER: number of threads */
	enum gate_queue queue; /* BARRIER: whether threads pass together or one at a time */
	int script_ref;	       /* CUSTOM: the script's reference to the gate */
	bool from_order;       /* created for an order, not by name */
	/* its order was dropped: not listed; private to the user of the engine */
	bool dropped;
	/* the thread released last that has not yet arrived, blocked or exited; private to the
	   engine */
	struct engine_thread *serial_current;
	/* threads held at the gate now; private to the engine */
	unsigned waiting;
	/* Ablation; private to the engine. */
	enum gate_ablation ablation;
	bool opposed; /* other gates hold back every thread that would open this one */
	/* not NULL: this gate opens when a thread that passed *holds_back has arrived, blocked
	   or exited */
	struct gate *holds_back;
	/* threads that have passed; counted only if `ablation` or `opposed` */
	unsigned passed;
	/* the first of them, until it has arrived, blocked or exited; then NULL */
	struct engine_thread *runner;
};

/*
 * Creates a gate that open() opens. The engine owns the gate. The caller may set `source`; the
 * engine frees it.
 */
struct gate *engine_gate_simple(struct engine *e, const char *name);
/*
 * Creates a barrier of n threads, which pass one at a time if `serial`. The engine owns the gate.
 */
struct gate *engine_gate_barrier(struct engine *e, const char *name, unsigned n, bool serial);
/*
 * Creates a gate of the script's type `type`; `ref` is passed back to the script. The engine owns
 * it.
 */
struct gate *engine_gate_custom(struct engine *e, const char *type, const char *name, int ref);
/* Returns the gate at `index`, or NULL after the last. */
struct gate *engine_gate_at(const struct engine *e, size_t index);
#define engine_each_gate(g, e)                                                                     \
	for (struct gate *g = engine_gate_at(e, 0); g; g = engine_gate_at(e, (g)->index + 1))
/* True if a :run function of the place may open the gate. */
bool engine_may_open(const struct engine *e, const struct place *p, const struct gate *g);

/*
 * Opens the gate, as open() does; `by` is the opening thread or NULL. Held threads are asked again.
 */
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
	PLACE_REST, /* no thread can move; no thread arrives here, see engine_rest() */
};

enum step_kind {
	STEP_WAIT,     /* gate */
	STEP_OPEN,     /* gate */
	STEP_WHEN,     /* script function, or text (a C expression): holds the thread until true */
	STEP_RUN,      /* script function: a coroutine, run once */
	STEP_EVENT,    /* text: the :event name, at its position among the verbs */
	STEP_LOG,      /* text */
	STEP_KILL,     /* signal */
	STEP_ELIDE,    /* sleeping calls of the statement return at once */
	STEP_SPURIOUS, /* the statement's next wait returns without a signal, once in the run */
	STEP_RELEASE,  /* text: held threads that match this pattern go on; only at PLACE_REST */
	STEP_WATCH,    /* gate: opens when the thread next blocks in the kernel ([c] of an order) */
};

struct step {
	enum step_kind kind;
	struct gate *gate;
	int script_ref;
	char *text;
	int signal;
	char *thread;  /* pattern of the threads that take the step (from an order); NULL: all */
	bool left_out; /* WHEN, RUN: left out, its function or expression holds no thread */
	bool waits;    /* RUN: the function has called wait_until */
};

struct place {
	size_t index;
	enum place_kind kind;
	char *location;			   /* as written in the script; for an event its name */
	char *source;			   /* FILE:LINE of the script, or "--order" */
	char *thread;			   /* pattern of the `thread` option, or NULL */
	unsigned long hit_first, hit_last; /* first and last arrival that acts; 0, 0: all */
	char *when; /* C expression: only arrivals for which it is true count; NULL: all count */
	bool after;
	bool optional;
	char *object; /* LOAD: name of the executable or library; NULL: any */
	int signal;   /* SIGNAL: number; 0: any */
	bool from_order;
	ARRAY(char *) again; /* FROM_ORDER: sources of the other orders that name this place */
	ARRAY(struct step) steps;
	unsigned long arrivals; /* number of arrivals that `thread` and `when` admit */
	unsigned long refused;	/* number of arrivals that `when` rejects */
	bool retired;		/* PLACE_DEAD has been decided */
	bool dropped;		/* removed by the user: engine_drop() */
	void *user;		/* private data of the run: its sites */
	/* Place with `after` for the end of this statement, if an order has this place's event
	   left of an arrow. Only threads that arrived here count there. Reports show the two as
	   one place. */
	struct place *companion, *companion_of;
	unsigned inside; /* threads stopped amid its steps; private to the engine */
	char *quoted;	 /* FROM_ORDER: the location with an arrow in it that was meant, or NULL */
};

/*
 * Creates a place, owned by the engine. The caller fills in the options before the first arrival.
 */
struct place *engine_place(struct engine *e, enum place_kind kind, const char *location,
			   const char *source);
/* Appends a step; the result is valid until the next step of the place is added. */
struct step *engine_step(struct place *p, enum step_kind kind);
/* Returns the place at `index`, or NULL after the last. */
struct place *engine_place_at(const struct engine *e, size_t index);
#define engine_each_place(p, e)                                                                    \
	for (struct place *p = engine_place_at(e, 0); p; p = engine_place_at(e, (p)->index + 1))

/* Sets the hint of an error about the place's location, if it contains what is written outside of
   it: a thread after @, or a -> that was taken for an order's arrow. */
void place_hint_spelling(const struct place *p, struct error *err);

/*
 * Adds the edges of an order "a -> b, [c] -> d"; engine_orders_finish() forces them. Returns 0, or
 * -1 with *err set (ERROR_SCRIPT, `source` first) if the text is no order.
 */
int engine_order(struct engine *e, const char *text, const char *source, struct error *err);
/*
 * Creates gates, places and steps for the new edges; every :event name must exist by now. Returns
 * 0, or -1 with *err set if the edges form a cycle.
 */
int engine_orders_finish(struct engine *e, struct error *err);
/* Returns the number of edges a -> b parsed so far, dropped ones included. */
size_t engine_order_count(const struct engine *e);

/* True if the place's last arrival acts, by the `hit` option. */
bool place_in_range(const struct place *p);
/* True if the place has had the arrival that it requires: number hit_first, or the first. */
bool place_reached(const struct place *p);

/*
 * True if no place can act again: each is retired, or is optional or reached and has only steps
 * without effect.
 */
bool engine_is_done(const struct engine *e);

/* Returns the n-th pattern for threads, from 0: of the place's `thread` option, then of the orders
   that name the place; NULL after the last. */
const char *place_thread(const struct place *p, size_t n);

/*
 * Returns how many of the next arrivals, of any thread, have no effect but being counted;
 * ULONG_MAX: all. The result only grows. place_passed() accounts for those not reported one by one.
 */
unsigned long place_idle_arrivals(const struct engine *e, const struct place *p);
/* Counts arrivals that were not reported one by one; also arrivals that `when` rejects. */
void place_passed(struct place *p, unsigned long arrivals);
/*
 * Returns the id ("worker#1") of the only thread whose arrivals have an effect, or NULL if there is
 * none or it is unknown. Constant after loading. Names set by pthread_setname_np are not
 * considered. Any arrival still makes held functions be asked again.
 */
const char *place_only_thread(const struct engine *e, const struct place *p);

/*
 * The C expression that decides the arrivals of all threads at the place: arrivals for which its
 * truth is *idle have no effect, except that held functions are asked again. Returns NULL if
 * no expression decides arrivals now.
 */
const char *place_condition(const struct engine *e, const struct place *p, bool *idle);
/*
 * Returns the reason, in words, why the three functions above say that each arrival matters. Never
 * NULL.
 */
const char *place_busy(const struct engine *e, const struct place *p);

/*
 * Returns the word for the thing that holds threads here without a gate: "function", or "condition"
 * for a C expression.
 */
const char *place_holder(const struct place *p);

/* Returns FILE:LINE of the script that created the place, or "--order". */
const char *place_source(const struct place *p);

/* True if the place has a step of this kind. */
bool place_has_step(const struct place *p, enum step_kind kind);

/* True if an unreached place is a failure; never for an optional place or a companion. */
bool place_missing(const struct place *p);
/* Returns the first such place, or NULL. */
const struct place *engine_missing(const struct engine *e);

/* ---- the two tables ------------------------------------------------------------------------- */

/* Location of one place at which a thread stops. The strings live as long as the engine. */
struct arrival_spot {
	const char *file, *func; /* NULL: unknown */
	unsigned line;
	uint64_t scope; /* the run's number of the function, or of its copy; 0: unknown */
};

struct arrival {
	struct engine_thread *thread;
	struct place *place;
	unsigned long count; /* arrivals at the place so far, this one included */
	const char *file;    /* NULL: unknown */
	unsigned line;
	const char *func; /* NULL: unknown */
	uint64_t scope;	  /* see struct arrival_spot */
	void *at;	  /* private data of the run: source of registers and memory */
	bool left_out;	  /* RUN: left out, so every wait_until is true */
	/* Location of each place if they are not all on one line of one function; else NULL.
	   Input of engine_arrive(), which copies it. */
	const struct arrival_spot *spots;
};

/* GONE: the thread died during the call; the answer has no effect. */
enum engine_answer { ENGINE_NO, ENGINE_YES, ENGINE_FAULT, ENGINE_GONE };

/*
 * Callbacks into the user's script. On FAULT `err` is set (ERROR_SCRIPT). `coroutine` starts as
 * NULL.
 */
struct engine_script {
	void *ctx;
	/* Pure: ENGINE_YES if the thread may pass the gate now. */
	enum engine_answer (*ready)(void *ctx, struct gate *g, const struct arrival *a,
				    struct error *err);
	enum engine_answer (*when)(void *ctx, int ref, const struct arrival *a, struct error *err);
	/* Starts or resumes a :run function. YES: finished. FAULT, GONE: the script has already
	   freed the coroutine. NO: held at *gate, or, with *gate NULL, by its wait_until; see
	   the README of gates. */
	enum engine_answer (*run)(void *ctx, int ref, const struct arrival *a, void **coroutine,
				  struct gate **gate, struct error *err);
	void (*run_end)(void *ctx, void *coroutine); /* frees the coroutine of a dead thread */
	/* False if the function certainly cannot reach the gate. */
	bool (*may_open)(void *ctx, int ref, const struct gate *g);
	enum engine_answer (*passed)(void *ctx, struct gate *g, const struct arrival *a,
				     struct error *err);
	enum engine_answer (*opened)(void *ctx, struct gate *g, struct error *err);
	/* YES: *line is the text of a :log with every {expr} replaced; freed by the engine
	   (base_free). */
	enum engine_answer (*log_text)(void *ctx, const char *text, const struct arrival *a,
				       char **line, struct error *err);
};

/* Callbacks for facts that only the program knows. */
struct engine_world {
	void *ctx;
	/* Returns the current name set by pthread_setname_np, or "". Valid until the next call. */
	const char *(*thread_name)(void *ctx, const struct engine_thread *t);
	/* Returns the function run by a thread whose start routine is a trampoline, or NULL if
	   unknown. */
	const char *(*thread_runs)(void *ctx, const struct engine_thread *t);
	/* Evaluates the C expression in the scope of the arrival. With `again` the thread is
	   held until the expression is true, so the memory it reads is watched. FAULT sets `err`
	   (ERROR_SCRIPT). */
	enum engine_answer (*is_true)(void *ctx, const char *expression, const struct arrival *a,
				      bool again, struct error *err);
};

/* ---- what happens, and what is decided ------------------------------------------------------ */

/* Returns a new engine, freed by engine_free(). `world` (NULL: none) is copied, its ctx is not. */
struct engine *engine_new(const struct engine_world *world);
/* Sets the script's callbacks, which are copied; NULL: no script. */
void engine_set_script(struct engine *e, const struct engine_script *script);
/* Frees the engine and all it owns; NULL is allowed. Coroutines remain the script's. */
void engine_free(struct engine *e);

/* Adds a thread, owned by the engine; the strings are copied. `start` may be NULL. */
struct engine_thread *engine_thread_new(struct engine *e, const char *id, const char *start,
					int tid);
/* Marks the thread as exited and drops its stop; the struct remains until engine_free(). */
void engine_thread_exited(struct engine *e, struct engine_thread *t);
/* Returns the thread at `index` in order of creation, or NULL after the last. */
struct engine_thread *engine_thread_at(const struct engine *e, size_t index);

/*
 * True if the pattern matches the thread's id, start routine, name, or the function that its
 * trampoline runs. NULL matches all.
 */
bool engine_thread_matches(struct engine *e, const struct engine_thread *t, const char *pattern);

/*
 * Reports that a thread has stopped at these places. `at` is a template: all but place and count is
 * copied (strings only if held). One DECISION_RELEASE follows unless the thread stays held. An
 * arrival of a held thread ends its previous stop.
 */
void engine_arrive(struct engine *e, struct place *const *places, size_t count,
		   const struct arrival *at);

/*
 * Reports a change that conditions may depend on: closed ones are asked again. The script's
 * functions may call this and engine_open(); the asking then happens at the end of the current
 * call.
 */
void engine_changed(struct engine *e);

/* Reports that the thread named by a DECISION_WATCH is now blocked in the kernel. */
void engine_blocked(struct engine *e, struct engine_thread *t);

enum decision_kind {
	DECISION_ARRIVED, /* record only: thread, place */
	DECISION_HOLD,	  /* record only: thread, place, gate (NULL: a function) */
	DECISION_PASS,	  /* record only: the gate of a held thread has let it pass */
	DECISION_OPENED,  /* record only: gate, thread (the opener; NULL: none) */
	DECISION_EVENT,	  /* record only: text */
	DECISION_LOG,	  /* text: write this line */
	DECISION_RELEASE, /* thread: let it run */
	DECISION_KILL,	  /* thread, signal: the program dies here; no RELEASE follows */
	/* thread: engine_blocked() is due once it blocks, unless it arrives or exits first.
	   Decided anew after a RELEASE for which the reason persists. */
	DECISION_WATCH,
	DECISION_ELIDE, /* thread, place: sleeping calls of the statement return at once */
	/* thread, place: the statement's next wait returns without a signal, unless one has */
	DECISION_SPURIOUS,
	DECISION_DEAD,	/* place: never acts again; its traps may be removed */
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

/* Queues a line that the script prints: a DECISION_LOG without a thread. */
void engine_log(struct engine *e, const char *text);

/* Fills *out with the next decision, in order; returns false if there is none. */
bool engine_next(struct engine *e, struct decision *out);
/*
 * Returns the i-th pending decision, or NULL after the last. Valid until the next call of the
 * engine.
 */
const struct decision *engine_coming(const struct engine *e, size_t i);

/* ---- leaving gates out (ablation.c) --------------------------------------------------------- */

/* A thing that can be left out: a gate (also an order's), a :when, all wait_until of a :run. */
struct engine_subject {
	struct gate *gate; /* NULL: the step `step` of `place` */
	struct place *place;
	size_t step;
};
/* Fills *out with the subject at `index`; returns false after the last. */
bool engine_subject_at(const struct engine *e, size_t index, struct engine_subject *out);
/*
 * Appends the name shown to users: "gate done (calc.lua:3)", "condition at queue.c:12
 * (calc.lua:5)".
 */
void engine_subject_name(const struct engine_subject *s, struct str *out);

/* Reports that a :run has called wait_until, whether it held or not. */
void engine_waits_until(struct place *p, int ref);
/* False if the subject is a :run that has not called wait_until so far. */
bool engine_subject_holds(const struct engine_subject *s);

/*
 * Leaves the subject out: all threads pass it, nothing else changes. Before the first arrival only.
 */
void engine_ablate(const struct engine_subject *s);

/*
 * Forces the opposite of the gate, before the first arrival: threads about to open it are held,
 * those in `threads` (ids) at their start and at every place, until a thread has passed it and has
 * then arrived, blocked or exited. A barrier that is left out passes threads one at a time.
 */
void engine_oppose(struct engine *e, struct gate *g, const char *const *threads, size_t count);
/* Arrival of one thread at one place, for engine_swap(). */
struct engine_arrival {
	struct place *place;
	const char *thread; /* id of the thread */
};
/*
 * Holds thread `first->thread` at first->place until second->thread has passed second->place and
 * has then arrived, blocked or exited; before the first arrival. Returns the gate that the second
 * thread passes, owned by the engine; its `passed` counts.
 */
const struct gate *engine_swap(struct engine *e, const struct engine_arrival *first,
			       const struct engine_arrival *second);
/* True if the place, or its companion, holds threads at a gate or opens one. */
bool place_has_gate(const struct place *p);
/*
 * Releases the threads held by engine_oppose() or engine_swap() if no other thread can move; with
 * `for_good` none is held from now on. Returns false if none was held.
 */
bool engine_give_way(struct engine *e, bool for_good);

/*
 * Takes the steps (OPEN and RELEASE only) of the next unused PLACE_REST; called if no thread can
 * move and one is held. Returns false if none is left.
 */
bool engine_rest(struct engine *e);
/* True if a PLACE_REST is left for engine_rest(). */
bool engine_has_rest(const struct engine *e);

/*
 * Lets the held thread pass, this once, on behalf of the user. Returns 0, or -1 if the thread is
 * not held or is held by a :run function, which cannot be skipped.
 */
int engine_pass_by_hand(struct engine *e, struct engine_thread *t);

/*
 * Gives up the order that holds the thread: its gate lets all threads pass from now on; without a
 * gate, the place lets this one pass. Returns false if the thread is not held.
 */
bool engine_let_go(struct engine *e, struct engine_thread *t);

/* Removes the place on behalf of the user: it no longer acts, and threads held there go on. */
void engine_drop(struct engine *e, struct place *p);
/*
 * Removes the edges [first, first + count) of all edges parsed so far. A place created for an order
 * stays while another order names it.
 */
void engine_drop_orders(struct engine *e, size_t first, size_t count);

/* The place and gate at which a thread is held. */
struct engine_hold {
	struct place *place;
	struct gate *gate; /* NULL: a :when or wait_until function */
};
/* Fills *out if the thread is held; returns false if it is not. */
bool engine_held(const struct engine *e, const struct engine_thread *t, struct engine_hold *out);
/*
 * Fills *out with the location among `spots` of the place where the thread is; unchanged if it has
 * none.
 */
void engine_spot(const struct engine_thread *t, struct arrival_spot *out);

#endif
