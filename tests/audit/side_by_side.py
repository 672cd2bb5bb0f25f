"""gatectl audit beside what else Debian has, on the corpus and on real code: a table of what each tells.

    python3 tests/audit/side_by_side.py [BUILD_DIR...]      folders with compile_commands.json; without one: the corpus

Needs the Debian packages clang, cppcheck and sparse; what is not there is left out, and said. No part of CI. Only what is
about threads counts: locks, races, publication, escapes. cppcheck's threadsafety.py, where it is installed, is asked, too.
"""
import collections
import json
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import corpus

ROOT = os.path.dirname(os.path.dirname(corpus.HERE))
KEPT = ("-I", "-D", "-U", "-isystem", "-include", "-iquote", "-std=")
MESSAGE = re.compile(r"^(.+?):(\d+):(?:\d+:)? (?:warning|error|style|information|performance|portability): (.*)$", re.M)
# What a message has to be about.
THREADS = re.compile(r"thread-safety|threadsafety|pthread_|mutex|\block(?:ed|ing|s)?\b|context imbalance|race|deadlock|concurren", re.I)
CATEGORY = re.compile(r"\[([^\]\s]+)\]\s*$")

TOOLS = {
    "gatectl audit": None,
    "clang -Wthread-safety": ["clang", "-fsyntax-only", "-Wno-everything", "-Wthread-safety", "-Wthread-safety-beta"],
    "clang --analyze": ["clang", "--analyze", "--analyzer-output", "text", "-Xclang", "-analyzer-checker=core,unix,alpha.unix.PthreadLock", "-o",
                        "/dev/null", "-w"],
    "gcc -fanalyzer": ["gcc", "-fanalyzer", "-c", "-o", "/dev/null", "-w", "-O1"],
    "cppcheck": ["cppcheck", "--enable=warning,style,portability", "--inconclusive", "--quiet", "--template=gcc"],
    "sparse": ["sparse", "-Wcontext"],
}


def addon():
    """cppcheck's threadsafety is in some of its packages alone."""
    r = subprocess.run(["cppcheck", "--addon=threadsafety", "--version"], capture_output=True, text=True)
    return ["--addon=threadsafety"] if r.returncode == 0 and any(
        os.path.exists(os.path.join(d, "threadsafety.py")) for d in ("/usr/share/cppcheck/addons", "/usr/lib/x86_64-linux-gnu/cppcheck/addons")) else []


def flags(entry):
    """What of a command changes the meaning of the text."""
    words = entry.get("arguments") or shlex.split(entry["command"])
    kept, takes = [], False
    for word in words[1:]:
        if takes or word.startswith(KEPT):
            kept.append(word)
            takes = not takes and word in KEPT
    return kept


def units(folder):
    with open(os.path.join(folder, "compile_commands.json")) as f:
        seen = {}
        for entry in json.load(f):
            path = os.path.join(entry["directory"], entry["file"])
            if path.endswith(".c") and os.path.exists(path):
                seen.setdefault(os.path.realpath(path), (entry["directory"], path, flags(entry)))
        return list(seen.values())


def measured(command, cwd):
    """What it said, and (seconds of processor, MB)."""
    with tempfile.TemporaryFile("w+", errors="replace") as out:
        child = subprocess.Popen(command, cwd=cwd, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30)))
        _, _, usage = os.wait4(child.pid, 0)
        child.returncode = 0
        out.seek(0)
        return out.read(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def kinds_of(text, ours):
    """(kind, file, line) of each message that is about threads."""
    for file, line, what in set(MESSAGE.findall(text)):
        category = CATEGORY.search(what)
        if ours or THREADS.search(what):
            yield category.group(1) if category else " ".join(what.split()[:2]), os.path.basename(file), int(line)


def ask(tool, work, folder=None):
    """A tool about (folder, file, flags)...: messages about threads, all messages, seconds, MB."""
    ours = tool == "gatectl audit"
    if ours:
        command = [os.path.join(ROOT, "build", "gatectl"), "audit"] + (["-p", folder] if folder else [path for _, path, _ in work])
        runs = [measured(command, work[0][0])]
    else:
        extra = addon() if tool == "cppcheck" else []
        runs = [measured(TOOLS[tool] + extra + words + [path], cwd) for cwd, path, words in work]
    texts = "\n".join(text for text, _, _ in runs)
    return list(kinds_of(texts, ours)), len(set(MESSAGE.findall(texts))), sum(s for _, s, _ in runs), max(mb for _, _, mb in runs)


def tools():
    for tool, command in TOOLS.items():
        if command and not shutil.which(command[0]):
            print(f"{tool}: not installed", file=sys.stderr)
        else:
            yield tool


def row(*columns):
    print("| " + " | ".join(str(c) for c in columns) + " |", flush=True)


def compare_corpus():
    """A fault is told if something about threads is said of one of its marked lines; of a module: of any line."""
    everything = list(corpus.modules())
    row("tool", "of 50 faults, told at the line", "told of the module", "sound ones complained of", "s", "MB")
    row(*["---"] * 6)
    for tool in tools():
        lines = whole = false = seconds = memory = 0
        for m in everything:
            work = [(corpus.HERE, path, []) for path in m.files if path.endswith(".c")]
            told, _, s, mb = ask(tool, work)
            marked = {(os.path.basename(f), line) for f, line, _, _ in m.findings + m.either}
            lines += bool(marked & {(f, line) for _, f, line in told})
            whole += m.kind == "fault" and bool(told)
            false += m.kind == "sound" and bool(told)
            seconds, memory = seconds + s, max(memory, mb)
        row(tool, lines, whole, false, f"{seconds:.1f}", f"{memory:.0f}")


def compare_projects(folders):
    row("project", "tool", "about threads", "kinds", "all messages", "s", "MB")
    row(*["---"] * 7)
    for folder in folders:
        work = units(folder)
        name = os.path.basename(os.path.dirname(os.path.abspath(os.path.join(folder, "."))))
        for tool in tools():
            told, total, seconds, memory = ask(tool, work, os.path.abspath(folder))
            counts = collections.Counter(kind for kind, _, _ in told)
            row(name, tool, len(told), ", ".join(f"{k} {n}" for k, n in counts.most_common(6)) or "-", total, f"{seconds:.1f}", f"{memory:.0f}")


if __name__ == "__main__":
    compare_projects(sys.argv[1:]) if sys.argv[1:] else compare_corpus()
