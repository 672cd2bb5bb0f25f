#!/usr/bin/env python3
"""The tests: the rules of the house, unit tests (cmocka), witnesses (gdb, readelf), fuzzers, and tests from end to end, with
gatectl as users have it, with gatectl built under the sanitizers, and as an ordinary user.

tests/manifest.tsv decides what runs; no clock does. The last line is the sum: N passed, N failed.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import manifest  # noqa: E402

NOBODY = 65534
PYTHON = [sys.executable]
# name -> (command of tier 1, command of tier 2). Each of tier 1 takes some thirty seconds of processor.
SINGLE = {
    "house.lint": (["make", "--no-print-directory", "lint"],) * 2,
    "house.manual": (PYTHON + ["tests/manual.py"],) * 2,
    "witness.variables": (PYTHON + ["tests/e2e/vars_vs_gdb.py"],) * 2,
    "witness.backtraces": (PYTHON + ["tests/e2e/backtrace_vs_gdb.py"], PYTHON + ["tests/e2e/backtrace_vs_gdb.py", "build/gatectl", "200"]),
    "witness.lines": (PYTHON + ["tests/e2e/lines_vs_readelf.py"],) * 2,
}
FUZZERS = {
    "fuzz.text": (PYTHON + ["tests/fuzz/text.py"], PYTHON + ["tests/fuzz/text.py", "--full"]),
    "fuzz.elf": (PYTHON + ["tests/fuzz/elf.py"], PYTHON + ["tests/fuzz/elf.py", "--full"]),
    "fuzz.writers": (PYTHON + ["tests/fuzz/writers.py"], PYTHON + ["tests/fuzz/writers.py", "--full"]),
}
PARTS = ("house", "unit", "witness", "fuzz", "e2e", "sanitized", "user")

failures = []  # repeated at the end: a long log is often cut in its middle


def run(title, command, **kw):
    """The exit status and the output; what failed is kept for the end."""
    # Without the variables of make: its job server is not for what a test builds.
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    env.update(kw.pop("env", {}))
    p = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       errors="replace", **{"cwd": ROOT, **kw})
    told = re.findall(r"^FAIL .*(?:\n {5}.*)*", p.stdout, re.M)
    if p.returncode:
        failures.extend(f"{title}: {text[:3000]}" for text in told or [p.stdout[-3000:]])
    return p.returncode, p.stdout


# Each of these returns what is to be printed, and how many passed, failed and were skipped.

def single(title, command):
    """A check that holds or does not; its last line is its sum."""
    code, out = run(title, command)
    return (out, (0, 1, 0)) if code else (out.strip().split("\n")[-1], (1, 0, 0))


def unit(title, command):
    """A program of cmocka. Each test that it skips has its reason in a line `skipped: why`."""
    code, out = run(title, command)
    passed, failed, skipped = (sum(int(n) for n in re.findall(r"^\[  %s \] (\d+) test" % word, out, re.M))
                               for word in ("PASSED ", "FAILED ", "SKIPPED"))
    reasons = re.findall(r"^skipped: .*", out, re.M)
    with open(os.path.join(ROOT, "tests", "capabilities.txt")) as f:
        known = [line.strip() for line in f if line.strip() and not line.startswith("#")]
    expected = bool(skipped) == bool(reasons) and all(any(re.search(k, r) for k in known) for r in reasons)
    if (code and not failed) or not expected or not passed + skipped:
        failed = failed or 1
        failures.append(f"{title}: {out[-3000:]}")
    return out.rstrip("\n") if failed else "\n".join(reasons), (passed, failed, skipped)


def summed(title, command, **kw):
    """A program whose last line is its sum."""
    code, out = run(title, command, **kw)
    m = re.search(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$", out)
    if not m:
        failures.append(f"{title}: no sum: {out[-3000:]}")
        return out, (0, 1, 0)
    passed, failed, skipped = (int(x or 0) for x in m.groups())
    return out.rstrip("\n"), (passed, failed or int(code != 0), skipped)


def end_to_end(title, names, *options):
    with tempfile.NamedTemporaryFile("w", suffix=".cases") as cases:
        cases.write("\n".join(names) + "\n")
        cases.flush()
        return summed(title, [*PYTHON, "tests/e2e/run.py", "--cases", cases.name, *options])


def open_to_others(path):
    while path != "/":
        if not os.stat(path).st_mode & 0o001:
            return False
        path = os.path.dirname(path)
    return True


def copy_for_user(directory):
    """The tree with what is built, in a directory of the user's own: a checkout may be closed to others."""
    shutil.copytree(ROOT, directory, symlinks=True, ignore=lambda where, names: {".git", "build"} & set(names) if where == ROOT else ())
    os.makedirs(os.path.join(directory, "build"))
    for name in ("gatectl", "completions", "targets", "examples", "e2e"):
        if os.path.exists(os.path.join(ROOT, "build", name)):
            subprocess.run(["cp", "-a", os.path.join(ROOT, "build", name), os.path.join(directory, "build")], check=True)
    subprocess.run(["chown", "-R", "%d:%d" % (NOBODY, NOBODY), directory], check=True)


def as_user(title, names):
    """Tests from end to end as nobody, in a copy of the tree."""
    python = next(p for p in (os.path.realpath(sys.executable), "/usr/bin/python3") if os.path.exists(p) and open_to_others(p))
    with tempfile.TemporaryDirectory(prefix="gatectl-user-") as directory:
        os.chmod(directory, 0o755)
        tree, home = os.path.join(directory, "tree"), os.path.join(directory, "home")
        copy_for_user(tree)
        os.makedirs(home)
        with open(os.path.join(home, "cases"), "w") as f:
            f.write("\n".join(names) + "\n")
        subprocess.run(["chown", "-R", "%d:%d" % (NOBODY, NOBODY), home], check=True)
        return summed(title, [python, "tests/e2e/run.py", "--cases", os.path.join(home, "cases")], cwd=tree, user=NOBODY, group=NOBODY,
                      extra_groups=[], env={"HOME": home, "USER": "nobody", "TMPDIR": home})


def unit_programs():
    found = [n[:-2] for n in os.listdir(os.path.join(ROOT, "tests", "unit")) if re.fullmatch(r"test_\w+\.c", n)]
    return {"unit." + n: [os.path.join(ROOT, "build", "unit", n)] for n in sorted(found)}


def existing_tests():
    p = subprocess.run([*PYTHON, "tests/e2e/run.py", "--list"], cwd=ROOT, capture_output=True, text=True)
    if p.returncode:
        raise SystemExit(p.stdout + p.stderr)
    return set(p.stdout.splitlines())


def everything():
    """The names of all cases that there are."""
    return existing_tests() | set(unit_programs()) | set(SINGLE) | set(FUZZERS)


def short_steps(o):
    """Programs that run alone, on one processor each, the longest first."""
    tier = int(o.all)
    steps = [(summed, name, commands[tier]) for name, commands in FUZZERS.items()]
    steps += [(single, name, commands[tier]) for name, commands in SINGLE.items()]
    steps += [(unit, name, command) for name, command in unit_programs().items()]
    return [s for s in steps if s[1].split(".")[0] in o.part]


def long_steps(o, cases):
    """Tests from end to end; each step runs several at once."""
    tiers = ("1", "2") if o.all else ("1",)
    end = [c for c in cases.values() if c.end_to_end]
    plain = [c.name for c in end if c.tier in tiers]
    user = [c.name for c in end if (c.tier == "1" if o.user or o.all else c.user == "u")]
    steps = []
    if "e2e" in o.part:
        steps.append((end_to_end, "end to end", plain))
    if "sanitized" in o.part:
        steps.append((end_to_end, "end to end, sanitized", [c.name for c in end if c.sanitized in tiers], "--gatectl", "build/san/gatectl"))
    if "user" in o.part:
        if os.geteuid() == 0:
            steps.append((as_user, "end to end, as an ordinary user", user))
        else:
            print("== no part as an ordinary user: all parts are")
    return steps


def perform(short, long):
    """The sums of the steps: short ones on each processor, beside them the long ones one after the other.

    Tests from end to end wait most of their time. A step is printed when it and all before it have ended.
    """
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as many, concurrent.futures.ThreadPoolExecutor(1) as one:
        begun = [(step, pool.submit(*step)) for pool, steps in ((one, long), (many, short)) for step in steps]
        sums = []
        for step, future in begun[len(long):] + begun[:len(long)]:
            said, counts = future.result()
            print(f"== {step[1]}" + (f"\n{said}" if said else ""), flush=True)
            sums.append(counts)
        return sums


def parse_args():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--all", action="store_true", help="tier 2 also: all cases, everything sanitized, whole witnesses, an hour of each fuzzer")
    p.add_argument("--user", action="store_true", help="only the tests from end to end of tier 1, as an ordinary user (root starts it)")
    p.add_argument("--part", action="append", choices=PARTS, help="only this part; may be repeated")
    o = p.parse_args()
    o.part = ["user"] if o.user else o.part or PARTS
    return o


def main():
    o = parse_args()
    cases = manifest.load()
    wrong = manifest.complaints(cases, everything())
    if wrong:
        print("\n".join(wrong))
        print("0 passed, %d failed" % len(wrong))
        return 1
    results = perform(short_steps(o), long_steps(o, cases))
    passed, failed, skipped = (sum(r[i] for r in results) for i in range(3))
    if failures:
        print("== what failed, once more")
        print("\n".join(failures))
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
