#!/usr/bin/env python3
"""The manual, the README and --help are true.

--help of each command has two examples and at most 100 columns. Each command has a page, with the sections of PARTS. A page names
the options that --help of its command lists, and no others. Every example runs and prints what it says (tests/manual_examples.py).
"""
import glob
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import manual_examples as examples  # noqa: E402

ROOT = examples.ROOT
HELP_COLUMNS = 100
MAX_MAP = 200  # lines of gatectl(1)
MAX_TERMS = 40  # of gatectl-glossary(7)
SOURCE_BYTES = 80
PARTS = ["NAME", "SYNOPSIS", "TWO EXAMPLES", "DESCRIPTION", "OPTIONS", "FILES", "EXIT STATUS", "SEE ALSO"]
# Options of other programs, and --without of two commands of the REPL.
FOREIGN = {"--cap-add", "--security-opt", "--gtest_filter", "--timeout", "--test-dir", "--output-on-failure", "--setup", "--config",
           "--fair-sched", "--without", "-f", "-L"}
MENTION = re.compile(r"\b(gatectl(?:-[a-z]+)?)\(([1-8])\)")


def help_of(*command):
    return subprocess.run([examples.GATECTL, *command, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout


def commands():
    """Names of the commands that `gatectl --help` lists."""
    return list(dict.fromkeys(re.findall(r"^  gatectl (\w+) ", help_of().split("examples:")[0], re.M)))


def examples_of(text):
    """Commands in the examples of a --help."""
    m = re.search(r"^examples:\n((?:  \S.*\n)+)", text, re.M)
    return [line.strip() for line in m.group(1).splitlines()] if m else []


def options_of(text):
    """Names of the options that a --help lists: "-g", "--gates"."""
    rows = re.findall(r"^  (?:(-\w), |    )(--[\w-]+)", text, re.M)
    return {name for row in rows for name in row if name}


def check_help(name, text, complain):
    for line in text.splitlines():
        if len(line) > HELP_COLUMNS:
            complain(f"gatectl {name} --help: {len(line)} columns, {HELP_COLUMNS} are the most: {line.strip()}")
    found = examples_of(text)
    if len(found) != 2 or not all(e.startswith("gatectl ") for e in found):
        complain(f"gatectl {name} --help: {len(found)} examples, not 2")


# ---- options of pages --------------------------------------------------------------------------------


def rendered(text):
    """The page as a reader sees it, without its examples; a paragraph of less than 1000 columns is one line."""
    text = re.sub(r"^\.Bd -literal.*?^\.Ed$", "", text, flags=re.S | re.M)
    p = subprocess.run(["mandoc", "-T", "utf8", "-O", "width=1000"], input=text, stdout=subprocess.PIPE, text=True, check=False)
    return re.sub(".\b", "", p.stdout).replace("\u2011", "-").replace("\u2212", "-")


def named_options(text):
    """(option, text of its line before it) for each option in a rendered page; -gsplit-dwarf is none of ours."""
    for line in text.splitlines():
        for m in re.finditer(r"(?<![\w-])(--[a-z][\w-]*|-[A-Za-z](?![\w-]))", line):
            yield m.group(1), line[:m.start()]


def may_be_named(option, before, own, all_options):
    """Is it an option of this command, of another command that is named just before it, or of another program?"""
    other = re.search(r"gatectl (\w+)[^.]*$", before)
    return option in own or option in FOREIGN or (other is not None and option in all_options.get(other.group(1), ()))


def check_options(command, text, all_options, complain):
    """The page of a command names its options, and no others."""
    own = all_options[command]
    page = rendered(text)
    for option, before in named_options(page):
        if not may_be_named(option, before, own, all_options):
            complain(f"gatectl-{command}(1): names {option}, which gatectl {command} --help does not list")
    section = re.search(r"^OPTIONS\n(.*?)(?=^\S|\Z)", page, re.S | re.M)
    told = {option for option, _ in named_options(section.group(1))} if section else set()
    for option in sorted(own - told):
        complain(f"gatectl-{command}(1): OPTIONS does not name {option}, which gatectl {command} --help lists")


def check_other_options(name, text, all_options, complain):
    """A page that is about no command names options of some command."""
    known = set().union(*all_options.values()) | FOREIGN | {"-"}
    for option, _ in named_options(rendered(text)):
        if option.startswith("--") and option not in known:
            complain(f"{name}: names {option}, which no command has")


def check_commands(name, text, all_options, complain):
    """Wherever a document writes `gatectl COMMAND ... --option`, that command has the option."""
    for line in text.splitlines():
        for m in re.finditer(r"\bgatectl (\w+)((?: [^`|;&#]*)?)", line):
            for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", m.group(2).split(" -- ")[0]):
                if m.group(1) in all_options and option not in all_options[m.group(1)] | FOREIGN:
                    complain(f"{name}: gatectl {m.group(1)} has no {option}: {line.strip()}")


# ---- shape of pages ----------------------------------------------------------------------------------


def check_parts(command, text, help_text, complain):
    sections = re.findall(r"^\.Sh (.*)", text, re.M)
    found = [s for s in sections if s in PARTS]
    if found != PARTS:
        complain(f"gatectl-{command}(1): the sections are {', '.join(found)}, not {', '.join(PARTS)}")
    first = re.search(r"^\.Sh TWO EXAMPLES\n(.*?)^\.Sh", text, re.S | re.M)
    typed = [line[2:] for b in examples.blocks(first.group(1)) for line in b.lines if line.startswith("$ ")] if first else []
    for example in examples_of(help_text):
        if example not in typed:
            complain(f"gatectl-{command}(1): TWO EXAMPLES has not that of --help: {example}")


def check_page(name, text, complain):
    for line in text.splitlines():
        if len(line.encode()) > SOURCE_BYTES:
            complain(f"man/{name}: {len(line.encode())} bytes, {SOURCE_BYTES} are the most: {line}")
    if name == "gatectl.1" and text.count("\n") > MAX_MAP:
        complain(f"man/{name}: {text.count(chr(10))} lines, {MAX_MAP} are the most")
    terms = len(re.findall(r"^\.It ", text, re.M))
    if name == "gatectl-glossary.7" and terms > MAX_TERMS:
        complain(f"man/{name}: {terms} terms, {MAX_TERMS} are the most")


def check_links(name, text, pages, complain):
    """Every page of ours that a file mentions exists, in that section."""
    links = MENTION.findall(text) + re.findall(r"^\.Xr (gatectl\S*) (\d)", text, re.M)
    for page, section in links:
        if f"{page}.{section}" not in pages:
            complain(f"{name}: there is no {page}({section})")


def files_with_links():
    patterns = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "man/*", "tracer/**/*", "gates/**/*", "lua/**/*", "examples/**/*", "tests/e2e/*.py",
                "tests/unit/*.c"]
    names = {name for p in patterns for name in glob.glob(os.path.join(ROOT, p), recursive=True)}
    return sorted(n for n in names if n.endswith((".c", ".h", ".lua", ".md", ".py", ".cmake")) or "/man/" in n)


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def read_pages():
    return {os.path.basename(p): read(p) for p in sorted(glob.glob(os.path.join(ROOT, "man", "*.[1-8]")))}


# ---- every rule, shown red ---------------------------------------------------------------------------


def reds():
    """Each rule with a tiny input that breaks it: (what the complaint says, a function of complain)."""
    def of(check, *args):
        return lambda complain: check(*args, complain)

    page = ".Dd x\n.Dt X 1\n.Os\n.Sh NAME\n.Nm x\n.Nd x\n.Sh OPTIONS\n.Fl \\-%s\n"
    have = {"run": {"--good"}}
    example = examples.Block(".Bd", ["$ echo one", "two"])
    return [
        ("101 columns", of(check_help, "run", "x" * 101)),
        ("0 examples", of(check_help, "run", "examples:\n\n")),
        ("names --bad", of(check_options, "run", page % "bad", have)),
        ("does not name --good", of(check_options, "run", page % "bad", have)),
        ("names --bad", of(check_other_options, "x.7", page % "bad", have)),
        ("has no --bad", of(check_commands, "README.md", "gatectl run --bad ./calc", have)),
        ("the sections are", of(check_parts, "run", ".Sh NAME\n", "")),
        ("has not that of --help", of(check_parts, "run", ".Sh TWO EXAMPLES\n.Sh X\n", "examples:\n  gatectl run x\n")),
        ("81 bytes", of(check_page, "x.1", "x" * 81)),
        ("201 lines", of(check_page, "gatectl.1", "\n" * 201)),
        ("41 terms", of(check_page, "gatectl-glossary.7", ".It x\n" * 41)),
        ("there is no gatectl-run(7)", of(check_links, "x", "gatectl-run(7)", {"gatectl-run.1"})),
        ("prints", of(examples.check_session, "x", example, "/")),
        ("status 127", of(examples.check_session, "x", examples.Block(".Bd", ["$ gatectl-is-not-there"]), "/")),
    ]


def check_reds(complain):
    for words, check in reds():
        said = []
        check(said.append)
        if not any(words in text for text in said):
            complain(f"tests/manual.py: a rule does not complain: {words}: {said}")


def main():
    complaints = []
    complain = complaints.append
    check_reds(complain)
    pages, helps = read_pages(), {c: help_of(c) for c in commands()}
    options = {c: options_of(text) for c, text in helps.items()}
    check_help("", help_of(), complain)
    for command, text in helps.items():
        check_help(command, text, complain)
        page = pages.get(f"gatectl-{command}.1")
        if page is None:
            complain(f"gatectl {command} has no page gatectl-{command}(1)")
            continue
        check_parts(command, page, text, complain)
        check_options(command, page, options, complain)
    for name, text in pages.items():
        check_page(name, text, complain)
        check_commands(name, examples.unescaped(text), options, complain)
        if name[len("gatectl-"):-2] not in helps:
            check_other_options(name, text, options, complain)
    check_commands("README.md", read(os.path.join(ROOT, "README.md")), options, complain)
    for path in files_with_links():
        check_links(os.path.relpath(path, ROOT), read(path), pages, complain)
    ran = examples.check_all(pages, read(os.path.join(ROOT, "README.md")), complain)
    for text in complaints:
        print(text)
    print(f"manual: {len(pages)} pages, {ran} examples, {len(complaints)} complaints")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
