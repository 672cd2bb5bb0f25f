"""gatectl convert: tests that sleep to order their threads become gate scripts, unattended.

The samples are in tests/converted. Quick: the scripts of those that sleep for a short time are verified 5 times, and run 5 times more.
Full: 1,000 runs each, with both processors busy.
"""

import os
import re

import test_examples
from harness import ROOT, Skip, compile_text, params, timeout

SAMPLES = os.path.join(ROOT, "tests", "converted")

# For each: options, sleeps converted and left, orders that the script has to have.
CONVERTED = {
    "handoff.c": ((), 1, 1, ["worker_past_value -> main_goes_on"]),
    "signal_lost.c": ((), 1, 0, ["[sleeper_waits_woken] -> main_goes_on"]),
    "child_waits.c": ((), 2, 0, ["[p1_main_waits", "] -> main_goes_on_2"]),
    "connect.c": ((), 1, 0, ["[serve_waits_peer] -> main_goes_on"]),
    "trylock.c": ((), 3, 0, ["holder_past_pthread_mutex_lock -> main_goes_on"]),
    "cond_as_sleep.c": ((), 1, 1, ["producer_past_pthread_mutex_unlock -> main_goes_on"]),
    "handler.c": (("--all",), 2, 0, ["[reader_waits_failed] -> main_goes_on"]),
    "writers.c": ((), 1, 0, ["worker_1_past -> main_goes_on", "worker_2_past -> main_goes_on_2"]),
    "rwlock.c": (("--all",), 3, 0, ["[writer_waits_pthread_rwlock_wrlock] -> second_reader_goes_on"]),
    "ping_pong.c": ((), 3, 0, ["pong_past_strcat_2 -> main_goes_on_2"]),
    "lost_update.c": ((), 1, 0, ["withdraw_2_past_seen -> withdraw_1_goes_on"]),
    "staggered.cc": ((), 1, 0, []),
    "announce.cc": ((), 3, 0, ["main_lambda_3_1_past_puts -> main_lambda_1_1_goes_on"]),
    "deadlock.c": ((), (1, 2), (0, 1), ["_pthread_mutex_lock"]), # the second one of the two waits for the first anyway
    "use_after_free.c": ((), 1, 1, ["reaper_past_free -> user_goes_on"]),
}

# The outcome of those that show a bug.
STATUS = {"deadlock.c": 123, "use_after_free.c": 139}

# Those that sleep long, or whose wrong orders end by a time limit only, are for --full.
SLOW = ("child_waits.c", "handler.c", "trylock.c", "ping_pong.c", "signal_lost.c", "rwlock.c",
        "staggered.cc",
        # and those from which a busy machine learns less than there is
        "announce.cc", "deadlock.c", "lost_update.c", "use_after_free.c", "writers.c", "handoff.c", "cond_as_sleep.c")


def sample(name):
    with open(os.path.join(SAMPLES, name)) as f:
        text = f.read()
    return compile_text(name, text, "-g -O0 -pthread -w", "g++" if name.endswith("cc") else "gcc")


def convert(t, program, *options):
    script = t.path("converted.lua")
    r = t.gate("convert", *options, "-o", script, "--", program, seconds=120)
    r.script = None
    if os.path.exists(script):
        with open(script) as f:
            r.script = f.read()
    return r, script


@params(*CONVERTED)
@timeout(3600)
def test_sample(t, name):
    if name in SLOW and not t.full:
        raise Skip("it sleeps for long, or needs a quiet machine: run with --full")
    options, converted, left, orders = CONVERTED[name]
    program = sample(name)
    with test_examples.load(t):
        r, script = convert(t, program, "-n", "1000" if t.full else "5", *options)
        if "is not stable" in r.err:
            raise Skip("the sample itself was not right: " + r.first)
        if "is not always the same" in r.err and not t.full:
            t.equal((r.status, r.script), (125, None), "nothing is written", r)
            raise Skip("other tests beside it: what it learnt did not stand the verification")
        t.equal(r.status, 0, "status", r)
        t.equal(r.err, "", "standard error", r)
        fewer = not t.full and len(re.findall(r"^  left ", r.stdout, re.M)) > (left if isinstance(left, int) else max(left))
        for word, counts in () if fewer else (("converted", converted), ("left", left)):
            n = len(re.findall(r"^  %s " % word, r.stdout, re.M))
            t.check(n == counts or isinstance(counts, tuple) and n in counts, "%d %s" % (n, word), r)
        for order in () if fewer else orders:
            t.check(order in r.script, "the script has the order %s" % order, r)
        t.equal(t.gate("check", "-g", script, program).status, 0, "check of the script", r)
        for _ in range(5):
            again = t.gate("run", "-q", "-g", script, "--", program)
            t.equal(again.status, STATUS.get(name, 0), "status with the script", again)
    if fewer:
        raise Skip("beside other tests a sleep was left that is mostly converted; the script is right")


def test_nothing_for_ordering(t):
    r, _ = convert(t, sample("poll_flag.c"))
    t.equal(r.status, 125, "status", r)
    t.equal(r.script, None, "no script is written", r)
    t.check("poll_flag.c:21 in main: usleep" in r.err, "the loop is named", r)
    t.check(re.search(r"it sleeps in a loop|it waits for something in a loop", r.err), "why", r)


def test_unstable(t):
    program = compile_text("unstable.c", """
        #include <unistd.h>
        int main(void) { usleep(1000); return getpid() % 100; }""")
    r, _ = convert(t, program)
    t.equal(r.status, 125, "status", r)
    t.check(r.first.startswith("gatectl: error: the outcome of "), "first line", r)
    t.check("is not stable" in r.first, "why", r)
    t.equal(r.script, None, "no script is written", r)


def test_no_sleep(t):
    program = compile_text("awake.c", "int main(void) { return 0; }")
    r, _ = convert(t, program)
    t.equal(r.status, 125, "status", r)
    t.check("does not sleep" in r.first, "why", r)
    t.check("try: there is nothing to convert" in r.err, "what to do", r)


def test_no_debug_information(t):
    program = compile_text("stripped.c", """
        #include <unistd.h>
        int main(void) { usleep(1000); return 0; }""", "-O0 -pthread")
    r, _ = convert(t, program)
    t.equal(r.status, 125, "status", r)
    t.check("has no debug information" in r.first, "why", r)
    t.check("try: build it with -g" in r.err, "what to do", r)


def test_no_order(t):
    program = compile_text("alone.c", """
        #include <unistd.h>
        int main(void) { usleep(1000); return 3; }""")
    r, _ = convert(t, program)
    t.equal(r.status, 125, "status", r)
    t.check("usleep of 1 ms: not for ordering: " in r.first, "why", r)
    t.check("try: gatectl convert --all" in r.err, "what to do", r)


def test_usage(t):
    program = compile_text("awake.c", "int main(void) { return 0; }")
    r = t.gate("convert", program)
    t.equal(r.status, 125, "status without -o", r)
    t.check("no file for the script was given" in r.first, "why", r)
    r = t.gate("convert", "-o", "/nonexistent/x.lua", program)
    t.equal(r.status, 125, "status", r)
    t.check("/nonexistent/x.lua cannot be written" in r.first, "why", r)
