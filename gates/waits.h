/*
 * The wait-for graph: who waits for whom, and whether a gate is part of the reason that nobody moves.
 * Pure: the run describes each thread, this says what it means.
 */
#ifndef GATECTL_GATES_WAITS_H
#define GATECTL_GATES_WAITS_H

#include "gates/engine.h"

#include "tracer/base/array.h"

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

#endif
