/* Writes the gate script: elided sleeps, named events, and the orders between them. */
#include "tracer/synth/sleeps/convert_internal.h"

#include "tracer/base/text/foreign.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

size_t convert_orders_of(const struct convert_plan *p, size_t site)
{
	size_t count = p->sites.items[site].instead != CONVERT_ORDERS;

	array_each(const struct convert_order, o, &p->orders)
		count += o->site == site && o->state == CONVERT_KEPT && !o->dropped;
	return count;
}

void convert_leave(struct convert_site *site, const char *why)
{
	if (!site->left)
		site->left = base_strdup(why);
}

bool convert_is_left(const struct convert_plan *p, const struct convert_order *o)
{
	return o->state != CONVERT_KEPT || o->dropped || p->sites.items[o->site].left;
}

bool convert_is_counted(const struct convert_plan *p, const struct convert_order *o)
{
	return !p->sites.items[o->site].left && !o->dropped &&
	       (o->state == CONVERT_KEPT || o->state == CONVERT_UNREACHED);
}

/* Returns the location where a thread is held that no longer sleeps. */
static const char *held_at(const struct convert_site *site)
{
	return site->held_back ? site->back_location[site->held_back - 1] : site->location;
}

/* Place of any arrival at the order's event or, with `to`, at the sleep. */
static struct script_place place_of(const struct convert_plan *p, const struct convert_order *o,
				    bool to)
{
	const char *thread = p->threads.items[to ? o->to_thread : o->from_thread];
	const char *slash = strrchr(thread, '/');
	/* The end of a main thread is that of its process. */
	enum script_at end =
		slash && strcmp(slash, "/main") == 0 ? SCRIPT_EXIT : SCRIPT_THREAD_EXIT;

	if (!to && o->role)
		thread = o->role;
	return (struct script_place){
		.kind = !to && o->way == CONVERT_EXITS ? end : SCRIPT_LOCATION,
		.location = to ? held_at(&p->sites.items[o->site]) : o->location,
		.thread = (to ? o->to_shared : o->from_shared) ? thread : NULL,
	};
}

/* Counts arrivals by a gate whose hit is never reached. A place without an action would not be
   counted; a place with such a hit is counted inside the program, without a stop. */
static void add_counted(struct script_place place, struct str *out)
{
	enum { NEVER = 1000000000 };

	place.optional = true;
	place.hit = NEVER;
	script_place(&place, out);
	str_add(out, ":open(counted)\n");
}

static void begin_probe(struct str *out)
{
	str_add(out, "local counted = SimpleGate \"counted\"\n");
}

void convert_probe_site(const struct convert_site *site, struct str *out)
{
	begin_probe(out);
	add_counted((struct script_place){.location = site->location}, out);
}

void convert_probe(const struct convert_plan *p, struct str *out)
{
	begin_probe(out);
	array_each(const struct convert_order, o, &p->orders) {
		if (!convert_is_counted(p, o))
			continue;
		add_counted(place_of(p, o, false), out);
		add_counted(place_of(p, o, true), out);
	}
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

/* ---- comments ---- */

void convert_site_words(const struct convert_site *site, struct str *out)
{
	bool is_short = site->ns < 1000000;
	/* The remainder of a time that a deadline gives is a little less than the written one. */
	bool is_rest = site->ns % 1000 != 0;
	double length = (double)site->ns / (is_short ? 1e3 : 1e6);

	str_addf(out, "%s:%u in %s: %s of %s%.*f %s", str_base_name(site->at.file), site->at.line,
		 site->at.func, site->what ? site->what : "a sleep", is_rest ? "about " : "",
		 length < 10 && length != (int)length ? 1 : 0, length, is_short ? "us" : "ms");
	if (site->times > POLLS_MOST)
		str_add(out, ", again and again");
	else if (site->times > 1)
		str_addf(out, ", %lu times", site->times);
}

/* Appends the event that the order waits for. `threads`: number of threads, from the order's on,
   that have one like it. */
static void add_reason(const struct convert_plan *p, const struct convert_order *o, size_t threads,
		       struct str *out)
{
	const char *thread = p->threads.items[o->from_thread];
	STR(text);
	STR(subject);

	if (o->role)
		str_addf(&subject, "any thread of %s", o->role);
	else if (threads > 1)
		str_addf(&subject, "each of %zu threads from %s on", threads, thread);
	else
		str_add(&subject, thread);
	if (o->way == CONVERT_EXITS)
		str_addf(&text, "until %s has ended", str_text(&subject));
	else
		str_addf(&text, "until %s %s %s:%u", str_text(&subject),
			 o->way == CONVERT_WAITS ? "waits at" : "has passed",
			 str_base_name(o->from.file), o->from.line);
	if (o->from_hit > 1)
		str_addf(&text, " (arrival %lu)", o->from_hit);
	foreign_lua_comment(out, "%s", str_text(&text));
}

/* ---- the script ---- */

/* True if both orders have the same event or, with `to`, the same sleep. */
static bool is_one_event(const struct convert_order *a, const struct convert_order *b, bool to)
{
	if (to)
		return a->to_thread == b->to_thread && a->site == b->site && a->k == b->k;
	return a->from_thread == b->from_thread && a->from.line == b->from.line &&
	       a->from_hit == b->from_hit && a->way == b->way;
}

/* Returns the place of the order's event and sets *name, owned by the caller. An earlier order with
   the same event shares both. */
static size_t event_of(const struct convert_plan *p, const struct convert_order *o, bool to,
		       struct gate_plan *gates, char **name)
{
	const struct convert_site *site = &p->sites.items[o->site];
	unsigned long hit = !to ? o->from_hit : site->held_back ? o->k : o->to_hit;
	struct script_place at = place_of(p, o, to);
	STR(plain);

	array_each(const struct plan_order, same, &gates->orders) {
		const struct convert_order *other = &p->orders.items[same->done];

		if (other == o || !is_one_event(other, o, to))
			continue;
		*name = base_strdup(to ? same->to_event : same->from_event);
		return to ? same->to : same->from;
	}
	words_of_event(p, o, to, &plain);
	*name = gate_plan_unique(gates, str_text(&plain));
	at.hit = hit > 1 ? hit : 0;
	at.location = at.location ? base_strdup(at.location) : NULL;
	at.thread = at.thread ? base_strdup(at.thread) : NULL;
	*array_add(&gates->places) = (struct plan_place){.at = at};
	return gates->places.count - 1;
}

/* Adds the orders of a site. `done` and `held` are the index of the order in p. */
static void gates_of_site(const struct convert_plan *p, size_t site, struct gate_plan *out)
{
	for (size_t i = 0; i < p->orders.count; i++) {
		const struct convert_order *o = &p->orders.items[i];
		struct plan_order *own;

		if (o->site != site || convert_is_left(p, o))
			continue;
		own = array_add(&out->orders);
		*own = (struct plan_order){
			.done = i, .held = i, .blocked = o->way == CONVERT_WAITS};
		own->from = event_of(p, o, false, out, &own->from_event);
		own->to = event_of(p, o, true, out, &own->to_event);
	}
}

/* The orders are those of site after site, as they are written: the first use of an event defines
   it. */
void convert_gates(const struct convert_plan *p, struct gate_plan *out)
{
	for (size_t i = 0; i < p->sites.count; i++)
		gates_of_site(p, i, out);
}

/* Threads of one routine wait for no thread by name. */
static void add_role(const struct convert_plan *p, size_t i, struct str *out)
{
	const struct script_place at = {.location = p->sites.items[i].location};
	const char *id = p->threads.items[p->sites.items[i].threads.items[0]];
	STR(routine);
	STR(name);

	str_add_bytes(&routine, id, strcspn(id, "#"));
	script_identifier(str_text(&routine), "", SIZE_MAX, &name);
	str_addf(&name, "_goes_on_%zu", i + 1);
	foreign_lua_comment(out, "until no thread can move");
	str_addf(out, "local %s = SimpleGate \"%s\"\n", str_text(&name), str_text(&name));
	script_place(&at, out);
	str_addf(out, ":wait(%s)\non \"rest\":open(%s)\n", str_text(&name), str_text(&name));
}

/* ---- loops over threads of one routine ---- */

/* Returns 12 for "worker#12", 0 if there is no number. */
static unsigned long number_of(const char *thread)
{
	const char *hash = thread ? strrchr(thread, '#') : NULL;

	return hash ? strtoul(hash + 1, NULL, 10) : 0;
}

/* Appends the name, between two texts, with the thread's number as Lua's variable i:
   worker_12_waits is "worker_" .. i .. "_waits". Returns false if the number is not in the name. */
static bool add_numbered(const char *before, const char *name, unsigned long number,
			 const char *after, struct str *out)
{
	const char *found = NULL;
	STR(digits);
	STR(part);

	str_addf(&digits, "_%lu", number);
	for (const char *at = name; !found && (at = strstr(at, str_text(&digits))); at++)
		if (!isdigit((unsigned char)at[digits.length]))
			found = at + 1;
	if (!found)
		return false;
	str_add(&part, before);
	str_add_bytes(&part, name, (size_t)(found - name));
	foreign_lua_string(out, str_text(&part));
	str_add(out, " .. i .. ");
	str_clear(&part);
	str_add(&part, found + digits.length - 1);
	str_add(&part, after);
	foreign_lua_string(out, str_text(&part));
	return true;
}

/* True if `b` is the order `a` of the thread with the next number. */
static bool is_next(const struct gate_plan *gates, const struct plan_order *a,
		    const struct plan_order *b)
{
	const struct script_place *x = &gates->places.items[a->from].at;
	const struct script_place *y = &gates->places.items[b->from].at;
	STR(one);
	STR(two);

	return a->to == b->to && a->blocked == b->blocked && x->kind == y->kind &&
	       x->hit == y->hit && str_same(x->location, y->location) && number_of(x->thread) &&
	       number_of(y->thread) == number_of(x->thread) + 1 &&
	       strcspn(x->thread, "#") == strcspn(y->thread, "#") &&
	       strncmp(x->thread, y->thread, strcspn(x->thread, "#")) == 0 &&
	       add_numbered("", a->from_event, number_of(x->thread), "", &one) &&
	       add_numbered("", b->from_event, number_of(y->thread), "", &two) &&
	       strcmp(str_text(&one), str_text(&two)) == 0;
}

/* Returns how many orders from `o` on form one loop. */
static size_t count_loop(const struct gate_plan *gates, const struct plan_order *o)
{
	enum { LOOP_LEAST = 3 };
	const struct plan_order *end = gates->orders.items + gates->orders.count;
	size_t n = 1;

	while (o + n < end && is_next(gates, o + n - 1, o + n))
		n++;
	for (size_t i = 0; i < n; i++) /* an earlier order's event is not written again */
		if (gate_plan_has_event(gates, o + i, o[i].from))
			return 1;
	return n < LOOP_LEAST ? 1 : n;
}

static void add_loop(const struct convert_plan *p, const struct gate_plan *gates,
		     const struct plan_order *o, size_t n, struct str *out)
{
	struct script_place at = gates->places.items[o->from].at;
	unsigned long first = number_of(at.thread);
	STR(routine);
	STR(event);
	STR(order);
	STR(arrow);

	str_add_bytes(&routine, at.thread, strcspn(at.thread, "#") + 1);
	at.thread = str_text(&routine);
	at.numbered = true;
	str_addf(&arrow, "%s -> %s", o->blocked ? "]" : "", o->to_event);
	add_numbered("", o->from_event, first, "", &event);
	add_numbered(o->blocked ? "[" : "", o->from_event, first, str_text(&arrow), &order);
	add_reason(p, &p->orders.items[o->done], n, out);
	gate_plan_event(gates, o, o->to, o->to_event, out);
	str_addf(out, "for i = %lu, %lu do\n\t", first, first + n - 1);
	script_place(&at, out);
	str_addf(out, ":event(%s)\n\torder(%s)\nend\n", str_text(&event), str_text(&order));
}

/* ---- until no thread can move ---- */

static bool is_resting(const struct convert_plan *p, const struct convert_rest *rest)
{
	return p->sites.items[rest->site].instead == CONVERT_REST &&
	       !p->sites.items[rest->site].left;
}

/* Makes the prefix of a site's gates: "f_rests" for f_rests_1, f_rests_2 ... */
static void name_rests(const struct convert_plan *p, size_t site, struct str *out)
{
	size_t before = 0;
	STR(name);

	str_addf(&name, "%s_rests", p->sites.items[site].at.func);
	for (size_t i = 0; i < site; i++)
		before += p->sites.items[i].instead == CONVERT_REST &&
			  str_same(p->sites.items[i].at.func, p->sites.items[site].at.func);
	if (before)
		str_addf(&name, "_%zu", before + 1);
	script_identifier(str_text(&name), "", SIZE_MAX, out);
}

/* Appends the place and gate of a site with a single sleep, without a loop. */
static void add_rest_once(const struct convert_site *site, const char *name, struct str *out)
{
	const struct script_place at = {.location = held_at(site)};

	script_place(&at, out);
	str_addf(out, ":wait(SimpleGate \"%s_1\")\n", name);
}

/* Appends the places of a site, each with a gate. */
static void add_rests(const struct convert_plan *p, size_t i, struct str *out)
{
	const struct convert_site *site = &p->sites.items[i];
	STR(name);

	name_rests(p, i, &name);
	foreign_lua_comment(out, "until no thread can move");
	if (site->times == 1) {
		add_rest_once(site, str_text(&name), out);
		return;
	}
	for (size_t t = 0; t < site->threads.count; t++) {
		bool is_one = site->threads.count == 1;
		const char *id = p->threads.items[site->threads.items[t]];

		str_addf(out, "for i = 1, %lu do\n\tat(", site->thread_times.items[t]);
		foreign_lua_string(out, held_at(site));
		str_add(out, ", { ");
		if (!is_one) {
			str_add(out, "thread = ");
			foreign_lua_string(out, id);
			str_add(out, ", ");
		}
		str_addf(out, "hit = i }):wait(SimpleGate(\"%s_\" .. ", str_text(&name));
		if (!is_one) {
			foreign_lua_string(out, id);
			str_add(out, " .. \"_\" .. ");
		}
		str_add(out, "i))\nend\n");
	}
}

/* Appends the statements that open the gates one after the other, each when no thread can move. */
static void add_rest_order(const struct convert_plan *p, struct str *out)
{
	bool any = false;

	array_each(const struct convert_rest, rest, &p->rests) {
		STR(name);

		if (!is_resting(p, rest))
			continue;
		str_add(out, any ? ", " : "\nfor _, gate in ipairs { ");
		any = true;
		name_rests(p, rest->site, &name);
		if (p->sites.items[rest->site].threads.count > 1)
			str_addf(&name, "_%s", p->threads.items[rest->thread]);
		str_addf(&name, "_%lu", rest->k);
		foreign_lua_string(out, str_text(&name));
	}
	if (any)
		str_add(out, " } do\n\ton \"rest\":open(gate)\nend\n");
}

/* Appends the orders in `list`, which is empty afterwards. */
static void add_order_line(struct str *list, struct str *out)
{
	if (list->length)
		str_addf(out, "order \"%s\"\n", str_text(list));
	str_clear(list);
}

/* Appends the events of an order, and the order to `list`: one line has all orders of a sleep that
   fit. */
static void add_order(const struct gate_plan *gates, const struct plan_order *o, struct str *list,
		      struct str *out)
{
	enum { WIDEST = 120 };
	STR(gate);

	gate_plan_event(gates, o, o->from, o->from_event, out);
	gate_plan_event(gates, o, o->to, o->to_event, out);
	gate_plan_gate(gates, o, &gate);
	if (list->length + gate.length + strlen("order \", \"") > WIDEST)
		add_order_line(list, out);
	str_addf(list, "%s%s", list->length ? ", " : "", str_text(&gate));
}

static void script_add_site(const struct convert_plan *p, const struct gate_plan *gates, size_t i,
			    struct str *out)
{
	STR(words);
	STR(list);

	convert_site_words(&p->sites.items[i], &words);
	str_add(out, "\n");
	foreign_lua_comment(out, "%s. %s", str_text(&words),
			    convert_orders_of(p, i) ? "Instead, the thread waits"
						    : "The outcome is the same without it.");
	if (p->sites.items[i].instead == CONVERT_ROLE)
		add_role(p, i, out);
	if (p->sites.items[i].instead == CONVERT_REST)
		add_rests(p, i, out);
	for (size_t k = 0, n; k < gates->orders.count; k += n) {
		const struct plan_order *o = &gates->orders.items[k];

		n = 1;
		if (p->orders.items[o->done].site != i)
			continue;
		n = count_loop(gates, o);
		if (n > 1) {
			add_loop(p, gates, o, n, out);
		} else {
			add_reason(p, &p->orders.items[o->done], 1, out);
			add_order(gates, o, &list, out);
		}
	}
	add_order_line(&list, out);
	convert_elide_only(p, i, out);
}

void convert_script(const struct convert_plan *p, const char *head, struct str *out)
{
	struct gate_plan gates = {0};

	convert_gates(p, &gates);
	str_add(out, head);
	if (p->till_rest) {
		str_add(out, "\n");
		foreign_lua_comment(out, "Other sleeps and time-outs end when no thread can move.");
		str_add(out, "elide_sleep { till = \"rest\" }\n");
	}
	for (size_t i = 0; i < p->sites.count; i++)
		if (!p->sites.items[i].left)
			script_add_site(p, &gates, i, out);
	add_rest_order(p, out);
	str_add(out, "\n");
	gate_plan_fini(&gates);
}
