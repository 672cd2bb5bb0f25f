"""explore --strategy dfs --bound none: exactly one schedule of each Mazurkiewicz trace.

Two schedules are the same trace if they differ only in the order of steps that do not depend on each other: of two
threads, and not on one object. (A. Mazurkiewicz: Trace theory, 1987.) How many there are is told here by theory where a
formula is known, and otherwise by a model of the program that goes through every interleaving."""
import json
from math import factorial

from harness import compile_text, params

PROGRAM = r"""
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
static _Atomic int counters[8];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int plain;
static void *work(void *arg)
{
	for (int i = 0; i < STEPS; i++) {
		if (LOCKS) {
			pthread_mutex_lock(&lock);
			plain++;
			pthread_mutex_unlock(&lock);
		} else {
			counters[SHARED ? 0 : (intptr_t)arg]++;
		}
	}
	return arg;
}
int main(void)
{
	pthread_t threads[THREADS];
	for (intptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], 0, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], 0);
	return 0;
}
"""


def explored(t, **defines):
    program = compile_text("traces.c", PROGRAM, "-g -O1 " + " ".join(f"-D{k}={v}" for k, v in defines.items()))
    report = t.path("search.json")
    r = t.gate("explore", "--strategy", "dfs", "--bound", "none", "--points", "sync", "-o", t.path("found"),
               "--report", report, program)
    t.equal(r.status, 0, "status", r)
    found = json.load(open(report))
    t.check(found["complete"], "it has seen all", r)
    t.equal(found["distinct"], found["schedules"], "each once", r)
    return found["schedules"]


def atomics(threads, steps):
    """Orders of the additions, and of each join whether it comes before the thread's end, and waits."""
    return factorial(threads * steps) // factorial(steps) ** threads * 2 ** threads


def test_atomics(t):
    for threads, steps in (1, 0), (2, 0), (2, 1), (2, 2), (2, 3), (3, 1):
        t.equal(explored(t, THREADS=threads, STEPS=steps, SHARED=1, LOCKS=0), atomics(threads, steps), f"{threads} threads, {steps} steps")


def test_independent(t):
    """Each thread has a counter of its own: nothing but the joins makes a difference."""
    for threads in 2, 3:
        t.equal(explored(t, THREADS=threads, STEPS=2, SHARED=0, LOCKS=0), 2 ** threads, f"{threads} threads")


# ---- locks: a model of them, gone through in full ----

MUTEX = 0


def steps_of(state):
    """Whoever can move. A thread is (position, waits): it wants the lock at even positions, gives it back at odd ones,
    and ends behind the last; main joins one after the other."""
    threads, holder, joined, join_waits, steps = state
    for i, (at, waits) in enumerate(threads):
        if at <= 2 * steps and not waits:
            yield i
    if joined < len(threads) and not join_waits:
        yield -1


def step(state, who):
    threads, holder, joined, join_waits, steps = state
    threads = list(threads)
    if who < 0:
        if threads[joined][0] > 2 * steps:
            return (tuple(threads), holder, joined + 1, False, steps), ("join", joined)
        return (tuple(threads), holder, joined, True, steps), ("join", joined)
    at, _ = threads[who]
    if at == 2 * steps:  # its end wakes main, which asks again
        threads[who] = (at + 1, False)
        return (tuple(threads), holder, joined, join_waits and joined != who, steps), ("join", who)
    if at % 2 == 0:
        if holder is None:
            threads[who] = (at + 1, False)
            return (tuple(threads), who, joined, join_waits, steps), MUTEX
        threads[who] = (at, True)
        return (tuple(threads), holder, joined, join_waits, steps), MUTEX
    threads[who] = (at + 1, False)
    threads = [(a, False) if w else (a, w) for a, w in threads]  # of two threads one waits at most
    return (tuple(threads), None, joined, join_waits, steps), MUTEX


def traces(threads, steps):
    """All interleavings, each as the orders of its dependent steps: of one thread, or on one object."""
    found = set()

    def go(state, history):
        moved = False
        for who in steps_of(state):
            moved = True
            after, on = step(state, who)
            go(after, history + ((who, on),))
        if not moved:
            count, names = {}, []
            for who, on in history:
                count[who] = count.get(who, 0) + 1
                names.append((who, count[who], on))
            found.add(frozenset((a, b) for i, a in enumerate(names) for b in names[i + 1:] if a[0] != b[0] and a[2] == b[2]))

    go((((0, False),) * threads, None, 0, False, steps), ())
    return len(found)


def test_locks(t):
    for steps in 1, 2:
        t.equal(explored(t, THREADS=2, STEPS=steps, SHARED=1, LOCKS=1), traces(2, steps), f"{steps} times the lock")


# ---- accesses that overlap, and do not begin at the same address ----

HALVES = r"""
#include <pthread.h>
#include <assert.h>
struct many { long a[WORDS]; };
static union { long l; int i[2]; } both;
static struct many all __attribute__((aligned(16))), ones __attribute__((aligned(16)));
static void *write_it(void *arg)
{
	if (WORDS)
		all = ones;
	else
		both.l = 0x100000001;
	return arg;
}
static void *read_it(void *arg)
{
	if (WORDS) {
		long x = *(volatile long *)&all.a[0];
		long y = *(volatile long *)&all.a[WORDS - 1];
		assert(x == y);
	} else {
		int x = both.i[0];
		int y = both.i[1];
		assert(x == y);
	}
	return arg;
}
int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < WORDS; i++)
		ones.a[i] = 1;
	pthread_create(&threads[0], 0, write_it, 0);
	pthread_create(&threads[1], 0, read_it, 0);
	pthread_join(threads[0], 0);
	pthread_join(threads[1], 0);
	return 0;
}
"""


@params("-O0 -DWORDS=0", "-O2 -DWORDS=2", "-O0 -DWORDS=64")
def test_overlap(t, how):
    """One instruction writes what two read: an integer, 16 bytes of a register, a structure by rep movs."""
    rep = " -mmemcpy-strategy=rep_8byte:-1:noalign" if "64" in how else ""  # gcc 16 would call memcpy
    program = compile_text("halves.c", HALVES, "-g " + how + rep)
    r = t.gate("explore", "--strategy", "dfs", "--bound", "1", "-o", t.path("found"), program)
    t.equal(r.status, 116, "status", r)
    t.check("SIGABRT at halves.c" in r.err, "the assertion", r)


# ---- memory that is given back ----

GIVEN = r"""
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int *shared;
static void *read_it(void *arg)
{
	int *p = shared;
	if (p) {
		int x = p[0];
		assert(x == 7);
	}
	return arg;
}
static void *give(void *arg)
{
	int *p = shared;
	shared = 0;
	GIVE;
	return arg;
}
int main(void)
{
	pthread_t threads[2];
	shared = MAKE;
	shared[0] = 7;
	pthread_create(&threads[0], 0, read_it, 0);
	pthread_create(&threads[1], 0, give, 0);
	pthread_join(threads[0], 0);
	pthread_join(threads[1], 0);
	return 0;
}
"""

WAYS = {
    "free": ("given.c", "free(p)", "(int *)malloc(sizeof(int))", ""),
    "static": ("given.c", "free(p)", "(int *)malloc(sizeof(int))", " -static"),
    "realloc": ("given.c", "free(realloc(p, 100000))", "(int *)malloc(sizeof(int))", ""),
    "delete": ("given.cc", "delete p", "new int", ""),
    "sanitizer": ("given.c", "free(p)", "(int *)malloc(sizeof(int))", " -fsanitize=address"),
}


@params(*WAYS)
def test_given(t, way):
    """A call of free that races with a read is a point that the read depends on; the schedule is followed again."""
    name, give, make, flags = WAYS[way]
    program = compile_text(name, GIVEN.replace("GIVE", give).replace("MAKE", make), "-g -O0" + flags)
    r = t.gate("explore", "--strategy", "dfs", "--bound", "1", "-o", t.path("found"), program)
    t.equal(r.status, 116, "status", r)
    schedule = t.path("found/1/schedule")
    t.check("(give, " in open(schedule).read() and "frees: " in open(schedule).read(), "a point", r)
    again = t.gate("replay", schedule)
    t.check(again.status not in (0, 125), "it fails again", again)


YIELDS = """#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int flag;
static void *work(void *p)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (atomic_load(&flag))
			return p;
		sched_yield();
	}
	if (ROUNDS > 1)
		abort();
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	atomic_store(&flag, 1);
	pthread_join(t, 0);
	return 0;
}
"""


@params("1", "3")
def test_yields(t, rounds):
    """Who yields twice waits for the others: what that leaves out is said, and nothing where nobody does."""
    program = compile_text("yields.c", YIELDS, "-g -O0 -DROUNDS=" + rounds)
    r = t.gate("explore", "--strategy", "dfs", "--bound", "9", "-o", t.path("found"), program)
    t.equal(r.status, 0, "status", r)
    t.check("these are all schedules of at most 9 preemptions" in r.err, "the end", r)
    t.equal("\nexcept those in which a thread that yields, or spins, runs again before the other threads have run\n" in r.err, rounds == "3", "what is left out", r)
