/*
 * The file `schedule`: a text that a person can read, and replay compares with.
 *
 *	# gatectl schedule 2
 *	# program: ./count 2
 *	seed: 1
 *	point: count+0x1189
 *	steps: 2
 *
 *	  1  main      create  count.c:20 (main, pthread_create)  at=count+0x1205 code=count+0x1200
 *	  2  worker#1  read    count.c:12 (count, -, counter)     choice preempts object=count+0x4040 ...
 *
 * A step: its number, thread, operation, FILE:LINE (function, what it calls, the object) as far as
 * they are known, and what only a machine reads: `choice` others could have gone on, `preempts` the
 * one before could have, `writes`, the object, the place of the point, the code that leads there as
 * nm prints it, and `as` the strategy's number of the thread where it is not the schedule's. No
 * address is the process's own: an object that no module has is thread:ID (what a join of it waits
 * for), stack:ID:N or memory:N, the N-th one of its kind to come. What contains blanks, brackets
 * and the like stands in "". Behind the steps, with - for a number, is where the threads stood in
 * the end that could have gone on. Lines that begin with # are comments.
 */
#ifndef GATECTL_SCHED_SCHEDULE_TEXT_H
#define GATECTL_SCHED_SCHEDULE_TEXT_H

#include "tracer/sched/schedule/schedule.h"

/* How a schedule begins, whichever its format. */
#define SCHEDULE_WORDS "# gatectl schedule "

/* What stands before the steps. A key may come more than once; its order is kept. */
struct schedule_option {
	char *key, *value;
};
struct schedule_head {
	char *program; /* PROG and its arguments; NULL: not told */
	ARRAY(struct schedule_option) options;
};
void schedule_head_fini(struct schedule_head *h);
/* A key: letters, digits, - and _; "steps" is taken. */
void schedule_option_add(struct schedule_head *h, const char *key, const char *value);
/* The k-th value of the key, from 0; NULL: there is none. */
const char *schedule_option(const struct schedule_head *h, const char *key, size_t k);

/* "lock", "read": as a schedule has it. */
const char *schedule_op(enum strategy_op op);

void schedule_print(const struct schedule *s, const struct schedule_head *h, struct str *out);
/* Into an empty schedule and head. -1: ERROR_SCRIPT, the text begins with SOURCE:LINE; what was read is to
   be freed all the same. */
int schedule_parse(const char *text, const char *source, struct schedule *s,
		   struct schedule_head *h, struct error *err);

#endif
