/* What each thread does when the run ends, or somebody looks: in words, and who could end a wait. */
#ifndef GATECTL_FEATURES_WAITING_WAITING_H
#define GATECTL_FEATURES_WAITING_WAITING_H

#include "tracer/run/state.h"

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

/* Kept with a thread: it is described as it was at this look, though it has been stopped since. */
struct judged {
	bool on;
	struct target_block look;
};
struct judged *judged_of(const struct session_thread *t);

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

/* spinning.c: what to try when somebody goes round and gets nowhere; false: nobody is known to */
bool spinning_try(const struct session *s, struct str *out);

#endif
