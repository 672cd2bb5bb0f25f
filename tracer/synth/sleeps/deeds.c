/* Determines which of the statements that a thread has begun are executed, and can be named in a
   script. */
#include "tracer/synth/sleeps/convert_internal.h"
#include "tracer/base/text/token.h"
#include "tracer/source/lines/source_lines.h"

#include <ctype.h>
#include <string.h>

bool deeds_same_line(const struct convert_line *a, const struct convert_line *b)
{
	return a->line == b->line && str_same(a->file, b->file);
}

bool deeds_same_place(const struct convert_line *a, const struct convert_line *b)
{
	return deeds_same_line(a, b) && str_same(a->func, b->func);
}

bool deeds_passes(const struct convert_thread *t, const struct convert_line *at, size_t from,
		  size_t to)
{
	for (size_t i = from; i < to && i < t->events.count; i++)
		if (deeds_same_line(&t->events.items[i].at, at))
			return true;
	return false;
}

bool deeds_is_empty(struct modules *symbols, const struct convert_line *at)
{
	const char *text = at->file ? source_line(symbols, at->file, at->line) : NULL;

	while (text && (isspace((unsigned char)*text) || *text == '}' || *text == ')' ||
			*text == ';' || *text == '{'))
		text++;
	if (!text)
		return false;
	return !*text || strncmp(text, "else", 4) == 0 ||
	       (strncmp(text, "return", 6) == 0 && !strchr(text, '('));
}

/* Appends "ready" for the condition "!ready", "!(n < 3)" for "n < 3". */
static void deeds_add_until(const char *condition, int length, struct str *out)
{
	const struct token first = token_at(condition), next = token_at(first.start + first.length);
	bool negated = token_is_op(&first, '!') && next.kind == TOKEN_NAME;

	for (struct token t = next; negated && t.start < condition + length;
	     t = token_at(t.start + t.length))
		negated = t.kind == TOKEN_NAME || token_is_op(&t, '.') ||
			  (t.length == 2 && strncmp(t.start, "->", 2) == 0);
	if (negated)
		str_addf(out, "%.*s", (int)(condition + length - next.start), next.start);
	else
		str_addf(out, "!(%.*s)", length, condition);
}

bool deeds_is_while(struct modules *symbols, const struct convert_line *at, bool with_body,
		    struct str *until)
{
	const char *text = at->file ? source_line(symbols, at->file, at->line) : NULL;
	struct token t = token_at(text ? text : "");
	const char *condition = NULL;
	unsigned depth = 0;

	if (!token_is(&t, "while"))
		return false;
	do {
		t = token_at(t.start + t.length);
		depth += token_is_op(&t, '(');
		depth -= token_is_op(&t, ')');
		condition = condition ? condition : t.start + t.length;
	} while (depth && t.kind != TOKEN_END);
	if (until && t.kind != TOKEN_END)
		deeds_add_until(condition, (int)(t.start - condition), until);
	t = token_at(t.start + t.length);
	if (token_is_op(&t, '{'))
		t = token_at(t.start + t.length);
	return !with_body || t.kind == TOKEN_NAME;
}

/* True if all later events up to `now` are in functions that the event's function calls or, with
   `same`, in that function itself. */
static bool stayed_in(const struct convert_thread *t, size_t event, size_t now, bool same)
{
	const struct convert_event *e = &t->events.items[event];

	for (size_t i = event + 1; i < now; i++)
		if (t->events.items[i].frame > e->frame ||
		    (!same && t->events.items[i].frame == e->frame))
			return false;
	return event + 1 < now;
}

/* True if the line names or opens a function, so that its location is the whole function: the event
   is not done while that runs. */
static bool deeds_is_function(const struct convert_record *r, const struct convert_line *at)
{
	OWNED(location) = location_of_line(r->symbols, r->program, at);
	bool is = location && (at->opens || str_same(location, at->func));

	return is;
}

bool deeds_is_done(const struct convert_record *r, const struct convert_thread *t, size_t event,
		   size_t now)
{
	if (stayed_in(t, event, now, false))
		return false;
	return !stayed_in(t, event, now, true) || !deeds_is_function(r, &t->events.items[event].at);
}

size_t deeds_last(const struct convert_record *r, const struct convert_thread *t, size_t n,
		  size_t now)
{
	for (; n > 0; n--) {
		const struct convert_line *at = &t->events.items[n - 1].at;

		if (!deeds_is_empty(r->symbols, at) && deeds_is_done(r, t, n - 1, now)) {
			OWNED(location) = location_of_line(r->symbols, r->program, at);

			if (location)
				break;
		}
	}
	return n;
}

bool deeds_is_all(const struct convert_record *r, const struct convert_thread *t, size_t n)
{
	for (size_t i = n; i < t->events.count; i++)
		if (!deeds_is_empty(r->symbols, &t->events.items[i].at))
			return false;
	/* a function that ends in a tail call has no closing brace */
	return n < t->events.count || (n && deeds_is_function(r, &t->events.items[n - 1].at));
}

/* ---- places before an event ---- */

/* Places at either end of a thread's path where a trial can hold it. An early one may decide: a
   thread that is about to wait on a condition has already checked it. */
enum { EARLIER_MOST = 8 };

/* Returns the index of the first event that only the sleep orders: the other thread exists by then,
   and no earlier order covers the event. */
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

static bool add_earlier(const struct convert_plan *p, const struct convert_record *r,
			const struct convert_order *o, size_t event, struct str *out)
{
	const struct convert_thread *t = &r->threads.items[o->from_thread];
	const struct convert_line *at = &t->events.items[event].at;
	struct script_place place = {.thread = p->threads.items[o->from_thread]};
	char *location = NULL;

	/* A place that both threads pass is left out: the other thread's arrival would end the
	   hold. */
	if (!deeds_is_empty(r->symbols, at) &&
	    !deeds_passes(&r->threads.items[o->to_thread], at, 0, SIZE_MAX))
		location = location_of_line(r->symbols, r->program, at);
	if (!location)
		return false;
	for (size_t i = 0; i <= event; i++)
		place.hit += deeds_same_place(&t->events.items[i].at, at);
	place.hit = place.hit > 1 ? place.hit : 0;
	place.location = location;
	place.optional = true;
	script_place(&place, out);
	str_add(out, ":when(function() return true end)\n");
	base_free(location);
	return true;
}

/* True if the event is near an end of the path: in a long one the middle matters least. */
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
	STR(skipped);
	size_t n = 0;

	for (size_t i = first; i < behind; i++)
		if (is_near_an_end(i, first, behind))
			n += add_earlier(p, r, o, i, n < skip ? &skipped : out);
	return n > skip ? n - skip : 0;
}
