/* What the program has written, where an expect or a trial asks for it. */
#ifndef GATECTL_FEATURES_OUTPUT_OUTPUT_H
#define GATECTL_FEATURES_OUTPUT_OUTPUT_H

#include "tracer/run/run.h"

/* Stores all output in s->outcome, for the verdict: nobody may still be writing. */
void capture_outcome(struct run *s);
/* After that: checksums of the whole output (digest.c); 0: it was not kept. */
void capture_sums(const struct run *s, struct run_written *out, struct run_written *err);

/* ---- digest.c ------------------------------------------------------------------------------- */

/*
 * A checksum of an output (FNV-1a, 64 bits: Fowler, Noll, Vo), to compare runs. Many tests print how long something took,
 * which is no outcome: for the checksum all times ("60 ms", "0.5 seconds") are the same.
 */
enum { DIGEST_TIME_MOST = 40 };

struct digest {
	uint64_t sum, line,
		lines; /* of the text, the line so far, and all lines in whatever order */
	/* what may be a time: "12", "12.5", "12 m", "12 ms"; added once it is known */
	char held[DIGEST_TIME_MOST];
	size_t length, unit; /* unit: where it begins; 0 none yet */
	bool in_word;	     /* a number now would be part of the preceding word */
};

void digest_begin(struct digest *d);
void digest_add(struct digest *d, const char *bytes, size_t n);
struct run_written digest_end(struct digest *d);

#endif
