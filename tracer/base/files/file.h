/* Files that belong to the user: scripts and their lock files, folders of findings. */
#ifndef GATECTL_BASE_FILES_FILE_H
#define GATECTL_BASE_FILES_FILE_H

#include "tracer/base/error.h"

/* Returns the contents of a text file, which the caller frees, or NULL with *err set. errno is that
   of the failed call, 0 for a file that contains a NUL. */
char *file_read(const char *path, struct error *err);
/*
 * Replaces the contents of a file atomically, keeping mode and symbolic link. Anything but a
 * regular file (terminal, pipe), and a file in a folder that permits no other, is overwritten.
 * Returns 0, or -1 with *err set.
 */
int file_replace(const char *path, const char *text, struct error *err);
/* Makes an empty file NAMExxxxxxENDING, mode 600, in `dir` (NULL: TMPDIR or /tmp). Returns its
   path, or NULL with *err set. The caller unlinks the file and frees the path. */
char *file_temporary(const char *dir, const char *name, const char *ending, struct error *err);
/* Makes the folder DIR/N for the first free N from 1; processes may do so at the same time. Returns
   its path, which the caller frees, or NULL with errno set. */
char *file_numbered(const char *dir);

#endif
