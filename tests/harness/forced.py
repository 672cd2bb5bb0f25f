#!/usr/bin/env python3
"""What comes of the eight faulty objects here, each found without a hint in code compiled with -O2: gates.lua forces
it in N of N runs (1000), and test.c is short, compiles without warnings, and passes without gates. A table, and
status 1 if one of them does not.

    tests/harness/forced.py [--gatectl build/gatectl] [--runs N] [OBJECT...]
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
OBJECTS = {"queue_size": "queue", "map_put_if_absent": "map", "stack_aba": "stack", "counter_relaxed": "counter", "set_weak": "set",
           "ring_single": "ring", "cache_unlocked": "cache_t", "reference_count": "shared"}
LINES, PLAIN, LIMIT_S = 140, 20, 300


def run(*words, **kw):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=LIMIT_S, check=False, **kw)


def look(gatectl, runs, name, folder):
    """What there is to say of it, and whether all is as it should be."""
    library = f"{folder}/lib{name}.so"
    made = run("cc", "-g", "-O2", "-shared", "-fPIC", "-pthread", "-o", library, f"{HERE}/{name}.c")
    if made.returncode:
        return made.stderr, False
    begun = time.monotonic()
    found = run(gatectl, "harness", "--object", OBJECTS[name], "-o", folder + "/found", library)
    seconds = [line.split()[1] for line in found.stderr.splitlines() if line.startswith("after ")]
    if found.returncode != 116 or not os.path.exists(folder + "/found/1/gates.lua"):
        return found.stderr, False
    where = folder + "/found/1"
    with open(where + "/test.c", encoding="utf-8") as f:
        lines = f.read().splitlines()
    command = shlex.split(lines[0].removeprefix("/* ").removesuffix(" */"))
    made = run(*command, "-Wall", "-Wextra", cwd=where)
    passed = sum(run(where + "/test").returncode == 0 for _ in range(PLAIN))
    forced = run(gatectl, "run", "--repeat", str(runs), "-g", where + "/gates.lua", "--", where + "/test")
    good = not made.stderr and not made.returncode and passed == PLAIN and not forced.returncode and len(lines) <= LINES
    said = (f"found after {seconds[0]:>5} s, all in {time.monotonic() - begun:5.1f} s; {len(lines)} lines; warnings: {made.stderr or 'none'}; "
            f"passes {passed} of {PLAIN} without gates; {runs} runs with them: {forced.stderr.splitlines()[0] if forced.returncode else 'all forced'}; "
            f"{found.stderr.splitlines()[0].split('first: ')[1].split('; its')[0]}")
    return said, good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gatectl", default=os.path.join(HERE, "../../build/gatectl"))
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("objects", nargs="*", default=list(OBJECTS))
    given = parser.parse_args()
    bad = 0
    for name in given.objects:
        with tempfile.TemporaryDirectory(prefix="gatectl-forced-") as folder:
            said, good = look(os.path.abspath(given.gatectl), given.runs, name, folder)
        print(f"{'ok ' if good else 'NO '} {name}: {said}", flush=True)
        bad += not good
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
