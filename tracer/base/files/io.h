/* Files, where the C library's functions do half. */
#ifndef GATECTL_BASE_FILES_IO_H
#define GATECTL_BASE_FILES_IO_H

#include "tracer/base/text/str.h"

#include <stddef.h>
#include <sys/types.h>

/* All of it, whatever signals and short writes come in between; a file that does not block (a
   terminal that others have set so) is waited for. 0, or -1 with errno. */
int io_write(int fd, const char *bytes, size_t length);
/* Adds what there is up to the end. 0, or -1 with errno. */
int io_read(int fd, struct str *out);
/* Adds a whole file, wherever it is being read or written. */
void io_read_at(int fd, struct str *out);

/* Where a regular file is read next; -1: it is none. */
off_t io_offset(int fd);

#endif
