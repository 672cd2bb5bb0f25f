"""`gatectl run --fixed`: the script of a failure is a regression test of its repair. 116 while the failure is there, 0
when it is not, with one line about the order that has become impossible."""

import os
import re
import subprocess

from harness import ROOT, compile_text, params, timeout

BUGS = os.path.join(ROOT, "tests", "explore", "bugs")

# Two threads add to a sum. FIXED: 0 no lock, 1 a lock, 2 the second thread adds nothing, 3 the line is compiled out,
# 4 a flag that is waited for in a loop. ENDS: how the repaired program ends, see finish().
SUM = r"""
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int sum, rounds;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_flag busy = ATOMIC_FLAG_INIT;
static void enter(void)
{
	if (FIXED == 1)
		pthread_mutex_lock(&lock);
	while (FIXED == 4 && atomic_flag_test_and_set(&busy))
		rounds++;
}
static void leave(void)
{
	atomic_flag_clear(&busy);
	if (FIXED == 1)
		pthread_mutex_unlock(&lock);
}
static void *add(void *n)
{
	int seen;

	if (FIXED == 2 && *(int *)n == 2)
		return n;
	enter();
	seen = sum;
#if FIXED != 3
	sum = seen + *(int *)n;
#else
	__sync_fetch_and_add(&sum, *(int *)n);
#endif
	leave();
	return n;
}
static int finish(void)
{
	if (ENDS == 's')
		raise(SIGSEGV);
	if (ENDS == 'd')
		pthread_mutex_lock(&lock), pthread_mutex_lock(&lock);
	return ENDS == 'e' ? 3 : 0;
}
int main(void)
{
	pthread_t t[2];
	int one = 1, two = 2;

	pthread_create(&t[0], NULL, add, &one);
	pthread_create(&t[1], NULL, add, &two);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	if (sum != 3 && FIXED != 2)
		return fprintf(stderr, "lost\n"), 1;
	return finish();
}
"""

# As explore writes it: add#1 is held between its read and its write until add#2 has ended.
SCRIPT = """
local read = SimpleGate "read"
local over = SimpleGate "over"
at("add;sum = seen + *(int *)n", { thread = "add#1" }):open(read):wait(over)
at("add;sum = seen + *(int *)n", { thread = "add#2" }):wait(read)
on("thread-exit", { thread = "add#2" }):open(over)
expect { exit = 1 }
"""
LINE = next(n for n, line in enumerate(SUM.lstrip("\n").split("\n"), 3) if "sum = seen + *(int *)n" in line)
# The first thread with the lock is the one that is held: which one that is, no gate says.
ORDERS = ("gatectl: fixed: the order thread-exit@add#2 -> sum.c:%d@add#1 cannot come about: " % LINE,
          "gatectl: fixed: the order sum.c:%d@add#1 -> sum.c:%d@add#2 cannot come about: " % (LINE, LINE))
WAITS = ("add#2 waits for mutex lock held by add#1, in enter at sum.c:", "add#1 waits for mutex lock held by add#2, in enter at sum.c:")
BUILDS = ("gcc -O0", "gcc -O2", "clang -O0", "clang -O2")


def program(fixed, ends="'-'", build="gcc -O0"):
    compiler, level = build.split()
    return compile_text("sum.c", "#define FIXED %d\n#define ENDS %s\n%s" % (fixed, ends, SUM.lstrip("\n")), "-g %s" % level, compiler)


def fixed(t, built, script=SCRIPT, options=(), **kw):
    return t.run_gated(built, script=script, options=["--fixed", *options], **kw)


def names_order(t, r, reasons=WAITS):
    t.check(any(order + reason in r.err for order, reason in zip(ORDERS, reasons)), "the order is not named", r)


def passed(t, r):
    t.equal(r.status, 0, "status", r)
    t.equal(r.report["verdict"], "ok", "verdict in the report", r)
    t.check("gatectl: " not in r.err.replace("gatectl: fixed: ", ""), "more than the line is said", r)
    return r


@params(*BUILDS)
def test_bug_is_found(t, build):
    r = fixed(t, program(0, build=build))
    t.verdict(r, 116)
    t.check("gatectl: found: the failure is back: exit status 1\n" in r.err, "the failure is not named", r)
    t.check("\ntry: " in r.err, "no advice", r)


@params(*BUILDS)
def test_lock(t, build):
    """The wait for the lock is seen, not waited for: the run is far shorter than the gate limit."""
    r = passed(t, fixed(t, program(1, build=build)))
    names_order(t, r)
    t.check("cannot come about" in r.report["note"], "the report does not have the line", r)


def test_place_not_reached(t):
    r = passed(t, fixed(t, program(2)))
    t.check("gatectl: fixed: the order " in r.err and " cannot come about: " in r.err, "the order is not named", r)


def test_line_without_code(t):
    r = passed(t, fixed(t, program(3)))
    t.check("has no code of its own" in r.err, "the reason is not named", r)


def test_spin(t):
    """Nobody waits in the kernel: that no thread makes progress shows in their states."""
    r = passed(t, fixed(t, program(4), options=["--gate-limit", "0"]))
    names_order(t, r, ("add#2 ", "add#1 "))


@params([], ["--no-resident"])
def test_spin_through_a_place(t, options):
    """A place in the loop that is for another thread is no progress of the one that spins."""
    place = 'at("enter;rounds++", { thread = "add#%d", hit = 1000000, optional = true }):log "round"\n'
    script = SCRIPT.replace('thread = "add#2" }):wait(read)', 'thread = "add#2" }):wait(read)\n' + place % 1)
    script = script.replace('on("thread-exit"', 'on("thread-start", { thread = "add#2" }):wait(read)\non("thread-exit"')
    r = passed(t, fixed(t, program(4), script=script, options=["--gate-limit", "0", "--time-limit", "60", *options]))
    t.check("spinning for" in r.err, "the spinning thread is not named", r)


def test_gates_of_other_orders_stay(t):
    """Only the impossible order is given up: what a later gate forces is still forced."""
    more = SCRIPT.replace("expect", 'local first = SimpleGate "first"\n'
                          'on("thread-exit", { thread = "add#1" }):open(first)\n'
                          'at("main;pthread_join#1"):wait(first)\nexpect')
    r = passed(t, fixed(t, program(1), script=more))
    gates = {g["name"]: g["open"] for g in r.report["gates"]}
    t.check(gates["first"], "the other gate was not opened by its thread", r)
    t.equal(r.err.count("gatectl: fixed: "), 1, "lines", r)


def test_repeat(t):
    r = fixed(t, program(1), options=["--repeat", "5"], report=False)
    t.equal(r.status, 0, "status", r)
    t.check("gatectl: 5 of 5 runs agreed\n" in r.err, "the runs did not agree", r)
    t.check("cannot come about" in r.err, "the order is not named", r)
    r = fixed(t, program(0), options=["--repeat", "5"], report=False)
    t.equal(r.status, 116, "status", r)
    t.check("gatectl: 0 of 1 runs agreed; the last one did not\n" in r.err, "it did not stop at the first", r)


@params(("'e'", 3, "but the program ended with exit status 3"), ("'s'", 139, "gatectl: crashed: SIGSEGV"), ("'d'", 123, "gatectl: deadlock: "))
def test_own_failure(t, case):
    """The repaired program has to end well; another failure than the script's is reported as such."""
    ends, status, text = case
    r = fixed(t, program(1, ends))
    t.equal(r.status, status, "status", r)
    t.check(text in r.err, "%r is not said" % text, r)
    t.check(ends == "'e'" or "cannot come about" in r.err, "the order is not named", r)
    t.check("gatectl: found:" not in r.err, "that is not the failure", r)


def test_text_is_gone(t):
    r = fixed(t, program(1), script=SCRIPT.replace("add;sum = seen", "add;total = seen"))
    t.error(r, where=r"gates\d+\.lua:4: add;total = seen")
    t.check("try: write the line's text as it is now into the script" in r.err, "the advice is missing", r)


RENAMED = SCRIPT.replace("add#", "sum_up#")


@params("gcc -O0", "clang -O2")
def test_thread_is_renamed(t, build):
    """Gates for threads that the program cannot have force nothing, so the run proves nothing."""
    r = fixed(t, program(1, build=build), script=RENAMED)
    t.error(r, where=r"gates\d+\.lua:4: thread = \"sum_up#1\": no function sum_up in ")
    t.check(".lua:5: thread = \"sum_up#2\": " in r.err and ".lua:6: thread = \"sum_up#2\": " in r.err, "the others", r)
    t.check("\nthe threads of this run: main, add#1 and add#2\ntry: write the present names " in r.err, "what to do", r)
    t.equal(fixed(t, program(0, build=build), script=RENAMED).status in (116, 125), True, "not fixed")


@params("*_up#1", "sum_up")
def test_thread_is_renamed_otherwise_written(t, thread):
    r = fixed(t, program(1), script=SCRIPT.replace("add#1", thread))
    t.error(r, where=r"gates\d+\.lua:4: thread = ")


def test_thread_of_an_order_is_renamed(t):
    script = 'order "\'add;seen = sum\'@sum_up#2 -> \'add;sum = seen\'@add#1"\nexpect { exit = 1 }\n'
    t.error(fixed(t, program(1), script=script), where=r"gates\d+\.lua:1: thread = \"sum_up#2\"")


@params("finish#1", "fin*#1", "thread#1")
def test_thread_is_not_created(t, thread):
    """A repair may avoid the thread: its routine exists."""
    passed(t, fixed(t, program(1), script=SCRIPT.replace("add#2", thread)))


LAMBDAS = r"""
#include <thread>
struct Turn {
	int k;
	void operator()() const;
};
static volatile int hits;
void Turn::operator()() const { hits = hits + k; }
int main(int argc, char **)
{
	if (argc > 1) {
		std::thread([] { hits = hits + 1; }).join();
		std::thread([](int k) { hits = hits + k; }, 1).join();
		std::thread(Turn{3}).join();
	}
	return 0;
}
"""


@params("g++ -O2", "clang++ -O0")
def test_lambda_is_not_created(t, build):
    """Lambdas are known by the compiler's name, also where they are inlined; another compiler's is lost."""
    compiler, level = build.split()
    built = compile_text("lambda.cpp", LAMBDAS, "-g %s" % level, compiler)
    own = ("main::{lambda()#1}#1", "main::{lambda(int)#2}#1") if compiler == "g++" else ("main::$_0#1", "main::$_1#1")
    other = "main::$_0#1" if compiler == "g++" else "main::{lambda()#1}#1"
    for thread in (*own, "Turn#1", other):
        script = 'local g = SimpleGate "g"\non("thread-start", { thread = "%s" }):open(g)\nat("main"):wait(g)\n' \
                 'expect { exit = 1 }\n' % thread
        r = fixed(t, built, script=script)
        t.equal(r.status, 125 if thread == other else 0, thread, r)
        r = t.gate("check", "-g", t.file("lambda.lua", script), built)
        t.equal(r.status, 125 if thread == other else 0, "check: " + thread, r)


@params(("", "no script expects a failure"), ("expect { exit = 0 }", "what the script expects is no failure: exit status 0"),
        ("expect { gate_deadlock = true }", "what the script expects is no failure: a deadlock with a gate in it"))
def test_expects_no_failure(t, case):
    expect, text = case
    r = fixed(t, program(1), script=SCRIPT.replace("expect { exit = 1 }", expect))
    t.error(r)
    t.check("--fixed: " + text in r.first, "%r is not said" % text, r)


def test_end_function(t):
    """A function of expect is asked, although its gates did not open."""
    script = SCRIPT.replace("{ exit = 1 }", '(function(run) return run.status == 1 end, "a lost sum")')
    t.verdict(fixed(t, program(0), script=script), 116)
    passed(t, fixed(t, program(1), script=script))


DEADLOCK = r"""
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *forth(void *p)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return p;
}
static void *back(void *p)
{
	pthread_mutex_lock(FIXED ? &a : &b);
	pthread_mutex_lock(FIXED ? &b : &a);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return p;
}
int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], 0, forth, 0);
	pthread_create(&t[1], 0, back, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
"""


@params(0, 1)
def test_deadlock(t, repaired):
    built = compile_text("both.c", "#define FIXED %d\n%s" % (repaired, DEADLOCK))
    script = ('local f, k = SimpleGate "f", SimpleGate "k"\n'
              'at("forth;pthread_mutex_lock(&b)"):open(f):wait(k)\n'
              'at("back;pthread_mutex_lock#2"):open(k):wait(f)\nexpect { deadlock = true }\n')
    r = fixed(t, built, script=script)
    if repaired:
        passed(t, r)
        t.check("waits for mutex a held by " in r.err, "the order is not named", r)
    else:
        t.verdict(r, 116)
        t.check("gatectl: found: the failure is back: no thread of the program can move: " in r.err, "the cycle is not named", r)


def test_barrier(t):
    """No place opens a barrier: two threads never wait at it."""
    built = compile_text("both.c", "#define FIXED 1\n%s" % DEADLOCK)
    script = ('local both = BarrierGate("both", 2)\nat("forth;pthread_mutex_lock(&b)"):wait(both)\n'
              'at("back;pthread_mutex_lock#2"):wait(both)\nexpect { deadlock = true }\n')
    r = passed(t, fixed(t, built, script=script))
    t.check(" (both) cannot let the thread go on: " in r.err and "waits for mutex a held by " in r.err, "the reason is not named", r)


def test_condition(t):
    script = SCRIPT.replace("expect", 'at("main;pthread_join#1"):when("sum == 77")\nexpect')
    r = fixed(t, program(1), script=script, options=["-v"])
    t.equal(r.status, 0, "status", r)
    t.check("condition at sum.c:" in r.err and " cannot let the thread go on: " in r.err, "the condition is not named", r)


@timeout(300)
def test_from_explore(t):
    """The way of the manual: explore finds it, its script is kept, the repair passes."""
    out = t.path("found")
    r = t.gate("explore", "-j1", "--verify", "20", "-o", out, "--", program(0), seconds=200)
    t.equal(r.status, 116, "status", r)
    with open(out + "/1/gates.lua") as f:
        script = f.read()
    t.verdict(fixed(t, program(0), script=script), 116)
    passed(t, fixed(t, program(1), script=script))


# The write has to come between two reads of one line, which has an address and no name.
READS = """
#include <pthread.h>
static volatile int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *set(void *p)
{
	if (FIXED)
		pthread_mutex_lock(&lock);
	shared = 1;
	if (FIXED)
		pthread_mutex_unlock(&lock);
	return p;
}
int main(void)
{
	pthread_t t;
	int differ;

	pthread_create(&t, NULL, set, NULL);
	if (FIXED)
		pthread_mutex_lock(&lock);
	differ = shared != shared;
	if (FIXED)
		pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	return differ;
}
"""


@timeout(300)
@params("gcc", "clang")
def test_address_of_another_build(t, compiler):
    """explore writes the sum of the code to an address. Debug information does not count."""
    built = compile_text("reads.c", READS, "-g -O0 -DFIXED=0", compiler)
    out = t.path("found")
    r = t.gate("explore", "-j1", "--verify", "20", "-o", out, "--", built, seconds=200)
    with open(out + "/1/gates.lua") as f:
        script = f.read()
    t.check(re.search(r'^\s*at[( ]"\*0x[0-9a-f]+:[0-9a-f]{8}"', script, re.M), "no address with a sum: " + script, r)
    other = compile_text("reads.c", READS + "/* moved */", "-g3 -O0 -DFIXED=0", compiler)
    t.verdict(fixed(t, built, script=script), 116)
    t.verdict(fixed(t, other, script=script), 116)
    repaired = compile_text("reads.c", READS, "-g -O0 -DFIXED=1", compiler)
    for options in ([], ["--fixed"]):
        t.error(t.run_gated(repaired, script=script, options=options), 125,
                r"\.lua:\d+: \*0x[0-9a-f]+:[0-9a-f]{8}: this is an address of another build of reads: the sum of its code is [0-9a-f]{8} here")


@timeout(300)
@params("g++ -O0", "g++ -O2", "clang++ -O0", "clang++ -O2")
def test_place_in_library_code(t, how):
    """A place within the push_back of a line has the name of the library's line, which another build has, too."""
    compiler, level = how.split()
    with open(os.path.join(BUGS, "cxx_iterator.cc")) as f:
        text = f.read()
    bug, repaired = (compile_text("iterator.cc", text, f"-g -pthread -std=c++20 -I{BUGS} {level} -DFIXED={n}", compiler) for n in (0, 1))
    out = t.path("found")
    r = t.gate("explore", "-j1", "--verify", "20", "-o", out, "--", bug, seconds=200)
    with open(out + "/1/gates.lua") as f:
        script = f.read()
    t.check("*0x" not in script and 'at("std::vector::' in script, "the place: " + script, r)
    for _ in range(5):
        t.verdict(fixed(t, bug, script=script), 116)
        passed(t, fixed(t, repaired, script=script))


CRASHES = """
#include <pthread.h>
static int *volatile shared;
static void *clear(void *p)
{
	shared = 0;
	return p;
}
int main(void)
{
	static int value;
	pthread_t t;

	shared = &value;
	pthread_create(&t, NULL, clear, NULL);
	if (!FIXED)
		*shared = 1;
	pthread_join(t, NULL);
	return 0;
}
"""


@params("gcc", "clang")
def test_no_code_of_the_crash(t, compiler):
    """A repair may leave the line of the crash without code: no crash is there any more."""
    script = 'order "clear%return -> main;*shared = 1"\nexpect { signal = "SIGSEGV", at = "main;*shared = 1" }\n'
    for fixed, status in ((0, 116), (1, 0)):
        program = compile_text("crashes.c", CRASHES, "-g -O0 -DFIXED=%d" % fixed, compiler)
        r = t.run_gated(program, script=script, options=["--fixed"])
        t.equal(r.status, status, "FIXED=%d" % fixed, r)


VISITS = r"""
#ifdef __cplusplus
#include <atomic>
#else
#include <stdatomic.h>
#endif
#include <pthread.h>
static HITS hits;
static void *visit(void *p)
{
	VISIT;
	return p;
}
int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, visit, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return hits != 2;
}
"""
# As explore writes it: the statement is cut between its two accesses.
CUT = """
local read, wrote = SimpleGate "read", SimpleGate "wrote"
at("visit;hits++:write", { thread = "visit#1" }):open(read):wait(wrote)
on("thread-start", { thread = "visit#2" }):wait(read)
on("thread-exit", { thread = "visit#2" }):open(wrote)
expect { exit = 1 }
"""
NO_WRITE = "visit;hits++:write: the statement writes no memory that threads can share"


@params(("gcc", "c", "int", "hits++", 116, "the failure is back: exit status 1"),
        ("gcc", "c", "_Atomic int", "hits++", 0, "visit;hits++:write: one atomic instruction reads and writes"),
        ("g++", "cpp", "std::atomic<int>", "hits++", 0, NO_WRITE), ("clang++", "cpp", "std::atomic<int>", "hits++", 0, NO_WRITE),
        ("gcc", "c", "_Atomic int", "hits = hits + 1", 116, "the failure is back: exit status 1"),
        ("gcc", "c", "int", "__atomic_fetch_add(&hits, 1, 0)", 125, "no line of visit contains this text"))
def test_statement_becomes_atomic(t, case):
    """The usual repair of hits++: the statement is there, but no thread can be held in it any more."""
    compiler, ending, type, statement, status, says = case
    for level in ("-O0",) if status == 116 else ("-O0", "-O2"):
        built = compile_text("visits." + ending, VISITS.replace("HITS", type).replace("VISIT", statement), "-g " + level, compiler)
        r = fixed(t, built, script=CUT.replace("hits++", statement) if "= hits" in statement else CUT)
        t.equal(r.status, status, level, r)
        t.check(says in r.err, "%r is not said" % says, r)
        t.check(status or says in passed(t, r).report["note"], "note", r)


def test_statement_is_one_instruction_that_is_not_atomic(t):
    """addl $1, hits: the failure may be there, although no thread can be held in it."""
    r = fixed(t, compile_text("visits.c", VISITS.replace("HITS", "int").replace("VISIT", "hits++"), "-g -O2"), script=CUT)
    t.error(r, where="visit;hits\\+\\+:write: one instruction reads and writes")


@params("add;sum = seen + *(int *)n", "add;leave", "main;return finish")
def test_source_is_newer(t, place):
    """The source is repaired, the program is not built again: the texts are those of other code."""
    source, built = t.file("stale.c", "#define FIXED 0\n#define ENDS '-'\n" + SUM), t.path("stale")
    subprocess.run(["gcc", "-g", "-pthread", "-o", built, source], check=True)
    script = SCRIPT.replace('"add;sum = seen + *(int *)n", { thread = "add#1"', '"%s", { thread = "%s"' % (
        place, "main" if "main" in place else "add#1"))
    os.utime(source, (os.stat(built).st_mtime - 10,) * 2)  # the clock may have been set back meanwhile
    t.check("is newer than" not in fixed(t, built, script=script).err, "as built")
    with open(source, "w") as f:
        f.write("#define FIXED 1\n#define ENDS '-'\n" + SUM)
    later = os.stat(built).st_mtime + 10
    os.utime(source, (later, later))
    r = fixed(t, built, script=script)
    t.error(r, where="--fixed: stale.c is newer than stale: ")
    t.check("\ntry: build stale again" in r.err and "note: " not in r.err, "what to do", r)


def test_line_without_code_in_a_newer_source(t):
    source, built = t.file("stale.c", "#define FIXED 3\n#define ENDS '-'\n" + SUM), t.path("stale")
    subprocess.run(["gcc", "-g", "-pthread", "-o", built, source], check=True)
    script = 'order "thread-exit@add#1 -> \'add;sum = seen\'@add#2"\nexpect { exit = 1 }\n'.replace(
        "thread-exit@add#1", "'main%return'")
    passed(t, fixed(t, built, script=script))
    later = os.stat(built).st_mtime + 10
    os.utime(source, (later, later))
    t.error(fixed(t, built, script=script), where="--fixed: stale.c is newer than stale: ")
