/* Which search a journal is of: whatever makes a difference to its schedules. */
#ifndef GATECTL_SEARCH_JOURNAL_HEAD_H
#define GATECTL_SEARCH_JOURNAL_HEAD_H

#include "tracer/search/journal/journal.h"

/* As a record. Its last word is the part's number; what is before it all parts of a search have in common. */
void explore_head_write(const struct explore *e, struct record *r);
/* What a summary needs of it. False: it is damaged, or of another version of gatectl. */
bool explore_head_read(struct record *r, struct explore_options *o, struct explore_args *args);

#endif
