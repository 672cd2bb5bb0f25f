/* How a run ended: what the script expects, what was seen, and the one word and status for it. */
#ifndef GATECTL_GATES_VERDICT_H
#define GATECTL_GATES_VERDICT_H

#include "gates/given.h"
#include "tracer/base/array.h"
#include "tracer/base/text/str.h"

struct engine;
struct error;
struct gate;
struct place;

/* `never_reached = LOCATION`: a place without verbs, which tells whether anybody comes there. */
struct expect_never {
	char *location;
	const struct place *place; /* the engine's: the script's own place there, or else `own` */
	const struct place *own;   /* without verbs, for this alone */
};

/* `expect(function(run) ... end, "what it means")`: the script is asked when the run is over. */
struct expect_check {
	char *text;   /* what it means */
	char *source; /* FILE:LINE */
	int ref;      /* what the script knows it by */
};

/* A run ends in one way only. */
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
	bool any; /* the script has an expect at all */
	enum expect_end end;
	int exit, signal;
	const struct gate *gate; /* of EXPECT_GATE_DEADLOCK: it holds a thread; NULL: any gate */
	char *at,
		*at_source; /* the location where the signal ends it (any call), and who wants that; or NULL */
	ARRAY(char *) stdout_has; /* each must occur in what the program wrote there */
	ARRAY(char *) stderr_has;
	ARRAY(struct expect_never) never;
	ARRAY(struct expect_check) checks;
};
void expect_fini(struct expect *x);
/* When the scripts are loaded: a place of theirs at such a location is the one that is meant, and that it
   is never reached is no failure. */
void expect_settle(struct expect *x, const struct engine *e);
/* Is this the place by which `never_reached` is told? */
bool expect_looks_at(const struct expect *x, const struct place *p);
/* Is the output of the program asked for? */
bool expect_wants_stdout(const struct expect *x);
bool expect_wants_stderr(const struct expect *x);
/* Is it about nothing but how the program ends, and what it writes on its standard output? */
bool expect_is_plain(const struct expect *x);
/* What is expected, in words: `exit status 1, standard output has "6 * 7 = 6"`. */
void expect_print(const struct expect *x, struct str *out);

/* `limits { ... }`, seconds; negative: not given. */
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
	VERDICT_FOUND = 116, /* of a search, never of a run */
	VERDICT_DIVERGED = 117,
	VERDICT_NOT_AS_EXPECTED = 119,
	VERDICT_NEVER_REACHED = 120,
	VERDICT_NEVER_OPENED = 121,
	VERDICT_GATE_DEADLOCK = 122,
	VERDICT_DEADLOCK = 123,
	VERDICT_TIME_LIMIT = 124,
	VERDICT_ERROR = 125,
	VERDICT_CRASHED = 128, /* and the signal */
};
const char *verdict_word(enum verdict v); /* "ok", "never-reached", ... */

/* By precedence, the weakest first. */
enum outcome_fault {
	OUTCOME_SOUND,
	OUTCOME_FAILED,	  /* the script has said `fail` */
	OUTCOME_DIVERGED, /* a schedule was to be followed, and the program does not */
	OUTCOME_FAULT,	  /* a script's fault or gatectl's own */
};
enum outcome_stuck { OUTCOME_MOVING, OUTCOME_DEADLOCK, OUTCOME_GATE_DEADLOCK };
enum outcome_limit {
	OUTCOME_IN_TIME,
	OUTCOME_TIME_LIMIT,
	OUTCOME_OUT_OF_TIME, /* the limit of all runs together, which in a search is no verdict */
};
enum outcome_end { OUTCOME_KILLED /* by gatectl */, OUTCOME_EXITED, OUTCOME_SIGNALED };

/* What was seen. */
struct outcome {
	enum outcome_fault fault;
	enum outcome_stuck stuck;
	enum outcome_limit limit;
	unsigned long steps;  /* the limit was none of time, but so many steps; else 0 */
	double hang;	      /* seconds in which no thread made a step; else 0 */
	bool livelock;	      /* somebody moved, but nobody got on; with or without time_limit */
	bool gate_limit;      /* a thread was held longer than the limit */
	bool held_at_end;     /* ... or still held when the program ended by exit */
	enum outcome_end end; /* of the program's first process */
	int exit, signal;
	bool crashed; /* by a signal that nobody sends on purpose: SEGV, ABRT and the like ... */
	const char *place; /* ... " in f at x.c:3"; NULL unknown */
	bool at; /* ... and the location of the expect is there; GATE_DEADLOCK: its gate holds a thread */
	int killed_by; /* the signal of a :kill, or 0: dying by that one is no surprise */
	const struct str *stdout_text,
		*stderr_text; /* what it wrote, where an expect asks; or NULL */
	/* Of the functions that were asked at the end: the first that did not say yes, and whether one
	   has looked at the signal, so that no signal is a surprise. */
	const struct expect_check *refused;
	bool signal_judged;
};

/* A script's fault or failure, or gatectl's own fault. The strongest counts. */
void outcome_fault(struct outcome *o, const struct error *err);

/* How it ended, in words: "exit status 1", "a deadlock". */
void outcome_print(const struct outcome *o, struct str *out);

/* Is it the deadlock with a gate in it that is expected? */
bool outcome_is_at_gate(const struct outcome *o, const struct expect *x);

/* The verdict, by the order of precedence of the contract. */
enum verdict verdict_of(const struct engine *e, const struct expect *x, const struct outcome *o);

/* gatectl's exit status: the verdict's, or 0 (expect), or the program's own, 128+N. */
int verdict_status(enum verdict v, const struct expect *x, const struct outcome *o);

/* The first expectation that does not hold, in words ("exit status 1, expected 0"); malloc'd. */
char *verdict_unmet(const struct expect *x, const struct outcome *o);

#endif
