#include "tracer/features/features.h"

#include "tracer/run/observers.h"

extern const struct observer deadlock_observer, interrupt_observer, crash_observer,
	untraced_observer, timeline_observer, order_log_observer, trial_observer, leftover_observer,
	blocking_observer, convert_observer, spin_observer, near_miss_observer, explain_observer,
	interactive_observer, capture_observer, given_observer, expected_observer, report_observer,
	sanitizer_observer, as_bare_observer, rounds_observer, elide_observer, completion_observer,
	attach_observer, trampoline_observer, watchpoints_observer;
extern const struct site_placer elide_placer, completion_placer;

/* If two want the same moment, the first in this list is asked first. */
static const struct observer *const observers[] = {
	&capture_observer,     &given_observer,	      &sanitizer_observer,
	&as_bare_observer,     &rounds_observer,      &deadlock_observer,
	&interrupt_observer,   &crash_observer,	      &expected_observer,
	&untraced_observer,    &timeline_observer,    &order_log_observer,
	&trial_observer,       &leftover_observer,    &blocking_observer,
	&elide_observer,       &completion_observer,  &convert_observer,
	&spin_observer,	       &near_miss_observer,   &explain_observer,
	&report_observer,      &attach_observer,      &trampoline_observer,
	&interactive_observer, &watchpoints_observer, NULL,
};
static const struct site_placer *const placers[] = {&elide_placer, &completion_placer, NULL};

const struct features all_features = {observers, placers};
