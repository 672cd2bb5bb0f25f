/* Functions in assembler and their flow, read from the test's own executable. */
#ifndef FLOW_CODE_H
#define FLOW_CODE_H

#include "tracer/source/flow/flow_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* clang-format off */
#define CODE(name, lines)                                                                          \
	__asm__(".text\n.globl " name "\n.type " name ", @function\n" name ":\n" lines             \
		"\n.globl " name "_end\n" name "_end:\n.size " name ", .-" name "\n")
#define AT(name) extern const char name[]
/* clang-format on */

int main(void);

static struct modules *symbols;
static struct module *module;
static uint64_t load;

static inline uint64_t offset_of(const char *label)
{
	return (uint64_t)label - load;
}

static inline struct module_range range_of(const char *low, const char *high)
{
	return (struct module_range){offset_of(low), offset_of(high)};
}

static inline struct flow *flow_of(const char *low, const char *high)
{
	struct module_range r = range_of(low, high);

	return flow_new(module, &(struct flow_ranges){&r, 1, 1});
}

static inline struct flow *flow_of_ranges(struct module_range *ranges, size_t count)
{
	return flow_new(module, &(struct flow_ranges){ranges, count, count});
}

static inline int set_up(void **state)
{
	static struct error err;
	uint64_t offset, size;

	(void)state;
	symbols = modules_new();
	module = modules_open(symbols, "/proc/self/exe", &err);
	if (!module || module_symbol(module, "main", &offset, &size) < 0)
		return -1;
	load = (uint64_t)main - offset;
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	modules_free(symbols);
	return 0;
}

#endif
