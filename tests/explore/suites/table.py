#!/usr/bin/env python3
"""Writes table.tsv from the JSON reports of suites, with 20 bare runs of each test that fails, and the judgement of judged.tsv.

Reports are given in order: a later one replaces rows of an earlier one, unless it has no result.
"""
import argparse
import concurrent.futures
import json
import os
import shlex
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS = ("package", "test", "threads", "schedules", "verdict", "kind", "what", "bare runs that failed", "judgement", "why")
BARE_RUNS, BARE_LIMIT = 20, 60


def bare_fails(command):
    with tempfile.TemporaryDirectory() as cwd:
        try:
            return subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  timeout=BARE_LIMIT, check=False).returncode != 0
        except subprocess.TimeoutExpired:
            return True


def package_and_test(name):
    """.../bin/PACKAGE/folder+test --direct"""
    program = shlex.split(name)[0]
    return os.path.basename(os.path.dirname(program)), os.path.basename(program).replace("+", "/")


def judged():
    with open(os.path.join(HERE, "judged.tsv"), encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t") for line in f if line.strip() and not line.startswith("#")]
    return {row[0]: row[1:] for row in rows}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("reports", nargs="+")
    p.add_argument("-j", type=int, default=2)
    options = p.parse_args()
    rows = {}
    for report in options.reports:
        with open(report, encoding="utf-8") as f:
            rows.update({row["test"]: row for row in json.load(f)["tests"] if row["test"] not in rows or row["verdict"] != "no-result"})
    failed = [row for row in rows.values() if row["verdict"] == "failed"]
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        bare = {row["test"]: sum(results) for row, results in
                [(row, list(pool.map(bare_fails, [row["command"]] * BARE_RUNS))) for row in failed]}
    judgements = judged()
    with open(os.path.join(HERE, "table.tsv"), "w", encoding="utf-8") as f:
        f.write("\t".join(COLUMNS) + "\n")
        for name, row in rows.items():
            package, test = package_and_test(name)
            fails = row["verdict"] == "failed"
            judgement, why = judgements.get(test, ("not judged", "-")) if fails else ("-", "-")
            what = row.get("where", "-") if fails else row.get("reason", "-")
            cells = (package, test, row["threads"], row["schedules"], row["verdict"], row.get("kind", "-") if fails else "-", what,
                     f"{bare[name]} of {BARE_RUNS}" if fails else "-", judgement, why)
            f.write("\t".join(str(c).replace("\t", " ") for c in cells) + "\n")


if __name__ == "__main__":
    main()
