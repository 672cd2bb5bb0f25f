#include "tracer/session/rounds.h"

#include "tracer/base/log.h"

void rounds_note(const struct session *s, const struct place *place,
		 const struct source_sites *sites)
{
	enum source_rounds worst = SOURCE_ROUND;

	if (!place->hit_first || s->options->quiet || s->run_number > 1)
		return;
	array_each(const struct source_site, site, sites) {
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
