#include "tracer/run/inside_compared.h"

#include "tracer/run/calls.h"

#include <string.h>

_Static_assert((int)IDLE_TESTS <= (int)TARGET_COMPARISONS, "all of them can be made");

/* Where the variables are that the function reads. */
static bool find(const struct inspect_call *call, const struct idle *idle,
		 struct inspect_spot spots[IDLE_VARIABLES])
{
	for (size_t i = 0; i < idle->variable_count; i++)
		if ((idle->needed >> i & 1) &&
		    inspect_spot(call, idle->variables[i].name, idle->variables[i].argument,
				 &spots[i]) < 0)
			return false;
	return true;
}

static struct resident_comparison test_of(const struct idle_test *test,
					  const struct inspect_spot *spot, int64_t constant)
{
	static const enum resident_compare compares[] = {
		[IDLE_EQ] = RESIDENT_EQ, [IDLE_LT] = RESIDENT_LT, [IDLE_LE] = RESIDENT_LE,
		[IDLE_GT] = RESIDENT_GT, [IDLE_GE] = RESIDENT_GE,
	};

	return (struct resident_comparison){
		.kind = spot->kind == INSPECT_AT_ADDRESS    ? RESIDENT_AT_ADDRESS
			: spot->kind == INSPECT_AT_REGISTER ? RESIDENT_AT_REGISTER
							    : RESIDENT_IN_REGISTER,
		.reg = spot->reg,
		.add = spot->add,
		.size = spot->size,
		.is_signed = spot->is_signed,
		.mask = test->mask,
		.compare = compares[test->compare],
		.constant = constant,
	};
}

static int next_of(int next)
{
	return next == IDLE_NOTHING ? TARGET_TAKES : next == IDLE_CALL ? TARGET_REPORTS : next;
}

bool inside_constants(const struct session *s, const struct place *place, int64_t out[IDLE_TESTS])
{
	const struct idle *idle = place_idle(s->engine, place);

	memset(out, 0, IDLE_TESTS * sizeof(*out));
	for (size_t i = 0; idle && i < idle->count; i++) {
		const struct idle_test *test = &idle->tests[i];

		out[i] = test->constant;
		if (test->outer && !place_outer(s->engine, place, test->outer, &out[i]))
			return false;
	}
	return idle;
}

size_t inside_comparisons(struct session_thread *t, const char *function, const struct place *place,
			  const int64_t constants[IDLE_TESTS],
			  struct target_comparison out[IDLE_TESTS])
{
	const struct idle *idle = place_idle(t->process->session->engine, place);
	struct inspect_spot spots[IDLE_VARIABLES];
	struct inspect_stack calls = {0};
	bool found = calls_read(t, function, 1, &calls) == 0 && calls.count &&
		     find(&calls.items[0], idle, spots);

	for (size_t i = 0; found && i < idle->count; i++) {
		const struct idle_test *test = &idle->tests[i];

		out[i] = (struct target_comparison){
			.test = test_of(test, &spots[test->variable], constants[i]),
			.yes = next_of(test->yes),
			.no = next_of(test->no)};
	}
	inspect_stack_fini(&calls);
	return found ? idle->count : 0;
}
