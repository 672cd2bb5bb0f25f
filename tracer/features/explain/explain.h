/* A verdict in words: who waits for what, what came nearest, what to try. */
#ifndef GATECTL_FEATURES_EXPLAIN_EXPLAIN_H
#define GATECTL_FEATURES_EXPLAIN_EXPLAIN_H

#include "tracer/base/path.h"
#include "tracer/run/internal.h"

/* In a report each is a word: waiting_word(). */
enum waiting_kind {
	WAITING_GONE, /* it has exited before: nothing else is known */
	WAITING_EXITED,
	WAITING_RUNNING, /* from here on it is alive */
	WAITING_STOPPED,
	WAITING_BLOCKED, /* in some system call */
	WAITING_GATE,
	WAITING_PROCESS,
	WAITING_PIPE,
	WAITING_FUTEX, /* of no known kind */
	WAITING_MUTEX,
	WAITING_RWLOCK,
	WAITING_CONDITION,
	WAITING_SEMAPHORE,
	WAITING_BARRIER,
	WAITING_ONCE,
	WAITING_STREAM,
	WAITING_JOIN,
	WAITING_FUTURE,
	WAITING_LATCH,
	WAITING_ATOMIC,
	WAITING_CRASHED, /* a signal is about to end it, and its process */
};

/* explain/waiting.c: what a thread does when the run ends. Names and files belong to modules. */
struct waiting {
	enum waiting_kind kind;
	struct str text; /* "waits for mutex bob held by teller#2"; without the place */
	char *object;	 /* the gate, or what names the lock in the source; or NULL; owned */
	ARRAY(const struct engine_thread *) on; /* who could end it, as far as known */
	const char *func, *file;		/* where in the tester's code; NULL unknown */
	unsigned line;
	const char *taken_file; /* where its owner took the lock; NULL unknown */
	unsigned taken_line;
	struct str note;   /* behind the place: " (//inside)", "" */
	struct str around; /* ... and the calls around it: ", called from main at calc.c:30", "" */
	bool held;	   /* at a gate, or by a function of the script */
	bool spins;	   /* it was seen to run, and to stay in the same few functions */
	bool in_cycle;	   /* part of what the verdict's first line is about */
	bool gone;	   /* the owner of the lock is no more, or a fork has left it in the other
			  process: nobody can give it. deadlock/ judges by this, and by `on` where
			  `kind` is that of something that has an owner */
};

/* waiting.c; of every thread there is one */
struct waiting *waiting_of(const struct session_thread *t);
const char *waiting_word(enum waiting_kind kind);
static inline bool waiting_is_alive(const struct waiting *w)
{
	return w->kind >= WAITING_RUNNING;
}
void waiting_look_all(struct session *s); /* before the tree is killed: what everybody does */
void waiting_sentence(const struct session_thread *t,
		      struct str *out);				    /* "T waits for ... at F:L" */
void waiting_says(const struct session_thread *t, struct str *out); /* ... without the T */
void waiting_fini(struct waiting *w);

/* infeasible.c: a circle of threads, one of which would have to open the gate that holds another: each
   one's line, and what to try. False: there is none. */
bool infeasible_lines(struct session *s, struct str *out);
bool infeasible_try(struct session *s, struct str *out);

/* spinning.c: what to try when somebody goes round and gets nowhere; false: nobody is known to */
bool spinning_try(const struct session *s, struct str *out);

/* loose_end.c: ... when it ended though it should not have, and somebody had just been let go; false: nobody */
bool loose_end_try(const struct session *s, struct str *out);

/* own_deadlock.c: what to try */
void own_deadlock_try(struct session *s, struct str *out);

/* livelock.c: where the time limit has passed, whether that is a livelock, and who moves where */
void livelock_line(struct session *s, struct str *out);

/* blame.c: the line that the verdict is about */
void blame_verdict(struct session *s, enum verdict v, struct session_result *out);

/* hints_opened.c: why the gates are closed at which somebody is held; what to do about it, for the
   line `try:` (false: nothing of its own) */
void hints_gates(struct session *s, struct str *out);
bool hints_gates_try(struct session *s, struct str *out);

/* hints_reached.c: why a place was not reached: in one sentence, what else there is to say, and what
   to do about it */
void hints_missing(struct session *s, const struct place *p, struct str *out);
void hints_missing_lines(struct session *s, const struct place *p, struct str *out);
void hints_missing_try(struct session *s, const struct place *p, struct str *out);
/* A thread is at the place, whether it is meant or not. */
void hints_comes(const struct session_thread *t, struct place *place);

#endif
