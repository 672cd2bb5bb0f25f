#!/usr/bin/env python3
"""Do the scripts that `gatectl explore` writes force the failure, and on other builds, too? For each bug of this
folder: found on one build, its gates.lua run plainly there, and where no location is an address of the program on the others."""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bugs

GATECTL = os.environ.get("GATECTL", os.path.join(bugs.ROOT, "build", "gatectl"))
LIMIT_S = 600


def script_of(bug, build, folder):
    """The path of the script, else the reason why there is none."""
    out = os.path.join(folder, f"{build}-{bug.name}")
    shutil.rmtree(out, ignore_errors=True)
    try:
        p = subprocess.run([GATECTL, "explore", *options.explore, "--verify", str(options.verify), "-o", out, "--", bug.program(build)], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return None, "explore took too long"
    script = os.path.join(out, "1", "gates.lua")
    if os.path.exists(script):
        return script, ""
    reason = re.search(r"^no script of gates: (.*)", p.stderr, re.M)
    return None, reason.group(1) if reason else f"explore ended with {p.returncode}"


def lines_of(text):
    """How many lines of places there are; and how many of gates, places and orders."""
    places = len(re.findall(r"^(at|on)\b", text, re.M))
    return places, places + len(re.findall(r"^(local \w+ *=|order) ", text, re.M))


def forced(script, bug, build, runs):
    """In how many runs it fails as the script says, up to the first that does not; and how that one came out."""
    try:
        p = subprocess.run([GATECTL, "run", "--repeat", str(runs), "--gate-limit", "5", "--time-limit", "20", "-g", script, "--", bug.program(build)],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", timeout=10 * LIMIT_S)
    except subprocess.TimeoutExpired:
        return 0, "it took too long"
    if p.returncode == 0:
        return runs, ""
    first = next((line for line in p.stderr.splitlines() if line.startswith("gatectl:")), "")
    agreed = re.search(r"(\d+) of \d+ runs agreed", p.stderr)
    return int(agreed.group(1)) if agreed else 0, first[:150]


def measure(bug, folder):
    script, reason = script_of(bug, options.found_on, folder)
    row = {"bug": bug, "reason": reason, "places": 0, "lines": 0, "addresses": 0, "builds": {}}
    if not script:
        return row
    with open(script, encoding="utf-8") as f:
        text = f.read()
    row["places"], row["lines"] = lines_of(text)
    row["addresses"] = len(re.findall(r'^(?:at|on)\W+[^"]*"(?:[^"]*!)?\*0x', text, re.M))
    portable = not re.search(r'^(at|on)\W+[^"]*"\*0x', text, re.M)  # a library's are the same for all builds
    for build in bugs.BUILDS:
        own = build == options.found_on
        if own or (portable and options.others):
            row["builds"][build] = forced(script, bug, build, options.runs if own else options.others)
    return row


def show(row):
    cells = [row["builds"].get(build) for build in bugs.BUILDS]
    numbers = " ".join(f"{cell[0] if cell else '-':>8}" for cell in cells)
    print(f"{row['bug'].name:20} {row['places'] or '-':>6} {row['lines'] or '-':>6} {row['addresses'] or '-':>6} {numbers}  {row['reason'][:200]}", flush=True)
    for build, cell in row["builds"].items():
        if cell[1]:
            print(f"{'':20} {build}: {cell[1]}", flush=True)


def sums(rows):
    own = [row for row in rows if row["builds"].get(options.found_on, (0,))[0] == options.runs]
    small = [row for row in own if row["places"] <= 8]
    text = [row for row in small if not row["addresses"]]
    everywhere = [row for row in small if len(row["builds"]) == len(bugs.BUILDS) and all(not cell[1] for cell in row["builds"].values())]
    print(f"{len(rows)} bugs found on {options.found_on}: {len(own)} have a script that forced the failure in {options.runs} of {options.runs} runs, "
          f"{len(small)} of these with at most 8 lines of gates")
    print(f"texts alone: {len(text)}")
    if options.others:
        print(f"without addresses of the program, forced on all builds ({options.others} runs on the others): {len(everywhere)}")


def main():
    os.makedirs(bugs.OUT, exist_ok=True)
    chosen = bugs.named(options.names)
    bugs.build_all(chosen, bugs.BUILDS if options.others else (options.found_on,), twins=False)
    folder = options.output or tempfile.mkdtemp(prefix="exported-", dir=bugs.OUT)
    print(f"{'bug':20} {'places':>6} {'lines':>6} {'addr':>6} " + " ".join(f"{build:>8}" for build in bugs.BUILDS))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = []
        for row in pool.map(lambda bug: measure(bug, folder), chosen):
            show(row)
            rows.append(row)
    sums(rows)
    if not options.output:
        shutil.rmtree(folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--found-on", choices=bugs.BUILDS, default="gcc-O0")
    parser.add_argument("--runs", type=int, default=1000, help="on the build where it was found")
    parser.add_argument("--others", type=int, default=100, help="... and on each other one; 0: none")
    parser.add_argument("--verify", type=int, default=1000, help="runs that explore itself verifies a script by")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--output", help="where the scripts are kept")
    parser.add_argument("names", nargs="*")
    options, options.explore = parser.parse_known_args()
    options.explore = options.explore or ["--points", "memory"]
    main()
