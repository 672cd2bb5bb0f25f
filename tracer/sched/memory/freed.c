/*
 * Memory that a program gives back. Who has it next has nothing to do with who had it; and whoever is still there, with
 * nothing that orders him before, races with its end: in another order he uses it when it is free. The latter is said of
 * the tester's own calls alone: libc frees what it has, and what it was told to (pthread_key_create(&key, free)); and
 * a function that ends by a jump to free looks like that.
 */
#include "tracer/sched/sched_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/places/sites.h"

#include <string.h>
#include <sys/mman.h>

enum {
	WORD = 8,
	FLAGS = 7, /* in the word before a block of glibc, which has the size of block and word */
	GLIBC_LEAST = 32,
	GLIBC_ALIGN = 16,
	ASAN_HEAD = 16,
	ASAN_ALLOCATED = 2,
	ASAN_SHIFT = 3, /* a byte of its shadow is about eight of the program's */
	ASAN_SHADOW = 0x7fff8000,
};

static bool is_allocator(struct module *m, const char *symbol)
{
	uint64_t offset;

	return module_symbol(m, symbol, &offset, NULL) == 0;
}

/* ... whose blocks say how long they are. Others that stand in for it have some of its names. */
static bool is_glibc(struct module *m)
{
	return is_allocator(m, "__libc_free") && is_allocator(m, "malloc_info");
}

bool freed_has_operators(struct module *allocator)
{
	return is_allocator(allocator, "__asan_init");
}

/* 0: it is no block of glibc's. */
static uint64_t glibc_size(const struct sched_thread *t, uint64_t block)
{
	uint64_t size;

	if (tracee_read(t->thread->process->tracee, block - sizeof(size), &size, sizeof(size)) < 0)
		return 0;
	size &= ~(uint64_t)FLAGS;
	return size >= GLIBC_LEAST && size % GLIBC_ALIGN == 0 && arch_is_address(block + size)
		       ? size - WORD
		       : 0;
}

/* Of AddressSanitizer's blocks, in gcc 12's and clang 14's libraries: state, and the size that was asked for. */
static uint64_t asan_size(const struct sched_thread *t, uint64_t block)
{
	struct {
		uint8_t state, kind;
		uint16_t high;
		uint32_t low;
		uint64_t context;
	} head;

	_Static_assert(sizeof(head) == ASAN_HEAD, "as it stands before the block");
	if (tracee_read(t->thread->process->tracee, block - sizeof(head), &head, sizeof(head)) <
		    0 ||
	    head.state != ASAN_ALLOCATED)
		return 0;
	return (uint64_t)head.high << 32 | head.low;
}

/* The call before `back`: as it was met before, or a new one. */
static unsigned freed_place_of(struct sched *g, const struct sched_thread *t, uint64_t back)
{
	const struct image *image = images_at(t->thread->process, back);
	const uint64_t offset = back - 1 - image->bias;
	unsigned place = (unsigned)g->accesses.count;

	array_each(const unsigned, known, &g->freeing) {
		const struct sched_access *a = &g->accesses.items[*known];

		if (a->module == image->module && a->offset == offset)
			return *known;
	}
	*array_add(&g->freeing) = place;
	*array_add(&g->accesses) = (struct sched_access){
		.module = image->module, .offset = offset, .address = back - 1, .frees = true};
	return place;
}

/* Who is about to use the block looks into the shadow first, and whether it is free is seen only there. */
static struct watch_freed in_shadow(struct watch_freed f)
{
	f.low = (f.block >> ASAN_SHIFT) + ASAN_SHADOW;
	f.size = (f.size + FLAGS) >> ASAN_SHIFT;
	f.shift = ASAN_SHIFT;
	return f;
}

/* Code of no file (made at run time) is no place that can be told. */
static bool is_testers(struct run_process *p, uint64_t back)
{
	return images_at(p, back) && !scheduler_is_runtime(p, back);
}

/* 0: it is not known. */
static uint64_t size_of(const struct sched_thread *t, struct module *allocator, uint64_t block)
{
	if (freed_has_operators(allocator))
		return asan_size(t, block);
	return is_glibc(allocator) ? glibc_size(t, block) : 0;
}

/* By free, or by realloc: it may move, and if it does not, who has the block has it as if it were new. */
static void given_block(struct scheduler *c, struct sched_thread *t, const struct hit *h)
{
	const struct image *image = images_at(h->thread->process, h->address);
	const uint64_t block = entry_argument(h, 0);
	struct watch_freed f = {.low = block, .block = block};
	uint64_t back;

	if (!block || !image || tracee_top(h->thread->tracee, &back) < 0)
		return;
	f.races = is_testers(h->thread->process, back);
	if (!f.races && watch_is_given(c, t, block))
		return; /* from the store of free blocks that a thread has until it ends */
	if (f.races) {
		watch_own_code(c, t);
		f.place = freed_place_of(c->given, t, back);
	}
	f.size = size_of(t, image->module, block);
	f.keeps = f.size && h->thread->process->loader; /* or libc's own calls are not known */
	if (freed_has_operators(image->module)) {
		const struct watch_freed shadow = in_shadow(f);

		watch_freed(c, t, &shadow);
	}
	if (!f.size) /* the least that a block of any allocator can have */
		f.size = WORD;
	watch_freed(c, t, &f);
}

void freed_taken(struct scheduler *c, struct sched_thread *t, struct module *allocator,
		 uint64_t block)
{
	struct watch_freed f = {.low = block, .block = block};

	f.size = size_of(t, allocator, block);
	if (!f.size) {
		watch_taken_any(c);
		return;
	}
	watch_freed(c, t, &f);
	if (!freed_has_operators(allocator))
		return;
	f = in_shadow(f);
	watch_freed(c, t, &f);
}

/* The call is a point if it was found to race. Of a sanitizer's block others look at the shadow, too. */
static void free_is_point(struct scheduler *c, struct sched_thread *t, const struct hit *h,
			  const char *name)
{
	const struct image *image, *allocator = images_at(h->thread->process, h->address);
	const struct sched_chosen *chosen;
	uint64_t back, size;

	if (!allocator || tracee_top(h->thread->tracee, &back) < 0 ||
	    !is_testers(h->thread->process, back))
		return;
	image = images_at(h->thread->process, back);
	chosen = accesses_chosen(c->given, module_name(image->module), back - 1 - image->bias);
	if (!chosen || !chosen->frees)
		return;
	size = freed_has_operators(allocator->module)
		       ? 0
		       : size_of(t, allocator->module, entry_argument(h, 0));
	t->point = (struct strategy_point){.op = STRATEGY_WRITE,
					   .object = entry_argument(h, 0),
					   .place = back,
					   .writes = true,
					   .size = size ? size : STRATEGY_ANY_SIZE};
	t->access_count = 0;
	t->objects[0] = t->objects[1] = 0;
	t->function = name;
	t->entry_sp = h->regs.dwarf[ARCH_DWARF_SP];
	t->at_point = true;
}

static void given_pages(struct scheduler *c, struct sched_thread *t, const struct hit *h)
{
	const struct watch_freed f = {.low = entry_argument(h, 0), .size = entry_argument(h, 1)};

	watch_freed(c, t, &f);
}

/* ---- where it is given back ---------------------------------------------------------------------- */

enum giver { FREE, REALLOC, MUNMAP, MREMAP, MMAP };
static const struct giver_function {
	const char *name;
	enum giver what;
} givers[] = {
	{"free", FREE},
	{"realloc", REALLOC},
	{"munmap", MUNMAP},
	{"mremap", MREMAP},
	{"mmap", MMAP},
	{"_ZdlPv", FREE},
	{"_ZdaPv", FREE},
	{"_ZdlPvm", FREE},
	{"_ZdaPvm", FREE},
	{"_ZdlPvSt11align_val_t", FREE},
	{"_ZdaPvSt11align_val_t", FREE},
	{"_ZdlPvmSt11align_val_t", FREE},
	{"_ZdaPvmSt11align_val_t", FREE},
};
enum { GIVERS = sizeof(givers) / sizeof(*givers) };

static enum hit_answer hit_giver(struct run *s, const struct act *a, const struct hit *h)
{
	enum { FLAGS_OF_MMAP = 3 };
	const enum giver what = givers[a->what].what;
	struct scheduler *c = scheduler_of(s);
	struct sched_thread *t = sched_thread_of(h->thread);

	if (!c || !c->begun || c->over || !t->thread)
		return HIT_SEEN;
	if (!c->given->races && (what == FREE || what == REALLOC))
		free_is_point(c, t, h, givers[what].name);
	if (!c->given->races)
		return HIT_SEEN;
	if (what == FREE || what == REALLOC)
		given_block(c, t, h);
	else if (what != MMAP || entry_argument(h, FLAGS_OF_MMAP) & MAP_FIXED)
		given_pages(c, t, h);
	return HIT_SEEN;
}

static const struct site_owner giver_owner = {.name = "giver", .hit = hit_giver};

void allocator_look(const struct allocator_setting *x, const struct site_owner *owner,
		    unsigned what, uint64_t offset)
{
	const struct act act = {.owner = owner, .what = what};
	ERROR(ignored);
	struct site_use *use =
		sites_use(x->run, x->process, x->thread, x->image->bias + offset, NULL, &ignored);

	if (use && !sites_has(use, &act))
		sites_act(use, &act);
}

static void put_named(void *ctx, const char *name, uint64_t offset)
{
	const struct allocator_setting *x = ctx;

	for (unsigned i = 0; offset && i < GIVERS; i++)
		if (strcmp(name, givers[i].name) == 0 && (*name != '_' || x->operators))
			allocator_look(x, &giver_owner, i, offset);
}

/* Where no races are searched for, only those are looked at. */
static bool some_are_points(const struct sched *g)
{
	array_each(const struct sched_chosen, chosen, &g->chosen)
		if (chosen->frees)
			return true;
	return false;
}

void freed_settled(struct run *s, struct run_process *p, struct tracee_thread *t,
		   const struct image *image)
{
	const struct allocator_setting x = {s, p, t, image, freed_has_operators(image->module)};
	uint64_t offset;

	if (!s->options->sched->races && !some_are_points(s->options->sched))
		return;
	if (p->loader) {
		module_each_dynamic(image->module, put_named, (void *)&x);
		return;
	}
	for (unsigned i = 0; i < GIVERS; i++)
		if (module_symbol(image->module, givers[i].name, &offset, NULL) == 0)
			put_named((void *)&x, givers[i].name, offset);
}
