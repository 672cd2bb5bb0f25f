"""Lambdas as gatectl prints them (backtraces, threads, `lines`) are locations."""

import re
import subprocess

from harness import compile_text, line_of, params

LAMBDAS = r"""
#include <stdlib.h>
#include <thread>
static volatile int n;
static void crash() { n = n + 1; if (n > 3) abort(); }
struct S {
	template <class F> void each(F f) { f(1); }
	void go(int)
	{
		each([&](int x) {
			n = n + x; /* first in go */
		});
		each([=](auto x) {
			n = n + x; /* second in go */
			crash();
		});
	}
};
int main(int argc, char **)
{
	std::thread a([&] {
		n = argc - 1; /* first in main */
	});
	a.join();
	std::thread b([&] {
		n = n + 1; /* second in main */
	});
	b.join();
	S().go(2);
	S().go(2);
	return 0;
}
"""


def resolves(t, program, location, text):
    r = t.gate("lines", program, location)
    t.equal(r.status, 0, location, r)
    t.check(r.stdout.startswith("%s: 1 site\n" % location), "one place", r)
    t.check(re.search(r"lambdas\.cpp:%d 0x" % line_of(LAMBDAS, text), r.stdout), text, r)


def test_lambda_by_its_number(t):
    program = compile_text("lambdas.cpp", LAMBDAS)
    for number, text in ((1, "first"), (2, "second")):
        for end in ("", "::operator()", "::operator()() const"):
            resolves(t, program, "main::{lambda()#%d}%s" % (number, end), text + " in main")
    for compiler in ("g++", "clang++"):
        program = compile_text("lambdas.cpp", LAMBDAS, compiler=compiler)
        for name in ("S::go(int)::{lambda(int)#1}", "S::go::{lambda(int)#1}", "go::{lambda(int)#1}"):
            resolves(t, program, name + "::operator()", "first in go")
            resolves(t, program, name, "first in go")
        symbols = subprocess.run(["nm", "-C", program], capture_output=True, text=True, check=True).stdout
        number = 2 if "go(int)::{lambda(auto:1)#2}" in symbols else 1  # gcc before 16 counts all of the function's
        resolves(t, program, "S::go(int)::{lambda(auto:1)#%d}::operator()<int>" % number, "second in go")
    for number, text in enumerate(("first", "second")):
        resolves(t, program, "main::$_%d::operator()" % number, text + " in main")
        resolves(t, program, "main::$_%d" % number, text + " in main")
        resolves(t, program, "main::{unnamed}::operator()#%d" % (number + 1), text + " in main")


def test_printed_names_are_locations(t):
    """The frames of a crash and the threads' start routines, as they are."""
    for compiler in ("g++", "clang++"):
        program = compile_text("lambdas.cpp", LAMBDAS, compiler=compiler)
        r = t.gate("run", "-v", program)
        t.equal(r.status, 134, "status", r)
        starts = sorted(set(re.findall(r"(main::\S+)#1 starts", r.err)))
        frames = re.findall(r"#\d+ +(S::.*lambda.*?) \((?:this|__closure)", r.err)
        t.check(len(starts) == 2 and frames, "threads and frames", r)
        for name in starts + frames:
            found = t.gate("lines", program, name)
            t.check(found.status == 0 and ": 1 site\n" in found.stdout, name, found)
        r = t.run_gated(program, "".join('at("%s"):log "here"\n' % name for name in starts + frames), options=["-v"])
        for name in starts + frames:
            t.check(" arrives at %s\n" % name in r.err, name + " is reached", r)


def test_lambdas_that_are_not_numbered(t):
    r = t.error(t.gate("lines", compile_text("lambdas.cpp", LAMBDAS, compiler="clang++"), "main::{lambda()#2}"), 125,
                re.escape("no function main::{lambda()#2}"))
    t.check("write main::{unnamed}::operator()" in r.err, "what there is", r)


def test_line_of_a_function_that_begins_with_another(t):
    """Optimised code of a function may begin with a copy of another one: it is shown at the call, a line of its own."""
    text = "#include <thread>\n" + LAMBDAS.replace("#include <thread>\n", "")
    for compiler in ("g++", "clang++"):
        program = compile_text("begins.cpp", text, "-g -O2", compiler=compiler)
        for function, first, last in (("main", "int main", "b.join()"), ("S::go", "void go(int)", "second in go")):
            r = t.gate("lines", program, function)
            shown = re.findall(r" %s (\S+):(\d+) 0x" % function, r.stdout)
            t.check(shown and all(file.endswith("/begins.cpp") and line_of(text, first) <= int(line) <= line_of(text, last)
                                  for file, line in shown), "%s %s" % (compiler, function), r)


CALLED = r"""
extern "C" int atoi(const char *);
volatile int g;
int main()
{
	auto l = [&](int p) {
		if (!(atoi("7") & 1))
			g = 2;
		return p ^ (p & 4); // gate: returns
	};
	g += l(3); // gate: calls
	return 0;
}
"""


@params("g++ -O0", "g++ -O2", "clang++ -O0", "clang++ -O1")
def test_line_that_calls_one(t, build):
    """Its mark may lie in the code of the lambda that was inlined there."""
    compiler, flags = build.split()
    program = compile_text("called.cc", CALLED, "-g " + flags, compiler=compiler)
    r = t.clean(t.run_gated(program, script='at("//calls"):run(function() end)\n'))
    t.equal(r.report["places"][0]["arrivals"], 1, build)


CAPTURED = r"""
#include <thread>
static volatile int sum;
static void use(int x) { sum = sum + x; }
int main()
{
	int a = 2, done = 0;
	auto turn = [&](int n) {
		use(a); // gate: first
		for (int i = 0; i < n; i++) {
			if (i & 1)
				use(a + i); // gate: odd
			done = done + a;
		}
	};
	std::thread one(turn, 5);
	one.join();
	turn(4);
	return 0;
}
"""


@params("g++ -O0", "clang++ -O0", "g++ -O2")
def test_captured_variable(t, build):
    """g++ gives each use of a captured variable the place of the first one; that is no arrival there."""
    compiler, flags = build.split(" ", 1)
    program = compile_text("captured.cc", CAPTURED, "-pthread -g " + flags, compiler=compiler)
    r = t.clean(t.run_gated(program, script='at("//first"):run(function() end)\nat("//odd"):run(function() end)\n'))
    t.equal([p["arrivals"] for p in r.report["places"]], [2, 4], build)


ON_ONE_LINE = r"""
#include <thread>
static volatile int n;
static void add(int x) { n = n + x; }
int main(int argc, char **)
{
	std::thread t([&] { add(argc); });
	t.join();
	std::thread u([argc] { add(argc + 1); });
	u.join();
	return 0;
}
"""


@params("g++ -O0", "g++ -O2", "clang++ -O0", "clang++ -O2")
def test_text_in_one_line(t, build):
    """`main;TEXT` is where the lambda is made; what it does is found by the name that gatectl prints, or offers."""
    compiler, flags = build.split()
    program = compile_text("line.cc", ON_ONE_LINE, "-g " + flags, compiler=compiler)
    name = "main::{lambda()#2};add"
    if build != "g++ -O0":
        r = t.error(t.gate("lines", program, name), 125, "no function and no source file " + re.escape("main::{lambda()#2}"))
        t.check("write main::{unnamed}::operator()," in r.err, "what to write", r)
        r = t.error(t.gate("lines", program, "main::{unnamed}::operator();add"), 125, "ambiguous")
        name = re.search(r"try: say which: (\S+)#1", r.err)[1] + "#2"
    r = t.clean(t.run_gated(program, """
at "main;argc + 1":run(function(hit) print("made", hit.thread.id, program.var.n) end)
at "%s":run(function(hit) print("run", hit.thread.id == "main", program.var.n) end)
""" % name))
    t.equal(re.findall(r"^(made|run)\s+(\S+)\s+(\d+)", r.err, re.M), [("made", "main", "1"), ("run", "false", "1")], "who comes where", r)


COPIED = r"""
#include <functional>
#include <memory>
static volatile int n;
static void add(int x) { n = n + x; }
__attribute__((noinline)) static void run(std::shared_ptr<int> p, int x)
{
	std::function<void()> f = [p, x] { add(*p + x); }; // gate: made
	f();
	f();
}
int main(int argc, char **)
{
	run(std::make_shared<int>(3), argc);
	return 0;
}
"""


@params("g++ -O0", "g++ -O2", "clang++ -O0", "clang++ -O2")
def test_copied_and_destroyed(t, build):
    """What its members need for that has the line of the lambda, too."""
    compiler, flags = build.split()
    program = compile_text("copied.cc", COPIED, "-g " + flags, compiler=compiler)
    r = t.clean(t.run_gated(program, script='at("//made"):run(function() end)\n'))
    t.equal(r.report["places"][0]["arrivals"], 1, build)


ONE_LINE = r"""
#include <thread>
static int n;
static __attribute__((noinline)) void add(int k)
{
	n += k;
}
int main()
{
	std::thread t([] { add(1); add(2); });

	t.join();
	add(3);
	return n != 6;
}
"""


@params("g++ -O0", "g++ -O2", "clang++ -O0", "clang++ -O2")
def test_lambda_in_one_line(t, how):
    """The line is where the lambda is made: lines and check name the lambda, and its name finds its code."""
    compiler, optimised = how.split()
    program = compile_text("one_line.cpp", ONE_LINE, "-g -pthread " + optimised, compiler=compiler)
    line = line_of(ONE_LINE, "std::thread t")
    note = r"      without the lambda on this line, whose code is (main::\S+);TEXT\n"
    script = t.file("x.lua", 'at("one_line.cpp:%d"):log "x"\n' % line)
    for r in (t.gate("lines", program, "one_line.cpp:%d" % line), t.gate("lines", program, "one_line.cpp;std::thread t"),
              t.gate("check", "-g", script, program)):
        found = re.search(note, r.stdout)
        t.check(r.status == 0 and found, "the lambda is not named", r)
    for location in (found[1] + ";add(1)", "one_line.cpp;add(3)"):
        r = t.clean(t.gate("lines", program, location))
        t.check("without the lambda" not in r.stdout, "there is no other code", r)
