/*
 * For tests of ELF files: a directory for each test, and the test's own executable as raw material.
 */
#ifndef TESTS_SYMBOLS_FILES_H
#define TESTS_SYMBOLS_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tracer/base/text/str.h"
#include "tracer/dwarf/lines/lines.h"
#include "tracer/elf/module.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define UNIT_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

struct fixture {
	struct modules *s;
	struct error err;
	char directory[64];
	struct str path; /* last path made by in() */
	uint8_t *image;	 /* contents of the test's executable */
	size_t size;
};

static inline uint8_t *read_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	uint8_t *bytes;

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	*size = (size_t)st.st_size;
	bytes = base_alloc(*size, 1);
	assert_int_equal(read(fd, bytes, *size), *size);
	close(fd);
	return bytes;
}

static inline void write_file(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}

static inline const char *in(struct fixture *f, const char *name)
{
	str_clear(&f->path);
	str_addf(&f->path, "%s/%s", f->directory, name);
	return str_text(&f->path);
}

static inline int setup(void **state)
{
	struct fixture *f = base_alloc(1, sizeof(*f));

	strcpy(f->directory, "/tmp/test_elf_module_XXXXXX");
	if (!mkdtemp(f->directory))
		return -1;
	f->s = modules_new();
	f->image = read_file("/proc/self/exe", &f->size);
	*state = f;
	return 0;
}

/* Runs a shell command in the test's directory. Returns true if it succeeds. */
static inline bool shell(struct fixture *f, const char *command)
{
	struct str line = {0};
	bool done;

	str_addf(&line, "cd %s && { %s; } >/dev/null 2>&1", f->directory, command);
	done = system(str_text(&line)) == 0;
	str_fini(&line);
	return done;
}

static inline int teardown(void **state)
{
	struct fixture *f = *state;

	shell(f, "rm -rf \"$PWD\"");
	modules_free(f->s);
	str_fini(&f->path);
	base_free(f->image);
	error_fini(&f->err);
	base_free(f);
	return 0;
}

static inline struct module *opened(struct fixture *f, const char *path)
{
	struct module *m = modules_open(f->s, path, &f->err);

	if (!m)
		fail_msg("%s", f->err.text);
	return m;
}

static inline struct module *self(struct fixture *f)
{
	return opened(f, "/proc/self/exe");
}

static inline void expect_refused(struct fixture *f, const char *path, const char *words)
{
	error_fini(&f->err);
	assert_null(modules_open(f->s, path, &f->err));
	assert_int_equal(f->err.code, ERROR_OBJECT);
	if (!strstr(f->err.text, words) || !strstr(f->err.text, path))
		fail_msg("not '%s' of %s: %s", words, path, f->err.text);
}

#endif
