/*
 * Can anybody still move? Judged from /proc, without stopping anybody, after a tick in which
 * nothing happened. Any doubt counts as moving: a verdict of deadlock has to be right.
 *
 * There are two looks at every thread: one that is blocked in both and has not run in between was
 * blocked all the time from the first to the second. So at the moment between the two passes all of
 * them were blocked together, and nothing inside can wake them.
 */
#include "tracer/run/go.h"
#include "tracer/run/threads/threads.h"
#include "tracer/features/sanitizer/sanitizer.h"
#include "tracer/run/places/sites.h"
#include "tracer/features/waiting/waiting.h"
#include "tracer/features/blocked/channels.h"
#include "tracer/features/deadlock/deadlock.h"
#include "tracer/features/deadlock/hidden.h"

#include <string.h>
#include <sys/syscall.h>

/* After files were searched, or threads stopped to be asked, and somebody may still move: for so
   long this is not repeated, unless something happens. */
enum { DOUBT_US = 60000 };

/* ---- all of them ---------------------------------------------------------------------------- */

/* At a gate, or by a user. */
static bool is_held(const struct run_thread *t)
{
	return t->engine->held || t->paused;
}

/* The end of a thread is reported at once, and somebody may wait for that. Only a leader stays a
   zombie, until the other threads of its process have ended. */
static bool is_leader_that_left(const struct run_thread *t)
{
	if (t->tracee->tid != t->process->pid)
		return false;
	array_each(struct run_thread *, other, &t->process->run->threads)
		if (*other != t && (*other)->process == t->process && (*other)->tracee)
			return true;
	return false;
}

/* False: this thread alone shows that something can move. */
static bool deadlock_look_at(struct run_thread *t, struct looked *out)
{
	out->thread = t;
	if (!is_held(t) && t->tracee->state != TRACEE_RUNNING)
		return false;
	tracee_look(t->tracee, &out->look);
	if (is_held(t)) /* unless it is being killed at this moment, with its process */
		return out->look.activity == TRACEE_HALTED;
	if (out->look.activity == TRACEE_DEAD)
		return is_leader_that_left(t);
	return out->look.activity == TRACEE_BLOCKED || out->look.activity == TRACEE_DISK;
}

static bool unchanged(const struct looked *before)
{
	struct looked now;

	if (before->stopped)
		return true;
	if (!deadlock_look_at(before->thread, &now))
		return false;
	return is_held(before->thread) || (now.look.activity == before->look.activity &&
					   now.look.number == before->look.number &&
					   now.look.switches == before->look.switches);
}

/* All living threads, what each of them waits for, and who outside could end that. */
struct scene {
	struct lookeds looked;
	ARRAY(struct wait) waits; /* one for each thread */
	struct ends ends;
	bool asked; /* threads were stopped for the question */
	struct hidden hidden;
	size_t *cycle;
	size_t length;
};

static void scene_fini(struct scene *c)
{
	array_each(struct wait, w, &c->waits)
		wait_fini(w);
	array_fini(&c->looked);
	array_fini(&c->waits);
	array_fini(&c->ends);
	base_free(c->cycle);
}

/* A leader that has ended waits for nobody. */
static void scene_add(struct scene *c, const struct looked *l)
{
	if (l->look.activity == TRACEE_DEAD)
		return;
	*array_add(&c->looked) = *l;
	(void)array_add(&c->waits);
}

/* False as soon as a thread is found that can move. */
static bool look_at_all(struct run *s, struct scene *c)
{
	array_each(struct run_thread *, it, &s->threads) {
		struct looked l = {0};

		if (!(*it)->tracee || sanitizer_owns((*it)->engine->start))
			continue; /* a sanitizer's own thread does nothing for the program */
		if (!deadlock_look_at(*it, &l))
			return false;
		scene_add(c, &l);
	}
	c->cycle = base_alloc(c->looked.count + 1, sizeof(*c->cycle));
	return c->looked.count > 0;
}

/* Uninterruptible: a moment on the disk. But a parent in vfork waits like one that sleeps. */
static bool is_on_disk(const struct looked *l)
{
	return l->look.activity == TRACEE_DISK && !tracee_is_vfork(l->look.number);
}

bool deadlock_rests(struct run *s, bool (*aside)(const struct run *s, const struct run_thread *t))
{
	struct scene c = {0};
	bool rests = true;

	array_each(struct run_thread *, it, &s->threads) {
		struct looked l = {0};

		if (!(*it)->tracee || sanitizer_owns((*it)->engine->start) || aside(s, *it) ||
		    (*it)->tracee->state == TRACEE_GROUP_STOPPED)
			continue;
		rests = deadlock_look_at(*it, &l) && !is_on_disk(&l);
		if (!rests)
			break;
		scene_add(&c, &l);
	}
	for (size_t i = 0; rests && i < c.looked.count; i++)
		rests = unchanged(&c.looked.items[i]);
	scene_fini(&c);
	return rests;
}

/* Files last, as they take longest. False as soon as a thread is found that can move. */
static bool judge_each(struct run *s, struct scene *c)
{
	for (int files = 0; files <= 1; files++)
		for (size_t i = 0; i < c->looked.count; i++) {
			const struct looked *l = &c->looked.items[i];

			if (channels_is_call(l->thread, &l->look) != files)
				continue;
			blocked_judge(s, l->thread, &l->look, &c->waits.items[i], &c->ends);
			if (c->waits.items[i].kind == WAIT_NOT)
				return false;
		}
	return true;
}

static bool all_unchanged(const struct scene *c, const struct timers_asked *but)
{
	array_each(struct looked, l, &c->looked)
		if (!timers_has_asked(but, l->thread) && !unchanged(l))
			return false;
	return true;
}

static enum waits_answer judge_waits(struct scene *c)
{
	return waits_judge(c->waits.items, c->waits.count, c->cycle, &c->length);
}

/* Nobody inside moves: will something come from outside, or from a timer? */
static bool nothing_comes(struct run *s, struct scene *c)
{
	struct timers_asked asked = {0};
	bool nothing = false;

	if (!all_unchanged(c, &asked) || holders_outside(s, &c->ends) || holders_async(s))
		return false;
	c->asked = true;
	if (!timers_ask(s, &asked))
		nothing = all_unchanged(c, &asked); /* a timer may just have run out */
	timers_let_go(s, &asked);
	return nothing;
}

static void describe_cycle(struct run *s, const struct scene *c)
{
	str_clear(&s->cycle);
	for (size_t i = 0; i < c->length; i++) {
		struct run_thread *t = threads_of(c->waits.items[c->cycle[i]].thread);

		waiting_of(t)->in_cycle = true;
		str_add(&s->cycle, i ? "; " : "");
		waiting_sentence(t, &s->cycle);
	}
}

/* Things that only their owner can give back; with `anybodys` also semaphores, which some thread
   took, and condition variables, which some thread would signal, though anybody may. */
static bool is_owned(const struct waiting *found, bool anybodys)
{
	switch (found->kind) {
	case WAITING_MUTEX:
	case WAITING_RWLOCK:
	case WAITING_STREAM:
	case WAITING_ONCE:
		return found->on.count > 0;
	case WAITING_SEMAPHORE:
	case WAITING_CONDITION:
		return anybodys && found->on.count > 0;
	default:
		return false;
	}
}

/* Uses what was found out about a lock while its waiters were stopped. */
static void refine(const struct waiting *found, struct wait *w, bool anybodys)
{
	if (w->kind != WAIT_FUTEX && w->kind != WAIT_MUTEX && w->kind != WAIT_NEVER)
		return;
	if (found->gone) {
		w->kind = WAIT_NEVER;
		return;
	}
	if (!is_owned(found, anybodys)) {
		if (w->kind == WAIT_MUTEX && found->kind != WAITING_GONE &&
		    found->kind != WAITING_FUTEX)
			w->kind = WAIT_FUTEX; /* its word only looked like a mutex's */
		return;
	}
	w->kind = WAIT_MUTEX;
	w->more.count = 0;
	w->on = (struct engine_thread *)found->on.items[0];
	for (size_t i = 1; i < found->on.count; i++)
		*array_add(&w->more) = (struct engine_thread *)found->on.items[i];
}

static void refine_all(struct scene *c, bool anybodys)
{
	for (size_t i = 0; i < c->looked.count; i++)
		refine(waiting_of(c->looked.items[i].thread), &c->waits.items[i], anybodys);
}

/* Puts the deadlock into words. The threads are stopped for that; what they wait for was found
   before. */
static void explain(struct run *s, struct scene *c)
{
	for (size_t i = 0; i < c->looked.count; i++) {
		struct judged *judged = judged_of(c->looked.items[i].thread);

		judged->look = c->looked.items[i].look;
		judged->on |= c->waits.items[i].kind != WAIT_NOT || c->looked.items[i].stopped;
	}
	waiting_look_all(s);
	array_each(struct looked, l, &c->looked)
		judged_of(l->thread)->on = false;
	refine_all(c, false);
}

/* Who took a semaphore, or would signal, does not decide anything, but may be what is worth
   telling. */
static void describe_best(struct run *s, struct scene *c, enum waits_answer answer)
{
	size_t *cycle = base_alloc(c->looked.count, sizeof(*cycle)), length = c->length;

	memcpy(cycle, c->cycle, length * sizeof(*cycle));
	refine_all(c, true);
	if (judge_waits(c) != answer) {
		memcpy(c->cycle, cycle, length * sizeof(*cycle));
		c->length = length;
	}
	base_free(cycle);
	describe_cycle(s, c);
}

/* Each check may start a time-out anew, as of epoll_wait: pauses that grow let it pass. */
static uint64_t doubt_pause(struct run *s, const struct scene *c)
{
	bool again = c->hidden.stopped && s->doubt_us;

	s->doubt_for_us = again ? 2 * s->doubt_for_us : DOUBT_US;
	return s->doubt_for_us;
}

/* The calls of all threads are known, or all stand still to tell them. */
static bool knows_calls(struct run *s, struct scene *c)
{
	return !hidden_any(&c->looked) || (all_unchanged(c, &(struct timers_asked){0}) &&
					   hidden_open(s, &c->looked, &c->hidden));
}

static enum waits_answer judge_all(struct run *s)
{
	enum waits_answer answer = WAITS_MOVING;
	struct scene c = {0};

	s->explained = false;
	if (run_now_us() < s->doubt_us)
		return WAITS_MOVING;
	if (look_at_all(s, &c) && knows_calls(s, &c) && judge_each(s, &c) &&
	    judge_waits(&c) != WAITS_MOVING && nothing_comes(s, &c)) {
		explain(s, &c);
		answer = judge_waits(&c);
		describe_best(s, &c, answer);
		s->explained = true;
	} else if (c.asked || c.ends.count || c.hidden.stopped) {
		s->doubt_us = run_now_us() + doubt_pause(s, &c);
	}
	hidden_close(s, &c.hidden);
	scene_fini(&c);
	return answer;
}

/* ---- while some still move ------------------------------------------------------------------ */

/* Any doubt counts as moving, and so does a thread that has moved since. */
static void judge_one(struct run *s, const struct looked *l, struct wait *w)
{
	struct ends ends = {0};

	blocked_judge(s, l->thread, &l->look, w, &ends);
	if (w->kind != WAIT_NOT && (!unchanged(l) || holders_outside(s, &ends)))
		w->kind = WAIT_NOT;
	array_fini(&ends);
}

void deadlock_explain(struct run *s)
{
	struct scene c = {0};

	array_each(struct run_thread *, it, &s->threads) {
		struct looked l = {0};

		if (!(*it)->tracee || sanitizer_owns((*it)->engine->start))
			continue;
		if (!judged_of(*it)->on)
			deadlock_look_at(*it, &l);
		else
			l = (struct looked){.thread = *it, .look = judged_of(*it)->look};
		scene_add(&c, &l);
	}
	if (hidden_any(&c.looked))
		hidden_open(s, &c.looked, &c.hidden);
	for (size_t i = 0; i < c.looked.count; i++)
		judge_one(s, &c.looked.items[i], &c.waits.items[i]);
	explain(s, &c);
	c.cycle = base_alloc(c.looked.count + 1, sizeof(*c.cycle));
	str_clear(&s->cycle);
	if (waits_lost(c.waits.items, c.waits.count, c.cycle, &c.length))
		describe_cycle(s, &c);
	hidden_close(s, &c.hidden);
	scene_fini(&c);
}

/* Describes what the threads do before that is lost. */
static void deadlock_end(struct run *s)
{
	if (!s->explained)
		deadlock_explain(s);
}

static bool answer(struct run *s, enum stuck_question question, enum waits_answer *out)
{
	if (question != STUCK_JUDGED)
		return false;
	*out = judge_all(s);
	return true;
}

extern const struct observer deadlock_observer;
const struct observer deadlock_observer = {.stuck = answer, .end = deadlock_end};
