/* Spelling of the schedule file, shared by its writer and its reader. */
#ifndef GATECTL_SCHED_SCHEDULE_TEXT_INTERNAL_H
#define GATECTL_SCHED_SCHEDULE_TEXT_INTERNAL_H

#include "tracer/sched/schedule/schedule.h"

#define SCHEDULE_FORMAT	    "2"
#define SCHEDULE_FIRST_LINE SCHEDULE_WORDS SCHEDULE_FORMAT
#define SCHEDULE_PROGRAM    "# program: "
#define SCHEDULE_ENDS_WORD  " \"(),\\"

enum { SCHEDULE_OPS = STRATEGY_SPURIOUS + 1 };
extern const char *const schedule_op_names[SCHEDULE_OPS];

#endif
