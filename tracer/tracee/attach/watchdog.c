/*
 * A program that was attached to must outlive gatectl, even if that is killed by SIGKILL: traps
 * left behind would end the program. So the tracer is a process of its own, out of the reach of the
 * terminal and of signals to the group. The process that was started only waits for it and passes
 * signals on; when it dies, the other one is told (SIGTERM), and detaches.
 *
 * A tracer that a user steers at a terminal has to stay in the session and the group of that
 * terminal. The kernel gives it the terminal's signals, so that they are not passed on. The shell
 * sees the process that was started alone: it stops when the tracer has stopped.
 */
#include "tracer/tracee/tracee_internal.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void take_cover(pid_t starter, bool steered, const sigset_t *mask)
{
	if (!steered)
		setsid();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != starter) /* it has died before that */
		raise(SIGTERM);
	sigprocmask(SIG_SETMASK, mask, NULL);
}

/* Passes signals on until the other one has ended. */
static int stand_by(pid_t pid, bool steered, const sigset_t *signals)
{
	const int stops[] = {SIGTSTP, SIGTTIN, SIGTTOU};
	siginfo_t info;
	int status;

	for (size_t i = 0; steered && i < sizeof(stops) / sizeof(*stops); i++)
		signal(stops[i], SIG_IGN);
	for (;;) {
		if (sigwaitinfo(signals, &info) < 0)
			continue;
		if (info.si_signo != SIGCHLD) {
			if (!steered || info.si_code != SI_KERNEL)
				kill(pid, info.si_signo);
		} else if (waitpid(pid, &status, WNOHANG | (steered ? WUNTRACED : 0)) == pid) {
			if (!WIFSTOPPED(status))
				return status;
			raise(SIGSTOP);
		}
	}
}

int tracee_guard(bool steered, int *status, struct error *err)
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
		take_cover(starter, steered, &before);
		return 0;
	}
	*status = stand_by(pid, steered, &signals);
	return 1;
}
