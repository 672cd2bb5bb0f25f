#include "tracer/run/places/inside_compared.h"

#include "tracer/run/threads/calls.h"

#include <string.h>

_Static_assert((int)IDLE_TESTS <= (int)TRACEE_COMPARISONS, "all of them can be made");
_Static_assert((int)INSPECT_HOPS == (int)RESIDENT_HOPS, "all of them can be followed");

/* How it is reached. */
static size_t steps_to(const struct idle *idle, size_t variable,
		       struct inspect_step steps[IDLE_VARIABLES])
{
	size_t count = 0;
	int i = (int)variable;

	for (; i != IDLE_NOBODY; i = idle->variables[i].of)
		count++;
	i = (int)variable;
	for (size_t k = count; k-- > 0; i = idle->variables[i].of)
		steps[k] =
			(struct inspect_step){idle->variables[i].name, idle->variables[i].number};
	return count;
}

static bool has_parts(const struct idle *idle, size_t variable)
{
	for (size_t i = 0; i < idle->variable_count; i++)
		if (idle->variables[i].of == (int)variable)
			return true;
	return false;
}

/* What the function reads and does not compare might be a fault of the script's: what stands for something else, a C++
   reference, what is no integer where one is meant. */
static bool may_fail(const struct idle *idle, size_t i, const struct inspect_spot *spot)
{
	if (idle->integers >> i & 1)
		return spot->holds != INSPECT_SPOT_INTEGER;
	if ((idle->unasked >> i & 1) && spot->hops)
		return true;
	return spot->holds == INSPECT_SPOT_OTHER && !has_parts(idle, i);
}

/* Where the variables are that the function reads. */
static bool inside_compared_find(const struct inspect_call *call, const struct idle *idle,
				 struct inspect_spot spots[IDLE_VARIABLES])
{
	struct inspect_step steps[IDLE_VARIABLES];

	for (size_t i = 0; i < idle->variable_count; i++) {
		if (!(idle->needed >> i & 1))
			continue;
		if (inspect_spot(call, steps, steps_to(idle, i, steps), &spots[i]) < 0 ||
		    may_fail(idle, i, &spots[i]))
			return false;
	}
	return true;
}

/* Do they mean the same to Lua: a pointer that is 0 is nil, an integer that is 0 is true. */
static bool is_for(const struct idle_test *test, const struct inspect_spot *spot)
{
	switch (test->compare) {
	case IDLE_NIL:
		return spot->holds == INSPECT_SPOT_POINTER;
	case IDLE_FALSE:
		return spot->holds == INSPECT_SPOT_BOOL;
	case IDLE_FALSY:
		return spot->holds == INSPECT_SPOT_POINTER || spot->holds == INSPECT_SPOT_BOOL;
	default:
		return spot->holds == INSPECT_SPOT_INTEGER;
	}
}

static struct resident_comparison test_of(const struct idle_test *test,
					  const struct inspect_spot *spot, int64_t constant)
{
	static const enum resident_compare compares[] = {
		[IDLE_EQ] = RESIDENT_EQ,    [IDLE_LT] = RESIDENT_LT,	[IDLE_LE] = RESIDENT_LE,
		[IDLE_GT] = RESIDENT_GT,    [IDLE_GE] = RESIDENT_GE,	[IDLE_NIL] = RESIDENT_EQ,
		[IDLE_FALSE] = RESIDENT_EQ, [IDLE_FALSY] = RESIDENT_EQ,
	};
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
		.constant = constant,
	};

	memcpy(out.hop, spot->hop, sizeof(out.hop));
	return out;
}

static int next_of(int next)
{
	return next == IDLE_NOTHING ? TRACEE_TAKES : next == IDLE_CALL ? TRACEE_REPORTS : next;
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

size_t inside_comparisons(struct session_thread *t, uint64_t scope, const struct place *place,
			  const int64_t constants[IDLE_TESTS],
			  struct tracee_comparison out[IDLE_TESTS])
{
	const struct idle *idle = place_idle(t->process->session->engine, place);
	struct inspect_spot spots[IDLE_VARIABLES];
	struct inspect_stack calls = {0};
	bool found = calls_read(t, scope, 1, &calls) == 0 && calls.count &&
		     inside_compared_find(&calls.items[0], idle, spots);

	for (size_t i = 0; found && i < idle->count; i++) {
		const struct idle_test *test = &idle->tests[i];

		found = is_for(test, &spots[test->variable]);
		out[i] = (struct tracee_comparison){
			.test = test_of(test, &spots[test->variable], constants[i]),
			.yes = next_of(test->yes),
			.no = next_of(test->no)};
	}
	inspect_stack_fini(&calls);
	return found ? idle->count : 0;
}
