/* Acts at one address: their order, their owners, and whether the trap is still needed. */
#include "tracer/run/run_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/places/places.h"
#include "tracer/tracee/traps/traps.h"

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

/* Statements that begin at one address are in program order. */
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
	use->acts.items[i].stops = NULL; /* the copied reason is of another site */
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

/* The act that needed the trap last is asked first: of thousands of acts most may be idle. */
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

bool sites_inside(const struct source_site *info, uint64_t offset)
{
	array_each(const struct module_range, r, &info->ranges)
		if (offset >= r->low && offset < r->high)
			return true;
	return false;
}

bool sites_arrives(const struct act *a, const struct hit *h)
{
	uint64_t to;

	if (!a->info || !a->info->check_target)
		return true;
	if (!images_jump(h->thread->process->tracee, h->address, &h->regs, &to))
		return false;
	return sites_inside(a->info, to - a->bias) == (a->info->kind == SOURCE_JUMP);
}
