"""A statement whose calls are inlined begins where the first of them does, and is one execution whatever becomes of them."""

import os
import re

from harness import compile_text, params

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "inlined.c")) as _f:
    INLINED = _f.read()
WANT = {name: int(count) for name, count in re.findall(r"gate: (c\d+) (\d+) ", INLINED)}

# What a compiler has made of a line so that nobody can count it, and why: (build, marks).
LOST = [
    (r"gcc -O[12]", {"c25"}, "the value is returned where it lies: no code"),
    (r"gcc -O2", {"c18"}, "control goes on in the middle of the call, without a mark"),
]


@params("gcc -O0", "gcc -Og", "gcc -O1", "gcc -O2", "clang -O0", "clang -O1")
def test_counts(t, build):
    compiler, flags = build.split()
    program = compile_text("inlined.c", INLINED, "-g " + flags, compiler=compiler)
    there = set(re.findall(r"^//(c\d+): \d+ site", t.gate("lines", program, *["//" + n for n in WANT]).stdout, flags=re.M))
    t.check(len(there) >= len(WANT) - 1, "lines have code")
    lost = {n for pattern, marks, _ in LOST if re.fullmatch(pattern, build) for n in marks}
    script = "".join('at("//%s", {optional = true}):run(function() end)\n' % n for n in sorted(there - lost))
    r = t.clean(t.run_gated(program, script=script))
    got = {p["location"][2:]: p["arrivals"] for p in r.report["places"]}
    t.equal(got, {n: WANT[n] for n in there - lost}, build)


CALLED = r"""
#include <stdio.h>
static int calls;
static volatile int sink;
static int helper(int x)
{
	calls++;
	sink = x;
	return x * 2;
}
__attribute__((noinline)) static int run(int x)
{
	puts("run");
	int r = helper(42); /* gate: call */
	return r + x;
}
int main(void)
{
	int s = 0;
	for (int i = 0; i < 3; i++)
		s += run(i);
	return s == 0;
}
"""
AT_CALL = 'at "//call":run(function(hit) print("call", hit.func, hit.var.x) end)\n'
AT_ENTRY = 'at "helper":run(function(hit) print("entry", hit.func, hit.var.x, hit:frame(1).func) end)\n'


@params(*(c + " " + o for c in ("gcc", "clang") for o in ("-O0", "-O1", "-O2")))
def test_each_place_sees_its_function(t, build):
    """The call and the entry of what is inlined there are one address: whatever comes first in the script, each has its own variables."""
    compiler, flags = build.split()
    program = compile_text("called.c", CALLED, "-g " + flags, compiler=compiler)
    for script in (AT_CALL + AT_ENTRY, AT_ENTRY + AT_CALL):
        r = t.clean(t.run_gated(program, script=script, report=False))
        t.equal(sorted(r.err.splitlines()), ["call\trun\t%d" % i for i in range(3)] + ["entry\thelper\t42\trun"] * 3, build)


ALIGNED = r"""
#include <stdio.h>
struct n { int v; };
__attribute__((noinline)) int use(int v) { __asm__ volatile("" : "+r"(v) :: "memory"); return v; }
static void mid(struct n *p)
{
	use(p->v);
	p->v++;
}
__attribute__((noinline)) int top(struct n *other, struct n *p, int n)
{
	do {
		mid(other); /* gate: call */
		use(p->v);
	} while (--n);
	return p->v;
}
int main(int argc, char **argv)
{
	struct n a = { 5 }, b = { 1000 };
	printf("%d\n", top(&a, &b, argc + 2));
}
"""


@params(*(c + " " + o for c in ("gcc", "clang") for o in ("-O0", "-O1", "-O2")))
def test_a_copy_that_begins_with_padding(t, build):
    """clang lets the copy begin at the nops that align its loop: a thread behind them has not entered it."""
    compiler, flags = build.split()
    r = t.clean(t.run_gated(compile_text("aligned.c", ALIGNED, "-g " + flags, compiler=compiler), report=False, script="""
at "//call":run(function(hit)
	print(hit.func, hit.var.p.v, hit.arg[1].v, hit:frame(0).func, hit:backtrace()[1].func, hit:frame(1).func)
end)
"""))
    t.equal(r.err.splitlines(), ["top\t1000\t1000\ttop\ttop\tmain"] * 3, build)
