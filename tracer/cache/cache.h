/*
 * Files kept from run to run, in $XDG_CACHE_HOME/gatectl or ~/.cache/gatectl.
 *
 * The cache is optional: without a folder, without room, or if others may write there, nothing is
 * kept and nothing is reported. A file is used only if its head is intact and only its user may
 * write to it. Each block is verified by its checksum at its first use, so an answer costs what it
 * reads; a damaged file is removed. Callers check the meaning and the range of the contents.
 *
 * A new file replaces the old one by a rename: the last of two writers wins, and old mappings stay
 * valid. The size of all files is limited: the least recently used ones are removed.
 */
#ifndef GATECTL_CACHE_CACHE_H
#define GATECTL_CACHE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

enum { CACHE_PARTS = 8, CACHE_NAME = 128 };

struct cache; /* one mapped file */

struct cache_part {
	const void *bytes;
	uint64_t size;
};

/* Disables reading and writing for the rest of the process (--no-cache). */
void cache_refuse(void);

/* Returns true if the folder exists, or can be made, and is writable. */
bool cache_usable(void);

/* Returns the file of this name and format, closed by cache_close(), or NULL if there is no
   intact one. Names have no slash and fewer than CACHE_NAME characters. */
struct cache *cache_open(const char *name, uint32_t format);
/* Unmaps the file. NULL is allowed. */
void cache_close(struct cache *c);

/* Returns the size of the part in bytes, 0 if there is none. */
uint64_t cache_size(const struct cache *c, unsigned part);
/* Returns `n` bytes of the part from offset `at`, aligned like `at` and valid until
   cache_close(). Returns NULL if there are fewer or if they are damaged. */
const void *cache_bytes(struct cache *c, unsigned part, uint64_t at, uint64_t n);

/* Writes or replaces the file; `count` is at most CACHE_PARTS. Returns false if nothing is kept. */
bool cache_write(const char *name, uint32_t format, const struct cache_part *parts, unsigned count);

/* Returns a checksum of the bytes. `sum` is the checksum of the preceding piece, 0 for the
   first. */
uint64_t cache_sum(uint64_t sum, const void *bytes, uint64_t n);

#endif
