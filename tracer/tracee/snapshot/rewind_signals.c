/* Signal actions that a copy has set: they are read from the snapshot
   process and set in the copy. */
#include "tracer/tracee/snapshot/rewind.h"

#include <signal.h>
#include <sys/syscall.h>

enum { SIGNALS = 64 };

struct action {
	uint64_t words[4]; /* the kernel's struct sigaction */
};

void rewind_action(struct process *p, uint64_t signal)
{
	if (signal == SIGTRAP) /* gatectl's traps change that action, too: trap.c */
		p->spoiled = true;
	else if (signal && signal <= SIGNALS && signal != SIGKILL && signal != SIGSTOP)
		p->actions |= 1ull << (signal - 1);
}

/* Calls rt_sigaction(2) with `action` as argument `index`: 1 sets, 2 reads. */
static int rewind_signals_call(struct remote *r, int signal, unsigned index, struct action *action)
{
	uint64_t args[6] = {(uint64_t)signal, 0, 0, sizeof(uint64_t)};
	int64_t result;

	return remote_run_with(r, SYS_rt_sigaction, args, index, action, sizeof(*action), &result) <
				       0 ||
			       result < 0
		       ? -1
		       : 0;
}

int rewind_actions(struct rewinding *w, struct remote *r)
{
	struct remote of_kept = {.th = w->kept->thread};
	struct action action;
	int result;

	if (!w->actions)
		return 0;
	result = remote_begin(&of_kept);
	for (int signal = 1; signal <= SIGNALS && result == 0; signal++)
		if (w->actions >> (signal - 1) & 1)
			result = rewind_signals_call(&of_kept, signal, 2, &action) < 0 ||
						 rewind_signals_call(r, signal, 1, &action) < 0
					 ? -1
					 : 0;
	return remote_end(&of_kept) < 0 ? -1 : result;
}
