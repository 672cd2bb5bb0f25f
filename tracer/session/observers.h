/*
 * What takes part in a run without the run knowing it by name. features.c is the list: one line a feature.
 */
#ifndef GATECTL_SESSION_OBSERVERS_H
#define GATECTL_SESSION_OBSERVERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct decision;
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

/*
 * Who watches a run. Any of them may be NULL; they are called in the order of the list. What returns true
 * has seen to it: nobody behind it is asked any more.
 */
struct observer {
	/* ---- before the program is started ---- */
	void (*begin)(struct session *s);  /* there is an engine, and nothing in it */
	void (*loaded)(struct session *s); /* the scripts are loaded */
	void (*launch)(struct session *s, struct target_launch *how);

	/* ---- processes and threads ---- */
	/* The thread is all that an exec has left of its process: of the new image nothing is known yet. */
	void (*exec)(struct session *s, struct session_thread *t, bool first);
	/* ... it is known, and traps are set. */
	void (*image)(struct session *s, struct session_process *p, struct target_thread *t);
	void (*fork)(struct session *s, struct session_thread *t);
	void (*thread_new)(struct session *s, struct session_thread *t);
	void (*thread_gone)(struct session *s, struct session_thread *t);
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
	/* A location of the script has been found in a process: at these sites. */
	void (*found)(struct session *s, struct session_process *p, struct target_thread *t,
		      struct place *place, const struct source_sites *sites,
		      const struct image *images, size_t count);
	/* A thread is at the place, which may be for others; and the engine has had the arrival. */
	void (*comes)(struct session *s, struct session_thread *t, struct place *place);
	void (*arrival)(struct session *s, struct session_thread *t, struct place *place);
	/* The engine has decided this, and it is carried out now. */
	void (*decision)(struct session *s, const struct decision *d);
	void (*place_free)(struct session *s, struct place *place);

	/* ---- time ---- */
	void (*tick)(struct session *s); /* each; the run may end by it, then it is the last one */
	/* Each TICKS_MS, before it is asked whether anybody can move; and when that is answered, `quiet`:
	   nothing has happened since the last one. */
	void (*slow_tick)(struct session *s, uint64_t now);
	void (*slow_tick_over)(struct session *s, uint64_t now, bool quiet);
	bool (*stalled)(struct session *s); /* nobody can move. True: now somebody can */
	bool (*rest)(struct session *s);    /* ... for good, it seems. True: that is no verdict */
	bool (*interrupt)(struct session *s, int signal); /* to gatectl. True: the run goes on */

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
	OBSERVERS_MOST = 24,
	OBSERVER_FUNCTIONS = sizeof(struct observer) / sizeof(void (*)(void)),
};

/* For each function of an observer those that have one, and NULL: a decision asks nobody in vain. */
struct observers {
	const struct observer *of[OBSERVER_FUNCTIONS][OBSERVERS_MOST + 1];
};

void observers_set(struct observers *out, const struct observer *const *list);

#define observers_of(what, s)                                                                      \
	((s)->observers.of[offsetof(struct observer, what) / sizeof(void (*)(void))])

/* Calls the function of each observer that has one: observe(arrival, s, t, place) */
#define observe(what, s, ...)                                                                      \
	do {                                                                                       \
		for (const struct observer *const *o_ = observers_of(what, s); *o_; o_++)          \
			(*o_)->what((s)__VA_OPT__(, ) __VA_ARGS__);                                \
	} while (0)

/* The same until one returns true: `taken`, a variable, is that then. */
#define observe_until(taken, what, s, ...)                                                         \
	do {                                                                                       \
		for (const struct observer *const *o_ = observers_of(what, s); *o_ && !(taken);    \
		     o_++)                                                                         \
			(taken) = (*o_)->what((s)__VA_OPT__(, ) __VA_ARGS__);                      \
	} while (0)

#endif
