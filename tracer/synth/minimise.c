/* Tries one order after the other, not groups (delta debugging: Zeller and Hildebrandt 2002).
   Groups could spare 78 of 2,008 runs for 14 bugs of tests/explore and 36 of 601 for 11 sleeping
   tests. */
#include "tracer/synth/minimise.h"

static int minimise_rank(const struct minimise_orders *m, enum minimise_rank rank)
{
	for (size_t i = 0; i < m->count; i++) {
		bool *dropped = m->dropped(m->ctx, i);
		int needed;

		if (!dropped || *dropped || m->rank(m->ctx, i) != rank)
			continue;
		needed = m->is_needed(m->ctx, i);
		if (needed < 0)
			return -1;
		*dropped = !needed;
	}
	return 0;
}

int minimise_orders(const struct minimise_orders *m)
{
	int failed = 0;

	for (enum minimise_rank rank = MINIMISE_FIRST; !failed && rank < MINIMISE_NEVER; rank++)
		failed = minimise_rank(m, rank);
	return failed;
}

size_t minimise_put_back(const struct minimise_orders *m, bool all)
{
	size_t back = m->count;

	for (size_t i = m->count; i-- > 0 && (all || back == m->count);) {
		bool *dropped = m->dropped(m->ctx, i);

		if (!dropped || !*dropped)
			continue;
		*dropped = false;
		back = i;
	}
	return back;
}
