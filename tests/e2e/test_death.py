"""gatectl dead = the program dead: whatever kills gatectl, at whatever moment, nobody is left."""

import ctypes
import os
import random
import signal
import subprocess
import time

from harness import Process, compile_text, end_processes, params, processes_with, wait_until
from patience import Limit

PR_SET_PDEATHSIG = 1

# Threads in a trapped line, one held for ever, children, grandchildren, a daemon in its own session.
TREE = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long beats, n;
static void *hammer(void *arg)
{
	for (;;)
		beats++; /* gate: hot */
	return arg;
}
static void *held(void *arg)
{
	n++; /* gate: held */
	return arg;
}
static void daemon_like(void)
{
	if (fork() == 0) {
		setsid();
		signal(SIGTERM, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
		if (fork() == 0)
			for (;;)
				pause();
		_exit(0);
	}
}
int main(void)
{
	pthread_t t;
	signal(SIGINT, SIG_IGN);
	pthread_create(&t, NULL, held, NULL);
	pthread_create(&t, NULL, hammer, NULL);
	daemon_like();
	for (;;) {
		pid_t pid = fork();
		if (pid == 0) {
			n++;
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
		if (vfork() == 0)
			_exit(0);
		usleep(2000);
	}
}
"""
SCRIPT = '''
local g = SimpleGate "never"
at "//held":wait(g)
at "//hot":run(function() end)
'''


def wait_until_caught(pid, sig):
    """A loaded machine may need longer to get gatectl so far that it takes signals."""
    def caught():
        with open("/proc/%d/status" % pid) as f:
            fields = dict(line.split(":", 1) for line in f)
        return "SigCgt" not in fields or int(fields["SigCgt"], 16) >> (sig - 1) & 1
    wait_until(caught, "gatectl catches signal %d" % sig)


def executes(pid, program):
    try:
        return os.readlink("/proc/%d/exe" % pid) == os.path.realpath(program)
    except OSError:
        return False


def kill_at(t, program, script, sig, delay):
    p = Process([t.gatectl, "run", "--gate-limit", "0", "-g", script, "--", program],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         env=t.env)
    time.sleep(delay)
    if sig != signal.SIGKILL:
        wait_until_caught(p.pid, sig)
    os.kill(p.pid, sig)
    try:
        # not communicate(): a child that is left alive would hold the pipes
        status = p.wait(timeout=10)
    except subprocess.TimeoutExpired:
        end_processes(t.marker)
        p.kill()
        p.wait()
        t.check(False, "gatectl does not end, %s after %.4f s" % (sig.name, delay))
    finally:
        p.stdout.close()
        err = ""
    limit = Limit(2 if sig == signal.SIGKILL else 0)
    while processes_with(t.marker) and not limit.over():
        time.sleep(0.005)
    left = end_processes(t.marker)
    os.set_blocking(p.stderr.fileno(), False)
    err = (p.stderr.read() or b"").decode(errors="replace")
    p.stderr.close()
    t.equal(left, [], "left alive by %s after %.4f s (%s)" % (sig.name, delay, err[-500:]))
    if sig == signal.SIGKILL:
        t.equal(status, -9, "status")
    else:
        t.equal(status, 128 + sig, "status by %s after %.4f s (%s)" % (sig.name, delay, err[-500:]))


@params("SIGKILL", "SIGINT", "SIGTERM", "SIGHUP")
def test_killed(t, name):
    sig = getattr(signal, name)
    program, script = compile_text("tree.c", TREE), t.file("s.lua", SCRIPT)
    rng = random.Random(name)
    count = {True: 300, False: 30}[t.full] // (1 if sig == signal.SIGKILL else 3)
    for i in range(count):
        delay = rng.choice([rng.uniform(0.02, 0.05), rng.uniform(0.05, 0.3)])
        if sig == signal.SIGKILL and i % 3 == 0:
            delay = rng.uniform(0, 0.02)  # before, during and right after the start
        kill_at(t, program, script, sig, delay)


test_killed.timeout = 120


@params("SIGINT", "SIGTERM", "SIGHUP")
def test_killed_at_the_start(t, name):
    """A signal that comes before gatectl is ready ends it as well, one way or the other."""
    sig = getattr(signal, name)
    program, script = compile_text("tree.c", TREE), t.file("s.lua", SCRIPT)
    rng = random.Random(name)
    for _ in range(60 if t.full else 10):
        p = Process([t.gatectl, "run", "--gate-limit", "0", "-g", script, "--", program],
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, env=t.env)
        time.sleep(rng.uniform(0, 0.02))
        os.kill(p.pid, sig)
        try:
            status = p.wait(timeout=10)
        except subprocess.TimeoutExpired:
            end_processes(t.marker)
            p.wait()
            t.check(False, "gatectl does not end by an early %s" % name)
        t.check(status in (-sig, 128 + sig), "status %d" % status)
        t.equal(end_processes(t.marker), [], "left alive")


def test_gone_with_its_terminal_group(t):
    """Ctrl-C: SIGINT to the whole group. The program ignores it, gatectl ends, and with it the program."""
    program, script = compile_text("tree.c", TREE), t.file("s.lua", SCRIPT)
    p = Process([t.gatectl, "run", "-g", script, "--", program], env=t.env,
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, start_new_session=True)
    wait_until_caught(p.pid, signal.SIGINT)
    wait_until(lambda: any(executes(pid, program) for pid in processes_with(t.marker)), "the program runs")
    os.killpg(p.pid, signal.SIGINT)
    t.equal(p.wait(timeout=10), 130, "status")
    t.equal(end_processes(t.marker), [], "left alive")


def test_stopped_gatectl_holds_everything(t):
    """SIGSTOP and SIGCONT to gatectl lose nothing."""
    program = compile_text("counts.c", r"""
#include <stdio.h>
static volatile int n;
int main(void)
{
	for (int i = 0; i < 20000; i++)
		n++; /* gate: hot */
	printf("%d\n", n);
	return 0;
}
""")
    script = t.file("s.lua", 'at "//hot":run(function() end)\n')
    p = Process([t.gatectl, "run", "-g", script, "--", program], env=t.env,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for _ in range(5):
        time.sleep(0.02)
        if p.poll() is None:
            os.kill(p.pid, signal.SIGSTOP)
            time.sleep(0.02)
            os.kill(p.pid, signal.SIGCONT)
    out, err = p.communicate(timeout=30)
    t.equal((p.returncode, out, err), (0, b"20000\n", b""), "outcome")


def test_signal_at_the_parents_death(t):
    """What gatectl was started with (setpriv --pdeathsig): its own parent's death, and the program's, which is gatectl's."""
    program = compile_text("pdeathsig_asked.c", r"""
#include <stdio.h>
#include <sys/prctl.h>
int main(void)
{
	int number;
	prctl(PR_GET_PDEATHSIG, &number);
	printf("%d\n", number);
	return 0;
}
""")
    for number in (0, signal.SIGKILL, signal.SIGUSR1):
        r = t.run_gated(program, preexec=lambda: ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number))
        t.equal(r.stdout, "%d\n" % number, "the program's", r)


ENDS = r"""
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
volatile long n;
static void tick(long i)
{
	n = i; /* gate: tick */
}
static void *worker(void *arg)
{
	for (long i = 0;; i++)
		tick(i);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	pid_t child = argv[1][0] == 'c' ? fork() : 0;
	for (int i = 0; i < 2 && !child; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	usleep(15000);
	switch (argv[1][0]) {
	case 'e':
		exit(argc);
	case '_':
		_exit(3);
	case 's':
		*(volatile int *)0 = 1;
	case 'a':
		abort();
	case 'k':
		kill(getpid(), SIGKILL);
	case 'x':
		execl("/bin/true", "true", (char *)NULL);
	case 'c':
		if (!child)
			pause();
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	return 0;
}
"""
WHILE_IT_ENDS = (
    'at("//tick", {optional = true}):run(function(hit) local x = hit.var.i + hit.var.n + hit:frame(1).var.i end)',
    'at("//tick", {optional = true}):log("{var.i} {var.n}")',
    'at("//tick", {optional = true}):run(function(hit) hit:call("labs", -3) end)',
    'at("//tick", {optional = true}):run(function(hit) hit.var.n = 7 end)',
    'at("//tick", {optional = true}):when(function(hit) return hit.var.i >= 0 and hit.var.n >= 0 end)',
    'at("//tick", {optional = true}):when "i >= 0 && n >= 0"',
    'at("//tick", {optional = true, when = "i + n < 0"}):log "x"',
    'local G = Gate.type "g" function G:ready(hit) return hit.var.i >= 0 end local g = G "g" at("//tick", {optional = true}):wait(g)',
)


@params("e", "_", "s", "a", "k", "x", "c")
def test_while_the_script_looks(t, how):
    """The program ends while a function of the script looks at a thread: that is no fault of the script's, and nobody was held."""
    program = compile_text("ends.c", ENDS, "-g -O0 -pthread")
    status = {"e": 2, "_": 3, "s": 139, "a": 134, "k": 137, "x": 0, "c": 0}[how]
    for script in WHILE_IT_ENDS:
        for _ in range(40 if t.full else 2):
            r = t.run_gated(program, script + "\n", [how], options=["-q"], report=False)
            t.equal(r.status, status, "status: " + script, r)
            told = [line for line in r.err.split("\n") if line.startswith("gatectl: ")]
            t.check(not told or (how in "sa" and told[0].startswith("gatectl: crashed: ")), "what is told: " + script, r)
