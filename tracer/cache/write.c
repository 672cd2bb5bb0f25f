/* A file is put together and takes its place at once. */
#include "tracer/cache/cache_internal.h"

#include "tracer/base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { TEMPORARY = 32 };

static uint64_t rounded(uint64_t n)
{
	return (n + 7) & ~7ull;
}

/* The whole file, and how long it is. */
static uint8_t *put_together(const char *name, uint32_t format, const struct cache_part *parts,
			     unsigned count, uint64_t *total)
{
	struct cache_head h = {.magic = CACHE_MAGIC, .order = CACHE_ORDER, .format = format};
	uint64_t bytes = 0, blocks, *sums;
	uint8_t *file;

	for (unsigned i = 0; i < count; i++)
		bytes += rounded(parts[i].size);
	blocks = (bytes + CACHE_BLOCK - 1) / CACHE_BLOCK;
	h.body = sizeof(h) + blocks * sizeof(*sums);
	h.total = h.body + bytes;
	memcpy(h.name, name, strlen(name));
	file = base_alloc(1, h.total);
	bytes = h.body;
	for (unsigned i = 0; i < count; i++) {
		h.parts[i] = (struct cache_place){bytes, parts[i].size};
		if (parts[i].size)
			memcpy(file + bytes, parts[i].bytes, parts[i].size);
		bytes += rounded(parts[i].size);
	}
	sums = (uint64_t *)(file + sizeof(h));
	for (uint64_t i = 0; i < blocks; i++) {
		uint64_t at = h.body + i * CACHE_BLOCK, left = h.total - at;

		sums[i] = cache_sum(0, file + at, left < CACHE_BLOCK ? left : CACHE_BLOCK);
	}
	h.sum = cache_head_sum(&h, sums);
	memcpy(file, &h, sizeof(h));
	*total = h.total;
	return file;
}

static bool write_whole_range(int fd, const uint8_t *bytes, uint64_t n)
{
	while (n) {
		ssize_t done = write(fd, bytes, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		bytes += done;
		n -= (uint64_t)done;
	}
	return true;
}

/* Folders are shared by containers whose processes have equal ids. */
static bool temporary_name(char name[TEMPORARY])
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
		return false;
	snprintf(name, TEMPORARY, ".new-%016llx", (unsigned long long)number);
	return true;
}

static bool put_file(int folder, const char *name, const uint8_t *bytes, uint64_t n)
{
	char temporary[TEMPORARY];
	bool done;
	int fd;

	if (!temporary_name(temporary))
		return false;
	fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	done = write_whole_range(fd, bytes, n);
	done = close(fd) == 0 && done && renameat(folder, temporary, folder, name) == 0;
	if (!done)
		unlinkat(folder, temporary, 0);
	return done;
}

bool cache_write(const char *name, uint32_t format, const struct cache_part *parts, unsigned count)
{
	int folder = strlen(name) < CACHE_NAME && count <= CACHE_PARTS ? cache_folder(true) : -1;
	bool done = false;
	uint8_t *file;
	uint64_t size;

	if (folder < 0)
		return false;
	file = put_together(name, format, parts, count, &size);
	if (cache_trim(folder, size))
		done = put_file(folder, name, file, size);
	base_free(file);
	close(folder);
	return done;
}
