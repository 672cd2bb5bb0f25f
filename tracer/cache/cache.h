/*
 * What is kept from one run to the next: files of ours in $XDG_CACHE_HOME/gatectl, or ~/.cache/gatectl.
 *
 * Nobody needs them. Where there is no such folder, no room, or somebody else may write there, nothing is
 * kept, and nothing is said of it. A file is never trusted: it is taken only if its head is whole and its own
 * user's alone, and each block of it is checked against its sum when it is first looked at. So an
 * answer costs what it reads, however long the file is. One that is damaged is removed. What the bytes mean, and that numbers in them
 * are in range, is the business of those who keep them.
 *
 * A file is written beside the others and renamed: of two writers the later one stays, and whoever has mapped
 * the earlier one keeps that. All files together have a bound; beyond it those go first that were not used
 * for longest.
 */
#ifndef GATECTL_CACHE_CACHE_H
#define GATECTL_CACHE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

enum { CACHE_PARTS = 8, CACHE_NAME = 128 };

struct cache; /* one file, mapped */

struct cache_part {
	const void *bytes;
	uint64_t size;
};

/* From now on nothing is read or written (--no-cache). */
void cache_refuse(void);

/* Is there a folder, and may something be written there? */
bool cache_usable(void);

/* The file of this name, which was written with this format; NULL: there is none that is sound. Names have no
   slash, and less than CACHE_NAME characters. */
struct cache *cache_open(const char *name, uint32_t format);
void cache_close(struct cache *c); /* or NULL */

uint64_t cache_size(const struct cache *c, unsigned part);
/* `n` bytes of the part from `at` on, aligned as `at` is; they stay until cache_close(). NULL: there are
   fewer, or they are damaged. */
const void *cache_bytes(struct cache *c, unsigned part, uint64_t at, uint64_t n);

/* Puts the parts, CACHE_PARTS at most, in the place of the file. False: nothing is kept. */
bool cache_write(const char *name, uint32_t format, const struct cache_part *parts, unsigned count);

/* A sum of bytes; of several pieces if each is given what the piece before gave, at first 0. */
uint64_t cache_sum(uint64_t sum, const void *bytes, uint64_t n);

#endif
