#!/usr/bin/env python3
"""Builds the test programs of tests.tsv from Debian source packages, and writes the list for `gatectl explore --list`.

The sources are those of tests/convert/run.py (packages.tsv there says how a test is built); --sources names its folder. A program
that does not build alone is left out.

    python3 tests/convert/run.py                                   # fetches the sources
    python3 tests/explore/suites/build.py --sources build/convert --dir build/suites
    build/gatectl explore --list build/suites/list --for 3 -o build/suites/out --report build/suites/suite.json
    python3 tests/explore/suites/table.py --dir build/suites       # bare runs of what failed; writes table.tsv
"""
import argparse
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), "convert"))
import run as convert  # noqa: E402

# package, folder of the tests, names, how many are taken in the order of their names
SUITES = [
    ("glibc", "sysdeps/pthread", r"tst-(barrier|cond|mutex|rwlock|sem|spin|once|join|create|detach|key|thrd|mtx|cnd|call|tss|signal|cancel|fork|robust|kill|cleanup)\w*\.c$", 120),
    ("glibc", "nptl", r"tst-(mutex|rwlock|sem|cond|create|setuid|stack|thread|tls|kill|cancel|exit|barrier|rwlock)[\w-]*\.c$", 50),
    ("nspr", "nspr/pr/tests", r".*\.c$", 90),
    ("gcc-12", "libstdc++-v3/testsuite/30_threads", r".*\.cc$", 70),
    ("llvm-toolchain-14", "openmp/runtime/test", r".*\.c$", 60),
    ("liburcu", "tests/unit", r".*\.c$", 10),
    ("boost1.81", "libs/thread/test", r"test_.*\.cpp$", 20),
]


def candidates(top, folder, names, most):
    found = []
    for base, _, files in os.walk(os.path.join(top, folder)):
        found += [os.path.relpath(os.path.join(base, f), top) for f in files if re.match(names, f)]
    taken = []
    for path in sorted(found):
        with open(os.path.join(top, path), encoding="utf-8", errors="replace") as f:
            text = f.read()
        if "dg-error" not in text and "dg-do compile" not in text and len(taken) < 3 * most:
            taken.append(path)
    return taken[::max(1, len(taken) // most)][:most]


def build_one(sources, package, path):
    test = {"package": package, "path": path}
    try:
        return path, *sources.build(test)
    except (subprocess.CalledProcessError, OSError, StopIteration) as e:
        return path, None, str(e)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--sources", required=True, help="folder of tests/convert/run.py")
    p.add_argument("--dir", required=True, help="folder for programs and list")
    p.add_argument("-j", type=int, default=2)
    options = p.parse_args()
    directory = os.path.abspath(options.dir)
    os.makedirs(directory, exist_ok=True)
    sources = convert.Sources(directory, convert.read_table(os.path.join(os.path.dirname(convert.__file__), "packages.tsv"), convert.PARTS))
    top = os.path.join(os.path.abspath(options.sources), "src")
    sources.top = lambda package: os.path.join(top, package)
    sources.prepare = lambda package: None
    with open(os.path.join(directory, "list"), "w", encoding="utf-8") as out, concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for package, folder, names, most in SUITES:
            paths = candidates(sources.top(package), folder, names, most)
            for path, program, error in pool.map(lambda path: build_one(sources, package, path), paths):
                if program:
                    words = [program, "--direct"] if package == "glibc" else [program]
                    out.write(shlex.join(words) + "\n")
                    out.flush()
                print(package, path, "built" if program else error, flush=True)


if __name__ == "__main__":
    main()
