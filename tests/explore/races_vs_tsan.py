#!/usr/bin/env python3
"""What `gatectl races` finds in the bugs of this folder and in their twins, beside what -fsanitize=thread reports in
bare runs under load. A pair is two lines of the program: races_vs_tsan.py [--runs 50] [NAME...]"""
import argparse
import json
import os
import re
import subprocess
import tempfile

import bugs

GATECTL = os.environ.get("GATECTL", os.path.join(bugs.ROOT, "build", "gatectl"))
CC = {"c": ("gcc", "gnu11"), "c++": ("g++", "c++20")}
# Why only one side says something, where it is not chance: by program.
REASONS = {
    "escaped_local": "main changes its own local by a direct operand of its frame, which gatectl does not look at",
    "uaf_shutdown": "line 28 gives the memory back: that is no access to gatectl",
    "fd_close": "TSan knows descriptors: line 34 closes what line 19 writes to",
    "process_update": "TSan sees one process, this memory is shared by two",
    "cxx_iterator": "the same accesses: gatectl tells the first place by the header's line, TSan by the caller's",
}
BY_CHANCE = {"gatectl": "this order did not come in the bare runs", "tsan": "not looked into"}


def why(bug, side, pairs):
    if not pairs:
        return ""
    text = ", ".join(f"{first}-{second.split(':')[1]}" for first, second in sorted(pairs))
    return f"  {side} {text}: {REASONS.get(bug.name, BY_CHANCE[side])}"


def ours(bug, fixed):
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "races.json")
        subprocess.run([GATECTL, "races", "-q", "--report", report, bug.program(fixed=fixed)],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder, check=False)
        with open(report, encoding="utf-8") as f:
            races = json.load(f)["races"]
    place = lambda side: f"{os.path.basename(side['file'] or '?')}:{side['line']}"
    return {tuple(sorted((place(r["first"]), place(r["second"])))) for r in races}


def build_tsan(bug, fixed):
    out = os.path.join(bugs.OUT, "tsan", bug.name + "_fixed" * fixed)
    if bugs.newer(out, [bug.path()]):
        return out
    os.makedirs(os.path.dirname(out), exist_ok=True)
    compiler, standard = CC[bug.language]
    subprocess.run([compiler, "-std=" + standard, "-O0", "-g", "-pthread", "-fsanitize=thread", *bug.defines, *["-DFIXED"] * fixed,
                    "-o", out, bug.path()], check=True)
    return out


def places(report, source):
    """The two accesses of a report: of each the innermost frame in the program's own source."""
    found = []
    for part in re.split(r"\n(?=  (?:Previous |As if |Location|Mutex|Thread|\S.* of size))", report):
        head = part.strip("\n").split("\n")[0]
        m = re.search(re.escape(source) + r":(\d+)", part)
        if m and re.search(r"(read|write) of size", head, re.I):
            found.append(f"{source}:{m.group(1)}")
    return tuple(sorted(found[:2])) if len(found) >= 2 else None


def theirs(bug, fixed, runs):
    program, pairs = build_tsan(bug, fixed), set()
    env = dict(os.environ, TSAN_OPTIONS="exitcode=0 history_size=7 suppress_equal_addresses=0")
    hung = 0
    for _ in range(runs):
        if hung == 3:
            break
        try:
            p = subprocess.run([program], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env, timeout=2, text=True, errors="replace",
                               check=False)
            text = p.stderr
        except subprocess.TimeoutExpired as e:
            hung += 1
            text = (e.stderr or b"").decode(errors="replace")
        for report in text.split("WARNING: ThreadSanitizer: data race")[1:]:
            pair = places(report.split("SUMMARY:")[0], os.path.basename(bug.path()))
            pairs |= {pair} if pair else set()
    return pairs


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=50)
    options.add_argument("--load", type=int, default=os.cpu_count(), help="busy loops beside the bare runs")
    options.add_argument("names", nargs="*")
    given = options.parse_args()
    chosen = [bug for bug in bugs.named(given.names) if bug.threads <= 21]
    bugs.build_all(chosen)
    load = [subprocess.Popen(["nice", "sh", "-c", "while :; do :; done"]) for _ in range(given.load)]
    sums = [0, 0, 0, 0, 0]
    print(f"{'program':28} {'gatectl':>8} {'tsan':>5} {'both':>5}  only one of them")
    try:
        for bug in chosen:
            for fixed in (False, True):
                tsan = theirs(bug, fixed, given.runs)
                mine = ours(bug, fixed)
                row = [len(mine), len(tsan), len(mine & tsan), len(mine - tsan), len(tsan - mine)]
                sums = [a + b for a, b in zip(sums, row)]
                only = why(bug, "gatectl", mine - tsan) + why(bug, "tsan", tsan - mine)
                print(f"{bug.name + '_fixed' * fixed:28} {row[0]:8} {row[1]:5} {row[2]:5}{only}", flush=True)
    finally:
        for p in load:
            p.kill()
            p.wait()
    print(f"{'sum':28} {sums[0]:8} {sums[1]:5} {sums[2]:5}  gatectl alone {sums[3]}, tsan alone {sums[4]}")


if __name__ == "__main__":
    main()
