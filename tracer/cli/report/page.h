/*
 * The page of a search, explore's or harness's: it needs nothing else. Its look is that of a run's timeline
 * (features/report/page). Texts are escaped here.
 */
#ifndef GATECTL_CLI_REPORT_PAGE_H
#define GATECTL_CLI_REPORT_PAGE_H

#include "tracer/base/text/str.h"

void page_begin(const char *command, struct str *out); /* "explore" */
void page_end(struct str *out);
/* The header; facts follow, and whoever writes them ends it by "</dl></header>". */
void page_verdict(const char *verdict, int status, const char *command, const char *remark,
		  struct str *out);
void page_fact(const char *name, const char *value, struct str *out);
void page_number(const char *name, unsigned long long value, struct str *out);
/* To a file of the folder, from where the page will be; nothing if it cannot be reached. */
void page_link(const char *path, const char *folder, const char *name, struct str *out);

#endif
