#!/usr/bin/env python3
"""Objects of real libraries, as Debian has them: what `gatectl harness` finds in each, and what comes of what it found.
Not among the tests: it takes minutes. Needs the packages libglib2.0-dev liburcu-dev libck-dev libboost-dev libuv1-dev
libapr1-dev libtbb-dev libconcurrentqueue-dev.

    tests/harness/real/table.py [--gatectl build/gatectl] [--for SECONDS] [--runs N] [--debug DIR] [OBJECT...]

DIR has builds of libraries with debug information (as libglib-2.0.so.0, from `apt-get source`, gcc -O2 -g), that are taken
in place of Debian's: where there is none threads are not switched inside of the library, so that its line says NOT SEEN,
and that no violation came says nothing about it.

A line for each object: operations, harnesses, schedules, and how many of them a second; then each violation, whether its
script forces it in N of N plain runs (1000), how long its test.c is, and whether that passes without gates. Status 1 if
a violation has no script that forces it, or its test has warnings or does not pass, or a library was not seen.
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
MOST_LINES, PLAIN = 140, 20
FLAGS = {"glib": "glib-2.0", "apr": "apr-1"}  # by pkg-config
WITHOUT = ("libc.so", "libm.so", "libgcc_s.so", "libstdc++.so", "ld-linux")  # these are the system's, not the object's
LIBRARIES = {"urcu": ["-lurcu-common"], "uv": ["-luv"], "ck": ["-lck"], "tbb": ["-ltbb"]}


def run(*words, **kw):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", check=False, **kw)


def build(path, folder, debug):
    """The shared object; None with what the compiler says on standard error."""
    name, ending = os.path.splitext(os.path.basename(path))
    of = name.split("_")[0]
    flags = LIBRARIES.get(of, [])
    if of in FLAGS:
        flags = shlex.split(run("pkg-config", "--cflags", "--libs", FLAGS[of]).stdout)
    if debug:  # found before the system's by who links and by who loads
        flags = [f"-L{debug}", f"-Wl,--disable-new-dtags,-rpath,{debug}", *flags]
    library = f"{folder}/lib{name}.so"
    made = run("g++" if ending == ".cc" else "cc", "-g", "-O2", "-Wall", "-shared", "-fPIC", "-pthread", "-o", library, path, *flags)
    if made.returncode:
        print(made.stderr, file=sys.stderr)
    return None if made.returncode else library


def not_seen(library):
    """The libraries that it names itself and that have no debug information."""
    named = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", library).stdout)
    found = dict(re.findall(r"(\S+) => (/\S+)", run("ldd", library).stdout))
    return [name for name in named if not name.startswith(WITHOUT)
            and ".debug_info" not in run("readelf", "-SW", found.get(name, name)).stdout]


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


def look(path, given, folder):
    name = os.path.splitext(os.path.basename(path))[0]
    library, report = build(path, folder, given.debug), folder + "/report.json"
    if not library:
        print(f"{name}: does not compile")
        return False
    found = run(given.gatectl, "harness", "--object", "struct subject", "--for", str(given.seconds), "--report", report,
                "-o", folder + "/found", library)
    if found.returncode not in (0, 116):
        print(f"{name}: {found.stderr.strip()}")
        return False
    with open(report, encoding="utf-8") as f:
        r = json.load(f)
    hidden = not_seen(library)
    print(f"{name}: {len(r['operations'])} operations, {r['harnesses']} harnesses, {r['schedules']} schedules, "
          f"{r['schedules'] / r['seconds']:.0f} a second, {len(r['violations'])} violated"
          + (f"; NOT SEEN: {', '.join(hidden)}" if hidden else ""), flush=True)
    good = not hidden
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
    parser.add_argument("--debug", type=os.path.abspath)
    parser.add_argument("objects", nargs="*")
    given = parser.parse_args()
    paths = sorted(glob.glob(HERE + "/*.c") + glob.glob(HERE + "/*.cc"))
    bad = 0
    for path in paths:
        if given.objects and os.path.splitext(os.path.basename(path))[0] not in given.objects:
            continue
        with tempfile.TemporaryDirectory(prefix="gatectl-real-") as folder:
            bad += not look(path, given, folder)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
