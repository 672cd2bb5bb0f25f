/* What happened, in order: the last events, or all of them if a report is asked for. */
#ifndef GATECTL_FEATURES_TIMELINE_TIMELINE_H
#define GATECTL_FEATURES_TIMELINE_TIMELINE_H

#include "tracer/run/run.h"

enum happening {
	HAPPENED_ARRIVAL,
	HAPPENED_PASSED, /* that were decided inside the program: `times` arrivals */
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
};

struct happened {
	unsigned long seq;
	unsigned long caused_by; /* the seq of its cause: for a release, an open; or 0 */
	uint64_t t_us;		 /* since the program was started */
	enum happening what;
	const struct engine_thread *thread; /* or NULL */
	const struct place *place;
	const struct gate *gate;
	char *text;		 /* or NULL; owned */
	const char *file, *func; /* position in the source; NULL unknown; owned by a module */
	unsigned line;
	unsigned long times; /* PASSED; ARRIVAL: of one line of the last events, else 0 */
};

enum { TIMELINE_LAST = 20, TIMELINE_MOST = 1000000 };

struct timeline {
	unsigned long seq;
	uint64_t end_us;	       /* since start_us: the verdict; 0 not yet */
	bool keep;		       /* keep all of it, for a report; else only the last ones */
	ARRAY(unsigned long) opened;   /* by gate index: the seq that let its threads go, or 0 */
	unsigned long stir, stir_turn; /* seq and turn of the last event a condition may wait for */
	/* The run is followed by this; NULL: by none. */
	void (*follower)(struct run *s, const struct happened *h);
	ARRAY(struct happened) all;
	struct happened last[TIMELINE_LAST]; /* the oldest first; arrivals are merged */
	size_t last_count;
};

struct timeline *timeline_of(const struct run *s);

void timeline_add(struct run *s, enum happening what, const struct engine_thread *t,
		  const struct place *p, const struct gate *g, const char *text);
void timeline_end(struct run *s);		   /* notes that the verdict is reached now */
uint64_t timeline_elapsed_us(const struct run *s); /* from the start to the verdict, or to now */
const char *timeline_word(enum happening what);
/* The turn in which the thread last arrived somewhere or was let go; 0: never. */
unsigned long timeline_stands(const struct run_thread *t);
void timeline_line(const struct happened *h, struct str *out);

#endif
