/*
 * Where the thread that an order waits for can be held back before what is waited for. What counts
 * may be an earlier step of it: a thread that is about to wait on a condition has looked already
 * whether it has to.
 */
#include "tracer/features/convert/record.h"

#include <string.h>

enum { EARLIER_MOST = 8 };

/* What both threads pass is left out: that one of them comes there would end the holding back. */
static bool earlier_passes(const struct convert_record *r, size_t thread,
			   const struct convert_line *at)
{
	array_each(const struct convert_event, e, &r->threads.items[thread].events)
		if (deeds_same_line(&e->at, at))
			return true;
	return false;
}

/* From here on only the sleep keeps the other thread behind: it has been created, and waits for
   nothing earlier of this one. */
static size_t first_event(const struct convert_plan *p, const struct convert_record *r,
			  const struct convert_order *o)
{
	const struct convert_thread *t = &r->threads.items[o->from_thread];
	size_t n = 0;

	while (n < t->events.count &&
	       t->events.items[n].t_us < r->threads.items[o->to_thread].born_us)
		n++;
	array_each(const struct convert_order, other, &p->orders)
		if (other->from_thread == o->from_thread && other->to_thread == o->to_thread &&
		    other->to_events < o->to_events && other->from_events > n &&
		    !convert_is_left(p, other))
			n = other->from_events;
	return n;
}

static unsigned long hit_of(const struct convert_thread *t, size_t event)
{
	unsigned long hit = 0;

	for (size_t i = 0; i <= event; i++)
		hit += deeds_same_place(&t->events.items[i].at, &t->events.items[event].at);
	return hit;
}

static bool add_earlier(const struct convert_plan *p, const struct convert_record *r,
			const struct convert_order *o, size_t event, struct str *out)
{
	const struct convert_thread *t = &r->threads.items[o->from_thread];
	const struct convert_line *at = &t->events.items[event].at;
	char *location = NULL;

	if (!deeds_is_empty(r->symbols, at) && !earlier_passes(r, o->to_thread, at))
		location = convert_location(r->symbols, r->program, at);
	if (location)
		script_add_passed(out, location, p->threads.items[o->from_thread],
				  hit_of(t, event));
	base_free(location);
	return location;
}

/* In a long way the middle counts least. */
static bool is_near_an_end(size_t event, size_t first, size_t behind)
{
	return event < first + EARLIER_MOST || event + EARLIER_MOST >= behind;
}

size_t convert_earlier(const struct convert_plan *p, const struct convert_record *r,
		       const struct convert_order *o, size_t skip, struct str *out)
{
	const size_t count = r->threads.items[o->from_thread].events.count;
	const size_t first = first_event(p, r, o);
	const size_t behind = o->from_events < count ? o->from_events : count;
	struct str skipped = {0};
	size_t n = 0;

	for (size_t i = first; i < behind; i++)
		if (is_near_an_end(i, first, behind))
			n += add_earlier(p, r, o, i, n < skip ? &skipped : out);
	str_fini(&skipped);
	return n > skip ? n - skip : 0;
}
