/* Names of signals. */
#include "tracer/base/signame.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* First real-time signal of the kernel, SIGRTMIN and SIGRTMAX: glibc reserves
   the two before SIGRTMIN. */
enum { KERNEL_FIRST = 32, FIRST = 34, LAST = 64 };

static const char *const realtime[] = {
	"32",	    "33",	"RTMIN",    "RTMIN+1",	"RTMIN+2",  "RTMIN+3",	"RTMIN+4",
	"RTMIN+5",  "RTMIN+6",	"RTMIN+7",  "RTMIN+8",	"RTMIN+9",  "RTMIN+10", "RTMIN+11",
	"RTMIN+12", "RTMIN+13", "RTMIN+14", "RTMIN+15", "RTMAX-14", "RTMAX-13", "RTMAX-12",
	"RTMAX-11", "RTMAX-10", "RTMAX-9",  "RTMAX-8",	"RTMAX-7",  "RTMAX-6",	"RTMAX-5",
	"RTMAX-4",  "RTMAX-3",	"RTMAX-2",  "RTMAX-1",	"RTMAX"};

const char *signame_text(int signal)
{
	const char *name = sigabbrev_np(signal);

	if (signal >= KERNEL_FIRST && signal <= LAST)
		return realtime[signal - KERNEL_FIRST];
	return name ? name : "?";
}

/* Returns base plus "+3" (from RTMIN) or "-2" (from RTMAX) or "", or 0 for any other text. */
static int away_from(int base, const char *text, char sign)
{
	char *end = (char *)text;
	long n = 0;

	if (*text == sign && text[1] >= '0' && text[1] <= '9')
		n = strtol(text, &end, 10);
	return *end || n < FIRST - LAST || n > LAST - FIRST ? 0 : base + (int)n;
}

int signame_number(const char *name)
{
	if (strncmp(name, "RTMIN", 5) == 0)
		return away_from(FIRST, name + 5, '+');
	if (strncmp(name, "RTMAX", 5) == 0)
		return away_from(LAST, name + 5, '-');
	for (int n = 1; n < KERNEL_FIRST; n++) {
		const char *known = sigabbrev_np(n);

		if (known && strcmp(known, name) == 0)
			return n;
	}
	return 0;
}
