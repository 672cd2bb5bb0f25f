/*
 * Starts the program under ptrace. The child waits until it is traced, then execs; a pipe that exec
 * closes reports why it could not. README.md explains how parent and child share memory until then.
 */
#include "tracer/tracee/fastpath/resident_internal.h"
#include "tracer/tracee/attach/refusal.h"
#include "tracer/tracee/events/signals.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

struct launch {
	const struct tracee_launch *how;
	pid_t pid;
	int go[2];    /* a byte: the child is traced */
	int fault[2]; /* an errno: exec has failed */
	char *stack;  /* stack of the child until it execs */
	size_t stack_size;
};

/* ---- the child ------------------------------------------------------------------------------ */

/* exec does not return to these functions, and AddressSanitizer's marks around their variables
   would stay in memory that is used again. */
#define ENDS_BY_EXEC __attribute__((no_sanitize("address")))

/* Moves a descriptor away from 0, 1 and 2, which dup2() is going to replace. */
static int above_standard(int fd)
{
	return fd >= 0 && fd <= 2 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : fd;
}

static int redirect(const struct tracee_launch *how)
{
	int from[3] = {how->stdin_fd, how->stdout_fd, how->stderr_fd};

	for (int i = 0; i < 3; i++)
		if (from[i] >= 0 && (from[i] = above_standard(from[i])) < 0)
			return -1;
	for (int i = 0; i < 3; i++)
		if (from[i] == TRACEE_CLOSED)
			close(i);
		else if (from[i] >= 0 && dup2(from[i], i) < 0)
			return -1;
	return 0;
}

static ssize_t retry_read(int fd, void *buf, size_t n)
{
	ssize_t got;

	do
		got = read(fd, buf, n);
	while (got < 0 && errno == EINTR);
	return got;
}

static bool is_elf(const char *path)
{
	char magic[SELFMAG] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (retry_read(fd, magic, sizeof(magic)) != sizeof(magic))
		magic[0] = '\0';
	close(fd);
	return memcmp(magic, ELFMAG, SELFMAG) == 0;
}

/* Execs as execvp(3) does, but does not give another machine's program to the shell. */
ENDS_BY_EXEC static void exec_program(char *const *argv, char *const *env)
{
	if (strchr(argv[0], '/')) {
		execve(argv[0], argv, env);
		if (errno != ENOEXEC)
			return;
		if (is_elf(argv[0])) {
			errno = ENOEXEC;
			return;
		}
	}
	execvpe(argv[0], argv, env);
}

/* Returns the exit status of a child that could not exec. */
ENDS_BY_EXEC static int child(void *launch)
{
	const struct launch *l = launch;
	const struct tracee_launch *how = l->how;
	char go;

	close(l->go[1]);
	close(l->fault[0]);
	if (retry_read(l->go[0], &go, 1) != 1)
		return 125;
	tracee_signals_as_found();
	if (!redirect(how) && (!how->calls || call_prepare(how->calls) == 0))
		exec_program(how->argv, how->env ? how->env : environ);
	return write(l->fault[1], &errno, sizeof(errno)) < 0 ? 125 : 127;
}

/* ---- failures -------------------------------------------------------------------------------- */

static int explain_exec(const struct launch *l, int number, struct error *err)
{
	const char *name = l->how->argv[0];

	if (number == ENOENT) { /* as env(1): any other reason is 126 */
		error_set(err, ERROR_NOT_FOUND, "%s: %s", name, strerror(number));
		return !strchr(name, '/') && access(name, X_OK) == 0
			       ? error_hint(err, "./%s: a name without a slash is searched in PATH",
					    name)
			       : -1;
	}
	return error_set(err, ERROR_CANNOT_EXEC, "%s: %s", name, strerror(number));
}

static int explain_death(struct launch *l, int status, struct error *err)
{
	int number;

	l->pid = 0;
	if (retry_read(l->fault[0], &number, sizeof(number)) == sizeof(number))
		return explain_exec(l, number, err);
	if (WIFSIGNALED(status))
		return error_set(err, ERROR_CANNOT_EXEC,
				 "%s: killed by signal %d (%s) at its start", l->how->argv[0],
				 WTERMSIG(status), strsignal(WTERMSIG(status)));
	return error_set(err, ERROR_SYSTEM, "%s: its start has failed", l->how->argv[0]);
}

/* ---- the parent ------------------------------------------------------------------------------ */

static int seize(const struct launch *l, struct error *err)
{
	long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
		       PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD;

	if (l->how->trace_exit)
		options |= PTRACE_O_TRACEEXIT;
	if (l->how->calls)
		options |= PTRACE_O_TRACESECCOMP;
	if (ptrace(PTRACE_SEIZE, l->pid, 0, options) < 0)
		return refusal_of_seize(l->pid, errno, err);
	return 0;
}

/* Passes on group stops and signals that come before exec. */
static void launch_pass_on(pid_t pid, int status)
{
	int signal = WSTOPSIG(status);

	if (status >> 16 == PTRACE_EVENT_STOP && signal != SIGTRAP)
		ptrace(PTRACE_LISTEN, pid, 0, 0);
	else
		ptrace(PTRACE_CONT, pid, 0, status >> 16 ? 0 : signal);
}

static int wait_for_exec(struct launch *l, struct error *err)
{
	int status;

	for (;;) {
		pid_t pid = waitpid(l->pid, &status, __WALL);

		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0)
			return error_errno(err, ERROR_SYSTEM, "waitpid");
		if (!WIFSTOPPED(status))
			return explain_death(l, status, err);
		if (status >> 16 == PTRACE_EVENT_EXEC)
			return 0;
		launch_pass_on(l->pid, status);
	}
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* execvpe(3) builds the shell's arguments for a script on the stack. */
static int make_stack(struct launch *l, struct error *err)
{
	size_t argc = 0;

	while (l->how->argv[argc])
		argc++;
	l->stack_size = 65536 + (argc * sizeof(char *) + 4095) / 4096 * 4096;
	l->stack = mmap(NULL, l->stack_size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (l->stack == MAP_FAILED) {
		l->stack = NULL;
		return error_errno(err, ERROR_SYSTEM, "mmap");
	}
	return 0;
}

/* Makes the child. Its own copy of struct launch is at the far end of its stack, as the parent
   closes its ends of the pipes in the other. */
static int make_child(struct launch *l, struct error *err)
{
	struct launch *own = (struct launch *)(void *)l->stack;

	*own = *l;
	l->pid = clone(child, l->stack + l->stack_size, CLONE_VM | SIGCHLD, own);
	if (l->pid < 0)
		return error_errno(err, ERROR_SYSTEM, "clone");
	close_one(&l->go[0]);
	close_one(&l->fault[1]);
	return 0;
}

static int launch_start(struct launch *l, struct error *err)
{
	if (pipe2(l->go, O_CLOEXEC) < 0 || pipe2(l->fault, O_CLOEXEC) < 0)
		return error_errno(err, ERROR_SYSTEM, "pipe");
	if (make_stack(l, err) < 0 || make_child(l, err) < 0 || seize(l, err) < 0)
		return -1;
	if (write(l->go[1], "", 1) != 1)
		return error_errno(err, ERROR_SYSTEM, "pipe");
	frozen_watch();
	return wait_for_exec(l, err);
}

static void abandon(const struct launch *l)
{
	int status;
	pid_t pid;

	if (l->pid <= 0)
		return;
	kill(l->pid, SIGKILL);
	do
		pid = waitpid(l->pid, &status, __WALL);
	while ((pid < 0 && errno == EINTR) || (pid > 0 && WIFSTOPPED(status)));
}

/* Blocks signals around the start: no handler of gatectl may run in the child. */
static int start_unheard(struct launch *l, struct error *err)
{
	sigset_t all, before;
	int started;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	started = launch_start(l, err);
	if (started < 0)
		abandon(l);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return started;
}

static struct tracee *tracee_of_launch(const struct launch *l)
{
	struct tracee *t = base_alloc(1, sizeof(*t));
	struct process *p;
	struct thread *th;

	TAILQ_INIT(&t->threads);
	TAILQ_INIT(&t->processes);
	t->on_status = event_status;
	t->on_exposed = resident_expose;
	t->no_follow = l->how->no_follow;
	t->trace_exit = l->how->trace_exit;
	t->calls = l->how->calls;
	t->clock = l->how->sleeps		 ? CLOCK_OWN
		   : l->how->no_vdso || t->calls ? CLOCK_CALLS
						 : CLOCK_VDSO;
	t->last.kind = TRACEE_TICK;
	p = process_new(t, l->pid, NULL, space_new(l->pid));
	p->pub.is_root = true;
	th = thread_new(t, p, l->pid, NULL);
	th->stop = STOP_EXEC;
	clock_start(t);
	clock_exec(th);
	call_exec(th);
	event_push(t, TRACEE_EXEC, th);
	trap_begin(th);
	return t;
}

static int launch_check(const struct launch *l, const struct tracee *t, struct error *err)
{
	const struct tracee_process *p = &TAILQ_FIRST(&t->processes)->pub;
	const char *name = l->how->argv[0];

	if (l->how->as_alone && refusal_unprivileged(p, name, err) < 0)
		return -1;
	return l->how->needs_memory ? refusal_unreadable(p, name, err) : 0;
}

struct tracee *tracee_launch(const struct tracee_launch *how, struct error *err)
{
	struct launch l = {.how = how, .go = {-1, -1}, .fault = {-1, -1}};
	struct tracee *t = NULL;

	if (refusal_before(err) < 0 || signals_open(how->tick_ms, err) < 0)
		return NULL;
	if (start_unheard(&l, err) < 0) {
		frozen_end();
		signals_close();
	} else {
		t = tracee_of_launch(&l);
		if (launch_check(&l, t, err) < 0) {
			tracee_free(t);
			t = NULL;
		}
	}
	close_one(&l.go[0]);
	close_one(&l.go[1]);
	close_one(&l.fault[0]);
	close_one(&l.fault[1]);
	if (l.stack)
		munmap(l.stack, l.stack_size);
	return t;
}
