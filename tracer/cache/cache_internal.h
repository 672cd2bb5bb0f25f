/* Between the files of this room: how a file is laid out, and its folder. */
#ifndef GATECTL_CACHE_CACHE_INTERNAL_H
#define GATECTL_CACHE_CACHE_INTERNAL_H

#include "tracer/cache/cache.h"

#include <sys/stat.h>

#define CACHE_MAGIC "gatectl"
#define CACHE_ORDER 0x01020304u
#define CACHE_BLOCK (16u << 10)
#define CACHE_MOST  (1ull << 30) /* bytes of all files */

struct cache_place {
	uint64_t at, size; /* from the beginning of the file */
};

/* A file: the head, a sum for each block of what follows, the parts, each at a multiple of 8. */
struct cache_head {
	char magic[8];
	uint32_t order, format;
	char name[CACHE_NAME];
	uint64_t total, body; /* bytes of the file; where the blocks begin */
	struct cache_place parts[CACHE_PARTS];
	uint64_t sum; /* of the head without this, and of the sums */
};

/* The sum of a head, and of the sums of blocks that follow it. */
uint64_t cache_head_sum(const struct cache_head *h, const uint64_t *sums);

/* folder.c: the folder, if it is there (or can be made) and is ours alone; else -1. The caller closes it. */
int cache_folder(bool make);
/* The next run writes it anew. */
void cache_remove(const char *name);
/* Is it the user's own, with nobody else who may write to it? */
bool cache_is_ours(const struct stat *st);
/* Makes room for a file of so many bytes. False: it is too large. */
bool cache_trim(int folder, uint64_t room);

static inline uint64_t cache_blocks(const struct cache_head *h)
{
	return (h->total - h->body + CACHE_BLOCK - 1) / CACHE_BLOCK;
}

#endif
