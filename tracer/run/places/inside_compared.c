/* Translates conditions into comparisons for stubs inside the program. */
#include "tracer/run/run_internal.h"
#include "tracer/run/places/inside_compared.h"

#include "tracer/run/threads/threads.h"
#include "tracer/tracee/fastpath/fastpath.h"

#include <string.h>

_Static_assert((int)INSPECT_TESTS <= (int)TRACEE_COMPARISONS, "all of them can be made");
_Static_assert((int)INSPECT_HOPS == (int)RESIDENT_HOPS, "all of them can be followed");

static struct resident_comparison comparison_of(const struct inspect_test *test)
{
	static const enum resident_compare compares[] = {
		[INSPECT_EQ] = RESIDENT_EQ, [INSPECT_LT] = RESIDENT_LT, [INSPECT_LE] = RESIDENT_LE,
		[INSPECT_GT] = RESIDENT_GT, [INSPECT_GE] = RESIDENT_GE,
	};
	const struct inspect_spot *spot = &test->spot;
	struct resident_comparison out = {
		.kind = spot->kind == INSPECT_AT_ADDRESS    ? RESIDENT_AT_ADDRESS
			: spot->kind == INSPECT_AT_REGISTER ? RESIDENT_AT_REGISTER
							    : RESIDENT_IN_REGISTER,
		.reg = spot->reg,
		.add = spot->add,
		.hops = spot->hops,
		.size = spot->size,
		.is_signed = spot->is_signed,
		.mask = test->mask,
		.compare = compares[test->compare],
		.is_unsigned = test->is_unsigned,
		.constant = test->constant,
	};

	memcpy(out.hop, spot->hop, sizeof(out.hop));
	return out;
}

static int next_of(int next, bool idle)
{
	if (next >= 0)
		return next;
	return (next == INSPECT_TRUE) == idle ? TRACEE_TAKES : TRACEE_REPORTS;
}

size_t inside_comparisons(struct run_thread *t, uint64_t scope, const char *expression, bool idle,
			  struct tracee_comparison out[INSPECT_TESTS])
{
	struct inspect_test tests[INSPECT_TESTS];
	struct inspect_stack calls = {0};
	size_t count = 0;

	if (calls_read(t, scope, 1, &calls) == 0 && calls.count)
		count = inspect_tests(&calls.items[0], expression, tests);
	for (size_t i = 0; i < count; i++)
		out[i] = (struct tracee_comparison){.test = comparison_of(&tests[i]),
						    .yes = next_of(tests[i].yes, idle),
						    .no = next_of(tests[i].no, idle)};
	inspect_stack_fini(&calls);
	return count;
}
