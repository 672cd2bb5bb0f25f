/*
 * Which threads go round in circles? While nothing happens, threads that move are sampled: in which
 * of the tester's functions they are, and whether they make progress.
 *
 * Threads are sampled that have a processor, or sleep briefly again and again. Others wait for
 * somebody, which is for deadlock/ and waiting.h.
 */
#ifndef GATECTL_FEATURES_WAITING_SPIN_H
#define GATECTL_FEATURES_WAITING_SPIN_H

#include "tracer/run/state.h"

/* A place in the tester's code where a thread was seen; names and files are owned by modules. */
struct spin_place {
	const char *func, *file; /* NULL unknown */
	unsigned line;
	unsigned times;
};

struct spin {
	struct spin_place place; /* of the loop; if none was found, where it was seen most often */
	uint64_t since_us; /* as run_now_us(): from then on it was seen in the same few functions,
			       and has reached no place */
	unsigned samples;  /* how often it was sampled since then, having run in between */
	bool loops;	   /* `place` is in the function that has the loop */
	bool sleeps; /* it sleeps briefly in between (usleep, a time-out); else it only runs */
};

/* What is known of the thread. False: it was not seen to run since it last arrived somewhere. */
bool spin_of(const struct run *s, const struct run_thread *t, struct spin *out);
/* Does the thread, which is stopped in a sleep, go round in a loop in which nothing decides
   anything? */
bool spin_only_sleeps(struct run *s, struct run_thread *t);

#endif
