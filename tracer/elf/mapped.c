/* Passes over mapped sections, which release the pages behind them. */
#include "tracer/elf/module.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WINDOW = 4 << 20 };

/* True for memory of the process (decompressed, joined, or read because the file could not be
   mapped), which a release would fill with zeros. MADV_WIPEONFORK fails on mapped files. */
static bool is_memory(void *start, size_t size)
{
	if (madvise(start, size, MADV_WIPEONFORK) != 0)
		return false;
	madvise(start, size, MADV_KEEPONFORK);
	return true;
}

void pass_over(const uint8_t *bytes, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = ((uintptr_t)bytes + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)bytes + size) & ~(page - 1);

	/* libelf maps files read-only, so no page is modified. */
	if (start < end && !is_memory((void *)start, end - start))
		madvise((void *)start, end - start, MADV_DONTNEED);
}

bool pass_to(struct pass *p, const uint8_t *at)
{
	if (at < p->from || at - p->from < WINDOW)
		return false;
	pass_over(p->from, (size_t)(at - p->from));
	p->from = at;
	return true;
}

const uint8_t *pass_find(struct pass *p, const uint8_t *at, const uint8_t *end, const void *what,
			 size_t length)
{
	while ((size_t)(end - at) >= length) {
		size_t left = (size_t)(end - at);
		size_t part = left - length < WINDOW ? left : WINDOW + length - 1;
		const uint8_t *found = memmem(at, part, what, length);

		if (found || part == left)
			return found;
		at += WINDOW;
		pass_to(p, at);
	}
	return NULL;
}
