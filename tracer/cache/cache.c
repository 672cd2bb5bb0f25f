/* Cache files: their folder and its size limit, their format, writing and reading. */
#include "tracer/cache/cache.h"

#include "tracer/base/array.h"
#include "tracer/base/files/io.h"
#include "tracer/base/text/str.h"

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <sys/stat.h>
#include <unistd.h>

#define CACHE_MAGIC "gatectl"
#define CACHE_ORDER 0x01020304u
#define CACHE_BLOCK (16u << 10)
#define CACHE_MOST  (1ull << 30) /* limit of all files, in bytes */

struct cache_place {
	uint64_t at, size; /* offset in the file */
};

/* A file: the head, a checksum for each block of the body, and the body: parts at multiples of
   8. */
struct cache_head {
	char magic[8];
	uint32_t order, format;
	char name[CACHE_NAME];
	uint64_t total, body; /* size of the file; offset of the body */
	struct cache_place parts[CACHE_PARTS];
	uint64_t sum; /* of the head up to here, and of the blocks' checksums */
};

static uint64_t cache_blocks(const struct cache_head *h)
{
	return (h->total - h->body + CACHE_BLOCK - 1) / CACHE_BLOCK;
}

enum { GIVEN_UP = 3600 }; /* seconds after which a temporary file has no living writer */

static bool refused;

void cache_refuse(void)
{
	refused = true;
}

/* True if the user owns the file and no other user may write to it. */
static bool cache_is_ours(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* Returns false if there is no absolute path, as the XDG Base Directory Specification requires. */
static bool base_path(struct str *out)
{
	const char *base = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");

	if (base && *base == '/')
		str_add(out, base);
	else if (home && *home == '/')
		str_addf(out, "%s/.cache", home);
	return out->length != 0;
}

/* Makes a folder only in a folder of the user, since sudo may keep HOME. */
static void make_folder(const char *path)
{
	char *around = base_strndup(path, (size_t)(strrchr(path, '/') - path));
	struct stat st;

	if (stat(*around ? around : "/", &st) == 0 && st.st_uid == geteuid())
		mkdir(path, 0700);
	base_free(around);
}

/* Returns the folder's descriptor, which the caller closes, or -1 if the folder is missing or
   not private. */
static int cache_folder(bool make)
{
	STR(path);
	struct stat st;
	int fd = -1;

	if (refused || !base_path(&path))
		goto out;
	if (make)
		make_folder(str_text(&path));
	str_add(&path, "/gatectl");
	if (make)
		make_folder(str_text(&path));
	fd = open(str_text(&path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &st) < 0 || !cache_is_ours(&st))) {
		close(fd);
		fd = -1;
	}
out:
	return fd;
}

bool cache_usable(void)
{
	int folder = cache_folder(true);
	bool usable = folder >= 0 && faccessat(folder, ".", W_OK, 0) == 0;

	if (folder >= 0)
		close(folder);
	return usable;
}

/* Removes a damaged file; the next run writes it again. */
static void cache_remove(const char *name)
{
	int folder = cache_folder(false);

	if (folder < 0)
		return;
	unlinkat(folder, name, 0);
	close(folder);
}

/* ---- size limit -------------------------------------------------------------------------- */

struct old_file {
	char *name;
	/* used: time of the last use, in seconds, renewed at intervals (note_use) */
	uint64_t size, used;
};

struct old_files {
	ARRAY(struct old_file) all;
	uint64_t total;
};

static void note_file(struct old_files *files, int folder, const char *name)
{
	struct old_file *f;
	struct stat st;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
		return;
	if (name[0] == '.' && st.st_mtime + GIVEN_UP < time(NULL)) { /* its writer has died */
		unlinkat(folder, name, 0);
		return;
	}
	f = array_add(&files->all);
	f->name = base_strdup(name);
	f->size = (uint64_t)st.st_size;
	f->used = (uint64_t)st.st_mtime;
	files->total += f->size;
}

static int by_use(const void *a, const void *b)
{
	const struct old_file *x = a, *y = b;

	return x->used < y->used ? -1 : x->used > y->used;
}

static bool list_files(int folder, struct old_files *files)
{
	int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = again >= 0 ? fdopendir(again) : NULL;
	struct dirent *entry;

	if (!d) {
		if (again >= 0)
			close(again);
		return false;
	}
	while ((entry = readdir(d)))
		note_file(files, folder, entry->d_name);
	closedir(d);
	array_sort(&files->all, by_use);
	return true;
}

/* Removes the least recently used files until `room` bytes fit. Returns false if that is too
   large. */
static bool cache_trim(int folder, uint64_t room)
{
	struct old_files files = {0};
	bool fits = room <= CACHE_MOST / 4 && list_files(folder, &files);

	for (size_t i = 0; fits && i < files.all.count; i++) {
		if (files.total + room <= CACHE_MOST)
			break;
		if (unlinkat(folder, files.all.items[i].name, 0) == 0)
			files.total -= files.all.items[i].size;
	}
	fits = fits && files.total + room <= CACHE_MOST;
	array_each(struct old_file, f, &files.all)
		base_free(f->name);
	array_fini(&files.all);
	return fits;
}

/* ---- writing --------------------------------------------------------------------------------- */

enum { TEMPORARY = 32 };

/* Each step is invertible, so pieces that differ in one word have different checksums. */
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

/* Returns the checksum of the head and of the blocks' checksums. */
static uint64_t cache_head_sum(const struct cache_head *h, const uint64_t *sums)
{
	uint64_t sum = cache_sum(0, h, offsetof(struct cache_head, sum));

	return cache_sum(sum, sums, cache_blocks(h) * sizeof(*sums));
}

static uint64_t rounded(uint64_t n)
{
	return (n + 7) & ~7ull;
}

/* Returns the whole file, which the caller frees, and its size in *total. */
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

/* Uses a random number: containers with equal process ids may share the folder. */
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
	done = io_write(fd, (const char *)bytes, n) == 0;
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

/* ---- reading --------------------------------------------------------------------------------- */

enum { USED_SECONDS = 3600 }; /* accuracy of the time of last use, in seconds */

enum block_state { BLOCK_UNSEEN, BLOCK_SOUND, BLOCK_DAMAGED };

struct cache {
	const uint8_t *bytes;
	const struct cache_head *head;
	const uint64_t *sums;
	uint8_t *states; /* by block: enum block_state */
};

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

/* Sets the file's time of modification, which is the time of its last use. */
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

/* ---- access ------------------------------------------------------------------------------ */

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
