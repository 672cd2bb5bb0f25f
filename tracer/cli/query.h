/* What check and lines have in common. */
#ifndef GATECTL_CLI_QUERY_H
#define GATECTL_CLI_QUERY_H

#include "tracer/cli/cli.h"

/* query.c: the location and its sites on standard output, or its error. -1: it was an error. */
int query_print(const struct cli *cli, const struct run_query *q, bool variables);

#endif
