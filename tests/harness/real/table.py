#!/usr/bin/env python3
"""Objects of real libraries, as Debian has them: what `gatectl harness` finds in each, and what comes of what it found.
Not among the tests: it takes minutes. Needs the packages libglib2.0-dev liburcu-dev libck-dev libboost-dev libuv1-dev
libapr1-dev libtbb-dev libconcurrentqueue-dev.

    tests/harness/real/table.py [--gatectl build/gatectl] [--glib DIR] [--for SECONDS] [--runs N] [OBJECT...]

DIR has a libglib-2.0.so.0 with debug information, of the same version as the package's headers: its own locks are atomic
instructions, so it has to be looked into. `apt-get source glib2.0; meson setup b; ninja -C b` makes one in b/glib;
without it the objects of glib are left out.

A line for each object: operations, harnesses, schedules, and how many of them a second; then each violation, whether its
script forces it in N of N plain runs (1000), how long its test.c is, and whether that passes without gates. Status 1 if
a violation has no script that forces it, or its test has warnings or does not pass.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MOST_LINES, PLAIN = 60, 20
FLAGS = {"glib": "glib-2.0", "apr": "apr-1"}  # by pkg-config
ITSELF = {"GAsyncQueue": "push,push_front,try_pop,length", "GQueue": "push_tail,pop_head,get_length",
          "GHashTable": "insert,lookup,remove"}  # operations of types of libglib
LIBRARIES = {"urcu": ["-lurcu-common"], "uv": ["-luv"], "ck": ["-lck"], "tbb": ["-ltbb"]}


def run(*words, **kw):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", check=False, **kw)


def build(path, folder, glib):
    """The shared object; None with what the compiler says on standard error."""
    name, ending = os.path.splitext(os.path.basename(path))
    of = name.split("_")[0]
    flags = LIBRARIES.get(of, [])
    if of in FLAGS:
        flags = shlex.split(run("pkg-config", "--cflags", "--libs", FLAGS[of]).stdout)
    if of == "glib":
        flags = [f for f in flags if f != "-lglib-2.0"] + [glib + "/libglib-2.0.so.0", "-Wl,-rpath," + glib]
    library = f"{folder}/lib{name}.so"
    made = run("g++" if ending == ".cc" else "cc", "-g", "-O2", "-Wall", "-shared", "-fPIC", "-pthread", "-o", library, path, *flags)
    if made.returncode:
        print(made.stderr, file=sys.stderr)
    return None if made.returncode else library


def look_at(violation, gatectl, runs):
    """In words, and whether all is as it should be."""
    folder = violation["folder"]
    with open(folder + "/test.c", encoding="utf-8") as f:
        lines = f.read().splitlines()
    command = shlex.split(lines[0].removeprefix("/* ").removesuffix(" */"))
    made = run(*command, "-Wall", "-Wextra", cwd=folder)
    said = f"{violation['headline']}; test.c has {len(lines)} lines, {'no' if not made.stderr else 'SOME'} warnings"
    if not violation["script"]:
        return f"{said}; NO SCRIPT: {violation.get('no_script')}", False
    if violation["kind"] == "livelock":  # each takes seconds
        return f"{said}; forced {violation['forced']} of {violation['forced']}", not made.stderr
    passed = sum(run(folder + "/test").returncode == 0 for _ in range(PLAIN))
    forced = run(gatectl, "run", "--repeat", str(runs), "-g", folder + "/gates.lua", "--", folder + "/test")
    said += f"; passes {passed} of {PLAIN} without gates; "
    said += f"forced {runs} of {runs}" if not forced.returncode else "NOT FORCED: " + forced.stderr.splitlines()[0]
    return said, not made.stderr and not forced.returncode and passed == PLAIN and len(lines) <= MOST_LINES


def look(name, words, given, folder):
    report = folder + "/report.json"
    found = run(given.gatectl, "harness", "--for", str(given.seconds), "--report", report, "-o", folder + "/found", *words)
    if found.returncode not in (0, 116):
        print(f"{name}: {found.stderr.strip()}")
        return False
    with open(report, encoding="utf-8") as f:
        r = json.load(f)
    print(f"{name}: {sum(not o.get('left_out') for o in r['operations'])} operations, {r['harnesses']} harnesses, {r['schedules']} schedules, "
          f"{r['schedules'] / r['seconds']:.0f} a second, {len(r['violations'])} violated", flush=True)
    good = True
    for violation in r["violations"]:
        said, as_it_should = look_at(violation, given.gatectl, given.runs)
        print(f"    {said}", flush=True)
        good &= as_it_should
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gatectl", type=os.path.abspath, default=os.path.join(HERE, "../../../build/gatectl"))
    parser.add_argument("--for", dest="seconds", type=float, default=20)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--glib", type=os.path.abspath)
    parser.add_argument("objects", nargs="*")
    given = parser.parse_args()
    bad = 0
    for name in [n for n in sorted(list(ITSELF) + os.listdir(HERE)) if n in ITSELF or n.endswith((".c", ".cc"))]:
        if given.objects and name.split(".")[0] not in given.objects:
            continue
        if not given.glib and (name in ITSELF or name.startswith("glib")):
            print(f"{name}: left out, there is no --glib DIR")
            continue
        with tempfile.TemporaryDirectory(prefix="gatectl-real-") as folder:
            if name in ITSELF:
                words = ["--object", name, "--ops", ITSELF[name], given.glib + "/libglib-2.0.so.0"]
            else:
                words = ["--object", "struct subject", build(f"{HERE}/{name}", folder, given.glib)]
            bad += not words[-1] or not look(name.split(".")[0], words, given, folder)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
