"""Arrivals that a thread is granted: the search is the same to the last step as with --no-resident, where each of them is a stop.

Quick: eight of the bugs of tests/explore. Full: all of them, with each strategy, compiler and level.
"""

import glob
import os
import resource

from harness import compile_text, params, timeout
from test_explore import explore
from test_explore_gates import BUGS, classic

STRATEGIES = ("random", "pct", "pos", "surw", "rff", "auto")
BUILDS = (("-O0", ("gcc", "g++")), ("-O2", ("gcc", "g++")), ("-O0", ("clang", "clang++")), ("-O2", ("clang", "clang++")))
SECONDS = 100

# Each thread has words of its own and one that all share; the first one spins for what the second one says.
WORDS = """#include <pthread.h>
#include <stdlib.h>
static volatile long words[3][8], shared, said;
static void *work(void *x)
{
	long me = (long)x;
	if (me == 0)
		while (!__atomic_load_n(&said, __ATOMIC_ACQUIRE))
			;
	for (int i = 0; i < 100; i++) {
		words[me][i & 7] += i;
		if (i % 10 == 0)
			shared++;
	}
	if (me == 1)
		__atomic_store_n(&said, 1, __ATOMIC_RELEASE);
	return 0;
}
int main(void)
{
	pthread_t t[3];
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""


# The same with instructions that load and store at once: without volatile, and the compiler must not keep the words in registers.
UPDATES = WORDS.replace("volatile ", "").replace("\t\tif (i % 10", "\t\t__asm__ volatile(\"\" ::: \"memory\");\n\t\tif (i % 10")

# All kinds of locks, each thread's own and shared, nested calls, a queue with conditions, and who gives up.
LOCKS = """#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>
static pthread_mutex_t own[4], all = PTHREAD_MUTEX_INITIALIZER, queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t map = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t tokens;
static mtx_t plain;
static int queue, sum, made;
static atomic_int turns;
static void make(void) { made++; }
static __attribute__((noinline)) void add(pthread_mutex_t *m, int n)
{
	pthread_mutex_lock(m);
	sum += n;
	pthread_mutex_unlock(m);
}
static void *work(void *x)
{
	long me = (long)x;
	pthread_once(&once, make);
	for (int i = 0; i < 12; i++) {
		add(&own[me], 1);
		if (i % 4 == me)
			add(&all, 1);
		(i & 1 ? pthread_rwlock_wrlock : pthread_rwlock_rdlock)(&map);
		pthread_rwlock_unlock(&map);
		if (pthread_mutex_trylock(&all) == 0)
			pthread_mutex_unlock(&all);
		pthread_spin_lock(&spin);
		pthread_spin_unlock(&spin);
		mtx_lock(&plain);
		mtx_unlock(&plain);
		atomic_fetch_add(&turns, 1);
	}
	sem_wait(&tokens);
	pthread_mutex_lock(&queue_lock);
	if (me == 0) {
		queue++;
		pthread_cond_broadcast(&filled);
	}
	while (!queue)
		pthread_cond_wait(&filled, &queue_lock);
	pthread_mutex_unlock(&queue_lock);
	sem_post(&tokens);
	return 0;
}
int main(void)
{
	pthread_t t[3];
	pthread_spin_init(&spin, 0);
	sem_init(&tokens, 0, 3);
	mtx_init(&plain, mtx_plain);
	for (int i = 0; i < 4; i++)
		pthread_mutex_init(&own[i], 0);
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return made != 1 || queue != 1;
}
"""


def what_was_seen(r):
    """Of a search: all but how long it took, and the steps of what it has found."""
    told = {k: r.report[k] for k in ("verdict", "digest", "schedules", "distinct", "points", "cut", "barred")}
    told["found"] = {}
    for path in glob.glob(os.path.join(r.found, "*", "schedule*")):
        with open(path, encoding="utf-8") as f:
            told["found"][os.path.relpath(path, r.found)] = f.read()
    return told


def both(t, program, strategy, runs, points="memory"):
    seen = [what_was_seen(explore(t, "-q", "--strategy", strategy, "--points", points, "-j", "1", "--runs", str(runs), *options,
                                  "--verify", "1", "--", program, seconds=SECONDS)) for options in ((), ("--no-resident",))]
    t.equal(seen[0], seen[1], "%s %s: as with --no-resident" % (os.path.basename(program), strategy))


@timeout(150)
@params(*STRATEGIES)
def test_words(t, strategy):
    for level in ("-O0", "-O2") if t.full else ("-O2",):
        both(t, compile_text("words.c", WORDS, "-g -pthread " + level), strategy, 300 if t.full else 50)


@timeout(150)
@params("random", "auto")
def test_updates(t, strategy):
    """An instruction that loads and stores is two steps, in a batch too."""
    both(t, compile_text("updates.c", UPDATES, "-g -pthread -O2"), strategy, 50)


@timeout(150)
@params(*STRATEGIES)
def test_locks(t, strategy):
    for level in ("-O0", "-O2") if t.full else ("-O2",):
        for flags in ("", " -static") if t.full else ("",):
            for points in ("sync", "memory") if t.full else ("sync",):
                both(t, compile_text("locks.c", LOCKS, "-g -pthread " + level + flags), strategy, 300 if t.full else 50, points)


@timeout(6000)
@params(*range(8))
def test_bugs(t, part):
    """Whatever a program does besides."""
    names = sorted(os.path.basename(path) for path in glob.glob(os.path.join(BUGS, "*.c*")))[part::8]
    for name in names if t.full else names[:1]:
        for flags, compilers in BUILDS if t.full else BUILDS[1:2]:
            for strategy in STRATEGIES if t.full else ("auto",):
                both(t, classic(name, flags, compilers), strategy, 300 if t.full else 80)


def switches(t, program, points, *options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw
    r = explore(t, "-q", "--strategy", "pct", "--points", points, "-j", "1", "--runs", "60", *options, "--", program)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw - before, r.report["points"]


@timeout(100)
@params("memory", "sync", "updates")
def test_granted_threads_do_not_stop(t, what):
    """A stop lets gatectl go on, which waits for the next one: it goes to sleep once for each. An update is one stop, and two points."""
    text, points, steps = {"memory": (WORDS, "memory", 1), "sync": (LOCKS, "sync", 1), "updates": (UPDATES, "memory", 2)}[what]
    program = compile_text("do_not_stop.c", text, "-g -pthread -O2")
    (few, points), (many, _) = switches(t, program, points), switches(t, program, points, "--no-resident")
    t.check(many > points / steps, "each point is a stop with --no-resident: %d of %d" % (many, points))
    t.check(few < many / 2, "most are none without: %d of %d" % (few, points))
