#include "tracer/features/output/output.h"

#include "tracer/base/hash.h"

#include <ctype.h>
#include <string.h>

static void digest_take(struct digest *d, const char *bytes, size_t n)
{
	d->sum = hash_bytes(d->sum, bytes, n);
	d->line = hash_bytes(d->line, bytes, n);
	if (n == 1 && *bytes == '\n') {
		d->lines += d->line;
		d->line = HASH_START;
	}
}

/* "s", "ms", "usecs", "milliseconds" ... */
static bool is_unit(const char *text, size_t n)
{
	static const char *const units[] = {"s", "sec", "secs", "second", "seconds"};
	static const char *const parts[] = {"", "m", "u", "n", "milli", "micro", "nano"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		size_t k = strlen(parts[i]);

		if (k > n || strncmp(parts[i], text, k) != 0)
			continue;
		for (size_t u = 0; u < sizeof(units) / sizeof(*units); u++)
			if (strlen(units[u]) == n - k && strncmp(units[u], text + k, n - k) == 0)
				return true;
	}
	return false;
}

static void take_held(struct digest *d)
{
	static const char any[] = "<time>";

	if (d->unit && is_unit(d->held + d->unit, d->length - d->unit))
		digest_take(d, any, sizeof(any) - 1);
	else
		digest_take(d, d->held, d->length);
	d->length = d->unit = 0;
}

/* With this byte, could it still be a time, or the start of one? */
static bool digest_goes_on(const struct digest *d, unsigned char byte)
{
	if (!d->length)
		return isdigit(byte) && !d->in_word;
	if (d->length == DIGEST_TIME_MOST)
		return false;
	if (d->unit)
		return isalnum(byte) || byte == '_';
	if (d->held[d->length - 1] == ' ')
		return isalpha(byte);
	return isalnum(byte) || byte == '.' || byte == ' ';
}

static void output_digest_add(struct digest *d, char byte)
{
	bool alpha = isalpha((unsigned char)byte);

	if (!digest_goes_on(d, (unsigned char)byte))
		take_held(d);
	if (digest_goes_on(d, (unsigned char)byte)) {
		if (alpha && !d->unit)
			d->unit = d->length;
		d->held[d->length++] = byte;
	} else {
		digest_take(d, &byte, 1);
	}
	d->in_word = isalnum((unsigned char)byte) || byte == '_' || byte == '.';
}

void digest_begin(struct digest *d)
{
	*d = (struct digest){.sum = HASH_START, .line = HASH_START};
}

void digest_add(struct digest *d, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		output_digest_add(d, bytes[i]);
}

struct run_written digest_end(struct digest *d)
{
	take_held(d);
	return (struct run_written){d->sum, d->lines + d->line};
}
