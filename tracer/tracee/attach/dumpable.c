/* Opens the /proc files of a process that is not dumpable for a while, by a
   stopped thread: see disclose.c. */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/tracee_internal.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

static bool calls_prctl(struct tracee *t, struct tracee_thread *thread, long option, long value,
			int64_t *out)
{
	const uint64_t args[6] = {(uint64_t)option, (uint64_t)value};

	return tracee_syscall(t, thread, SYS_prctl, args, out) == 0;
}

bool tracee_disclose(struct tracee *t, struct tracee_thread *thread)
{
	int64_t answer;

	return look_may_be_refused() && calls_prctl(t, thread, PR_GET_DUMPABLE, 0, &answer) &&
	       answer == TRACEE_NOT_DUMPABLE &&
	       calls_prctl(t, thread, PR_SET_DUMPABLE, TRACEE_DUMPABLE, &answer) && !answer;
}

void tracee_disclose_end(struct tracee *t, struct tracee_thread *thread)
{
	int64_t answer;

	calls_prctl(t, thread, PR_SET_DUMPABLE, TRACEE_NOT_DUMPABLE, &answer);
}
