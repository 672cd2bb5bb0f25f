/* State of a tracee_call() that is running, shared by call.c and call_stops.c. */
#ifndef GATECTL_TRACEE_SYSCALLS_CALL_H
#define GATECTL_TRACEE_SYSCALLS_CALL_H

#include "tracer/tracee/tracee_internal.h"

struct inside {
	struct remote r;
	struct tracee_call *call;
	struct error *err;
	uint64_t frame;		  /* address of the return address */
	ARRAY(siginfo_t) put_off; /* signals that arrived although masked, to be sent again */
	/* inside rt_sigprocmask(2): where the kernel writes the old mask; or 0 */
	uint64_t old_mask;
	bool restart_lost; /* the kernel's restart block of an interrupted wait was overwritten */
};

enum inside_answer {
	INSIDE_GOES_ON,
	INSIDE_RETURNED,
	INSIDE_FAILED, /* *err is set; the thread can be restored */
	INSIDE_DEAD,   /* *err is set; the thread has ended */
};

/* Handles a stop of the thread inside the call. *err is set for FAILED and DEAD. */
enum inside_answer inside_stop(struct inside *in, int status);

#endif
