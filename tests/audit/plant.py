#!/usr/bin/env python3
"""How many faults in real code gatectl audit reports: plants some, one at a time, and asks before and after.

    tests/audit/plant.py [--seed N] [--faults N] [--gatectl PROG] [--work DIR] [--tools] NAME=SOURCE_DIR...
    tests/audit/plant.py [...] --undo FIX.diff [--undo ...] NAME=SOURCE_DIR

SOURCE_DIR has a compile_commands.json, as projects.py makes it; everything is done on copies in --work. No part of CI.
Candidates are found by text: a line that calls a function whose name contains "lock", and the line that calls its counterpart with
the same argument. The kinds are those of KINDS; as many as possible of each are planted, drawn with the seed. A fault counts as
told if a finding is new that names its field or lock, or lies between its first and its last line, or if one that was there comes to
lie there, or, for a fix that is undone (--undo), if a new one lies with one of its places in a function that the fix changes, or names a
field of its lines. --tools asks also the
tools of side_by_side.py, about the file with the fault alone: a message about threads that is new counts. The output is one row a
fault, separated by tabs, and a table of all.
"""
import argparse
import collections
import difflib
import json
import os
import random
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field

import projects
import side_by_side

KINDS = ("lock removed", "access moved out", "unlock dropped", "order swapped", "flag without lock")
CALL = re.compile(r"^(\s+)(\w*lock\w*)\s*\(([^;]*)\)\s*;\s*$", re.I)
NO_LOCK = re.compile(r"unlock|try|init|destroy|free|new|create|assert|clock|block|is_?lock", re.I)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
HEAD = re.compile(r"\b(\w+)\s*\(")
MEMBER = re.compile(r"(?:->|\.)\s*([A-Za-z_]\w*)\b(?!\s*\()")
WRITE = re.compile(r"\b([A-Za-z_]\w*)\s*(?:\[[^\]]*\])?\s*(?:=(?!=)|\+=|-=|\|=|&=|\+\+|--)|(?:\+\+|--)\s*(?:\w+(?:->|\.))*(\w+)")
FLAG = re.compile(r"\b([A-Za-z_]\w*)\s*=\s*(?:[01]|true|false|TRUE|FALSE|NULL|-1|[A-Z][A-Z_0-9]+)\s*;")
GLOBAL = re.compile(r"^(?!extern|typedef|return|#)[A-Za-z_][\w\s*]*?\b(\w+)\s*(?:\[[^\]]*\])?\s*(?:=.*)?;")
ALONE = re.compile(r"init|new|create|destroy|free|cleanup|final|exit|setup|alloc|start|test", re.I)
NOT_OURS = re.compile(r"(^|/)(tests?|examples?|audit-build|gtest|sample|demos?|samples)/")
LEAVES = re.compile(r"\s*(return|goto)\b")


@dataclass
class Section:
    """From a line that takes a lock to the one that releases it."""
    path: str
    function: str
    first: int
    last: int
    lock: str  # the name that is last in the argument, or the function's
    given: str  # the argument
    fields: set = field(default_factory=set)
    writes: set = field(default_factory=set)
    early: list = field(default_factory=list)  # lines between that release it, too


@dataclass
class Fault:
    project: str
    kind: str
    path: str
    function: str
    first: int
    last: int
    names: set
    text: list  # the file's lines, with the fault


def counterparts(name):
    """What a function that releases may be called, by the name of one that takes."""
    for m in reversed(list(re.finditer(r"(?:rd|wr|read|write|excl|shared)?(_?)lock", name, re.I))):
        word = m.group(0)
        unlock = "UNLOCK" if word.isupper() else "Unlock" if word[-4] == "L" else "unlock"
        yield name[:m.start()] + m.group(1) + unlock + name[m.end():]
        yield name[:m.start()] + m.group(1) + unlock
        yield name[:m.end() - 4] + unlock + name[m.end():]


def functions(lines):
    """(name, first line of the body, its last): functions begin in the first column, and so does their last brace."""
    begun, name = None, None
    for i, line in enumerate(lines):
        if begun is None and re.match(r"\{|[A-Za-z_].*\)\s*\{\s*$", line):
            head = COMMENT.sub("", "\n".join(lines[max(0, i - 12):i + 1]))
            named = [word for word in HEAD.findall(re.split(r"[;}]|\*/|^#.*$", head, flags=re.M)[-1]) if word != "__attribute__"]
            begun, name = i, named[0] if named else None
        elif begun is not None and line.startswith("}"):
            if name:
                yield name, begun, i
            begun = None


def accessed(lines, names):
    """Fields and variables of the file's scope that these lines use, and those that they write."""
    text = "\n".join(lines)
    used = set(MEMBER.findall(text)) | (set(re.findall(r"\b[A-Za-z_]\w*\b", text)) & names)
    return used, {w for pair in WRITE.findall(text) for w in pair if w} & used


def sections(path, lines):
    names = {m.group(1) for m in map(GLOBAL.match, lines) if m}
    for function, begin, end in functions(lines):
        for i in range(begin, end):
            m = CALL.match(lines[i])
            if not m or NO_LOCK.search(m.group(2)):
                continue
            indent, name, given = m.groups()
            releases = [re.compile(r"^\s+" + re.escape(other) + r"\s*\(\s*" + re.escape(given.strip()) + r"\s*\)\s*;") for other in set(counterparts(name))]
            ends = [j for j in range(i + 1, end) if any(r.match(lines[j]) for r in releases)]
            last = next((j for j in ends if len(re.match(r"\s*", lines[j]).group().expandtabs()) <= len(indent.expandtabs())), None)
            if last is None:
                continue
            used, written = accessed(lines[i + 1:last], names)
            lock = (re.findall(r"\w+", given) or [name])[-1]
            yield Section(path, function, i, last, lock, given.strip(), used - {lock}, written - {lock}, [j for j in ends if j < last])


def changed(lines, edits):
    """The lines, with some replaced: {number: text}."""
    return [edits.get(i, line) for i, line in enumerate(lines)]


def blank(line):
    return re.match(r"\s*", line).group() + ";"


def ends_statement(line):
    return line.strip() == "" or line.rstrip().endswith((";", "{", "}", "*/"))


def simple(section, lines):
    """Nothing but the last line leaves it."""
    return not section.early and not any(re.search(r"\b(return|goto|break|continue)\b", x) for x in lines[section.first:section.last])


def removed(s, lines, shared):
    target = s.fields & shared
    if simple(s, lines) and target:
        flags = {m for line in lines[s.first + 1:s.last] for m in FLAG.findall(line)} & target
        kind = "flag without lock" if flags and s.last - s.first <= 4 else "lock removed"
        yield kind, flags if kind.startswith("flag") else target, changed(lines, {s.first: blank(lines[s.first]), s.last: blank(lines[s.last])})


def moved(s, lines, shared):
    indent = re.match(r"\s*", lines[s.first]).group()
    for at, statement, other in ((s.last, s.last - 1, s.last - 2), (s.first, s.first + 1, s.first + 1)):
        line = lines[statement]
        _, writes = accessed([line], s.fields)
        target = (writes & shared) or (set(MEMBER.findall(line)) & s.writes & shared)
        if target and simple(s, lines) and line.startswith(indent) and line[len(indent):len(indent) + 1].strip() and line.rstrip().endswith(";") \
                and ends_statement(lines[other]) and not re.match(r"\s*(if|for|while|else|do)\b", line) and s.last - s.first > 2:
            yield "access moved out", target, changed(lines, {at: line, statement: lines[at]})


def dropped(s, lines, _shared):
    for j in s.early:
        if LEAVES.match(lines[j + 1]) and "return" in lines[j + 1]:
            yield "unlock dropped", set(), changed(lines, {j: blank(lines[j])})


def in_other_order(s, lines, nested):
    """Another section's lock taken within: where that lock is the outer one elsewhere."""
    for outer in nested.get(s.lock, ()):
        base = re.findall(r"\w+", outer.given)
        body = " ".join(lines[s.first:s.last + 1])
        if outer.path == s.path and outer.function != s.function and simple(s, lines) and outer.lock not in body and (not base or base[0] in body
                                                                                                             or len(base) == 1):
            taken, given_back = lines[outer.first].strip(), lines[outer.last].strip()
            yield "order swapped", {outer.lock}, changed(lines, {s.first: lines[s.first] + " " + taken,
                                                                  s.last: blank(lines[s.last])[:-1] + given_back + " " + lines[s.last].strip()})


def candidates(project, folder):
    """All faults that can be planted into a project."""
    texts, found = {}, []
    for _, path, _ in side_by_side.units(folder):
        short = os.path.relpath(path, folder)
        if not NOT_OURS.search(short) and not short.startswith(".."):
            with open(path, encoding="utf-8", errors="surrogateescape") as f:
                texts[path] = f.read().split("\n")
            found += sections(path, texts[path])
    where = collections.defaultdict(set)  # (lock, field): the functions that use the field with the lock
    written = {(s.lock, w) for s in found for w in s.writes}
    nested = collections.defaultdict(list)  # an inner lock: the sections around it
    for s in found:
        for name in s.fields:
            where[s.lock, name].add(s.function)
        for inner in found:
            if inner.path == s.path and inner.function == s.function and s.first < inner.first and inner.last < s.last and inner.lock != s.lock:
                nested[inner.lock].append(s)
    for s in found:
        shared = {name for name in s.fields if len(where[s.lock, name]) >= 3 and (s.lock, name) in written}
        if ALONE.search(s.function):
            continue
        for way, known in ((removed, shared), (moved, shared), (dropped, shared), (in_other_order, nested)):
            for kind, target, text in way(s, texts[s.path], known):
                yield Fault(project, kind, s.path, s.function, s.first + 1, s.last + 1, target | {s.lock}, text)


def compiles(unit, text=None):
    """Whether clang reads the file, with another text if one is given."""
    cwd, path, words = unit
    command = ["clang", "-fsyntax-only", "-w", *words, "-x", "c"]
    if text is None:
        return subprocess.run([*command, path], cwd=cwd, capture_output=True, check=False).returncode == 0
    beside = os.path.join(os.path.dirname(path), "planted_here.c")
    write(beside, text)
    fine = subprocess.run([*command, beside], cwd=cwd, capture_output=True, check=False).returncode == 0
    os.unlink(beside)
    return fine


def write(path, lines):
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as f:
        f.write("\n".join(lines))


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        return f.read().split("\n")


def possible(fault, unit):
    """The text with the fault is still C, and the place is not one that the preprocessor leaves out."""
    out = changed(fault.text, {fault.first - 1: "not_declared_anywhere;" + fault.text[fault.first - 1]})
    return compiles(unit) and compiles(unit, fault.text) and not compiles(unit, out)


def choose(pools, units, total, rng):
    """One of each kind in turn, from the project that has got fewest of those that have one left."""
    chosen, got, left = [], collections.Counter(), {kind: True for kind in KINDS}
    for kind in (KINDS[i % len(KINDS)] for i in range(50 * total)):
        if len(chosen) == total or not any(left.values()):
            break
        for project in sorted(pools, key=lambda p: (got[p], rng.random())):
            pool = [f for f in pools[project] if f.kind == kind]
            rng.shuffle(pool)
            fault = next((f for f in pool if possible(f, units[f.path])), None)
            if fault:
                pools[project] = [f for f in pools[project] if (f.path, f.function) != (fault.path, fault.function)]
                chosen.append(fault)
                got[project] += 1
                break
        else:
            left[kind] = False
    return chosen


def audit(gatectl, folder):
    """All findings, those of low confidence, too."""
    report = os.path.join(folder, "planted.json")
    subprocess.run([gatectl, "audit", "-q", "--all", "-p", folder, "--report", report], cwd=folder, capture_output=True, check=False)
    with open(report, encoding="utf-8") as f:
        return json.load(f)["findings"]


def identity(finding):
    """What a finding is about, but its line, which may have moved."""
    return tuple(finding[key] for key in ("tag", "file", "function", "field", "struct"))


def new_ones(before, after):
    """What is there more often than before."""
    counts = collections.Counter(map(identity, before))
    for f in after:
        counts[identity(f)] -= 1
        if counts[identity(f)] < 0:
            yield f


def come_here(before, after, is_at):
    """What has a place at the fault, where nothing of the kind had one before: of each function and field one place is reported, which
    may be another one now."""
    known = {identity(f) for f in before if is_at(f)}
    return [f for f in after if is_at(f) and identity(f) not in known]


def told(before, after, is_of, is_at=lambda finding: False):
    """'high', 'low' or 'no', and the finding."""
    def firm(which):
        return [f for f in which if f["confidence"] != "low"]
    for level, old, new in (("high", firm(before), firm(after)), ("low", before, after)):
        hits = [f for f in new_ones(old, new) if is_of(f)] + come_here(old, new, is_at)
        if hits:
            return level, f"{hits[0]['file']}:{hits[0]['line']} {hits[0]['tag']} {hits[0]['field'] or '-'} ({hits[0]['confidence']})"
    return "no", "-"


def planted_here(fault, folder):
    """Two tests of a finding: whether it is of the fault, and whether it has a place there. The fault's lines are those of the original."""
    short = os.path.relpath(fault.path, folder)

    def is_at(finding):
        return any(p["file"] == short and fault.first <= p["line"] <= fault.last for p in [finding] + finding["notes"])

    def is_of(finding):
        return finding["field"] in fault.names or is_at(finding)
    return is_of, is_at


def copied(name, source, work):
    """A copy of a project, whose commands are those of the copy; the folder of its compile_commands.json."""
    target = os.path.join(work, name)
    source, commands = os.path.abspath(source), os.path.relpath(projects.made(os.path.abspath(source)), os.path.abspath(source))
    if not os.path.exists(target):
        shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("*.o", "*.a", "*.so*"))
        with open(os.path.join(source, commands, "compile_commands.json"), encoding="utf-8") as f:
            text = f.read().replace(source, target)
        with open(os.path.join(target, "compile_commands.json"), "w", encoding="utf-8") as f:
            f.write(text)
    return target


def messages(tool, unit):
    return collections.Counter(side_by_side.ask(tool, [unit], bound=60).told(False))


def ask_others(path, text, unit, bare):
    """Whether each of the other tools says something new about threads of a file with another text."""
    names = [tool for tool in side_by_side.tools() if tool != "gatectl audit"]
    for tool in names:
        if (tool, path) not in bare:
            bare[tool, path] = messages(tool, unit)
    original = read(path)
    write(path, text)
    said = {tool: "yes" if messages(tool, unit) - bare[tool, path] else "no" for tool in names}
    write(path, original)
    return said


def measure(args, folders):
    units = {unit[1]: unit for folder in folders.values() for unit in side_by_side.units(folder)}
    pools = {name: list(candidates(name, folder)) for name, folder in folders.items()}
    rng = random.Random(args.seed)
    before, bare = {}, {}
    for number, fault in enumerate(choose(pools, units, args.faults, rng), 1):
        folder = folders[fault.project]
        if fault.project not in before:
            before[fault.project] = audit(args.gatectl, folder)
        original = read(fault.path)
        write(fault.path, fault.text)
        level, finding = told(before[fault.project], audit(args.gatectl, folder), *planted_here(fault, folder))
        write(fault.path, original)
        said = ask_others(fault.path, fault.text, units[fault.path], bare) if args.tools else {}
        place = f"{os.path.relpath(fault.path, folder)}:{fault.first}"
        yield [number, fault.project, fault.kind, place, fault.function, " ".join(sorted(fault.names)), level, finding], said


def fixed(before, after):
    """The functions in which two texts differ, each with its lines in the second one, and the fields that the lines which differ name."""
    changes = [op for op in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes() if op[0] != "equal"]
    lines = [line for _, i, j, k, m in changes for line in before[i:j] + after[k:m]]
    named = {name for name, begin, end in functions(before) if any(i <= end and j >= begin for _, i, j, _, _ in changes)}
    where = {name: range(begin + 1, end + 2) for name, begin, end in functions(after) if name in named}
    return where, {word for line in lines for word in MEMBER.findall(line) + re.findall(r"\b([A-Za-z_]\w*);", line)}


def undone_here(fixes):
    """A finding is of fixes, {path: what fixed() returns}, if it or one of its notes lies in a function that they change."""
    def is_of(finding):
        return any(finding["function"] in where or finding["field"] in words or
                   any(note["file"] == path and note["line"] in lines for note in finding["notes"] for lines in where.values())
                   for path, (where, words) in fixes.items())
    return is_of


def undo(args, folders):
    """Fixes undone: the same for what commits of the project's own repaired."""
    (name, folder), = folders.items()
    units = {os.path.realpath(unit[1]): unit for unit in side_by_side.units(folder)}
    before, bare = audit(args.gatectl, folder), {}
    for fix in args.undo:
        with open(fix, encoding="utf-8") as f:
            parts = re.findall(r"^\+\+\+ b/(\S+)$", f.read(), re.M)
        texts = {os.path.realpath(os.path.join(folder, path)): read(os.path.join(folder, path)) for path in parts}
        subprocess.run(["patch", "-p1", "-s", "-f", "-R", "-i", os.path.abspath(fix)], cwd=folder, check=True)
        undone = {path: read(path) for path in texts}
        fixes = {os.path.relpath(path, os.path.realpath(folder)): fixed(texts[path], undone[path]) for path in texts}
        if set(texts) & set(units) and all(compiles(units[path]) for path in set(texts) & set(units)):
            level, finding = told(before, audit(args.gatectl, folder), undone_here(fixes))
        else:
            level, finding = "no", "the compiler does not read it"
        for path, text in texts.items():
            write(path, text)
        said = {}
        for path in set(texts) & set(units) if args.tools else ():
            said.update({tool: word for tool, word in ask_others(path, undone[path], units[path], bare).items() if said.get(tool) != "yes"})
        named, words = (sorted(set().union(*each)) for each in zip(*fixes.values()))
        yield [os.path.basename(fix), name, "undone", " ".join(parts), " ".join(named), " ".join(words), level, finding], said


def table(rows):
    """Of each kind: how many were told at high or medium, and at all; then the other tools."""
    by = collections.defaultdict(list)
    for row, said in rows:
        by[row[2]].append((row[6], said))
        by["all"].append((row[6], said))
    names = sorted({tool for _, said in rows for tool in said})
    print("| " + " | ".join(["kind", "planted", "high or medium", "at all", *names]) + " |")
    print("|" + "---|" * (4 + len(names)))
    for kind, each in by.items():
        firm, any_ = sum(level == "high" for level, _ in each), sum(level != "no" for level, _ in each)
        print("| " + " | ".join(map(str, [kind, len(each), firm, any_, *(sum(said.get(t) == "yes" for _, said in each) for t in names)])) + " |")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--seed", type=int, default=45)
    p.add_argument("--faults", type=int, default=40)
    p.add_argument("--gatectl", default=os.path.join(side_by_side.ROOT, "build", "gatectl"))
    p.add_argument("--work", default="/tmp/planted")
    p.add_argument("--tools", action="store_true")
    p.add_argument("--undo", metavar="FIX.diff", action="append")
    p.add_argument("projects", nargs="+", metavar="NAME=SOURCE_DIR")
    args = p.parse_args()
    args.gatectl = os.path.abspath(args.gatectl)
    os.makedirs(args.work, exist_ok=True)
    folders = {name: copied(name, source, os.path.abspath(args.work)) for name, source in (one.split("=", 1) for one in args.projects)}
    rows = []
    for row, said in (undo if args.undo else measure)(args, folders):
        rows.append((row, said))
        print("\t".join(map(str, row + [f"{tool}: {word}" for tool, word in said.items()])), flush=True)
    table(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
