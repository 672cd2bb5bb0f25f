#!/usr/bin/env python3
"""Schedules to the first failure, strategy by bug, beside bare runs under load; and that no twin ever fails.

A cell is `median / worst` of the seeds; where some seeds found nothing, `median / worst (found of seeds)`; `- (0 of N)`:
N seeds found nothing, and with --give-up N the others were not tried.
With --log FILE each search is kept as a line, and those that are there already are not run again."""
import argparse
import contextlib
import concurrent.futures
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import bugs

GATECTL = os.environ.get("GATECTL", os.path.join(bugs.ROOT, "build", "gatectl"))
STRATEGIES = ("auto", "random", "pct", "pos", "surw", "rff", "dfs")
FOUND, NONE = 116, 0


# ---- one search -----------------------------------------------------------------------------------


def search(program, strategy, seed, given):
    """What a search says: how many schedules, and of what kind the failure was. Kind `error` is no answer."""
    folder = tempfile.mkdtemp(prefix="explore-")
    report = os.path.join(folder, "search.json")
    command = [GATECTL, "explore", "-q", "--strategy", strategy, "--seed", str(seed), "--runs", str(given.runs), "-j", "1",
               "--verify", "0", "-o", os.path.join(folder, "found"), "--report", report, program]
    try:
        p = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=given.timeout, text=True, errors="replace")
        if p.returncode not in (FOUND, NONE):
            return {"schedules": 0, "kind": "error", "text": p.stderr[:500]}
        with open(report) as f:
            told = json.load(f)
        return {"schedules": told["schedules"], "kind": told["failures"][0]["kind"] if p.returncode == FOUND else None, "seconds": told["seconds"],
                "complete": told["complete"]}
    except subprocess.TimeoutExpired:
        return {"schedules": 0, "kind": "error", "text": f"no end after {given.timeout} s"}
    except (OSError, ValueError, KeyError, IndexError) as e:
        return {"schedules": 0, "kind": "error", "text": f"the report: {e!r}"}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Log:
    """Searches done, by what was asked."""

    def __init__(self, path):
        self.path, self.known = path, {}
        if path and os.path.exists(path):
            with open(path) as f:
                for line in f:
                    asked, answer = json.loads(line)
                    self.known[tuple(asked)] = answer

    def add(self, asked, answer):
        self.known[asked] = answer
        if self.path:
            with open(self.path, "a") as f:
                f.write(json.dumps([asked, answer]) + "\n")


def search_all(chosen, fixed, given, log):
    """(bug, strategy) -> the answers, one a seed"""
    asked = [(os.path.basename(bug.program(given.build, fixed)), given.build, strategy, seed, given.runs)
             for bug in chosen for strategy in given.strategies for seed in given.seeds]
    answers = {(a[0], a[2]): [] for a in asked}
    hopeless = lambda of: len(of) >= given.give_up > 0 and not any(a["kind"] for a in of)

    def one(a):
        of = answers[a[0], a[2]]
        if a not in log.known and hopeless(of):
            return
        if a not in log.known:
            log.add(a, search(os.path.join(bugs.OUT, given.build, a[0]), a[2], a[3], given))
        of.append(log.known[a])

    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        list(pool.map(one, asked))
    return answers


# ---- bare runs ------------------------------------------------------------------------------------


@contextlib.contextmanager
def load():
    """A busy loop for each CPU beside."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count())]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def bare_failures(program, runs, limit):
    """How many bare runs fail; one that does not end is a failure, too."""
    failed = 0
    for _ in range(runs):
        try:
            failed += subprocess.run([program], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=limit).returncode != 0
        except subprocess.TimeoutExpired:
            failed += 1
    return failed


# ---- the tables -----------------------------------------------------------------------------------


def cell(answers):
    if any(a["kind"] == "error" for a in answers):
        return "error"
    found = [a["schedules"] for a in answers if a["kind"]]
    if not found:
        return f"- (0 of {len(answers)})"
    text = f"{statistics.median_low(found)} / {max(found)}"
    return text if len(found) == len(answers) else f"{text} ({len(found)} of {len(answers)})"


def print_table(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for n, row in enumerate(rows):
        print("| " + " | ".join(text.ljust(width) for text, width in zip(row, widths)) + " |")
        if n == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
    sys.stdout.flush()


def table_of_bugs(chosen, given, log):
    """Prints it; gives what is not as it should be."""
    wrong, rows = [], [["bug", "kind", f"bare of {given.bare}", *given.strategies]]
    answers = search_all(chosen, False, given, log)
    for bug in chosen:
        with load():
            bare = str(bare_failures(bug.program(given.build), given.bare, given.bare_limit)) if given.bare else "-"
        rows.append([bug.name, " ".join(sorted(bug.kinds)), bare, *(cell(answers[bug.name, s]) for s in given.strategies)])
        for strategy in given.strategies:
            for seed, a in zip(given.seeds, answers[bug.name, strategy]):
                if a["kind"] == "error":
                    wrong.append(f"{bug.name}, {strategy}, seed {seed}: {a['text']}")
                elif a["kind"] and a["kind"] not in bug.kinds:
                    wrong.append(f"{bug.name}, {strategy}, seed {seed}: failed by {a['kind']}, not by {' or '.join(sorted(bug.kinds))}")
                elif not a["kind"] and strategy == "auto" and bug.counted:
                    wrong.append(f"{bug.name}, auto, seed {seed}: not found in {a['schedules']} schedules")
    print_table(rows)
    return wrong


def table_of_twins(chosen, given, log):
    wrong, rows = [], [["twin", "bare", *given.strategies]]
    answers = search_all(chosen, True, given, log)
    for bug in chosen:
        name = os.path.basename(bug.program(given.build, True))
        with load():
            bare = bare_failures(bug.program(given.build, True), given.bare, 20)
        row = [name, f"{bare} of {given.bare}"]
        if bare:
            wrong.append(f"{name}: {bare} of {given.bare} bare runs failed")
        for strategy in given.strategies:
            mine = answers[name, strategy]
            row.append(f"{sum(bool(a['kind']) for a in mine)} of {sum(a['schedules'] for a in mine)}")
            wrong += [f"{name}, {strategy}, seed {seed}: {a.get('text') or a['kind']}" for seed, a in zip(given.seeds, mine) if a["kind"]]
        rows.append(row)
    print_table(rows)
    return wrong


def numbers(text):
    """1..20 or 1,2,7"""
    first, dots, last = text.partition("..")
    return range(int(first), int(last) + 1) if dots else [int(n) for n in text.split(",")]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bugs", type=lambda t: t.split(","), default=[], help="names, by commas; all that are counted")
    options.add_argument("--slow", action="store_true", help="those that are not counted, too")
    options.add_argument("--strategies", type=lambda t: t.split(","), default=STRATEGIES)
    options.add_argument("--seeds", type=numbers, default=range(1, 21), help="as 1..20 or 1,5")
    options.add_argument("--build", choices=bugs.BUILDS, default="gcc-O0")
    options.add_argument("--runs", type=int, default=10000, help="schedules a search may take")
    options.add_argument("--timeout", type=float, default=600, help="seconds a search may take")
    options.add_argument("--bare", type=int, default=100, help="bare runs under load; 0 for none")
    options.add_argument("--bare-limit", type=float, default=2, help="seconds after which a bare run hangs")
    options.add_argument("--give-up", type=int, default=0, help="seeds that find nothing before the others are left out; 0: none are")
    options.add_argument("--twins", choices=("too", "only", "no"), default="too")
    options.add_argument("--jobs", type=int, default=1, help="searches at once")
    options.add_argument("--log", help="keeps each search; goes on where it ended")
    given = options.parse_args()
    chosen = [b for b in bugs.named(given.bugs) if given.bugs or b.counted or given.slow]
    bugs.build_all(chosen, [given.build])
    log, wrong = Log(given.log), []
    if given.twins != "only":
        wrong += table_of_bugs(chosen, given, log)
    if given.twins != "no":
        wrong += table_of_twins(chosen, given, log)
    print("".join(f"WRONG {text}\n" for text in wrong) + f"{len(chosen)} bugs, {len(wrong)} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
