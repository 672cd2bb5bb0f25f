/*
 * What threads do of which /proc does not say so: those of a program that is not dumpable, for an
 * ordinary user.
 *
 * All are stopped, so that their registers show the interrupted system calls, at one moment; and
 * while they stand one thread of each process opens its /proc files. Questions about files,
 * mappings and timers are then answered as for any other program.
 */
#include "tracer/run/threads/pages.h"
#include "tracer/features/deadlock/hidden.h"

bool hidden_any(const struct lookeds *all)
{
	array_each(const struct looked, l, all)
		if (l->look.hidden)
			return true;
	return false;
}

static void halt(struct run *s, struct hidden *h)
{
	h->stopped = true;
	array_each(struct run_thread *, it, &s->threads)
		if ((*it)->tracee && (*it)->tracee->state == TRACEE_RUNNING)
			*array_add(&h->paused) = *it;
	tracee_halt(s->tracee);
	pages_forget(s);
}

/* False: it moves. */
static bool complete(struct looked *l)
{
	struct run_thread *t = l->thread;

	if (t->engine->held || t->paused)
		return true;
	if (l->look.activity == TRACEE_DISK && tracee_is_vfork(l->look.number))
		return true; /* it does not stop, and is known */
	if (!t->tracee || !tracee_is_paused(t->tracee))
		return false;
	tracee_look_stopped(t->tracee, &l->look);
	l->stopped = true;
	return l->look.activity == TRACEE_BLOCKED;
}

static bool is_disclosed(const struct hidden *h, const struct run_thread *t)
{
	array_each(struct run_thread *, it, &h->disclosed)
		if ((*it)->process == t->process)
			return true;
	return false;
}

static void disclose(struct run *s, struct hidden *h)
{
	array_each(struct run_thread *, it, &s->threads)
		if ((*it)->tracee && !is_disclosed(h, *it) && tracee_can_call((*it)->tracee) &&
		    tracee_disclose(s->tracee, (*it)->tracee))
			*array_add(&h->disclosed) = *it;
}

bool hidden_open(struct run *s, struct lookeds *all, struct hidden *h)
{
	bool known = true;

	halt(s, h);
	array_each(struct looked, l, all)
		known &= complete(l);
	disclose(s, h);
	return known;
}

void hidden_close(struct run *s, struct hidden *h)
{
	array_each(struct run_thread *, it, &h->disclosed)
		if ((*it)->tracee)
			tracee_disclose_end(s->tracee, (*it)->tracee);
	array_each(struct run_thread *, it, &h->paused)
		if ((*it)->tracee && tracee_is_paused((*it)->tracee))
			tracee_resume(s->tracee, (*it)->tracee);
	array_fini(&h->paused);
	array_fini(&h->disclosed);
}
