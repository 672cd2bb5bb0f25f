/* A file is mapped and looked at. */
#include "tracer/cache/cache_internal.h"

#include "tracer/base/array.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { USED_SECONDS = 3600 }; /* more exactly the last use is not known */

enum block_state { BLOCK_UNSEEN, BLOCK_SOUND, BLOCK_DAMAGED };

struct cache {
	const uint8_t *bytes;
	const struct cache_head *head;
	const uint64_t *sums;
	uint8_t *states; /* enum block_state */
};

/* Each step can be undone: of two pieces that differ in one word the sums differ. */
uint64_t cache_sum(uint64_t sum, const void *bytes, uint64_t n)
{
	const uint64_t odd = 0x9e3779b97f4a7c15u;
	const uint8_t *at = bytes;
	uint64_t word;

	sum = (sum ^ n) * odd;
	for (; n >= sizeof(word); at += sizeof(word), n -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		sum = (sum ^ word) * odd;
		sum ^= sum >> 29;
	}
	word = 0;
	if (n)
		memcpy(&word, at, n);
	sum = (sum ^ word) * odd;
	return sum ^ sum >> 32;
}

uint64_t cache_head_sum(const struct cache_head *h, const uint64_t *sums)
{
	uint64_t sum = cache_sum(0, h, offsetof(struct cache_head, sum));

	return cache_sum(sum, sums, cache_blocks(h) * sizeof(*sums));
}

/* ---- opening -------------------------------------------------------------------------------- */

static bool parts_fit(const struct cache_head *h)
{
	for (unsigned i = 0; i < CACHE_PARTS; i++) {
		const struct cache_place *p = &h->parts[i];

		if (p->size && (p->at % 8 || p->at < h->body || p->at > h->total ||
				p->size > h->total - p->at))
			return false;
	}
	return true;
}

static bool is_sound(const struct cache_head *h, uint64_t size, const char *name, uint32_t format)
{
	uint64_t room;

	if (memcmp(h->magic, CACHE_MAGIC, sizeof(h->magic)) != 0 || h->order != CACHE_ORDER ||
	    h->format != format || strncmp(h->name, name, sizeof(h->name)) != 0)
		return false;
	if (h->total != size || h->body < sizeof(*h) || h->body > size || h->body % 8)
		return false;
	room = (h->body - sizeof(*h)) / sizeof(uint64_t);
	return cache_blocks(h) == room && parts_fit(h) &&
	       h->sum == cache_head_sum(h, (const uint64_t *)(h + 1));
}

/* The file's own time says when it was last used. */
static void note_use(int fd, const struct stat *st)
{
	if (st->st_mtime + USED_SECONDS < time(NULL))
		futimens(fd, NULL);
}

static struct cache *map_file(int fd, const char *name, uint32_t format)
{
	struct cache *c;
	struct stat st;
	uint64_t size;
	void *bytes;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !cache_is_ours(&st) ||
	    st.st_size < (off_t)sizeof(struct cache_head) || (uint64_t)st.st_size > CACHE_MOST)
		return NULL;
	size = (uint64_t)st.st_size;
	bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return NULL;
	if (!is_sound(bytes, size, name, format)) {
		munmap(bytes, size);
		return NULL;
	}
	note_use(fd, &st);
	c = base_alloc(1, sizeof(*c));
	c->bytes = bytes;
	c->head = bytes;
	c->sums = (const uint64_t *)(c->head + 1);
	c->states = base_alloc(cache_blocks(c->head) + 1, sizeof(*c->states));
	return c;
}

struct cache *cache_open(const char *name, uint32_t format)
{
	int folder = cache_folder(false), fd;
	struct cache *c = NULL;

	if (folder < 0)
		return NULL;
	fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	close(folder);
	if (fd < 0)
		return NULL;
	c = map_file(fd, name, format);
	close(fd);
	return c;
}

void cache_close(struct cache *c)
{
	if (!c)
		return;
	base_free(c->states);
	munmap((void *)c->bytes, c->head->total);
	base_free(c);
}

/* ---- looking -------------------------------------------------------------------------------- */

uint64_t cache_size(const struct cache *c, unsigned part)
{
	return c->head->parts[part].size;
}

static bool block_is_sound(struct cache *c, uint64_t i)
{
	const struct cache_head *h = c->head;
	uint64_t at = h->body + i * CACHE_BLOCK;
	uint64_t n = h->total - at < CACHE_BLOCK ? h->total - at : CACHE_BLOCK;

	if (c->states[i] != BLOCK_UNSEEN)
		return c->states[i] == BLOCK_SOUND;
	c->states[i] = cache_sum(0, c->bytes + at, n) == c->sums[i] ? BLOCK_SOUND : BLOCK_DAMAGED;
	if (c->states[i] == BLOCK_DAMAGED)
		cache_remove(h->name);
	return c->states[i] == BLOCK_SOUND;
}

const void *cache_bytes(struct cache *c, unsigned part, uint64_t at, uint64_t n)
{
	const struct cache_place *p = &c->head->parts[part];
	uint64_t first;

	if (at > p->size || n > p->size - at)
		return NULL;
	first = p->at + at - c->head->body;
	for (uint64_t i = first / CACHE_BLOCK; n && i <= (first + n - 1) / CACHE_BLOCK; i++)
		if (!block_is_sound(c, i))
			return NULL;
	return c->bytes + p->at + at;
}
