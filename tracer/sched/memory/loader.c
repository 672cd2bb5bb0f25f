/* Work of the dynamic loader: internal calls of the runtime libraries that bypass traps, and
   functions bound once for all runs. */
#include "tracer/elf/module.h"
#include "tracer/sched/sched_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/places/places.h"
#include "tracer/tracee/traps/traps.h"

#include <string.h>

/* ---- calls of the runtime ---------------------------------------------------------------- */

/* The internal locks of libc and ld.so are no points, but each call would stop at a trap: eight
   in a run of three threads. ld.so calls by pointers in its data, which are redirected past the
   trap. */

/* musl is one file for all of these. Another process may have them at other addresses. */
bool scheduler_is_runtime(struct run_process *p, uint64_t address)
{
	const struct image *image = images_at(p, address);

	return image && (image->module == run_process_loader(p) ||
			 module_matches(image->module, "libc.so") ||
			 module_matches(image->module, "libpthread.so"));
}

/* True for code of ld.so. Its reads of files depend on LD_LIBRARY_PATH and ld.so.cache, and concern
   no other thread. False for musl, where libc is the same file and its calls are the program's. */
bool scheduler_is_loading(const struct run_process *p, uint64_t pc)
{
	uint64_t low, high, offset;

	if (!run_process_loader(p))
		return false;
	module_span(run_process_loader(p), &low, &high);
	offset = pc - run_process_loader_base(p);
	return offset >= low && offset < high &&
	       module_symbol(run_process_loader(p), "printf", &offset, NULL) < 0;
}

static bool is_alone(const struct site_use *use, const struct site_owner *owner)
{
	array_each(const struct act, a, &use->acts)
		if (a->owner != owner)
			return false;
	return use->acts.count > 0;
}

/* Returns 0 if the address has no trap, or if another handler needs the arrivals. */
static uint64_t past_trap(struct run_process *p, const struct site_owner *owner, uint64_t to)
{
	struct tracee_site *site = tracee_site_find(run_process_tracee(p), to);

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
	if (tracee_read(run_process_tracee(p), low, words, count * sizeof(*words)) < 0)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t past = past_trap(p, owner, words[i]);

		if (past)
			tracee_write(run_process_tracee(p), low + i * sizeof(past), &past,
				     sizeof(past));
	}
	base_free(words);
}

void runtime_unseen(struct run_process *p, const struct site_owner *owner)
{
	array_each(const struct image, image, run_process_images(p))
		if (image->module == run_process_loader(p))
			image_unseen(p, image, owner);
}

/* ---- runtimes of sanitizers -------------------------------------------------------------- */

/* True for runtimes of sanitizers. They read files for a report, such as /proc/self/maps, whose
   length differs between runs; and their interceptors call libc's functions. */
bool sanitizers_is(const struct module *m)
{
	static const char *const names[] = {"libasan.so", "libtsan.so", "libubsan.so",
					    "liblsan.so", "libmsan.so", "libclang_rt."};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(module_name(m), names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* Includes runtimes that are linked into the program. */
bool sanitizers_is_own(struct run_process *p, uint64_t address)
{
	static const char space[] = "_ZN11__sanitizer";
	const struct image *image = images_at(p, address);
	const struct elf_symbol *symbol;

	if (!image || sanitizers_is(image->module))
		return image;
	symbol = module_symbol_at(image->module, address - image->bias, false);
	return symbol && strncmp(symbol->name, space, strlen(space)) == 0;
}

/* ---- functions that are bound ------------------------------------------------------------ */

/* ld.so looks up a library function at its first call: a tenth of a short run, repeated in each
   copy of the program. Functions that a copy has bound are bound in the program for the next
   copies. */

enum {
	LOOKS = 16, /* runs; functions not called in them are not worth more looks */
	PAGE = 4096,
};

/* ---- words that are not bound ------------------------------------------------------------ */

/* A cache of one page, because the words of a module are adjacent. */
struct words_near {
	struct tracee_process *process;
	uint64_t start;
	size_t size; /* bytes that were read */
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

/* Records a word that leads into its own module, to the code that calls ld.so. */
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
	struct words_near page = {.process = run_process_tracee(kept)};

	array_each(const struct image, image, run_process_images(kept))
		module_each_relocation(image->module, bound_note,
				       &(struct unbound){g, &page, image});
	g->unbound_looks = LOOKS;
}

/* ---- words that a run has bound ---------------------------------------------------------- */

void bound_look(struct scheduler *c, const struct run_process *p)
{
	struct words_near page = {.process = run_process_tracee(p)};
	uint64_t to;

	if (p != run_root(c->run))
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

/* False for values that the program itself has written, and for libraries that the kept process
   does not have. */
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
			tracee_write(run_process_tracee(kept), u->at, &u->to, sizeof(u->to));
		if (u->found)
			array_remove(&g->unbound, i);
	}
	if (!--g->unbound_looks)
		g->unbound.count = 0;
}
