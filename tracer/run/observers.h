/*
 * Everything that takes part in a run without the run knowing its name. features.c has the list:
 * one line per feature.
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
struct run;
struct run_process;
struct run_result;
struct run_thread;
struct site_placer;
struct source_sites;
struct tracee_event;
struct tracee_launch;
struct tracee_thread;

/* A location of the script has been found in a process. */
struct found {
	struct run_process *process;
	struct tracee_thread *thread;
	struct place *place;
	const struct source_sites *sites;
	const struct image *images; /* that were searched, `count` of them */
	size_t count;
	bool first; /* it had not been found before */
};

/*
 * Who watches a run. Each function may be NULL; they are called in the order of the list. A
 * function that returns true has taken care of the matter: those after it are not asked.
 */
struct observer {
	/* ---- before the program is started ---- */
	void (*begin)(struct run *s);  /* the engine exists and is empty */
	void (*loaded)(struct run *s); /* the scripts are loaded */
	/* 0, or -1: what the scripts ask for is not possible. */
	int (*check)(struct run *s, struct error *err);
	/* 0, or -1: the program cannot be started like this. */
	int (*launch)(struct run *s, struct tracee_launch *how, struct error *err);
	/* There will be no run: the error is all there is to report. */
	void (*failed)(struct run *s, const struct error *err, struct run_result *out);

	/* ---- processes and threads ---- */
	/* At an exec, before anything is known. True: the process execs again at once, so ignore
	   this one. */
	bool (*exec_again)(struct run *s, struct run_process *p, struct tracee_thread *t);
	/* Do its libraries have to be noticed even if the script has no places? */
	bool (*needs_libraries)(struct run *s, const struct run_process *p);
	/* An exec has left only this thread; nothing is known of the new image yet. */
	void (*exec)(struct run *s, struct run_thread *t, bool first);
	/* ... now it is known, and its traps are set. */
	void (*image)(struct run *s, struct run_process *p, struct tracee_thread *t);
	/* The libraries that it starts with are loaded; places are resolved next. */
	void (*settled)(struct run *s, struct run_process *p, struct tracee_thread *t);
	/* These have come later (dlopen); only while run.loads_matter. */
	void (*opened)(struct run *s, struct run_process *p, struct tracee_thread *t,
		       const struct image *images, size_t count);
	/* ... they are resolved in the program's first image. 0, or -1: something else was not
	   found. */
	int (*placed)(struct run *s, struct run_process *p, struct error *err);
	/* `child` has no thread yet. NULL: it is not followed. */
	void (*fork)(struct run *s, struct run_thread *t, struct run_process *child);
	/* A new thread's start routine seems to be `name`. True: its creator passed another one, in
	   *routine and *argument. */
	bool (*start)(struct run *s, struct run_thread *creator, const char *name,
		      uint64_t *routine, uint64_t *argument);
	void (*thread_new)(struct run *s, struct run_thread *t);
	void (*thread_over)(struct run *s,
			    struct run_thread *t); /* it has ended, or got another name */
	void (*thread_gone)(struct run *s, struct run_thread *t);
	/* What does a thread whose start routine is a trampoline run? NULL: not known. */
	const char *(*runs)(struct run *s, struct run_thread *t);
	void (*process_dies)(struct run *s, struct run_process *p, int status);
	void (*process_gone)(struct run *s, struct run_process *p); /* nothing is left */
	/* A signal is about to be delivered. True: do not ask the script about it. */
	bool (*signal)(struct run *s, struct run_thread *t, int signal);
	void (*signal_over)(struct run *s, struct run_thread *t); /* ... it has been asked */
	/* A stopped thread goes on. True: the observer has let it go. */
	bool (*goes)(struct run *s, struct run_thread *t);
	/* TRACEE_CALL and TRACEE_CALLED. True: the observer deals with the thread. */
	bool (*call)(struct run *s, const struct tracee_event *ev);
	/* A thread of a controlled run waits, in the kernel or stopped before its call; nobody runs. */
	void (*waits)(struct run *s, struct run_thread *t);
	/* TRACEE_SLEEP and TRACEE_SLEPT; the observer lets the thread go on. */
	void (*sleep)(struct run *s, const struct tracee_event *ev);

	/* ---- places ---- */
	void (*found)(struct run *s, const struct found *f);
	/* The place is retired. True: something of it is still under way. NULL: of any place? */
	bool (*busy)(struct run *s, const struct place *place);
	/* A thread is at the place, meant by it or not; `arrival`: the engine has been told of
	   it. */
	void (*comes)(struct run *s, struct run_thread *t, struct place *place);
	void (*arrival)(struct run *s, struct run_thread *t, struct place *place);
	/* So many arrivals at the place that had no consequence were decided inside the program. */
	void (*passed)(struct run *s, struct place *place, unsigned long arrivals);
	/* The same, by threads that it is not meant for. */
	void (*others_passed)(struct run *s, struct place *place, unsigned long times);
	/* The engine has decided this; it is about to be carried out, or (a RELEASE, see apply_releases()) just was. */
	void (*decision)(struct run *s, const struct decision *d);
	/* All decisions are carried out. True: a condition has to be asked again. */
	bool (*decided)(struct run *s);

	/* A line was added to the timeline. */
	void (*happened)(struct run *s, const struct happened *h);

	/* ---- conditions ---- */
	void (*asks)(struct run *s, struct run_thread *t); /* its condition is being asked */
	void (*answered)(struct run *s);
	/* The condition has read this memory (NULL: it could not), called a function, looked at a
	   thread. */
	void (*reads)(struct run *s, struct run_process *p, uint64_t address, const void *bytes,
		      size_t n);
	void (*calls)(struct run *s);
	void (*looks_at)(struct run *s, const struct run_thread *t);

	/* ---- time ---- */
	void (*tick)(struct run *s); /* every tick; if the run ends at one, that is the last */
	/* Every TICKS_MS: before the check whether anybody can move, and after it. `quiet`: nothing
	   has happened since the last one. */
	void (*slow_tick)(struct run *s, uint64_t now);
	void (*slow_tick_over)(struct run *s, uint64_t now, bool quiet);
	/* True: somebody who may let others go is still being looked at, so skip the check. */
	bool (*awaits)(struct run *s);
	/* Can anybody still move? True: *answer has the answer. */
	bool (*judge)(struct run *s, enum waits_answer *answer);
	/* Nobody can. True: something that a condition has read has only just changed. */
	bool (*stale)(struct run *s);
	bool (*stalled)(struct run *s);		      /* True: now somebody can move */
	bool (*rest)(struct run *s);		      /* ... for good, it seems. True: no verdict */
	bool (*interrupt)(struct run *s, int signal); /* sent to gatectl. True: the run goes on */
	/* The time limit passed so long ago. True: the verdict has to wait a little. */
	bool (*late)(struct run *s, double over_us);
	/* After a turn of a program that was attached to and is not let go yet. */
	void (*stays)(struct run *s);

	/* ---- the end ---- */
	void (*end)(struct run *s);	/* the verdict is reached; everything is still there */
	void (*outcome)(struct run *s); /* everything has ended; the verdict is not known yet */
	void (*judged)(struct run *s, struct run_result *out);
	void (*free)(struct run *s);
};

/* Everything that takes part in a run; each list ends with NULL. */
struct features {
	const struct observer *const *observers;
	const struct site_placer *const *placers; /* the first that wants a site sets it */
};

enum {
	OBSERVERS_MOST = 32,
	OBSERVER_FUNCTIONS = sizeof(struct observer) / sizeof(void (*)(void)),
};

/* For each function of an observer: those that have it, then NULL, so that nobody is called in
   vain. */
struct observers {
	const struct observer *of[OBSERVER_FUNCTIONS][OBSERVERS_MOST + 1];
};

void observers_set(struct run *s, const struct features *features); /* NULL: nobody */

#define observers_of(what, s)                                                                      \
	((s)->observers.of[offsetof(struct observer, what) / sizeof(void (*)(void))])

/* Calls the function of each observer that has one: observe(arrival, s, t, place) */
#define observe(what, s, ...)                                                                      \
	do {                                                                                       \
		for (const struct observer *const *o_ = observers_of(what, s); *o_; o_++)          \
			(*o_)->what((s)__VA_OPT__(, ) __VA_ARGS__);                                \
	} while (0)

/* The same until one returns true or -1; the variable `taken` gets that. */
#define observe_until(taken, what, s, ...)                                                         \
	do {                                                                                       \
		for (const struct observer *const *o_ = observers_of(what, s); *o_ && !(taken);    \
		     o_++)                                                                         \
			(taken) = (*o_)->what((s)__VA_OPT__(, ) __VA_ARGS__);                      \
	} while (0)

#endif
