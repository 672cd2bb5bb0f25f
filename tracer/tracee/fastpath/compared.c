/*
 * Stubs that compare variables first (tracer/resident/resident.h). Each comparison has a slot, and
 * so has the stub that they lead to, whose own comparison is never executed.
 */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/fastpath/resident_internal.h"

#include <signal.h>

/* Context of compared_make(). */
struct tests {
	const struct tracee_comparison *items;
	size_t count;
};

/* True if a test reads memory that can be unmapped; a plain read by a register
   is on the thread's stack. */
static bool any_elsewhere(const struct tests *tests)
{
	for (size_t i = 0; i < tests->count; i++)
		if (tests->items[i].test.kind == RESIDENT_AT_ADDRESS || tests->items[i].test.hops)
			return true;
	return false;
}

/* True if the program handles, ignores or blocks SIGSEGV or SIGBUS: it may unmap memory on purpose,
   and the kernel would reset an ignored or blocked action at a fault in a test. */
static bool minds_faults(const struct tracee_thread *thread)
{
	const uint64_t faults = 1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1);
	struct tracee_signals has;

	return tracee_signals_of(thread->tid, &has) < 0 ||
	       ((has.caught | has.ignored | has.blocked) & faults);
}

/* Returns the address at which a test goes on: the next test, or the stub's take or trap. */
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
		*why = "its comparison has faulted, or a signal handler was left in the middle of "
		       "it";
		return NULL;
	}
	if (any_elsewhere(&all) && minds_faults(helper)) {
		*why = "the program handles SIGSEGV or SIGBUS itself";
		return NULL;
	}
	return stub_at(t, process, helper, site, span, compared_make, &all, why);
}
