"""gatectl audit beside what else Debian has, on the corpus and on real code: a table of what each tells.

    python3 tests/audit/side_by_side.py                                        the corpus
    python3 tests/audit/side_by_side.py [--bound S] [--log DIR] NAME=BUILD_DIR...    folders with compile_commands.json

Needs the Debian packages clang, cppcheck and sparse; what is not there is left out, and said. No part of CI. Only what is
about threads counts: locks, races, publication, escapes. cppcheck's threadsafety.py, where it is installed, is asked, too.
Of a project, how many of its findings that judged.tsv calls real a tool tells, at the line or one beside it. The others get
--bound seconds of processor for a project, and no file more than 60; files with such findings come first. What they said is
kept in --log, and not asked for again.
"""
import argparse
import collections
import csv
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


def measured(command, cwd, seconds=None):
    """What it said, and (seconds of processor, MB). More than so many seconds it does not get."""
    def bound():
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        if seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    with tempfile.TemporaryFile("w+", errors="replace") as out:
        child = subprocess.Popen(command, cwd=cwd, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                 preexec_fn=bound)
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


class Answer:
    """What a tool said of a project, or of some files."""

    def __init__(self):
        self.text, self.seconds, self.memory, self.files = "", 0.0, 0.0, 0

    def add(self, command, cwd, files=1, seconds=None):
        text, took, memory = measured(command, cwd, seconds)
        self.text += text + "\n"
        self.seconds += took
        self.memory = max(self.memory, memory)
        self.files += files

    def messages(self):
        return set(MESSAGE.findall(self.text))

    def told(self, ours):
        return list(kinds_of(self.text, ours))


def ask(tool, work, folder=None, bound=None):
    """A tool about (folder, file, flags)..."""
    answer = Answer()
    if tool == "gatectl audit":
        answer.add([os.path.join(ROOT, "build", "gatectl"), "audit"] + (["-p", folder] if folder else [path for _, path, _ in work]),
                   work[0][0], len(work))
        return answer
    extra = addon() if tool == "cppcheck" else []
    for cwd, path, words in work:
        if bound and answer.seconds >= bound:
            break
        answer.add(TOOLS[tool] + extra + words + [path], cwd, seconds=60 if bound else None)
    return answer


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
    everything = [m for m in corpus.modules() if not m.kind.endswith("_cxx")]
    row("tool", "of 50 faults, told at the line", "told of the module", "sound ones complained of", "s", "MB")
    row(*["---"] * 6)
    for tool in tools():
        lines = whole = false = seconds = memory = 0
        for m in everything:
            work = [(corpus.HERE, path, []) for path in m.files if path.endswith(".c")]
            answer = ask(tool, work)
            told = answer.told(tool == "gatectl audit")
            marked = {(os.path.basename(f), line) for f, line, _, _ in m.findings + m.either}
            lines += bool(marked & {(f, line) for _, f, line in told})
            whole += m.kind == "fault" and bool(told)
            false += m.kind == "sound" and bool(told)
            seconds, memory = seconds + answer.seconds, max(memory, answer.memory)
        row(tool, lines, whole, false, f"{seconds:.1f}", f"{memory:.0f}")


def real_of(name):
    """What was judged to be real of a project: (place's path, line)."""
    with open(os.path.join(corpus.HERE, "judged.tsv"), encoding="utf-8") as f:
        rows = [row["place"].rpartition(":") for row in csv.DictReader(f, delimiter="\t") if row["project"] == name and row["judgement"] == "real"]
    return {(path, int(line)) for path, _, line in rows}


def kept(log, name, tool, work, folder, bound):
    """As ask(), but for what it said before."""
    path = os.path.join(log, name + "." + re.sub(r"\W+", "_", tool) + ".json") if log else None
    answer = Answer()
    if path and os.path.exists(path) and tool != "gatectl audit":
        with open(path, encoding="utf-8") as f:
            answer.__dict__.update(json.load(f))
        return answer
    answer = ask(tool, work, folder, bound)
    if path:
        with open(path, "w", encoding="utf-8") as f:
            json.dump(answer.__dict__, f)
    return answer


def compare_projects(folders, bound, log):
    row("project", "tool", "real ones told", "about threads", "kinds", "all messages", "files", "s", "MB")
    row(*["---"] * 9)
    for name, folder in folders:
        real = real_of(name)
        named = {os.path.basename(path) for path, _ in real}
        work = sorted(units(folder), key=lambda unit: os.path.basename(unit[1]) not in named)
        for tool in tools():
            answer = kept(log, name, tool, work, os.path.abspath(folder), bound)
            told = answer.told(tool == "gatectl audit")
            lines = {(file, line + by) for _, file, line in told for by in (-1, 0, 1)}
            hit = sum((os.path.basename(path), line) in lines for path, line in real)
            counts = collections.Counter(kind for kind, _, _ in told)
            row(name, tool, f"{hit} of {len(real)}", len(told), ", ".join(f"{k} {n}" for k, n in counts.most_common(6)) or "-",
                len(answer.messages()), f"{answer.files} of {len(work)}", f"{answer.seconds:.1f}", f"{answer.memory:.0f}")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--bound", type=int, default=300, metavar="S")
    p.add_argument("--log", metavar="DIR")
    p.add_argument("projects", nargs="*", metavar="NAME=BUILD_DIR")
    args = p.parse_args()
    if args.log:
        os.makedirs(args.log, exist_ok=True)
    if args.projects:
        compare_projects([one.split("=", 1) for one in args.projects], args.bound, args.log)
    else:
        compare_corpus()


if __name__ == "__main__":
    main()
