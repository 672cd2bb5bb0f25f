#!/usr/bin/env python3
"""Objects of Debian's libraries that tests/harness/real does not have, searched with default options: verdicts, how soon the
search begins, and, with the fault that -DPLANTED puts into some of them, how soon that is found. Not among the tests: it takes
half an hour. Needs libck-dev liburcu-dev libglib2.0-dev libjansson-dev libnspr4-dev libqb-dev libapr1-dev libuv1-dev
uthash-dev, and in DIR (--debug) builds of these libraries with debug information, as tests/harness/real/table.py does.

    tests/harness/debian/table.py [--gatectl build/gatectl] [--for SECONDS] --debug DIR [OBJECT...]

Prints a table in Markdown, a row as soon as it is known. Status 1 if no search has begun within 10 s of processor time, an
operation has no verdict, a sound object has a violation, or a planted one has none or blames another operation.
"""

import argparse
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = {"glib": "glib-2.0", "apr": "apr-1", "nspr": "nspr"}  # by pkg-config
LIBRARIES = {"ck": "-lck", "urcu": "-lurcu-cds -lurcu-bp -lurcu-common", "jansson": "-ljansson", "nspr": "-lplds4 -lplc4 -lnspr4",
             "qb": "-lqb", "uv": "-luv"}
HEAD = ("object", "searched after, s", "of processor", "harnesses", "schedules", "verdicts", "planted fault")
SOON_S = 10


def build(name, folder, debug, planted):
    of = name.split("_")[0]
    flags = shlex.split(LIBRARIES.get(of, ""))
    if of in FLAGS:
        flags += shlex.split(subprocess.run(["pkg-config", "--cflags", "--libs", FLAGS[of]], capture_output=True, text=True, check=True).stdout)
    library = f"{folder}/lib{name}.so"
    subprocess.run(["cc", "-g", "-O2", "-Wall", "-shared", "-fPIC", "-pthread", *(["-DPLANTED"] if planted else []), "-o", library,
                    f"{HERE}/{name}.c", f"-L{debug}", f"-Wl,--disable-new-dtags,-rpath,{debug}", *flags], check=True)
    return library


def search(name, given, planted):
    with tempfile.TemporaryDirectory(prefix="gatectl-debian-") as folder:
        report = f"{folder}/report.json"
        p = subprocess.run([given.gatectl, "harness", "--object", "struct subject", "--for", str(given.seconds), "-o", f"{folder}/found",
                            "--report", report, build(name, folder, given.debug, planted)], stderr=subprocess.PIPE, text=True,
                           errors="replace", check=False)
        if not os.path.exists(report):
            print(p.stderr, file=sys.stderr)
            return {"violations": [], "operations": [], "computed_before": 0, "searched_after": 0, "harnesses": 0, "schedules": 0}
        with open(report, encoding="utf-8") as f:
            return json.load(f)


def words(r):
    said = [(o["function"].removeprefix("object_"), o["verdict"]) for o in r["operations"]]
    atomic = [name for name, verdict in said if verdict.startswith("atomic")]
    return "; ".join([f"atomic: {', '.join(atomic)}"] * bool(atomic) + [f"{name}: {verdict}" for name, verdict in said if name not in atomic])


def fault(name, given):
    """The planted fault: how it is found, in words, and whether it is."""
    with open(f"{HERE}/{name}.c", encoding="utf-8") as f:
        if not re.search(r'PLANTED|#include "map.h"', f.read()):
            return "", True
    r = search(name, given, True)
    blamed = [o["function"].removeprefix("object_") for o in r["operations"] if o["verdict"].startswith("not atomic")]
    if not r["violations"]:
        return f"NOT FOUND in {r['schedules']} schedules", False
    v = r["violations"][0]
    return f"{', '.join(blamed)}, after {v['seconds']:.1f} s: `{v['schema']}`", True


def look_at(name, given):
    r = search(name, given, False)
    said, found = fault(name, given)
    good = found and not r["violations"] and r["harnesses"] and r["computed_before"] <= SOON_S and all(
        o["verdict"].startswith("atomic") for o in r["operations"])
    print("| " + " | ".join((name, f"{r['searched_after']:.1f}", f"{r['computed_before']:.1f}", str(r["harnesses"]), f"{r['schedules']:,}",
                             words(r), said)) + " |", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gatectl", type=os.path.abspath, default=os.path.join(HERE, "../../../build/gatectl"))
    parser.add_argument("--for", dest="seconds", type=float, default=60)
    parser.add_argument("--debug", type=os.path.abspath, required=True)
    parser.add_argument("objects", nargs="*")
    given = parser.parse_args()
    names = sorted(os.path.splitext(os.path.basename(path))[0] for path in glob.glob(HERE + "/*.c"))
    print("| " + " | ".join(HEAD) + " |\n" + "|---" * len(HEAD) + "|")
    return sum(not look_at(name, given) for name in given.objects or names) > 0


if __name__ == "__main__":
    sys.exit(main())
