/*
 * A checksum of a program's output (FNV-1a, 64 bits: Fowler, Noll, Vo), to compare runs. Many tests
 * print how long something took, which is no outcome: for the checksum all times ("60 ms", "0.5
 * seconds") are the same.
 */
#ifndef GATECTL_BASE_TEXT_DIGEST_H
#define GATECTL_BASE_TEXT_DIGEST_H

#include "tracer/base/text/str.h"

/* What the program has written. */
struct digest_written {
	uint64_t text, lines; /* checksums: of the text, and of its lines in whatever order */
	struct str start;     /* the first 64 kB of the text */
};
void digest_written_fini(struct digest_written *w);
void digest_written_copy(struct digest_written *to, const struct digest_written *from);
/* Adds a line that only one of both has, in words: it also writes "..." (`is` has it, `was` has
   not), it does not write "...". False: the starts have the same lines. */
bool digest_other_line(const struct digest_written *was, const struct digest_written *is,
		       struct str *out);

enum { DIGEST_TIME_MOST = 40 };

struct digest {
	struct digest_written sums;
	uint64_t line; /* the line so far */
	/* What may be a time: "12", "12.5", "12 m", "12 ms"; added once it is known. */
	char held[DIGEST_TIME_MOST];
	size_t length, unit; /* unit: where it begins; 0 none yet */
	bool in_word;	     /* a number now would be part of the preceding word */
};

void digest_begin(struct digest *d);
void digest_add(struct digest *d, const char *bytes, size_t n);
/* The caller frees the result; the digest has nothing left to free. */
struct digest_written digest_end(struct digest *d);
/* Instead of digest_end(). */
void digest_fini(struct digest *d);

#endif
