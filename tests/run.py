#!/usr/bin/env python3
"""All tests: the rules of the house, unit tests (cmocka), end-to-end tests with gatectl as users have it,
fuzzers, and end-to-end tests with gatectl built under the address and undefined-behaviour sanitizers.
The last line is the sum: N passed, N failed."""
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


# CI has 25 minutes, for setting up and building, too. On a slow machine (a processor whose traps take 30 us) not all tests
# have room in it: those that are left are skipped, with this reason, and run by tests/e2e/run.py.
END = time.monotonic() + 17 * 60
PLAIN_PART = 0.55  # of the time that is left for tests from end to end

failures = []  # said once more at the end: a long log is often cut in its middle


def run(title, command):
    """Its exit code and what it says; one that fails is told at the end, too."""
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}  # make's job server is not for what a test builds
    p = subprocess.run(command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    told = re.findall(r"^FAIL .*(?:\n {5}.*)*", p.stdout, re.M)
    if p.returncode:
        failures.extend(f"{title}: {text[:3000]}" for text in told or [p.stdout[-3000:]])
    return p.returncode, p.stdout


# Each of these returns what is to be said, and how many passed, failed and were skipped.

def one(title, command):
    """A check that is right or wrong; what it says last is its sum."""
    code, out = run(title, command)
    return (out, (0, 1, 0)) if code else (out.strip().split("\n")[-1], (1, 0, 0))


def unit(title, command):
    """A processor may lack what is tested: that is said, as "skipped: why", where it is skipped."""
    code, out = run(title, command)
    passed = sum(int(n) for n in re.findall(r"^\[  PASSED  \] (\d+) test", out, re.M))
    failed = sum(int(n) for n in re.findall(r"^\[  FAILED  \] (\d+) test", out, re.M))
    skipped = sum(int(n) for n in re.findall(r"^\[  SKIPPED \] (\d+) test", out, re.M))
    told = re.findall(r"^skipped: .*", out, re.M)
    if (code and not failed) or bool(skipped) != bool(told) or not passed + skipped:
        failed = failed or 1
    return out.rstrip("\n") if failed else "\n".join(told), (passed, failed, skipped)


def fuzz(title, command):
    """Ten seconds of it, from the first number on; `--full` is for an hour of ones that nobody has seen."""
    code, out = run(title, command)
    m = re.search(r"(\d+) passed, (\d+) failed\s*$", out)
    said = out if code else out.strip().split("\n")[-1]
    if not m:
        return said, (0, 1, 0)
    return said, (int(m.group(1)), int(m.group(2)) or int(code != 0), 0)


def e2e(title, command):
    code, out = run(title, command)
    m = re.search(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$", out)
    if not m:
        return out, (0, 1, 0)
    passed, failed, skipped = (int(x or 0) for x in m.groups())
    return out.rstrip("\n"), (passed, failed or int(code != 0), skipped)


def perform(steps, at_once):
    """The steps' sums. Each is told when it and all before it are over."""
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        sums = []
        for (_, title, _), (said, counts) in zip(steps, pool.map(lambda s: s[0](*s[1:]), steps)):
            print(f"== {title}" + (f"\n{said}" if said else ""), flush=True)
            sums.append(counts)
        return sums


def short_steps():
    """What works alone, on one processor each: the longest first."""
    python = [sys.executable]
    # What gdb says of the same program at the same place; every difference has a reason or fails.
    steps = [(one, s, python + ["tests/e2e/" + s]) for s in ("vars_vs_gdb.py", "backtrace_vs_gdb.py")]
    steps.append((one, "style", ["make", "--no-print-directory", "lint"]))
    steps.append((one, "line tables against readelf", python + ["tests/e2e/lines_vs_readelf.py", "build/unit/dump_lines"]))
    steps += [(fuzz, s, python + ["tests/fuzz/" + s]) for s in ("text.py", "elf.py")]
    paths = sorted(glob.glob(os.path.join(ROOT, "build/unit/test_*")))
    return steps + [(unit, os.path.basename(p), [p]) for p in paths if not p.endswith(".d")]


def option(name, values):
    return [word for value in values for word in (name, value)]


def main():
    # What is about the installed program, or many runs of one that is slow under the sanitizers, is not run sanitized. Nor where a
    # test loads the machine itself: sanitized it is slow enough.
    plain_only = ["test_ci.", "test_cmake.", "test_install.", "test_completions.", "test_repl_save.", "test_explore_hard.test_commands",
                  "test_livelock_on_a_busy_machine", "test_explore_kept.test_merge", "test_explore_kept.test_goes_on", "test_backtrace.test_like_gdb",
                  "test_harness.test_enumerated", "test_attach.test_verdict_leaves_it_alone", "test_attach.test_threads_held_when_it_leaves",
                  "test_explore_hard.test_starved_is_no_livelock", "test_explore_hard.test_threads_before_main", "test_examples.test_forced",
                  "test_asked_again.test_released", "test_cache.test_damaged", "test_audit.test_confirmed_in_time",
                  "test_inside.test_threads_and_what_the_script_changes", "test_inside.test_held_by_functions", "test_harness.test_weakened"]
    # Of tests with parameters, which are much alike, half are run; all by run.py without --half. Of these none sanitized:
    plain_half = ["test_bare_is_deterministic", "test_convert.", "test_prove.", "test_dwarf_forms.test_forms", "test_explore_gates.test_classic", "test_explore_gates.test_other_build", "test_explore_gates.test_rounds",
                  "test_explore_gates.test_any_schedule", "test_explore_gates.test_livelock", "test_harness.test_known", "test_harness.test_right",
                  "test_harness.test_sanitizer", "test_harness.test_kinds", "test_harness.test_linked_in", "test_explore_granted.test_bugs",
                  "test_inside.test_classes", "test_inside.test_wild_pointers"]
    # Of all others a quarter more, sanitized, where they take twice the time; of those without parameters every third.
    command = [sys.executable, "tests/e2e/run.py", "--quick"]
    plain = [*command, "--half", "test_", *option("--whole", plain_only)]
    sanitized = [*command, "--sample", "test_", "--gatectl", "build/san/gatectl", *option("-x", plain_only + plain_half)]
    results = perform(short_steps(), os.cpu_count() or 1)
    for title, command, part in (("end to end", plain, PLAIN_PART), ("end to end, sanitized", sanitized, 1)):
        results += perform([(e2e, title, [*command, "--for", str(max(1, int((END - time.monotonic()) * part)))])], 1)
    passed, failed, skipped = (sum(r[i] for r in results) for i in range(3))
    if failures:
        print("== what failed, once more")
        print("\n".join(failures))
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
