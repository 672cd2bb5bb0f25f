/* Reads decimal numbers. */
#include "tracer/base/text/number.h"

bool number_read(const char *text, uint64_t most, uint64_t *out)
{
	uint64_t n = 0;
	const char *at = text;

	for (; *at >= '0' && *at <= '9'; at++) {
		uint64_t digit = (uint64_t)(*at - '0');

		if (digit > most || n > (most - digit) / 10)
			return false;
		n = 10 * n + digit;
	}
	*out = n;
	return !*at && at != text;
}
