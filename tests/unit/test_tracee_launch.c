/*
 * Launching programs: results of each kind of file, and an unchanged environment for the program.
 */
#include "tracer/tracee/attach/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct seen {
	int status;
	int counts[TRACEE_EMPTY + 1];
	enum tracee_event_kind first;
};

static struct tracee *launch(char *const *argv, int out, struct error *err)
{
	const struct tracee_launch how = {
		.argv = argv, .stdin_fd = -1, .stdout_fd = out, .stderr_fd = -1, .tick_ms = 20};

	return tracee_launch(&how, err);
}

/* Runs it to its end; passes every signal on. */
static struct seen run(char *const *argv, int out)
{
	struct seen seen = {.status = -1};
	struct tracee_event ev;
	ERROR(err);
	struct tracee *t = launch(argv, out, &err);
	int n = 0;

	assert_non_null(t);
	do {
		tracee_wait(t, &ev);
		if (!n++)
			seen.first = ev.kind;
		seen.counts[ev.kind]++;
		if (ev.kind == TRACEE_PROCESS_GONE && ev.process->is_root)
			seen.status = ev.status;
		if (ev.thread && ev.kind != TRACEE_THREAD_GONE)
			tracee_resume(t, ev.thread);
	} while (ev.kind != TRACEE_EMPTY);
	tracee_free(t);
	return seen;
}

static struct seen run_shell(const char *script)
{
	char text[1024];
	char *argv[] = {"sh", "-c", text, NULL};

	snprintf(text, sizeof(text), "%s", script);
	return run(argv, -1);
}

static int traced_shell(char *const *argv, int out)
{
	return run(argv, out).status;
}

static int bare_shell(char *const *argv, int out)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		dup2(out, 1);
		execv("/bin/sh", argv);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* Runs a shell script and gets its standard output. */
static void shell_says(int (*start)(char *const *argv, int out), const char *script, char *said,
		       size_t n)
{
	char text[1024];
	char *argv[] = {"sh", "-c", text, NULL};
	int ends[2];
	ssize_t got, have = 0;

	snprintf(text, sizeof(text), "%s", script);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(start(argv, ends[1]), 0);
	close(ends[1]);
	while ((got = read(ends[0], said + have, n - 1 - (size_t)have)) > 0)
		have += got;
	said[have] = '\0';
	close(ends[0]);
}

static void ends_of_programs(void **state)
{
	struct seen seen = run((char *[]){"/bin/true", NULL}, -1);

	(void)state;
	assert_int_equal(seen.first, TRACEE_EXEC);
	assert_int_equal(seen.status, 0);
	assert_int_equal(seen.counts[TRACEE_THREAD_GONE], 1);
	assert_int_equal(seen.counts[TRACEE_PROCESS_GONE], 1);
	assert_int_equal(WEXITSTATUS(run_shell("exit 3").status), 3);
	assert_int_equal(WTERMSIG(run_shell("kill -SEGV $$").status), SIGSEGV);
	assert_int_equal(WTERMSIG(run_shell("kill -KILL $$").status), SIGKILL);
}

static void children_are_followed(void **state)
{
	struct seen seen = run_shell("/bin/true; (exit 4); test $? = 4 && exit 5");

	(void)state;
	assert_int_equal(WEXITSTATUS(seen.status), 5);
	assert_int_equal(seen.counts[TRACEE_FORK], 2);
	assert_int_equal(seen.counts[TRACEE_PROCESS_START], 2);
	assert_int_equal(seen.counts[TRACEE_PROCESS_GONE], 3);
	assert_int_equal(seen.counts[TRACEE_EXEC], 2);
}

static void stopped_and_continued(void **state)
{
	struct seen seen = run_shell("sleep 0.2 & kill -STOP $!; kill -CONT $!; wait $!; exit 6");

	(void)state;
	assert_int_equal(WEXITSTATUS(seen.status), 6);
}

static void cannot_be_executed(void **state)
{
	ERROR(err);

	(void)state;
	assert_null(launch((char *[]){"/no/such/program", NULL}, -1, &err));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_null(launch((char *[]){"no-such-program-in-path", NULL}, -1, &err));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_null(launch((char *[]){"/etc/passwd", NULL}, -1, &err));
	assert_int_equal(err.code, ERROR_CANNOT_EXEC);
	assert_non_null(strstr(err.text, strerror(EACCES)));
	assert_null(launch((char *[]){"/", NULL}, -1, &err));
	assert_int_equal(err.code, ERROR_CANNOT_EXEC);
	assert_int_equal(waitpid(-1, NULL, __WALL), -1); /* no process is left */
}

static void no_descriptor_leaks(void **state)
{
	char bare[4096], traced[4096];

	(void)state;
	shell_says(bare_shell, "ls /proc/self/fd; ulimit -a; env", bare, sizeof(bare));
	shell_says(traced_shell, "ls /proc/self/fd; ulimit -a; env", traced, sizeof(traced));
	assert_string_equal(traced, bare);
}

static void signals_as_found(void **state)
{
	const char *script = "grep -E 'Sig(Blk|Ign|Cgt)|Cpus' /proc/self/status";
	char bare[4096], traced[4096];

	(void)state;
	shell_says(bare_shell, script, bare, sizeof(bare));
	signal(SIGPIPE, SIG_IGN); /* set after our start: the program must not inherit it */
	shell_says(traced_shell, script, traced, sizeof(traced));
	signal(SIGPIPE, SIG_DFL);
	assert_string_equal(traced, bare);
}

static void ticks_and_interrupts(void **state)
{
	ERROR(err);
	struct tracee *t = launch((char *[]){"/bin/sleep", "100", NULL}, -1, &err);
	struct tracee_event ev;
	int ticks = 0;

	(void)state;
	assert_non_null(t);
	tracee_wait(t, &ev);
	assert_int_equal(ev.kind, TRACEE_EXEC);
	tracee_resume(t, ev.thread);
	while (ticks < 3) {
		tracee_wait(t, &ev);
		assert_int_equal(ev.kind, TRACEE_TICK);
		ticks++;
	}
	raise(SIGTERM);
	tracee_wait(t, &ev);
	assert_int_equal(ev.kind, TRACEE_INTERRUPT);
	assert_int_equal(ev.signal, SIGTERM);
	tracee_free(t);
	assert_int_equal(waitpid(-1, NULL, __WALL), -1);
	assert_int_equal(errno, ECHILD);
}

/* A separate process without ptrace, as in some containers. */
static int launch_without_ptrace(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {4, code};
	ERROR(err);

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return 77;
	if (launch((char *[]){"/bin/true", NULL}, -1, &err))
		return 1;
	return err.code == ERROR_CANNOT_TRACE && strstr(err.text, "seccomp") && err.hint ? 0 : 2;
}

static void refused_by_seccomp(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (!pid)
		_exit(launch_without_ptrace());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* gatectl is killed: no process of the tree survives. */
static void dies_with_the_tracer(void **state)
{
	char script[64], bytes[4];
	int ends[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ends), 0); /* all processes of the tree inherit the other end */
	snprintf(script, sizeof(script), "sleep 1000 & sleep 1000 & echo up >&%d; wait", ends[1]);
	pid = fork();
	if (!pid) {
		close(ends[0]);
		run_shell(script);
		_exit(0);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], bytes, sizeof(bytes)), 3);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(read(ends[0], bytes, 1), 0); /* no process has it open any more */
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_of_programs),	 cmocka_unit_test(children_are_followed),
		cmocka_unit_test(stopped_and_continued), cmocka_unit_test(cannot_be_executed),
		cmocka_unit_test(no_descriptor_leaks),	 cmocka_unit_test(signals_as_found),
		cmocka_unit_test(ticks_and_interrupts),	 cmocka_unit_test(refused_by_seccomp),
		cmocka_unit_test(dies_with_the_tracer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
