#!/usr/bin/env python3
"""Every row that lines.h decodes is the row that other readers of DWARF see.

usage: lines_vs_readelf.py [DUMP_LINES [ELF_FILE...]]

DUMP_LINES is tests/unit/dump_lines.c as built by make (build/unit/dump_lines). Without files, builds small programs with gcc and clang in all versions of DWARF, optimised or not,
compressed, with LTO and with sections collected, and compares each. Oracles: readelf, for all but
columns and, where it is there, llvm-dwarfdump for everything.
"""
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCES = {
    "first.h": """
static int twice(int n) /* code of a header that comes first: file 1 of version 5 */
{
	if (n > 3)
		return n * 2;
	return n + 1;
}
""",
    "main.c": """#include "first.h"
#include "deep/second.h"
int other(int);
int unused_function(int n) { return n * other(n); }
int main(int argc, char **argv)
{
	int sum = 0;
	for (int i = 0; i < argc; i++) {
		sum += twice(i) + second(i);
		sum += other(sum);
	}
	(void)argv;
	return sum == 12345;
}
""",
    "deep/second.h": """
static inline int second(int n)
{
	int r = n;
	while (r > 10)
		r -= 3;
	return r;
}
""",
    "deep/other.c": """#include "second.h"
int other(int n)
{
	switch (n) {
	case 1: return second(n);
	case 7: return 9;
#line 4000 "made/up.y"
	case 8: return 3 + second(n);
	}
	return -n;
}
int unused_too(void) { return other(3); }
""",
    "queue.cc": """
#include <map>
#include <string>
#include <vector>
template <class T> struct Queue {
	std::vector<T> items;
	void push(T t) { items.push_back(t); }
	T sum() const { T s{}; for (auto &i : items) s += i; return s; }
};
int main(int argc, char **argv)
{
	Queue<int> q;
	Queue<std::string> w;
	std::map<int, std::string> m;
	for (int i = 0; i < argc; i++) {
		q.push(i);
		w.push(argv[i]);
		m[i] = argv[i];
	}
	try {
		if (q.sum() == 77)
			throw std::string("seventy-seven");
	} catch (const std::string &s) {
		return (int)s.size();
	}
	return w.sum().empty() && m.empty();
}
""",
}
C_FILES = ["main.c", "deep/other.c"]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def code_ranges(path):
    """Offsets of executable segments, without the ELF header."""
    ranges = []
    for line in run("readelf", "-lW", path).splitlines():
        f = line.split()
        if f and f[0] == "LOAD" and "E" in f[6:-1]:
            low = int(f[2], 16)
            ranges.append((low + (64 if int(f[1], 16) == 0 else 0), int(f[2], 16) + int(f[5], 16)))
    return ranges


def living(sequences, ranges):
    """The rows of sequences that are in code and not empty."""
    for rows in sequences:
        first, last = rows[0][0], rows[-1][0]
        if first != last and any(low <= first < high for low, high in ranges):
            yield from rows


READELF_ROW = re.compile(r"^(\S.*?)\s+(\d+|-)\s+(0x[0-9a-f]+|0)(?:\s+\d+)?(\s+x)?(\s+END)?\s*$")


def readelf_sequences(path):
    rows = []
    for line in run("readelf", "-W", "--debug-dump=decodedline", path).splitlines():
        m = READELF_ROW.match(line)
        if not m:
            continue
        name, number, address, stmt, _ = m.groups()
        address = int(address, 16)
        if number == "-":
            if rows:
                yield rows + [(address, "end")]
            rows = []
        else:
            rows.append((address, os.path.basename(name), int(number), bool(stmt)))


LLVM_ROW = re.compile(r"^0x([0-9a-f]{16})\s+(\d+)\s+(\d+)\s+(\d+)\s+\d+\s+\d+\s*(.*)$")


def llvm_sequences(path):
    rows, names, number = [], {}, None
    for line in run("llvm-dwarfdump", "--debug-line", path).splitlines():
        if line.startswith("debug_line["):
            names = {}
        elif line.startswith("file_names["):
            number = int(re.search(r"\[\s*(\d+)\]", line).group(1))
        elif line.strip().startswith("name:") and number is not None:
            names[number] = os.path.basename(re.search(r'"(.*)"', line).group(1))
        m = LLVM_ROW.match(line)
        if not m:
            continue
        address, row_line, column, index, flags = m.groups()
        flags = flags.split()
        if "end_sequence" in flags:
            yield rows + [(int(address, 16), "end")]
            rows = []
        else:
            rows.append((int(address, 16), names.get(int(index), "?"), int(row_line), int(column),
                         "is_stmt" in flags, "prologue_end" in flags))


OUR_ROW = re.compile(r"^[0-9a-f]+ ([0-9a-f]+) (.*):(\d+):(\d+)((?: \w+)*)$")


def our_rows(dumper, path):
    for line in run(dumper, path).splitlines():
        address, name, number, column, flags = OUR_ROW.match(line).groups()
        flags = flags.split()
        if "end" in flags:
            yield (int(address, 16), "end")
        else:
            yield (int(address, 16), os.path.basename(name), int(number), int(column),
                   "stmt" in flags, "prologue_end" in flags)


def without_columns(row):
    return row if row[1] == "end" else (row[0], row[1], row[2], row[4])


def first_difference(ours, theirs):
    for i, (a, b) in enumerate(itertools.zip_longest(ours, theirs)):
        if a != b:
            return f"row {i}: ours {a}, theirs {b}"
    return None


def compare(dumper, path, label):
    """How many rows were compared; -1 where they differ."""
    ranges = code_ranges(path)
    ours = list(our_rows(dumper, path))
    oracles = [("readelf", readelf_sequences, [without_columns(r) for r in ours])]
    if shutil.which("llvm-dwarfdump"):
        oracles.append(("llvm-dwarfdump", llvm_sequences, ours))
    for name, sequences, mine in oracles:
        difference = first_difference(mine, list(living(sequences(path), ranges)))
        if difference:
            print(f"FAIL {label}: not as {name}: {difference}")
            return -1
    if not ours:
        print(f"FAIL {label}: no rows at all")
        return -1
    return len(ours)


def programs(directory):
    """Builds the programs one by one: their labels and paths."""
    for name, text in SOURCES.items():
        path = os.path.join(directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
    extra = [[], ["-gz"], ["-flto"], ["-ffunction-sections", "-Wl,--gc-sections"],
             ["-fuse-ld=lld", "-ffunction-sections", "-Wl,--gc-sections"], ["-no-pie", "-static"],
             ["-Wl,-z,noseparate-code", "-ffunction-sections", "-Wl,--gc-sections"],
             ["-gdwarf64"], ["-gsplit-dwarf"]]
    out = os.path.join(directory, "program")
    for compiler, version, level in itertools.product(("gcc", "clang"), (2, 3, 4, 5), ("0", "2")):
        if not shutil.which(compiler):
            continue
        for flags in extra:
            if skipped(compiler, version, flags):
                continue
            linker = ["-fuse-ld=lld"] if compiler == "clang" and "-flto" in flags else []
            command = [compiler, f"-gdwarf-{version}", f"-O{level}", *flags, *linker, *C_FILES,
                       "-o", out]
            yield built(command, directory), out
        command = [compiler, f"-gdwarf-{version}", f"-O{level}", "queue.cc", "-lstdc++", "-o", out]
        yield built(command, directory), out


def skipped(compiler, version, flags):
    if "-gdwarf64" in flags:
        return version < 3 or (compiler == "gcc" and version < 5)
    return False


def built(command, directory):
    made = subprocess.run(command, cwd=directory, capture_output=True, text=True)
    label = " ".join(command[:-2])
    if made.returncode != 0:
        print(f"SKIP {label}: {made.stderr.strip().splitlines()[-1:]}")
        return None
    return label


def main():
    dumper = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/unit/dump_lines")
    files = sys.argv[2:]
    failed = done = rows = 0
    with tempfile.TemporaryDirectory() as directory:
        for label, path in [(f, f) for f in files] or programs(directory):
            if label is None:
                continue
            n = compare(dumper, path, label)
            done += 1
            failed += n < 0
            rows += max(n, 0)
    print(f"{done} programs, {rows} rows compared, {failed} differ")
    return 1 if failed or not done else 0


if __name__ == "__main__":
    sys.exit(main())
