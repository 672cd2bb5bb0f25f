/* Runs a script as its user will: each run is a `gatectl run` process, all processors are busy in
   half of them, and one has a single processor. */
#include "tracer/synth/sleeps/convert_internal.h"

#include "tracer/base/files/io.h"
#include "tracer/tracee/attach/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BUSY_MOST = 64, OPTION_MOST = 40 };

/* Processes that keep processors busy. */
struct busy {
	pid_t pids[BUSY_MOST];
	size_t count;
};

static void busy_begin(struct busy *b)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	while (b->count < BUSY_MOST && (long)b->count < processors) {
		pid_t pid = tracee_worker();

		if (pid < 0)
			return;
		while (pid == 0)
			;
		b->pids[b->count++] = pid;
	}
}

static void busy_end(struct busy *b)
{
	for (size_t i = 0; i < b->count; i++)
		tracee_worker_kill(b->pids[i]);
	b->count = 0;
}

/* Executes `gatectl run` in the child process. Does not return. */
static void fresh_exec(const struct convert *c, const char *script, int messages)
{
	const struct run_options *o = c->x.options;
	char run_limit[OPTION_MOST], gate_limit[OPTION_MOST];
	const char *fixed[] = {"gatectl", "run", "-g", script, run_limit, gate_limit, "--"};
	ARRAY(const char *) argv = {0};
	sigset_t none;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	snprintf(run_limit, sizeof(run_limit), "--time-limit=%g", o->time_limit);
	snprintf(gate_limit, sizeof(gate_limit), "--gate-limit=%g", o->gate_limit);
	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		*array_add(&argv) = fixed[i];
	for (char *const *word = o->argv; *word; word++)
		*array_add(&argv) = *word;
	*array_add(&argv) = NULL;
	if (o->input_at >= 0)
		lseek(STDIN_FILENO, o->input_at, SEEK_SET);
	else
		dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(messages, STDERR_FILENO);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execv("/proc/self/exe", (char *const *)argv.items);
	_exit(VERDICT_ERROR);
}

/* Returns 1 if the run ended as the script expects, 0 if not, -1 to stop. */
static int run_fresh(struct convert *c, const char *script)
{
	int messages = memfd_create("messages", MFD_CLOEXEC);
	siginfo_t end = {0};
	pid_t pid = messages < 0 ? -1 : fork();
	STR(text);

	if (pid == 0)
		fresh_exec(c, script, messages);
	if (pid < 0)
		return error_errno(c->x.err, ERROR_SYSTEM, "cannot run the script");
	while (waitid(P_PID, (id_t)pid, &end, WEXITED) < 0 && errno == EINTR)
		;
	lseek(messages, 0, SEEK_SET);
	io_read(messages, &text);
	close(messages);
	if (run_signals_came())
		return -1;
	if (end.si_code == CLD_EXITED && end.si_status == 0)
		return 1;
	str_clear(&c->differs);
	str_add(&c->differs, "in a separate process: ");
	str_add_bytes(&c->differs, str_text(&text), strcspn(str_text(&text), "\n"));
	return 0;
}

/* Sets *one to the first processor of `all`. */
static void first_processor(const cpu_set_t *all, cpu_set_t *one)
{
	int cpu = 0;

	while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, all))
		cpu++;
	CPU_ZERO(one);
	CPU_SET(cpu, one);
}

/* A pool with a thread for each processor runs tasks that wait for each other one by one there, so
   gates between them do not open. Returns 1 if the script's run ends as the test does there, 0 if
   not, -1 to stop. Another script is in use afterwards. */
static int fresh_on_one(struct convert *c)
{
	cpu_set_t all, one;
	int same, bare;
	STR(differs);

	if (sched_getaffinity(0, sizeof(all), &all) < 0 || CPU_COUNT(&all) == 1)
		return 1;
	first_processor(&all, &one);
	sched_setaffinity(0, sizeof(one), &one);
	experiment_say(&c->x, "verifying on one processor");
	same = bare = run_fresh(c, c->oracle.path);
	str_add(&differs, str_text(&c->differs));
	if (!same)
		bare = convert_try(c, "", 1);
	sched_setaffinity(0, sizeof(all), &all);
	if (same || bare <= 0)
		return bare ? bare : 1;
	str_clear(&c->differs);
	str_addf(&c->differs, "on one processor, %s", str_text(&differs));
	return 0;
}

int convert_fresh(struct convert *c, unsigned long runs)
{
	struct busy busy = {0};
	int same = 1;

	for (unsigned long i = 0; same > 0 && i < runs; i++) {
		if (i == (runs + 1) / 2)
			busy_begin(&busy);
		experiment_say(&c->x, "verifying, each run in a separate process");
		same = run_fresh(c, c->oracle.path);
	}
	busy_end(&busy);
	return same > 0 ? fresh_on_one(c) : same;
}
