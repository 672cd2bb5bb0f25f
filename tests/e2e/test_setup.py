"""`.ci/setup` and the libraries that `make` links, with tools of Debian that a test makes up."""

import os
import subprocess

from harness import ROOT

PACKAGES = """
[build]
gcc      # a comment
new-dev|old-dev
g++
[test]
gdb
"""
TOOLS = {
    "dpkg-query": 'for p in $INSTALLED; do echo "$p install ok installed"; done; echo "gone deinstall ok config-files"',
    "apt-cache": 'case " $KNOWN " in *" $2 "*) exit 0 ;; esac; exit 100',
    "apt-get": 'echo "apt-get $*" >> "$LOG"',
    "sudo": 'echo sudo >> "$LOG"; exec "$@"',
    "id": 'echo "$USER_ID"',
}


def setup(t, part, installed, user=0, known="old-dev gdb gcc g++"):
    for folder in ("bin", "ci"):
        os.makedirs(t.path(folder), exist_ok=True)
    for name, text in TOOLS.items():
        os.chmod(t.file("bin/" + name, "#!/bin/sh\n%s\n" % text), 0o755)
    with open(os.path.join(ROOT, ".ci/setup")) as f:
        script = t.file("ci/setup", f.read())
    t.file("ci/packages", PACKAGES)
    log = t.file("log", "")
    env = dict(t.env, PATH=t.path("bin") + ":/usr/bin:/bin", INSTALLED=installed, KNOWN=known, LOG=log, USER_ID=str(user))
    r = subprocess.run(["sh", script, part], env=env, capture_output=True, text=True)
    with open(log) as f:
        return r, f.read().splitlines()


def installs(lines):
    return [line.split("--no-install-recommends ")[1] for line in lines if " install " in line]


def test_nothing_is_missing(t):
    """Then no rights are needed, and nothing is asked of a registry; either of two alternatives will do."""
    for have in ("new-dev", "old-dev"):
        r, lines = setup(t, "test", "gcc g++ gdb " + have, user=1000)
        t.equal((r.returncode, r.stderr, lines), (0, "", []), "with " + have)


def test_parts(t):
    t.equal(installs(setup(t, "build", "gcc g++")[1]), ["old-dev"], "the alternative that there is")
    t.equal(installs(setup(t, "build", "gcc", known="new-dev old-dev")[1]), ["new-dev g++"], "the first alternative")
    t.equal(installs(setup(t, "test", "gcc new-dev g++ gone")[1]), ["gdb"], "tests need both parts")


def test_rights(t):
    r, lines = setup(t, "test", "gcc new-dev g++", user=1000)
    t.equal((r.returncode, lines.count("sudo")), (0, 2), "a user has sudo")
    t.equal(r.stderr, "installing: gdb\n", "what is said")


def test_libraries_that_link(t):
    """An archive that does not link, as it needs others, is left out: the shared object takes its place."""
    built = os.path.dirname(t.gatectl)
    for name in ("obj", "libgatectl.a"):
        os.symlink(os.path.join(built, name), t.path(name))
    t.file("libz.a", "!<arch>\n")
    sanitizers = ["SAN=address,undefined"] if os.path.basename(built) == "san" else []
    r = t.run(["make", "-s", "-C", ROOT, "BUILD=" + t.tmp, "LDFLAGS=-L" + t.tmp, t.path("libraries"), *sanitizers])
    t.equal((r.status, r.err), (0, ""), "make", r)
    with open(t.path("libraries")) as f:
        libraries = f.read().split()
    t.check("-lelf" in libraries and "-l:libelf.a" not in libraries and "-l:libzstd.a" in libraries, str(libraries))
