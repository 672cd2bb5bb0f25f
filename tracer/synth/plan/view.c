/* View of a schedule: steps in order of effect, their segments, lines and calls. */
#include "tracer/synth/plan/plan_internal.h"

#include <string.h>

/* Most steps back to an earlier step on the same line. */
enum { FAR = 1000 };

bool plan_same_line(const struct schedule_where *a, const struct schedule_where *b)
{
	return a->file && a->inside == b->inside && a->line == b->line &&
	       str_same(a->file, b->file) && str_same(a->func, b->func);
}

bool plan_is_store(const struct plan_view *v, size_t at)
{
	size_t before = v->steps.items[at].before;
	uint64_t place = plan_step(v, at)->point.place;

	return before != PLAN_NONE && place && plan_op(v, at) == STRATEGY_WRITE &&
	       plan_op(v, before) == STRATEGY_READ && plan_step(v, before)->point.place == place;
}

static bool is_loop(const struct plan_view *v, const struct schedule_where *w)
{
	const char *text = NULL;

	if (v->words->line_text)
		text = v->words->line_text(v->words->ctx, w->file, w->line);
	return text && plan_is_loop(text);
}

/* True if `later` is in the same execution of its line. */
static bool view_goes_on(const struct plan_view *v, size_t earlier, size_t later)
{
	const struct schedule_where *a = &plan_step(v, earlier)->where;
	const struct schedule_where *b = &plan_step(v, later)->where;
	size_t first = v->steps.items[earlier].line_first;

	if (plan_ends_wait(plan_op(v, later)) || plan_is_store(v, later) || is_loop(v, b))
		return true;
	if (a->address != b->address)
		return a->address < b->address;
	return b->call && plan_step(v, first)->point.place != plan_step(v, later)->point.place;
}

/* Earlier step of the same execution of the line. An execution goes to higher addresses, does not
   leave for another line of its function, and does not call anew. A wrong guess only yields an
   address for a line. */
static size_t same_execution(const struct plan_view *v, size_t at)
{
	const struct schedule_where *w = &plan_step(v, at)->where;
	size_t i = v->steps.items[at].before;

	for (unsigned n = 0; i != PLAN_NONE && n < FAR; n++, i = v->steps.items[i].before) {
		const struct schedule_where *earlier = &plan_step(v, i)->where;

		if (plan_same_line(w, earlier))
			return view_goes_on(v, i, at) ? i : PLAN_NONE;
		if (str_same(w->func, earlier->func))
			return PLAN_NONE;
	}
	return PLAN_NONE;
}

bool plan_same_process(const char *a, const char *b)
{
	size_t n = strchr(a, '/') ? strcspn(a, "/") : 0, m = strchr(b, '/') ? strcspn(b, "/") : 0;

	return n == m && strncmp(a, b, n) == 0;
}

bool plan_forks(const struct schedule_step *step)
{
	return step->point.op == STRATEGY_BLOCK && !step->where.inside && step->where.call &&
	       strstr(step->where.call, "fork");
}

/* True if a thread of another process has forked in the line of this step. */
static bool may_be_forked(const struct plan_view *v, size_t at)
{
	const struct schedule_where *w = &plan_step(v, at)->where;
	const char *id = v->s->threads.items[plan_step(v, at)->thread];

	array_each(const size_t, fork, &v->forks)
		if (*fork < at && plan_same_line(&plan_step(v, *fork)->where, w) &&
		    !plan_same_process(v->s->threads.items[plan_step(v, *fork)->thread], id))
			return true;
	return false;
}

/* True if the thread is a child that is still in the line that forked it. */
static bool is_forked(const struct plan_view *v, size_t at)
{
	const struct schedule_where *w = &plan_step(v, at)->where;

	if (!may_be_forked(v, at))
		return false;
	for (size_t i = v->steps.items[at].before; i != PLAN_NONE; i = v->steps.items[i].before)
		if (w->func && str_same(plan_step(v, i)->where.func, w->func))
			return v->steps.items[i].forked &&
			       plan_same_line(&plan_step(v, i)->where, w);
	return true;
}

/* Sets line_first, and line_last of that first step only (plan_line_last()). */
static void join_line(struct plan_view *v, size_t at)
{
	size_t earlier = same_execution(v, at);
	struct plan_step *step = &v->steps.items[at];

	step->line_first = earlier == PLAN_NONE ? at : v->steps.items[earlier].line_first;
	v->steps.items[step->line_first].line_last = at;
}

static bool same_instruction(const struct schedule_where *a, const struct schedule_where *b)
{
	return a->call && b->call && a->inside == b->inside && a->address == b->address &&
	       str_same(a->object, b->object);
}

/* True if the step is in the call that begins with `first`. A call may have several steps at places
   inside it; the first place again means another call. */
static bool is_in_call(const struct plan_view *v, size_t at, size_t first)
{
	const struct schedule_step *step = plan_step(v, at);

	return same_instruction(&step->where, &plan_step(v, v->steps.items[at].before)->where) &&
	       (plan_ends_wait(step->point.op) ||
		step->point.place != plan_step(v, first)->point.place);
}

/* Sets call_first. */
static void join_call(struct plan_view *v, size_t at)
{
	struct plan_step *step = &v->steps.items[at];
	size_t first;

	step->call_first = at;
	if (step->before == PLAN_NONE)
		return;
	first = v->steps.items[step->before].call_first;
	if (plan_is_store(v, at) || is_in_call(v, at, first))
		step->call_first = first;
}

static void join_segment(struct plan_view *v, size_t at)
{
	const struct schedule_step *step = plan_step(v, at);
	struct plan_segment *segment;

	if (!at || at >= v->done || plan_step(v, at - 1)->thread != step->thread) {
		if (at)
			v->segments.items[v->segments.count - 1].preempted =
				v->steps.items[at - 1].stands;
		array_add(&v->segments)->first = at;
	}
	segment = &v->segments.items[v->segments.count - 1];
	segment->last = at;
	v->steps.items[at].segment = v->segments.count - 1;
}

const struct schedule_step *plan_step_at(const struct schedule *s, size_t index)
{
	return index < s->steps.count ? &s->steps.items[index]
				      : &s->pending.items[index - s->steps.count];
}

/* ---- steps in order of effect ---- */

/* The recorded schedule while the view is made. */
struct plan_record {
	const struct schedule *s;
	size_t count;	 /* executed and pending steps */
	size_t *waiting; /* by thread: 1 + the step of the lock it waits for; 0 if none */
	size_t *last;	 /* by thread: 1 + its last step in the view */
	bool *woken;	 /* by thread: in the end the lock was free, but not acquired */
};

static size_t next_recorded(const struct plan_record *r, size_t index, bool own)
{
	unsigned thread = plan_step_at(r->s, index)->thread;

	for (size_t i = index + 1; i < r->count; i++) {
		const struct schedule_step *step = plan_step_at(r->s, i);

		if (step->point.op != STRATEGY_WAKE && (!own || step->thread == thread))
			return i;
	}
	return PLAN_NONE;
}

/* True for the last step if other threads could go on: its thread did not block, since one of them
   would have moved then, but has ended the run, by a crash for example. */
static bool is_final(const struct schedule *s, size_t index)
{
	return s->pending.count && index + 1 == s->steps.count;
}

/* True if another thread continues while this one cannot. */
static bool is_stuck(const struct plan_record *r, size_t index)
{
	size_t next = next_recorded(r, index, false);
	const struct schedule_step *step = next != PLAN_NONE ? plan_step_at(r->s, next) : NULL;

	if (!step) /* a deadlock */
		return !r->s->pending.count;
	if (is_final(r->s, index))
		return false;
	return step->thread != plan_step_at(r->s, index)->thread && !step->preempts;
}

/* True for a lock that the thread must wait for, until it gets it or forever. */
static bool view_waits_for_lock(const struct plan_record *r, size_t index)
{
	size_t next = next_recorded(r, index, true);

	if (index >= r->s->steps.count || plan_step_at(r->s, index)->point.op != STRATEGY_LOCK)
		return false;
	if (next == PLAN_NONE)
		return is_stuck(r, index) || next_recorded(r, index, false) == PLAN_NONE;
	return is_stuck(r, index) && !plan_ends_wait(plan_step_at(r->s, next)->point.op);
}

static void view_add_step(struct plan_view *v, struct plan_record *r, size_t index, bool stands)
{
	const struct schedule_step *step = plan_step_at(r->s, index);
	size_t at = v->steps.count;
	struct plan_step *own = array_add(&v->steps);

	*own = (struct plan_step){
		.step = step,
		.index = index,
		.behind = PLAN_NONE,
		.waits_until = PLAN_NONE,
		.before = r->last[step->thread] - 1, /* 0 - 1 is PLAN_NONE */
		.stands = stands,
	};
	if (own->before != PLAN_NONE)
		v->steps.items[own->before].behind = at;
	r->last[step->thread] = at + 1;
	if (plan_op(v, at) == STRATEGY_CREATE)
		*array_add(&v->creates) = at;
	if (plan_op(v, at) == STRATEGY_END)
		*array_add(&v->ends) = at;
	if (plan_forks(plan_step(v, at)))
		*array_add(&v->forks) = at;
	join_segment(v, at);
	join_line(v, at);
	own->forked = is_forked(v, at);
	join_call(v, at);
}

/* Adds the lock that the thread has waited for. */
static void add_lock(struct plan_view *v, struct plan_record *r, unsigned thread, bool got)
{
	if (r->waiting[thread])
		view_add_step(v, r, r->waiting[thread] - 1, got);
	r->waiting[thread] = 0;
}

/* True if the thread was woken in the end but has not continued: the pending step is the lock it
   waits for. */
static bool is_woken(const struct plan_record *r, const struct schedule_step *pending)
{
	size_t lock = r->waiting[pending->thread];
	const struct strategy_point *asked = lock ? &plan_step_at(r->s, lock - 1)->point : NULL;

	return asked && pending->point.op == STRATEGY_LOCK &&
	       pending->point.object == asked->object && pending->point.place == asked->place;
}

/* Adds locks that threads waited for and got after the last step, or never. */
static void add_last_locks(struct plan_view *v, struct plan_record *r)
{
	const struct schedule *s = r->s;

	array_each(const struct schedule_step, step, &s->pending) {
		r->woken[step->thread] = is_woken(r, step);
		if (!r->woken[step->thread])
			add_lock(v, r, step->thread, true);
	}
	for (size_t i = 0; i < s->steps.count; i++)
		if (r->waiting[s->steps.items[i].thread] == i + 1)
			add_lock(v, r, s->steps.items[i].thread, false);
}

/* True for an executed return from the kernel. A pending one is a step: the thread has to be held
   there. */
static bool is_back(const struct plan_record *r, size_t index)
{
	const struct schedule_step *step = plan_step_at(r->s, index);

	return step->point.op == STRATEGY_BLOCK && step->where.inside &&
	       index < r->s->steps.count && r->last[step->thread];
}

static void add_recorded(struct plan_view *v, struct plan_record *r, size_t index)
{
	const struct schedule_step *step = plan_step_at(r->s, index);

	if (step->point.op == STRATEGY_WAKE)
		return;
	if (is_back(r, index)) {
		v->steps.items[r->last[step->thread] - 1].waits_until = v->steps.count;
		return;
	}
	add_lock(v, r, step->thread, true);
	if (view_waits_for_lock(r, index))
		r->waiting[step->thread] = index + 1;
	else
		view_add_step(v, r, index, !is_stuck(r, index));
}

bool plan_is_join(const struct plan_view *v, size_t step)
{
	const char *call = plan_step(v, step)->where.call;

	return plan_op(v, step) == STRATEGY_LOCK && call && strstr(call, "join");
}

void plan_view_init(struct plan_view *v, const struct schedule *s, const struct plan_words *words)
{
	struct plan_record r = {.s = s, .count = s->steps.count + s->pending.count};
	size_t asked;

	*v = (struct plan_view){.s = s, .words = words, .done = PLAN_NONE};
	r.waiting = base_alloc(s->threads.count + 1, sizeof(*r.waiting));
	r.last = base_alloc(s->threads.count + 1, sizeof(*r.last));
	r.woken = base_alloc(s->threads.count + 1, sizeof(*r.woken));
	for (size_t i = 0; i < s->steps.count && !plan_is_over(v, i); i++)
		add_recorded(v, &r, i);
	asked = v->steps.count;
	add_last_locks(v, &r);
	v->over = v->done = v->steps.count;
	while (v->over > asked && plan_is_join(v, v->over - 1))
		v->over--;
	for (size_t i = s->steps.count; i < r.count; i++)
		if (!r.woken[plan_step_at(s, i)->thread])
			add_recorded(v, &r, i);
	base_free(r.waiting);
	base_free(r.last);
	base_free(r.woken);
}

void plan_view_fini(struct plan_view *v)
{
	array_fini(&v->steps);
	array_fini(&v->segments);
	array_fini(&v->creates);
	array_fini(&v->ends);
	array_fini(&v->forks);
}

bool plan_is_blocked(const struct plan_view *v, size_t step)
{
	const struct plan_segment *segment = &v->segments.items[v->steps.items[step].segment];
	enum strategy_op op = plan_op(v, step);

	return step == segment->last && step + 1 < v->steps.count && !segment->preempted &&
	       !is_final(v->s, v->steps.items[step].index) &&
	       (op == STRATEGY_LOCK || op == STRATEGY_WAIT || op == STRATEGY_BLOCK);
}
