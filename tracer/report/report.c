/* Determines the kind of a report by the ending of the file's name. */
#include "tracer/report/report.h"

#include <string.h>

#define REPORT_ENDING(kind, ending) ending,
static const char *const endings[REPORT_KINDS] = {REPORT_FORMATS(REPORT_ENDING)};

enum report_kind report_kind_of(const char *path)
{
	enum report_kind best = REPORT_KINDS;
	size_t length = strlen(path), longest = 0;

	for (enum report_kind kind = 0; kind < REPORT_KINDS; kind++) {
		size_t n = strlen(endings[kind]);

		if (n > longest && n < length && strcmp(path + length - n, endings[kind]) == 0) {
			best = kind;
			longest = n;
		}
	}
	return best;
}

void report_endings(unsigned kinds, struct str *out)
{
	const char *before = "";

	for (unsigned kind = 0; kind < REPORT_KINDS; kind++, kinds >>= 1) {
		if (!(kinds & 1))
			continue;
		str_addf(out, "%s%s", kinds == 1 ? " or " : before, endings[kind]);
		before = ", ";
	}
}
