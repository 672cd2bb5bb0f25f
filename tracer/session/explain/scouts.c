/*
 * The traps that look at the function of a place until it is reached. They cost a stop at each of the
 * first calls, and nothing else: places and arrivals know nothing of them.
 */
#include "tracer/session/explain/scouts.h"

#include <stdio.h>
#include <string.h>

static struct session_place *of(const struct place *place)
{
	return place->user;
}

static bool is_scout(enum act_kind kind)
{
	return kind >= ACT_SCOUT_IN;
}

bool scouts_idle(const struct act *a)
{
	return is_scout(a->kind) &&
	       (of(a->place)->scouts->over || (a->kind == ACT_SCOUT_COPY && scouts_copy_seen(a)));
}

/* ---- setting the traps ---------------------------------------------------------------------- */

struct symbols_sites *scouts_new_sites(struct place *place)
{
	struct symbols_sites *sites = base_alloc(1, sizeof(*sites));

	*array_add(&of(place)->results) = sites; /* lives as long as the place */
	return sites;
}

bool scouts_put(const struct scout_watch *w, enum act_kind kind, const struct symbols_site *info)
{
	struct act act = {kind, w->place, info, 0};
	struct error ignored;

	for (size_t i = 0; i < w->count; i++) {
		if (w->images[i].module != info->module)
			continue;
		act.bias = w->images[i].bias;
		return places_put(w->session, w->process, w->thread, act.bias + info->offset, &act,
				  &ignored) == 0;
	}
	return false;
}

static bool put_all(const struct scout_watch *w, enum act_kind kind,
		    const struct symbols_sites *sites)
{
	bool all = true;

	array_each(const struct symbols_site, site, sites)
		all &= scouts_put(w, kind, site);
	return all;
}

static const struct symbols_sites *ways(const struct scout_watch *w, bool out, bool *all)
{
	struct symbols_sites *sites = scouts_new_sites(w->place);

	symbols_ways(w->session->symbols, of(w->place)->scouts->meant, out, sites, all);
	return sites;
}

static bool wants_scouts(const struct place *place, const struct symbols_sites *sites)
{
	return !place->optional && !place->companion_of && !place->arrivals && sites->count &&
	       sites->items[0].kind != SYMBOLS_ENTRY && of(place)->location.kind != LOCATION_FUNC;
}

void scouts_watch(struct session *s, struct session_process *p, struct target_thread *t,
		  struct place *place, const struct symbols_sites *sites,
		  const struct image *images, size_t count)
{
	struct scout_watch w = {s, p, t, place, images, count};
	struct scouts *scouts = of(place)->scouts;
	const struct symbols_sites *in;
	bool all;

	if (!wants_scouts(place, sites) || (scouts && scouts->over))
		return;
	if (!scouts) {
		scouts = of(place)->scouts = base_alloc(1, sizeof(*scouts));
		scouts->complete = true;
	}
	scouts->meant = sites;
	in = ways(&w, false, &all);
	if (in->count)
		scouts->function = in->items[0].function;
	scouts->complete &= all && put_all(&w, ACT_SCOUT_IN, in);
	w.images = p->images.items;
	w.count = p->images.count;
	scouts_watch_copies(&w);
}

/* ---- what they see -------------------------------------------------------------------------- */

static void end(struct place *place)
{
	of(place)->scouts->over = true;
	places_sweep(place);
}

static bool frame_at(const struct act *a, uint64_t address, const struct arch_regs *regs,
		     uint64_t *frame)
{
	unsigned reg;
	int64_t add;

	if (!symbols_cfa(a->info->module, address - a->bias, &reg, &add) || reg > ARCH_DWARF_PC)
		return false;
	*frame = regs->dwarf[reg] + (uint64_t)add;
	return true;
}

static bool watches_out(struct session_process *p, const struct place *place)
{
	array_each(const struct placed, placed, &of(place)->placed) {
		const struct site_use *use = placed->site->user;

		if (placed->process != p)
			continue;
		array_each(const struct act, a, &use->acts)
			if (a->kind == ACT_SCOUT_OUT && a->place == place)
				return true;
	}
	return false;
}

/* Only when it is entered: most runs reach the place, or never come near. */
static void watch_out(struct session *s, struct session_thread *t, const struct act *a)
{
	struct session_process *p = t->process;
	const struct scout_watch w = {s, p, t->target, a->place, p->images.items, p->images.count};
	bool all;

	if (!watches_out(p, a->place))
		put_all(&w, ACT_SCOUT_OUT, ways(&w, true, &all));
}

static void enter(struct session *s, struct session_thread *t, const struct act *a,
		  uint64_t address, const struct arch_regs *regs)
{
	struct scouts *scouts = of(a->place)->scouts;
	struct scout_visit *visit;

	if (scouts->visits.count == SCOUT_VISITS) {
		scouts->many = true;
		end(a->place);
		return;
	}
	visit = array_add(&scouts->visits);
	visit->thread = t->engine;
	visit->into = a->info->inlined_into;
	visit->left = visit->into;
	visit->framed = frame_at(a, address, regs, &visit->frame);
	if (visit->framed)
		watch_out(s, t, a);
}

static void leave(struct session_thread *t, const struct act *a, uint64_t address,
		  const struct arch_regs *regs)
{
	struct scouts *scouts = of(a->place)->scouts;
	bool returns = a->info->kind != SYMBOLS_STATEMENT;
	uint64_t frame;

	if (!frame_at(a, address, regs, &frame))
		return;
	for (size_t i = scouts->visits.count; i-- > 0;) {
		struct scout_visit *v = &scouts->visits.items[i];

		if (v->thread != t->engine || !v->framed || v->frame != frame ||
		    (v->left && !v->into))
			continue;
		v->left |= returns;
		if (!returns || !v->line) {
			v->file = a->info->file;
			v->line = a->info->line;
		}
		return;
	}
}

void scouts_reached(struct place *place)
{
	const struct session_place *sp = of(place);

	if (sp->scouts && !sp->scouts->over && place->arrivals)
		end(place);
}

void scouts_act(struct session *s, struct session_thread *t, const struct act *a, uint64_t address,
		const struct arch_regs *regs)
{
	if (of(a->place)->scouts->over)
		return;
	if (a->kind == ACT_SCOUT_IN)
		enter(s, t, a, address, regs);
	else if (a->kind == ACT_SCOUT_OUT)
		leave(t, a, address, regs);
	else
		scouts_see_copy(t, a);
}

void scouts_free(struct scouts *scouts)
{
	if (!scouts)
		return;
	array_each(struct scout_copy, copy, &scouts->copies)
		base_free(copy->location);
	array_fini(&scouts->copies);
	array_fini(&scouts->visits);
	base_free(scouts);
}
