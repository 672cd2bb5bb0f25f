/*
 * Threads of which an order or a serial barrier wants to know when they block in the kernel.
 *
 * Nobody tells a tracer that a thread goes to sleep, so it is looked up in /proc while one is
 * watched. Asleep in the same system call at two looks, without having run in between, is blocked:
 * a short wait for a contended lock on the way is not.
 */
#include "tracer/run/sites.h"

enum { WATCHING_MS = 1 };

extern const struct observer watch_observer;

static void begin(struct session *s, struct session_thread *t)
{
	if (!t->target || t->watched)
		return;
	t->watched = true;
	t->watched_look = (struct target_block){.activity = TARGET_ACTIVE};
	s->watching++;
	ticks_wish(s, &watch_observer, s->watching ? WATCHING_MS : 0);
}

static void end(struct session *s, struct session_thread *t)
{
	if (!t->watched)
		return;
	t->watched = false;
	s->watching--;
	ticks_wish(s, &watch_observer, s->watching ? WATCHING_MS : 0);
}

/* A parent in vfork is blocked, too, though the kernel calls it uninterruptible. */
static bool is_blocked(const struct target_block *b)
{
	return b->activity == TARGET_BLOCKED ||
	       (b->activity == TARGET_DISK && target_is_vfork(b->number));
}

static bool blocked_twice(struct session_thread *t)
{
	struct target_block now, before = t->watched_look;

	target_look(t->target, &now);
	t->watched_look = now;
	if (now.activity == TARGET_DEAD) /* a main thread that left by pthread_exit */
		return true;
	return is_blocked(&now) && is_blocked(&before) && now.switches == before.switches &&
	       now.number == before.number;
}

static void look(struct session *s)
{
	for (size_t i = 0; s->watching && i < s->threads.count; i++) {
		struct session_thread *t = s->threads.items[i];

		if (!t->watched || !t->target || t->target->state != TARGET_RUNNING ||
		    !blocked_twice(t))
			continue;
		end(s, t);
		engine_blocked(s->engine, t->engine);
		apply_decisions(s);
		s->events++;
	}
}

static void decided(struct session *s, const struct decision *d)
{
	if (d->kind == DECISION_WATCH)
		begin(s, threads_of(d->thread));
}

static void comes(struct session *s, struct session_thread *t, struct place *place)
{
	(void)place;
	end(s, t);
}

static bool awaits(struct session *s)
{
	return s->watching > 0;
}

const struct observer watch_observer = {
	.thread_over = end, .comes = comes, .decision = decided, .tick = look, .awaits = awaits};
