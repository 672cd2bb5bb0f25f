/*
 * A stub that compares variables first (tracer/resident/resident.h): each comparison has a slot, as a copy of an
 * instruction has one, and so has what comes behind them: a stub for others, of which only the part behind its own
 * comparison is ever executed.
 */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/fastpath/resident_internal.h"

#include <signal.h>

/* What the maker is given. */
struct tests {
	const struct tracee_comparison *items;
	size_t count;
};

/* On the thread's own stack no read is a fault. */
static bool any_elsewhere(const struct tests *tests)
{
	for (size_t i = 0; i < tests->count; i++)
		if (tests->items[i].test.kind == RESIDENT_AT_ADDRESS || tests->items[i].test.hops)
			return true;
	return false;
}

/* Such a program may take memory away from itself. And of a fault in a comparison the kernel would reset what it does about these signals. */
static bool minds_faults(const struct tracee_thread *thread)
{
	const uint64_t faults = 1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1);
	struct tracee_signals has;

	return tracee_signals_of(thread->tid, &has) < 0 ||
	       ((has.caught | has.ignored | has.blocked) & faults);
}

/* Where it goes on. */
static uint64_t compared_address_of(int next, const uint64_t *at, uint64_t stub)
{
	if (next == TRACEE_TAKES)
		return stub + RESIDENT_TAKES;
	return next == TRACEE_REPORTS ? stub + RESIDENT_TRAPS : at[next];
}

static bool compared_make(struct tracee *t, struct tracee_process *process, struct thread *helper,
			  struct site *site, const void *ctx)
{
	struct tracee_space *space = process->space;
	const struct tests *tests = ctx;
	struct slot slot = {.from = site->pub.addr,
			    .kind = STUB_FOR_OTHERS,
			    .copy.length = RESIDENT_STUB_FOR_OTHERS};
	uint64_t at[TRACEE_COMPARISONS], stub, there;

	slot.count = count_near(t, process, helper, site->pub.addr, &there);
	stub = slot_next(space, site->pub.addr);
	if (!slot.count || !stub || !tests->count || tests->count > TRACEE_COMPARISONS ||
	    resident_make_for_others(slot.copy.code, stub, there, site->copy) < 0 ||
	    slot_add(t, space, stub, &slot) < 0)
		return false;
	for (size_t i = tests->count; i-- > 0;) {
		const struct tracee_comparison *test = &tests->items[i];
		int length;

		at[i] = slot_next(space, site->pub.addr);
		length = resident_make_comparison(slot.copy.code, at[i], i == 0, &test->test,
						  compared_address_of(test->yes, at, stub),
						  compared_address_of(test->no, at, stub));
		if (!at[i] || length < 0)
			return false;
		slot.copy.length = (unsigned)length;
		slot.kind = i ? STUB_COMPARES_NEXT : STUB_COMPARES;
		if (i && slot_add(t, space, at[i], &slot) < 0)
			return false;
	}
	return stub_put(t, space, site, at[0], &slot) == 0;
}

struct resident_count *tracee_site_compared(struct tracee *t, struct tracee_process *process,
					    struct tracee_thread *helper, struct tracee_site *site,
					    unsigned span, const struct tracee_comparison *tests,
					    size_t count, const char **why)
{
	const struct tests all = {tests, count};

	if (((struct site *)site)->exposed) {
		*why = "what it compares is out of reach at times";
		return NULL;
	}
	if (any_elsewhere(&all) && minds_faults(helper)) {
		*why = "the program deals with SIGSEGV or SIGBUS itself";
		return NULL;
	}
	return stub_at(t, process, helper, site, span, compared_make, &all, why);
}
