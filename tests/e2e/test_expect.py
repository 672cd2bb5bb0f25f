"""What a script can expect of a run, `fail`, and what it gives PROG: env, args, stdin."""

import os
import re
import subprocess

from harness import compile_text, params, timeout
from patience import wall

WORDS = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <pthread.h>
#include <unistd.h>
#include <sys/resource.h>
static volatile int seen;
static void *worker(void *arg)
{
	seen++; /* gate: work */
	return arg;
}
static void never(void)
{
	seen = 100; /* gate: never */
}
int main(int argc, char **argv)
{
	struct rlimit none = {0, 0};
	const char *how = getenv("HOW");
	char line[256];
	pthread_t t;

	setrlimit(RLIMIT_CORE, &none);
	for (int i = 0; i < 3; i++) {
		pthread_create(&t, NULL, worker, NULL);
		pthread_join(t, NULL);
	}
	for (int i = 1; i < argc; i++)
		printf("arg %s\n", argv[i]);
	if (how && !strcmp(how, "read"))
		while (fgets(line, sizeof(line), stdin))
			printf("read %s", line);
	printf("HOW %s\n", how ? how : "is not set"); /* gate: end */
	fflush(stdout);
	if (argc > 50 || (how && !strcmp(how, "reach")))
		never();
	if (how && !strcmp(how, "abort"))
		abort();
	if (how && !strcmp(how, "sleep"))
		for (;;)
			pause();
	return how && !strcmp(how, "seven") ? 7 : 0;
}
"""


def words():
    return compile_text("expect_words.c", WORDS)


def expect(t, script, status=0, args=(), **kw):
    r = t.run_gated(words(), script=script, args=args, **kw)
    if status:
        t.verdict(r, status)
        t.check(r.err.rstrip("\n").split("\n")[-1].startswith("try: "), "no try: line at the end", r)
    else:
        t.clean(r, 0)
    return r


def first(t, r, *texts):
    line = next(l for l in r.err.split("\n") if l.startswith("gatectl: "))
    for text in texts:
        t.check(text in line, "%r is not in the first line" % text, r)


# ---- never_reached -------------------------------------------------------------------------------

def test_never_reached(t):
    expect(t, 'expect { never_reached = "//never", exit = 0 }\n')
    expect(t, 'expect { never_reached = "never" }\nexpect { never_reached = "//never" }\n')


def test_never_reached_location_is_reached(t):
    r = expect(t, 'env { HOW = "reach" }\nexpect { never_reached = "//never" }\n', 119)
    first(t, r, "//never was reached, expected that it never is")


def test_never_reached_place_of_the_script(t):
    """What would be the verdict never-reached is what was expected."""
    gates = 'local g = SimpleGate "g"\nat "//never":open(g)\n'
    r = expect(t, gates, 120)
    expect(t, gates + 'expect { never_reached = "//never" }\n')
    r = expect(t, 'env { HOW = "reach" }\n' + gates + 'expect { never_reached = "//never" }\n', 119)
    r = expect(t, 'at("//work", {hit = 5}):log "x"\nexpect { never_reached = "//work" }\n')
    r = expect(t, gates + 'at "//end":wait(g)\nlimits { gate = %g }\n' % wall(0.3)
                  + 'expect { never_reached = "//never" }\n', 122)


def test_never_reached_is_resolved(t):
    r = t.run_gated(words(), script='expect { never_reached = "no_such_function" }\n')
    t.error(r, where=r"no_such_function")
    r = t.gate("check", "-g", t.file("c.lua", 'expect { never_reached = "nevr" }\n'), words())
    t.equal(r.status, 125, "status of check", r)


# ---- time_limit ----------------------------------------------------------------------------------

def test_time_limit(t):
    script = 'env { HOW = "sleep" }\nlimits { run = 0.5 }\n'
    expect(t, script, 124)
    expect(t, script + "expect { time_limit = true }\n")
    r = expect(t, script + 'expect { time_limit = true, stdout = "no such" }\n', 119)
    r = expect(t, "limits { run = 20 }\nexpect { time_limit = true }\n", 119)
    first(t, r, "exit status 0, expected that the time limit passes")


def test_time_limit_needs_one(t):
    r = t.run_gated(words(), script="expect { time_limit = true }\n")
    t.error(r)
    t.check("try: limits { run = SECONDS }" in r.err, "what to do", r)


# ---- livelock ------------------------------------------------------------------------------------

HEAD = r"""
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static void *work(void *arg);
#define TWO pthread_t t[2]; for (long i = 0; i < 2; i++) pthread_create(&t[i], NULL, work, (void *)i); \
	for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
"""

# Nobody gets on.
LIVELOCKS = {
    "polite": r"""
static atomic_int want[2];
static volatile int spoon = 7;
static void backoff(void) { sched_yield(); }
static void *work(void *arg)
{
	long me = (long)arg, rounds = 0;
	for (;;) {
		atomic_store(&want[me], 1);
		if (!atomic_load(&want[1 - me]) && spoon != 7)
			break;
		rounds++;
		atomic_store(&want[me], 0);
		backoff();
	}
	return (void *)rounds;
}
int main(void) { TWO return 0; }
""",
    "trylock": r"""
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
	int retries = 0;
	for (;;) {
		pthread_mutex_lock(&a);
		usleep(500);
		if (pthread_mutex_trylock(&b) == 0)
			break;
		pthread_mutex_unlock(&a);
		retries++;
	}
	printf("%d\n", retries);
	return arg;
}
int main(void) { pthread_mutex_lock(&b); TWO return 0; }
""",
    "lost": r"""
struct job { struct job *next; volatile int done; };
static struct job last, first = {&last, 0};
static void *work(void *arg)
{
	struct job *j = &first;
	while (!j->next->done)
		;
	return arg;
}
int main(void) { TWO return 0; }
""",
    "rests": r"""
#include <poll.h>
static volatile int flag;
static void *work(void *arg)
{
	while (!flag)
		poll(NULL, 0, 20);
	return arg;
}
int main(void) { TWO return 0; }
""",
}

# Slow, but everybody who runs gets on, or will.
SLOW = {
    "loop": "static void *work(void *arg) { for (volatile long i = 0; i < 400000000000; i++); return arg; }\n"
            "int main(void) { TWO return 0; }\n",
    "recursion": "static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n"
                 "static void *work(void *arg) { return arg; }\nint main(void) { work(0); return fib(80); }\n",
    "yields": "static void *work(void *arg) { for (int i = 0; i < 2000000000; i++) sched_yield(); return arg; }\n"
              "int main(void) { TWO return 0; }\n",
    "naps": "static void *work(void *arg) { for (int i = 0; i < 400000; i++) usleep(500); return arg; }\n"
            "int main(void) { TWO return 0; }\n",
    "sleeps": "static void *work(void *arg) { return arg; }\nint main(void) { work(0); sleep(60); return 0; }\n",
    "called": "static volatile long i, sum;\nstatic int more(void) { return i < 400000000000; }\n"
              "static void *work(void *arg) { while (more()) { for (int k = 0; k < 4; k++) sum += k; i++; } return arg; }\n"
              "int main(void) { work(0); return 0; }\n",
    "polled": "static volatile int done;\n"
              "static void *work(void *arg) { for (volatile long i = 0; i < 400000000000; i++); done = 1; return arg; }\n"
              "int main(void) { pthread_t t; pthread_create(&t, NULL, work, NULL); while (!done) usleep(1000);"
              " return 0; }\n",
}

BUILDS = (("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O0"), ("clang", "-O2"))


@timeout(120)
@params(*((name, cc, level) for name in LIVELOCKS for cc, level in BUILDS))
def test_livelock(t, case):
    name, cc, level = case
    program = compile_text("livelock_%s.c" % name, HEAD + LIVELOCKS[name], compiler=cc, flags="-g " + level)
    r = t.run_gated(program, script="limits { run = %g }\nexpect { livelock = true }\n" % wall(100), seconds=110)
    t.clean(r, 0)


SPINS = {"nothing": "", "yields": "sched_yield()"}


@timeout(120)
@params(("nothing", 1, "gcc", "-O2"), ("nothing", 2, "clang", "-O0"), ("yields", 1, "clang", "-O2"),
        ("yields", 2, "gcc", "-O0"))
def test_livelock_on_a_busy_machine(t, case):
    """The program hardly runs before the time limit passes: that is no reason not to know."""
    how, threads, cc, level = case
    body = """
volatile int flag;
static void *work(void *arg) { while (!flag) %s; return arg; }
int main(void) { %s }
""" % (SPINS[how], "work(0); return 0;" if threads == 1 else "TWO return 0;")
    program = compile_text("spin_%s_%d.c" % (how, threads), HEAD + body, compiler=cc, flags="-g " + level)
    busy = [subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"]) for _ in range(4 * os.cpu_count())]
    try:
        r = t.run_gated(program, script="limits { run = 2 }\nexpect { livelock = true }\n", seconds=100)
    finally:
        for p in busy:
            p.kill()
            p.wait()
    t.clean(r, 0)


@timeout(60)
@params(*((name, cc, level) for name in SLOW for cc, level in BUILDS))
def test_slow(t, case):
    name, cc, level = case
    program = compile_text("slow_%s.c" % name, HEAD + SLOW[name], compiler=cc, flags="-g " + level)
    r = t.run_gated(program, script="limits { run = 2 }\nexpect { livelock = true }\n", seconds=50)
    t.verdict(r, 119)
    first(t, r, "expected a livelock")
    t.check("a livelock: " not in r.err.split("\n")[1], "called a livelock", r)


@timeout(60)
def test_livelock_not_expected(t):
    """It is a time limit then, which says what it looks like."""
    program = compile_text("livelock_polite.c", HEAD + LIVELOCKS["polite"])
    r = t.run_gated(program, script="limits { run = %g }\n" % wall(6), seconds=50)
    t.verdict(r, 124)
    t.check(re.search(r"^a livelock: .* no place reached: work#1 in \w+ at livelock_polite.c:\d+; work#2 in", r.err, re.M),
            "what it looks like", r)
    t.clean(t.run_gated(program, script="limits { run = 1 }\nexpect { time_limit = true }\n"), 0)


SPIN_WORDS = """#include <pthread.h>
static volatile int stop;
static int stopped(void)
{
	return stop;
}
static void until_stopped(void)
{
	while (!stopped())
		;
}
static void *poller(void *unused)
{
	until_stopped();
	return unused;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, poller, 0);
	return pthread_join(t, 0);
}
"""


@timeout(60)
@params(*BUILDS)
def test_words_of_a_livelock(t, build):
    """Where it goes round is the function with the loop, wherever the samples were, inlined or not."""
    cc, level = build
    r = t.run_gated(compile_text("words.c", SPIN_WORDS, compiler=cc, flags="-g " + level), options=("--time-limit", wall(1)), seconds=50)
    t.verdict(r, 124)
    t.check(re.search(r"^a livelock: .* no place reached: poller#1 in until_stopped at words.c:\d+$", r.err, re.M), "livelock", r)
    t.check(re.search(r"poller#1 runs in until_stopped at words.c:\d+, spinning for [\d.]+ s, called from poller at words.c:14$", r.err, re.M),
            "where, and called by whom", r)


@timeout(60)
@params(*BUILDS)
def test_sleeper_is_no_livelock(t, build):
    """Nothing in its loop decides anything: it waits for nobody."""
    cc, level = build
    text = "#include <unistd.h>\nint main(void)\n{\n\tfor (;;)\n\t\tusleep(20000);\n}\n"
    program = compile_text("sleeper.c", text, compiler=cc, flags="-g " + level)
    r = t.run_gated(program, script="limits { run = 1.5 }\nexpect { livelock = true }\n", seconds=50)
    t.verdict(r, 119)
    r = t.run_gated(program, options=("--time-limit", wall(1.5)), seconds=50)
    t.verdict(r, 124)
    t.check("a livelock" not in r.err and re.search(r"main (sleeps,|runs) in main at sleeper.c:5, again and again", r.err), "it sleeps", r)


# ---- functions -----------------------------------------------------------------------------------

def test_function(t):
    script = """
local seen = 0
at "//work":run(function() seen = seen + 1 end)
expect(function(run)
    assert(run.signal == nil)
    assert(#run.threads == 4 and run.threads[2].id == "worker#1" and run.threads[1].id == "main")
    assert(run.threads[3].state == "exited")
    assert(run.stdout == "HOW seven\\n" and run.stderr == "")
    return run.status == 7 and seen == 3
end, "three workers are seen")
env { HOW = "seven" }
"""
    expect(t, script)


@params(("return run.status == 1", "one is back: the function at"), ("return nil", "one is back"),
        ("return false", "one is back"), ("return", "one is back"))
def test_function_says_no(t, case):
    body, text = case
    r = expect(t, '\nexpect(function(run) %s end, "one is\\nback")\n' % body, 119)
    first(t, r, "gatectl: not-as-expected: " + text, "gates1.lua:2")


def test_function_sees_signal(t):
    script = 'env { HOW = "abort" }\n'
    r = t.run_gated(words(), script=script + 'expect(function(run) return run.signal == "SIGABRT" and run.status == nil end, "x")')
    t.check(r.status == 0 and r.first.startswith("gatectl: crashed as expected: SIGABRT in main "), "as expected", r)
    r = t.run_gated(words(), script=script + 'expect(function(run) return run.status ~= 0 end, "x")\n')
    t.check(r.status in (119, 134), "a signal that nobody asked about", r)


@params(("run.stats = 1", 'run.stats cannot be set'), ("return run.stat", "no field 'stat' in run"),
        ("error 'boom'", "gates1.lua:2: boom"), ("while true do end", "more than a second"),
        ("g:open()", "can only read"), ("g:wait()", "can only read"), ("at 'main'", "can be called only while"))
def test_function_faults(t, case):
    body, text = case
    r = t.run_gated(words(), script='local g = SimpleGate "g"\nexpect(function(run) %s end, "x")\n' % body)
    t.error(r, where=r"gates1\.lua:2: ")
    t.check(text in r.err, text, r)


def test_function_is_asked_last(t):
    """What is wrong before it counts more; it is not even called."""
    r = expect(t, 'at("//never"):log "x"\nexpect(function(run) error "asked" end, "x")\n', 120)
    r = expect(t, 'expect { exit = 3 }\nexpect(function(run) error "asked" end, "x")\n', 119)
    t.check("asked" not in r.err, "it was asked", r)


# ---- fail ----------------------------------------------------------------------------------------

@params('fail "it broke"', 'at "//work":run(function() fail "it broke" end)',
        'at "//work":when(function() fail "it broke" end)',
        'at "//work":run(function() pcall(fail, "it broke") end)',
        'at "//work":run(function() local c = coroutine.wrap(function() fail "it broke" end) c() end)',
        'at "//work":log "{fail \'it broke\'}"',
        'local G = Gate.type "G" function G:ready() fail "it broke" end\nlocal g = G "g"  at "//work":wait(g)',
        'expect(function() fail "it broke" end, "x")')
def test_fail(t, script):
    r = t.run_gated(words(), script=script + "\n")
    t.equal(r.status, 119, "status", r)
    t.check(re.match(r"gatectl: not-as-expected: it broke \(\S*gates1\.lua:[12]\)$", r.first), "first line", r)
    t.equal(r.err.count("gatectl: "), 1, "lines of gatectl's", r)
    t.equal((r.report["verdict"], r.report["status"]), ("not-as-expected", 119), "report", r)


def test_fail_is_no_expect(t):
    """A run in which it is not said is as it was: the program's own status."""
    r = t.run_gated(words(), script='at("//never", {optional = true}):run(function() fail "x" end)\n',
                    env={"HOW": "seven"})
    t.clean(r, 7)
    t.error(t.run_gated(words(), script="fail(12)\n"), where=r"fail: expected a string")


# ---- contradictions ------------------------------------------------------------------------------

@params("deadlock = true, exit = 0", 'signal = "SIGABRT", exit = 0', "livelock = true, exit = 0",
        "livelock = true, deadlock = true", 'time_limit = true, signal = "SIGTERM"',
        "time_limit = true, livelock = true", "exit = 0 } expect { time_limit = true")
def test_contradiction(t, fields):
    r = t.run_gated(words(), script="limits { run = 9 }\nexpect { %s }\n" % fields)
    t.error(r, where=r"gates1\.lua:2: expect: a program that .*: expect \w+ or \w+$")


@params(("expect { livelock = 1 }", "livelock: expected true or false"),
        ("expect { never_reached = {} }", "never_reached: expected a string"),
        ("expect { never_reach = 'x' }", "did you mean never_reached"),
        ("expect({ exit = 0 }, 'zero')", "goes with a function only"),
        ("expect(function() end, 7)", "what it means: expected a string"),
        ("env 'A=1'", "env: expected a table"), ("env { A = {} }", "env: A: expected a string, or false"),
        ("env { A = true }", "env: A: expected a string, or false"), ("env { 'A=1' }", "env: expected NAME = value"),
        ("env { ['A=B'] = '1' }", "env: expected NAME = value"), ("env {}", "env: the table is empty"),
        ("env { A = 'a' }  env { A = 'b' }", "env: A is set to two values: a and b"),
        ("env { A = 'x\\0y' }", "zero byte"),
        ("env { ['A\\0B'] = '1' }", r"env: A\0B: the name has a zero byte"),
        ("env { [''] = '1' }", "env: expected NAME = value"),
        ("args 'x'", "args: expected a table"), ("args { n = 4 }", "args: expected a list"),
        ("args { {} }", "args: 1: expected a string"), ("args { 'a' }  args { 'b' }", "args: was set before, to another value, at"),
        ("stdin {}", "stdin: expected the name of a file, or a text"), ("stdin 'a\\n'  stdin 'b\\n'", "was set before"),
        ("stdin 'no/such'", "no/such: No such file"), ("stdin 'input.txt'", "input.txt: No such file"),
        ("stdin '.'", "is a directory"))
def test_wrong(t, case):
    script, text = case
    r = t.run_gated(words(), script="\n" + script + "\n")
    t.error(r, where=r"gates1\.lua:2: ")
    t.check(text in r.first, text, r)


# ---- env, args, stdin ----------------------------------------------------------------------------

def test_env(t):
    r = expect(t, 'env { HOW = "set", NUMBER = 165 }\n', env={"HOW": "outside"})
    t.equal(r.stdout, "HOW set\n", "output", r)
    r = expect(t, "env { HOW = false }\n", env={"HOW": "outside"})
    t.equal(r.stdout, "HOW is not set\n", "output", r)
    r = t.run_gated("/usr/bin/env", script='env { A = "1", B = 2, C = "", HOME = false }\n')
    lines = r.stdout.split("\n")
    for line in ("A=1", "B=2", "C="):
        t.check(lines.count(line) == 1, line, r)
    t.check(not re.search("^HOME=", r.stdout, re.M), "HOME", r)


def test_args(t):
    r = expect(t, 'args { "-n", 4, "" }\n')
    t.equal(r.stdout, "arg -n\narg 4\narg \nHOW is not set\n", "output", r)
    t.equal(r.report["command"][1:], ["-n", "4", ""], "command in the report", r)
    r = expect(t, 'args { "-n", 4 }\n', args=("x",))
    t.equal(r.stdout, "arg x\nHOW is not set\n", "the command line wins", r)


def test_stdin(t):
    script = 'env { HOW = "read" }\n'
    r = expect(t, script + 'stdin "one\\ntwo\\n"\n', stdin=b"not this\n")
    t.equal(r.stdout, "read one\nread two\nHOW read\n", "a text", r)
    r = expect(t, script + 'stdin "just words"\n')
    t.equal(r.stdout, "read just wordsHOW read\n", "a text without a newline", r)
    r = expect(t, script + 'stdin ""\n', stdin=b"not this\n")
    t.equal(r.stdout, "HOW read\n", "nothing", r)
    t.file("input.txt", "from a file\n")
    r = expect(t, script + 'stdin "input.txt"\n', cwd="/")
    t.equal(r.stdout, "read from a file\nHOW read\n", "beside the script", r)
    r = t.run_gated(words(), script=script + 'stdin "%s"\n' % t.path("input.txt"), options=("-q", "--repeat", "3"))
    t.equal(r.stdout.count("read from a file\n"), 3, "each run reads it anew", r)


def test_stdin_of_the_command_line(t):
    """A file that standard input is redirected from wins."""
    script = t.file("s.lua", 'env { HOW = "read" }\nstdin "of the script\\n"\n')
    with open(t.file("mine", "of the user\n")) as f:
        p = subprocess.run([t.gatectl, "run", "-g", script, words()], stdin=f, capture_output=True, text=True,
                           env=t.env)
    t.equal((p.returncode, p.stdout), (0, "read of the user\nHOW read\n"), "redirected")
    p = subprocess.run([t.gatectl, "run", "-g", script, words()], stdin=subprocess.DEVNULL,
                       capture_output=True, text=True, env=t.env)
    t.equal((p.returncode, p.stdout), (0, "read of the script\nHOW read\n"), "/dev/null")


def test_several_scripts(t):
    one = t.file("one.lua", 'env { HOW = "read", A = "a" }\nstdin "x\\n"\n')
    two = t.file("two.lua", 'env { HOW = "read", B = "b" }\nargs { "two" }\n')
    r = t.gate("run", "-g", one, "-g", two, words())
    t.equal((r.status, r.stdout), (0, "arg two\nread x\nHOW read\n"), "both", r)
    three = t.file("three.lua", 'args { "three" }\n')
    r = t.gate("run", "-g", two, "-g", three, words())
    t.error(r, where=r"three\.lua:1: args: was set before, to another value, at \S*two\.lua:2")


def test_attach_refuses(t):
    p = subprocess.Popen(["sleep", "100"], env=t.env)
    try:
        for script in ('env { A = "1" }', "args { 1 }", 'stdin "x y"'):
            r = t.gate("attach", "-g", t.file("a.lua", "\n" + script + "\n"), str(p.pid), leftover=False)
            t.error(r, where=r"a\.lua:2: env, args, stdin and elide_sleep . till = .rest. . are for a program that gatectl starts")
    finally:
        p.kill()
        p.wait()
