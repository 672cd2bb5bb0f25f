"""gatectl explore: timers and time-outs run on the program's clock, and failures that need a thread to pause are apart.

Quick: each call with one compiler. Full: all compilers, more seeds.
"""

import json
import os
import re
import xml.etree.ElementTree

import browser
from harness import compile_text, params, timeout

BUILDS = ("gcc -g -O0", "gcc -g -O2", "clang -g -O0", "clang -g -O2")
# A call, and the seconds after which it ends.
CALLS = {"poll": 0.2, "ppoll": 0.2, "select": 0.2, "pselect": 0.2, "epoll_wait": 0.2, "epoll_pwait": 0.2, "epoll_pwait2": 0.2,
         "timerfd": 0.2, "sigev_thread": 0.2, "sigev_signal": 0.2, "setitimer": 0.2, "alarm": 1}

# A time-out by one of the calls, and a worker that is expected to be done by then.
TIMERS = """#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static atomic_int done, fired;
static int ends[2];
static const struct timespec wait = {0, 200000000};
static const struct itimerspec once = {.it_value = {0, 200000000}};

static void *worker(void *x)
{
	done = 1;
	return x;
}

static void on_alarm(int signal)
{
	fired = signal;
}

static void on_expiry(union sigval value)
{
	write(ends[1], &value, 1);
}

static void block(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(how, &set, NULL);
}

static void wait_for_signal(void)
{
	sigset_t none;

	sigemptyset(&none);
	while (!fired)
		sigsuspend(&none);
}

static void by_timer(struct sigevent *event)
{
	timer_t timer;

	assert(timer_create(CLOCK_MONOTONIC, event, &timer) == 0);
	assert(timer_settime(timer, 0, &once, NULL) == 0);
}

static int by_epoll(void)
{
	int epoll = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN};

	epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
	return epoll;
}

/* Returns what is to be closed at the end. */
static void wait_by(const char *how)
{
	struct pollfd file = {ends[0], POLLIN, 0};
	struct epoll_event event;
	struct timeval time = {0, 200000};
	struct timespec spec = wait;
	char byte;
	fd_set set;

	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	if (strcmp(how, "poll") == 0)
		assert(poll(&file, 1, 200) == 0);
	else if (strcmp(how, "ppoll") == 0)
		assert(ppoll(&file, 1, &wait, NULL) == 0);
	else if (strcmp(how, "select") == 0)
		assert(select(ends[0] + 1, &set, NULL, NULL, &time) == 0 && !FD_ISSET(ends[0], &set));
	else if (strcmp(how, "pselect") == 0)
		assert(pselect(ends[0] + 1, &set, NULL, NULL, &spec, NULL) == 0);
	else if (strcmp(how, "epoll_wait") == 0)
		assert(epoll_wait(by_epoll(), &event, 1, 200) == 0);
	else if (strcmp(how, "epoll_pwait") == 0)
		assert(epoll_pwait(by_epoll(), &event, 1, 200, NULL) == 0);
	else if (strcmp(how, "epoll_pwait2") == 0)
		assert(epoll_pwait2(by_epoll(), &event, 1, &wait, NULL) == 0);
	else if (strcmp(how, "timerfd") == 0) {
		int fd = timerfd_create(CLOCK_MONOTONIC, 0);
		uint64_t times;

		timerfd_settime(fd, 0, &once, NULL);
		assert(read(fd, &times, sizeof(times)) == sizeof(times) && times == 1);
	} else if (strcmp(how, "sigev_thread") == 0) {
		by_timer(&(struct sigevent){.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_expiry});
		assert(read(ends[0], &byte, 1) == 1);
	} else {
		if (strcmp(how, "alarm") == 0)
			alarm(1);
		else if (strcmp(how, "setitimer") == 0)
			setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {0, 200000}}, NULL);
		else
			by_timer(&(struct sigevent){.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM});
		wait_for_signal();
	}
}

int main(int argc, char **argv)
{
	pthread_t thread;

	pipe(ends);
	signal(SIGALRM, on_alarm);
	block(SIG_BLOCK);
	pthread_create(&thread, NULL, worker, NULL);
	wait_by(argv[argc - 1]);
	assert(done);
	pthread_join(thread, NULL);
	return 0;
}
"""

# What the calls about timers answer, and how often timers expire. All of it holds in real time, too.
ANSWERS = """#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define CHECK(x) do { if (!(x)) { fprintf(stderr, "line %d: %s (errno %d)\\n", __LINE__, #x, errno); _exit(1); } } while (0)

static atomic_int signals, value;
static void note(int s, siginfo_t *i, void *c) { (void)s, (void)c; signals++; value = i->si_value.sival_int; }
static void *stays(void *x) { return x; }

static uint64_t ticks_of(int fd)
{
	uint64_t n = 0;
	return read(fd, &n, sizeof(n)) == sizeof(n) ? n : 0;
}

static void by_file(void)
{
	struct itimerspec t = {{0, 10000000}, {0, 20000000}}, left;
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), copy, epoll = epoll_create1(0);
	struct epoll_event e = {.events = EPOLLIN};
	struct timespec now;

	CHECK(timerfd_settime(fd, 0, &t, &left) == 0 && !left.it_value.tv_sec && !left.it_value.tv_nsec);
	CHECK(timerfd_gettime(fd, &left) == 0 && left.it_interval.tv_nsec == 10000000);
	CHECK(!left.it_value.tv_sec && left.it_value.tv_nsec > 0 && left.it_value.tv_nsec <= 20000000);
	usleep(45000); /* at 20, 30, 40 ms */
	CHECK(ticks_of(fd) >= 3);
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e);
	CHECK(epoll_wait(epoll, &e, 1, -1) == 1 && ticks_of(fd) >= 1);
	memset(&t, 0, sizeof(t));
	CHECK(timerfd_settime(fd, 0, &t, &left) == 0 && left.it_interval.tv_nsec == 10000000);
	CHECK(timerfd_gettime(fd, &left) == 0 && !left.it_interval.tv_nsec && !left.it_value.tv_nsec);
	usleep(20000);
	CHECK(ticks_of(fd) == 0 && errno == EAGAIN);
	clock_gettime(CLOCK_MONOTONIC, &now); /* a point in time, which is over */
	t.it_value = now;
	CHECK(timerfd_settime(fd, TFD_TIMER_ABSTIME, &t, NULL) == 0);
	CHECK(epoll_wait(epoll, &e, 1, -1) == 1 && ticks_of(fd) == 1);
	t.it_value = (struct timespec){0, 5000000};
	copy = dup(fd);
	CHECK(timerfd_settime(fd, 0, &t, NULL) == 0);
	close(fd); /* the timer is the other descriptor's, too */
	CHECK(poll(&(struct pollfd){copy, POLLIN, 0}, 1, -1) == 1 && ticks_of(copy) == 1);
	CHECK(timerfd_settime(copy, 0, &t, NULL) == 0);
	close(copy); /* nobody can see it expire */
	t.it_value.tv_nsec = 1000000000;
	CHECK(timerfd_settime(epoll, 0, &t, NULL) < 0 && errno == EINVAL);
	close(epoll);
}

static void by_process(void)
{
	struct itimerval t = {{0, 0}, {0, 20000}}, left;

	alarm(100);
	CHECK(alarm(50) >= 99 && alarm(0) >= 49 && alarm(0) == 0);
	CHECK(setitimer(ITIMER_REAL, &t, &left) == 0 && !left.it_value.tv_sec && !left.it_value.tv_usec);
	CHECK(getitimer(ITIMER_REAL, &left) == 0 && left.it_value.tv_usec > 0 && left.it_value.tv_usec <= 20000);
	signals = 0;
	CHECK(usleep(900000) < 0 && errno == EINTR && signals == 1);
	t.it_interval.tv_usec = 10000;
	setitimer(ITIMER_REAL, &t, NULL);
	while (signals < 4)
		pause();
	memset(&t, 0, sizeof(t));
	setitimer(ITIMER_REAL, &t, &left);
	CHECK(left.it_interval.tv_usec == 10000);
}

static void by_timer(void)
{
	struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = 77};
	struct itimerspec t = {{0, 10000000}, {0, 10000000}}, left;
	sigset_t set;
	siginfo_t info;
	timer_t timer;

	CHECK(timer_create(CLOCK_REALTIME, &e, &timer) == 0);
	CHECK(timer_settime(timer, 0, &t, NULL) == 0 && timer_gettime(timer, &left) == 0);
	CHECK(left.it_value.tv_nsec > 0 && left.it_value.tv_nsec <= 10000000 && left.it_interval.tv_nsec == 10000000);
	signals = 0;
	while (signals < 2)
		usleep(100000);
	CHECK(value == 77);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	usleep(55000); /* one signal is pending, with its overruns */
	CHECK(sigwaitinfo(&set, &info) == SIGRTMIN && info.si_code == SI_TIMER && info.si_value.sival_int == 77);
	CHECK(timer_getoverrun(timer) >= 3);
	CHECK(timer_delete(timer) == 0 && timer_settime(timer, 0, &t, NULL) < 0 && errno == EINVAL);
	while (sigtimedwait(&set, &info, &(struct timespec){0, 0}) > 0)
		;
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	e.sigev_notify = SIGEV_NONE;
	CHECK(timer_create(CLOCK_MONOTONIC, &e, &timer) == 0 && timer_settime(timer, 0, &t, NULL) == 0);
	usleep(20000);
	CHECK(timer_delete(timer) == 0);
}

/* A process that a timer ends, its own after an exec; a child inherits none. */
static void by_children(char *self)
{
	int status;
	pid_t child = fork();

	if (!child) {
		alarm(1);
		execl(self, self, "sleeps", NULL);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM);
	alarm(1);
	child = fork();
	if (!child) {
		usleep(1200000);
		_exit(alarm(0) != 0);
	}
	signals = 0;
	while (waitpid(child, &status, 0) < 0)
		CHECK(errno == EINTR);
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status) && signals == 1);
}

int main(int argc, char **argv)
{
	struct sigaction a = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
	pthread_t thread;

	if (argc > 1)
		return sleep(10);
	sigaction(SIGALRM, &a, NULL);
	sigaction(SIGRTMIN, &a, NULL);
	by_file();
	by_process();
	by_timer();
	by_children(argv[0]);
	pthread_create(&thread, NULL, stays, NULL);
	pthread_join(thread, NULL);
	return 0;
}
"""

# A wait of 0.9 s and a sleep of 0.1 s that began before.
ORDER = """#include <assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int go, late;
static void *w(void *x)
{
	struct timespec ts;
	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_nsec += 900000000;
	if (ts.tv_nsec >= 1000000000)
		ts.tv_sec++, ts.tv_nsec -= 1000000000;
	pthread_mutex_lock(&m);
	while (!go && !late)
		if (pthread_cond_timedwait(&c, &m, &ts))
			late = 1;
	assert(!late);
	pthread_mutex_unlock(&m);
	return x;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, w, 0);
	usleep(100000);
	pthread_mutex_lock(&m);
	go = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	pthread_join(t, 0);
	return 0;
}
"""

# A lost update, while a timer and a sleep of another thread end.
RACE = """#include <pthread.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>
static volatile int n;
static void *adds(void *x) { int old = n; n = old + 1; return x; }
static void *sleeps(void *x)
{
	struct itimerspec t = {{0, 0}, {0, 300000000}};
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	uint64_t times;
	timerfd_settime(fd, 0, &t, 0);
	read(fd, &times, 8);
	return x;
}
int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], 0, sleeps, 0);
	for (int i = 1; i < 3; i++)
		pthread_create(&t[i], 0, adds, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return n != 2;
}
"""

# main goes on after 0.3 s, or when the other thread says so; who is late is the same.
EITHER = """#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static int fd[2];
static atomic_int done;
static void *says(void *x) { write(fd[1], "x", 1); return x; }
static void *works(void *x) { done = 1; return x; }
int main(void)
{
	struct pollfd f = {.events = POLLIN};
	pthread_t t[2];
	pipe(fd);
	f.fd = fd[0];
	pthread_create(&t[0], 0, works, 0);
	pthread_create(&t[1], 0, says, 0);
	poll(&f, 1, 300);
	assert(done);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
"""

# main sleeps in order that the worker be done: it counts on a pause of no thread being longer.
SLEEP = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int done;
static void *works(void *x) { done = 1; return x; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, works, 0);
	usleep(300000);
	assert(done);
	pthread_join(t, 0);
	return 0;
}
"""

# A thread spins until another one has slept: it does not pause, and the sleep ends.
SPINS = """#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int done;
static void *sleeps(void *x) { usleep(3000000); done = 1; return x; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, sleeps, 0);
	while (!done)
		sched_yield();
	pthread_join(t, 0);
	return 0;
}
"""

# Two failures: one needs a pause of the worker, the other one two additions at once.
BOTH = """#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int done;
static volatile int n;
static void *works(void *x) { done = 1; return x; }
static void *adds(void *x) { int old = n; n = old + 1; return x; }
int main(void)
{
	struct pollfd none = {.fd = -1};
	pthread_t t[3];
	pthread_create(&t[0], 0, works, 0);
	poll(&none, 1, 400);
	if (!done)
		abort();
	pthread_create(&t[1], 0, adds, 0);
	pthread_create(&t[2], 0, adds, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return n == 2 ? 0 : 3;
}
"""


def build(name, text, how):
    compiler, flags = how.split(" ", 1)
    return compile_text(name, text, flags, compiler=compiler)


def explore(t, *args):
    t.count += 1
    report = t.path("search%d.json" % t.count)
    r = t.gate("explore", "-o", t.path("found%d" % t.count), "--report", report, *args)
    with open(report) as f:
        r.report = json.load(f)
    return r


def passes(t, r, what):
    t.equal((r.status, r.report["failures"], r.report["cut"]), (0, [], 0), what, r)


def needs(t, r, words):
    """The only failure is time-related, in the terminal and in the report."""
    t.equal((r.status, len(r.report["failures"]), r.report["time_related"]), (116, 1, 1), "found, time-related", r)
    f = r.report["failures"][0]
    t.equal((f["time_related"], f["needs"]), (True, "time-related: " + words), "in the report", r)
    t.check("\ntime-related: %s\n" % words in r.err, "on the terminal", r)


def ordinary(t, r):
    t.equal((r.status, r.report["time_related"]), (116, 0), "found, an ordinary failure", r)
    t.check("time-related" not in r.err, "no word about time", r)


# ---- each call ----------------------------------------------------------------------------------

@timeout(150)
@params(*CALLS)
def test_each_call(t, call):
    """The failure is found at once, no schedule waits in real time, and the order of the clock forbids the failure."""
    for how in BUILDS if t.full else BUILDS[:3:2]:
        program = build("timers.c", TIMERS, how)
        needs(t, explore(t, "--verify", "0", "--runs", "200", program, call), "needs worker#1 to pause for %g s" % CALLS[call])
        r = explore(t, "--runs", "200", "--time", "ordered", program, call)
        passes(t, r, "nothing in the order of the clock")
        t.equal((r.report["schedules"], r.report["differed"]), (200, 0), "schedules", r)
        t.check(r.spent < 200 * CALLS[call] / 2, "no schedule takes %g s: %g" % (CALLS[call], r.spent), r)


@params("timerfd", "alarm", "sigev_thread")
def test_same_schedules(t, call):
    """They depend neither on the workers nor on stops that are left out; the one that fails is replayed."""
    program = build("timers.c", TIMERS, BUILDS[1])
    options = ("--all", "--verify", "0", "--runs", "60", "--seed", "7")
    first = explore(t, *options, "-j", "1", program, call)
    for more in (("-j", "2"), ("-j", "1", "--no-resident"), ("-j", "1")):
        r = explore(t, *options, *more, program, call)
        t.equal(r.report["digest"], first.report["digest"], "schedules with %s" % (more,), r)
    schedule = os.path.join(first.report["failures"][0]["folder"], "schedule")
    with open(schedule) as f:
        t.check(re.search(r"^ *\d+ +timer:1 +timeout ", f.read(), re.M), "the expiration is a step", first)
    for _ in range(20 if t.full else 5):
        t.equal(t.gate("replay", schedule).status, 134, "replayed")


@timeout(150)
def test_answers(t):
    """Timers expire when they are due, as often as they do in real time, and the calls tell what is left."""
    for how in BUILDS if t.full else BUILDS[1:2]:
        program = build("answers.c", ANSWERS, how)
        r = explore(t, "--time", "ordered", "--runs", "60", "--verify", "0", program)
        passes(t, r, "as in real time: " + how)


# ---- which failures are time-related ------------------------------------------------------------

@timeout(150)
def test_pause(t):
    """main would have to pause from the end of its sleep to that of the other wait."""
    for how in BUILDS if t.full else BUILDS[:3:2]:
        program = build("order.c", ORDER, how)
        for seed in map(str, range(1, 7 if t.full else 4)):
            needs(t, explore(t, "--verify", "0", "--seed", seed, program), "needs main to pause for 0.8 s")
        passes(t, explore(t, "--time", "ordered", "--runs", "300", program), "nothing in the order of the clock")


@timeout(150)
def test_ordinary(t):
    """A race beside a timer, a failure that also comes without a pause, a sleep that is to make an order."""
    for name, text in (("race.c", RACE), ("either.c", EITHER), ("sleep.c", SLEEP)):
        for how in BUILDS if t.full else BUILDS[:3:2]:
            program = build(name, text, how)
            for seed in map(str, range(1, 11 if t.full else 4)):
                ordinary(t, explore(t, "--verify", "0", "--seed", seed, program))
    for name, text, status in (("race.c", RACE, 116), ("either.c", EITHER, 116), ("sleep.c", SLEEP, 0)):
        r = explore(t, "--verify", "0", "--time", "ordered", "--runs", "300", build(name, text, BUILDS[0]))
        t.equal(r.status, status, name + " in the order of the clock", r)


def test_spinning(t):
    program = build("spins.c", SPINS, BUILDS[0])
    for order in ("any", "ordered"):
        passes(t, explore(t, "--time", order, "--runs", "40", program), "the sleep ends: " + order)


def test_listed_after_the_others(t):
    """In a column of their own: on the terminal, in each report, and where parts of a search are merged."""
    program = build("both.c", BOTH, BUILDS[0])
    page, junit, words = t.path("s.html"), t.path("s.xml"), "time-related: needs works#1 to pause for 0.4 s"
    r = explore(t, "--all", "--verify", "0", "--runs", "300", "--report", page, "--report", junit, program)
    t.equal([(f["kind"], f["time_related"], f.get("needs")) for f in r.report["failures"]],
            [("status", False, None), ("signal", True, words)], "the order in the report", r)
    t.check("the first: exit status 3" in r.first and re.search(r"\nSIGABRT[^\n]*; %s\n" % words, r.err), "on the terminal", r)
    text = browser.rendered(t, page)
    t.check(text.index("exit status 3") < text.index(words), "the page: " + text, r)
    t.check("; time-related: 1" in xml.etree.ElementTree.parse(junit).getroot().find(".//system-out").text, "JUnit", r)
    for part in ("1/2", "2/2"):
        t.gate("explore", "--all", "--verify", "0", "--runs", "300", "--shard", part, "-o", t.path("parts"), program)
    m = t.gate("explore", "--merge", t.path("parts"))
    t.equal(m.err.split(";")[1:2], r.err.split(";")[1:2], "the first of the merged ones", m)
    t.check(re.search(r"\nSIGABRT[^\n]*; %s\n" % words, m.err), "merged", m)


# ---- scripts --------------------------------------------------------------------------------------

@timeout(200)
@params("timerfd", "poll")
def test_script(t, call):
    """Gates hold the thread that is to pause until the time-out has come in real time."""
    program = build("timers.c", TIMERS, BUILDS[0])
    r = explore(t, "--verify", "5", program, call)
    t.check("\nthe script has forced it in 5 of 5 runs\n" in r.err, "there is a script", r)
    script = r.report["failures"][0]["script"]
    with open(script) as f:
        t.check("timer" not in re.sub(r"^--.*$", "", f.read(), flags=re.M).replace("timers", ""), "it holds no timer", r)
    t.equal(t.gate("run", "--repeat", "10", "-g", script, "--", program, call).status, 0, "it is forced")


def test_usage(t):
    r = t.gate("explore", "--time", "soon", "true")
    t.equal(r.status, 125, "status", r)
    t.check(r.first == "gatectl: error: --time: 'soon' is neither ordered nor any", "the reason", r)
