/* `hit` counts arrivals: says so if the compiler made one round out of several of a loop. */
#include "tracer/run/state.h"

#include "tracer/base/log.h"

static void rounds_note(struct run *s, const struct found *f)
{
	const struct place *place = f->place;
	enum source_rounds worst = SOURCE_ROUND;

	if (!f->first || !place->hit_first || s->options->quiet || s->run_number > 1)
		return;
	array_each(const struct source_site, site, f->sites) {
		enum source_rounds one = source_rounds(site);

		worst = one > worst ? one : worst;
	}
	if (worst == SOURCE_ROUND)
		return;
	log_line("gatectl: note: %s%s%s: hit counts arrivals, but the loop was %s: one arrival may "
		 "be "
		 "several rounds of it",
		 place->source ? place->source : "", place->source ? ": " : "", place->location,
		 worst == SOURCE_VECTORISED ? "vectorised" : "unrolled without a mark for each");
}

extern const struct observer rounds_observer;
const struct observer rounds_observer = {.found = rounds_note};
