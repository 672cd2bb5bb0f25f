"""When no thread can move there is a verdict at once, which names who waits for whom; while one can,
there is none. The programs are in stuck_programs.py."""

import ctypes

from harness import compile_text, params, timeout
from stuck_programs import ALIVE, GATED, STUCK


def build(name, program):
    return compile_text(name + program.suffix, program.text, program.flags)


def delay(r):
    """Milliseconds from the last event to the verdict."""
    return (r.report["duration_us"] - r.report["events"][-1]["t_us"]) / 1000


def repeat(t, program, binary, status, names):
    """Every run ends the same way; how long the verdict took is only told."""
    worst = 0
    for _ in range(100 if t.full else 2):
        r = t.verdict(t.run_gated(binary, script=program.script), status)
        for word in names:
            t.check(word in r.first, "%s is not named in the first line" % word, r)
        worst = max(worst, delay(r))
    if t.full:
        print("%6.1f ms at most from the last event to the verdict: %s" % (worst, binary))


@params(*STUCK)
def test_deadlock(t, name):
    program = STUCK[name]
    repeat(t, program, build(name, program), 123, program.names)


@params(*GATED)
def test_gate_deadlock(t, name):
    program = GATED[name]
    repeat(t, program, build(name, program), 122, program.names)


@params(*ALIVE)
@timeout(120)
def test_alive(t, name):
    binary = build(name, ALIVE[name])
    for _ in range(100 if t.full else 1):
        r = t.clean(t.run_gated(binary, report=False))
        t.equal(r.stdout, "done\n", "stdout", r)


def ignore_internal_signals():
    """As some shells and services start programs: glibc itself refuses to change these two."""
    action = (ctypes.c_ulong * 4)(1)  # SIG_IGN
    for signal in (32, 33):
        ctypes.CDLL(None).syscall(13, signal, action, None, 8)  # rt_sigaction


@params("timer_thread", "timer_in_child")
def test_alive_with_signals_ignored(t, name):
    r = t.clean(t.run_gated(build(name, ALIVE[name]), report=False, preexec=ignore_internal_signals))
    t.equal(r.stdout, "done\n", "stdout", r)
