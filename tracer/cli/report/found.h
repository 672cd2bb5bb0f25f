/* The folders of what a search has found: DIR/1/, DIR/2/, ... Those that are there stay as they are. */
#ifndef GATECTL_CLI_REPORT_FOUND_H
#define GATECTL_CLI_REPORT_FOUND_H

#include "tracer/search/explore.h"

/* Before the search: can there be folders in `dir`? It is made when there is one. 0, or -1. */
int found_check(const char *dir, struct error *err);
/* Writes the folder of a failure, and sets f->folder. A new folder is there as a whole or not at
   all; of one that is there each file is replaced as a whole. */
int found_write(const struct explore *e, struct explore_failure *f, const char *dir,
		struct error *err);
/* The same for a failure of parts that were joined: its folder's files come into one in `dir`. */
int found_copy(struct explore_failure *f, const char *dir, struct error *err);

/* Writes the folders of schedules that were cut, and sets their `folder`. 0, or -1. */
int found_write_cuts(struct explore *e, struct error *err);

#endif
