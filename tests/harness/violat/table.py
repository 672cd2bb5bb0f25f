#!/usr/bin/env python3
"""Ten operations that Violat's authors found not to be atomic, as C objects of our own: what `gatectl harness` finds with
--untrusted OPERATION and default options, and how often the outcome comes when the written test runs freely.

    tests/harness/violat/table.py [--gatectl build/gatectl] [--for SECONDS] [--free SECONDS] [OBJECT...]

Prints a table in Markdown. Status 1 if an operation is not found, or another one is blamed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# File, type, operation, and what it is like in java.util.concurrent.
OBJECTS = [("hash_map_clear", "map", "clear", "ConcurrentHashMap.clear"),
           ("hash_map_put_all", "map", "put_all", "ConcurrentHashMap.putAll"),
           ("hash_map_size", "map", "size", "ConcurrentHashMap.size"),
           ("hash_map_to_string", "map", "to_string", "ConcurrentHashMap.toString"),
           ("hash_map_contains_value", "map", "contains_any", "ConcurrentHashMap.containsValue"),
           ("skip_list_map_size", "list", "size", "ConcurrentSkipListMap.size"),
           ("linked_queue_size", "queue", "size", "ConcurrentLinkedQueue.size"),
           ("blocking_deque_add_all", "deque", "add_all", "LinkedBlockingDeque.addAll"),
           ("blocking_deque_contains_all", "deque", "contains_all", "LinkedBlockingDeque.containsAll"),
           ("priority_queue_remove_all", "heap", "remove_all", "PriorityBlockingQueue.removeAll")]
HEAD = ("operation", "calls", "harnesses", "schedules", "seconds", "forced", "free runs", "not atomic", "harness")


def freely(test, seconds):
    """How many runs the test makes, and how many of them are not atomic."""
    said = subprocess.run([test, "--for", str(seconds)], capture_output=True, text=True, errors="replace", check=False).stdout
    rows = [line.split("\t") for line in said.splitlines()[1:]]
    return sum(int(row[1]) for row in rows), sum(int(row[1]) for row in rows if row[2] == "NO")


def look_at(name, kind, operation, java, given):
    with tempfile.TemporaryDirectory(prefix="gatectl-violat-") as folder:
        library, report = f"{folder}/lib{name}.so", f"{folder}/report.json"
        subprocess.run(["cc", "-g", "-O2", "-shared", "-fPIC", "-pthread", "-o", library, f"{HERE}/{name}.c"], check=True)
        subprocess.run([given.gatectl, "harness", "--object", f"struct {kind}", "--untrusted", operation, "--for", str(given.seconds),
                        "-o", f"{folder}/found", "--report", report, library], stderr=subprocess.DEVNULL, check=False)
        with open(report, encoding="utf-8") as f:
            r = json.load(f)
        blamed = [o["function"] for o in r.get("operations", []) if o["verdict"].startswith("not atomic")]
        if not r.get("violations"):
            return (java, "none found", r.get("harnesses"), r.get("schedules"), "", "", "", "", ""), False
        (v,) = r["violations"]
        runs, wrong = freely(v["folder"] + "/test", given.free)
        return (java, v["schema"].count("("), r["harnesses"], f"{r['schedules']:,}", f"{v['seconds']:.1f}", f"{v['forced']} of {v['asked']}",
                f"{runs:,}", f"{wrong:,}", f"`{v['schema']}`"), blamed == [f"{kind}_{operation}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gatectl", type=os.path.abspath, default=os.path.join(HERE, "../../../build/gatectl"))
    parser.add_argument("--for", dest="seconds", type=float, default=60)
    parser.add_argument("--free", type=float, default=10)
    parser.add_argument("objects", nargs="*")
    given = parser.parse_args()
    bad = 0
    print("| " + " | ".join(HEAD) + " |\n" + "|---" * len(HEAD) + "|")
    for one in OBJECTS:
        if given.objects and one[0] not in given.objects:
            continue
        row, good = look_at(*one, given)
        print("| " + " | ".join(str(x) for x in row) + " |" + ("" if good else "  <-- NOT AS EXPECTED"), flush=True)
        bad += not good
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
