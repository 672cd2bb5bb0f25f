/* A temporary folder that is removed however this process ends, even by SIGKILL: another process
   waits for the end of a pipe that only this process and its forks hold open. */
#ifndef GATECTL_BASE_FILES_SHORTLIVED_H
#define GATECTL_BASE_FILES_SHORTLIVED_H

#include "tracer/base/error.h"

struct shortlived {
	char *path;
	int alive; /* write end of that pipe; closing it removes the folder */
	int gone;  /* read end of a pipe that ends when the folder is removed */
};

/* Makes NAME-xxxxxxxxxxxxxxxx, mode 700, in TMPDIR or /tmp. `files`: all files it may ever contain,
   ended by NULL, valid as long as *f. Returns 0, or -1 with *err set. */
int shortlived_make(struct shortlived *f, const char *name, const char *const *files,
		    struct error *err);
/* Removes the folder and waits until it is gone. Does nothing for {0}. */
void shortlived_remove(struct shortlived *f);

#endif
