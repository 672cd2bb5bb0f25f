/* ld.so calls _dl_debug_state of <link.h> for debuggers when its list of libraries has changed. A
   trap stands there as long as a place or a feature needs libraries. */
#include "tracer/run/places/arrivals.h"
#include "tracer/run/run_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/places/places.h"
#include "tracer/tracee/traps/traps.h"

bool loader_is_wanted(struct run *s, const struct run_process *p)
{
	bool wanted = s->loading.has_places;

	observe_until(wanted, needs_libraries, s, p);
	return wanted;
}

/* The loader has changed its list: the first time all places are resolved, later only those in new
   libraries. */
static enum hit_answer hit_loader(struct run *s, const struct act *a, const struct hit *h)
{
	struct run_thread *t = h->thread;
	struct run_process *p = t->process;
	struct module_list loaded = {0};
	ERROR(err);
	bool consistent, first = !p->settled;
	int failed = 0;

	(void)a;
	images_update(s, p, &loaded, &consistent);
	if (consistent && first)
		failed = places_settle(s, p, t->tracee, p == s->root && !s->loading.root_settled,
				       &err);
	else if (consistent && loaded.count)
		failed = places_loaded(s, p, t->tracee, &loaded, &err);
	s->loading.root_settled |= consistent;
	if (consistent && !s->loading.loads_matter && p->load_site)
		tracee_site_remove(p->tracee, p->load_site);
	if (failed < 0) {
		run_fault(s, &err);
		tracee_resume(s->tracee, t->tracee);
	} else {
		arrivals_load(s, t, &loaded);
	}
	array_fini(&loaded);
	return HIT_TAKEN;
}

static const struct site_owner loader_owner = {.no_registers = true, .hit = hit_loader};

/* Sets a trap where ld.so reports a changed list. It is hit only a few times, so the trap does
   without a copy of the instruction where that can be emulated: mapping memory for a copy costs
   more. */
static void watch_loader(struct run *s, struct run_process *p, struct tracee_thread *t)
{
	uint64_t base, offset, size;
	struct module *m = images_loader(p, &base);
	const struct act act = {.owner = &loader_owner};
	struct site_use *use;
	ERROR(err);
	ERROR(no_copy);

	if (module_symbol(m, "_dl_debug_state", &offset, &size) < 0)
		return;
	use = sites_use(s, p, NULL, base + offset, &p->load_site, &no_copy);
	if (!use)
		use = sites_use(s, p, t, base + offset, &p->load_site, &err);
	if (use && !sites_has(use, &act))
		sites_act(use, &act);
}

void loader_static(struct run *s, struct run_process *p, struct tracee_thread *t)
{
	if (!p->loader && s->loading.loads_matter)
		watch_loader(s, p, t);
}

int loader_exec(struct run *s, struct run_process *p, struct tracee_thread *t, struct error *err)
{
	if (images_exec(s, p, err) < 0)
		return -1;
	if (p->loader && loader_is_wanted(s, p))
		watch_loader(s, p, t);
	return 0;
}
