/*
 * For tests of values: a library is compiled at run time and loaded into the test, which then reads
 * its own memory as gatectl reads a program's.
 */
#ifndef TESTS_SYMBOLS_LIBRARY_H
#define TESTS_SYMBOLS_LIBRARY_H

#include "symbols_program.h"

#include "tracer/elf/module.h"
#include "tracer/inspect/values/value_internal.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/uio.h>

struct self {
	struct program p;
	struct dwarf_program view;
	void *library;
	uint64_t bias;
	unsigned loaded; /* number of libraries loaded so far */
	uint8_t reg[16]; /* value of the last set_register() */
	unsigned reg_number;
	size_t reg_size;
};

static inline int self_read(void *ctx, uint64_t address, void *buf, size_t n)
{
	struct iovec to = {buf, n}, from = {(void *)(uintptr_t)address, n};

	(void)ctx;
	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)n ? 0 : -1;
}

static inline int self_write(void *ctx, uint64_t address, const void *buf, size_t n)
{
	struct iovec from = {(void *)(uintptr_t)buf, n}, to = {(void *)(uintptr_t)address, n};

	(void)ctx;
	return process_vm_writev(getpid(), &from, 1, &to, 1, 0) == (ssize_t)n ? 0 : -1;
}

static inline int self_set_register(void *ctx, void *thread, unsigned dwarf, const void *buf,
				    size_t n)
{
	struct self *s = ctx;

	(void)thread;
	s->reg_number = dwarf;
	s->reg_size = n;
	memcpy(s->reg, buf, n);
	return 0;
}

static inline struct module *self_module(void *ctx, size_t i, uint64_t *bias)
{
	struct self *s = ctx;

	*bias = s->bias;
	return i < s->p.count ? s->p.modules[i] : NULL;
}

static inline void self_unload(struct self *s)
{
	program_close(&s->p);
	if (s->library)
		dlclose(s->library);
	s->library = NULL;
}

/* Compiles the command's sources into lib.so and loads it. */
static inline void self_load(struct self *s, const char *command)
{
	char path[160], name[32];
	struct link_map *map;

	self_unload(s);
	program_run(&s->p, command);
	/* A new name: C++ libraries stay loaded, and dlopen returns the old one for an old name. */
	snprintf(name, sizeof(name), "lib%u.so", s->loaded++);
	snprintf(path, sizeof(path), "mv lib.so %s", name);
	program_run(&s->p, path);
	snprintf(path, sizeof(path), "%s/%s", s->p.dir, name);
	s->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!s->library)
		fail_msg("%s", dlerror());
	assert_int_equal(dlinfo(s->library, RTLD_DI_LINKMAP, &map), 0);
	s->bias = map->l_addr;
	program_add(&s->p, name);
	s->view = (struct dwarf_program){.ctx = s,
					 .read = self_read,
					 .write = self_write,
					 .set_register = self_set_register,
					 .module = self_module};
}

/* The value of this type at an address of the test. */
static inline struct inspect_value self_value(struct self *s, const char *type, const void *at)
{
	const struct type *t = type_named(&s->view, s->p.modules[0], 0, type);

	if (!t)
		fail_msg("no type %s", type);
	return value_in_memory(&s->view, t, (uint64_t)(uintptr_t)at);
}

/* Finds a.b[2].c, *x. Returns 0, or -1 with s->p.err set. Covers only what the tests need. */
static inline int self_find(struct self *s, const struct inspect_value *root, const char *path,
			    struct inspect_value *out)
{
	*out = *root;
	while (*path) {
		struct inspect_value from = *out;
		size_t length = strcspn(path, ".[");
		char name[64];

		if (*path == '.') {
			path++;
			continue;
		}
		if (*path == '[') {
			char *end;

			if (inspect_element(&from, strtol(path + 1, &end, 10), out, &s->p.err) < 0)
				return -1;
			path = end + 1;
			continue;
		}
		snprintf(name, sizeof(name), "%.*s", (int)length, path);
		path += length;
		if ((strcmp(name, "*") == 0 ? inspect_deref(&from, out, &s->p.err)
					    : inspect_field(&from, name, out, &s->p.err)) < 0)
			return -1;
	}
	return 0;
}

/* Text of inspect_describe(); an error's text in <>. The caller frees it. */
static inline char *self_text(struct self *s, const struct inspect_value *root, const char *path)
{
	struct inspect_value v;
	struct str text = {0};

	if (self_find(s, root, path, &v) < 0)
		str_addf(&text, "<%s>", s->p.err.text);
	else
		inspect_describe(&v, &text);
	if (!text.text)
		str_add(&text, "");
	return str_take(&text);
}

#define assert_shows(s, root, path, expected)                                                      \
	do {                                                                                       \
		char *shown_ = self_text((s), (root), (path));                                     \
		if (strcmp(shown_, (expected)) != 0)                                               \
			fail_msg("%s is '%s', not '%s'", (path), shown_, (expected));              \
		base_free(shown_);                                                                 \
	} while (0)

#endif
