/* The observers of a run, in the order in which they are called. capture makes its pipes before the
 * script's input is opened; the user's command on a signal comes before the crash is examined, the
 * crash before `expected` judges it; `explain` and `report` follow the observers that they read or
 * whose note they print. */
#include "tracer/features/features.h"

#include "tracer/run/run.h"

#define OBSERVERS(ONE)                                                                             \
	ONE(capture)                                                                               \
	ONE(given)                                                                                 \
	ONE(sanitizer)                                                                             \
	ONE(as_bare)                                                                               \
	ONE(waiting)                                                                               \
	ONE(interactive)                                                                           \
	ONE(crash)                                                                                 \
	ONE(expected)                                                                              \
	ONE(timeline)                                                                              \
	ONE(order_log)                                                                             \
	ONE(trial)                                                                                 \
	ONE(leftover)                                                                              \
	ONE(statement)                                                                             \
	ONE(convert)                                                                               \
	ONE(near_miss)                                                                             \
	ONE(sections)                                                                              \
	ONE(fixed)                                                                                 \
	ONE(explain)                                                                               \
	ONE(report)                                                                                \
	ONE(notes)                                                                                 \
	ONE(watchpoints)

/* Placers of places that need more than a trap at one address. The first placer that accepts a
 * place handles it. */
#define PLACERS(ONE) ONE(elide) ONE(completion)

#define OBSERVER_DECLARED(name) extern const struct observer name##_observer;
#define OBSERVER_LISTED(name)	&name##_observer,
#define PLACER_DECLARED(name)	extern const struct site_placer name##_placer;
#define PLACER_LISTED(name)	&name##_placer,

/* Observers of one of thousands of runs: they follow the program, evaluate the gates of a script
 * and give the verdict, but write no text. */
#define SEARCHERS(ONE)                                                                             \
	ONE(given)                                                                                 \
	ONE(sanitizer)                                                                             \
	ONE(as_bare)                                                                               \
	ONE(waiting)                                                                               \
	ONE(sched)                                                                                 \
	ONE(crash)                                                                                 \
	ONE(expected)                                                                              \
	ONE(leftover)                                                                              \
	ONE(statement)                                                                             \
	ONE(watchpoints)

OBSERVERS(OBSERVER_DECLARED)
extern const struct observer parked_observer, sched_observer;
PLACERS(PLACER_DECLARED)

static const struct observer *const observers[] = {OBSERVERS(OBSERVER_LISTED) NULL};
static const struct observer *const sched[] = {&parked_observer,
					       OBSERVERS(OBSERVER_LISTED) & sched_observer, NULL};
static const struct observer *const searchers[] = {SEARCHERS(OBSERVER_LISTED) NULL};
static const struct site_placer *const placers[] = {PLACERS(PLACER_LISTED) NULL};

const struct features all_features = {observers, placers};
const struct features sched_features = {sched, placers};
const struct features search_features = {searchers, placers};
