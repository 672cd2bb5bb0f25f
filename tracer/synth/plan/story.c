/* Describes what happens: for each segment that an order concerns, what its thread does. */
#include "tracer/synth/plan/plan_internal.h"

#include <string.h>

enum { TOLD = 6 }; /* segments of up to so many steps are told in full */

/* Use of a segment by the orders that are not dropped. */
struct segment_story {
	bool holds;    /* a thread is held before a step of it */
	bool about;    /* an order concerns a step of it */
	size_t events; /* number of steps that can be told */
};

struct teller {
	const struct plan_view *v;
	const struct plan_words *words;
	/* By step of the view: an order waits for it or holds its thread before it. */
	bool *named;
	struct segment_story *segments;
};

static bool is_event(enum strategy_op op)
{
	return op != STRATEGY_START && op != STRATEGY_END && op != STRATEGY_YIELD;
}

static void note_orders(struct teller *t, const struct gate_plan *p)
{
	const struct schedule *s = t->v->s;
	/* By index of plan_step_at(): 1 + the step of the view. */
	size_t *at = base_alloc(s->steps.count + s->pending.count + 1, sizeof(*at));

	for (size_t i = 0; i < t->v->steps.count; i++)
		at[t->v->steps.items[i].index] = i + 1;
	array_each(const struct plan_order, o, &p->orders) {
		const size_t steps[] = {at[o->done], at[o->held]};

		for (size_t k = 0; k < 2; k++) {
			struct segment_story *segment;

			if (o->dropped || !steps[k])
				continue;
			segment = &t->segments[t->v->steps.items[steps[k] - 1].segment];
			t->named[steps[k] - 1] = segment->about = true;
			segment->holds |= k == 1;
		}
	}
	for (size_t i = 0; i < t->v->done; i++)
		if (plan_op(t->v, i) == STRATEGY_SPURIOUS)
			t->named[i] = t->segments[t->v->steps.items[i].segment].about = true;
	base_free(at);
}

static bool story_is_told(const struct teller *t, size_t at)
{
	return t->named[at] || (t->segments[t->v->steps.items[at].segment].events <= TOLD &&
				is_event(plan_op(t->v, at)));
}

static void story_add_place(const struct schedule_where *w, struct str *out)
{
	if (w->file)
		str_addf(out, " (%s:%u)", str_base_name(w->file), w->line);
}

/* Adds what the step does: "asks for" a lock that the thread does not get. */
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

/* True if the step belongs to a call that was told with the step `last`. */
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
	return same && b->call && !plan_ends_wait(plan_op(t->v, at)) &&
	       step->call_first == t->v->steps.items[last].call_first;
}

/* Adds "reads `x` twice and writes `x` (f.c:2), locks `m` (f.c:3)". */
static void add_deeds(const struct teller *t, const struct plan_segment *segment, struct str *out)
{
	const struct schedule_where *line = NULL;
	STR(deed);
	STR(last);
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
}

/* Adds where the thread blocks or is held when the segment ends. */
static void story_add_end(const struct teller *t, const struct plan_segment *segment,
			  struct str *out)
{
	size_t next = t->v->steps.items[segment->last].behind;

	if (plan_is_blocked(t->v, segment->last)) {
		str_add(out, ", where it blocks");
	} else if (segment->preempted && next != PLAN_NONE) {
		if (!t->segments[t->v->steps.items[next].segment].holds)
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
	struct teller t = {.v = v, .words = words};
	bool *came = base_alloc(v->s->threads.count + 1, sizeof(*came)); /* by thread */
	STR(text);
	size_t number = 0;

	t.named = base_alloc(v->steps.count + 1, sizeof(*t.named));
	t.segments = base_alloc(v->segments.count + 1, sizeof(*t.segments));
	note_orders(&t, p);
	for (size_t i = 0; i < v->steps.count; i++)
		t.segments[v->steps.items[i].segment].events += is_event(plan_op(v, i));
	for (size_t i = 0; i < v->segments.count; i++) {
		const struct plan_segment *segment = &v->segments.items[i];
		unsigned thread = plan_step(v, segment->first)->thread;
		bool before = came[thread];

		came[thread] |= t.segments[i].about;
		if (!t.segments[i].about || (segment->first >= v->done && before))
			continue;
		str_clear(&text);
		add_segment(&t, ++number, segment, before, &text);
		script_comment(str_text(&text), 3, out);
	}
	if (outcome) {
		str_clear(&text);
		str_addf(&text, "Then %s.", outcome);
		script_comment(str_text(&text), 3, out);
	}
	base_free(came);
	base_free(t.named);
	base_free(t.segments);
}
