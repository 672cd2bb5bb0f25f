/* Notices when watched threads block in the kernel, for orders and serial barriers. A thread is
 * blocked if it sleeps in the same system call at two looks and has not run in between, so a short
 * wait for a contended lock does not count. Under the scheduler blocking is known. */
#include "tracer/run/places/places.h"
#include "tracer/run/threads/threads.h"
#include "tracer/run/run.h"
#include "tracer/features/waiting/waiting_internal.h"
#include "tracer/tracee/threads/threads.h"

enum { WATCHING_MS = 1 };

/* Per-thread data. */
struct watched {
	bool on;
	struct tracee_block look; /* the last look */
};
static const struct keeper watched_keeper = {sizeof(struct watched), NULL};

/* Per-run data: the number of watched threads. */
struct watching {
	unsigned count;
};
static const struct keeper watching_keeper = {sizeof(struct watching), NULL};

static struct watched *watched_of(const struct run_thread *t)
{
	return kept_make(run_thread_kept(t), &watched_keeper);
}

static void watch(struct run *s, struct run_thread *t, bool on)
{
	struct watching *watching = kept_make(run_kept(s), &watching_keeper);

	*watched_of(t) = (struct watched){.on = on, .look = {.activity = TRACEE_ACTIVE}};
	watching->count += on ? 1 : -1u;
	ticks_wish(s, &watching_keeper, watching->count ? WATCHING_MS : 0);
}

bool blocking_awaits(const struct run *s)
{
	const struct watching *watching = kept_of(run_kept(s), &watching_keeper);

	return watching && watching->count > 0;
}

static bool is_watched(const struct run_thread *t)
{
	const struct watched *watched = kept_of(run_thread_kept(t), &watched_keeper);

	return watched && watched->on;
}

bool blocking_is_untold(const struct run_thread *t)
{
	return is_watched(t) && run_thread_tracee(t)->state == TRACEE_RUNNING;
}

void blocking_over(struct run *s, struct run_thread *t, bool renamed)
{
	(void)renamed;
	if (is_watched(t))
		watch(s, t, false);
}

void blocking_decided(struct run *s, const struct decision *d)
{
	struct run_thread *t = d->kind == DECISION_WATCH ? threads_of(d->thread) : NULL;

	if (t && run_thread_lives(t) && !is_watched(t))
		watch(s, t, true);
}

/* A parent in vfork is blocked, although its sleep is uninterruptible. */
static bool is_blocked(const struct tracee_block *b)
{
	return b->activity == TRACEE_BLOCKED ||
	       (b->activity == TRACEE_DISK && tracee_is_vfork(b->number));
}

static bool blocked_twice(struct run_thread *t)
{
	struct tracee_block *now = &watched_of(t)->look, before = *now;

	tracee_look(run_thread_tracee(t), now);
	if (now->activity == TRACEE_DEAD) /* a main thread that left by pthread_exit */
		return true;
	return is_blocked(now) && is_blocked(&before) && now->switches == before.switches &&
	       now->number == before.number;
}

static void thread_blocks(struct run *s, struct run_thread *t)
{
	if (!is_watched(t))
		return;
	watch(s, t, false);
	engine_blocked(run_engine(s), run_thread_engine(t));
	apply_decisions(s);
	run_note_event(s);
}

void blocking_comes(struct run *s, struct run_thread *t, struct place *place)
{
	if (place)
		blocking_over(s, t, false);
	else
		thread_blocks(s, t);
}

/* The scheduler reports blocking itself; real time must not decide. */
void blocking_look(struct run *s)
{
	if (!blocking_awaits(s) || (run_options(s)->sched && run_is_driven(s)))
		return;
	run_each_thread(t, s)
		if (is_watched(t) && run_thread_lives(t) &&
		    run_thread_tracee(t)->state == TRACEE_RUNNING && blocked_twice(t))
			thread_blocks(s, t);
}
