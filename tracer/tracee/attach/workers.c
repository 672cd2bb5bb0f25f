/* Worker processes, which run programs in parallel. A program ends with its worker
   (PTRACE_O_EXITKILL), and a worker with the process that has forked it. */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/tracee_internal.h"

#include "tracer/base/array.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

pid_t tracee_worker(void)
{
	pid_t starter = getpid(), pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != starter)
		_exit(0);
	signal(SIGPIPE, SIG_IGN); /* programs get the action that gatectl was started with */
	tracee_signals_release();
	tracee_signals_hold(); /* timers are not inherited */
	return 0;
}

int tracee_worker_kill(pid_t worker)
{
	int status = 0;

	kill(worker, SIGKILL);
	while (waitpid(worker, &status, 0) < 0)
		if (errno != EINTR)
			return 0;
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* Reaps all children, unless none ends for a second. */
static void reap(const sigset_t *signals)
{
	const struct timespec most = {.tv_sec = 1};
	pid_t pid;

	do {
		while ((pid = waitpid(-1, NULL, __WALL | WNOHANG)) > 0)
			;
	} while (pid == 0 && (sigtimedwait(signals, NULL, &most) > 0 || errno == EINTR));
}

/* ---- daemons: programs that are no longer children ------------------------------------------- */

struct mourned {
	ARRAY(struct pollfd) fds; /* pidfds, readable when the process has ended (pidfd_open(2)) */
};

/* Stops the workers, which then start nothing more. */
static void stop(const pid_t *workers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		kill(workers[i], SIGSTOP);
	for (size_t i = 0; i < count; i++) {
		siginfo_t info;

		while (waitid(P_PID, (id_t)workers[i], &info, WSTOPPED | WEXITED | WNOWAIT) < 0 &&
		       errno == EINTR)
			;
	}
}

static bool is_traced(pid_t pid, const pid_t *workers, size_t count)
{
	long tracer = look_status(pid, "TracerPid");

	for (size_t i = 0; i < count; i++)
		if (tracer == workers[i])
			return true;
	return false;
}

static void find_traced(const pid_t *workers, size_t count, struct mourned *ends)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	while (proc && (entry = readdir(proc))) {
		pid_t pid = isdigit(*entry->d_name) ? (pid_t)atoi(entry->d_name) : 0;
		int fd = pid && is_traced(pid, workers, count)
				 ? (int)syscall(SYS_pidfd_open, pid, 0)
				 : -1;

		if (fd >= 0)
			*array_add(&ends->fds) = (struct pollfd){.fd = fd, .events = POLLIN};
	}
	if (proc)
		closedir(proc);
}

/* Waits for the programs, which are killed when their tracers end. */
static void wait_for(struct mourned *ends)
{
	enum { MOST_MS = 1000 };

	array_each(struct pollfd, end, &ends->fds) {
		while (poll(end, 1, MOST_MS) < 0 && errno == EINTR)
			;
		close(end->fd);
	}
	array_fini(&ends->fds);
}

void tracee_workers_end(const pid_t *workers, size_t count)
{
	struct mourned ends = {{0}};
	sigset_t signals, before;

	stop(workers, count);
	find_traced(workers, count, &ends);

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, &before);
	prctl(PR_SET_CHILD_SUBREAPER, 1); /* orphaned programs become children of this process */
	for (size_t i = 0; i < count; i++)
		kill(workers[i], SIGKILL);
	reap(&signals);
	wait_for(&ends);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	sigprocmask(SIG_SETMASK, &before, NULL);
}
