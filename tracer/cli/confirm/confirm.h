/*
 * audit --confirm PROG: makes findings happen in runs of a program. For each one schedules are searched whose points are
 * its places alone (and synchronisation); one that fails there becomes a gate script, as explore's do.
 */
#ifndef GATECTL_CLI_CONFIRM_CONFIRM_H
#define GATECTL_CLI_CONFIRM_CONFIRM_H

#include "tracer/cli/report/report.h"
#include "tracer/sched/schedule/schedule.h"

/* Adds what came of it to each finding that is reported. Returns 0, or gatectl's status: a signal, or an error, has ended it. */
int audit_confirm(struct cli *cli, struct audit *a);

/* ---- audit_deadlock.c ----------------------------------------------------------------------- */

bool audit_step_is_at(const struct audit_program *p, const struct schedule_step *step,
		      struct audit_place at);
/* At the finding's place, or at the one that it conflicts with? */
bool audit_step_is_of(const struct audit_program *p, const struct schedule_step *step,
		      const struct finding *f);

/* Does some thread wait for a lock in the end? If none does, a wake-up may have been lost. */
bool audit_deadlock_is_of_locks(const struct audit *a, const struct schedule *s);
/* Of a finding about locks: is it what it says that keeps the threads from going on? */
bool audit_deadlock_is_of(const struct audit *a, const struct schedule *s, const struct finding *f);

#endif
