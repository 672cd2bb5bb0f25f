/* The sequence of events of a run: the last ones, or all if a report is requested. */
#ifndef GATECTL_FEATURES_TIMELINE_TIMELINE_H
#define GATECTL_FEATURES_TIMELINE_TIMELINE_H

#include "tracer/run/run.h"

enum happening {
	HAPPENED_ARRIVAL,
	HAPPENED_PASSED, /* `times` arrivals, counted inside the program */
	HAPPENED_HOLD,
	HAPPENED_RELEASE,
	HAPPENED_OPEN,
	HAPPENED_EVENT,
	HAPPENED_LOG,
	HAPPENED_THREAD_START,
	HAPPENED_THREAD_EXIT,
	HAPPENED_FORK,
	HAPPENED_EXEC,
	HAPPENED_SIGNAL,
	HAPPENED_KILL,
	HAPPENED_CRASH,
	HAPPENED_STEP, /* of a schedule; kept only, not among the last events */
};

struct happened {
	unsigned long seq;
	unsigned long caused_by; /* seq of the cause: for a release, an open; 0: none */
	uint64_t t_us;		 /* microseconds since the program's start */
	enum happening what;
	const struct engine_thread *thread; /* may be NULL */
	const struct place *place;
	const struct gate *gate;
	char *text;		 /* may be NULL; owned */
	const char *file, *func; /* position in the source, NULL if unknown; owned by a module */
	unsigned line;
	/* PASSED: number of arrivals; ARRIVAL: number merged into this line of `last`, else 0 */
	unsigned long times;
};

enum { TIMELINE_LAST = 20, TIMELINE_MOST = 1000000 };

struct timeline {
	unsigned long seq;
	/* time of the verdict, since the program's start; 0: not yet */
	uint64_t end_us;
	bool keep; /* keep all events, else only the last ones */
	/* by gate index: seq of the event that released its threads, or 0 */
	ARRAY(unsigned long) opened;
	/* seq and turn of the last event for which a condition may wait */
	unsigned long stir, stir_turn;
	/* called for each event; may be NULL */
	void (*follower)(struct run *s, const struct happened *h);
	ARRAY(struct happened) all;
	struct happened last[TIMELINE_LAST]; /* oldest first; arrivals are merged */
	size_t last_count;
};

/* Returns the timeline of the run, owned by the run. */
struct timeline *timeline_of(const struct run *s);

/* Adds an event. t, p, g and text may be NULL; text is copied. p is the place of
 * the event, g its gate. */
void timeline_add(struct run *s, enum happening what, const struct engine_thread *t,
		  const struct place *p, const struct gate *g, const char *text);
/* Adds a step of a schedule at a place, whose texts a module owns; `text` is copied. */
void timeline_step(struct run *s, const struct engine_thread *t, const char *file, unsigned line,
		   const char *func, const char *text);
/* Records the time of the verdict, once. */
void timeline_end(struct run *s);
/* Returns microseconds from the start to the verdict, or until now. */
uint64_t timeline_elapsed_us(const struct run *s);
/* Returns the word for an event, as in reports: "arrival". */
const char *timeline_word(enum happening what);
/* Returns the turn in which the thread last arrived at a place or was released; 0: never. */
unsigned long timeline_stands(const struct run_thread *t);
/* Appends the event in words, without its time: "worker#1 is held at calc.c:7
 * by gate worker2_done". */
void timeline_line(const struct happened *h, struct str *out);

#endif
