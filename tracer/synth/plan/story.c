/* What happens, in words: for each segment that an order is about, what its thread does in it. */
#include "tracer/synth/plan/plan_internal.h"

#include "tracer/base/text/foreign.h"

#include <string.h>

enum {
	COLUMNS = 95, /* behind "-- " */
	TOLD = 6,     /* as many steps of a segment are told all */
};

/* Each line of the comment but the first begins with `indent` blanks. */
void plan_comment(const char *text, unsigned indent, struct str *out)
{
	struct str shown = {0}, line = {0};
	bool is_first = true; /* word of its line */

	foreign_lines(&shown, text, "\t");
	for (const char *at = str_text(&shown); *at; is_first = false) {
		size_t n = strcspn(at, " \t");

		if (line.length && line.length + 1 + n > COLUMNS) {
			foreign_lua_comment(out, "%s", str_text(&line));
			str_clear(&line);
			str_addf(&line, "%*s", (int)indent, "");
			is_first = true;
		}
		str_addf(&line, is_first ? "%.*s" : " %.*s", (int)n, at);
		at += n + strspn(at + n, " \t");
	}
	foreign_lua_comment(out, "%s", str_text(&line));
	str_fini(&shown);
	str_fini(&line);
}

/* Objects of the orders that are not dropped. */
struct teller {
	const struct gate_plan *p;
	const struct plan_view *v;
	const struct plan_words *words;
	bool *done,
		*held;	/* by step of the view: an order waits for it; holds its thread before it */
	bool *holds;	/* by segment: an order holds a thread before a step of it */
	bool *about;	/* ... or waits for one, too */
	size_t *events; /* by segment: the steps of it that can be told */
	bool *came;	/* by thread: a segment that an order is about has come */
};

static bool is_event(enum strategy_op op)
{
	return op != STRATEGY_START && op != STRATEGY_END && op != STRATEGY_YIELD;
}

static size_t *view_steps(const struct plan_view *v)
{
	const struct schedule *s = v->s;
	size_t *at = base_alloc(s->steps.count + s->pending.count + 1, sizeof(*at));

	for (size_t i = 0; i < v->steps.count; i++)
		at[v->steps.items[i].index] = i + 1;
	return at;
}

static void note_orders(struct teller *t)
{
	size_t *at = view_steps(t->v);

	array_each(const struct plan_order, o, &t->p->orders) {
		if (o->dropped)
			continue;
		if (at[o->done])
			t->done[at[o->done] - 1] = true;
		if (at[o->held])
			t->held[at[o->held] - 1] = true;
	}
	base_free(at);
}

static void teller_init(struct teller *t)
{
	size_t steps = t->v->steps.count, segments = t->v->segments.count;

	t->done = base_alloc(steps + 1, sizeof(*t->done));
	t->held = base_alloc(steps + 1, sizeof(*t->held));
	t->holds = base_alloc(segments + 1, sizeof(*t->holds));
	t->about = base_alloc(segments + 1, sizeof(*t->about));
	t->events = base_alloc(segments + 1, sizeof(*t->events));
	t->came = base_alloc(t->v->s->threads.count + 1, sizeof(*t->came));
	note_orders(t);
	for (size_t i = 0; i < steps; i++) {
		size_t segment = t->v->steps.items[i].segment;

		t->holds[segment] |= t->held[i];
		t->about[segment] |= t->held[i] || t->done[i];
		t->events[segment] += is_event(plan_op(t->v, i));
	}
}

static void teller_fini(struct teller *t)
{
	base_free(t->done);
	base_free(t->held);
	base_free(t->holds);
	base_free(t->about);
	base_free(t->events);
	base_free(t->came);
}

static bool story_is_told(const struct teller *t, size_t at)
{
	return t->done[at] || t->held[at] ||
	       (t->events[t->v->steps.items[at].segment] <= TOLD && is_event(plan_op(t->v, at)));
}

static void story_add_place(const struct schedule_where *w, struct str *out)
{
	if (w->file)
		str_addf(out, " (%s:%u)", str_base_name(w->file), w->line);
}

/* It takes a lock, or asks for one that it does not get. */
static void add_deed(const struct teller *t, size_t at, struct str *out)
{
	const struct schedule_step *step = plan_step(t->v, at);
	bool is_last = at + 1 == t->v->done;
	size_t length = out->length;

	plan_deed(step, t->words, out);
	if (step->point.op != STRATEGY_LOCK || (!is_last && !plan_is_blocked(t->v, at)) ||
	    strncmp(out->text + length, "locks ", 6) != 0)
		return;
	out->length = length;
	str_addf(out, "asks for `%s`", step->where.var);
}

static void add_times(unsigned times, struct str *out)
{
	if (times == 2)
		str_add(out, " twice");
	else if (times > 2)
		str_addf(out, " %u times", times);
}

/* Of a call that does several steps, or waits and then goes on: was it told with the step `last`? */
static bool was_told(const struct teller *t, size_t last, size_t at, bool same)
{
	const struct plan_step *step = &t->v->steps.items[at];
	const struct schedule_where *a, *b = &step->step->where;

	if (last == PLAN_NONE || step->before != last || plan_is_access(plan_op(t->v, at)))
		return false;
	a = &plan_step(t->v, last)->where;
	if (b->inside && plan_op(t->v, at) == STRATEGY_LOCK)
		return a->call && str_same(a->call, b->call) && a->line == b->line &&
		       plan_op(t->v, last) == plan_op(t->v, at);
	return same && b->call && plan_op(t->v, at) != STRATEGY_TIMEOUT &&
	       step->call_first == t->v->steps.items[last].call_first;
}

/* "reads `x` twice and writes `x` (f.c:2), locks `m` (f.c:3)" */
static void add_deeds(const struct teller *t, const struct plan_segment *segment, struct str *out)
{
	const struct schedule_where *line = NULL;
	struct str deed = {0}, last = {0};
	size_t told = PLAN_NONE;
	unsigned times = 0;

	for (size_t i = segment->first; i <= segment->last; i++) {
		const struct schedule_step *step = plan_step(t->v, i);
		bool is_here = line && plan_same_line(line, &step->where), same, again;

		if (!story_is_told(t, i))
			continue;
		str_clear(&deed);
		add_deed(t, i, &deed);
		same = is_here && strcmp(str_text(&deed), str_text(&last)) == 0;
		again = was_told(t, told, i, same);
		told = i;
		if (again || same) {
			times += !again;
			continue;
		}
		add_times(times, out);
		if (line && !is_here)
			story_add_place(line, out);
		str_add(out, is_here ? " and " : line ? ", " : "");
		str_add(out, str_text(&deed));
		str_clear(&last);
		str_add(&last, str_text(&deed));
		times = 1;
		line = &step->where;
	}
	add_times(times, out);
	if (line)
		story_add_place(line, out);
	str_fini(&deed);
	str_fini(&last);
}

/* Is the thread held where the segment ends? */
static void story_add_end(const struct teller *t, const struct plan_segment *segment,
			  struct str *out)
{
	size_t next = t->v->steps.items[segment->last].behind;

	if (plan_is_blocked(t->v, segment->last)) {
		str_add(out, ", where it blocks");
	} else if (segment->preempted && next != PLAN_NONE) {
		if (!t->holds[t->v->steps.items[next].segment])
			return;
		str_add(out, "; it is held before it ");
		plan_deed(plan_step(t->v, next), t->words, out);
	}
}

static void add_segment(const struct teller *t, size_t number, const struct plan_segment *segment,
			bool before, struct str *out)
{
	unsigned thread = plan_step(t->v, segment->first)->thread;

	str_addf(out, "%zu. %s ", number, t->v->s->threads.items[thread]);
	str_add(out, segment->first >= t->v->done ? "is held before it "
		     : before			  ? "goes on: "
						  : "");
	add_deeds(t, segment, out);
	story_add_end(t, segment, out);
	str_add(out, ".");
}

void plan_story(const struct gate_plan *p, const struct plan_view *v,
		const struct plan_words *words, const char *outcome, struct str *out)
{
	struct teller t = {.p = p, .v = v, .words = words};
	struct str text = {0};
	size_t number = 0;

	teller_init(&t);
	for (size_t i = 0; i < v->segments.count; i++) {
		const struct plan_segment *segment = &v->segments.items[i];
		bool *came = &t.came[plan_step(v, segment->first)->thread], before = *came;

		*came |= t.about[i];
		if (!t.about[i] || (segment->first >= v->done && before))
			continue;
		str_clear(&text);
		add_segment(&t, ++number, segment, before, &text);
		plan_comment(str_text(&text), 3, out);
	}
	if (outcome) {
		str_clear(&text);
		str_addf(&text, "Then %s.", outcome);
		plan_comment(str_text(&text), 3, out);
	}
	str_fini(&text);
	teller_fini(&t);
}
