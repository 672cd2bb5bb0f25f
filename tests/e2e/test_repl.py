"""gatectl repl: commands from a pipe, and from a terminal."""

import os
import pty
import re
import select
import signal
import subprocess
import time

from harness import compile_text, params, timeout

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
        t.check('on("rest"):release "first#1"' in f.read(), "what was done stands in the script")
    r = t.gate("run", "-g", saved, calc())
    t.equal((r.status, r.stdout, r.err), (1, "6\n", ""), "outcome", r)


def test_looking(t):
    r = session(t, ["gate second;factor = wait late", "run", "threads", "bt second#1", "locals second#1",
                    "print second#1 multiplier + 1", "print 3 *(int *)arg", "list second;factor =",
                    "find second;result", "why", "gates", "places", "events 3", "help step", "= 1 + 2", "quit"])
    for words in ("second#1 is held at gate late", "#0  second at", "start_thread", "int factor = ", "\n8\n",
                  "\n6\n", "int factor = multiplier;", "result += scale(0);", "opens gate late",
                  "nobody can move", "at \"second;factor =\":wait(late)", "1 arrival", "step T", "\n3\n"):
        t.check(words in r.stdout, "missing: " + words, r)


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


def test_places_while_it_runs(t):
    """A gate is placed when the program has run for a while already; dropped ones act no more."""
    r = session(t, ["gate first wait g", "run", "gate main;printf wait h", "open g", "threads", "open h", "quit"])
    t.check("main is held at gate h" in r.stdout, "the new one", r)
    t.check("has exited with status" in r.stdout, "it ended", r)
    r = session(t, ["gate first wait g", "gate second wait h", "drop 2", "run", "threads", "quit"])
    t.check("second#1 is held" in r.stdout and "first#1 is held" not in r.stdout, "dropped", r)


def test_restart_keeps_the_gates(t):
    r = session(t, ["gate first wait g", "run", "open g", "restart", "run", "threads", "quit"])
    t.equal(r.stdout.count("first#1 is held at first by gate g"), 2, "held in both runs", r)


def test_scripts(t):
    script = t.file("s.lua", 'local g = SimpleGate "g"\nat "first":wait(g)\n')
    r = session(t, ["run", "open g", "quit"], options=["-g", script])
    t.check("first#1 is held at gate g" in r.stdout, "-g", r)
    r = session(t, ["source " + script, 'at "second":open(g)', "run", "quit"])
    t.check("has exited with status" in r.stdout, "a local of the script is known to later lines", r)


def test_repeat(t):
    r = session(t, ["gate second wait g", "run", "open g", "restart", "repeat 5", "quit"])
    t.check("never-opened" in r.err or "gate-deadlock" in r.err or "5 of 5" in r.err, "it was run", r)


@params("gate nowhere.c:3 wait g", "gate first wait 1x", "open nothing", "bt nobody", "frobnicate()", "drop 9",
        "until main nowhere", "source /nonexistent.lua", "save /nonexistent/x.lua", "print 1 nothing", "= nil + 1")
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
    r = t.gate("repl", "/nonexistent/program", stdin=b"quit\n")
    t.equal(r.status, 127, "status", r)


def test_program_reads_nothing(t):
    """Commands come from the pipe: the program reads /dev/null."""
    r = session(t, ["run", "quit"], program="/bin/cat")
    t.check("has exited with status 0" in r.stdout, "cat saw the end at once", r)


def test_end_of_input_kills(t):
    r = session(t, ["gate first wait g", "run"])
    t.check("first#1 is held" in r.stdout, "held", r)


# ---- a terminal ------------------------------------------------------------------------------------

SERVER = r"""
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile long count;
static void *work(void *arg)
{
	for (;;) {
		count++;
		usleep(1000);
	}
	return arg;
}
int main(void)
{
	char line[64];
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	while (fgets(line, sizeof line, stdin)) {
		printf("got %s", line);
		fflush(stdout);
	}
	return 3;
}
"""


class Terminal:
    def __init__(self, t, command):
        self.t, self.seen = t, b""
        pid, self.fd = pty.fork()
        if pid == 0:
            os.environ.update(t.env, TERM="vt100", HOME=t.path("."))
            os.execv(command[0], command)
        self.pid = pid

    def wait(self, text, seconds=15):
        """Until the text has come behind what was waited for before."""
        end = time.time() + seconds
        while text.encode() not in self.seen:
            if time.time() > end:
                self.t.check(False, "%r has not come, but %r" % (text, self.seen[-2000:]))
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.fd, 65536)
                except OSError:
                    break
        self.t.check(text.encode() in self.seen, "%r: the terminal was closed before: %r" % (text, self.seen[-2000:]))
        self.seen = self.seen.split(text.encode(), 1)[1]

    def send(self, text):
        os.write(self.fd, text.encode())

    def status(self):
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


def test_terminal(t):
    """The program's input and output, Ctrl-C for a look, completion, and a line that Ctrl-C empties."""
    program = compile_text("repl_server.c", SERVER, flags="-g -O0 -pthread")
    x = Terminal(t, [t.gatectl, "repl", program])
    x.wait("(gatectl) ")
    x.send("run\r")
    x.wait("run")
    time.sleep(0.3)  # a line typed early would be the prompt's
    x.send("hello\r")
    x.wait("got hello")
    x.send("\003")
    x.wait("stopped")
    x.wait("(gatectl) ")
    x.send("print work#1 count > 0\r")
    x.wait("true")
    x.wait("(gatectl) ")
    x.send("nonsense\003")
    x.wait("(gatectl) ")
    x.send("thr\t\r")
    x.wait("work#1")
    x.wait("(gatectl) ")
    x.send("gate repl_server.c:9 wait g\r")
    x.wait("waits at gate g")
    x.wait("(gatectl) ")
    x.send("run\r")
    x.wait("work#1 is held")
    x.wait("(gatectl) ")
    x.send("nosuch()\r")
    x.wait("error:")
    x.wait("(gatectl) ")
    x.send("quit\r")
    t.equal(x.status(), 0, "status")


def test_terminal_end_of_input(t):
    program = compile_text("repl_server.c", SERVER, flags="-g -O0 -pthread")
    x = Terminal(t, [t.gatectl, "repl", program])
    x.wait("(gatectl) ")
    x.send("run\r")
    x.wait("run")
    time.sleep(0.3)
    x.send("\004")
    x.wait("has exited with status 3")
    x.wait("(gatectl) ")
    x.send("\004")
    t.equal(x.status(), 3, "status")


def test_killed_while_it_runs(t):
    """SIGTERM ends gatectl and the program."""
    program = compile_text("repl_loop.c", SERVER.replace("while (fgets(line, sizeof line, stdin))", 'while (!sleep(1) && sprintf(line, "x"))'),
                           flags="-g -O0 -pthread")
    p = subprocess.Popen([t.gatectl, "repl", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=t.env)
    p.stdin.write(b"gate repl_loop.c:9 wait g\nrun\n")
    p.stdin.flush()
    for line in p.stdout:
        if b"is held" in line:
            break
    p.send_signal(signal.SIGTERM)
    p.communicate(timeout=20)
    t.check(p.returncode in (143, -15), "ended by it: %d" % p.returncode)
