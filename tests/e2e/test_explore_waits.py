"""gatectl explore: scripts of failures that are about who waits for a condition, and who is woken."""

import re

from harness import compile_text, params, timeout

SECONDS = 110

# The flag is set without the lock: between the look at it and the wait nobody hears of it.
PREDICATE = """#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
static std::mutex m;
static std::condition_variable cv;
static std::atomic<bool> stop;
static void worker()
{
	std::unique_lock<std::mutex> l(m);
	cv.wait(l, [] { return stop.load(); });
}
int main()
{
	std::thread t(worker);
	stop = true;
	cv.notify_all();
	t.join();
	return 0;
}
"""

# Two kinds of consumers wait for one condition, and one of them is woken: the wrong one.
KINDS = """#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>
static std::mutex m;
static std::condition_variable cv;
static std::queue<int> even, odd;
static void take(std::queue<int> &from)
{
	std::unique_lock<std::mutex> l(m);
	cv.wait(l, [&] { return !from.empty(); });
	from.pop();
}
static void put(std::queue<int> &to)
{
	std::lock_guard<std::mutex> l(m);
	to.push(1);
	cv.notify_one();
}
int main()
{
	std::thread a([] { take(even); }), b([] { take(odd); });
	put(even);
	put(odd);
	a.join();
	b.join();
	return 0;
}
"""

# One condition for full and empty, and one is woken where all should be. The loop and the wait are one line.
BUFFER = """#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int count;
static void *put(void *x)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&m);
		while (count == 1) pthread_cond_wait(&changed, &m);
		count++;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&m);
	}
	return x;
}
static void *take(void *x)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&m);
		while (count == 0) pthread_cond_wait(&changed, &m);
		count--;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&m);
	}
	return x;
}
int main(void)
{
	pthread_t t[4];
	pthread_create(&t[0], 0, put, 0);
	pthread_create(&t[1], 0, put, 0);
	pthread_create(&t[2], 0, take, 0);
	pthread_create(&t[3], 0, take, 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""


def read(path):
    with open(path) as f:
        return f.read()


def explore(t, program, *args):
    r = t.gate("explore", "-j", "1", "--verify", "10", "-o", t.path("found"), *args, "--", program, seconds=SECONDS)
    t.equal(r.status, 116, "status", r)
    t.check("\nthe script has forced it in 10 of 10 runs\n" in r.err, "there is a script", r)
    return t.path("found/1/gates.lua")


def forces(t, script, program):
    r = t.gate("run", "--repeat", "20", "-g", script, "--", program)
    t.equal(r.status, 0, "as the script expects, in all runs", r)


@timeout(150)
@params("-O0", "-O2")
def test_predicate(t, optimised):
    """cv.wait(lock, predicate) calls both in one line of the tester's: between them is a line of the header."""
    program = compile_text("predicate.cc", PREDICATE, "-g " + optimised)
    script = explore(t, program)
    t.check(re.search(r"\(condition_variable:\d+\)", read(script)), "the story: " + read(script))
    forces(t, script, program)


@timeout(150)
@params("kinds.cc", "buffer.c")
def test_wrong_one_woken(t, name):
    """As it is found first another one is woken than in plain runs: of what fails alike something can be forced."""
    program = compile_text(name, {"kinds.cc": KINDS, "buffer.c": BUFFER}[name])
    script = explore(t, program)
    forces(t, script, program)
    r = t.gate("replay", t.path("found/1/schedule"))
    t.equal(r.status, 123, "the schedule is the script's", r)


# Who waits in the kernel, and who waits for a condition: main is to be held until it does.
WAITS = """#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int fd[2], set, late;
static void *takes(void *x)
{
	char b;
	read(fd[0], &b, 1);
	return x;
}
static void *waits(void *x)
{
	pthread_mutex_lock(&m);
	late = set;
	while (!set) pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return x;
}
int main(int argc, char **argv)
{
	pthread_t t;
	pipe(fd);
	pthread_create(&t, 0, argc > 1 ? waits : takes, 0);
	write(fd[1], "x", 1);
	pthread_mutex_lock(&m);
	set = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	pthread_join(t, 0);
	return late;
}
"""


@params(("[takes;read] -> main;write", []), ("[waits;pthread_cond_wait] -> main;pthread_mutex_lock", ["waits"]))
def test_order_of_waits(t, case):
    """The schedules that an order of who waits first permits are searched: it is opened in them, too."""
    order, args = case
    program = compile_text("waits.c", WAITS)
    script = t.file("order.lua", 'order "%s"\nexpect { exit = 0 }\n' % order)
    r = t.gate("explore", "-j", "1", "--runs", "60", "-g", script, "-o", t.path("found"), "--", program, *args)
    t.equal(r.status, 0, "none fails", r)
    t.check("ended because of the gates" not in r.err, "none is ended by the gates", r)
    t.check(int(re.match(r"60 schedules, (\d+) distinct", r.err)[1]) > 1, "there are several", r)
    if args:
        r = t.gate("explore", "-j", "1", "--runs", "60", "-o", t.path("without"), "--", program, *args)
        t.equal(r.status, 116, "without the order one fails", r)


# Seconds below zero, and 1,000,000,000 nanoseconds, are no time.
NO_TIME = """#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m;
static int word;
static int wait_for(int op, struct timespec t)
{
	return syscall(SYS_futex, &word, op, 0, &t, NULL, ~0) == -1 ? errno : 0;
}
static int locks(int protocol)
{
	pthread_mutexattr_t a;
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec++;
	t.tv_nsec += 1000000000;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setprotocol(&a, protocol);
	pthread_mutex_init(&m, &a);
	pthread_mutex_lock(&m);
	return pthread_mutex_timedlock(&m, &t);
}
static void *work(void *x) { return x; }
int main(void)
{
	struct timespec far = {1, 1000000000}, past = {-1, 0};
	pthread_t t;
	int got[6] = {wait_for(FUTEX_WAIT, far), wait_for(FUTEX_WAIT_BITSET, far), wait_for(FUTEX_WAIT, past),
		      wait_for(FUTEX_WAIT_BITSET, past), locks(PTHREAD_PRIO_NONE), locks(PTHREAD_PRIO_INHERIT)};
	pthread_create(&t, 0, work, 0);
	pthread_join(t, 0);
	for (int i = 0; i < 6; i++) {
		printf("%d ", got[i]);
		if (got[i] != EINVAL)
			return 1;
	}
	return 0;
}
"""


def test_time_out_that_is_none(t):
    """The kernel's EINVAL for a time-out that is no time, under a schedule as in a plain run."""
    program = compile_text("no_time.c", NO_TIME)
    t.clean(t.run_bare(program))
    r = t.gate("explore", "-j", "1", "--runs", "20", "-o", t.path("found"), program)
    t.equal(r.status, 0, "status", r)
