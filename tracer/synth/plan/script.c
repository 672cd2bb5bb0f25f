/* Writes the script of a plan. */
#include "tracer/synth/plan/plan_internal.h"

#include <string.h>

/* Verbs are aligned in one column; longer places do not count. */
enum { WIDEST = 72 };

/* Use of a place by the orders that are not dropped. */
struct place_use {
	size_t place;
	/* First step of these orders, by which places are sorted; PLAN_NONE if unused. */
	size_t step;
	bool opens; /* a gate is opened there */
};

static void note_use(struct place_use *use, size_t step)
{
	if (step < use->step)
		use->step = step;
}

/* Uses of all places; the caller frees the array. */
static struct place_use *uses_of(const struct gate_plan *p)
{
	struct place_use *uses = base_alloc(p->places.count + 1, sizeof(*uses));

	for (size_t i = 0; i < p->places.count; i++)
		uses[i] = (struct place_use){
			i, p->places.items[i].spurious ? p->places.items[i].step : PLAN_NONE,
			false};
	array_each(const struct plan_order, o, &p->orders) {
		if (o->dropped)
			continue;
		note_use(&uses[o->from], o->done);
		if (o->from != o->to)
			note_use(&uses[o->to], o->held);
		uses[o->from].opens |= !o->blocked;
	}
	return uses;
}

void gate_plan_gate(const struct gate_plan *p, const struct plan_order *o, struct str *out)
{
	if (o->from_event)
		script_order(o->from_event, o->blocked, o->to_event, out);
	else
		str_add(out, p->places.items[o->from].gate);
}

size_t gate_plan_lines(const struct gate_plan *p)
{
	struct place_use *uses = uses_of(p);
	size_t lines = 0;

	for (size_t i = 0; i < p->places.count; i++)
		lines += (uses[i].step != PLAN_NONE) + uses[i].opens;
	array_each(const struct plan_order, o, &p->orders)
		lines += o->blocked && !o->dropped;
	base_free(uses);
	return lines;
}

/* ---- gates and places ---- */

struct plan_text {
	const struct gate_plan *p;
	struct place_use *uses; /* by place */
	const char *table;	/* prefix of a gate's name: "gates." or "" */
	struct str *out;
};

static void add_gates(struct plan_text *t)
{
	size_t widest = 0, gates = 0;

	for (size_t i = 0; i < t->p->places.count; i++) {
		size_t length = t->uses[i].opens ? strlen(t->p->places.items[i].gate) : 0;

		gates += t->uses[i].opens;
		widest = length > widest ? length : widest;
	}
	t->table = gates > SCRIPT_MOST_LOCALS ? "gates." : "";
	if (*t->table)
		str_add(t->out, "local gates = {}\n");
	array_each(const struct plan_order, o, &t->p->orders) {
		const char *gate = t->p->places.items[o->from].gate;

		if (o->dropped || o->blocked || !t->uses[o->from].opens)
			continue;
		str_addf(t->out, "%s%-*s = SimpleGate \"%s\"\n", *t->table ? t->table : "local ",
			 (int)widest, gate, gate);
		t->uses[o->from].opens = false; /* several orders may share a gate */
	}
	str_add(t->out, gates ? "\n" : "");
}

/* Verbs in order: a thread opens gates for others, waits itself, then notes its event. */
static void add_verbs(const struct plan_text *t, size_t place)
{
	const struct gate_plan *p = t->p;
	bool opens = false;

	array_each(const struct plan_order, o, &p->orders)
		opens |= o->from == place && !o->dropped && !o->blocked;
	if (opens)
		str_addf(t->out, " :open(%s%s)", t->table, p->places.items[place].gate);
	array_each(const struct plan_order, o, &p->orders)
		if (o->to == place && !o->dropped && !o->blocked)
			str_addf(t->out, " :wait(%s%s)", t->table, p->places.items[o->from].gate);
	array_each(const struct plan_order, o, &p->orders)
		if (!o->dropped && o->blocked && (o->from == place || o->to == place))
			str_addf(t->out, " :event \"%s\"",
				 o->from == place ? o->from_event : o->to_event);
	str_add(t->out, p->places.items[place].spurious ? " :spurious()\n" : "\n");
}

static int by_rank(const void *x, const void *y)
{
	const struct place_use *a = x, *b = y;

	if (a->step != b->step)
		return a->step < b->step ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

/* Says what `hit` counts, if a place has it: the story counts only the steps of one turn. */
static void explain_hits(struct plan_text *t)
{
	for (size_t i = 0; i < t->p->places.count; i++)
		if (t->uses[i].step != PLAN_NONE && t->p->places.items[i].at.hit > 1) {
			script_comment(
				"hit counts the thread's arrivals at the place since it began", 0,
				t->out);
			return;
		}
}

static void add_places(struct plan_text *t)
{
	const struct gate_plan *p = t->p;
	size_t widest = 0;

	array_qsort(t->uses, p->places.count, sizeof(*t->uses), by_rank);
	explain_hits(t);
	for (unsigned writes = 0; writes < 2; writes++) {
		for (size_t i = 0; i < p->places.count && t->uses[i].step != PLAN_NONE; i++) {
			size_t place = t->uses[i].place;
			STR(text);

			script_place(&p->places.items[place].at, &text);
			if (writes) {
				str_addf(t->out, "%-*s", (int)widest, str_text(&text));
				add_verbs(t, place);
			} else if (text.length > widest && text.length <= WIDEST) {
				widest = text.length;
			}
		}
	}
}

static void add_blocked_orders(const struct gate_plan *p, struct str *out)
{
	const char *before = "\n";

	array_each(const struct plan_order, o, &p->orders) {
		if (o->dropped || !o->blocked)
			continue;
		str_addf(out, "%sorder \"", before);
		gate_plan_gate(p, o, out);
		str_add(out, "\"\n");
		before = "";
	}
}

bool gate_plan_has_event(const struct gate_plan *p, const struct plan_order *before, size_t place)
{
	for (const struct plan_order *o = p->orders.items; o < before; o++)
		if (o->from == place || o->to == place)
			return true;
	return false;
}

void gate_plan_event(const struct gate_plan *p, const struct plan_order *own, size_t place,
		     const char *event, struct str *out)
{
	if (gate_plan_has_event(p, own, place))
		return;
	script_place(&p->places.items[place].at, out);
	str_addf(out, ":event \"%s\"\n", event);
}

/* ---- addresses ---- */

/* True for OBJECT!*0xADDR. */
static bool is_library(const struct plan_place *place)
{
	return *place->at.location != '*';
}

bool gate_plan_is_inside(const struct gate_plan *p)
{
	struct place_use *uses = uses_of(p);
	bool inside = false;

	for (size_t i = 0; i < p->places.count; i++)
		inside |= uses[i].step != PLAN_NONE && plan_is_address(&p->places.items[i]) &&
			  !is_library(&p->places.items[i]);
	base_free(uses);
	return inside;
}

static void say_address(const struct plan_place *place, const struct schedule *s,
			const struct plan_words *words, struct str *out)
{
	const struct schedule_step *step = plan_step_at(s, place->step);
	const struct schedule_where *w = &step->where;
	const char *file = w->file ? str_base_name(w->file) : "?";
	const char *call = w->call ? w->call : "a function";
	STR(text);

	str_addf(&text, "%s is ", place->at.location);
	if (w->inside)
		str_addf(&text, "where %s, which %s:%u has called, continues", call, file, w->line);
	else if (place->called)
		str_addf(&text, "the instruction in what %s:%u calls (%s) that ", file, w->line,
			 call);
	else
		str_addf(&text, "the instruction of %s:%u that ", file, w->line);
	if (!w->inside)
		plan_deed(step, words, &text);
	str_add(&text, ".");
	script_comment(str_text(&text), 0, out);
}

/* Explains the addresses and how long they are valid. */
static void say_addresses(const struct plan_text *t, const struct schedule *s,
			  const struct plan_words *words)
{
	static const char *const holds[] = {
		"A place inside a line has no name but its address, which is that of this build. "
		"In another one, look it up again (objdump -dl), or let gatectl explore find it "
		"again.",
		"An address in a library depends on the build of the library only, not on the "
		"build of the program.",
	};
	bool any[2] = {false, false}, is_said;

	for (size_t i = 0; i < t->p->places.count; i++) {
		const struct plan_place *place = &t->p->places.items[i];

		if (!plan_is_address(place) || t->uses[i].step == PLAN_NONE)
			continue;
		is_said = false;
		for (size_t k = 0; k < i; k++)
			is_said |=
				plan_is_address(&t->p->places.items[k]) &&
				t->uses[k].step != PLAN_NONE &&
				strcmp(t->p->places.items[k].at.location, place->at.location) == 0;
		if (is_said)
			continue;
		str_add(t->out, any[0] || any[1] ? "" : "--\n");
		say_address(place, s, words, t->out);
		any[is_library(place)] = true;
	}
	for (size_t i = 0; i < 2; i++)
		if (any[i])
			script_comment(holds[i], 0, t->out);
}

void gate_plan_script(const struct gate_plan *p, const struct schedule *s,
		      const struct plan_words *words, const struct plan_texts *texts,
		      struct str *out)
{
	struct plan_text t = {.p = p, .uses = uses_of(p), .out = out};
	struct plan_view v;

	if (texts->title) {
		script_comments(texts->title, out);
		str_add(out, texts->outcome ? "--\n" : "");
	}
	plan_view_init(&v, s, words);
	plan_story(p, &v, words, texts->outcome, out);
	plan_view_fini(&v);
	say_addresses(&t, s, words);
	str_add(out, "\n");
	add_gates(&t);
	add_places(&t);
	add_blocked_orders(p, out);
	str_add(out, gate_plan_lines(p) ? "\n" : "");
	str_addf(out, "%s\n", texts->expect);
	base_free(t.uses);
}
