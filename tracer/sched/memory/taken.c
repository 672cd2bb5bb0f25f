/*
 * Memory that a program takes. What was given back (freed.c) is free until then: who comes there meanwhile races
 * with who gave it. What a function of the allocator answers is seen where it returns to.
 */
#include "tracer/sched/sched_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/places/sites.h"

#include <string.h>

enum taker {
	ANSWERS,
	MOVES,
	WRITES
}; /* the block; the block that it was given; where it was told to */

static const struct taker_function {
	const char *name;
	enum taker how;
} takers[] = {
	{"malloc", ANSWERS},
	{"calloc", ANSWERS},
	{"realloc", MOVES},
	{"memalign", ANSWERS},
	{"aligned_alloc", ANSWERS},
	{"posix_memalign", WRITES},
	{"valloc", ANSWERS},
	{"pvalloc", ANSWERS},
	{"_Znwm", ANSWERS},
	{"_Znam", ANSWERS},
	{"_ZnwmRKSt9nothrow_t", ANSWERS},
	{"_ZnamRKSt9nothrow_t", ANSWERS},
	{"_ZnwmSt11align_val_t", ANSWERS},
	{"_ZnamSt11align_val_t", ANSWERS},
	{"_ZnwmSt11align_val_tRKSt9nothrow_t", ANSWERS},
	{"_ZnamSt11align_val_tRKSt9nothrow_t", ANSWERS},
};
enum { TAKERS = sizeof(takers) / sizeof(*takers) };

/* ---- it returns ---------------------------------------------------------------------------------- */

/* 0: it has got none. realloc that has none to give leaves the old one to whoever has it. */
static uint64_t block_of(const struct sched_thread *t, const struct hit *h)
{
	uint64_t block = h->regs.dwarf[ARCH_DWARF_RESULT];

	if (t->taking.at &&
	    tracee_read(t->thread->process->tracee, t->taking.at, &block, sizeof(block)) < 0)
		return 0;
	return block ? block : t->taking.old;
}

static enum hit_answer hit_back(struct run *s, const struct act *a, const struct hit *h)
{
	struct scheduler *c = scheduler_of(s);
	struct sched_thread *t = sched_thread_of(h->thread);
	uint64_t block;

	(void)a;
	if (!c || !c->begun || c->over || !t->thread ||
	    t->taking.sp != h->regs.dwarf[ARCH_DWARF_SP])
		return HIT_SEEN;
	block = block_of(t, h);
	t->taking.sp = 0;
	if (block)
		freed_taken(c, t, t->taking.allocator, block);
	return HIT_SEEN;
}

/* Who takes a block may use it in the very instruction that it returns to. */
static const struct site_owner back_owner = {.name = "taken", .ends = true, .hit = hit_back};

/* ---- it is called -------------------------------------------------------------------------------- */

static bool put_back_act(struct run *s, const struct hit *h)
{
	const struct act act = {.owner = &back_owner};
	struct site_use *use;
	uint64_t back;
	ERROR(ignored);

	if (tracee_top(h->thread->tracee, &back) < 0)
		return false;
	use = sites_use(s, h->thread->process, h->thread->tracee, back, NULL, &ignored);
	if (use && !sites_has(use, &act))
		sites_act(use, &act);
	return use;
}

/* A call whose answer will not be seen may have taken anything. */
static enum hit_answer hit_taker(struct run *s, const struct act *a, const struct hit *h)
{
	const enum taker how = takers[a->what].how;
	const struct image *image = images_at(h->thread->process, h->address);
	struct scheduler *c = scheduler_of(s);
	struct sched_thread *t = sched_thread_of(h->thread);
	bool lost;

	if (!c || !c->begun || c->over)
		return HIT_SEEN;
	lost = !t->thread || t->taking.sp;
	if (!lost && !watch_has_given(c) && how != MOVES)
		return HIT_SEEN;
	if (lost || !image || !put_back_act(s, h)) {
		watch_taken_any(c);
		t->taking.sp = 0;
		return HIT_SEEN;
	}
	t->taking.allocator = image->module;
	t->taking.sp = h->regs.dwarf[ARCH_DWARF_SP] + sizeof(uint64_t);
	t->taking.old = how == MOVES ? entry_argument(h, 0) : 0;
	t->taking.at = how == WRITES ? entry_argument(h, 0) : 0;
	return HIT_SEEN;
}

static const struct site_owner taker_owner = {.name = "taker", .hit = hit_taker};

/* ---- where it is taken --------------------------------------------------------------------------- */

static void put_named(void *ctx, const char *name, uint64_t offset)
{
	const struct allocator_setting *x = ctx;

	for (unsigned i = 0; offset && i < TAKERS; i++)
		if (strcmp(name, takers[i].name) == 0 && (*name != '_' || x->operators))
			allocator_look(x, &taker_owner, i, offset);
}

void taken_settled(struct run *s, struct run_process *p, struct tracee_thread *t,
		   const struct image *image)
{
	const struct allocator_setting x = {s, p, t, image, freed_has_operators(image->module)};
	uint64_t offset;

	if (!s->options->sched->races)
		return;
	if (p->loader) {
		module_each_dynamic(image->module, put_named, (void *)&x);
		return;
	}
	for (unsigned i = 0; i < TAKERS; i++)
		if (module_symbol(image->module, takers[i].name, &offset, NULL) == 0)
			put_named((void *)&x, takers[i].name, offset);
}
