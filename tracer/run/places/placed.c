/* The records of places' traps, as processes are forked and unmap modules. */
#include "tracer/run/run_internal.h"
#include "tracer/run/places/places.h"
#include "tracer/tracee/traps/traps.h"

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

/* UINT64_MAX as `high` means the whole address space, which is gone: no trap is left to forget. */
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
