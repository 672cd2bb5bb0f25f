/* Allocated and freed memory. Accesses by successive owners of a block do not race; an unordered
   access races with the call that frees the block. README.md gives the details. */
#include "tracer/sched/sched_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/places/places.h"
#include "tracer/tracee/fastpath/fastpath.h"

#include <string.h>
#include <sys/mman.h>

/* ---- blocks ------------------------------------------------------------------------------ */

enum {
	WORD = 8,
	FLAGS = 7, /* in the word before a glibc block, which holds the size of block and word */
	GLIBC_LEAST = 32,
	GLIBC_ALIGN = 16,
	ASAN_HEAD = 16,
	ASAN_ALLOCATED = 2,
	ASAN_SHIFT = 3, /* a byte of the shadow describes eight bytes */
	ASAN_SHADOW = 0x7fff8000,
};

static bool is_allocator(struct module *m, const char *symbol)
{
	uint64_t offset;

	return module_symbol(m, symbol, &offset, NULL) == 0;
}

/* Replacements of glibc's allocator define only some of its names. */
static bool is_glibc(struct module *m)
{
	return is_allocator(m, "__libc_free") && is_allocator(m, "malloc_info");
}

static bool is_asan(struct module *allocator)
{
	return is_allocator(allocator, "__asan_init");
}

/* Returns 0 if the block is not glibc's. */
static uint64_t glibc_size(const struct sched_thread *t, uint64_t block)
{
	uint64_t size;

	if (run_thread_read(t->thread, block - sizeof(size), &size, sizeof(size)) < 0)
		return 0;
	size &= ~(uint64_t)FLAGS;
	return size >= GLIBC_LEAST && size % GLIBC_ALIGN == 0 && arch_is_address(block + size)
		       ? size - WORD
		       : 0;
}

/* Returns the requested size from the header of a block of AddressSanitizer (gcc 12, clang 14),
   or 0. */
static uint64_t asan_size(const struct sched_thread *t, uint64_t block)
{
	struct {
		uint8_t state, kind;
		uint16_t high;
		uint32_t low;
		uint64_t context;
	} head;

	_Static_assert(sizeof(head) == ASAN_HEAD, "as it stands before the block");
	if (run_thread_read(t->thread, block - sizeof(head), &head, sizeof(head)) < 0 ||
	    head.state != ASAN_ALLOCATED)
		return 0;
	return (uint64_t)head.high << 32 | head.low;
}

/* Returns the index in `accesses` of the call before `back`, which is added if it is new. */
static unsigned freeing_call(struct sched *g, const struct sched_thread *t, uint64_t back)
{
	const struct image *image = images_at(run_process_of(t->thread), back);
	const uint64_t offset = back - 1 - image->bias;
	unsigned call = (unsigned)g->accesses.count;

	array_each(const unsigned, known, &g->freeing) {
		const struct sched_access *a = &g->accesses.items[*known];

		if (a->module == image->module && a->offset == offset)
			return *known;
	}
	*array_add(&g->freeing) = call;
	*array_add(&g->accesses) = (struct sched_access){
		.module = image->module, .offset = offset, .address = back - 1, .frees = true};
	return call;
}

/* Accesses check the block's shadow first, and only the shadow shows whether the block is free. */
static struct watch_freed in_shadow(struct watch_freed f)
{
	f.low = (f.block >> ASAN_SHIFT) + ASAN_SHADOW;
	f.size = (f.size + FLAGS) >> ASAN_SHIFT;
	f.shift = ASAN_SHIFT;
	return f;
}

/* True for calls in code of the program. Code made at run time belongs to no file that a report
   could name. */
static bool is_testers(struct run_process *p, uint64_t back)
{
	return images_at(p, back) && !scheduler_is_runtime(p, back);
}

/* Returns 0 if the size is unknown. */
static uint64_t size_of(const struct sched_thread *t, struct module *allocator, uint64_t block)
{
	if (is_asan(allocator))
		return asan_size(t, block);
	return is_glibc(allocator) ? glibc_size(t, block) : 0;
}

/* Handles free and realloc. A block that realloc does not move counts as a new block. */
static void given_block(struct scheduler *c, struct sched_thread *t, const struct hit *h)
{
	const struct image *image = images_at(run_process_of(h->thread), h->address);
	const uint64_t block = entry_argument(h, 0);
	struct watch_freed f = {.low = block, .block = block};
	uint64_t back;

	if (!block || !image || tracee_top(run_thread_tracee(h->thread), &back) < 0)
		return;
	f.races = is_testers(run_process_of(h->thread), back);
	if (!f.races && watch_is_given(c, t, block))
		return; /* freed from the thread's cache of free blocks at its exit */
	if (f.races) {
		watch_own_code(c, t);
		f.place = callers_place(c, t, freeing_call(c->given, t, back));
	}
	f.size = size_of(t, image->module, block);
	/* without a loader, libc's internal calls cannot be distinguished */
	f.keeps = f.size && run_process_loader(run_process_of(h->thread));
	if (is_asan(image->module)) {
		const struct watch_freed shadow = in_shadow(f);

		watch_freed(c, t, &shadow);
	}
	if (!f.size) /* the smallest block of any allocator */
		f.size = WORD;
	watch_freed(c, t, &f);
}

static void block_taken(struct scheduler *c, struct sched_thread *t, struct module *allocator,
			uint64_t block)
{
	struct watch_freed f = {.low = block, .block = block};

	f.size = size_of(t, allocator, block);
	if (!f.size) {
		watch_taken_any(c);
		return;
	}
	watch_freed(c, t, &f);
	if (!is_asan(allocator))
		return;
	f = in_shadow(f);
	watch_freed(c, t, &f);
}

/* For the explanation of a crash. */
static void note_freed(struct scheduler *c, struct sched_thread *t, const struct hit *h)
{
	const struct image *image = images_at(run_process_of(h->thread), h->address);
	const uint64_t block = entry_argument(h, 0);
	uint64_t back;

	if (block && image && tracee_top(run_thread_tracee(h->thread), &back) == 0 &&
	    is_testers(run_process_of(h->thread), back))
		callers_note_freed(c, t, block, size_of(t, image->module, block),
				   freeing_call(c->given, t, back));
}

/* Makes the call a point if it was found to race. The size of a sanitizer's block is unknown,
   because accesses check its shadow. */
static void free_is_point(struct scheduler *c, struct sched_thread *t, const struct hit *h,
			  const char *name)
{
	const struct image *image, *allocator = images_at(run_process_of(h->thread), h->address);
	const struct sched_chosen *chosen;
	uint64_t back, size;

	if (!allocator || tracee_top(run_thread_tracee(h->thread), &back) < 0 ||
	    !is_testers(run_process_of(h->thread), back))
		return;
	image = images_at(run_process_of(h->thread), back);
	chosen = sched_places_find(&c->given->chosen, module_name(image->module),
				   back - 1 - image->bias);
	if (!chosen || !chosen->frees)
		return;
	size = is_asan(allocator->module) ? 0 : size_of(t, allocator->module, entry_argument(h, 0));
	sched_arrive(t,
		     &(struct strategy_point){.op = STRATEGY_WRITE,
					      .object = entry_argument(h, 0),
					      .place = back,
					      .writes = true,
					      .size = size ? size : STRATEGY_ANY_SIZE},
		     name);
	t->access_count = 0;
	t->objects[0] = t->objects[1] = 0;
	t->entry_sp = h->regs.dwarf[ARCH_DWARF_SP];
}

/* ---- functions --------------------------------------------------------------------------- */

enum allocator_call {
	FREE,
	REALLOC,   /* may move its block */
	UNMAPS,	   /* munmap, mremap */
	MAPS,	   /* mmap: replaces mappings with MAP_FIXED only */
	ALLOCATES, /* returns the block */
	WRITES,	   /* stores the block's address where its first argument points */
};

static const struct allocator_function {
	const char *name;
	enum allocator_call what;
} allocator[] = {
	{"free", FREE},
	{"realloc", REALLOC},
	{"munmap", UNMAPS},
	{"mremap", UNMAPS},
	{"mmap", MAPS},
	{"malloc", ALLOCATES},
	{"calloc", ALLOCATES},
	{"memalign", ALLOCATES},
	{"aligned_alloc", ALLOCATES},
	{"posix_memalign", WRITES},
	{"valloc", ALLOCATES},
	{"pvalloc", ALLOCATES},
	{"_ZdlPv", FREE},
	{"_ZdaPv", FREE},
	{"_ZdlPvm", FREE},
	{"_ZdaPvm", FREE},
	{"_ZdlPvSt11align_val_t", FREE},
	{"_ZdaPvSt11align_val_t", FREE},
	{"_ZdlPvmSt11align_val_t", FREE},
	{"_ZdaPvmSt11align_val_t", FREE},
	{"_Znwm", ALLOCATES},
	{"_Znam", ALLOCATES},
	{"_ZnwmRKSt9nothrow_t", ALLOCATES},
	{"_ZnamRKSt9nothrow_t", ALLOCATES},
	{"_ZnwmSt11align_val_t", ALLOCATES},
	{"_ZnamSt11align_val_t", ALLOCATES},
	{"_ZnwmSt11align_val_tRKSt9nothrow_t", ALLOCATES},
	{"_ZnamSt11align_val_tRKSt9nothrow_t", ALLOCATES},
};
enum { ALLOCATOR_FUNCTIONS = sizeof(allocator) / sizeof(*allocator) };

/* ---- return of a call -------------------------------------------------------------------- */

/* Returns the allocated block, or 0 if there is none. A failed realloc leaves the old block to
   its owner. */
static uint64_t block_of(const struct sched_thread *t, const struct hit *h)
{
	uint64_t block = h->regs.dwarf[ARCH_DWARF_RESULT];

	if (t->taking.at && run_thread_read(t->thread, t->taking.at, &block, sizeof(block)) < 0)
		return 0;
	return block ? block : t->taking.old;
}

static enum hit_answer hit_return(struct run *s, const struct act *a, const struct hit *h)
{
	struct scheduler *c;
	struct sched_thread *t = sched_hit(s, h, &c);
	uint64_t block;

	(void)a;
	if (!t || t->taking.sp != h->regs.dwarf[ARCH_DWARF_SP])
		return HIT_SEEN;
	block = block_of(t, h);
	t->taking.sp = 0;
	if (block)
		block_taken(c, t, t->taking.allocator, block);
	return HIT_SEEN;
}

/* `ends`: the instruction at the return address may already access the block. */
static const struct site_owner return_owner = {.ends = true, .hit = hit_return};

/* ---- entry of a call --------------------------------------------------------------------- */

static bool put_return(struct run *s, const struct hit *h)
{
	const struct sched_image x = {s, run_process_of(h->thread), run_thread_tracee(h->thread),
				      NULL};
	uint64_t back;

	return tracee_top(run_thread_tracee(h->thread), &back) == 0 &&
	       sched_trap(&x, back, &return_owner, 0);
}

/* Sets a trap at the return address. If the result cannot be observed, any freed memory may have
   been allocated. */
static void note_taken(struct scheduler *c, struct sched_thread *t, const struct hit *h,
		       enum allocator_call how)
{
	const struct image *image = images_at(run_process_of(h->thread), h->address);
	bool lost = !t->thread || t->taking.sp;

	if (!lost && !watch_has_given(c) && how != REALLOC)
		return;
	if (lost || !image || !put_return(c->run, h)) {
		watch_taken_any(c);
		t->taking.sp = 0;
		return;
	}
	t->taking = (struct sched_taking){
		.allocator = image->module,
		.sp = h->regs.dwarf[ARCH_DWARF_SP] + sizeof(uint64_t),
		.old = how == REALLOC ? entry_argument(h, 0) : 0,
		.at = how == WRITES ? entry_argument(h, 0) : 0,
	};
}

static void note_given(struct scheduler *c, struct sched_thread *t, const struct hit *h,
		       enum allocator_call how)
{
	enum { FLAGS_OF_MMAP = 3 };
	const struct watch_freed pages = {.low = entry_argument(h, 0),
					  .size = entry_argument(h, 1)};

	if (how == FREE || how == REALLOC)
		given_block(c, t, h);
	else if (how == UNMAPS || (how == MAPS && entry_argument(h, FLAGS_OF_MMAP) & MAP_FIXED))
		watch_freed(c, t, &pages);
}

static enum hit_answer hit_allocator(struct run *s, const struct act *a, const struct hit *h)
{
	const enum allocator_call how = allocator[a->what].what;
	struct scheduler *c;
	struct sched_thread *t = sched_hit(s, h, &c);

	if (t && c->given->races) {
		note_given(c, t, h, how);
	} else if (t && (how == FREE || how == REALLOC)) {
		if (c->given->flags & SCHED_JUDGES)
			note_freed(c, t, h);
		free_is_point(c, t, h, allocator[a->what].name);
	}
	if (c && c->begun && !c->over && c->given->races && how >= REALLOC && how != UNMAPS &&
	    how != MAPS)
		note_taken(c, sched_thread_of(h->thread), h, how);
	return HIT_SEEN;
}

static const struct site_owner allocator_owner = {.hit = hit_allocator};

/* ---- setting traps ----------------------------------------------------------------------- */

/* True if calls of free were found to race: without a search for races only these matter. */
static bool some_are_points(const struct sched *g)
{
	array_each(const struct sched_chosen, chosen, &g->chosen)
		if (chosen->frees)
			return true;
	return false;
}

/* Skips C++ operators, which call malloc and free, except those of AddressSanitizer. */
static void put_allocator(const struct sched_image *x, unsigned i, uint64_t offset)
{
	if (!run_options(x->run)->sched->races && allocator[i].what >= UNMAPS)
		return;
	if (*allocator[i].name != '_' || is_asan(x->image->module))
		sched_trap(x, x->image->bias + offset, &allocator_owner, i);
}

void allocator_settled(const struct sched_image *x)
{
	static const struct sched_functions all = {allocator, sizeof(*allocator),
						   ALLOCATOR_FUNCTIONS, put_allocator};
	const struct sched *g = run_options(x->run)->sched;

	if (g->races || (g->flags & SCHED_JUDGES) || some_are_points(g))
		sched_put_functions(x, &all);
}
