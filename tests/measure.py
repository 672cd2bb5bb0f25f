#!/usr/bin/env python3
"""Writes tests/manifest.tsv: measures the processor seconds of cases.

Without arguments: cases that the manifest does not have are measured and added to tier 1, cases that are gone are dropped. A
PATTERN measures the cases whose name contains it again. Tiers stay as they are: a person decides them.
"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import manifest  # noqa: E402
import run  # noqa: E402


def of_end_to_end(names, *options):
    """Seconds by name; a test that fails is reported, and has its figure all the same."""
    with tempfile.TemporaryDirectory() as directory:
        wanted, times = os.path.join(directory, "cases"), os.path.join(directory, "times")
        with open(wanted, "w") as f:
            f.write("\n".join(names) + "\n")
        subprocess.run([sys.executable, "tests/e2e/run.py", "--cases", wanted, "--times", times, *options], cwd=manifest.ROOT)
        return read_times(times)


def read_times(path):
    """A file of tests/e2e/run.py --times."""
    with open(path) as f:
        return {name: float(seconds) for _, seconds, name in (line.rstrip("\n").split("\t") for line in f)}


def of_program(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=manifest.ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(cases, names):
    programs = {n: c[0] for n, c in {**run.SINGLE, **run.FUZZERS}.items()} | run.unit_programs()
    for name in [n for n in names if n in programs]:
        cases[name].seconds, cases[name].sanitized = of_program(programs[name]), "-"
    end = [n for n in names if n not in programs]
    if end:
        for name, seconds in of_end_to_end(end).items():
            cases[name].seconds = seconds
    sanitized = [n for n in end if cases[n].sanitized == "1"]
    if sanitized:
        for name, seconds in of_end_to_end(sanitized, "--gatectl", "build/san/gatectl").items():
            cases[name].sanitized_seconds = seconds


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("pattern", nargs="*")
    p.add_argument("--all", action="store_true", help="measure every case again")
    p.add_argument("--times", metavar="FILE", action="append", default=[], help="take what tests/e2e/run.py --times FILE wrote, and measure nothing")
    p.add_argument("--sanitized-times", metavar="FILE", action="append", default=[], help="the same of a run with build/san/gatectl")
    o = p.parse_args()
    cases, existing = manifest.load(), run.everything()
    for name in set(cases) - existing:
        del cases[name]
    new = existing - set(cases)
    cases.update((n, manifest.Case(n)) for n in new)
    for attribute, paths in (("seconds", o.times), ("sanitized_seconds", o.sanitized_times)):
        for path in paths:
            for name, seconds in read_times(path).items():
                if name in cases:
                    setattr(cases[name], attribute, seconds)
                    new.discard(name)
    again = {n for n in cases if o.all or any(q in n for q in o.pattern)}
    measure(cases, sorted(new | again))
    manifest.save(cases)
    print("tier 1: %.0f s of processor" % sum(c.tier_1_seconds() for c in cases.values()))
    print("\n".join(manifest.complaints(cases, existing)))


if __name__ == "__main__":
    main()
