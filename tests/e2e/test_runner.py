"""The runner of the tests: what is broken, skipped for no good reason, endless or unlisted is red, in every part."""

import os
import re
import shutil
import sys

import manifest
import patience
from harness import HERE, ROOT, params

FAKE = '''
import time
from harness import Skip, params, timeout

def test_passes(t):
    pass

@params("one", "two\\n  lines")
def test_named(t, name):
    pass

def test_lacks(t):
    raise Skip("only root may do this")
'''
BROKEN = {
    "fails": "def test_broken(t):\n    t.check(False, 'it is broken')\n",
    "does not end": "@timeout(0.2)\ndef test_broken(t):\n    while True:\n        time.sleep(1)\n",
    "sleeps for no reason": "def test_broken(t):\n    raise Skip('no time')\n",
    "dies": "def test_broken(t):\n    import os\n    os._exit(0)\n",
}
SAYS = {"fails": "it is broken", "does not end": "did not end within 0.2 s of work", "sleeps for no reason": "capabilities.txt does not have",
        "dies": "died without a result"}
CMOCKA = "#!/bin/sh\necho '[  PASSED  ] 2 test(s).'\n"


def write(root, name, text, executable=False):
    path = os.path.join(root, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, 0o755 if executable else 0o644)


def tree(t, broken=""):
    """A tree with the runner of this one, one case in each part, and what `broken` adds to its tests from end to end."""
    root = t.path("tree")
    os.makedirs(os.path.join(root, "tests", "e2e"))
    os.chmod(t.tmp, 0o755)
    for name in ("run.py", "manifest.py", "capabilities.txt", "e2e/run.py", "e2e/harness.py", "e2e/patience.py"):
        shutil.copy(os.path.join(ROOT, "tests", name), os.path.join(root, "tests", name))
    write(root, "tests/e2e/test_fake.py", FAKE + broken)
    write(root, "tests/unit/test_fake.c", "")
    write(root, "build/unit/test_fake", CMOCKA, True)
    write(root, "Makefile", "lint:\n\t@echo 0 complaints\n")
    write(root, "tests/manual.py", "print('0 complaints')\n")
    for name in ("tests/e2e/vars_vs_gdb.py", "tests/e2e/backtrace_vs_gdb.py", "tests/e2e/lines_vs_readelf.py"):
        write(root, name, "print('3 compared')\n")
    for name in ("text", "elf", "writers"):
        write(root, "tests/fuzz/%s.py" % name, "print('4 passed, 0 failed')\n")
    for name in ("build/gatectl", "build/san/gatectl"):
        write(root, name, "#!/bin/sh\n", True)
    return root


def list_cases(t, root):
    """The tree's manifest has all its cases, all in tier 1 and all for each part."""
    names = t.run([sys.executable, "-c", "import run; print(*run.everything(), sep='\\n')"], cwd=os.path.join(root, "tests")).stdout.split("\n")
    cases = [manifest.Case(n, sanitized="1" if n.startswith("test_") else "-", user="u" if n.startswith("test_") else "-") for n in names if n]
    write(root, "tests/manifest.tsv", "\n".join([manifest.HEADER, *(c.line() for c in cases)]) + "\n")
    return cases


def run(t, root, *options):
    return t.run([sys.executable, "tests/run.py", *options], cwd=root)


def test_all_parts(t):
    root = tree(t)
    cases = list_cases(t, root)
    r = run(t, root)
    t.equal(r.status, 0, "status", r)
    passed, skipped = map(int, re.search(r"^(\d+) passed, 0 failed, (\d+) skipped\n\Z", r.stdout, re.M).groups())
    single = len([c for c in cases if not c.end_to_end and not c.name.startswith(("unit.", "fuzz."))])
    fuzzers = len([c for c in cases if c.name.startswith("fuzz.")])
    times = 3 if os.geteuid() == 0 else 2
    t.equal((passed, skipped), (single + 4 * fuzzers + 2 + 3 * times, times), "sum", r)


@params(*BROKEN)
def test_broken_case(t, how):
    root = tree(t, BROKEN[how])
    list_cases(t, root)
    r = run(t, root, "--part", "e2e")
    t.equal(r.status, 1, "status", r)
    t.check(re.search(r"^FAIL test_fake\.test_broken .*" + SAYS[how], r.stdout, re.M), "the case and the reason", r)
    t.check(r.stdout.endswith("3 passed, 1 failed, 1 skipped\n"), "sum", r)


FAILING = {"house": ("Makefile", "lint:\n\t@echo 1 complaint; false\n"),
           "unit": ("build/unit/test_fake", CMOCKA + "echo '[  FAILED  ] 1 test(s), listed below:'\nexit 1\n"),
           "witness": ("tests/e2e/lines_vs_readelf.py", "print('FAIL row 3')\nraise SystemExit(1)\n"),
           "fuzz": ("tests/fuzz/text.py", "print('FAIL 7: hangs')\nprint('3 passed, 1 failed')\nraise SystemExit(1)\n"),
           "e2e": ("tests/e2e/test_fake.py", FAKE.replace("    pass", "    " + "assert False")),
           "sanitized": ("tests/e2e/test_fake.py", FAKE.replace("    pass", "    " + "t.check('/san/' not in t.gatectl, 'a sanitizer has found something')", 1)),
           "user": ("tests/e2e/test_fake.py", FAKE.replace("    pass", "    " + "import os; t.check('gatectl-user' not in os.getcwd(), 'refused')", 1))}


@params(*FAILING)
def test_each_part_can_fail(t, part):
    root = tree(t)
    list_cases(t, root)
    if part == "user" and os.geteuid() != 0:
        return
    t.equal(run(t, root, "--part", part).status, 0, "status of the part as it is")
    name, text = FAILING[part]
    write(root, name, text, os.access(os.path.join(root, name), os.X_OK))
    r = run(t, root, "--part", part)
    t.equal(r.status, 1, "status", r)
    t.check(re.search(r"== what failed, once more\n.*%s" % (part if part not in ("e2e", "sanitized", "user") else "end to end"), r.stdout), "named at the end", r)


def test_unit_skip_without_a_capability(t):
    root = tree(t)
    list_cases(t, root)
    write(root, "build/unit/test_fake", CMOCKA + "echo '[  SKIPPED ] 1 test(s), listed below:'\necho 'skipped: no time'\n", True)
    t.equal(run(t, root, "--part", "unit").status, 1, "status")
    write(root, "build/unit/test_fake", CMOCKA + "echo '[  SKIPPED ] 1 test(s), listed below:'\n"
          "echo 'skipped: debug registers of this machine report nothing'\n", True)
    t.equal(run(t, root, "--part", "unit").status, 0, "status of a capability")


def test_manifest_refuses(t):
    """Cases that are missing, gone, or together too expensive, each by name."""
    cases = {n: manifest.Case(n, seconds=s) for n, s in (("test_a.test_x", 700), ("test_a.test_y", 600), ("test_a.test_z", 1))}
    t.equal(manifest.complaints({"test_a.test_z": cases["test_a.test_z"]}, {"test_a.test_z"}), [], "complaints about a right one")
    said = "\n".join(manifest.complaints(cases, set(cases)))
    t.check(re.fullmatch(r"tier 1 takes 1301 s of processor, more than 1200: .* The largest: test_a.test_x 700.0, test_a.test_y 600.0, .*", said), said)
    del cases["test_a.test_x"]
    said = manifest.complaints(cases, {"test_a.test_x", "test_a.test_y"})
    t.check(len(said) == 2 and "test_a.test_x is not in" in said[0] and "test_a.test_z, which is no test any more" in said[1], said)
    root = tree(t)
    list_cases(t, root)
    write(root, "tests/e2e/test_new.py", "def test_new(t):\n    pass\n")
    r = run(t, root)
    t.equal(r.status, 1, "status", r)
    t.check("test_new.test_new is not in tests/manifest.tsv" in r.stdout and r.stdout.endswith("0 passed, 1 failed\n"), "the new test is named", r)


def test_limits_count_work(t):
    """On a machine with ten threads a processor a limit lasts ten times as long."""
    t.check(0 < patience.share() <= 1, "share of a processor: %s" % patience.share())
    t.check(patience.wall(2) >= 2, "a limit that gatectl is given: %s" % patience.wall(2))
    now, shares = [100.0], [0.1]
    limit = patience.Limit(1, now=lambda: now[0], share_now=lambda: shares[0])
    for second in range(1, 10):
        now[0] += 1
        t.check(not limit.over(), "over after %d s" % second)
    now[0] += 2
    t.check(limit.over(), "over after 11 s")


def test_no_test_has_two_lines_of_name(t):
    names = t.run([sys.executable, os.path.join(HERE, "run.py"), "--list"]).stdout.splitlines()
    t.check(len(names) > 1000 and all(re.match(r"test_\w+\.test_\w+(\[.*\])?$", n) for n in names), "names")
