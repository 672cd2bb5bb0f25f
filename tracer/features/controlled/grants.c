/*
 * Most points are accesses to memory, and at most of them a thread goes on that has just gone on. Where a strategy
 * can say so beforehand the thread does not stop there at all, but writes down that it came by (target_grant); it is told
 * afterwards, and the strategy is asked, as if it had stopped.
 *
 * Only in copies of a kept program, at accesses to which threads have come often: the jumps are made in the kept
 * one, between two runs.
 */
#include "tracer/features/controlled/controlled_internal.h"
#include "tracer/features/controlled/controlled_run.h"
#include "tracer/run/sites.h"
#include "tracer/source/source.h"

enum { WORTH_HITS = 32 };

void grants_open(const struct session *s, struct target_thread *t, uint64_t address)
{
	const struct controlled *g = s->options->controlled;

	if (g->keeps && !g->races && !s->options->no_resident)
		target_grants_open(s->target, t, address);
}

void grants_note(struct controlled *g, unsigned access)
{
	if (++g->accesses.items[access].hits == WORTH_HITS)
		*array_add(&g->worth_granting) = access;
}

/* Whoever else looks at arrivals there gets each one when it happens. */
static bool is_alone(const struct target_site *site)
{
	const struct site_use *use = site->user;

	return use && use->acts.count == 1;
}

void grants_take(struct controlled *g, struct session_process *kept)
{
	array_each(const unsigned, i, &g->worth_granting) {
		const struct controlled_access *a = &g->accesses.items[*i];
		struct target_site *site = target_site_find(kept->target, a->address);
		const char *why;

		if (site && is_alone(site))
			target_site_granted(
				kept->session->target, kept->target, site,
				source_movable(a->module, a->offset, RESIDENT_JUMP, &why),
				strategy_is_own_place(kept->session->options->controlled->strategy,
						      a->address));
	}
	g->worth_granting.count = 0;
}

/* So many steps are neither looked at more closely nor the last ones. */
static size_t steps_left(const struct control *c)
{
	const struct controlled *g = c->given;
	size_t done = g->schedule.steps.count + SPINS_LOOKED_AT + 1;

	if (!g->steps)
		return GRANTED_MOST;
	return done < g->steps ? g->steps - done : 0;
}

/* Does nothing happen but what the thread does, and is nobody interested in what it is like then, nor could hold it? */
static bool is_quiet(const struct control *c)
{
	const struct controlled *g = c->given;

	return !g->races && !g->describes && !g->rests && !c->kernel && !c->timers && !c->signals &&
	       c->session->processes.count == 1 && !engine_place_at(c->session->engine, 0);
}

void grants_give(struct control *c, const struct turn *chosen)
{
	size_t most = steps_left(c), n, i = 0;
	struct strategy_avoid avoid;

	if (!is_quiet(c) || !most)
		return;
	while (c->at.items[i] != chosen)
		i++;
	n = strategy_foresee(c->given->strategy, c->points.items, c->points.count, i,
			     most < GRANTED_MOST ? most : GRANTED_MOST, &avoid);
	if (n)
		target_grant(chosen->thread->target, (unsigned)n, avoid.objects, avoid.count,
			     avoid.own_places);
}
