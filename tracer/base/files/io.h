/* Reads and writes that are complete, in spite of signals and short transfers. */
#ifndef GATECTL_BASE_FILES_IO_H
#define GATECTL_BASE_FILES_IO_H

#include "tracer/base/text/str.h"

#include <stddef.h>
#include <sys/types.h>

/* Writes all bytes; waits for a non-blocking file, such as a terminal that others have set so.
   Returns 0, or -1 with errno set. */
int io_write(int fd, const char *bytes, size_t length);
/* Appends all up to the end of the file. Returns 0, or -1 with errno set. */
int io_read(int fd, struct str *out);
/* Appends a whole file, without using or moving its file offset. */
void io_read_at(int fd, struct str *out);

/* Returns the offset of a regular file, or -1 for any other. */
off_t io_offset(int fd);

#endif
