/* The program's memory as conditions see it: whole pages, kept while one event is handled. One
   system call serves many reads, and a condition sees a consistent state. */
#include "tracer/run/run_internal.h"
#include "tracer/run/threads/threads.h"

#include <string.h>

static struct page *page_at(struct run_process *p, uint64_t base)
{
	struct page *page = NULL;
	unsigned long turn = p->run->turns;

	for (size_t i = 0; i < PAGES; i++) {
		struct page *it = &p->pages[i];

		if (it->turn == turn && it->base == base)
			return it;
		if (!page || it->turn < page->turn)
			page = it;
	}
	if (page->turn == turn)
		page = &p->pages[p->page_next++ % PAGES];
	page->turn = 0;
	if (tracee_read(p->tracee, base, page->bytes, sizeof(page->bytes)) < 0)
		return NULL;
	page->base = base;
	page->turn = turn;
	return page;
}

int pages_read(struct run_process *p, uint64_t address, void *buf, size_t n)
{
	uint8_t *out = buf;

	if (!p->tracee)
		return -1;
	if (n > PAGE_BYTES)
		return tracee_read(p->tracee, address, buf, n);
	while (n) {
		uint64_t base = address & ~(uint64_t)(PAGE_BYTES - 1);
		size_t from = address - base;
		size_t part = PAGE_BYTES - from < n ? PAGE_BYTES - from : n;
		struct page *page = page_at(p, base);

		if (!page)
			return -1;
		memcpy(out, page->bytes + from, part);
		out += part;
		address += part;
		n -= part;
	}
	return 0;
}

void pages_forget(struct run *s)
{
	s->turns++;
}

int pages_write(struct run_process *p, uint64_t address, const void *buf, size_t n)
{
	if (!p->tracee)
		return -1;
	pages_forget(p->run);
	return tracee_write(p->tracee, address, buf, n);
}
