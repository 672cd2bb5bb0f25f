#include "tracer/run/inside_tests.h"

#include "tracer/run/calls.h"

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

static struct resident_test test_of(const struct idle_test *test, const struct inspect_spot *spot,
				    int64_t constant)
{
	static const enum resident_compare compares[] = {
		[IDLE_EQ] = RESIDENT_EQ, [IDLE_LT] = RESIDENT_LT, [IDLE_LE] = RESIDENT_LE,
		[IDLE_GT] = RESIDENT_GT, [IDLE_GE] = RESIDENT_GE,
	};

	return (struct resident_test){
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

/* What the variable is compared with. */
static bool constant_of(const struct session *s, const struct place *place,
			const struct idle_test *test, int64_t *out)
{
	*out = test->constant;
	return !test->outer || place_outer(s->engine, place, test->outer, out);
}

size_t inside_tests(struct session_thread *t, const char *function, const struct place *place,
		    struct target_test out[IDLE_TESTS])
{
	const struct session *s = t->process->session;
	const struct idle *idle = place_idle(s->engine, place);
	struct inspect_spot spots[IDLE_VARIABLES];
	struct inspect_stack calls = {0};
	bool found = calls_read(t, function, 1, &calls) == 0 && calls.count &&
		     find(&calls.items[0], idle, spots);

	for (size_t i = 0; found && i < idle->count; i++) {
		const struct idle_test *test = &idle->tests[i];
		int64_t constant;

		found = constant_of(s, place, test, &constant);
		out[i] = (struct target_test){
			.test = test_of(test, &spots[test->variable], constant),
			.yes = next_of(test->yes),
			.no = next_of(test->no)};
	}
	inspect_stack_fini(&calls);
	return found ? idle->count : 0;
}

bool inside_tests_hold(const struct session *s, const struct place *place,
		       const struct target_test *tests)
{
	const struct idle *idle = place_idle(s->engine, place);
	int64_t constant;

	for (size_t i = 0; i < idle->count; i++)
		if (!constant_of(s, place, &idle->tests[i], &constant) ||
		    constant != tests[i].test.constant)
			return false;
	return true;
}
