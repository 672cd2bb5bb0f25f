/*
 * Who takes part in a run: a line each. Where two want the same moment the first one is asked first, so
 * capture's pipes are there before the script's input is given; a user has their say on a signal before it
 * is looked at as a crash; a crash is looked at before it is judged what was expected; the verdict is put
 * into words when everybody else has seen the end.
 */
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
	ONE(explain)                                                                               \
	ONE(report)                                                                                \
	ONE(notes)                                                                                 \
	ONE(watchpoints)

/* Where an arrival at a place takes more than a trap at its address: the first that wants it. */
#define PLACERS(ONE) ONE(elide) ONE(completion)

#define OBSERVER_DECLARED(name) extern const struct observer name##_observer;
#define OBSERVER_LISTED(name)	&name##_observer,
#define PLACER_DECLARED(name)	extern const struct site_placer name##_placer;
#define PLACER_LISTED(name)	&name##_placer,

/* Of one run among thousands: what happens in it, what a script's gates look at, and how it ends, but nothing in words. */
#define SEARCHERS(ONE)                                                                             \
	ONE(given)                                                                                 \
	ONE(sanitizer)                                                                             \
	ONE(as_bare)                                                                               \
	ONE(waiting)                                                                               \
	ONE(sched)                                                                                 \
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
