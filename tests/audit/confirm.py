#!/usr/bin/env python3
"""How many true findings `gatectl audit --confirm` makes happen: each module of faults/ that has a driver, whose fault is known
(corpus.py). Prints a table: the finding, whether and how it was confirmed, and in how many of 100 plain runs its script forces it.

    tests/audit/confirm.py [--gatectl build/gatectl] [--cc gcc] [--level -O0] [--for 60] [--runs 100] [NAME...]

These runs come after those of --verify, and count one by one whether the script's `expect` is met. Ends with 0 if every finding was
confirmed and every script forces its failure in all runs.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

import corpus

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def told(options, program, folder, path):
    """The finding of the module that was confirmed, or the first that was marked; and the note about it."""
    report = os.path.join(folder, "audit.json")
    subprocess.run([options.gatectl, "audit", "-q", "--confirm", program, "-o", os.path.join(folder, "found"), "--for",
                    options.seconds, "--report", report, path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(report, encoding="utf-8") as f:
        findings = json.load(f)["findings"]
    marked = {line for _, line, _, _ in corpus.module("fault", os.path.splitext(os.path.basename(path))[0]).all()}
    findings = [f for f in findings if f["line"] in marked]
    finding = max(findings, key=lambda f: f["confirmed"], default=None)
    notes = [n["text"] for n in finding["notes"] if re.match("(not )?confirmed: ", n["text"])] if finding else []
    return finding, notes[0].replace(folder + "/", "") if notes else "not reported"


def forced(gatectl, script, program, runs):
    """In how many plain runs what the script expects has happened."""
    return sum(subprocess.run([gatectl, "run", "-q", "-g", script, program], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0 for _ in range(runs))


def row(options, module):
    """A row of the table, whether the finding was confirmed, and whether a script forces it in all runs."""
    path = module.files[0]
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, module.name)
        subprocess.run([options.cc, "-std=gnu11", "-g", options.level, "-pthread", "-DDRIVER", "-o", program, path], check=True)
        finding, note = told(options, program, folder, path)
        script = finding and finding["script"]
        times = forced(options.gatectl, script, program, options.runs) if script else 0
    confirmed = bool(finding and finding["confirmed"])
    what = f"{finding['tag']} {finding['field'] or ''}".strip() if finding else ", ".join(module.tags)
    how = re.sub(r"^(not )?confirmed: ", "", note).split("; found/")[0]
    cells = (module.name, what, "yes" if confirmed else "no", how, f"{times} of {options.runs}" if script else "-")
    print("| " + " | ".join(cells) + " |", flush=True)
    return confirmed, bool(script) and times == options.runs


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("--gatectl", default=os.path.join(ROOT, "build", "gatectl"))
    p.add_argument("--cc", default="gcc")
    p.add_argument("--level", default="-O0")
    p.add_argument("--for", dest="seconds", default="60", help="seconds for each finding; more on a busy machine")
    p.add_argument("--runs", type=int, default=100)
    p.add_argument("names", nargs="*")
    options = p.parse_args()
    modules = [m for m in corpus.modules() if m.kind == "fault" and m.driver and (not options.names or m.name in options.names)]
    print("| module | finding | confirmed | how, or why not | the script forces it |\n|---|---|---|---|---|", flush=True)
    rows = [row(options, m) for m in modules]
    confirmed, by_script = sum(r[0] for r in rows), sum(r[1] for r in rows)
    print(f"\n{len(rows)} findings: {confirmed} confirmed, {by_script} by a script that forces it in {options.runs} of {options.runs} runs")
    return 0 if confirmed == by_script == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
