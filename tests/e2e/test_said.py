"""What errors say: the reason that is one, and no suggestion that helps nobody."""

import os
import re

from harness import compile_text, params

C = """#include <stdio.h>
#define TWICE(x) \\
	((x) * 2)
int main(void)
{
	int n = 1;
#if 1
	n++;
#  endif
	printf("%d\\n", TWICE(n));
	return 0;
}
"""


def place(t, location):
    r = t.gate("lines", compile_text("said.c", C), location)
    t.equal(r.status, 125, "status", r)
    return r


@params(1, 2, 3, 7, 9)
def test_preprocessor(t, line):
    r = place(t, f"said.c:{line}")
    t.check(f"said.c:{line} has no code: it is a directive of the preprocessor; the nearest line" in r.err, "said", r)


def test_line_numbers(t):
    r = place(t, "said.c:99999999999999999999")
    t.check("no file has so many lines" in r.err, "said", r)
    t.check("counted from 1" in place(t, "said.c:0").err, "said")


def test_one_letter_resembles_nothing(t):
    r = t.run_gated(compile_text("said.c", C), script='at "main":wait(g)\n')
    t.check("_G" not in r.err and "'g'" in r.err, "said", r)


PIECES = """
#include <cstdio>
#include <string_view>
__attribute__((noinline)) static long use(long n) { asm volatile("" ::: "memory"); return n; }
int main(int argc, char **)
{
	std::string_view text("constant");
	long n = use(argc);
	std::printf("%ld\\n", n + (long)text.size());
	return 0;
}
"""


def test_a_piece_is_missing(t):
    p = compile_text("pieces.cc", PIECES, flags="-g -O2", compiler="g++")
    r = t.run_gated(p, script='at "pieces.cc:8":run(function(hit) print(hit.var.text) end)\n')
    t.check("text: all or a part of it is optimised out at this line" in r.err, "said", r)


ENDS = """#include <pthread.h>
#include <unistd.h>
static int n, begun;
static void *first(void *x)
{
	n = 1;
	return x;
}
static void *second(void *x)
{
	__atomic_store_n(&begun, 1, __ATOMIC_SEQ_CST);
	n = 2; /* gate: second */
	return x;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, first, 0);
	pthread_join(t, 0);
	pthread_create(&t, 0, second, 0);
	while (!__atomic_load_n(&begun, __ATOMIC_SEQ_CST))
		usleep(1000);
	usleep(200000); /* gate: end */
	return 0;
}
"""


@params(("//second", 121), ("//end", 122))
def test_end_of_a_thread_is_no_exit(t, held):
    """on("exit") is for who ends the process; the end of a thread is "thread-exit"."""
    p = compile_text("ends.c", ENDS)
    script = 'local g = SimpleGate "g"\non("%%s", { thread = "first#1" }):open(g)\nat "%s":wait(g)\n' % held[0]
    r = t.run_gated(p, script=script % "exit")
    t.verdict(r, held[1])
    t.equal(r.err.splitlines()[-1], 'try: on("thread-exit", { thread = "first#1" }): "exit" is only for the thread that ends the whole process',
            "try", r)
    t.clean(t.run_gated(p, script=script % "thread-exit"))


STARTED = """static volatile int n;
static void only_here(void)
{
	n++;
}
int main(void)
{
	only_here();
	return 0;
}
"""


@params("#!/bin/sh\nexec %s\n", "#!/bin/sh\n%s\nexit 0\n", "#! /usr/bin/env sh\n%s\n")
def test_program_is_a_script(t, text):
    """Its interpreter has none of the locations: the object of the program that it starts is to be named."""
    script = t.file("start.sh", text % compile_text("started.c", STARTED))
    os.chmod(script, 0o755)
    interpreter = text[2:].split()[0]
    hint = "try: %s is a script, which %s runs: write OBJECT!%s with " % (script, interpreter, "started.c:4")
    r = t.run_gated(script, script='at "started.c:4":run(function() end)\n')
    t.error(r, where="no source file started.c in ")
    t.check(hint in r.err, "hint", r)
    t.check(hint in t.gate("lines", script, "started.c:4").err, "hint of lines", r)
    r = t.clean(t.run_gated(script, script='at "started!started.c:4":run(function() end)\n'))
    t.arrivals(r, "started!started.c:4", 1)


@params("-q -v", "-v -q", "-qv", "-vq")
def test_last_of_quiet_and_verbose(t, options):
    r = t.gate("run", *options.split(), compile_text("started.c", STARTED))
    t.equal((r.status, "main starts" in r.err), (0, options.endswith("v")), "the last one", r)


def test_strategy_that_is_told(t):
    """What --help calls the default is what chooses."""
    p = compile_text("started.c", STARTED)
    for command in ("races", "explore"):
        told = re.search(r"--strategy .*\((\w+)\)", t.gate(command, "--help").stdout).group(1)
        r = t.gate(command, "--runs", "1", p, cwd=t.path("."))
        t.check("; strategy %s, seed 1" % told in r.err, command, r)


ROUNDS = """
#include <pthread.h>
static volatile int counted, others;
static void *work(void *arg)
{
	for (int i = 0; i < 30; i++) {
		counted++; /* gate: counts */
		others++; /* gate: others */
	}
	return arg;
}
int main(void)
{
	pthread_t a;
	pthread_create(&a, NULL, work, NULL);
	pthread_join(a, NULL);
	return 0;
}
"""


def test_arrivals_are_one_line(t):
    """Those before the arrival that `hit` means do not fill the last events."""
    script = 'local g = SimpleGate "g"\nat("//counts", { hit = 20 }):wait(g)\nat("//others", { hit = 25 }):open(g)\n'
    r = t.run_gated(compile_text("rounds.c", ROUNDS), script=script, options=("--no-resident",))
    events = re.sub(r"\d+\.\d+ ", "", r.err.partition("last events:\n")[2])
    t.check("main starts\n" in events and "work#1 starts\n" in events, "events before them are shown", r)
    t.equal(re.findall(r"arrives.*", events), ["arrives 19 times at //others", "arrives 20 times at //counts"], "arrivals", r)
