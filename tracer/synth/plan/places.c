/* Chooses the places where threads are held and gates are opened: by line unless that is too
   coarse. */
#include "tracer/synth/plan/plan_internal.h"

#include <inttypes.h>
#include <string.h>

/* ---- thread and hit count of a place ---- */

static const struct schedule_where *where_of(const struct plan_view *v, size_t step)
{
	return &plan_step(v, step)->where;
}

static bool has_line(const struct plan_view *v, size_t step)
{
	return where_of(v, step)->file != NULL && !where_of(v, step)->inside &&
	       !v->steps.items[step].forked;
}

/* True if earlier steps are in the same call: the thread is past the call's own address. */
static bool places_is_called(const struct plan_view *v, size_t step)
{
	return v->steps.items[step].call_first != step && where_of(v, step)->inner_object &&
	       !plan_is_store(v, step);
}

/* True for a load after which other threads run before the store of its instruction. */
static bool is_split(const struct plan_view *v, size_t load)
{
	size_t store = load == PLAN_NONE ? PLAN_NONE : v->steps.items[load].behind;

	return store != PLAN_NONE && plan_is_store(v, store) &&
	       v->steps.items[store].segment != v->steps.items[load].segment;
}

/* True if the step has an address that the thread reaches first with it. */
static bool has_address(const struct plan_view *v, size_t step)
{
	const struct schedule_where *w = where_of(v, step);

	return places_is_called(v, step) ||
	       (w->object && w->address && v->steps.items[step].call_first == step);
}

bool plan_is_same_place(const struct schedule_where *a, const struct schedule_where *b, bool line)
{
	if (line)
		return plan_same_line(a, b);
	return a->address == b->address && a->object && str_same(a->object, b->object);
}

/* True for "worker#1" and "worker#2", which run the same code. */
bool plan_are_alike(const char *a, const char *b)
{
	size_t n = strcspn(a, "#");

	return n == strcspn(b, "#") && strncmp(a, b, n) == 0;
}

static bool others_pass(const struct plan_view *v, size_t at, bool line)
{
	const struct schedule *s = v->s;
	unsigned own = plan_step(v, at)->thread;

	if (where_of(v, at)->inside || (!line && places_is_called(v, at)))
		return true; /* any thread may be in a library's code */
	for (size_t t = 0; t < s->threads.count; t++)
		if (t != own && (plan_are_alike(s->threads.items[t], s->threads.items[own]) ||
				 !plan_same_process(s->threads.items[t], s->threads.items[own])))
			return true;
	array_each(const struct plan_step, step, &v->steps)
		if (step->step->thread != own &&
		    plan_is_same_place(&step->step->where, where_of(v, at), line))
			return true;
	return false;
}

/* True for a pending return from a wait in the kernel. */
static bool is_back(const struct plan_view *v, size_t at)
{
	return at != PLAN_NONE && plan_op(v, at) == STRATEGY_BLOCK && where_of(v, at)->inside;
}

/* Number of the thread's returns from this call up to `at`. */
static unsigned long times_back(const struct plan_view *v, size_t at)
{
	unsigned long times = 0;

	for (size_t i = v->steps.items[at].before; i != PLAN_NONE; i = v->steps.items[i].before)
		times += plan_op(v, i) == STRATEGY_BLOCK &&
			 plan_step(v, i)->point.place == plan_step(v, at)->point.place;
	return times;
}

/* True if the thread also passes the address of `at` with this step. */
static bool is_same_address(const struct plan_view *v, size_t step, size_t at)
{
	const struct schedule_where *a = where_of(v, step), *b = where_of(v, at);

	if (plan_is_store(v, step))
		return false;
	if (places_is_called(v, at))
		return a->inner_object && a->inner == b->inner &&
		       str_same(a->inner_object, b->inner_object);
	return v->steps.items[step].call_first == step && plan_is_same_place(a, b, false);
}

/* Number of the thread's passes of the place up to `at`. */
static unsigned long places_passes(const struct plan_view *v, size_t at, bool line)
{
	unsigned long times = 1;

	if (is_back(v, at))
		return times_back(v, at);
	for (size_t i = v->steps.items[at].before; i != PLAN_NONE; i = v->steps.items[i].before) {
		const struct plan_step *step = &v->steps.items[i];

		if (!line)
			times += is_same_address(v, i, at);
		else if (step->line_first == i && step->line_first != v->steps.items[at].line_first)
			times += plan_is_same_place(&step->step->where, where_of(v, at), true);
	}
	return times;
}

/* ---- making places ---- */

static char *name_line(struct plan_placing *g, size_t at)
{
	const struct schedule_where *w = where_of(g->v, at);
	char *own = g->words->location ? g->words->location(g->words->ctx, w) : NULL;
	struct str text = {0};

	if (own)
		return own;
	str_addf(&text, "%s:%u", str_base_name(w->file), w->line);
	return str_take(&text);
}

static char *name_address(struct plan_placing *g, size_t at)
{
	const struct schedule_where *w = where_of(g->v, at);
	bool called = places_is_called(g->v, at);
	char *own = g->words->instruction
			    ? g->words->instruction(g->words->ctx, plan_step(g->v, at), called)
			    : NULL;
	const char *object = called ? w->inner_object : w->object;
	struct str text = {0};
	uint32_t sum;

	if (own)
		return own;
	if (!str_same(g->words->program, str_base_name(object)))
		str_addf(&text, "%s!", str_base_name(object));
	str_addf(&text, "*0x%" PRIx64, called ? w->inner : w->address);
	if (g->words->code_sum && g->words->code_sum(g->words->ctx, object, &sum))
		str_addf(&text, ":%08" PRIx32, sum);
	return str_take(&text);
}

bool plan_is_address(const struct plan_place *place)
{
	return place->inside && strstr(place->at.location, "*0x");
}

void plan_place_fini(struct plan_place *place)
{
	base_free((char *)place->at.location);
	base_free((char *)place->at.thread);
	base_free(place->gate);
}

/* Adds the place unless there is an equal one. Returns its index. */
static size_t places_keep(struct plan_placing *g, struct plan_place place)
{
	array_each(struct plan_place, known, &g->p->places) {
		const struct script_place *a = &known->at, *b = &place.at;

		if (a->kind != b->kind || a->after != b->after || a->hit != b->hit ||
		    !str_same(a->thread, b->thread) || !str_same(a->location, b->location))
			continue;
		known->at.optional &= place.at.optional;
		known->spurious |= place.spurious;
		plan_place_fini(&place);
		return (size_t)(known - g->p->places.items);
	}
	*array_add(&g->p->places) = place;
	return g->p->places.count - 1;
}

/* True if the failure may end the run before the thread arrives: in the schedule's last line or at
   a pending step. */
static bool is_last(const struct plan_view *v, size_t at, bool after)
{
	if (at >= v->done || (after && is_back(v, v->steps.items[at].behind)))
		return true;
	return after && v->over && plan_line_last(v, at) == plan_line_last(v, v->over - 1);
}

static size_t places_make(struct plan_placing *g, size_t at, enum script_at kind, bool line,
			  bool after)
{
	const char *thread = g->v->s->threads.items[plan_step(g->v, at)->thread];
	bool located = kind == SCRIPT_LOCATION;
	unsigned long times = located ? places_passes(g->v, at, line) : 0;
	struct plan_place place = {
		.at = {.kind = kind,
		       .after = after,
		       .hit = times > 1 ? times : 0,
		       .optional = is_last(g->v, at, after)},
		.inside = located && !line,
		.called = located && !line && places_is_called(g->v, at),
		.step = g->v->steps.items[at].index,
	};

	if (!located || g->p->by == PLAN_BY_INSTRUCTION || others_pass(g->v, at, line))
		place.at.thread = base_strdup(thread);
	if (located)
		place.at.location = line ? name_line(g, at) : name_address(g, at);
	return places_keep(g, place);
}

static int nowhere(struct plan_placing *g, size_t at)
{
	const struct schedule_step *step = plan_step(g->v, at);
	STR(deed);

	plan_deed(step, g->words, &deed);
	error_set(g->err, ERROR_STATE,
		  "%s has to be stopped where it %s, and that place is not known in the source or "
		  "in a module",
		  g->v->s->threads.items[step->thread], str_text(&deed));
	return -1;
}

/* The order needs a thread in the middle of an instruction. */
static int in_the_middle(struct plan_placing *g, size_t load)
{
	const struct schedule_step *step = plan_step(g->v, load);
	STR(deed);

	plan_deed(step, g->words, &deed);
	if (step->where.file)
		str_addf(&deed, " (%s:%u)", str_base_name(step->where.file), step->where.line);
	error_set(g->err, ERROR_STATE,
		  "%s %s and writes it in one instruction, within which only a replay can hold it",
		  g->v->s->threads.items[step->thread], str_text(&deed));
	return -1;
}

/* ---- holding ---- */

/* Moves *at before the whole call: a thread cannot be held in the middle of one. */
static bool before_call(const struct plan_view *v, size_t *at, bool *line)
{
	const struct plan_step *step = &v->steps.items[*at];

	if (step->call_first == *at || plan_is_store(v, *at))
		return false;
	*at = step->call_first;
	*line = has_line(v, *at) && v->steps.items[*at].line_first == *at;
	return *line || has_address(v, *at);
}

/* True if the line can be used. `while (full) wait();` on one line is passed more often than it
   waits, and compilers place its begin differently. */
static bool is_by_line(const struct plan_placing *g, size_t at)
{
	enum strategy_op op = plan_op(g->v, at);

	return has_line(g->v, at) && !(g->p->by == PLAN_BY_INSTRUCTION && has_address(g->v, at) &&
				       (plan_is_access(op) || op == STRATEGY_WAIT));
}

/* Moves *at to the step before which the thread is held, within its segment. *line: before the
   statement; else before that instruction. */
static bool hold_step(const struct plan_placing *g, size_t *at, bool *line)
{
	const struct plan_view *v = g->v;
	size_t begins = v->segments.items[v->steps.items[*at].segment].first;

	for (size_t i = *at;; i--) {
		const struct plan_step *step = &v->steps.items[i];

		*line = is_by_line(g, i) &&
			(step->line_first >= begins || g->p->by == PLAN_BY_WHOLE_LINE);
		*at = *line ? step->line_first : i;
		if (*line || has_address(v, i) || step->step->point.op == STRATEGY_START)
			return true;
		if (i == begins)
			return before_call(v, at, line);
	}
}

/* Place of the end of the thread or process. */
static size_t make_end(struct plan_placing *g, size_t at)
{
	return places_make(g, at, plan_ends_process(g->v, at) ? SCRIPT_EXIT : SCRIPT_THREAD_EXIT,
			   false, false);
}

/* True for the return from a wait that no other thread ends: it comes before whatever follows. */
static bool goes_on_inside(const struct plan_view *v, size_t at)
{
	return at != PLAN_NONE && plan_ends_wait(plan_op(v, at)) && where_of(v, at)->inside;
}

/* Thread start in place of an access that no other code of the user precedes: every build has it,
   while a compiler may drop the line. PLAN_NONE for other steps. */
static size_t start_for(const struct plan_view *v, size_t at)
{
	size_t i = v->steps.items[at].before;

	while (plan_is_access(plan_op(v, at)) && i != PLAN_NONE && !has_line(v, i)) {
		if (plan_op(v, i) == STRATEGY_START)
			return i;
		i = v->steps.items[i].before;
	}
	return PLAN_NONE;
}

/* Place after the line of the call, or after the call itself if the line does more. */
static size_t hold_back(struct plan_placing *g, size_t step)
{
	size_t call = g->v->steps.items[step].before;

	if (g->p->by != PLAN_BY_INSTRUCTION && call != PLAN_NONE && has_line(g->v, call))
		return places_make(g, call, SCRIPT_LOCATION, true, true);
	return places_make(g, step, SCRIPT_LOCATION, false, false);
}

int plan_hold(struct plan_placing *g, size_t step, size_t *out)
{
	size_t at = step, start;
	bool line;

	if (is_split(g->v, g->v->steps.items[step].before))
		return in_the_middle(g, g->v->steps.items[step].before);
	if (is_back(g->v, step)) {
		*out = hold_back(g, step);
		return 0;
	}
	if (!hold_step(g, &at, &line)) {
		if (plan_op(g->v, step) != STRATEGY_END)
			return nowhere(g, step);
		*out = make_end(g, step);
		return 0;
	}
	start = start_for(g->v, at);
	if (start != PLAN_NONE && at < g->v->done)
		*out = places_make(g, start, SCRIPT_THREAD_START, false, false);
	else if (plan_op(g->v, at) == STRATEGY_START)
		*out = places_make(g, at, SCRIPT_THREAD_START, false, false);
	else if (where_of(g->v, at)->inside && goes_on_inside(g->v, g->v->steps.items[at].before))
		*out = places_make(g, g->v->steps.items[at].before, SCRIPT_LOCATION, false, false);
	else
		*out = places_make(g, at, SCRIPT_LOCATION, line, false);
	return 0;
}

/* ---- waits that return without a signal ---- */

/* The place is the line of the wait, or the call if the thread waited there without a line. */
int plan_spurious(struct plan_placing *g, size_t step)
{
	const struct plan_view *v = g->v;
	size_t at = v->steps.items[step].before, place;
	bool line = at != PLAN_NONE && has_line(v, at);

	if (at == PLAN_NONE || (!line && !has_address(v, at)))
		return nowhere(g, step);
	at = line ? v->steps.items[at].line_first : at;
	place = places_make(g, at, SCRIPT_LOCATION, line, false);
	g->p->places.items[place].spurious = true;
	g->p->places.items[place].at.optional = false;
	return 0;
}

/* ---- opening ---- */

/* The thread's next step, if it reaches it before other threads run; else PLAN_NONE. */
static size_t next_step(const struct plan_view *v, size_t at)
{
	const struct plan_step *step = &v->steps.items[at];
	const struct plan_segment *segment = &v->segments.items[step->segment];

	return at < segment->last || segment->preempted ? step->behind : PLAN_NONE;
}

/* Step where the thread is held next, if it is there when other threads run: all before it is
   done. */
static bool held_next(const struct plan_placing *g, const struct plan_edges *edges, size_t at,
		      size_t *out)
{
	const struct plan_view *v = g->v;
	const struct plan_segment *segment = &v->segments.items[v->steps.items[at].segment];
	size_t next = segment->preempted ? v->steps.items[segment->last].behind : PLAN_NONE;
	bool line;

	if (next == PLAN_NONE || !hold_step(g, &next, &line))
		return false;
	array_each(const struct plan_edge, edge, edges) {
		size_t step = edge->to;

		if (!hold_step(g, &step, &line) || step != next)
			continue;
		*out = edge->to;
		return true;
	}
	return false;
}

/* True if the thread leaves the line before other threads run; a line that ends the process is
   never left. */
static bool line_is_over(const struct plan_view *v, size_t at)
{
	size_t last = plan_line_last(v, at);

	return last <= v->segments.items[v->steps.items[at].segment].last &&
	       !plan_ends_process(v, last);
}

/* The thread's end, if no user code precedes it: a last line may be a jump to what it calls, and is
   never left. PLAN_NONE if the thread continues. */
static size_t end_for(const struct plan_view *v, size_t at)
{
	size_t i = v->steps.items[at].behind;

	while (i != PLAN_NONE && !has_line(v, i) && plan_op(v, i) != STRATEGY_END)
		i = v->steps.items[i].behind;
	if (i == PLAN_NONE || plan_op(v, i) != STRATEGY_END || plan_ends_process(v, i) ||
	    (i < v->done && v->steps.items[i].segment != v->steps.items[at].segment))
		return PLAN_NONE;
	return i;
}

/* A condition wait reacquires its lock before the line ends: if other threads ran before that, they
   could take it. */
static size_t open_timed_out(struct plan_placing *g, size_t at)
{
	const struct plan_view *v = g->v;
	size_t call = v->steps.items[at].before, next = v->steps.items[at].behind, place;

	if (!has_line(v, call) || plan_line_last(v, call) > at ||
	    (next != PLAN_NONE && where_of(v, next)->line == where_of(v, call)->line))
		return places_make(g, at, SCRIPT_LOCATION, false, false);
	place = places_make(g, call, SCRIPT_LOCATION, true, true);
	g->p->places.items[place].at.optional |= next == PLAN_NONE;
	return place;
}

static int open_behind(struct plan_placing *g, size_t at, size_t *out)
{
	const struct plan_view *v = g->v;
	size_t next = next_step(v, at), before = next;
	bool line, fresh = next != PLAN_NONE && is_by_line(g, next) &&
			   v->steps.items[next].line_first == next;
	bool ends = next != PLAN_NONE && plan_op(v, next) == STRATEGY_END;
	bool stands = g->all && at == v->segments.items[v->steps.items[at].segment].last;
	bool over = is_by_line(g, at) && line_is_over(v, at) && !(stands && (fresh || ends));
	size_t end = end_for(v, at);

	if (goes_on_inside(v, at))
		*out = open_timed_out(g, at);
	else if (plan_op(v, at) == STRATEGY_END)
		*out = make_end(g, at);
	else if (end != PLAN_NONE)
		*out = places_make(g, end, SCRIPT_THREAD_EXIT, false, false);
	/* In a function that the line calls, or back in its caller, the line may continue. */
	else if (over && !(fresh && (!where_of(v, at)->func ||
				     !str_same(where_of(v, at)->func, where_of(v, next)->func))))
		*out = places_make(g, at, SCRIPT_LOCATION, true, true);
	else if (fresh)
		*out = places_make(g, next, SCRIPT_LOCATION, true, false);
	else if (ends)
		*out = make_end(g, next);
	else if (next != PLAN_NONE && has_line(v, next) && g->p->by == PLAN_BY_WHOLE_LINE)
		*out = places_make(g, v->steps.items[next].line_first, SCRIPT_LOCATION, true,
				   false);
	else if (next != PLAN_NONE && has_address(v, next))
		*out = places_make(g, next, SCRIPT_LOCATION, false, false);
	else if (next != PLAN_NONE && before_call(v, &before, &line))
		*out = places_make(g, before, SCRIPT_LOCATION, line, false);
	else if (has_line(v, at) && line_is_over(v, at))
		*out = places_make(g, at, SCRIPT_LOCATION, true, true);
	else if (at + 1 != v->over)
		return nowhere(g, at);
	/* The failure occurs in that step: the thread never ends, and threads that come later stay
	   held. */
	else {
		*out = places_make(g, at, SCRIPT_THREAD_EXIT, false, false);
		g->p->places.items[*out].at.optional = true;
	}
	return 0;
}

/* The last step of the instruction that the step is in. */
static size_t whole(const struct plan_view *v, size_t at)
{
	size_t behind = v->steps.items[at].behind;

	return behind != PLAN_NONE && plan_is_store(v, behind) ? behind : at;
}

/* Step that names the gate if all of the segment is done: an access to memory says more than a
   lock. */
static size_t named_for_all(const struct plan_view *v, size_t at)
{
	size_t last = v->segments.items[v->steps.items[at].segment].last;

	for (size_t i = last; i > at; i--)
		if (plan_is_access(plan_op(v, i)))
			return i;
	return at;
}

/* *named is the step that names the gate. */
int plan_open(struct plan_placing *g, const struct plan_edges *edges, const struct plan_edge *edge,
	      size_t *out, size_t *named)
{
	size_t next;

	*named = edge->from;
	if (is_split(g->v, edge->from))
		return in_the_middle(g, edge->from);
	if (!edge->blocked && held_next(g, edges, edge->from, &next)) {
		*named = named_for_all(g->v, edge->from);
		return plan_hold(g, next, out);
	}
	if (!edge->blocked)
		return open_behind(g, whole(g->v, edge->from), out);
	if (!has_line(g->v, edge->from) && !has_address(g->v, edge->from))
		return nowhere(g, edge->from);
	*out = places_make(g, edge->from, SCRIPT_LOCATION, is_by_line(g, edge->from), false);
	return 0;
}
