"""A statement whose calls are inlined begins where the first of them does, and is one execution whatever becomes of them."""

import os
import re

from harness import compile_text, params
from variables import version

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "inlined.c")) as _f:
    INLINED = _f.read()
WANT = {name: int(count) for name, count in re.findall(r"gate: (c\d+) (\d+) ", INLINED)}

# Lines whose executions the debug information does not tell apart, and why: (build with the compiler's version, marks).
LOST = [
    (r"gcc \d+ -O[12]", {"c25"}, "the value is returned where it lies: no code"),
    (r"gcc \d+ -O2", {"c18"}, "control goes on in the middle of the call, without a mark"),
    (r"gcc 1[6-9] -O2", {"c16"}, "one of its marks has no code, and jumps from the other one lead to the same address"),
    (r"clang 2\d -O1", {"c13"}, "the comparisons of c18 and c29 are the same as its own, and said to be its own"),
]


@params("gcc -O0", "gcc -Og", "gcc -O1", "gcc -O2", "clang -O0", "clang -O1")
def test_counts(t, build):
    compiler, flags = build.split()
    program = compile_text("inlined.c", INLINED, "-g " + flags, compiler=compiler)
    there = set(re.findall(r"^//(c\d+): \d+ site", t.gate("lines", program, *["//" + n for n in WANT]).stdout, flags=re.M))
    t.check(len(there) >= len(WANT) - 1, "lines have code")
    named = "%s %s %s" % (compiler, version(compiler), flags)
    lost = {n for pattern, marks, _ in LOST if re.fullmatch(pattern, named) for n in marks}
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


# A place of a function that begins with copies of others is answered from that function, even where the instruction is one
# of a copy's, and was moved behind others.
COMPILERS = [c + " " + o for c in ("gcc", "clang") for o in ("-O0", "-O1", "-O2")]
LATE = [*COMPILERS, "gcc -O2 -flto"]

GUARDED = r"""
#include <stdio.h>
struct q { int n, size; };
static inline int empty(const struct q *p) { return p->n == 0; }
__attribute__((noinline)) int take(struct q *q, int force)
{
	if (empty(q)) /* gate: guard */
		return -1;
	q->size++;
	printf("%d\n", force);
	return q->n--;
}
int main(void)
{
	struct q q = { 3, 7 };
	take(&q, 11);
	take(&q, 12);
	return q.size;
}
"""


def build_of(name, text, build):
    compiler, *flags = build.split()
    if name.endswith(".cc"):
        compiler = {"gcc": "g++", "clang": "clang++"}[compiler]
    return compile_text(name, text, "-g " + " ".join(flags), compiler=compiler)


@params(*LATE)
def test_a_guard_that_was_inlined(t, build):
    """The function's entry and its first line, which calls what was inlined: both have the function's arguments."""
    program = build_of("guarded.c", GUARDED, build)
    for location in ("take", "//guard"):
        r = t.clean(t.run_gated(program, report=False, script="""
at("%s"):run(function(h)
	print(h.func, h.arg[0].n, h.arg[1], h.var.q.n, h.var.force, h:eval "q->n * 100 + force", h:frame(0).func, h:frame(1).func, h:frame(0).line == h.line)
	h.var.q.size = h.var.q.size * 10
end)
""" % location), status=711 & 255)
        t.equal(r.err.splitlines(), ["take\t3\t11\t3\t11\t311\ttake\tmain\ttrue", "take\t2\t12\t2\t12\t212\ttake\tmain\ttrue"], build)


@params(*LATE)
def test_a_guard_is_compared_inside_the_program(t, build):
    """What is decided inside the program looks at the function's own variable."""
    text = GUARDED.replace("struct q q = { 3, 7 };", "struct q q = { 3, 7 };\n\tfreopen(\"/dev/null\", \"w\", stdout);\n"
                           "\tfor (int i = 100; i < 5000; i++) {\n\t\tq.n = 3;\n\t\ttake(&q, i);\n\t}")
    program = build_of("guarded_often.c", text, build)
    for location in ("take", "//guard"):
        r = t.clean(t.run_gated(program, script="""
at("%s", { when = "force == 4999" }):run(function(h) print("last", h.var.force) end)
""" % location), status=4902 + 7 & 255)
        t.equal((r.err, r.report["places"][0]["arrivals"], r.report["places"][0]["trap"]), ("last\t4999\n", 1, None), build)


SAME_NAMES = r"""
#include <cstdio>
struct Queue {
	int n = 7;
	bool empty() const { return n == 0; }
};
struct Pool {
	int n = 1234;
	Queue q;
	__attribute__((noinline)) int take(int want);
};
int Pool::take(int want)
{
	if (q.empty()) // gate: guard
		return -1;
	std::printf("%d %d\n", n, want);
	return n--;
}
int main(int argc, char **)
{
	Pool p;
	p.n += argc - 1;
	p.take(54 + argc);
}
"""


@params(*LATE)
def test_members_of_the_same_name(t, build):
    """The member is the function's object's, for a write as well."""
    program = build_of("same_names.cc", SAME_NAMES, build)
    for location in ("Pool::take", "//guard"):
        r = t.clean(t.run_gated(program, report=False, script="""
at("%s"):run(function(h) print(h.func, h.var.n, h.var.this.n, h.arg[0]) h.var.n = 99 end)
""" % location))
        t.equal((r.err, r.out), ("Pool::take\t1234\t1234\t55\n", b"99 55\n"), build)


NESTED = r"""
#include <cassert>
#include <cstdio>
#include <deque>
struct DB {
	std::deque<int *> w; int mem = 42;
	__attribute__((noinline)) int room(int force);
};
int DB::room(int force)
{
	assert(!w.empty()); // gate: guard
	while (true) {
		if (force > 3)
			return mem;
		force++;
		std::puts("x");
	}
}
int main()
{
	DB d;
	int x;
	d.w.push_back(&x);
	return d.room(3) != 42;
}
"""


@params(*LATE)
def test_copies_in_copies(t, build):
    """Several copies, one in the other, begin the function: none of them is in the backtrace."""
    program = build_of("nested.cc", NESTED, build)
    for location in ("DB::room", "//guard"):
        r = t.clean(t.run_gated(program, report=False, script="""
at("%s"):run(function(h) print(h.func, h.var.this.mem, h.arg[0], h.var.force, h:backtrace()[1].func, h:backtrace()[2].func) end)
""" % location))
        t.equal(r.err, "DB::room\t42\t3\t3\tDB::room\tmain\n", build)


RECURSIVE = r"""
#include <stdio.h>
struct n { struct n *next; int v; };
__attribute__((noinline)) int use(int v) { __asm__ volatile("" : "+r"(v) :: "memory"); return v; }
static int sum(struct n *p, int depth)
{
	int r = use(p->v) * 2; /* gate: first */
	if (depth)
		r += sum(p->next, depth - 1) * 3;
	return r + use(p->v);
}
__attribute__((noinline)) int total(struct n *list, int most)
{
	int s = sum(list, 2); /* gate: call */
	return s + use(list->v) + use(most);
}
int main(int argc, char **argv)
{
	struct n c = { 0, 3 }, b = { &c, 20 }, a = { &b, 100 };
	printf("%d\n", total(&a, 999 + argc));
}
"""


@params(*LATE)
def test_a_function_inlined_into_itself(t, build):
    """Each of the copies has its own node, and the function around them has the list."""
    program = build_of("recursive.c", RECURSIVE, build)
    r = t.clean(t.run_gated(program, report=False, script="""
at("total"):run(function(h) print(h.func, h.var.list.v, h.arg[1]) end)
at("//call"):run(function(h) print(h.func, h.var.list.v, h.var.most) end)
at("//first"):run(function(h) print(h.func, h.var.p.v, h.arg[0].v) end)
"""))
    t.equal(sorted(r.err.splitlines()), ["sum\t%d\t%d" % (v, v) for v in (100, 20, 3)] + ["total\t100\t1000"] * 2, build)


TEMPLATES = r"""
#include <cstdio>
template <class T> struct Box {
	T v;
	template <class U> __attribute__((always_inline)) bool full(U limit) const { return v >= limit; }
};
template <class T> __attribute__((noinline)) int put(Box<T> &box, T v)
{
	if (box.full(v + 1)) // gate: guard
		return 1;
	auto more = [&](int n) __attribute__((always_inline)) { return box.v + n; };
	int r = (int)more(3); // gate: lambda
	std::printf("%d\n", r);
	box.v += r;
	return r;
}
int main()
{
	Box<int> a{10};
	Box<long> b{20};
	return put(a, 100) + put(b, 200L) == 0;
}
"""


@params(*COMPILERS)
def test_templates_and_lambdas(t, build):
    """Instances of one template have one name, and each its own objects; so has the function around a lambda."""
    program = build_of("templates.cc", TEMPLATES, build)
    for location in ("put", "//guard"):
        r = t.clean(t.run_gated(program, report=False, script="""
at("%s"):run(function(h) print(h.var.box.v, h.arg[1], h.arg[0].v, h.var.v) end)
""" % location))
        t.equal(r.err.splitlines(), ["10\t100\t10\t100", "20\t200\t20\t200"], build)


@params(*COMPILERS)
def test_held_at_a_guard(t, build):
    """In the REPL the thread is in the function whose line it was sent to, or is held at."""
    program = build_of("guarded.c", GUARDED, build)
    for commands in (["until main guarded.c:7"], ['at("guarded.c:7"):wait(SimpleGate "g")', "run"]):
        commands = [*commands, "bt main", "print main q->n * 100 + force", "locals main", "quit"]
        r = t.gate("repl", program, stdin=("\n".join(commands) + "\n").encode(), seconds=40)
        t.check(re.search(r"^#0 +take at \S*guarded.c:7\n#1 +main ", r.stdout, re.M), "the backtrace", r)
        t.check("\n311\n" in r.stdout and "int force = 11" in r.stdout, "the variables", r)
        t.check(not re.search(r"in empty|^#\d+ +empty", r.stdout, re.M), "nothing is in the copy", r)
