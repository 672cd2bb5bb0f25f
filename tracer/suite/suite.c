/* Runs a suite: a process for each test, several at once. */
#include "tracer/suite/suite_internal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* A search ends some seconds after its time. What is left after this, too, hangs. */
enum { GRACE_S = 60 };
/* The same for a search that a signal has ended. */
enum { GRACE_SIGNAL_S = 30 };

/* The process of a test. */
struct suite_slot {
	pid_t pid; /* 0: the slot is free */
	int fd;	   /* its pidfd */
	bool hung; /* it was killed */
	size_t test;
	struct suite_shared *shared;
};

struct running {
	struct suite *s;
	struct suite_plan plan;
	ARRAY(struct suite_slot) slots;
	sigset_t mask;	/* of the caller */
	int signals;	/* signalfd of the signals that end the suite */
	double stopped; /* when such a signal came */
};

static size_t count_running(const struct running *r)
{
	size_t count = 0;

	array_each(const struct suite_slot, slot, &r->slots)
		count += slot->pid != 0;
	return count;
}

/* A result that is not final is not written: the test is searched again. */
static void end_test(struct running *r, size_t test, bool is_final)
{
	struct suite *s = r->s;
	ERROR(err);

	if (is_final && suite_result_save(s, &s->tests.items[test], &s->results[test], &err) < 0 &&
	    !s->results[test].reason)
		s->results[test].reason = base_strdup(error_text(&err));
	r->plan.is_over[test] = true;
	s->done += s->is_mine[test] && !s->is_done[test];
	s->is_done[test] = true;
	if (s->progress)
		s->progress(s->ctx);
}

/* ---- beginning ------------------------------------------------------------------------------- */

static int fork_test(struct running *r, struct suite_slot *slot, struct error *err)
{
	const struct suite_test *test = &r->s->tests.items[slot->test];
	pid_t parent = getpid();

	slot->shared = mmap(NULL, sizeof(*slot->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (slot->shared == MAP_FAILED)
		return error_errno(err, ERROR_SYSTEM, "mmap");
	fflush(NULL);
	slot->pid = fork();
	if (slot->pid < 0) {
		slot->pid = 0;
		return error_errno(err, ERROR_SYSTEM, "fork");
	}
	if (!slot->pid) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(128 + SIGTERM);
		close(r->signals);
		sigprocmask(SIG_SETMASK, &r->mask, NULL);
		suite_child(r->s, test, slot->shared);
	}
	slot->fd = suite_pidfd(slot->pid);
	slot->hung = false;
	return slot->fd < 0 ? error_errno(err, ERROR_SYSTEM, "pidfd_open") : 0;
}

static struct suite_slot *free_slot(struct running *r)
{
	array_each(struct suite_slot, slot, &r->slots)
		if (!slot->pid)
			return slot;
	return NULL;
}

/* Begins the test, or notes why it cannot be run. */
static int begin_test(struct running *r, size_t test, struct error *err)
{
	struct suite *s = r->s;
	struct suite_slot *slot = free_slot(r);
	char *refusal = suite_plan_refusal(s, &r->plan, test);

	r->plan.is_begun[test] = true;
	if (suite_prepare(s, &s->tests.items[test], err) < 0) {
		base_free(refusal);
		return -1;
	}
	if (refusal) {
		suite_result_fini(&s->results[test]);
		s->results[test].verdict = SUITE_NOT_RUN;
		s->results[test].reason = refusal;
		end_test(r, test, true);
		return 0;
	}
	slot->test = test;
	return fork_test(r, slot, err);
}

/* Tests that wait for each other are never begun. */
static void give_up_rest(struct running *r)
{
	for (size_t i = 0; i < r->s->tests.count; i++) {
		if (!r->plan.is_wanted[i] || r->plan.is_begun[i])
			continue;
		r->plan.is_begun[i] = true;
		r->s->results[i].verdict = SUITE_NOT_RUN;
		r->s->results[i].reason = base_strdup("depends on a test that depends on it");
		end_test(r, i, false);
	}
}

static int begin_tests(struct running *r, struct error *err)
{
	long next;

	while (!r->s->signal && free_slot(r)) {
		next = suite_plan_next(r->s, &r->plan, count_running(r));
		if (next < 0)
			break;
		if (begin_test(r, (size_t)next, err) < 0)
			return -1;
	}
	if (!r->s->signal && !count_running(r))
		give_up_rest(r);
	return 0;
}

/* ---- ending ---------------------------------------------------------------------------------- */

static void end_slot(struct running *r, struct suite_slot *slot)
{
	struct suite *s = r->s;
	siginfo_t info = {0};
	int status;

	while (waitid(P_PID, (id_t)slot->pid, &info, WEXITED) < 0 && errno == EINTR)
		;
	status = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
	close(slot->fd);
	slot->pid = 0;
	end_test(r, slot->test,
		 suite_finish(s, &s->tests.items[slot->test], slot->shared, status, slot->hung,
			      &s->results[slot->test]));
	munmap(slot->shared, sizeof(*slot->shared));
}

static void kill_hung(struct running *r)
{
	double now = suite_now(), seconds = r->s->seconds;

	array_each(struct suite_slot, slot, &r->slots) {
		double begun = slot->pid ? slot->shared->search_begun : 0;
		bool late = seconds > 0 && begun > 0 && !slot->shared->is_searched &&
			    now > begun + 2 * seconds + GRACE_S;

		if (!slot->pid || (!late && !(r->stopped > 0 && now > r->stopped + GRACE_SIGNAL_S)))
			continue;
		slot->hung = true;
		kill(slot->pid, SIGKILL);
	}
}

static void take_signal(struct running *r)
{
	struct signalfd_siginfo info;

	if (read(r->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (!r->s->signal)
		r->stopped = suite_now();
	r->s->signal = (int)info.ssi_signo;
	array_each(struct suite_slot, slot, &r->slots)
		if (slot->pid)
			kill(slot->pid, SIGTERM);
}

/* Waits until a process ends or a signal comes. */
static void wait_once(struct running *r)
{
	struct pollfd *polled = base_alloc(r->slots.count + 1, sizeof(*polled));

	for (size_t i = 0; i < r->slots.count; i++)
		polled[i] = (struct pollfd){.fd = r->slots.items[i].pid ? r->slots.items[i].fd : -1,
					    .events = POLLIN};
	polled[r->slots.count] = (struct pollfd){.fd = r->signals, .events = POLLIN};
	if (poll(polled, r->slots.count + 1, 1000) > 0) {
		for (size_t i = 0; i < r->slots.count; i++)
			if (polled[i].revents)
				end_slot(r, &r->slots.items[i]);
		if (polled[r->slots.count].revents)
			take_signal(r);
	}
	base_free(polled);
	kill_hung(r);
}

/* ---- the suite ------------------------------------------------------------------------------- */

static void load_results(struct suite *s)
{
	for (size_t i = 0; i < s->tests.count; i++) {
		if (!s->is_mine[i])
			continue;
		s->results[i].verdict = SUITE_UNFINISHED;
		s->is_done[i] = suite_result_load(s, &s->tests.items[i], &s->results[i]);
		s->done += s->is_done[i];
	}
	if (s->progress)
		s->progress(s->ctx);
}

static int run_all(struct running *r, struct error *err)
{
	int failed = 0;

	while (!failed && (failed = begin_tests(r, err)) == 0 && count_running(r))
		wait_once(r);
	array_each(struct suite_slot, slot, &r->slots)
		if (slot->pid)
			kill(slot->pid, SIGTERM);
	while (failed && count_running(r))
		wait_once(r);
	return failed;
}

int suite_run(struct suite *s, struct error *err)
{
	static const int endings[] = {SIGINT, SIGTERM, SIGHUP};
	struct running r = {.s = s};
	sigset_t set;
	int failed;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		sigaddset(&set, endings[i]);
	sigprocmask(SIG_BLOCK, &set, &r.mask);
	r.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	for (unsigned i = 0; i < s->jobs; i++)
		(void)array_add(&r.slots);
	load_results(s);
	suite_plan_make(s, &r.plan);
	failed = run_all(&r, err);
	take_signal(&r); /* one that came with the end of the last test */
	close(r.signals);
	sigprocmask(SIG_SETMASK, &r.mask, NULL);
	suite_plan_fini(&r.plan);
	array_fini(&r.slots);
	return failed;
}

void suite_fini(struct suite *s)
{
	for (size_t i = 0; s->results && i < s->tests.count; i++)
		suite_result_fini(&s->results[i]);
	base_free(s->results);
	base_free(s->is_done);
	base_free(s->is_mine);
	base_free(s->output);
	suite_tests_fini(&s->tests);
}
