/* What check and lines have in common, and the files that check reads and writes. */
#ifndef GATECTL_CLI_QUERY_H
#define GATECTL_CLI_QUERY_H

#include "tracer/cli/cli.h"

/* query.c: the location and its sites on standard output, or its error. -1: it was an error. */
int query_print(const struct cli *cli, const struct session_query *q, bool variables);

/* file.c: a whole file of text, owned; NULL with the error, and errno as it was. */
char *file_read(const char *path, struct error *err);
/* Puts the text in the place of the file at once: whoever reads it sees the old or the new. Its
   mode stays, and a symbolic link stays one. 0, or -1. */
int file_replace(const char *path, const char *text, struct error *err);

#endif
