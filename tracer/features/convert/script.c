/* The gate script: sleeps that are elided, events with names, and the orders between them. */
#include "tracer/features/convert/record.h"

#include "tracer/base/text/foreign.h"

#include <string.h>

size_t convert_orders_of(const struct convert_plan *p, size_t site)
{
	size_t count = 0;

	array_each(const struct convert_order, o, &p->orders)
		count += o->site == site && o->state == CONVERT_KEPT;
	return count;
}

void convert_leave(struct convert_site *site, const char *why)
{
	if (!site->left)
		site->left = base_strdup(why);
}

bool convert_is_left(const struct convert_plan *p, const struct convert_order *o)
{
	return o->state != CONVERT_KEPT || p->sites.items[o->site].left;
}

/* Where a thread that no longer sleeps is held. */
static const char *held_at(const struct convert_site *site)
{
	return site->held_back ? site->back_location[site->held_back - 1] : site->location;
}

/* Any arrival of what the order waits for. */
static struct script_place place_from(const struct convert_plan *p, const struct convert_order *o)
{
	const char *thread = p->threads.items[o->from_thread], *slash = strrchr(thread, '/');
	/* The end of the main thread is that of its process. */
	enum script_at end =
		slash && strcmp(slash, "/main") == 0 ? SCRIPT_EXIT : SCRIPT_THREAD_EXIT;

	return (struct script_place){
		.kind = o->way == CONVERT_EXITS ? end : SCRIPT_LOCATION,
		.location = o->location,
		.thread = o->from_shared ? thread : NULL,
	};
}

static struct script_place place_to(const struct convert_plan *p, const struct convert_order *o)
{
	return (struct script_place){
		.location = held_at(&p->sites.items[o->site]),
		.thread = o->to_shared ? p->threads.items[o->to_thread] : NULL,
	};
}

/* A place that has nothing to do would not be counted. */
void script_add_counted(struct script_place place, struct str *out)
{
	place.optional = true;
	script_place(&place, out);
	str_add(out, ":when(function() return true end)\n");
}

void convert_probe(const struct convert_plan *p, struct str *out)
{
	array_each(const struct convert_order, o, &p->orders) {
		if (convert_is_left(p, o))
			continue;
		script_add_counted(place_from(p, o), out);
		script_add_counted(place_to(p, o), out);
	}
}

void convert_probe_site(const struct convert_plan *p, size_t site, struct str *out)
{
	script_add_counted((struct script_place){.location = p->sites.items[site].location}, out);
}

void convert_elide_only(const struct convert_plan *p, size_t site, struct str *out)
{
	const struct convert_site *own = &p->sites.items[site];

	for (size_t i = 0; i < (own->by_callee ? own->threads.count : 1); i++) {
		str_add(out, "elide_sleep(");
		foreign_lua_string(out, own->location);
		if (own->by_callee) {
			str_add(out, ", { thread = ");
			foreign_lua_string(out, p->threads.items[own->threads.items[i]]);
			str_add(out, " }");
		}
		str_add(out, ")\n");
	}
}

/* ---- comments --------------------------------------------------------------------------------- */

void convert_site_words(const struct convert_site *site, struct str *out)
{
	bool is_short = site->ns < 1000000;
	/* What is left of a time that was given by its end is a little less than what is written. */
	bool is_rest = site->ns % 1000 != 0;
	double length = (double)site->ns / (is_short ? 1e3 : 1e6);

	str_addf(out, "%s:%u in %s: %s of %s%.*f %s", str_base_name(site->at.file), site->at.line,
		 site->at.func, site->what ? site->what : "a sleep", is_rest ? "about " : "",
		 length < 10 && length != (int)length ? 1 : 0, length, is_short ? "us" : "ms");
	if (site->times > 1)
		str_addf(out, ", %lu times", site->times);
}

static void add_reason(const struct convert_plan *p, const struct convert_order *o, struct str *out)
{
	const char *thread = p->threads.items[o->from_thread];
	STR(text);

	if (o->way == CONVERT_EXITS)
		str_addf(&text, "until %s has ended", thread);
	else
		str_addf(&text, "until %s %s %s:%u", thread,
			 o->way == CONVERT_WAITS ? "waits at" : "has been past",
			 str_base_name(o->from.file), o->from.line);
	if (o->from_hit > 1)
		str_addf(&text, " (time %lu)", o->from_hit);
	foreign_lua_comment(out, "%s", str_text(&text));
}

/* ---- the script ------------------------------------------------------------------------------- */

/* The place of an event, unless an earlier order has it. */
static void add_event(const struct convert_plan *p, const struct convert_order *own,
		      struct script_place place, unsigned long hit, const char *name,
		      struct str *out)
{
	for (const struct convert_order *o = p->orders.items; o < own; o++)
		if (!convert_is_left(p, o) &&
		    (strcmp(o->from_name, name) == 0 || strcmp(o->to_name, name) == 0))
			return;
	place.hit = hit > 1 ? hit : 0;
	script_place(&place, out);
	str_addf(out, ":event \"%s\"\n", name);
}

static void script_add_order(const struct convert_plan *p, const struct convert_order *o,
			     struct str *out)
{
	add_reason(p, o, out);
	add_event(p, o, place_from(p, o), o->from_hit, o->from_name, out);
	add_event(p, o, place_to(p, o), p->sites.items[o->site].held_back ? o->k : o->to_hit,
		  o->to_name, out);
	str_add(out, "order \"");
	script_order(o->from_name, o->way == CONVERT_WAITS, o->to_name, out);
	str_add(out, "\"\n");
}

static void script_add_site(const struct convert_plan *p, size_t i, struct str *out)
{
	STR(words);

	convert_site_words(&p->sites.items[i], &words);
	str_add(out, "\n");
	foreign_lua_comment(out, "%s. %s", str_text(&words),
			    convert_orders_of(p, i) ? "Instead, it waits" : "Nobody needs it.");
	array_each(const struct convert_order, o, &p->orders)
		if (o->site == i && o->state == CONVERT_KEPT)
			script_add_order(p, o, out);
	convert_elide_only(p, i, out);
}

void convert_script(const struct convert_plan *p, const char *head, struct str *out)
{
	str_add(out, head);
	for (size_t i = 0; i < p->sites.count; i++)
		if (!p->sites.items[i].left)
			script_add_site(p, i, out);
}
