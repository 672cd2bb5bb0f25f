#!/usr/bin/env python3
"""What a function costs in a program of about 1 GB: computing time and memory of
`gatectl lines`, for a FUNC that is there and for a misspelt one, with those of a small program beside them.
size.py [UNITS [GATECTL...]]: several gatectls are measured in turn, before and after in one run."""
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
OUT = os.path.join(ROOT, "build", "bench")
FUNCTIONS, STRUCTS, LINES, RUNS = 600, 200, 30, 3
MARK = "u0000"  # in every name of the unit; the other units are the same bytes with another number


def unit():
    out = []
    for s in range(STRUCTS):
        members = "".join(f"\tint {MARK}_member{s}_{m};\n" for m in range(8))
        out.append(f"struct {MARK}_record{s} {{\n{members}\tstruct {MARK}_record{max(s - 1, 0)} *next;\n}};")
        out.append(f"struct {MARK}_record{s} {MARK}_global{s};")
    for f in range(FUNCTIONS):
        s = f % STRUCTS
        out.append(f"int {MARK}_func{f}(struct {MARK}_record{s} *record, int a, int b)\n{{")
        for i in range(LINES):
            out.append(f"\tint value{i} = a * {i + 1} + b;")
            out.append(f"\tif (value{i} > b) {{ int inner{i} = value{i}; record->{MARK}_member{s}_{i % 8} += inner{i}; }}")
        out.append("\treturn a;\n}")
    return "\n".join(out) + "\n"


def build(units):
    """Compiled once: an object file whose names have another number is another unit."""
    program = os.path.join(OUT, f"size-{units}")
    if os.path.exists(program):
        return program
    directory = os.path.join(OUT, "size")
    os.makedirs(directory, exist_ok=True)
    source, main = os.path.join(directory, f"{MARK}.c"), os.path.join(directory, "main.c")
    with open(source, "w") as f:
        f.write(unit())
    with open(main, "w") as f:
        f.write("int main(void)\n{\n\treturn 0;\n}\n")
    for path in (source, main):
        subprocess.run(["gcc", "-g", "-O0", "-c", "-o", path[:-1] + "o", path], check=True)
    with open(source[:-1] + "o", "rb") as f:
        image = f.read()
    objects = [main[:-1] + "o"]
    for number in range(units):
        objects.append(os.path.join(directory, f"copy{number}.o"))
        with open(objects[-1], "wb") as f:
            f.write(image.replace(MARK.encode(), b"u%04d" % number))
    with open(os.path.join(directory, "objects"), "w") as f:
        f.write("\n".join(objects))
    subprocess.run(["gcc", "-o", program, "@" + os.path.join(directory, "objects")], check=True)
    for path in objects[1:]:
        os.unlink(path)
    return program


def measure(command):
    """Computing seconds and MB at the most, whatever the answer."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(child.pid, 0)
    child.returncode = 0
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def sizes(program):
    out = subprocess.run(["readelf", "-SW", program], check=True, stdout=subprocess.PIPE, text=True).stdout
    info = next(line.split("]")[1].split() for line in out.split("\n") if " .debug_info " in line)
    return f"{os.path.getsize(program) / 1e6:.0f} MB, {int(info[4], 16) / 1e6:.0f} MB of .debug_info"


def report(program, last, gatectls):
    print(f"{sizes(program)}:")
    asked = [
        ("FUNC", f"u{last:04d}_func77"),
        ("a misspelt FUNC", f"u{last:04d}_func77x"),
        ("FILE:LINE", f"u{last // 2:04d}.c:{STRUCTS * 11 + 5}"),
    ]
    for what, where in asked:
        samples = [[] for _ in gatectls]
        for _ in range(RUNS):  # in turn, so that all see the same machine
            for gatectl, kept in zip(gatectls, samples):
                kept.append(measure([gatectl, "lines", program, where]))
        for gatectl, kept in zip(gatectls, samples):
            print(f"    {what}: {statistics.median(s for s, _ in kept):.2f} s computing, {max(m for _, m in kept):.0f} MB"
                  + (f" ({gatectl})" if len(gatectls) > 1 else ""))


def main():
    units = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    gatectls = sys.argv[2:] or [os.path.join(ROOT, "build", "gatectl")]
    os.makedirs(OUT, exist_ok=True)
    for count in (max(units // 10, 1), units):
        report(build(count), count - 1, gatectls)


if __name__ == "__main__":
    main()
