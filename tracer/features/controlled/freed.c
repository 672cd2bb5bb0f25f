/*
 * Memory that a program gives back. Who has it next has nothing to do with who had it; and whoever is still there, with
 * nothing that orders him before, races with its end: in another order he uses it when it is free.
 */
#include "tracer/features/controlled/controlled_internal.h"
#include "tracer/run/images.h"

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

/* 0: it is no block of glibc's. */
static uint64_t glibc_size(const struct turn *t, uint64_t block)
{
	uint64_t size;

	if (target_read(t->thread->process->target, block - sizeof(size), &size, sizeof(size)) < 0)
		return 0;
	size &= ~(uint64_t)FLAGS;
	return size >= GLIBC_LEAST && size % GLIBC_ALIGN == 0 && arch_is_address(block + size)
		       ? size - WORD
		       : 0;
}

/* Of AddressSanitizer's blocks, in gcc 12's and clang 14's libraries: state, and the size that was asked for. */
static uint64_t asan_size(const struct turn *t, uint64_t block)
{
	struct {
		uint8_t state, kind;
		uint16_t high;
		uint32_t low;
		uint64_t context;
	} head;

	_Static_assert(sizeof(head) == ASAN_HEAD, "as it stands before the block");
	if (target_read(t->thread->process->target, block - sizeof(head), &head, sizeof(head)) <
		    0 ||
	    head.state != ASAN_ALLOCATED)
		return 0;
	return (uint64_t)head.high << 32 | head.low;
}

/* The call before `back`: as it was met before, or a new one. */
static unsigned place_of(struct controlled *g, const struct turn *t, uint64_t back)
{
	const struct image *image = images_at(t->thread->process, back);
	const uint64_t offset = back - 1 - image->bias;
	unsigned place = (unsigned)g->accesses.count;

	array_each(const unsigned, known, &g->freeing) {
		const struct controlled_access *a = &g->accesses.items[*known];

		if (a->module == image->module && a->offset == offset)
			return *known;
	}
	*array_add(&g->freeing) = place;
	*array_add(&g->accesses) = (struct controlled_access){
		.module = image->module, .offset = offset, .address = back - 1, .frees = true};
	return place;
}

/* Who is about to use the block looks into the shadow first, and whether it is free is seen only there. */
static void asan_freed(struct control *c, struct turn *t, struct watch_freed f)
{
	f.low = (f.block >> ASAN_SHIFT) + ASAN_SHADOW;
	f.size = (f.size + FLAGS) >> ASAN_SHIFT;
	f.shift = ASAN_SHIFT;
	watch_freed(c, t, &f);
}

void freed_block(struct control *c, struct turn *t, uint64_t function, uint64_t block,
		 uint64_t back)
{
	const struct image *image = images_at(t->thread->process, function);
	struct watch_freed f = {.low = block, .block = block};

	/* Code of no file (made at run time) is no place that can be told. */
	if (!c->given->races || !block || !image || !images_at(t->thread->process, back))
		return;
	f.place = place_of(c->given, t, back);
	if (is_allocator(image->module, "__asan_init")) {
		f.size = asan_size(t, block);
		asan_freed(c, t, f);
	} else if (is_allocator(image->module, "__libc_free")) {
		f.size = glibc_size(t, block);
	}
	if (!f.size) /* the least that a block of any allocator can have */
		f.size = WORD;
	watch_freed(c, t, &f);
}
