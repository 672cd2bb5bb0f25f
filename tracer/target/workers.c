/* Processes of gatectl's own that run programs beside each other. A program ends with its worker
   (PTRACE_O_EXITKILL), and a worker with the process that has forked it. */
#include "tracer/target/target_internal.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

pid_t target_worker(void)
{
	pid_t starter = getpid(), pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != starter)
		_exit(0);
	signal(SIGPIPE, SIG_IGN); /* programs get what gatectl was started with */
	target_signals_release();
	target_signals_hold(); /* its clocks are not inherited */
	return 0;
}

int target_worker_kill(pid_t worker)
{
	int status = 0;

	kill(worker, SIGKILL);
	while (waitpid(worker, &status, 0) < 0)
		if (errno != EINTR)
			return 0;
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* All there are, unless somebody lives on. */
static void reap(const sigset_t *signals)
{
	const struct timespec most = {.tv_sec = 1};
	pid_t pid;

	do {
		while ((pid = waitpid(-1, NULL, __WALL | WNOHANG)) > 0)
			;
	} while (pid == 0 && (sigtimedwait(signals, NULL, &most) > 0 || errno == EINTR));
}

void target_workers_end(const pid_t *workers, size_t count)
{
	sigset_t signals, before;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, &before);
	prctl(PR_SET_CHILD_SUBREAPER, 1); /* their programs become ours */
	for (size_t i = 0; i < count; i++)
		kill(workers[i], SIGKILL);
	reap(&signals);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	sigprocmask(SIG_SETMASK, &before, NULL);
}
