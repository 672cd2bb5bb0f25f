"""gatectl explore on tests/explore/life: threads that spin before they wait, processes that end before their threads, and
threads that go round in vain."""

import os
import re
import statistics

from harness import ROOT, compile_text, params

LIFE = os.path.join(ROOT, "tests", "explore", "life")
BUILDS = [(compiler, flags) for compiler in ("gcc", "clang") for flags in ("-O0", "-O2")]


def built(name, compiler="gcc", flags="-O0"):
    with open(os.path.join(LIFE, name)) as f:
        return compile_text(name, f.read(), "-g " + flags, compiler)


def schedules(r):
    return int(re.search(r"^(\d+) schedules?, ", r.err, re.M)[1])


@params(*["%s %s" % b for b in BUILDS])
def test_spin_then_park(t, build):
    """A release between the last of 16 tries and the futex is lost: some schedules let spinners go on."""
    r = t.gate("explore", "--runs", 1000, "-o", t.path("found"), built("p05_spinwait.c", *build.split()), seconds=600)
    t.equal(r.status, 116, "status", r)
    t.check("a deadlock" in r.first and " waits for futex count" in r.err, "what is found", r)


@params("random", "pos", "surw", "rff")
def test_spin_of_a_strategy(t, strategy):
    r = t.gate("explore", "--runs", 1000, "--strategy", strategy, "-o", t.path("found"), built("p05_spinwait.c"), seconds=600)
    t.equal(r.status, 116, "status", r)


def test_spin_by_gates(t):
    r = t.gate("explore", "--verify", 5, "--runs", 1000, "-o", t.path("found"), built("p05_spinwait.c"), seconds=600)
    t.check("the script has forced it in 5 of 5 runs" in r.err, "script", r)


@params(*["%s %s" % b for b in BUILDS])
def test_end_comes_last(t, build):
    """Main returns at once, and the failure needs the steps of all other threads."""
    found = []
    for seed in range(1, 10):
        r = t.gate("explore", "--seed", seed, "-o", t.path("found"), built("exit_first.c", *build.split()), seconds=600)
        t.equal(r.status, 116, "status", r)
        found.append(schedules(r))
    t.check(statistics.median(found) < 10, "schedules to the first failure: %s" % found)


def test_end_comes_first(t):
    """Some schedules end the process while its threads can go on: --leaks finds one."""
    r = t.gate("explore", "--leaks", "--runs", 200, "--strategy", "random", "--all", "-o", t.path("found"), built("exit_first.c"), seconds=600)
    t.check("a thread that had not ended" in r.err and "SIGABRT" in r.err, "both ends", r)


HELPER = """
#include <semaphore.h>
#include <signal.h>
#include <time.h>
static sem_t over;
static void expired(union sigval v) { (void)v; sem_post(&over); }
int main(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = expired};
	struct itimerspec once = {.it_value = {.tv_nsec = 1000000}};
	timer_t timer;

	sem_init(&over, 0, 0);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &once, NULL);
	return sem_wait(&over);
}
"""


def test_helper_of_the_c_library(t):
    """A thread that the C library keeps for itself is not left behind by the program."""
    r = t.gate("explore", "-o", t.path("found"), "--runs", 20, compile_text("helper.c", HELPER), seconds=600)
    t.equal(r.status, 0, "status", r)
    t.check("timer_helper_thread" not in r.err, "no word of it", r)


LEFT = "w#1 had not ended: waits for condition variable c (with mutex m), in w at leak.c:4\n"


@params(*["%s %s" % b for b in BUILDS])
def test_left_behind(t, build):
    program = built("leak.c", *build.split())
    r = t.gate("explore", "--runs", 50, "-o", t.path("found"), program, seconds=600)
    t.equal(r.status, 0, "status", r)
    t.equal(re.findall(".*had not ended.*\n", r.err), [LEFT], "one line", r)
    r = t.gate("explore", "--leaks", "--runs", 50, "-o", t.path("found"), program, seconds=600)
    t.equal(r.status, 116, "status with --leaks", r)
    t.check("; the first: a thread that had not ended; its schedule: " in r.first, "first line", r)
    t.check("\nw#1 had not ended: " in r.err, "who", r)
    with open(os.path.join(t.path("found"), "1", "schedule")) as f:
        t.check("\nfailure: leak\n" in f.read(), "kind", r)


def test_none_is_left(t):
    """Threads that were joined, and a process that ends by its last thread, leave none behind."""
    program = compile_text("joins.c", """#include <pthread.h>
static void *work(void *p) { return p; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	pthread_join(t, 0);
	pthread_create(&t, 0, work, 0);
	pthread_exit(0);
}
""")
    r = t.gate("explore", "--leaks", "--runs", 50, "-o", t.path("found"), program, seconds=600)
    t.equal(r.status, 0, "status", r)
    t.check("had not ended" not in r.err, "what is said", r)


def livelock(t, r):
    t.equal(r.status, 116, "status", r)
    t.check("a livelock at " in r.first, "first line", r)
    return int(re.search(r"still ran after (\d+) steps", r.err)[1])


@params(*["%s %s" % b for b in BUILDS])
def test_spin_is_told_at_once(t, build):
    r = t.gate("explore", "--runs", 50, "--seed", 2, "-o", t.path("found"), built("p01_spin.c", *build.split()), seconds=600)
    t.check(livelock(t, r) < 2000, "steps", r)
    t.check("main can go on in main at p01_spin.c:" in r.err, "who goes round", r)
    t.check(re.search(r"worker#1 waits for condition variable c \(with mutex m\), which no thread can signal, in worker at p01_spin.c:13\n", r.err),
            "who waits", r)


@params("trylock.c", "backoff.c")
def test_in_vain(t, name):
    """Threads that try for ever are a livelock although they have many states."""
    r = t.gate("explore", "--runs", 50, "--steps", "20000", "-o", t.path("found"), built(name), seconds=600)
    steps = livelock(t, r)
    t.check(steps < 2000 if name == "trylock.c" else steps <= 20000, "steps", r)
    t.check("main can go on in take at " in r.err and "work#1 can go on in take at " in r.err, "who goes round", r)


def test_none_ends(t):
    """A search in which no schedule ended is no all-clear."""
    r = t.gate("explore", "-j1", "--runs", 2, "--steps", "3000", "-o", t.path("found"), built("endless.c"), seconds=600)
    t.equal((r.status, r.first), (124, "gatectl: time-limit: no schedule ended within 3000 steps"), "verdict", r)
    t.check("no schedule ended, so there is no result" in r.err and "no failure" not in r.err, "what is said", r)


@params(*["%s %s" % b for b in BUILDS])
def test_crash_with_a_lock(t, build):
    """The thread that crashes holds the lock that the other one would take next: that one is held until it has it."""
    r = t.gate("explore", "--verify", 5, "-o", t.path("found"), built("p13_publish.c", *build.split()), seconds=600)
    t.check("the script has forced it in 5 of 5 runs" in r.err, "script", r)
    with open(os.path.join(t.path("found"), "1", "gates.lua")) as f:
        places = [line for line in f if line.startswith(("at", "on"))]
    t.equal(len(places), 3, "places: %s" % "".join(places))
