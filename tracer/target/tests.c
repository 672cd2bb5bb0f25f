/*
 * A stub that compares variables first (tracer/resident/test.h): each comparison has a slot, as a copy of an
 * instruction has one, and so has what comes behind them.
 */
#include "tracer/target/resident_internal.h"

enum { MOST = 16 };

/* What the maker is given. */
struct tests {
	const struct target_test *items;
	size_t count;
};

/* Where it goes on. */
static uint64_t address_of(int next, const uint64_t *at, uint64_t stub)
{
	if (next == TARGET_TAKES)
		return stub + RESIDENT_TAKES;
	return next == TARGET_REPORTS ? stub + RESIDENT_TRAPS : at[next];
}

static bool make(struct target *t, struct target_process *process, struct thread *helper,
		 struct site *site, const void *ctx)
{
	struct target_space *space = process->space;
	const struct tests *tests = ctx;
	struct slot slot = {.from = site->pub.addr,
			    .kind = STUB_FOR_OTHERS,
			    .copy.length = RESIDENT_STUB_FOR_OTHERS};
	uint64_t at[MOST], stub, there;

	slot.count = count_near(t, process, helper, site->pub.addr, &there);
	stub = slot_next(space, site->pub.addr);
	if (!slot.count || !stub || !tests->count || tests->count > MOST ||
	    resident_make_for_others(slot.copy.code, stub, there, site->copy) < 0 ||
	    slot_add(t, space, stub, &slot) < 0)
		return false;
	for (size_t i = tests->count; i-- > 0;) {
		const struct target_test *test = &tests->items[i];
		int length;

		at[i] = slot_next(space, site->pub.addr);
		length = resident_make_test(slot.copy.code, at[i], i == 0, &test->test,
					    address_of(test->yes, at, stub),
					    address_of(test->no, at, stub));
		if (!at[i] || length < 0)
			return false;
		slot.copy.length = (unsigned)length;
		slot.kind = i ? STUB_TEST : STUB_FIRST_TEST;
		if (i && slot_add(t, space, at[i], &slot) < 0)
			return false;
	}
	return stub_put(t, space, site, at[0], &slot) == 0;
}

struct resident_count *target_site_tested(struct target *t, struct target_process *process,
					  struct target_thread *helper, struct target_site *site,
					  unsigned span, const struct target_test *tests,
					  size_t count, const char **why)
{
	const struct tests all = {tests, count};

	return stub_at(t, process, helper, site, span, make, &all, why);
}
