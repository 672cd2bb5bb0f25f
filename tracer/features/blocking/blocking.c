/*
 * Notices when threads block in the kernel, for orders and serial barriers.
 *
 * Nothing tells a tracer that a thread goes to sleep, so threads that are watched are looked up in
 * /proc. A thread is blocked if it is asleep in the same system call at two looks and has not run
 * in between: a short wait for a contended lock does not count. In a controlled run it is known who waits.
 */
#include "tracer/run/places/apply.h"
#include "tracer/run/threads/threads.h"
#include "tracer/run/ticks.h"
#include "tracer/run/places/sites.h"

enum { WATCHING_MS = 1 };

extern const struct observer blocking_observer;

/* Kept with a thread. */
struct watched {
	bool on;
	struct tracee_block look; /* the last one */
};
static const struct keeper watched_keeper = {sizeof(struct watched), NULL};

/* Kept with a run: how many threads are watched. */
struct watching {
	unsigned count;
};
static const struct keeper watching_keeper = {sizeof(struct watching), NULL};

static struct watched *watched_of(const struct run_thread *t)
{
	return kept_make(&t->kept, &watched_keeper);
}

static void count(struct run *s, int more)
{
	struct watching *watching = kept_make(&s->kept, &watching_keeper);

	watching->count += (unsigned)more;
	ticks_wish(s, &blocking_observer, watching->count ? WATCHING_MS : 0);
}

static bool is_watching(const struct run *s)
{
	const struct watching *watching = kept_of(&s->kept, &watching_keeper);

	return watching && watching->count > 0;
}

static void blocking_begin(struct run *s, struct run_thread *t)
{
	struct watched *watched = watched_of(t);

	if (!t->tracee || watched->on)
		return;
	*watched = (struct watched){.on = true, .look = {.activity = TRACEE_ACTIVE}};
	count(s, 1);
}

static void blocking_end(struct run *s, struct run_thread *t)
{
	struct watched *watched = kept_of(&t->kept, &watched_keeper);

	if (!watched || !watched->on)
		return;
	watched->on = false;
	count(s, -1);
}

/* A parent in vfork is blocked, too, though the kernel calls its sleep uninterruptible. */
static bool is_blocked(const struct tracee_block *b)
{
	return b->activity == TRACEE_BLOCKED ||
	       (b->activity == TRACEE_DISK && tracee_is_vfork(b->number));
}

static bool blocked_twice(struct run_thread *t)
{
	struct watched *watched = watched_of(t);
	struct tracee_block now, before = watched->look;

	tracee_look(t->tracee, &now);
	watched->look = now;
	if (now.activity == TRACEE_DEAD) /* a main thread that left by pthread_exit */
		return true;
	return is_blocked(&now) && is_blocked(&before) && now.switches == before.switches &&
	       now.number == before.number;
}

static void waits(struct run *s, struct run_thread *t)
{
	struct watched *watched = kept_of(&t->kept, &watched_keeper);

	if (!watched || !watched->on)
		return;
	blocking_end(s, t);
	engine_blocked(s->engine, t->engine);
	apply_decisions(s);
	s->events++;
}

/* Where whoever is in control tells who waits, real time is not to decide it. */
static void blocking_look(struct run *s)
{
	if (s->options->sched && s->driven)
		return;
	for (size_t i = 0; is_watching(s) && i < s->threads.count; i++) {
		struct run_thread *t = s->threads.items[i];

		if (!watched_of(t)->on || !t->tracee || t->tracee->state != TRACEE_RUNNING ||
		    !blocked_twice(t))
			continue;
		waits(s, t);
	}
}

static void blocking_decided(struct run *s, const struct decision *d)
{
	if (d->kind == DECISION_WATCH)
		blocking_begin(s, threads_of(d->thread));
}

static void comes(struct run *s, struct run_thread *t, struct place *place)
{
	if (place)
		blocking_end(s, t);
	else
		waits(s, t);
}

static void over(struct run *s, struct run_thread *t, bool renamed)
{
	(void)renamed;
	blocking_end(s, t);
}

static bool awaits(struct run *s, enum stuck_question question, enum waits_answer *answer)
{
	(void)answer;
	return question == STUCK_AWAITED && is_watching(s);
}

const struct observer blocking_observer = {.thread_over = over,
					   .comes = comes,
					   .decision = blocking_decided,
					   .tick = blocking_look,
					   .stuck = awaits};
