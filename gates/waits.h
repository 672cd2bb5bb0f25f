/*
 * The wait-for graph: who waits for whom, and whether a gate is part of the reason that nobody moves.
 * Pure: the session describes each thread, this says what it means.
 */
#ifndef GATECTL_GATES_WAITS_H
#define GATECTL_GATES_WAITS_H

#include "gates/engine.h"

enum wait_kind {
	WAIT_NOT,     /* it can move: runs, sleeps, polls, waits with a time-out */
	WAIT_GATE,    /* held */
	WAIT_MUTEX,   /* a lock whose owner is known: `on` */
	WAIT_JOIN,    /* the end of the thread `on` */
	WAIT_PROCESS, /* the end of a traced child process: any thread with `process` == its target */
	WAIT_FUTEX,   /* something that only another thread can give, not known whom */
};

struct wait {
	struct engine_thread *thread;
	enum wait_kind kind;
	struct engine_thread *on; /* MUTEX, JOIN; NULL where not known */
	int process;		  /* pid the thread belongs to */
	int on_process; /* PROCESS: pid waited for; 0: any child (then children's `parent` says) */
	int parent;	/* pid of the parent of `process`, 0 unknown */
};

enum waits_answer {
	WAITS_MOVING, /* at least one thread can move */
	WAITS_GATE,   /* nobody can move, and a gate is part of the reason */
	WAITS_OWN,    /* nobody can move, and it is the program's own doing */
};

/*
 * `cycle` gets the indexes of a cycle of waits, or of a chain that ends at what can never happen
 * (at most count of them), *length how many; NULL is allowed. A cycle without a gate in it is the
 * program's own deadlock even where another thread is held at a gate.
 */
enum waits_answer waits_judge(const struct wait *waits, size_t count, size_t *cycle,
			      size_t *length);

#endif
