#!/usr/bin/env python3
"""The rules of the house that a machine can see: who may include whom, one room for each dangerous
call, no function over 60 lines, no file over 600 (which goes for the unit tests, too)."""
import glob
import re
import sys

# room -> rooms it may include (itself is understood)
EDGES = {
    "tracer/base": [],
    "tracer/arch": ["tracer/base"],
    "tracer/target": ["tracer/base", "tracer/arch"],
    "tracer/symbols": ["tracer/base", "tracer/arch"],
    "gates": ["tracer/base"],
    "lua": ["gates", "tracer/base"],
    "tracer/session": ["tracer/base", "tracer/arch", "tracer/target", "tracer/symbols", "gates", "lua"],
    "tracer/cli": ["tracer/base", "tracer/session", "tracer/symbols", "gates"],
}
ONLY_IN = [  # what, a pattern, the only room that may contain it
    ("ptrace and waitpid", r"\b(ptrace|waitpid|process_vm_readv|process_vm_writev)\s*\(", "tracer/target"),
    ("libdwarf and libelf", r"#include\s*[<\"](libdwarf|dwarf\.h|gelf|libelf|libunwind)", "tracer/symbols"),
    ("Lua", r"#include\s*[<\"](lua\.h|lauxlib|lualib)", "lua"),
    ("exit", r"(?<![\w>.])(exit|quick_exit)\s*\(", "tracer/cli"),
    ("sleeping", r"\b(u?sleep|nanosleep)\s*\(", "nowhere"),
]
MAX_FUNCTION, MAX_FILE = 60, 600


def strip_comments(text):
    keep_lines = lambda m: "\n" * m.group(0).count("\n")
    text = re.sub(r"/\*.*?\*/", keep_lines, text, flags=re.S)
    return re.sub(r'"(\\.|[^"\\\n])*"(?=[^\n]*)', lambda m: m.group(0), text)


def room_of(path):
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "tracer" else parts[0]


def without_strings(text):
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', text)


def check_includes(path, text, complain):
    room = room_of(path)
    for m in re.finditer(r'#include "([^"]+)"', text):
        other = room_of(m.group(1))
        if other != room and m.group(1).count("/") and other not in EDGES[room]:
            if not m.group(1).endswith(".inc"):
                complain(f"{path}: includes {m.group(1)}: {room} may not know {other}")


def check_rooms(path, text, complain):
    code = without_strings(text)
    for what, pattern, room in ONLY_IN:
        source = text if "include" in pattern else code
        if room_of(path) != room and re.search(pattern, source):
            complain(f"{path}: {what} belongs in {room}")


def check_file_length(path, text, complain):
    lines = text.count("\n")
    if lines > MAX_FILE:
        complain(f"{path}: {lines} lines, {MAX_FILE} are the most")


def check_function_lengths(path, text, complain):
    start = None
    for n, line in enumerate(text.split("\n"), 1):
        if line.startswith("{"):
            start = n
        elif line.startswith("}") and start:
            if n - start > MAX_FUNCTION:
                complain(f"{path}:{start}: a function of {n - start} lines, {MAX_FUNCTION} are the most")
            start = None


def main():
    complaints = []
    files = sorted(glob.glob("tracer/**/*.[ch]", recursive=True) + glob.glob("gates/*.[ch]") + glob.glob("lua/*.[ch]"))
    for path in files:
        with open(path, encoding="utf-8") as f:
            text = strip_comments(f.read())
        check_includes(path, text, complaints.append)
        check_rooms(path, text, complaints.append)
        check_file_length(path, text, complaints.append)
        check_function_lengths(path, text, complaints.append)
    tests = sorted(glob.glob("tests/unit/*.[ch]"))
    for path in tests:
        with open(path, encoding="utf-8") as f:
            check_file_length(path, f.read(), complaints.append)
    for c in complaints:
        print(c, file=sys.stderr)
    print(f"style: {len(files) + len(tests)} files, {len(complaints)} complaints")
    return 1 if complaints or not files or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
