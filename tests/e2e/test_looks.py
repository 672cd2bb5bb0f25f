"""Each look at the condition of a loop that has a line to itself is one arrival, also where the condition is an inlined call."""

import re

from harness import compile_text, params

LOOKS = r"""
#include <pthread.h>
#include <stdio.h>
#define N __attribute__((noinline)) static
struct queue { pthread_mutex_t m; int n; };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int head, tail, buffer[8], left = 7;
static volatile int sink;
static inline int pop(struct queue *q, int *x)
{
	pthread_mutex_lock(&q->m);
	*x = q->n;
	int r = q->n > 0 ? q->n-- : 0;
	pthread_mutex_unlock(&q->m);
	return r;
}
static inline int take(struct queue *q, int *x)
{
	*x = q->n;
	int r = q->n > 0 ? q->n-- : 0;
	return r;
}
static int get(int *x)
{
	pthread_mutex_lock(&m);
	if (head == tail) {
		pthread_mutex_unlock(&m);
		return 0;
	}
	*x = buffer[head++ % 8];
	pthread_mutex_unlock(&m);
	return 1;
}
static inline int more(void)
{
	return left-- > 0;
}
N int put(const char *s, long x)
{
	__asm__ volatile("" :: "r"(x), "r"(s) : "memory");
	return 1;
}
N long pops(struct queue *q, int *level)
{
	long n = 0;
	int x;
	while (pop(q, &x)) { // gate: pop 25
		n += x;
		if (*level > 0)
			put("%ld\n", n); // gate: popped 24
	}
	return n;
}
N long takes(struct queue *q, int *level)
{
	long n = 0;
	int x;
	while (take(q, &x)) { // gate: take 13
		n += x;
		if (*level > 0)
			put("%ld\n", n); // gate: taken 12
	}
	return n;
}
N int gets_all(void)
{
	int x, s = 0;
	while (get(&x)) { // gate: get 6
		printf("%d\n", x);
		s += x;
	}
	return s;
}
N long mores(int *level)
{
	long k = 0;
	while (more()) { // gate: more 8
		k++;
		if (*level)
			put("", k);
	}
	return k;
}
N int both(struct queue *q)
{
	int x, n = 0;
	while (pop(q, &x) && sink == 0) { // gate: both 4
		if (!put("", x))
			return n;
		n += x;
	}
	return n;
}
N void nested(struct queue *q, int rounds)
{
	int x;
	for (int i = 0; i < rounds; i++) {
		q->n = i;
		while (pop(q, &x)) // gate: nested 15
			put("", x);
	}
}
int main(void)
{
	struct queue q = { PTHREAD_MUTEX_INITIALIZER, 24 };
	int level = 1;
	pops(&q, &level);
	q.n = 12;
	takes(&q, &level);
	for (int i = 0; i < 5; i++)
		buffer[tail++] = i;
	gets_all();
	mores(&level);
	q.n = 3;
	both(&q);
	nested(&q, 5);
	return 0;
}
"""
WANT = {name: int(count) for name, count in re.findall(r"gate: (\w+) (\d+)$", LOOKS, flags=re.M)}


@params(*["gcc " + o for o in ("-O0", "-Og", "-O1", "-Os", "-O2", "-O3")] + ["clang -O0"])
def test_condition_is_a_call(t, build):
    compiler, level = build.split()
    program = compile_text("looks.c", LOOKS, "-g -pthread " + level, compiler=compiler)
    r = t.clean(t.run_gated(program, script="".join('at("//%s"):run(function() end)\n' % name for name in WANT)))
    t.equal({p["location"][2:]: p["arrivals"] for p in r.report["places"]}, WANT, build)


RELEASED = r"""
#include <stdio.h>
#include <stdlib.h>
struct list { struct list *next; };
static void release(struct list *l)
{
	while (l) {
		struct list *n = l->next;
		free(l);
		l = n;
	}
}
int main(void)
{
	struct list *l = NULL;
	for (int i = 0; i < 4; i++) {
		struct list *n = malloc(sizeof *n);
		n->next = l;
		l = n;
	}
	release(l); // gate: released
	puts("released");
	return 0;
}
"""


@params(*["gcc " + o for o in ("-O0", "-Og", "-O1", "-Os", "-O2")] + ["clang -O1"])
def test_call_is_a_loop(t, build):
    """Nothing is left of the line but a call whose loop jumps back to where it begins: no round is a call."""
    compiler, level = build.split()
    program = compile_text("released.c", RELEASED, "-g " + level, compiler=compiler)
    r = t.clean(t.run_gated(program, script='at("//released"):run(function() end)\nat("release"):run(function() end)\n'))
    t.equal([p["arrivals"] for p in r.report["places"]], [1, 1], build)


HOISTED = r"""
#include <cstdio>
#include <mutex>
#include <vector>
template <class T> struct Queue {
	std::mutex m;
	std::vector<T> v;
	void push(T x)
	{
		std::lock_guard<std::mutex> g(m); // gate: locked
		v.push_back(x); // gate: pushed
	}
};
Queue<int> q;
__attribute__((noinline)) void fill(int n)
{
	for (int i = 0; i < n; i++) // gate: looks
		q.push(i);
}
int main(int c, char **)
{
	fill(c + 2);
	std::printf("%zu\n", q.v.size());
}
"""


@params(*["g++ " + o for o in ("-O0", "-O1", "-Os", "-O2")])
def test_moved_out_of_a_loop(t, build):
    """An address that is computed once, before the loop, is of a call in it, and no call."""
    compiler, level = build.split()
    program = compile_text("hoisted.cc", HOISTED, "-g -pthread " + level, compiler=compiler)
    r = t.clean(t.run_gated(program, script="".join('at("//%s"):run(function() end)\n' % n for n in ("locked", "pushed", "looks"))))
    t.equal([p["arrivals"] for p in r.report["places"]], [3, 3, 4], build)
