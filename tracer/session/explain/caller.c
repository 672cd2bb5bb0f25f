/*
 * The calls of a thread that is not held, and which of them are in the tester's own code: in the
 * program or in a library of its own. The libraries further in (libc) are what it blocks in.
 * The thread is stopped for a moment to be asked.
 */
#include "tracer/session/explain/waiting.h"

#include <string.h>

enum { MOST_CALLS = 64 };

/* Libraries of the system are not where a tester looks. */
static bool is_own(const struct session_process *p, const struct symbols_call *call)
{
	const char *path = call->frame.module ? module_path(call->frame.module) : "/lib";

	if (call->file && strncmp(call->file, "/usr/", 5) == 0)
		return false; /* std::mutex::lock: its caller is of interest */
	return call->frame.module == p->exe ||
	       (strncmp(path, "/lib", 4) != 0 && strncmp(path, "/usr/lib", 8) != 0);
}

/* libc in a static program has no lines, the tester's code has. */
static bool has_line(const struct symbols_call *call)
{
	return call->line || !module_has_debug(call->frame.module);
}

size_t caller_own(const struct waiter *w, size_t i)
{
	size_t first = w->stack.count;

	for (; i < w->stack.count; i++) {
		const struct symbols_call *call = &w->stack.items[i];

		if (!is_own(w->thread->process, call))
			continue;
		if (has_line(call))
			return i;
		if (first == w->stack.count)
			first = i;
	}
	return first;
}

static void read_stack(struct waiter *w)
{
	struct session_thread *t = w->thread;
	struct symbols_frame first;
	struct arch_regs regs;

	if (target_regs(t->target, &regs) < 0)
		return;
	symbols_frame_first(&t->process->program, t, &regs, &first);
	symbols_stack(&first, NULL, MOST_CALLS, &w->stack);
	w->own = caller_own(w, 0);
}

void caller_look(struct session *s, struct waiter *w)
{
	struct session_thread *t = w->thread;
	bool runs = t->target->state == TARGET_RUNNING;

	if (runs && target_pause(s->target, t->target) < 0)
		return; /* it has just stopped for a reason of its own */
	pages_forget(s);
	read_stack(w);
	if (runs)
		target_resume(s->target, t->target);
}
