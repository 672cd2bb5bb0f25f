/* Builds the wait graph: examines all threads, each stopped briefly, then finds kinds,
 * objects, owners and names. */
#include "tracer/run/threads/threads.h"
#include "tracer/features/waiting/waiting_internal.h"
#include "tracer/tracee/threads/threads.h"

#include <sys/syscall.h>

void waiters_add_all(struct run *s, struct waiters *all)
{
	run_each_thread(t, s)
		if (run_thread_lives(t))
			array_add(all)->thread = t;
	array_each(struct waiter, w, all)
		w->all = all;
}

void waiters_fini(struct waiters *all)
{
	array_each(struct waiter, w, all) {
		wait_fini(&w->wait);
		inspect_stack_fini(&w->stack);
		base_free(w->name);
		base_free(w->mutex);
		array_fini(&w->owners);
	}
	array_fini(&all->placed);
	array_fini(all);
}

static bool is_in_futex(const struct waiter *w)
{
	return w->block.activity == TRACEE_BLOCKED && w->block.number == SYS_futex;
}

/* Another thread may wait for the same object, with its owners already known. */
static void find_owners(struct waiters *all, struct waiter *w)
{
	for (const struct waiter *known = all->items; w->object && known < w; known++) {
		if (known->object != w->object || known->what != w->what ||
		    run_process_of(known->thread) != run_process_of(w->thread))
			continue;
		array_each(const struct owner, o, &known->owners)
			*array_add(&w->owners) = *o;
		w->readers = known->readers;
		w->gone = known->gone;
		w->tid = known->tid;
		return;
	}
	waiters_find_owners(all, w);
}

/* ---- one thread -------------------------------------------------------------------------- */

/* A thread whose look was judged may have been stopped since. */
static void look_anew(struct run *s, struct waiter *w)
{
	if (judged_of(w->thread)->on)
		w->block = judged_of(w->thread)->look;
	else
		tracee_look(run_thread_tracee(w->thread), &w->block);
	wait_fini(&w->wait);
	w->wait = (struct wait){0};
	judge_wait(s, w->thread, &w->block, &w->wait, NULL);
}

static void examine(struct waiters *all, struct waiter *w)
{
	struct run_thread *t = w->thread;
	bool held = run_thread_is_held(t);

	if (!held && !w->known)
		look_anew(all->run, w);
	if (!held && (run_thread_tracee(t)->state == TRACEE_GROUP_STOPPED ||
		      w->block.activity == TRACEE_DEAD))
		return;
	if (held || !tracee_is_vfork(w->block.number))
		caller_look(all->run, w);
	trampoline_see(t, &w->stack);
	if (held || !is_in_futex(w))
		return;
	kinds_find(w);
	glibc_object(w);
	if (!w->what)
		w->what = locks_kind(all->run, w);
}

void waiters_describe(struct waiters *all)
{
	struct run *s = all->run;

	caller_modules(all);
	run_each_thread(t, s)
		waiting_fini(waiting_of(t));
	array_each(struct waiter, w, all) {
		threads_note(s, w->thread);
		examine(all, w);
	}
	array_each(struct waiter, w, all)
		if (is_in_futex(w))
			find_owners(all, w);
	locks_name_all(all);
	array_each(struct waiter, w, all)
		words_describe(all, w);
}

void waiting_look_all(struct run *s)
{
	struct waiters all = {.run = s};

	waiters_add_all(s, &all);
	waiters_describe(&all);
	waiters_fini(&all);
}
