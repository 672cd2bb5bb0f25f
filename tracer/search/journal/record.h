/* What a search writes down, into a pipe or a file: records of words and texts. One that is cut or damaged is
   known as such. The words are this machine's (x86-64, as all that gatectl runs on). */
#ifndef GATECTL_SEARCH_JOURNAL_RECORD_H
#define GATECTL_SEARCH_JOURNAL_RECORD_H

#include "tracer/base/text/str.h"

#include <stdint.h>

enum record_kind {
	RECORD_HEAD = 1, /* which search it is */
	RECORD_RUN,	 /* search/loop/outcome.h */
	RECORD_FOUND,	 /* a failure that has its folder */
	RECORD_OVER,	 /* the search has ended by itself */
	RECORD_READY,	 /* a worker's program is there */
	RECORD_FAULT,	 /* a worker cannot go on */
	RECORD_LESSON,	 /* what a run has taught */
	RECORD_BATCH,	 /* whatever batches below this one have taught was told */
};

struct record {
	struct str bytes;
	size_t at; /* read up to here */
	bool bad;  /* it has ended before what was asked for */
};

void record_begin(struct record *r, enum record_kind kind); /* empty but for the kind */
void record_add(struct record *r, uint64_t word);
void record_add_text(struct record *r, const char *text); /* NULL comes back as NULL */

uint64_t record_get(struct record *r); /* the first one is the kind; 0 where there are no more */
char *record_get_text(struct record *r);

/* Behind what is in `out`, with its length and a sum. */
void record_put(const struct record *r, struct str *out);
/* The record at *at, which is moved behind it, into *r, which is emptied before. 1; 0: the bytes end before it
   does; -1: there is none. */
int record_take(struct record *r, const struct str *from, size_t *at);
void record_fini(struct record *r);

#endif
