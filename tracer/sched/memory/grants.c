/* Batches of steps: a thread that the strategy is certain to choose again does not stop at its
   points, but counts them in a stub (tracee_grant). README.md gives the conditions. */
#include "tracer/sched/sched_internal.h"
#include "tracer/sched/syscalls/timers.h"
#include "tracer/sched/turns/rounds.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/places/places.h"
#include "tracer/source/source.h"
#include "tracer/tracee/traps/traps.h"
#include "tracer/tracee/fastpath/fastpath.h"

enum { WORTH_HITS = 32, STEPS_OF_UPDATE = 2 };

void grants_open(const struct run *s, struct tracee_thread *t, uint64_t address)
{
	const struct sched *g = run_options(s)->sched;

	if ((g->flags & SCHED_KEEPS) && !g->races)
		tracee_grants_open(run_tracee(s), t, address);
}

void grants_note(struct sched *g, unsigned access)
{
	struct sched_access *a = &g->accesses.items[access];

	if (++a->hits != WORTH_HITS)
		return;
	*array_add(&g->hot) = (struct sched_worth){a->address, false};
	g->grants_updates |= a->is_update;
}

static struct sched_entry *entry_at(struct sched *g, uint64_t address)
{
	struct sched_entry *e;

	array_each(struct sched_entry, known, &g->entries)
		if (known->address == address)
			return known;
	e = array_add(&g->entries);
	*e = (struct sched_entry){.address = address};
	return e;
}

void grants_note_function(struct sched *g, uint64_t address)
{
	if (++entry_at(g, address)->hits == WORTH_HITS)
		*array_add(&g->hot) = (struct sched_worth){address, true};
}

/* True if no other handler uses the trap: others need each arrival when it happens. */
static bool is_alone(const struct tracee_site *site)
{
	const struct site_use *use = site->user;

	return use && use->acts.count == 1;
}

static enum tracee_granted grants_kind_of(struct sched *g, struct run_process *kept,
					  const struct sched_worth *w)
{
	if (w->function)
		return TRACEE_GRANTED_FUNCTION;
	return strategy_is_own_place(g->strategy, addresses_number(g, kept, w->address))
		       ? TRACEE_GRANTED_OWN
		       : TRACEE_GRANTED_ELSEWHERE;
}

static void memory_grants_take(struct sched *g, struct run_process *kept,
			       const struct sched_worth *w)
{
	struct tracee_site *site = tracee_site_find(run_process_tracee(kept), w->address);
	const struct image *image = images_at(kept, w->address);
	const char *why;

	if (site && image && is_alone(site))
		tracee_site_granted(run_tracee(run_of(kept)), run_process_tracee(kept), site,
				    source_movable(image->module, w->address - image->bias,
						   RESIDENT_JUMP, &why),
				    grants_kind_of(g, kept, w));
}

void grants_take(struct sched *g, struct run_process *kept)
{
	if (!run_options(run_of(kept))->no_resident)
		array_each(const struct sched_worth, w, &g->hot)
			memory_grants_take(g, kept, w);
	g->hot.count = 0;
}

/* Returns the steps before the last ones of the run, which are examined more closely. */
static size_t steps_left(const struct scheduler *c)
{
	const struct sched *g = c->given;
	size_t done = g->schedule.steps.count + spins_looked_at(g) + 1;

	if (!g->steps)
		return GRANTED_MOST;
	return done < g->steps ? g->steps - done : 0;
}

/* True if no event except the thread's own steps can come, and nothing observes or holds the
   thread between them. */
static bool is_quiet(const struct scheduler *c)
{
	const struct sched *g = c->given;

	return !g->races && !(g->flags & SCHED_DESCRIBES) && !g->rest_at && !c->kernel &&
	       !c->real_timers && !timers_are_armed(c) && !c->signals &&
	       !run_process_next(c->run, run_root(c->run)) &&
	       !engine_place_at(run_engine(c->run), 0);
}

void grants_give(struct scheduler *c, const struct sched_thread *chosen)
{
	size_t most = steps_left(c), n, i = 0;
	struct strategy_avoid avoid;

	if (!is_quiet(c) || !most)
		return;
	while (c->at.items[i] != chosen)
		i++;
	if (most > rounds_unwatched(c))
		most = rounds_unwatched(c);
	n = !most ? 0
		  : strategy_foresee(c->given->strategy, c->points.items, c->points.count, i,
				     most < GRANTED_MOST ? most : GRANTED_MOST, &avoid);
	if (c->given->grants_updates) {
		n /= STEPS_OF_UPDATE;
		avoid.elsewhere /= STEPS_OF_UPDATE;
	}
	if (n)
		tracee_grant(run_thread_tracee(chosen->thread), (unsigned)n, avoid.objects,
			     avoid.count, avoid.elsewhere);
}
