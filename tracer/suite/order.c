/* Which test comes next: DEPENDS, fixtures, RUN_SERIAL (cmake-properties(7)). */
#include "tracer/suite/suite_internal.h"

#include <string.h>

bool suite_is_fixture(const struct suite_test *test)
{
	return test->sets_up.count || test->cleans_up.count;
}

/* True if a wanted test needs what the fixture sets up or clears. */
static bool is_needed(const struct suite *s, const struct suite_plan *plan,
		      const struct suite_test *fixture)
{
	for (size_t i = 0; i < s->tests.count; i++)
		if (plan->is_wanted[i] &&
		    (suite_overlap(&s->tests.items[i].needs, &fixture->sets_up) ||
		     suite_overlap(&s->tests.items[i].needs, &fixture->cleans_up)))
			return true;
	return false;
}

void suite_plan_make(const struct suite *s, struct suite_plan *plan)
{
	size_t count = s->tests.count;
	bool has_grown = true;

	plan->is_wanted = base_alloc(count + 1, sizeof(bool));
	plan->is_begun = base_alloc(count + 1, sizeof(bool));
	plan->is_over = base_alloc(count + 1, sizeof(bool));
	for (size_t i = 0; i < count; i++)
		plan->is_wanted[i] = s->is_mine[i] && !s->is_done[i];
	while (has_grown) { /* a fixture may need another one */
		has_grown = false;
		for (size_t i = 0; i < count; i++)
			if (!plan->is_wanted[i] && suite_is_fixture(&s->tests.items[i]) &&
			    is_needed(s, plan, &s->tests.items[i]))
				has_grown = plan->is_wanted[i] = true;
	}
}

static bool comes_before(const struct suite_test *first, const struct suite_test *then)
{
	return suite_has(&then->after, first->name) ||
	       suite_overlap(&first->sets_up, &then->needs) ||
	       suite_overlap(&first->needs, &then->cleans_up);
}

static bool can_begin(const struct suite *s, const struct suite_plan *plan, size_t test)
{
	if (!plan->is_wanted[test] || plan->is_begun[test])
		return false;
	for (size_t i = 0; i < s->tests.count; i++)
		if (i != test && plan->is_wanted[i] && !plan->is_over[i] &&
		    comes_before(&s->tests.items[i], &s->tests.items[test]))
			return false;
	return true;
}

static bool runs_serial(const struct suite *s, const struct suite_plan *plan)
{
	for (size_t i = 0; i < s->tests.count; i++)
		if (plan->is_begun[i] && !plan->is_over[i] && s->tests.items[i].serial)
			return true;
	return false;
}

long suite_plan_next(const struct suite *s, const struct suite_plan *plan, size_t running)
{
	if (running && runs_serial(s, plan))
		return -1;
	for (size_t i = 0; i < s->tests.count; i++)
		if ((!running || !s->tests.items[i].serial) && can_begin(s, plan, i))
			return (long)i;
	return -1;
}

bool suite_plan_left(const struct suite *s, const struct suite_plan *plan)
{
	for (size_t i = 0; i < s->tests.count; i++)
		if (plan->is_wanted[i] && !plan->is_begun[i])
			return true;
	return false;
}

char *suite_plan_refusal(const struct suite *s, const struct suite_plan *plan, size_t test)
{
	const struct suite_test *t = &s->tests.items[test];
	STR(text);

	if (t->not_run)
		return base_strdup(t->not_run);
	for (size_t i = 0; i < s->tests.count; i++)
		if (plan->is_over[i] && suite_overlap(&s->tests.items[i].sets_up, &t->needs) &&
		    s->results[i].verdict == SUITE_FAILS_BARE) {
			str_addf(&text, "its fixture's test %s failed", s->tests.items[i].name);
			return str_take(&text);
		}
	return NULL;
}

void suite_plan_fini(struct suite_plan *plan)
{
	base_free(plan->is_wanted);
	base_free(plan->is_begun);
	base_free(plan->is_over);
}
