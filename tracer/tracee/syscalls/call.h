/* Between the files of tracee_call: a function that runs inside a stopped thread. */
#ifndef GATECTL_TRACEE_SYSCALLS_CALL_H
#define GATECTL_TRACEE_SYSCALLS_CALL_H

#include "tracer/tracee/tracee_internal.h"

struct inside {
	struct remote r;
	struct tracee_call *call;
	struct error *err;
	uint64_t frame;		  /* where the return address stands */
	ARRAY(siginfo_t) put_off; /* signals that came although they were masked */
	uint64_t old_mask; /* in rt_sigprocmask(2): where it writes the mask there was, or 0 */
	bool restart_lost; /* the kernel's notes on an interrupted wait were overwritten */
};

enum inside_answer {
	INSIDE_GOES_ON,
	INSIDE_RETURNED,
	INSIDE_FAILED, /* the error is set; the thread can be put back */
	INSIDE_DEAD,   /* the error is set; there is no thread any more */
};

/* What this stop of the thread means. */
enum inside_answer inside_stop(struct inside *in, int status);

#endif
