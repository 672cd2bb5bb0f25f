/*
 * Makes the tracer of an attached program a process of its own, which detaches even if the started
 * process is killed by SIGKILL: traps left behind would end the program. README.md has the rules.
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
	if (getppid() != starter) /* the starter has died before prctl() */
		raise(SIGTERM);
	sigprocmask(SIG_SETMASK, mask, NULL);
}

/* Passes signals on until the tracer has ended. Returns its wait status. */
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
