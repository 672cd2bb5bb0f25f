/* What each thread does when the run ends, or a user looks: in words, and who could end a wait. */
#ifndef GATECTL_FEATURES_WAITING_WAITING_H
#define GATECTL_FEATURES_WAITING_WAITING_H

#include "tracer/run/state.h"

/* waiting_word() has the word for each in reports. */
enum waiting_kind {
	WAITING_GONE, /* it had exited; nothing else is known */
	WAITING_EXITED,
	WAITING_RUNNING, /* from here on: it is alive */
	WAITING_STOPPED,
	WAITING_BLOCKED, /* in some other system call */
	WAITING_GATE,
	WAITING_PROCESS,
	WAITING_PIPE,
	WAITING_FUTEX, /* of unknown kind */
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

/* What a thread does when the run ends. Names and files are owned by modules. */
struct waiting {
	enum waiting_kind kind;
	struct str text; /* "waits for mutex bob held by teller#2"; without the place */
	char *object;	 /* the gate, or what names the lock in the source; or NULL; owned */
	ARRAY(const struct engine_thread *) on; /* who could end it, as far as known */
	const char *func, *file;		/* position in the tester's code; NULL unknown */
	unsigned line;
	const char *taken_file; /* where its owner took the lock; NULL unknown */
	unsigned taken_line;
	struct str note;   /* after the position: " (//inside)", "" */
	struct str around; /* ... and the calls around it: ", called from main at calc.c:30", "" */
	long call;	   /* a system call that no thread of the program can end; or 0 */
	bool is_deep;	   /* ... in which no signal ends the thread: state D of proc(5) */
	bool held;	   /* at a gate, or by a function of the script */
	bool spins;	   /* it was seen to run, but only in the same few functions */
	bool in_cycle;	   /* part of what the verdict's first line is about */
	bool gone;	   /* the owner of the lock is no more, or a fork has left it in the other
			  process: nobody can give it. deadlock/ judges by this, and by `on` where
			  `kind` is that of something that has an owner */
};

/* Kept with a thread: describe it as it was at this look, though it has been stopped since. */
struct judged {
	bool on;
	bool ready; /* the scheduler has not let it go on: it runs no more than those that wait */
	struct tracee_block look;
};
struct judged *judged_of(const struct run_thread *t);

/* Kept with the thread: there is one for every thread. */
struct waiting *waiting_of(const struct run_thread *t);
const char *waiting_word(enum waiting_kind kind);
static inline bool waiting_is_alive(const struct waiting *w)
{
	return w->kind >= WAITING_RUNNING;
}
void waiting_look_all(struct run *s); /* before the tree is killed: describes all threads */
void waiting_sentence(const struct run_thread *t, struct str *out); /* "T waits for ... at F:L" */
void waiting_says(const struct run_thread *t, struct str *out);	    /* ... without the T */
void waiting_fini(struct waiting *w);

/* spinning.c: what to try if a thread goes round in circles; false: none is known to */
bool spinning_try(const struct run *s, struct str *out);

#endif
