/*
 * A folder in TMPDIR (or /tmp) that is removed however this process ends, by SIGKILL too: another
 * process waits for the end of a pipe that only this one and its forks hold open.
 */
#ifndef GATECTL_BASE_FILES_SHORTLIVED_H
#define GATECTL_BASE_FILES_SHORTLIVED_H

#include "tracer/base/error.h"

struct shortlived {
	char *path;
	int alive; /* the pipe's end; closed, the folder goes */
	int gone;  /* ... at whose end it has gone */
};

/* Makes NAME-xxxxxxxxxxxxxxxx, mode 700. `files` are all that will ever be in it; NULL ends them,
   and they outlive the call. 0, or -1 with the error. */
int shortlived_make(struct shortlived *f, const char *name, const char *const *files,
		    struct error *err);
/* The folder is gone when this returns. Of one that was never made ({0}) nothing happens. */
void shortlived_remove(struct shortlived *f);

#endif
