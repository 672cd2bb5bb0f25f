/*
 * Do two runs write the same? Compared by a checksum (FNV-1a, 64 bits: Fowler, Noll, Vo). Many
 * tests print how long something took, which is no outcome: for the checksum all times ("60 ms",
 * "0.5 seconds") are the same.
 */
#ifndef GATECTL_FEATURES_OUTPUT_DIGEST_H
#define GATECTL_FEATURES_OUTPUT_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DIGEST_TIME_MOST = 40 };

struct digest {
	uint64_t sum;
	/* what may be a time: "12", "12.5", "12 m", "12 ms"; added once it is known */
	char held[DIGEST_TIME_MOST];
	size_t length, unit; /* unit: where it begins; 0 none yet */
	bool in_word;	     /* a number now would be part of the preceding word */
};

void digest_begin(struct digest *d);
void digest_add(struct digest *d, const char *bytes, size_t n);
uint64_t digest_end(struct digest *d);

#endif
