/*
 * Attaching to a running program and detaching: the program is not disturbed, and nothing is left.
 *
 * The test starts itself: with the name of a scene as argument it plays that scene.
 */
#include "test_tracee_drive.h"
#include "tracer/tracee/attach/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

/* clang-format off */
/* Instructions inside of which a thread may be found. */
__asm__(".text\n.globl spot\n.type spot, @function\n"
	"spot: incq count(%rip)\n"
	".globl spot_call\nspot_call: call spot_leaf\n"
	".globl spot_indirect\nspot_indirect: call *spot_pointer(%rip)\n"
	".globl spot_branch\nspot_branch: js 1f\nret\n1: ud2\n"
	".globl spot_leaf\n.type spot_leaf, @function\nspot_leaf: ret\n"
	".data\nspot_pointer: .quad spot_leaf\n.text\n");
/* clang-format on */

void spot(void);
extern const char spot_call[], spot_indirect[], spot_branch[];
volatile long count;
static const void *const spots[] = {(const void *)spot, spot_call, spot_indirect, spot_branch};
enum { SPOTS = sizeof(spots) / sizeof(*spots) };

/* ---- scenes ---------------------------------------------------------------------------------- */

static void *call_spot(void *arg)
{
	for (;;)
		spot();
	return arg;
}

static void *wait_for_ever(void *arg)
{
	struct epoll_event ev;

	if (epoll_wait(epoll_create1(0), &ev, 1, -1) < 0)
		_exit(2);
	return arg;
}

static void ready(void)
{
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (write(STDOUT_FILENO, "", 1) != 1)
		_exit(3);
}

static int scene_threads(void)
{
	pthread_t t;

	pthread_create(&t, NULL, wait_for_ever, NULL);
	pthread_create(&t, NULL, call_spot, NULL);
	pthread_create(&t, NULL, call_spot, NULL);
	ready();
	pause();
	return 4;
}

/* The threads block in no call that SIGCONT ends with EINTR, with or without a tracer. */
static int scene_running(void)
{
	pthread_t t;

	pthread_create(&t, NULL, call_spot, NULL);
	ready();
	call_spot(NULL);
	return 4;
}

static const struct scene scenes[] = {{"threads", scene_threads}, {"running", scene_running}};

/* ---- a running program ----------------------------------------------------------------------- */

struct program {
	pid_t pid;
	int mem;
};

static struct program start(char *scene)
{
	struct program p;
	char path[64], byte;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	p.pid = fork();
	if (!p.pid) {
		char *const argv[] = {"/proc/self/exe", scene, NULL};

		dup2(fds[1], STDOUT_FILENO);
		execv(argv[0], argv);
		_exit(9);
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	close(fds[0]);
	snprintf(path, sizeof(path), "/proc/%d/mem", p.pid);
	p.mem = open(path, O_RDONLY);
	return p;
}

static void stop_program(struct program *p)
{
	int status;

	kill(p->pid, SIGKILL);
	assert_int_equal(waitpid(p->pid, &status, 0), p->pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	close(p->mem);
}

static void attach(struct run *r, const struct program *p)
{
	const struct tracee_attach how = {.pid = p->pid, .tick_ms = 5};

	*r = (struct run){0};
	r->t = tracee_attach(&how, &r->err);
	if (!r->t)
		fail_msg("%s", r->err.text);
	living = r->t;
	next_event(r);
	assert_int_equal(r->ev.kind, TRACEE_ATTACHED);
}

static void leave(struct run *r)
{
	tracee_free(r->t);
	living = NULL;
}

static void assert_clean(const struct program *p, uint64_t at)
{
	uint8_t there_now[32];

	assert_int_equal(pread(p->mem, there_now, sizeof(there_now), (off_t)at), sizeof(there_now));
	assert_memory_equal(there_now, (const void *)spot, sizeof(there_now));
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void all_threads_are_found_stopped(void **state)
{
	struct program p = start("threads");
	struct tracee_thread *t = NULL;
	struct run r;
	int n = 0;

	(void)state;
	attach(&r, &p);
	while ((t = tracee_next_thread(r.t, t))) {
		assert_true(t->found);
		assert_int_equal(t->state, TRACEE_STOPPED);
		n++;
	}
	assert_int_equal(n, 4);
	tracee_let_found_go(r.t);
	leave(&r);
	stop_program(&p);
}

/* Repeatedly, from wherever the threads are: in traps, in copies, held. */
static void on_and_off(void **state)
{
	struct program p = start("threads");
	struct run r;
	uint64_t at;

	(void)state;
	for (int i = 0; i < 300; i++) {
		attach(&r, &p);
		at = there(r.ev.process, (const void *)spot);
		for (int k = 0; k < SPOTS; k++)
			if ((i >> k & 1) || i % 16 == 0)
				add_site(&r, spots[k]);
		tracee_let_found_go(r.t);
		for (int k = 0; k < i % 7; k++) {
			until(&r, TRACEE_SITE);
			if (k % 3 != 2)
				go_on(&r); /* in the third case it stays held */
		}
		leave(&r);
		assert_clean(&p, at);
		assert_int_equal(waitpid(p.pid, NULL, WNOHANG), 0);
	}
	stop_program(&p);
}

static void a_stopped_job_stays_stopped(void **state)
{
	struct program p = start("running");
	struct run r;
	int status;

	(void)state;
	kill(p.pid, SIGSTOP);
	assert_int_equal(waitpid(p.pid, &status, WUNTRACED), p.pid);
	assert_true(WIFSTOPPED(status));
	for (int i = 0; i < 20; i++) {
		attach(&r, &p);
		add_site(&r, (const void *)spot);
		tracee_let_found_go(r.t);
		until(&r, TRACEE_TICK);
		assert_int_equal(r.counts[TRACEE_SITE], 0);
		leave(&r);
	}
	kill(p.pid, SIGCONT);
	attach(&r, &p);
	add_site(&r, (const void *)spot);
	tracee_let_found_go(r.t);
	until(&r, TRACEE_SITE);
	leave(&r);
	stop_program(&p);
}

static void assert_refused(pid_t pid, enum error_code code, const char *word)
{
	const struct tracee_attach how = {.pid = pid};
	ERROR(err);

	assert_null(tracee_attach(&how, &err));
	assert_int_equal(err.code, code);
	assert_non_null(strstr(err.text, word));
}

static void processes_that_cannot_be_attached_to(void **state)
{
	struct program p = start("threads");
	pid_t child = fork();

	(void)state;
	if (!child)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)child, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
	assert_refused(child, ERROR_CANNOT_TRACE, "zombie");
	waitpid(child, NULL, 0);
	assert_refused(child, ERROR_USAGE, "no process");
	assert_refused(getpid(), ERROR_USAGE, "itself");
	stop_program(&p);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(all_threads_are_found_stopped, sweep),
		cmocka_unit_test_teardown(on_and_off, sweep),
		cmocka_unit_test_teardown(a_stopped_job_stays_stopped, sweep),
		cmocka_unit_test_teardown(processes_that_cannot_be_attached_to, sweep),
	};

	if (argc > 1)
		return play(scenes, sizeof(scenes) / sizeof(*scenes), argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
