"""Spurious wake-ups: a wait that returns without a signal, in a search and by :spurious() of a script."""

import json
import re

from harness import COMPILERS, compile_text, params, timeout

SECONDS = 110

# TEST is if or while.
CONSUMER = """#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, used;
static void *consumer(void *p)
{
	pthread_mutex_lock(&m);
	TEST (!ready)
		pthread_cond_wait(&c, &m);
	used = ready;
	pthread_mutex_unlock(&m);
	assert(used == 1);
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, consumer, 0);
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	pthread_join(t, 0);
	return 0;
}
"""
TOLD = "consumer#1's wait at consumer.c:10 returns without a signal (POSIX permits it)\n"

BUILDS = [(c, o) for c in ("gcc", "clang") for o in ("-O0", "-O2")]


def consumer(test, build=("gcc", "-O0")):
    return compile_text("consumer.c", CONSUMER, f"-g {build[1]} -DTEST={test}", build[0])


def read(path):
    with open(path) as f:
        return f.read()


def explore(t, program, *args):
    return t.gate("explore", "-j", "1", "-o", t.path("found"), *args, "--", program, seconds=SECONDS)


@timeout(150)
@params(*BUILDS)
def test_found(t, build):
    """Found within few schedules, told, and forced by a script; the schedule is followed, too."""
    program = consumer("if", build)
    r = explore(t, program, "--runs", "40", "--verify", "20")
    t.equal(r.status, 116, "status", r)
    t.check(TOLD in r.err, "the failure's text", r)
    t.check("\nthe script has forced it in 20 of 20 runs\n" in r.err, "there is a script", r)
    script = read(t.path("found/1/gates.lua"))
    t.check(":spurious()" in script and "without a signal (POSIX permits it)" in script, "the script: " + script)
    schedule = t.path("found/1/schedule")
    t.equal(len(re.findall(r"(?m)^\d+ +consumer#1 +spurious ", read(schedule))), 1, "one such step: " + read(schedule))
    again = t.gate("replay", schedule)
    t.equal(again.status, 134, "the schedule again", again)
    t.check(TOLD in again.err, "told again", again)


@params("dfs", "auto")
def test_fixed(t, strategy):
    """A loop around the wait: nothing fails, and a signal is never lost."""
    r = explore(t, consumer("while"), "--strategy", strategy, "--runs", "400")
    t.equal(r.status, 0, "status", r)


def test_all(t):
    """dfs has more schedules with them, and all of both; without them nothing fails."""
    counts = {}
    for option in ([], ["--no-spurious"]):
        report = t.path("search.json")
        r = explore(t, consumer("while"), "--strategy", "dfs", "--bound", "none", "--report", report, *option)
        t.equal(r.status, 0, "status", r)
        found = json.load(open(report))
        t.check(found["complete"], "all", r)
        t.equal(found["distinct"], found["schedules"], "each once", r)
        counts[len(option)] = found["schedules"]
    t.check(counts[0] > counts[1], f"more with them: {counts}")
    r = explore(t, consumer("if"), "--strategy", "dfs", "--no-spurious")
    t.equal(r.status, 0, "none without them", r)
    r = explore(t, consumer("if"), "--no-spurious", "--runs", "200")
    t.equal(r.status, 0, "nor at random", r)


# The wait has to return while main is between its two critical sections.
LATE = """#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int stage, waiting;
static void *consumer(void *p)
{
	pthread_mutex_lock(&m);
	waiting = 1;
	if (stage == 0)
		pthread_cond_wait(&c, &m);
	int seen = stage;
	pthread_mutex_unlock(&m);
	assert(seen != 1);
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, consumer, 0);
	pthread_mutex_lock(&m);
	if (waiting)
		stage = 1;
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	stage = 2;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	pthread_join(t, 0);
	return 0;
}
"""


@timeout(150)
def test_held(t):
    """A thread is held in the wait, without the mutex: where the C library goes on."""
    r = explore(t, compile_text("late.c", LATE, "-g"), "--strategy", "dfs", "--verify", "20")
    t.equal(r.status, 116, "status", r)
    t.check("\nthe script has forced it in 20 of 20 runs\n" in r.err, "there is a script", r)
    script = read(t.path("found/1/gates.lua"))
    t.check(":spurious()" in script and "where pthread_cond_wait" in script, "the script: " + script)


FUTEX = """#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
static _Atomic int word;
static void *waiter(void *p)
{
	TEST (!word)
		syscall(SYS_futex, &word, FUTEX_WAIT, 0, 0);
	assert(word == 1);
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, waiter, 0);
	word = 1;
	syscall(SYS_futex, &word, FUTEX_WAKE, 1);
	return pthread_join(t, 0);
}
"""


@timeout(150)
def test_futex(t):
    """futex(2): a return value of 0 can mean a spurious wake-up."""
    r = explore(t, compile_text("futex.c", FUTEX, "-g -DTEST=if"), "--verify", "20")
    t.equal(r.status, 116, "status", r)
    t.check("waiter#1's wait at futex.c:12 returns without a signal (POSIX permits it)\n" in r.err, "told", r)
    t.check("\nthe script has forced it in 20 of 20 runs\n" in r.err, "there is a script", r)
    r = explore(t, compile_text("futex.c", FUTEX, "-g -DTEST=while"), "--strategy", "dfs")
    t.equal(r.status, 0, "a loop around it", r)


# Each wait is of one kind; none of its conditions is ever signalled before it has returned.
KINDS = r"""#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int word;
int main(void)
{
	struct timespec late = {4000000000, 0};
	mtx_t own;
	cnd_t changed;
	mtx_init(&own, mtx_plain);
	cnd_init(&changed);
	pthread_mutex_lock(&m);
	mtx_lock(&own);
	int a = pthread_cond_wait(&c, &m); /* gate: w1 */
	int b = pthread_cond_timedwait(&c, &m, &late); /* gate: w2 */
	int d = pthread_cond_clockwait(&c, &m, CLOCK_REALTIME, &late); /* gate: w3 */
	int e = cnd_wait(&changed, &own); /* gate: w4 */
	int f = cnd_timedwait(&changed, &own, &late); /* gate: w5 */
	long g = syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL); /* gate: w6 */
	printf("%d %d %d %d %d %ld\n", a, b, d, e, f, g);
	printf("%d %d\n", pthread_mutex_trylock(&m) != 0, mtx_trylock(&own) == thrd_busy);
	return pthread_mutex_unlock(&m) || mtx_unlock(&own) || pthread_cond_destroy(&c);
}
"""


@params(*[(b, s) for b in BUILDS for s in ("", "-static") if not s or b == ("gcc", "-O2")])
def test_kinds(t, case):
    """Each returns 0 and has its lock again."""
    (compiler, optimised), static = case
    program = compile_text("kinds.c", KINDS, f"-g {optimised} {static}", compiler)
    script = "".join(f'at "//w{i}" :spurious()\n' for i in range(1, 7))
    r = t.clean(t.run_gated(program, script=script))
    t.equal(r.stdout, "0 0 0 0 0 0\n1 1\n", "results", r)


CXX = """#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
static std::mutex m;
static std::condition_variable cv;
static std::condition_variable_any any;
int main()
{
	std::unique_lock<std::mutex> l(m);
	cv.wait(l); // gate: w1
	auto in_time = cv.wait_for(l, std::chrono::hours(1)); // gate: w2
	any.wait(l); // gate: w3
	std::printf("%d %d\\n", in_time == std::cv_status::no_timeout, l.owns_lock());
	return 0;
}
"""


@params("-O0", "-O2")
def test_cxx(t, optimised):
    program = compile_text("waits.cc", CXX, "-g " + optimised, COMPILERS["gcc"][1])
    r = t.clean(t.run_gated(program, script="".join(f'at "//w{i}" :spurious()\n' for i in range(1, 4))))
    t.equal(r.stdout, "1 1\n", "results", r)


# Counts the returns of the wait of each of two threads; main signals for both.
TURNS = """#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int waiting, ready;
static void *waiter(void *p)
{
	int returns = 0;
	pthread_mutex_lock(&m);
	waiting++;
	while (!ready) {
		pthread_cond_wait(&c, &m);
		returns++;
	}
	pthread_mutex_unlock(&m);
	return (char *)p + returns;
}
int main(void)
{
	pthread_t a, b;
	void *in_a, *in_b;
	pthread_create(&a, 0, waiter, 0);
	pthread_create(&b, 0, waiter, 0);
	pthread_mutex_lock(&m); /* gate: signals */
	ready = 1;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	pthread_join(a, &in_a);
	pthread_join(b, &in_b);
	printf("%d %d\\n", (int)(long)in_a, (int)(long)in_b);
	return 0;
}
"""


@params("", ', { thread = "waiter#1" }', ", { hit = 2 }")
def test_once(t, options):
    """Once in the run, in the thread and at the arrival that the place asks for."""
    program = compile_text("turns.c", TURNS, "-g")
    # the third wait has the mutex, for which main waits then
    r = t.clean(t.run_gated(program, script=f"""
local waits, go = 0, SimpleGate "go"
at "waiter;pthread_cond_wait" :run(function() waits = waits + 1; if waits == 3 then go:open() end end)
at("waiter;pthread_cond_wait"{options}) :spurious()
at "//signals" :wait(go)
"""))
    returns = [int(n) for n in r.stdout.split()]
    t.equal(sum(returns), 3, "returns of the wait", r)
    if "waiter#1" in options:
        t.equal(returns, [2, 1], "of the first thread", r)


def test_needs_no_wait(t):
    """A statement that does not wait uses nothing up: the next wait there returns so."""
    program = compile_text("twice.c", """#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int main(void)
{
	int returns = 0;
	pthread_mutex_lock(&m);
	for (int i = 0; i < 2; i++)
		returns += i ? pthread_cond_wait(&c, &m) + 1 : 0; /* gate: w */
	printf("%d\\n", returns);
	return 0;
}
""", "-g")
    r = t.clean(t.run_gated(program, script='at "//w" :spurious()\n'))
    t.equal(r.stdout, "1\n", "returns", r)


@params(('at("//w"):spurious(1)', "takes no value"), ('at("//w", {after = true}):spurious()', "before the statement"),
        ('on("thread-start"):spurious()', "before the statement"), ('at("main%return"):spurious()', "before the statement"))
def test_errors(t, case):
    program = compile_text("kinds.c", KINDS, "-g -O0")
    r = t.error(t.run_gated(program, script=case[0].replace("//w", "//w1") + "\n"), where=r"gates\d+\.lua:1: ")
    t.check(case[1] in r.first, "says what", r)
