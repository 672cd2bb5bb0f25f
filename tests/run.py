#!/usr/bin/env python3
"""All tests: the rules of the house, unit tests (cmocka), end-to-end tests with gatectl as users have it,
fuzzers, and end-to-end tests with gatectl built under the address and undefined-behaviour sanitizers.
The last line is the sum: N passed, N failed."""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


failures = []  # said once more at the end: a long log is often cut in its middle


def run(title, command):
    print(f"== {title}", flush=True)
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}  # make's job server is not for what a test builds
    p = subprocess.run(command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    told = re.findall(r"^FAIL .*(?:\n {5}.*)*", p.stdout, re.M)
    if p.returncode:
        failures.extend(f"{title}: {text[:3000]}" for text in told or [p.stdout[-3000:]])
    return p.returncode, p.stdout


def style():
    code, out = run("style", ["make", "--no-print-directory", "lint"])
    print(out if code else out.strip().split("\n")[-1])
    return (1, 0, 0) if code == 0 else (0, 1, 0)


def unit(path):
    code, out = run(os.path.basename(path), [path])
    passed = sum(int(n) for n in re.findall(r"^\[  PASSED  \] (\d+) test", out, re.M))
    failed = sum(int(n) for n in re.findall(r"^\[  FAILED  \] (\d+) test", out, re.M))
    skipped = sum(int(n) for n in re.findall(r"^\[  SKIPPED \] (\d+) test", out, re.M))
    if code and not failed:
        failed = 1
    if failed or skipped or not passed:
        print(out, end="")
    return passed, failed or skipped or int(not passed), 0  # no unit test has a reason to skip


def e2e(title, arguments):
    code, out = run(title, [sys.executable, "tests/e2e/run.py", *arguments])
    print(out, end="")
    m = re.search(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$", out)
    if not m:
        return 0, 1, 0
    passed, failed, skipped = (int(x or 0) for x in m.groups())
    return passed, failed or int(code != 0), skipped


def lines():
    code, out = run("line tables against readelf", [sys.executable, "tests/e2e/lines_vs_readelf.py", "build/unit/dump_lines"])
    print(out if code else out.strip().split("\n")[-1])
    return (0, 1, 0) if code else (1, 0, 0)


def against_gdb(script):
    """What gdb says of the same program at the same place; every difference has a reason or fails."""
    code, out = run(script, [sys.executable, os.path.join("tests/e2e", script)])
    print(out if code else out.strip().split("\n")[-1])
    return (0, 1, 0) if code else (1, 0, 0)


def fuzz(script):
    """Ten seconds of it, from the first number on; `--full` is for an hour of ones that nobody has seen."""
    code, out = run(script, [sys.executable, os.path.join("tests/fuzz", script)])
    m = re.search(r"(\d+) passed, (\d+) failed\s*$", out)
    print(out if code else out.strip().split("\n")[-1])
    if not m:
        return 0, 1, 0
    return int(m.group(1)), int(m.group(2)) or int(code != 0), 0


def main():
    results = [style(), lines()]
    results += [unit(p) for p in sorted(glob.glob(os.path.join(ROOT, "build/unit/test_*"))) if not p.endswith(".d")]
    results += [against_gdb(s) for s in ("vars_vs_gdb.py", "backtrace_vs_gdb.py")]
    results += [fuzz(s) for s in ("text.py", "elf.py")]
    results.append(e2e("end to end", ["--quick"]))
    # Not what is about the installed program, or many runs of one that is slow under the sanitizers; of the builds
    # of each target the two that are most unlike. Nor where a test loads the machine itself: sanitized it is slow enough.
    without = [word for name in ("test_ci.", "test_cmake.", "test_install.", "test_completions.", "test_convert.", "test_prove.",
                                 "test_bare_is_deterministic", "test_livelock_on_a_busy_machine", "test_explore_gates.test_classic", "test_harness.test_known", "test_same?*gcc-O2", "test_same?*clang-O0")
               for word in ("-x", name)]
    results.append(e2e("end to end, sanitized", ["--quick", "--gatectl", "build/san/gatectl", *without]))
    passed, failed, skipped = (sum(r[i] for r in results) for i in range(3))
    if failures:
        print("== what failed, once more")
        print("\n".join(failures))
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
