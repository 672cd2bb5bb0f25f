/* Paths compared by their components, from the last to the first; "." and "x/.." are folded in both. */
#ifndef GATECTL_BASE_FILES_PATH_H
#define GATECTL_BASE_FILES_PATH_H

#include <stdbool.h>

/* Does the path end with the components of `name`? An absolute name has to be the whole path. */
bool path_ends_with(const char *path, const char *name);

/* Does a tester's FILE mean this path of the debug information? As above, but an absolute FILE also means a
   relative path that it ends with. */
bool path_names_file(const char *path, const char *file);

/* Does the source lie where the system keeps its headers and sources? Not below /usr/src and
   /usr/local/src, where testers build. */
bool path_is_system_source(const char *file);
/* Does the object lie where the system keeps its libraries? */
bool path_is_system_object(const char *path);

/* A file as it is shown: relative to the working directory where it is below. Points into `file`. */
const char *path_shown(const char *file);

#endif
