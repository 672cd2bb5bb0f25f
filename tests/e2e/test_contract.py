"""Sentences of the contract in combinations: how runs end, several things expected at once, where functions say `fail`."""

import json
import re
import signal
import xml.etree.ElementTree as ElementTree

from harness import BUILDS, COMPILERS, compile_text, line_of, params, timeout

ENDS = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))
static volatile int sink, *volatile nowhere;
NOINLINE static void boom(int n)
{
	*nowhere = n; /* gate: boom */
	sink++;
}
NOINLINE static void finish(void)
{
	boom(3);
	sink++;
}
static void *held(void *arg)
{
	sink++; /* gate: held */
	return arg;
}
static void *crasher(void *arg)
{
	boom(1);
	return arg;
}
static void leaves(void *value)
{
	boom(5);
}
static pthread_key_t key;
static void *keyed(void *arg)
{
	pthread_setspecific(key, "x");
	return arg;
}
int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	struct rlimit none = {0, 0};
	pthread_t t, u;
	int status;

	setrlimit(RLIMIT_CORE, &none);
#define IS(word) if (!strcmp(how, word))
	IS("atexit") {
		atexit(finish);
		return 3;
	}
	IS("held") {
		pthread_create(&t, NULL, held, NULL);
		pthread_create(&u, NULL, crasher, NULL);
		pthread_join(u, NULL);
		pthread_join(t, NULL);
	}
	IS("alone") {
		pthread_create(&t, NULL, held, NULL);
		pthread_join(t, NULL);
	}
	IS("key") {
		pthread_key_create(&key, leaves);
		pthread_create(&t, NULL, keyed, NULL);
		pthread_join(t, NULL);
	}
	IS("main-exits") {
		pthread_create(&t, NULL, crasher, NULL);
		pthread_exit(NULL);
	}
	IS("exec") execl("/proc/self/exe", "again", "now", NULL);
	IS("child") {
		if (!fork())
			boom(1);
		wait(&status);
		kill(getpid(), WTERMSIG(status));
	}
	IS("now") boom(1);
	IS("realtime") raise(SIGRTMIN + 3);
	IS("unaligned") __asm__ volatile("pushf\n\torl $0x40000, (%%rsp)\n\tpopf\n\tmov 1(%%rsp), %%eax" ::: "eax", "memory");
	return 0;
}
"""
FLAGS = "-fno-optimize-sibling-calls "
LINKS = ("-static", "-static-pie", "-no-pie", "-pie")


def ends(build="gcc-O0", more=""):
    compiler, level = build.split("-")
    return compile_text("ends.c", ENDS, flags="-g -%s %s%s" % (level, FLAGS, more), compiler=COMPILERS[compiler][0])


BOOM = "SIGSEGV in boom at ends.c:%d" % line_of(ENDS, "/* gate: boom */")
# how the program is to crash: the thread that does, a function among its calls, gates
CRASHES = {
    "atexit": ("main", "finish", ""),
    "held": ("crasher#1", "crasher",
             'local there = SimpleGate "there"\nat "//held" :open(there) :wait(SimpleGate "never")\nat "boom" :wait(there)\n'),
    "key": ("keyed#1", "leaves", ""),
    "main-exits": ("crasher#1", "crasher", ""),
    "exec": ("main", "main", ""),
}


@params(*[(how, build) for i, how in enumerate(CRASHES) for build in (BUILDS[i % 4], BUILDS[(i + 1) % 4], LINKS[i % 4])])
def test_crash(t, case):
    """In exit handlers, beside a held thread, after an exec: located, and expected by its place."""
    how, build = case
    thread, function, gates = CRASHES[how]
    program = ends(build) if build in BUILDS else ends(more=build)
    if not gates:
        r = t.run_gated(program, args=(how,))
        t.check(r.first.startswith("gatectl: crashed: %s: %s " % (BOOM, thread)), "first line", r)
        t.equal((r.status, r.report["crash"]["thread"]), (139, thread), "who", r)
    script = gates + 'expect { signal = "SIGSEGV", at = "%s" }\n' % function
    r = t.run_gated(program, args=(how,), script=script)
    t.equal((r.status, r.err), (0, "gatectl: crashed as expected: %s\n" % BOOM), "as expected", r)


@params("gcc-O2", "clang-O0")
def test_several_expected(t, build):
    """Everything at once, the script alone being the test; and each of them failing alone."""
    base = ('args { "now" }\nenv { WORD = "x" }\nstdin "text"\nlimits { run = 20 }\n'
            'expect { signal = "SIGSEGV", at = "boom" }\nexpect { never_reached = "finish" }\n')
    says = 'expect(function(run) return run.signal == "SIGSEGV" and run.status == nil and run.stdout == "" end, "the end")\n'
    r = t.run_gated(ends(build), script=base + says)
    t.equal(r.status, 0, "all of it", r)
    for more, what in (('expect { stdout = "no such" }\n', 'standard output does not have "no such"'),
                       ('expect { never_reached = "boom" }\n', "boom was reached, expected that it never is"),
                       ('expect(function() return false end, "not this")\n', "not this: the function at"),
                       ('expect(function() fail "in the end" end, "fails")\n', "in the end (")):
        r = t.run_gated(ends(build), script=base + says + more)
        t.verdict(r, 119)
        t.check(what in r.first + r.err.split("\n")[0], what, r)


def test_contradictions_name_signals(t):
    r = t.run_gated(ends(), script='expect { signal = "SIGSEGV" }\nexpect { signal = "SIGABRT" }\n')
    t.error(r, where="signal is expected to be SIGSEGV and SIGABRT")


# ---- signals -------------------------------------------------------------------------------------

def test_realtime_signals(t):
    """They have names, in scripts and everywhere else."""
    for name in ("SIGRTMIN+3", "rtmin+3", "SIGRTMAX-27"):
        r = t.run_gated(ends(), args=("realtime",), script='expect { signal = "%s" }\n' % name)
        t.clean(r, 0)
    t.equal(r.report["crash"]["signal"], "SIGRTMIN+3", "JSON", r)
    html = t.path("r.html")
    r = t.run_gated(ends(), args=("realtime",), options=("-v", "--report", html),
                    script='expect(function(run) return run.signal == "SIGRTMIN+3" end, "its name")\n'
                           'on("signal", {signal = "RTMIN+3"}):log "comes"\n')
    t.equal(r.status, 0, "status", r)
    t.check("main gets signal RTMIN+3" in r.err, "-v", r)
    with open(html) as f:
        t.check("(null)" not in f.read(), "the page")
    r = t.run_gated(ends(), args=("realtime",), script="expect { exit = 0 }\n")
    t.verdict(r, 119)
    t.check("ended by signal SIGRTMIN+3 in main" in r.err, "verdict", r)
    for name in ("RTMIN+31", "RTMAX-31", "RTMIN-1", "RTMIN+", "RTMIN+1x"):
        t.error(t.run_gated(ends(), script='expect { signal = "%s" }\n' % name), where="no such signal '%s'" % re.escape(name))
    r = t.run_gated(ends(), script='at "main" :kill "SIGRTMAX"\n')
    t.equal((r.status, r.err), (192, ""), "kill", r)


@params("gcc-O0", "clang-O2")
def test_unaligned(t, build):
    """The kernel tells no address then; the instruction does."""
    r = t.run_gated(ends(build), args=("unaligned",))
    t.equal((r.status, r.report["crash"]["signal"]), (135, "SIGBUS"), "signal", r)
    t.check(re.search(r": main reads 0x[0-9a-f]+1, which is not aligned to 4 bytes$", r.first), "first line", r)


@params("gcc-O0", "clang-O2")
def test_kill_has_a_place(t, build):
    """Where a :kill ends the program is a place, too."""
    for at, status in (("boom", 0), ("crasher", 0), ("held", 119)):
        r = t.run_gated(ends(build), args=("held",),
                        script='at "boom" :kill()\nexpect { signal = "SIGKILL", at = "%s" }\n' % at)
        t.equal(r.status, status, at, r)


# ---- fail ----------------------------------------------------------------------------------------

FAILS = {
    "load": 'fail "stop"',
    "run": 'at "//held" :run(function() fail "stop" end)',
    "when": 'at "//held" :when(function() fail "stop" end)',
    "wait_until": 'at "//held" :run(function() wait_until(function() fail "stop" end) end)',
    "log": 'at "//held" :log "{fail(\'stop\')}"',
    "ready": 'local G = Gate.type "G" function G:ready() fail "stop" end at "//held" :wait(G "g")',
    "passed": 'local G = Gate.type "G" function G:ready() return true end function G:passed() fail "stop" end at "//held" :wait(G "g")',
    "opened": 'local G = Gate.type "G" function G:ready() return true end function G:opened() fail "stop" end at "//held" :open(G "g")',
    "init": 'local G = Gate.type "G" function G:ready() return true end function G:init() fail "stop" end G "g"',
    "start": 'on "thread-start" :run(function() fail "stop" end)',
    "exit": 'on "exit" :run(function() fail "stop" end)',
    "signal": 'on "signal" :run(function() fail "stop" end)',
    "pcall": 'at "//held" :run(function() pcall(fail, "stop") end)',
    "coroutine": 'at "//held" :run(function() coroutine.wrap(function() fail "stop" end)() end)',
}


@params(*sorted(FAILS))
def test_fail(t, where):
    """Anywhere it is a verdict on the program: a failure in every form of report, never an error."""
    xml = t.path("r.xml")
    r = t.run_gated(ends(), args=("now" if where == "signal" else "alone",), script="\n" + FAILS[where] + "\nexpect { exit = 0 }\n", options=("--report", xml))
    t.equal(r.status, 119, "status", r)
    t.check(re.search(r"^gatectl: not-as-expected: stop \(\S*gates\d+\.lua:2\)$", r.err, re.M), "first line", r)
    t.equal((r.report["verdict"], r.report["status"], r.report.get("error")), ("not-as-expected", 119, None), "JSON", r)
    suite = ElementTree.parse(xml).getroot().find("testsuite")
    t.equal((suite.get("failures"), suite.get("errors")), ("1", "0"), "JUnit")
    t.equal(suite.find("testcase").find("failure").get("type"), "not-as-expected", "type")


def test_fail_on_a_pipe(t):
    r = t.gate("repl", ends(), stdin=b'gates\nfail "stop"\n')
    t.equal((r.status, r.err), (119, "gatectl: not-as-expected: stop (input:2)\n"), "told once where", r)


# ---- what came as expected is told -----------------------------------------------------------------

STUCK = r"""
#include <pthread.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int flag;
static void spin(void)
{
	while (!flag)
		;
}
int main(int argc, char **argv)
{
	pthread_mutex_lock(&mutex);
	if (argc > 1 && !strcmp(argv[1], "spin"))
		spin();
	if (argc > 1 && !strcmp(argv[1], "sleep"))
		sleep(60);
	pthread_mutex_lock(&mutex);
	return 0;
}
"""
TOLD = {
    "deadlock": ((), "expect { deadlock = true }\n", "as expected, a deadlock: no thread of the program can move: main waits for mutex mutex"),
    "livelock": (("spin",), "expect { livelock = true }\n", "as expected, a livelock: the same states again and again, since "),
    "time_limit": (("sleep",), "expect { time_limit = true }\nlimits { run = 0.2 }\n", "as expected, the program still ran after 0.2 seconds"),
}


@timeout(120)
@params(*sorted(TOLD))
def test_end_is_told(t, end):
    """How a run ended as expected: nothing on standard error but with -v, and in every report."""
    args, script, text = TOLD[end]
    program = compile_text("stuck_so.c", STUCK, flags="-g -O1")
    html, xml = t.path("r.html"), t.path("r.xml")
    r = t.run_gated(program, args=args, script=script, options=("--report", html, "--report", xml), seconds=100)
    t.clean(r, 0)
    t.check(r.report["note"].startswith(text), "JSON", r)
    with open(html) as f:
        t.check(text in f.read(), "the page")
    t.check(text in ElementTree.parse(xml).getroot().find("testsuite/testcase/system-err").text, "JUnit")
    r = t.run_gated(program, args=args, script=script, options=("-v",), seconds=100)
    t.check(r.status == 0 and "gatectl: " + text in r.err and "main " in r.err.split(text)[1], "-v", r)


# ---- output ---------------------------------------------------------------------------------------

def test_zero_bytes(t):
    """A program may write zero bytes: what is behind them is seen."""
    program = compile_text("zero.c", '#include <unistd.h>\nint main(void) { write(1, "a\\0bcd\\n", 6); write(2, "x\\0yz\\n", 5); return 0; }\n')
    xml = t.path("r.xml")
    r = t.run_gated(program, options=("--report", xml), script=
                    'expect { stdout = "bcd", stderr = "yz" }\n'
                    'expect(function(run) return run.stdout == "a\\0bcd\\n" and #run.stderr == 5 end, "all of it")\n')
    t.equal((r.status, r.out), (0, b"a\0bcd\n"), "status and output", r)
    case = ElementTree.parse(xml).getroot().find("testsuite/testcase")
    t.equal((case.find("system-out").text, case.find("system-err").text), ("a\\x00bcd\n", "x\\x00yz\n"), "JUnit")


# ---- a library that comes late --------------------------------------------------------------------

PLUG = r"""
static volatile int count;
void plug_never(void)
{
	count++;
}
void plug_run(int n)
{
	count++;
	if (n == 2)
		plug_never();
}
"""
HOST = r"""
#include <dlfcn.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	void *library = argc > 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
	if (library)
		((void (*)(int))dlsym(library, "plug_run"))(atoi(argv[2]));
	return 0;
}
"""


def test_never_reached_late(t):
    plug = compile_text("late_plug.c", PLUG, flags="-g -O1 -shared -fPIC")
    host = compile_text("late_host.c", HOST, libs="-ldl")
    for location, args, status in (("plug_never", (plug, "1"), 0), ("plug_never", (plug, "2"), 119), ("plug_never", (), 0),
                                   ("plug_nevr", (), 0), ("plug_run%return", (plug, "1"), 119)):
        r = t.run_gated(host, args=args, script='expect { never_reached = "late_plug.so!%s" }\n' % location)
        t.equal(r.status, status, "%s %s" % (location, args), r)
    r = t.run_gated(host, args=(plug, "1"), script='\nexpect { never_reached = "late_plug.so!plug_nevr" }\n')
    t.error(r, where=r"gates\d+.lua:2: late_plug.so!plug_nevr: no function plug_nevr in late_plug.so; did you mean plug_never\?")


# ---- C++ exceptions --------------------------------------------------------------------------------

THROWS = r"""
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
__attribute__((noinline)) static void inner() { throw std::runtime_error("inner text"); }
__attribute__((noinline)) static void outer()
{
	try {
		inner();
	} catch (...) {
		std::throw_with_nested(std::logic_error("outer text"));
	}
}
int main(int argc, char **argv)
{
	std::string how = argc > 1 ? argv[1] : "";
	if (how == "nested")
		outer();
	if (how == "thread")
		std::thread(outer).join();
	if (how == "string")
		throw std::string("a string");
	if (how == "double")
		throw 2.5;
	if (how == "bool")
		throw true;
	if (how == "size")
		throw sizeof(int);
	if (how == "terminate")
		std::terminate();
	return 0;
}
"""
THROWN = {
    "nested": 'main aborts: uncaught exception std::_Nested_exception<std::logic_error> "outer text"',
    "thread": 'outer#1 aborts: uncaught exception std::_Nested_exception<std::logic_error> "outer text"',
    "string": 'main aborts: uncaught exception std::string "a string"',
    "double": "main aborts: uncaught exception double 2.5",
    "bool": "main aborts: uncaught exception bool true",
    "size": "main aborts: uncaught exception unsigned long 4",
    "terminate": "main aborts: std::terminate is called",
}


@params(*[("nested", build) for build in BUILDS[1:]], *[(how, build) for how in THROWN for build in ("gcc-O0", "static")])
def test_thrown(t, case):
    how, build = case
    compiler, level = build.split("-") if "-" in build else ("gcc", "O0 -static")
    program = compile_text("throws.cc", THROWS, flags="-g -" + level, compiler=COMPILERS[compiler][1])
    r = t.run_gated(program, args=(how,))
    t.equal(r.status, 128 + signal.SIGABRT, "status", r)
    said = next(l for l in r.err.split("\n") if l.startswith("gatectl: crashed: SIGABRT in "))
    t.check(said.endswith(": " + THROWN[how]), THROWN[how], r)


# ---- prove, with several expectations ----------------------------------------------------------------

RACE = r"""
#include <pthread.h>
#include <unistd.h>
static int *volatile pointer;
static int value;
static volatile int count, result;
static void *setter(void *arg)
{
	pointer = &value; /* gate: set */
	count++;
	return arg;
}
static void *user(void *arg)
{
	result = *pointer; /* gate: use */
	count++;           /* gate: used */
	return arg;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, setter, NULL);
	for (int i = 0; i < 500 && !pointer; i++) /* it gives up then; a busy machine makes the rounds longer, too */
		usleep(1000);
	pthread_create(&t[1], NULL, user, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
"""


@timeout(120)
@params("gcc-O0", "clang-O2")
def test_prove(t, build):
    """A crash at a place, a place that is never reached, and what a function says: in each row of prove."""
    compiler, level = build.split("-")
    program = compile_text("race_so.c", RACE, flags="-g -" + level, compiler=COMPILERS[compiler][0])
    script = t.file("race.lua", 'local set = SimpleGate "set"\nat "//set" :wait(set)\n'
                                'on("signal", {signal = "SIGSEGV"}) :open(set)\n'
                                'expect { signal = "SIGSEGV", at = "user", never_reached = "//used" }\n'
                                'expect(function(run) return #run.threads == 3 end, "three threads")\n')
    r = t.gate("prove", "-n", "3", "-g", script, program, seconds=100)
    t.equal(r.status, 0, "status", r)
    t.check("expected: ended by signal SIGSEGV at user, //used is never reached, three threads" in r.stdout, "what is expected", r)
    for row in (r"all gates +3 of 3", r"no gates +0 of 3", r"without gate set \(\S*\) +0 of 3 +matters"):
        t.check(re.search("^  " + row + "$", r.stdout, re.M), row, r)
    json_path, xml = t.path("r.json"), t.path("r.xml")
    r = t.gate("run", "--repeat", "3", "-g", script, "--report", json_path, "--report", xml, program)
    t.equal(r.status, 0, "status", r)
    with open(json_path) as f:
        record = json.load(f)
    t.equal((record["verdict"], record["status"], record["runs"]), ("ok", 0, 3), "JSON", r)
    suite = ElementTree.parse(xml).getroot().find("testsuite")
    t.equal([suite.get(k) for k in ("tests", "failures", "errors", "skipped")], ["3", "0", "0", "0"], "JUnit")
