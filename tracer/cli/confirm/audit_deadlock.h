/* Where a schedule's steps stand, in terms of a finding; and whose deadlock it is that one ends in. */
#ifndef GATECTL_CLI_CONFIRM_AUDIT_DEADLOCK_H
#define GATECTL_CLI_CONFIRM_AUDIT_DEADLOCK_H

#include "tracer/audit/audit.h"
#include "tracer/sched/schedule/schedule.h"

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
