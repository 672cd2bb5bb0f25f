"""gatectl repl: one thread is sent to a line, through recursion, exceptions, longjmp and into calls."""

import re

from harness import compile_text, params

CODE = r"""
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <pthread.h>
#include <stdexcept>
#include <unistd.h>
struct Base {
	virtual ~Base() {}
	virtual int value(int x) = 0;
};
struct Derived : Base {
	int value(int x) override
	{
		int y = x + 1; /* in-value */
		return y;
	}
};
static int fact(int n)
{
	if (n <= 1)
		return 1;
	int r = n * fact(n - 1); /* recurse */
	return r;                /* recursed */
}
static jmp_buf env;
static void thrower(int n)
{
	if (n > 0)
		throw std::runtime_error("x"); /* throw */
	puts("no");
}
static void jumper(int n)
{
	if (n > 0)
		longjmp(env, 1); /* jump */
	puts("no");
}
static int try_it()
{
	int r = 0;
	try {
		thrower(1); /* call-thrower */
		r = 1;
	} catch (const std::exception &) {
		r = 2; /* caught */
	}
	if (setjmp(env) == 0) {
		jumper(1);
		r += 10;
	} else {
		r += 20; /* jumped */
	}
	return r;
}
static void on_signal(int)
{
	static volatile int n;
	n++;
}
static void *ends(void *arg)
{
	raise(SIGUSR1); /* raise */
	int n = 1;      /* raised */
	if (n)
		pthread_exit(arg); /* exits */
	return arg;
}
extern "C" int in_library(int x);
int main()
{
	signal(SIGUSR1, on_signal);
	Derived d;
	Base *b = &d;
	int a = b->value(3); /* virtual */
	a += fact(5);        /* call-fact */
	a += try_it();
	a += in_library(a); /* plt */
	a += in_library(a); /* plt-again */
	pthread_t t;
	pthread_create(&t, NULL, ends, NULL); /* create */
	pthread_join(t, NULL);
	printf("%d\n", a);
	return 0;
}
"""
LIBRARY = r"""
int in_library(int x)
{
	int y = x * 2; /* in-library */
	return y;
}
"""


def line(mark, text=CODE):
    return next(n for n, l in enumerate(text.splitlines(), 1) if "/* %s */" % mark in l)


def program(compiler, extra=""):
    library = compile_text("repl_library.c", LIBRARY, flags="-g -O0 -shared -fPIC", compiler=compiler)
    return compile_text("repl_steps.cc", CODE, flags="-g -O0 -pthread " + extra,
                        compiler={"gcc": "g++", "clang": "clang++"}[compiler], libs=library)


def session(t, program, commands):
    r = t.gate("repl", program, stdin=("\n".join(commands + ["quit"]) + "\n").encode(), seconds=40)
    t.equal(r.status, 0, "status", r)
    return r


def stops(r):
    """(function, line) where the thread that was sent has come to."""
    return [(f, int(n)) for f, n in re.findall(r"^\* .* in (\S+) at repl_\w+\.\w+:(\d+)", r.stdout, re.M)]


@params("gcc", "clang")
def test_next(t, compiler):
    p = program(compiler)
    r = session(t, p, ["until main repl_steps.cc:%d" % line("call-fact"), "next main", "threads"])
    t.equal(stops(r)[1][1], line("call-fact") + 1, "over a call", r)
    r = session(t, p, ["until main repl_steps.cc:%d" % line("recurse"), "next main", "bt main"])
    t.equal(stops(r)[1][1], line("recursed"), "over recursion", r)
    t.equal(r.stdout.count(" fact at "), 1 + 2, "in the same frame", r)
    r = session(t, p, ["until main repl_steps.cc:%d" % line("throw"), "next main", "next main"])
    t.check(stops(r)[-1] in (("try_it", line("caught")), ("try_it", line("caught") - 1)), "an exception", r)
    r = session(t, p, ["until main repl_steps.cc:%d" % line("jump"), "next main", "next main"])
    t.check(stops(r)[-1] in (("try_it", line("jumped")), ("try_it", line("jumped") + 2)), "longjmp", r)
    r = session(t, p, ["until main repl_steps.cc:%d" % line("recursed"), "next main", "next main", "next main"])
    t.check(stops(r)[-1][0] in ("fact", "main"), "out of the function", r)


@params("gcc", "clang", "gcc -Wl,-z,now", "gcc -fno-plt")
def test_step(t, how):
    compiler, _, extra = how.partition(" ")
    p = program(compiler, extra)
    r = session(t, p, ["until main repl_steps.cc:%d" % line("virtual"), "step main"])
    t.equal(stops(r)[1], ("Derived::value", line("in-value")), "a virtual function", r)
    r = session(t, p, ["until main repl_steps.cc:%d" % line("recurse"), "step main", "bt main"])
    t.check(re.search(r"#0 +fact.*\n#1 +fact.*\n#2 +main", r.stdout), "recursion", r)
    for mark in ("plt", "plt-again"):
        r = session(t, p, ["until main repl_steps.cc:%d" % line(mark), "step main"])
        t.equal(stops(r)[1], ("in_library", line("in-library", LIBRARY)), "a function of a library", r)


def test_thread_that_ends(t):
    p = program("gcc")
    r = session(t, p, ["gate ends;raise( wait g", "run", "next 2", "next 2", "next 2", "next 2", "threads"])
    t.check(("ends", line("raised")) in stops(r), "over a signal's handler", r)
    t.check("the thread that was sent has exited on the way" in r.stdout, "said", r)
    t.check(" ends#1 has exited" in r.stdout or "2  ends#1 has exited" in r.stdout, "gone", r)


def test_until_a_gate(t):
    """The place has a gate: the thread is held there, and is there."""
    r = session(t, program("gcc"), ["gate fact wait g", "until main fact", "threads", "open g"])
    t.check("* 1  main is held at gate g" in r.stdout, "both", r)
    t.check("has exited with status 0" in r.stdout, "and goes on", r)


def test_optimised(t):
    """-O2: wherever it stops, it comes to its end and nothing breaks."""
    for compiler in ("g++", "clang++"):
        library = compile_text("repl_library.c", LIBRARY, flags="-g -O2 -shared -fPIC")
        p = compile_text("repl_steps.cc", CODE, flags="-g -O2 -pthread", compiler=compiler, libs=library)
        for word in ("next", "step"):
            r = session(t, p, ["until main main"] + [word + " main"] * 5 + ["go"])
            t.check("has exited with status 0" in r.stdout, compiler, r)
            t.check(len(stops(r)) > 3, "it stops", r)
