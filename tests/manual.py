#!/usr/bin/env python3
"""The manual and --help are true: --help of each command has two examples and at most 100 columns."""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GATECTL = os.path.join(ROOT, "build", "gatectl")
HELP_COLUMNS = 100


def help_of(*command):
    return subprocess.run([GATECTL, *command, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout


def commands():
    """Names of the commands that `gatectl --help` lists."""
    return list(dict.fromkeys(re.findall(r"^  gatectl (\w+) ", help_of().split("examples:")[0], re.M)))


def examples_of(text):
    """Commands in the examples of a --help."""
    m = re.search(r"^examples:\n((?:  \S.*\n)+)", text, re.M)
    return m.group(1).replace("  gatectl", "gatectl").splitlines() if m else []


def check_help(name, text, complain):
    for line in text.splitlines():
        if len(line) > HELP_COLUMNS:
            complain(f"gatectl {name} --help: {len(line)} columns, {HELP_COLUMNS} are the most: {line.strip()}")
    examples = examples_of(text)
    if len(examples) != 2 or not all(e.startswith("gatectl ") for e in examples):
        complain(f"gatectl {name} --help: {len(examples)} examples, not 2")


def main():
    complaints = []
    check_help("", help_of(), complaints.append)
    for name in commands():
        check_help(name, help_of(name), complaints.append)
    for text in complaints:
        print(text)
    print(f"manual: {len(complaints)} complaints")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
