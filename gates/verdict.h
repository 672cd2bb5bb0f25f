/* How a run ended: expectations of the script, outcome of the run, verdict and exit status. */
#ifndef GATECTL_GATES_VERDICT_H
#define GATECTL_GATES_VERDICT_H

#include "gates/given.h"
#include "tracer/base/array.h"
#include "tracer/base/text/str.h"

struct engine;
struct error;
struct gate;
struct place;

/* `never_reached = LOCATION`: counts arrivals there, at a place without verbs if need be. */
struct expect_never {
	char *location;
	/* the script's place at that location, or else `own`; the engine's */
	const struct place *place;
	const struct place *own; /* a place without verbs, created for this alone */
};

/* `expect(function(run) ... end, "what it means")`: the function is called after the run. */
struct expect_check {
	char *text;   /* description */
	char *source; /* FILE:LINE */
	int ref;      /* the script's reference to the function */
};

/* Expected end; a run ends in one way only. */
enum expect_end {
	EXPECT_ANY_END,
	EXPECT_EXIT,
	EXPECT_SIGNAL,
	EXPECT_DEADLOCK,
	EXPECT_GATE_DEADLOCK,
	EXPECT_LIVELOCK,
	EXPECT_TIME_LIMIT
};

/* `expect { ... }`; several calls add up. */
struct expect {
	bool any; /* the script has an expect */
	enum expect_end end;
	int exit, signal;
	/* EXPECT_GATE_DEADLOCK: the gate that holds a thread; NULL: any gate */
	const struct gate *gate;
	/* SIGNAL: location of the signal (any call frame), FILE:LINE of the expect; or NULL */
	char *at, *at_source;
	ARRAY(char *) stdout_has; /* strings that standard output must contain */
	ARRAY(char *) stderr_has;
	ARRAY(struct expect_never) never;
	ARRAY(struct expect_check) checks;
};
/* Frees the members and zeroes *x. */
void expect_fini(struct expect *x);
/*
 * Resolves `never` after loading: a place of the scripts at such a location is used, and that it is
 * never reached is no failure.
 */
void expect_settle(struct expect *x, const struct engine *e);
/* True if the place was created for `never_reached`. */
bool expect_looks_at(const struct expect *x, const struct place *p);
/* True if an expectation reads the program's standard output. */
bool expect_wants_stdout(const struct expect *x);
/* True if an expectation reads the program's standard error. */
bool expect_wants_stderr(const struct expect *x);
/* True if the expectation concerns only the program's end and its standard output. */
bool expect_is_plain(const struct expect *x);
/* Appends the expectation in words: `exit status 1, standard output has "6 * 7 = 6"`. */
void expect_print(const struct expect *x, struct str *out);

/* `limits { ... }`: seconds; negative: not given. */
struct limits {
	double gate, run;
};

struct plan {
	struct expect expect;
	struct limits limits;
	struct given given;
};

enum verdict {
	VERDICT_OK = 0,
	VERDICT_FOUND = 116, /* result of a search; of a run: the failure of verdict_of_fixed() */
	VERDICT_DIVERGED = 117,
	VERDICT_NOT_AS_EXPECTED = 119,
	VERDICT_NEVER_REACHED = 120,
	VERDICT_NEVER_OPENED = 121,
	VERDICT_GATE_DEADLOCK = 122,
	VERDICT_DEADLOCK = 123,
	VERDICT_TIME_LIMIT = 124,
	VERDICT_ERROR = 125,
	VERDICT_CRASHED = 128, /* plus the signal's number */
};
/* Returns the word for the verdict: "ok", "never-reached", ... */
const char *verdict_word(enum verdict v);

/* By precedence, the weakest first. */
enum outcome_fault {
	OUTCOME_SOUND,
	OUTCOME_FAILED,	  /* the script called `fail` */
	OUTCOME_DIVERGED, /* the program did not follow the schedule */
	OUTCOME_FAULT,	  /* fault of the script or of gatectl */
};
enum outcome_stuck { OUTCOME_MOVING, OUTCOME_DEADLOCK, OUTCOME_GATE_DEADLOCK };
enum outcome_limit {
	OUTCOME_IN_TIME,
	OUTCOME_TIME_LIMIT,
	OUTCOME_OUT_OF_TIME, /* the limit of all runs together; no verdict in a search */
};
enum outcome_end { OUTCOME_KILLED /* by gatectl */, OUTCOME_EXITED, OUTCOME_SIGNALED };

/* Outcome of one run. */
struct outcome {
	enum outcome_fault fault;
	enum outcome_stuck stuck;
	enum outcome_limit limit;
	unsigned long steps;  /* limit of steps that was reached; 0: none */
	double hang;	      /* seconds in which no thread made a step; 0: none */
	bool livelock;	      /* threads moved without progress, with or without time_limit */
	bool gate_limit;      /* a thread was held longer than the limit */
	bool held_at_end;     /* a thread was still held when the program exited */
	enum outcome_end end; /* end of the program's first process */
	int exit, signal;
	bool crashed;	   /* ended by a signal that reports a fault: SEGV, ABRT and the like */
	const char *place; /* place of the crash, " in f at x.c:3"; NULL: unknown */
	/* SIGNAL: raised at the expected location; GATE_DEADLOCK: the expected gate holds a
	   thread */
	bool at;
	int killed_by; /* signal of a :kill, which is expected; 0: none */
	/* output of the program; NULL if no expectation reads it */
	const struct str *stdout_text, *stderr_text;
	/* first expect function that did not return true, or NULL */
	const struct expect_check *refused;
	bool signal_judged; /* an expect function has read the signal: none is unexpected */
};

/* Records a fault of the script, its `fail`, or a fault of gatectl. The strongest counts. */
void outcome_fault(struct outcome *o, const struct error *err);

/* Appends the end in words: "exit status 1", "a deadlock". */
void outcome_print(const struct outcome *o, struct str *out);

/* True if the run ended in the expected deadlock with a gate. */
bool outcome_is_at_gate(const struct outcome *o, const struct expect *x);

/*
 * Returns the strongest verdict that applies; a fault is the strongest. `e` NULL: places that were
 * not reached do not count.
 */
enum verdict verdict_of(const struct engine *e, const struct expect *x, const struct outcome *o);

/*
 * Returns the verdict if `x` describes a failure that must not happen: FOUND if it has happened,
 * else the verdict without an expectation. Unreached places and threads left at gates do not count.
 */
enum verdict verdict_of_fixed(const struct expect *x, const struct outcome *o);

/* True if `x` describes a failure: an end that no program without faults has. */
bool expect_is_failure(const struct expect *x);

/*
 * Returns gatectl's exit status: the verdict's; 0 if an expect holds; else the program's, or 128 +
 * signal.
 */
int verdict_status(enum verdict v, const struct expect *x, const struct outcome *o);

/*
 * Returns the first unmet expectation in words ("exit status 1, expected 0"), or NULL. The caller
 * frees it (base_free).
 */
char *verdict_unmet(const struct expect *x, const struct outcome *o);

#endif
