/* Threads whose system calls the kernel does not name (tracee_block.hidden). */
#ifndef GATECTL_FEATURES_DEADLOCK_HIDDEN_H
#define GATECTL_FEATURES_DEADLOCK_HIDDEN_H

#include "tracer/run/state.h"

struct looked {
	struct run_thread *thread;
	struct tracee_block look;
	bool stopped; /* ... for this look: it cannot have changed */
};
struct lookeds {
	struct looked *items;
	size_t count, capacity;
};

/* State of the program that hidden_open() has changed and hidden_close() restores. */
struct hidden {
	bool stopped; /* threads were */
	ARRAY(struct run_thread *) paused;
	ARRAY(struct run_thread *) disclosed; /* one of each process */
};

bool hidden_any(const struct lookeds *all);
/* Stops all threads, completes the looks from their registers, and opens the processes' /proc
   files. False: a thread has stopped for a reason of its own, or was not in a system call.
   hidden_close() must follow. */
bool hidden_open(struct run *s, struct lookeds *all, struct hidden *h);
void hidden_close(struct run *s, struct hidden *h); /* those that were stopped for it go on */

#endif
