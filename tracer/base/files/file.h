/* Files that belong to the tester: scripts and their lock files, folders of what was found. */
#ifndef GATECTL_BASE_FILES_FILE_H
#define GATECTL_BASE_FILES_FILE_H

#include "tracer/base/error.h"

/* A whole file, owned; NULL with the error, and errno as it was. */
char *file_read(const char *path, struct error *err);
/* Puts the text in the place of the file at once: whoever reads it sees the old or the new. Its
   mode stays, and a symbolic link stays one. What is no file (a terminal, a pipe) is written to, and so
   is a file in a directory that takes no other. 0, or -1. */
int file_replace(const char *path, const char *text, struct error *err);
/* An empty file that nobody else may read, NAMExxxxxxENDING in `dir`; NULL: in TMPDIR, or /tmp. Its path is
   the caller's, who unlinks it. NULL with the error. */
char *file_temporary(const char *dir, const char *name, const char *ending, struct error *err);
/* Makes the folder DIR/N, N the first number from 1 that is free: others may do so at the same time. Its path,
   owned; NULL with errno. */
char *file_numbered(const char *dir);

#endif
