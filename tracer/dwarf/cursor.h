/*
 * Reader of the bytes of a DWARF section that never runs past their end (DWARF 5, section 7).
 * Inline, because a line table has hundreds of thousands of rows.
 */
#ifndef GATECTL_DWARF_CURSOR_H
#define GATECTL_DWARF_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *at, *end;
	bool broken; /* a read went past the end; later reads return 0 */
};

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->at);
}

static inline void cursor_break(struct cursor *c)
{
	c->broken = true;
	c->at = c->end;
}

/* Returns the next n bytes, or NULL. */
static inline const uint8_t *cursor_take(struct cursor *c, uint64_t n)
{
	const uint8_t *at = c->at;

	if (n > cursor_left(c)) {
		cursor_break(c);
		return NULL;
	}
	c->at += n;
	return at;
}

/* Reads a little-endian number of `size` bytes, at most 8. */
static inline uint64_t cursor_fixed(struct cursor *c, unsigned size)
{
	const uint8_t *at = cursor_take(c, size <= 8 ? size : UINT64_MAX);
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, size); /* the processor is little-endian too */
	return value;
}

static inline uint8_t cursor_u8(struct cursor *c)
{
	return (uint8_t)cursor_fixed(c, 1);
}

static inline uint64_t cursor_uleb(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; c->at < c->end; shift += 7) {
		uint8_t byte = *c->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	cursor_break(c);
	return 0;
}

static inline int64_t cursor_sleb(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; c->at < c->end;) {
		uint8_t byte = *c->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (shift < 64 && byte & 0x40)
			value |= UINT64_MAX << shift;
		return (int64_t)value;
	}
	cursor_break(c);
	return 0;
}

/* Returns a string that ends within the bytes, or NULL. */
static inline const char *cursor_string(struct cursor *c)
{
	const uint8_t *at = c->at;
	const uint8_t *nul = cursor_left(c) ? memchr(at, '\0', cursor_left(c)) : NULL;

	if (!nul) {
		cursor_break(c);
		return NULL;
	}
	c->at = nul + 1;
	return (const char *)at;
}

#endif
