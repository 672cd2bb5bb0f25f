/* What is at one address: the acts there, whose they are, in which order they are asked, and when
   nobody needs the trap any more. */
#include "tracer/run/modules/images.h"
#include "tracer/run/places/inside.h"
#include "tracer/run/places/sites.h"

struct site_use *sites_use(struct run *s, struct run_process *p, struct tracee_thread *t,
			   uint64_t address, struct tracee_site **site, struct error *err)
{
	struct tracee_site *at = tracee_site_add(s->tracee, p->tracee, t, address, NULL, err);

	if (!at)
		return NULL;
	if (!at->user) {
		at->user = base_alloc(1, sizeof(struct site_use));
		*array_add(&s->uses) = at->user;
	}
	if (site)
		*site = at;
	return at->user;
}

bool sites_has(const struct site_use *use, const struct act *act)
{
	array_each(const struct act, a, &use->acts)
		if (a->owner == act->owner && a->what == act->what && a->place == act->place &&
		    a->bias == act->bias && (a->info == act->info || act->owner->once))
			return true;
	return false;
}

/* Statements that begin at one address are asked in the order of the program. */
static unsigned rank_of(const struct act *a)
{
	return a->info ? a->info->rank : 0;
}

static bool is_over_at_once(const struct act *a)
{
	return a->info && a->info->empty && a->place->after;
}

static bool comes_before(const struct act *a, const struct act *b)
{
	if (!a->place && !b->place)
		return a->owner->ends || !b->owner->ends;
	if (!a->place || !b->place)
		return !a->place;
	if (a->owner->ends != b->owner->ends) /* one statement ends where the next one begins */
		return a->owner->ends;
	if (rank_of(a) && rank_of(b) && rank_of(a) != rank_of(b))
		return rank_of(a) < rank_of(b);
	if (rank_of(a) && is_over_at_once(a) != is_over_at_once(b))
		return is_over_at_once(b);
	return a->place->index <= b->place->index;
}

void sites_act(struct site_use *use, const struct act *act)
{
	size_t i;

	inside_take_back(use);
	*array_add(&use->acts) = *act;
	for (i = use->acts.count - 1; i > 0; i--) {
		if (comes_before(&use->acts.items[i - 1], act))
			break;
		use->acts.items[i] = use->acts.items[i - 1];
	}
	use->acts.items[i] = *act;
	use->acts.items[i].stops = NULL; /* of the act that it was copied from, in another site */
}

int sites_put(struct run *s, struct run_process *p, struct tracee_thread *t, uint64_t address,
	      const struct act *act, struct error *err)
{
	struct run_place *place = act->place->user;
	struct tracee_site *site;
	struct site_use *use = sites_use(s, p, t, address, &site, err);

	if (!use)
		return -1;
	if (!sites_has(use, act))
		sites_act(use, act);
	*array_add(&place->placed) = (struct placed){p, site};
	return 0;
}

static bool act_is_idle(const struct act *a)
{
	if (!a->place)
		return false;
	return a->owner->idle ? a->owner->idle(a) : a->place->retired;
}

/* Whoever has needed it last is asked first: of thousands of acts those that have had their time are many. */
bool sites_idle(struct site_use *use)
{
	for (size_t k = 0; k < use->acts.count; k++) {
		size_t i = (use->needed_by + k) % use->acts.count;

		if (!act_is_idle(&use->acts.items[i])) {
			use->needed_by = i;
			return false;
		}
	}
	return true;
}

uint64_t sites_frame(const struct act *a, uint64_t address, const struct arch_regs *regs)
{
	return images_frame(a->info->module, address - a->bias, regs);
}

static int read_process(void *ctx, uint64_t addr, void *buf, size_t n)
{
	return tracee_read(ctx, addr, buf, n);
}

bool sites_inside(const struct source_site *info, uint64_t offset)
{
	array_each(const struct module_range, r, &info->ranges)
		if (offset >= r->low && offset < r->high)
			return true;
	return false;
}

bool sites_jump(struct tracee_process *p, uint64_t address, const struct arch_regs *regs,
		uint64_t *to)
{
	uint8_t bytes[ARCH_INSN_MAX];

	return tracee_read(p, address, bytes, sizeof(bytes)) == 0 &&
	       arch_jump_target(bytes, sizeof(bytes), address, regs, read_process, p, to) == 0;
}

bool sites_arrives(const struct act *a, const struct hit *h)
{
	uint64_t to;

	if (!a->info || !a->info->check_target)
		return true;
	if (!sites_jump(h->thread->process->tracee, h->address, &h->regs, &to))
		return false;
	return sites_inside(a->info, to - a->bias) == (a->info->kind == SOURCE_JUMP);
}

/* ---- in other processes, and no more ---------------------------------------------------------- */

/* A forked child has copies of all traps. */
void sites_copy(struct run *s, struct run_process *to, struct run_process *from)
{
	struct place *place;

	for (size_t i = 0; (place = engine_place_at(s->engine, i)); i++) {
		struct run_place *sp = place->user;
		size_t count = sp ? sp->placed.count : 0;

		for (size_t k = 0; k < count; k++) {
			uint64_t address = sp->placed.items[k].site->addr;
			struct tracee_site *site;

			if (sp->placed.items[k].process != from)
				continue;
			site = tracee_site_find(to->tracee, address);
			if (site)
				*array_add(&sp->placed) = (struct placed){to, site};
		}
	}
}

/* What was mapped at [low, high) of the process is gone, and its traps with it. */
void sites_forget(struct run *s, struct run_process *p, uint64_t low, uint64_t high)
{
	struct place *place;

	for (size_t i = 0; (place = engine_place_at(s->engine, i)); i++) {
		struct run_place *sp = place->user;

		for (size_t k = sp ? sp->placed.count : 0; k-- > 0;)
			if (sp->placed.items[k].process == p &&
			    (high == UINT64_MAX || (sp->placed.items[k].site->addr >= low &&
						    sp->placed.items[k].site->addr < high)))
				array_remove(&sp->placed, k);
	}
	if (high != UINT64_MAX)
		tracee_forget(p->tracee, low, high);
}
