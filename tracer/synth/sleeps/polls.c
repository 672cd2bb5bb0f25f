/* Detects loops that sleep until an event or a time. Their number of rounds is chance, so they make
   no orders. */
#include "tracer/synth/sleeps/convert_internal.h"

#include "tracer/base/text/token.h"

/* Returns the nearest other line of the sleep's function before (-1) or after (+1) it, or NULL. */
static const struct convert_line *beside(const struct convert_record *r,
					 const struct convert_sleep *s, int step)
{
	const struct convert_thread *t = &r->threads.items[s->thread];
	const struct convert_line *own = own_line(s);

	for (size_t i = s->events - (step < 0); i < t->events.count; i += (size_t)step) {
		const struct convert_line *at = &t->events.items[i].at;

		if (str_same(at->func, own->func) && !deeds_same_line(at, own))
			return at;
	}
	return NULL;
}

/* True if the thread has been on the line before the sleep, and since then in no other function. */
static bool comes_from(const struct convert_record *r, const struct convert_sleep *s,
		       const struct convert_line *at)
{
	const struct convert_thread *t = &r->threads.items[s->thread];

	for (size_t i = s->events; i-- > 0 && str_same(t->events.items[i].at.func, at->func);)
		if (deeds_same_line(&t->events.items[i].at, at))
			return true;
	return false;
}

static bool has_call(const char *text)
{
	bool is_name = false;

	for (struct token t = token_at(text); t.kind != TOKEN_END;
	     t = token_at(t.start + t.length)) {
		if (is_name && token_is_op(&t, '('))
			return true;
		is_name = t.kind == TOKEN_NAME;
	}
	return false;
}

/* Returns the head of the while loop that the thread goes back to after the sleep, or NULL. Between
   the head and the sleep the loop does nothing, or its condition is a call: otherwise it may count
   its rounds. */
static const struct convert_line *head_of(const struct convert_record *r,
					  const struct convert_sleep *s, struct str *until)
{
	const struct convert_line *before = beside(r, s, -1), *after = beside(r, s, 1);
	bool is_loop = after && deeds_is_while(r->symbols, after, false, until);

	if (is_loop && before && deeds_same_line(before, after))
		return after;
	return is_loop && has_call(str_text(until)) && comes_from(r, s, after) ? after : NULL;
}

bool polls_is(const struct convert_record *r, const struct convert_sleep *s, struct str *why)
{
	const struct convert_line *loop = own_line(s);
	STR(until);

	if (!deeds_is_while(r->symbols, loop, true, &until)) {
		loop = head_of(r, s, &until);
		if (!loop)
			return false;
	}
	if (why)
		str_addf(why, "polls: sleeps until %s at %s:%u",
			 until.length ? str_text(&until) : "something has happened",
			 str_base_name(loop->file), loop->line);
	return true;
}

/* True if the thread passes the line between any two of very many sleeps of another line, as far as
   the line was watched. */
static bool is_between_all(const struct convert_record *r, size_t thread,
			   const struct convert_line *at)
{
	const struct convert_thread *t = &r->threads.items[thread];
	const struct convert_sleep *last = NULL;
	size_t times = 0;
	bool ended = false;

	array_each(const struct convert_sleep, s, &r->sleeps) {
		if (s->thread != thread || !own_counts(s))
			continue;
		if (last && deeds_same_line(own_line(last), own_line(s)) &&
		    str_same(own_line(s)->func, at->func)) {
			bool passed = deeds_passes(t, at, last->events, s->events);

			if (passed && ended)
				return false;
			ended = !passed; /* a line passed too often is no longer watched */
			times += passed;
		}
		last = s;
	}
	return times >= POLLS_MOST;
}

bool polls_at(const struct convert_record *r, size_t thread, const struct convert_line *at)
{
	array_each(const struct convert_sleep, s, &r->sleeps) {
		const struct convert_line *before;

		if (s->thread != thread || !own_counts(s) || !polls_is(r, s, NULL))
			continue;
		before = beside(r, s, -1);
		if (deeds_same_line(at, own_line(s)) || (before && deeds_same_line(at, before)))
			return true;
	}
	return is_between_all(r, thread, at);
}

static const char *const by_clock = "it reads the clock and sleeps again until a deadline: a gate "
				    "cannot shorten that";

/* Returns the thread's previous sleep on that line, or NULL. */
static const struct convert_sleep *one_before(const struct convert_record *r,
					      const struct convert_sleep *s)
{
	for (const struct convert_sleep *o = s; o-- > r->sleeps.items;)
		if (o->thread == s->thread && own_counts(o) &&
		    deeds_same_line(own_line(o), own_line(s)))
			return o;
	return NULL;
}

/* True if the thread reads the clock between any two of its sleeps on that line. */
static bool asks_clock(const struct convert_record *r, const struct convert_line *at)
{
	bool asks = false;

	array_each(const struct convert_sleep, s, &r->sleeps) {
		const struct convert_sleep *last;

		if (!own_counts(s) || !deeds_same_line(own_line(s), at))
			continue;
		last = one_before(r, s);
		if (last && s->clock_reads == last->clock_reads)
			return false;
		asks |= last != NULL;
	}
	return asks;
}

bool polls_measures(const struct convert_record *r, const struct convert_line *at)
{
	array_each(const struct convert_sleep, s, &r->sleeps) {
		const struct convert_sleep *last = one_before(r, s);

		if (own_counts(s) && deeds_same_line(own_line(s), at) &&
		    s->clock_reads > (last ? last->clock_reads : 0) &&
		    r->clock_reads > s->clock_reads)
			return true;
	}
	return false;
}

const char *polls_again(const struct convert_sleep *s)
{
	enum { ELIDED_OFTEN = 100 };

	if (!s->again)
		return "the program reaches it without passing the start of its line; put it on a "
		       "line of its own, and build the test with -g -O0";
	return s->clock_reads >= ELIDED_OFTEN
		       ? by_clock
		       : "polls: waits again and again until something has happened";
}

const char *convert_why_loop(unsigned long times, unsigned long clock_reads)
{
	return clock_reads >= times ? by_clock
				    : "polls: sleeps in a loop until something has happened";
}

const char *polls_why(const struct convert_record *r, const struct convert_line *at,
		      const char *otherwise)
{
	return asks_clock(r, at) ? by_clock : otherwise;
}
