#!/usr/bin/env python3
"""Runs end-to-end tests: the test_* functions of tests/e2e/test_*.py, a few at a time.

One line for each failing test with what went wrong, and `N passed, N failed` as the last line.
Each test runs in a process group of its own that is ended when its limit of work (patience.py) is spent: it fails then.
"""

import argparse
import concurrent.futures
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

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import harness  # noqa: E402
from patience import Limit  # noqa: E402

TIMEOUT = 120
CAPABILITIES = os.path.join(harness.ROOT, "tests", "capabilities.txt")


def parse_args():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("-k", metavar="PATTERN", action="append", default=[],
                   help="only tests whose name contains PATTERN, or matches it with * and ?")
    p.add_argument("-x", metavar="PATTERN", action="append", default=[], help="but not these")
    p.add_argument("--cases", metavar="FILE", help="only the tests named in FILE, one a line")
    p.add_argument("--gatectl", default=os.path.join(harness.BUILD, "gatectl"))
    p.add_argument("--quick", action="store_true", help="few repetitions (default)")
    p.add_argument("--full", action="store_true", help="many repetitions, all builds")
    p.add_argument("-j", type=int, default=(os.cpu_count() or 1) + 3, help="workers; most of the time a test waits")
    p.add_argument("--timeout", type=float, help="seconds of work for one test")
    p.add_argument("--times", metavar="FILE", help="writes verdict, seconds of processor and name of each test to FILE")
    p.add_argument("-v", action="store_true", help="a line for every test")
    p.add_argument("--list", action="store_true")
    o = p.parse_args()
    o.gatectl = os.path.abspath(o.gatectl)
    return o


def label_of(value):
    """Text in brackets in a test's name, in one line: lines of a parameter are joined by ` / `."""
    label = value if isinstance(value, str) else getattr(value, "label", None)
    if label is None:
        label = "-".join(str(v) for v in value) if isinstance(value, tuple) else str(value)
    return " / ".join(" ".join(line.split()) for line in label.splitlines() if line.strip())


def discover(options):
    """All tests as (name, function, parameter). Two tests of one name are a fault."""
    tests = []
    for name in sorted(os.listdir(harness.HERE)):
        if not (name.startswith("test_") and name.endswith(".py")):
            continue
        module = importlib.import_module(name[:-3])
        for key, function in vars(module).items():
            if not key.startswith("test_") or not callable(function):
                continue
            values = getattr(function, "params", [None])
            if callable(getattr(function, "make_params", None)):
                values = function.make_params(options)
            for value in values:
                brackets = "" if value is None else "[%s]" % label_of(value)
                tests.append(("%s.%s%s" % (module.__name__, key, brackets), function, value))
    names = [t[0] for t in tests]
    twice = sorted({n for n in names if names.count(n) > 1}) if len(set(names)) < len(names) else []
    if twice:
        sys.exit("two tests have one name: %s" % ", ".join(twice))
    return tests


def choose(options):
    tests = [t for t in discover(options) if selected(t[0], options.k) and not (options.x and selected(t[0], options.x))]
    if options.cases:
        with open(options.cases) as f:
            wanted = set(f.read().splitlines())
        tests = [t for t in tests if t[0] in wanted]
        missing = wanted - {t[0] for t in tests}
        if missing:
            sys.exit("no such tests: %s" % ", ".join(sorted(missing)))
    return tests


def selected(name, patterns):
    return not patterns or any(p in name or fnmatch.fnmatchcase(name, "*" + p + "*") for p in patterns)


def prepare(tests):
    """Builds the programs that several tests share: each module's jobs(parameters) are calls without arguments."""
    values, modules = {}, {}
    for _, function, value in tests:
        modules[function.__module__] = sys.modules[function.__module__]
        values.setdefault(function.__module__, []).append(value)
    jobs = [job for name, module in modules.items() if hasattr(module, "jobs") for job in module.jobs(values[name])]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in [pool.submit(job) for job in jobs]:
            done.result()


def capabilities():
    """The reasons to skip that a machine may have, as regular expressions."""
    with open(CAPABILITIES) as f:
        lines = [line.strip() for line in f]
    return [line for line in lines if line and not line.startswith("#")]


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
        self.limit = Limit(limit)
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
            return "fail", "the test did not end within %g s of work" % self.limit.seconds
        try:
            return pickle.loads(rest)
        except Exception:
            return "fail", "the test died without a result"


def run_all(tests, options, report):
    waiting, running = list(reversed(tests)), []
    try:
        while waiting or running:
            while waiting and len(running) < options.j:
                running.append(Running(*waiting.pop(), options))
            ready = select.select([r.pipe for r in running], [], [], 0.5)[0]
            for r in list(running):
                over = r.pipe in ready and r.read()
                late = not over and r.limit.over()
                if late:
                    r.stop()
                if over or late:
                    running.remove(r)
                    verdict, text = r.result(late)
                    report(r.name, verdict, text, time.monotonic() - r.begin, r.cpu)
    finally:
        for r in running:
            r.stop()
            r.result(True)


class Report:
    """Results of the tests, printed as they end and summed up at the end."""

    def __init__(self, options):
        self.options, self.capabilities = options, capabilities()
        self.counts = {"pass": 0, "fail": 0, "skip": 0}
        self.skips, self.used, self.verdicts = {}, {}, {}

    def __call__(self, name, verdict, text, seconds, cpu):
        if verdict == "skip" and not any(re.search(c, text) for c in self.capabilities):
            verdict, text = "fail", "a skip that tests/capabilities.txt does not have (is all of .ci/packages installed?): " + text
        self.counts[verdict] += 1
        self.used[name], self.verdicts[name] = cpu, verdict
        if verdict == "fail":
            print("FAIL %s (%.1f s): %s" % (name, seconds, text.strip().replace("\n", "\n     ")))
        elif verdict == "skip":
            self.skips.setdefault(text, []).append(name)
        elif self.options.v:
            print("pass %s (%.1f s, %.1f s of processor)" % (name, seconds, cpu))
        sys.stdout.flush()

    def end(self, seconds):
        for reason, names in self.skips.items():
            print("skipped %d (%s): %s" % (len(names), names[0], reason))
        busiest = sorted(self.used.items(), key=lambda item: -item[1])[:8]
        print("%.0f s; %.0f s of processor: %s" % (seconds, sum(self.used.values()), ", ".join("%s %.1f s" % item for item in busiest)))
        if self.options.times:
            with open(self.options.times, "w") as f:
                f.writelines("%s\t%.2f\t%s\n" % (self.verdicts[n], self.used[n], n) for n in self.used)
        skipped = ", %d skipped" % self.counts["skip"] if self.counts["skip"] else ""
        print("%d passed, %d failed%s" % (self.counts["pass"], self.counts["fail"], skipped))
        return 1 if self.counts["fail"] else 0


def main():
    options = parse_args()
    tests = choose(options)
    if options.list:
        print("\n".join(t[0] for t in tests))
        return 0
    if not os.access(options.gatectl, os.X_OK):
        print("no gatectl at %s" % options.gatectl, file=sys.stderr)
        return 2
    if not tests:
        print("no test matches", file=sys.stderr)
        return 2
    begin = time.monotonic()
    prepare(tests)
    report = Report(options)
    run_all(tests, options, report)
    return report.end(time.monotonic() - begin)


if __name__ == "__main__":
    sys.exit(main())
