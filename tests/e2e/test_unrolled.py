"""clang gives all rounds of a loop that it unrolls one row: a statement that calls is executed as often as its calls stand there."""

import re

from harness import check_counts, compile_text, params

BUILDS = ("gcc -O0", "gcc -O3", "clang -O0", "clang -O1", "clang -O2", "clang -O3", "clang -Os")

LOOPS = r"""
#include <stdlib.h>
struct queue { int n; };
volatile int seen;
int total, all[8];
__attribute__((noinline)) int work(int i) { seen += i; return i + 1; }
__attribute__((noinline)) int more(int i, int k) { seen += i ^ k; return i * k; }
__attribute__((noinline)) void push(struct queue *q, int n) { q->n += n; seen++; }
__attribute__((noinline)) void loops(struct queue *q)
{
	for (int i = 0; i < 5; i++)
		work(i); /* gate: alone 10 */
	for (int i = 0; i < 6; i++) {
		all[i] = more(work(i), i); /* gate: stored 12 */
		work(i); work(i + 1); /* gate: twice 12 */
	}
	for (int i = 0; i < 4; i++)
		total = more(i, 7) + work(i); /* gate: sum 8 */
	for (int i = 0; i < 3; i++) {
		push(q, work(i)); /* gate: first 6 */
		for (int k = 0; k < 2; k++)
			total -= more(i, k); /* gate: inner 12 */
	}
	for (int i = 0; i < 4; i++)
		if (work(i) > 2) /* gate: condition 6 */
			break;
	for (int i = 0; i < 4; i++)
		srand(i + 1); /* gate: library 8 */
	int i = 0;
	do
		push(q, i); /* gate: do 8 */
	while (++i < 4);
}
__attribute__((noinline)) void by_four(int n)
{
	#pragma clang loop unroll_count(4)
	for (int i = 0; i < n; i++)
		total += work(i); /* gate: partly 18 */
}
int main(void)
{
	struct queue q = {0};
	loops(&q);
	loops(&q);
	by_four(11);
	by_four(7);
	return 0;
}
"""


@params(*BUILDS)
def test_counts(t, build):
    check_counts(t, build, "unrolled.c", LOOPS)


METHODS = r"""
#include <vector>
struct shop {
	int n = 0;
	[[gnu::noinline]] void sell(int k) { n += k; asm volatile("" ::: "memory"); }
	[[gnu::noinline]] int left() const { asm volatile("" ::: "memory"); return n; }
};
namespace far { [[gnu::noinline]] static int away(int i) { asm volatile("" ::: "memory"); return i; } }
int main()
{
	shop s;
	for (int i = 0; i < 4; i++)
		s.sell(far::away(i)); // gate: method 4
	for (int i = 0; i < 3; i++)
		if (s.left() < 0) // gate: left 3
			s.sell(-1);
	return s.n == 6 ? 0 : 1;
}
"""


@params("g++ -O0", "g++ -O2", "clang++ -O0", "clang++ -O1", "clang++ -O2", "clang++ -O3")
def test_methods(t, build):
    check_counts(t, build, "unrolled.cc", METHODS)


NO_ROUNDS = r"""
#define BOTH(f, i) f(i), f((i) + 1)
volatile int seen;
__attribute__((noinline)) int work(int i) { seen += i; return i + 1; }
__attribute__((noinline)) void once(int n)
{
	work(n), work(n + 1); /* gate: once 2 */
	for (int i = 0; i < n; i++) {
		BOTH(work, i); /* gate: macro 6 */
		work(work(work(i))); /* gate: nested 6 */
	}
	BOTH(work, n); /* gate: behind 2 */
}
int main(void) { once(3); once(3); return 0; }
"""


@params(*BUILDS)
def test_several_calls_are_one_statement(t, build):
    check_counts(t, build, "one.c", NO_ROUNDS)


ROUND = r"""
#include <stdio.h>
volatile int done;
__attribute__((noinline)) void work(int i) { done = done * 10 + i; }
int main(void)
{
	for (int i = 1; i <= 4; i++)
		work(i); // gate: work
	printf("%d\n", done);
	return 0;
}
"""


@params("gcc -O0", "clang -O0", "clang -O1", "clang -O2", "clang -O3")
def test_a_round(t, build):
    """Who is held at one has made those before and none behind; `after` is when the next one begins."""
    compiler, flags = build.split(" ", 1)
    program = compile_text("round.c", ROUND, "-g -w " + flags, compiler=compiler)
    script = """
at("//work", {hit = 3}):run(function(hit) print("before", program.var.done, hit.var.i) end)
at("//work", {hit = 2, after = true}):run(function(hit) print("after", program.var.done) end)
at("//work"):run(function(hit) print("hit", hit.var.i) end)
"""
    r = t.clean(t.run_gated(program, script=script))
    said = re.sub(r"[ \t]+", " ", r.err + r.stdout)
    for line in ("before 12 3", "after 12", "hit 1", "hit 2", "hit 3", "hit 4", "1234"):
        t.check(line in said, "'%s' is said" % line, r)
