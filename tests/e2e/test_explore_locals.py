"""Local variables that threads share: points of explore, races, atomic ones that order others; and which are none."""

import re

from harness import compile_text, params

UPDATE = """#include <pthread.h>
static void *add(void *arg)
{
	int *c = arg, k = *c;
	__asm__ volatile("" ::: "memory");
	*c = k + 1;
	return 0;
}
int main(void)
{
	pthread_t t;
	int c = 0, k;
	pthread_create(&t, 0, add, &c);
	k = c;
	__asm__ volatile("" ::: "memory");
	c = k + 1;
	pthread_join(t, 0);
	return c != 2;
}
"""

TORN = """#include <pthread.h>
struct point { volatile long a, b; };
static void *move(void *arg)
{
	struct point *p = arg;
	p->a = 1;
	p->b = 1;
	return 0;
}
int main(void)
{
	pthread_t t;
	struct point p = {0, 0};
	pthread_create(&t, 0, move, &p);
	long a = p.a, b = p.b;
	pthread_join(t, 0);
	return a != b;
}
"""

CAPTURE = """#include <thread>
int main()
{
	int sum = 0;
	auto add = [&] { int k = sum; asm volatile("" ::: "memory"); sum = k + 1; };
	std::thread t(add);
	int k = sum;
	asm volatile("" ::: "memory");
	sum = k + 1;
	t.join();
	return sum != 2;
}
"""

# Clean: a flag and a queue's locks stand on stacks, and are atomic.
SPIN = """#include <pthread.h>
#include <stdatomic.h>
static int x;
struct node { atomic_int locked; int pad; };
static _Atomic(struct node *) tail;
static void *work(void *arg)
{
	struct node *n;
	while (!(n = atomic_load(&tail)))
		;
	x = 1;
	atomic_store(&n->locked, 0);
	return arg;
}
int main(void)
{
	pthread_t t;
	struct node me;
	pthread_create(&t, 0, work, 0);
	atomic_store(&me.locked, 1);
	atomic_store(&tail, &me);
	while (atomic_load(&me.locked))
		;
	int r = x;
	pthread_join(t, 0);
	return r != 1;
}
"""

MCS = """#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
struct node { _Atomic(struct node *) next; atomic_int locked; };
static _Atomic(struct node *) tail;
static int x;
static void lock(struct node *me)
{
	struct node *p;
	atomic_store(&me->next, NULL);
	atomic_store(&me->locked, 1);
	if ((p = atomic_exchange(&tail, me))) {
		atomic_store(&p->next, me);
		while (atomic_load(&me->locked))
			;
	}
}
static void unlock(struct node *me)
{
	struct node *e = me, *n = atomic_load(&me->next);
	if (!n) {
		if (atomic_compare_exchange_strong(&tail, &e, NULL))
			return;
		while (!(n = atomic_load(&me->next)))
			;
	}
	atomic_store(&n->locked, 0);
}
static void *work(void *arg)
{
	for (int i = 0; i < 2; i++) {
		struct node me;
		lock(&me);
		x++;
		unlock(&me);
	}
	return arg;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return x != 4;
}
"""

# Clean: each thread's local variable may stand where that of an ended one did.
SAME_STACK = """#include <pthread.h>
__attribute__((noinline)) static void add(int *p) { (*p)++; __asm__ volatile("" ::: "memory"); }
static void *work(void *arg)
{
	int local = 0;
	add(&local);
	local++;
	return arg;
}
int main(void)
{
	pthread_attr_t detached;
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < 3; i++) {
		pthread_t t;
		pthread_create(&t, &detached, work, 0);
	}
	pthread_exit(0);
}
"""

# Nobody else knows the locals, so they are no points.
OWN = """#include <pthread.h>
static void *work(void *arg)
{
	volatile int own = 0;
	for (int i = 0; i < 20; i++)
		own++;
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	pthread_join(t, 0);
	return 0;
}
"""

BUILDS = ("gcc -O0", "gcc -O2", "clang -O0", "clang -O2")


def build(name, text, how, more=""):
    compiler, level = how.split()
    if name.endswith(".cc"):
        compiler = {"gcc": "g++", "clang": "clang++"}[compiler]
    return compile_text(name, text, f"-g -pthread {level} {more}", compiler)


@params(*BUILDS)
def test_found(t, how):
    """A lost update and a torn read, by default, and by going through all schedules."""
    for name, text in (("update.c", UPDATE), ("torn.c", TORN)):
        program = build(name, text, how)
        for i, options in enumerate((["--runs", "100"], ["--points", "memory", "--strategy", "dfs"])):
            r = t.gate("explore", *options, "-o", t.path(f"{name}{i}"), program)
            t.equal(r.status, 116, f"{name} {options}", r)


@params("gcc -O2", "clang -O0")
def test_captured(t, how):
    r = t.gate("races", "--runs", "10", build("capture.cc", CAPTURE, how))
    t.equal(r.status, 116, "status", r)
    t.check(re.search(r"capture.cc:9 and capture.cc:5|capture.cc:5 and capture.cc:9|capture.cc:7 and capture.cc:5", r.first), "where", r)


@params("gcc -O2", "clang -O2")
def test_without_types(t, how):
    """Only line numbers, or nothing at all: then what is given away reaches up to the next that is."""
    for more in ("-g1", "-g0"):
        r = t.gate("races", "--runs", "10", build("torn.c", TORN, how, more))
        t.equal(r.status, 116, more, r)


@params(*BUILDS)
def test_no_race(t, how):
    for name, text in (("spin.c", SPIN), ("mcs.c", MCS), ("same_stack.c", SAME_STACK)):
        r = t.gate("races", "--runs", "30", build(name, text, how))
        t.equal(r.status, 0, name, r)


def test_own_locals_are_no_points(t):
    """A thread's own variables are no points: create, start, join, ends."""
    r = t.gate("explore", "--points", "memory", "--strategy", "dfs", build("own.c", OWN, "gcc -O0"))
    t.equal(r.status, 0, "status", r)
    points = float(r.err.split(" points each")[0].split()[-1])
    t.check(points < 12, f"{points} points", r)
