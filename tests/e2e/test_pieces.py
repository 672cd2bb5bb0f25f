"""A statement that the compiler has made several pieces of, or whose end has the row of another: one execution is one arrival."""

import re

from harness import compile_text, params


def check_counts(t, build, name, text):
    """Marks `gate: NAME N` in the text say how often their lines are executed."""
    compiler, flags = build.split(" ", 1)
    program = compile_text(name, text, "-g -w " + flags, compiler=compiler)
    want = dict(re.findall(r"gate: (\w+) (\d+)", text))
    script = "".join('at("//%s"):run(function() end)\n' % mark for mark in want)
    r = t.clean(t.run_gated(program, script=script))
    got = {p["location"][2:]: p["arrivals"] for p in r.report["places"]}
    t.equal(got, {mark: int(n) for mark, n in want.items()}, build, r)


CASES = r"""
#include <stdio.h>
volatile int after, sink;
__attribute__((noinline)) static void ext(const char *s) { puts(s); }
__attribute__((noinline)) static void calls(int k)
{
	switch (k) {
	case 0: ext("zero"); break; /* gate: first 1 */
	case 1: ext("one"); break; /* gate: second 2 */
	default: ext("many"); /* gate: otherwise 4 */
	}
	after = k;
}
__attribute__((noinline)) static void stores(int k)
{
	switch (k) {
	case 4: sink = 7; after = 3; break; /* gate: four 1 */
	case 5: ext("five"); sink = k; break; /* gate: five 1 */
	case 6: ext("six"); if (sink) break; sink = 1; break; /* gate: six 1 */
	case 9: return;
	}
	ext("behind"); /* gate: behind 7 */
}
__attribute__((noinline)) static void round(int n)
{
	for (int i = 0; i < n; i++) {
		if (i == 1) { ext("skip"); continue; } /* gate: skip 5 */
		if (i == 4) { ext("end"); break; } /* gate: end 4 */
		ext("on"); /* gate: on 3 */
	}
	after = n;
}
int main(int argc, char **argv)
{
	int k = argc - 1;
	for (int i = 0; i < 7; i++, k++) {
		calls(k == 6 ? 1 : k);
		stores(k);
	}
	round(argc + 7);
	return 0;
}
"""


@params("gcc -O0", "gcc -Og", "gcc -O1", "gcc -O2", "gcc -O3", "g++ -O1", "clang -O0")
def test_break_on_the_line(t, build):
    """Where a `break` needs no jump, its row stands where the other cases go on: they are no executions of its line."""
    check_counts(t, build, "cases.c" + ("c" if "+" in build else ""), CASES)


ROUNDS = r"""
#include <cstdio>
#include <string>
volatile int sink;
__attribute__((noinline)) void see(const std::string &s) { sink = (int)s.size(); }
struct guard {
	int *p;
	~guard() { if (*p > 20) delete p; else sink = sink + 1; }
};
__attribute__((noinline)) void named(int n)
{
	for (int k = 0; k < n; k++) { // gate: head 31
		std::string key = std::to_string(k);
		see(key); // gate: body 30
	}
}
__attribute__((noinline)) void guarded(int n)
{
	for (int k = 0; k < n; k++) { // gate: guarded 31
		std::string key(k, 'x');
		guard g{new int(k)};
		see(key); // gate: inner 30
	}
}
int main(int argc, char **argv)
{
	named(argc * 30);
	guarded(argc * 30);
}
"""


@params("g++ -O0", "g++ -O2", "clang++ -O0", "clang++ -O1", "clang++ -O2", "clang++ -O3")
def test_body_ends_in_a_destructor(t, build):
    """clang marks no statement where the rounds end then; each look at the condition is an arrival all the same."""
    check_counts(t, build, "rounds.cc", ROUNDS)
