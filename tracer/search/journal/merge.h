/* explore --merge: what parts of one search have found, put together as if it had been done in one. */
#ifndef GATECTL_SEARCH_JOURNAL_MERGE_H
#define GATECTL_SEARCH_JOURNAL_MERGE_H

#include "tracer/search/journal/journal.h"

/*
 * Reads the journals in so many folders. e's result is that of the search, e->lacks what is missing of it; where
 * each failure has its folder one of the parts that found it says. `args` gets the command, its
 * strings the caller's. -1 with the error: no journal, one that is none, or of another search.
 */
int explore_merge(struct explore *e, char *const *folders, size_t count, struct explore_args *args,
		  struct error *err);

#endif
