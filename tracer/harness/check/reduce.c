/* Removes calls from a harness as long as it is still violated: fewer calls say more. */
#include "tracer/harness/hunt.h"

#include <string.h>

enum { RUNS = 100 };

/* Removes a call, and its thread if it was the last one. Returns false if only one thread would be
   left. */
static bool without_call(const struct schema *s, unsigned thread, unsigned call, struct schema *out)
{
	*out = *s;
	memmove(out->calls[thread] + call, out->calls[thread] + call + 1,
		(--out->counts[thread] - call) * sizeof(out->calls[thread][0]));
	if (out->counts[thread])
		return true;
	for (unsigned t = thread; t + 1 < out->threads; t++) {
		out->counts[t] = out->counts[t + 1];
		memcpy(out->calls[t], out->calls[t + 1], sizeof(out->calls[t]));
	}
	return --out->threads > 1;
}

static bool may_only_read(const struct harness_hunt *h, const struct schema *s)
{
	for (unsigned t = 0; t < s->threads; t++)
		for (unsigned i = 0; i < s->counts[t]; i++)
			if (!harness_op_of(&h->object, s->calls[t][i])->reads)
				return false;
	return true;
}

/* Searches the smaller harness. Sets *violated if its violation is the last of h->violations. */
static int try_smaller(struct harness_hunt *h, const struct schema *s, bool *violated)
{
	struct harness_sought smaller = {.schema = *s};
	struct harness_atomic a = {.use = HARNESS_FAILS};
	int failed = harness_atomic(h, s, &a);

	smaller.outcomes = a.outcomes;
	if (!failed && harness_left(h) >= 0 && a.use == HARNESS_USABLE && a.outcomes.count)
		failed = harness_search(h, &smaller, RUNS, violated);
	outcomes_fini(&smaller.outcomes);
	return failed;
}

/* Replaces the violation before the last one by the last one. */
static void take_last(struct harness_hunt *h)
{
	struct harness_violation *last = &h->violations.items[--h->violations.count];
	struct harness_violation *kept = last - 1;

	last->runs += kept->runs;
	last->seconds = kept->seconds;
	harness_violation_fini(kept);
	*kept = *last;
}

int harness_reduce(struct harness_hunt *h)
{
	bool violated = true;
	struct schema s, smaller;
	int failed = 0;

	while (violated && !failed) {
		s = h->violations.items[h->violations.count - 1].schema;
		violated = false;
		for (unsigned t = 0; t < s.threads && !violated && !failed; t++)
			for (unsigned i = 0; i < s.counts[t] && !violated && !failed; i++)
				if (without_call(&s, t, i, &smaller) && !may_only_read(h, &smaller))
					failed = try_smaller(h, &smaller, &violated);
		if (violated)
			take_last(h);
	}
	return failed;
}
