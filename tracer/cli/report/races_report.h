/* What `gatectl races` has found: as text, and for --report. */
#ifndef GATECTL_CLI_REPORT_RACES_REPORT_H
#define GATECTL_CLI_REPORT_RACES_REPORT_H

#include "tracer/cli/cli.h"
#include "tracer/search/runs/races.h"

/* "3 races in 60 runs; the first: balance at bank.c:12 and bank.c:19" */
void races_headline(const struct races_hunt *h, struct str *out);
/* Three to five lines for each. */
void races_text(const struct races_hunt *h, struct str *out);
/* `status`: gatectl's. 0, or -1: one of them cannot be written. */
int races_report(const struct cli *cli, const struct races_hunt *h, int status, struct error *err);

#endif
