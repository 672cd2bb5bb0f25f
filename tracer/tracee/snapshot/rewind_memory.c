/*
 * Undoes what a copy has mapped and written. /proc/PID/pagemap shows the written pages: a fork
 * shares pages, so a page that only the copy has (bit 56) was written
 * (Documentation/admin-guide/mm/pagemap.rst of Linux).
 */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/snapshot/rewind.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	LOOKED_AT = 512,
	COPIED = 64 /* pages at once */,
	PAGES_MOST = 1 << 18,
	LARGE = 4096
};

/* ---- mappings of the snapshot ---------------------------------------------------------------- */

static unsigned prot_of(const struct tracee_mapping *m)
{
	return (m->readable ? PROT_READ : 0) | (m->writable ? PROT_WRITE : 0) |
	       (m->executable ? PROT_EXEC : 0);
}

/* True if the memory is restored: not if it is shared, or the kernel's. */
static bool is_own_memory(const struct kept_mapping *k)
{
	return !k->shared && !k->of_kernel;
}

/* True if there are so many pages that looking at all would take longer than a fork.
   Sanitizers map terabytes. */
static bool is_too_much(const struct rewinding *w)
{
	uint64_t pages = 0;

	array_each(const struct kept_mapping, k, &w->mappings)
		pages += is_own_memory(k) ? (k->end - k->start) / PAGE : 0;
	return pages > PAGES_MOST;
}

int rewind_mappings(struct rewinding *w)
{
	struct mappings maps = {0};

	if (look_mappings(w->kept->thread->pub.process, &maps) < 0)
		return -1;
	array_each(const struct tracee_mapping, m, &maps.list)
		*array_add(&w->mappings) =
			(struct kept_mapping){.start = m->start,
					      .end = m->end,
					      .offset = m->offset,
					      .dev = m->dev,
					      .ino = m->ino,
					      .prot = prot_of(m),
					      .shared = m->shared,
					      .of_kernel = strncmp(m->path, "[v", 2) == 0};
	array_fini(&maps.list);
	return is_too_much(w) ? -1 : 0;
}

bool rewind_overlaps(const struct rewinding *w, uint64_t addr, uint64_t size)
{
	array_each(const struct kept_mapping, k, &w->mappings)
		if (addr < k->end && k->start < addr + size)
			return true;
	return false;
}

/* ---- mappings made since --------------------------------------------------------------------- */

struct extra {
	uint64_t start, end;
	size_t below; /* index of the next snapshot mapping above */
	bool is_stack;
};

struct extras {
	struct extra *items;
	size_t count, capacity;
};

/* Adds a mapping. Neighbours are merged: what lies between them is not the snapshot's either. */
static void add_extra(struct extras *out, const struct extra *one)
{
	struct extra *last = out->count ? &out->items[out->count - 1] : NULL;

	if (last && last->below == one->below && last->is_stack == one->is_stack)
		last->end = one->end;
	else
		*array_add(out) = *one;
}

static bool rewind_memory_is_same(const struct kept_mapping *k, const struct tracee_mapping *m)
{
	return k->prot == prot_of(m) && k->shared == m->shared && k->dev == m->dev &&
	       k->ino == m->ino && (!k->ino || k->start - k->offset == m->start - m->offset);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Progress of the comparison: the next mapping of the snapshot, compared up to `upto`. */
struct covered {
	size_t i;
	uint64_t upto;
};

/* Compares m from `at` on. Returns the end of the part that was compared, or 0 if the program has
   changed a mapping of the snapshot. */
static uint64_t take_part(const struct rewinding *w, struct covered *f,
			  const struct tracee_mapping *m, uint64_t at, struct extras *extras)
{
	const struct kept_mapping *k = f->i < w->mappings.count ? &w->mappings.items[f->i] : NULL;
	uint64_t end;

	if (!k || at < k->start) {
		end = k ? least(m->end, k->start) : m->end;
		add_extra(extras, &(struct extra){at, end, f->i, !strcmp(m->path, "[stack]")});
		return end;
	}
	end = least(m->end, k->end);
	if (at != (f->upto > k->start ? f->upto : k->start) || !rewind_memory_is_same(k, m))
		return 0;
	f->upto = end;
	f->i += end == k->end;
	return end;
}

/* True if all mappings of the snapshot are there; further ones go into *extras. */
static bool rewind_memory_compare(const struct rewinding *w, const struct mappings *now,
				  struct extras *extras)
{
	struct covered f = {0};

	array_each(const struct tracee_mapping, m, &now->list) {
		for (uint64_t at = m->start; at < m->end;) {
			at = take_part(w, &f, m, at, extras);
			if (!at)
				return false;
		}
	}
	return f.i == w->mappings.count;
}

/* Unmaps the range. A stack that has grown does not shrink; its pages are emptied instead. */
static int undo(struct remote *r, const struct extra *e)
{
	const uint64_t args[6] = {e->start, e->end - e->start, MADV_DONTNEED};
	int64_t result;

	return remote_run(r, e->is_stack ? SYS_madvise : SYS_munmap, args, &result);
}

static int unmap(const struct rewinding *w, struct remote *r)
{
	struct mappings now = {0};
	struct extras extras = {0};
	int result = -1;
	int64_t brk;

	if (remote_run(r, SYS_brk, (const uint64_t[6]){w->brk}, &brk) == 0 &&
	    look_mappings(r->th->pub.process, &now) == 0 && rewind_memory_compare(w, &now, &extras))
		result = 0;
	for (size_t i = 0; result == 0 && i < extras.count; i++)
		result = undo(r, &extras.items[i]);
	array_fini(&extras);
	array_fini(&now.list);
	return result;
}

/* ---- pages written since --------------------------------------------------------------------- */

enum {
	PAGE_ALONE = 56, /* mapped by one process only */
	PAGE_GUARD =
		58, /* not readable: MADV_GUARD_INSTALL. Linux 6.15; 6.13 sets only PAGE_SWAPPED */
	PAGE_OF_FILE = 61,
	PAGE_SWAPPED = 62,
	PAGE_PRESENT = 63,
};

static bool rewind_memory_has(uint64_t entry, unsigned bit)
{
	return entry >> bit & 1;
}

/* True for anonymous memory and for a private copy of a file's page. */
static bool rewind_memory_is_own(uint64_t entry)
{
	return rewind_memory_has(entry, PAGE_SWAPPED) ||
	       (rewind_memory_has(entry, PAGE_PRESENT) && !rewind_memory_has(entry, PAGE_OF_FILE));
}

/* True if both processes share the page, so that neither has written to it. */
static bool rewind_memory_is_shared(uint64_t a, uint64_t b)
{
	return !rewind_memory_has(a, PAGE_SWAPPED) && !rewind_memory_has(b, PAGE_SWAPPED) &&
	       rewind_memory_is_own(a) && rewind_memory_is_own(b) &&
	       !rewind_memory_has(a, PAGE_ALONE) && !rewind_memory_has(b, PAGE_ALONE);
}

static bool may_differ(uint64_t a, uint64_t b)
{
	if (rewind_memory_has(a, PAGE_GUARD) && rewind_memory_has(b, PAGE_GUARD))
		return false;
	return (rewind_memory_is_own(a) || rewind_memory_is_own(b)) &&
	       !rewind_memory_is_shared(a, b);
}

struct both {
	struct remote *r;
	struct tracee_space *kept;
	int kept_pages, copy_pages; /* /proc/PID/pagemap of each process */
	size_t copied;		    /* number of pages */
};

static int open_pages(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/pagemap", pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static bool read_pages(int fd, uint64_t addr, size_t n, uint64_t out[LOOKED_AT])
{
	return pread(fd, out, n * sizeof(*out), (off_t)(addr / PAGE * sizeof(*out))) ==
	       (ssize_t)(n * sizeof(*out));
}

static int copy_pages(struct both *b, uint64_t addr, size_t n)
{
	static uint8_t bytes[COPIED * PAGE];
	const struct thread *th = b->r->th;

	b->copied += n;
	for (size_t part; n; n -= part, addr += part * PAGE) {
		part = least(n, COPIED);
		if (memory_raw_read(b->kept, addr, bytes, part * PAGE) < 0 ||
		    memory_raw_write(th->tracee, space_of(th), addr, bytes, part * PAGE) < 0)
			return -1;
	}
	return 0;
}

/* Restores n pages, LOOKED_AT at most. */
static int restore_some(struct both *b, uint64_t addr, size_t n)
{
	uint64_t copy[LOOKED_AT], kept[LOOKED_AT];
	size_t from = 0;

	if (!read_pages(b->copy_pages, addr, n, copy) || !read_pages(b->kept_pages, addr, n, kept))
		return -1;
	for (size_t i = 0; i <= n; i++) {
		if (i < n && may_differ(copy[i], kept[i]))
			continue;
		if (from < i && copy_pages(b, addr + from * PAGE, i - from) < 0)
			return -1;
		from = i + 1;
	}
	return 0;
}

static int restore(struct both *b, uint64_t start, uint64_t end)
{
	for (uint64_t at = start; at < end; at += LOOKED_AT * PAGE)
		if (restore_some(b, at, least(LOOKED_AT, (end - at) / PAGE)) < 0)
			return -1;
	return 0;
}

/* Joins adjacent mappings, most of which belong to one library. */
static int restore_all(const struct rewinding *w, struct both *b)
{
	uint64_t start = 0, end = 0;

	array_each(const struct kept_mapping, k, &w->mappings) {
		if (!is_own_memory(k))
			continue;
		if (k->start != end) {
			if (restore(b, start, end) < 0)
				return -1;
			start = k->start;
		}
		end = k->end;
	}
	return restore(b, start, end);
}

int rewind_memory(struct rewinding *w, struct remote *r)
{
	const struct tracee_process *kept = w->kept->thread->pub.process;
	struct both b = {.r = r,
			 .kept = kept->space,
			 .kept_pages = open_pages(kept->pid),
			 .copy_pages = open_pages(r->th->pub.process->pid)};
	int result = -1;

	if (b.kept_pages >= 0 && b.copy_pages >= 0 && unmap(w, r) == 0)
		result = restore_all(w, &b);
	w->large += b.copied > LARGE;
	if (b.kept_pages >= 0)
		close(b.kept_pages);
	if (b.copy_pages >= 0)
		close(b.copy_pages);
	return result;
}
