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
