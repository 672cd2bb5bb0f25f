"""explore --strategy dpor: one schedule of each trace, and what was left out is named."""
import json
import os
import sys

import harness
from harness import compile_text, params

sys.path.insert(0, os.path.join(harness.ROOT, "tests", "explore"))
import dpor  # noqa: E402

TWO_ATOMICS = r"""
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x[2];
static void *w(void *p)
{
	atomic_store(&x[(long)p], 1);
	return 0;
}
int main(void)
{
	pthread_t t[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], 0, w, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""

SECTIONS = r"""
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *work(void *p)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&m);
		n++;
		pthread_mutex_unlock(&m);
	}
	return p;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return n != 6;
}
"""

STORES = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int x, y;
static int r1, r2;
static void *a(void *p)
{
	atomic_store_explicit(&x, 1, ORDER);
	r1 = atomic_load_explicit(&y, ORDER);
	return p;
}
static void *b(void *p)
{
	atomic_store_explicit(&y, 1, ORDER);
	r2 = atomic_load_explicit(&x, ORDER);
	return p;
}
int main(int c, char **v)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, a, 0);
	pthread_create(&t[1], 0, b, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	char s[] = {'0' + r1, '0' + r2, '\n'};
	int f = open(v[c - 1], O_WRONLY | O_APPEND | O_CREAT, 0600);
	return write(f, s, 3) != 3;
}
"""


def explored(t, *words):
    r = t.gate("explore", "--strategy", "dpor", "--report", t.path("r.json"), "-o", t.path("found"), *words)
    return r, json.load(open(t.path("r.json")))


def is_complete(t, r, report, traces):
    t.equal(r.status, 0, "status", r)
    t.check(f"\ncomplete: {traces} trace" in "\n" + r.err, f"{traces} traces", r)
    t.equal((report["schedules"], report["distinct"], report["complete"]), (traces, traces, True), "the report", r)


def built(name, text, build):
    compiler, flags = build.split()
    return compile_text(name, text, "-g " + flags, compiler)


BUILDS = ("gcc -O0", "gcc -O2", "clang -O0", "clang -O2")


@params(*BUILDS)
def test_independent(t, build):
    """Two stores to two variables."""
    r, report = explored(t, built("two.c", TWO_ATOMICS, build))
    is_complete(t, r, report, 1)
    t.check("not searched" not in r.err and "left_out" not in report, "nothing is left out", r)


@params(*BUILDS)
def test_sections(t, build):
    """Three threads with two sections of one lock: 6! / 2!^3 orders."""
    r, report = explored(t, built("sections.c", SECTIONS, build))
    is_complete(t, r, report, 90)
    t.check("not searched" not in r.err, "nothing is left out", r)


@params("memory_order_relaxed", "memory_order_seq_cst")
def test_store_buffering(t, order):
    """Three of four outcomes; that the processor may show the fourth is named where no fence forbids it."""
    program = compile_text("stores.c", STORES, f"-g -O0 -DORDER={order}")
    r, report = explored(t, program, t.path("seen"))
    is_complete(t, r, report, 3)
    t.equal(sorted(open(t.path("seen")).read().split()), ["01", "10", "11"], "outcomes", r)
    named = order == "memory_order_relaxed"
    t.equal("complete: 3 traces under sequential consistency\n" in r.err, named, "the claim", r)
    t.equal("not searched: what the memory model of x86 permits besides" in r.err, named, "the fourth", r)


LEAVES = {
    "time": ("usleep(1000);", "", [], "other lengths of sleeps and time-outs, other clocks"),
    "clock": ("time(0);", "", [], "other lengths of sleeps and time-outs, other clocks"),
    "spurious": ("pthread_mutex_lock(&m); while (!n) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);",
                 "pthread_mutex_lock(&m); n = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);", [], "spurious wake-ups"),
    "cut": ("n++;", "n++;", ["--steps", "12"], "the rest of schedules that were cut"),
    "unfair": ("for (int i = 0; i < 3 && !n; i++) sched_yield();", "n = 1;", [],
               "schedules in which a thread that yields, or spins, runs again before the other threads have run"),
    "points": ("n++;", "n++;", ["--points", "sync"], "accesses to memory that are no points: see --points memory"),
    "runs": ("n++;", "n++;", ["--runs", "1"], "schedules that were not tried yet"),
}

LEFT = r"""
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static volatile int n;
static void *a(void *p)
{
	FIRST
	return p;
}
static void *b(void *p)
{
	SECOND
	return p;
}
int main(void)
{
	pthread_t t[2];
	(void)&m, (void)&c, (void)n;
	pthread_create(&t[0], 0, a, 0);
	pthread_create(&t[1], 0, b, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
"""


@params(*LEAVES)
def test_left_out(t, what):
    first, second, options, text = LEAVES[what]
    program = compile_text(f"left_{what}.c", LEFT.replace("FIRST", first).replace("SECOND", second), "-g -O0")
    r, report = explored(t, *options, program)
    t.equal(r.status, 124 if what == "cut" else 0, "status", r)  # no schedule ended
    t.check(f"\nnot searched: {text}\n" in r.err, "what was left out", r)
    t.check("complete:" not in r.err and not report["complete"] and text in report["left_out"], "not complete", r)


@params(*[f"{seed} {BUILDS[seed % len(BUILDS)]}" for seed in range(1, 21)])
def test_generated(t, case):
    """The outcomes are those of every interleaving. tests/explore/dpor.py tries more seeds."""
    dpor.GATECTL = os.path.join(harness.BUILD, "gatectl")
    seed, compiler, flags = case.split()
    differs, _, report = dpor.compare(int(seed), compiler, flags)
    t.check(not differs, f"seed {seed}:{differs} {report.get('left_out')}")


LOST = r"""
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *work(void *p)
{
	int n = atomic_load(&x);
	atomic_store(&x, n + 1);
	return p;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, work, 0);
	pthread_create(&t[1], 0, work, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return x != 2;
}
"""


def test_gates(t):
    """A failure of dpor has gates that force it in plain runs."""
    program = compile_text("lost.c", LOST, "-g -O0")
    r = t.gate("explore", "--strategy", "dpor", "--verify", "5", "-o", t.path("found"), program)
    t.equal(r.status, 116, "status", r)
    t.check("the script has forced it in 5 of 5 runs" in r.err, "the script", r)
    again = t.gate("run", "-g", t.path("found/1/gates.lua"), program)
    t.equal(again.status, 0, "as the script expects", again)
