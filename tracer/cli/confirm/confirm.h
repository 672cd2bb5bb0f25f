/* audit --confirm PROG: reproduces findings in runs of a program. For each finding, schedules are
   searched whose points are its places and synchronisation; a failure becomes a gate script. */
#ifndef GATECTL_CLI_CONFIRM_CONFIRM_H
#define GATECTL_CLI_CONFIRM_CONFIRM_H

#include "tracer/cli/report/report.h"
#include "tracer/sched/schedule/schedule.h"

/* Adds the result to each reported finding. Returns 0, or gatectl's status if a signal or an error
   has ended it. */
int audit_confirm(struct cli *cli, struct audit *a);

/* ---- audit_deadlock.c ----------------------------------------------------------------------- */

/* True if the step is at that line. */
bool audit_step_is_at(const struct audit_program *p, const struct schedule_step *step,
		      struct audit_place at);
/* True if the step is at the finding's place, or at the one that it conflicts with. */
bool audit_step_is_of(const struct audit_program *p, const struct schedule_step *step,
		      const struct finding *f);

/* True if a thread waits for a lock at the end. Otherwise a wake-up may be lost. */
bool audit_deadlock_is_of_locks(const struct audit *a, const struct schedule *s);
/* True if a finding about locks explains the deadlock. */
bool audit_deadlock_is_of(const struct audit *a, const struct schedule *s, const struct finding *f);

#endif
