/* Detection of livelocks among runs that reach the limit of steps. README.md gives the criteria. */
#include "tracer/base/hash.h"
#include "tracer/sched/sched_internal.h"
#include "tracer/features/waiting/waiting.h"

enum { FEW = 64, STACK = 512, HITS_LEAST = 64, PATIENCE = 2048 };

static uint64_t state_of(const struct sched_thread *t, const struct arch_regs *regs)
{
	uint8_t stack[STACK];
	uint64_t state = hash_bytes(HASH_START, regs->dwarf, sizeof(regs->dwarf));

	if (run_thread_read(t->thread, regs->dwarf[ARCH_DWARF_SP], stack, STACK) == 0)
		state = hash_bytes(state, stack, STACK);
	return state;
}

size_t spins_looked_at(const struct sched *c)
{
	return c->looked_at ? c->looked_at : SCHED_LOOKED_AT;
}

unsigned long sched_fair_from(unsigned long steps)
{
	return steps - (steps / 2 < 2 * SCHED_LOOKED_AT ? steps / 2 : 2 * SCHED_LOOKED_AT);
}

/* Records the state of the thread that takes a step, near the end of a run. */
void spins_look(struct scheduler *c, struct sched_thread *t)
{
	struct sched *g = c->given;
	struct arch_regs regs;
	uint64_t state;

	if (g->schedule.steps.count == 1)
		g->states_count = 0;
	if (!g->steps || g->schedule.steps.count + spins_looked_at(g) < g->steps ||
	    g->states_count > SCHED_STATES || tracee_regs(run_thread_tracee(t->thread), &regs) < 0)
		return;
	state = state_of(t, &regs);
	for (unsigned i = 0; i < g->states_count; i++)
		if (g->states[i] == state)
			return;
	if (g->states_count < SCHED_STATES)
		g->states[g->states_count] = state;
	g->states_count++;
}

/* Choices in a row after which a ready thread counts as starved. A random choice does not pass
   over a thread that often, even among hundreds of threads. */
static unsigned long patience(const struct sched *g)
{
	return g->steps && g->steps / 4 < PATIENCE ? g->steps / 4 : PATIENCE;
}

/* A choice among threads to wake is no step, so it passes over no thread. */
void spins_pass_over(struct scheduler *c, struct sched_thread *chosen)
{
	if (c->points.items[0].op == STRATEGY_WAKE)
		return;
	for (size_t i = 0; i < c->at.count && c->points.items[i].op != STRATEGY_SPURIOUS; i++)
		if (++c->at.items[i]->passed_over > patience(c->given))
			c->starved_at = c->given->schedule.steps.count;
	chosen->passed_over = 0;
}

bool spins_starves(const struct scheduler *c)
{
	return c->starved_at &&
	       c->given->schedule.steps.count - c->starved_at < spins_looked_at(c->given);
}

static bool sleeps_on(const struct scheduler *c)
{
	array_each(struct sched_thread *const, t, &c->threads)
		if ((*t)->state == THREAD_SLEEPS && !spin_only_sleeps(c->run, (*t)->thread))
			return false;
	return true;
}

bool spins_naps(const struct scheduler *c)
{
	const struct schedule *s = &c->given->schedule;
	size_t half = s->steps.count / 2, looked = spins_looked_at(c->given);

	for (size_t i = s->steps.count - (looked < half ? looked : half); i < s->steps.count; i++)
		if (s->steps.items[i].point.op != STRATEGY_TIMEOUT)
			return false;
	return sleeps_on(c);
}

/* True if the thread waits for another thread's write: without a point between, the thread is in
   an earlier state again and is about to read an equal value. */
bool spins_at(struct scheduler *c, struct sched_thread *t, const struct arch_regs *regs)
{
	struct sched_round *seen = &t->spin;
	const struct arch_access *a = &t->accesses[0];
	size_t steps = c->given->schedule.steps.count;
	uint64_t state, value = 0;

	if (seen->steps != steps)
		*seen = (struct sched_round){.steps = steps};
	if (++seen->hits <= HITS_LEAST || !t->access_count || a->writes ||
	    a->size > sizeof(value) || run_thread_read(t->thread, a->address, &value, a->size) < 0)
		return false;
	state = hash_bytes(state_of(t, regs), &value, sizeof(value));
	for (unsigned i = 0; i < ROUND_STATES; i++)
		if (seen->items[i] == state)
			return true;
	seen->items[seen->hits % ROUND_STATES] = state;
	return false;
}

static bool spins_same(const struct strategy_point *a, const struct strategy_point *b)
{
	return a->thread == b->thread && a->place == b->place && a->object == b->object;
}

/* Counts the different steps among the last ones. Returns FEW + 1 if there are more than FEW. */
static size_t kinds_of(const struct schedule *s, size_t last, const struct strategy_point **known)
{
	size_t looked = s->steps.count < last ? s->steps.count : last, kinds = 0;

	for (size_t i = s->steps.count - looked; i < s->steps.count; i++) {
		const struct strategy_point *p = &s->steps.items[i].point;
		size_t k = 0;

		while (k < kinds && !spins_same(known[k], p))
			k++;
		if (k == FEW)
			return FEW + 1;
		if (k == kinds)
			known[kinds++] = p;
	}
	return kinds;
}

bool sched_spins(const struct sched *c)
{
	const struct strategy_point *known[FEW];

	if ((c->seen & SCHED_VAIN))
		return true;
	return !(c->seen & (SCHED_STARVES | SCHED_NAPS)) &&
	       kinds_of(&c->schedule, spins_looked_at(c), known) <= FEW &&
	       c->states_count <= SCHED_STATES;
}

size_t sched_spins_enough(const struct schedule *s, size_t last)
{
	const struct strategy_point *known[FEW];
	size_t kinds = kinds_of(s, SCHED_LOOKED_AT, known), i = s->steps.count;

	while (kinds <= FEW && i > 0) {
		size_t k = 0;

		while (k < kinds && !spins_same(known[k], &s->steps.items[i - 1].point))
			k++;
		if (k == kinds)
			break;
		i--;
	}
	return i + 2 * last < s->steps.count ? i + 2 * last : s->steps.count;
}
