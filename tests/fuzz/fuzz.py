"""What both fuzzers are made of: cases by number, run against gatectl as it is built with sanitizers.

A case is made from its number alone, so that a failure is seen again by `--one NUMBER`. No case may end gatectl by a
signal, make a sanitizer speak, last longer than its time, leave a process, or give anything but one clear error.
"""

import argparse
import concurrent.futures
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))

from harness import end_processes  # noqa: E402
from patience import Limit  # noqa: E402

CASE_SECONDS = 60  # of work (patience.py)
CASES = 120  # some thirty seconds of processor
FILE_MOST = 2 << 30


class Case:
    """A command of gatectl's, and the files that it needs: name -> bytes."""

    def __init__(self, number, command, files=None, program=None):
        self.number, self.command, self.files = number, command, files or {}
        self.program = program  # its bytes become ./program, executable


def complaint(status, err):
    """What is wrong with this outcome, or None."""
    text = err.decode(errors="surrogateescape")
    if status < 0:
        return "ended by signal %d" % -status
    if re.search(r"(Address|Leak|Thread|Memory|UndefinedBehavior)Sanitizer|runtime error:|gatectl: \S+:\d+: .*Assertion", text):
        return "a sanitizer has spoken, or an assertion"
    lines = text.split("\n")
    errors = sum(l.startswith("gatectl: error:") for l in lines)
    if status == 125 and errors == 0:
        return "125 without a word"
    return None


def prepare(directory, case):
    for name, data in case.files.items():
        with open(os.path.join(directory, name), "wb") as f:
            f.write(data)
    if case.program is not None:
        path = os.path.join(directory, "program")
        with open(path, "wb") as f:
            f.write(case.program)
        os.chmod(path, 0o755)


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_MOST, FILE_MOST))


def outcome(p, marker):
    """(standard error, what is wrong or None) of a process that is waited for."""
    limit = Limit(CASE_SECONDS)
    while True:
        try:
            err = p.communicate(timeout=0.5)[1]
            return err, complaint(p.returncode, err)
        except subprocess.TimeoutExpired:
            if not limit.over():
                continue
        p.kill()
        end_processes(marker)
        return p.communicate()[1], "hangs: more than %d s of work" % CASE_SECONDS


def run_case(gatectl, case):
    """(number, what is wrong or None, the command, the last of standard error)."""
    marker = "fuzz-%d-%s" % (os.getpid(), case.number)
    env = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG", "TMPDIR")}
    env.update(GATECTL_E2E=marker, TERM="dumb", ASAN_OPTIONS="allocator_may_return_null=1:detect_leaks=1")
    with tempfile.TemporaryDirectory(prefix="gatectl-fuzz-") as directory:
        prepare(directory, case)
        p = subprocess.Popen([gatectl] + case.command, cwd=directory, env=env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limits)
        err, wrong = outcome(p, marker)
    left = end_processes(marker)
    return case.number, wrong or (left and "left alive: %s" % "; ".join(left)) or None, case.command, err


def arguments(what):
    p = argparse.ArgumentParser(description=what)
    p.add_argument("--gatectl", default=os.path.join(ROOT, "build", "san", "gatectl"))
    p.add_argument("--seed", type=int, default=1, help="the number of the first case")
    p.add_argument("--cases", type=int, default=CASES, help="how many, besides those that have a name")
    p.add_argument("--full", action="store_true", help="for an hour, from a number that no run had before")
    p.add_argument("--one", help="only this case; its files stay, and all is shown")
    p.add_argument("-j", type=int, default=os.cpu_count())
    o = p.parse_args()
    if o.full:
        o.cases, o.seed = None, int(time.time())
    return o


def show_one(o, case):
    directory = tempfile.mkdtemp(prefix="gatectl-fuzz-%s-" % case.number)
    prepare(directory, case)
    print("in %s:\n%s" % (directory, subprocess.list2cmdline([o.gatectl] + case.command)))
    number, wrong, command, err = run_case(o.gatectl, case)
    print(err.decode(errors="replace"))
    print(wrong or "nothing is wrong")
    return 1 if wrong else 0


def numbers(o, named):
    yield from named
    if o.cases is not None:
        yield from range(o.seed, o.seed + o.cases)
        return
    end, n = time.monotonic() + 3600, o.seed
    while time.monotonic() < end:
        yield n
        n += 1


def main(what, make, named):
    """`make(number, random)` gives a case; `named` are those by name: make(name, None)."""
    o = arguments(what)
    o.gatectl = os.path.abspath(o.gatectl)

    def case_of(number):
        return make(number, random.Random("%s %s" % (what, number)) if isinstance(number, int) else None)
    if o.one:
        return show_one(o, case_of(int(o.one) if o.one.isdigit() else o.one))
    name = os.path.basename(sys.argv[0])
    print("%s: cases from %d on" % (name, o.seed))
    passed = failed = 0
    waiting = numbers(o, named)
    with concurrent.futures.ThreadPoolExecutor(o.j) as pool:
        def one(_):
            try:
                number = next_number()
            except StopIteration:
                return None
            return run_case(o.gatectl, case_of(number))
        lock = threading.Lock()

        def next_number():
            with lock:
                return next(waiting)
        active = {pool.submit(one, None) for _ in range(o.j)}
        while active:
            done, active = concurrent.futures.wait(active, return_when=concurrent.futures.FIRST_COMPLETED)
            for f in done:
                result = f.result()
                if result is None:
                    continue
                active.add(pool.submit(one, None))
                number, wrong, command, err = result
                if not wrong:
                    passed += 1
                    continue
                failed += 1
                print("FAIL %s: %s\n     %s --one %s\n     gatectl %s\n     %s" % (
                    number, wrong, sys.argv[0], number, subprocess.list2cmdline(command)[:500],
                    err.decode(errors="replace")[-1500:].replace("\n", "\n     ")), flush=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0
