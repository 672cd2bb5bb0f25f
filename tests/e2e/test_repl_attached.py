"""gatectl repl --pid: the prompt on a process that runs already, and off again without a trace."""

import os
import signal
import subprocess

from harness import Process, compile_text, params, timeout, wait_until
from test_attach import Running, many_times, wait_traced
from test_repl_terminal import PROMPT, Terminal

TICKS = r"""
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
int count;
static void tick(int n)
{
	count += n;
}
static void *worker(void *arg)
{
	for (;;) {
		tick(2);
		usleep(1000);
	}
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	(void)argv;
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	pthread_create(&t, NULL, worker, NULL);
	puts("ready");
	fflush(stdout);
	if (argc > 1)
		return getchar() == 'x' ? 3 : 4;
	for (;;)
		pause();
}
"""


# Two threads that deadlock; with an argument main goes on.
DEADLOCK = r"""
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static void move(pthread_mutex_t *from, pthread_mutex_t *to)
{
	pthread_mutex_lock(from);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(to);
}
static void *left(void *arg)
{
	move(&a, &b);
	return arg;
}
static void *right(void *arg)
{
	move(&b, &a);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t l, r;
	(void)argv;
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&l, NULL, left, NULL);
	pthread_create(&r, NULL, right, NULL);
	puts("ready");
	fflush(stdout);
	while (argc > 1)
		usleep(1000);
	pthread_join(l, NULL);
	return 0;
}
"""
WAITS = ("left#1 waits for mutex b held by right#1 (taken at dl.c:10), in move at dl.c:12",
         "right#1 waits for mutex a held by left#1 (taken at dl.c:10), in move at dl.c:12")
CYCLE = "; ".join(WAITS)


def ticks(t, *args, **kw):
    p = Running(t, compile_text("ticks.c", TICKS, "-g -O0 -pthread"), *args, **kw)
    t.equal(p.line(), "ready", "the program")
    return p


def is_running(pid):
    """And is not stopped by gatectl."""
    with open("/proc/%d/status" % pid) as f:
        return "State:\tt" not in f.read()


def repl(t, pid, *commands, options=()):
    return t.gate("repl", *options, "--pid", str(pid), stdin="".join(c + "\n" for c in commands).encode(), leftover=False)


def test_looks(t):
    """Its threads, their calls and variables; gates hold it until the REPL is left."""
    with ticks(t) as p:
        r = repl(t, p.pid, "threads", "bt main", "gate tick", "run", "print worker#1 n + 1", "locals worker#1", "quit")
        t.equal(r.status, 0, "status", r)
        t.check("1  main" in r.stdout and "2  worker#1" in r.stdout, "threads", r)
        t.check("worker#1 is held at tick by gate g1" in r.stdout, "it is held", r)
        t.check("\n3\n" in r.stdout and "int n = 2" in r.stdout, "values", r)
        p.check(t, r)
        r = repl(t, p.pid, "until worker#1 tick", "next worker#1", "print worker#1 count > 0")
        t.check("\ntrue\n" in r.stdout, "steps, and the end of input leaves it", r)
        p.check(t, r)


def says(r):
    """The first line of attach, without `gatectl: `."""
    return r.err.splitlines()[0].removeprefix("gatectl: ")


@params((), ("main goes on",))
def test_deadlocked(t, args):
    """The first answer, and `why`, are those of attach; nobody has pressed Ctrl-C."""
    with Running(t, compile_text("dl.c", DEADLOCK, "-g -O0 -pthread"), *args) as p:
        t.equal(p.line(), "ready", "the program")
        attach = t.gate("attach", str(p.pid), leftover=False)
        t.equal(attach.status, 0 if args else 123, "status of attach", attach)
        r = repl(t, p.pid, "why", "quit")
        t.equal((r.status, r.err), (0, ""), "status", r)
        first = (f"process {p.pid} still moves, but some of its threads cannot: " if args else
                 "deadlock: no thread of the program can move: ") + CYCLE
        lines = r.stdout.splitlines()
        t.equal((says(attach), lines[0], lines[4]), (first,) * 3, "verdict", r)
        for i, wait in enumerate(WAITS):
            t.equal((lines[2 + i], lines[6 + i]), (f"  {i + 2}  {wait}",) * 2, "wait", r)
            t.check(wait in attach.err, "wait by attach", attach)
        t.check("Ctrl-C" not in r.stdout, "nobody has pressed it", r)
        p.check(t, r)


SIGNALLED = r"""
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static void *waits(void *arg)
{
	pthread_mutex_lock(&m);
	for (;;)
		pthread_cond_wait(&changed, &m);
	return arg;
}
int main(void)
{
	pthread_t t;
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	pthread_create(&t, NULL, waits, NULL);
	puts("ready");
	fflush(stdout);
	for (;;) {
		usleep(1000);
		pthread_cond_signal(&changed);
	}
}
"""


def test_signalled_by_one_that_sleeps(t):
    """A thread that a sleeping one may wake is in no deadlock."""
    with Running(t, compile_text("signalled.c", SIGNALLED, "-g -O0 -pthread")) as p:
        t.equal(p.line(), "ready", "the program")
        attach, r = t.gate("attach", str(p.pid), leftover=False), repl(t, p.pid, "why", "quit")
        first = f"process {p.pid} is not in a deadlock"
        t.equal((says(attach), r.stdout.splitlines()[0]), (first,) * 2, "verdict", r)


def test_not_deadlocked(t):
    with ticks(t) as p:
        attach, r = t.gate("attach", str(p.pid), leftover=False), repl(t, p.pid, "why", "quit")
        first = f"process {p.pid} is not in a deadlock"
        t.equal((says(attach), r.stdout.splitlines()[0], r.stdout.splitlines()[3]), (first,) * 3, "verdict", r)


def test_deadlocked_at_ctrl_c(t):
    """`why` names the deadlocked threads of a program that was stopped by hand."""
    x = Terminal(t, [t.gatectl, "repl", compile_text("dl.c", DEADLOCK, "-g -O0 -pthread"), "main goes on"])
    x.wait(PROMPT)
    x.send("run\r")
    x.wait("ready")
    x.send("\003")
    x.wait("stopped by Ctrl-C", PROMPT)
    x.command("why", "stopped by Ctrl-C", "deadlocked: " + CYCLE)
    x.send("quit\r")
    t.equal(x.status(), 0, "status")


@params("", "mfs")
@timeout(300)
def test_under_load(t, letters):
    commands = ["threads", 'at("//request", {hit = {1, 5}}):run(function() end)', 'local g = SimpleGate "held"', 'at("//sum"):wait(g)',
                "until computer#1 sum", "until computer#1 //sum", "why", "bt main", "quit"]

    def once(s):
        r = repl(t, s.pid, *commands)
        t.equal((r.status, r.err), (0, ""), "outcome", r)
        t.check("computer#1 is held at gate held at server.c:50" in r.stdout, "sent", r)
        return r
    many_times(t, letters, 20 if t.full else 3, once)


@params(signal.SIGKILL, signal.SIGTERM, signal.SIGHUP)
def test_killed(t, number):
    """gatectl ends at the prompt, while a gate holds a thread: the process goes on."""
    with ticks(t) as p:
        r = Process([t.gatectl, "repl", "--pid", str(p.pid)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=t.env, text=True)
        r.stdin.write("gate tick\nrun\n")
        r.stdin.flush()
        for line in r.stdout:
            if "2  worker#1 is held" in line:
                break
        r.send_signal(number)
        r.wait(timeout=60)
        r.communicate()
        t.equal(r.returncode, -9 if number == signal.SIGKILL else 128 + number, "status")
        wait_traced(p.pid, False)
        p.check(t)


@params("quit", "hangup", "killed")
def test_terminal(t, how):
    """Ctrl-C leads back to the prompt and is not the process's."""
    with ticks(t) as p:
        x = Terminal(t, [t.gatectl, "repl", "--pid", str(p.pid)])
        x.wait("2  worker#1", PROMPT)
        x.send("run\r")
        wait_until(lambda: is_running(p.pid), "it runs")
        x.send("\003")
        x.wait("stopped by Ctrl-C", PROMPT)
        x.command("gate tick", "waits at gate g1")
        x.command("run", "worker#1 is held at tick")
        if how == "quit":
            x.send("quit\r")
            t.equal(os.waitstatus_to_exitcode(os.waitpid(x.pid, 0)[1]), 0, "status")
        elif how == "hangup":
            os.close(x.fd)
            os.waitpid(x.pid, 0)
        else:
            os.kill(x.pid, signal.SIGKILL)
            os.waitpid(x.pid, 0)
        wait_traced(p.pid, False)
        p.check(t)


def test_stopped_by_the_shell(t):
    """Ctrl-Z at the prompt stops gatectl; fg brings the prompt back."""
    with ticks(t) as p:
        x = Terminal(t, ["bash", "--norc", "--noediting", "-i"])
        x.wait("$ ")
        x.send("%s repl --pid %d\r" % (t.gatectl, p.pid))
        x.wait("2  worker#1", PROMPT)
        for _ in range(3):
            x.send("\032")
            x.wait("Stopped", "$ ")
            x.send("fg\r")
            x.wait("repl --pid")
            x.command("threads", "2  worker#1")
        x.send("quit\r")
        x.wait("$ ")
        x.send("exit $?\r")
        t.equal(x.status(), 0, "status")
        p.check(t)


def test_process_ends(t):
    """The process ends while it runs under the REPL."""
    with ticks(t, "ends", stdin=subprocess.PIPE) as p:
        r = Process([t.gatectl, "repl", "--pid", str(p.pid)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                    env=t.env, text=True)
        wait_traced(p.pid)
        p.p.stdin.write(b"x")
        p.p.stdin.flush()
        out, err = r.communicate("run\nrun\n")
        t.equal(p.p.wait(), 3, "its own status")
        t.check("the program has exited with status 3" in out, "the end: " + out)
        t.check("was attached to: gatectl does not start it again" in err, "it is not started: " + err)


def test_refused(t):
    with ticks(t) as p:
        for command in ("restart", "prove", "repeat 3"):
            r = t.error(repl(t, p.pid, command), where="was attached to: gatectl does not start it again")
            p.check(t, r)
        for arguments, why in ((["--pid", "x"], "--pid: 'x' is not the number of a process"), (["--pid", str(p.pid), "true"], "--pid takes no program"),
                               (["--pid", "0"], "--pid: '0' is not"), (["--pid", str(p.pid), "--leftover", "kill"], "never ends a process")):
            t.error(t.gate("repl", *arguments, leftover=False), where=why)
        t.equal(t.gate("repl", "--pid", str(2 ** 22 + 1), leftover=False).status, 125, "no process")
        p.check(t)
