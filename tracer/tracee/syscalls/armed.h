/* Timers of the program, while sleeps are reported. */
#ifndef GATECTL_TRACEE_SYSCALLS_ARMED_H
#define GATECTL_TRACEE_SYSCALLS_ARMED_H

#include "tracer/tracee/tracee_internal.h"

/* Called at the entry of a system call: notes the timer that it sets or stops. */
void armed_note(struct thread *th, uint64_t number);
/* Frees the tracee's list. */
void armed_free(struct tracee *t);

#endif
