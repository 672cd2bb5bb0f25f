/* A reader over bytes of a DWARF section that cannot run over their end; for lines.c and
 * lineprog.c. */
#ifndef GATECTL_SYMBOLS_LINEBYTES_H
#define GATECTL_SYMBOLS_LINEBYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct line_bytes {
	const uint8_t *at, *end;
	bool failed; /* something would have run over the end; all values since are 0 */
};

static inline size_t bytes_left(const struct line_bytes *b)
{
	return (size_t)(b->end - b->at);
}

static inline void bytes_fail(struct line_bytes *b)
{
	b->failed = true;
	b->at = b->end;
}

/* The next n bytes, or NULL. */
static inline const uint8_t *bytes_take(struct line_bytes *b, uint64_t n)
{
	const uint8_t *at = b->at;

	if (n > bytes_left(b)) {
		bytes_fail(b);
		return NULL;
	}
	b->at += n;
	return at;
}

/* A little-endian number of n <= 8 bytes. */
static inline uint64_t bytes_number(struct line_bytes *b, unsigned n)
{
	const uint8_t *at = bytes_take(b, n);
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, n);
	return value;
}

static inline uint8_t bytes_u8(struct line_bytes *b)
{
	return (uint8_t)bytes_number(b, 1);
}

static inline uint64_t bytes_uleb(struct line_bytes *b)
{
	uint64_t value = 0;

	for (unsigned shift = 0; b->at < b->end; shift += 7) {
		uint8_t byte = *b->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	bytes_fail(b);
	return 0;
}

static inline int64_t bytes_sleb(struct line_bytes *b)
{
	uint64_t value = 0;

	for (unsigned shift = 0; b->at < b->end;) {
		uint8_t byte = *b->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (shift < 64 && byte & 0x40)
			value |= UINT64_MAX << shift;
		return (int64_t)value;
	}
	bytes_fail(b);
	return 0;
}

/* A string that ends within the bytes, or NULL. */
static inline const char *bytes_string(struct line_bytes *b)
{
	const uint8_t *at = b->at;
	const uint8_t *nul = bytes_left(b) ? memchr(at, '\0', bytes_left(b)) : NULL;

	if (!nul) {
		bytes_fail(b);
		return NULL;
	}
	b->at = nul + 1;
	return (const char *)at;
}

#endif
