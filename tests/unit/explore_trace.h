/* Events of made-up programs as text, for tests of the race detector. */
#ifndef TESTS_EXPLORE_TRACE_H
#define TESTS_EXPLORE_TRACE_H

#include "tracer/sched/races/races.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Address of an object or variable, which has a letter. */
static inline uint64_t address_of(char letter)
{
	return 0x1000 + 64 * (uint64_t)letter;
}

/* Object of the synchronization between the thread's end and its join. */
static inline uint64_t end_of(unsigned thread)
{
	return 0x100 + thread;
}

/* Reports an access to four bytes of the variable. */
static inline void trace_access(struct races *r, unsigned thread, char variable, bool writes,
				bool atomic, uint32_t place)
{
	races_access(r, thread,
		     &(struct races_access){.address = address_of(variable),
					    .size = 4,
					    .writes = writes,
					    .atomic = atomic,
					    .place = place});
}

/*
 * Events separated by blanks: a digit (the thread), a letter (the event) and its object:
 *
 *	1f2 creates thread 2		1j2 joins it		1sX synchronizes on X
 *	1rX 1wX reads, writes X		1aX atomic operation on X
 *	1lX locks X			1uX unlocks X
 *	1p  next scheduling point	1e  exits, with the locks that it holds
 *
 * The place of an access is its number among all events, from 0.
 */
static inline void trace_event(struct races *r, const char *event, uint32_t place)
{
	unsigned thread = (unsigned)(event[0] - '0');
	char on = event[1] == 'p' ? 0 : event[2];

	switch (event[1]) {
	case 'f':
		races_thread_begin(r, (unsigned)(on - '0'), thread);
		break;
	case 'j':
		races_sync(r, thread, end_of((unsigned)(on - '0')));
		break;
	case 's':
		races_sync(r, thread, address_of(on));
		break;
	case 'l':
		races_sync(r, thread, address_of(on));
		races_lock(r, thread, address_of(on));
		break;
	case 'u':
		races_unlock(r, thread, address_of(on));
		races_sync(r, thread, address_of(on));
		break;
	case 'e':
		races_thread_end(r, thread);
		races_sync(r, thread, end_of(thread));
		break;
	case 'p':
		races_point(r, thread);
		break;
	default:
		trace_access(r, thread, on, event[1] != 'r', event[1] == 'a', place);
	}
}

static inline void trace_run(struct races *r, const char *events)
{
	uint32_t place = 0;

	while (*events) {
		trace_event(r, events, place++);
		events += strcspn(events, " ");
		events += strspn(events, " ");
	}
}

/* Pairs "FIRST-SECOND ..." in the order of their detection. */
static inline const char *trace_pairs(const struct races *r, char *text, size_t size)
{
	const struct races_pair *pairs;
	size_t count, at = 0;

	pairs = races_pairs(r, &count);
	text[0] = '\0';
	for (size_t i = 0; i < count; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%u-%u", i ? " " : "",
				       pairs[i].first.place, pairs[i].second.place);
	return text;
}

#define assert_races(events, expected)                                                             \
	do {                                                                                       \
		char text_[200];                                                                   \
		struct races *r_ = races_new();                                                    \
		trace_run(r_, events);                                                             \
		assert_string_equal(trace_pairs(r_, text_, sizeof(text_)), expected);              \
		races_free(r_);                                                                    \
	} while (0)

#endif
