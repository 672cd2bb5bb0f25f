/*
 * Everything that takes part in a run without the run knowing its name. features.c has the list:
 * one line per feature.
 */
#ifndef GATECTL_RUN_OBSERVERS_H
#define GATECTL_RUN_OBSERVERS_H

#include "gates/engine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct decision;
struct error;
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

/* What has become known of a process's modules. */
struct modules_seen {
	enum modules_stage {
		MODULES_EXEC,	 /* the executable, and traps in it; no library yet */
		MODULES_SETTLED, /* the libraries that it starts with; places are resolved next */
		MODULES_PLACED,	 /* ... places are resolved, in the program's first image */
		MODULES_OPENED,	 /* `images`, by dlopen; only while run.loading.loads_matter */
	} stage;
	struct run_process *process;
	struct tracee_thread *thread;
	const struct image *images; /* `count` of them */
	size_t count;
};

/* A condition is asked. */
struct condition_event {
	enum condition_step {
		CONDITION_BEGINS, /* of the held thread `thread` */
		CONDITION_READS,  /* `n` bytes; `bytes` is NULL if they cannot be read */
		CONDITION_CALLS,  /* a function */
		CONDITION_LOOKS,  /* at `thread` */
	} step;
	const struct run_thread *thread;
	struct run_process *process;
	uint64_t address;
	const void *bytes;
	size_t n;
};

/* Questions to those who take part, when nothing has happened for a while. */
enum stuck_question {
	STUCK_AWAITED, /* is a thread that may release others still being looked at? */
	STUCK_JUDGED,  /* can any thread move? Yes: *answer is set */
	STUCK_STALE,   /* no thread can; has what a condition has read just changed? */
	STUCK_FREED,   /* is some thread released now? */
	STUCK_EXCUSED, /* none ever will be, it seems; is that no verdict? */
};

/* Why a run is about to end. */
enum end_reason {
	END_INTERRUPT, /* `detail`: the signal sent to gatectl */
	END_LATE,      /* `detail`: microseconds since the time limit */
};

/*
 * Functions called during a run. Each may be NULL; they are called in the order of the list. A
 * function that returns true has taken care of the matter: those after it are not asked.
 */
struct observer {
	/* ---- before the program is started ---- */
	void (*begin)(struct run *s); /* the engine exists and is empty */
	/* The scripts are loaded. 0, or -1: what they ask for is not possible. */
	int (*loaded)(struct run *s, struct error *err);
	/* 0, or -1: the program cannot be started like this. */
	int (*launch)(struct run *s, struct tracee_launch *how, struct error *err);

	/* ---- processes and threads ---- */
	/* At an exec, before anything is known. True: another exec follows at once. */
	bool (*exec_again)(struct run *s, struct run_process *p, struct tracee_thread *t);
	/* Do its libraries have to be noticed even if the script has no places? */
	bool (*needs_libraries)(struct run *s, const struct run_process *p);
	/* An exec has left only this thread; nothing is known of the new image yet. */
	void (*exec)(struct run *s, struct run_thread *t, bool first);
	/* 0, or -1: something was not found. */
	int (*modules)(struct run *s, const struct modules_seen *m, struct error *err);
	/* `child` has no thread yet. NULL: it is not followed. */
	void (*fork)(struct run *s, struct run_thread *t, struct run_process *child);
	/* A new thread's start routine seems to be `name`. True: its creator passed another one, in
	   *routine and *argument. */
	bool (*start)(struct run *s, struct run_thread *creator, const char *name,
		      uint64_t *routine, uint64_t *argument);
	void (*thread_new)(struct run *s, struct run_thread *t);
	/* The thread has ended; or, `renamed`, is the only one after an exec, under another name. */
	void (*thread_over)(struct run *s, struct run_thread *t, bool renamed);
	/* What does a thread whose start routine is a trampoline run? NULL: not known. */
	const char *(*runs)(struct run *s, struct run_thread *t);
	void (*process_gone)(struct run *s, struct run_process *p, int status);
	/* A signal is about to be delivered, or to end the process. True: do not ask the script. */
	bool (*signal)(struct run *s, struct run_thread *t, int signal);
	bool (*crash)(struct run *s, struct run_thread *t);
	/* ... the script has been asked. */
	void (*signal_over)(struct run *s, struct run_thread *t);
	/* A stopped thread goes on. True: the observer has let it go. */
	bool (*goes)(struct run *s, struct run_thread *t);
	/* CALL, CALLED, SLEEP or SLEPT. True: the observer deals with the thread. */
	bool (*call)(struct run *s, const struct tracee_event *ev);

	/* ---- places ---- */
	void (*found)(struct run *s, const struct found *f);
	/* The place is retired. True: something of it is still under way. NULL: of any place? */
	bool (*busy)(struct run *s, const struct place *place);
	/* A thread is at the place, meant by it or not; the engine is told next. NULL: the thread
	   waits, in the kernel or before its call, and no thread runs (scheduler). */
	void (*comes)(struct run *s, struct run_thread *t, struct place *place);
	/* ... the engine has been told. */
	void (*arrival)(struct run *s, struct run_thread *t, struct place *place);
	/* So many arrivals that had no consequence were decided inside the program; `others`: of
	   threads that the place is not meant for. */
	void (*passed)(struct run *s, struct place *place, unsigned long arrivals, bool others);
	/* The engine has decided this; it is about to be carried out, or (a RELEASE, see
	   apply_releases()) just was. */
	void (*decision)(struct run *s, const struct decision *d);
	/* All decisions are carried out. True: a condition has to be asked again. */
	bool (*decided)(struct run *s);
	void (*condition)(struct run *s, const struct condition_event *ev);

	/* ---- time ---- */
	void (*tick)(struct run *s); /* every tick; if the run ends at one, that is the last */
	/* Every TICKS_MS, after the check whether a thread can move. `quiet`: nothing has happened
	   since the last one. */
	void (*slow_tick)(struct run *s, uint64_t now, bool quiet);
	bool (*stuck)(struct run *s, enum stuck_question question, enum waits_answer *answer);
	/* True: the run goes on. */
	bool (*ends)(struct run *s, enum end_reason reason, double detail);
	void (*end)(struct run *s); /* the verdict is reached; everything is still there */
	/* Everything has ended; the verdict is not known yet. */
	void (*outcome)(struct run *s);
	/* `failed`: there was no run, and this is all there is to report; else NULL. */
	void (*judged)(struct run *s, struct run_result *out, const struct error *failed);
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

/* For each function of an observer: those that have it, then NULL. */
struct observers {
	const struct observer *of[OBSERVER_FUNCTIONS][OBSERVERS_MOST + 1];
};

int observe_modules(struct run *s, enum modules_stage stage, struct run_process *p,
		    struct tracee_thread *t, struct error *err);
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
