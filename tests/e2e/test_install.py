"""make install and uninstall; the man pages are clean."""

import glob
import os
import re
import shutil
import subprocess

from harness import ROOT, Skip, params

WANTED = [
    "bin/gatectl", "share/man/man1/gatectl.1", "share/man/man5/gatectl-gates.5",
    "share/man/man1/gatectl-run.1", "share/man/man1/gatectl-explore.1", "share/man/man1/gatectl-harness.1", "share/man/man1/gatectl-audit.1",
    "share/man/man5/gatectl-report.5", "share/man/man7/gatectl-cmake.7", "share/man/man7/gatectl-glossary.7",
    "share/bash-completion/completions/gatectl", "share/zsh/site-functions/_gatectl",
    "share/fish/vendor_completions.d/gatectl.fish", "share/gatectl/annotations/gatectl.d.lua",
    "share/gatectl/luacheckrc", "share/doc/gatectl/README.md", "share/doc/gatectl/NEWS", "share/doc/gatectl/SECURITY.md",
    "share/doc/gatectl/KNOWN-BUGS.md",
]
PAGES = sorted(glob.glob(os.path.join(ROOT, "man", "*.[1-8]")))


def make(t, *words):
    if t.gatectl != os.path.join(ROOT, "build", "gatectl"):
        raise Skip("it is build/gatectl that is installed")
    r = t.run(["make", "-s", "-C", ROOT, *words], seconds=50)
    t.equal((r.status, r.err), (0, ""), "outcome", r)


def files(root):
    return sorted(os.path.relpath(os.path.join(d, f), root) for d, _, fs in os.walk(root) for f in fs)


def everything(root):
    return sorted(os.path.join(d, f) for d, ds, fs in os.walk(root) for f in ds + fs)


@params("plain", "with blanks")
def test_prefix(t, name):
    prefix = t.path(name)
    os.mkdir(prefix)
    make(t, "install", "PREFIX=" + prefix)
    got = files(prefix)
    t.equal([w for w in WANTED if w not in got], [], "what is missing")
    t.equal(len([g for g in got if "/man/" in g]), len(PAGES), "man pages")
    for f in got:
        mode = os.stat(os.path.join(prefix, f)).st_mode & 0o777
        t.equal(mode, 0o755 if f.startswith("bin/") else 0o644, "mode of " + f)
    r = t.run([os.path.join(prefix, "bin/gatectl"), "run", "true"])
    t.equal((r.status, r.err), (0, ""), "the installed one runs", r)
    make(t, "install", "PREFIX=" + prefix)  # over itself
    make(t, "uninstall", "PREFIX=" + prefix)
    t.equal(everything(prefix), [], "what uninstall leaves")
    make(t, "uninstall", "PREFIX=" + prefix)  # nothing is there: no error


def test_destdir(t):
    """A package's root: nothing goes anywhere else."""
    root = t.path("the root")
    make(t, "install", "DESTDIR=" + root, "PREFIX=/usr")
    t.equal([w for w in WANTED if "usr/" + w not in files(root)], [], "what is missing")
    make(t, "uninstall", "DESTDIR=" + root, "PREFIX=/usr")
    t.equal(files(root), [], "files that uninstall leaves")
    t.check(not [d for d in everything(root) if d.endswith("gatectl")], "directories of its own")
    t.check(os.path.isdir(root + "/usr/bin"), "those that every system has stay")


def test_uninstall_leaves_others(t):
    prefix = t.path("shared")
    make(t, "install", "PREFIX=" + prefix)
    other = os.path.join(prefix, "share/gatectl/mine.lua")
    open(other, "w").close()
    make(t, "uninstall", "PREFIX=" + prefix)
    t.equal(files(prefix), ["share/gatectl/mine.lua"], "somebody else's file stays")


@params(*[os.path.basename(p) for p in PAGES])
def test_man_page(t, name):
    path = os.path.join(ROOT, "man", name)
    if shutil.which("man"):
        r = t.run(["man", "--warnings=w", "-l", path], env={"MANPAGER": "cat", "MANWIDTH": "80"})
        t.equal((r.status, r.err), (0, ""), "man -l", r)
    if not shutil.which("mandoc"):
        raise Skip("no mandoc")
    out = subprocess.run(["mandoc", "-T", "lint", path], capture_output=True, text=True).stdout
    # which pages are installed is a matter of the machine
    left = [l for l in out.splitlines() if "referenced manual not found" not in l and "operating system explicitly specified" not in l]
    t.equal(left, [], "mandoc -T lint")


def test_version(t):
    """The program, the Makefile, NEWS, the package and the man pages name the same release."""
    def first(path, pattern):
        with open(os.path.join(ROOT, path), encoding="utf-8") as f:
            return re.search(pattern, f.read(), re.M).group(1)
    version = first("Makefile", r"^VERSION := (\S+)$")
    r = t.gate("--version")
    t.equal(r.stdout, "gatectl %s\n" % version, "--version", r)
    t.equal(first("NEWS", r"^Noteworthy changes in release (\S+)$"), version, "NEWS")
    t.equal(first("examples/packaging/debian/changelog", r"^gatectl \((\S+)\) "), version, "the Debian package")
    for page in PAGES:
        t.equal(first(page, r"^\.Os gatectl (\S+)$"), version, page)
