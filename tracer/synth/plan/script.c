/* The script, set as a person would. */
#include "tracer/synth/plan/plan_internal.h"

#include "tracer/base/text/foreign.h"

#include <string.h>

/* Verbs stand in one column, unless a place is longer than this. */
enum { WIDEST = 72 };

/* Lua 5.4 has 200 local variables a function, and the tester may want some: more gates than this
   are fields of a table. */
enum { MOST_LOCALS = 150 };

static bool is_used_by(const struct plan_order *o, size_t place)
{
	return !o->dropped && (o->from == place || o->to == place);
}

/* Is the place named by an order that is not dropped? */
static bool is_used(const struct gate_plan *p, size_t place)
{
	array_each(const struct plan_order, o, &p->orders)
		if (is_used_by(o, place))
			return true;
	return false;
}

/* Orders that are opened at one place have one gate: the first one's. */
static const struct plan_order *gate_of(const struct gate_plan *p, const struct plan_order *o)
{
	array_each(const struct plan_order, first, &p->orders)
		if (!first->dropped && !first->blocked && first->from == o->from)
			return first;
	return o;
}

static bool has_gate(const struct gate_plan *p, const struct plan_order *o)
{
	return !o->dropped && !o->blocked && gate_of(p, o) == o;
}

void gate_plan_gate(const struct gate_plan *p, const struct plan_order *o, struct str *out)
{
	if (o->blocked)
		str_addf(out, "[%s] -> %s", o->name, o->event);
	else
		str_add(out, o->dropped ? o->name : gate_of(p, o)->name);
}

size_t gate_plan_lines(const struct gate_plan *p)
{
	size_t lines = 0;

	for (size_t i = 0; i < p->places.count; i++)
		lines += is_used(p, i);
	array_each(const struct plan_order, o, &p->orders)
		lines += has_gate(p, o) || (o->blocked && !o->dropped);
	return lines;
}

/* ---- gates ----------------------------------------------------------------------------------- */

static size_t count_gates(const struct gate_plan *p)
{
	size_t gates = 0;

	array_each(const struct plan_order, o, &p->orders)
		gates += has_gate(p, o);
	return gates;
}

/* Prefix of a gate's name where the script uses it. */
static const char *script_table_of(const struct gate_plan *p)
{
	return count_gates(p) > MOST_LOCALS ? "gates." : "";
}

static void add_gates(const struct gate_plan *p, struct str *out)
{
	size_t widest = 0, gates = count_gates(p);
	bool in_table = gates > MOST_LOCALS;

	array_each(const struct plan_order, o, &p->orders)
		if (has_gate(p, o) && strlen(o->name) > widest)
			widest = strlen(o->name);
	if (in_table)
		str_add(out, "local gates = {}\n");
	array_each(const struct plan_order, o, &p->orders)
		if (has_gate(p, o))
			str_addf(out, "%s%-*s = SimpleGate \"%s\"\n",
				 in_table ? "gates." : "local ", (int)widest, o->name, o->name);
	str_add(out, gates ? "\n" : "");
}

/* ---- places ------------------------------------------------------------------------------------- */

/* at "f", or at("f", { thread = "T", hit = 2, after = true }) */
void gate_plan_place(const struct plan_place *place, struct str *out)
{
	static const char *const events[] = {
		[PLAN_THREAD_START] = "thread-start",
		[PLAN_THREAD_EXIT] = "thread-exit",
		[PLAN_EXIT] = "exit",
	};
	bool options = place->thread || place->hit || place->after || place->optional;
	const char *comma = "";

	str_add(out, place->kind == PLAN_LOCATION ? "at" : "on");
	str_add(out, options ? "(" : " ");
	foreign_lua_string(out,
			   place->kind == PLAN_LOCATION ? place->location : events[place->kind]);
	if (!options)
		return;
	str_add(out, ", {");
	if (place->thread) {
		str_add(out, " thread = ");
		foreign_lua_string(out, place->thread);
		comma = ",";
	}
	if (place->hit) {
		str_addf(out, "%s hit = %lu", comma, place->hit);
		comma = ",";
	}
	if (place->after)
		str_addf(out, "%s after = true", comma);
	if (place->optional)
		str_addf(out, "%s optional = true", place->after ? "," : comma);
	str_add(out, " })");
}

/* Whoever comes first tells others so, waits himself, and then it is about to happen. */
static void add_verbs(const struct gate_plan *p, size_t place, const char *table, struct str *out)
{
	array_each(const struct plan_order, o, &p->orders)
		if (o->from == place && has_gate(p, o))
			str_addf(out, " :open(%s%s)", table, o->name);
	array_each(const struct plan_order, o, &p->orders)
		if (o->to == place && !o->dropped && !o->blocked)
			str_addf(out, " :wait(%s%s)", table, gate_of(p, o)->name);
	array_each(const struct plan_order, o, &p->orders)
		if (!o->dropped && o->blocked && (o->from == place || o->to == place))
			str_addf(out, " :event \"%s\"", o->from == place ? o->name : o->event);
	str_add(out, "\n");
}

static size_t widest_place(const struct gate_plan *p)
{
	size_t widest = 0;

	for (size_t i = 0; i < p->places.count; i++) {
		struct str text = {0};

		gate_plan_place(&p->places.items[i], &text);
		if (is_used(p, i) && text.length > widest && text.length <= WIDEST)
			widest = text.length;
		str_fini(&text);
	}
	return widest;
}

struct ranked {
	size_t step, place;
};

static int by_rank(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	if (a->step != b->step)
		return a->step < b->step ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

/* By the first step that its orders are about: so the lines tell the story, too. NONE: it is not
   used. */
static struct ranked *rank_places(const struct gate_plan *p)
{
	struct ranked *ranked = base_alloc(p->places.count + 1, sizeof(*ranked));

	for (size_t i = 0; i < p->places.count; i++)
		ranked[i] = (struct ranked){PLAN_NONE, i};
	array_each(const struct plan_order, o, &p->orders) {
		if (o->dropped)
			continue;
		if (o->done < ranked[o->from].step)
			ranked[o->from].step = o->done;
		if (o->from != o->to && o->held < ranked[o->to].step)
			ranked[o->to].step = o->held;
	}
	array_qsort(ranked, p->places.count, sizeof(*ranked), by_rank);
	return ranked;
}

static void add_places(const struct gate_plan *p, struct str *out)
{
	struct ranked *ranked = rank_places(p);
	size_t widest = widest_place(p);
	const char *table = script_table_of(p);
	struct str text = {0};

	for (size_t i = 0; i < p->places.count && ranked[i].step != PLAN_NONE; i++) {
		str_clear(&text);
		gate_plan_place(&p->places.items[ranked[i].place], &text);
		str_addf(out, "%-*s", (int)widest, str_text(&text));
		add_verbs(p, ranked[i].place, table, out);
	}
	str_fini(&text);
	base_free(ranked);
}

static void add_orders(const struct gate_plan *p, struct str *out)
{
	size_t orders = 0;

	array_each(const struct plan_order, o, &p->orders)
		if (!o->dropped && o->blocked)
			str_addf(out, "%sorder \"[%s] -> %s\"\n", orders++ ? "" : "\n", o->name,
				 o->event);
}

/* ---- comments ----------------------------------------------------------------------------------- */

static void add_lines(const char *text, struct str *out)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		char *line = base_strndup(text, n);

		plan_comment(line, 0, out);
		base_free(line);
		text += n + (text[n] == '\n');
	}
}

static bool is_address(const struct gate_plan *p, size_t place)
{
	return p->places.items[place].inside && is_used(p, place);
}

static bool was_said(const struct gate_plan *p, size_t place)
{
	for (size_t i = 0; i < place; i++)
		if (is_address(p, i) &&
		    strcmp(p->places.items[i].location, p->places.items[place].location) == 0)
			return true;
	return false;
}

/* OBJECT!*0xADDR */
static bool is_library(const char *location)
{
	return *location != '*';
}

bool gate_plan_is_inside(const struct gate_plan *p)
{
	for (size_t i = 0; i < p->places.count; i++)
		if (is_address(p, i) && !is_library(p->places.items[i].location))
			return true;
	return false;
}

static void script_add_address(const struct plan_place *place, const struct schedule *s,
			       const struct plan_words *words, struct str *out)
{
	const struct schedule_step *step = plan_step_at(s, place->step);
	const struct schedule_where *w = &step->where;
	struct str text = {0};

	str_addf(&text, "%s is ", place->location);
	if (w->inside)
		str_addf(&text, "where %s goes on that %s:%u has called",
			 w->call ? w->call : "a function", w->file ? str_base_name(w->file) : "?",
			 w->line);
	else if (place->called)
		str_addf(&text, "the instruction in what %s:%u calls (%s) that ",
			 w->file ? str_base_name(w->file) : "?", w->line,
			 w->call ? w->call : "a function");
	else
		str_addf(&text, "the instruction of %s:%u that ",
			 w->file ? str_base_name(w->file) : "?", w->line);
	if (!w->inside)
		plan_deed(step, words, &text);
	str_add(&text, ".");
	plan_comment(str_text(&text), 0, out);
	str_fini(&text);
}

/* What addresses mean, and for how long. */
static void add_inside(const struct gate_plan *p, const struct schedule *s,
		       const struct plan_words *words, struct str *out)
{
	bool own = false, library = false;

	for (size_t i = 0; i < p->places.count; i++) {
		if (!is_address(p, i) || was_said(p, i))
			continue;
		str_add(out, own || library ? "" : "--\n");
		script_add_address(&p->places.items[i], s, words, out);
		if (is_library(p->places.items[i].location))
			library = true;
		else
			own = true;
	}
	if (own)
		plan_comment(
			"No text can mean a place inside a line: the address is that of this "
			"build. After another compilation it has to be looked up again (objdump "
			"-dl), or found again by gatectl explore.",
			0, out);
	if (library)
		plan_comment("An address of a library holds for this build of the library, "
			     "whatever build of the program it is.",
			     0, out);
}

void gate_plan_script(const struct gate_plan *p, const struct schedule *s,
		      const struct plan_words *words, const struct plan_texts *texts,
		      struct str *out)
{
	struct plan_view v;

	plan_view_init(&v, s, words);
	if (texts->title) {
		add_lines(texts->title, out);
		str_add(out, texts->outcome ? "--\n" : "");
	}
	plan_story(p, &v, words, texts->outcome, out);
	plan_view_fini(&v);
	add_inside(p, s, words, out);
	str_add(out, "\n");
	add_gates(p, out);
	add_places(p, out);
	add_orders(p, out);
	str_add(out, gate_plan_lines(p) ? "\n" : "");
	str_addf(out, "%s\n", texts->expect);
}
