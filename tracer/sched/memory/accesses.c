/* Points at instructions: atomic ones and PAUSE always; accesses to shared memory if all are
   points or a search for races has chosen them. */
#include "tracer/base/files/path.h"
#include "tracer/sched/sched_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/places/places.h"
#include "tracer/source/flow/flow.h"
#include "tracer/source/source.h"
#include "tracer/tracee/traps/traps.h"

#include <string.h>
#include <time.h>

enum { LOOKS_LEAST = 10000 }; /* stops in a run before its time counts */
enum { HITS_MOST = 1000 };    /* hits in all runs of an access that is no point */

/* ---- hit of a trap ----------------------------------------------------------------------- */

/* The first step of an update is its load. */
static enum strategy_op accesses_op_of(const struct sched_access *a)
{
	if (a->what.pauses)
		return STRATEGY_YIELD;
	if (a->what.atomic)
		return STRATEGY_ATOMIC;
	return a->what.writes && !a->is_update ? STRATEGY_WRITE : STRATEGY_READ;
}

/* Removes the trap after enough looks: each costs ten microseconds. */
static void accesses_let_go(struct sched_access *access, const struct hit *h)
{
	access->is_hot = true;
	tracee_site_remove(run_process_tracee(run_process_of(h->thread)), h->site);
}

/* Ends the run: the access loops until another thread writes, so it is a point from the next run
   on. */
static void end_here(struct scheduler *c, struct sched_access *access)
{
	access->is_point = true;
	scheduler_end(c, SCHED_STOPPED);
}

static bool is_late(const struct scheduler *c)
{
	struct timespec now;

	if (c->given->looks_until <= 0 || c->access_looks < LOOKS_LEAST)
		return false;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9 > c->given->looks_until;
}

/* Ends the run if stops at accesses leave the search no time for schedules. */
static void end_if_costly(struct scheduler *c)
{
	struct sched *g = c->given;

	c->access_looks++;
	if (!g->looks_most || c->over || (c->access_looks <= g->looks_most && !is_late(c)))
		return;
	g->seen |= SCHED_COSTLY;
	scheduler_end(c, SCHED_STOPPED);
}

/* Returns the point's object. UINT64_MAX would mean every object; the address below it is never
   mapped either. */
static uint64_t object_of(const struct sched_access *a, struct sched_thread *t, const struct hit *h)
{
	uint64_t object = t->access_count ? t->accesses[0].address : STRATEGY_NO_OBJECT;

	if (a->is_one && !run_options(run_of(run_process_of(t->thread)))->sched->races)
		object = arch_operand_address(&a->operand, &h->regs);
	return object == STRATEGY_ANY_OBJECT ? object - 1 : object;
}

/* Returns STRATEGY_ANY_SIZE for several accesses, which one address does not describe. */
static uint64_t size_of(const struct sched_access *a, const struct sched_thread *t)
{
	uint64_t size = a->size;

	if (t->access_count == 1)
		size = t->accesses[0].size;
	return size && t->access_count <= 1 ? size : STRATEGY_ANY_SIZE;
}

static enum hit_answer hit_access(struct run *s, const struct act *a, const struct hit *h)
{
	struct scheduler *c;
	struct sched_thread *t = sched_hit(s, h, &c);
	struct sched_access *access;
	struct strategy_point p;

	if (!t)
		return HIT_SEEN;
	access = &c->given->accesses.items[a->what];
	watch_own_code(c, t);
	t->access_count = 0;
	if (!access->is_one || c->given->races)
		t->access_count =
			arch_accesses(access->code, sizeof(access->code), h->address, access->own,
				      &h->regs, t->accesses, ARCH_ACCESSES_MAX);
	t->accesses_index = a->what;
	if (!access->is_point) {
		if (spins_at(c, t, &h->regs))
			end_here(c, access);
		watch_accesses(c, t);
		if (++access->hits > HITS_MOST)
			accesses_let_go(access, h);
		end_if_costly(c);
		return HIT_SEEN;
	}
	grants_note(c->given, a->what);
	p = (struct strategy_point){.op = accesses_op_of(access),
				    .object = object_of(access, t, h),
				    .place = h->address,
				    .writes = access->what.writes && !access->is_update,
				    .size = size_of(access, t)};
	sched_arrive(t, &p, NULL);
	if (access->is_update)
		updates_arrive(t, access);
	return HIT_SEEN;
}

static const struct site_owner access_owner = {.hit = hit_access};

/* ---- setting traps ----------------------------------------------------------------------- */

static bool is_point(const struct sched *g, const struct sched_chosen *chosen,
		     const struct arch_shared *what)
{
	return what->atomic || what->pauses || g->points == SCHED_MEMORY ||
	       (g->points == SCHED_CHOSEN && chosen);
}

/* Sets the operand's size, which does not depend on its address, and whether it is an update. A
   search for races makes accesses points between two runs. */
static void look_at_operand(struct sched_access *a)
{
	const struct arch_regs none = {0};
	struct arch_access at;

	a->is_one = (a->is_point || a->what.updates) &&
		    arch_operand(a->code, sizeof(a->code), a->address, &a->operand);
	if (a->is_one &&
	    arch_accesses(a->code, sizeof(a->code), a->address, a->own, &none, &at, 1) == 1)
		a->size = at.size;
	a->is_update = a->is_one && a->what.updates && a->size &&
		       a->size <= sizeof(((struct sched_update *)0)->loaded);
}

static void accesses_put(const struct sched_image *x, unsigned index)
{
	struct sched_access *access = &run_options(x->run)->sched->accesses.items[index];

	look_at_operand(access);
	sched_trap(x, x->image->bias + access->offset, &access_owner, index);
}

/* True if the access reads the guard of a static variable of a C++ function, which is an atomic
   load. */
static bool asks_guard(const struct image *image, const struct source_access *a,
		       const uint8_t *code)
{
	const struct arch_regs none = {0};
	struct arch_access at;
	char *name;
	bool found;

	if (a->what.writes ||
	    arch_accesses(code, ARCH_INSN_MAX, image->bias + a->offset, a->own, &none, &at, 1) !=
		    1 ||
	    at.size != 1)
		return false;
	name = source_name_of(image->module, at.address - image->bias);
	found = name && (strncmp(name, "guard variable", strlen("guard variable")) == 0 ||
			 strncmp(name, "_ZGV", strlen("_ZGV")) == 0);
	base_free(name);
	return found;
}

static void accesses_add(void *ctx, const struct source_access *a)
{
	const struct sched_image *x = ctx;
	struct sched *g = run_options(x->run)->sched;
	const struct sched_chosen *chosen =
		sched_places_find(&g->chosen, module_name(x->image->module), a->offset);
	struct arch_shared what = a->what;
	uint8_t code[ARCH_INSN_MAX];
	struct sched_access *access;
	bool point;

	module_bytes(x->image->module, a->offset, code, sizeof(code));
	what.atomic |= (chosen && chosen->atomic) || asks_guard(x->image, a, code);
	point = is_point(g, chosen, &what);
	if (!point && !g->races)
		return;
	access = array_add(&g->accesses);
	*access = (struct sched_access){.module = x->image->module,
					.offset = a->offset,
					.own = a->own,
					.what = what,
					.is_point = point,
					.address = x->image->bias + a->offset};
	memcpy(access->code, code, sizeof(code));
	if (point)
		grants_open(x->run, x->thread, access->address);
	accesses_put(x, (unsigned)g->accesses.count - 1);
}

/* False for system code, which would be most of all accesses. */
static bool is_looked_at(const struct sched *g, const struct run_process *p,
			 const struct image *image)
{
	if (image->module == run_process_exe(p) || image->module == g->tested)
		return image->module == g->tested || !g->tested;
	return image->module != run_process_loader(p) && module_has_debug(image->module) &&
	       !path_is_system_object(module_path(image->module));
}

static const struct sched_looked *known(const struct sched *g, const struct module *module)
{
	array_each(const struct sched_looked, looked, &g->looked)
		if (looked->module == module)
			return looked;
	return NULL;
}

/* Sets the traps of a module that an earlier run or another process has examined. */
static void put_again(const struct sched_image *x, const struct sched_looked *looked)
{
	struct sched *g = run_options(x->run)->sched;

	for (size_t i = looked->first; i < looked->first + looked->count; i++) {
		struct sched_access *access = &g->accesses.items[i];

		access->address = x->image->bias + access->offset;
		if (!access->is_hot)
			accesses_put(x, (unsigned)i);
	}
}

void accesses_settled(const struct sched_image *x)
{
	struct sched *g = run_options(x->run)->sched;
	struct module *module = x->image->module;
	const struct sched_looked *looked = known(g, module);
	size_t first = g->accesses.count;

	if (!is_looked_at(g, x->process, x->image))
		return;
	if (looked) {
		put_again(x, looked);
		return;
	}
	source_accesses(module, module_has_debug(module), accesses_add, (void *)x);
	*array_add(&g->looked) = (struct sched_looked){module, first, g->accesses.count - first};
}
