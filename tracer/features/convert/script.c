/* The gate script: sleeps that are elided, events with names, and the orders between them. */
#include "tracer/features/convert/record.h"

#include "tracer/base/text/foreign.h"

#include "tracer/source/lines/source_lines.h"

#include <string.h>

/* { thread = "T", hit = N }, as far as needed. */
static void add_options(struct str *out, const char *thread, unsigned long hit, bool optional)
{
	const char *comma = "";

	if (!thread && hit <= 1 && !optional)
		return;
	str_add(out, ", {");
	if (thread) {
		str_add(out, " thread = ");
		foreign_lua_string(out, thread);
		comma = ",";
	}
	if (hit > 1) {
		str_addf(out, "%s hit = %lu", comma, hit);
		comma = ",";
	}
	if (optional)
		str_addf(out, "%s optional = true", comma);
	str_add(out, " }");
}

static const char *from_thread(const struct convert_plan *p, const struct convert_order *o)
{
	return o->from_shared ? p->threads.items[o->from_thread] : NULL;
}

static const char *to_thread(const struct convert_plan *p, const struct convert_order *o)
{
	return o->to_shared ? p->threads.items[o->to_thread] : NULL;
}

/* The end of the main thread is that of its process. */
static const char *ending(const char *thread)
{
	const char *slash = strrchr(thread, '/');

	return slash && strcmp(slash, "/main") == 0 ? "exit" : "thread-exit";
}

static void script_add_place(const struct convert_plan *p, const struct convert_order *o,
			     struct str *out)
{
	str_add(out, o->exits ? "on(" : "at(");
	foreign_lua_string(out, o->exits ? ending(p->threads.items[o->from_thread]) : o->location);
}

/* A place that has nothing to do would not be counted. */
static void add_counted(struct str *out, const char *thread, unsigned long hit)
{
	add_options(out, thread, hit, true);
	str_add(out, "):when(function() return true end)\n");
}

static void add_at(struct str *out, const char *location)
{
	str_add(out, "at(");
	foreign_lua_string(out, location);
}

void convert_probe(const struct convert_plan *p, struct str *out)
{
	array_each(const struct convert_order, o, &p->orders) {
		if (convert_is_left(p, o))
			continue;
		script_add_place(p, o, out);
		add_counted(out, from_thread(p, o), 0);
		add_at(out, p->sites.items[o->site].location);
		add_counted(out, to_thread(p, o), 0);
	}
}

void convert_probe_site(const struct convert_plan *p, size_t site, struct str *out)
{
	add_at(out, p->sites.items[site].location);
	add_counted(out, NULL, 0);
}

void script_add_passed(struct str *out, const char *location, const char *thread, unsigned long hit)
{
	add_at(out, location);
	add_counted(out, thread, hit);
}

void convert_elide_only(const struct convert_plan *p, size_t site, struct str *out)
{
	const struct convert_site *own = &p->sites.items[site];

	for (size_t i = 0; i < (own->by_callee ? own->threads.count : 1); i++) {
		str_add(out, "elide_sleep(");
		foreign_lua_string(out, own->location);
		add_options(out, own->by_callee ? p->threads.items[own->threads.items[i]] : NULL, 0,
			    false);
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
	struct str text = {0};

	if (o->exits)
		str_addf(&text, "until %s has ended", thread);
	else
		str_addf(&text, "until %s %s %s:%u", thread,
			 o->blocked ? "waits at" : "has been past", str_base_name(o->from.file),
			 o->from.line);
	if (o->from_hit > 1)
		str_addf(&text, " (time %lu)", o->from_hit);
	foreign_lua_comment(out, "%s", str_text(&text));
	str_fini(&text);
}

/* ---- the script ------------------------------------------------------------------------------- */

static bool came_before(const struct convert_plan *p, const struct convert_order *own,
			const char *name)
{
	array_each(const struct convert_order, o, &p->orders) {
		if (o == own)
			return false;
		if (!convert_is_left(p, o) &&
		    (strcmp(o->from_name, name) == 0 || strcmp(o->to_name, name) == 0))
			return true;
	}
	return false;
}

/* Where a thread that no longer sleeps is held. */
static const char *held_at(const struct convert_site *site)
{
	return site->held_back ? site->back_location[site->held_back - 1] : site->location;
}

static void script_add_order(const struct convert_plan *p, const struct convert_order *o,
			     struct str *out)
{
	const struct convert_site *site = &p->sites.items[o->site];

	add_reason(p, o, out);
	if (!came_before(p, o, o->from_name)) {
		script_add_place(p, o, out);
		add_options(out, from_thread(p, o), o->from_hit, false);
		str_addf(out, "):event \"%s\"\n", o->from_name);
	}
	if (!came_before(p, o, o->to_name)) {
		add_at(out, held_at(site));
		add_options(out, to_thread(p, o), site->held_back ? o->k : o->to_hit, false);
		str_addf(out, "):event \"%s\"\n", o->to_name);
	}
	str_addf(out, "order \"%s%s%s -> %s\"\n", o->blocked ? "[" : "", o->from_name,
		 o->blocked ? "]" : "", o->to_name);
}

static bool waits(const struct convert_plan *p, size_t site)
{
	array_each(const struct convert_order, o, &p->orders)
		if (o->site == site && !o->dropped)
			return true;
	return false;
}

static void script_add_site(const struct convert_plan *p, size_t i, struct str *out)
{
	const struct convert_site *site = &p->sites.items[i];
	struct str words = {0};

	convert_site_words(site, &words);
	str_add(out, "\n");
	foreign_lua_comment(out, "%s. %s", str_text(&words),
			    waits(p, i) ? "Instead, it waits" : "Nobody needs it.");
	str_fini(&words);
	array_each(const struct convert_order, o, &p->orders)
		if (o->site == i && !o->dropped)
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
