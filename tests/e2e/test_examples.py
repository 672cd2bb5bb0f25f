"""Every example: by itself it is right, and its gates force the wrong outcome on every run.

Quick: 20 runs with gates. Full: 1000 runs while both processors are kept busy.
"""

import contextlib
import functools
import os
import subprocess
import sys

from harness import BUILD, BUILDS, COMPILERS, ROOT, compile_text, params, timeout

BARE, QUICK, FULL = 5, 20, 1000


class Example:
    """What an example says by itself, and what its script makes of it (None: nothing at all)."""

    def __init__(self, script, right, wrong):
        self.script, self.right, self.wrong = script, right, wrong


EXAMPLES = {
    "shared-memory": Example("calc.lua", b"6 * 7 = 42\n", b"6 * 7 = 6\n"),
    "unspecified-time": Example("jobs.lua", b"4 jobs done\n", b"Assertion `q->count > 0' failed"),
    "string-buffer": Example("strbuf.lua", b"status: 3 files, 12 lines\n",
                             b"append failed: Numerical result out of range\n"),
    "array-list": Example("sensors.lua", b"2 sensors answered, 2 in the list\n",
                          b"2 sensors answered, 1 in the list\n"),
    "lazy-init": Example("settings.lua", b"request 4711: found, timeout 30 s\n",
                         b"request 4711: found, timeout 0 s\n"),
    "abba-deadlock": Example("bank.lua", b"Alice has 85.00\nBob has 65.00\n", None),
    "two-processes": Example("ring.lua", b"sample 1: 20.5 C\nsample 2: 21.0 C\nsample 3: 20.9 C\n",
                             b"sample 1: (empty)\n"),
    "overdraft": Example("payments.lua", b"the account is in order\n", b"the account is overdrawn\n"),
}
CASES = [(name, build) for name in [*EXAMPLES, "append-log"] for build in BUILDS]
FORCED = [c for c in CASES if c[0] in EXAMPLES]


def script(name):
    base = EXAMPLES[name].script if name in EXAMPLES else "journal.lua"
    return os.path.join(ROOT, "examples", name, base)


def directory(build):
    return os.path.join(BUILD, "examples", build)


def program(name, build):
    return os.path.join(directory(build), name)


def make_examples(build):
    compiler, opt = build.split("-")
    cc, cxx = COMPILERS[compiler]
    subprocess.run(["make", "-s", "-f", "examples/examples.mk", "EXAMPLES=" + directory(build), "CC=" + cc, "CXX=" + cxx, "OPT=-" + opt, "examples"],
                   cwd=ROOT, check=True, env={"PATH": os.environ["PATH"]})


def jobs(_):
    return [functools.partial(make_examples, build) for build in BUILDS]


@contextlib.contextmanager
def load(t):
    """Both processors busy, in full runs only."""
    busy = []
    if t.full:
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        yield FULL if t.full else QUICK
    finally:
        for p in busy:
            p.kill()
            p.wait()


@params(*FORCED)
def test_right_without_gates(t, case):
    name, build = case
    path = program(name, build)
    runs = [t.run_bare(path) for _ in range(FULL // 10 if t.full else BARE)]
    # nothing forces the right order: on a busy machine it may come out wrong by itself, too
    t.check(any(r.status == 0 and EXAMPLES[name].right in r.out for r in runs),
            "never the right result", runs[-1])


@params(*FORCED)
@timeout(180)
def test_forced(t, case):
    name, build = case
    path, wrong = program(name, build), EXAMPLES[name].wrong
    with load(t) as runs:
        for run in range(runs):
            r = t.gate("run", "-g", script(name), path, leftover=run == 0)
            t.equal(r.status, 0, "status in run %d" % (run + 1), r)
            said = [l for l in r.err.splitlines() if l.startswith("gatectl:") and "crashed as expected:" not in l]
            t.equal(said, [], "gatectl speaks", r)
            if wrong is None:
                t.equal(r.out, b"", "output of a program in a deadlock", r)
            else:
                t.check(wrong in r.out + r.err.encode(), "not the forced result", r)


def journal(t, path, run, *compact):
    directory = t.path("journal%d" % run)
    os.mkdir(directory)
    t.equal(t.run([path, directory, "add", "one", "two", "three"]).status, 0, "journal add")
    r = t.run([*compact, path, directory, "compact"])
    return r, t.run([path, directory, "show"])


@params(*BUILDS)
def test_journal_right_without_gates(t, build):
    path = program("append-log", build)
    compact, show = journal(t, path, 0)
    t.equal(compact.status, 0, "status", compact)
    t.equal(show.out, b"entry: one\nentry: two\nentry: three\n3 entries, 0 lost\n", "entries", show)


@params(*BUILDS)
@timeout(180)
def test_journal_killed(t, build):
    path = program("append-log", build)
    with load(t) as runs:
        for run in range(runs):
            compact, show = journal(t, path, run, t.gatectl, "run", "-g", script("append-log"))
            t.equal((compact.status, compact.err), (0, ""), "compact in run %d" % run, compact)
            t.equal(show.status, 1, "show after a kill", show)
            t.equal(show.out, b"lost: one\nlost: two\nlost: three\n0 entries, 3 lost\n",
                    "entries after a kill", show)


@params(*CASES)
def test_check(t, case):
    """Every location of every script means one thing in every build."""
    name, build = case
    r = t.gate("check", "-g", script(name), program(name, build))
    t.equal(r.status, 0, "status", r)
    t.equal(r.err, "", "stderr", r)


# Repairs: what is replaced in the source. Then the order asked for cannot happen any more.
REPAIRS = {
    "shared-memory": [("\tmoment();\n", "\tpthread_join(first, NULL);\n"),
                      ("\tpthread_join(first, NULL);\n\tpthread_join(second", "\tpthread_join(second")],
    "array-list": [("size_t index = l->count;",
                    "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n"
                    "\tpthread_mutex_lock(&lock);\n\tsize_t index = l->count;"),
                   ("l->count = index + 1;\n", "l->count = index + 1;\n\tpthread_mutex_unlock(&lock);\n")],
    "lazy-init": [("\t\t\tinstance_.store(s, std::memory_order_release);\n", ""),
                  ("// the bug: after the line above",
                   "\n\t\t\tinstance_.store(s, std::memory_order_release);")],
    "abba-deadlock": [("\tint moved = 0;\n",
                       "\tint moved = 0;\n\n\tif (from > to)\n\t\treturn transfer(to, from, -cents);\n")],
}


@params(*REPAIRS)
def test_repaired(t, name):
    """The same script shows that a repaired program cannot do it."""
    directory = os.path.join(ROOT, "examples", name)
    source = next(f for f in os.listdir(directory) if f.endswith((".c", ".cc")))
    with open(os.path.join(directory, source)) as f:
        text = f.read()
    for old, new in REPAIRS[name]:
        t.equal(text.count(old), 1, "places to replace %r" % old)
        text = text.replace(old, new)
    path = compile_text(source, text)
    r = t.run_bare(path)
    t.equal(r.status, 0, "status of the repaired program", r)
    t.check(EXAMPLES[name].right in r.out, "not the right result", r)
    with open(script(name)) as f:
        t.verdict(t.run_gated(path, f.read()), 122)
