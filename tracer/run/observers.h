/*
 * What takes part in a run without the run knowing it by name. features.c is the list: one line a feature.
 */
#ifndef GATECTL_RUN_OBSERVERS_H
#define GATECTL_RUN_OBSERVERS_H

#include "gates/waits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct decision;
struct error;
struct happened;
struct image;
struct place;
struct session;
struct session_process;
struct session_result;
struct session_thread;
struct site_placer;
struct source_sites;
struct target_event;
struct target_launch;
struct target_thread;

/* A location of the script has been found in a process. */
struct found {
	struct session_process *process;
	struct target_thread *thread;
	struct place *place;
	const struct source_sites *sites;
	const struct image *images; /* that were searched */
	size_t count;
	bool first; /* it had not been found before */
};

/*
 * Who watches a run. Any of them may be NULL; they are called in the order of the list. What returns true
 * has seen to it: nobody behind it is asked any more.
 */
struct observer {
	/* ---- before the program is started ---- */
	void (*begin)(struct session *s);  /* there is an engine, and nothing in it */
	void (*loaded)(struct session *s); /* the scripts are loaded */
	/* 0, or -1: what they ask for cannot be had. */
	int (*check)(struct session *s, struct error *err);
	/* 0, or -1: the program cannot be started so. */
	int (*launch)(struct session *s, struct target_launch *how, struct error *err);
	/* There will be no run: the error is all there is to tell. */
	void (*failed)(struct session *s, const struct error *err, struct session_result *out);

	/* ---- processes and threads ---- */
	/* At an exec, before anything is known. True: the process execs once more, so this one is none. */
	bool (*exec_again)(struct session *s, struct session_process *p, struct target_thread *t);
	/* Its libraries have to be seen even if the script has no places. */
	bool (*needs_libraries)(struct session *s, const struct session_process *p);
	/* The thread is all that an exec has left of its process: of the new image nothing is known yet. */
	void (*exec)(struct session *s, struct session_thread *t, bool first);
	/* ... it is known, and traps are set. */
	void (*image)(struct session *s, struct session_process *p, struct target_thread *t);
	/* The libraries that it starts with are loaded; places are looked for next. */
	void (*settled)(struct session *s, struct session_process *p, struct target_thread *t);
	/* ... and have been found in the program's first image. 0, or -1: something else has not. */
	int (*placed)(struct session *s, struct session_process *p, struct error *err);
	void (*fork)(struct session *s, struct session_thread *t);
	/* A new thread's start routine seems to be `name`. True: its creator gave it another one. */
	bool (*start)(struct session *s, struct session_thread *creator, const char *name,
		      uint64_t *routine, uint64_t *argument);
	void (*thread_new)(struct session *s, struct session_thread *t);
	void (*thread_over)(struct session *s,
			    struct session_thread *t); /* or called otherwise now */
	void (*thread_gone)(struct session *s, struct session_thread *t);
	/* What does the thread run, where its start routine is a trampoline? NULL: not known. */
	const char *(*runs)(struct session *s, struct session_thread *t);
	void (*process_dies)(struct session *s, struct session_process *p, int status);
	void (*process_gone)(struct session *s, struct session_process *p); /* nothing is left */
	/* A signal is about to be delivered. True: the script is not asked what it says to it. */
	bool (*signal)(struct session *s, struct session_thread *t, int signal);
	void (*signal_over)(struct session *s, struct session_thread *t); /* the script was */
	/* A stopped thread goes on. True: the observer has let it go. */
	bool (*goes)(struct session *s, struct session_thread *t);
	/* TARGET_SLEEP and TARGET_SLEPT; the observer lets the thread go on. */
	void (*sleep)(struct session *s, const struct target_event *ev);

	/* ---- places ---- */
	void (*found)(struct session *s, const struct found *f);
	/* The place is retired. True: something of it is still under way. NULL: of any. */
	bool (*busy)(struct session *s, const struct place *place);
	/* A thread is at the place, which may be for others; and the engine has had the arrival. */
	void (*comes)(struct session *s, struct session_thread *t, struct place *place);
	void (*arrival)(struct session *s, struct session_thread *t, struct place *place);
	/* The engine has decided this, and it is carried out now. */
	void (*decision)(struct session *s, const struct decision *d);
	/* All are. True: a condition has to be asked again. */
	bool (*decided)(struct session *s);

	/* One more line of the timeline. */
	void (*happened)(struct session *s, const struct happened *h);

	/* ---- conditions ---- */
	void (*asks)(struct session *s, struct session_thread *t); /* the thread's is asked */
	void (*answered)(struct session *s);
	/* It has read this; NULL: it could not be read. Called a function. Looked at a thread. */
	void (*reads)(struct session *s, struct session_process *p, uint64_t address,
		      const void *bytes, size_t n);
	void (*calls)(struct session *s);
	void (*looks_at)(struct session *s, const struct session_thread *t);

	/* ---- time ---- */
	void (*tick)(struct session *s); /* each; the run may end by it, then it is the last one */
	/* Each TICKS_MS, before it is asked whether anybody can move; and when that is answered, `quiet`:
	   nothing has happened since the last one. */
	void (*slow_tick)(struct session *s, uint64_t now);
	void (*slow_tick_over)(struct session *s, uint64_t now, bool quiet);
	/* True: somebody is looked at who may let others go, so it is not asked now. */
	bool (*awaits)(struct session *s);
	/* Can anybody still move? True: *answer says so. */
	bool (*judge)(struct session *s, enum waits_answer *answer);
	/* Nobody can. True: just now something has changed that a condition has read. */
	bool (*stale)(struct session *s);
	bool (*stalled)(struct session *s); /* True: now somebody can */
	bool (*rest)(struct session *s);    /* ... for good, it seems. True: that is no verdict */
	bool (*interrupt)(struct session *s, int signal); /* to gatectl. True: the run goes on */
	/* The time limit has passed, by so much. True: it has to wait a little. */
	bool (*late)(struct session *s, double over_us);
	/* A program that was attached to has had a turn, and is not let go. */
	void (*stays)(struct session *s);

	/* ---- the end ---- */
	void (*end)(struct session *s);	    /* the verdict is reached; everything is still there */
	void (*outcome)(struct session *s); /* all have ended; the verdict is not known yet */
	void (*judged)(struct session *s, struct session_result *out);
	void (*free)(struct session *s);
};

/* All that takes part in a run; each list has NULL at its end. */
struct features {
	const struct observer *const *observers;
	const struct site_placer *const *placers; /* the first that wants a site puts it */
};

enum {
	OBSERVERS_MOST = 32,
	OBSERVER_FUNCTIONS = sizeof(struct observer) / sizeof(void (*)(void)),
};

/* For each function of an observer those that have one, and NULL: a decision asks nobody in vain. */
struct observers {
	const struct observer *of[OBSERVER_FUNCTIONS][OBSERVERS_MOST + 1];
};

void observers_set(struct session *s, const struct features *features); /* NULL: nobody */

#define observers_of(what, s)                                                                      \
	((s)->observers.of[offsetof(struct observer, what) / sizeof(void (*)(void))])

/* Calls the function of each observer that has one: observe(arrival, s, t, place) */
#define observe(what, s, ...)                                                                      \
	do {                                                                                       \
		for (const struct observer *const *o_ = observers_of(what, s); *o_; o_++)          \
			(*o_)->what((s)__VA_OPT__(, ) __VA_ARGS__);                                \
	} while (0)

/* The same until one returns true, or -1: `taken`, a variable, is that then. */
#define observe_until(taken, what, s, ...)                                                         \
	do {                                                                                       \
		for (const struct observer *const *o_ = observers_of(what, s); *o_ && !(taken);    \
		     o_++)                                                                         \
			(taken) = (*o_)->what((s)__VA_OPT__(, ) __VA_ARGS__);                      \
	} while (0)

#endif
