/* Checksum (FNV-1a, 64 bits) of a program's output, to compare runs. All durations ("60 ms", "0.5
   seconds") are the same to it: many tests print how long something took, which is no result. */
#ifndef GATECTL_BASE_TEXT_DIGEST_H
#define GATECTL_BASE_TEXT_DIGEST_H

#include "tracer/base/text/str.h"

/* Digest of a program's output. */
struct digest_written {
	uint64_t text, lines; /* checksums: of the text; of its lines in any order */
	struct str start;     /* the first 64 KiB of the text */
};
/* Frees the text of *w. */
void digest_written_fini(struct digest_written *w);
/* Frees *to and copies *from to it. */
void digest_written_copy(struct digest_written *to, const struct digest_written *from);
/* Appends a line that only one of both has: it also writes "..." (`is` has it) or it does not write
   "..." (`was` has it). Returns false if their starts have the same lines. */
bool digest_other_line(const struct digest_written *was, const struct digest_written *is,
		       struct str *out);

enum { DIGEST_TIME_MOST = 40 };

/* A digest that is being computed. */
struct digest {
	struct digest_written sums;
	uint64_t line; /* checksum of the current line so far */
	/* Text that may be a duration ("12", "12.5", "12 m", "12 ms"); added when that is known. */
	char held[DIGEST_TIME_MOST];
	size_t length, unit; /* unit: index of the unit in `held`; 0 if none yet */
	bool in_word;	     /* a digit would continue a word */
};

/* Begins an empty digest. */
void digest_begin(struct digest *d);
/* Adds n bytes of output. */
void digest_add(struct digest *d, const char *bytes, size_t n);
/* Ends the digest. The caller frees the result; *d has nothing left to free. */
struct digest_written digest_end(struct digest *d);
/* Frees a digest without a result, instead of digest_end(). */
void digest_fini(struct digest *d);

#endif
