#!/usr/bin/env python3
"""Runs the end-to-end tests: every test_* function of every tests/e2e/test_*.py, a few at a time.

One line for each failing test with what went wrong, and `N passed, N failed` as the last line.
Each test runs in a process group of its own that is ended when its time is up.
"""

import argparse
import fnmatch
import importlib
import os
import pickle
import re
import select
import shutil
import signal
import sys
import time
import traceback
import zlib

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness  # noqa: E402

TIMEOUT = 120
EXPECTED_SKIPS = "|".join((
    # what a machine or a container may forbid
    "only root ", "cannot be executed by others here", "is closed to other users", "no pseudo-terminals here",
    "strace cannot attach", "is refused here", "no seccomp here", "no (mount )?namespaces? ", "no unlimited stack here",
    "files have no privileges here", "no setcap here", "does not run on this machine",
    # what a recipe is for, and nothing else needs
    "no parallel here", "parallel that is here is not GNU's",
    # what this build of gatectl cannot show, or what takes long
    "in gatectl itself", "it is build/gatectl that is installed", "run with --full", "this machine is too slow "))


def parse_args():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("-k", metavar="PATTERN", action="append", default=[],
                   help="only tests whose name contains PATTERN, or matches it with * and ?")
    p.add_argument("-x", metavar="PATTERN", action="append", default=[], help="but not these")
    p.add_argument("--gatectl", default=os.path.join(harness.ROOT, "build", "gatectl"))
    p.add_argument("--quick", action="store_true", help="few repetitions (default)")
    p.add_argument("--full", action="store_true", help="many repetitions, all builds")
    p.add_argument("--half", metavar="PATTERN", action="append", default=[],
                   help="of the parameters of these tests only half; which, their names decide")
    p.add_argument("--whole", metavar="PATTERN", action="append", default=[], help="but not of these")
    p.add_argument("--sample", metavar="PATTERN", action="append", default=[],
                   help="of the parameters of these tests a quarter, none that --half takes; of those without every third")
    p.add_argument("--for", metavar="SECONDS", type=float, dest="most",
                   help="none is begun after that: what is left is skipped; which come first, their names decide")
    p.add_argument("-j", type=int, default=(os.cpu_count() or 1) + 3, help="workers; most of the time a test waits")
    p.add_argument("--timeout", type=float, help="seconds for one test")
    p.add_argument("-v", action="store_true", help="a line for every test")
    p.add_argument("--list", action="store_true")
    o = p.parse_args()
    o.gatectl = os.path.abspath(o.gatectl)
    return o


def discover(options):
    tests = []
    for name in sorted(os.listdir(harness.HERE)):
        if not (name.startswith("test_") and name.endswith(".py")):
            continue
        module = importlib.import_module(name[:-3])
        functions = [(k, f) for k, f in vars(module).items()
                     if k.startswith("test_") and callable(f)]
        for key, function in functions:
            values = getattr(function, "params", [None])
            if callable(getattr(function, "make_params", None)):
                values = function.make_params(options)
            cases = []
            for value in values:
                label = value if isinstance(value, str) else getattr(value, "label", None)
                if label is None and value is not None:
                    label = "-".join(str(v) for v in value) if isinstance(value, tuple) else str(value)
                full = "%s.%s%s" % (module.__name__, key, "" if value is None else "[%s]" % label)
                cases.append((full, function, value))
            tests += chosen(cases, options)
    return tests


def chosen(cases, options):
    """The same ones on every machine, of all kinds: not the first ones."""
    if not cases or (options.whole and selected(cases[0][0], options.whole)):
        return cases
    shuffled = sorted(cases, key=lambda case: zlib.crc32(case[0].encode()))
    half = (len(cases) + 1) // 2
    if options.half and selected(cases[0][0], options.half):
        return shuffled[:half]
    if options.sample and selected(cases[0][0], options.sample):
        return shuffled[half::2] or [case for case in cases if zlib.crc32(case[0].encode()) % 3 == 0]
    return cases


def selected(name, patterns):
    return not patterns or any(p in name or fnmatch.fnmatchcase(name, "*" + p + "*") for p in patterns)


def child(name, function, value, options, out):
    os.setpgid(0, 0)
    sys.stdin.close()
    t = harness.Test(name, options)
    os.write(out, pickle.dumps(t.marker) + b"\n.\n")
    try:
        function(t) if value is None else function(t, value)
        verdict = ("pass", "")
    except harness.Skip as e:
        verdict = ("skip", str(e))
    except harness.Failure as e:
        verdict = ("fail", str(e))
    except BaseException:  # a fault of the test itself is a failure too
        verdict = ("fail", traceback.format_exc())
    harness.end_processes(t.marker)
    shutil.rmtree(t.tmp, ignore_errors=True)
    data = pickle.dumps(verdict)
    while data:
        data = data[os.write(out, data):]


class Running:
    def __init__(self, name, function, value, options):
        self.name = name
        limit = options.timeout or getattr(function, "timeout", TIMEOUT)
        if options.full:
            limit *= 10
        self.begin = time.monotonic()
        self.end, self.limit = self.begin + limit, limit
        self.pipe, out = os.pipe()
        self.data = b""
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.pipe)
            for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
                signal.signal(number, signal.SIG_DFL)  # nohup and a shell's & would ignore them
            try:
                child(name, function, value, options, out)
            finally:
                os._exit(0)
        os.close(out)

    def read(self):
        """True when the test is over."""
        data = os.read(self.pipe, 65536)
        self.data += data
        return not data

    def stop(self):
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except OSError:
            pass

    def result(self, timed_out):
        os.close(self.pipe)
        used = os.wait4(self.pid, 0)[2]
        self.cpu = used.ru_utime + used.ru_stime
        head, _, rest = self.data.partition(b"\n.\n")
        if head:
            harness.end_processes(pickle.loads(head))
        if timed_out:
            return "fail", "the test took longer than %g s" % self.limit
        try:
            return pickle.loads(rest)
        except Exception:
            return "fail", "the test died without a result"


def skip_late(waiting, options, report):
    for name, _, _ in waiting:
        report(name, "skip", "this machine is too slow for all of them in %.0f s" % options.most, 0, 0)
    waiting.clear()


def run_all(tests, options, report):
    waiting, running = list(reversed(tests)), []
    begin = time.monotonic()
    try:
        while waiting or running:
            if options.most and time.monotonic() - begin > options.most:
                skip_late(waiting, options, report)
            while waiting and len(running) < options.j:
                running.append(Running(*waiting.pop(), options))
            ready = select.select([r.pipe for r in running], [], [], 0.5)[0]
            now = time.monotonic()
            for r in list(running):
                over = r.pipe in ready and r.read()
                late = not over and now > r.end
                if late:
                    r.stop()
                if over or late:
                    running.remove(r)
                    verdict, text = r.result(late)
                    report(r.name, verdict, text, now - r.begin, r.cpu)
    finally:
        for r in running:
            r.stop()
            r.result(True)


def main():
    options = parse_args()
    tests = [t for t in discover(options) if selected(t[0], options.k) and not (options.x and selected(t[0], options.x))]
    if options.most:
        tests.sort(key=lambda test: zlib.crc32(test[0].encode()))
    if options.list:
        print("\n".join(t[0] for t in tests))
        return 0
    if not os.access(options.gatectl, os.X_OK):
        print("no gatectl at %s" % options.gatectl, file=sys.stderr)
        return 2
    if not tests:
        print("no test matches", file=sys.stderr)
        return 2
    counts = {"pass": 0, "fail": 0, "skip": 0}
    skips, spent, used = {}, {}, {}

    def report(name, verdict, text, seconds, cpu):
        if verdict == "skip" and not re.search(EXPECTED_SKIPS, text):
            verdict, text = "fail", "skipped, which nobody expects (is all of .ci/packages installed?): " + text
        counts[verdict] += 1
        file = name.split(".")[0]
        spent[file] = spent.get(file, 0) + seconds
        used[name] = cpu
        if verdict == "fail":
            print("FAIL %s (%.1f s): %s" % (name, seconds, text.strip().replace("\n", "\n     ")))
        elif verdict == "skip":
            skips.setdefault(text, []).append(name)
        elif options.v:
            print("pass %s (%.1f s, %.1f s of processor)" % (name, seconds, cpu))
        sys.stdout.flush()

    begin = time.monotonic()
    run_all(tests, options, report)
    for reason, names in skips.items():
        print("skipped %d (%s): %s" % (len(names), names[0], reason))
    slowest = sorted(spent.items(), key=lambda item: -item[1])[:8]
    print("%.0f s; of %d workers: %s" % (time.monotonic() - begin, options.j, ", ".join("%s %.0f s" % item for item in slowest)))
    busiest = sorted(used.items(), key=lambda item: -item[1])[:8]
    print("%.0f s of processor: %s" % (sum(used.values()), ", ".join("%s %.1f s" % item for item in busiest)))
    print("%d passed, %d failed%s" % (counts["pass"], counts["fail"],
                                      ", %d skipped" % counts["skip"] if counts["skip"] else ""))
    return 1 if counts["fail"] else 0


if __name__ == "__main__":
    sys.exit(main())
