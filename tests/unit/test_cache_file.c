/* Cache files between runs: a read returns the bytes written, or nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tracer/base/array.h"
#include "tracer/cache/cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORMAT = 7, LENGTH = 40000 };

static char base[64];

static int setup(void **state)
{
	(void)state;
	strcpy(base, "/tmp/gatectl-cache-XXXXXX");
	return mkdtemp(base) && setenv("XDG_CACHE_HOME", base, 1) == 0 ? 0 : -1;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", base);
	return system(command);
}

static const char *in_folder(const char *name)
{
	static char path[192];

	snprintf(path, sizeof(path), "%s/gatectl/%s", base, name);
	return path;
}

/* Writes two parts: LENGTH bytes derived from `seed`, and the seed. */
static bool put(const char *name, uint32_t seed)
{
	static uint32_t bytes[LENGTH / 4];
	const struct cache_part parts[] = {{bytes, sizeof(bytes)}, {&seed, sizeof(seed)}};

	for (uint32_t i = 0; i < LENGTH / 4; i++)
		bytes[i] = (i + seed) * 2654435761u;
	return cache_write(name, FORMAT, parts, 2);
}

/* Checks that all readable bytes are those of put(). Returns true if all are readable. */
static bool is_right(struct cache *c)
{
	const uint32_t *seed = cache_bytes(c, 1, 0, sizeof(*seed));
	bool all = seed;

	for (uint32_t i = 0; seed && i < LENGTH / 4; i++) {
		const uint32_t *at = cache_bytes(c, 0, i * 4, 4);

		if (at)
			assert_int_equal(*at, (i + *seed) * 2654435761u);
		all = all && at;
	}
	return all;
}

static bool is_there(const char *name)
{
	struct cache *c = cache_open(name, FORMAT);
	bool right = c && is_right(c);

	cache_close(c);
	return right;
}

static void written_data_is_read(void **state)
{
	struct cache *c;

	(void)state;
	assert_null(cache_open("a", FORMAT));
	assert_true(put("a", 1));
	assert_true(is_there("a"));
	c = cache_open("a", FORMAT);
	assert_int_equal(cache_size(c, 0), LENGTH);
	assert_int_equal(cache_size(c, 2), 0);
	assert_null(cache_bytes(c, 0, LENGTH - 3, 4));
	assert_null(cache_bytes(c, 0, UINT64_MAX, 4));
	assert_null(cache_bytes(c, 0, 4, UINT64_MAX));
	assert_null(cache_bytes(c, 2, 0, 1));
	assert_true(put("a", 2)); /* an open cache keeps its contents */
	assert_int_equal(*(const uint32_t *)cache_bytes(c, 1, 0, 4), 1);
	assert_true(is_right(c));
	cache_close(c);
	assert_true(is_there("a"));
	assert_null(cache_open("a", FORMAT + 1));
	assert_int_equal(system("cd $XDG_CACHE_HOME/gatectl && cp a b"), 0);
	assert_null(cache_open("b", FORMAT)); /* the file belongs to another key */
}

static uint8_t *contents(const char *name, size_t *size)
{
	int fd = open(in_folder(name), O_RDONLY);
	struct stat st;
	uint8_t *bytes;

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	*size = (size_t)st.st_size;
	bytes = base_alloc(*size, 1);
	assert_int_equal(read(fd, bytes, *size), *size);
	close(fd);
	return bytes;
}

static void set_contents(const char *name, const uint8_t *bytes, size_t size)
{
	int fd = open(in_folder(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}

/* A damaged file is removed: the next run writes it again. */
static void damage_is_seen(const uint8_t *bytes, size_t size, size_t at)
{
	struct cache *c;

	set_contents("a", bytes, size);
	c = cache_open("a", FORMAT);
	if (c && is_right(c))
		assert_true(at + 8 > size); /* after the end of the last part */
	else if (c)
		assert_int_equal(access(in_folder("a"), F_OK), -1);
	cache_close(c);
}

static void one_byte_is_wrong(void **state)
{
	size_t size;
	uint8_t *bytes;

	(void)state;
	assert_true(put("a", 3));
	bytes = contents("a", &size);
	for (size_t i = 0; i < size; i += i < 600 ? 1 : 61) {
		bytes[i] ^= (uint8_t)(1 << i % 8);
		damage_is_seen(bytes, size, i);
		bytes[i] ^= (uint8_t)(1 << i % 8);
	}
	base_free(bytes);
}

static void files_of_another_length_are_refused(void **state)
{
	size_t size;
	uint8_t *bytes;

	(void)state;
	assert_true(put("a", 4));
	bytes = contents("a", &size);
	for (size_t i = 0; i < size; i += i < 600 ? 1 : 997) {
		set_contents("a", bytes, i);
		assert_null(cache_open("a", FORMAT));
	}
	set_contents("a", bytes, size);
	assert_true(is_there("a"));
	assert_int_equal(truncate(in_folder("a"), (off_t)size + 1), 0);
	assert_null(cache_open("a", FORMAT));
	base_free(bytes);
}

static void others_may_write_there(void **state)
{
	(void)state;
	assert_true(put("a", 5));
	assert_int_equal(chmod(in_folder("a"), 0666), 0);
	assert_null(cache_open("a", FORMAT));
	assert_int_equal(chmod(in_folder("a"), 0600), 0);
	assert_true(is_there("a"));
	assert_int_equal(chmod(in_folder(""), 0770), 0);
	assert_null(cache_open("a", FORMAT));
	assert_false(put("a", 6));
	assert_int_equal(chmod(in_folder(""), 0700), 0);
	assert_int_equal(system("cd $XDG_CACHE_HOME/gatectl && mv a c && ln -s c a"), 0);
	assert_null(cache_open("a", FORMAT));
	if (geteuid() == 0) {
		assert_int_equal(chown(in_folder(""), 12345, 12345), 0);
		assert_false(put("a", 7));
		assert_int_equal(system("rm -r $XDG_CACHE_HOME/gatectl"), 0);
		assert_int_equal(chown(base, 12345, 12345), 0); /* a home of another user */
		assert_false(put("a", 7));
		assert_int_equal(access(in_folder(""), F_OK), -1);
	}
}

static void there_is_no_folder(void **state)
{
	(void)state;
	setenv("XDG_CACHE_HOME", "relative", 1);
	setenv("HOME", base, 1);
	assert_true(put("a", 8)); /* in ~/.cache */
	assert_int_equal(system("test -f $HOME/.cache/gatectl/a"), 0);
	setenv("XDG_CACHE_HOME", "/proc/self", 1);
	assert_false(put("a", 9));
	assert_false(cache_usable());
	assert_null(cache_open("a", FORMAT));
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	assert_false(put("a", 10));
	assert_null(cache_open("a", FORMAT));
}

/* Sparse files of 300 MB; the oldest one was used again. */
static void size_is_bounded(void **state)
{
	(void)state;
	assert_true(put("a", 11));
	assert_int_equal(
		system("cd $XDG_CACHE_HOME/gatectl && for f in 1 2 3 4; do truncate -s 300M $f && "
		       "touch -d \"200$f-01-01\" $f; done; touch -d 2000-01-01 a; "
		       "touch -d 2001-01-01 .new-old; touch .new-young"),
		0);
	assert_true(is_there("a"));
	assert_true(put("b", 12));
	assert_true(is_there("a"));
	assert_true(is_there("b"));
	assert_int_equal(access(in_folder("1"), F_OK), -1);
	assert_int_equal(access(in_folder("2"), F_OK), 0);
	assert_int_equal(access(in_folder("3"), F_OK), 0);
	assert_int_equal(access(in_folder("4"), F_OK), 0);
	assert_int_equal(access(in_folder(".new-old"), F_OK), -1);
	assert_int_equal(access(in_folder(".new-young"), F_OK), 0);
}

static void several_write_at_once(void **state)
{
	enum { WRITERS = 4, TIMES = 100 };
	int status, left = WRITERS;

	(void)state;
	assert_true(put("a", 0));
	for (uint32_t i = 0; i < WRITERS; i++) {
		if (fork())
			continue;
		for (uint32_t n = 0; n < TIMES; n++)
			if (!put("a", i * TIMES + n))
				_exit(1);
		_exit(0);
	}
	while (left) {
		assert_true(is_there("a"));
		if (waitpid(-1, &status, WNOHANG) > 0) {
			assert_int_equal(status, 0);
			left--;
		}
	}
	assert_int_equal(system("test \"$(ls -A $XDG_CACHE_HOME/gatectl)\" = a"), 0);
}

static void cache_is_refused(void **state)
{
	(void)state;
	assert_true(put("a", 13));
	cache_refuse();
	assert_null(cache_open("a", FORMAT));
	assert_false(put("a", 14));
	assert_false(cache_usable());
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(written_data_is_read),
		TEST(one_byte_is_wrong),
		TEST(files_of_another_length_are_refused),
		TEST(others_may_write_there),
		TEST(there_is_no_folder),
		TEST(size_is_bounded),
		TEST(several_write_at_once),
		TEST(cache_is_refused), /* last: the refusal is permanent */
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
