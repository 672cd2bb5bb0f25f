/*
 * A program that was attached to must outlive gatectl, even if that is killed by SIGKILL: traps
 * left behind would end the program. So the tracer is a process of its own, out of the reach of the
 * terminal and of signals to the group. The process that was started only waits for it and passes
 * signals on; when it dies, the other one is told (SIGTERM), and detaches.
 */
#include "tracer/tracee/tracee_internal.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void take_cover(pid_t starter, const sigset_t *mask)
{
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != starter) /* it has died before that */
		raise(SIGTERM);
	sigprocmask(SIG_SETMASK, mask, NULL);
}

/* Passes signals on until the other one has ended. */
static int stand_by(pid_t pid, const sigset_t *signals)
{
	int signal, status;

	for (;;) {
		sigwait(signals, &signal);
		if (signal != SIGCHLD)
			kill(pid, signal);
		else if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
	}
}

int tracee_guard(int *status, struct error *err)
{
	const int passed[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
	sigset_t signals, before;
	pid_t starter = getpid(), pid;

	sigemptyset(&signals);
	for (size_t i = 0; i < sizeof(passed) / sizeof(*passed); i++)
		sigaddset(&signals, passed[i]);
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &signals, &before);
	pid = fork();
	if (pid < 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		return error_errno(err, ERROR_SYSTEM, "fork");
	}
	if (!pid) {
		take_cover(starter, &before);
		return 0;
	}
	*status = stand_by(pid, &signals);
	return 1;
}
