/* Processes of a suite that gatectl does not trace. */
#include "tracer/suite/suite_internal.h"

#include "tracer/base/files/io.h"
#include "tracer/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double suite_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int suite_pidfd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

int suite_enter(const struct suite_test *test, struct error *err)
{
	array_each(char *const, item, &test->env) {
		char *equals = strchr(*item, '=');

		if (!equals) {
			unsetenv(*item);
			continue;
		}
		OWNED(name) = base_strndup(*item, (size_t)(equals - *item));
		setenv(name, equals + 1, 1);
	}
	if (test->dir && chdir(test->dir) < 0)
		return error_errno(err, ERROR_SYSTEM, "%s", test->dir);
	return 0;
}

/* Does not return. The parent reads the errno of a failed exec from `failed`. */
static void exec_program(char *const *argv, int out, int err, int failed)
{
	int null = open("/dev/null", O_RDWR), code;
	sigset_t none;

	setsid();
	dup2(null, STDIN_FILENO);
	dup2(out < 0 ? null : out, STDOUT_FILENO);
	dup2(err >= 0 ? err : out < 0 ? null : out, STDERR_FILENO);
	run_signals_as_found();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execvp(argv[0], argv);
	code = errno;
	if (write(failed, &code, sizeof(code)) < 0)
		_exit(127);
	_exit(126);
}

/* Waits until the child ends, the time is over or a signal to gatectl comes. Returns false if the
   child runs on. */
static bool suite_wait_for(pid_t pid, double until, struct suite_end *end)
{
	int fd = suite_pidfd(pid);
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int ready = 0;

	do {
		double left = until > 0 ? (until - suite_now()) * 1000 : 1000;

		if (until > 0 && left <= 0)
			break;
		ready = poll(&p, 1, left < 1000 ? (int)left + 1 : 1000);
		end->interrupted = run_signals_came();
	} while (ready <= 0 && !end->interrupted);
	close(fd);
	end->out_of_time = ready <= 0 && !end->interrupted;
	return ready > 0;
}

static void take_end(pid_t pid, struct suite_end *end)
{
	siginfo_t info = {0};

	while (waitid(P_PID, (id_t)pid, &info, WEXITED) < 0 && errno == EINTR)
		;
	if (info.si_code == CLD_EXITED)
		end->status = info.si_status;
	else
		end->signal = info.si_status;
}

struct suite_end suite_process(char *const *argv, int out, int err, double limit)
{
	struct suite_end end = {0};
	double begun = suite_now();
	int failed[2], code = 0;
	pid_t pid;

	if (pipe2(failed, O_CLOEXEC) < 0 || (pid = fork()) < 0)
		return (struct suite_end){.not_started = true, .status = errno};
	if (!pid)
		exec_program(argv, out, err, failed[1]);
	close(failed[1]);
	end.not_started = read(failed[0], &code, sizeof(code)) == (ssize_t)sizeof(code);
	close(failed[0]);
	/* the group exists once setsid() was called, which precedes exec */
	if (!suite_wait_for(pid, limit > 0 ? begun + limit : 0, &end))
		kill(pid, SIGKILL);
	kill(-pid, SIGKILL);
	take_end(pid, &end);
	end.seconds = suite_now() - begun;
	end.status = end.not_started ? code : end.status;
	return end;
}

/* In a process of its own, since the folder is the process's. */
int suite_capture(char *const *argv, const char *dir, double limit, struct str *out,
		  struct suite_end *end, struct error *err)
{
	int was = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), failed = 0;
	int text = memfd_create("list", MFD_CLOEXEC);

	if (dir && chdir(dir) < 0)
		failed = error_errno(err, ERROR_USAGE, "%s", dir);
	else
		*end = suite_process(argv, text, STDERR_FILENO, limit);
	if (dir && was >= 0 && fchdir(was) < 0)
		failed = error_errno(err, ERROR_SYSTEM, "fchdir");
	if (!failed && end->not_started) {
		errno = end->status;
		failed = error_errno(err, ERROR_USAGE, "%s", argv[0]);
	}
	if (!failed)
		io_read_at(text, out);
	close(text);
	close(was);
	return failed;
}
