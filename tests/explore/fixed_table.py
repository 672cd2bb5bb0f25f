#!/usr/bin/env python3
"""From a failure to its regression test: explore finds each bug of this folder and writes its script; `run --fixed` with
that script must end with 116 on the bug, and with 0 on its repaired twin, every time. One line a bug:

    fixed_table.py [--runs 100] [--builds gcc-O0,...] [--scripts DIR] [--log FILE] [NAME...]

Scripts stay in DIR/BUILD/NAME/ and are made only once. `gates` counts the script's gates; the last column is what
`run --fixed` prints about the twin: the order that the repair forbids, or nothing where that order comes about and
does no harm. With --log FILE each line is kept, and those that are there already are not run again."""
import argparse
import collections
import json
import os
import subprocess
import sys

import bugs

GATECTL = os.environ.get("GATECTL", os.path.join(bugs.ROOT, "build", "gatectl"))
FOUND, LIMIT_S = 116, 120


def script_of(bug, build, given):
    """The script of explore's first failure with seed 1, or None."""
    folder = os.path.join(given.scripts, build, bug.name)
    path = os.path.join(folder, "1", "gates.lua")
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        subprocess.run([GATECTL, "explore", "-q", "--seed", "1", "-o", folder, bug.program(build)], stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)
    return path if os.path.exists(path) else None


def run_fixed(script, program):
    """The status, and the first line that gatectl prints."""
    try:
        p = subprocess.run([GATECTL, "run", "--fixed", "-g", script, program], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, timeout=LIMIT_S, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return "no end", ""
    return p.returncode, next((line for line in p.stderr.split("\n") if line.startswith("gatectl: ")), "")


def runs_of(script, program, runs):
    """How often each status came, and the most frequent first line."""
    ends = [run_fixed(script, program) for _ in range(runs)]
    lines = collections.Counter(line for _, line in ends)
    return collections.Counter(status for status, _ in ends), lines.most_common(1)[0][0]


def row_of(bug, build, given):
    script = script_of(bug, build, given)
    if not script:
        return [bug.name, build, "no script", "", "", ""]
    with open(script) as f:
        gates = f.read().count("SimpleGate")
    broken, _ = runs_of(script, bug.program(build), given.runs)
    twin, line = runs_of(script, bug.program(build, True), given.runs)
    said = line.removeprefix("gatectl: fixed: the order ").replace("|", "\\|")
    return [bug.name, build, str(gates), counted(broken, FOUND), counted(twin, 0), said]


def counted(statuses, wanted):
    """`100 of 100`, and the other statuses."""
    others = ", ".join(f"{n} x {status}" for status, n in sorted(statuses.items(), key=str) if status != wanted)
    return f"{statuses[wanted]} of {sum(statuses.values())}" + (f" ({others})" if others else "")


def read_log(path):
    if not path or not os.path.exists(path):
        return {}
    with open(path) as f:
        return {tuple(row[:2]): row for row in map(json.loads, f)}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=100, help="of the bug, and as many of its twin")
    options.add_argument("--builds", type=lambda t: t.split(","), default=list(bugs.BUILDS[:1]))
    options.add_argument("--scripts", default=os.path.join(bugs.OUT, "scripts"), help="where they are kept")
    options.add_argument("--log", help="keeps each line; goes on where it ended")
    options.add_argument("names", nargs="*")
    given = options.parse_args()
    known, wrong = read_log(given.log), 0
    print("| bug | build | gates | bug: 116 | twin: 0 | the order that cannot come about |\n|---|---|---|---|---|---|", flush=True)
    for build in given.builds:
        bugs.build_all(bugs.named(given.names), [build])
        for bug in bugs.named(given.names):
            row = known.get((bug.name, build)) or row_of(bug, build, given)
            if given.log and (bug.name, build) not in known:
                with open(given.log, "a") as f:
                    f.write(json.dumps(row) + "\n")
            wrong += any("(" in cell for cell in row[3:5]) or row[2] == "no script"
            print("| " + " | ".join(row) + " |", flush=True)
    print(f"{wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
