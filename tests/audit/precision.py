#!/usr/bin/env python3
"""How many findings of gatectl audit on real code are real: fetches Debian sources, makes their compile_commands.json, audits
them, and counts by judged.tsv what is told today. No part of the tests: it takes an hour, the net, and root for packages.

    tests/audit/precision.py [--folder /tmp/real] [--gatectl build/gatectl] [PROJECT...]

The projects are those of projects.py. One that cannot be made is told and left out. Findings that nobody has judged are listed:
read the source, and add a line to judged.tsv (project, version, file:line, tag, field, judgement, why). Judgements: real: a fault,
or an access that races by C's rules and may give a wrong value; benign: a race that does no harm, as in an assertion, or one that
the project's documentation tells of; false: it cannot happen. What was judged and is not told any more is counted, too: real
ones that are lost.
"""
import argparse
import collections
import csv
import json
import os
import resource
import subprocess
import sys
import time

import projects

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MEMORY = 8 << 30


def audit(gatectl, folder, name):
    source, build = projects.fetch(folder, name)
    report = os.path.join(folder, name + ".json")
    begun = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([gatectl, "audit", "-q", "-p", build, "--report", report], cwd=source, capture_output=True,
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(report, encoding="utf-8") as f:
        told = json.load(f)
    print(f"{name}: {told['lines']} lines, {time.monotonic() - begun:.1f} s, {after.ru_utime - before.ru_utime:.1f} s of processor, "
          f"{after.ru_maxrss >> 10} MB at most so far, {len(told['findings'])} findings")
    return [(name, f"{os.path.relpath(os.path.join(source, f['file']), source)}:{f['line']}", f["tag"], f["field"] or "-") for f in told["findings"]]


def judgements():
    with open(os.path.join(HERE, "judged.tsv"), encoding="utf-8") as f:
        return {(row["project"], row["place"], row["tag"], row["field"]): row["judgement"] for row in csv.DictReader(f, delimiter="\t")}


def count(title, told, judged):
    by = collections.defaultdict(collections.Counter)
    for key in told:
        by[key[2]][judged.get(key, "not judged")] += 1
    for tag, of in sorted(by.items()):
        known = sum(of[k] for k in ("real", "benign", "false"))
        print(f"{title}: {tag}: {of['real']} real, {of['benign']} benign, {of['false']} false"
              f" ({100 * of['false'] // max(known, 1)} %), {of['not judged']} not judged")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--folder", default="/tmp/real")
    p.add_argument("--gatectl", default=os.path.join(ROOT, "build", "gatectl"))
    p.add_argument("projects", nargs="*", metavar="PROJECT")
    args = p.parse_args()
    names, judged, told = args.projects or list(projects.PROJECTS), judgements(), []
    for name in names:
        try:
            told += audit(args.gatectl, args.folder, name)
        except (OSError, IndexError, subprocess.SubprocessError) as e:
            print(f"{name}: left out: {e!r}")
    for title, which in (("known while the rules were made", projects.FIRST), ("looked at later", projects.LATER), ("held out", projects.HELD_OUT),
                         ("held out a second time", projects.HELD_OUT_2),
                         ("held out a third time", (*projects.HELD_OUT_3, *projects.WITHOUT_RECIPE))):
        count(title, [k for k in told if k[0] in which], judged)
    for key in told:
        if key[2] == "P3" and key not in judged:
            print("not judged:", *key)
    for key, is_ in judged.items():
        if is_ == "real" and key[0] in names and key not in told:
            print("real, and not told any more:", *key)
    return 0


if __name__ == "__main__":
    sys.exit(main())
