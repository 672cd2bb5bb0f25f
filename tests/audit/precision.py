#!/usr/bin/env python3
"""How many findings of gatectl audit on real code are real: fetches Debian sources, makes their compile_commands.json, audits
them, and counts by judged.tsv what is told today. No part of the tests: it takes an hour, the net, and root for packages.

    tests/audit/precision.py [--folder /tmp/real] [--gatectl build/gatectl] [PROJECT...]

The projects are those of projects.py. One that cannot be made is told and left out. Findings of high and medium confidence are
counted, as real / benign / false, and after a + those that nobody has judged, which are listed, too:
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

import projects
from corpus import TAGS

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MEMORY = 8 << 30


def audit(gatectl, folder, name):
    """Its findings, each with its confidence, and (lines, seconds of processor, MB)."""
    source, build = projects.fetch(folder, name)
    report = os.path.join(folder, name + ".json")
    child = subprocess.Popen([gatectl, "audit", "-q", "-p", build, "--report", report], cwd=source, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
    _, _, usage = os.wait4(child.pid, 0)
    child.returncode = 0
    with open(report, encoding="utf-8") as f:
        told = json.load(f)
    found = [(name, f"{os.path.relpath(os.path.join(source, f['file']), source)}:{f['line']}", f["tag"], f["field"] or "-")
             for f in told["findings"] if f["confidence"] != "low"]
    return found, (told["lines"], usage.ru_utime + usage.ru_stime, usage.ru_maxrss >> 10)


def judgements():
    with open(os.path.join(HERE, "judged.tsv"), encoding="utf-8") as f:
        return {(row["project"], row["place"], row["tag"], row["field"]): row["judgement"] for row in csv.DictReader(f, delimiter="\t")}


def counted(told, judged):
    """real / benign / false, and how many nobody has judged."""
    of = collections.Counter(judged.get(key, "not judged") for key in told)
    text = " / ".join(str(of[k]) for k in ("real", "benign", "false")) if told else "-"
    return text + (f" + {of['not judged']}" if of["not judged"] else ""), of


def table(told, costs, judged):
    """A row a project: what each tag's findings are."""
    print("| project | lines | s | MB | " + " | ".join(TAGS) + " |\n" + "|---" * (4 + len(TAGS)) + "|")
    for name, (lines, seconds, memory) in costs.items():
        cells = [counted([k for k in told if k[0] == name and k[2] == tag], judged)[0] for tag in TAGS]
        print(f"| {name} | {lines} | {seconds:.1f} | {memory} | " + " | ".join(cells) + " |")


def count(title, told, judged):
    for tag in sorted({key[2] for key in told}):
        text, of = counted([key for key in told if key[2] == tag], judged)
        print(f"{title}: {tag}: {text}, {100 * of['false'] // max(sum(of.values()) - of['not judged'], 1)} % false")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--folder", default="/tmp/real")
    p.add_argument("--gatectl", default=os.path.join(ROOT, "build", "gatectl"))
    p.add_argument("projects", nargs="*", metavar="PROJECT")
    args = p.parse_args()
    names, judged, told, costs = args.projects or list(projects.PROJECTS), judgements(), [], {}
    for name in names:
        try:
            found, costs[name] = audit(os.path.abspath(args.gatectl), os.path.abspath(args.folder), name)
            told += found
        except (OSError, IndexError, subprocess.SubprocessError) as e:
            print(f"{name}: left out: {e!r}")
    table(told, costs, judged)
    for title, which in (("known while the rules were made", projects.FIRST), ("looked at later", projects.LATER), ("held out", projects.HELD_OUT),
                         ("held out a second time", projects.HELD_OUT_2),
                         ("held out a third time", (*projects.HELD_OUT_3, *projects.WITHOUT_RECIPE)),
                         ("held out a fourth time", (*projects.HELD_OUT_4, *projects.WITHOUT_RECIPE_4)),
                         ("held out a fifth time", (*projects.HELD_OUT_5, *projects.WITHOUT_RECIPE_5)),
                         ("held out a sixth time", (*projects.HELD_OUT_6, *projects.WITHOUT_RECIPE_6)),
                         ("held out a seventh time", (*projects.HELD_OUT_7, *projects.WITHOUT_RECIPE_7)),
                         ("held out an eighth time", projects.WITHOUT_RECIPE_8)):
        count(title, [k for k in told if k[0] in which], judged)
    for key in told:
        if key not in judged:
            print("not judged:", *key)
    for key, is_ in judged.items():
        if is_ == "real" and key[0] in names and key not in told:
            print("real, and not told any more:", *key)
    return 0


if __name__ == "__main__":
    sys.exit(main())
