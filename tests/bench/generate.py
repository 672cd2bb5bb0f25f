#!/usr/bin/env python3
"""A C program of about 150,000 line rows and 80,000 DIEs: generate.py DIRECTORY writes its files."""
import os
import sys

UNITS, FUNCTIONS, LINES = 40, 50, 35


def unit(u):
    out = ["volatile int sink;" if u == 0 else "extern volatile int sink;"]
    for f in range(FUNCTIONS):
        out.append(f"int unit{u}_func{f}(int a, int b)\n{{")
        for i in range(LINES):
            out.append(f"\tint v{i} = a * {i + 1} + b;")
            out.append(f"\tsink = v{i} ^ b;")
        out.append("\treturn sink;\n}")
    return "\n".join(out) + "\n"


def main():
    for u in range(UNITS):
        with open(os.path.join(sys.argv[1], f"unit{u}.c"), "w") as f:
            f.write(unit(u))
    with open(os.path.join(sys.argv[1], "main.c"), "w") as f:
        f.write("int unit0_func0(int, int);\nint main(void)\n{\n\treturn unit0_func0(1, 2) == 12345;\n}\n")


if __name__ == "__main__":
    main()
