/*
 * --confirm PROG: makes findings happen in runs of a program. For each one schedules are searched whose points are its
 * places alone (and synchronisation); one that fails there becomes a gate script, as explore's do.
 */
#ifndef GATECTL_CLI_CONFIRM_AUDIT_CONFIRM_H
#define GATECTL_CLI_CONFIRM_AUDIT_CONFIRM_H

#include "tracer/cli/report/report.h"

/* Adds what came of it to each finding that is told of. 0; or gatectl's status: a signal, or an error, has ended it. */
int audit_confirm(struct cli *cli, struct audit *a);

#endif
