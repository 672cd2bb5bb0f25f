/* Paths, compared by components from the last to the first; "." and "x/.." are folded in both. */
#ifndef GATECTL_BASE_FILES_PATH_H
#define GATECTL_BASE_FILES_PATH_H

#include <stdbool.h>

/* True if the path ends with the components of `name`. An absolute name has
   to be the whole path. */
bool path_ends_with(const char *path, const char *name);

/* True if the user's FILE names this path of the debug information: as path_ends_with(), and an
   absolute FILE also names a relative path that it ends with. */
bool path_names_file(const char *path, const char *file);

/* True for a source below /usr or /rustc, where the system keeps headers and sources; not in
   /usr/src and /usr/local/src, where users build. False for NULL. */
bool path_is_system_source(const char *file);
/* True for an object in the system's folders of libraries. */
bool path_is_system_object(const char *path);

/* Returns the path relative to the working directory if the file is below it, else
   `file`. Points into `file`. */
const char *path_shown(const char *file);

#endif
