/*
 * A recorded schedule once more: the program does the same steps in the same order, or it is said where it
 * does not. What a run needs besides the steps stands in the head of the file (sched/schedule/text.h):
 *
 *	arg: ./count		the program and its arguments, one a line
 *	directory: /home/me	where the search was: what is not found from here is looked for there
 *	stdin: null		and `stdout:`, `stderr:`: the kinds of its standard streams (base/files/stream.h)
 *	gates: FILE.lua		and `order: A -> B`: what the search was under
 *	path: 0.0001		of thread 0, 1, ...: who made it, as which child
 *	module: libc.so.6 ID	what was loaded, and its build-id
 */
#ifndef GATECTL_SEARCH_RUNS_REPLAY_H
#define GATECTL_SEARCH_RUNS_REPLAY_H

#include "tracer/search/explore.h"
#include "tracer/sched/schedule/text.h"

void replay_head(const struct explore *e, const struct explore_failure *f, struct schedule_head *h);

/* Fills `points` (empty before) with the accesses that were points, and where schedules began. */
void replay_points(const struct schedule_head *h, struct explore_points_at *points);

struct replay {
	struct run_options *options; /* the caller's */
	struct schedule schedule;
	struct schedule_head head;
	ARRAY(char *) there; /* paths from the directory of the search */
	ARRAY(char *) args;  /* of the head, with a NULL behind the last one */
	struct sched *sched; /* owned; NULL: it has not begun */
	unsigned long made;  /* runs so far */
	bool lacks_input;    /* the recorded run read a file, and none is given */
};
/* Reads the file. What the caller's options leave open (program, gates, orders) is set from it. */
int replay_load(struct replay *r, const char *path, struct error *err);
/* The kind of the program's stream `fd` when the schedule was recorded; STREAM_INHERITED: the file
   does not say. */
enum stream_kind replay_stream(const struct replay *r, int fd);
/* As run_run(). VERDICT_DIVERGED: the program does not follow. */
int replay_run(struct replay *r, struct modules *symbols, struct run_result *out,
	       struct error *err);

/* "replayed: ./prt 2 (19 of 19 steps agree)": the command, and how far the last run has
   followed. */
void replay_tell(const struct replay *r, const struct run_result *result, struct str *out);

/* For who makes the run himself: before each, with the options above, and behind its end, before it is judged. */
int replay_begin(struct replay *r, struct error *err); /* 0, or -1: its streams cannot be made */
void replay_compare(const struct replay *r, struct run *s);
/* So many steps more, and then it rests (sched.h); 0: to its end. */
void replay_rest(struct replay *r, size_t steps);
/* "step 3 of 12: worker#1 is to lock, by pthread_mutex_lock at bank.c:11 in work" */
void replay_next(const struct replay *r, struct str *out);

void replay_fini(struct replay *r); /* when the options are used no more */

#endif
