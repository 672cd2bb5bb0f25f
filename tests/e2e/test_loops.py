"""One round of a loop is one arrival, whatever the compiler makes of the loop; and rows without code."""

import os
import re

from harness import Failure, compile_text, line_of, params
from patience import wall

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "programs", "loops.c")) as _f:
    LOOPS = _f.read()
MARKS = sorted({int(n) for n in re.findall(r"gate: l(\d+) ", LOOPS)})

QUICK = ["gcc -O0", "gcc -O1", "gcc -O2", "gcc -O2 -funroll-loops", "gcc -O3", "clang -O0",
         "clang -O1", "clang -O2"]
ALL = QUICK + ["gcc -Og", "gcc -Os", "gcc -O1 -funroll-loops", "gcc -O3 -funroll-loops",
               "gcc -O2 -flto", "gcc -O2 -gdwarf-4", "clang -Os", "clang -O3",
               "clang -O2 -fno-unroll-loops -fno-vectorize -fno-slp-vectorize"]

# What a compiler has made of a line so that nobody can count it, and why: (build, marks).
LOST = [
    (r".* -O[^0g].*|gcc -Os", {20}, "turned into a maximum: no code of the assignment"),
    (r"gcc -O[23] -funroll-loops", {11, 25}, "the round that RTL peels off the loop loses its mark"),
    (r"gcc -O3.*", {21}, "two additions in order, one mark"),
    (r"gcc -O3 -funroll-loops", {27}, "two rounds melted into each other, one mark"),
    (r"clang -O[^0].*", {25, 26, 31, 33, 34, 36}, "a select: no code of the branches"),
    (r"clang -O[^0].*", {4, 5, 16, 49, 50, 51}, "all rounds unrolled under one row"),
    (r"clang -O[^0].*", {2, 15, 21, 22, 41, 52}, "unrolled under one row, no stores to tell by"),
]


def counted():
    """How often each marked line is executed, by the program's own counters."""
    return compile_text("loops.c", LOOPS, "-O0 -DCOUNT")


def meanings(t, program):
    """What `lines` says: {mark: (sites, text)}; None where it is an error."""
    r = t.gate("lines", program, *["//l%d" % n for n in MARKS])
    found = {n: None for n in MARKS}
    for part in re.split(r"^(?=//l\d+: \d+ site)", r.stdout, flags=re.M)[1:]:
        m = re.match(r"//l(\d+): (\d+) site", part)
        found[int(m[1])] = (int(m[2]), part)
    return found


def is_lost(build, n):
    return any(re.fullmatch(pattern, build) and n in marks for pattern, marks, _ in LOST)


def check_build(t, build, want):
    compiler, flags = build.split(" ", 1)
    program = compile_text("loops.c", LOOPS, "-g " + flags, compiler=compiler)
    means = meanings(t, program)
    there = [n for n in MARKS if means[n]]
    script = "".join('at("//l%d", {optional = true}):run(function() end)\n' % n for n in there)
    r = t.clean(t.run_gated(program, script=script))
    got = {int(p["location"][3:]): p["arrivals"] for p in r.report["places"]}
    for n in MARKS:
        if is_lost(build, n):
            continue
        t.check(n in got, "l%d has code" % n, r)
        if got[n] == want[n]:
            continue
        if not re.search("vectorised: |unrolled: ", means[n][1]):
            raise Failure("l%d: %d arrivals of %d executions, and nothing is said\n%s\n%s"
                          % (n, got[n], want[n], means[n][1], r))
        t.check("-O0" not in build, "-O0 is not unrolled", r)
        t.check(got[n] < want[n], "l%d: more arrivals than executions" % n, r)
        if compiler == "gcc":
            t.check("vectorised: " in means[n][1], "gcc marks every other round", r)


@params(*QUICK)
def test_counts(t, build):
    want = counted_of(t)
    t.check(len(want) >= 50, "loops")
    check_build(t, build, want)


def counted_of(t):
    lines = t.run_bare(counted()).stdout.splitlines()
    return {int(l.split()[0][1:]): int(l.split()[1]) for l in lines}


@params(*[b for b in ALL if b not in QUICK])
def test_counts_more(t, build):
    if t.full:
        check_build(t, build, counted_of(t))


AFTER = r"""
static volatile int sink;
int main(void)
{
	for (int i = 0; i < 8; i++) {
		sink = i * i; /* gate: round */
	}
	return 0;
}
"""


@params("gcc -O0", "gcc -O2", "gcc -O3", "clang -O0")
def test_after_each_round(t, build):
    """A round of an unrolled loop is over where the next one begins."""
    compiler, flags = build.split()
    program = compile_text("after_round.c", AFTER, "-g " + flags, compiler=compiler)
    r = t.clean(t.run_gated(program, script='''
local before, after = 0, 0
at "//round":run(function() assert(before == after); before = before + 1 end)
at("//round", {after = true}):run(function(hit)
  after = after + 1
  assert(before == after and hit.var.sink == (after - 1) ^ 2, after)
end)
'''))
    t.equal([p["arrivals"] for p in r.report["places"]], [8, 8], "arrivals", r)


VECTOR = r"""
#include <stdio.h>
static int a[1024];
int b[1024];
__attribute__((noinline)) static void add(int n)
{
	for (int i = 0; i < n; i++)
		a[i] = b[i] * 3; /* gate: add */
}
int main(int argc, char **argv)
{
	add(argc * 1000);
	printf("%d\n", a[argc * 7]);
	return 0;
}
"""


@params("gcc -O3", "clang -O2")
def test_hit_in_a_vectorised_loop(t, build):
    """`hit` counts rounds, which nobody can see here: that is said, in one line."""
    compiler, flags = build.split()
    program = compile_text("vector.c", VECTOR, "-g " + flags, compiler=compiler)
    r = t.run_gated(program, script='at("//add", {hit = 3}):run(function() end)\n')
    t.equal(r.status, 0, "status", r)
    t.check(re.fullmatch(r"gatectl: note: .*gates1\.lua:1: //add: hit counts arrivals, but the loop was "
                         r"vectorised: .*\n", r.err), "the note", r)
    r = t.run_gated(program, script='at("//add", {hit = 3}):run(function() end)\n', options=["-q"])
    t.clean(r)
    r = t.clean(t.run_gated(program, script='at("//add"):run(function() end)\n'))
    t.check("vectorised: " in t.gate("lines", program, "//add").stdout, "lines says so", r)
    plain = compile_text("vector.c", VECTOR, "-g -O1", compiler="gcc")
    t.clean(t.run_gated(plain, script='at("//add", {hit = 3}):run(function() end)\n'))


NOTHING = r"""
#include <pthread.h>
#include <stdio.h>

static volatile int shared;

__attribute__((noinline)) static void work(int x)
{
	shared = x;
}

static void *writer(void *arg)
{
	(void)arg;
	work(7);
	return NULL; /* gate: done */
} /* gate: end */

static void *reader(void *arg)
{
	(void)arg;
	int seen = shared; /* gate: look */
	printf("%d\n", seen);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
"""
OPTIMISED = params("gcc -O0", "gcc -O1", "gcc -O2", "gcc -O3", "clang -O0", "clang -O2")


@OPTIMISED
def test_return_null_is_a_place(t, build):
    """`return NULL;` is what a tester takes for "after the deed"; gcc gives it no instruction."""
    compiler, flags = build.split()
    program = compile_text("nothing.c", NOTHING, "-g " + flags, compiler=compiler)
    r = t.gate("lines", program, "//done")
    t.equal(r.status, 0, "lines", r)
    t.equal("no code of its own" in r.stdout, compiler == "gcc" and flags != "-O0", "it is said", r)
    r = t.clean(t.run_gated(program, script='''
local done = SimpleGate "done"
at "//look":wait(done)
at "//done":run(function(hit) assert(hit.line == %d and hit.var.shared == 7) end):open(done)
''' % line_of(NOTHING, "gate: done")))
    t.equal(r.stdout, "7\n", "stdout", r)
    t.equal([p["arrivals"] for p in r.report["places"]], [1, 1], "arrivals", r)


@params("gcc -O1", "gcc -O2", "gcc -O3")
def test_two_lines_at_one_address(t, build):
    """Both are places, and act in the order of the program, not in that of the script."""
    compiler, flags = build.split()
    program = compile_text("nothing.c", NOTHING, "-g " + flags, compiler=compiler)
    done, end = line_of(NOTHING, "gate: done"), line_of(NOTHING, "gate: end")
    r = t.run_gated(program, script='''
local order = {}
local function note(word) return function(hit) order[#order + 1] = word .. hit.line end end
at("//end"):run(note "a")
at("//done", {after = true}):run(note "b")
at("//done"):run(note "c")
at("//end"):run(note "d")
at("//done"):run(note "e")
on "exit":run(function() print(table.concat(order, " ")) end)
''')
    t.equal(r.status, 0, "status", r)
    words = r.err.split()
    first = words.index("c%d" % done)
    t.equal(words[first:first + 3], ["c%d" % done, "e%d" % done, "b%d" % done], "the statement", r)
    t.equal(words.count("c%d" % done), 1, "once", r)
    t.equal(words[-2:], ["a%d" % end, "d%d" % end], "the end is last", r)


def test_held_at_the_second_line(t):
    """The verdict says the line that the thread is held at, of the two at the address."""
    program = compile_text("nothing.c", NOTHING, "-g -O1")
    r = t.run_gated(program, options=["--gate-limit", wall(0.2)], script='''
at("//done"):run(function() end)
at("//end"):when(function() return false end)
''')
    t.verdict(r, 122)
    t.check("nothing.c:%d" % line_of(NOTHING, "gate: end") in r.err, "the line", r)


INITIALISER = r"""
#include <stdio.h>
struct s {
	int a, b, c;
};
static int f(int x)
{
	return x + 1;
}
int main(int argc, char **argv)
{
	for (int i = 0; i < 5; i++) {
		struct s v = { /* gate: braces */
			.a = f(i),
			.b = argc + 2,
			.c = f(i) + argc,
		};
		int t[] = {f(i), /* gate: array */
			argc,
			f(argc),
			3};
		struct s *p = &(struct s){f(1), /* gate: literal */
			argc, f(3)};
		printf("%d %d %d %d %d\n", v.a, v.b, v.c, t[0], p->a);
	}
	return 0;
}
"""


@params("gcc -O0", "clang -O0")
def test_initialiser_over_lines(t, build):
    """clang comes back to the first line after each of the others: one execution all the same."""
    compiler, flags = build.split()
    program = compile_text("init.c", INITIALISER, "-g " + flags, compiler=compiler)
    r = t.clean(t.run_gated(program, script="".join(
        'at("//%s"):run(function() end)\n' % m for m in ("braces", "array", "literal"))))
    t.equal([p["arrivals"] for p in r.report["places"]], [5, 5, 5], "arrivals", r)


# Loops on one line behind a branch, whose jump the compiler leads straight into the middle of their code; an else on the line of
# a closing brace. Each prints how often its marked line was executed: the entries of a loop on one line, each look at its condition else.
MIDDLES = """#include <stdio.h>
volatile int ready = 1, sink;
int waiting;
#define N __attribute__((noinline, noclone))
N void wait_for(void) { sink++; ready = 1; }
N int inc(int i) { sink += i & 1; return i ^ 5; }
N void take(int quick)
{
	if (!quick)
		waiting++;
	while (!ready) wait_for(); // gate: take
	sink++;
}
N int behind_loop(int i)
{
	for (;;) {
		if (i-- <= 0)
			break;
	}
	while (inc(i) > 5 && i < 10) i++; // gate: behind_loop
	return i;
}
N int grow(int i)
{
	if (i > 3)
		sink = 1;
	while (inc(i) > 500) i++; // gate: grow
	return i;
}
N void otherwise(int n)
{
	if (n == 0) {
		sink = 1;
	} else if (n == sink + 1) { // gate: otherwise
		sink = 2;
	} else {
		inc(n);
	}
}
N void chosen(int n)
{
	switch (n) {
	case 1: sink = 3; break; case 7: inc(2); break; // gate: chosen
	default: inc(3);
	}
}
int main(void)
{
	for (int k = 0; k < 10; k++) {
		take(k < 4);
		behind_loop(2);
		grow(k);
		otherwise(k);
		chosen(k);
	}
	puts("take 10 behind_loop 10 grow 10 otherwise 9 chosen 2");
	return 0;
}
"""


@params("gcc -O0", "gcc -Og", "gcc -O1", "gcc -O2", "gcc -O3", "gcc -Os", "clang -O0", "g++ -O0", "g++ -Og", "clang++ -O0")
def test_entered_in_the_middle(t, build):
    compiler, flags = build.split(" ", 1)
    program = compile_text("middles.c" + ("c" if "+" in compiler else ""), MIDDLES, "-g -w " + flags, compiler=compiler)
    names = re.findall(r"gate: (\w+)", MIDDLES)
    script = "".join('at("//%s", {optional = true}):run(function() end)\n' % n for n in names)
    r = t.clean(t.run_gated(program, script=script))
    words = r.stdout.split()
    for p in r.report["places"]:
        name = p["location"][2:]
        t.equal(p["arrivals"], int(words[words.index(name) + 1]), "%s: %s" % (build, name))


COROUTINE = """#include <coroutine>
#include <cstdio>
struct Gen {
	struct promise_type {
		int v;
		Gen get_return_object() { return Gen{std::coroutine_handle<promise_type>::from_promise(*this)}; }
		std::suspend_always initial_suspend() { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(int x) { v = x; return {}; }
		void return_void() {}
		void unhandled_exception() { throw; }
	};
	std::coroutine_handle<promise_type> h;
	~Gen() { h.destroy(); }
	bool next() { h.resume(); return !h.done(); }
};
struct Ready {
	bool is;
	bool await_ready() { return is; }
	void await_suspend(std::coroutine_handle<>) {}
	int await_resume() { return 1; }
};
Gen numbers(int from, int to)
{
	for (int i = from; i < to; i++) {
		int z = i * 2;
		co_yield z; // gate: yields
		std::puts("resumed"); // gate: resumed
	}
}
Gen waits(int from, int to)
{
	for (int i = from; i < to; i++) {
		int got = co_await Ready{ i % 2 == 0 }; // gate: waits
		std::printf("%d,", got + i); // gate: goes_on
	}
}
int main()
{
	Gen g = numbers(0, 5);
	for (int i = 0; i < 4; i++)
		g.next();
	Gen w = waits(0, 5);
	while (w.next())
		;
}
"""


@params("g++ -O0", "g++ -Og", "g++ -O1", "g++ -O2", "clang++ -O0")
def test_coroutine(t, build):
    """It goes on in the middle of the statement in which it was left: that is no execution of its own. Nor is what clang
    does with its arguments, nor a copy of yield_value() in it."""
    compiler, level = build.split()
    names = ("yields", "resumed", "waits", "goes_on")
    program = compile_text("coroutine.cc", COROUTINE, "-std=c++20 -g " + level, compiler=compiler)
    r = t.clean(t.run_gated(program, script="".join('at("//%s"):run(function() end)\n' % n for n in names)))
    t.equal([p["arrivals"] for p in r.report["places"]], [4, 3, 5, 5], build)


UNROLLED_CALLS = """
static volatile int g, last;
__attribute__((noinline)) static void lock(int x) { g += x; }
static void put(int x)
{
	lock(x);
	last = x;
}
static void nap(int x)
{
	int half = x / 2;
	lock(half);
}
__attribute__((noinline)) static void work(void)
{
	for (int i = 0; i < 3; i++) {
		put(7); // gate: puts
		nap(40); // gate: naps
	}
	nap(2); // gate: once
}
int main(void)
{
	work();
	return 0;
}
"""


@params("gcc -O2", "gcc -O3", "clang -O1", "clang -O2", "clang -O3")
def test_unrolled_calls(t, build):
    """The whole line is a call that was inlined, in each round of a loop that was unrolled."""
    compiler, level = build.split()
    program = compile_text("rounds.c", UNROLLED_CALLS, "-g " + level, compiler=compiler)
    r = t.clean(t.run_gated(program, script="".join('at("//%s"):run(function() end)\n' % n
                                                    for n in ("puts", "naps", "once"))))
    t.equal([p["arrivals"] for p in r.report["places"]], [3, 3, 1], build)


CONDITION = r"""
static volatile int g;
__attribute__((noinline)) static int val(int x) { return x; }
static void f(int a, int b, int c)
{
	if ((val(a) > 5
	     || val(b) > 5) /* gate: or */
	    && val(c) > 5) /* gate: and */
		g++; /* gate: then */
}
int main(void)
{
	f(9, 0, 9);
	f(9, 0, 0);
	f(0, 9, 0);
	f(0, 0, 0);
	return 0;
}
"""


@params("gcc -O0", "clang -O0", "clang -O0 -gdwarf-4")
def test_condition_over_lines(t, build):
    """A line that begins with an operator is its operand, which is executed or not."""
    compiler, flags = build.split(" ", 1)
    program = compile_text("condition.c", CONDITION, "-g " + flags, compiler=compiler)
    r = t.clean(t.run_gated(program, script="".join('at("//%s"):run(function() end)\n' % m for m in ("or", "and", "then"))))
    t.equal([p["arrivals"] for p in r.report["places"]], [2, 3, 1], build)


FIRST_LINES = r"""
static volatile int g;
__attribute__((noinline)) static int val(int x) { return x; }
static int answer(int a, int b, int c)
{
	return a > 5 && b > 5 /* gate: answer */
	       && val(c) > 1; // gate: answer2 (the first line's code is in the middle)
}
static void set(int a, int b, int c)
{
	g = ((a > 5 && b > 5) /* gate: set */
	     && val(c) > 1); // gate: set2
}
static void choose(int a, int b, int c)
{
	g = (a > 5 && b > 5) /* gate: choose */
		/* one or the other */
		? val(c)  // gate: yes
		: val(1); // gate: no
}
static void decide(int a, int b, int c)
{
	if (a > 5 && b > 5 /* gate: decide */
	    && val(c) > 1)
		g++;
}
static void turn(int a, int b, int c)
{
	while (a > 5 && b > 5 /* gate: turn */
	       && val(c) > 1)
		a--;
}
static void turn_late(int a)
{
	while (a > 5 /* gate: late */
	       && val(a) > 1) // gate: late2
		a--;
}
static void nest(int a, int b, int c)
{
	if (((a > 5 || /* gate: nest */
	      val(b) > 5) && // gate: nest2
	     c > 1))
		g++;
}
static void many(int a, int b, int c)
{
	for (int i = 0; i < 2; i++)
		g = a > 5 && b > 5 && /* gate: many */
		    val(c) > 1;
}
int main(void)
{
	for (int i = 0; i < 8; i++) {
		int a = i & 1 ? 7 : 0, b = i & 2 ? 9 : 0, c = i & 4;
		answer(a, b, c);
		set(a, b, c);
		choose(a, b, c);
		decide(a, b, c);
		turn(a, b, c);
		turn_late(a);
		many(a, b, c);
		nest(a, b, c);
	}
	return 0;
}
"""


@params("gcc -O0", "g++ -O0", "gcc -O0 -gdwarf-4", "clang -O0", "clang++ -O0")
def test_lines_of_a_condition(t, build):
    """One execution is one arrival at the first line, whichever of its operands are evaluated; of a loop one round. At the
    other lines it is their operand's."""
    compiler, flags = build.split(" ", 1)
    name = "first_lines.cc" if "++" in compiler else "first_lines.c"
    program = compile_text(name, FIRST_LINES, "-g " + flags, compiler=compiler)
    want = {"answer": 8, "set": 8, "choose": 8, "decide": 8, "turn": 10, "late": 16, "many": 16,
            "answer2": 2, "set2": 2, "yes": 2, "no": 6, "late2": 8, "nest": 8, "nest2": 4}
    r = t.clean(t.run_gated(program, script="".join('at("//%s"):run(function() end)\n' % m for m in want)))
    t.equal({p["location"][2:]: p["arrivals"] for p in r.report["places"]}, want, build)


HEADER = r"""
static volatile int g;
int main(void)
{
	for (int i = 0; /* gate: first */
	     i < 3;     /* gate: look */
	     i++)
		g++;
	for (int i = 0, // gate: two
		 k = 3; i < k; i++)
		g++;
	return 0;
}
"""


@params("gcc -O0", "g++ -O0", "clang -O0", "clang++ -O0")
def test_header_over_lines(t, build):
    """The first line of a loop's header is what is done once; the jumps of the loop, which have its place, are none of it."""
    compiler, flags = build.split(" ", 1)
    program = compile_text("header.cc" if "++" in compiler else "header.c", HEADER, "-g " + flags, compiler=compiler)
    r = t.clean(t.run_gated(program, script="".join('at("//%s"):run(function() end)\n' % m for m in ("first", "look", "two"))))
    t.equal([p["arrivals"] for p in r.report["places"]], [1, 4, 1], build)


RESUMED = r"""
static volatile int g;
__attribute__((noinline)) static int val(int x) { g++; return x; }
static void f(int a)
{
	unsigned k = 0; /* gate: begins */
L:
	switch (val(k ^ k) % 3u) {
	}
	if (++k < a) /* gate: again */
		goto L;
}
int main(void)
{
	f(3);
	return 0;
}
"""


@params("gcc -O0", "clang -O0")
def test_code_of_no_line(t, build):
    """What clang puts behind a statement under line 0 is no part of it: a jump to there is no arrival."""
    compiler, flags = build.split()
    program = compile_text("resumed.c", RESUMED, "-g " + flags, compiler=compiler)
    r = t.clean(t.run_gated(program, script='at("//begins"):run(function() end)\nat("//again"):run(function() end)\n'))
    t.equal([p["arrivals"] for p in r.report["places"]], [1, 3], build)
