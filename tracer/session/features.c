#include "tracer/session/features.h"

#include "tracer/session/observers.h"

extern const struct observer deadlock_observer, interrupt_observer, crash_observer,
	untraced_observer, timeline_observer, order_log_observer, trial_observer, leftover_observer,
	watch_observer, record_observer, spin_observer, near_miss_observer, explain_observer,
	interactive_observer;
extern const struct site_placer elide_placer, completion_placer;

static const struct observer *const observers[] = {
	&deadlock_observer, &interrupt_observer,   &crash_observer,
	&untraced_observer, &timeline_observer,	   &order_log_observer,
	&trial_observer,    &leftover_observer,	   &watch_observer,
	&record_observer,   &spin_observer,	   &near_miss_observer,
	&explain_observer,  &interactive_observer, NULL,
};
static const struct site_placer *const placers[] = {&elide_placer, &completion_placer, NULL};

const struct features all_features = {observers, placers};
