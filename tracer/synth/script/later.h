/* The script of a schedule that was kept: made when there is time for it, of the file that a search
   has written. */
#ifndef GATECTL_SYNTH_SCRIPT_LATER_H
#define GATECTL_SYNTH_SCRIPT_LATER_H

#include "tracer/search/runs/replay.h"

struct explore_later {
	struct replay replay; /* owns what the failure and the options are made of */
	const char *path;     /* of the schedule */
};

/* Reads l->path: e gets its one failure, and the program, if the caller's options leave that open.
   Returns 0; -1 with e->x.err. */
int explore_later_read(struct explore_later *l, struct explore *e);
/* Makes the script of the failure that was read. Returns as explore_search(), and -1 also if the
   program does not fail like that any more. */
int explore_later_make(struct explore_later *l, struct explore *e);
/* Before explore_fini(). */
void explore_later_fini(struct explore_later *l);

#endif
