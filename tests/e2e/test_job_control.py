"""Job control: the shell sees the program's stops, and by which signal, as it would without gatectl."""

import os
import re
import signal

from harness import compile_text, params, wait_until
from test_repl_terminal import Terminal

PROGRAM = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int signal = atoi(argv[1]);
	if (argc > 2)
		setpgid(0, 0);
	printf("<ready>");
	fflush(stdout);
	if (signal)
		raise(signal);
	else
		while (getchar() != 'q')
			printf("<on>");
	puts("<end>");
	return 3;
}
"""


def program():
    return compile_text("job.c", PROGRAM)


def shell(t, number):
    """A shell that has started it."""
    x = Terminal(t, ["bash", "--norc", "--noediting", "-i"])
    x.wait("$ ")
    x.send("%s run -- %s %d\r" % (t.gatectl, program(), number))
    x.wait("<ready>")
    return x


def see_stop(x, number):
    x.wait("Stopped", "$ ")
    x.send("echo status=$?\r")
    x.wait("status=%d" % (128 + number), "$ ")


def see_end(t, x):
    x.wait("<end>", "$ ")
    x.send("exit $?\r")
    t.equal(x.status(), 3, "status")


@params("SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGSTOP")
def test_program_stops_itself(t, name):
    number = getattr(signal, name)
    x = shell(t, number)
    see_stop(x, number)
    x.send("fg\r")
    see_end(t, x)


def ignores(pid, number):
    with open("/proc/%d/status" % pid) as f:
        return int(re.search(r"SigIgn:\s*(\w+)", f.read()).group(1), 16) >> number - 1 & 1


def test_ctrl_z(t):
    """Again and again: in between gatectl ignores the terminal's own signal."""
    x = shell(t, 0)
    gatectl = os.tcgetpgrp(x.fd)
    for _ in range(3):
        wait_until(lambda: ignores(gatectl, signal.SIGTSTP), "gatectl ignores it")
        x.send("\032")
        see_stop(x, signal.SIGTSTP)
        x.send("fg\r")
        x.wait("fg")
        x.send("x\r")
        x.wait("<on>")
    x.send("q\r")
    see_end(t, x)


def test_stop_in_an_orphaned_group(t):
    """In an orphaned process group the kernel drops the stop: of the program, or of gatectl alone if that has another group."""
    r = t.run_gated(program(), args=[str(int(signal.SIGTSTP))], pty=True)
    t.equal(r.status, 3, "status", r)
    r = t.run_gated(program(), args=[str(int(signal.SIGTSTP)), "own group"], options=["--time-limit", "1"], pty=True)
    t.verdict(r, 124)
