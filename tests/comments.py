#!/usr/bin/env python3
"""The rules of comments that a machine can see: no comment begins with "..." or a pronoun, no line has over 100 columns,
every .c file has a head comment, every prototype of a public header a comment of its own. tests/style.py runs them.

    comments.py [PATH...]   complaints about these files or folders; without arguments: about all
"""
import glob
import os
import re
import sys

COLUMNS = 100
PRONOUNS = {"It", "Its", "Of", "Who", "Whoever", "What", "That", "So", "Where", "As", "Nobody"}
FOLDERS = ("tracer", "gates", "lua", "tests/unit")
PROTOTYPE = re.compile(r"^(?!typedef|static|#|extern)[A-Za-z_][\w\s\*]*?\b(\w+)\([^;{}]*\)[^;{}]*;", re.M)


def comments_of(text):
    """(offset, text) of each comment; strings and characters are passed over."""
    for m in re.finditer(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', text, re.S):
        if m.group(0).startswith("/"):
            yield m.start(), m.group(0)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def check_beginnings(path, text, complain):
    for offset, comment in comments_of(text):
        m = re.match(r"(?:/\*+|//+)[\s*-]*(\.\.\.|\w+)", comment)
        if m and (m.group(1) == "..." or m.group(1) in PRONOUNS):
            complain(f"{path}:{line_of(text, offset)}: a comment begins with '{m.group(1)}'")


def check_columns(path, text, complain):
    for n, line in enumerate(text.split("\n"), 1):
        if len(line.expandtabs(8)) > COLUMNS:
            complain(f"{path}:{n}: {len(line.expandtabs(8))} columns, {COLUMNS} are the most")


def check_head(path, text, complain):
    if path.endswith(".c") and not text.startswith("/*"):
        complain(f"{path}:1: no head comment")


def check_prototypes(path, text, complain):
    """A comment directly above, or at the end of its last line."""
    if not path.endswith(".h") or path.endswith("_internal.h") or path.startswith("tests/"):
        return
    blank = lambda m: re.sub(r"[^\n]", " ", m.group(0))
    code = re.sub(r"/\*.*?\*/", blank, text, flags=re.S)
    code = re.sub(r"^#(?:[^\n]*\\\n)*[^\n]*", blank, code, flags=re.M)
    for m in PROTOTYPE.finditer(code):
        above = text[:m.start()].rstrip(" \t").rstrip("\n")
        below = text[m.end():].split("\n", 1)[0]
        if not above.endswith("*/") and "/*" not in below:
            complain(f"{path}:{line_of(text, m.start())}: {m.group(1)}() has no comment")


CHECKS = (check_beginnings, check_columns, check_head, check_prototypes)


def check(path, text, complain):
    for rule in CHECKS:
        rule(path, text, complain)


def files_of(paths):
    for path in paths:
        if os.path.isdir(path):
            yield from sorted(glob.glob(os.path.join(path, "**", "*.[ch]"), recursive=True))
        else:
            yield path


def main():
    complaints = []
    for path in files_of(sys.argv[1:] or FOLDERS):
        with open(path, encoding="utf-8") as f:
            check(path, f.read(), complaints.append)
    print("\n".join(complaints + [f"comments: {len(complaints)} complaints"]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
