/*
 * How a run ended: what the script expects, what was seen, and the one word and status for it.
 * Pure: facts in, verdict out.
 */
#ifndef GATECTL_GATES_VERDICT_H
#define GATECTL_GATES_VERDICT_H

#include "gates/engine.h"

/* `expect { ... }`; several calls add up. */
struct expect {
	bool any; /* the script has an expect at all */
	bool has_exit, has_signal, deadlock;
	int exit, signal;
	ARRAY(char *) stdout_has; /* each must occur in what the program wrote there */
	ARRAY(char *) stderr_has;
};
void expect_fini(struct expect *x);
/* What is expected, in words: `exit status 1, standard output has "6 * 7 = 6"`. */
void expect_print(const struct expect *x, struct str *out);

/* `limits { ... }`, seconds; negative: not given. */
struct limits {
	double gate, run;
};

struct plan {
	struct expect expect;
	struct limits limits;
};

enum verdict {
	VERDICT_OK = 0,
	VERDICT_NOT_AS_EXPECTED = 119,
	VERDICT_NEVER_REACHED = 120,
	VERDICT_NEVER_OPENED = 121,
	VERDICT_GATE_DEADLOCK = 122,
	VERDICT_DEADLOCK = 123,
	VERDICT_TIME_LIMIT = 124,
	VERDICT_ERROR = 125,
};
const char *verdict_word(enum verdict v); /* "ok", "never-reached", ... */

/* What was seen. */
struct outcome {
	bool fault;	    /* a script's fault or gatectl's own */
	bool gate_deadlock; /* no thread could move ... */
	bool deadlock;
	bool time_limit;
	bool gate_limit;       /* a thread was held longer than the limit */
	bool held_at_end;      /* ... or still held when the program ended by exit */
	bool exited, signaled; /* how the program (its first process) ended; neither: we ended it */
	int exit, signal;
	int killed_by; /* the signal of a :kill, or 0: dying by that one is no surprise */
	const char *stdout_text, *stderr_text; /* what it wrote, where an expect asks; or NULL */
};

/* How it ended, in words: "exit status 1", "a deadlock". */
void outcome_print(const struct outcome *o, struct str *out);

/* The verdict, by the order of precedence of the contract. */
enum verdict verdict_of(const struct engine *e, const struct expect *x, const struct outcome *o);

/* gatectl's exit status: the verdict's, or 0 (expect), or the program's own, 128+N. */
int verdict_status(enum verdict v, const struct expect *x, const struct outcome *o);

/* The first expectation that does not hold, in words ("exit status 1, expected 0"); malloc'd. */
char *verdict_unmet(const struct expect *x, const struct outcome *o);

#endif
