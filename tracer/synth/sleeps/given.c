/* Finds events that precede the end of a sleep whatever its length: the program itself orders them,
   by creating a thread, joining one, or an earlier sleep. */
#include "tracer/synth/sleeps/convert_internal.h"

#include <string.h>

bool given_are_alike(const char *a, const char *b)
{
	size_t n = strcspn(a, "#");

	if (*a == 'p' && *b == 'p' && strchr(a, '/') && strchr(b, '/'))
		return given_are_alike(strchr(a, '/') + 1, strchr(b, '/') + 1);
	return strcmp(a, b) == 0 || (a[n] && strncmp(a, b, n + 1) == 0);
}

/* True if the thread joined the other one before it slept, or an ancestor did before it created the
   next thread of the line. */
static bool joins_first(const struct convert_record *r, const struct convert_sleep *s, size_t other)
{
	const struct convert_thread *t = &r->threads.items[other];
	uint64_t before_us = s->begin_us;

	for (size_t own = s->thread + 1; own; own = r->threads.items[own - 1].creator) {
		if (own == t->joiner && t->join_us <= before_us)
			return true;
		before_us = r->threads.items[own - 1].born_us;
	}
	return false;
}

/* Follows the chain of joins: a thread that was joined may have joined the other one before. */
bool given_joined(const struct convert_record *r, const struct convert_sleep *s, size_t other)
{
	size_t steps = r->threads.count;

	for (size_t t = other + 1; t && steps--; t = r->threads.items[t - 1].joiner)
		if (joins_first(r, s, t - 1))
			return true;
	return false;
}

/* True if the thread is one of several of a routine that were created and ended during the sleep:
   the work of a loop, whose own thread has the event that counts. */
static bool is_passing(const struct convert_record *r, const struct convert_sleep *s, size_t thread)
{
	enum { PASSING_LEAST = 3 };
	size_t count = 0;

	if (r->threads.items[thread].born_us < s->begin_us)
		return false;
	array_each(const struct convert_thread, t, &r->threads)
		count += given_are_alike(t->id, r->threads.items[thread].id) &&
			 t->born_us >= s->begin_us && t->born_us <= s->end_us && t->over_us &&
			 t->over_us <= s->end_us;
	return count >= PASSING_LEAST;
}

/* The program orders an event of a thread that created this one later, whose end was joined, or
   after which this thread has slept once already. */
bool given_is(const struct convert_record *r, const struct convert_sleep *s, size_t from,
	      uint64_t t_us)
{
	const struct convert_thread *t = &r->threads.items[s->thread];

	array_each(const struct convert_sleep, o, &r->sleeps)
		if (o->thread == s->thread && own_counts(o) && o->end_us <= s->begin_us &&
		    t_us < o->end_us)
			return true;
	return (t->creator == from + 1 && t_us < t->born_us) || given_joined(r, s, from) ||
	       is_passing(r, s, from);
}
