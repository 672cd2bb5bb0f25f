"""The shape of the tree, for tests/style.py: sizes of rooms, public headers, observers of features, booleans of structs,
complete structs of the kernel, the largest circle of files that use each other.

Where a limit does not hold yet, tests/shape.tsv has the value of today: the rule, what it is about, the value, why. Such a
value has to be exact, so it can only become better: tests/style.py complains about a larger value, and asks for the smaller
one where the tree has improved. tests/rooms.tsv has the lines of each room in the same way, with a margin of one in a hundred.
"""
import collections
import os
import re

MAX_BOOLEANS = 6
MAX_PUBLIC_HEADERS = 1
MAX_CIRCLE = 3
ROOMS, ALLOWED = "tests/rooms.tsv", "tests/shape.tsv"
# Complete in tracer/run alone; other rooms have pointers and functions.
KERNEL_STRUCTS = ("run", "run_process", "run_thread", "run_place")


def rows(path):
    with open(path, encoding="utf-8") as f:
        return [line.rstrip("\n").split("\t") for line in f if line.strip() and not line.startswith("#")]


def room(path):
    """tracer/NAME, tracer/features/NAME, gates, lua."""
    folders = os.path.dirname(path).split("/")
    depth = 1 if folders[0] != "tracer" else 3 if folders[1:2] == ["features"] else 2
    return "/".join(folders[:depth])


class Limits:
    """Compares values with a limit, or with what tests/shape.tsv allows instead."""

    def __init__(self, allowed, complain):
        self.allowed = {(r[0], r[1]): int(r[2]) for r in allowed}
        self.complain, self.used = complain, set()

    def check(self, rule, subject, value, limit):
        allowed = self.allowed.get((rule, subject), limit)
        self.used.add((rule, subject))
        if value > allowed:
            self.complain(f"{subject}: {value} {rule}, {allowed} are the most")
        elif value < allowed and allowed > limit:
            self.complain(f"{ALLOWED}: {rule} of {subject}: write {value} instead of {allowed}" if value > limit
                          else f"{ALLOWED}: {rule} of {subject}: {value} is within the limit, so remove the line")

    def finish(self):
        for rule, subject in sorted(set(self.allowed) - self.used):
            self.complain(f"{ALLOWED}: {rule} of {subject}: there is no such thing, so remove the line")


def check_booleans(texts, limits):
    for path, text in texts.items():
        for name, body in re.findall(r"^struct (\w+) \{\n(.*?)^\}", text, re.M | re.S):
            members = re.findall(r"^\s+bool ([^(;]*);", body, re.M)
            limits.check("booleans in a struct", f"struct {name}", sum(m.count(",") + 1 for m in members), MAX_BOOLEANS)


def check_public_headers(texts, limits):
    """A public header of a folder is one that another room includes."""
    public = collections.defaultdict(set)
    for path, text in texts.items():
        for header in re.findall(r'#include "([^"]+\.h)"', text):
            if header in texts and room(header) != room(path):
                public[os.path.dirname(header)].add(header)
    for folder, headers in public.items():
        if not folder.startswith("tracer/base"):  # a library: one header for one thing
            limits.check("public headers", folder, len(headers), MAX_PUBLIC_HEADERS)


def check_observers(texts, limits):
    """What observes no run is no feature, and a feature is one observer."""
    count = collections.Counter({room(path): 0 for path in texts if len(room(path).split("/")) == 3})
    for path, text in texts.items():
        if room(path) in count:
            count[room(path)] += len(re.findall(r"^const struct observer \w+ =", text, re.M))
    for folder, n in count.items():
        if not n:
            limits.complain(f"{folder}: no observer: a feature has one")
        limits.check("observers", folder, n, 1)


def check_kernel_structs(texts, limits):
    """Headers that complete a struct of the kernel are included in tracer/run alone, by whatever way."""
    for name in KERNEL_STRUCTS:
        reach = {path for path, text in texts.items() if re.search(r"^struct %s \{" % name, text, re.M)}
        before = None
        while reach != before:
            before = set(reach)
            reach |= {path for path, text in texts.items() if reach & set(re.findall(r'#include "([^"]+)"', text))}
        outside = [path for path in reach if not path.startswith("tracer/run/") and path.endswith(".c")]
        limits.check("files that know its members", f"struct {name}", len(outside), 0)


def check_circle(folder, circle, limits):
    limits.check("files in a circle", folder, len(circle), MAX_CIRCLE)


def check_lines(texts, allowed, complain):
    """texts: with their comments. No room grows; one that has shrunk by more than one in a hundred gets its new number."""
    lines = collections.Counter()
    for path, text in texts.items():
        lines[room(path)] += text.count("\n")
    most = {r[0]: int(r[1]) for r in allowed}
    for name in sorted(set(lines) | set(most)):
        if lines[name] > most.get(name, 0):
            complain(f"{name}: {lines[name]} lines, {ROOMS} allows {most.get(name, 0)}: make it smaller, or write there why it grows")
        elif lines[name] < most[name] * 0.99:
            complain(f"{ROOMS}: {name}: write {lines[name]} instead of {most[name]}")
