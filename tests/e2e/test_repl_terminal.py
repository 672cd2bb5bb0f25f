"""gatectl repl on a terminal that it shares with the program, and on a pipe that goes on."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from harness import Process, compile_text, params
from patience import Limit

# Reads lines, or with an argument keys in raw mode; says in which mode the terminal is.
PROGRAM = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
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
static void say(const char *what)
{
	struct termios t;
	tcgetattr(0, &t);
	printf("<%s %s>", what, t.c_lflag & ICANON ? "cooked" : "raw");
	fflush(stdout);
}
static void keys(void)
{
	struct termios t, old;
	char c;
	tcgetattr(0, &old);
	t = old;
	cfmakeraw(&t);
	tcsetattr(0, TCSANOW, &t);
	say("ready");
	while (read(0, &c, 1) == 1 && c != 'q') {
		char what[] = {'k', c, 0};
		say(what);
	}
	tcsetattr(0, TCSANOW, &old);
}
static void own_group(void)
{
	signal(SIGTTOU, SIG_IGN);
	setpgid(0, 0);
	tcsetpgrp(0, getpid());
}
int main(int argc, char **argv)
{
	char line[64];
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	if (argc > 1 && strcmp(argv[1], "group") == 0)
		own_group();
	if (argc > 1 && strcmp(argv[1], "keys") == 0) {
		keys();
		return 4;
	}
	say("ready");
	while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = 0;
		say(line);
	}
	return 3;
}
"""
PROMPT = "(gatectl) "


def program():
    return compile_text("repl_terminal.c", PROGRAM, flags="-g -O0 -pthread")


class Terminal:
    def __init__(self, t, command):
        self.t, self.seen = t, b""
        pid, self.fd = pty.fork()
        if pid == 0:
            os.environ.clear()
            os.environ.update(t.env, TERM="vt100", HOME=t.path("."), PS1="$ ")
            os.execvp(command[0], command)
        self.pid = pid

    def wait(self, *texts, seconds=20):
        """Until each text has come behind the one before; what stood in front of the last one."""
        for text in texts:
            limit = Limit(seconds)
            while text.encode() not in self.seen:
                self.t.check(not limit.over(), "%r has not come, but %r" % (text, self.seen[-2000:]))
                if select.select([self.fd], [], [], 0.1)[0]:
                    try:
                        self.seen += os.read(self.fd, 65536)
                    except OSError:
                        break
            self.t.check(text.encode() in self.seen, "%r: closed before: %r" % (text, self.seen[-2000:]))
            before, self.seen = self.seen.split(text.encode(), 1)
        return before.decode(errors="replace")

    def send(self, text):
        os.write(self.fd, text.encode())

    def command(self, text, *answers):
        self.send(text + "\r")
        return self.wait(*answers, PROMPT)

    def status(self):
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


def begin(t, *args):
    x = Terminal(t, [t.gatectl, "repl", program(), *args])
    x.wait(PROMPT)
    return x


def leave(t, x, status=0):
    x.send("quit\r")
    t.equal(x.status(), status, "status")


def test_gate_in_vain(t):
    """A gate that was made for a place that there is not is in no script."""
    x = begin(t)
    x.command("gate nowhere wait g", "error:")
    x.command("gate work wait h", "work waits at gate h")
    x.command("save " + t.path("v.lua"))
    leave(t, x)
    with open(t.path("v.lua")) as f:
        saved = f.read()
    t.check('"g"' not in saved and 'at "work":wait(h)' in saved, saved)


def size(x, rows, columns):
    fcntl.ioctl(x.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def test_banner(t):
    """One line: where the program stands, and help."""
    x = Terminal(t, [t.gatectl, "repl", program()])
    before = x.wait(PROMPT)
    t.check("the program has not begun: `run` starts it, `help` lists the commands\r\n" in before, "the line: %r" % before)
    t.equal(before.count("\n"), 1, "one: %r" % before)
    leave(t, x)


def test_events_of_the_running_program(t):
    """A message about the running program begins and ends a line of the terminal; no control character is spelt out."""
    x = begin(t)
    size(x, 24, 80)
    x.command("gate work wait g", "work waits at gate g")
    x.send("run\r")
    before = x.wait("work#1 is held at work by gate g")
    after = x.wait("\r\n")
    t.check(before.endswith(80 * " " + "\r"), "begin of the line: %r" % before)
    t.equal(after, " (repl_terminal.c:10)\r", "end of the line")
    x.send("\003")
    x.wait("stopped by Ctrl-C", PROMPT)
    leave(t, x)


def test_help_is_paged(t):
    """On 24 rows of 80 columns no line is lost; where all fits, nothing is asked."""
    question = "(Return: more; q: end) "
    x = begin(t)
    size(x, 24, 80)
    x.send("help\r")
    first = x.wait(question)
    lines = first.split("\r\n")[:-1]  # blanks as wide as the screen are before the question
    t.equal(len([l for l in lines if l.startswith("  ") and l.strip()]), 23, "a page: %r" % first)
    x.send("\r")
    rest = x.wait(PROMPT)
    t.check("  quit " in rest and "Every other line is Lua" in rest, "the rest: %r" % rest)
    t.check(all(len(l) < 80 for l in lines + rest.split("\r\n")[:-1]), "80 columns: %r" % (first + rest))
    for end in ("q\r", "\003"):
        x.send("help\r")
        x.wait(question)
        x.send(end)
        t.check("  quit " not in x.wait(PROMPT), "ended by %r" % end)
    x.command("help quit", "quit")
    size(x, 60, 80)
    t.check(question not in x.command("help", "quit"), "all of it")
    leave(t, x)


def test_one_numbering(t):
    """What gates lists, drop takes, places shows and messages name is one number."""
    x = begin(t)
    x.command("threads")
    x.command("gate work wait g", "2: work waits at gate g")
    x.command("x = 1")
    x.command("at 'say':run(function() error 'broken' end)")
    x.command("gates", "1  local g", "2  at", "3  x = 1", "4  at 'say'")
    listed = x.command("places")
    t.check(re.search(r" 2  work: wait g ", listed) and re.search(r" 4  say: run ", listed), "places: %r" % listed)
    x.command("run", "input:4: broken")
    leave(t, x)


def test_order_in_vain(t):
    """Nothing is left of an order that was refused: neither in the way of later lines nor in their orders."""
    x = begin(t)
    x.command("order 'work -> main, main -> work'", "is a cycle")
    x.command("order 'main -> nowhere'", "error:")
    x.command("x = 1")
    x.command("order 'work -> nowhere'", "error:")
    x.command("order 'main -> work'")
    x.command("gates", "1  x = 1", "2  order 'main -> work'", "main -> work (SimpleGate) is closed")
    leave(t, x)


def test_input_and_output(t):
    """The program's input and output, Ctrl-C for a look that kills nothing, and a line that it empties."""
    x = begin(t)
    x.send("run\r")
    x.wait("<ready cooked>")
    x.send("hello\r")
    x.wait("<hello cooked>")
    x.send("\003")
    x.wait("stopped by Ctrl-C", "main reads from", PROMPT)
    x.command("print work#1 count > 0", "true")
    x.send("nonsense\003")
    x.wait(PROMPT)
    x.command("nosuch()", "error:")
    x.send("run\r")  # the Ctrl-C of the prompt is not the program's
    x.wait("run")
    x.send("again\r")
    x.wait("<again cooked>")
    x.send("\004")
    x.wait("has exited with status 3", PROMPT)
    leave(t, x)


def test_statement_over_several_lines(t):
    """Another prompt says that it goes on; Ctrl-C drops it, and at the end of input it is a fault."""
    x = begin(t)
    more = "       >> "
    x.send('at "work":run(function(hit)\r')
    x.wait(more)
    x.send("print(21 * 2)\r")
    x.wait(more)
    x.command("end)")
    x.send("x = {\r")
    x.wait(more)
    x.send("1, \003")
    x.wait(PROMPT)
    x.command("= x", "undefined name")
    x.send("run\r")
    x.wait("42")
    x.send("\003")
    x.wait("stopped by Ctrl-C", PROMPT)
    x.send("function f()\r")
    x.wait(more)
    x.send("\004")
    x.wait("'end' expected")
    t.equal(x.status(), 125, "status")


def test_end_of_input(t):
    x = begin(t)
    x.send("run\r")
    x.wait("<ready cooked>")
    x.send("\004")
    x.wait("has exited with status 3", PROMPT)
    x.send("\004")
    t.equal(x.status(), 3, "status")


def test_typing_while_a_thread_is_held(t):
    """The program waits for a line: it is not taken away after a quarter of a second."""
    x = begin(t)
    x.command("gate repl_terminal.c;usleep wait g", "waits at gate g")
    x.send("run\r")
    x.wait("work#1 is held")
    time.sleep(0.6)
    x.send("hello\r")
    x.wait("<hello cooked>")
    x.send("\003")
    x.wait("stopped", "work#1 is held at gate g", PROMPT)
    leave(t, x)


def test_raw_mode(t):
    """Each finds the terminal in the modes in which it has left it."""
    x = begin(t, "keys")
    x.command("gate keys;say(what) wait g", "waits at gate g")
    x.send("run\r")
    x.wait("<ready raw>")
    x.send("a")
    x.wait("main is held", PROMPT)
    for key in "bc":
        x.send("go main\r")
        x.wait("raw>")
        x.send(key)
        x.wait("main is held", PROMPT)
    x.command("= 1 + 1", "\n2")
    x.send("go main\r")
    x.wait("<kc raw>")
    x.send("q")
    x.wait("status 4", PROMPT)
    leave(t, x)


def in_shell(t, *args):
    x = Terminal(t, ["sh", "-i"])
    x.wait("$ ")
    x.send("%s repl %s %s\r" % (t.gatectl, program(), " ".join(args)))
    x.wait(PROMPT)
    return x


def shell_end(t, x):
    x.wait("$ ")
    x.send("stty -a; exit\r")
    text = x.wait("echoke")
    for mode in ("icanon", "echo", "isig", "opost"):
        t.check(re.search(r"(?<!-)\b%s\b" % mode, text) and "-" + mode + " " not in text, mode + ": " + text)
    x.status()


def test_modes_at_the_end(t):
    """Also where the program was killed in raw mode."""
    x = in_shell(t, "keys")
    x.command("gate keys;say(what) wait g")
    x.send("run\r")
    x.wait("<ready raw>")
    x.send("a")
    x.wait("main is held", PROMPT)
    x.send("quit\r")
    shell_end(t, x)


def test_modes_after_sigterm(t):
    x = in_shell(t, "keys")
    x.send("run\r")
    x.wait("<ready raw>")
    found = subprocess.run(["pgrep", "-f", "repl %s keys" % program(), "-P", str(x.pid)], capture_output=True, text=True)
    os.kill(int(found.stdout.split()[0]), signal.SIGTERM)
    shell_end(t, x)


def test_modes_after_sigterm_at_the_prompt(t):
    x = in_shell(t)
    found = subprocess.run(["pgrep", "-P", str(x.pid)], capture_output=True, text=True)
    os.kill(int(found.stdout.split()[0]), signal.SIGTERM)
    shell_end(t, x)


def test_job_control(t):
    """Ctrl-Z stops gatectl and the program together, at the prompt and while it runs; fg is for both."""
    x = in_shell(t)
    x.send("run\r")
    x.wait("<ready cooked>")
    x.send("\032")
    x.wait("Stopped", "$ ")
    x.send("fg\r")
    x.wait("repl")
    x.send("hello\r")
    x.wait("<hello cooked>")
    x.send("\003")
    x.wait("stopped", PROMPT)
    x.send("print 2 cou")
    x.wait("cou")
    x.send("\032")
    x.wait("Stopped", "$ ")
    x.send("fg\r")
    x.wait(PROMPT + "print 2 cou")
    x.send("nt > 0\r")
    x.wait("true", PROMPT)
    x.send("run\r")
    x.wait("run")
    x.send("more\r")
    x.wait("<more cooked>")
    x.send("\003")
    x.wait("stopped", PROMPT)
    x.send("quit\r")
    shell_end(t, x)


def test_group_of_its_own(t):
    """A program that has taken the terminal, as a shell does: Ctrl-C is a wish to look all the same."""
    x = begin(t, "group")
    for word in ("one", "two"):
        x.send("run\r")
        x.wait("run")
        if word == "one":
            x.wait("<ready cooked>")
        x.send(word + "\r")
        x.wait("<%s cooked>" % word)
        x.send("\003")
        x.wait("stopped by Ctrl-C", PROMPT)
    leave(t, x)


def test_window_changes(t):
    """In the middle of lines that are longer than it is wide."""
    x = begin(t)
    sizes = [(rows, columns) for rows in (40, 1, 24, 2) for columns in (80, 7, 30, 1, 50, 0)]
    for i, size in enumerate(sizes * (20 if t.full else 2)):
        fcntl.ioctl(x.fd, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        x.send("a line that is longer than most of these windows are wide")
        fcntl.ioctl(x.fd, termios.TIOCSWINSZ, struct.pack("HHHH", *sizes[(i + 5) % len(sizes)], 0, 0))
        x.send("\020\001more \025")  # not Ctrl-C: what is typed before that has been seen is lost with the line
    fcntl.ioctl(x.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    x.command("= 6 * 7", "42")
    leave(t, x)


def test_completion(t):
    t.file("script.lua", 'local done = SimpleGate "done"\n')
    x = begin(t)
    x.command("source " + t.path("script.lua"))
    for typed, rest in (("thr\t", "eads"), ("source %s\t" % t.path("scri"), "pt.lua"), ("gate repl_term\t", "inal.c"),
                        ("gate own_g\t", "roup"), ("open do\t", "ne"), ("until ma\t", "in"), ("until main key\t", "s"),
                        ("help unt\t", "il"), ("gate keys wait do\t", "ne"), ("gate keys wa\t", "it"),
                        ("gate repl_terminal.c:\t\t", "repl_terminal.c:13")):
        x.send(typed)
        x.wait(typed.split("\t")[0][-4:], rest)
        x.send("\003")
        x.wait("\n" + PROMPT)
    x.send("gate std\t\txyz")
    t.check("stdio.h" not in x.wait("xyz"), "a header that has no code is no location")
    x.send("\003")
    x.wait("\n" + PROMPT)
    leave(t, x)


def test_completion_of_inlined_functions(t):
    """An optimised function without a symbol is a location, and is completed as one."""
    text = ("static inline __attribute__((always_inline)) void zigzag(volatile int *p) { *p += 1; }\n"
            "int main(void) { volatile int n = 0; zigzag(&n); return n - 1; }\n")
    x = Terminal(t, [t.gatectl, "repl", compile_text("repl_inlined.c", text, flags="-g -O2")])
    x.wait(PROMPT)
    x.send("gate zig\t")
    x.wait("gate zig", "zag")
    x.send("\003")
    x.wait("\n" + PROMPT)
    leave(t, x)


DATABASE = """#include <cstdio>
namespace leveldb {
class DBImpl {
public:
	int Write(int v);
	int x = 0;
};
class GateRace_ReadAcrossFlush_Test {
public:
	int TestBody();
};
__attribute__((noinline)) int GateRace_ReadAcrossFlush_Test::TestBody()
{
	return DBImpl().x;
}
__attribute__((noinline)) int DBImpl::Write(int v)
{
	x += v; // adds
	// only a comment
	std::printf("w%d\\n", v);
	return x;
}
}
int main()
{
	leveldb::DBImpl d;
	return d.Write(1) - 1 + leveldb::GateRace_ReadAcrossFlush_Test().TestBody();
}
"""


@params("g++ -O0", "g++ -O2", "clang++ -O0", "clang++ -O2")
def test_completion_without_the_namespace(t, build):
    """A function without its namespace, and texts of its lines behind the semicolon."""
    compiler, level = build.split()
    x = Terminal(t, [t.gatectl, "repl", compile_text("database.cpp", DATABASE, flags="-g " + level, compiler=compiler)])
    x.wait(PROMPT)
    for typed, rest in (("gate DBImpl::Wri\t", "te"), ("gate GateRace.Rea\t", "dAcrossFlush"), ("gate leveldb::DBImpl::Wri\t", "te"), ("gate DBImpl::Write;std\t", '::printf("w%d\\n",v);'),
                        ("gate DBImpl::Write;print\t", 'f("w%d\\n",v);')):
        x.send(typed)
        x.wait(typed.split("\t")[0][-4:], rest)
        x.send("\003")
        x.wait("\n" + PROMPT)
    x.send("gate DBImpl::Write;o\txyz")
    t.check("only" not in x.wait("xyz"), "a comment is no location")
    x.send("\003")
    x.wait("\n" + PROMPT)
    x.command('gate DBImpl::Write;std::printf("w%d\\n",v);', "waits at gate")
    leave(t, x)


@params(*[(name, "leveldb::DBImpl::Write") for name in ("DBImpl::Wirte", "DBIml::Write", "leveldb::DBImpl::Wri", "DBImpl::Wri")],
        ("GateRace.ReadAcrosFlush", "GateRace.ReadAcrossFlush"), ("GateRace.ReadAcrosFlush;return", "GateRace.ReadAcrossFlush"))
def test_misspelt_without_the_namespace(t, case):
    """The name that is similar is the whole one, or the test case that a function stands for."""
    name, whole = case
    program = compile_text("database.cpp", DATABASE, compiler="g++")
    r = t.gate("repl", program, stdin=f"gate {name}\nquit\n".encode())
    t.check(f"did you mean {whole}?" in r.err + r.stdout, "similar", r)


# ---- a pipe that goes on ---------------------------------------------------------------------------

class Pipe:
    def __init__(self, t, *command):
        self.t = t
        self.p = Process([t.gatectl, "repl", *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  env=t.env, text=True, bufsize=1)

    def send(self, line):
        self.p.stdin.write(line + "\n")
        self.p.stdin.flush()

    def wait(self, text):
        for line in self.p.stdout:
            if text in line:
                return line
        self.t.check(False, "%r has not come" % text)

    def value(self, expression):
        self.send("print main " + expression)
        return self.p.stdout.readline().strip()

    def end(self, status=0):
        self.p.stdin.close()
        self.p.stdout.read()
        self.t.equal(self.p.wait(timeout=20), status, "status")
        self.p.stdout.close()


MANY = r"""
#include <pthread.h>
#include <unistd.h>
enum { MANY = 30 };
static volatile unsigned long counts[MANY];
static unsigned long sum(void)
{
	unsigned long n = 0;
	for (int i = 0; i < MANY; i++)
		n += counts[i];
	return n;
}
static void *work(void *arg)
{
	volatile unsigned long *count = arg;
	for (;;) {
		(*count)++;
		if (*count % 1000 == 0)
			usleep(1);
	}
	return NULL;
}
int main(void)
{
	pthread_t t;
	for (int i = 0; i < MANY; i++)
		pthread_create(&t, NULL, work, (void *)&counts[i]);
	for (;;)
		pause();
	return (int)sum();
}
"""


def test_no_thread_runs_at_the_prompt(t):
    """Thirty busy threads, halted again and again: what they count stays as it is."""
    p = Pipe(t, compile_text("repl_many.c", MANY, flags="-g -O0 -pthread"))
    p.send("gate main;pause wait g")
    p.send("run")
    p.wait("main is held at gate g")
    p.send("open g")
    p.wait("opens gate g")
    for _ in range(20 if t.full else 3):
        time.sleep(0.05)
        p.p.send_signal(signal.SIGINT)
        p.wait("stopped by Ctrl-C")
        p.wait(" 31 ")
        first = [p.value("counts[%d]" % i) for i in range(0, 30, 5)]
        time.sleep(0.05)
        t.equal([p.value("counts[%d]" % i) for i in range(0, 30, 5)], first, "counts at the prompt")
        p.send("run")
    p.p.send_signal(signal.SIGINT)
    p.wait("stopped by Ctrl-C")
    p.send("quit")
    p.end()


def test_commands_that_come_slowly(t):
    p = Pipe(t, program())
    p.send("gate repl_terminal.c;usleep wait g")
    p.wait("waits at gate g")
    p.send("gate main;return 3 wait h")
    p.wait("waits at gate h")
    p.send("run")
    p.wait("work#1 is held at gate g")
    p.send("places")
    p.wait("usleep")
    p.end()


def test_killed_while_the_program_runs(t):
    """SIGTERM ends gatectl and the program."""
    for state in ("runs", "prompt"):
        p = Pipe(t, program())
        p.send("gate repl_terminal.c;usleep wait g")
        p.send("gate main;return 3 wait h")
        p.send("run")
        p.wait("work#1 is held at gate g")
        if state == "runs":
            p.send("run")
        p.p.send_signal(signal.SIGTERM)
        p.p.stdout.read()
        t.equal(p.p.wait(timeout=20), 143, "status: " + state)
        p.p.stdin.close()
        p.p.stdout.close()
