"""gatectl repl: what its commands do, from a pipe."""

import os
import re
import signal
import subprocess
import time

from harness import Process, BUILD, ROOT, compile_text, params, timeout

CALC = r"""
#include <pthread.h>
#include <stdio.h>
static int multiplier = 1;
static int result;
static int scale(int by)
{
	int factor = by * 2;
	return factor;
}
static void *first(void *arg)
{
	multiplier = 7;
	return arg;
}
static void *second(void *arg)
{
	int factor = multiplier;
	result = factor * *(int *)arg;
	result += scale(0);
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	int value = 6;
	pthread_create(&a, NULL, first, &value);
	pthread_create(&b, NULL, second, &value);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", result);
	return result == 42 ? 0 : 1;
}
"""


def calc():
    return compile_text("repl_calc.c", CALC, flags="-g -O0 -pthread")


def session(t, commands, program=None, options=(), status=0, seconds=30):
    r = t.gate("repl", *options, program or calc(), stdin=("\n".join(commands) + "\n").encode(), seconds=seconds)
    if status is not None:
        t.equal(r.status, status, "status", r)
    return r


def test_two_gates_by_hand(t):
    """Place two, see who is held, open them one by one: the outcome is the one of that order."""
    r = session(t, [
        "gate first;multiplier wait early", "gate second;result = wait late", "run", "open late", "open early", "quit"])
    t.check("first#1 is held at gate early" in r.stdout, "who is held", r)
    t.check("second#1 is held at gate late" in r.stdout, "who is held", r)
    t.check("\n6\n" in r.stdout, "the program's own output", r)
    t.check("has exited with status 1" in r.stdout, "how it ended", r)


@timeout(120)
def test_saved_script_does_the_same(t):
    saved = t.path("saved.lua")
    session(t, ["gate first;multiplier wait early", "gate second;factor = wait late", "run", "open early",
                "open late", "save " + saved, "quit"])
    for _ in range(100 if t.full else 10):
        r = t.gate("run", "-g", saved, calc())
        t.equal((r.status, r.stdout, r.err), (0, "42\n", ""), "outcome", r)
    session(t, ["gate first;multiplier wait early", "gate second;factor = wait late", "run", "open late",
                "open early", "save " + saved, "quit"])
    for _ in range(100 if t.full else 10):
        r = t.gate("run", "-g", saved, calc())
        t.equal((r.status, r.stdout, r.err), (1, "6\n", ""), "outcome", r)


def test_release_by_hand_is_saved(t):
    saved = t.path("saved.lua")
    session(t, ["gate first;multiplier wait early", "run", "go first#1", "save " + saved, "quit"])
    with open(saved) as f:
        t.check('on "rest" :release "first#1"' in f.read(), "what was done stands in the script")
    r = t.gate("run", "-g", saved, calc())
    t.equal((r.status, r.stdout, r.err), (1, "6\n", ""), "outcome", r)


def test_looking(t):
    r = session(t, ["gate second;factor = wait late", "run", "threads", "bt second#1", "locals second#1",
                    "print second#1 multiplier + 1", "print 3 *(int *)arg", "list second;factor =",
                    "find second;result", "why", "gates", "places", "events 3", "help step", "= 1 + 2", "quit"])
    for words in ("second#1 is held at gate late", "#0  second at", "#1  ", "int factor = ", "\n8\n",
                  "\n6\n", "int factor = multiplier;", "result += scale(0);", "opens gate late",
                  "no thread can move", "at \"second;factor =\":wait(late)", "1 arrival", "step T", "\n3\n"):
        t.check(words in r.stdout, "missing: " + words, r)


ALIVE = r"""
#include <stdio.h>
struct pair { int later; };
static int twice(int n)
{
	return 2 * n; /* twice */
}
static int sum(int n)
{
	int total = 0; /* total */
	static int calls = 40;
	struct pair p = {5};
	for (int i = 0; i < n; i++) { /* loop */
		int square = i * i; /* square */
		total += square; /* add */
	}
	calls++;
	int later = twice(total); /* later */
	return later + p.later; /* end */
}
int main(void)
{
	printf("%d\n", sum(3));
	return 0;
}
"""


@params("gcc", "clang")
def test_variables_without_a_value_yet(t, compiler):
    """A declaration that the thread has not come to yet: what lies in its memory is no value."""
    program = compile_text("repl_alive.c", ALIVE, flags="-g -O0", compiler=compiler)
    line = {mark: next(n for n, l in enumerate(ALIVE.splitlines(), 1) if "/* %s */" % mark in l)
            for mark in ("twice", "total", "loop", "square", "add", "later", "end")}
    none = "(no value yet: line %d declares it)"

    def locals_at(*stops, more=()):
        r = session(t, ["until main repl_alive.c:%d" % line[mark] for mark in stops] + ["locals main", *more, "quit"],
                    program=program)
        return dict(re.findall(r"^(?:int|struct pair) (\w+) = (.*)$", r.stdout, re.M)), r

    got, r = locals_at("total", more=["print main total + p.later", "print main p.later"])
    t.equal((got["total"], got["later"], got["calls"], got["n"]), (none % line["total"], none % line["later"], "40", "3"), "first", r)
    t.check("note: total has no value yet: line %d declares it\n" % line["total"] in r.stdout, "in print", r)
    t.check("note: later" not in r.stdout, "a member of that name", r)
    got, r = locals_at("square")
    t.equal((got["total"], got["square"], got["i"]), ("0", none % line["square"], "0"), "in the loop", r)
    got, r = locals_at("add", "add")
    t.equal((got["square"], got["i"]), ("1", "1"), "in its second round", r)
    got, r = locals_at("square", "square")
    t.equal((got["square"], got["i"]), (none % line["square"], "1"), "the declaration in the second round", r)
    got, r = locals_at("end")
    t.equal((got["total"], got["later"]), ("5", "10"), "all", r)


def test_list_takes_a_thread(t):
    r = session(t, ["list main", "gate second;factor = wait g", "run", "list second#1", "list 1", "list second", "quit"])
    at = CALC.splitlines().index("\tint factor = multiplier;") + 1
    t.check(re.search(r"^second#1 is at \S*repl_calc.c:%d$" % at, r.stdout, re.M), "by its id", r)
    t.equal(r.stdout.count(">   %d  \tint factor" % at), 2, "its line is marked, and as the function's first", r)
    t.check(re.search(r"^main is at \S*repl_calc.c:\d+$", r.stdout, re.M), "by its number", r)
    t.check(re.match(r"\S*repl_calc.c:\d+\n", r.stdout), "before main has begun, main is the function", r)


def test_stepping(t):
    r = session(t, ["gate second wait g", "run", "next second#1", "next second#1", "step second#1", "bt second#1",
                    "next second#1", "next second#1", "next second#1", "until second#1 second;return", "go", "quit"])
    lines = re.findall(r"^\* .*second#1.* in (\w+) at repl_calc.c:(\d+)", r.stdout, re.M)
    t.equal([f for f, _ in lines][:6], ["second", "second", "scale", "scale", "scale", "second"], "where it was", r)
    t.check("#0  scale at" in r.stdout and "#1  second at" in r.stdout, "the calls", r)


def test_hold_and_only(t):
    r = session(t, ["hold main", "run", "go main", "quit"])
    t.check("main is held by hand" in r.stdout, "held", r)
    t.check("has exited with status" in r.stdout, "and went on", r)
    r = session(t, ["gate second wait g", "gate first wait h", "run", "only first#1", "quit"])
    t.check("first#1 has exited" in r.stdout, "it alone", r)
    t.check("second#1 is held at gate g" in r.stdout, "the other stays", r)


def test_before_the_program_runs(t):
    """The program waits in the loader: the first step goes to main."""
    r = session(t, ["threads", "why", "next main", "next main", "until main second", "quit"])
    t.equal(r.stdout.count("main has not begun"), 2, "nobody has exited", r)
    t.check(re.search(r"^\* 1  main is stopped, in main at repl_calc.c:26\n> +26  ", r.stdout, re.M), "in main", r)
    t.check(re.search(r"^> +\d+  .*pthread_create\(&a", r.stdout, re.M), "the line that it is at", r)
    t.check("has exited with status" in r.stdout, "how it ended, where main never came to second", r)


def test_commands_without_a_thread_take_the_current_one(t):
    """The thread that arrived where it was sent, else the last one that a gate stopped, else the only one."""
    r = session(t, ["print multiplier", "until first#1 first;multiplier", "print *(int *)arg + 1", "print multiplier", "print main multiplier",
                    "list", "bt", "locals", "quit"])
    lines = r.stdout.splitlines()
    t.equal((lines[0], "7\n1\n1\nfirst#1 is at " in r.stdout), ("1", True), "values", r)
    t.check("first#1 is at " in r.stdout and "#0  first at " in r.stdout and "in first at " in r.stdout, "first#1", r)
    r = session(t, ["gate second wait g", "run", "threads", "list", "quit"])
    t.equal(re.findall(r"^\* \d  (\S+) is held at gate g", r.stdout, re.M), ["second#1"] * 2, "marked", r)
    t.check("second#1 is at " in r.stdout, "the held thread", r)


@params(("list", "list: the program has not begun"), ("print nobody multiplier", "there is no thread 'nobody'"),
        ("print main", "print: an argument is missing"), ("run\nbt", "the program is not running"))
def test_no_current_thread(t, case):
    lines, words = case
    r = t.gate("repl", calc(), stdin=(lines + "\nquit\n").encode())
    t.error(r, 125, "input:%d: %s" % (lines.count("\n") + 1, words))


def test_no_thread_is_guessed(t):
    """Of two threads in a deadlock of the program, none is the current one."""
    program = compile_text("repl_both.c", r"""
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_mutex_lock(&m);
	pthread_create(&t, NULL, work, NULL);
	return pthread_join(t, NULL);
}
""", flags="-g -O0 -pthread")
    for command in ("print m", "list", "bt", "locals"):
        r = t.gate("repl", program, stdin=("run\n%s\n" % command).encode())
        t.error(r, 125, "input:2: name a thread: none has arrived where it was sent")


def test_ended_by_a_signal(t):
    program = compile_text("repl_null.c", "int main(void) { int *p = 0; *p = 1; return 0; }\n", flags="-g -O0")
    r = session(t, ["gate main wait g", "run", "open g", "threads"], program=program, status=139)
    t.check("was ended by SIGSEGV" in r.stdout and "main has ended" in r.stdout, "nobody is held any more", r)


def test_bytes_are_no_text(t):
    """What is no UTF-8 is shown as C would write it: a terminal would make something else of it."""
    text = 'int main(void)\n{\n\tchar a[] = "gr\\xc3\\xb6n", b[] = "\\xf6\\x90";\n\treturn a[0] == b[0];\n}\n'
    r = session(t, ["until main main;return", "print main a", "print main b"],
                program=compile_text("repl_bytes.c", text, flags="-g -O0"))
    t.check('\n"gr\u00f6n"\n"\\366\\220"\n' in r.stdout, "both", r)


def test_only_is_saved(t):
    """When nobody else could move, the script lets it go in the same way."""
    saved = t.path("saved.lua")
    session(t, ["gate first;multiplier wait early", "gate second;factor = wait late", "run", "only second#1",
                "go first#1", "save " + saved, "quit"])
    r = t.gate("run", "-g", saved, calc())
    t.equal((r.status, r.stdout, r.err), (1, "6\n", ""), "outcome", r)


@params("gate second open g\ndrop 3", "")
def test_dropped_lines_are_not_hinted_at(t, lines):
    r = session(t, ["gate first wait g", *lines.split("\n"), "run", "why", "quit"])
    t.check("no place of the script opens gate g" in r.stdout, "nobody opens it", r)


def test_open_in_lua_is_saved(t):
    """g:open() typed while somebody is held is what `open g` is: no line of a script, which would open it before."""
    saved = t.path("saved.lua")
    r = session(t, ["local g = SimpleGate 'by hand'", "at 'first;multiplier':wait(g)", "run", "g:open()", "run",
                    "save " + saved, "restart", "run", "quit"])
    t.equal(len(re.findall("^first#1 is held at", r.stdout, re.M)), 2, "held after a restart, too", r)
    with open(saved) as f:
        text = f.read()
    t.check('on "rest" :open "by hand"\n' in text and "g:open()" not in text, text)


def test_places_while_the_program_runs(t):
    """A gate is placed when the program has run for a while already; dropped ones act no more."""
    r = session(t, ["gate first wait g", "run", "gate main;printf wait h", "open g", "threads", "open h", "quit"])
    t.check("main is held at gate h" in r.stdout, "the new one", r)
    t.check("has exited with status" in r.stdout, "it ended", r)
    r = session(t, ["gate first wait g", "gate second wait h", "drop 2", "run", "threads", "quit"])
    t.check("second#1 is held" in r.stdout and "first#1 is held" not in r.stdout, "dropped", r)


def test_constants_of_a_script(t):
    """What a script declares local is known to the lines, attributes or not; so is what it requires to a repeat."""
    t.file("words.lua", "return { text = 'six' }\n")
    path = t.file("s.lua", 'local six <const> = 6\nat "main":log(require "words".text)\n')
    r = session(t, ["local seven <const>, eight = 7, 8", "= six + seven + eight", "repeat 1", "quit"],
                options=("-g", path))
    t.check("\n21\n" in "\n" + r.stdout, "the sum of them", r)
    t.equal(r.err, "six\n", "the repeat finds the module", r)


def test_gate_without_a_name(t):
    """Its name is one that no gate has yet."""
    r = session(t, ['local g1 = SimpleGate "g1"', "gate first;multiplier", "quit"])
    t.check("waits at gate g2" in r.stdout, "another name", r)


def test_signals_of_a_repeat(t):
    """The program finds them as gatectl run gives them to it."""
    program = compile_text("repl_sigpipe.c", """
#include <signal.h>
#include <stdio.h>
int main(void)
{
	struct sigaction found;
	sigaction(SIGPIPE, 0, &found);
	puts(found.sa_handler == SIG_DFL ? "default" : "another");
	return 0;
}
""", flags="-g")
    r = session(t, ["repeat 1", "quit"], program=program)
    t.equal(r.stdout, "default\n", "SIGPIPE", r)


def test_restart_keeps_the_gates(t):
    r = session(t, ["gate first wait g", "run", "open g", "restart", "run", "threads", "quit"])
    t.equal(r.stdout.count("first#1 is held at first by gate g"), 2, "held in both runs", r)


def test_behind_the_end(t):
    """What Lua knows of the run can be asked for, and a new place begins the next run."""
    r = session(t, ["local n = 0", "at 'second':run(function() n = n + 1 end)", "run", "= 'n is ' .. n", "list second", "gate first wait g",
                    "= 'n is ' .. n", "run", "open g", "= at 'first'"], status=125)
    t.equal([line for line in r.stdout.splitlines() if line.startswith("n is")], ["n is 1", "n is 0"], "of which run", r)
    t.equal(r.stdout.count("is started again"), 1, "started again", r)
    t.check("\n> " in r.stdout, "a line of the source", r)
    t.check("first#1 is held at first by gate g" in r.stdout, "the new place", r)
    t.check("not running" in r.err, "a place that nobody begins a run for", r)


def test_scripts(t):
    script = t.file("s.lua", 'local g = SimpleGate "g"\nat "first":wait(g)\n')
    r = session(t, ["run", "open g", "quit"], options=["-g", script])
    t.check("first#1 is held at gate g" in r.stdout, "-g", r)
    r = session(t, ["source " + script, 'at "second":open(g)', "run", "quit"])
    t.check("has exited with status" in r.stdout, "a local of the script is known to later lines", r)


def test_repeat(t):
    r = session(t, ["gate second wait g", "run", "open g", "restart", "repeat 5", "quit"])
    t.check("never-opened" in r.err or "gate-deadlock" in r.err or "5 of 5" in r.err, "it was run", r)


def test_prove(t):
    """The file in which prove gets what was typed is not told."""
    r = session(t, ["gate first;multiplier wait g", "gate second;result = open g", "prove", "quit"], seconds=60, status=None)
    t.check("what was typed with " in r.stdout and "gatectl-repl-" not in r.stdout, "head", r)


def test_options_of_a_repeat(t):
    """What the REPL was given, the runs that it makes are given, too."""
    program = compile_text("repl_ticking.c", """
#include <pthread.h>
#include <unistd.h>
static volatile int done;
static void *work(void *arg)
{
	done = 1;
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	while (!done)
		usleep(1000);
	pthread_join(t, 0);
	return 0;
}
""", flags="-g -pthread")
    r = session(t, ["gate work wait g", "repeat 1", "quit"], program=program,
                options=("--gate-limit", "0.2", "--verbose", "--color=always"))
    t.check("never-opened:" in r.err, "the limit", r)
    t.check("\033[" in r.err, "colour", r)
    t.check("work#1 starts" in r.err, "lines of a verbose run", r)


@params("gate nowhere.c:3 wait g", "gate first wait 1x", "gate first wait", "gate first open", "open nothing", "bt nobody", "frobnicate()", "drop 9",
        "until main nowhere", "source /proc/none.lua", "save /proc/none/x.lua", "print 1 nothing", "= nil + 1",
        "events x", "repeat 0")
def test_faults(t, line):
    """On a pipe a fault ends it, with one clear error."""
    r = t.gate("repl", calc(), stdin=(line + "\nquit\n").encode())
    t.equal(r.status, 125, "status", r)
    t.check(r.err.startswith("gatectl: error: "), "first word", r)


def test_program_that_dies(t):
    program = compile_text("repl_abort.c", "#include <stdlib.h>\nint main(void) { abort(); }\n")
    r = t.gate("repl", program, stdin=b"run\nthreads\nrun\nquit\n")
    t.equal(r.stdout.count("was ended by SIGABRT"), 2, "both runs", r)


def test_no_such_program(t):
    r = t.gate("repl", "/proc/none/program", stdin=b"quit\n")
    t.equal(r.status, 127, "status", r)


def test_program_reads_nothing(t):
    """Commands come from the pipe: the program reads /dev/null."""
    r = session(t, ["run", "quit"], program="/bin/cat")
    t.check("has exited with status 0" in r.stdout, "cat saw the end at once", r)


def test_end_of_input_kills(t):
    r = session(t, ["gate first wait g", "run"])
    t.check("first#1 is held" in r.stdout, "held", r)


# ---- what is saved ---------------------------------------------------------------------------------

def saved_by(t, commands, **kw):
    path = t.path("saved.lua")
    r = session(t, commands + ["save " + path, "quit"], **kw)
    with open(path) as f:
        return path, f.read(), r


def test_saved_names(t):
    """Gates of a script are local variables there, threads may be given by number: the script has their names."""
    script = t.file("s.lua", """local a, b = SimpleGate "first gate", SimpleGate "second gate"
        at "first;multiplier" :wait(a)
        at "second;factor =" :wait(b)
    """)
    path, text, _ = saved_by(t, ["run", "open first gate", "go 3"], options=["-g", script])
    t.check('on "rest" :open "first gate"' in text and 'on "rest" :release "second#1"' in text, text)
    r = t.gate("run", "-g", path, calc())
    t.equal((r.status, r.stdout, r.err), (0, "42\n", ""), "outcome", r)


def test_saved_before_the_start(t):
    path, text, _ = saved_by(t, ["gate first wait g", "open g", "run"])
    t.check("\ng:open()" in text, text)
    t.equal(t.gate("run", "-g", path, calc()).err, "", "nobody is held")


def test_saved_comments(t):
    """The script tells what was done; who is held when it is saved is a warning."""
    _, text, r = saved_by(t, ["gate second wait g", "run", "next second#1", "hold second#1", "gate main;printf wait h"])
    for words in ("\n--   2  next second#1\n", "\n--   3  hold second#1\n", "-- by hand, this was added"):
        t.check(words in text, words + ": " + text, r)
    _, text, r = saved_by(t, ["gate second wait g", "run"])
    t.check("note: second#1 is held at gate g" in r.stdout, "note", r)


def test_drop(t):
    """Whom a dropped gate holds goes on; what others use cannot be dropped."""
    r = session(t, ["gate first wait g", "run", "drop 2", "run", "quit"])
    t.check("has exited with status" in r.stdout, "goes on", r)
    r = t.gate("repl", calc(), stdin=b"gate first wait g\ndrop 1\n")
    t.check("line 2 uses what line 1 makes" in r.err, "refused", r)
    script = t.file("s.lua", 'at "first":wait(SimpleGate "g")\nat "second":wait(SimpleGate "h")\n')
    r = session(t, ["source " + script, "run", "drop 1", "run", "gates", "quit"])
    t.check("has exited with status" in r.stdout, "a whole script", r)
    r = session(t, ["order 'first -> second'", "run", "drop 1", "gates", "= 'end'"])
    t.check("first -> second (SimpleGate)" not in r.stdout, "its gate is not listed behind the end", r)
    r = session(t, ["gate first wait g", "drop 2", "drop 1", "gates", "gate first wait g", "gates"])
    t.equal(r.stdout.count("g (SimpleGate) is closed"), 1, "listed when it is made again", r)
    path, text, _ = saved_by(t, ["gate first wait g", "drop 2", "drop 1", "run"])
    t.check("SimpleGate" not in text, text)
    path, text, _ = saved_by(t, ["gate first wait g", "drop 2", "drop 1", "gate second wait g", "run", "open g"])
    t.check('local g = SimpleGate "g"\nat "second":wait(g)' in text, text)


@params(
    # the other way round; the same once more; what another one has made, or waits at, stays
    (["order 'first -> second'", "drop 1", "order 'second -> first'", "run"], "second#1 opens gate second -> first"),
    (["order 'second -> first'", "drop 1", "order 'second -> first'", "run"], "second#1 opens gate second -> first"),
    (["order 'second -> first'", "order 'nobody -> first'", "drop 2", "run"], "has exited with status 1"),
    (["order 'second -> first'", "order 'nobody -> first'", "run", "drop 2", "run"], "has exited with status 1"),
    (["order 'second -> main'", "order 'second -> first'", "drop 1", "run"], "second#1 opens gate second -> first"),
    (["order 'second -> first'", "order 'second -> first'", "drop 1", "run"], "second#1 opens gate second -> first"),
)
def test_drop_of_an_order(t, case):
    """Nothing is left of it, and nothing else goes with it."""
    commands, wanted = case
    program = compile_text("repl_orders.c", CALC.replace("int main", "void nobody(void)\n{\n}\nint main").replace(
        "\tpthread_create(&b", "\tif (result == 99)\n\t\tnobody();\n\tpthread_create(&b"), flags="-g -O0 -pthread")
    r = t.gate("repl", program, stdin=("\n".join(commands) + "\ngates\nquit\n").encode())
    t.equal(r.status, 0, "status", r)
    t.check(wanted in r.stdout, wanted, r)


def test_line_numbers_after_a_restart(t):
    """Each line keeps its own: two of them could not be told apart otherwise."""
    r = session(t, ["run", "order 'first -> main'", "# a comment", "run", "restart", "run", "why", "quit"])
    t.check("the program is started again" in r.stdout, "an order is one of the next run", r)
    t.equal(set(re.findall(r"input:\d+", r.stdout)) - {"input:2"}, set(), "line of the order", r)
    t.check("input:2" in r.stdout, "is named", r)


def test_until_of_a_thread_that_has_gone(t):
    """Its process is gone, too."""
    program = compile_text("repl_gone.c", """
#include <sys/wait.h>
#include <unistd.h>
static void child(void)
{
	_exit(0);
}
int main(void)
{
	if (fork() == 0)
		child();
	wait(0);
	usleep(1);
	return 0;
}
""", flags="-g")
    r = t.gate("repl", program, stdin=b"gate main;usleep wait g\nrun\nuntil p1/main child\n")
    t.check("p1/main has exited" in r.err, "said", r)
    r = session(t, ['elide_sleep "main;usleep"', "places", "quit"], program=program)
    t.check("main;usleep: elide_sleep" in r.stdout, "a place that elides", r)


FORKS = """
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static void child(void);
namespace one { static void *worker(void *arg) { return arg; /* one */ } }
namespace two { static void *worker(void *arg) { return arg; /* two */ } }
int main()
{
	pthread_t a;
	pthread_create(&a, nullptr, one::worker, nullptr);
	pthread_join(a, nullptr);
	if (fork() == 0)
		child();
	wait(nullptr);
	return 0;
}
static void child(void)
{
	pthread_t b;
	usleep(400000);
	pthread_create(&b, nullptr, two::worker, nullptr);
	pthread_join(b, nullptr);
	_exit(0);
}
"""


def test_until_of_a_thread_that_is_not_there(t):
    """Its start routine may be several functions, its process another one; that it never came is said."""
    program = compile_text("repl_forks.cpp", FORKS, flags="-g -O0 -pthread")
    r = session(t, ["until one::worker#1 repl_forks.cpp;one */", "go one::worker#1", "restart",
                    "until one::worker#2 repl_forks.cpp;one */"], program=program)
    t.check(re.search(r"^\* \d+  one::worker#1 is stopped", r.stdout, re.M), "it came", r)
    t.check("\nthere was no thread one::worker#2\n" in r.stdout, "it never came", r)
    r = session(t, ["until main main;wait(", *["until p1/two::worker#1 repl_forks.cpp;two */"] * 3], program=program,
                status=None)  # where the child still sleeps after a quarter of a second, it is looked at
    t.check(re.search(r"^\* \d+  p1/two::worker#1 is stopped", r.stdout, re.M), "in a child", r)
    r = session(t, ["until p1/two::worker#1 child"], program=program, status=125)
    t.check("there is no process p1, or not yet" in r.err, "no child yet", r)


def test_until_of_one_of_two_functions(t):
    parts = ["#include <pthread.h>\n%s void *worker(void *arg)\n{\n\treturn arg; /* %s */\n}\n"
             "void start_%s(void) { pthread_t t; pthread_create(&t, 0, worker, 0); pthread_join(t, 0); }\n"
             % ("static", name, name) for name in "ab"]
    for name, text in zip("ab", parts):
        t.file("part_%s.c" % name, text)
    program = t.path("both")
    t.file("main.c", "void start_a(void), start_b(void);\nint main(void) { start_a(); start_b(); return 0; }\n")
    subprocess.run(["gcc", "-g", "-O0", "-pthread", "-o", program, t.path("part_a.c"), t.path("part_b.c"), t.path("main.c")],
                   check=True)
    r = session(t, ["until worker#2 part_b.c:4"], program=program)
    t.check(re.search(r"^\* \d+  worker#2 is stopped", r.stdout, re.M), "it came", r)


def test_blanks_around_a_location(t):
    _, text, r = saved_by(t, ["gate  second \t wait   h", "run", "open h"])
    t.check("held at second by gate h" in r.stdout, "its location", r)
    t.check('at "second":wait(h)' in text, text, r)


def test_why(t):
    r = session(t, ["why", "gate first wait g", "run", "why", "hold main", "drop 2", "run", "why", "quit"])
    for words in ("the program has not begun", "a gate holds one of them", "no place of the script opens gate g",
                  "by hand: `open g`, or `go first#1`", "one of them is held by hand"):
        t.check(words in r.stdout, words, r)


def test_find(t):
    """Every line that has the text, with code or without."""
    program = compile_text("repl_find.c", """
static int add(int a)
{
	int total = a;
	/* total is kept */
	total += 1;
	return total;
}
int main(void)
{
	return add(-1);
}
""", flags="-g -O0")
    r = session(t, ["find add;total", "find add;kept", "find add;total#3", "find main"], program=program)
    lines = [line.split("repl_find.c:")[1] for line in r.stdout.splitlines() if "repl_find.c:" in line]
    t.equal(lines, ["4: int total = a;", "5: /* total is kept */  (no code of its own)", "6: total += 1;", "7: return total;",
                    "5: /* total is kept */  (no code of its own)", "6: total += 1;", "9: int main(void)"], "lines", r)


def test_lines_end_in_two_bytes(t):
    r = t.gate("repl", calc(), stdin=b"gate first wait g\r\nrun\r\n\r\n= 3\r\nopen g\r\nquit\r")
    t.equal(r.status, 0, "status", r)
    t.check("first#1 is held at gate g" in r.stdout and "\n3\n" in r.stdout, "what they did", r)


@params("threads", "quit", "run", "restart", "why", "places", "gates", "prove")
def test_argument_too_many(t, command):
    r = t.gate("repl", calc(), stdin=(command + " x y\n").encode())
    t.error(r, 125, "input:1: %s: 'x y' is too much$" % command)
    what = "prove [--without N]" if command == "prove" else command + " takes no argument"
    t.check("try: %s\n" % what in r.err, "what to do", r)


def test_line_without_an_end(t):
    r = t.gate("repl", calc(), stdin=b"\0" * (2 << 20))
    t.error(r, 125, "input:1: the line does not end within 1048576 bytes$")
    t.check("try: end each command with a newline\n" in r.err, "what to do", r)


def test_signal_while_input_never_ends(t):
    with Process(["yes", "= 1"], stdout=subprocess.PIPE) as writer:
        with Process([os.path.join(BUILD, "gatectl"), "repl", calc()], stdin=writer.stdout, stdout=subprocess.PIPE) as repl:
            writer.stdout.close()
            repl.stdout.readline()
            os.kill(repl.pid, signal.SIGTERM)
            repl.communicate(timeout=30)
            t.equal(repl.returncode, 128 + signal.SIGTERM, "status")


@params("run", "restart", "at 'main':log 'x'")
def test_start_after_only(t, line):
    """Who alone was to go on was a thread of the run before."""
    r = session(t, ["only main", line, "run", "quit"], seconds=10,
                program=compile_text("repl_one.c", "int main(void)\n{\n\treturn 0;\n}\n", flags="-g -O0"))
    t.check(r.stdout.count("has exited with status 0") >= 2, "a second run", r)


@params("SIGTERM", "SIGINT")
def test_signal_ends_a_start(t, name):
    """The loader waits for somebody who opens the pipe that it takes for a library."""
    pipe = t.path("pipe")
    os.mkfifo(pipe)
    script = t.file("s.lua", 'env { LD_PRELOAD = "%s" }\nprint "loaded"\n' % pipe)
    with Process([os.path.join(BUILD, "gatectl"), "repl", "-g", script, calc()], stdin=subprocess.PIPE,
                          stderr=subprocess.PIPE) as repl:
        t.equal(repl.stderr.readline(), b"loaded\n", "the first start")
        time.sleep(1)
        os.kill(repl.pid, getattr(signal, name))
        _, err = repl.communicate(timeout=30)
        t.equal((repl.returncode, err), (128 + getattr(signal, name), b""), "how it ended")


def test_closed_input(t):
    r = t.gate("repl", calc(), preexec=lambda: os.close(0))
    t.equal((r.status, r.stdout), (125, ""), "status and output", r)
    t.check("gatectl: error: standard input is closed" in r.err, "said", r)


def test_no_such_command(t):
    r = t.gate("repl", calc(), stdin=b"thraeds\n")
    t.check("no command 'thraeds'; did you mean threads?" in r.err, "suggestion", r)
    r = t.gate("repl", calc(), stdin=b"\n\nat 'nowhere.c:1' :log 'x'\n")
    t.check("input:3:" in r.err, "the line is told", r)


@params(("break calc.c:7", "break", "gate LOCATION"), ("continue", "continue", "run"), ("info threads", "info", "threads"), ("n", "n", "next T"),
        ("exit", "exit", "quit"), ("delete 2", "delete", "drop N"))
def test_words_of_other_debuggers(t, case):
    """Who knows another debugger is told the word here; what Lua knows by that name stays Lua."""
    line, word, here = case
    r = t.gate("repl", calc(), stdin=(line + "\n").encode())
    t.error(r, 125, "input:1: there is no command '%s'; here that is: %s" % (word, here))
    r = t.gate("repl", calc(), stdin=b"info = 3\nn = 4\n= info + n\n")
    t.equal((r.status, r.stdout), (0, "7\n"), "Lua's", r)


@params(("no_such_word", "there is no command 'no_such_word'"), ("at)", "syntax error near ')'"), ("at x", "syntax error near 'x'"),
        ("frobnicate 1", "there is no command 'frobnicate'"), ("bt nobody", "there is no thread 'nobody'"),
        ("gate nowhere.c:3", "nowhere.c"), ("source /proc/none.lua", "/proc/none.lua"), ("until main", "until: an argument"),
        ("save /proc/none/x.lua", "/proc/none"), ("= nil + 1", "attempt to perform"), ("drop 9", "there is no line 9"))
def test_faults_name_their_line(t, case):
    r = t.gate("repl", calc(), stdin=("\n# a comment\n%s\nquit\n" % case[0]).encode())
    t.error(r, 125, "input:3: ")
    t.check(case[1] in r.err.split("\n")[0], "what it is", r)


COMMANDS = """gate drop gates places open run restart threads hold go only until next step bt locals print list find why
    events repeat prove save source = help quit""".split()


@timeout(120)
@params("", "gate second wait g\nrun\n", "run\n")
def test_every_command_everywhere(t, before):
    """With nothing, nonsense and too much behind it; before the start, at rest and after the end."""
    for command in COMMANDS:
        for rest in ("", " nonsense", " 99 x y"):
            if command == "save" and rest:
                continue
            r = t.gate("repl", calc(), stdin=(before + command + rest + "\nthreads\nquit\n").encode(), cwd=t.tmp)
            t.check(r.status in (0, 125), command + rest, r)
            t.check(r.status == 0 or re.search("gatectl: error: .*\n", r.err), "one error", r)


def test_manual_has_every_command(t):
    r = session(t, ["help", "quit"])
    names = re.findall(r"^  (\S+) ", r.stdout, re.M)
    t.equal(sorted(names), sorted(COMMANDS), "help", r)
    with open(os.path.join(ROOT, "man", "gatectl-repl.1")) as f:
        section = f.read().split(".Sh COMMANDS")[1].split(".Sh ")[0]
    t.equal(sorted(re.findall(r"^\.It Cm (\S+)", section, re.M)), sorted(COMMANDS), "gatectl-repl(1)")


@params(('on "rest" :wait(g)', "at rest no thread arrives"), ('at "first" :release "a"', 'only with on "rest"'),
        ('on("rest", { thread = "a" })', "takes neither thread nor hit"), ('on "rest" :open "h"', "no gate 'h' has been made yet"),
        ('at "first" :open "g"', "expected a gate, got a string"))
def test_words_for_rest(t, case):
    script = t.file("s.lua", 'local g = SimpleGate "g"\n%s\n' % case[0])
    r = t.gate("run", "-g", script, calc())
    t.equal(r.status, 125, "status", r)
    t.check("s.lua:2: " in r.err and case[1] in r.err, "the fault", r)


def test_rest_that_never_is(t):
    script = t.file("s.lua", 'local g = SimpleGate "g"\non "rest" :open "g"\n')
    r = t.gate("run", "-g", script, calc())
    t.equal(r.status, 120, "status", r)
    t.check("there was no time at which a thread was held and no thread could move" in r.err, "said", r)


TIMER = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void tick(int signal) { (void)signal; }
static void *work(void *arg)
{
	puts("work");
	return arg;
}
int main(int argc, char **argv)
{
	useconds_t period = atoi(argv[argc - 1]);
	pthread_t t;

	signal(SIGALRM, tick);
	ualarm(period, period);
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	return 0;
}
"""


@params("100000", "20000")
def test_timer(t, period):
    """Signals that come for ever are nothing to wait for, where somebody is held."""
    r = t.gate("repl", compile_text("timer.c", TIMER, flags="-g -O0 -pthread"), period, seconds=30,
               stdin=b"gate work;puts wait g\nrun\nthreads\nopen g\nrun\nquit\n")
    t.equal(r.status, 0, "status", r)
    t.order_of(r.stdout, "work#1 is held", "a thread is held, and no event comes", "opens gate g",  # main may just run its handler
               "the program has exited with status 0")


GIVEN = """
#include <stdio.h>
#include <stdlib.h>
static int sum = 3;
static void add(int n)
{
	sum += n;
}
int main(int argc, char **argv)
{
	char text[64] = "";
	if (!fgets(text, sizeof text, stdin))
		text[0] = 0;
	add(4);
	add(1);
	printf("%s %s %d %s|\\n", getenv("WORD") ? getenv("WORD") : "-", argc > 1 ? argv[1] : "-", sum, text);
}
"""
GIVES = ['env { WORD = "word" }', 'args { "one" }', 'stdin "text\\n"']


def test_lines_say_what_the_program_gets(t):
    """As they do in a script: from the next start on, also if they come when it runs, or has ended."""
    program = compile_text("repl_given.c", GIVEN)
    r = session(t, GIVES + ["run", "restart", "run"], program)
    t.equal(r.stdout.count("word one 8 text\n|"), 2, "both runs", r)
    r = session(t, ["gate add wait g", "run"] + GIVES + ["restart", "run", "open g"], program)
    t.check("word one 8 text\n|" in r.stdout and "- - " not in r.stdout, "the second run", r)
    r = session(t, ["run"] + GIVES + ["restart", "run"], program)
    t.check("- - 8 |" in r.stdout and "word one 8 text\n|" in r.stdout, "without, and with", r)
    r = session(t, GIVES + ["repeat 1"], program)
    t.check("word one 8 text\n|" in r.stdout, "the repeat", r)


def test_scripts_say_what_the_program_gets(t):
    """So do scripts; what they print at load is told once."""
    program = compile_text("repl_given.c", GIVEN)
    script = t.file("given.lua", "\n".join(GIVES) + '\nprint "loaded"\n')
    for options, commands in ((("-g", script), []), ((), ["source " + script])):
        r = session(t, commands + ["run"], program, options=options)
        t.check("word one 8 text\n|" in r.stdout, "what it gets", r)
        t.equal(r.err, "loaded\n", "what is printed", r)


def test_command_line_wins_over_lines(t):
    program = compile_text("repl_given.c", GIVEN)
    r = t.gate("repl", program, "mine", stdin=b'args { "one" }\nrun\n')
    t.check("- mine 8 |" in r.stdout, "its arguments", r)


def test_variables_of_the_program(t):
    """program.var in a line, while the program stands still; what has used it is not done again by a restart."""
    program = compile_text("repl_given.c", GIVEN)
    r = session(t, ['at("add", {hit = 2}):wait(SimpleGate "g")', "function twice() return program.var.sum * 2 end",
                    "run", "= program.var.sum", "= twice()", "program.var.sum = 40", "= program.var.sum", "restart",
                    "run", "= program.var.sum"], program)
    values = [line for line in r.stdout.splitlines() if line.isdigit()]
    t.equal((values, r.err), (["7", "14", "40", "7"], ""), "values", r)
    r = session(t, ["= program.var.sum"], program, status=125)
    t.check("the program does not run while the script is loaded" in r.err, "before", r)
    script = t.file("early.lua", "print(program.var.sum)\n")
    r = session(t, ["gate add wait g", "run", "source " + script], program, status=125)
    t.check("the program does not run while the script is loaded" in r.err, "a script's text", r)


def test_statement_over_several_lines(t):
    """A statement goes on until it is whole, as in lua(1); its lines are counted, saved and done again as they are."""
    saved = t.path("saved.lua")
    lines = ['at "second;result = factor" :run(function(hit)', "  if hit.var.factor == 1 then", "", "    print [[two",
             "lines]]", "  end", "end)"]
    r = session(t, ['gate first;multiplier wait early'] + lines + ["run", "restart", "run", "save " + saved, "open early",
                                                                   "repeat 1"], status=None)
    t.check(r.err.startswith("two\nlines\ntwo\nlines\n"), "both runs", r)
    t.check("\n" + "\n".join(lines) + "\n" in open(saved).read(), "what is saved", r)
    r = session(t, ["", 'at "first" :run(', "function(hit)", " error 'here'", "end)", "run"], status=125)
    t.check("input:4: here" in r.stdout + r.err, "the line that is at fault", r)


@params(('at "first" :run(function(hit)', "'end' expected"), ("x =", "unexpected symbol"), ("f = {1,", "unexpected"),
        ("x = [[", "unfinished long"))
def test_statement_without_an_end(t, case):
    line, what = case
    r = session(t, [line], status=125)
    t.check(r.first.startswith("gatectl: error: input:"), "first line", r)
    t.check(what in r.first, "what is missing", r)


@params("frobnicate", "break second", "return 1 2", "x = = 1", 'at "w', "a.b")
def test_faulty_statement_does_not_go_on(t, line):
    r = session(t, [line, "= 77", "= 78"], status=125)
    t.check("77" not in r.stdout and "input:1: " in r.err, "the fault is that of its line", r)
