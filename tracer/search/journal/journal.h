/*
 * What a search has done, in a file of its folder: the same search, begun again, goes on from there, and parts of
 * one search are joined (merge.h).
 *
 * Records (record.h): a head that says which search it is; each run, in their order, those that were made
 * to find races before the others; then the failures that have got their folders. A search that was killed leaves
 * half a record at most, which is cut off.
 */
#ifndef GATECTL_SEARCH_JOURNAL_JOURNAL_H
#define GATECTL_SEARCH_JOURNAL_JOURNAL_H

#include "tracer/search/loop/outcome.h"

struct explore_journal {
	int fd;		 /* -1: it is only read */
	struct str path; /* DIR/search, or of a part DIR/search.K-N */
	bool made_folder;
	struct str bytes; /* what was there ... */
	size_t at;	  /* ... and read up to here */
	bool over;	  /* what was read says that the search ended by itself */
	struct record record;
};

/* ---- of a search ---- */

/* Opens DIR's journal, or makes one; what there is of another search is thrown away. Where none can be had the
   search does without: e->journal is NULL then, and e->no_journal says why. */
void explore_journal_open(struct explore *e);
/* Behind what was read. */
void explore_journal_add(struct explore *e, const struct explore_outcome *o);
/* ... where the failure's folder is, and what is known of it by now. */
void explore_journal_found(struct explore *e, const struct explore_failure *f);

/* ---- of any ---- */

/* The next run; false: there are no more. Failures are known then, and get the folders that the journal has for
   them, by their keys. */
bool explore_journal_next(struct explore_journal *j, struct explore *e, struct explore_outcome *o);

/* Reads a file, and its head into e->options; `args` gets the command, its strings the caller's. -1: it cannot be
   read, or is none. `head` is the same for all parts of one search. */
struct explore_args {
	char **items;
	size_t count, capacity;
};
int explore_journal_read(struct explore_journal *j, const char *path, struct explore_options *o,
			 struct explore_args *args, struct str *head, struct error *err);
void explore_journal_fini(struct explore_journal *j);

#endif
