/*
 * Who goes round in circles? While nothing happens, threads that move are looked at now and then: in
 * which of the tester's functions they are, and whether they get on.
 *
 * Looked at are threads that have a processor, or that sleep for a moment again and again. Others wait for
 * somebody, and are deadlock/'s and explain/'s.
 */
#ifndef GATECTL_FEATURES_WAITING_SPIN_H
#define GATECTL_FEATURES_WAITING_SPIN_H

#include "tracer/run/state.h"

/* A place in the tester's code where a thread was seen; names and files belong to modules. */
struct spin_place {
	const char *func, *file; /* NULL unknown */
	unsigned line;
	unsigned times;
};

struct spin {
	struct spin_place
		place; /* the innermost one of the tester's, that it was seen at most often */
	uint64_t
		since_us; /* as session_now_us(): from then on it was seen in the same few functions,
			       and has reached no place */
	unsigned samples; /* so often it was looked at meanwhile, and had run in between */
	bool sleeps; /* it sleeps for moments in between (usleep, a time-out); else it only runs */
};

/*
 * Is this a livelock? Somebody moves, but everybody who does comes back to the same few states, all others
 * wait for them, and since a while no place was reached, nothing read and nothing written. `at_last`: the
 * time limit has passed, what was seen so far has to do.
 */
bool spin_is_livelock(struct session *s, bool at_last);
/* One look at everybody who moves, now: for a verdict that came too early for spin_tick(). */
void spin_sample(struct session *s);
/* What is known of the thread. False: it was not seen to run since it last did something else. */
bool spin_of(const struct session *s, const struct session_thread *t, struct spin *out);

#endif
