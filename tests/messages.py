#!/usr/bin/env python3
"""The messages of gatectl: string literals of the C and Lua sources that contain words, and comments of shell completions.

tests/messages.txt lists them by file. `tests/messages.py --write` updates the list; tests/style.py checks it, so that
a change of wording is visible in the change of one file, and the messages can be read as a whole.
"""
import glob
import re
import sys

LIST = "tests/messages.txt"
UPDATE = "python3 tests/messages.py --write"
# Calls whose strings are compared or compiled.
INTERNAL = {"__asm__", "_Static_assert", "begins_with", "sscanf", "strcmp", "strncmp", "strstr"}
STRING = r'"(?:\\.|[^"\\\n])*"'
TOKENS = {
    "c": re.compile(rf"{STRING}|'(?:\\.|[^'\\\n])*'|/\*.*?\*/|^#\s*include.*?$|\w+|\S", re.S | re.M),
    "lua": re.compile(rf"--\[\[.*?\]\]|--[^\n]*|{STRING}|'(?:\\.|[^'\\\n])*'|\w+|\S", re.S),
}


def has_words(text):
    """At least one blank, and one word of two letters or more."""
    text = re.sub(r"%[-+ #0-9.*]*(?:hh?|ll?|z|j)?\w|\\.", "%", text)
    return " " in text and re.search(r"[A-Za-z][a-z]", text)


def strings(text, tokens):
    """Each string with the name of the call that it is an argument of; adjacent strings are one."""
    calls, before, joined = [], "", None
    for token in tokens.findall(text):
        if token.startswith(("/*", "--", "#")) and len(token) > 1:
            continue
        if token[0] == '"' or (token[0] == "'" and tokens is TOKENS["lua"]):
            joined = (joined or "") + token[1:-1]
            continue
        if joined is not None and token.startswith("PRI"):
            joined += token
        elif joined is not None:
            yield (calls[-1] if calls else ""), joined
            joined = None
        if token == "(":
            calls.append(before)
        elif token == ")" and calls:
            calls.pop()
        before = token


def of_file(path, text):
    """The messages of a file, each once, in the order of the file."""
    if "/completions/gatectl." in path:
        return re.findall(r"(?:^|\s)(# .*)", text)
    found = strings(text, TOKENS["lua" if path.endswith(".lua") else "c"])
    return list(dict.fromkeys(s for call, s in found if call not in INTERNAL and has_words(s)))


def listed(texts):
    lines = []
    for path, text in sorted(texts.items()):
        messages = of_file(path, text)
        if messages:
            lines += ["", path, *("\t" + m for m in messages)]
    return "\n".join(lines[1:]) + "\n"


def sources():
    patterns = ("tracer/**/*.[ch]", "gates/*.[ch]", "lua/*.[ch]", "lua/*.lua", "tracer/cli/completions/*")
    paths = [path for pattern in patterns for path in glob.glob(pattern, recursive=True)]
    texts = {}
    for path in paths:
        with open(path, encoding="utf-8") as f:
            texts[path] = f.read()
    return texts


def check(texts, golden, complain):
    """golden: the text of tests/messages.txt."""
    now = listed(texts)
    if now != golden:
        new = sorted(set(now.splitlines()) - set(golden.splitlines()))
        example = f" (new: {new[0].strip()})" if new else ""
        complain(f"{LIST} does not list the messages of the sources{example}: read what has changed after `{UPDATE}`")


def main():
    text = listed(sources())
    if sys.argv[1:] == ["--write"]:
        with open(LIST, "w", encoding="utf-8") as f:
            f.write(text)
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
