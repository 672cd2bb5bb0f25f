/*
 * Libc and ld.so use locks for themselves: that is no point. Each such call would stop at the trap for nothing,
 * eight of them in a run of three threads. ld.so calls by pointers, which it keeps in its own data: they are
 * made to lead past the trap.
 */
#include "tracer/sched/sched_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/places/sites.h"

/* In musl one file is all of these. Another process may have them at other places. */
bool scheduler_is_runtime(struct run_process *p, uint64_t address)
{
	const struct image *image = images_at(p, address);

	return image && (image->module == p->loader || module_matches(image->module, "libc.so") ||
			 module_matches(image->module, "libpthread.so"));
}

/*
 * ld.so reads and closes files while it loads a program or a library: which ones depends on
 * LD_LIBRARY_PATH and on ld.so.cache, and no other thread has to do with them. In musl libc has the
 * same file: its calls are the program's.
 */
bool scheduler_is_loading(const struct run_process *p, uint64_t pc)
{
	uint64_t low, high, offset;

	if (!p->loader)
		return false;
	module_span(p->loader, &low, &high);
	offset = pc - p->loader_base;
	return offset >= low && offset < high &&
	       module_symbol(p->loader, "printf", &offset, NULL) < 0;
}

static bool is_alone(const struct site_use *use, const struct site_owner *owner)
{
	array_each(const struct act, a, &use->acts)
		if (a->owner != owner)
			return false;
	return use->acts.count > 0;
}

/* 0: it leads to no trap, or somebody else is to see who comes by. */
static uint64_t past_trap(struct run_process *p, const struct site_owner *owner, uint64_t to)
{
	struct tracee_site *site = tracee_site_find(p->tracee, to);

	return site && site->user && is_alone(site->user, owner) ? tracee_site_unseen(site) : 0;
}

static void image_unseen(struct run_process *p, const struct image *image,
			 const struct site_owner *owner)
{
	uint64_t low, high, *words;
	size_t count;

	module_span(image->module, &low, &high);
	low = image->bias + low;
	count = (image->bias + high - low) / sizeof(*words);
	words = base_alloc(count, sizeof(*words));
	if (tracee_read(p->tracee, low, words, count * sizeof(*words)) < 0)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t past = past_trap(p, owner, words[i]);

		if (past)
			tracee_write(p->tracee, low + i * sizeof(past), &past, sizeof(past));
	}
	base_free(words);
}

void runtime_unseen(struct run_process *p, const struct site_owner *owner)
{
	array_each(const struct image, image, &p->images)
		if (image->module == p->loader)
			image_unseen(p, image, owner);
}
