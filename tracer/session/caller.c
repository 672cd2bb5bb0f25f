/*
 * Where in the tester's own code a thread is that is not held: the innermost of its calls that is
 * in the program or in a library of its own. The libraries further in (libc) are what it blocks in.
 * The thread is stopped for a moment to be asked.
 */
#include "tracer/session/internal.h"

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

static bool find(struct session_thread *t, const struct arch_regs *regs, struct waiting *w)
{
	struct symbols_stack stack = {0};
	struct symbols_frame first;
	bool found = false;

	symbols_frame_first(&t->process->program, t, regs, &first);
	symbols_stack(&first, NULL, MOST_CALLS, &stack);
	for (size_t i = 0; i < stack.count && !found; i++) {
		const struct symbols_call *call = &stack.items[i];

		found = is_own(t->process, call);
		if (!found)
			continue;
		w->func = call->function ? call->function : module_name(call->frame.module);
		w->file = call->line ? call->file : NULL;
		w->line = call->line;
	}
	symbols_stack_fini(&stack);
	return found;
}

bool caller_find(struct session *s, struct session_thread *t, struct waiting *w)
{
	bool runs = t->target->state == TARGET_RUNNING, found;
	struct arch_regs regs;

	if (runs && target_pause(s->target, t->target) < 0)
		return false; /* it has just stopped for a reason of its own */
	pages_forget(s);
	found = target_regs(t->target, &regs) == 0 && find(t, &regs, w);
	if (runs)
		target_resume(s->target, t->target);
	return found;
}
