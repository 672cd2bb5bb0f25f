/*
 * A stopped program that is copied, and system calls reported before they are made.
 *
 * The test launches itself: with the name of a scene as argument it plays that scene.
 */
#include "test_tracee_drive.h"
#include "tracer/tracee/events/events.h"
#include "tracer/tracee/syscalls/syscalls.h"
#include "tracer/tracee/snapshot/snapshot.h"
#include "tracer/tracee/attach/attach.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

/* clang-format off */
__asm__(".text\n.globl ready\n.type ready, @function\nready: nopl 0(%rax)\nret\n");
/* clang-format on */

void ready(void);

static const long calls[] = {SYS_clock_gettime, SYS_getppid, SYS_sched_yield, -1};

/* ---- scenes ---------------------------------------------------------------------------------- */

static volatile sig_atomic_t handled;

static void on_signal(int signal)
{
	(void)signal;
	handled = 1;
}

static void *raise_it(void *first)
{
	return (void *)(intptr_t)pthread_kill(*(pthread_t *)first, SIGUSR1);
}

static void *join_first(void *first)
{
	_exit(pthread_join(*(pthread_t *)first, NULL) || !handled);
}

/* In a copy, threads, signals and the join of the first thread work as in any program. */
static int scene_lives(void)
{
	pthread_t first = pthread_self(), other;

	signal(SIGUSR1, on_signal);
	ready();
	if (pthread_create(&other, NULL, raise_it, &first) || pthread_join(other, NULL))
		return 1;
	if (pthread_create(&other, NULL, join_first, &first))
		return 2;
	pthread_exit(NULL);
}

static int scene_asks(void)
{
	struct timespec now;

	ready();
	if (clock_gettime(CLOCK_MONOTONIC, &now) != -1 || errno != EPERM)
		return 1;
	if (syscall(SYS_getppid) != 4711)
		return 2;
	return syscall(SYS_sched_yield) ? 3 : 0;
}

static const struct scene scenes[] = {{"lives", scene_lives}, {"asks", scene_asks}};

/* ---- the tests ------------------------------------------------------------------------------- */

static void start(struct run *r, char *scene)
{
	char *const argv[] = {"/proc/self/exe", scene, NULL};
	const struct tracee_launch how = {.argv = argv,
					  .stdin_fd = -1,
					  .stdout_fd = -1,
					  .stderr_fd = -1,
					  .calls = calls,
					  .tick_ms = 5};

	r->t = living = tracee_launch(&how, &r->err);
	if (!r->t)
		fail_msg("%s", r->err.text);
	next_event(r);
	add_site(r, ready);
	go_on(r);
	until(r, TRACEE_SITE);
}

/* Runs one copy to its end; the snapshot remains. Returns the copy's status. */
static int copied(struct run *r)
{
	struct tracee_thread *thread;
	struct tracee_process *p = tracee_copy(r->t, &thread, &r->err);

	assert_non_null(p);
	assert_true(p->is_root);
	r->status = -1;
	tracee_resume(r->t, thread);
	for (next_event(r); r->ev.kind != TRACEE_EMPTY; next_event(r))
		go_on(r);
	return r->status;
}

static void test_copies(void **state)
{
	struct run r = {0};

	(void)state;
	start(&r, "lives");
	assert_int_equal(tracee_keep(r.t, r.ev.thread), 0);
	for (int i = 0; i < 50; i++)
		assert_int_equal(copied(&r), 0);
}

/* Killing all processes spares the snapshot. */
static void test_kept(void **state)
{
	struct tracee_thread *thread;
	struct run r = {0};

	(void)state;
	start(&r, "lives");
	tracee_keep(r.t, r.ev.thread);
	assert_non_null(tracee_copy(r.t, &thread, &r.err));
	tracee_kill_all(r.t);
	for (next_event(&r); r.ev.kind != TRACEE_EMPTY; next_event(&r))
		;
	assert_true(WIFSIGNALED(r.status));
	assert_int_equal(copied(&r), 0);
}

/* The first call is skipped, the second gets another result, the third is reported at its end. */
static void test_calls(void **state)
{
	struct run r = {0};

	(void)state;
	start(&r, "asks");
	go_on(&r);
	until(&r, TRACEE_CALL);
	assert_int_equal(r.ev.call.number, SYS_clock_gettime);
	assert_int_equal(r.ev.call.args[0], CLOCK_MONOTONIC);
	tracee_answer(r.ev.thread, -EPERM);
	go_on(&r);
	until(&r, TRACEE_CALL);
	assert_int_equal(r.ev.call.number, SYS_getppid);
	tracee_tell_end(r.ev.thread);
	go_on(&r);
	until(&r, TRACEE_CALLED);
	assert_int_equal(r.ev.call.result, getpid());
	tracee_answer(r.ev.thread, 4711);
	go_on(&r);
	until(&r, TRACEE_CALL);
	assert_int_equal(r.ev.call.number, SYS_sched_yield);
	assert_true(tracee_is_settled(r.t, 0));
	go_on(&r);
	assert_false(tracee_is_settled(r.t, 0));
	while (r.ev.kind != TRACEE_EMPTY) {
		next_event(&r);
		go_on(&r);
	}
	assert_int_equal(r.status, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_copies, sweep),
		cmocka_unit_test_teardown(test_kept, sweep),
		cmocka_unit_test_teardown(test_calls, sweep),
	};

	if (argc > 1)
		return play(scenes, sizeof(scenes) / sizeof(*scenes), argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
