/*
 * A function of a library is looked up by ld.so when it is first called: a tenth of a short run, in each copy of
 * the program anew. What a copy has bound when it ends is bound in the program that the next ones are copies of.
 */
#include "tracer/elf/module_tables.h"
#include "tracer/sched/sched_internal.h"
#include "tracer/sched/sched_run.h"
#include "tracer/run/modules/images.h"

#include <string.h>

enum {
	LOOKS = 16, /* runs; what was not called in them is not worth more */
	PAGE = 4096,
};

/* ---- what is not bound -------------------------------------------------------------------------- */

/* The words of a module are side by side: they are read a page at a time. */
struct words_near {
	struct tracee_process *process;
	uint64_t start;
	size_t size; /* of what was read */
	uint8_t bytes[PAGE];
};

static bool bound_read_word(struct words_near *p, uint64_t at, uint64_t *to)
{
	if (at - p->start >= p->size) {
		p->start = at;
		p->size = PAGE - at % PAGE;
		if (tracee_read(p->process, at, p->bytes, p->size) < 0)
			p->size = 0;
	}
	if (at - p->start + sizeof(*to) > p->size)
		return false;
	memcpy(to, p->bytes + (at - p->start), sizeof(*to));
	return true;
}

struct unbound {
	struct sched *given;
	struct words_near *page;
	const struct image *image;
};

/* It leads back into its own module, which calls ld.so. */
static bool bound_note(void *ctx, const struct module_relocation *r)
{
	const struct unbound *u = ctx;
	uint64_t at = u->image->bias + r->offset, to;

	if (r->type == R_X86_64_JUMP_SLOT && r->symbol && bound_read_word(u->page, at, &to) &&
	    module_is_code(u->image->module, to - u->image->bias))
		*array_add(&u->given->unbound) =
			(struct sched_unbound){.at = at, .to = to, .name = r->symbol};
	return false;
}

void bound_keep(struct sched *g, const struct run_process *kept)
{
	struct words_near page = {.process = kept->tracee};

	array_each(const struct image, image, &kept->images)
		module_each_relocation(image->module, bound_note,
				       &(struct unbound){g, &page, image});
	g->unbound_looks = LOOKS;
}

/* ---- what a run has bound ------------------------------------------------------------------------- */

void bound_look(struct scheduler *c, const struct run_process *p)
{
	struct words_near page = {.process = p->tracee};
	uint64_t to;

	if (p != c->run->root)
		return;
	array_each(struct sched_unbound, u, &c->given->unbound)
		if (bound_read_word(&page, u->at, &to) && to != u->to) {
			u->to = to;
			u->found = true;
		}
}

struct named {
	const char *name;
	uint64_t offset;
	bool found;
};

static void bound_compare(void *ctx, const char *name, uint64_t offset)
{
	struct named *n = ctx;

	if (offset && offset == n->offset && strcmp(name, n->name) == 0)
		n->found = true;
}

/* Not what the program itself has put there, nor a library that the kept one does not have. */
static bool is_bound(struct run_process *kept, const struct sched_unbound *u)
{
	const struct image *image = images_at(kept, u->to);
	struct named n = {.name = u->name};

	if (!u->found || !image)
		return false;
	n.offset = u->to - image->bias;
	module_each_dynamic(image->module, bound_compare, &n);
	return n.found;
}

void bound_take(struct sched *g, struct run_process *kept)
{
	if (!g->unbound.count)
		return;
	for (size_t i = g->unbound.count; i-- > 0;) {
		struct sched_unbound *u = &g->unbound.items[i];

		if (is_bound(kept, u))
			tracee_write(kept->tracee, u->at, &u->to, sizeof(u->to));
		if (u->found)
			array_remove(&g->unbound, i);
	}
	if (!--g->unbound_looks)
		g->unbound.count = 0;
}
